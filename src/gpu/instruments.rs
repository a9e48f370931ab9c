//! What turns drawing into asking: another canvas, another brush, one pixel only, and what comes back.
//!
//! ```text
//!  swap_canvas ──► set_brush, set_scissor, start_… ──► run ops ──► finish_… ──► put_away_instruments ──► swap_canvas
//! ```
//!
//! The guest's target is never touched: whoever asks swaps a canvas of their own in, and out again.

use super::brush::Brush;
use super::canvas::Canvas;
use super::drawing::Bound;
use super::error::GpuError;
use super::pixel_strip::PixelStrip;
use super::renderer::Renderer;
use super::tally::Tally;
use super::visibility::{Visibility, read_answers};
use crate::command::Location;
use crate::error::Internal;

const NOT_COUNTED: Internal = Internal::new("writes are to be counted and nothing counts them");

/// The instruments in use.
#[derive(Default)]
pub(super) struct Instruments {
    pub brush: Brush,
    /// The one pixel that draws can reach.
    pub scissor_px: Option<[u32; 2]>,
    pub visibility: Option<Visibility>,
    pub tally: Option<Tally>,
    pub strip: Option<PixelStrip>,
}

impl Renderer {
    /// A canvas of the target's size, transparent black.
    pub fn make_canvas(&self) -> Result<Canvas, GpuError> {
        let canvas = Canvas::picture(&self.gpu, self.size);
        self.gpu.check("a second target", Location::default())?;
        Ok(canvas)
    }

    /// From here on `canvas` is what is drawn on, cleared and read back; `canvas` becomes what was.
    pub fn swap_canvas(&mut self, canvas: &mut Canvas) {
        self.leave_pass();
        std::mem::swap(&mut self.target, canvas);
    }

    /// Fills the target with four bytes a pixel.
    pub fn fill(&mut self, rgba: [u8; 4]) {
        self.batch.clear(&self.target.view, super::brush::color_of(rgba));
        self.bound = Bound::default();
    }

    /// Makes the target hold what `canvas` holds.
    pub fn paste(&mut self, canvas: &Canvas) {
        let (from, to) = (canvas.texture.as_image_copy(), self.target.texture.as_image_copy());
        self.batch.after_draws().copy_texture_to_texture(from, to, self.target.texture.size());
        self.bound = Bound::default();
    }

    /// From here on draws are drawn with `brush`.
    pub fn set_brush(&mut self, brush: Brush) {
        self.instruments.brush = brush;
    }

    /// From here on draws reach one pixel only, or all. CLEARs reach all in any case.
    pub fn set_scissor(&mut self, pixel: Option<[u32; 2]>) {
        self.leave_pass();
        self.instruments.scissor_px = pixel;
    }

    /// From here on each draw is asked whether it leaves a mark.
    pub fn start_visibility(&mut self) {
        self.leave_pass();
        self.instruments.visibility = Some(Visibility::default());
    }

    /// How many draws have been asked so far. A draw that cannot leave a mark is not asked.
    pub fn draws_asked(&self) -> u32 {
        self.instruments.visibility.as_ref().map_or(0, Visibility::asked)
    }

    /// Submits, and says of each draw asked whether it left a mark.
    pub fn finish_visibility(&mut self) -> Result<Vec<bool>, GpuError> {
        self.batch.use_queries(None);
        let visibility = self.instruments.visibility.take();
        let visibility = visibility.ok_or(Internal::new("no draw was to be asked whether it leaves a mark"))?;
        // No draw, no answer.
        let Some(answers) = visibility.resolve(&self.gpu, self.batch.after_draws()) else {
            return Ok(Vec::new());
        };
        self.submit()?;
        read_answers(&self.gpu, &answers, self.last_submission())
    }

    /// From here on [`Renderer::take_pixel`] takes this pixel, up to `room` times.
    pub fn start_pixels(&mut self, at_px: [u32; 2], room: u32) {
        self.instruments.strip = Some(PixelStrip::new(&self.gpu, at_px, room));
    }

    /// Takes the pixel as it is now.
    pub fn take_pixel(&mut self) -> Result<(), GpuError> {
        let strip = self.instruments.strip.as_mut().ok_or(Internal::new("no pixel was to be taken"))?;
        strip.take(self.batch.after_draws(), &self.target.texture)?;
        self.bound = Bound::default();
        Ok(())
    }

    /// Submits, and gives the pixels taken.
    pub fn finish_pixels(&mut self) -> Result<Vec<[u8; 4]>, GpuError> {
        let strip = self.instruments.strip.take().ok_or(Internal::new("no pixels were to be taken"))?;
        self.submit()?;
        strip.finish(&self.gpu, self.last_submission())
    }

    /// From here on draws are counted, with [`Brush::Tally`], on a canvas of its own.
    pub fn start_tally(&mut self) -> Result<(), GpuError> {
        self.leave_pass();
        let mut tally = Tally::new(&self.gpu, self.size);
        self.gpu.check("counts of pixels", Location::default())?;
        std::mem::swap(&mut self.target, &mut tally.canvas);
        self.instruments.brush = Brush::Tally;
        self.instruments.tally = Some(tally);
        self.fill([0; 4]);
        Ok(())
    }

    /// Submits, and gives how often each pixel was written, row by row.
    pub fn finish_tally(&mut self) -> Result<Vec<u32>, GpuError> {
        self.add_up_tally()?;
        let tally = self.put_tally_away().ok_or(NOT_COUNTED)?;
        Ok(tally.into_counts())
    }

    /// Back to drawing as the guest says, wherever an error has struck.
    pub fn put_away_instruments(&mut self) {
        self.leave_pass();
        self.batch.use_queries(None);
        self.put_tally_away();
        self.instruments = Instruments::default();
    }

    /// Sees to it that so many triangles can be counted, at most as many as a part of a draw has.
    pub(super) fn make_room_to_tally(&mut self, triangles: u32) -> Result<(), GpuError> {
        if !self.tally()?.has_room_for(triangles) {
            self.add_up_tally()?;
        }
        self.tally()?.take_in(triangles);
        Ok(())
    }

    fn add_up_tally(&mut self) -> Result<(), GpuError> {
        // While counts are taken, the tally's canvas is the target.
        let tally = self.instruments.tally.as_ref().ok_or(NOT_COUNTED)?;
        tally.copy(self.batch.after_draws(), &self.target.texture);
        self.submit()?;
        let (submission, gpu) = (self.last_submission(), self.gpu.clone());
        self.tally()?.add_up(&gpu, submission)?;
        self.fill([0; 4]);
        Ok(())
    }

    fn tally(&mut self) -> Result<&mut Tally, Internal> {
        self.instruments.tally.as_mut().ok_or(NOT_COUNTED)
    }

    fn put_tally_away(&mut self) -> Option<Tally> {
        let mut tally = self.instruments.tally.take()?;
        self.swap_canvas(&mut tally.canvas);
        self.instruments.brush = Brush::Guest;
        Some(tally)
    }

    fn leave_pass(&mut self) {
        self.batch.end_pass();
        self.bound = Bound::default();
    }
}
