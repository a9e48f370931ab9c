//! Where the parts of the panel lie on the screen.

use egui::{Rect, pos2};

use super::axis_map::{OnScreen, View};
use super::layout::{ROW_PX, RULER_PX};

const NAMES_PX: f32 = 190.0;
pub(super) const SCROLL_BAR_PX: f32 = 9.0;

/// Where the parts of the panel lie.
pub(super) struct Geometry {
    pub ruler: Rect,
    pub thumbnails: Rect,
    pub frames: Rect,
    /// Tracks with their names.
    pub body: Rect,
    /// Tracks without.
    pub tracks: Rect,
    pub bar: Rect,
}

impl Geometry {
    pub(crate) fn of(area: Rect, thumbnails_height_px: f32, frame_rows: usize) -> Self {
        let left = area.left() + NAMES_PX.min(area.width() * 0.4);
        let right = (area.right() - SCROLL_BAR_PX).max(left + 1.0);
        let band = |top: f32, height: f32| Rect::from_min_max(pos2(left, top), pos2(right, top + height));
        let ruler = band(area.top(), RULER_PX);
        let thumbnails = band(ruler.bottom(), thumbnails_height_px);
        let frames = band(thumbnails.bottom(), if frame_rows > 0 { ROW_PX + 2.0 } else { 0.0 });
        let bottom = area.bottom().max(frames.bottom());
        let body = Rect::from_min_max(pos2(area.left(), frames.bottom()), pos2(right, bottom));
        let tracks = Rect::from_min_max(pos2(left, frames.bottom()), pos2(right, bottom));
        let bar = Rect::from_min_max(pos2(right, frames.bottom()), pos2(area.right(), bottom));
        Self { ruler, thumbnails, frames, body, tracks, bar }
    }

    pub(crate) fn on_screen(&self, view: View) -> OnScreen {
        OnScreen { view, left: self.tracks.left(), width: self.tracks.width() }
    }
}
