//! Makes the index in one pass.

use std::cell::RefCell;
use std::sync::Arc;

use foldhash::HashMap;

use super::graph::Graph;
use super::labels::Labels;
use super::part_history::WriteNumber;
use super::resolved_command::{CommandNumber, ResolvedCommand};
use super::steps::Steps;
use super::{IndexStop, SubmissionStart, TraceFault, TraceIndex};
use crate::bytes::Diagnostics;
use crate::command::{
    Clear, Command, CreateBuffer, CreatePipeline, CreateShader, Draw, Located, Location, PipelineId, ResourceId,
    SetVertexBuffer, ShaderId, SubmissionPlace, Upload, Viewport,
};
use crate::error::{Classified, Internal};
use crate::format::aerogpu::{FrameIndex, Trace};
use crate::limits::{MAX_FINDINGS, MAX_MARKER_BYTES};
use crate::replay::census::Census;
use crate::replay::d3d::{EarlierCommand, EffectKind};
use crate::replay::trimmed_from::carried_commands;
use crate::replay::{CommandStream, Executor, FaultSubject, FaultSummary, Flow, MissingObjects, Problem, ReplayError};

/// An index that grows frame by frame.
pub struct IndexBuilder {
    trace: Arc<Trace>,
    stream: CommandStream,
    /// Draws are not applied, so nothing is ever linked here.
    executor: Executor,
    names: Names,
    /// The submission of the last command of the frame, if it was of one: that it goes on is seen at a glance.
    submission: Option<SubmissionPlace>,
    index: TraceIndex,
}

/// What the ids and bindings mean at this moment.
#[derive(Default)]
struct Names {
    buffers: HashMap<ResourceId, Created>,
    shaders: HashMap<ShaderId, CommandNumber>,
    pipelines: HashMap<PipelineId, CommandNumber>,
    pipeline: Option<CommandNumber>,
    vertices: Option<CommandNumber>,
    viewport: Option<CommandNumber>,
}

#[derive(Clone, Copy)]
struct Created {
    create: CommandNumber,
    /// The number of its history.
    history: u32,
}

impl TraceIndex {
    /// Reads record headers and packets of the whole trace. `progress` is told after each frame how many are done.
    pub fn build(trace: &Arc<Trace>, mut progress: impl FnMut(usize)) -> Self {
        let mut builder = IndexBuilder::new(trace.clone());
        while builder.next_frame() {
            progress(builder.index.frame_count());
        }
        builder.finish()
    }

    /// The same, for as long as `progress` says to go on.
    pub fn build_while(trace: &Arc<Trace>, mut progress: impl FnMut(usize) -> bool) -> Option<Self> {
        let mut builder = IndexBuilder::new(trace.clone());
        while builder.next_frame() {
            if !progress(builder.index.frame_count()) {
                return None;
            }
        }
        Some(builder.finish())
    }
}

impl IndexBuilder {
    /// A builder before the first frame.
    pub fn new(trace: Arc<Trace>) -> Self {
        Self {
            stream: CommandStream::new(trace.clone()),
            executor: Executor::new(trace.clone()),
            names: Names::default(),
            submission: None,
            index: TraceIndex {
                steps: Steps::default(),
                frame_starts: vec![0],
                carried: carried_commands(&trace),
                first_unsubmitted: None,
                most_vertices: 0,
                peaks: Vec::new(),
                catalog: Default::default(),
                stop: None,
                graph: Graph::default(),
                submissions: Vec::new(),
                first_unsubmitted_fault: None,
                faults: Vec::new(),
                faults_dropped: 0,
                fault_summary: FaultSummary::default(),
                missing: MissingObjects::default(),
                census: Census::default(),
                labels: Labels::default(),
            },
            trace,
        }
    }

    /// Takes in the next frame; `false` if there is none, or if it cannot be read.
    pub fn next_frame(&mut self) -> bool {
        let frame = FrameIndex(self.index.frame_count() as u32);
        if self.index.stop.is_some() || frame.as_usize() >= self.trace.frames().len() {
            return false;
        }
        let start = self.index.steps.len();
        let mark = self.index.graph.mark();
        let read = self.read_frame(frame);
        match read.and_then(|()| Ok(self.index.note_vertices(start as u32)?)) {
            Ok(()) => self.index.frame_starts.push(self.index.steps.len() as u32),
            Err(error) => {
                self.index.steps.truncate(start);
                self.index.peaks.truncate(self.index.peaks.partition_point(|(create, _)| (create.0 as usize) < start));
                self.index.graph.truncate(mark, start as u32);
                self.index.labels.truncate(start as u32);
                let kept = self.index.submissions.partition_point(|submission| (submission.first as usize) < start);
                self.index.submissions.truncate(kept);
                let (message, offset, kind) = (error.to_string(), error.offset(), error.kind());
                self.index.stop = Some(IndexStop { frame, message, offset, kind });
            }
        }
        self.index.stop.is_none()
    }

    /// The index of the frames taken in.
    pub fn finish(mut self) -> TraceIndex {
        self.index.graph.finish();
        self.index.missing.finish();
        self.index.steps.finish();
        self.index.catalog = self.executor.into_catalog();
        self.index
    }

    fn read_frame(&mut self, frame: FrameIndex) -> Result<(), ReplayError> {
        let Self { stream, executor, names, submission, index, .. } = self;
        *submission = None;
        let taken = RefCell::new(Taken { names, submission, index });
        let each = |command: &Located<Command>, executor: &mut Executor| {
            taken.borrow_mut().command(command, executor)?;
            Ok::<Flow, ReplayError>(Flow::Continue)
        };
        stream.survey_frame(frame, executor, each, |error, executor| {
            taken.borrow_mut().damage(error, frame, executor)?;
            Ok(Flow::Continue)
        })?;
        // Whoever plays the frame is told what is odd in it.
        *executor.diagnostics() = Diagnostics::new();
        Ok(())
    }
}

/// What commands are taken into.
struct Taken<'a> {
    names: &'a mut Names,
    submission: &'a mut Option<SubmissionPlace>,
    index: &'a mut TraceIndex,
}

impl Taken<'_> {
    fn command(&mut self, command: &Located<Command>, executor: &mut Executor) -> Result<(), ReplayError> {
        let Self { names, submission, index } = self;
        let number = CommandNumber(index.steps.len() as u32);
        if command.at.submission.is_none() || **submission != command.at.submission {
            index.note_submission(number, command.at.submission, executor);
            **submission = command.at.submission;
        }
        if command.at.submission.is_some() {
            return index.submitted(number, command, executor);
        }
        index.first_unsubmitted.get_or_insert(number);
        if !command.value.is_draw() {
            index.missing.see(command, executor);
        }
        index.census.see(command, executor);
        let applied = if command.value.is_draw() { Ok(()) } else { executor.apply(command) };
        let resolved = applied.and_then(|()| {
            index.note_buffers(executor.state().buffers_bytes());
            names.resolve(command.value, number, index).map_err(|problem| problem.of(command))
        });
        let step = match resolved {
            Ok(step) => {
                if matches!(step, ResolvedCommand::Draw { pipeline, .. } if pipeline.number().is_none()) {
                    index.note_fault(Problem::NoPipeline.of(command), command.at, EndsSubmission::No)?;
                }
                step
            }
            Err(error) => {
                index.note_fault(error, command.at, EndsSubmission::No)?;
                index.graph.note_refusal(number.0, &names.named_by(&command.value));
                ResolvedCommand::Refused
            }
        };
        index.steps.push(command.at.offset, step);
        Ok(())
    }

    /// A packet that is damaged, or a record, or a submission that is as a whole.
    fn damage(&mut self, error: ReplayError, frame: FrameIndex, executor: &Executor) -> Result<(), ReplayError> {
        let index = &mut *self.index;
        let number = CommandNumber(index.steps.len() as u32);
        // A packet has a number, and a submission without a stream has no packets.
        if let ReplayError::Abi { at, .. } = error {
            index.note_submission(number, at.submission, executor);
            let is_submitted = at.submission.is_some();
            let step = if is_submitted { ResolvedCommand::Skipped } else { ResolvedCommand::Refused };
            index.steps.push(at.offset, step);
        }
        let at = error.location().unwrap_or_else(|| {
            // silent: the first frame starts with the first command
            let packet = number.0 - index.frame_starts.last().copied().unwrap_or_default();
            // silent: what has no place is told at the file's start
            Location { offset: error.offset().unwrap_or_default(), frame, packet, submission: None }
        });
        let ends = if at.submission.is_some() { EndsSubmission::Yes } else { EndsSubmission::No };
        index.note_fault(error, at, ends)
    }
}

enum EndsSubmission {
    Yes,
    No,
}

impl TraceIndex {
    /// Takes in a command of a submission.
    #[inline]
    fn submitted(
        &mut self,
        CommandNumber(number): CommandNumber,
        command: &Located<Command>,
        executor: &mut Executor,
    ) -> Result<(), ReplayError> {
        if let Some(context) = executor.repeat_draw(command)? {
            let node = self.graph.push_repeated_draw(number, context, executor.device().effect())?;
            self.push(command, ResolvedCommand::Submitted { node, kind: EffectKind::Draw });
            return Ok(());
        }
        if let Some(effect) = executor.set_render_state(command, number)? {
            let node = self.graph.push_setting(number, effect)?;
            self.push(command, ResolvedCommand::Submitted { node, kind: EffectKind::Setting });
            return Ok(());
        }
        self.submitted_anew(number, command, executor)
    }

    /// Adds what a command means. Said at each place anew, since what is put together in parts and then read as a whole
    /// holds up every command.
    #[inline(always)]
    fn push(&mut self, command: &Located<Command>, step: ResolvedCommand) {
        self.steps.push(command.at.offset, step);
    }

    /// Takes in a command that neither repeats a draw nor sets a render state.
    #[inline(never)]
    fn submitted_anew(
        &mut self,
        number: u32,
        command: &Located<Command>,
        executor: &mut Executor,
    ) -> Result<(), ReplayError> {
        self.missing.see(command, executor);
        if executor.has_ended() {
            self.push(command, ResolvedCommand::Skipped);
            return Ok(());
        }
        let applied = executor.apply_numbered(command, number);
        let fails_alone = match applied {
            Ok(()) => false,
            Err(error) => {
                let fails_alone = !executor.has_ended();
                let ends = if fails_alone { EndsSubmission::No } else { EndsSubmission::Yes };
                self.note_fault(error, command.at, ends)?;
                if !fails_alone {
                    self.graph.note_refusal(number, &executor.device().effect().causes);
                    self.push(command, ResolvedCommand::Skipped);
                    return Ok(());
                }
                fails_alone
            }
        };
        self.census.see(command, executor);
        if let Command::Marker(text) = command.value
            && let Ok(text) = executor.payload(text.up_to(MAX_MARKER_BYTES))
        {
            self.labels.mark(number, &text);
        }
        let device = executor.device();
        let kind = if fails_alone { EffectKind::FailedDraw } else { device.effect().kind };
        let node = self.graph.push(number, device.effect(), device.draw_uses()?)?;
        self.push(command, ResolvedCommand::Submitted { node, kind });
        Ok(())
    }

    fn note_submission(
        &mut self,
        CommandNumber(number): CommandNumber,
        place: Option<SubmissionPlace>,
        executor: &Executor,
    ) {
        let last = self.submissions.last().map(|start| start.place);
        // Submissions are numbered by frame.
        let is_new_frame = self.frame_starts.last() == Some(&number);
        if last.unwrap_or(None) != place || (is_new_frame && place.is_some()) {
            let record = executor.submission_record();
            self.submissions.push(SubmissionStart { first: number, place, record });
        }
    }

    /// Takes in what is wrong at a place; what nothing goes on behind is given back.
    fn note_fault(&mut self, error: ReplayError, at: Location, ends: EndsSubmission) -> Result<(), ReplayError> {
        if !error.is_survivable() {
            return Err(error);
        }
        let subject = FaultSubject::of(&error);
        self.fault_summary.add(subject, at, &error);
        if at.submission.is_none() {
            self.first_unsubmitted_fault.get_or_insert(at.frame);
        }
        if self.faults.len() >= MAX_FINDINGS {
            self.faults_dropped += 1;
            return Ok(());
        }
        let (message, offset, kind) = (error.to_string(), error.offset(), error.kind());
        let ends_submission = matches!(ends, EndsSubmission::Yes);
        self.faults.push(TraceFault { at, message, offset, kind, subject, ends_submission });
        Ok(())
    }
}

impl TraceIndex {
    /// After the next command so many bytes of buffers exist.
    fn note_buffers(&mut self, bytes: u64) {
        if self.peaks.last().map_or(0, |(_, most)| *most) < bytes {
            self.peaks.push((CommandNumber(self.steps.len() as u32), bytes));
        }
    }
}

impl Names {
    /// Returns the commands that created what a refused command names: without them it would be refused for that.
    fn named_by(&self, command: &Command) -> Vec<u32> {
        let buffer = |id| self.buffers.get(&id).map(|created| created.create);
        let created = match *command {
            Command::CreateBuffer(CreateBuffer { id, .. }) | Command::Upload(Upload { id, .. }) => [buffer(id), None],
            Command::SetVertexBuffer(SetVertexBuffer { id, .. }) => [buffer(id), None],
            Command::SetPipeline(id) => [self.pipelines.get(&id).copied(), None],
            Command::CreatePipeline(CreatePipeline { vertex, fragment, .. }) => {
                [vertex, fragment].map(|id| self.shaders.get(&id).copied())
            }
            _ => [None; 2],
        };
        let mut numbers: Vec<u32> = created.into_iter().flatten().map(|CommandNumber(number)| number).collect();
        numbers.sort_unstable();
        numbers
    }

    /// Resolves the references of a command that the state has accepted, or of a draw.
    fn resolve(
        &mut self,
        command: Command,
        number: CommandNumber,
        index: &mut TraceIndex,
    ) -> Result<ResolvedCommand, Problem> {
        // A reference that the state has let through is known here too.
        let unknown = Internal::new("the index does not know an id that the state knows");
        Ok(match command {
            Command::CreateBuffer(CreateBuffer { id, size_bytes, .. }) => {
                let size_bytes = u32::try_from(size_bytes).map_err(|_| unknown)?;
                let history = index.graph.add_history();
                if let Some(replaced) = self.buffers.insert(id, Created { create: number, history }) {
                    // Uploads go by id: nothing writes the replaced object any more.
                    index.graph.history_mut(replaced.history)?.finish();
                }
                ResolvedCommand::CreateBuffer { history, size_bytes }
            }
            Command::Upload(Upload { id, offset_bytes, size_bytes, .. }) => {
                let Created { create, history } = *self.buffers.get(&id).ok_or(unknown)?;
                // The state has checked that it ends in its buffer.
                let [start, end] = [offset_bytes, offset_bytes.saturating_add(size_bytes)].map(u32::try_from);
                let (start, end) = (start.map_err(|_| unknown)?, end.map_err(|_| unknown)?);
                index.graph.history_mut(history)?.write(WriteNumber::whole(number.0), start..end);
                ResolvedCommand::Upload { create, start, end }
            }
            Command::CreateShader(CreateShader { id, .. }) => {
                self.shaders.insert(id, number);
                ResolvedCommand::CreateShader
            }
            Command::CreatePipeline(CreatePipeline { id, vertex, fragment }) => {
                let shader = |id| self.shaders.get(&id).copied().ok_or(unknown);
                let (vertex, fragment) = (shader(vertex)?, shader(fragment)?);
                self.pipelines.insert(id, number);
                ResolvedCommand::CreatePipeline { vertex, fragment }
            }
            Command::SetPipeline(id) => {
                self.pipeline = Some(number);
                ResolvedCommand::SetPipeline { create: *self.pipelines.get(&id).ok_or(unknown)? }
            }
            Command::SetVertexBuffer(SetVertexBuffer { id, layout }) => {
                self.vertices = Some(number);
                ResolvedCommand::SetVertexBuffer { create: self.buffers.get(&id).ok_or(unknown)?.create, layout }
            }
            Command::SetViewport(Viewport::TopLeft { width_px, height_px }) => {
                self.viewport = Some(number);
                ResolvedCommand::SetViewport { width_px, height_px }
            }
            Command::Clear(Clear { rgba, .. }) => ResolvedCommand::Clear { rgba },
            Command::Draw(Draw { vertex_count, first_vertex, .. }) => {
                let [pipeline, vertices, viewport] =
                    [self.pipeline, self.vertices, self.viewport].map(EarlierCommand::of);
                ResolvedCommand::Draw { vertex_count, first_vertex, pipeline, vertices, viewport }
            }
            Command::Present(_) => ResolvedCommand::Present,
            _ => return Err(Internal::new("the state has carried out a command that the index does not know").into()),
        })
    }
}
