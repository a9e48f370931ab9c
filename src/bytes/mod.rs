//! The lowest layer: bounded, positioned reads. Nothing here knows a format.
//!
//! ```
//! use aerogpu_replay::bytes::Cursor;
//!
//! let mut cursor = Cursor::new(&[7, 0, 0, 0, 9], 0x40);
//! assert_eq!(cursor.u32_le()?, 7);
//! let error = cursor.u32_le().unwrap_err();
//! assert_eq!(error.offset, 0x44);
//! # Ok::<(), aerogpu_replay::bytes::OutOfBytes>(())
//! ```
//!
//! * [`ByteSource`] reads a file by position, without mmap and without a shared cursor.
//! * [`FileSource`] is such a file; one that is compressed is decoded when it is opened ([`Compression`]).
//! * [`Cursor`] walks a slice and knows the absolute file offset of every byte.
//! * [`Window`] passes over a file of any size in a small buffer.
//! * [`limits`] holds every cap on what a file may make us allocate.
//! * `write_output` makes every file that the program makes.
//! * [`Diagnostics`] collects what was noticed on the way.

mod base64;
mod compressed_input;
mod compression;
mod cursor;
mod diagnostics;
mod file_identity;
mod gzip;
mod input_file;
mod leb128;
pub mod limits;
mod open_error;
#[cfg(feature = "files")]
pub(crate) mod output;
mod path_state;
mod source;
mod window;
mod zstd;

pub use base64::encode_base64;
pub use compression::{Compression, DecodeError, DecodeProblem, DecodeWatch, DecodedFrom, decode, decoded_limit};
pub use cursor::{Cursor, OutOfBytes};
pub use diagnostics::{Diagnostics, Finding, FindingKind};
pub use file_identity::{FileIdentity, is_same_file};
pub use input_file::{open_input, read_input, read_input_text};
pub use leb128::{Leb128, Leb128Error};
pub use open_error::OpenError;
#[cfg(feature = "files")]
pub use output::{ScratchFolder, is_stdout, make_output_folder, remove_unfinished, write_output, write_scratch};
pub use path_state::PathState;
#[cfg(test)]
pub(crate) use source::CountedSource;
pub use source::{ByteSource, FileSource, FileState, MemorySource, ReadError, read_vec_at};
pub use window::Window;
