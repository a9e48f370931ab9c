//! Code that the tests share.
#![allow(dead_code, unused_imports, reason = "each binary uses its own part")]

pub mod harness;
#[cfg(all(feature = "cli", feature = "gpu"))]
pub mod parser;
#[cfg(feature = "cli")]
pub mod program;
#[cfg(feature = "cli")]
pub mod serve_client;

pub use dev_recordings::{wip15_writer, wtf_orders};
pub use dev_traces::*;
pub use dev_trials::{counting, is_blessing, is_ci, mutate, root};

#[cfg(feature = "gpu")]
pub mod software {
    //! The software adapter that the exact pictures come from.

    use std::sync::{Arc, LazyLock};
    use std::time::Duration;

    use super::harness::{Failed, Trial};
    use aerogpu_replay::gpu::{AdapterChoice, BackendChoice, Gpu, GpuError};

    static GPU: LazyLock<Option<Arc<Gpu>>> = LazyLock::new(|| {
        let llvmpipe = AdapterChoice::Name("llvmpipe".to_owned());
        Gpu::open(BackendChoice::Vulkan, &llvmpipe, Duration::from_secs(60)).ok().map(Arc::new)
    });

    /// Software Vulkan (lavapipe), if it is installed.
    pub fn gpu() -> Option<Arc<Gpu>> {
        GPU.clone()
    }

    /// An API whose software driver the tests draw with.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Backend {
        Vulkan,
        Gl,
    }

    /// Every backend that tests loop over.
    pub const BACKENDS: [Backend; 2] = [Backend::Vulkan, Backend::Gl];

    impl Backend {
        pub fn name(self) -> &'static str {
            match self {
                Self::Vulkan => "vulkan",
                Self::Gl => "gl",
            }
        }

        /// Arguments that have the program draw with it.
        pub fn arguments(self) -> &'static [&'static str] {
            match self {
                Self::Vulkan => &["--backend", "vulkan", "--adapter", "llvmpipe"],
                Self::Gl => &["--backend", "gl", "--adapter", "llvmpipe"],
            }
        }

        /// A device that nobody else has.
        pub fn open_fresh(self) -> Arc<Gpu> {
            self.try_open().unwrap_or_else(|error| panic!("{error}: .ci/setup installs what is missing"))
        }

        fn try_open(self) -> Result<Arc<Gpu>, GpuError> {
            let backend = match self {
                Self::Vulkan => BackendChoice::Vulkan,
                Self::Gl => BackendChoice::Gl,
            };
            let llvmpipe = AdapterChoice::Name("llvmpipe".to_owned());
            Gpu::open(backend, &llvmpipe, Duration::from_secs(60)).map(Arc::new)
        }

        fn is_there(self) -> bool {
            static THERE: LazyLock<[bool; 2]> = LazyLock::new(|| BACKENDS.map(|backend| backend.try_open().is_ok()));
            THERE[self as usize]
        }

        /// A test that needs this backend: ignored where it is missing, failed where it is missing under CI.
        pub fn trial(self, name: impl Into<String>, test: impl FnOnce() + Send + 'static) -> Trial {
            self.fallible_trial(name, move || {
                test();
                Ok(())
            })
        }

        /// A trial whose test returns its complaint.
        pub fn fallible_trial(
            self,
            name: impl Into<String>,
            test: impl FnOnce() -> Result<(), Failed> + Send + 'static,
        ) -> Trial {
            let can_run = self.is_there() || super::is_ci();
            Trial::test(name, test).with_ignored_flag(!can_run)
        }
    }

    /// A test that needs software Vulkan: ignored where there is none, failed where there is none under CI.
    pub fn trial(name: impl Into<String>, test: impl FnOnce(Arc<Gpu>) + Send + 'static) -> Trial {
        let name = name.into();
        let can_run = gpu().is_some() || super::is_ci();
        let run = move || -> Result<(), Failed> {
            let gpu = gpu().ok_or("software Vulkan is missing: .ci/setup installs it")?;
            test(gpu);
            Ok(())
        };
        Trial::test(name, run).with_ignored_flag(!can_run)
    }
}
