//! Guest memory, as one submission sees it.
//!
//! A command names memory by allocation. The submission's allocation table says at which address that lies, or, where there
//! is no table, its list of memory ranges. The ranges say which bytes the recorder found there before the submission ran;
//! commands of the submission that write back have written over them. Nothing of it outlives the submission: the next one
//! brings what its host has left.
//!
//! ```text
//!  allocation, bytes ──[table, else ranges]──► addresses ──[AddressSpace]──► range or write-back ──► place in the file
//! ```
//!
//! Memory is places in the file. Of what a submission names only the table is read, however large the snapshots, and what
//! is wrong with a range or its blob matters only to a command that needs bytes of it.

mod address_space;
mod allocations;
mod error;
mod ranges;
mod submission_memory;

pub use error::MemoryError;
pub(super) use ranges::check_ranges;
pub use submission_memory::MemoryPiece;
pub(super) use submission_memory::SubmissionMemory;
