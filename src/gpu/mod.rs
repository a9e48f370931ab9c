//! Resolved ops → wgpu. Always offscreen: one `Rgba8Unorm` target, from which pictures are read back and which a
//! window shows, so that the two can't differ.
//!
//! ```text
//!  Op ──► Renderer ──┬─ transfers: uploads, in order, into buffers that no pending draw reads
//!                    ├─ draws: one render pass for a frame; a CLEAR is the start of a pass
//!                    └─ submit: transfers, then draws, then (if asked) the copy for the readback
//! ```

mod adapter;
mod batch;
mod buffers;
mod device;
mod draws;
mod error;
mod neutral;
mod pipelines;
mod readback;
mod renderer;
mod vertex_slots;

pub use adapter::{AdapterChoice, AdapterSummary, BackendChoice, list_adapters};
pub use device::Gpu;
pub use error::GpuError;
pub use renderer::{PendingPicture, Renderer, TargetCopy};
