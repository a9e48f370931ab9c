//! Packets → commands: numbers get their types and meanings, payloads become places in the file.
//!
//! What is refused is what has no meaning: a number that is none of an enumeration. A reference to nothing, a slot that
//! does not exist, a range past a resource's end are matters of whoever carries the command out.

use super::bindings::BindingPacket;
use super::enumerations::Coded;
use super::layout::Layout;
use super::packet::{Body, RawPacket};
use super::resources::ResourcePacket;
use super::rest::{
    BoolForm, BoundHandle, BufferBinding, Element, Elements, UnorderedAccessBinding, VertexBufferBinding,
};
use super::shaders::ShaderPacket;
use super::sharing::SharingPacket;
use super::stage::stage_of;
use super::state::{SetBlendState, StatePacket};
use super::table::Described;
use super::work::WorkPacket;
use super::{bindings, resources, shaders, work};
use crate::abi::AbiError;
use crate::abi::lists::ListElement;
use crate::command::{
    Aspects, Backing, BindShaders, BlendEquation, BufferSlot, BufferUse, Clear, Command, ConstantBank, CopyBuffer,
    CopyTexture, CreateBuffer, CreateLayout, CreateSampler, CreateShader, CreateTexture, CreateView, Dispatch, Draw,
    DrawIndexed, FileBytes, FileList, LayoutId, Payload, Present, Refresh, ResourceId, SamplerId, SamplerSlot,
    SetBlend, SetBuffers, SetConstants, SetDepthStencil, SetIndexBuffer, SetRasterizer, SetRenderState,
    SetSamplerState, SetSamplers, SetScissor, SetTargets, SetTexture, SetVertexBuffers, ShaderCode, ShaderId,
    ShaderStage, ShareToken, Subresource, SubresourceRange, Upload, VertexBufferSlot, Viewport,
};
use trace_base::bytes::Cursor;

/// Says what a packet means, in a stream of ABI version 1.`minor`.
#[inline]
pub fn lower(raw: &RawPacket<'_>, minor: u16) -> Result<Command, AbiError> {
    let lowering = Lowering { raw, minor };
    // Streams are full of these: each is decoded as itself, not as one of all packets, which are copied as a whole.
    match raw.opcode {
        SET_TEXTURE => lowering.set_texture(&raw.decode_as()?),
        SET_CONSTANTS => lowering.set_floats(&raw.decode_as()?),
        SET_RENDER_STATE => Ok(set_render_state(&raw.decode_as()?)),
        DRAW => Ok(draw(&raw.decode_as()?)),
        DRAW_INDEXED => Ok(draw_indexed(&raw.decode_as()?)),
        _ => lowering.any(),
    }
}

const SET_TEXTURE: u32 = bindings::SetTexture::LAYOUT.opcode;
const SET_CONSTANTS: u32 = shaders::SetShaderConstantsF::LAYOUT.opcode;
const SET_RENDER_STATE: u32 = bindings::SetRenderState::LAYOUT.opcode;
const DRAW: u32 = work::Draw::LAYOUT.opcode;
const DRAW_INDEXED: u32 = work::DrawIndexed::LAYOUT.opcode;

impl Lowering<'_, '_> {
    /// Says what a packet of any kind means.
    #[inline(never)]
    fn any(&self) -> Result<Command, AbiError> {
        let packet = self.raw.decode()?;
        match packet.body {
            Body::Resource(resource) => self.resource(&resource),
            Body::Shader(shader) => self.shader(&shader, packet.tail),
            Body::State(state) => self.state(&state),
            Body::Binding(binding) => self.binding(&binding),
            Body::Work(work) => self.work(&work),
            Body::Sharing(sharing) => Ok(share(sharing)),
            Body::Unknown { opcode, .. } => Ok(Command::Unknown { opcode }),
        }
    }

    #[inline(always)]
    fn set_texture(&self, packet: &bindings::SetTexture) -> Result<Command, AbiError> {
        let (stage, slot) = sampler_of(self.stage(packet.stage, packet.stage_ex)?, packet.slot);
        Ok(Command::SetTexture(SetTexture { stage, slot, texture: ResourceId::bound(packet.texture) }))
    }

    #[inline(always)]
    fn set_floats(&self, packet: &shaders::SetShaderConstantsF<'_>) -> Result<Command, AbiError> {
        let place = [packet.stage, packet.stage_ex, packet.start_register, packet.vec4_count];
        self.constants::<shaders::SetShaderConstantsF<'_>>(ConstantBank::Float, place)
    }
}

fn set_render_state(packet: &bindings::SetRenderState) -> Command {
    Command::SetRenderState(SetRenderState { state: packet.state, value: packet.value })
}

fn draw(packet: &work::Draw) -> Command {
    Command::Draw(Draw {
        vertex_count: packet.vertex_count,
        first_vertex: packet.first_vertex,
        instance_count: packet.instance_count,
        first_instance: packet.first_instance,
    })
}

fn draw_indexed(packet: &work::DrawIndexed) -> Command {
    Command::DrawIndexed(DrawIndexed {
        index_count: packet.index_count,
        first_index: packet.first_index,
        base_vertex: packet.base_vertex,
        instance_count: packet.instance_count,
        first_instance: packet.first_instance,
    })
}

/// Bit 0 of the flags of both copies: the guest's memory behind the destination gets the bytes, too.
const COPY_WRITES_BACK: u32 = 1;
/// Bit 0 of SET_RASTERIZER_STATE's flags.
const CLAMPS_DEPTH: u32 = 1;
/// Bit 0 of a present's flags.
const WAITS_FOR_VSYNC: u32 = 1;

#[derive(Clone, Copy)]
struct Lowering<'p, 'a> {
    raw: &'p RawPacket<'a>,
    minor: u16,
}

impl Lowering<'_, '_> {
    fn forbidden(&self, field: &'static str, found: u32, expected: &'static str) -> AbiError {
        let layout = Layout::of(self.raw.opcode);
        let at = layout.and_then(|layout| layout.field(field)).map_or(0, |(at, _)| at);
        let (opcode, offset) = (Layout::name_of(self.raw.opcode), self.raw.offset + u64::from(at));
        AbiError::Forbidden { opcode, field, found, expected, offset }
    }

    fn code<T: Coded>(&self, field: &'static str, code: u32) -> Result<T, AbiError> {
        T::from_code(code).ok_or_else(|| self.forbidden(field, code, T::CODES.what))
    }

    /// Whether the flags of a copy say that guest memory gets what is copied.
    fn writes_back(&self, flags: u32) -> Result<bool, AbiError> {
        match flags & !COPY_WRITES_BACK {
            0 => Ok(flags != 0),
            _ => Err(self.forbidden("flags", flags, "only WRITEBACK_DST (1)")),
        }
    }

    fn stage(&self, stage: u32, stage_ex: u32) -> Result<ShaderStage, AbiError> {
        let found = stage_of(stage, stage_ex, self.minor);
        found.ok_or_else(|| match stage_of(stage, 0, self.minor) {
            Some(_) => self.forbidden("stage_ex", stage_ex, "0, or 2 to 5"),
            None => self.forbidden("stage", stage, "a shader stage"),
        })
    }

    /// What stands behind the fields of a packet of this kind.
    fn rest<'d, D: Described<'d>>(&self, size_bytes: u64) -> FileBytes {
        FileBytes { offset: self.raw.offset + u64::from(D::LAYOUT.fixed_bytes()), size_bytes }
    }

    fn list<'d, D: Described<'d>, T: Element, S: ListElement>(&self, values: &Elements<'_, T>) -> FileList<S> {
        // A packet is shorter than 4 GiB, and an element is no shorter than a dword.
        let count = values.len() as u32;
        FileList::new(self.rest::<D>(u64::from(count) * u64::from(T::BYTES)), count)
    }

    fn resource(&self, packet: &ResourcePacket<'_>) -> Result<Command, AbiError> {
        Ok(match packet {
            ResourcePacket::CreateBuffer(packet) => Command::CreateBuffer(CreateBuffer {
                id: ResourceId::handle(packet.handle),
                size_bytes: packet.size_bytes,
                usage: packet.usage,
                backing: backing(packet.backing_alloc_id, packet.backing_offset),
            }),
            ResourcePacket::CreateTexture2d(packet) => Command::CreateTexture(CreateTexture {
                id: ResourceId::handle(packet.handle),
                format: self.code("format", packet.format)?,
                size_px: [packet.width, packet.height],
                mips: packet.mip_levels,
                layers: packet.array_layers,
                row_pitch_bytes: packet.row_pitch,
                usage: packet.usage,
                backing: backing(packet.backing_alloc_id, packet.backing_offset),
            }),
            ResourcePacket::DestroyResource(packet) => Command::DestroyResource(ResourceId::handle(packet.handle)),
            ResourcePacket::ResourceDirtyRange(packet) => Command::Refresh(Refresh {
                id: ResourceId::handle(packet.handle),
                offset_bytes: packet.offset,
                size_bytes: packet.size_bytes,
            }),
            ResourcePacket::UploadResource(packet) => Command::Upload(Upload {
                id: ResourceId::handle(packet.handle),
                offset_bytes: packet.offset,
                size_bytes: packet.size_bytes,
                payload: Payload::Inline(self.rest::<resources::UploadResource<'_>>(packet.size_bytes)),
            }),
            ResourcePacket::CopyBuffer(packet) => Command::CopyBuffer(CopyBuffer {
                to: ResourceId::handle(packet.dst),
                from: ResourceId::handle(packet.src),
                to_offset_bytes: packet.dst_offset,
                from_offset_bytes: packet.src_offset,
                size_bytes: packet.size_bytes,
                writes_back: self.writes_back(packet.flags)?,
            }),
            ResourcePacket::CopyTexture2d(packet) => {
                Command::CopyTexture(copy_texture(packet, self.writes_back(packet.flags)?))
            }
            ResourcePacket::CreateTextureView(packet) => Command::CreateView(CreateView {
                id: ResourceId::handle(packet.view),
                texture: ResourceId::handle(packet.texture),
                format: self.code("format", packet.format)?,
                mips: SubresourceRange { first: packet.base_mip, count: packet.mip_count },
                layers: SubresourceRange { first: packet.base_layer, count: packet.layer_count },
            }),
            ResourcePacket::DestroyTextureView(packet) => Command::DestroyView(ResourceId::handle(packet.view)),
        })
    }

    fn shader(&self, packet: &ShaderPacket<'_>, tail: &[u8]) -> Result<Command, AbiError> {
        Ok(match packet {
            ShaderPacket::CreateShaderDxbc(packet) => Command::CreateShader(CreateShader {
                id: ShaderId::handle(packet.handle),
                stage: self.stage(packet.stage, packet.stage_ex)?,
                code: ShaderCode::Bytecode(self.rest::<shaders::CreateShaderDxbc<'_>>(packet.size_bytes.into())),
            }),
            ShaderPacket::DestroyShader(packet) => Command::DestroyShader(ShaderId::handle(packet.handle)),
            ShaderPacket::BindShaders(packet) => {
                let [gs, hs, ds] = packet.later_stages(tail.len());
                Command::BindShaders(BindShaders::new([packet.vs, packet.ps, packet.cs, gs, hs, ds]))
            }
            ShaderPacket::SetShaderConstantsF(packet) => self.set_floats(packet)?,
            ShaderPacket::SetShaderConstantsI(packet) => {
                let place = [packet.stage, packet.stage_ex, packet.start_register, packet.vec4_count];
                self.constants::<shaders::SetShaderConstantsI<'_>>(ConstantBank::Int, place)?
            }
            ShaderPacket::SetShaderConstantsB(packet) => {
                let place = [packet.stage, packet.stage_ex, packet.start_register, packet.bool_count];
                let bank = match packet.values.form {
                    BoolForm::Scalar => ConstantBank::Bool,
                    BoolForm::Vec4 => ConstantBank::WideBool,
                };
                self.constants::<shaders::SetShaderConstantsB<'_>>(bank, place)?
            }
            ShaderPacket::CreateInputLayout(packet) => Command::CreateLayout(CreateLayout {
                id: LayoutId::handle(packet.handle),
                declaration: self.rest::<shaders::CreateInputLayout<'_>>(packet.blob_size.into()),
            }),
            ShaderPacket::DestroyInputLayout(packet) => Command::DestroyLayout(LayoutId::handle(packet.handle)),
            ShaderPacket::SetInputLayout(packet) => Command::SetLayout(LayoutId::bound(packet.handle)),
        })
    }

    fn constants<'d, D: Described<'d>>(&self, bank: ConstantBank, place: [u32; 4]) -> Result<Command, AbiError> {
        let [stage, stage_ex, first_register, register_count] = place;
        let values = self.rest::<D>(u64::from(register_count) * u64::from(bank.register_bytes()));
        let stage = self.stage(stage, stage_ex)?;
        Ok(Command::SetConstants(SetConstants { stage, bank, first_register, register_count, values }))
    }

    fn state(&self, packet: &StatePacket) -> Result<Command, AbiError> {
        Ok(match packet {
            StatePacket::SetBlendState(packet) => Command::SetBlend(self.blend(packet)?),
            StatePacket::SetDepthStencilState(packet) => Command::SetDepthStencil(SetDepthStencil {
                tests_depth: packet.depth_enable != 0,
                writes_depth: packet.depth_write != 0,
                depth_comparison: self.code("depth_func", packet.depth_func)?,
                tests_stencil: packet.stencil_enable != 0,
                stencil_read_mask: packet.stencil_read_mask,
                stencil_write_mask: packet.stencil_write_mask,
            }),
            StatePacket::SetRasterizerState(packet) => Command::SetRasterizer(SetRasterizer {
                fill: self.code("fill", packet.fill)?,
                cull: self.code("cull", packet.cull)?,
                front_is_counter_clockwise: packet.front_ccw != 0,
                is_scissor_enabled: packet.scissor_enable != 0,
                depth_bias: packet.depth_bias,
                clamps_depth: packet.flags & CLAMPS_DEPTH != 0,
            }),
            StatePacket::SetRenderTargets(packet) => {
                let count =
                    u8::try_from(packet.color_count).ok().filter(|count| usize::from(*count) <= packet.color.len());
                let count = count.ok_or_else(|| self.forbidden("color_count", packet.color_count, "at most 8"))?;
                Command::SetTargets(SetTargets::new(count, packet.color, packet.depth_stencil))
            }
            StatePacket::SetViewport(packet) => Command::SetViewport(Viewport::Rectangle {
                origin_px: [packet.x, packet.y],
                size_px: [packet.width, packet.height],
                depth: [packet.min_depth, packet.max_depth],
            }),
            StatePacket::SetScissor(packet) => Command::SetScissor(SetScissor {
                origin_px: [packet.x, packet.y],
                size_px: [packet.width, packet.height],
            }),
        })
    }

    fn blend(&self, packet: &SetBlendState) -> Result<SetBlend, AbiError> {
        let effective = packet.effective();
        let equation = |[src, dst, op]: [u32; 3], [src_field, dst_field, op_field]: [&'static str; 3]| {
            Ok::<_, AbiError>(BlendEquation {
                src: self.code(src_field, src)?,
                dst: self.code(dst_field, dst)?,
                op: self.code(op_field, op)?,
            })
        };
        Ok(SetBlend {
            is_enabled: packet.enable != 0,
            color: equation(effective.color, ["src", "dst", "op"])?,
            alpha: equation(effective.alpha, ["src_alpha", "dst_alpha", "op_alpha"])?,
            write_mask: packet.write_mask,
            constant: effective.constant,
            sample_mask: effective.sample_mask,
        })
    }

    fn binding(&self, packet: &BindingPacket<'_>) -> Result<Command, AbiError> {
        Ok(match packet {
            BindingPacket::SetVertexBuffers(packet) => Command::SetVertexBuffers(SetVertexBuffers {
                first_slot: packet.start_slot,
                slots: self.list::<bindings::SetVertexBuffers<'_>, _, _>(&packet.values),
            }),
            BindingPacket::SetIndexBuffer(packet) => Command::SetIndexBuffer(SetIndexBuffer {
                buffer: ResourceId::bound(packet.buffer),
                format: self.code("format", packet.format)?,
                offset_bytes: packet.offset,
            }),
            BindingPacket::SetPrimitiveTopology(packet) => {
                Command::SetTopology(self.code("topology", packet.topology)?)
            }
            BindingPacket::SetTexture(packet) => self.set_texture(packet)?,
            BindingPacket::SetSamplerState(packet) => {
                let (stage, slot) = sampler_of(self.stage(packet.stage, 0)?, packet.slot);
                Command::SetSamplerState(SetSamplerState { stage, slot, state: packet.state, value: packet.value })
            }
            BindingPacket::SetRenderState(packet) => set_render_state(packet),
            BindingPacket::CreateSampler(packet) => Command::CreateSampler(CreateSampler {
                id: SamplerId::handle(packet.handle),
                filter: self.code("filter", packet.filter)?,
                address: [
                    self.code("address_u", packet.address_u)?,
                    self.code("address_v", packet.address_v)?,
                    self.code("address_w", packet.address_w)?,
                ],
            }),
            BindingPacket::DestroySampler(packet) => Command::DestroySampler(SamplerId::handle(packet.handle)),
            BindingPacket::SetSamplers(packet) => Command::SetSamplers(SetSamplers {
                stage: self.stage(packet.stage, packet.stage_ex)?,
                first_slot: packet.start_slot,
                slots: self.list::<bindings::SetSamplers<'_>, _, _>(&packet.values),
            }),
            BindingPacket::SetConstantBuffers(packet) => Command::SetBuffers(SetBuffers {
                stage: self.stage(packet.stage, packet.stage_ex)?,
                usage: BufferUse::Constants,
                first_slot: packet.start_slot,
                slots: self.list::<bindings::SetConstantBuffers<'_>, _, _>(&packet.values),
            }),
            BindingPacket::SetShaderResourceBuffers(packet) => Command::SetBuffers(SetBuffers {
                stage: self.stage(packet.stage, packet.stage_ex)?,
                usage: BufferUse::Resource,
                first_slot: packet.start_slot,
                slots: self.list::<bindings::SetShaderResourceBuffers<'_>, _, _>(&packet.values),
            }),
            BindingPacket::SetUnorderedAccessBuffers(packet) => Command::SetBuffers(SetBuffers {
                stage: self.stage(packet.stage, packet.stage_ex)?,
                usage: BufferUse::UnorderedAccess,
                first_slot: packet.start_slot,
                slots: self.list::<bindings::SetUnorderedAccessBuffers<'_>, _, _>(&packet.values),
            }),
        })
    }

    fn work(&self, packet: &WorkPacket<'_>) -> Result<Command, AbiError> {
        let present = |scanout_id, flags, d3d9_flags| {
            let waits_for_vsync = flags & WAITS_FOR_VSYNC != 0;
            Command::Present(Present { scanout: scanout_id, waits_for_vsync, d3d9_flags })
        };
        Ok(match packet {
            WorkPacket::Nop(_) => Command::Nop,
            WorkPacket::DebugMarker(packet) => {
                let size_bytes = packet.text.trimmed().len() as u64;
                Command::Marker(self.rest::<work::DebugMarker<'_>>(size_bytes))
            }
            WorkPacket::Clear(packet) => Command::Clear(Clear {
                aspects: Aspects {
                    color: packet.flags & 1 != 0,
                    depth: packet.flags & 2 != 0,
                    stencil: packet.flags & 4 != 0,
                },
                rgba: [packet.r, packet.g, packet.b, packet.a],
                depth: packet.depth,
                stencil: packet.stencil,
            }),
            WorkPacket::Draw(packet) => draw(packet),
            WorkPacket::DrawIndexed(packet) => draw_indexed(packet),
            WorkPacket::Dispatch(packet) => Command::Dispatch(Dispatch {
                groups: [packet.x, packet.y, packet.z],
                bindings: self.stage(2, packet.stage_ex)?,
            }),
            WorkPacket::Present(packet) => present(packet.scanout_id, packet.flags, None),
            WorkPacket::PresentEx(packet) => present(packet.scanout_id, packet.flags, Some(packet.d3d9_present_flags)),
            WorkPacket::Flush(_) => Command::Flush,
        })
    }
}

/// Allocation 0 is none.
/// Direct3D 9 numbers the samplers of vertex shaders behind those of pixel shaders, from D3DVERTEXTEXTURESAMPLER0 on.
fn sampler_of(stage: ShaderStage, slot: u32) -> (ShaderStage, u32) {
    const FIRST_OF_VERTICES: u32 = 257;
    const LAST_OF_VERTICES: u32 = 260;
    match (stage, slot) {
        (ShaderStage::Vertex | ShaderStage::Fragment, FIRST_OF_VERTICES..=LAST_OF_VERTICES) => {
            (ShaderStage::Vertex, slot - FIRST_OF_VERTICES)
        }
        _ => (stage, slot),
    }
}

fn backing(allocation: u32, offset_bytes: u32) -> Option<Backing> {
    (allocation != 0).then_some(Backing { allocation, offset_bytes })
}

fn copy_texture(packet: &resources::CopyTexture2d, writes_back: bool) -> CopyTexture {
    CopyTexture {
        to: Subresource { id: ResourceId::handle(packet.dst), mip: packet.dst_mip, layer: packet.dst_layer },
        from: Subresource { id: ResourceId::handle(packet.src), mip: packet.src_mip, layer: packet.src_layer },
        to_px: [packet.dst_x, packet.dst_y],
        from_px: [packet.src_x, packet.src_y],
        size_px: [packet.width, packet.height],
        writes_back,
    }
}

fn share(packet: SharingPacket) -> Command {
    match packet {
        SharingPacket::ExportSharedSurface(packet) => Command::ExportShared {
            resource: ResourceId::handle(packet.resource),
            token: ShareToken(packet.share_token),
        },
        SharingPacket::ImportSharedSurface(packet) => Command::ImportShared {
            resource: ResourceId::handle(packet.out_resource),
            token: ShareToken(packet.share_token),
        },
        SharingPacket::ReleaseSharedSurface(packet) => Command::ReleaseShared(ShareToken(packet.share_token)),
    }
}

impl ListElement for VertexBufferSlot {
    fn parse(cursor: &mut Cursor<'_>) -> Option<Self> {
        let VertexBufferBinding { buffer, stride_bytes, offset_bytes, .. } = Element::parse(cursor)?;
        Some(Self { buffer: ResourceId::bound(buffer), stride_bytes, offset_bytes })
    }
}

impl ListElement for SamplerSlot {
    fn parse(cursor: &mut Cursor<'_>) -> Option<Self> {
        let BoundHandle { handle } = Element::parse(cursor)?;
        Some(Self(SamplerId::bound(handle)))
    }
}

impl ListElement for BufferSlot {
    /// The two kinds of bindings differ in what their last word is called, and one of them has no use for it.
    fn parse(cursor: &mut Cursor<'_>) -> Option<Self> {
        const { assert!(BufferBinding::BYTES == UnorderedAccessBinding::BYTES) };
        let UnorderedAccessBinding { buffer, offset_bytes, size_bytes, initial_count } = Element::parse(cursor)?;
        Some(Self { buffer: ResourceId::bound(buffer), offset_bytes, size_bytes, initial_count })
    }
}
