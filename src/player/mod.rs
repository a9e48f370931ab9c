//! Frames: goes to any of them and gives its picture.
//!
//! ```no_run
//! use aerogpu_replay::player::Player;
//!
//! let picture = Player::open("trace.bin")?.render(7)?;
//! println!("{}", picture.hash());
//! # Ok::<(), aerogpu_replay::player::PlayerError>(())
//! ```
//!
//! A frame's picture depends on what earlier frames have made, uploaded, set and drawn. There are two ways to it:
//!
//! ```text
//!  the next frame ──► Linear: carry out its commands; the state holds everything made so far. After a seek the state
//!                     is made whole first, on the CPU alone
//!  any other      ──► Seek: the index names the earlier commands that it depends on; carry out those, then its own,
//!                     on what is on the GPU already: buffers keep their contents, pictures on the way were kept
//! ```
//!
//! Both give the same picture. A seek passes over what the frame does not depend on, so it reports what is wrong with
//! the trace a little later: structure, references and bounds of uploads are checked for every frame up to the one
//! asked for, and everything is checked in that frame itself; but a draw in an earlier frame whose shader does not
//! compile, or which reads past its buffer, is an error only if the frame asked for shows what it drew.
//!
//! A frame whose CLEAR covers what it began with is drawn on whatever the target holds, and what it draws before that CLEAR
//! is carried out for its errors alone: of what the target shows in between nothing is kept. So every picture that is kept
//! is the trace's, wherever the player was before. `tests/gpu/walk.rs` holds it to that.
//!
//! Questions about a frame (what it would look like without a draw, which draw wrote a pixel) are answered offscreen: drawn on
//! a target of their own, after which the player stands where it stood.

#[cfg(test)]
mod broken_invariants;
mod draw_times;
mod draw_vertices;
mod error;
mod faults;
mod gpu_context;
mod linear;
mod look_ahead;
#[cfg(test)]
mod lost_device;
mod maps;
mod offscreen_query;
mod open;
mod part_copies;
mod pipeline;
mod pixel_writes;
mod residency;
mod seek;
mod shown;
mod slice_run;
mod start_picture;
mod submitted_maps;
mod submitted_pixel;
mod submitted_query;
mod submitted_seek;
mod target_copies;
mod triangle;
mod variant;
mod vertex_budget;
mod watchdog;

pub use draw_times::DrawTimes;
pub use error::PlayerError;
pub use faults::{FaultPolicy, PlayedFaults};
pub use look_ahead::PipelineMaker;
pub use maps::{PixelMap, Writer, WriterMap};
pub use pixel_writes::{
    Before, ColorSteps, CopySource, Miss, PixelWrite, PixelWriteKind, PixelWrites, TexturePart, Touch,
};
pub use start_picture::StartPicture;
pub use submitted_query::AskedPicture;
pub use variant::{DrawSelection, DrawStyle, Variant};
pub use watchdog::{Watchdog, Watched};

use std::sync::Arc;

use self::faults::Faults;
use self::gpu_context::GpuContext;
use self::linear::Linear;
use self::pipeline::Submits;
use crate::bytes::Diagnostics;
use crate::command::{Place, Point, Shown};
use crate::format::aerogpu::{FrameIndex, Trace};
use crate::gpu::{Gpu, InFlightLimits, RenderTarget, Renderer};
use crate::pixels::{Picture, Size};
use crate::replay::{
    CommandNumber, Executor, FaultSummary, FrameMemory, ProgramLibrary, ShaderOptions, TargetAt, TraceIndex,
};

/// Plays one trace on one GPU.
pub struct Player {
    trace: Arc<Trace>,
    executor: Executor,
    gpu: GpuContext,
    /// Made at the first seek.
    index: Option<Arc<TraceIndex>>,
    position: Position,
    /// What buffers may have beside the target.
    memory: FrameMemory,
    watchdog: Option<Watchdog>,
    faults: Faults,
    submits: Submits,
    /// Pictures that wait for the recorded frames to be submitted.
    waiting: u32,
    /// What questions are drawn on, made at the first.
    spare_target: Option<RenderTarget>,
    /// Which picture of a place is shown.
    shown: Shown,
    /// The screen whose presents are shown, once it is known.
    scanout: Option<u32>,
    /// The texture that is shown, if one is.
    target: Option<TargetAt>,
}

/// Where the player stands, and what it knows there.
enum Position {
    /// The stream was played from its start, without a gap.
    Linear(Box<Linear>),
    /// A slice was played, or a question was answered after which the target shows what it has shown before.
    Sought {
        /// `None`: nothing of the trace yet.
        shows: Option<Place>,
        /// The target shows everything before this command; `None` if that is not known.
        shown: Option<CommandNumber>,
    },
    /// An error left the GPU in the middle of something.
    Broken,
}

impl Player {
    /// A player before the first frame of `trace`, with a target of `size`.
    pub fn new(trace: Arc<Trace>, gpu: Arc<Gpu>, size: Size) -> Result<Self, PlayerError> {
        let remarks = gpu.drawing_remarks();
        let renderer = Renderer::new(gpu, size);
        let position = Position::Linear(Box::new(Linear::new(&trace)));
        let programs = ProgramLibrary::working_ahead(ShaderOptions::default());
        let memory = FrameMemory::of_target(size);
        let mut executor = Executor::with_programs(trace.clone(), programs);
        executor.restart_with_memory(memory);
        executor.remark_on(remarks);
        Ok(Self {
            executor,
            memory,
            gpu: GpuContext::new(renderer, memory),
            trace,
            index: None,
            position,
            watchdog: None,
            faults: Faults::default(),
            submits: Submits::EachFrame,
            waiting: 0,
            spare_target: None,
            shown: Shown::default(),
            scanout: None,
            target: None,
        })
    }

    /// Has each frame, and each wait for a picture, watched.
    pub fn set_watchdog(&mut self, watchdog: Watchdog) {
        self.watchdog = Some(watchdog);
    }

    /// Has the player make shaders in another way than the usual one. To be called before the first frame.
    pub fn set_shader_options(&mut self, options: ShaderOptions) {
        self.executor.replace_programs(ProgramLibrary::working_ahead(options));
    }

    /// Says who makes what draws of submissions need, where several of them come late for it: other threads, if this is not
    /// called, or the player where there are none.
    pub fn set_pipeline_maker(&mut self, maker: PipelineMaker) {
        self.gpu.set_pipeline_maker(maker);
    }

    /// Says what becomes of playing when something in the trace is wrong. To be called before the first frame.
    pub fn set_fault_policy(&mut self, policy: FaultPolicy) {
        self.faults.set_policy(policy);
    }

    /// What playing went on behind since this was asked last: each fault of the trace once, however often it is played.
    pub fn take_faults(&mut self) -> PlayedFaults {
        self.faults.take()
    }

    /// All that is wrong up to the end of a frame, as far as it is known, counted by kind: what the index has found, and what
    /// playing went on behind. A player that stops at errors has gone on behind none.
    pub fn faults_until(&self, last: FrameIndex) -> FaultSummary {
        if self.faults.stop_playing() {
            return FaultSummary::default();
        }
        let indexed = self.index.as_ref().map(|index| index.faults_until(last));
        // silent: without an index, what was met is all that is known
        let mut all = indexed.unwrap_or_default();
        all.merge_until(self.faults.summary(), last);
        all
    }

    /// Frames and packets that playing went on behind so far; of very many the first.
    pub fn fault_places(&self) -> impl Iterator<Item = (FrameIndex, u32)> {
        self.faults.places()
    }

    /// Has what is recorded carried out earlier or later than usual, which no picture depends on.
    pub fn set_in_flight_limits(&mut self, limits: InFlightLimits) {
        self.gpu.renderer.set_in_flight_limits(limits);
    }

    /// Bytes of pictures and buffers that it keeps on the GPU between two pictures.
    pub fn kept_bytes(&self) -> u64 {
        let GpuContext { renderer, copies, part_copies, .. } = &self.gpu;
        let pictures = copies.count() + u64::from(self.spare_target.is_some());
        renderer.kept_bytes() + pictures * renderer.size().rgba_bytes() + part_copies.bytes()
    }

    /// The trace, shared with whoever else asks about it.
    pub fn trace(&self) -> &Arc<Trace> {
        &self.trace
    }

    /// The renderer, whose target shows the current frame.
    pub fn renderer(&self) -> &Renderer {
        &self.gpu.renderer
    }

    /// What was odd in the stream so far. A stretch that is played again is noted again.
    pub fn diagnostics(&mut self) -> &mut Diagnostics {
        self.executor.diagnostics()
    }

    /// Gives the player an index of its trace, which it would make at the first seek.
    pub fn set_index(&mut self, index: Arc<TraceIndex>) {
        self.executor.set_index(&index);
        self.index = Some(index);
    }

    /// The index of the trace, made now if it was not needed yet.
    pub fn index(&mut self) -> Arc<TraceIndex> {
        if let Some(index) = &self.index {
            return index.clone();
        }
        let index = Arc::new(TraceIndex::build(&self.trace, |_| ()));
        self.set_index(index.clone());
        index
    }

    /// Makes the target hold the picture of a place.
    pub fn seek(&mut self, place: impl Into<Place>) -> Result<(), PlayerError> {
        self.seek_to(place.into())
    }

    fn seek_to(&mut self, place: Place) -> Result<(), PlayerError> {
        let frame = place.frame;
        let frame_count = self.trace.frames().len();
        if frame.as_usize() >= frame_count {
            return Err(PlayerError::NoSuchFrame { frame, frame_count });
        }
        match &self.position {
            // silent: the target shows it already
            Position::Linear(linear) if linear.played() == Some(place) && self.holds_what_is_shown() => return Ok(()),
            // silent: the target shows it already
            Position::Sought { shows, .. } if *shows == Some(place) => return Ok(()),
            _ if self.shown != Shown::default() => return self.seek_shown(place),
            _ => {}
        }
        self.seek_usual(place)
    }

    /// Makes the target hold what is presented at a place in a frame of the trace, or what is drawn to in mid-frame.
    fn seek_usual(&mut self, place: Place) -> Result<(), PlayerError> {
        let Place { frame, point } = place;
        match &self.position {
            Position::Linear(linear) if linear.next_frame() == Some(frame) => return self.play_next(point),
            _ => {}
        }
        let index = self.index();
        if self.is_behind_fault(&index, frame) {
            // Something before or in this frame is damaged; playing finds it and says so.
            return self.play_from_here_to(place);
        }
        if let Position::Sought { shows: Some(Place { frame: shown, point: Point::End }), .. } = self.position
            && shown.0 + 1 == frame.0
            && index.first_submission().is_none()
        {
            self.become_linear(&index, shown)?;
            return self.play_next(point);
        }
        self.watched(|player| player.seek_by_index(index, place))
    }

    /// Refuses a frame that this player does not come to the end of, with the error that playing it has.
    pub fn check_frame(&mut self, frame: FrameIndex) -> Result<(), PlayerError> {
        let index = self.index();
        if self.is_behind_fault(&index, frame) { self.seek(frame) } else { Ok(()) }
    }

    /// Whether playing may end before the frame does: at something wrong outside of submissions, or at a file that cannot be
    /// read. A player that keeps going passes the one and not the other.
    fn is_behind_fault(&self, index: &TraceIndex, frame: FrameIndex) -> bool {
        let ends = index.first_unsubmitted_fault().filter(|_| self.faults.stop_playing());
        frame.as_usize() >= index.frame_count() || ends.is_some_and(|ends| ends <= frame)
    }

    /// The picture of a place; of a frame alone, the picture at its end.
    pub fn render(&mut self, place: impl Into<Place>) -> Result<Picture, PlayerError> {
        self.seek(place)?;
        self.read_back()
    }

    /// The picture that the target holds.
    pub fn read_back(&mut self) -> Result<Picture, PlayerError> {
        self.watched(|player| Ok(player.gpu.renderer.read_back()?))
    }

    /// Does a stretch of work under watch.
    fn watched<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let watchdog = self.watchdog.take();
        let watched = watchdog.as_ref().map(Watchdog::watch);
        self.gpu.renderer.begin_budget();
        let done = work(self);
        drop(watched);
        self.watchdog = watchdog;
        done
    }
}
