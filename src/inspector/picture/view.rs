//! Where the picture lies in its area.

use egui::{Pos2, Rect, Vec2, pos2, vec2};

/// Largest enlargement: one pixel of the picture on so many of the screen.
const MAX_SCALE: f32 = 256.0;
const MIN_SCALE: f32 = 1.0 / 64.0;

/// Enlargement and centre. Scales are pixels of the screen for one of the picture.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct PictureView {
    /// `None`: as large as fits.
    scale: Option<f32>,
    /// From the middle of the area to the middle of the picture, in pixels of the screen.
    offset_px: Vec2,
    /// The scale that it was shown with last.
    last_scale: f32,
}

impl PictureView {
    /// Sets the enlargement and centres the picture.
    pub(crate) fn set_scale(&mut self, scale: f32) {
        self.scale = Some(scale);
        self.offset_px = Vec2::ZERO;
    }

    /// Enlarges around the middle of the area.
    pub(crate) fn zoom(&mut self, factor: f32) {
        let old = self.scale.unwrap_or(self.last_scale.max(MIN_SCALE));
        let new = (old * factor).clamp(MIN_SCALE, MAX_SCALE);
        self.offset_px *= new / old;
        self.scale = Some(new);
    }

    /// Enlarges so that what is under the pointer stays there.
    pub(crate) fn zoom_at(&mut self, factor: f32, pointer: Pos2, room: Rect, sides: [u32; 2], pixels_per_point: f32) {
        let old = self.scale.unwrap_or_else(|| fitting_scale(room, sides, pixels_per_point));
        let new = (old * factor).clamp(MIN_SCALE, MAX_SCALE);
        let from_middle = (pointer - room.center()) * pixels_per_point;
        self.offset_px = from_middle + (self.offset_px - from_middle) * (new / old);
        self.scale = Some(new);
    }

    /// Moves the picture by so many points.
    pub(crate) fn pan(&mut self, by: Vec2, room: Rect, sides: [u32; 2], pixels_per_point: f32) {
        self.scale.get_or_insert_with(|| fitting_scale(room, sides, pixels_per_point));
        self.offset_px += by * pixels_per_point;
    }

    /// The picture's rectangle, on whole pixels of the screen.
    pub(crate) fn place(&mut self, room: Rect, sides: [u32; 2], pixels_per_point: f32) -> Rect {
        let scale = self.scale.unwrap_or_else(|| fitting_scale(room, sides, pixels_per_point));
        self.last_scale = scale;
        let size_px = vec2(sides[0] as f32 * scale, sides[1] as f32 * scale).round().max(Vec2::splat(1.0));
        let room_px = room.size() * pixels_per_point;
        let min_px = (room.min.to_vec2() * pixels_per_point).round();
        let left_top = ((room_px - size_px) / 2.0 + self.offset_px).floor() + min_px;
        let to_points = |px: Vec2| px / pixels_per_point;
        let min = to_points(left_top);
        Rect::from_min_size(pos2(min.x, min.y), to_points(size_px))
    }
}

fn fitting_scale(room: Rect, sides: [u32; 2], pixels_per_point: f32) -> f32 {
    let room_px = room.size() * pixels_per_point;
    let side = |room: f32, side: u32| room / side.max(1) as f32;
    side(room_px.x, sides[0]).min(side(room_px.y, sides[1])).max(f32::MIN_POSITIVE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn room() -> Rect {
        Rect::from_min_size(pos2(10.0, 20.0), vec2(200.0, 100.0))
    }

    #[test]
    fn the_picture_keeps_its_aspect_and_lies_in_the_middle() {
        let rect = |x, y, width, height| Rect::from_min_size(pos2(x, y), vec2(width, height));
        let mut view = PictureView::default();
        assert_eq!(view.place(room(), [64, 32], 1.0), rect(10.0, 20.0, 200.0, 100.0));
        assert_eq!(view.place(room(), [32, 32], 1.0), rect(60.0, 20.0, 100.0, 100.0));
        assert_eq!(view.place(room(), [64, 32], 2.0), rect(10.0, 20.0, 200.0, 100.0));
        view.set_scale(1.0);
        assert_eq!(view.place(room(), [64, 32], 1.0), rect(78.0, 54.0, 64.0, 32.0));
    }

    #[test]
    fn what_is_under_the_pointer_stays_there() {
        let mut view = PictureView::default();
        let pointer = pos2(57.0, 91.0);
        let under = |view: &mut PictureView| {
            let shown = view.place(room(), [64, 32], 1.0);
            (pointer - shown.min) / shown.size()
        };
        let before = under(&mut view);
        for factor in [2.0, 3.0, 0.7, 1.9] {
            view.zoom_at(factor, pointer, room(), [64, 32], 1.0);
            assert!((under(&mut view) - before).length() < 0.02);
        }
    }
}
