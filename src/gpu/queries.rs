//! Queries about draws: drawn on another target, with an override, on one pixel only, and what comes back. How long draws
//! take ([`super::draw_timer`]) is asked while they are drawn where they belong.
//!
//! ```text
//!  swap_target ──► set_draw_override, set_scissor, start_… ──► run ops ──► finish_… ──► end_queries ──► swap_target
//! ```
//!
//! The guest's target is never touched: whoever asks swaps a target of their own in, and out again.

use super::draw_override::DrawOverride;
use super::draw_timer::DrawTimer;
use super::drawing::Bound;
use super::error::GpuError;
use super::overdraw_counter::OverdrawCounter;
use super::pixel_copies::PixelCopies;
use super::query_sets::{QueryKind, QuerySets, read_answers};
use super::render_target::RenderTarget;
use super::renderer::Renderer;
use crate::command::Location;
use crate::error::Internal;

const NOT_COUNTED: Internal = Internal::new("writes are to be counted without a counter");

/// The instruments in use.
#[derive(Default)]
pub(super) struct Queries {
    pub draw_override: DrawOverride,
    /// The one pixel that draws can reach.
    pub scissor_px: Option<[u32; 2]>,
    /// Whether draws leave a mark.
    pub visibility: Option<QuerySets>,
    pub timer: Option<DrawTimer>,
    pub overdraw: Option<OverdrawCounter>,
    pub strip: Option<PixelCopies>,
}

impl Renderer {
    /// Another target of the same size, transparent black.
    pub fn make_target(&self) -> Result<RenderTarget, GpuError> {
        Self::check_size(&self.gpu, self.presenter.size)?;
        let target = RenderTarget::for_pictures(&self.gpu, self.presenter.size);
        target.view();
        self.gpu.check("a second target", Location::default())?;
        Ok(target)
    }

    /// From here on `other` is what is drawn on, cleared and read back; `other` becomes what was.
    pub fn swap_target(&mut self, other: &mut RenderTarget) {
        self.leave_pass();
        std::mem::swap(&mut self.presenter.target, other);
    }

    /// Fills the target with four bytes per pixel.
    pub fn fill(&mut self, rgba: [u8; 4]) {
        self.recorder.batch.clear(self.presenter.target.view(), super::draw_override::color_of(rgba));
        self.recorder.bound = Bound::default();
    }

    /// Makes the target hold what `other` holds.
    pub fn paste(&mut self, other: &RenderTarget) {
        let (from, to) = (other.texture().as_image_copy(), self.presenter.target.texture().as_image_copy());
        self.recorder.batch.copy_texels(from, to, self.presenter.target.texture().size());
        self.recorder.bound = Bound::default();
    }

    /// From here on draws are drawn with this override.
    pub fn set_draw_override(&mut self, draw_override: DrawOverride) {
        self.queries.draw_override = draw_override;
    }

    /// From here on draws reach one pixel only, or all. CLEARs reach all in any case.
    pub fn set_scissor(&mut self, pixel: Option<[u32; 2]>) {
        self.leave_pass();
        self.queries.scissor_px = pixel;
    }

    /// From here on each draw is asked whether it leaves a mark.
    pub fn start_visibility(&mut self) -> Result<(), GpuError> {
        if !self.gpu.record().features.occlusion_queries {
            return Err(GpuError::NoVisibility);
        }
        self.leave_pass();
        self.queries.visibility = Some(QuerySets::new(QueryKind::Occlusion));
        Ok(())
    }

    /// How many draws have been asked so far. A draw that cannot leave a mark is not asked.
    pub fn draws_asked(&self) -> u32 {
        self.queries.visibility.as_ref().map_or(0, QuerySets::asked)
    }

    /// Submits, and says of each draw asked whether it left a mark.
    pub fn finish_visibility(&mut self) -> Result<Vec<bool>, GpuError> {
        self.recorder.batch.use_queries(None);
        let visibility = self.queries.visibility.take();
        let visibility = visibility.ok_or(Internal::new("no draw was to be tested for output"))?;
        // No draw, no answer.
        // silent: no draw was asked, so there is no answer
        let Some(answers) = visibility.resolve(&self.gpu, self.recorder.batch.after_draws()) else {
            return Ok(Vec::new());
        };
        self.submit()?;
        let samples = read_answers(&self.gpu, &answers, self.last_submission())?;
        Ok(samples.into_iter().map(|samples| samples > 0).collect())
    }

    /// From here on [`Renderer::take_pixel`] takes this pixel, up to `room` times.
    pub fn start_pixels(&mut self, at_px: [u32; 2], room: u32) {
        self.queries.strip = Some(PixelCopies::new(&self.gpu, at_px, room));
    }

    /// Takes the pixel as it is now.
    pub fn take_pixel(&mut self) -> Result<(), GpuError> {
        let strip = self.queries.strip.as_mut().ok_or(Internal::new("no pixel was to be read"))?;
        strip.take(self.recorder.batch.after_draws(), self.presenter.target.texture())?;
        self.recorder.bound = Bound::default();
        Ok(())
    }

    /// Submits, and gives the pixels taken.
    pub fn finish_pixels(&mut self) -> Result<Vec<[u8; 4]>, GpuError> {
        let strip = self.queries.strip.take().ok_or(Internal::new("no pixels were to be read"))?;
        self.submit()?;
        strip.finish(&self.gpu, self.last_submission())
    }

    /// From here on draws are counted, with [`DrawOverride::CountWrites`], on a target of their own.
    pub fn start_overdraw(&mut self) -> Result<(), GpuError> {
        self.leave_pass();
        let mut overdraw = OverdrawCounter::new(&self.gpu, self.presenter.size);
        self.gpu.check("counts of pixels", Location::default())?;
        std::mem::swap(&mut self.presenter.target, &mut overdraw.target);
        self.queries.draw_override = DrawOverride::CountWrites;
        self.queries.overdraw = Some(overdraw);
        self.fill([0; 4]);
        Ok(())
    }

    /// Submits, and gives how often each pixel was written, row by row.
    pub fn finish_overdraw(&mut self) -> Result<Vec<u32>, GpuError> {
        self.add_up_overdraw()?;
        let overdraw = self.end_overdraw().ok_or(NOT_COUNTED)?;
        Ok(overdraw.into_counts())
    }

    /// Back to drawing as the guest says, wherever an error has struck.
    pub fn end_queries(&mut self) {
        self.leave_pass();
        self.recorder.batch.use_queries(None);
        self.end_overdraw();
        self.queries = Queries::default();
    }

    /// Sees to it that so many triangles can be counted, at most as many as a part of a draw has.
    pub(super) fn make_room_to_count(&mut self, triangles: u32) -> Result<(), GpuError> {
        if !self.overdraw()?.has_room_for(triangles) {
            self.add_up_overdraw()?;
        }
        self.overdraw()?.take_in(triangles);
        Ok(())
    }

    fn add_up_overdraw(&mut self) -> Result<(), GpuError> {
        // While counts are taken, the counter's target is the renderer's.
        let overdraw = self.queries.overdraw.as_ref().ok_or(NOT_COUNTED)?;
        overdraw.copy(self.recorder.batch.after_draws(), self.presenter.target.texture());
        self.submit()?;
        let (submission, gpu) = (self.last_submission(), self.gpu.clone());
        self.overdraw()?.add_up(&gpu, submission)?;
        self.fill([0; 4]);
        Ok(())
    }

    fn overdraw(&mut self) -> Result<&mut OverdrawCounter, Internal> {
        self.queries.overdraw.as_mut().ok_or(NOT_COUNTED)
    }

    fn end_overdraw(&mut self) -> Option<OverdrawCounter> {
        let mut overdraw = self.queries.overdraw.take()?;
        self.swap_target(&mut overdraw.target);
        self.queries.draw_override = DrawOverride::Guest;
        Some(overdraw)
    }

    fn leave_pass(&mut self) {
        self.recorder.batch.end_pass();
        self.recorder.bound = Bound::default();
    }
}
