//! What is wrong with what is played, and whether playing goes on behind it.
//!
//! | what is wrong | what is not carried out |
//! |---|---|
//! | a draw that cannot be drawn | the draw alone |
//! | anything else in a submission | the rest of the submission |
//! | another command of Appendix A, or a packet whose length is sound | the packet alone |
//! | a packet of Appendix A whose length is wrong | the rest of its record |
//! | a record | the rest of the frame |
//!
//! So frames of Appendix A look as if the packet were not there. The index goes on at the same places, so a seek shows what
//! playing up to the frame shows. A draw fails alone in both ABIs, since only the texts and the bytecode of shaders tell, and
//! the index does not read them.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::PlayerError;
use crate::command::{Command, Located, Location};
use crate::error::{Classified, ErrorKind};
use crate::format::aerogpu::FrameIndex;
use crate::limits::MAX_FINDINGS;
use crate::replay::{FaultSubject, FaultSummary, ReplayError};

/// What becomes of playing when something in the trace is wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultPolicy {
    /// It ends with the error.
    #[default]
    Stop,
    /// It goes on behind what cannot be carried out: behind the command, the submission, the record or the frame.
    KeepGoing,
}

/// What playing went on behind.
#[derive(Debug, Default)]
pub struct PlayedFaults {
    /// In the order in which they came up, each once, as far as they are kept.
    pub errors: Vec<PlayerError>,
    /// How many more there were.
    pub dropped: u64,
}

/// Frame, packet and offset of a fault, in the order of the trace.
type PlaceKey = (u32, u32, u64);

/// Decides whether playing goes on, and keeps what it went on behind.
#[derive(Default)]
pub(super) struct Faults {
    policy: FaultPolicy,
    found: PlayedFaults,
    /// All that were ever found, counted by kind.
    summary: FaultSummary,
    /// Places of those found, so that a stretch that is played again tells nothing again.
    known: HashSet<PlaceKey>,
    /// The last place of those found. What lies behind it was not found before.
    last: Option<PlaceKey>,
}

impl Faults {
    pub(super) fn set_policy(&mut self, policy: FaultPolicy) {
        self.policy = policy;
    }

    /// Whether playing ends with the first error.
    pub(super) fn stop_playing(&self) -> bool {
        self.policy == FaultPolicy::Stop
    }

    /// Frames and packets of those found, as far as places are kept.
    pub(super) fn places(&self) -> impl Iterator<Item = (FrameIndex, u32)> {
        self.known.iter().map(|(frame, packet, _)| (FrameIndex(*frame), *packet))
    }

    /// All that were found so far, counted by kind.
    pub(super) fn summary(&self) -> &FaultSummary {
        &self.summary
    }

    /// Whether anything was found wrong so far.
    pub(super) fn are_known(&self) -> bool {
        !self.known.is_empty()
    }

    /// What was found since this was asked last.
    pub(super) fn take(&mut self) -> PlayedFaults {
        std::mem::take(&mut self.found)
    }

    /// Takes in that a command could not be carried out; gives the error back where playing ends with it.
    #[cold]
    pub(super) fn of_command(&mut self, error: PlayerError, command: &Located<Command>) -> Result<(), PlayerError> {
        let is_draw = command.value.is_draw();
        let subject = if is_draw { FaultSubject::Draw } else { FaultSubject::Command(command.value.name()) };
        self.keep(error, subject, command.at)
    }

    /// Takes in that a packet, a submission or a record is damaged; gives the error back where playing ends with it. `next` is
    /// where the frame's next command would be.
    #[cold]
    pub(super) fn of_damage(&mut self, error: ReplayError, next: Location) -> Result<(), PlayerError> {
        // silent: what has no place is told at the file's start
        let (subject, offset) = (FaultSubject::of(&error), error.offset().unwrap_or_default());
        let at = error.location().unwrap_or(Location { offset, ..next });
        self.keep(error.into(), subject, at)
    }

    fn keep(&mut self, error: PlayerError, subject: FaultSubject, at: Location) -> Result<(), PlayerError> {
        if self.policy == FaultPolicy::Stop || !is_of_trace(&error) {
            return Err(error);
        }
        let place = (at.frame.0, at.packet, at.offset);
        if self.known.contains(&place) {
            return Ok(());
        }
        if self.known.len() < MAX_FINDINGS {
            self.known.insert(place);
            self.summary.add(subject, at, &error);
            self.found.errors.push(error);
        } else if self.last.is_none_or(|last| last < place) {
            // Of those whose places are not kept, each is counted when it is first come to.
            self.summary.add(subject, at, &error);
            self.found.dropped += 1;
        }
        self.last = self.last.max(Some(place));
        Ok(())
    }
}

/// Whether it is about something in the trace that others do without: no fault of the device, of the file's reading or of
/// this program.
fn is_of_trace(error: &PlayerError) -> bool {
    !error.is_of_device() && error.kind() != ErrorKind::ReadFailed
}
