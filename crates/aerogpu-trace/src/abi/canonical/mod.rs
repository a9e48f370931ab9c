//! The canonical text of a trace's records and packets: one text for one file, byte for byte, whoever writes it.
//!
//! A line is `tag @0xOFFSET name=value …`, ASCII, with a line feed behind it. What is odd or wrong about a line follows
//! it, ordered by offset and class. The text decodes and tracks no state: handles that nobody made, say, are not its
//! matter. Nothing of it is kept in memory.

mod blobs;
mod cmd;
mod reference;
mod stream;
mod submission;
mod table;
mod value;
mod writer;

pub use writer::{CanonicalError, CanonicalSummary, write_canonical};
