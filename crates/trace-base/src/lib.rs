//! The common ground of readers of untrusted trace files.
//!
//! ```
//! use trace_base::bytes::Cursor;
//! use trace_base::text::counted;
//!
//! let mut cursor = Cursor::new(&[7, 0, 0, 0], 0x40);
//! assert_eq!(counted(cursor.u32_le()?, "event"), "7 events");
//! # Ok::<(), trace_base::bytes::OutOfBytes>(())
//! ```
//!
//! | module | feature | knows |
//! |---|---|---|
//! | [`error`] | | the kinds of errors, and the two questions that every error answers |
//! | [`text`] | | what may be printed, numbers with their nouns |
//! | [`bytes`] | `reading` for files | positions, bounded reads, compressed files, files that appear whole |
//! | [`limits`] | | the caps on what a file may make this crate allocate |
//! | [`direct3d`] | | names of Direct3D that commands and bytecode share |
//! | [`listing`] | `rows` | rows, their values and the filter over them |
//! | [`pixels`] | `pixels` | pictures and their differences |

#![forbid(unsafe_code)]
// The example of the README is tried.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]
// What is printed goes through `text`, where it can do nothing to a terminal.
#![deny(clippy::print_stdout, clippy::print_stderr)]

pub mod bytes;
pub mod direct3d;
pub mod error;
pub mod limits;
#[cfg(feature = "rows")]
pub mod listing;
#[cfg(feature = "pixels")]
pub mod pixels;
#[cfg(feature = "testing")]
pub mod testing;
pub mod text;

#[doc(hidden)]
#[cfg(feature = "rows")]
pub use serde_json;
