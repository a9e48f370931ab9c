//! Pixels of a line, as Direct3D draws it without antialiasing: those whose diamond the line leaves.

/// Parts of a pixel that Direct3D rounds vertices to.
const STEPS: f64 = 256.0;

/// Half the width of a pixel's diamond.
const HALF: f64 = 0.5;

/// A line from one vertex to another, in pixels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    start: [f64; 2],
    end: [f64; 2],
}

impl Line {
    pub(super) fn new(start: [f64; 2], end: [f64; 2]) -> Self {
        let rounded = |[x, y]: [f64; 2]| [(x * STEPS).round() / STEPS, (y * STEPS).round() / STEPS];
        Self { start: rounded(start), end: rounded(end) }
    }

    /// Whether the line passes through the diamond of a pixel and does not end in it. No line of a row touches a corner.
    pub(super) fn covers(&self, x: u32, y: u32) -> bool {
        let center = [f64::from(x) + HALF, f64::from(y) + HALF];
        self.least_distance(center) < HALF && distance(self.end, center) >= HALF
    }

    /// Least distance of the line's points from the center of a pixel. It is convex along the line, and bends where the line is
    /// straight above or beside the center.
    fn least_distance(&self, [x, y]: [f64; 2]) -> f64 {
        let Self { start: [start_x, start_y], end: [end_x, end_y] } = *self;
        let bend = |start: f64, end: f64, center: f64| {
            if start == end { 0.0 } else { ((center - start) / (end - start)).clamp(0.0, 1.0) }
        };
        let parts = [0.0, bend(start_x, end_x, x), bend(start_y, end_y, y), 1.0];
        let distances = parts.map(|part| distance(self.at(part), [x, y]));
        distances.into_iter().fold(f64::INFINITY, f64::min)
    }

    fn at(&self, part: f64) -> [f64; 2] {
        let Self { start: [start_x, start_y], end: [end_x, end_y] } = *self;
        [start_x + (end_x - start_x) * part, start_y + (end_y - start_y) * part]
    }
}

/// Distance in steps along the axes, in which a diamond is round.
fn distance([from_x, from_y]: [f64; 2], [to_x, to_y]: [f64; 2]) -> f64 {
    (from_x - to_x).abs() + (from_y - to_y).abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn covered(start: [f64; 2], end: [f64; 2]) -> Vec<[u32; 2]> {
        let line = Line::new(start, end);
        let pixels = (0..8).flat_map(|y| (0..8).map(move |x| [x, y]));
        pixels.filter(|[x, y]| line.covers(*x, *y)).collect()
    }

    #[test]
    fn the_pixel_of_the_end_is_left_out() {
        assert_eq!(covered([1.5, 2.5], [4.5, 2.5]), [[1, 2], [2, 2], [3, 2]]);
        assert_eq!(covered([4.5, 2.5], [1.5, 2.5]), [[2, 2], [3, 2], [4, 2]]);
        assert_eq!(covered([2.5, 1.5], [2.5, 3.5]), [[2, 1], [2, 2]]);
    }

    #[test]
    fn a_line_that_starts_beyond_a_diamond_does_not_light_its_pixel() {
        assert_eq!(covered([1.95, 2.9], [4.95, 2.9]), [[2, 2], [3, 2], [4, 2]]);
        assert!(covered([2.4, 2.5], [2.6, 2.5]).is_empty(), "it does not leave the diamond");
    }

    #[test]
    fn one_pixel_is_lit_in_each_column_of_a_flat_slope() {
        let columns: Vec<u32> = covered([0.5, 0.5], [6.5, 3.25]).into_iter().map(|[x, _]| x).collect();
        assert_eq!(columns, [0, 1, 2, 3, 4, 5]);
    }
}
