//! Packets that make, fill and copy buffers and textures.

use super::enumerations::FORMAT;
use super::layout::{
    ALLOCATION, ALLOCATION_OFFSET, NOT_ZERO, NUMBER, RESERVED, RESOURCE, handle, known_bits, one_of, only_bits,
    some_handle,
};
use super::rest::Bytes;
use super::table::family;

family! {
    /// Packets that make, fill and copy buffers and textures.
    ResourcePacket<'a>, life 'a, body Resource;

    /// Makes a buffer, in guest memory if `backing_alloc_id` is not 0.
    0x100 CREATE_BUFFER CreateBuffer {
        handle: u32 = some_handle(RESOURCE), usage: u32 = known_bits(0xff), size_bytes: u64 = NOT_ZERO,
        backing_alloc_id: u32 = ALLOCATION, backing_offset: u32 = ALLOCATION_OFFSET, reserved: u64 = RESERVED,
    };
    /// Makes a texture, in guest memory if `backing_alloc_id` is not 0.
    0x101 CREATE_TEXTURE2D CreateTexture2d {
        handle: u32 = some_handle(RESOURCE), usage: u32 = known_bits(0xff), format: u32 = one_of(&FORMAT),
        width: u32 = NOT_ZERO, height: u32 = NOT_ZERO, mip_levels: u32 = NOT_ZERO, array_layers: u32 = NOT_ZERO,
        row_pitch: u32 = NUMBER, backing_alloc_id: u32 = ALLOCATION, backing_offset: u32 = ALLOCATION_OFFSET,
        reserved: u64 = RESERVED,
    };
    /// Ends a buffer's or a texture's life under this handle.
    0x102 DESTROY_RESOURCE DestroyResource { handle: u32 = handle(RESOURCE), reserved: u32 = RESERVED };
    /// Says that the guest has written to the memory behind a resource.
    0x103 RESOURCE_DIRTY_RANGE ResourceDirtyRange {
        handle: u32 = handle(RESOURCE), reserved: u32 = RESERVED, offset: u64 = NUMBER, size_bytes: u64 = NUMBER,
    };
    /// Writes bytes into a resource.
    0x104 UPLOAD_RESOURCE UploadResource<'a> {
        handle: u32 = handle(RESOURCE), reserved: u32 = RESERVED, offset: u64 = NUMBER, size_bytes: u64 = NUMBER,
    } + data: Bytes<'a>, counted by size_bytes;
    /// Copies bytes from one buffer to another.
    0x105 COPY_BUFFER CopyBuffer {
        dst: u32 = some_handle(RESOURCE), src: u32 = some_handle(RESOURCE), dst_offset: u64 = NUMBER, src_offset: u64 = NUMBER,
        size_bytes: u64 = NUMBER, flags: u32 = only_bits(1), reserved: u32 = RESERVED,
    };
    /// Copies a rectangle from one texture to another.
    0x106 COPY_TEXTURE2D CopyTexture2d {
        dst: u32 = some_handle(RESOURCE), src: u32 = some_handle(RESOURCE), dst_mip: u32 = NUMBER, dst_layer: u32 = NUMBER,
        src_mip: u32 = NUMBER, src_layer: u32 = NUMBER, dst_x: u32 = NUMBER, dst_y: u32 = NUMBER,
        src_x: u32 = NUMBER, src_y: u32 = NUMBER, width: u32 = NUMBER, height: u32 = NUMBER,
        flags: u32 = only_bits(1), reserved: u32 = RESERVED,
    };
    /// Names some mips and layers of a texture, in a format of their own.
    0x107 CREATE_TEXTURE_VIEW CreateTextureView {
        view: u32 = some_handle(RESOURCE), texture: u32 = some_handle(RESOURCE), format: u32 = one_of(&FORMAT), base_mip: u32 = NUMBER,
        mip_count: u32 = NOT_ZERO, base_layer: u32 = NUMBER, layer_count: u32 = NOT_ZERO, reserved: u64 = RESERVED,
    };
    /// Ends a view's life.
    0x108 DESTROY_TEXTURE_VIEW DestroyTextureView { view: u32 = handle(RESOURCE), reserved: u32 = RESERVED };
}
