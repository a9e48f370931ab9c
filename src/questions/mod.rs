//! Questions about a trace's pictures as values, and the players that answer them on one device.
//!
//! ```
//! use aerogpu_replay::command::{Place, Shown};
//! use aerogpu_replay::format::aerogpu::FrameIndex;
//! use aerogpu_replay::questions::Question;
//!
//! let question = Question::Hash(Place::end_of(FrameIndex(7)), Shown::default());
//! assert_eq!(question.place().to_string(), "7");
//! ```
//!
//! ```text
//!  Question ──► Players ──► Reply          one process, one thread; or each a line of JSON between two processes (`worker`)
//!                  └─ a player for each trace, as many as are worth their memory
//! ```

mod error;
mod players;
mod question;

pub use error::{DrawingError, Refusal};
pub use players::{BegunPicture, Players, TraceToPlay, drawn_without_file};
pub use question::{Drawn, PictureForm, PixelBytes, Question, Reply, TraceToDraw};
