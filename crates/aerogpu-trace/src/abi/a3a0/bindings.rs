//! Packets that bind resources to slots, and the states that Direct3D 9 numbers.

use super::enumerations::{ADDRESS, FILTER, INDEX_FORMAT, TOPOLOGY};
use super::layout::{
    HEX, NUMBER, RESERVED, RESOURCE, SAMPLER, STAGE, STAGE_EX, at_most, handle, one_of, some_handle, start_of,
};
use super::rest::{BoundHandle, BufferBinding, Elements, UnorderedAccessBinding, VertexBufferBinding};
use super::table::family;

family! {
    /// Packets that bind resources to slots, and the states that Direct3D 9 numbers.
    BindingPacket<'a>, life 'a, body Binding;

    /// Binds vertex buffers to slots in a row.
    0x500 SET_VERTEX_BUFFERS SetVertexBuffers<'a> { start_slot: u32 = start_of(32), buffer_count: u32 = NUMBER }
        + values: Elements<'a, VertexBufferBinding>, counted by buffer_count;
    /// Binds the index buffer.
    0x501 SET_INDEX_BUFFER SetIndexBuffer {
        buffer: u32 = handle(RESOURCE), format: u32 = one_of(&INDEX_FORMAT), offset: u32 = NUMBER, reserved: u32 = RESERVED,
    };
    /// Sets what vertices form.
    0x502 SET_PRIMITIVE_TOPOLOGY SetPrimitiveTopology { topology: u32 = one_of(&TOPOLOGY), reserved: u32 = RESERVED };
    /// Binds a texture, or a buffer that shaders read, to a slot.
    0x510 SET_TEXTURE SetTexture {
        stage: u32 = STAGE, slot: u32 = at_most(127), texture: u32 = handle(RESOURCE), stage_ex: u32 = STAGE_EX,
    };
    /// Sets one of Direct3D 9's sampler states.
    0x511 SET_SAMPLER_STATE SetSamplerState {
        stage: u32 = STAGE, slot: u32 = at_most(15), state: u32 = NUMBER, value: u32 = HEX,
    };
    /// Sets one of Direct3D 9's render states.
    0x512 SET_RENDER_STATE SetRenderState { state: u32 = NUMBER, value: u32 = HEX };
    /// Makes a sampler.
    0x520 CREATE_SAMPLER CreateSampler {
        handle: u32 = some_handle(SAMPLER), filter: u32 = one_of(&FILTER), address_u: u32 = one_of(&ADDRESS),
        address_v: u32 = one_of(&ADDRESS), address_w: u32 = one_of(&ADDRESS),
    };
    /// Ends a sampler's life.
    0x521 DESTROY_SAMPLER DestroySampler { handle: u32 = handle(SAMPLER), reserved: u32 = RESERVED };
    /// Binds samplers to slots in a row.
    0x522 SET_SAMPLERS SetSamplers<'a> {
        stage: u32 = STAGE, start_slot: u32 = start_of(16), sampler_count: u32 = NUMBER, stage_ex: u32 = STAGE_EX,
    } + values: Elements<'a, BoundHandle>, counted by sampler_count;
    /// Binds constant buffers to slots in a row.
    0x523 SET_CONSTANT_BUFFERS SetConstantBuffers<'a> {
        stage: u32 = STAGE, start_slot: u32 = start_of(14), buffer_count: u32 = NUMBER, stage_ex: u32 = STAGE_EX,
    } + values: Elements<'a, BufferBinding>, counted by buffer_count;
    /// Binds buffers that shaders read to slots in a row.
    0x524 SET_SHADER_RESOURCE_BUFFERS SetShaderResourceBuffers<'a> {
        stage: u32 = STAGE, start_slot: u32 = start_of(128), buffer_count: u32 = NUMBER, stage_ex: u32 = STAGE_EX,
    } + values: Elements<'a, BufferBinding>, counted by buffer_count;
    /// Binds buffers that shaders write to slots in a row.
    0x525 SET_UNORDERED_ACCESS_BUFFERS SetUnorderedAccessBuffers<'a> {
        stage: u32 = STAGE, start_slot: u32 = start_of(8), uav_count: u32 = NUMBER, stage_ex: u32 = STAGE_EX,
    } + values: Elements<'a, UnorderedAccessBinding>, counted by uav_count;
}
