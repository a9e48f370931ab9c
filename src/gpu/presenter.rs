//! The picture: what is shown and read back, and where it comes from.

use super::canvas::Canvas;
use super::readback::Readback;
use super::render_target::RenderTarget;
use crate::pixels::Size;

/// The target that pictures are read from.
pub(super) struct Presenter {
    /// Width and height of the target.
    pub size: Size,
    pub target: RenderTarget,
    pub canvas: Canvas,
    /// Not in use at the moment.
    pub readbacks: Vec<Readback>,
    /// The size of contexts' own back buffers.
    pub back_buffer: Size,
    /// The screen whose presents are shown.
    pub scanout: u32,
}

impl Presenter {
    pub(super) fn new(target: RenderTarget, size: Size) -> Self {
        let (canvas, readbacks) = (Canvas::default(), Vec::new());
        Self { size, target, canvas, readbacks, back_buffer: size, scanout: 0 }
    }

    /// Bytes that it keeps between two pictures.
    pub(super) fn kept_bytes(&self) -> u64 {
        let readbacks: u64 = self.readbacks.iter().map(Readback::size_bytes).sum();
        let target = if self.target.is_made() { self.size.rgba_bytes() } else { 0 };
        target + self.canvas.kept_bytes(self.back_buffer) + readbacks
    }
}
