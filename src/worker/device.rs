//! The worker's device, opened when a job first needs it.

use std::sync::{Arc, Mutex, PoisonError};

use crate::gpu::{Gpu, GpuError, UnderWay, Work};

/// One device for all jobs of a worker, for opening it is what costs time.
pub struct Device<'a> {
    open: Box<dyn Fn() -> Result<Gpu, GpuError> + 'a>,
    gpu: Option<Arc<Gpu>>,
    /// What the device is at, for other threads.
    under_way: Arc<Mutex<Option<UnderWay>>>,
}

impl<'a> Device<'a> {
    /// A device that `open` opens.
    pub fn new(open: impl Fn() -> Result<Gpu, GpuError> + 'a) -> Self {
        Self { open: Box::new(open), gpu: None, under_way: Arc::default() }
    }

    /// Tells what the device is at, in words, if anything is known to be under way.
    pub fn doing(&self) -> impl Fn() -> Option<String> + Send + use<> {
        let under_way = self.under_way.clone();
        move || match under_way.lock().unwrap_or_else(PoisonError::into_inner).as_ref()?.work() {
            Work::Unknown => None,
            work => Some(work.to_string().trim_end_matches(',').to_owned()),
        }
    }

    /// The device, opened if it is not yet.
    pub fn get(&mut self) -> Result<Arc<Gpu>, GpuError> {
        match &self.gpu {
            Some(gpu) => Ok(gpu.clone()),
            None => {
                let gpu = self.gpu.insert(Arc::new((self.open)()?));
                *self.under_way.lock().unwrap_or_else(PoisonError::into_inner) = Some(gpu.under_way().clone());
                Ok(gpu.clone())
            }
        }
    }
}
