//! A table of small traces that asks a device, feature by feature, whether it draws as Direct3D does.
//!
//! ```
//! use aerogpu_replay::conformance::{Extent, rows};
//!
//! let rows = rows(Extent::Usual);
//! let name = "texture/array-6/square/one-mip/whole/sampled/rgba8/point/clamp";
//! assert!(rows.iter().all(|row| row.name().split('/').count() > 3));
//! assert!(name.parse::<aerogpu_replay::conformance::ConformanceRow>().is_ok());
//! ```
//!
//! A row is one value of each axis of a group. Its trace has one frame; its picture is computed where Direct3D's rules are
//! exact, else it is Vulkan's.
//!
//! ```text
//!  axes ──► covering ──► Row ──► trace ──► player ──► picture ─┐
//!                         └────► model (or Vulkan's picture) ──┴──► Outcome ──► table
//!  trace of a user ──► uses ──► axis values ──► rows of the table that fail
//! ```
//!
//! | group | module | what its rows ask |
//! |---|---|---|
//! | `texture` | `texture` | kinds of textures, views and formats, by the way they are used |
//! | `raster` | `raster` | viewports, scissors, depth, topologies |
//! | `binding` | `binding` | numbers of bindings, and what is not bound |
//! | `shared` | `shared` | memory and threads of compute shaders |

pub mod axes;
mod binding;
mod condition;
mod covering;
mod lines;
mod model;
mod outcome;
mod raster;
mod row;
#[cfg(feature = "gpu")]
mod run;
mod shaders;
mod shared;
mod table;
mod texture;
mod uses;

pub use axes::{Axis, BindingRow, RasterRow, SharedRow, TextureRow};
pub use covering::{Extent, rows};
pub use outcome::{Feature, Outcome, Tally, tally};
pub use row::{ConformanceRow, Expectation, RowNameError, RowTrace};
#[cfg(feature = "gpu")]
pub use run::{ConformanceError, ConformanceRun, RowResult};
pub use table::{ConformanceTable, TableError, TableOfDevice};
pub use uses::{FailingUse, failing_uses};

use crate::abi::a3a0::calls as stream;
