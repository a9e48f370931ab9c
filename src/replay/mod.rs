//! Commands → guest state → resolved ops, on the CPU alone.
//!
//! ```text
//!  Trace ──[decode_frame]──► Located<Command> ──[GuestState::apply]──► Located<Op> ──► gpu
//!              │                                      │
//!              └── BlobStore: what a blob id means    └── ProgramLibrary: linked shaders, one per distinct pair
//! ```
//!
//! An [`Op`] has no ids left to check: buffers and programs are keys of objects that exist, bounds are checked,
//! vertex data is where it is said to be. What is wrong with a command is a [`ReplayError`] with the command's place.

mod blob_store;
mod buffer_contents;
mod decode;
mod error;
mod op;
mod program_library;
mod program_list;
mod state;
mod target_size;
mod vertices;

pub use blob_store::BlobStore;
pub use buffer_contents::{BufferContents, Piece};
pub use decode::{Flow, decode_frame};
pub use error::{Problem, ReplayError, Verdict};
pub use op::{BufferKey, DrawOp, Op, ProgramKey, VertexFetch, VertexSlot};
pub use program_library::{ProgramLibrary, ShaderLanguage, ShaderObject, ShaderOptions};
pub use program_list::{ProgramEntry, list_programs};
pub use state::GuestState;
pub use target_size::{DEFAULT_SIZE, largest_viewport};
