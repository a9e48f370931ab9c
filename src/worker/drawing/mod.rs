//! Questions about pictures, asked in one process and drawn in another.
//!
//! The asking side ([`DrawingProcess`]) says before a trace's first question, and whenever something about it has
//! changed, what there is to know: its file, the target's size, the shader texts that were edited. All of that lives
//! there, so a worker that was killed takes nothing with it. The drawing side ([`Players`]) has one player per trace.

mod error;
mod players;
mod process;
mod question;

pub use error::{DrawingError, Refusal};
pub use players::Players;
pub use process::{AskError, DrawingProcess, Ready, SentAhead};
pub use question::{Drawn, Purpose, Question, Reply, Request, TraceToDraw};
