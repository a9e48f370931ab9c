//! Process groups: a wrapper and whatever it starts end together with the worker.
//!
//! Where there are no such groups (Windows), the process that was started is ended, and a worker behind a wrapper ends
//! by itself when its input does.

use std::process::{Child, Command};

/// Has the process lead a group of its own. A Ctrl-C on a terminal then reaches the parent alone, which ends its
/// workers in order.
pub(super) fn lead_group(command: &mut Command) {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    #[cfg(not(unix))]
    let _ = command;
}

/// Whether the process has ended. On Unix it is not waited for: as long as nobody has, its number is nobody else's,
/// and so neither is its group's.
pub(super) fn has_ended(child: &mut Child) -> bool {
    #[cfg(unix)]
    {
        use rustix::process::{WaitId, WaitIdOptions, waitid};
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        let Some(pid) = pid(child.id()) else { return true };
        !matches!(waitid(WaitId::Pid(pid), options), Ok(None))
    }
    #[cfg(not(unix))]
    !matches!(child.try_wait(), Ok(None))
}

/// Kills the process and all of its group. To be called before it is waited for.
pub(super) fn kill_group(child: &mut Child) {
    #[cfg(unix)]
    kill_group_of(child.id());
    #[cfg(not(unix))]
    let _ = child.kill();
}

/// Kills all of the group that this process leads. It must not have been waited for.
#[cfg(unix)]
pub(super) fn kill_group_of(leader: u32) {
    if let Some(leader) = pid(leader) {
        // All of them may have ended.
        let _ = rustix::process::kill_process_group(leader, rustix::process::Signal::KILL);
    }
}

/// Ends this process at once, in the middle of whatever it does.
pub(super) fn end_here() {
    #[cfg(unix)]
    {
        use rustix::process::{Signal, getpid, kill_process};
        // Not `exit`: it would run what drivers have left to be done at the end, while their threads are at work.
        let _ = kill_process(getpid(), Signal::KILL);
    }
    std::process::exit(0);
}

#[cfg(unix)]
fn pid(number: u32) -> Option<rustix::process::Pid> {
    rustix::process::Pid::from_raw(i32::try_from(number).ok()?)
}
