//! What submissions have made and set up to a command of the trace.

use std::sync::Arc;

use super::command_stream::{CommandStream, Flow};
use super::error::ReplayError;
use super::executor::Executor;
use super::index::{CommandNumber, TraceIndex};
use crate::command::Command;
use crate::command::Located;
use crate::error::Internal;
use crate::format::aerogpu::{FrameIndex, Trace};

/// An executor that has carried out the submissions' commands before the one with the number `end`, on the CPU alone. What
/// is wrong in them is in the index.
pub fn device_at(trace: &Arc<Trace>, index: &TraceIndex, end: CommandNumber) -> Result<Executor, ReplayError> {
    let mut executor = Executor::new(trace.clone());
    let mut stream = CommandStream::new(trace.clone());
    for frame in (0..index.frame_count() as u32).map(FrameIndex) {
        let own = index.commands_of(frame).ok_or(Internal::new("a frame of the index has no commands"))?;
        if own.start >= end.0 {
            break;
        }
        let each = |command: &Located<Command>, executor: &mut Executor| {
            let number = own.start + command.at.packet;
            if number >= end.0 {
                return Ok(Flow::Stop);
            }
            if command.at.submission.is_some()
                && let Err(error) = executor.apply_numbered(command, number)
                && error.is_internal()
            {
                return Err(error);
            }
            Ok(Flow::Continue)
        };
        stream.survey_frame(frame, &mut executor, each, |error, _| match error.is_of_submission() {
            true => Ok(Flow::Continue),
            false => Err(error),
        })?;
    }
    Ok(executor)
}
