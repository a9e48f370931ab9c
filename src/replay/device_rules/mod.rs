//! Rules of WebGPU that Direct3D does not have: what of a stream a device takes as it is, what is drawn in another way, and
//! what is refused.
//!
//! ```text
//!  DrawState ─┐
//!             ├─[rules]──► attachments, viewport, textures, vertices as the device takes them
//!  Device ────┘       └──► Refusal, before anything of the command is recorded
//! ```
//!
//! | rules about | module |
//! |---|---|
//! | targets of a draw | `targets` |
//! | viewports | `viewport` |
//! | fixed state | `pipeline` |
//! | vertices | `vertices` |
//! | shaders, and how much they bind | `stages` |
//! | textures that are read | `textures` |
//! | buffers that are read and written | `buffers` |
//! | resources, copies, dispatches | `resources` |
//!
//! [`DEVICE_RULES`] lists all of them by the names of wgpu's errors. An error of wgpu's validation is a mistake of this
//! program: each rule is decided here first. Only drawing asks a [`Device`]; the index, trims and input hashes are the same on
//! every machine.

mod buffers;
mod device;
mod pipeline;
mod refusal;
mod resources;
mod stages;
mod table;
mod targets;
mod textures;
mod vertices;
mod viewport;

pub use buffers::{
    check_buffer_kinds, check_written_by_dispatch, check_written_by_draw, stages_of, writes_buffers, written_by,
};
pub use device::{Device, DeviceFeatures};
pub use pipeline::{check_blending, check_fixed_state, reads_second_color, state_of};
pub use refusal::Refusal;
pub use resources::{
    CopiedRectangle, check_buffer, check_copied_read, check_depth_copy, check_groups, check_storage_binding,
    check_texture,
};
pub use stages::{Points, check_compute, check_draw, check_values_given, values_given};
pub use table::{Answer, DEVICE_RULES, DeviceRule};
pub use targets::{attachments, check_attachments, padded_size_px};
pub use textures::{TextureRead, counted_layers, loads_texels, stored_layers, texture_read};
pub use vertices::{check_stride, check_vertex_buffers, is_constant, lies_plainly, step};
pub use viewport::{ViewportMove, ViewportRectangle, intersection};
