//! Text for people: no line that is printed is obeyed as a command, whatever a file, a name or a driver says.
//!
//! ```
//! use trace_base::text::Harmless;
//!
//! assert_eq!(Harmless("a\u{1b}[2Jb").to_string().contains('\u{1b}'), false);
//! ```
//!
//! Names and texts come from untrusted files. A terminal obeys control characters, shows a file name backwards after a
//! bidi override, and takes a line break for the end of our sentence; CI services read commands from lines. So
//! everything that is printed goes through one of these two, and clippy denies `println!` and `eprintln!`:
//!
//! * [`Lines`] is stdout: each `writeln!` is one line, escaped. Bytes that are a result themselves go through as they
//!   are, but to a terminal.
//! * `say!` is a sentence on stderr.
//!
//! [`Harmless`] is what both do to a text, and [`JsonLine`] is a line of JSON on either.

mod count;
mod harmless;
#[cfg(feature = "rows")]
mod json_line;
mod lines;
#[cfg(feature = "rows")]
mod number;

pub use count::{Countable, counted, describe_count, grouped, plural, ranges};
pub use harmless::{Harmless, is_harmless, json_escape};
#[cfg(feature = "rows")]
pub use json_line::{JSON_SCHEMA, JsonLine, json_text};
pub use lines::{Lines, say_line, say_marked, set_bar};
#[cfg(feature = "rows")]
pub use number::{Real, real_to_json};

#[cfg(feature = "rows")]
pub use crate::json_line;
pub use crate::say;
