//! Facts about every pixel of a target of submissions, and every command that changes it.

use super::gpu_context::GpuContext;
use super::maps::{PixelMap, Writer, WriterMap};
use super::slice_run::{SlicePlan, TargetWrite, WriteKind};
use super::submitted_query::{AskedPicture, ShownTarget, SubmittedQuestion};
use super::{DrawSelection, Player, PlayerError};
use crate::command::Place;
use crate::gpu::{DrawOverride, DrawTest, TriangleSide};
use crate::pixels::{Picture, Size};
use crate::replay::{DeviceOp, Executor, WatchedSince};

/// Tests that a map of a draw tells apart, each with all before it.
const TESTS: [DrawTest; 5] =
    [DrawTest::Coverage, DrawTest::Culling, DrawTest::Discard, DrawTest::Stencil, DrawTest::Depth];

impl Player {
    /// Which command wrote each pixel of the picture asked about last.
    pub(super) fn map_submitted_writers(
        &mut self,
        place: Place,
        asked: AskedPicture,
    ) -> Result<WriterMap, PlayerError> {
        self.query_submitted(place, asked, |player, question| {
            player.walk_target(question, |shown, write, executor, gpu| {
                let number = Writer::bytes(write.number);
                match write.kind {
                    WriteKind::Draw(_) => {
                        gpu.renderer.ask_draw(executor.device_ops(), &shown.view, &[DrawOverride::Solid(number)])?;
                    }
                    WriteKind::Clear | WriteKind::Other => {
                        let is_made =
                            executor.device_ops().ops.iter().any(|op| matches!(op, DeviceOp::CreateTexture { .. }));
                        let written = gpu.renderer.written_rectangles(executor.device_ops(), &shown.view)?;
                        // As a texture is made, nothing has written it.
                        gpu.renderer.fill_rectangles(&written, if is_made { [0; 4] } else { number });
                    }
                }
                carry_out(executor, gpu)
            })?;
            Ok(PixelMap::of_picture(&player.gpu.renderer.read_back()?, Writer::of_bytes))
        })
    }

    /// How often the `draws` of a frame write each pixel of the picture asked about.
    pub(super) fn count_submitted_writes(
        &mut self,
        place: Place,
        asked: AskedPicture,
        draws: &DrawSelection,
    ) -> Result<PixelMap<u32>, PlayerError> {
        self.query_submitted(place, asked, |player, question| {
            let mut is_counting = false;
            let shown = player.walk_target(question, |shown, write, executor, gpu| {
                if !is_counting {
                    gpu.renderer.start_overdraw()?;
                    is_counting = true;
                }
                match write.kind {
                    WriteKind::Draw(Some(draw)) if draws.contains(draw) => {
                        gpu.renderer.ask_draw(executor.device_ops(), &shown.view, &[DrawOverride::CountWrites])?;
                    }
                    _ => {}
                }
                carry_out(executor, gpu)
            })?;
            let size = player.gpu.renderer.size();
            let counts = match (shown, is_counting) {
                (Some(_), true) => player.gpu.renderer.finish_overdraw()?,
                _ => vec![0; size.pixels() as usize],
            };
            Ok(PixelMap::new(size, counts))
        })
    }

    /// Which pixels of the picture asked about the `draws` of a frame mark, drawn in another way.
    pub(super) fn mask_submitted(
        &mut self,
        place: Place,
        asked: AskedPicture,
        draws: &DrawSelection,
        (draw_override, marked): (DrawOverride, [u8; 4]),
    ) -> Result<PixelMap<bool>, PlayerError> {
        self.query_submitted(place, asked, |player, question| {
            player.walk_target(question, |shown, write, executor, gpu| {
                match write.kind {
                    WriteKind::Draw(Some(draw)) if draws.contains(draw) => {
                        gpu.renderer.ask_draw(executor.device_ops(), &shown.view, &[draw_override])?;
                    }
                    _ => {}
                }
                carry_out(executor, gpu)
            })?;
            Ok(PixelMap::of_picture(&player.gpu.renderer.read_back()?, |rgba| rgba == marked))
        })
    }

    /// Tests that the pixels of a draw pass, in the picture asked about.
    pub(super) fn map_submitted_tests(
        &mut self,
        place: Place,
        asked: AskedPicture,
        draw: u32,
    ) -> Result<PixelMap<Option<DrawTest>>, PlayerError> {
        self.map_answers(place, asked, draw, &TESTS, DrawOverride::Passed)
    }

    /// Side of its triangles that a draw shows, in the picture asked about.
    pub(super) fn map_submitted_sides(
        &mut self,
        place: Place,
        asked: AskedPicture,
        draw: u32,
    ) -> Result<PixelMap<Option<TriangleSide>>, PlayerError> {
        // Behind the backs, fronts are drawn where they lie before them.
        self.map_answers(place, asked, draw, &[TriangleSide::Back, TriangleSide::Front], DrawOverride::Side)
    }

    /// The last of `answers` that a draw paints each pixel for, each of them painted over those before.
    fn map_answers<T: Copy>(
        &mut self,
        place: Place,
        asked: AskedPicture,
        draw: u32,
        answers: &[T],
        paint: impl Fn(T, [u8; 4]) -> DrawOverride,
    ) -> Result<PixelMap<Option<T>>, PlayerError> {
        let colours = (1..).map(|number| [number, 0, 0, 255]);
        let overrides: Vec<DrawOverride> =
            answers.iter().zip(colours).map(|(answer, colour)| paint(*answer, colour)).collect();
        self.query_submitted(place, asked, |player, question| {
            player.walk_target(question, |shown, write, executor, gpu| {
                if write.kind == WriteKind::Draw(Some(draw)) {
                    gpu.renderer.ask_draw(executor.device_ops(), &shown.view, &overrides)?;
                }
                carry_out(executor, gpu)
            })?;
            let answer = |[number, ..]: [u8; 4]| answers.get(usize::from(number).checked_sub(1)?).copied();
            Ok(PixelMap::of_picture(&player.gpu.renderer.read_back()?, answer))
        })
    }

    /// The picture asked about itself.
    pub fn render_asked(&mut self, place: impl Into<Place>, asked: AskedPicture) -> Result<Picture, PlayerError> {
        let place = place.into();
        let is_shown = asked == AskedPicture::Shown || !self.is_about_submissions(place, asked)?;
        if is_shown {
            return self.render_variant_of(place, asked, &super::Variant::default());
        }
        self.query_submitted(place, asked, |player, question| {
            let shown = player.walk_target(question, |_, _, executor, gpu| carry_out(executor, gpu))?;
            if let Some(shown) = shown {
                player.gpu.renderer.show_target(&shown.view)?;
            }
            Ok(player.gpu.renderer.read_back()?)
        })
    }

    /// Plans a walk over everything up to the place, of whose picture the target has the size then, and is transparent black;
    /// nothing where nothing is shown.
    pub(super) fn begin_walk(
        &mut self,
        question: &SubmittedQuestion,
        since: WatchedSince,
    ) -> Result<Option<(SlicePlan, ShownTarget)>, PlayerError> {
        let (plan, shown) = self.plan_all(question, since)?;
        let Some(shown) = shown else {
            // Nothing is shown, so nothing has changed it.
            self.gpu.renderer.show_nothing();
            return Ok(None);
        };
        let size: Size = self.gpu.renderer.size_of_target(&shown.view);
        self.gpu.renderer.ask_about(size)?;
        self.gpu.renderer.fill([0; 4]);
        Ok(Some((plan, shown)))
    }

    /// Carries out everything up to the place with a target of the size of the picture asked about, transparent black, in the
    /// picture's place. `each` carries out every command that belongs to the picture; nothing is presented.
    pub(super) fn walk_target(
        &mut self,
        question: &SubmittedQuestion,
        mut each: impl FnMut(&ShownTarget, TargetWrite, &Executor, &mut GpuContext) -> Result<(), PlayerError>,
    ) -> Result<Option<ShownTarget>, PlayerError> {
        // silent: nothing is shown, so nothing has changed it
        let Some((plan, shown)) = self.begin_walk(question, WatchedSince::LastWholeWrite)? else { return Ok(None) };
        self.run_slice(
            &plan,
            |_| false,
            |write, executor, gpu| match write.number < shown.until {
                true => each(&shown, write, executor, gpu),
                false => carry_out(executor, gpu),
            },
        )?;
        Ok(Some(shown))
    }
}

/// Carries out a command, unless it would show something in place of what is asked for.
pub(super) fn carry_out(executor: &Executor, gpu: &mut GpuContext) -> Result<(), PlayerError> {
    let presents = executor.device_ops().ops.iter().any(|op| matches!(op, DeviceOp::Present { .. }));
    if presents { Ok(()) } else { Ok(gpu.run_command(executor)?) }
}
