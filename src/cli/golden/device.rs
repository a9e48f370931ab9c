//! The flags that choose a device, for the verbs that hand them on to child processes or open several.

use std::sync::Arc;
use std::time::Duration;

use clap::Args as ClapArgs;

use super::super::args::{Backend, TargetSize, parse_adapter, parse_size};
use super::super::exit::Failure;
use crate::format::aerogpu::Trace;
use crate::gpu::{Gpu, GpuError, NO_TIMEOUT};
use crate::pixels::Size;
use crate::replay::{DEFAULT_SIZE, largest_viewport};

#[derive(Clone, Debug, ClapArgs)]
pub(in crate::cli) struct DeviceArgs {
    /// GPU to use: its number in `adapters`, or part of its name
    #[arg(long, value_name = "INDEX|NAME")]
    pub adapter: Option<String>,
    /// API to use
    #[arg(long, value_enum, default_value_t = Backend::Auto)]
    pub backend: Backend,
    /// Longest time for a picture, an answer or a case, in seconds
    #[arg(long, value_name = "S", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86400))]
    pub timeout: u64,
    /// Do not limit the vertices of a frame (else a billion) or its time
    #[arg(long)]
    pub no_render_budget: bool,
}

#[derive(Clone, Copy, Debug, ClapArgs)]
pub(in crate::cli) struct SizeArgs {
    /// Size of the target; auto takes the trace's largest SET_VIEWPORT, else 64x64
    #[arg(long, value_name = "WxH|auto", default_value = "auto", value_parser = parse_size)]
    pub size: TargetSize,
}

impl DeviceArgs {
    /// How long a case, or a wait, may take.
    pub(crate) fn timeout(&self) -> Duration {
        if self.no_render_budget { NO_TIMEOUT } else { Duration::from_secs(self.timeout) }
    }

    /// Opens the device.
    pub(crate) fn open(&self) -> Result<Gpu, GpuError> {
        let adapter = match self.adapter.as_deref().map(parse_adapter) {
            Some(Ok(adapter)) => adapter,
            None => Default::default(),
        };
        Gpu::open(self.backend.into(), &adapter, self.timeout())
    }

    /// Opens the device, for several users.
    pub(crate) fn open_shared(&self) -> Result<Arc<Gpu>, Failure> {
        let gpu = Arc::new(self.open()?);
        log::info!("adapter: {}", gpu.summary());
        Ok(gpu)
    }

    /// The flags again, for a child process or for people who want to repeat it.
    pub(crate) fn arguments(&self) -> Vec<String> {
        let mut arguments = Vec::new();
        if self.no_render_budget {
            arguments.push("--no-render-budget".to_owned());
        }
        if let Some(adapter) = &self.adapter {
            arguments.extend(["--adapter".to_owned(), adapter.clone()]);
        }
        if let Some(backend) =
            clap::ValueEnum::to_possible_value(&self.backend).filter(|_| self.backend != Backend::Auto)
        {
            arguments.extend(["--backend".to_owned(), backend.get_name().to_owned()]);
        }
        arguments
    }
}

impl SizeArgs {
    /// The target's size for a trace.
    pub(crate) fn choose(&self, trace: &Trace) -> Size {
        match self.size {
            TargetSize::Fixed(size) => size,
            TargetSize::Auto => largest_viewport(trace).unwrap_or(DEFAULT_SIZE),
        }
    }
}
