//! Frames: goes to any of them and gives its picture.
//!
//! A frame's picture depends on what earlier frames have made, uploaded, set and drawn, so the player walks the
//! stream from where it stands to where it is asked to be; going back starts over.

mod error;
mod watchdog;

pub use error::PlayerError;
pub use watchdog::{Watchdog, Watched};

use std::ops::Range;
use std::sync::Arc;

use crate::bytes::Diagnostics;
use crate::command::{Command, Located};
use crate::format::aerogpu::{FrameIndex, RecordReader, Trace};
use crate::gpu::{Gpu, Renderer};
use crate::pixels::{Picture, Size};
use crate::replay::{BlobStore, Flow, GuestState, Op, ProgramLibrary, ReplayError, ShaderOptions, decode_frame};

/// How far into a frame to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// To its end.
    EndOfFrame,
    /// To just after its draw with this number, counted from 0.
    AfterDraw(u32),
}

/// Plays one trace on one GPU.
pub struct Player {
    trace: Arc<Trace>,
    renderer: Renderer,
    programs: ProgramLibrary,
    walk: Walk,
    diagnostics: Diagnostics,
    watchdog: Option<Watchdog>,
}

/// Where the player stands, and the state there.
struct Walk {
    reader: RecordReader,
    blobs: BlobStore,
    state: GuestState,
    /// Absolute file offset up to which the stream was walked.
    walked_to: u64,
    position: Position,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Position {
    /// Before the first frame.
    Start,
    /// A frame was played, as far as said.
    Played(FrameIndex, Until),
    /// An error left the state in the middle of something.
    Broken,
}

impl Player {
    /// A player before the first frame of `trace`, with a target of `size`.
    pub fn new(trace: Arc<Trace>, gpu: Arc<Gpu>, size: Size) -> Result<Self, PlayerError> {
        let renderer = Renderer::new(gpu, size)?;
        let walk = Walk::new(&trace);
        Ok(Self {
            trace,
            renderer,
            programs: ProgramLibrary::new(),
            walk,
            diagnostics: Diagnostics::new(),
            watchdog: None,
        })
    }

    /// Has each frame, and each wait for a picture, watched.
    pub fn set_watchdog(&mut self, watchdog: Watchdog) {
        self.watchdog = Some(watchdog);
    }

    /// Has the player make shaders in another way than the usual one. To be called before the first frame.
    pub fn set_shader_options(&mut self, options: ShaderOptions) {
        self.programs = ProgramLibrary::with_options(options);
    }

    /// The trace.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    /// The renderer, whose target shows the current frame.
    pub fn renderer(&self) -> &Renderer {
        &self.renderer
    }

    /// What was odd in the stream so far. A stretch that is played again is noted again.
    pub fn diagnostics(&mut self) -> &mut Diagnostics {
        &mut self.diagnostics
    }

    /// Makes the target hold the picture of `frame`, as far as `until`.
    pub fn seek(&mut self, frame: FrameIndex, until: Until) -> Result<(), PlayerError> {
        let frame_count = self.trace.frames().len();
        if frame.as_usize() >= frame_count {
            return Err(PlayerError::NoSuchFrame { frame, frame_count });
        }
        let next = match self.walk.position {
            Position::Played(current, reached) if current == frame && reached == until => return Ok(()),
            Position::Played(current, Until::EndOfFrame) if current < frame => current.0 + 1,
            Position::Start => 0,
            _ => {
                self.start_over();
                0
            }
        };
        for index in next..frame.0 {
            self.play(FrameIndex(index), Until::EndOfFrame)?;
        }
        self.play(frame, until)
    }

    /// The picture of `frame`, as far as `until`.
    pub fn render(&mut self, frame: FrameIndex, until: Until) -> Result<Picture, PlayerError> {
        self.seek(frame, until)?;
        self.read_back()
    }

    /// The picture that the target holds.
    pub fn read_back(&mut self) -> Result<Picture, PlayerError> {
        let _watched = self.watchdog.as_ref().map(Watchdog::watch);
        Ok(self.renderer.read_back()?)
    }

    fn start_over(&mut self) {
        self.walk = Walk::new(&self.trace);
        self.renderer.reset();
    }

    /// Plays the frame that follows the current position.
    fn play(&mut self, frame: FrameIndex, until: Until) -> Result<(), PlayerError> {
        self.walk.position = Position::Broken;
        let Some(span) = self.trace.frame(frame).cloned() else {
            return Err(PlayerError::NoSuchFrame { frame, frame_count: self.trace.frames().len() });
        };
        let watchdog = self.watchdog.take();
        let watched = watchdog.as_ref().map(Watchdog::watch);
        let played = self.play_span(frame, &span.bytes, until);
        drop(watched);
        self.watchdog = watchdog;
        let draws = played?;
        if let Until::AfterDraw(draw) = until
            && draw >= draws
        {
            return Err(PlayerError::NoSuchDraw { draw, frame, draw_count: draws });
        }
        self.walk.walked_to = span.bytes.end;
        self.walk.position = Position::Played(frame, until);
        Ok(())
    }

    /// Walks up to and through a frame and submits it; says how many draws there were.
    fn play_span(&mut self, frame: FrameIndex, bytes: &Range<u64>, until: Until) -> Result<u32, PlayerError> {
        self.walk_gap(bytes.start)?;
        let draws = self.walk_frame(frame, bytes.clone(), until)?;
        self.renderer.submit()?;
        Ok(draws)
    }

    /// Takes in the blobs between the last frame and the next, which starts at `end`.
    fn walk_gap(&mut self, end: u64) -> Result<(), PlayerError> {
        let Self { walk, diagnostics, .. } = self;
        walk.reader.seek(walk.walked_to..end);
        decode_frame(&mut walk.reader, None, &mut walk.blobs, diagnostics, |_, _, _| Ok(Flow::Continue))?;
        Ok(())
    }

    /// Plays a frame's commands; says how many draws there were.
    fn walk_frame(&mut self, frame: FrameIndex, bytes: Range<u64>, until: Until) -> Result<u32, PlayerError> {
        let Self { walk, diagnostics, renderer, programs, .. } = self;
        let Walk { reader, blobs, state, .. } = walk;
        reader.seek(bytes);
        let mut ops: Vec<Op> = Vec::new();
        let mut draws = 0;
        let mut gpu_error = None;
        decode_frame(reader, Some(frame), blobs, diagnostics, |command: Located<Command>, blobs, diagnostics| {
            state.apply(command, blobs, programs, diagnostics, &mut ops)?;
            for op in ops.drain(..) {
                if let Err(error) = renderer.run(&op, command.at, programs, blobs) {
                    gpu_error = Some(error);
                    return Ok(Flow::Stop);
                }
            }
            if matches!(command.value, Command::Draw { .. }) {
                draws += 1;
                if until == Until::AfterDraw(draws - 1) {
                    return Ok(Flow::Stop);
                }
            }
            Ok::<Flow, ReplayError>(Flow::Continue)
        })?;
        match gpu_error {
            Some(error) => Err(error.into()),
            None => Ok(draws),
        }
    }
}

impl Walk {
    fn new(trace: &Arc<Trace>) -> Self {
        let stream = trace.stream();
        Self {
            walked_to: stream.start,
            reader: trace.records(stream),
            blobs: BlobStore::new(trace.clone()),
            state: GuestState::new(),
            position: Position::Start,
        }
    }
}
