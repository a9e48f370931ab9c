//! What became of one pixel: every CLEAR and DRAW of a frame, and what it did to it.
//!
//! The frame is walked through three times, however many draws it has. First every draw is asked, by an occlusion query
//! on the one pixel, whether it leaves a mark. Then those that do are drawn again, and the pixel is taken after each.
//! Last, those that don't although their shader can discard are asked whether their triangles cover the pixel.

use foldhash::HashMap;

use super::gpu_context::GpuContext;
use super::offscreen_query::{Basis, OffscreenQuery};
use super::slice_run::{NOT_ASKED, SlicePlan, TargetWrite, WriteKind};
use super::submitted_query::AskedPicture;
use super::{Player, PlayerError};
use crate::command::{BlendEquation, Location, Place, ResourceId};
use crate::error::Internal;
use crate::gpu::DrawOverride;
use crate::replay::{CommandNumber, Executor, ProgramKey};

/// What became of a pixel.
#[derive(Debug)]
pub struct PixelWrites {
    /// What it is a pixel of; nothing of the target of Appendix A, and of a context's own back buffer.
    pub part: Option<TexturePart>,
    /// The colour that the frame begins with, or that its texture is created with; nothing if that is not known.
    pub start: Option<[u8; 4]>,
    /// What gave it that colour.
    pub before: Before,
    /// Every CLEAR and DRAW of the frame, in order.
    pub writes: Vec<PixelWrite>,
    /// What ended the frame early.
    pub error: Option<PlayerError>,
}

/// One mip of one layer of a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TexturePart {
    /// The handle that the texture was made under.
    pub texture: ResourceId,
    /// The mip.
    pub mip: u32,
    /// The layer.
    pub layer: u32,
}

/// What came before a frame, as far as one pixel shows it.
#[derive(Debug)]
pub enum Before {
    /// Nothing: the pixel is as its texture was made, or transparent black.
    Nothing,
    /// A CLEAR or a DRAW of an earlier frame.
    Write(PixelWrite),
    /// This command of the frame creates the texture.
    Created(Location),
    /// Something that cannot be drawn.
    Unknown(PlayerError),
}

/// A CLEAR or a DRAW and what it did to the pixel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PixelWrite {
    /// Its number in the trace.
    pub number: CommandNumber,
    /// Its place.
    pub at: Location,
    /// What it is.
    pub kind: PixelWriteKind,
    /// What it did.
    pub touch: Touch,
    /// The steps that its colour went through behind the fragment shader.
    pub steps: ColorSteps,
}

/// Steps behind the fragment shader of a draw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ColorSteps {
    /// Fog of Direct3D 9 hides some of it.
    pub is_fogged: bool,
    /// How it is blended with the target's, if it is.
    pub blending: Option<BlendEquation>,
}

/// A command that can change the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PixelWriteKind {
    /// A CLEAR.
    Clear,
    /// A DRAW, with its number in its frame.
    Draw(u32),
    /// A copy from another texture.
    Copy(CopySource),
    /// Bytes from outside.
    Upload,
}

/// A texel that was copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CopySource {
    /// The part that it was copied from.
    pub part: TexturePart,
    /// Its column.
    pub x_px: u32,
    /// Its row, from the top.
    pub y_px: u32,
}

/// What a command did to the pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Touch {
    /// It wrote this colour.
    Wrote([u8; 4]),
    /// It left the pixel alone.
    Missed(Miss),
}

/// Why a command left a pixel alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Miss {
    /// It draws no whole triangle: so many vertices.
    NoTriangle {
        /// The number of vertices.
        vertex_count: u32,
    },
    /// Its fragment shader writes no colour.
    NoColor,
    /// The pixel is outside of its viewport, which is the target's top left of this size.
    OutsideViewport {
        /// Width and height.
        viewport_px: [u32; 2],
    },
    /// Its sample mask leaves out the only sample that targets have.
    SampleMask,
    /// None of its triangles covers the pixel.
    NotCovered,
    /// A triangle covers the pixel, and the fragment shader discards it there.
    Discarded,
    /// A triangle covers the pixel, and its alpha does not pass Direct3D 9's test.
    AlphaTestFailed,
    /// Its write mask lets no channel through that the target has.
    WriteMask,
    /// The pixel is outside of what the scissor lets through.
    OutsideScissor {
        /// Left and top.
        origin_px: [i32; 2],
        /// Width and height.
        size_px: [i32; 2],
    },
    /// It is no draw, and writes other pixels of the target.
    OtherPixels {
        /// Left and top of the smallest rectangle around them.
        origin_px: [u32; 2],
        /// Width and height.
        size_px: [u32; 2],
    },
    /// All triangles that cover the pixel are culled.
    Culled,
    /// The stencil test fails there.
    StencilFailed,
    /// The depth test fails there.
    DepthFailed,
}

/// A write, as far as it is found out about.
struct Suspect {
    write: TargetWrite,
    finding: Finding,
}

/// What the first walk has found out.
struct Asked {
    plan: SlicePlan,
    suspects: Vec<Suspect>,
    /// Why what the frame begins with is not known.
    unknown: Option<PlayerError>,
    /// What ended the frame early.
    error: Option<PlayerError>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Finding {
    Wrote,
    Missed(Miss),
    /// The occlusion query with this number will say.
    Asked {
        query: u32,
        program: ProgramKey,
    },
    /// It left no mark, and its shader can discard.
    CoveredOrNot,
}

impl Player {
    /// What every command of a frame did to a pixel, up to a place in it. The player stays where it is.
    ///
    /// A frame with an error in it has a trail up to the error.
    pub fn follow_pixel(&mut self, place: impl Into<Place>, x_px: u32, y_px: u32) -> Result<PixelWrites, PlayerError> {
        let place = place.into();
        if self.is_about_submissions(place, AskedPicture::Shown)? {
            return self.follow_submitted_pixel(place, [x_px, y_px]);
        }
        self.query_offscreen(place.frame, |player, offscreen| {
            player.check_pixel(x_px, y_px)?;
            player.follow(offscreen, place, [x_px, y_px])
        })
    }

    /// Refuses a pixel that the target does not have.
    pub(super) fn check_pixel(&self, x_px: u32, y_px: u32) -> Result<(), PlayerError> {
        let size = self.gpu.renderer.size();
        let is_inside = x_px < size.width_px && y_px < size.height_px;
        if is_inside { Ok(()) } else { Err(PlayerError::NoSuchPixel { x_px, y_px, size }) }
    }

    fn follow(
        &mut self,
        offscreen: &OffscreenQuery<'_>,
        place: Place,
        at_px: [u32; 2],
    ) -> Result<PixelWrites, PlayerError> {
        self.gpu.renderer.fill([0; 4]);
        self.gpu.renderer.set_scissor(Some(at_px));
        let Asked { plan, mut suspects, unknown, error } = self.ask_all(offscreen, place, at_px)?;
        drop_all_but_last_before(&mut suspects, plan.slice.own.start);
        let colors = self.take_colors(&plan, at_px, &suspects)?;
        let covered = self.ask_coverage(&plan, &suspects)?;

        let (mut colors, mut covered) = (colors.into_iter(), covered.into_iter());
        let mut writes: Vec<PixelWrite> = Vec::with_capacity(suspects.len());
        for Suspect { write, finding } in suspects {
            let touch = match finding {
                Finding::Wrote => Touch::Wrote(colors.next().ok_or(Internal::new("a colour was not read"))?),
                Finding::Missed(miss) => Touch::Missed(miss),
                Finding::CoveredOrNot if covered.next().ok_or(Internal::new("a draw's coverage was not probed"))? => {
                    Touch::Missed(Miss::Discarded)
                }
                Finding::CoveredOrNot => Touch::Missed(Miss::NotCovered),
                Finding::Asked { .. } => {
                    return Err(Internal::new("a probe draw's answer was not read").into());
                }
            };
            let kind = match write.kind {
                WriteKind::Clear => PixelWriteKind::Clear,
                WriteKind::Draw(Some(draw)) => PixelWriteKind::Draw(draw),
                WriteKind::Draw(None) => PixelWriteKind::Draw(draw_number(offscreen, &write)),
                WriteKind::Other => return Err(NOT_ASKED.into()),
            };
            let steps = ColorSteps::default();
            writes.push(PixelWrite { number: write.number, at: write.at, kind, touch, steps });
        }
        let has_before = writes.first().is_some_and(|write| write.number.0 < plan.slice.own.start);
        let before = match unknown {
            Some(error) => Before::Unknown(error),
            None if has_before => Before::Write(writes.remove(0)),
            None => Before::Nothing,
        };
        let start = match &before {
            Before::Nothing => Some([0; 4]),
            Before::Write(PixelWrite { touch: Touch::Wrote(rgba), .. }) => Some(*rgba),
            Before::Write(_) | Before::Created(_) | Before::Unknown(_) => None,
        };
        Ok(PixelWrites { part: None, start, before, writes, error })
    }

    /// Finds every CLEAR and DRAW, and whether it wrote the pixel, up to the first error.
    fn ask_all(&mut self, offscreen: &OffscreenQuery<'_>, place: Place, at_px: [u32; 2]) -> Result<Asked, PlayerError> {
        let mut plan = self.plan_slice(offscreen, place, Basis::FirstPicture)?;
        let mut suspects = Vec::new();
        self.gpu.renderer.start_visibility()?;
        let unknown = unless_gpu(self.run_earlier(&plan, note(&mut suspects, at_px)))?.err();
        let mut begun = Ok(());
        if unknown.is_some() {
            // What the frame begins with cannot be drawn, but what it does itself can.
            suspects.clear();
            plan = self.plan_slice(offscreen, place, Basis::Frame)?;
            self.gpu.renderer.start_visibility()?;
            begun = unless_gpu(self.run_earlier(&plan, note(&mut suspects, at_px)))?;
        }
        let error = match begun {
            Ok(()) => unless_gpu(self.run_own(&plan, |_| false, note(&mut suspects, at_px)))?.err(),
            Err(error) => Some(error),
        };
        self.find_marks(&mut suspects)?;
        Ok(Asked { plan, suspects, unknown, error })
    }

    /// Takes in the answers to the occlusion queries.
    fn find_marks(&mut self, suspects: &mut [Suspect]) -> Result<(), PlayerError> {
        let answers = self.gpu.renderer.finish_visibility()?;
        let mut discarding: HashMap<ProgramKey, bool> = HashMap::default();
        let mut can_discard = |key: ProgramKey| -> Result<bool, Internal> {
            if let Some(known) = discarding.get(&key) {
                return Ok(*known);
            }
            let program =
                self.executor.programs().get(key).ok_or(Internal::new("a program in use is not in the library"))?;
            discarding.insert(key, program.can_discard());
            Ok(program.can_discard())
        };
        for suspect in suspects {
            if let Finding::Asked { query, program } = suspect.finding {
                let left_a_mark = *answers.get(query as usize).ok_or(Internal::new("a draw's query has no answer"))?;
                suspect.finding = match left_a_mark {
                    true => Finding::Wrote,
                    false if can_discard(program)? => Finding::CoveredOrNot,
                    false => Finding::Missed(Miss::NotCovered),
                };
            }
        }
        Ok(())
    }

    /// Draws those again that wrote the pixel; gives its colour after each.
    fn take_colors(
        &mut self,
        plan: &SlicePlan,
        at_px: [u32; 2],
        suspects: &[Suspect],
    ) -> Result<Vec<[u8; 4]>, PlayerError> {
        let writers = Chosen::new(suspects, Finding::Wrote);
        self.gpu.renderer.start_pixels(at_px, writers.numbers.len() as u32);
        let each = |write: TargetWrite, executor: &Executor, gpu: &mut GpuContext| {
            if writers.contains(&write) {
                gpu.run_ops(executor)?;
                gpu.renderer.take_pixel()?;
            }
            Ok(())
        };
        // The error, if there is one, is known.
        let _known = unless_gpu(self.run_slice(plan, |draw| writers.omits(draw), each))?;
        Ok(self.gpu.renderer.finish_pixels()?)
    }

    /// Asks those that left no mark although their shader can discard whether they cover the pixel.
    fn ask_coverage(&mut self, plan: &SlicePlan, suspects: &[Suspect]) -> Result<Vec<bool>, PlayerError> {
        let undecided = Chosen::new(suspects, Finding::CoveredOrNot);
        if undecided.numbers.is_empty() {
            return Ok(Vec::new());
        }
        self.gpu.renderer.set_draw_override(DrawOverride::Silhouette([0; 4]));
        self.gpu.renderer.start_visibility()?;
        let each = |write: TargetWrite, executor: &Executor, gpu: &mut GpuContext| match undecided.contains(&write) {
            true => Ok(gpu.run_ops(executor)?),
            false => Ok(()),
        };
        let _known = unless_gpu(self.run_frame(plan, |draw| undecided.omits(draw), each))?;
        Ok(self.gpu.renderer.finish_visibility()?)
    }
}

/// The commands of one finding.
struct Chosen {
    /// Ascending.
    numbers: Vec<CommandNumber>,
    /// The numbers of the draws among them in the frame, ascending.
    draws: Vec<u32>,
}

impl Chosen {
    fn new(suspects: &[Suspect], finding: Finding) -> Self {
        let chosen = || suspects.iter().filter(|suspect| suspect.finding == finding).map(|suspect| suspect.write);
        let draw = |write: TargetWrite| match write.kind {
            WriteKind::Draw(draw) => draw,
            WriteKind::Clear | WriteKind::Other => None,
        };
        Self { numbers: chosen().map(|write| write.number).collect(), draws: chosen().filter_map(draw).collect() }
    }

    fn contains(&self, write: &TargetWrite) -> bool {
        self.numbers.binary_search(&write.number).is_ok()
    }

    /// Whether the draw of the frame is none of them, and need not be looked at.
    fn omits(&self, draw: u32) -> bool {
        self.draws.binary_search(&draw).is_err()
    }
}

/// Asks of a command whether it writes the pixel, unless that is clear without drawing.
fn ask(write: TargetWrite, at_px: [u32; 2], executor: &Executor, gpu: &mut GpuContext) -> Result<Finding, PlayerError> {
    if write.kind == WriteKind::Clear {
        return Ok(Finding::Wrote);
    }
    let limit = gpu.renderer.gpu().largest_side_px();
    // silent: a draw of no vertices writes nothing
    let Some((draw, program)) = executor.draw()? else {
        return Ok(Finding::Missed(Miss::NoTriangle { vertex_count: 0 }));
    };
    let fits = |viewport_px: [u32; 2]| viewport_px.iter().all(|side| *side <= limit);
    let miss = match draw.viewport_px {
        // It cannot be drawn at all, wherever the pixel is: carrying it out says so.
        Some(viewport_px) if !fits(viewport_px) => None,
        _ if draw.vertex_count < 3 => Some(Miss::NoTriangle { vertex_count: draw.vertex_count }),
        _ if !program.writes_target() => Some(Miss::NoColor),
        Some(viewport_px) if is_outside(at_px, viewport_px) => Some(Miss::OutsideViewport { viewport_px }),
        _ => None,
    };
    if let Some(miss) = miss {
        return Ok(Finding::Missed(miss));
    }
    let query = gpu.renderer.draws_asked();
    gpu.run_ops(executor)?;
    Ok(Finding::Asked { query, program: draw.program })
}

fn is_outside([x, y]: [u32; 2], [width_px, height_px]: [u32; 2]) -> bool {
    x >= width_px || y >= height_px
}

/// Notes each command, and asks it.
fn note<'a>(
    suspects: &'a mut Vec<Suspect>,
    at_px: [u32; 2],
) -> impl FnMut(TargetWrite, &Executor, &mut GpuContext) -> Result<(), PlayerError> + 'a {
    move |write, executor, gpu| {
        suspects.push(Suspect { write, finding: ask(write, at_px, executor, gpu)? });
        Ok(())
    }
}

/// An error of the trace ends a slice early, and is for who asked; an error of the GPU ends everything.
pub(super) fn unless_gpu<T>(walked: Result<T, PlayerError>) -> Result<Result<T, PlayerError>, PlayerError> {
    match walked {
        Err(error) if error.is_of_device() => Err(error),
        other => Ok(other),
    }
}

/// Of what came before the frame, only the last that wrote the pixel matters.
fn drop_all_but_last_before(suspects: &mut Vec<Suspect>, own_start: u32) {
    let own = suspects.partition_point(|suspect| suspect.write.number.0 < own_start);
    let last = suspects.iter().take(own).rposition(|suspect| suspect.finding == Finding::Wrote);
    let kept = last.map_or(own..own, |last| last..last + 1);
    suspects.drain(kept.end..own);
    suspects.drain(..kept.start);
}

/// The number of an earlier frame's draw in its frame.
fn draw_number(offscreen: &OffscreenQuery<'_>, write: &TargetWrite) -> u32 {
    let draws = offscreen.index.draws_of(write.at.frame);
    draws.take_while(|number| *number < write.number).count() as u32
}
