//! Submissions of Direct3D 10 and 11 under construction, call by call.
//!
//! ```
//! use aerogpu_trace::abi::a3a0::calls::{R8G8B8A8, Stream, recording};
//!
//! let mut stream = Stream::new();
//! stream.texture(1, R8G8B8A8, [4, 4], [1, 1]).targets(&[1], 0).clear(1, [1.0, 0.0, 0.0, 1.0], 1.0).present();
//! let stream = stream.into_bytes()?;
//! assert!(recording([&stream[..]])?.len() > 200);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::abi::a3a0::bindings::*;
use crate::abi::a3a0::resources::*;
use crate::abi::a3a0::shaders::*;
use crate::abi::a3a0::state::*;
use crate::abi::a3a0::work::*;
use crate::abi::a3a0::{
    ABI_VERSION, BoundHandle, BufferBinding, Bytes, Element as ListElement, Elements, EncodeError, ILAY_MAGIC, Packet,
    StreamWriter, UnorderedAccessBinding, VertexBufferBinding,
};
use crate::container::{NewSubmission, TraceWriter, WriteError};

/// The vertex stage.
pub const VERTEX: u32 = 0;
/// The pixel stage.
pub const PIXEL: u32 = 1;
/// The compute stage.
pub const COMPUTE: u32 = 2;
/// R8G8B8A8_UNORM.
pub const R8G8B8A8: u32 = 3;
/// Triangles of three vertices each.
pub const TRIANGLE_LIST: u32 = 4;
/// B8G8R8A8_UNORM.
pub const B8G8R8A8: u32 = 1;
/// The append position of an element.
pub const APPENDED: u32 = u32::MAX;
/// R32G32B32A32_FLOAT.
pub const FLOAT4: u32 = 2;
/// Bytes of a vertex: a position and another four floats.
pub const VERTEX_BYTES: u32 = 32;

/// An element of a layout: `POSITION` or `TEXCOORD`, its DXGI format, slot, offset, and after how many instances the next
/// value is read, 0 for one a vertex.
#[derive(Clone, Copy, Debug)]
pub struct Element(pub &'static str, pub u32, pub u32, pub u32, pub u32);

/// Place that texels are copied from or to.
#[derive(Clone, Copy, Debug)]
pub struct Texels {
    /// The texture.
    pub texture: u32,
    /// Its mip.
    pub mip: u32,
    /// Its layer.
    pub layer: u32,
    /// The first column and row.
    pub at: [u32; 2],
}

/// A submission under construction.
#[derive(Clone, Debug)]
pub struct Stream {
    writer: StreamWriter,
    /// The first packet that could not be written.
    error: Option<EncodeError>,
}

impl Default for Stream {
    fn default() -> Self {
        Self::new()
    }
}

impl Stream {
    /// A submission without packets.
    pub fn new() -> Self {
        Self { writer: StreamWriter::new(ABI_VERSION), error: None }
    }

    /// Writes a packet behind the others.
    pub fn put<'a>(&mut self, packet: impl Into<Packet<'a>>) -> &mut Self {
        if let Err(error) = self.writer.packet(&packet.into()) {
            self.error.get_or_insert(error);
        }
        self
    }

    /// Writes a packet that ends with a list.
    pub fn put_list<T: ListElement>(
        &mut self,
        list: &[T],
        packet: impl for<'a> FnOnce(Elements<'a, T>) -> Packet<'a>,
    ) -> &mut Self {
        let bytes = Elements::to_bytes(list);
        match Elements::new(&bytes) {
            Some(values) => self.put(packet(values)),
            // Bytes that were made of elements are a list of them.
            None => self,
        }
    }

    /// The stream, if every packet could be written.
    pub fn into_bytes(self) -> Result<Vec<u8>, EncodeError> {
        match self.error {
            Some(error) => Err(error),
            None => Ok(self.writer.finish()),
        }
    }

    // Resources.

    /// Makes a buffer of zeros.
    pub fn empty_buffer(&mut self, handle: u32, size_bytes: u64) -> &mut Self {
        let (backing_alloc_id, backing_offset) = (0, 0);
        self.put(CreateBuffer { handle, usage: 0x87, size_bytes, backing_alloc_id, backing_offset, reserved: 0 })
    }

    /// Makes a buffer of these bytes.
    pub fn buffer(&mut self, handle: u32, bytes: &[u8]) -> &mut Self {
        self.empty_buffer(handle, bytes.len() as u64).upload(handle, 0, bytes)
    }

    /// Writes bytes of a resource.
    pub fn upload(&mut self, handle: u32, offset: u64, bytes: &[u8]) -> &mut Self {
        let size_bytes = bytes.len() as u64;
        self.put(UploadResource { handle, reserved: 0, offset, size_bytes, data: Bytes::new(bytes) })
    }

    /// Makes a texture of `[mips, layers]`.
    pub fn texture(&mut self, handle: u32, format: u32, size: [u32; 2], [mips, layers]: [u32; 2]) -> &mut Self {
        self.put(CreateTexture2d {
            handle,
            // Read and drawn to; depth; read alone.
            usage: match format {
                ..32 => 0x18,
                32..64 => 0x20,
                64.. => 8,
            },
            format,
            width: size[0],
            height: size[1],
            mip_levels: mips,
            array_layers: layers,
            row_pitch: 0,
            backing_alloc_id: 0,
            backing_offset: 0,
            reserved: 0,
        })
    }

    /// A view of `[first, count]` mips and layers.
    pub fn view(&mut self, view: u32, texture: u32, format: u32, mips: [u32; 2], layers: [u32; 2]) -> &mut Self {
        self.put(CreateTextureView {
            view,
            texture,
            format,
            base_mip: mips[0],
            mip_count: mips[1],
            base_layer: layers[0],
            layer_count: layers[1],
            reserved: 0,
        })
    }

    /// Copies texels.
    pub fn copy_texels(&mut self, to: Texels, from: Texels, size: [u32; 2]) -> &mut Self {
        self.copy_texels_back(to, from, size, false)
    }

    /// Copies texels, and where `writes_back` is true into the guest's memory behind them as well.
    pub fn copy_texels_back(
        &mut self,
        to: Texels,
        from: Texels,
        [width, height]: [u32; 2],
        writes_back: bool,
    ) -> &mut Self {
        self.put(CopyTexture2d {
            dst: to.texture,
            src: from.texture,
            dst_mip: to.mip,
            dst_layer: to.layer,
            src_mip: from.mip,
            src_layer: from.layer,
            dst_x: to.at[0],
            dst_y: to.at[1],
            src_x: from.at[0],
            src_y: from.at[1],
            width,
            height,
            flags: u32::from(writes_back),
            reserved: 0,
        })
    }

    // Shaders, vertices.

    /// A shader in a container.
    pub fn container(&mut self, handle: u32, stage: u32, code: &[u8]) -> &mut Self {
        let size_bytes = code.len() as u32;
        self.put(CreateShaderDxbc { handle, stage, size_bytes, stage_ex: 0, code: Bytes::new(code) })
    }

    /// Binds a vertex and a pixel shader.
    pub fn shaders(&mut self, vs: u32, ps: u32) -> &mut Self {
        self.put(BindShaders { vs, ps, cs: 0, reserved: 0, appended: None })
    }

    /// Makes a layout of elements, and binds it.
    pub fn layout(&mut self, handle: u32, elements: &[Element]) -> &mut Self {
        self.layout_of(handle, &layout_of(elements)).use_layout(handle)
    }

    /// A declaration of Direct3D 9: four floats of position, four of texture coordinates.
    pub fn declaration_of_floats(&mut self, handle: u32) -> &mut Self {
        let blob = [0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 16, 0, 3, 0, 5, 0, 0xff, 0, 0, 0, 17, 0, 0, 0];
        self.layout_of(handle, &blob)
    }

    /// Makes a layout of a blob.
    pub fn layout_of(&mut self, handle: u32, blob: &[u8]) -> &mut Self {
        let blob_size = blob.len() as u32;
        self.put(CreateInputLayout { handle, blob_size, reserved: 0, blob: Bytes::new(blob) })
    }

    /// Binds a layout.
    pub fn use_layout(&mut self, handle: u32) -> &mut Self {
        self.put(SetInputLayout { handle, reserved: 0 })
    }

    /// Binds a vertex buffer.
    pub fn vertex_buffer(&mut self, slot: u32, buffer: u32, stride_bytes: u32, offset_bytes: u32) -> &mut Self {
        let bound = VertexBufferBinding { buffer, stride_bytes, offset_bytes, reserved: 0 };
        self.put_list(&[bound], |values| SetVertexBuffers { start_slot: slot, buffer_count: 1, values }.into())
    }

    /// Binds positions and another four floats a vertex.
    pub fn vertices(&mut self, buffer: u32, bytes: &[u8]) -> &mut Self {
        self.buffer(buffer, bytes).vertex_buffer(0, buffer, VERTEX_BYTES, 0)
    }

    // What draws read.

    /// Binds what the pixel stage reads.
    pub fn read(&mut self, slot: u32, texture: u32) -> &mut Self {
        self.read_in(PIXEL, slot, texture)
    }

    /// Binds what a stage reads.
    pub fn read_in(&mut self, stage: u32, slot: u32, texture: u32) -> &mut Self {
        self.put(SetTexture { stage, slot, texture, stage_ex: 0 })
    }

    /// Makes a sampler with one way of addressing, and binds it.
    pub fn sampler(&mut self, slot: u32, handle: u32, filter: u32, address: u32) -> &mut Self {
        self.put(CreateSampler { handle, filter, address_u: address, address_v: address, address_w: address });
        self.use_sampler(PIXEL, slot, handle)
    }

    /// Sets registers of floats.
    pub fn registers(&mut self, stage: u32, start_register: u32, registers: &[[f32; 4]]) -> &mut Self {
        let vec4_count = registers.len() as u32;
        self.put_list(registers, |values| {
            SetShaderConstantsF { stage, start_register, vec4_count, stage_ex: 0, values }.into()
        })
    }

    /// Binds a constant buffer to slot 0.
    pub fn constants(&mut self, buffer: u32, offset_bytes: u32, size_bytes: u32) -> &mut Self {
        self.constants_in(PIXEL, 0, BufferBinding { buffer, offset_bytes, size_bytes, reserved: 0 })
    }

    /// Binds a sampler.
    pub fn use_sampler(&mut self, stage: u32, slot: u32, handle: u32) -> &mut Self {
        self.put_list(&[BoundHandle { handle }], |values| {
            SetSamplers { stage, start_slot: slot, sampler_count: 1, stage_ex: 0, values }.into()
        })
    }

    /// Binds a constant buffer.
    pub fn constants_in(&mut self, stage: u32, slot: u32, bound: BufferBinding) -> &mut Self {
        self.put_list(&[bound], |values| {
            SetConstantBuffers { stage, start_slot: slot, buffer_count: 1, stage_ex: 0, values }.into()
        })
    }

    /// Binds a whole buffer that a stage reads, as constants or as bytes.
    pub fn read_buffer(&mut self, stage: u32, slot: u32, (buffer, is_constant): (u32, bool)) -> &mut Self {
        let bound = BufferBinding { buffer, offset_bytes: 0, size_bytes: 0, reserved: 0 };
        if is_constant {
            return self.constants_in(stage, slot, bound);
        }
        self.put_list(&[bound], |values| {
            SetShaderResourceBuffers { stage, start_slot: slot, buffer_count: 1, stage_ex: 0, values }.into()
        })
    }

    // Targets.

    /// Binds a whole buffer that a stage writes.
    pub fn writes(&mut self, stage: u32, slot: u32, buffer: u32) -> &mut Self {
        let bound = UnorderedAccessBinding { buffer, offset_bytes: 0, size_bytes: 0, initial_count: u32::MAX };
        self.put_list(&[bound], |values| {
            SetUnorderedAccessBuffers { stage, start_slot: slot, uav_count: 1, stage_ex: 0, values }.into()
        })
    }

    /// Binds targets.
    pub fn targets(&mut self, colors: &[u32], depth_stencil: u32) -> &mut Self {
        let mut color = [0; 8];
        for (to, from) in color.iter_mut().zip(colors) {
            *to = *from;
        }
        self.put(SetRenderTargets { color_count: colors.len() as u32, depth_stencil, color })
    }

    /// Sets a viewport of all depths.
    pub fn viewport(&mut self, [x, y, width, height]: [f32; 4]) -> &mut Self {
        self.put(SetViewport { x, y, width, height, min_depth: 0.0, max_depth: 1.0 })
    }

    /// Clears what `flags` name: 1 colour, 2 depth, 4 stencil.
    pub fn clear(&mut self, flags: u32, [r, g, b, a]: [f32; 4], depth: f32) -> &mut Self {
        self.put(Clear { flags, r, g, b, a, depth, stencil: 0 })
    }

    /// Sets a viewport with a range of depths.
    pub fn viewport_of_depths(
        &mut self,
        [x, y, width, height]: [f32; 4],
        [min_depth, max_depth]: [f32; 2],
    ) -> &mut Self {
        self.put(SetViewport { x, y, width, height, min_depth, max_depth })
    }

    /// Sets the scissor.
    pub fn scissor(&mut self, [x, y, width, height]: [i32; 4]) -> &mut Self {
        self.put(SetScissor { x, y, width, height })
    }

    /// Draws both sides of filled triangles, with or without the scissor, with a bias of depth.
    pub fn rasterizer(&mut self, scissor_enable: u32, depth_bias: i32) -> &mut Self {
        self.put(SetRasterizerState { fill: 0, cull: 0, front_ccw: 0, scissor_enable, depth_bias, flags: 0 })
    }

    /// Tests depth by a comparison, and writes what passes; with none, tests nothing.
    pub fn depth_test(&mut self, comparison: Option<u32>) -> &mut Self {
        let enable = u32::from(comparison.is_some());
        self.put(SetDepthStencilState {
            depth_enable: enable,
            depth_write: enable,
            depth_func: comparison.unwrap_or_default(),
            stencil_enable: 0,
            stencil_read_mask: 0xff,
            stencil_write_mask: 0xff,
            pad: [0; 2],
        })
    }

    // Work.

    /// Binds indices of 16 bits.
    pub fn indices(&mut self, buffer: u32, indices: &[u16]) -> &mut Self {
        let mut bytes: Vec<u8> = indices.iter().flat_map(|index| index.to_le_bytes()).collect();
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        self.buffer(buffer, &bytes).put(SetIndexBuffer { buffer, format: 0, offset: 0, reserved: 0 })
    }

    /// Draws one instance by indices.
    pub fn draw_indexed(&mut self, index_count: u32) -> &mut Self {
        self.put(DrawIndexed { index_count, instance_count: 1, first_index: 0, base_vertex: 0, first_instance: 0 })
    }

    /// Runs a compute shader, behind which the other stages are bound as they were.
    pub fn dispatch(&mut self, [vs, ps, cs]: [u32; 3], [x, y, z]: [u32; 3]) -> &mut Self {
        self.put(BindShaders { vs, ps, cs, reserved: 0, appended: None }).put(Dispatch { x, y, z, stage_ex: 0 })
    }

    /// Sets what vertices form.
    pub fn topology(&mut self, topology: u32) -> &mut Self {
        self.put(SetPrimitiveTopology { topology, reserved: 0 })
    }

    /// Draws one instance.
    pub fn draw(&mut self, first_vertex: u32, vertex_count: u32) -> &mut Self {
        self.put(Draw { vertex_count, instance_count: 1, first_vertex, first_instance: 0 })
    }

    /// Shows the first target.
    pub fn present(&mut self) -> &mut Self {
        self.put(Present { scanout_id: 0, flags: 0 })
    }
}

/// The blob of a layout of these elements.
pub fn layout_of(elements: &[Element]) -> Vec<u8> {
    let mut blob = Vec::new();
    let mut word = |word: u32| blob.extend_from_slice(&word.to_le_bytes());
    [ILAY_MAGIC, 1, elements.len() as u32, 0].into_iter().for_each(&mut word);
    for Element(semantic, format, slot, offset, step) in elements {
        let hash =
            semantic.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
        [hash, 0, *format, *slot, *offset, u32::from(*step != 0), *step].into_iter().for_each(&mut word);
    }
    blob
}

/// File of a trace whose frames have one submission each.
pub fn recording<'a>(frames: impl IntoIterator<Item = &'a [u8]>) -> Result<Vec<u8>, WriteError> {
    recording_of_contexts(frames.into_iter().map(|stream| vec![(0, stream)]))
}

/// File of a trace of frames that consist of submissions, each with its context.
pub fn recording_of_contexts<'a>(
    frames: impl IntoIterator<Item = Vec<(u32, &'a [u8])>>,
) -> Result<Vec<u8>, WriteError> {
    let mut writer = TraceWriter::new_v2(Vec::new(), ABI_VERSION, "{}")?;
    for submissions in frames {
        writer.begin_frame()?;
        let last = submissions.len().saturating_sub(1);
        for (number, (context_id, cmd_stream)) in submissions.into_iter().enumerate() {
            let submit_flags = u32::from(number == last);
            writer.submit(&NewSubmission { submit_flags, context_id, cmd_stream, ..Default::default() })?;
        }
        writer.present()?;
    }
    writer.finish()
}

/// The bytes of floats.
pub fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// The six vertices of a rectangle, clockwise from its left upper corner, whose corners have these other four floats: in
/// order the left and right upper, the left and right lower one.
pub fn rectangle([left, top, right, bottom]: [f32; 4], depth: f32, corners: [[f32; 4]; 4]) -> Vec<u8> {
    let [left_top, right_top, left_bottom, right_bottom] = corners;
    let vertices = [
        ([left, top], left_top),
        ([right, top], right_top),
        ([left, bottom], left_bottom),
        ([left, bottom], left_bottom),
        ([right, top], right_top),
        ([right, bottom], right_bottom),
    ];
    vertices.iter().flat_map(|([x, y], [a, b, c, d])| floats(&[*x, *y, depth, 1.0, *a, *b, *c, *d])).collect()
}

/// The rectangle of a cell in a target of `[columns, rows]` cells.
pub fn cell([column, row]: [u32; 2], [columns, rows]: [u32; 2]) -> [f32; 4] {
    let x = |column: u32| column as f32 / columns as f32 * 2.0 - 1.0;
    let y = |row: u32| 1.0 - row as f32 / rows as f32 * 2.0;
    [x(column), y(row), x(column + 1), y(row + 1)]
}

/// Rectangle of a whole target.
pub const WHOLE: [f32; 4] = [-1.0, 1.0, 1.0, -1.0];

/// Texture coordinates that show a whole texture, of one mip level, upright.
pub fn whole_texture(level: f32) -> [[f32; 4]; 4] {
    [[0.0, 0.0, level, 0.0], [1.0, 0.0, level, 0.0], [0.0, 1.0, level, 0.0], [1.0, 1.0, level, 0.0]]
}

/// No blending, and everything is written.
pub fn unblended() -> SetBlendState {
    SetBlendState {
        enable: 0,
        src: 1,
        dst: 0,
        op: 0,
        write_mask: 0xf,
        pad: [0; 3],
        src_alpha: Some(1),
        dst_alpha: Some(0),
        op_alpha: Some(0),
        constant_r: Some(1.0),
        constant_g: Some(1.0),
        constant_b: Some(1.0),
        constant_a: Some(1.0),
        sample_mask: Some(u32::MAX),
    }
}
