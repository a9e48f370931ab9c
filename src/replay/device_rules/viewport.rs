//! Viewports: WebGPU has none larger than its largest texture, and none far outside of it.

use super::device::Device;

/// Left and top, width and height of a viewport.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ViewportRectangle {
    /// Left and top.
    pub origin_px: [f32; 2],
    /// Width and height.
    pub size_px: [f32; 2],
}

/// Way from a viewport's clip space to that of the whole target: what x and y are scaled by, and what of w is added.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ViewportMove {
    /// Factors of x and y.
    pub scale: [f32; 2],
    /// Factors of w.
    pub offset: [f32; 2],
}

impl ViewportMove {
    /// No way at all.
    pub const NONE: Self = Self { scale: [1.0; 2], offset: [0.0; 2] };
}

impl Default for ViewportMove {
    fn default() -> Self {
        Self::NONE
    }
}

/// Sides above this are taken for it: pixels are not told apart there.
const LONGEST_SIDE_PX: f32 = 1_048_576.0;

impl ViewportRectangle {
    /// Whether a device can set it.
    pub fn fits(&self, device: &Device) -> bool {
        let most = device.max_texture_side_px as f32;
        let is_whole = |side: f32| device.features.fractional_viewports || side.fract() == 0.0;
        self.origin_px.iter().zip(self.size_px).all(|(origin, size)| {
            let is_near = size <= most && *origin >= -2.0 * most && origin + size <= 2.0 * most - 1.0;
            is_near && is_whole(*origin) && is_whole(size)
        })
    }

    /// Way from it to the viewport that covers a target, and the pixels of the target whose centres lie in it: left, top,
    /// width, height; nothing if there are none.
    ///
    /// A point at x of clip space lies at `origin + (x + 1) / 2 × size` in pixels, and at `(x' + 1) / 2 × target` where the
    /// viewport is the target. Rows count downwards, and y goes up.
    pub fn moved_to(&self, target_px: [u32; 2]) -> Option<(ViewportMove, [u32; 4])> {
        let side = |axis: usize| {
            let (origin, size) = (self.origin_px.get(axis)?, self.size_px.get(axis)?);
            let target = *target_px.get(axis)? as f32;
            let (origin, size) = (origin.clamp(-LONGEST_SIDE_PX, LONGEST_SIDE_PX), size.min(LONGEST_SIDE_PX));
            let (scale, offset) = (size / target, (2.0 * origin + size - target) / target);
            let start = (origin - 0.5).ceil().clamp(0.0, target);
            let end = (origin + size - 0.5).ceil().clamp(start, target);
            (end > start).then_some((scale, offset, start as u32, (end - start) as u32))
        };
        let ((scale_x, offset_x, left, width), (scale_y, offset_y, top, height)) = (side(0)?, side(1)?);
        let moved = ViewportMove { scale: [scale_x, scale_y], offset: [offset_x, -offset_y] };
        Some((moved, [left, top, width, height]))
    }
}

/// Pixels that lie in two rectangles, of left, top, width and height; nothing if there are none.
pub fn intersection([x, y, w, h]: [u32; 4], [left, top, width, height]: [u32; 4]) -> Option<[u32; 4]> {
    let side = |(start, length): (u32, u32), (other, other_length): (u32, u32)| {
        let first = start.max(other);
        let end = (start.saturating_add(length)).min(other.saturating_add(other_length));
        (end > first).then(|| (first, end - first))
    };
    let ((x, w), (y, h)) = (side((x, w), (left, width))?, side((y, h), (top, height))?);
    Some([x, y, w, h])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pixel_of(rectangle: &ViewportRectangle, [x, y]: [f32; 2]) -> [f32; 2] {
        let [(left, width), (top, height)] =
            [0, 1].map(|axis: usize| (rectangle.origin_px[axis], rectangle.size_px[axis]));
        [left + (x + 1.0) / 2.0 * width, top + (1.0 - y) / 2.0 * height]
    }

    #[test]
    fn a_point_stays_where_it_is() {
        let cases = [
            ([0.0, 0.0], [40_000.0, 40_000.0], [16, 16]),
            ([-70_000.0, 3.5], [80_000.0, 9.25], [64, 48]),
            ([10.0, -20_000.0], [5.0, 40_000.0], [32, 8]),
        ];
        for (origin_px, size_px, target_px) in cases {
            let guest = ViewportRectangle { origin_px, size_px };
            let whole = ViewportRectangle { origin_px: [0.0; 2], size_px: target_px.map(|side: u32| side as f32) };
            let (ViewportMove { scale, offset }, _) = guest.moved_to(target_px).unwrap();
            for point in [[0.0, 0.0], [-1.0, 1.0], [0.99, -0.25]] {
                let w = 2.0;
                let clip = [0, 1].map(|axis: usize| point[axis] * w);
                let moved = [0, 1].map(|axis: usize| (clip[axis] * scale[axis] + w * offset[axis]) / w);
                let (found, expected) = (pixel_of(&whole, moved), pixel_of(&guest, point));
                for axis in 0..2 {
                    let off = (found[axis] - expected[axis]).abs();
                    assert!(off <= size_px[axis] * 1e-5, "{guest:?}, {point:?}: {found:?} instead of {expected:?}");
                }
            }
        }
    }

    #[test]
    fn pixels_outside_of_a_viewport_are_left_out() {
        let scissor = |origin_px, size_px| ViewportRectangle { origin_px, size_px }.moved_to([16, 8]).map(|(_, at)| at);
        assert_eq!(scissor([0.0, 0.0], [40_000.0; 2]), Some([0, 0, 16, 8]));
        assert_eq!(scissor([4.0, 2.0], [40_000.0, 3.0]), Some([4, 2, 12, 3]));
        // A centre on the left edge is inside, one on the right edge is not.
        assert_eq!(scissor([4.5, 0.0], [2.0, 40_000.0]), Some([4, 0, 2, 8]));
        assert_eq!(scissor([-50_000.0, 0.0], [50_000.0, 8.0]), None);
        assert_eq!(scissor([0.0, 0.0], [f32::INFINITY, 8.0]), Some([0, 0, 16, 8]));
    }

    #[test]
    fn rectangles_intersect() {
        assert_eq!(intersection([0, 0, 8, 8], [4, 2, 8, 3]), Some([4, 2, 4, 3]));
        assert_eq!(intersection([0, 0, 4, 4], [4, 0, 4, 4]), None);
        assert_eq!(intersection([1, 1, u32::MAX, u32::MAX], [2, 3, 4, 5]), Some([2, 3, 4, 5]));
    }
}
