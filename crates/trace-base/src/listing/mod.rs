//! What every listing is made of: rows with a name, a length and named values, and the [`Filter`] that chooses among
//! them.
//!
//! ```
//! use trace_base::listing::{AxisUnit, Filter};
//!
//! let filter = Filter::parse("DRAW(vertex_count > 100) and @duration > 2ms")?;
//! assert!(filter.check(Some(AxisUnit::Microseconds)).is_ok());
//! assert!(filter.check(Some(AxisUnit::Bytes)).is_err(), "bytes are no time");
//! # Ok::<(), trace_base::listing::FilterError>(())
//! ```
//!
//! Events of timelines, packets, programs and goldens are listed and filtered alike: whoever has rows makes a
//! [`Subject`] of each.

mod axis_unit;
mod filter;
pub mod json_text;
mod subject;
mod value;

pub use axis_unit::AxisUnit;
pub use filter::{Filter, FilterError};
pub use subject::{Length, Subject};
pub use value::{Argument, Value};
