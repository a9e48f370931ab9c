//! Players of verbs: whatever a trace holds, each picture and each answer comes within `--timeout`, or the program ends.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::args::{CommonArgs, DrawnShaderArgs};
use super::exit::{Exit, Failure, exit_now};
use super::golden::{DeviceArgs, SizeArgs};
use crate::error::ErrorKind;
use crate::format::aerogpu::Trace;
use crate::gpu::Gpu;
use crate::pixels::Size;
use crate::player::{FaultPolicy, Player, PlayerError, Watchdog};

/// Time that a wait for the GPU has to end by itself, which says more than the watchdog can.
const GRACE: Duration = Duration::from_secs(2);

/// Flags for target, shaders and device of a verb that draws.
#[derive(Debug, clap::Args)]
pub(super) struct DrawingArgs {
    #[command(flatten)]
    pub size: SizeArgs,
    #[command(flatten)]
    pub drawn: DrawnShaderArgs,
    #[command(flatten)]
    pub device: DeviceArgs,
}

impl DrawingArgs {
    /// Opens a player of the trace at `path`.
    pub(crate) fn player(&self, path: &Path, trace: &Arc<Trace>, common: &CommonArgs) -> Result<Player, Failure> {
        let (gpu, size) = (self.device.open_shared()?, self.size.choose(trace));
        let mut player = watched_player(path, trace, gpu, size, common)?;
        player.set_shader_options(self.drawn.options(trace)?);
        Ok(player)
    }
}

/// Opens a player of the trace at `path`, which keeps going if the user asks for it. The process ends when a picture or an answer takes longer than a wait for `gpu` may,
/// and names the trace and what was being drawn.
pub(super) fn watched_player(
    path: &Path,
    trace: &Arc<Trace>,
    gpu: Arc<Gpu>,
    size: Size,
    common: &CommonArgs,
) -> Result<Player, PlayerError> {
    let (name, messages) = (path.display().to_string(), common.messages());
    let (timeout, under_way) = (gpu.timeout(), gpu.under_way().clone());
    let mut player = Player::new(trace.clone(), gpu, size)?;
    if common.keep_going {
        player.set_fault_policy(FaultPolicy::KeepGoing);
    }
    player.set_watchdog(Watchdog::new(timeout.saturating_add(GRACE), move || {
        let (work, limit) = (under_way.work(), timeout.as_secs());
        let message = format!("{name}: the GPU driver did not finish {work} within {limit} s (--timeout)");
        messages.error(ErrorKind::Timeout, Exit::Timeout, message, None);
        exit_now(Exit::Timeout)
    }));
    Ok(player)
}
