//! Submissions of the Direct3D 10/11 world under construction, for traces whose pictures are computed.

use aerogpu_replay::abi::a3a0::bindings::*;
use aerogpu_replay::abi::a3a0::resources::*;
use aerogpu_replay::abi::a3a0::shaders::*;
use aerogpu_replay::abi::a3a0::state::*;
use aerogpu_replay::abi::a3a0::work::*;
use aerogpu_replay::abi::a3a0::{
    ABI_VERSION, BoundHandle, BufferBinding, Bytes, Elements, ILAY_MAGIC, Packet, StreamWriter, UnorderedAccessBinding,
    VertexBufferBinding,
};
use aerogpu_replay::format::aerogpu::{NewSubmission, TraceWriter};

use super::root;

pub const VERTEX: u32 = 0;
pub const PIXEL: u32 = 1;
pub const COMPUTE: u32 = 2;
pub const R8G8B8A8: u32 = 3;
pub const TRIANGLE_LIST: u32 = 4;
/// The append position of an element.
pub const APPENDED: u32 = u32::MAX;
pub const FLOAT4: u32 = 2;
/// Bytes of a vertex: a position and another four floats.
pub const VERTEX_BYTES: u32 = 32;

/// An element of a layout: `POSITION` or `TEXCOORD`, its DXGI format, slot, offset, and after how many instances the next
/// value is read, 0 for one a vertex.
pub struct Element(pub &'static str, pub u32, pub u32, pub u32, pub u32);

/// Where copies of texels come from or go to.
#[derive(Clone, Copy)]
pub struct Texels {
    pub texture: u32,
    pub mip: u32,
    pub layer: u32,
    pub at: [u32; 2],
}

/// A submission under construction.
pub struct Stream(StreamWriter);

impl Stream {
    pub fn new() -> Self {
        Self(StreamWriter::new(ABI_VERSION))
    }

    pub fn put<'a>(&mut self, packet: impl Into<Packet<'a>>) -> &mut Self {
        self.0.packet(&packet.into()).unwrap();
        self
    }

    pub fn finish(self) -> Vec<u8> {
        self.0.finish()
    }

    // Resources.

    pub fn empty_buffer(&mut self, handle: u32, size_bytes: u64) -> &mut Self {
        let (backing_alloc_id, backing_offset) = (0, 0);
        self.put(CreateBuffer { handle, usage: 0x87, size_bytes, backing_alloc_id, backing_offset, reserved: 0 })
    }

    pub fn buffer(&mut self, handle: u32, bytes: &[u8]) -> &mut Self {
        self.empty_buffer(handle, bytes.len() as u64).upload(handle, 0, bytes)
    }

    pub fn upload(&mut self, handle: u32, offset: u64, bytes: &[u8]) -> &mut Self {
        let size_bytes = bytes.len() as u64;
        self.put(UploadResource { handle, reserved: 0, offset, size_bytes, data: Bytes::new(bytes) })
    }

    pub fn texture(&mut self, handle: u32, format: u32, size: [u32; 2], [mips, layers]: [u32; 2]) -> &mut Self {
        self.put(CreateTexture2d {
            handle,
            usage: if format < 32 {
                0x18
            } else if format < 64 {
                0x20
            } else {
                8
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

    pub fn copy_texels(&mut self, to: Texels, from: Texels, [width, height]: [u32; 2]) -> &mut Self {
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
            flags: 0,
            reserved: 0,
        })
    }

    // Shaders, vertices.

    /// A shader of Direct3D 10 or 11 of `fixtures/d3d/made`.
    pub fn shader(&mut self, handle: u32, stage: u32, name: &str) -> &mut Self {
        self.bytecode(handle, stage, &format!("{name}.dxbc"))
    }

    /// A file of `fixtures/d3d/made`.
    pub fn bytecode(&mut self, handle: u32, stage: u32, file: &str) -> &mut Self {
        let code = std::fs::read(root().join("fixtures/d3d/made").join(file)).unwrap();
        let size_bytes = code.len() as u32;
        self.put(CreateShaderDxbc { handle, stage, size_bytes, stage_ex: 0, code: Bytes::new(&code) })
    }

    /// A shader in a container.
    pub fn container(&mut self, handle: u32, stage: u32, code: &[u8]) -> &mut Self {
        let size_bytes = code.len() as u32;
        self.put(CreateShaderDxbc { handle, stage, size_bytes, stage_ex: 0, code: Bytes::new(code) })
    }

    /// A shader of Direct3D 9, from its tokens.
    pub fn tokens(&mut self, handle: u32, stage: u32, tokens: &[u32]) -> &mut Self {
        let code: Vec<u8> = tokens.iter().flat_map(|token| token.to_le_bytes()).collect();
        let size_bytes = code.len() as u32;
        self.put(CreateShaderDxbc { handle, stage, size_bytes, stage_ex: 0, code: Bytes::new(&code) })
    }

    pub fn shaders(&mut self, vs: u32, ps: u32) -> &mut Self {
        self.put(BindShaders { vs, ps, cs: 0, reserved: 0, appended: None })
    }

    pub fn layout(&mut self, handle: u32, elements: &[Element]) -> &mut Self {
        self.layout_of(handle, &layout_of(elements)).use_layout(handle)
    }

    /// A declaration of Direct3D 9: four floats of position, four of texture coordinates.
    pub fn declaration_of_floats(&mut self, handle: u32) -> &mut Self {
        let blob = [0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 16, 0, 3, 0, 5, 0, 0xff, 0, 0, 0, 17, 0, 0, 0];
        self.layout_of(handle, &blob)
    }

    /// [`DECLARATION_9`].
    pub fn declaration_9(&mut self, handle: u32) -> &mut Self {
        self.layout_of(handle, &DECLARATION_9)
    }

    pub fn layout_of(&mut self, handle: u32, blob: &[u8]) -> &mut Self {
        let blob_size = blob.len() as u32;
        self.put(CreateInputLayout { handle, blob_size, reserved: 0, blob: Bytes::new(blob) })
    }

    pub fn use_layout(&mut self, handle: u32) -> &mut Self {
        self.put(SetInputLayout { handle, reserved: 0 })
    }

    pub fn vertex_buffer(&mut self, slot: u32, buffer: u32, stride_bytes: u32, offset_bytes: u32) -> &mut Self {
        let values = Elements::to_bytes(&[VertexBufferBinding { buffer, stride_bytes, offset_bytes, reserved: 0 }]);
        self.put(SetVertexBuffers { start_slot: slot, buffer_count: 1, values: Elements::new(&values).unwrap() })
    }

    /// Binds positions and another four floats a vertex.
    pub fn vertices(&mut self, buffer: u32, bytes: &[u8]) -> &mut Self {
        self.buffer(buffer, bytes).vertex_buffer(0, buffer, VERTEX_BYTES, 0)
    }

    // What draws read.

    pub fn read(&mut self, slot: u32, texture: u32) -> &mut Self {
        self.read_in(PIXEL, slot, texture)
    }

    pub fn read_in(&mut self, stage: u32, slot: u32, texture: u32) -> &mut Self {
        self.put(SetTexture { stage, slot, texture, stage_ex: 0 })
    }

    /// Makes a sampler with one way of addressing, and binds it.
    pub fn sampler(&mut self, slot: u32, handle: u32, filter: u32, address: u32) -> &mut Self {
        self.put(CreateSampler { handle, filter, address_u: address, address_v: address, address_w: address });
        let values = Elements::to_bytes(&[BoundHandle { handle }]);
        let values = Elements::new(&values).unwrap();
        self.put(SetSamplers { stage: PIXEL, start_slot: slot, sampler_count: 1, stage_ex: 0, values })
    }

    /// Binds a constant buffer to slot 0.
    pub fn constants(&mut self, buffer: u32, offset_bytes: u32, size_bytes: u32) -> &mut Self {
        let values = Elements::to_bytes(&[BufferBinding { buffer, offset_bytes, size_bytes, reserved: 0 }]);
        let values = Elements::new(&values).unwrap();
        self.put(SetConstantBuffers { stage: PIXEL, start_slot: 0, buffer_count: 1, stage_ex: 0, values })
    }

    // Targets.

    /// Binds a whole buffer that a stage writes.
    pub fn writes(&mut self, stage: u32, slot: u32, buffer: u32) -> &mut Self {
        let bound = UnorderedAccessBinding { buffer, offset_bytes: 0, size_bytes: 0, initial_count: u32::MAX };
        let values = Elements::to_bytes(&[bound]);
        let values = Elements::new(&values).unwrap();
        self.put(SetUnorderedAccessBuffers { stage, start_slot: slot, uav_count: 1, stage_ex: 0, values })
    }

    pub fn targets(&mut self, colors: &[u32], depth_stencil: u32) -> &mut Self {
        let mut color = [0; 8];
        color[..colors.len()].copy_from_slice(colors);
        self.put(SetRenderTargets { color_count: colors.len() as u32, depth_stencil, color })
    }

    pub fn viewport(&mut self, [x, y, width, height]: [f32; 4]) -> &mut Self {
        self.put(SetViewport { x, y, width, height, min_depth: 0.0, max_depth: 1.0 })
    }

    /// Clears what `flags` name: 1 colour, 2 depth, 4 stencil.
    pub fn clear(&mut self, flags: u32, [r, g, b, a]: [f32; 4], depth: f32) -> &mut Self {
        self.put(Clear { flags, r, g, b, a, depth, stencil: 0 })
    }

    // Work.

    pub fn topology(&mut self, topology: u32) -> &mut Self {
        self.put(SetPrimitiveTopology { topology, reserved: 0 })
    }

    pub fn draw(&mut self, first_vertex: u32, vertex_count: u32) -> &mut Self {
        self.put(Draw { vertex_count, instance_count: 1, first_vertex, first_instance: 0 })
    }

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

/// The file of a trace whose frames have one submission each.
pub fn recording<'a>(frames: impl IntoIterator<Item = &'a [u8]>) -> Vec<u8> {
    recording_of_contexts(frames.into_iter().map(|stream| vec![(0, stream)]))
}

/// The file of a trace of frames that consist of submissions, each with its context.
pub fn recording_of_contexts<'a>(frames: impl IntoIterator<Item = Vec<(u32, &'a [u8])>>) -> Vec<u8> {
    let mut writer = TraceWriter::new_v2(Vec::new(), ABI_VERSION, "{}").unwrap();
    for submissions in frames {
        writer.begin_frame().unwrap();
        let last = submissions.len() - 1;
        for (number, (context_id, cmd_stream)) in submissions.into_iter().enumerate() {
            let submit_flags = u32::from(number == last);
            writer.submit(&NewSubmission { submit_flags, context_id, cmd_stream, ..Default::default() }).unwrap();
        }
        writer.present().unwrap();
    }
    writer.finish().unwrap()
}

/// `vs_2_0`: `mov oPos, v0`, `mov oT0, v1`: positions that are shifted already.
pub const VERTEX_SHADER_9: [u32; 8] =
    [0xfffe_0200, 0x0200_0001, 0xc00f_0000, 0x90e4_0000, 0x0200_0001, 0xe00f_0000, 0x90e4_0001, 0xffff];

/// `ps_2_0`: `dcl t0.xy`, `dcl_2d s0`, `texld r0, t0, s0`, `mul r0, r0, c0`, `mov oC0, r0`.
pub const PIXEL_SHADER_9: [u32; 19] = [
    0xffff_0200,
    0x0200_001f,
    0x8000_0000,
    0xb003_0000,
    0x0200_001f,
    0x9000_0000,
    0xa00f_0800,
    0x0300_0042,
    0x800f_0000,
    0xb0e4_0000,
    0xa0e4_0800,
    0x0300_0005,
    0x800f_0000,
    0x80e4_0000,
    0xa0e4_0000,
    0x0200_0001,
    0x800f_0800,
    0x80e4_0000,
    0xffff,
];

/// A declaration of Direct3D 9: four floats of position, two of texture coordinates.
pub const DECLARATION_9: [u8; 24] = [0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 16, 0, 1, 0, 5, 0, 0xff, 0, 0, 0, 17, 0, 0, 0];

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

/// What covers a whole target.
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
