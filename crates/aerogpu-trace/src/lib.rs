//! AeroGPU traces: the container, the command streams in it, and what they mean. Nothing here draws.
//!
//! ```
//! use aerogpu_trace::container::TraceWriter;
//!
//! let mut trace = TraceWriter::new(Vec::new(), 1, "{}")?;
//! trace.begin_frame()?;
//! trace.present()?;
//! assert!(trace.finish()?.starts_with(b"AEROGPUT"));
//! # Ok::<(), aerogpu_trace::container::WriteError>(())
//! ```
//!
//! ```text
//!  file ─► container ─► records ─► abi ─► packets ─► command
//!          framing, table of       bytes of any      what a frame
//!          contents, blobs         command ABI       means
//! ```
//!
//! | module | knows |
//! |---|---|
//! | [`container`] | framing and validation; nothing about what the bytes of a record mean |
//! | [`command`] | the vocabulary that is free of any wire encoding: what a frame *means* |
//! | [`abi`] | packets of each command ABI, and the commands that they are |
//! | [`limits`] | the caps on what a file may make this crate allocate |

#![forbid(unsafe_code)]
// The example of the README is tried.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

pub mod abi;
pub mod command;
pub mod container;
pub mod limits;
