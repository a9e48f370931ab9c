//! Pictures and their differences. Nothing here knows where a picture came from.
//!
//! ```
//! use trace_base::pixels::{Picture, Size, compare};
//!
//! let size = Size { width_px: 1, height_px: 1 };
//! let [red, darker] = [255, 250].map(|red| Picture::new(size, vec![red, 0, 0, 255]));
//! let difference = compare(&red?, &darker?).expect("pictures of one size");
//! assert_eq!(difference.differing, 1);
//! # Ok::<(), trace_base::pixels::PictureError>(())
//! ```

mod clusters;
mod difference;
mod excess;
mod file;
mod float_image;
mod formats;
mod judgement;
mod npy;
mod perceptual;
mod picture;
mod samples;
mod stored_picture;
mod surface;
mod tolerance;

pub use difference::{
    Bounds, Difference, DifferenceError, Finding, Histogram, WorstPixel, amplify, compare, compare_beyond,
};
pub use excess::Excess;
pub use file::{PictureFileError, read_png, write_png, write_raw};
pub use float_image::{FloatDifference, FloatDifferenceError, FloatImage, FloatImageError, WorstValue, compare_floats};
pub use formats::{
    PictureFormat, StoredFile, TexelFormat, TexelLayout, TextureFileFormat, TextureImage, TextureShape, encode_texels,
    read_picture, read_stored,
};
pub use judgement::{Check, Criterion, Judgement, judge};
pub use npy::{read_npy, write_npy};
pub use perceptual::Similarity;
pub use picture::{Picture, PictureError, PictureHash, Size};
pub use stored_picture::StoredPicture;
pub use surface::{DepthMap, DepthMapError, Surface};
pub use tolerance::Tolerance;
