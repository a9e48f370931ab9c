//! Pictures and their differences. Nothing here knows where a picture came from.

mod clusters;
mod difference;
mod file;
mod ladder;
mod perceptual;
mod picture;
mod tolerance;

pub use difference::{Bounds, Difference, DifferenceError, Histogram, WorstPixel, amplify, compare, compare_beyond};
pub use file::{PictureFileError, read_png, write_png, write_raw};
pub use ladder::{Check, Judgement, LadderError, Rung, judge};
pub use picture::{Picture, PictureError, PictureHash, Size};
pub use tolerance::Tolerance;
