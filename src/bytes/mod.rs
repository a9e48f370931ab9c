//! The ground: bounded, positioned reads. Nothing here knows a format.
//!
//! * [`ByteSource`] reads a file by position, without mmap and without a shared cursor.
//! * [`Cursor`] walks a slice and knows the absolute file offset of every byte.
//! * [`limits`] holds every cap on what a file may make us allocate.
//! * [`Diagnostics`] collects what was noticed on the way.

mod cursor;
mod diagnostics;
pub mod limits;
mod source;
mod whole_file;

pub use cursor::{Cursor, OutOfBytes};
pub use diagnostics::{Diagnostics, Finding, FindingKind};
pub use source::{ByteSource, FileSource, MemorySource, ReadError, read_vec_at};
pub use whole_file::write_whole;
