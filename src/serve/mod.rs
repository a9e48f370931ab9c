//! JSON-RPC 2.0 over a pair of streams: one warm device, any number of questions.
//!
//! ```
//! use std::io::{Cursor, sink};
//! use std::time::Duration;
//!
//! use aerogpu_replay::serve::{ServeOptions, serve};
//! use aerogpu_replay::worker::{Program, WorkerCommand};
//!
//! let worker = WorkerCommand::new(Program::Own, vec!["worker".into()], Duration::from_secs(60));
//! let shutdown = Cursor::new("{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"shutdown\"}\n");
//! serve(shutdown, sink(), ServeOptions { worker, exit_code: |_| 1 })?;
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! ```text
//!  stdin ─► Reading ─────► queue ─► Session ──────────────► queue ─► Drawing ─► the process that draws
//!           framing,                several traces; answers          one        one device, a player for each trace
//!           cancelling, exit        what draws nothing               at a time
//!               └───────────────────────┴► PendingRequests ► stdout ◄┘
//! ```
//!
//! Three threads, each with a queue before it. A fourth has texts compiled in their order (`shaders`, `edit`), and traces
//! searched and trimmed (`lint`, `trim`), by a process without a device. What draws nothing never waits for what draws, so
//! **answers may come in another order than their requests**; the ids tell which is whose. What draws is drawn in the order of
//! the requests. All of them see what the requests before them did: what was asked about a trace after an `edit` waits for
//! that one's outcome and shows it, and what was asked before `close` is answered. Questions that no edit changes (`state`,
//! `events`, `draws`, `find`, `buffer`, `compare`, `annotations`) wait for neither. `seek` sets the place at once, if there is
//! such a place, and draws it in its turn.
//!
//! A picture that takes longer than `--timeout`, texts that take as long to compile, or a driver that crashes,
//! is the error of its request alone: the process ends, and the next question starts the next one. Cancelling what is
//! being drawn or tried ends it, too.
//!
//! `shutdown` is answered once every request before it is, each within its limit, and ends the session; of what comes after
//! it only `$/cancelRequest` and `exit` count. At the end of the input everything is still answered, too: a script may send
//! its requests and close its end. `exit` waits for nothing: what is not answered yet is answered with the error -32800,
//! and the session ends.
//!
//! # Framing
//!
//! A message either follows `Content-Length: N`, further headers and an empty line, as editors do it, or is one line
//! that begins with `{` or `[`. Either may come at any time; an answer is framed like its question. Headers end in
//! CR LF or LF. A length that is too short costs its message alone: what is left of the body is answered as no message, and
//! the header behind it is found.
//!
//! # Methods
//!
//! All take an object. `trace` is the handle that `open` gives; `frame`, `draw` and `packet` are counted from 0.
//! Without `draw` and `packet` the frame's end is meant, without `frame` too the place of the last `seek`. Wherever
//! `packet` may stand, `place` may stand instead of all three, in the text form of [`crate::command::Place`]: `7`,
//! `7/start`, `7/draw=2` or `7/packet=12`. `present`, `scanout` and `target` (`7`, `"7"`, `"7:1"`, `"7:1:2"`) choose among the
//! pictures of a place as the flags of these names do; the end of `path` names the file format: .png, .exr,
//! .tiff, .webp, .qoi, .rgba or .npy, else PNG.
//!
//! | method | parameters | answer |
//! |---|---|---|
//! | `initialize`, `info` | | name, version, methods, their parameters, adapter once there is one |
//! | `open` | `path`, `size`?, `shaders`?, `replace_shaders`?, `keep_going`? | trace, frames, size (of the target where a frame presents no texture), warnings, stop, faults |
//! | `close` | `trace` | null |
//! | `seek` | `trace`, `frame`, `draw`?, `packet`? | frame, draw, packet, place |
//! | `hash` | `trace`, `frame`?, `draw`?, `packet`?, `present`?, `scanout`?, `target`? | the same, width, height, sha256 |
//! | `image` | as of `hash`, `path`? or `out`?, else `form`? `png` or `pixels` | the same, and in base64 png or rgba (four bytes a pixel, row by row), or path, which is no open trace |
//! | `pixel` | `trace`, `frame`?, `draw`?, `packet`?, `x`, `y` | every CLEAR and draw that could have changed it, and what it did |
//! | `overlay` | as of `hash`, `kind` `highlight`, `tests`, `sides`, `wireframe`, `overdraw` or `age`, `form`? | as of `image`, kind, and legend: color, pixels, meaning |
//! | `draws` | `trace`, `frame`?, `first`?, `count`? | draw_count, draws with what they cover, draw to and are drawn with |
//! | `passes` | `trace`, `frame`?, `first`?, `count`? | pass_count, passes with what they draw to, read of others and write for whom |
//! | `state` | `trace`, `frame`?, `draw`?, `packet`? | what is bound, what is alive |
//! | `events` | `trace`, `frame`?, `filter`?, `first`?, `count`? | rows with arguments |
//! | `find` | `trace`, `filter`, `from`? {frame, row}, `direction`? `next` or `previous` | a row, or null |
//! | `buffer` | `trace`, `frame`?, `draw`?, `packet`?, `id`?, `start`?, `end`?, `vertices`? | hex or vertices, writers; of submissions the vertex streams by slot |
//! | `mesh` | `trace`, `frame`?, `draw`, `instance`?, `first`?, `count`? | vertices and triangles |
//! | `shaders` | `trace`, `frame`?, `draw`?, `packet`? | texts, entry points, issues, `diagnostics` as the Language Server Protocol has them; behind submissions assembly |
//! | `edit` | `trace`, `frame`?, `draw`?, `packet`?, `record_offset`, `text` or null | issues and `diagnostics`; without any, the text is drawn with. Of bytecode `record_offset` is its `code_offset`, the text its assembly |
//! | `lint` | `trace`, `frame`? | findings |
//! | `compare` | `trace`, `with` | which frames belong together, and the first that differ, with commands, settings and shaders |
//! | `trim` | `trace`, `frames` such as `"3-5,9"` | a trace of these frames in base64, with what they depend on |
//! | `annotations` | `path`, `trace`?, `align`?, `start`?, `end`?, `count`? | tracks of a WIP15 or wtf-trace recording with their longest events between two ticks, its frames, and which of them are frames of the trace |
//! | `save_edits` | `trace`, `folder` | paths, for `--replace-shaders`; none is an open trace |
//! | `shutdown` | | null, once all requests before it are answered; nothing after it is |
//! | `exit` | | null, and at once |
//! | `$/cancelRequest` | `id` | none; the request is answered with the error -32800 |
//!
//! # Faults
//!
//! `open` counts what is wrong with a trace by kind, without drawing: `faults` has their `count`, and in `kinds` each kind
//! with its `subject`, `problem`, `count`, and the `first` and the `last` place. Pictures behind a fault are errors: a
//! script that compares hashes must not take a picture that lacks a draw for the recorded one. With `keep_going` they are
//! drawn as if what cannot be carried out were not there, and each answer about a frame has the `faults` up to its end, if
//! there are any. A draw whose shader does not compile is known as a fault once it was drawn.
//!
//! Errors of a trace, a question or the GPU have the code -32000 and in `data` the program's exit code for it and,
//! where there is one, the file offset.

mod checking;
mod drawing;
mod error;
mod files;
mod framing;
mod mcp;
mod pending;
mod queue;
mod reading;
mod session;

pub use error::ServeError;
pub use mcp::serve_mcp;
pub use session::{ServeOptions, serve};
