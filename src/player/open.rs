//! From a file to a player in one step.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::{Player, PlayerError};
use crate::format::aerogpu::Trace;
use crate::gpu::{AdapterChoice, BackendChoice, Gpu};
use crate::replay::{DEFAULT_SIZE, ReplayError, largest_viewport};

/// The longest wait for the GPU.
const TIMEOUT: Duration = Duration::from_secs(60);

impl Player {
    /// A player of the trace at `path`, on the best adapter there is, with a target as large as the trace's largest
    /// viewport. Whoever wants to choose takes [`Player::new`].
    ///
    /// # Errors
    ///
    /// The file can't be read as a trace, there is no adapter, or the target is too large for it.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, PlayerError> {
        let trace = Arc::new(Trace::open(path).map_err(ReplayError::from)?);
        let gpu = Arc::new(Gpu::open(BackendChoice::Auto, &AdapterChoice::Best, TIMEOUT)?);
        let size = largest_viewport(&trace).unwrap_or(DEFAULT_SIZE);
        Self::new(trace, gpu, size)
    }
}
