//! AeroGPU traces as timelines, so that annotations have frames to lie beside; the timelines themselves are those of
//! [`trace_timeline`].
//!
//! ```
//! use aerogpu_replay::bytes::Diagnostics;
//! use aerogpu_replay::format::aerogpu::Trace;
//! use aerogpu_replay::timeline::aerogpu::map_aerogpu;
//!
//! let trace = Trace::open("fixtures/aerogpu/triangle.aerogputrace")?;
//! let mapped = map_aerogpu(&trace, "triangle", &mut Diagnostics::new());
//! assert_eq!(mapped.timeline.frames.len(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod aerogpu;
mod marker_tracks;

pub use trace_timeline::*;
