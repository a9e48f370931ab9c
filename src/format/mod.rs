//! File formats, one folder each: framing and validation, nothing about what the bytes mean.
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

pub mod aerogpu;
pub mod wip15;
pub mod wtf;
