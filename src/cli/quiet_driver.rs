//! Keeps Mesa's Vulkan layer from printing errors that are none.
//!
//! Mesa's device-selection layer connects to Wayland to find the default GPU. Where there is no session (a container,
//! CI) the Wayland library prints `error: XDG_RUNTIME_DIR is invalid or not set` to stderr, twice a run, and all is
//! well. We choose the adapter ourselves, so the layer is switched off where it would fail. It reads its switch from
//! the environment, which a process cannot change safely once it runs; so the program starts itself over.

use std::ffi::OsString;

/// The layer's own switch.
const SWITCH: &str = "NODEVICE_SELECT";

/// Starts the program over with the layer switched off, where it would print. Returns if there is no need, or no way.
#[cfg(target_os = "linux")]
pub(super) fn start_over_if_noisy(argv: &[OsString]) {
    use std::os::unix::process::CommandExt;
    use std::process::Command;

    let is_noisy = std::env::var_os("XDG_RUNTIME_DIR").is_none() && std::env::var_os(SWITCH).is_none();
    let (Some((name, arguments)), true) = (argv.split_first(), is_noisy) else { return };
    let Ok(program) = std::env::current_exe() else { return };
    // Returns only if it fails, and then there is some noise and no harm.
    let _ = Command::new(program).arg0(name).args(arguments).env(SWITCH, "1").exec();
}

/// Other systems don't have the layer.
#[cfg(not(target_os = "linux"))]
pub(super) fn start_over_if_noisy(_argv: &[OsString]) {}
