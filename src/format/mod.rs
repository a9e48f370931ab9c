//! File formats by their names: [`aerogpu`] of [`aerogpu_trace`], [`wip15`] and [`wtf`] of [`trace_timeline`].
//!
//! ```
//! use aerogpu_replay::format::aerogpu::{Trace, TraceWriter};
//!
//! let mut trace = TraceWriter::new(Vec::new(), 1, "{}")?;
//! trace.begin_frame()?;
//! trace.present()?;
//! let bytes = trace.finish()?;
//! assert!(bytes.starts_with(b"AEROGPUT"));
//!
//! let trace = Trace::open("fixtures/aerogpu/triangle.aerogputrace")?;
//! assert_eq!(trace.frames().len(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub use aerogpu_trace::container as aerogpu;
pub use trace_timeline::{wip15, wtf};
