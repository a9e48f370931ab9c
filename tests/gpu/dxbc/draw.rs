//! Draws a case's picture.

use std::collections::BTreeMap;

use aerogpu_replay::gpu::Gpu;
use aerogpu_replay::shader::d3d::{
    DrawOptions, ENTRY_POINT, InputFeed, PixelCenters, Program, SlotSet, SystemValue, legacy, translate_draw,
};
use serde_json::Value;
use wgpu::util::DeviceExt;

use super::case::{Case, number, text};
use super::stage::{Stage, resources};
use super::textures;

/// Results of a draw: its targets by their numbers, and depth.
pub struct Drawn {
    pub targets: Vec<Vec<u8>>,
    pub depth: Option<Vec<u8>>,
    /// Other resources that its shaders wrote, by the names that cases call them.
    pub written: BTreeMap<String, Vec<u8>>,
}

/// Vertex attributes, and how they feed the vertex stage.
struct Inputs {
    /// A register, the format it is fed in, the offset, and the buffer.
    attributes: Vec<(u32, wgpu::VertexFormat, u64, usize)>,
    feeds: Vec<InputFeed>,
}

/// Draws into targets of one format each.
pub fn draw(gpu: &Gpu, case: &Case, formats: &[wgpu::TextureFormat]) -> Result<Drawn, String> {
    let vertex = case.program("vs").ok_or("the case has no vertex shader")?;
    let pixel = case.program("ps");
    let inputs = inputs(case, &vertex)?;
    let is_shifted = case.get("pixel_centres").as_str() == Some("d3d9");
    let options = DrawOptions {
        inputs: inputs.feeds.clone(),
        pixel_centers: if is_shifted { PixelCenters::Direct3d9 } else { PixelCenters::Direct3d10 },
        vertex_resources: resources(case, "vs"),
        pixel_resources: resources(case, "ps"),
        ..Default::default()
    };
    let translated = translate_draw(&vertex, pixel.as_ref(), &options).map_err(|error| error.to_string())?;
    let vertex = Stage::new(gpu, case, "vs", &translated.vertex, wgpu::ShaderStages::VERTEX)?;
    let written = translated.pixel.as_ref().map_or(SlotSet::default(), |pixel| pixel.outputs);
    let fragment = wgpu::ShaderStages::FRAGMENT;
    let pixel = translated.pixel.as_ref().map(|pixel| Stage::new(gpu, case, "ps", pixel, fragment)).transpose()?;
    let pipeline =
        pipeline(gpu, case, (&vertex, pixel.as_ref()), (&inputs, translated.vertex.inputs), formats, written);
    Ok(run(gpu, case, &pipeline, (&vertex, pixel.as_ref()), formats))
}

fn inputs(case: &Case, vertex: &Program) -> Result<Inputs, String> {
    let mut inputs = Inputs { attributes: Vec::new(), feeds: Vec::new() };
    for (place, element) in case.get("input").as_array().into_iter().flatten().enumerate() {
        let (semantic, index) = (text(&element["semantic"]), number(&element["index"], 0));
        let Some(register) = register_of(vertex, semantic, index, place as u32) else { continue };
        let (format, feed) = vertex_format(text(&element["format"]));
        let (offset, slot) = (u64::from(number(&element["offset"], 0)), number(&element["slot"], 0) as usize);
        inputs.attributes.push((register, format, offset, slot));
        inputs.feeds.resize(inputs.feeds.len().max(register as usize + 1), InputFeed::Missing);
        inputs.feeds[register as usize] = feed;
    }
    Ok(inputs)
}

/// The register that an element feeds; nothing for one that the shader doesn't read.
fn register_of(vertex: &Program, semantic: &str, index: u32, place: u32) -> Option<u32> {
    if !vertex.version().is_d3d9() {
        let elements = &vertex.signatures().input;
        let element = elements.iter().find(|of| of.name.eq_ignore_ascii_case(semantic) && of.index == index)?;
        let is_fed = !matches!(element.system_value, Some(SystemValue::VertexId | SystemValue::InstanceId));
        return element.register.filter(|_| is_fed);
    }
    let read = legacy::inputs(vertex);
    if read.iter().all(|flow| flow.usage.is_none()) {
        return Some(place);
    }
    let is_meant = |flow: &&legacy::LegacyFlow| {
        flow.usage.is_some_and(|(usage, number)| usage.name().eq_ignore_ascii_case(semantic) && number == index)
    };
    read.iter().find(is_meant).map(|flow| flow.number)
}

fn vertex_format(name: &str) -> (wgpu::VertexFormat, InputFeed) {
    use wgpu::VertexFormat as F;
    match name {
        "r32float" => (F::Float32, InputFeed::Float),
        "rg32float" => (F::Float32x2, InputFeed::Float),
        "rgb32float" => (F::Float32x3, InputFeed::Float),
        "rgba32float" => (F::Float32x4, InputFeed::Float),
        "rgba16float" => (F::Float16x4, InputFeed::Float),
        "rg16snorm" => (F::Snorm16x2, InputFeed::Float),
        "rgba8unorm" => (F::Unorm8x4, InputFeed::Float),
        "rgba8snorm" => (F::Snorm8x4, InputFeed::Float),
        "rgba8uint" => (F::Uint8x4, InputFeed::Uint),
        "rgb10a2unorm" => (F::Unorm10_10_10_2, InputFeed::Float),
        "rg32sint" => (F::Sint32x2, InputFeed::Sint),
        "rgba16sint" => (F::Sint16x4, InputFeed::Sint),
        "rgba8sint" => (F::Sint8x4, InputFeed::Sint),
        other => panic!("unknown vertex format {other}"),
    }
}

fn pipeline(
    gpu: &Gpu,
    case: &Case,
    (vertex, pixel): (&Stage, Option<&Stage>),
    (inputs, read): (&Inputs, SlotSet),
    formats: &[wgpu::TextureFormat],
    written: SlotSet,
) -> wgpu::RenderPipeline {
    let device = &gpu.device;
    let layouts = [Some(&vertex.layout), pixel.map(|pixel| &pixel.layout)];
    let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: None,
        bind_group_layouts: &layouts[..if pixel.is_some() { 2 } else { 1 }],
        immediate_size: 0,
    });
    let slots = case.get("vertex_buffers").as_array().map_or(&[][..], Vec::as_slice);
    let attributes: Vec<Vec<wgpu::VertexAttribute>> = (0..slots.len())
        .map(|slot| {
            let of_slot = inputs.attributes.iter().filter(|(register, .., of)| *of == slot && read.contains(*register));
            let attribute = |&(shader_location, format, offset, _): &(u32, wgpu::VertexFormat, u64, usize)| {
                wgpu::VertexAttribute { format, offset, shader_location }
            };
            of_slot.map(attribute).collect()
        })
        .collect();
    let buffers: Vec<_> = slots
        .iter()
        .zip(&attributes)
        .map(|(slot, attributes)| {
            let is_instance = slot["step"].as_str() == Some("instance");
            let step_mode = if is_instance { wgpu::VertexStepMode::Instance } else { wgpu::VertexStepMode::Vertex };
            let array_stride = u64::from(number(&slot["stride"], 0));
            Some(wgpu::VertexBufferLayout { array_stride, step_mode, attributes })
        })
        .collect();
    let target = |(number, format): (u32, &wgpu::TextureFormat)| {
        let write_mask = if written.contains(number) { wgpu::ColorWrites::ALL } else { wgpu::ColorWrites::empty() };
        Some(wgpu::ColorTargetState { format: *format, blend: None, write_mask })
    };
    let targets: Vec<_> = (0..).zip(formats).map(target).collect();
    let topology = match text(&case.get("draw")["topology"]) {
        "triangle-list" => wgpu::PrimitiveTopology::TriangleList,
        "triangle-strip" => wgpu::PrimitiveTopology::TriangleStrip,
        "point-list" => wgpu::PrimitiveTopology::PointList,
        other => panic!("unknown topology {other}"),
    };
    let depth = &case.get("target")["depth"];
    let depth_stencil = depth.is_object().then(|| wgpu::DepthStencilState {
        format: textures::format(text(&depth["format"])),
        depth_write_enabled: Some(true),
        depth_compare: Some(textures::comparison(text(&depth["compare"]))),
        stencil: Default::default(),
        bias: Default::default(),
    });
    let stage = wgpu::VertexState {
        module: &vertex.module,
        entry_point: Some(ENTRY_POINT),
        compilation_options: Default::default(),
        buffers: &buffers,
    };
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: None,
        layout: Some(&layout),
        vertex: stage,
        primitive: wgpu::PrimitiveState { topology, front_face: wgpu::FrontFace::Cw, ..Default::default() },
        depth_stencil,
        multisample: Default::default(),
        fragment: pixel.map(|pixel| wgpu::FragmentState {
            module: &pixel.module,
            entry_point: Some(ENTRY_POINT),
            compilation_options: Default::default(),
            targets: &targets,
        }),
        multiview_mask: None,
        cache: None,
    })
}

fn run(
    gpu: &Gpu,
    case: &Case,
    pipeline: &wgpu::RenderPipeline,
    (vertex, pixel): (&Stage, Option<&Stage>),
    formats: &[wgpu::TextureFormat],
) -> Drawn {
    let (device, target) = (&gpu.device, case.get("target"));
    let size = ["width", "height"].map(|side| number(&target[side], 1));
    let colors: Vec<_> = formats.iter().map(|format| attachment(gpu, *format, size)).collect();
    let depth =
        target["depth"].as_object().map(|depth| attachment(gpu, textures::format(text(&depth["format"])), size));
    let views: Vec<_> = colors.iter().map(|color| color.create_view(&Default::default())).collect();
    let depth_view = depth.as_ref().map(|depth| depth.create_view(&Default::default()));
    let color_attachments: Vec<_> = (0..).zip(&views).map(|(number, view)| cleared(target, number, view)).collect();
    let depth_stencil_attachment = depth_view.as_ref().map(|view| wgpu::RenderPassDepthStencilAttachment {
        view,
        depth_ops: Some(wgpu::Operations {
            load: wgpu::LoadOp::Clear(target["depth"]["clear"].as_f64().unwrap() as f32),
            store: wgpu::StoreOp::Store,
        }),
        stencil_ops: None,
    });
    let buffer = |contents: &[u8], usage| {
        device.create_buffer_init(&wgpu::util::BufferInitDescriptor { label: None, contents, usage })
    };
    let slots = case.get("vertex_buffers").as_array().into_iter().flatten();
    let slots: Vec<_> = slots.map(|slot| buffer(&case.bytes(&slot["data"]), wgpu::BufferUsages::VERTEX)).collect();
    let draw = case.get("draw");
    let is_gl = gpu.adapter.get_info().backend == wgpu::Backend::Gl;
    let indices = indices(case, is_gl);
    let index_buffer = indices.as_ref().map(|indices| {
        let bytes: Vec<u8> = indices.iter().flat_map(|index| index.to_le_bytes()).collect();
        buffer(&bytes, wgpu::BufferUsages::INDEX)
    });
    let mut encoder = device.create_command_encoder(&Default::default());
    let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        color_attachments: &color_attachments,
        depth_stencil_attachment,
        ..Default::default()
    });
    pass.set_pipeline(pipeline);
    for (number, stage) in (0..).zip([Some(vertex), pixel].into_iter().flatten()) {
        pass.set_bind_group(number, &stage.group, &[]);
    }
    for (slot, buffer) in (0..).zip(&slots) {
        pass.set_vertex_buffer(slot, buffer.slice(..));
    }
    let (first, count) = (number(&draw["first"], 0), number(&draw["vertices"], 0));
    let first_instance = number(&draw["first_instance"], 0);
    let instances = first_instance..first_instance + number(&draw["instances"], 1);
    match &index_buffer {
        None => pass.draw(first..first + count, instances),
        Some(indices) => {
            let base = if draw["indices"].is_string() { number(&draw["base_vertex"], 0) } else { first };
            pass.set_index_buffer(indices.slice(..), wgpu::IndexFormat::Uint16);
            pass.draw_indexed(0..count, base as i32, instances);
        }
    }
    drop(pass);
    gpu.queue.submit([encoder.finish()]);
    Drawn {
        targets: colors.iter().map(|color| read(gpu, color)).collect(),
        depth: depth.as_ref().map(|depth| read(gpu, depth)),
        written: [Some(vertex), pixel].into_iter().flatten().flat_map(|stage| stage.read_written(gpu)).collect(),
    }
}

/// The indices to draw with, if any. GL gives a flat triangle the values of its last vertex, Direct3D of its first: so the
/// first comes last there.
fn indices(case: &Case, is_gl: bool) -> Option<Vec<u16>> {
    let draw = case.get("draw");
    let of_case = draw["indices"].is_string().then(|| case.bytes(&draw["indices"]));
    let of_case = of_case.map(|bytes| bytes.as_chunks().0.iter().map(|word| u16::from_le_bytes(*word)).collect());
    if !is_gl || text(&draw["topology"]) != "triangle-list" {
        return of_case;
    }
    let mut indices = of_case.unwrap_or_else(|| (0..number(&draw["vertices"], 0) as u16).collect::<Vec<_>>());
    indices.as_chunks_mut::<3>().0.iter_mut().for_each(|triangle| triangle.rotate_left(1));
    Some(indices)
}

fn attachment(gpu: &Gpu, format: wgpu::TextureFormat, [width, height]: [u32; 2]) -> wgpu::Texture {
    gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: None,
        size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
        view_formats: &[],
    })
}

fn cleared<'a>(
    target: &Value,
    number: usize,
    view: &'a wgpu::TextureView,
) -> Option<wgpu::RenderPassColorAttachment<'a>> {
    let [r, g, b, a] = [0, 1, 2, 3].map(|lane| target["clear"][number][lane].as_f64().unwrap());
    let load = wgpu::LoadOp::Clear(wgpu::Color { r, g, b, a });
    let ops = wgpu::Operations { load, store: wgpu::StoreOp::Store };
    Some(wgpu::RenderPassColorAttachment { view, depth_slice: None, resolve_target: None, ops })
}

/// The texels of a texture's first mip, layer by layer and row by row.
pub fn read(gpu: &Gpu, texture: &wgpu::Texture) -> Vec<u8> {
    let row = texture.width() * texture.format().block_copy_size(None).unwrap();
    let pitch = row.next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
    let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: u64::from(pitch * texture.height() * texture.depth_or_array_layers()),
        usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
        mapped_at_creation: false,
    });
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    let layout =
        wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(pitch), rows_per_image: Some(texture.height()) };
    let into = wgpu::TexelCopyBufferInfo { buffer: &buffer, layout };
    encoder.copy_texture_to_buffer(texture.as_image_copy(), into, texture.size());
    gpu.queue.submit([encoder.finish()]);
    let rows = mapped(gpu, &buffer);
    rows.chunks(pitch as usize).flat_map(|chunk| &chunk[..row as usize]).copied().collect()
}

/// Contents of a buffer.
pub fn read_buffer(gpu: &Gpu, from: &wgpu::Buffer) -> Vec<u8> {
    let usage = wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ;
    let descriptor = wgpu::BufferDescriptor { label: None, size: from.size(), usage, mapped_at_creation: false };
    let buffer = gpu.device.create_buffer(&descriptor);
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    encoder.copy_buffer_to_buffer(from, 0, &buffer, 0, None);
    gpu.queue.submit([encoder.finish()]);
    mapped(gpu, &buffer)
}

/// Contents of a buffer that can be mapped.
pub fn mapped(gpu: &Gpu, buffer: &wgpu::Buffer) -> Vec<u8> {
    buffer.map_async(wgpu::MapMode::Read, .., |_| {});
    gpu.device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
    buffer.get_mapped_range(..).unwrap().to_vec()
}
