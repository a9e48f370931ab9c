//! Opens GPU command traces, replays any frame exactly as it was drawn, and shows or compares the picture.
//!
//! Data flows in one direction; a module names only modules to its left:
//!
//! ```text
//!  file ─► bytes ─► format ─► abi ─► command ─► replay ─► gpu ─► player ─► analysis ─► worker ─► golden ─► inspector ─► window ─► cli
//!          cursor   records   packets  meaning   ops       wgpu   frames   answers    process   verdicts  panels
//!                     │                             ▲
//!                     │                  shader ────┘   (WGSL, GLSL ES, Direct3D bytecode → naga)
//!                     └─► timeline ─► exporters    (WIP15, wtf-trace and our own traces)
//! ```
//!
//! The first are crates of their own, which this one has under names of its own:
//!
//! | crate | here | knows | never knows |
//! |---|---|---|---|
//! | [`trace_base`] | [`error`], [`text`], [`bytes`], [`listing`], [`pixels`] | the kinds of errors, bounded reads, rows and filters, pictures | any format |
//! | [`aerogpu_trace`] | [`format::aerogpu`](mod@format), [`command`], [`abi`] | the container, what a frame *means*, packets of any ABI | GPUs |
//! | [`trace_timeline`] | [`format::wip15`](mod@format), [`format::wtf`](mod@format), [`timeline`] | recordings of applications; events → tracks | AeroGPU traces |
//! | [`glsl_es`] | [`shader::glsl`] | GLSL ES → WGSL | naga |
//! | [`d3d_bytecode`] | [`shader::d3d`] | Direct3D bytecode → naga modules | traces |
//! | [`naga_gate`] | | what naga and drivers may be given | languages but WGSL |
//!
//! | layer | module | knows | never knows |
//! |---|---|---|---|
//! | 1 | [`limits`] | the caps of all crates, and those of this one | – |
//! | 2 | [`shader`] | shader text → linked naga modules | wgpu |
//! | 3 | [`replay`], [`timeline`] | commands → state → resolved ops, what a frame depends on; a trace as a timeline | wgpu, windows |
//! | 4 | `gpu` | ops → wgpu, pipeline cache, readback | files, argv |
//! | 5 | `player` | seek, step, render: trace + state + GPU | windows, argv |
//! | 6 | `analysis` | what is bound, what touched a pixel, what lies in a buffer | windows |
//! | 7 | [`conformance`], `questions` | small traces that ask a device, feature by feature, whether it draws as Direct3D does; questions as values, and players that answer them | argv |
//! | 8 | `session`, `worker` | open traces and the methods that ask about them; the process that draws for another one: jobs, deadlines, how it ends | what golden's jobs are |
//! | 9 | `golden`, `serve` | suites, verdicts, approval, reports; answers to other programs | windows |
//! | 10 | `inspector` | egui panels and the workers behind them | winit, argv |
//! | 11 | `window` | the winit loop | argv |
//! | 12 | `cli` | arguments, printing, exit codes, one file per verb | – |
//!
//! `tests/no_gpu/architecture` holds this table against the source.

#![cfg_attr(
    feature = "gpu",
    doc = r##"
# A first program

Opens a trace, shows a frame, and says what drew a pixel of it:

```
use aerogpu_replay::analysis::{list_draws, pixel_history};
use aerogpu_replay::player::Player;

let mut player = Player::open("fixtures/aerogpu/frames.aerogputrace")?;
println!("{} frames", player.trace().frames().len());
let picture = player.render(2)?;
let [red, green, blue, _] = picture.pixel(20, 40).ok_or("the picture is smaller")?;
println!("sha256 of frame 2: {}; its pixel 20,40 is {red}, {green}, {blue}", picture.hash());
for draw in list_draws(&mut player, 2)? {
    println!("{draw}");
}
for event in pixel_history(&mut player, 2, 20, 40)?.writers() {
    println!("{}: {}", event.at, event.cause.name());
}
# Ok::<(), Box<dyn std::error::Error>>(())
```
"##
)]
// What is printed goes through `text`, where it can do nothing to a terminal.
#![deny(clippy::print_stdout, clippy::print_stderr)]

pub mod analysis;
#[cfg(feature = "cli")]
pub mod cli;
pub mod conformance;
pub mod format;
#[cfg(all(feature = "cli", feature = "gpu"))]
pub mod golden;
#[cfg(feature = "gpu")]
pub mod gpu;
#[cfg(feature = "window")]
pub mod inspector;
pub mod limits;
#[cfg(feature = "gpu")]
pub mod player;
#[cfg(feature = "gpu")]
pub mod questions;
pub mod replay;
#[cfg(all(feature = "cli", feature = "gpu"))]
pub mod serve;
#[cfg(feature = "gpu")]
pub mod session;
pub mod shader;
pub mod timeline;
#[cfg(feature = "window")]
pub mod window;
#[cfg(all(feature = "cli", feature = "gpu"))]
pub mod worker;

pub use aerogpu_trace::{abi, command};
pub use trace_base::{bytes, error, listing, pixels, text};
