//! Questions about pictures, asked in one process and drawn in another.
//!
//! The asking side ([`DrawingProcess`]) says before a trace's first question, and whenever something about it has
//! changed, what there is to know: its file, the target's size, the shader texts that were edited. All of that lives
//! there, so a worker that was killed takes nothing with it. The drawing side is [`DrawingJobs`].

mod jobs;
mod process;
mod request;

pub use jobs::DrawingJobs;
pub use process::{AskError, DrawingProcess, Ready, SentAhead};
pub use request::{DrawingAnswer, Purpose, Request};
