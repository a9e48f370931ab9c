//! What is wrong with what is played, and whether playing goes on behind it.
//!
//! | what is wrong | what is not carried out |
//! |---|---|
//! | a draw that cannot be drawn | the draw alone |
//! | anything else in a submission | the rest of the submission |
//! | anything else in a Packet record, or a record itself | the rest of the frame |
//!
//! A draw fails alone in both ABIs, since only the texts and the bytecode of shaders tell: the index, by which a frame is
//! sought, does not read them, and a seek shows what playing up to the frame shows.

use std::collections::HashSet;

use super::PlayerError;
use crate::bytes::limits::MAX_FINDINGS;
use crate::command::{Command, Located};
use crate::error::{Classified, ErrorKind};
use crate::replay::{Executor, Flow, ReplayError};

/// What becomes of playing when something in the trace is wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FaultPolicy {
    /// It ends with the error.
    #[default]
    Stop,
    /// It goes on behind what cannot be carried out: behind the draw, the submission or the frame.
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

/// Decides whether playing goes on, and keeps what it went on behind.
#[derive(Default)]
pub(super) struct Faults {
    policy: FaultPolicy,
    found: PlayedFaults,
    /// Places of those found, so that a stretch that is played again tells nothing again.
    known: HashSet<(u32, u32, u64)>,
}

impl Faults {
    pub(super) fn set_policy(&mut self, policy: FaultPolicy) {
        self.policy = policy;
    }

    /// Whether playing ends with the first error.
    pub(super) fn stop_playing(&self) -> bool {
        self.policy == FaultPolicy::Stop
    }

    /// What was found since this was asked last.
    pub(super) fn take(&mut self) -> PlayedFaults {
        std::mem::take(&mut self.found)
    }

    /// A command could not be carried out: whether its frame goes on behind it, or else the error.
    #[cold]
    pub(super) fn of_command(
        &mut self,
        error: PlayerError,
        command: &Located<Command>,
        executor: &mut Executor,
    ) -> Result<Flow, PlayerError> {
        let (at, fails_alone) = (command.at, command.value.is_draw());
        self.keep(error, (at.frame.0, at.packet, at.offset))?;
        Ok(match at.submission {
            _ if fails_alone => Flow::Continue,
            Some(_) => {
                executor.end_submission();
                Flow::Continue
            }
            None => Flow::Stop,
        })
    }

    /// A packet, a submission or a record is damaged: whether the frame goes on behind it, or else the error.
    #[cold]
    pub(super) fn of_damage(&mut self, error: ReplayError) -> Result<Flow, PlayerError> {
        let place = match &error {
            ReplayError::Abi { at, .. } | ReplayError::Command { at, .. } => (at.frame.0, at.packet, at.offset),
            _ => (u32::MAX, u32::MAX, error.offset().unwrap_or(u64::MAX)),
        };
        let flow = if error.is_of_submission() { Flow::Continue } else { Flow::Stop };
        self.keep(error.into(), place)?;
        Ok(flow)
    }

    fn keep(&mut self, error: PlayerError, place: (u32, u32, u64)) -> Result<(), PlayerError> {
        if self.policy == FaultPolicy::Stop || !is_of_trace(&error) {
            return Err(error);
        }
        if self.known.len() >= MAX_FINDINGS && !self.known.contains(&place) {
            self.found.dropped += 1;
        } else if self.known.insert(place) {
            self.found.errors.push(error);
        }
        Ok(())
    }
}

/// Whether it is about something in the trace that others do without: no fault of the device, of the file's reading or of
/// this program.
fn is_of_trace(error: &PlayerError) -> bool {
    !error.is_of_device() && error.kind() != ErrorKind::ReadFailed
}
