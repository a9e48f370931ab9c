//! Frames that draw to a texture, copy it to another, draw with that one and present.

use std::sync::Arc;

use aerogpu_replay::abi::a3a0::bindings::SetRenderState;
use aerogpu_replay::abi::a3a0::calls::{B8G8R8A8, PIXEL, Stream, TRIANGLE_LIST, Texels, VERTEX, recording};
use aerogpu_replay::gpu::Gpu;
use anyhow::{Context, Result};

use super::canvas::{Canvas, group_entry, texture_group_layout};
use super::scene::STRIDE_BYTES;
use super::shaders;
use crate::scene::SIZE;

const DRAWN: u32 = 1;
const COPIED: u32 = 2;
const IMAGE: u32 = 3;
const VERTICES: u32 = 4;
const IMAGE_SIDE_PX: u32 = 8;
/// Triangles that are drawn into the texture, each turned a little further every frame.
const TURNS: u32 = 32;

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
    let stream = |frame| {
        let mut stream = Stream::new();
        if frame == 0 {
            put_resources(&mut stream);
        }
        put_frame(&mut stream, frame);
        Ok(stream.into_bytes()?)
    };
    let streams = (0..frames).map(stream).collect::<Result<Vec<_>>>()?;
    Ok(recording(streams.iter().map(Vec::as_slice))?)
}

fn put_resources(stream: &mut Stream) {
    let size = [SIZE.width_px, SIZE.height_px];
    stream.texture(DRAWN, B8G8R8A8, size, [1, 1]).texture(COPIED, B8G8R8A8, size, [1, 1]);
    stream.texture(IMAGE, B8G8R8A8, [IMAGE_SIDE_PX; 2], [1, 1]).upload(IMAGE, 0, &image());
    let [product, ..] = &shaders::OPERATIONS;
    stream
        .buffer(VERTICES, &vertices())
        .vertex_buffer(0, VERTICES, STRIDE_BYTES, 0)
        .container(5, VERTEX, &shaders::sm2_vertex())
        .container(6, PIXEL, &shaders::sm2_pixel(product))
        .shaders(5, 6)
        .layout_of(7, &shaders::DECLARATION)
        .use_layout(7)
        .topology(TRIANGLE_LIST)
        // Nothing is culled.
        .put(SetRenderState { state: 22, value: 1 })
        .registers(PIXEL, 0, &[[1.0; 4]])
        .viewport([0.0, 0.0, SIZE.width_px as f32, SIZE.height_px as f32]);
}

fn put_frame(stream: &mut Stream, frame: u32) {
    let whole = |texture| Texels { texture, mip: 0, layer: 0, at: [0, 0] };
    stream
        .read(0, IMAGE)
        .targets(&[DRAWN], 0)
        .clear(1, [0.0, 0.0, 1.0, 1.0], 1.0)
        .draw(first_turned(frame), 3)
        .copy_texels(whole(COPIED), whole(DRAWN), [SIZE.width_px, SIZE.height_px])
        // Nothing bound: the context's own back buffer.
        .targets(&[], 0)
        .read(0, COPIED)
        .draw(0, 6)
        .present();
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
