//! A trace that is open, and the threads that work on it.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use super::cancel::CancelToken;
use super::file_watch::FileWatch;
use super::lanes::{AnnotationChoice, Lanes, read_lanes};
use super::player_worker::{GpuState, PlayerThread};
use super::promise::Promise;
use super::question::{DependsOn, Epoch, Epochs};
use super::services::{Environment, OpenTrace};
use super::worker::{Busy, Topic, Worker};
use crate::analysis::{Analysis, AnalysisError};
use crate::command::{Place, Point};
use crate::format::aerogpu::FrameIndex;
use crate::replay::{ShaderOptions, TraceIndex};

/// What panels ask; a newer question of the same kind takes the place of an older one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum QuestionKind {
    /// The texture in the picture comes before all that is beside it.
    Viewed,
    Golden,
    Events,
    Passes,
    FramePasses,
    EventTexts,
    Arguments,
    Find,
    State,
    Buffer,
    Texture,
    Shaders,
    TryShader,
    Overlay,
    PixelHistory,
    Mesh,
    Blame,
    Inputs,
    FrameStatistics,
    TraceStatistics,
    Overdraw,
    OtherTrace,
    DrawDifferences,
    PlaceDifferences,
    DrawTimes,
}

impl QuestionKind {
    /// What is done to answer it.
    pub(crate) fn doing(self) -> &'static str {
        match self {
            Self::Golden => "reading the golden picture",
            Self::Events => "reading the frame's events",
            Self::Passes => "grouping the frame's draws by their targets",
            Self::FramePasses => "finding what the frame's passes read of each other",
            Self::EventTexts => "decoding the packets shown",
            Self::Arguments => "decoding the packet",
            Self::Find => "searching",
            Self::State => "computing bindings and state",
            Self::Buffer => "assembling the buffer",
            Self::Texture | Self::Viewed => "drawing the texture's contents",
            Self::Shaders => "compiling the shaders",
            Self::TryShader => "compiling the edited shader",
            Self::Overlay => "drawing the overlay or the selected draws",
            Self::PixelHistory => "computing the pixel's history",
            Self::Mesh => "running the vertex shader",
            Self::Blame => "finding the slowest frames",
            Self::Inputs => "comparing the inputs of frames",
            Self::FrameStatistics => "counting the frame's packets",
            Self::TraceStatistics => "counting packets and running lint",
            Self::OtherTrace => "opening the other trace and comparing frames",
            Self::DrawDifferences => "comparing the frame's draws",
            Self::PlaceDifferences => "comparing bindings and state",
            Self::DrawTimes => "timing the frame's draws",
            Self::Overdraw => "measuring overdraw",
        }
    }
}

/// A trace, its index, its player.
pub(super) struct Document {
    pub open: OpenTrace,
    epochs: Epochs,
    /// Plays; everything that needs the GPU.
    pub player_worker: Worker<PlayerThread>,
    /// Works without the GPU.
    pub analysis_worker: Worker<()>,
    pub gpu: Promise<GpuState>,
    index: Promise<Option<Arc<TraceIndex>>>,
    index_is_handed_over: bool,
    /// Where edited shader texts are saved.
    pub replacements_folder: PathBuf,
    /// What lies beside the trace.
    pub annotations: Vec<AnnotationChoice>,
    lanes: Promise<Lanes>,
    lanes_are_handed_over: bool,
    /// Reads timelines, and whatever else needs all of a file.
    timeline_reader: Worker<()>,
    analysis: Option<Analysis>,
    indexed_frames: Arc<AtomicUsize>,
    /// Frames and packets that players have met and not carried out.
    met_faults: BTreeSet<(FrameIndex, u32)>,
    watch: FileWatch,
}

impl Document {
    /// Opens the player and starts to make the index. `number`: no other document has it.
    pub(crate) fn new(
        number: u64,
        open: OpenTrace,
        annotations: Vec<AnnotationChoice>,
        Environment { services, gpu, wake }: &Environment,
    ) -> std::io::Result<Self> {
        let replacements_folder = services.replacements_folder(&open.path);
        let player_worker = PlayerThread::start(open.clone(), gpu.clone(), wake.clone())?;
        let analysis_worker = Worker::start("index", || (), wake.clone())?;
        let gpu = player_worker.gpu();
        let indexed_frames = Arc::new(AtomicUsize::new(0));
        let timeline_reader = Worker::start("timelines", || (), wake.clone())?;
        let (theirs, choices, their_services) = (open.clone(), annotations.clone(), services.clone());
        let lanes = timeline_reader.ask(Topic::Timelines, "reading the timelines", move |(), _| {
            read_lanes(&theirs, &choices, &*their_services)
        });
        let watch = FileWatch::start(&open.path, wake.clone())?;
        let (theirs, done, wake) = (open.clone(), indexed_frames.clone(), wake.clone());
        let services = services.clone();
        let index = analysis_worker.ask(Topic::Index, "building the index", move |(), cancel| {
            let mut last_told = Instant::now();
            services.index(&theirs, &mut |frames| {
                done.store(frames, Ordering::Relaxed);
                if last_told.elapsed().as_millis() > 100 {
                    last_told = Instant::now();
                    wake();
                }
                !cancel.is_set()
            })
        });
        Ok(Self {
            open,
            epochs: Epochs::of_document(number),
            player_worker,
            analysis_worker,
            gpu,
            index,
            index_is_handed_over: false,
            replacements_folder,
            annotations,
            lanes,
            lanes_are_handed_over: false,
            timeline_reader,
            analysis: None,
            met_faults: BTreeSet::new(),
            indexed_frames,
            watch,
        })
    }

    /// Ends the threads, waits for that until `deadline`, and says whether they are gone.
    pub(crate) fn close(self, deadline: Instant) -> bool {
        let left = || deadline.saturating_duration_since(Instant::now());
        self.player_worker.close(left()) & self.analysis_worker.close(left()) & self.timeline_reader.close(left())
    }

    /// Whether its threads have nothing to do.
    pub(crate) fn is_idle(&self) -> bool {
        self.player_worker.is_idle() && self.analysis_worker.is_idle() && self.timeline_reader.is_idle()
    }

    /// What its threads are at.
    pub(crate) fn busy(&self) -> impl Iterator<Item = Busy> {
        [self.player_worker.busy(), self.analysis_worker.busy(), self.timeline_reader.busy()].into_iter().flatten()
    }

    /// Name of the file.
    pub(crate) fn name(&self) -> String {
        self.open.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Number of frames.
    pub(crate) fn frame_count(&self) -> u32 {
        self.open.trace.frames().len() as u32
    }

    /// The last frame.
    pub(crate) fn last_frame(&self) -> FrameIndex {
        FrameIndex(self.frame_count().saturating_sub(1))
    }

    /// The index, once it is made.
    pub(crate) fn index(&self) -> Option<&Arc<TraceIndex>> {
        self.index.get()?.as_ref()
    }

    /// The timeline's lanes, as soon as they are read.
    pub(crate) fn lanes(&self) -> Option<&Lanes> {
        self.lanes.get()
    }

    /// The same, once.
    pub(crate) fn take_lanes(&mut self) -> Option<Lanes> {
        let lanes = self.lanes.get().filter(|_| !self.lanes_are_handed_over)?.clone();
        self.lanes_are_handed_over = true;
        Some(lanes)
    }

    /// Whom to ask about the trace, once the index is made.
    pub(crate) fn analysis(&self) -> Option<&Analysis> {
        self.analysis.as_ref()
    }

    /// Has shaders made in another way from here on.
    pub(crate) fn set_shaders(&mut self, shaders: ShaderOptions) {
        self.player_worker.set_shaders(shaders.clone());
        self.analysis = self.analysis.take().map(|analysis| analysis.with_shader_options(shaders.clone()));
        self.open.shaders = shaders;
        self.epochs.change_shaders();
    }

    /// When something is asked that depends on this.
    pub(crate) fn epoch(&self, depends_on: DependsOn) -> Epoch {
        self.epochs.now(depends_on)
    }

    /// Asks something that needs no GPU; `None` as long as there is nobody to ask.
    pub(crate) fn ask<T: Send + Sync + 'static>(
        &self,
        question: QuestionKind,
        job: impl FnOnce(&Analysis, &CancelToken) -> Result<T, AnalysisError> + Send + 'static,
    ) -> Option<Promise<Result<T, String>>> {
        self.ask_on(&self.analysis_worker, question, job)
    }

    /// The same of something that reads all of the trace: no other question waits for it.
    pub(crate) fn ask_aside<T: Send + Sync + 'static, E: ToString>(
        &self,
        question: QuestionKind,
        job: impl FnOnce(&Analysis, &CancelToken) -> Result<T, E> + Send + 'static,
    ) -> Option<Promise<Result<T, String>>> {
        self.ask_on(&self.timeline_reader, question, job)
    }

    fn ask_on<T: Send + Sync + 'static, E: ToString>(
        &self,
        worker: &Worker<()>,
        question: QuestionKind,
        job: impl FnOnce(&Analysis, &CancelToken) -> Result<T, E> + Send + 'static,
    ) -> Option<Promise<Result<T, String>>> {
        let analysis = self.analysis.clone()?;
        let job = move |(): &mut (), cancel: &CancelToken| job(&analysis, cancel).map_err(|error| error.to_string());
        Some(worker.ask(Topic::Question(question as u32), question.doing(), job))
    }

    /// Asks something that needs the player.
    pub(crate) fn ask_player<T: Send + Sync + 'static>(
        &self,
        question: QuestionKind,
        job: impl FnOnce(&mut PlayerThread) -> T + Send + 'static,
    ) -> Promise<T> {
        self.player_worker.ask(Topic::Question(question as u32), question.doing(), move |thread, _| job(thread))
    }

    /// The draw whose state is shown at a place: the one it ends with.
    pub(crate) fn place_asked(&self, place: Place) -> Place {
        match place.point {
            Point::Start | Point::Packet(_) => place,
            Point::Draw(_) | Point::End => Place { point: Point::after_draw(self.last_draw(place)), ..place },
        }
    }

    /// Frames indexed so far; `None` once that is over.
    pub(crate) fn index_progress(&self) -> Option<usize> {
        self.index.get().is_none().then(|| self.indexed_frames.load(Ordering::Relaxed))
    }

    /// Gives up making the index. Frames can still be played; what is asked about them stays unanswered.
    pub(crate) fn cancel_index(&self) {
        self.index.cancel();
    }

    /// Gives the player the index as soon as it is there; says whether players need not wait for it any more.
    pub(crate) fn hand_over_index(&mut self) -> bool {
        let Some(index) = self.index.get() else { return false };
        if let (Some(index), false) = (index, self.index_is_handed_over) {
            self.player_worker.set_index(index.clone());
            let analysis = Analysis::new(self.open.trace.clone(), index.clone());
            self.analysis = Some(analysis.with_shader_options(self.open.shaders.clone()));
        }
        self.index_is_handed_over = true;
        true
    }

    /// Takes in frames and packets that a player has not carried out.
    pub(crate) fn meet_faults(&mut self, places: BTreeSet<(FrameIndex, u32)>) {
        if !places.is_empty() {
            self.met_faults = places;
        }
    }

    /// Whether something is wrong with a frame, as far as it is known.
    pub(crate) fn is_faulty(&self, frame: FrameIndex) -> bool {
        let is_indexed = self.index().is_some_and(|index| !index.faults_of(frame).is_empty());
        is_indexed || self.met_faults.range((frame, 0)..=(frame, u32::MAX)).next().is_some()
    }

    /// Whether a packet is not carried out, as far as it is known.
    pub(crate) fn is_refused(&self, frame: FrameIndex, packet: u32) -> bool {
        let mut indexed = self.index().map(|index| index.faults_of(frame)).into_iter().flatten();
        indexed.any(|fault| fault.at.packet == packet) || self.met_faults.contains(&(frame, packet))
    }

    /// How many draws a frame has, if that is known yet.
    pub(crate) fn draw_count(&self, frame: FrameIndex) -> Option<u32> {
        let index = self.index()?;
        index.commands_of(frame)?;
        Some(index.draws_of(frame).count() as u32)
    }

    /// The draw that a place ends with, if it ends with one.
    pub(crate) fn last_draw(&self, place: Place) -> Option<u32> {
        let Place { frame, point } = place;
        match point {
            Point::Start => None,
            Point::Draw(draw) => Some(draw),
            Point::End => self.draw_count(frame)?.checked_sub(1),
            Point::Packet(packet) => {
                let index = self.index()?;
                let end = index.commands_of(frame)?.start + packet;
                let draws = index.draws_of(frame).take_while(|number| number.0 <= end).count() as u32;
                draws.checked_sub(1)
            }
        }
    }

    /// The number of a draw's packet in its frame.
    pub(crate) fn packet_of_draw(&self, frame: FrameIndex, draw: u32) -> Option<u32> {
        let index = self.index()?;
        let start = index.commands_of(frame)?.start;
        Some(index.draws_of(frame).nth(draw as usize)?.0 - start)
    }

    /// The draw that a packet is, if it is one.
    pub(crate) fn draw_of_packet(&self, frame: FrameIndex, packet: u32) -> Option<u32> {
        let index = self.index()?;
        let number = index.commands_of(frame)?.start + packet;
        let position = index.draws_of(frame).position(|draw| draw.0 == number)?;
        Some(position as u32)
    }

    /// Whether the file has become another one since this was asked last.
    pub(crate) fn has_changed(&mut self) -> bool {
        self.watch.take_change()
    }
}
