//! Walking through a frame, and what led to it, with somebody looking at each CLEAR and DRAW and deciding what is done.

use std::sync::Arc;

use super::aside::Aside;
use super::residency::{Residency, Surroundings};
use super::seek::end_of;
use super::{Player, PlayerError, Until};
use crate::bytes::Diagnostics;
use crate::command::{Command, Located, Location};
use crate::format::aerogpu::FrameIndex;
use crate::gpu::{GpuError, Renderer};
use crate::replay::{
    BlobStore, CommandNumber, CommandReader, DrawOp, Flow, GuestState, Op, ProgramLibrary, ReplayError, Slice,
    SliceTarget, TraceIndex, decode_frame,
};
use crate::shader::Program;

/// A CLEAR or a DRAW on the way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stroke {
    pub number: CommandNumber,
    pub at: Location,
    pub kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Clear,
    /// In the frame asked about: the draw's number there.
    Draw(Option<u32>),
}

/// How far back a walk begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Basis {
    /// With all that the frame's first picture is made of, even if a CLEAR of the frame covers it.
    FirstPicture,
    /// With all that can be seen at the end, or from the picture before this command on, which is at hand.
    Visible(Option<CommandNumber>),
    /// With the frame's first command: the target does not matter.
    Frame,
}

/// A walk that can be done, again and again.
pub(super) struct Walk {
    index: Arc<TraceIndex>,
    pub slice: Slice,
    until: Until,
}

/// One time through a walk.
pub(super) struct Pass {
    state: GuestState,
}

/// What stands before the one who looks.
pub(super) struct Easel<'a> {
    renderer: &'a mut Renderer,
    programs: &'a ProgramLibrary,
    blobs: &'a BlobStore,
    residency: &'a mut Residency,
    state: &'a GuestState,
    at: Location,
    /// What the command does to the target; a draw without vertices does nothing.
    op: Option<&'a Op>,
}

impl Easel<'_> {
    pub fn renderer(&mut self) -> &mut Renderer {
        self.renderer
    }

    /// What is drawn, if it is a draw of something.
    pub fn draw(&self) -> Option<&DrawOp> {
        match self.op {
            Some(Op::Draw(draw)) => Some(draw),
            _ => None,
        }
    }

    /// The program drawn with.
    pub fn program(&self) -> Option<&Program> {
        self.draw().and_then(|draw| self.programs.get(draw.program)).map(Arc::as_ref)
    }

    /// Carries the command out, as the renderer's brush says.
    pub fn carry_out(&mut self) -> Result<(), GpuError> {
        self.op.map_or(Ok(()), |op| self.carry_out_instead(op))
    }

    /// Carries out another op in place of the command's own.
    pub fn carry_out_instead(&mut self, op: &Op) -> Result<(), GpuError> {
        let Self { renderer, programs, blobs, at, .. } = self;
        self.residency.run(op, self.state, &mut Surroundings { renderer, programs, blobs, at: *at })
    }
}

impl Player {
    /// Plans the walk up to a place in a frame.
    pub(super) fn plan_walk(
        &mut self,
        aside: &Aside,
        frame: FrameIndex,
        until: Until,
        basis: Basis,
    ) -> Result<Walk, PlayerError> {
        let index = aside.index.clone();
        let frame_count = self.trace.frames().len();
        if frame.as_usize() >= frame_count {
            return Err(PlayerError::NoSuchFrame { frame, frame_count });
        }
        let end = if frame.as_usize() < index.frame_count() { end_of(&index, frame, until)? } else { u32::MAX };
        let own = index.commands_of(frame);
        let slice = match (basis, &own) {
            (Basis::Visible(at_hand), Some(_)) => index.slice(frame, end, at_hand),
            (Basis::Visible(at_hand), None) => index.slice_with_start(frame, end, at_hand),
            (Basis::FirstPicture, _) => index.slice_with_start(frame, end, None),
            (Basis::Frame, _) => {
                let start = own.map_or(index.command_count(), |own| own.start);
                index.slice_with_start(frame, end, Some(CommandNumber(start)))
            }
        };
        if let Some(slice) = slice {
            return Ok(Walk { index, slice, until });
        }
        // A frame before this one is damaged, and this one can't be shown for the same reason.
        let damaged = FrameIndex(index.frame_count() as u32);
        let walk = self.plan_walk(aside, damaged, Until::EndOfFrame, Basis::Frame)?;
        self.pass(&walk, |_| false, |_, _| Ok(()), |_, _| Ok(()))?;
        Err(PlayerError::NoSuchFrame { frame, frame_count })
    }

    /// Walks, leaving out the draws of the frame that `omits` names by number. `earlier` looks at what comes before the
    /// frame, `own` at the rest.
    pub(super) fn pass(
        &mut self,
        walk: &Walk,
        omits: impl Fn(u32) -> bool,
        earlier: impl FnMut(Stroke, &mut Easel<'_>) -> Result<(), GpuError>,
        own: impl FnMut(Stroke, &mut Easel<'_>) -> Result<(), GpuError>,
    ) -> Result<(), PlayerError> {
        let mut pass = self.pass_earlier(walk, earlier)?;
        self.pass_own(walk, &mut pass, omits, own)
    }

    /// Walks up to the frame.
    pub(super) fn pass_earlier(
        &mut self,
        walk: &Walk,
        mut look: impl FnMut(Stroke, &mut Easel<'_>) -> Result<(), GpuError>,
    ) -> Result<Pass, PlayerError> {
        self.residency.begin();
        self.renderer.begin_budget();
        let mut pass = Pass { state: GuestState::new() };
        let mut reader = CommandReader::new(self.trace.clone());
        let shown = match walk.slice.target {
            SliceTarget::PictureBefore(at) => at,
            SliceTarget::Black | SliceTarget::ClearedBy(_) => CommandNumber(0),
        };
        for number in &walk.slice.earlier {
            let at = walk.index.location(*number);
            let at = at.ok_or(PlayerError::Internal("a slice has a command without a place"))?;
            let command = reader.read(at)?;
            // What is odd in other frames is noted when they are shown.
            pass.state.apply(command, &mut self.blobs, &mut self.programs, &mut Diagnostics::new())?;
            // Whatever was drawn before is on the picture at hand.
            let is_seen = *number >= shown;
            let stroke = Stroke { number: *number, at, kind: kind_of(&command.value, None) };
            self.carry_out(
                &mut pass,
                stroke,
                &command,
                |stroke, easel| {
                    if is_seen { look(stroke, easel) } else { Ok(()) }
                },
            )?;
        }
        Ok(pass)
    }

    /// Walks through the frame.
    pub(super) fn pass_own(
        &mut self,
        walk: &Walk,
        pass: &mut Pass,
        omits: impl Fn(u32) -> bool,
        mut look: impl FnMut(Stroke, &mut Easel<'_>) -> Result<(), GpuError>,
    ) -> Result<(), PlayerError> {
        let frame = walk.slice.frame;
        let span = self.trace.frame(frame).cloned().ok_or(PlayerError::Internal("a slice is of no frame"))?;
        self.check_gap_before(walk)?;
        let mut reader = self.trace.records(span.bytes);
        let Self { blobs, renderer, programs, residency, .. } = self;
        let mut gpu_error = None;
        let mut draws = 0;
        // What is odd in the frame is noted when it is shown.
        decode_frame(&mut reader, Some(frame), blobs, &mut Diagnostics::new(), |command, blobs, unnoted| {
            let is_draw = matches!(command.value, Command::Draw { .. });
            if !is_draw || !omits(draws) {
                pass.state.apply(command, blobs, programs, unnoted)?;
                let number = CommandNumber(walk.slice.own.start + command.at.packet);
                let stroke = Stroke { number, at: command.at, kind: kind_of(&command.value, Some(draws)) };
                let mut stage = Stage { renderer, programs, blobs, residency };
                if let Err(error) = stage.carry_out(pass, stroke, &command, &mut look) {
                    gpu_error = Some(error);
                    return Ok(Flow::Stop);
                }
            }
            draws += u32::from(is_draw);
            let is_last = match walk.until {
                Until::EndOfFrame => false,
                Until::AfterDraw(draw) => is_draw && draws == draw.saturating_add(1),
                Until::AfterPacket(packet) => command.at.packet == packet,
            };
            Ok::<Flow, ReplayError>(if is_last { Flow::Stop } else { Flow::Continue })
        })?;
        match (gpu_error, walk.until) {
            (Some(error), _) => Err(error.into()),
            (None, Until::AfterDraw(draw)) if draw >= draws => {
                Err(PlayerError::NoSuchDraw { draw, frame, draw_count: draws })
            }
            _ => Ok(()),
        }
    }

    /// Finds what is wrong between the last frame in the index and the one that ended it.
    fn check_gap_before(&mut self, walk: &Walk) -> Result<(), PlayerError> {
        let frame = walk.slice.frame;
        if frame.as_usize() < walk.index.frame_count() {
            return Ok(());
        }
        let Some(start) = self.trace.frame(frame).map(|span| span.bytes.start) else { return Ok(()) };
        let before = frame.0.checked_sub(1).and_then(|before| self.trace.frame(FrameIndex(before)));
        let from = before.map_or(self.trace.stream().start, |span| span.bytes.end);
        let mut reader = self.trace.records(from..start);
        decode_frame(&mut reader, None, &mut self.blobs, &mut Diagnostics::new(), |_, _, _| Ok(Flow::Continue))?;
        Ok(())
    }

    fn carry_out(
        &mut self,
        pass: &mut Pass,
        stroke: Stroke,
        command: &Located<Command>,
        look: impl FnMut(Stroke, &mut Easel<'_>) -> Result<(), GpuError>,
    ) -> Result<(), GpuError> {
        let Self { renderer, programs, blobs, residency, .. } = self;
        Stage { renderer, programs, blobs, residency }.carry_out(pass, stroke, command, look)
    }
}

/// What commands are carried out on.
struct Stage<'a> {
    renderer: &'a mut Renderer,
    programs: &'a ProgramLibrary,
    blobs: &'a BlobStore,
    residency: &'a mut Residency,
}

impl Stage<'_> {
    /// Carries out what a command does besides drawing, and shows the rest to `look`.
    fn carry_out(
        &mut self,
        pass: &mut Pass,
        stroke: Stroke,
        command: &Located<Command>,
        mut look: impl FnMut(Stroke, &mut Easel<'_>) -> Result<(), GpuError>,
    ) -> Result<(), GpuError> {
        let Self { renderer, programs, blobs, residency } = self;
        let touches_target = matches!(command.value, Command::Clear { .. } | Command::Draw { .. });
        if touches_target {
            let (state, op) = (&pass.state, pass.state.ops().first());
            let mut easel = Easel { renderer, programs, blobs, residency, state, at: command.at, op };
            look(stroke, &mut easel)?;
        } else {
            let mut around = Surroundings { renderer, programs, blobs, at: command.at };
            pass.state.ops().iter().try_for_each(|op| residency.run(op, &pass.state, &mut around))?;
        }
        Ok(())
    }
}

fn kind_of(command: &Command, draw: Option<u32>) -> Kind {
    match command {
        Command::Draw { .. } => Kind::Draw(draw),
        _ => Kind::Clear,
    }
}
