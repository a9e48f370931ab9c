//! How far two pictures are apart.

use std::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::clusters::Clusters;
use super::excess::Excess;
use super::picture::{Picture, Size};
use super::tolerance::Tolerance;
use crate::error::{Classified, ErrorKind};
use crate::text::counted;

/// Pictures of different sizes have no difference, they are simply not comparable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the sizes differ: {a} and {b}")]
pub struct DifferenceError {
    /// Size of the first picture.
    pub a: Size,
    /// Size of the second.
    pub b: Size,
}

impl Classified for DifferenceError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Different
    }

    fn offset(&self) -> Option<u64> {
        None
    }
}

/// The differences between two pictures of the same size, over all four channels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Pixels compared.
    pub pixels: u64,
    /// Pixels in which any channel differs.
    pub differing: u64,
    /// The pixel that is furthest off, the first of them in reading order.
    pub worst: Option<WorstPixel>,
    /// The rectangle that holds every differing pixel.
    pub bounds: Option<Bounds>,
    /// The largest difference of each channel: red, green, blue, alpha.
    pub largest_steps: [u8; 4],
    /// Pixels whose coverage has changed, not just their colour: fully transparent in one picture only, or passed by
    /// an edge, so that one picture shows there what the other shows right beside it.
    pub coverage_moved: u64,
    /// The step that a pixel must exceed to be part of [`Difference::largest_cluster`].
    pub cluster_step: u8,
    /// Pixels in the largest group of touching pixels that are more than [`Difference::cluster_step`] apart.
    pub largest_cluster: u64,
    /// How many pixels are how far apart.
    pub histogram: Histogram,
}

/// Kinds of differences between two pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Finding {
    /// No pixel differs.
    Equal,
    /// No channel of any pixel is more than one step of 255 apart, and no edge has moved: a value that lies half-way between two
    /// steps was rounded to either, which another CPU or API may do, in whole areas too.
    OneStep,
    /// Some channel is further apart, or an edge has moved.
    Different,
}

impl Finding {
    /// Its name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Equal => "equal",
            Self::OneStep => "one-step",
            Self::Different => "different",
        }
    }
}

/// One differing pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorstPixel {
    /// Its column.
    pub x: u32,
    /// Its row, from the top.
    pub y: u32,
    /// Its value in the first picture.
    pub a: [u8; 4],
    /// Its value in the second picture.
    pub b: [u8; 4],
}

impl WorstPixel {
    /// The largest difference of a channel, in steps of 1/255.
    pub fn largest_step(&self) -> u8 {
        steps(&self.a, &self.b).into_iter().fold(0, u8::max)
    }
}

/// A rectangle of pixels: columns `x..x + width_px` of rows `y..y + height_px`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Its first column.
    pub x: u32,
    /// Its first row.
    pub y: u32,
    /// Its width.
    pub width_px: u32,
    /// Its height.
    pub height_px: u32,
}

impl fmt::Display for Bounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{} at {},{}", self.width_px, self.height_px, self.x, self.y)
    }
}

/// The number of pixels whose largest channel is 0 to 255 steps apart.
#[derive(Clone, PartialEq, Eq)]
pub struct Histogram([u64; 256]);

impl Histogram {
    /// Pixels that are more than `step` apart.
    pub fn beyond(&self, step: u8) -> u64 {
        self.0.iter().skip(usize::from(step) + 1).sum()
    }

    /// The counts of 0 to 255 steps.
    pub fn counts(&self) -> &[u64; 256] {
        &self.0
    }
}

impl fmt::Debug for Histogram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.0.iter().enumerate().filter(|(_, count)| **count > 0)).finish()
    }
}

impl Difference {
    fn new(size: Size, cluster_step: u8) -> Self {
        Self {
            pixels: size.pixels(),
            differing: 0,
            worst: None,
            bounds: None,
            largest_steps: [0; 4],
            coverage_moved: 0,
            cluster_step,
            largest_cluster: 0,
            histogram: Histogram([0; 256]),
        }
    }

    /// The largest difference of any channel of any pixel.
    pub fn largest_step(&self) -> u8 {
        self.largest_steps.into_iter().fold(0, u8::max)
    }

    /// The kind of the differences.
    pub fn finding(&self) -> Finding {
        match (self.differing, self.largest_step(), self.coverage_moved) {
            (0, ..) => Finding::Equal,
            (_, 1, 0) => Finding::OneStep,
            _ => Finding::Different,
        }
    }

    /// Whether the pictures count as the same. Two empty pictures do not: nothing was compared.
    pub fn is_within(&self, tolerance: Tolerance) -> bool {
        self.pixels > 0 && self.excess(tolerance).is_none()
    }

    /// The first limit of a tolerance that the pictures exceed.
    pub fn excess(&self, tolerance: Tolerance) -> Option<Excess> {
        let beyond = self.histogram.beyond(tolerance.largest_step);
        // The clusters found may have been of smaller steps, and are then too large rather than too small.
        let cluster = if beyond == 0 { 0 } else { self.largest_cluster };
        let (step, share) = (tolerance.largest_step, self.differing as f64 / self.pixels.max(1) as f64);
        if beyond > tolerance.outliers {
            Some(Excess::Outliers { found: beyond, step, allowed: tolerance.outliers })
        } else if cluster > tolerance.cluster {
            Some(Excess::Cluster { found: cluster, step, allowed: tolerance.cluster })
        } else if share > tolerance.share_of_pixels {
            Some(Excess::Share { found: share, allowed: tolerance.share_of_pixels })
        } else if self.coverage_moved > tolerance.outliers {
            Some(Excess::Coverage { found: self.coverage_moved, allowed: tolerance.outliers })
        } else {
            None
        }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Some(worst), Some(bounds)) = (self.worst, self.bounds) else { return f.write_str("no pixel differs") };
        let share = 100.0 * self.differing as f64 / self.pixels as f64;
        write!(f, "{} of {} pixels differ ({share:.3} %), within {bounds}", self.differing, self.pixels)?;
        match self.finding() {
            Finding::OneStep => write!(f, "; rounding: no pixel differs by more than one step (1 of 255)")?,
            _ => write!(f, "; worst {} at {},{}", counted(worst.largest_step(), "step"), worst.x, worst.y)?,
        }
        let [red, green, blue, alpha] = self.largest_steps;
        write!(f, "; channels r{red} g{green} b{blue} a{alpha}")?;
        if self.cluster_step > 0 {
            let beyond = counted(self.histogram.beyond(self.cluster_step), "pixel");
            write!(f, "; {beyond} by more than {}", counted(self.cluster_step, "step"))?;
        }
        write!(f, "; largest connected area {}", counted(self.largest_cluster, "pixel"))?;
        match self.coverage_moved {
            0 => Ok(()),
            moved => write!(f, "; an edge moved in {}", counted(moved, "pixel")),
        }
    }
}

/// Compares two pictures pixel by pixel; clusters are those of all differing pixels.
pub fn compare(a: &Picture, b: &Picture) -> Result<Difference, DifferenceError> {
    compare_beyond(a, b, 0)
}

/// Compares two pictures pixel by pixel; clusters are those of pixels that are more than `step` apart.
pub fn compare_beyond(a: &Picture, b: &Picture, step: u8) -> Result<Difference, DifferenceError> {
    if a.size() != b.size() {
        return Err(DifferenceError { a: a.size(), b: b.size() });
    }
    let mut counter = DifferenceCounter::new(a, b, step);
    let row_bytes = a.size().width_px as usize * 4;
    if row_bytes > 0 {
        let rows = a.rgba().chunks_exact(row_bytes).zip(b.rgba().chunks_exact(row_bytes));
        for (y, (a, b)) in (0..).zip(rows) {
            // Most rows of most pictures are equal, and equality of slices is as fast as memory.
            if a != b {
                counter.row(y, a, b);
            }
            counter.clusters.end_row();
        }
    }
    Ok(counter.finish())
}

struct DifferenceCounter<'a> {
    pictures: [&'a Picture; 2],
    difference: Difference,
    clusters: Clusters,
    worst_step: u8,
    /// Pixels that may still be looked at for edges that moved. Where a quarter of the pixels are far apart it is
    /// simply another picture, and looking at all of them would take most of the time.
    edges_left: u64,
    columns: Option<[u32; 2]>,
    rows: Option<[u32; 2]>,
}

impl<'a> DifferenceCounter<'a> {
    fn new(a: &'a Picture, b: &'a Picture, step: u8) -> Self {
        let difference = Difference::new(a.size(), step);
        Self {
            pictures: [a, b],
            difference,
            clusters: Clusters::default(),
            worst_step: 0,
            edges_left: a.size().pixels() / 4 + 1,
            columns: None,
            rows: None,
        }
    }

    fn row(&mut self, y: u32, a: &[u8], b: &[u8]) {
        let [top, _] = self.rows.unwrap_or([y, y]);
        self.rows = Some([top, y]);
        let pairs = a.as_chunks::<4>().0.iter().zip(b.as_chunks::<4>().0);
        for (x, (a, b)) in (0..).zip(pairs) {
            if u32::from_ne_bytes(*a) != u32::from_ne_bytes(*b) {
                self.pixel(x, y, a, b);
            }
        }
    }

    fn pixel(&mut self, x: u32, y: u32, a: &[u8; 4], b: &[u8; 4]) {
        let difference = &mut self.difference;
        difference.differing += 1;
        let [left, right] = self.columns.unwrap_or([x, x]);
        self.columns = Some([left.min(x), right.max(x)]);
        let steps = steps(a, b);
        for (largest, step) in difference.largest_steps.iter_mut().zip(steps) {
            *largest = step.max(*largest);
        }
        let step = steps.into_iter().fold(0, u8::max);
        let ([.., alpha_a], [.., alpha_b]) = (a, b);
        let mut is_moved = (*alpha_a == 0) != (*alpha_b == 0);
        if !is_moved && step >= EDGE_STEP && self.edges_left > 0 {
            self.edges_left -= 1;
            is_moved = is_passed_by_edge(self.pictures, [x, y], [a, b], step / 4);
        }
        difference.coverage_moved += u64::from(is_moved);
        if let Some(count) = difference.histogram.0.get_mut(usize::from(step)) {
            *count += 1;
        }
        if step > difference.cluster_step {
            self.clusters.mark(x);
        }
        if step > self.worst_step {
            self.worst_step = step;
            difference.worst = Some(WorstPixel { x, y, a: *a, b: *b });
        }
    }

    fn finish(mut self) -> Difference {
        if let (Some([left, right]), Some([top, bottom])) = (self.columns, self.rows) {
            let (width_px, height_px) = (right - left + 1, bottom - top + 1);
            self.difference.bounds = Some(Bounds { x: left, y: top, width_px, height_px });
        }
        let same = self.difference.pixels - self.difference.differing;
        if let Some(count) = self.difference.histogram.0.first_mut() {
            *count = same;
        }
        self.difference.largest_cluster = self.clusters.largest();
        self.difference
    }
}

/// The contrast, in steps, from which on two neighbouring pixels have an edge between them. Less is a gradient, where a
/// little noise makes a pixel look like its neighbour although nothing has moved.
const EDGE_STEP: u8 = 8;

/// Whether an edge has passed the pixel at `place`, rather than its colour having changed: one picture shows there what
/// the other shows right beside it, up to `within` steps.
///
/// ```text
///  a  . . # # # #      An edge has moved by two columns. In the third b shows `.`, which a shows right beside it; in
///  b  . . . . # #      the fourth b shows beside it the `#` that a shows there. Where a colour has changed in place,
///         ^ ^          neither is so. Of a longer way, one row of pixels at either end is found.
/// ```
fn is_passed_by_edge([a, b]: [&Picture; 2], place: [u32; 2], [here_a, here_b]: [&[u8; 4]; 2], within: u8) -> bool {
    has_neighbour_like(a, place, here_b, within) || has_neighbour_like(b, place, here_a, within)
}

/// Whether a pixel beside `place` is at most `within` steps from `pixel`.
fn has_neighbour_like(picture: &Picture, [x, y]: [u32; 2], pixel: &[u8; 4], within: u8) -> bool {
    let (width, pixels) = (picture.size().width_px as usize, picture.rgba().as_chunks::<4>().0);
    let at = y as usize * width + x as usize;
    // All channels at once: leaving at the first that differs costs more in wrongly predicted branches.
    let is_like = |other: usize| {
        pixels.get(other).is_some_and(|other| steps(pixel, other).into_iter().fold(0, u8::max) <= within)
    };
    let is_last = x as usize + 1 == width;
    (x > 0 && is_like(at - 1)) || (!is_last && is_like(at + 1)) || (y > 0 && is_like(at - width)) || is_like(at + width)
}

fn steps(a: &[u8; 4], b: &[u8; 4]) -> [u8; 4] {
    let ([a0, a1, a2, a3], [b0, b1, b2, b3]) = (a, b);
    [a0.abs_diff(*b0), a1.abs_diff(*b1), a2.abs_diff(*b2), a3.abs_diff(*b3)]
}

/// The difference made visible: each colour channel's steps times `gain`, alpha's in all three, opaque.
pub fn amplify(a: &Picture, b: &Picture, gain: u8) -> Result<Picture, DifferenceError> {
    let size = a.size();
    let error = DifferenceError { a: size, b: b.size() };
    if a.size() != b.size() {
        return Err(error);
    }
    let pairs = a.rgba().as_chunks::<4>().0.iter().zip(b.rgba().as_chunks::<4>().0);
    let rgba = pairs.flat_map(|(a, b)| {
        let [red, green, blue, alpha] = steps(a, b);
        let [red, green, blue] = [red, green, blue].map(|step| step.max(alpha).saturating_mul(gain));
        [red, green, blue, 255]
    });
    Picture::new(size, rgba.collect()).map_err(|_| error)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: Size = Size { width_px: 50, height_px: 40 };

    fn picture(change: impl Fn(&mut [u8])) -> Picture {
        let mut rgba: Vec<u8> = (0..SIZE.rgba_bytes()).map(|n| (n % 251) as u8).collect();
        change(&mut rgba);
        Picture::new(SIZE, rgba).unwrap()
    }

    #[test]
    fn the_worst_pixel_is_named() {
        let changed = picture(|rgba| {
            rgba[4 * 51] += 3;
            rgba[4 * 60 + 1] += 9;
        });
        let difference = compare(&picture(|_| ()), &changed).unwrap();
        let worst = difference.worst.unwrap();
        assert_eq!((worst.x, worst.y, worst.largest_step(), difference.differing), (10, 1, 9, 2));
        assert_eq!(difference.bounds, Some(Bounds { x: 1, y: 1, width_px: 10, height_px: 1 }));
        assert_eq!((difference.largest_steps, difference.largest_cluster), ([3, 9, 0, 0], 1));
        assert_eq!([0, 2, 3, 9].map(|step| difference.histogram.beyond(step)), [2, 2, 1, 0]);
        assert_eq!(
            difference.to_string(),
            "2 of 2000 pixels differ (0.100 %), within 10x1 at 1,1; worst 9 steps at 10,1; channels r3 g9 b0 a0; \
             largest connected area 1 pixel"
        );
    }

    #[test]
    fn one_step_is_a_finding_of_its_own() {
        let difference = |change: &dyn Fn(&mut [u8])| compare(&picture(|_| ()), &picture(change)).unwrap();
        // A whole area, 20 by 10 pixels, in two channels.
        let area = |rgba: &mut [u8]| {
            for (x, y) in (0..10).flat_map(|y| (0..20).map(move |x| (x, y))) {
                let texel = &mut rgba[4 * (y * 50 + x)..][..4];
                texel[0] += 1;
                texel[2] = if texel[2] > 0 { texel[2] - 1 } else { 1 };
            }
        };
        let one_step = difference(&area);
        assert_eq!((one_step.finding(), one_step.finding().name()), (Finding::OneStep, "one-step"));
        assert_eq!(
            one_step.to_string(),
            "200 of 2000 pixels differ (10.000 %), within 20x10 at 0,0; rounding: no pixel differs by more \
                than one step (1 of 255); channels r1 g0 b1 a0; largest connected area 200 pixels"
        );
        let and_two_elsewhere = |rgba: &mut [u8]| {
            area(rgba);
            rgba[4 * 1999] += 2;
        };
        assert_eq!(difference(&and_two_elsewhere).finding(), Finding::Different);
        assert_eq!(difference(&|_| ()).finding(), Finding::Equal);
        // From transparent to almost transparent is a matter of coverage.
        let size = Size { width_px: 1, height_px: 1 };
        let [clear, faint] = [0, 1].map(|alpha| Picture::new(size, vec![9, 9, 9, alpha]).unwrap());
        assert_eq!(compare(&clear, &faint).unwrap().finding(), Finding::Different);
    }

    #[test]
    fn sizes_must_agree_and_nothing_compared_is_no_match() {
        let empty = Picture::new(Size { width_px: 0, height_px: 0 }, Vec::new()).unwrap();
        assert!(!compare(&empty, &empty).unwrap().is_within(Tolerance::EXACT));
        assert_eq!(compare(&empty, &picture(|_| ())).unwrap_err().to_string(), "the sizes differ: 0x0 and 50x40");
    }

    #[test]
    fn an_amplified_difference_shows_alpha_too() {
        let size = Size { width_px: 2, height_px: 1 };
        let a = Picture::new(size, vec![10, 20, 30, 40, 0, 0, 0, 0]).unwrap();
        let b = Picture::new(size, vec![10, 21, 33, 40, 0, 0, 0, 2]).unwrap();
        assert_eq!(amplify(&a, &b, 100).unwrap().rgba(), [0, 100, 255, 255, 200, 200, 200, 255]);
    }
}
