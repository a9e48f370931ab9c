//! What became of one pixel of a target of submissions.
//!
//! The frame is walked through once. Each draw that has the target bound is drawn for occlusion queries on the one pixel
//! first, under one test more each time, then as the trace says; and the pixel is taken behind whatever may have written it.

use super::gpu_context::GpuContext;
use super::pixel_writes::{
    Before, ColorSteps, CopySource, Miss, PixelWrite, PixelWriteKind, PixelWrites, TexturePart, Touch, unless_gpu,
};
use super::slice_run::{TargetWrite, WriteKind};
use super::submitted_maps::carry_out;
use super::submitted_query::{AskedPicture, ShownTarget, SubmittedQuestion};
use super::{Player, PlayerError};
use crate::command::{Command, Place, ResourceId};
use crate::error::Internal;
use crate::gpu::{AskedDraw, DrawOverride, DrawTest, PixelRectangle};
use crate::replay::{
    CommandNumber, CommandReader, CopiedTexels, DeviceOp, DrawState, Executor, ObjectKey, TargetView, WatchedSince,
};
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

/// A pixel, as far as it was looked at.
struct Watched {
    target: TargetView,
    suspects: Vec<Suspect>,
    /// How often the pixel was taken for a suspect.
    taken: u32,
    start: StartPixel,
    /// What ended the walk early.
    error: Option<PlayerError>,
}

/// The pixel at the frame's start.
#[derive(Clone, Copy)]
enum StartPixel {
    /// The walk has not come to the frame.
    NotReached,
    /// The frame has begun, and its texture is not created yet.
    NotThere,
    /// It was taken behind so many others.
    Taken(u32),
}

impl Player {
    /// What every command of a frame did to a pixel of the picture, up to a place in it.
    pub(super) fn follow_submitted_pixel(&mut self, place: Place, at_px: [u32; 2]) -> Result<PixelWrites, PlayerError> {
        self.query_submitted(place, AskedPicture::Shown, |player, question| player.follow_target(question, at_px))
    }

    fn follow_target(&mut self, question: &SubmittedQuestion, at_px: [u32; 2]) -> Result<PixelWrites, PlayerError> {
        let watched = self.watch_pixel(question, at_px, WatchedSince::FrameStart)?;
        let Some((unknown, watched)) = (match watched {
            // What the frame begins with cannot be drawn, but what it does itself can.
            Some(Watched { start: StartPixel::NotReached, error: Some(error), .. }) => {
                self.gpu.renderer.end_queries();
                let watched = self.watch_pixel(question, at_px, WatchedSince::LastWholeWrite)?;
                watched.map(|watched| (Some(error), watched))
            }
            watched => watched.map(|watched| (None, watched)),
        }) else {
            let (size, [x_px, y_px]) = (self.gpu.renderer.size(), at_px);
            let is_inside = x_px < size.width_px && y_px < size.height_px;
            let (before, writes) = (Before::Nothing, Vec::new());
            let nothing = PixelWrites { part: None, start: Some([0; 4]), before, writes, error: None };
            return if is_inside { Ok(nothing) } else { Err(PlayerError::NoSuchPixel { x_px, y_px, size }) };
        };
        self.told(question, at_px, watched, unknown)
    }

    /// Carries out a question's slice with the pixel looked at; nothing where nothing is shown. An error of the trace ends it.
    fn watch_pixel(
        &mut self,
        question: &SubmittedQuestion,
        at_px: [u32; 2],
        since: WatchedSince,
    ) -> Result<Option<Watched>, PlayerError> {
        // silent: nothing is shown, so it has no pixels
        let Some((plan, shown)) = self.begin_walk(question, since)? else { return Ok(None) };
        self.begin_watching(&shown, at_px, question)?;
        let begins = shown.until.0.min(question.own_start());
        let mut watched = Watched::of(shown.view);
        let walked = self.run_slice(
            &plan,
            |_| false,
            |write, executor, gpu| {
                if write.number.0 >= begins {
                    watched.take_start(gpu)?;
                }
                match write.number < shown.until {
                    true => watched.carry_out(&shown, write, at_px, executor, gpu),
                    false => carry_out(executor, gpu),
                }
            },
        );
        watched.error = unless_gpu(walked)?.err();
        if watched.error.is_none() {
            watched.take_start(&mut self.gpu)?;
        }
        Ok(Some(watched))
    }

    /// Has the pixel looked at, if the target has it.
    fn begin_watching(
        &mut self,
        shown: &ShownTarget,
        at_px: [u32; 2],
        question: &SubmittedQuestion,
    ) -> Result<(), PlayerError> {
        let renderer = &mut self.gpu.renderer;
        let (size, [x_px, y_px]) = (renderer.size_of_target(&shown.view), at_px);
        if x_px >= size.width_px || y_px >= size.height_px {
            return Err(PlayerError::NoSuchPixel { x_px, y_px, size });
        }
        renderer.set_scissor(Some(at_px));
        renderer.start_visibility()?;
        // One behind each command, and one at the start.
        renderer.start_pixels(at_px, question.end.saturating_add(1));
        Ok(())
    }

    /// Takes in the answers.
    fn told(
        &mut self,
        question: &SubmittedQuestion,
        at_px: [u32; 2],
        watched: Watched,
        unknown: Option<PlayerError>,
    ) -> Result<PixelWrites, PlayerError> {
        let answers = self.gpu.renderer.finish_visibility()?;
        let colors = self.gpu.renderer.finish_pixels()?;
        let Watched { target, suspects, start, error, .. } = watched;
        let mut colors: Vec<_> =
            colors.into_iter().map(|stored| self.gpu.renderer.picture_order(&target, stored)).collect();
        let start = match start {
            StartPixel::Taken(at) if (at as usize) < colors.len() => Some(colors.remove(at as usize)),
            StartPixel::Taken(_) => return Err(Internal::new("the pixel at the start of a frame was not read").into()),
            StartPixel::NotReached | StartPixel::NotThere => None,
        };
        let mut colors = colors.into_iter();
        let own_start = question.own_start();
        let mut reader = CommandReader::new(self.trace.clone());
        let (mut before, mut writes) = (self.before_all(question, &target)?, Vec::new());
        for Suspect { write, kind, finding, steps } in suspects {
            let mut color = || colors.next().ok_or(Internal::new("a pixel was not read"));
            let touch = match finding {
                Finding::Wrote => Touch::Wrote(color()?),
                Finding::Missed(miss) => Touch::Missed(miss),
                Finding::Asked(first, discards) => touch_of(&answers, first as usize, discards, color()?)?,
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
                SuspectKind::Copy(copy) => {
                    // A copy that misses the pixel is known by its first texel.
                    let is_missed = matches!(touch, Touch::Missed(_));
                    let at_px = if is_missed { copy.to_px } else { at_px };
                    PixelWriteKind::Copy(source_of(question, &copy, at_px, &mut reader)?)
                }
            };
            let written = PixelWrite { number: write.number, at: write.at, kind, touch, steps };
            match is_own {
                true => writes.push(written),
                // Of what came before the frame, only the last matters.
                false => before = Before::Write(written),
            }
        }
        let texture = handle_of(question, target.texture, &mut reader)?;
        let part = texture.map(|texture| TexturePart { texture, mip: target.mip, layer: target.layer });
        Ok(match unknown {
            Some(unknown) => PixelWrites { part, start: None, before: Before::Unknown(unknown), writes, error },
            None => PixelWrites { part, start, before, writes, error },
        })
    }

    /// What came before a frame in which nothing has written the pixel.
    fn before_all(&self, question: &SubmittedQuestion, target: &TargetView) -> Result<Before, Internal> {
        match target.texture.creation().filter(|creation| *creation >= question.own_start()) {
            Some(creation) => Ok(Before::Created(question.index.require_location(CommandNumber(creation))?)),
            None => Ok(Before::Nothing),
        }
    }
}

impl Watched {
    fn of(target: TargetView) -> Self {
        Self { target, suspects: Vec::new(), taken: 0, start: StartPixel::NotReached, error: None }
    }

    /// The frame has begun: takes the pixel as soon as the texture is there.
    fn take_start(&mut self, gpu: &mut GpuContext) -> Result<(), PlayerError> {
        if matches!(self.start, StartPixel::Taken(_)) {
            return Ok(());
        }
        self.start = StartPixel::NotThere;
        if gpu.renderer.has_target(&self.target) {
            gpu.renderer.take_pixel_of(&self.target)?;
            self.start = StartPixel::Taken(self.taken);
        }
        Ok(())
    }

    /// Carries out a command, with its questions if it may write the pixel.
    fn carry_out(
        &mut self,
        shown: &ShownTarget,
        write: TargetWrite,
        at_px: [u32; 2],
        executor: &Executor,
        gpu: &mut GpuContext,
    ) -> Result<(), PlayerError> {
        let suspect = suspect(shown, write, at_px, executor, gpu)?;
        let takes = |suspect: &&Suspect| !matches!(suspect.finding, Finding::Missed(_));
        self.taken += u32::from(suspect.as_ref().filter(takes).is_some());
        self.suspects.extend(suspect);
        Ok(())
    }
}

/// What a draw did, by the answers to its queries from `first` on.
fn touch_of(answers: &[bool], first: usize, discards: Discards, color: [u8; 4]) -> Result<Touch, Internal> {
    let no_answer = Internal::new("a draw's queries have no answer");
    let answer = answers.get(first..first + TESTS.len()).ok_or(no_answer)?;
    let is_own = match discards {
        Discards::Shader => true,
        Discards::AlphaTest => false,
        Discards::Either => !answers.get(first + TESTS.len()).copied().ok_or(no_answer)?,
    };
    Ok(first_miss(answer, is_own).map_or(Touch::Wrote(color), Touch::Missed))
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
    let drawn = executor.device_ops().ops.iter().find_map(|op| match op {
        DeviceOp::Draw { state, .. } => Some(state),
        _ => None,
    });
    if let Some(state) = drawn {
        let is_it =
            |view: &TargetView| (view.texture, view.mip, view.layer) == (target.texture, target.mip, target.layer);
        let draw = match write.kind {
            WriteKind::Draw(draw) if state.targets.colors.iter().flatten().any(is_it) => draw,
            _ => return carry_out(executor, gpu).map(|()| None),
        };
        let first = gpu.renderer.draws_asked();
        let discards = discards(state);
        let own = (discards == Discards::Either).then_some(OWN_DISCARD);
        let tests: Vec<DrawOverride> = TESTS.into_iter().chain(own).map(DrawOverride::Test).collect();
        let asked = gpu.renderer.ask_draw(executor.device_ops(), target, &tests)?;
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
    let written = gpu.renderer.written_rectangles(executor.device_ops(), target)?;
    carry_out(executor, gpu)?;
    let kind = executor.device_ops().ops.iter().find_map(|op| match op {
        DeviceOp::Clear(_) => Some(SuspectKind::Clear),
        DeviceOp::CopyTexture(copy) => Some(SuspectKind::Copy(*copy)),
        DeviceOp::Write { .. } => Some(SuspectKind::Upload),
        _ => None,
    });
    // silent: a command that does not write the target has no part in its history
    let (Some(kind), Some(around)) = (kind, rectangle_around(&written)) else { return Ok(None) };
    let finding = if written.iter().any(|rectangle| has_pixel(rectangle, at_px)) {
        gpu.renderer.take_pixel_of(target)?;
        Finding::Wrote
    } else {
        let [left, top, width, height] = around;
        Finding::Missed(Miss::OtherPixels { origin_px: [left, top], size_px: [width, height] })
    };
    Ok(Some(Suspect { write, kind, finding, steps: ColorSteps::default() }))
}

/// The smallest rectangle around others, if there are any.
fn rectangle_around(rectangles: &[PixelRectangle]) -> Option<PixelRectangle> {
    rectangles.iter().copied().reduce(|[ax, ay, aw, ah], [bx, by, bw, bh]| {
        let (x, y) = (ax.min(bx), ay.min(by));
        let end = |a: u32, a_size: u32, b: u32, b_size: u32| a.saturating_add(a_size).max(b.saturating_add(b_size));
        [x, y, end(ax, aw, bx, bw) - x, end(ay, ah, by, bh) - y]
    })
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
        blending: state.fixed.blend.map(|blend| blend.color),
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
    let lost = Internal::new("a copy reads a texture that no command creates");
    let texture = handle_of(question, copy.from, reader)?.ok_or(lost)?;
    let ([from_x, from_y], [to_x, to_y]) = (copy.from_px, copy.to_px);
    let (x_px, y_px) = (from_x + x.saturating_sub(to_x), from_y + y.saturating_sub(to_y));
    let part = TexturePart { texture, mip: copy.from_part.mip, layer: copy.from_part.layer };
    Ok(CopySource { part, x_px, y_px })
}

/// The handle that a texture was made under; nothing of a context's own back buffer.
fn handle_of(
    question: &SubmittedQuestion,
    texture: ObjectKey,
    reader: &mut CommandReader,
) -> Result<Option<ResourceId>, PlayerError> {
    // silent: no command makes a context's own back buffer
    let Some(creation) = texture.creation() else { return Ok(None) };
    let creation = question.index.require_location(CommandNumber(creation))?;
    match reader.read(creation)?.value {
        Command::CreateTexture(desc) => Ok(Some(desc.id)),
        _ => Err(Internal::new("a texture is created by a command that creates none").into()),
    }
}
