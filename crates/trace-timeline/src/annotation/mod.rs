//! Annotations: files of other programs that tell what happened while frames were drawn.
//!
//! ```
//! use trace_timeline::annotation;
//!
//! let format = annotation::format_of(b"WIP150.0a").expect("a WIP15 trace begins so");
//! assert_eq!(format.names().name, "wip15");
//! ```
//!
//! Each format is a folder here, and a line in [`FORMATS`]: whoever lists, converts or shows annotations asks its
//! [`AnnotationFormat`] and knows no format by name.

mod digest;
mod error;
mod format;
pub mod wip15;
pub mod wtf;

use std::path::Path;

pub use error::{AnnotationError, FileError};
pub use format::{
    AnnotationFormat, BlobFormat, BlobPicture, Blobs, CanonicalText, Dialects, Digests, EachBlob, Facts, FactsRequest,
    FileBlob, FormatNames, WriteCanonical,
};

/// The formats.
pub static FORMATS: &[&dyn AnnotationFormat] = &[&wip15::Wip15, &wtf::Wtf];

/// The format of a file that begins so.
pub fn format_of(start: &[u8]) -> Option<&'static dyn AnnotationFormat> {
    FORMATS.iter().copied().find(|format| format.begins(start))
}

/// The format that a damaged file was meant to have: by what is left of its magic, or else by its name.
pub fn format_meant_by(start: &[u8], path: &Path) -> Option<&'static dyn AnnotationFormat> {
    let extension = path.extension().and_then(|extension| extension.to_str());
    let is_named = |format: &&dyn AnnotationFormat| {
        extension.is_some_and(|extension| format.names().extensions.contains(&extension))
    };
    let cut = FORMATS.iter().copied().find(|format| !start.is_empty() && format.begins_cut_short(start));
    cut.or_else(|| FORMATS.iter().copied().find(is_named))
}
