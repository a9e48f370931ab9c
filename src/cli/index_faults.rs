//! What is wrong with the submissions of listed frames: told on stderr, and the exit code that the first leads to.

use super::args::CommonArgs;
use super::exit::{Exit, Failure};
use crate::format::aerogpu::FrameIndex;
use crate::replay::TraceIndex;

/// Errors of submissions that are told one by one; a stream can have millions.
const MOST_TOLD: usize = 100;

/// The faults of an index, as far as frames were listed.
#[derive(Default)]
pub(super) struct IndexFaults {
    /// What the first thing that is wrong leads to.
    exit: Option<Exit>,
    /// How many of the faults of listed frames were told, and how many were not.
    told: usize,
    untold: u64,
}

impl IndexFaults {
    /// Says what is wrong with the submissions of a frame.
    pub(super) fn tell(&mut self, index: &TraceIndex, frame: FrameIndex, common: &CommonArgs) {
        for fault in index.faults_of(frame) {
            let exit = Exit::from(fault.kind);
            self.exit = self.exit.or(Some(exit));
            if self.told >= MOST_TOLD {
                self.untold += 1;
                continue;
            }
            self.told += 1;
            common.messages().error(fault.kind, exit, &fault.message, fault.offset);
        }
    }

    /// Says how many were not told, and what is wrong with the frame that ended the index, if one did; `name` is the trace's.
    /// Gives the code that the faults lead to.
    pub(super) fn conclude(self, index: &TraceIndex, name: &str, common: &CommonArgs) -> Result<Option<Exit>, Failure> {
        let (_, dropped) = index.faults();
        let untold = self.untold + dropped;
        if untold > 0 {
            common.messages().note(format!("and {untold} more errors"), None);
        }
        match index.stop() {
            Some(stop) => {
                let message = format!("{name}: frame {}: {}", stop.frame, stop.message);
                Err(Failure::say(stop.kind, message).at(stop.offset))
            }
            None => Ok(self.exit),
        }
    }
}
