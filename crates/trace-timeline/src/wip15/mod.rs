//! WIP15: recorded OpenGL calls with their data. No clock, no threads, no index.
//!
//! ```
//! use trace_base::bytes::FileSource;
//! use trace_timeline::wip15::{BlobPolicy, Reader};
//!
//! let source = FileSource::open("../../fixtures/wip15/s1_py_pygame_zlib60.trace".as_ref())?;
//! let mut reader = Reader::open(&source, BlobPolicy::Skip)?;
//! let mut calls = 0;
//! while let Some(call) = reader.next_call() {
//!     call?;
//!     calls += 1;
//! }
//! assert!(calls > 10);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! ```text
//!  header (16 bytes)   declarations of groups   function ─► its calls …   function ─► calls …   (end of file)
//! ```
//!
//! [`Reader`] passes over a file once in a small window and gives borrowed [`Op`]s: every byte is checked, values are
//! decoded when asked for, and [`Blob`]s are unpacked when asked for. A file cut in the middle of an operation is
//! normal (programs get killed): everything before the cut is given, then [`Error::Truncated`].
//!
//! All layouts that call themselves 0.0 are read: those of the given text (`wip15-format.txt`, 2016-08-13) and the two
//! later additions, variants (2017-06-17) and zstd (2017-09-06). The given text leaves things open or is wrong:
//!
//! | text | what writers do and we read |
//! |---|---|
//! | signed numbers: `v<0?1:0 \| abs(v)<<1` | sign in bit 0, 63 bits of magnitude above |
//! | `compressedData[size]` | `compressedSize` bytes |
//! | zlib, LZ4 | RFC 1950 stream; raw LZ4 block without frame |
//! | all integers are little-endian | floats are in the recording host's order |
//! | `group_index` without a range | 0-based, below `max_groups`, once per value, declared or not |
//! | a function declared twice | the declaration before a call counts for it |
//! | unknown operation | an error; libtrace skips the byte and loses the stream |

mod blob;
mod blob_list;
mod call_reader;
mod canonical;
mod check;
mod error;
mod header;
mod op;
mod reader;
mod summary;
mod tables;
mod types;
mod value;
mod warning;

pub use blob::{Blob, Unpacked};
pub use blob_list::BlobPlace;
pub use call_reader::CallReader;
pub use canonical::{SWAP_NAME, write_canonical};
pub use check::{BlobTotals, Layouts};
pub use error::{Error, FoundSize, Inside};
pub use header::{Endian, HEADER_BYTES, Header, MAGIC, is_wip15};
pub use op::{Call, CallIndex, Extra, Extras, Group, Op, Values};
pub use reader::{BlobPolicy, Reader};
pub use summary::{BlobFigures, CallCounts, Damage, Summary, count_calls, summarize};
pub use tables::{Function, FunctionId, Tables};
pub use types::{BaseType, Compression, LAST_GROUP_TYPE, Type};
pub use value::{Element, Elements, Value};
pub use warning::{Warning, Warnings};
