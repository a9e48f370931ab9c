//! Pictures of floats: depth, and colours that are no steps of 1/255. They are compared by value.

use std::fmt;

use thiserror::Error;

use super::difference::DifferenceError;
use super::picture::{Picture, Size};
use super::surface::DepthMap;
use crate::error::{Classified, ErrorKind};
use crate::text::counted;

/// Name of the channel that holds depth.
const DEPTH: &str = "Z";

/// Channels of 32-bit floats, each with its name. Top row first, rows tight.
#[derive(Clone, Debug, PartialEq)]
pub struct FloatImage {
    size: Size,
    channels: Vec<(String, Vec<f32>)>,
}

/// A channel that does not fill its picture.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "channel {channel} of a picture of {size} has {values}: expected {}",
    size.pixels(),
    values = counted(.found, "value")
)]
pub struct FloatImageError {
    /// Name of the channel.
    pub channel: String,
    /// The claimed size.
    pub size: Size,
    /// The number of values found.
    pub found: u64,
}

impl Classified for FloatImageError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Malformed
    }

    fn offset(&self) -> Option<u64> {
        None
    }
}

impl FloatImage {
    /// A picture of these channels.
    pub fn new(size: Size, channels: Vec<(String, Vec<f32>)>) -> Result<Self, FloatImageError> {
        match channels.iter().find(|(_, values)| values.len() as u64 != size.pixels()) {
            Some((name, values)) => Err(FloatImageError { channel: name.clone(), size, found: values.len() as u64 }),
            None => Ok(Self { size, channels }),
        }
    }

    /// Depth as channel `Z`; stencil as `stencil`.
    pub fn of_depth(map: &DepthMap) -> Self {
        let stencil = map.stencil().map(|stencil| stencil.iter().map(|value| f32::from(*value)).collect());
        let depth = (DEPTH.to_owned(), map.depth().to_vec());
        let channels = std::iter::once(depth).chain(stencil.map(|values| ("stencil".to_owned(), values))).collect();
        Self { size: map.size(), channels }
    }

    /// Colours as fractions of 255.
    pub fn of_picture(picture: &Picture) -> Self {
        let channel = |at: usize| picture.rgba().iter().skip(at).step_by(4).map(|step| f32::from(*step) / 255.0);
        let channels = (0..).zip(["R", "G", "B", "A"]).map(|(at, name)| (name.to_owned(), channel(at).collect()));
        Self { size: picture.size(), channels: channels.collect() }
    }

    /// Width and height.
    pub fn size(&self) -> Size {
        self.size
    }

    /// Whether it holds depth instead of colours.
    pub fn is_depth(&self) -> bool {
        self.channels.iter().any(|(name, _)| name == DEPTH)
    }

    /// Names and values of the channels.
    pub fn channels(&self) -> &[(String, Vec<f32>)] {
        &self.channels
    }

    fn names(&self) -> Vec<&str> {
        self.channels.iter().map(|(name, _)| name.as_str()).collect()
    }
}

/// Pictures of floats that cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FloatDifferenceError {
    /// They have different sizes.
    #[error(transparent)]
    Sizes(#[from] DifferenceError),
    /// They have different channels.
    #[error("the channels differ: {a} and {b}")]
    Channels {
        /// Names of the first picture's channels.
        a: String,
        /// Names of the second's.
        b: String,
    },
}

impl Classified for FloatDifferenceError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Different
    }

    fn offset(&self) -> Option<u64> {
        None
    }
}

/// The value that is furthest off.
#[derive(Clone, Debug, PartialEq)]
pub struct WorstValue {
    /// Its column.
    pub x: u32,
    /// Its row, from the top.
    pub y: u32,
    /// Name of its channel.
    pub channel: String,
    /// Its value in the first picture.
    pub a: f32,
    /// Its value in the second picture.
    pub b: f32,
    /// Distance between them.
    pub difference: f32,
}

/// Differences between two pictures of floats.
#[derive(Clone, Debug, PartialEq)]
pub struct FloatDifference {
    /// Pixels compared.
    pub pixels: u64,
    /// Pixels with a value that is further apart than the tolerance.
    pub differing: u64,
    /// The difference that is allowed.
    pub tolerance: f32,
    /// The value that is furthest off, within the tolerance or not.
    pub worst: Option<WorstValue>,
}

impl FloatDifference {
    /// Whether the pictures count as the same. Empty ones do not: nothing was compared.
    pub fn is_same(&self) -> bool {
        self.pixels > 0 && self.differing == 0
    }
}

impl fmt::Display for FloatDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { pixels, differing, tolerance, worst } = self;
        if *pixels == 0 {
            return f.write_str("nothing was compared: the pictures are empty");
        }
        let Some(WorstValue { x, y, channel, a, b, difference }) = worst else {
            return f.write_str("no value differs");
        };
        match *tolerance {
            0.0 => write!(f, "{differing} of {pixels} pixels differ")?,
            _ => write!(f, "{differing} of {pixels} pixels differ by more than {tolerance}")?,
        }
        write!(f, "; largest difference {difference} in channel {channel} at {x},{y}: {a} and {b}")
    }
}

/// Compares two pictures value by value: a pixel differs where a value is more than `tolerance` apart. A NaN equals a NaN
/// alone.
pub fn compare_floats(a: &FloatImage, b: &FloatImage, tolerance: f32) -> Result<FloatDifference, FloatDifferenceError> {
    if a.size != b.size {
        return Err(DifferenceError { a: a.size, b: b.size }.into());
    }
    if a.names() != b.names() {
        return Err(FloatDifferenceError::Channels { a: a.names().join(", "), b: b.names().join(", ") });
    }
    let pixels = a.size.pixels();
    let mut differs = vec![false; pixels as usize];
    let mut worst: Option<WorstValue> = None;
    for ((name, first), (_, second)) in a.channels.iter().zip(&b.channels) {
        for (place, (differs, (first, second))) in (0_u64..).zip(differs.iter_mut().zip(first.iter().zip(second))) {
            let difference = distance(*first, *second);
            if difference == 0.0 {
                continue;
            }
            *differs |= difference > tolerance;
            if worst.as_ref().is_none_or(|worst| difference > worst.difference) {
                let width = u64::from(a.size.width_px.max(1));
                let (x, y) = ((place % width) as u32, (place / width) as u32);
                let channel = name.clone();
                worst = Some(WorstValue { x, y, channel, a: *first, b: *second, difference });
            }
        }
    }
    let differing = differs.into_iter().filter(|differs| *differs).count() as u64;
    Ok(FloatDifference { pixels, differing, tolerance, worst })
}

fn distance(a: f32, b: f32) -> f32 {
    match (a.is_nan(), b.is_nan()) {
        (true, true) => 0.0,
        (false, false) if a == b => 0.0,
        (false, false) => (a - b).abs(),
        _ => f32::INFINITY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn depth(values: &[f32]) -> FloatImage {
        let size = Size { width_px: 2, height_px: values.len() as u32 / 2 };
        FloatImage::new(size, vec![("Z".to_owned(), values.to_vec())]).unwrap()
    }

    #[test]
    fn values_within_the_tolerance_are_the_same() {
        let (a, b) = (depth(&[0.0, 0.25, 0.5, 1.0]), depth(&[0.0, 0.25, 0.5625, 0.75]));
        let exact = compare_floats(&a, &b, 0.0).unwrap();
        assert_eq!((exact.differing, exact.is_same()), (2, false));
        let expected = "2 of 4 pixels differ; largest difference 0.25 in channel Z at 1,1: 1 and 0.75";
        assert_eq!(exact.to_string(), expected);
        assert_eq!(compare_floats(&a, &b, 0.125).unwrap().differing, 1);
        assert!(compare_floats(&a, &b, 0.25).unwrap().is_same());
        assert_eq!(compare_floats(&a, &a, 0.0).unwrap().to_string(), "no value differs");
    }

    #[test]
    fn numbers_that_are_none_are_told_apart() {
        let (a, b) = (depth(&[f32::NAN, f32::INFINITY]), depth(&[f32::NAN, f32::INFINITY]));
        assert!(compare_floats(&a, &b, 0.0).unwrap().is_same());
        let one = compare_floats(&a, &depth(&[0.0, f32::INFINITY]), 1.0e30).unwrap();
        assert_eq!((one.differing, one.worst.unwrap().difference), (1, f32::INFINITY));
    }

    #[test]
    fn other_sizes_and_channels_are_not_comparable() {
        let error = compare_floats(&depth(&[0.0, 1.0]), &depth(&[0.0; 4]), 0.0).unwrap_err();
        assert_eq!(error.to_string(), "the sizes differ: 2x1 and 2x2");
        let color = FloatImage::new(Size { width_px: 2, height_px: 1 }, vec![("R".to_owned(), vec![0.0; 2])]).unwrap();
        let error = compare_floats(&depth(&[0.0, 1.0]), &color, 0.0).unwrap_err();
        assert_eq!(error.to_string(), "the channels differ: Z and R");
        let empty = FloatImage::new(Size { width_px: 0, height_px: 0 }, Vec::new()).unwrap();
        assert!(!compare_floats(&empty, &empty, 0.0).unwrap().is_same());
    }
}
