//! Resources: sizes that a device lacks, and copies that WebGPU has not.

use super::device::Device;
use super::refusal::Refusal;
use crate::command::{CreateTexture, TextureFormat};

/// Refuses a buffer that is larger than the device has them.
pub fn check_buffer(device: &Device, size_bytes: u64) -> Result<(), Refusal> {
    Refusal::above("the size in bytes of a buffer", size_bytes.next_multiple_of(4), device.max_buffer_bytes)
}

/// Refuses a buffer that shaders read or write as a whole and that is larger than the device binds them.
pub fn check_storage_binding(device: &Device, size_bytes: u64) -> Result<(), Refusal> {
    let what = "the size in bytes of a buffer that a shader reads or writes";
    Refusal::above(what, size_bytes.next_multiple_of(4), device.max_storage_binding_bytes)
}

/// Refuses a texture that is larger than the device has them.
pub fn check_texture(device: &Device, desc: &CreateTexture) -> Result<(), Refusal> {
    let [width, height] = desc.size_px;
    let longest = u64::from(width.max(height));
    Refusal::above("a texture's longest side in texels", longest, u64::from(device.max_texture_side_px))?;
    Refusal::above("a texture's number of layers", u64::from(desc.layers), u64::from(device.max_texture_layers))
}

/// Refuses a dispatch of more groups than the device has.
pub fn check_groups(device: &Device, groups: [u32; 3]) -> Result<(), Refusal> {
    Refusal::without(device.features.compute, "a dispatch", "COMPUTE_SHADERS")?;
    let most = u64::from(device.max_groups_per_axis);
    let found = groups.into_iter().max().map_or(0, u64::from);
    Refusal::above("the number of thread groups along one axis", found, most)
}

/// Rectangle of a copy of texels, beside the mip's size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CopiedRectangle {
    /// Left and top.
    pub origin_px: [u32; 2],
    /// Width and height.
    pub size_px: [u32; 2],
    /// Width and height of the mip.
    pub mip_px: [u32; 2],
}

/// Refuses a texture of depth that would have to be copied, on a device that copies none.
pub fn check_copied_read(format: TextureFormat, device: &Device) -> Result<(), Refusal> {
    match format.is_depth() && !device.features.depth_copies {
        true => Err(Refusal::unsupported("a copy of a depth surface, which OpenGL cannot make,")),
        false => Ok(()),
    }
}

/// Refuses copies of depth that WebGPU has not: of parts of a mip, and to guest memory. Direct3D refuses the former, too.
pub fn check_depth_copy(
    device: &Device,
    format: TextureFormat,
    rectangles: [CopiedRectangle; 2],
    is_written_back: bool,
) -> Result<(), Refusal> {
    if !format.is_depth() {
        return Ok(());
    }
    check_copied_read(format, device)?;
    let is_whole = |copied: &CopiedRectangle| copied.origin_px == [0, 0] && copied.size_px == copied.mip_px;
    if !rectangles.iter().all(is_whole) {
        return Err(Refusal::unsupported("a copy of a part of a depth surface"));
    }
    match is_written_back {
        true => Err(Refusal::unsupported("depth that is written back to guest memory")),
        false => Ok(()),
    }
}
