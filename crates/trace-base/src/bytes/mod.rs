//! The lowest layer: bounded, positioned reads. Nothing here knows a format.
//!
//! ```
//! use trace_base::bytes::Cursor;
//!
//! let mut cursor = Cursor::new(&[7, 0, 0, 0, 9], 0x40);
//! assert_eq!(cursor.u32_le()?, 7);
//! let error = cursor.u32_le().unwrap_err();
//! assert_eq!(error.offset, 0x44);
//! # Ok::<(), trace_base::bytes::OutOfBytes>(())
//! ```
//!
//! * [`ByteSource`] reads a file by position, without mmap and without a shared cursor.
//! * [`FileSource`] is such a file; one that is compressed is decoded when it is opened ([`Compression`]).
//! * [`Cursor`] walks a slice and knows the absolute file offset of every byte.
//! * [`Window`] passes over a file of any size in a small buffer.
//! * [`crate::limits`] holds every cap on what a file may make us allocate.
//! * `write_output` makes every file that the program makes.
//! * [`Diagnostics`] collects what was noticed on the way.

mod base64;
#[cfg(feature = "reading")]
mod compressed_input;
#[cfg(feature = "reading")]
mod compression;
mod cursor;
mod diagnostics;
#[cfg(feature = "reading")]
mod file_identity;
#[cfg(feature = "reading")]
mod gzip;
#[cfg(feature = "reading")]
mod input_file;
mod leb128;
#[cfg(feature = "reading")]
mod open_error;
#[cfg(feature = "files")]
pub mod output;
#[cfg(feature = "reading")]
mod path_state;
#[cfg(feature = "reading")]
mod source;
#[cfg(feature = "reading")]
mod window;
#[cfg(feature = "reading")]
mod zstd;

pub use base64::{decode_base64, encode_base64};
#[cfg(feature = "reading")]
pub use compression::{Compression, DecodeError, DecodeProblem, DecodeWatch, DecodedFrom, decode, decoded_limit};
pub use cursor::{Cursor, OutOfBytes};
pub use diagnostics::{Diagnostics, Finding, FindingKind};
#[cfg(feature = "reading")]
pub use file_identity::{FileIdentity, is_same_file};
#[cfg(feature = "reading")]
pub use input_file::{open_input, read_input, read_input_text};
pub use leb128::{Leb128, Leb128Error};
#[cfg(feature = "reading")]
pub use open_error::OpenError;
#[cfg(feature = "files")]
pub use output::UNFINISHED_PREFIX;
#[cfg(feature = "files")]
pub use output::{ScratchFolder, is_stdout, make_output_folder, remove_unfinished, write_output, write_scratch};
#[cfg(feature = "reading")]
pub use path_state::PathState;
#[cfg(any(test, feature = "testing"))]
#[cfg(feature = "reading")]
pub use source::CountedSource;
#[cfg(feature = "reading")]
pub use source::{ByteSource, FileSource, FileState, MemorySource, ReadError, read_vec_at};
#[cfg(feature = "reading")]
pub use window::Window;
