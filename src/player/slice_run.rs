//! Carrying out a slice of the trace: what led to a frame, then the frame, with somebody deciding what becomes of each
//! CLEAR and DRAW.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use super::faults::Faults;
use super::gpu_context::GpuContext;
use super::look_ahead::Route;
use super::{Player, PlayerError};
use crate::command::{Command, Located, Location, Place, Point};
use crate::error::Internal;
use crate::format::aerogpu::{FrameIndex, Trace};
use crate::replay::{
    CommandNumber, CommandReader, CommandStream, Executor, Flow, ReplayError, Slice, SliceTarget, TraceIndex,
};

/// Carries out a command that was applied. One type for all who ask: reading and applying are compiled once for them.
type CarryOut<'c> = dyn FnMut(TargetWrite, &Command, &Executor) -> Result<(), PlayerError> + 'c;

/// What a plan leaves to nobody was left to somebody.
pub(super) const NOT_ASKED: Internal = Internal::new("a question is about a command that draws nothing");

/// A CLEAR or a draw; of submissions, any command that somebody decides about.
#[derive(Clone, Copy, Debug)]
pub(super) struct TargetWrite {
    pub number: CommandNumber,
    pub at: Location,
    pub kind: WriteKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WriteKind {
    Clear,
    /// Of a draw in the slice's frame, its number there.
    Draw(Option<u32>),
    /// Something else, of a submission.
    Other,
}

/// Which commands of a slice the GPU carries out. The two ABIs share nothing but the screen, so a question about what one of
/// them draws leaves out the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CarriedOut {
    /// All of them; those of submissions as they come, whatever they draw to.
    All,
    /// Those of submissions. Whoever decides about CLEARs and draws decides about each of them.
    Submissions,
    /// Those of no submission.
    Packets,
}

/// A slice that can be carried out, again and again.
#[derive(Clone)]
pub(super) struct SlicePlan {
    pub index: Arc<TraceIndex>,
    pub slice: Slice,
    /// How far into the slice's frame.
    pub point: Point,
    pub carried_out: CarriedOut,
}

impl SlicePlan {
    /// What was drawn before this command is on the target already.
    fn shown(&self) -> CommandNumber {
        match self.slice.target {
            SliceTarget::PictureBefore(at) => at,
            SliceTarget::Black | SliceTarget::ClearedBy(_) => CommandNumber(0),
        }
    }

    /// The commands of the slice's frame.
    fn own_commands(&self, trace: &Arc<Trace>) -> Result<CommandStream, Internal> {
        let frame = self.slice.frame;
        if frame.as_usize() < self.index.frame_count() && self.index.first_unsubmitted_fault() != Some(frame) {
            return CommandStream::at(trace.clone(), frame);
        }
        // What is wrong may lie between the frame and the one before.
        CommandStream::behind(trace.clone(), frame.0.checked_sub(1).map(FrameIndex))
    }

    /// Carries out what the executor's last command does besides drawing, and leaves the rest to `each`.
    #[inline]
    fn carry_out<E: From<crate::gpu::GpuError>>(
        &self,
        write: TargetWrite,
        command: &Command,
        (executor, gpu): (&Executor, &mut GpuContext),
        mut each: impl FnMut(TargetWrite, &Executor, &mut GpuContext) -> Result<(), E>,
    ) -> Result<(), E> {
        match (command, self.carried_out) {
            (Command::Clear { .. } | Command::Draw { .. }, _) if write.number < self.shown() => Ok(()),
            (_, CarriedOut::Packets) if write.at.submission.is_some() => Ok(()),
            (_, CarriedOut::Submissions) if write.at.submission.is_none() => Ok(()),
            (_, carried_out) if write.at.submission.is_some() => {
                match carried_out {
                    CarriedOut::Submissions => each(write, executor, gpu)?,
                    CarriedOut::All | CarriedOut::Packets => gpu.run_command_of_slice(executor, write.number)?,
                }
                if gpu.is_worth_looking_ahead() {
                    gpu.look_ahead(executor.blobs().trace(), Some(Route::Slice(self.clone())));
                }
                Ok(())
            }
            (Command::Clear { .. } | Command::Draw { .. }, _) => each(write, executor, gpu),
            _ => Ok(gpu.run_ops(executor)?),
        }
    }
}

impl Player {
    /// Carries out a slice, leaving out the draws of its frame that `omits` names by number; `each` sees every CLEAR and
    /// DRAW that is not on the target already, applied but not drawn, and of submissions what the plan says.
    pub(super) fn run_slice(
        &mut self,
        plan: &SlicePlan,
        omits: impl Fn(u32) -> bool,
        mut each: impl FnMut(TargetWrite, &Executor, &mut GpuContext) -> Result<(), PlayerError>,
    ) -> Result<(), PlayerError> {
        self.run_earlier(plan, &mut each)?;
        self.run_own(plan, omits, each)
    }

    /// Carries out a slice of which only the frame's own draws matter.
    pub(super) fn run_frame(
        &mut self,
        plan: &SlicePlan,
        omits: impl Fn(u32) -> bool,
        each: impl FnMut(TargetWrite, &Executor, &mut GpuContext) -> Result<(), PlayerError>,
    ) -> Result<(), PlayerError> {
        self.run_earlier(plan, |_, _, _| Ok(()))?;
        self.run_own(plan, omits, each)
    }

    /// Carries out what comes before the slice's frame.
    pub(super) fn run_earlier(
        &mut self,
        plan: &SlicePlan,
        mut each: impl FnMut(TargetWrite, &Executor, &mut GpuContext) -> Result<(), PlayerError>,
    ) -> Result<(), PlayerError> {
        let Self { executor, gpu, trace, faults, .. } = self;
        executor.restart();
        gpu.residency.begin();
        gpu.renderer.begin_budget();
        gpu.begin_looking();
        let mut carry_out = |write: TargetWrite, command: &Command, executor: &Executor| {
            plan.carry_out(write, command, (executor, &mut *gpu), &mut each)
        };
        // What is odd in other frames is noted when they are shown.
        executor.unnoted(|executor| apply_earlier(plan, trace, executor, faults, &mut carry_out))
    }

    /// Carries out the slice's frame, after what comes before it.
    pub(super) fn run_own(
        &mut self,
        plan: &SlicePlan,
        omits: impl Fn(u32) -> bool,
        mut each: impl FnMut(TargetWrite, &Executor, &mut GpuContext) -> Result<(), PlayerError>,
    ) -> Result<(), PlayerError> {
        let Self { executor, gpu, trace, faults, .. } = self;
        let mut carry_out = |write: TargetWrite, command: &Command, executor: &Executor| {
            plan.carry_out(write, command, (executor, &mut *gpu), &mut each)
        };
        let ran = run_own_commands(plan, trace, executor, faults, &omits, &mut carry_out);
        gpu.end_looking();
        ran
    }
}

/// Applies the commands of the slice's frame, without the draws that `omits` names; `carry_out` does the rest.
pub(super) fn run_own_commands(
    plan: &SlicePlan,
    trace: &Arc<Trace>,
    executor: &mut Executor,
    faults: &mut Faults,
    omits: &dyn Fn(u32) -> bool,
    carry_out: &mut CarryOut<'_>,
) -> Result<(), PlayerError> {
    let mut stream = plan.own_commands(trace)?;
    let place = Place { frame: plan.slice.frame, point: plan.point };
    read_until(&mut stream, place, executor, faults, |command, draw, executor| {
        if draw.is_some_and(omits) {
            return Ok(());
        }
        let number = CommandNumber(plan.slice.own.start + command.at.packet);
        apply(plan, command, number, executor)?;
        let write = TargetWrite { number, at: command.at, kind: kind_of(&command.value, draw) };
        carry_out(write, &command.value, executor)
    })
}

/// Applies what comes before the slice's frame; `carry_out` does the rest.
fn apply_earlier(
    plan: &SlicePlan,
    trace: &Arc<Trace>,
    executor: &mut Executor,
    faults: &mut Faults,
    carry_out: &mut CarryOut<'_>,
) -> Result<(), PlayerError> {
    if plan.index.first_submission().is_some() {
        return run_by_frames(plan, trace, executor, faults, carry_out);
    }
    let mut reader = CommandReader::new(trace.clone());
    plan.slice.earlier.iter().try_for_each(|number| {
        let command = reader.read(plan.index.require_location(*number)?)?;
        let write = TargetWrite { number: *number, at: command.at, kind: kind_of(&command.value, None) };
        let applied = executor.apply(&command).map_err(PlayerError::from);
        let done = applied.and_then(|()| carry_out(write, &command.value, executor));
        done.or_else(|error| faults.of_command(error, &command))
    })
}

/// Applies what comes before the slice's frame, where some of it is of submissions: a command of these is read with all of
/// its submission, whose memory it may name. `carry_out` does the rest.
pub(super) fn run_by_frames(
    plan: &SlicePlan,
    trace: &Arc<Trace>,
    executor: &mut Executor,
    faults: &mut Faults,
    carry_out: &mut CarryOut<'_>,
) -> Result<(), PlayerError> {
    let mut wanted = plan.slice.earlier.iter().copied().peekable();
    while let Some(next) = wanted.peek() {
        let frame = plan.index.require_location(*next)?.frame;
        let own = plan.index.commands_of(frame).ok_or(Internal::new("a frame of a slice is not in the index"))?;
        let mut stream = CommandStream::at(trace.clone(), frame)?;
        let apply = |command: &Located<Command>, executor: &mut Executor| {
            let number = CommandNumber(own.start + command.at.packet);
            if wanted.next_if_eq(&number).is_some() {
                let applied = apply(plan, command, number, executor);
                let write = TargetWrite { number, at: command.at, kind: kind_of(&command.value, None) };
                let done = applied.and_then(|()| carry_out(write, &command.value, executor));
                done.or_else(|error| faults.of_command(error, command))?;
            }
            let goes_on = wanted.peek().is_some_and(|next| next.0 < own.end);
            Ok::<Flow, PlayerError>(if goes_on { Flow::Continue } else { Flow::Stop })
        };
        // What is damaged there is in no slice.
        stream.survey_frame(frame, executor, apply, |damage, _| match damage.is_survivable() {
            true => Ok(Flow::Continue),
            false => Err(damage.into()),
        })?;
        if wanted.peek().is_some_and(|next| next.0 < own.end) {
            return Err(Internal::new("a command of a slice is not in its frame").into());
        }
    }
    Ok(())
}

/// Applies a command of a slice. The index has found the faults of commands, with all that comes before each; a slice leaves
/// out much of that, and would tell something else of what is missing.
fn apply(
    plan: &SlicePlan,
    command: &Located<Command>,
    CommandNumber(number): CommandNumber,
    executor: &mut Executor,
) -> Result<(), PlayerError> {
    match (plan.index.fault_at(command.at), command.at.submission) {
        (Some(fault), place) => {
            if place.is_some() {
                executor.refuse(command, number, fault);
            }
            Err(PlayerError::of_index(fault))
        }
        (None, Some(_)) => Ok(executor.apply_as(command, number)?),
        (None, None) => Ok(executor.apply(command)?),
    }
}

/// Reads a frame as far as it is wanted. `each` gets every command; of a draw, its number in the frame too. Whether playing
/// goes on behind what is wrong in it is a matter of `faults`.
#[inline]
pub(super) fn read_until(
    stream: &mut CommandStream,
    place: Place,
    executor: &mut Executor,
    faults: &mut Faults,
    mut each: impl FnMut(&Located<Command>, Option<u32>, &mut Executor) -> Result<(), PlayerError>,
) -> Result<(), PlayerError> {
    let Place { frame, point } = place;
    if point == Point::Start {
        return Ok(());
    }
    let mut draw_count = 0;
    let (faults, packets) = (RefCell::new(faults), Cell::new(0));
    let carry_out = |command: &Located<Command>, executor: &mut Executor| {
        packets.set(command.at.packet + 1);
        let mut draw = None;
        // Behind what ends its submission nothing of it is carried out, and no draw counts.
        if command.at.submission.is_none() || !executor.has_ended() {
            draw = command.value.is_draw().then_some(draw_count);
            let done = each(command, draw, executor);
            draw_count += u32::from(draw.is_some());
            done.or_else(|error| faults.borrow_mut().of_command(error, command))?;
        }
        let is_last = match point {
            Point::Start | Point::End => false,
            Point::Draw(last) => draw == Some(last),
            Point::Packet(last) => command.at.packet == last,
        };
        Ok::<Flow, PlayerError>(if is_last { Flow::Stop } else { Flow::Continue })
    };
    stream.survey_frame(frame, executor, carry_out, |damage, _| {
        let number = packets.get();
        // A packet has a number, whatever is in it; a record has none.
        let is_packet = matches!(damage, ReplayError::Abi { .. });
        packets.set(number + u32::from(is_packet));
        faults.borrow_mut().of_damage(damage, Location { frame, packet: number, ..Location::default() })?;
        let is_last = is_packet && point == Point::Packet(number);
        Ok(if is_last { Flow::Stop } else { Flow::Continue })
    })?;
    let packet_count = packets.get();
    match point {
        Point::Draw(draw) if draw >= draw_count => Err(PlayerError::NoSuchDraw { draw, frame, draw_count }),
        Point::Packet(packet) if packet >= packet_count => {
            Err(PlayerError::NoSuchPacket { packet, frame, packet_count })
        }
        _ => Ok(()),
    }
}

fn kind_of(command: &Command, draw: Option<u32>) -> WriteKind {
    match command {
        Command::Draw(_) | Command::DrawIndexed(_) => WriteKind::Draw(draw),
        Command::Clear(_) => WriteKind::Clear,
        _ => WriteKind::Other,
    }
}
