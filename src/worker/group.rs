//! Process groups: a wrapper and whatever it starts end together with the worker.
//!
//! Where there are no such groups (Windows), the process that was started is ended, and a worker behind a wrapper ends
//! by itself when its input does.

use std::process::{Child, Command};
#[cfg(unix)]
use std::thread;
#[cfg(unix)]
use std::time::{Duration, Instant};

/// Longest time that processes may take to end when asked.
#[cfg(unix)]
const GRACE: Duration = Duration::from_millis(200);

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
    return has_leader_ended(child.id());
    #[cfg(not(unix))]
    !matches!(child.try_wait(), Ok(None))
}

#[cfg(unix)]
fn has_leader_ended(leader: u32) -> bool {
    use rustix::process::{WaitId, WaitIdOptions, waitid};
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
    let Some(leader) = pid(leader) else { return true };
    !matches!(waitid(WaitId::Pid(leader), options), Ok(None))
}

/// Ends the process and all of its group. To be called before it is waited for.
pub(super) fn end_group(child: &mut Child) {
    #[cfg(unix)]
    end_groups(&[child.id()]);
    #[cfg(not(unix))]
    let _ = child.kill();
}

/// Ends all of the groups that these processes lead, none of which was waited for. They are asked first, whereupon they
/// remove the files that they have not finished, and are killed if that takes long.
#[cfg(unix)]
pub(super) fn end_groups(leaders: &[u32]) {
    use rustix::process::{Signal, kill_process_group};
    let send = |signal| {
        for leader in leaders.iter().filter_map(|leader| pid(*leader)) {
            // All of a group may have ended.
            let _ = kill_process_group(leader, signal);
        }
    };
    send(Signal::TERM);
    let deadline = Instant::now() + GRACE;
    while !leaders.iter().all(|leader| has_leader_ended(*leader)) && Instant::now() < deadline {
        thread::sleep(Duration::from_millis(1));
    }
    send(Signal::KILL);
}

/// Ends this process at once, in the middle of whatever it does. Files that are not finished are removed.
pub(super) fn end_here() {
    crate::bytes::remove_unfinished();
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
