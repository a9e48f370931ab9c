//! Frames that draw to a texture, copy it to another, draw with that one and present.

use std::sync::Arc;

use aerogpu_replay::abi::a3a0::bindings::*;
use aerogpu_replay::abi::a3a0::resources::CopyTexture2d;
use aerogpu_replay::abi::a3a0::shaders::*;
use aerogpu_replay::abi::a3a0::state::*;
use aerogpu_replay::abi::a3a0::work::*;
use aerogpu_replay::abi::a3a0::{ABI_VERSION, Bytes, Elements, StreamWriter, VertexBufferBinding};
use aerogpu_replay::format::aerogpu::{NewSubmission, TraceWriter};
use aerogpu_replay::gpu::Gpu;
use anyhow::{Context, Result};

use super::canvas::{Canvas, group_entry, texture_group_layout};
use super::scene::{STRIDE_BYTES, Stream, elements};
use super::shaders;
use crate::scene::SIZE;

const DRAWN: u32 = 1;
const COPIED: u32 = 2;
const IMAGE: u32 = 3;
const VERTICES: u32 = 4;
const IMAGE_SIDE_PX: u32 = 8;
/// Triangles that are drawn into the texture, each turned a little further every frame.
const TURNS: u32 = 32;
const META: &str = r#"{"emulator_version":"bench"}"#;

/// Two triangles over everything, then [`TURNS`] triangles.
fn vertices() -> Vec<u8> {
    let corners = [[-1.0_f32, -1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]];
    let whole = corners.map(|[x, y]| [x, y, 0.0, 1.0, (x + 1.0) / 2.0, (1.0 - y) / 2.0]);
    let turned = (0..TURNS).flat_map(|turn| {
        let turn = turn as f32 / TURNS as f32;
        [[turn - 1.0, -0.75], [0.75, turn - 0.5], [-0.25, 0.75]].map(|[x, y]| [x, y, 0.0, 1.0, 4.0 * x, 4.0 * y])
    });
    whole.into_iter().chain(turned).flatten().flat_map(f32::to_le_bytes).collect()
}

fn image() -> Vec<u8> {
    (0..IMAGE_SIDE_PX * IMAGE_SIDE_PX * 4).map(|byte| (byte * 37 % 251) as u8 | 3).collect()
}

fn first_turned(frame: u32) -> u32 {
    6 + frame % TURNS * 3
}

/// So many frames.
pub(super) fn trace(frames: u32) -> Result<Vec<u8>> {
    let mut writer = TraceWriter::new_v2(Vec::new(), ABI_VERSION, META)?;
    for frame in 0..frames {
        let mut stream = Stream(StreamWriter::new(ABI_VERSION));
        if frame == 0 {
            put_resources(&mut stream)?;
        }
        put_frame(&mut stream, frame)?;
        writer.begin_frame()?;
        let cmd_stream = &stream.0.finish();
        writer.submit(&NewSubmission { submit_flags: 1, cmd_stream, ..Default::default() })?;
        writer.present()?;
    }
    Ok(writer.finish()?)
}

fn put_resources(stream: &mut Stream) -> Result<()> {
    for texture in [DRAWN, COPIED] {
        stream.texture(texture, [SIZE.width_px, SIZE.height_px])?;
    }
    stream.texture(IMAGE, [IMAGE_SIDE_PX; 2])?;
    stream.upload(IMAGE, &image())?;
    let vertices = vertices();
    stream.buffer(VERTICES, vertices.len() as u64)?;
    stream.upload(VERTICES, &vertices)?;
    stream.shader(5, 0, &shaders::sm2_vertex())?;
    let [product, ..] = &shaders::OPERATIONS;
    stream.shader(6, 1, &shaders::sm2_pixel(product))?;
    stream.put(BindShaders { vs: 5, ps: 6, cs: 0, reserved: 0, appended: None })?;
    let (blob, blob_size) = (Bytes::new(&shaders::DECLARATION), shaders::DECLARATION.len() as u32);
    stream.put(CreateInputLayout { handle: 7, blob_size, reserved: 0, blob })?;
    stream.put(SetInputLayout { handle: 7, reserved: 0 })?;
    stream.put(SetPrimitiveTopology { topology: 4, reserved: 0 })?;
    // Nothing is culled.
    stream.put(SetRenderState { state: 22, value: 1 })?;
    let slot = VertexBufferBinding { buffer: VERTICES, stride_bytes: STRIDE_BYTES, offset_bytes: 0, reserved: 0 };
    let slots = Elements::to_bytes(&[slot]);
    stream.put(SetVertexBuffers { start_slot: 0, buffer_count: 1, values: elements(&slots)? })?;
    let white: Vec<u8> = [1.0_f32; 4].into_iter().flat_map(f32::to_le_bytes).collect();
    let values = elements(&white)?;
    stream.put(SetShaderConstantsF { stage: 1, start_register: 0, vec4_count: 1, stage_ex: 0, values })?;
    let (width, height) = (SIZE.width_px as f32, SIZE.height_px as f32);
    stream.put(SetViewport { x: 0.0, y: 0.0, width, height, min_depth: 0.0, max_depth: 1.0 })
}

fn put_frame(stream: &mut Stream, frame: u32) -> Result<()> {
    let sampled = |texture| SetTexture { stage: 1, slot: 0, texture, stage_ex: 0 };
    let draw = |first_vertex, vertex_count| Draw { vertex_count, instance_count: 1, first_vertex, first_instance: 0 };
    stream.put(sampled(IMAGE))?;
    stream.put(SetRenderTargets { color_count: 1, depth_stencil: 0, color: [DRAWN, 0, 0, 0, 0, 0, 0, 0] })?;
    stream.put(Clear { flags: 1, r: 0.0, g: 0.0, b: 1.0, a: 1.0, depth: 1.0, stencil: 0 })?;
    stream.put(draw(first_turned(frame), 3))?;
    stream.put(CopyTexture2d {
        dst: COPIED,
        src: DRAWN,
        dst_mip: 0,
        dst_layer: 0,
        src_mip: 0,
        src_layer: 0,
        dst_x: 0,
        dst_y: 0,
        src_x: 0,
        src_y: 0,
        width: SIZE.width_px,
        height: SIZE.height_px,
        flags: 0,
        reserved: 0,
    })?;
    // Nothing bound: the context's own back buffer.
    stream.put(SetRenderTargets { color_count: 0, depth_stencil: 0, color: [0; 8] })?;
    stream.put(sampled(COPIED))?;
    stream.put(draw(0, 6))?;
    stream.put(Present { scanout_id: 0, flags: 0 })
}

/// The same frames by hand. What is presented is a copy of the back buffer, since a screen is another texture.
pub(super) struct FramesByHand {
    pub canvas: Canvas,
    vertices: wgpu::Buffer,
    drawn: wgpu::Texture,
    copied: wgpu::Texture,
    drawn_view: wgpu::TextureView,
    back_buffer: wgpu::Texture,
    back_buffer_view: wgpu::TextureView,
    into_texture: (wgpu::RenderPipeline, wgpu::BindGroup),
    into_back_buffer: (wgpu::RenderPipeline, wgpu::BindGroup),
}

impl FramesByHand {
    pub(super) fn new(gpu: Arc<Gpu>) -> Result<Self> {
        let canvas = Canvas::new(gpu);
        let size = [SIZE.width_px, SIZE.height_px];
        let [drawn, copied] = [(); 2].map(|()| canvas.make_texture(size, None));
        let image = canvas.make_texture([IMAGE_SIDE_PX; 2], Some(&image()));
        let back_buffer = Canvas::new(canvas.gpu.clone()).target;
        let layout = texture_group_layout(&canvas.gpu.device, true);
        let white = canvas.gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: 16,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        canvas.gpu.queue.write_buffer(&white, 0, bytemuck::cast_slice(&[1.0_f32; 4]));
        let sampler = canvas.gpu.device.create_sampler(&wgpu::SamplerDescriptor {
            address_mode_u: wgpu::AddressMode::Repeat,
            address_mode_v: wgpu::AddressMode::Repeat,
            ..Default::default()
        });
        let group = |texture: &wgpu::Texture| {
            let view = texture.create_view(&Default::default());
            let size = wgpu::BufferSize::new(16);
            let entries = [
                group_entry(0, wgpu::BindingResource::TextureView(&view)),
                group_entry(1, wgpu::BindingResource::Sampler(&sampler)),
                group_entry(2, wgpu::BindingResource::Buffer(wgpu::BufferBinding { buffer: &white, offset: 0, size })),
            ];
            let descriptor = wgpu::BindGroupDescriptor { label: None, layout: &layout, entries: &entries };
            canvas.gpu.device.create_bind_group(&descriptor)
        };
        let [product, ..] = &shaders::OPERATIONS;
        let formats = [wgpu::VertexFormat::Float32x4, wgpu::VertexFormat::Float32x2];
        let pipeline = |format| {
            canvas.make_pipeline(&shaders::wgsl(product), Some(&layout), (u64::from(STRIDE_BYTES), formats), format)
        };
        let (into_texture, into_back_buffer) =
            ((pipeline(Canvas::TEXTURE_FORMAT), group(&image)), (pipeline(Canvas::FORMAT), group(&copied)));
        Ok(Self {
            vertices: canvas.make_vertices(&vertices()),
            drawn_view: drawn.create_view(&Default::default()),
            back_buffer_view: back_buffer.create_view(&Default::default()),
            drawn,
            copied,
            back_buffer,
            into_texture,
            into_back_buffer,
            canvas,
        })
    }

    /// Draws a frame and submits it.
    pub(super) fn draw_frame(&self, frame: u32) -> Result<()> {
        let gpu = &self.canvas.gpu;
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let first = first_turned(frame);
        let blue = wgpu::LoadOp::Clear(wgpu::Color::BLUE);
        self.draw(&mut encoder, (&self.drawn_view, blue), &self.into_texture, first..first + 3);
        encoder.copy_texture_to_texture(self.drawn.as_image_copy(), self.copied.as_image_copy(), self.copied.size());
        let load = wgpu::LoadOp::Load;
        self.draw(&mut encoder, (&self.back_buffer_view, load), &self.into_back_buffer, 0..6);
        let (from, to) = (self.back_buffer.as_image_copy(), self.canvas.target.as_image_copy());
        encoder.copy_texture_to_texture(from, to, self.back_buffer.size());
        gpu.queue.submit([encoder.finish()]);
        Ok(())
    }

    fn draw(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        (view, load): (&wgpu::TextureView, wgpu::LoadOp<wgpu::Color>),
        (pipeline, group): &(wgpu::RenderPipeline, wgpu::BindGroup),
        vertices: std::ops::Range<u32>,
    ) {
        let mut pass = Canvas::begin_pass(encoder, view, load);
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, group, &[0]);
        pass.set_vertex_buffer(0, self.vertices.slice(..));
        pass.draw(vertices, 0..1);
    }
}

/// Draws frames and waits for them.
pub(super) fn draw_frames(by_hand: &FramesByHand, frames: std::ops::RangeInclusive<u32>) -> Result<()> {
    frames.into_iter().try_for_each(|frame| by_hand.draw_frame(frame)).context("a frame by hand")?;
    Ok(by_hand.canvas.gpu.wait(None)?)
}
