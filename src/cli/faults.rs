//! Faults of traces: told on stderr by kind, and the exit code that they lead to.
//!
//! | verb | behind a fault | ends in |
//! |---|---|---|
//! | draws pictures | nothing comes | the code of the fault |
//! | lists, or answers without drawing | goes on | the code of the first fault |
//! | either, with `--keep-going` | goes on | 8, as what comes may not be all that was recorded |

use std::path::Path;

use super::args::CommonArgs;
use super::exit::{Exit, Failure};
use super::open::completeness;
use crate::format::aerogpu::{FrameIndex, Trace};
use crate::replay::{FaultSummary, TraceIndex};
use crate::text::counted;

/// Tells faults of the trace `name` by kind; gives the code that they lead to.
pub(super) fn tell_faults(faults: &FaultSummary, name: &str, common: &CommonArgs) -> Option<Exit> {
    let messages = common.messages();
    for group in faults.groups() {
        messages.fault(name, group, group.kind.into());
    }
    if faults.ungrouped() > 0 {
        messages.note(format!("{name}: and {}", counted(faults.ungrouped(), "more error")), None);
    }
    let first = faults.groups().first()?;
    Some(if common.keep_going { Exit::Partial } else { first.kind.into() })
}

/// Exit of a verb that has read a trace up to the end of `last`, by the faults of the index up to there.
pub(super) fn end_of_reading(
    index: &TraceIndex,
    last: FrameIndex,
    (path, trace): (&Path, &Trace),
    common: &CommonArgs,
) -> Exit {
    let faults = index.faults_until(last);
    tell_faults(&faults, &path.display().to_string(), common).unwrap_or_else(|| completeness(trace))
}

/// Exit of a verb that has played a trace up to the end of `last`, by what its player went on behind, if it was to keep
/// going.
#[cfg(feature = "gpu")]
pub(super) fn end_of_playing(
    player: &crate::player::Player,
    last: FrameIndex,
    path: &Path,
    common: &CommonArgs,
) -> Exit {
    let told = tell_faults(&player.faults_until(last), &path.display().to_string(), common);
    told.unwrap_or_else(|| completeness(player.trace()))
}

/// The faults of listed frames.
#[derive(Default)]
pub(super) struct ListedFaults {
    faults: FaultSummary,
}

impl ListedFaults {
    /// Takes in what is wrong with a frame that was listed.
    pub(super) fn add(&mut self, index: &TraceIndex, frame: FrameIndex) {
        index.faults_of(frame).iter().for_each(|fault| fault.count_in(&mut self.faults));
    }

    /// Tells them, and what is wrong with the frame that ended the index, if one did; `name` is the trace's. Gives the code
    /// that the faults lead to.
    pub(super) fn conclude(
        mut self,
        index: &TraceIndex,
        name: &str,
        common: &CommonArgs,
    ) -> Result<Option<Exit>, Failure> {
        let (_, dropped) = index.faults();
        self.faults.add_ungrouped(dropped);
        let exit = tell_faults(&self.faults, name, common);
        match index.stop() {
            Some(stop) => {
                let message = format!("{name}: frame {}: {}", stop.frame, stop.message);
                Err(Failure::say(stop.kind, message).at(stop.offset))
            }
            None => Ok(exit),
        }
    }
}
