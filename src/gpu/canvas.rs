//! The target of commands of no submission, beside the pictures that submissions present.
//!
//! ```text
//!   CLEAR, DRAW, PRESENT of Appendix A ──► the canvas is the picture, with all that was drawn on it before
//!   a present of a submission          ──► what is presented is the picture; the canvas is set aside
//! ```
//!
//! So neither ABI draws on what the other shows, and whichever has shown something last is seen.

use super::drawing::Bound;
use super::render_target::RenderTarget;
use super::renderer::Renderer;
use crate::pixels::Size;

/// The place of the canvas.
#[derive(Default)]
pub(super) struct Canvas {
    /// Whether something that was presented is the picture in its place.
    is_aside: bool,
    /// Whether anything was drawn on it; else it is transparent black.
    is_drawn_on: bool,
    /// The canvas while it is set aside, if anything was drawn on it.
    kept: Option<RenderTarget>,
}

impl Canvas {
    /// Bytes that it takes beside the picture.
    pub(super) fn kept_bytes(&self, size: Size) -> u64 {
        if self.kept.is_some() { size.rgba_bytes() } else { 0 }
    }
}

impl Renderer {
    /// Width and height of the canvas, whatever the picture has.
    pub fn canvas_size(&self) -> Size {
        self.presenter.back_buffer
    }

    /// Has the canvas be the picture, for something to be drawn on it or for it to be seen.
    pub fn show_canvas(&mut self) {
        if !std::mem::take(&mut self.presenter.canvas.is_aside) {
            return;
        }
        let size = self.canvas_size();
        match self.presenter.canvas.kept.take() {
            Some(kept) => {
                self.leave_picture();
                (self.presenter.target, self.presenter.size) = (kept, size);
            }
            None => {
                self.replace_target(size);
                self.fill([0; 4]);
            }
        }
    }

    /// Has whatever comes next be drawn on the canvas.
    pub(super) fn draw_on_canvas(&mut self) {
        self.show_canvas();
        self.presenter.canvas.is_drawn_on = true;
    }

    /// Has a picture of its own for what is presented.
    pub(super) fn leave_canvas(&mut self) {
        if std::mem::replace(&mut self.presenter.canvas.is_aside, true) || !self.presenter.canvas.is_drawn_on {
            return;
        }
        let picture = RenderTarget::for_pictures(&self.gpu, self.presenter.size);
        self.leave_device_pass();
        self.recorder.batch.end_pass();
        self.presenter.canvas.kept = Some(std::mem::replace(&mut self.presenter.target, picture));
    }

    /// The picture is the canvas, and nothing was drawn on it.
    pub(super) fn begin_canvas(&mut self) {
        self.presenter.canvas = Canvas::default();
    }

    /// Lets go of what was presented.
    fn leave_picture(&mut self) {
        self.leave_device_pass();
        self.recorder.batch.end_pass();
        self.recorder.bound = Bound::default();
        if self.presenter.target.is_made() {
            self.hold(self.presenter.size.rgba_bytes());
        }
        // Those that wait for pictures of another size are on their way with them.
        self.presenter.readbacks.clear();
    }
}
