//! What a frame consists of, as far as its commands alone tell.

use std::sync::Arc;

use super::command_stream::{CommandStream, Flow};
use super::error::ReplayError;
use super::executor::Executor;
use crate::command::{Command, Located};
use crate::error::Internal;
use crate::format::aerogpu::{FrameIndex, Trace};

/// Errors of a frame that are kept.
const KEPT_ERRORS: usize = 100;

/// What a frame consists of. Nothing of it was carried out.
#[derive(Debug, Default)]
pub struct FrameContents {
    /// Commands, those that cannot be decoded among them but for what comes behind the last.
    pub commands: u32,
    /// Submissions.
    pub submissions: u32,
    /// Draws.
    pub draws: u32,
    /// Dispatches of compute shaders.
    pub dispatches: u32,
    /// Uploads.
    pub uploads: u32,
    /// Presents.
    pub presents: u32,
    /// What is wrong, in its order.
    pub errors: Vec<ReplayError>,
    /// How many more errors there were.
    pub errors_dropped: u64,
}

/// Reads frames front to back, going on behind what is damaged.
pub struct ContentsReader {
    stream: CommandStream,
    executor: Executor,
    next: FrameIndex,
}

impl ContentsReader {
    /// A reader before the first frame.
    pub fn new(trace: Arc<Trace>) -> Self {
        let executor = Executor::new(trace.clone());
        Self { stream: CommandStream::new(trace), executor, next: FrameIndex(0) }
    }

    /// The contents of `frame`, which is none that was read; `draw` is told of each draw, with its number in the frame.
    pub fn read(
        &mut self,
        frame: FrameIndex,
        mut draw: impl FnMut(u32, &Located<Command>),
    ) -> Result<FrameContents, Internal> {
        while self.next < frame {
            let skipped = self.next;
            self.read_next(skipped, |_, _| ())?;
        }
        self.read_next(frame, &mut draw)
    }

    fn read_next(
        &mut self,
        frame: FrameIndex,
        mut draw: impl FnMut(u32, &Located<Command>),
    ) -> Result<FrameContents, Internal> {
        self.next = FrameIndex(frame.0.saturating_add(1));
        let (mut contents, mut errors) = (FrameContents::default(), Errors::default());
        let each = |command: &Located<Command>, _: &mut Executor| {
            if command.value.is_draw() {
                draw(contents.draws, command);
            }
            contents.count(command);
            Ok::<_, ReplayError>(Flow::Continue)
        };
        let read = self.stream.survey_frame(frame, &mut self.executor, each, |error, _| {
            if error.is_internal() {
                return Err(error);
            }
            errors.add(error);
            Ok(Flow::Continue)
        });
        match read {
            Err(ReplayError::Internal(error)) => return Err(error),
            Err(error) => errors.add(error),
            Ok(()) => {}
        }
        (contents.errors, contents.errors_dropped) = (errors.kept, errors.dropped);
        Ok(contents)
    }
}

#[derive(Default)]
struct Errors {
    kept: Vec<ReplayError>,
    dropped: u64,
}

impl Errors {
    fn add(&mut self, error: ReplayError) {
        if self.kept.len() < KEPT_ERRORS {
            self.kept.push(error);
        } else {
            self.dropped += 1;
        }
    }
}

impl FrameContents {
    fn count(&mut self, command: &Located<Command>) {
        self.commands = self.commands.max(command.at.packet.saturating_add(1));
        if let Some(submission) = command.at.submission {
            self.submissions = self.submissions.max(submission.number().saturating_add(1));
        }
        let counter = match command.value {
            Command::Draw(_) | Command::DrawIndexed(_) => &mut self.draws,
            Command::Dispatch(_) => &mut self.dispatches,
            Command::Upload(_) => &mut self.uploads,
            Command::Present(_) => &mut self.presents,
            _ => return,
        };
        *counter = counter.saturating_add(1);
    }
}
