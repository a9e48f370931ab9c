//! How far two pictures are apart.

use thiserror::Error;

use super::picture::{Picture, Size};

/// Pictures of different sizes have no difference, they are simply not comparable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the sizes differ: {a} and {b}")]
pub struct DifferenceError {
    /// Size of the first picture.
    pub a: Size,
    /// Size of the second.
    pub b: Size,
}

/// The differences between two pictures of the same size, over all four channels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// Pixels compared.
    pub pixels: u64,
    /// Pixels in which any channel differs.
    pub differing: u64,
    /// The pixel that is furthest off, the first of them in reading order.
    pub worst: Option<WorstPixel>,
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
        largest_step(&self.a, &self.b)
    }
}

/// How far apart two pictures may be and still count as the same.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// The largest difference of a channel, in steps of 1/255.
    pub largest_step: u8,
    /// The share of pixels that may differ at all, 0 to 1.
    pub share_of_pixels: f64,
}

impl Tolerance {
    /// Not a single bit may differ.
    pub const EXACT: Tolerance = Tolerance { largest_step: 0, share_of_pixels: 0.0 };

    /// What another CPU's vector width, or another API of the same driver, may change: the last bit of one pixel in
    /// a thousand. Coverage never moves, and a moved edge is more than one step.
    pub const OTHER_MACHINE: Tolerance = Tolerance { largest_step: 1, share_of_pixels: 0.001 };
}

impl Difference {
    /// Whether the pictures count as the same. Two empty pictures do not: nothing was compared.
    pub fn is_within(&self, tolerance: Tolerance) -> bool {
        let step = self.worst.map_or(0, |worst| worst.largest_step());
        let share = self.differing as f64 / self.pixels as f64;
        self.pixels > 0 && step <= tolerance.largest_step && share <= tolerance.share_of_pixels
    }
}

/// Compares two pictures pixel by pixel.
pub fn compare(a: &Picture, b: &Picture) -> Result<Difference, DifferenceError> {
    if a.size() != b.size() {
        return Err(DifferenceError { a: a.size(), b: b.size() });
    }
    let width = u64::from(a.size().width_px);
    let mut difference = Difference { pixels: a.size().pixels(), ..Difference::default() };
    let mut worst_step = 0;
    let pairs = a.rgba().as_chunks::<4>().0.iter().zip(b.rgba().as_chunks::<4>().0);
    for (index, (a, b)) in (0u64..).zip(pairs).filter(|(_, (a, b))| a != b) {
        difference.differing += 1;
        let step = largest_step(a, b);
        if step > worst_step {
            worst_step = step;
            let (x, y) = ((index % width) as u32, (index / width) as u32);
            difference.worst = Some(WorstPixel { x, y, a: *a, b: *b });
        }
    }
    Ok(difference)
}

fn largest_step(a: &[u8; 4], b: &[u8; 4]) -> u8 {
    a.iter().zip(b).map(|(a, b)| a.abs_diff(*b)).max().unwrap_or(0)
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

    fn verdicts(change: impl Fn(&mut [u8])) -> (bool, bool) {
        let difference = compare(&picture(|_| ()), &picture(change)).unwrap();
        (difference.is_within(Tolerance::EXACT), difference.is_within(Tolerance::OTHER_MACHINE))
    }

    #[test]
    fn injected_errors_are_caught() {
        assert_eq!(verdicts(|_| ()), (true, true));
        assert_eq!(verdicts(|rgba| rgba[0] += 1), (false, true), "one step in one pixel");
        assert_eq!(verdicts(|rgba| rgba[2] += 2), (false, false), "two steps of blue in one pixel");
        assert_eq!(verdicts(|rgba| rgba[3] -= 2), (false, false), "alpha only");
        assert_eq!(verdicts(|rgba| rgba[..12].iter_mut().for_each(|byte| *byte += 1)), (false, false), "three pixels");
        assert_eq!(verdicts(|rgba| rgba.rotate_right(4)), (false, false), "shifted by a pixel");
        assert_eq!(verdicts(|rgba| rgba.fill(0)), (false, false), "all zero");
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
    }

    #[test]
    fn sizes_must_agree_and_nothing_compared_is_no_match() {
        let empty = Picture::new(Size { width_px: 0, height_px: 0 }, Vec::new()).unwrap();
        assert!(!compare(&empty, &empty).unwrap().is_within(Tolerance::EXACT));
        assert_eq!(compare(&empty, &picture(|_| ())).unwrap_err().to_string(), "the sizes differ: 0x0 and 50x40");
    }
}
