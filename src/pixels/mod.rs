//! Pictures and their differences. Nothing here knows where a picture came from.

mod difference;
mod file;
mod picture;

pub use difference::{Difference, DifferenceError, Tolerance, WorstPixel, compare};
pub use file::{PictureFileError, read_png, write_png, write_raw};
pub use picture::{Picture, PictureError, PictureHash, Size};
