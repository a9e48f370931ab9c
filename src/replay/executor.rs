//! The one place where commands are carried out, as far as the CPU is concerned.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::blob_store::BlobStore;
use super::d3d::{
    ContextNumber, DeviceOp, DeviceRemark, DeviceState, DrawRemarks, Effect, EffectDetail, ObjectKey, Payloads,
    Resolver, Surroundings,
};
use super::error::{Problem, ReplayError};
use super::frame_memory::FrameMemory;
use super::guest_memory::SubmissionMemory;
use super::index::{TraceFault, TraceIndex};
use super::op::{DrawOp, Op};
use super::op_context::{DeviceOps, OpContext};
use super::program_library::ProgramLibrary;
use super::state::GuestState;
use crate::bytes::{Diagnostics, ReadError};
use crate::command::{Command, FileBytes, Located, Location};
use crate::error::Internal;
use crate::format::aerogpu::{BlobCatalog, Trace};
use crate::shader::Program;

/// Carries out commands of one trace: the guest's state, what it is made of, and what was odd on the way.
///
/// A [`super::CommandStream`], or a [`super::CommandReader`], says which command is next; whoever consumes them decides
/// which of them are [applied](Self::apply), and what is done with the [ops](Self::ops) that come of it.
pub struct Executor {
    state: GuestState,
    /// What submissions have made and set.
    device: DeviceState,
    resolver: Resolver,
    draw_remarks: DrawRemarks,
    /// What the last command of a submission asks of a GPU.
    device_ops: Vec<DeviceOp>,
    /// The number of the next command of a submission.
    next_number: u32,
    /// The stream that is carried out.
    payloads: Payloads,
    /// Whether the submission that is carried out has ended before its stream has.
    has_ended: bool,
    /// Absolute file offset of the record that carries the submission.
    submission_record: u64,
    pub(super) blobs: BlobStore,
    programs: ProgramLibrary,
    pub(super) diagnostics: Diagnostics,
    at: Location,
}

impl Executor {
    /// An executor before the first command, which makes each program when a draw needs it.
    pub fn new(trace: Arc<Trace>) -> Self {
        Self::with_programs(trace, ProgramLibrary::new())
    }

    /// The same, with programs of `programs`.
    pub fn with_programs(trace: Arc<Trace>, programs: ProgramLibrary) -> Self {
        let (state, device, payloads) = (GuestState::new(), DeviceState::default(), Payloads::default());
        let (diagnostics, at) = (Diagnostics::new(), Location::default());
        Self {
            state,
            device,
            resolver: Resolver::default(),
            draw_remarks: DrawRemarks::default(),
            device_ops: Vec::new(),
            next_number: 0,
            payloads,
            has_ended: false,
            submission_record: 0,
            blobs: BlobStore::new(trace),
            programs,
            diagnostics,
            at,
        }
    }

    /// Has the first draw of each kind remarked on that a device draws in its own way.
    pub fn remark_on(&mut self, remarks: &[DeviceRemark]) {
        self.draw_remarks.remark_on(remarks);
    }

    /// Carries out one command. [`Self::ops`] says then what the GPU has to do for it.
    // Most commands are draws that repeat the one before; a call would cost as much as they do.
    #[inline(always)]
    pub fn apply(&mut self, command: &Located<Command>) -> Result<(), ReplayError> {
        if command.at.submission.is_some() {
            return self.apply_as(command, self.next_number);
        }
        let Self { state, blobs, programs, draw_remarks, diagnostics, at, .. } = self;
        let applied = state.apply(command, blobs, programs, diagnostics);
        if draw_remarks.awaits_device_draws() && matches!(command.value, Command::Draw(_)) {
            draw_remarks.remark_on_triangles(command.at, diagnostics);
        }
        // Last: a place that was just written is read slowly.
        *at = command.at;
        applied
    }

    /// Carries out a command of a submission for a GPU too, as the one with the number `number` in the trace.
    /// [`Self::device_ops`] says then what the GPU has to do for it. Numbers ascend until the executor starts anew.
    #[inline(never)]
    pub fn apply_as(&mut self, command: &Located<Command>, number: u32) -> Result<(), ReplayError> {
        self.device_ops.clear();
        self.next_number = number.saturating_add(1);
        if self.has_ended {
            self.at = command.at;
            return Ok(());
        }
        self.apply_in_detail(command, number, EffectDetail::Work)?;
        let place = command.at.submission;
        let id = place
            .ok_or(Internal::at("a command outside any submission is to be resolved", command.at.offset))?
            .context();
        let Self { resolver, device, device_ops, draw_remarks, diagnostics, .. } = self;
        let resolved = resolver.resolve(device, &command.value, (id, number), device_ops);
        draw_remarks.look(device_ops, command.at, diagnostics);
        resolved.map_err(|problem| problem.of(command))
    }

    /// Takes in that a command of a submission is refused, for a reason that is known: it does nothing.
    pub fn refuse(&mut self, command: &Located<Command>, number: u32, fault: &TraceFault) {
        self.device_ops.clear();
        self.next_number = number.saturating_add(1);
        self.at = command.at;
        self.has_ended |= fault.ends_submission;
    }

    /// What the GPU has to do for the last command of a submission.
    pub fn device_ops(&self) -> DeviceOps<'_> {
        DeviceOps { ops: &self.device_ops, context: self.op_context() }
    }

    /// Context of the ops of the last command.
    #[inline]
    pub fn op_context(&self) -> OpContext<'_> {
        OpContext::new(self.at, &self.blobs, &self.programs).within(&self.payloads)
    }

    /// The parts of an object that the last command's context draws colour to first, if that command is one of a submission.
    pub fn bound_parts(&self) -> Option<(ObjectKey, Range<u32>)> {
        self.device.bound_parts(self.at.submission?.context())
    }

    /// The bytes that a command of the stream that is carried out has in the file.
    pub(super) fn payload(&self, place: FileBytes) -> Result<Cow<'_, [u8]>, ReadError> {
        self.payloads.read(place, &self.blobs)
    }

    /// Another submission begins, whose record stands at the absolute file offset `record`.
    #[cold]
    pub(super) fn begin_submission(&mut self, record: u64, payloads: Payloads, memory: SubmissionMemory) {
        self.payloads = payloads;
        self.device.begin_submission(memory);
        (self.has_ended, self.submission_record) = (false, record);
    }

    /// Absolute file offset of the record that carries the submission carried out last.
    pub(super) fn submission_record(&self) -> u64 {
        self.submission_record
    }

    /// The rest of the submission is not carried out.
    pub fn end_submission(&mut self) {
        self.has_ended = true;
    }

    /// Whether the submission that is carried out has ended before its stream has.
    pub fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// Carries out a command of a submission, which has the number `number` in the trace, as far as the CPU is concerned.
    /// Behind one that ends its submission nothing is carried out until the next begins.
    #[inline(never)]
    pub fn apply_numbered(&mut self, command: &Located<Command>, number: u32) -> Result<(), ReplayError> {
        self.apply_in_detail(command, number, EffectDetail::All)
    }

    /// Carries out a draw of a submission as [`Self::apply_numbered`] does, if it can differ from the one before it in its
    /// context in its vertices alone; gives that context. Else nothing is done.
    #[inline]
    pub(super) fn repeat_draw(&mut self, command: &Located<Command>) -> Result<Option<ContextNumber>, Internal> {
        match command.at.submission.filter(|_| !self.has_ended) {
            Some(place) => {
                self.at = command.at;
                self.device.repeat_draw(&command.value, place.context())
            }
            None => Ok(None),
        }
    }

    /// Carries out a command of a submission that sets a render state as [`Self::apply_numbered`] does, if it is one and its
    /// context was entered last; gives what it did then.
    #[inline]
    pub(super) fn set_render_state(
        &mut self,
        command: &Located<Command>,
        number: u32,
    ) -> Result<Option<&Effect>, Internal> {
        match command.at.submission.filter(|_| !self.has_ended) {
            Some(place) => {
                self.at = command.at;
                self.device.set_render_state(&command.value, place.context(), number)
            }
            None => Ok(None),
        }
    }

    fn apply_in_detail(
        &mut self,
        command: &Located<Command>,
        number: u32,
        detail: EffectDetail,
    ) -> Result<(), ReplayError> {
        if self.has_ended {
            return Ok(());
        }
        let Self { device, blobs, payloads, programs, .. } = self;
        let replacements = &programs.options().replacements;
        let applied = device.apply(command, Surroundings { blobs, payloads, replacements, number, detail });
        // Last: a place that was just written is read slowly.
        self.at = command.at;
        applied.map_err(|problem| {
            self.has_ended = !matches!(&problem, Problem::Contract(error) if error.fails_alone());
            problem.of(command)
        })
    }

    /// What submissions have made and set.
    pub fn device(&self) -> &DeviceState {
        &self.device
    }

    /// What the GPU has to do for the last command applied.
    #[inline]
    pub fn ops(&self) -> &[Op] {
        self.state.ops()
    }

    /// What the last command draws, and the program that it is drawn with; `None` if it draws nothing.
    pub fn draw(&self) -> Result<Option<(&DrawOp, &Arc<Program>)>, Internal> {
        // silent: the command draws nothing
        let [Op::Draw(draw)] = self.ops() else { return Ok(None) };
        let program = self.programs.get(draw.program);
        let program = program.ok_or(Internal::at("a draw's program is not in the library", self.at.offset))?;
        Ok(Some((draw, program)))
    }

    /// The place of the last command applied.
    #[inline]
    pub fn at(&self) -> Location {
        self.at
    }

    /// Goes back to before the first command; gives the state that was reached. Blobs and programs stay known.
    pub fn restart(&mut self) -> GuestState {
        self.restart_device();
        let fresh = GuestState::with_memory(self.state.memory());
        std::mem::replace(&mut self.state, fresh)
    }

    /// Goes back to before the first command, and from here on buffers may have as much as `memory` says.
    pub fn restart_with_memory(&mut self, memory: FrameMemory) {
        self.restart_device();
        self.state = GuestState::with_memory(memory);
    }

    fn restart_device(&mut self) {
        self.device = std::mem::take(&mut self.device).restarted();
        self.resolver.restart();
        self.device_ops.clear();
        (self.next_number, self.has_ended) = (0, false);
    }

    /// What the commands so far have made and set.
    pub fn state(&self) -> &GuestState {
        &self.state
    }

    /// The trace's blobs.
    pub fn blobs(&self) -> &BlobStore {
        &self.blobs
    }

    /// The trace's blobs, to look for one that has not come yet.
    pub fn blobs_mut(&mut self) -> &mut BlobStore {
        &mut self.blobs
    }

    /// The blobs seen so far.
    pub fn into_catalog(self) -> BlobCatalog {
        self.blobs.into_catalog()
    }

    /// From here on the blobs of `index` are known, and the order in which contexts come up, whatever of the stream was read.
    /// To be called before the first command, or after commands that left nothing out.
    pub fn set_index(&mut self, index: &TraceIndex) {
        self.blobs = BlobStore::with_catalog(self.blobs.trace().clone(), index.catalog().clone());
        self.device.number_contexts(index.contexts());
    }

    /// The programs linked so far.
    pub fn programs(&self) -> &ProgramLibrary {
        &self.programs
    }

    /// From here on programs are those of `programs`; gives the ones before.
    pub fn replace_programs(&mut self, programs: ProgramLibrary) -> ProgramLibrary {
        std::mem::replace(&mut self.programs, programs)
    }

    /// What was odd so far.
    pub fn diagnostics(&mut self) -> &mut Diagnostics {
        &mut self.diagnostics
    }

    /// Does `work` without a note of what is odd: it is noted elsewhere.
    pub fn unnoted<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let noted = self.diagnostics.take();
        let done = work(self);
        self.diagnostics = noted;
        done
    }
}
