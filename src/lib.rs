//! Opens GPU command traces, replays any frame exactly as it was drawn, and shows or compares the picture.
//!
//! Data flows in one direction; a module names only modules to its left:
//!
//! ```text
//!  file ─► bytes ─► format ─► abi ─► command ─► replay ─► gpu ─► player ─► analysis ─► worker ─► golden ─► inspector ─► window ─► cli
//!          cursor   records   packets  meaning   ops       wgpu   frames   answers    process   verdicts  panels
//!                     │                             ▲
//!                     │                  shader ────┘   (WGSL, GLSL ES 3.00 → naga)
//!                     └─► timeline ─► exporters    (WIP15, wtf-trace and our own traces)
//!          pixels (RGBA8, PNG, differences) is among the lowest layers, used by player, golden, cli and tests;
//!          error (the kinds of errors) and text (words and numbers) are the lowest layers
//! ```
//!
//! | layer | module | knows | never knows |
//! |---|---|---|---|
//! | 0 | [`error`], [`text`] | the kinds of errors; what may be printed, numbers with their nouns | everything else |
//! | 1 | [`bytes`], [`pixels`] | positions, bounded reads, limits; pictures and their differences | any format |
//! | 2 | [`mod@format`], [`listing`] | one file format a folder: framing and validation; rows, their values and the filter over them | each other, GPUs |
//! | 3 | [`command`] | the ABI-neutral vocabulary: what a frame *means* | any wire encoding |
//! | 4 | [`abi`], [`shader`] | packets of any ABI → commands; shader text → linked naga modules | wgpu |
//! | 5 | [`replay`], [`timeline`] | commands → state → resolved ops, what a frame depends on; events → tracks | wgpu, windows |
//! | 6 | `gpu` | ops → wgpu, pipeline cache, readback | files, argv |
//! | 7 | `player` | seek, step, render: trace + state + GPU | windows, argv |
//! | 8 | `analysis` | what is bound, what touched a pixel, what lies in a buffer | windows |
//! | 9 | [`conformance`] | small traces that ask a device, feature by feature, whether it draws as Direct3D does | files, argv |
//! | 10 | `worker` | the process that draws for another one: jobs, deadlines, how it ends | what golden's jobs are |
//! | 11 | `golden`, `serve` | suites, verdicts, approval, reports; answers to other programs | windows |
//! | 12 | `inspector` | egui panels and the workers behind them | winit, argv |
//! | 13 | `window` | the winit loop | argv |
//! | 14 | `cli` | arguments, printing, exit codes, one file per verb | – |
//!
//! `tests/no_gpu/architecture.rs` holds this table against the source.

// What is printed goes through `text`, where it can do nothing to a terminal.
#![deny(clippy::print_stdout, clippy::print_stderr)]

pub mod abi;
pub mod analysis;
pub mod bytes;
#[cfg(feature = "cli")]
pub mod cli;
pub mod command;
pub mod conformance;
pub mod error;
pub mod format;
#[cfg(all(feature = "cli", feature = "gpu"))]
pub mod golden;
#[cfg(feature = "gpu")]
pub mod gpu;
#[cfg(feature = "window")]
pub mod inspector;
pub mod listing;
pub mod pixels;
#[cfg(feature = "gpu")]
pub mod player;
pub mod replay;
#[cfg(all(feature = "cli", feature = "gpu"))]
pub mod serve;
pub mod shader;
pub mod text;
pub mod timeline;
#[cfg(feature = "window")]
pub mod window;
#[cfg(all(feature = "cli", feature = "gpu"))]
pub mod worker;
