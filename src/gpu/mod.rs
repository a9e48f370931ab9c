//! Resolved ops → wgpu. Always offscreen: one `Rgba8Unorm` target, from which pictures are read back and which a
//! window shows, so that the two can't differ.
//!
//! ```
//! use std::time::Duration;
//!
//! use aerogpu_replay::gpu::{AdapterChoice, BackendChoice, Gpu};
//!
//! // Validates everything, and draws nothing.
//! let gpu = Gpu::open(BackendChoice::Noop, &AdapterChoice::Best, Duration::from_secs(60))?;
//! println!("{}", gpu.summary());
//! # Ok::<(), aerogpu_replay::gpu::GpuError>(())
//! ```
//!
//! ```text
//!  Op, DeviceOp ──► Renderer ──┬─ resources: buffers and textures; writes come, in order, to buffers that no pending draw reads
//!                              ├─ bindings, pipelines: what draws read, and what they are drawn with
//!                              ├─ recorder: transfers, then draws, submitted together; a CLEAR is the start of a pass
//!                              ├─ queries: the instruments of whoever asks about draws
//!                              └─ presenter: the picture, and (if asked) the copy for the readback
//! ```
//!
//! An op carries what it needs, or says where in the file it lies: nothing here carries commands out.
//!
//! Which pixels a triangle covers is the driver's to say. Inside of the viewport all do it alike: a pixel is covered if its
//! centre is inside, or on a top or a left edge. A triangle that reaches outside is cut at the viewport first, and the new
//! corners are rounded to 256ths of a pixel, so pixels at the edges that were cut can differ from what the whole triangle
//! would cover. `tests/gpu/edges.rs` shows that software drivers do exactly this, and nothing else.
//!
//! Questions about draws are answered by drawing too: with another [`DrawOverride`], on another [`RenderTarget`], under occlusion
//! queries or with the target's pixels counted.

mod adapter;
mod api_messages;
mod batch;
#[cfg(test)]
mod broken_invariants;
mod buffers;
mod canvas;
mod d3d;
mod device;
mod device_record;
mod draw_override;
mod draw_timer;
mod drawing;
mod drawing_remarks;
mod driver_faults;
mod error;
mod fallback_resources;
mod freed_memory;
mod in_flight;

mod overdraw_counter;
mod pictures;
mod pipelines;
mod pixel_copies;
mod presenter;
mod queries;
mod query_sets;
mod readback;
mod recorder;
mod render_target;
mod renderer;
mod shader_modules;
mod triangles;
mod under_way;
mod uploads;
mod vertex_outputs;
mod vertex_slots;
mod waiting;

pub use adapter::{AdapterChoice, AdapterSummary, BackendChoice, list_adapters};
pub use api_messages::{install_log, take_errors};
pub use d3d::{AskedDraw, PartCopy, PixelRectangle, VertexValues};
pub(crate) use d3d::{ComingDraw, DrawsAhead};
pub use device::{Gpu, NO_TIMEOUT, ObjectCounts, PipelineProgress};
pub use draw_override::{DrawOverride, DrawTest, TriangleSide};
pub use draw_timer::{FrameTimes, TimedParts};
pub use driver_faults::{DRIVER_FAULTS, DriverFault};
pub use error::{BudgetedWork, GpuError, LibraryError};
pub use freed_memory::{FreedMemory, freed_memory};
pub use in_flight::InFlightLimits;
pub use pictures::{PendingPicture, TargetCopy};
pub use render_target::RenderTarget;
pub use renderer::Renderer;
pub use under_way::{Draws, UnderWay, Work};
pub use vertex_outputs::{VertexRun, VertexStage};

/// The release of wgpu that this build draws with: pictures may depend on it.
pub const WGPU_VERSION: &str = "30.0.1";

/// The release of naga that compiles shaders.
pub const NAGA_VERSION: &str = "30.0.1";

#[cfg(test)]
mod tests {
    /// Neither crate tells its version at run time.
    #[test]
    fn the_versions_told_are_those_of_cargo_lock() {
        let lock = include_str!("../../Cargo.lock").replace('\r', "");
        for (name, version) in [("wgpu", super::WGPU_VERSION), ("naga", super::NAGA_VERSION)] {
            let of_name = format!("name = \"{name}\"\nversion = ");
            let entries: Vec<&str> = lock.split(of_name.as_str()).skip(1).collect();
            assert_eq!(entries.len(), 1, "{name} is there once");
            assert!(entries[0].starts_with(&format!("\"{version}\"\n")), "{name} is no longer {version}");
        }
    }
}
