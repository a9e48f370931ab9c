//! What submissions have made and set up to a command of the trace, or by some of its commands.

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
        stream.survey_frame(frame, &mut executor, each, |error, _| match error.is_survivable() {
            true => Ok(Flow::Continue),
            false => Err(error),
        })?;
    }
    Ok(executor)
}

/// An executor that has carried out the commands of submissions with these numbers, which are ascending, and no others, on
/// the CPU alone. All that they need has to be among them.
pub(super) fn device_of(
    trace: &Arc<Trace>,
    index: &TraceIndex,
    numbers: &[CommandNumber],
) -> Result<Executor, ReplayError> {
    let mut executor = Executor::new(trace.clone());
    // Memory and streams may lie in frames that are not read.
    executor.set_index(index);
    let mut wanted = numbers.iter().copied().peekable();
    while let Some(next) = wanted.peek() {
        let frame = index.require_location(*next)?.frame;
        let own = index.commands_of(frame).ok_or(Internal::new("a frame of the index has no commands"))?;
        let mut stream = CommandStream::at(trace.clone(), frame)?;
        let each = |command: &Located<Command>, executor: &mut Executor| {
            let number = own.start + command.at.packet;
            if wanted.next_if_eq(&CommandNumber(number)).is_some() {
                executor.apply_numbered(command, number)?;
            }
            let goes_on = wanted.peek().is_some_and(|next| next.0 < own.end);
            Ok(if goes_on { Flow::Continue } else { Flow::Stop })
        };
        stream.survey_frame(frame, &mut executor, each, |error, _| match error.is_survivable() {
            true => Ok(Flow::Continue),
            false => Err(error),
        })?;
        if wanted.peek().is_some_and(|next| next.0 < own.end) {
            return Err(Internal::new("a requested command is not in its frame").into());
        }
    }
    Ok(executor)
}
