//! What became of one pixel of a target of submissions.
//!
//! The frame is walked through once. Each draw that has the target bound is drawn for occlusion queries on the one pixel
//! first, under one test more each time, then as the trace says; and the pixel is taken behind whatever may have written it.

use super::gpu_context::GpuContext;
use super::pixel_writes::{
    Before, ColorSteps, CopySource, Miss, PixelWrite, PixelWriteKind, PixelWrites, Touch, unless_gpu,
};
use super::slice_run::{TargetWrite, WriteKind};
use super::submitted_maps::carry_out;
use super::submitted_query::{AskedPicture, ShownTarget, SubmittedQuestion};
use super::{Player, PlayerError};
use crate::command::{Command, Place};
use crate::error::Internal;
use crate::gpu::{AskedDraw, DrawOverride, DrawTest, PixelRectangle, picture_order};
use crate::replay::{CommandNumber, CommandReader, CopiedTexels, DeviceOp, DrawState, Executor};
use crate::shader::d3d::{Opcode, Producer, Program};

/// The tests, in the order in which a pixel comes to them.
const TESTS: [DrawTest; 5] =
    [DrawTest::Coverage, DrawTest::Culling, DrawTest::Discard, DrawTest::Stencil, DrawTest::Depth];

/// The test that tells the shader's own discard from the alpha test, asked behind the others where a draw has both.
const OWN_DISCARD: DrawTest = DrawTest::ShaderDiscard;

/// A command that may have written the pixel.
struct Suspect {
    write: TargetWrite,
    kind: SuspectKind,
    finding: Finding,
    steps: ColorSteps,
}

/// Source of a draw's discards.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Discards {
    Shader,
    AlphaTest,
    /// One of both, as a query of its own says.
    Either,
}

#[derive(Clone, Copy)]
enum SuspectKind {
    Clear,
    Draw(Option<u32>),
    Copy(CopiedTexels),
    Upload,
}

#[derive(Clone, Copy)]
enum Finding {
    /// It wrote the pixel, which was taken.
    Wrote,
    Missed(Miss),
    /// The occlusion queries from this number on say which tests it passes; the pixel was taken.
    Asked(u32, Discards),
}

impl Player {
    /// What every command of a frame did to a pixel of the picture, up to a place in it.
    pub(super) fn follow_submitted_pixel(&mut self, place: Place, at_px: [u32; 2]) -> Result<PixelWrites, PlayerError> {
        self.query_submitted(place, AskedPicture::Shown, |player, question| player.follow_target(question, at_px))
    }

    fn follow_target(&mut self, question: &SubmittedQuestion, at_px: [u32; 2]) -> Result<PixelWrites, PlayerError> {
        let mut suspects: Vec<Suspect> = Vec::new();
        let mut target = None;
        let walked = self.walk_target(question, |shown, write, executor, gpu| {
            if target.is_none() {
                begin(shown, at_px, question, gpu)?;
                target = Some(shown.view);
            }
            suspects.extend(suspect(shown, write, at_px, executor, gpu)?);
            Ok(())
        });
        let error = match unless_gpu(walked)?.err() {
            Some(error @ (PlayerError::NoSuchPixel { .. } | PlayerError::NotOfColor { .. })) => return Err(error),
            error => error,
        };
        let Some(target) = target else {
            let (size, [x_px, y_px]) = (self.gpu.renderer.size(), at_px);
            let is_inside = x_px < size.width_px && y_px < size.height_px;
            let nothing = PixelWrites { before: Before::Nothing, writes: Vec::new(), error };
            return if is_inside { Ok(nothing) } else { Err(PlayerError::NoSuchPixel { x_px, y_px, size }) };
        };
        let answers = self.gpu.renderer.finish_visibility()?;
        let colors = self.gpu.renderer.finish_pixels()?;
        let mut colors = colors.into_iter().map(|stored| picture_order(&target, stored));
        let own_start = question.index.commands_of(question.place.frame).map_or(0, |own| own.start);
        let mut reader = CommandReader::new(self.trace.clone());
        let (mut before, mut writes) = (Before::Nothing, Vec::new());
        for Suspect { write, kind, finding, steps } in suspects {
            let mut color = || colors.next().ok_or(Internal::new("a pixel was not taken"));
            let touch = match finding {
                Finding::Wrote => Touch::Wrote(color()?),
                Finding::Missed(miss) => Touch::Missed(miss),
                Finding::Asked(first, discards) => {
                    let (color, first) = (color()?, first as usize);
                    let no_answer = Internal::new("a draw's queries have no answer");
                    let answer = answers.get(first..first + TESTS.len()).ok_or(no_answer)?;
                    let is_own = match discards {
                        Discards::Shader => true,
                        Discards::AlphaTest => false,
                        Discards::Either => !answers.get(first + TESTS.len()).copied().ok_or(no_answer)?,
                    };
                    first_miss(answer, is_own).map_or(Touch::Wrote(color), Touch::Missed)
                }
            };
            let is_own = write.number.0 >= own_start;
            if !is_own && matches!(touch, Touch::Missed(_)) {
                continue;
            }
            let kind = match kind {
                SuspectKind::Clear => PixelWriteKind::Clear,
                SuspectKind::Draw(Some(draw)) => PixelWriteKind::Draw(draw),
                SuspectKind::Draw(None) => PixelWriteKind::Draw(number_of_draw(question, &write)),
                SuspectKind::Upload => PixelWriteKind::Upload,
                SuspectKind::Copy(copy) => PixelWriteKind::Copy(source_of(question, &copy, at_px, &mut reader)?),
            };
            let written = PixelWrite { number: write.number, at: write.at, kind, touch, steps };
            match is_own {
                true => writes.push(written),
                // Of what came before the frame, only the last matters.
                false => before = Before::Write(written),
            }
        }
        Ok(PixelWrites { before, writes, error })
    }
}

/// Has the pixel looked at, if the target has it.
fn begin(
    shown: &ShownTarget,
    at_px: [u32; 2],
    question: &SubmittedQuestion,
    gpu: &mut GpuContext,
) -> Result<(), PlayerError> {
    let (size, [x_px, y_px]) = (gpu.renderer.size_of_target(&shown.view), at_px);
    if x_px >= size.width_px || y_px >= size.height_px {
        return Err(PlayerError::NoSuchPixel { x_px, y_px, size });
    }
    gpu.renderer.set_scissor(Some(at_px));
    gpu.renderer.start_visibility();
    gpu.renderer.start_pixels(at_px, question.end);
    Ok(())
}

/// Carries out a command, with its questions if it may write the pixel.
fn suspect(
    shown: &ShownTarget,
    write: TargetWrite,
    at_px: [u32; 2],
    executor: &Executor,
    gpu: &mut GpuContext,
) -> Result<Option<Suspect>, PlayerError> {
    let target = &shown.view;
    let drawn = executor.device_ops().iter().find_map(|op| match op {
        DeviceOp::Draw { state, .. } => Some(state),
        _ => None,
    });
    if let Some(state) = drawn {
        let is_it = |view: &crate::replay::TargetView| {
            (view.texture, view.mip, view.layer) == (target.texture, target.mip, target.layer)
        };
        let draw = match write.kind {
            WriteKind::Draw(draw) if state.targets.colors.iter().flatten().any(is_it) => draw,
            _ => return carry_out(executor, gpu).map(|()| None),
        };
        let first = gpu.renderer.draws_asked();
        let discards = discards(state);
        let own = (discards == Discards::Either).then_some(OWN_DISCARD);
        let tests: Vec<DrawOverride> = TESTS.into_iter().chain(own).map(DrawOverride::Test).collect();
        let asked = gpu.renderer.ask_draw(executor, target, &tests)?;
        carry_out(executor, gpu)?;
        let finding = match (asked, outside_scissor(state, at_px)) {
            (AskedDraw::WritesNoColor, _) => Finding::Missed(Miss::NoColor),
            (AskedDraw::IsWriteMasked, _) => Finding::Missed(Miss::WriteMask),
            (_, Some(miss)) => Finding::Missed(miss),
            (AskedDraw::IsMasked, None) => Finding::Missed(Miss::SampleMask),
            (AskedDraw::HasNoPixels, None) => Finding::Missed(Miss::NotCovered),
            (AskedDraw::Drawn, None) => {
                gpu.renderer.take_pixel_of(target)?;
                Finding::Asked(first, discards)
            }
        };
        return Ok(Some(Suspect { write, kind: SuspectKind::Draw(draw), finding, steps: steps(state) }));
    }
    let written = gpu.renderer.written_rectangles(executor, target)?;
    carry_out(executor, gpu)?;
    let kind = executor.device_ops().iter().find_map(|op| match op {
        DeviceOp::Clear(_) => Some(SuspectKind::Clear),
        DeviceOp::CopyTexture(copy) => Some(SuspectKind::Copy(*copy)),
        DeviceOp::Write { .. } => Some(SuspectKind::Upload),
        _ => None,
    });
    let Some(kind) = kind.filter(|_| written.iter().any(|rectangle| has_pixel(rectangle, at_px))) else {
        return Ok(None);
    };
    gpu.renderer.take_pixel_of(target)?;
    Ok(Some(Suspect { write, kind, finding: Finding::Wrote, steps: ColorSteps::default() }))
}

fn has_pixel([left, top, width, height]: &PixelRectangle, [x, y]: [u32; 2]) -> bool {
    x >= *left && x - left < *width && y >= *top && y - top < *height
}

/// The scissor, if the pixel is outside of it.
fn outside_scissor(state: &DrawState, [x, y]: [u32; 2]) -> Option<Miss> {
    let scissor = state.scissor?;
    let ([left, top], [width, height]) = (scissor.origin_px.map(i64::from), scissor.size_px.map(i64::from));
    let (x, y) = (i64::from(x), i64::from(y));
    let is_inside = (left..left + width).contains(&x) && (top..top + height).contains(&y);
    let miss = Miss::OutsideScissor { origin_px: scissor.origin_px, size_px: scissor.size_px };
    (!is_inside).then_some(miss)
}

/// What the first test that nothing passes says; nothing if something passes all.
fn first_miss(answers: &[bool], is_own_discard: bool) -> Option<Miss> {
    // The last decides: another test may only seem to fail.
    if answers.last() == Some(&true) {
        return None;
    }
    let failed = TESTS.iter().zip(answers).find(|(_, passes)| !**passes).map_or(DrawTest::Depth, |(test, _)| *test);
    Some(match failed {
        DrawTest::Coverage => Miss::NotCovered,
        DrawTest::Culling => Miss::Culled,
        DrawTest::ShaderDiscard | DrawTest::Discard if is_own_discard => Miss::Discarded,
        DrawTest::ShaderDiscard | DrawTest::Discard => Miss::AlphaTestFailed,
        DrawTest::Stencil => Miss::StencilFailed,
        DrawTest::Depth => Miss::DepthFailed,
    })
}

/// The program of a draw's pixel shader, if it has one that can be read.
fn pixel_program(state: &DrawState) -> Option<&Program> {
    match &state.pixel.as_ref()?.program {
        Ok(slots) => Some(&slots.decoded),
        Err(_) => None,
    }
}

/// Finds the source of a draw's discards.
fn discards(state: &DrawState) -> Discards {
    let is_discard = |opcode: Opcode| matches!(opcode, Opcode::TexKill | Opcode::Discard);
    let has_own = pixel_program(state)
        .is_some_and(|program| program.instructions().iter().any(|instruction| is_discard(instruction.opcode)));
    match (state.fixed.legacy.alpha_test, has_own) {
        (Some(_), true) => Discards::Either,
        (Some(_), false) => Discards::AlphaTest,
        (None, _) => Discards::Shader,
    }
}

/// The steps of a draw behind its pixel shader.
fn steps(state: &DrawState) -> ColorSteps {
    let fogs = |program: &Program| program.version().major < 3 && program.producer() == Producer::Application;
    ColorSteps {
        is_fogged: state.fixed.legacy.fog.is_some() && pixel_program(state).is_some_and(fogs),
        is_blended: state.fixed.blend.is_some(),
    }
}

/// The number of an earlier frame's draw in its frame.
fn number_of_draw(question: &SubmittedQuestion, write: &TargetWrite) -> u32 {
    question.index.draws_of(write.at.frame).take_while(|number| *number < write.number).count() as u32
}

/// The texel that a copy has brought to the pixel.
fn source_of(
    question: &SubmittedQuestion,
    copy: &CopiedTexels,
    [x, y]: [u32; 2],
    reader: &mut CommandReader,
) -> Result<CopySource, PlayerError> {
    let lost = Internal::new("a copy is from a texture that no command makes");
    let creation = question.index.require_location(CommandNumber(copy.from.creation().ok_or(lost)?))?;
    let Command::CreateTexture(desc) = reader.read(creation)?.value else { return Err(lost.into()) };
    let ([from_x, from_y], [to_x, to_y]) = (copy.from_px, copy.to_px);
    let (x_px, y_px) = (from_x + x.saturating_sub(to_x), from_y + y.saturating_sub(to_y));
    Ok(CopySource { texture: desc.id, mip: copy.from_part.mip, layer: copy.from_part.layer, x_px, y_px })
}
