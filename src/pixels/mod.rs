//! Pictures and their differences. Nothing here knows where a picture came from.

mod clusters;
mod difference;
mod excess;
mod file;
mod ladder;
mod perceptual;
mod picture;
mod samples;
mod tolerance;

pub use difference::{Bounds, Difference, DifferenceError, Histogram, WorstPixel, amplify, compare, compare_beyond};
pub use excess::Excess;
pub use file::{PictureFileError, read_png, write_png, write_raw};
pub use ladder::{Check, Judgement, Rung, judge};
pub use perceptual::Similarity;
pub use picture::{Picture, PictureError, PictureHash, Size};
pub use tolerance::Tolerance;
