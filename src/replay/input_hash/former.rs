//! Hashes of whole frames by the rule of schema 1 of a golden's inputs: all that a frame is drawn from, command by command
//! from the first, however many frames lie over each other.
//!
//! ```text
//! of Appendix A    SHA-256 of the last CLEAR and each DRAW since
//! of submissions   SHA-256 of   per command   context, opcode, what the packet says, what guest memory it takes
//!                               then          "frame" and which of the commands shows the picture
//! ```
//!
//! Nothing is recorded by it any more. It tells whether what was recorded so is still true.

use sha2::Digest;

use super::canvas::started;
use super::ordered::{Ordered, is_submitted};
use super::{InputHash, InputHasher};
use crate::error::Internal;
use crate::format::aerogpu::FrameIndex;
use crate::replay::command_reader::CommandReader;
use crate::replay::error::ReplayError;

impl InputHasher {
    /// The hash that schema 1 has of a whole frame; `None` if it is not in the index.
    pub fn frame_of_schema_1(&mut self, frame: FrameIndex) -> Result<Option<InputHash>, ReplayError> {
        // silent: `None` is the answer for a frame that is not indexed
        let Some(own) = self.index.first_own_commands_of(frame) else { return Ok(None) };
        if !self.index.is_submitted(frame) && !self.shows_submission(frame)? {
            return self.canvas_of_schema_1(frame).map(Some);
        }
        let index = self.index.clone();
        let inputs = index.inputs_of_frame(frame)?.ok_or(Internal::new("a frame of the index has no inputs"))?;
        let mut walk = Ordered::new(self.takes_back(&inputs));
        let mut reader = CommandReader::new(self.trace.clone());
        for number in inputs {
            let at = index.require_location(number)?;
            let context = at.submission.map(|submission| submission.context());
            let context = context.ok_or(Internal::at("a command of a submission has none", at.offset))?;
            let said = self.said(number, &mut reader)?;
            walk.command(number, context, &said);
            self.memory(&mut walk, number)?;
        }
        walk.hasher.update(b"frame");
        let shown = index.shown_before(own.end);
        let shown = shown.map_or(Ok(u64::MAX), |present| walk.place_of(present))?;
        walk.number(shown);
        if index.numbers_in(own, |step| !is_submitted(step)).next().is_some() || !self.shows_submission(frame)? {
            walk.hasher.update(self.canvas_of_schema_1(frame)?.0);
        }
        Ok(Some(InputHash(walk.hasher.finalize().into())))
    }

    fn canvas_of_schema_1(&mut self, frame: FrameIndex) -> Result<InputHash, ReplayError> {
        let walk = self.walk_from_clear(frame)?;
        let mut hasher = started(walk.clear.map_or([0.0; 4], |(_, rgba)| rgba));
        walk.drawn.iter().for_each(|(_, inputs)| inputs.hash_into(&mut hasher));
        Ok(InputHash(hasher.finalize().into()))
    }
}
