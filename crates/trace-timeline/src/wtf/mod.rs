//! wtf-trace: the traces of Google's Web Tracing Framework, in every form that was ever written.
//!
//! ```
//! use trace_base::bytes::FileSource;
//! use trace_timeline::wtf::Reader;
//!
//! let source = FileSource::open("../../fixtures/wtf/v3/seed_features.wtf-trace".as_ref())?;
//! let mut reader = Reader::new(&source);
//! let mut events = 0;
//! while reader.next_event()?.is_some() {
//!     events += 1;
//! }
//! assert!(events > 10);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | dialect | first bytes | then | written by |
//! |---|---|---|---|
//! | `v3-be` | `DE AD BE EF` | big-endian 3 | the JavaScript writers of 2012–2013 |
//! | `v3-le` | `EF BE AD DE` | little-endian 3 | nobody known; the format's own text taken literally |
//! | `cff-be` | `DE AD BE EF` | big-endian 10 | JavaScript, two weeks of June 2013 |
//! | `cff-le` | `EF BE AD DE` | little-endian 10 | JavaScript 2013–2019, C++ since 2016 |
//! | `json-cff` | `{` | `"formatVersion": 10` | JavaScript, `.wtf-json` |
//! | `json-v2` | `[` | entries | hand-written tests of 2012–2013, `.wtf-json` |
//!
//! ```text
//!              ┌ one buffer to the end of the file (v3) ┐
//!  file ─► container ─ chunks (cff) ─────────────────────┼─► event buffers ─► records ─► Event ─► values
//!              └ JSON, laid out in memory as chunks ─────┘      │                │
//!                                                     string table       types and zones so far
//! ```
//!
//! [`Reader`] gives the records in file order, reading the file in windows: memory depends on the longest record and
//! the largest string table, not on the file. Types are defined at run time; each is compiled into a [`Layout`] so that
//! a record without strings costs one table look-up. Arguments stay bytes until somebody asks for [`Event::arguments`].
//! Damage gives what came before it, then one [`WtfError`]; what was survived is counted in [`Warnings`].

mod canonical;
mod chunk;
mod chunk_walk;
mod container;
mod dialect;
mod error;
mod event;
mod event_type;
mod header;
mod header_json;
mod held_file;
mod id_index;
mod json_chunks;
mod json_entries;
mod json_text;
mod layout;
mod measure;
mod page_cache;
mod reader;
mod record_index;
mod signature;
mod store;
mod string_table;
mod summary;
mod text;
mod value;
mod warning;
mod window;
mod zone;

pub use canonical::{write_arguments, write_event_line, write_header_lines, write_quoted, write_value};
pub use dialect::{ByteOrder, Dialect};
pub use error::{Problem, WtfError};
pub use event::Event;
pub use event_type::{EventClass, EventFlags, EventType, Role, TypeIndex, TypeTable, WireId};
pub use header::{FileFlags, TraceHeader};
pub use layout::{Form, Layout};
pub use reader::Reader;
pub use record_index::{RecordCursor, RecordIndex, RecordOffset};
pub use signature::{Argument, ArgumentKind, Scalar};
pub use summary::{Summary, count};
pub use text::Text;
pub use value::{Arguments, Array, Value};
pub use warning::{WarningClass, Warnings};
pub use zone::{Zone, ZoneIndex, ZoneTable};
