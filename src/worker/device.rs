//! The worker's device, opened when a job first needs it.

use std::sync::Arc;

use crate::gpu::{Gpu, GpuError};

/// One device for all jobs of a worker, for opening it is what costs time.
pub struct Device<'a> {
    open: Box<dyn Fn() -> Result<Gpu, GpuError> + 'a>,
    gpu: Option<Arc<Gpu>>,
}

impl<'a> Device<'a> {
    /// A device that `open` opens.
    pub fn new(open: impl Fn() -> Result<Gpu, GpuError> + 'a) -> Self {
        Self { open: Box::new(open), gpu: None }
    }

    /// The device, opened if it is not yet.
    pub fn get(&mut self) -> Result<Arc<Gpu>, GpuError> {
        match &self.gpu {
            Some(gpu) => Ok(gpu.clone()),
            None => Ok(self.gpu.insert(Arc::new((self.open)()?)).clone()),
        }
    }
}
