//! Textures and samplers of a case, and what stands for those that it lacks.

use aerogpu_replay::gpu::Gpu;
use aerogpu_replay::shader::d3d::{SampledAs, TextureDimension};
use serde_json::{Value, json};
use wgpu::util::DeviceExt;

use super::case::{Case, number, text};

/// Texture that a shader reads at a slot.
pub struct BoundTexture {
    pub view: wgpu::TextureView,
    pub is_filterable: bool,
}

/// The format of a name: those that naga and wgpu call the same.
macro_rules! formats {
    ($($name:ident)*) => {
        /// Names of a format in wgpu, and in naga where texels can be stored in it.
        fn formats() -> Vec<(String, wgpu::TextureFormat, naga::StorageFormat)> {
            vec![$((
                stringify!($name).to_lowercase(), wgpu::TextureFormat::$name, naga::StorageFormat::$name,
            )),*]
        }
    };
}

formats! {
    R8Unorm R8Snorm R8Uint R8Sint Rg8Unorm Rg8Snorm Rg8Uint Rg8Sint Rgba8Unorm Rgba8Snorm Rgba8Uint Rgba8Sint Bgra8Unorm
    R16Unorm R16Snorm R16Uint R16Sint R16Float Rg16Unorm Rg16Snorm Rg16Uint Rg16Sint Rg16Float
    Rgba16Unorm Rgba16Snorm Rgba16Uint Rgba16Sint Rgba16Float
    R32Uint R32Sint R32Float Rg32Uint Rg32Sint Rg32Float Rgba32Uint Rgba32Sint Rgba32Float
    Rgb10a2Uint Rgb10a2Unorm Rg11b10Ufloat
}

pub fn format(name: &str) -> wgpu::TextureFormat {
    match name {
        "rgba8unorm-srgb" => wgpu::TextureFormat::Rgba8UnormSrgb,
        "d32float" => wgpu::TextureFormat::Depth32Float,
        other => known_format(other).0,
    }
}

/// Name of a format in naga.
pub fn storage_format(name: &str) -> naga::StorageFormat {
    known_format(name).1
}

/// Name that wgpu has for a format of naga's.
pub fn stored_format(format: naga::StorageFormat) -> wgpu::TextureFormat {
    formats().into_iter().find(|(.., named)| *named == format).unwrap().1
}

fn known_format(name: &str) -> (wgpu::TextureFormat, naga::StorageFormat) {
    let found = formats().into_iter().find(|(known, ..)| known == name);
    let (_, stored, named) = found.unwrap_or_else(|| panic!("unknown format {name}"));
    (stored, named)
}

pub const fn view_dimension(dimension: TextureDimension) -> wgpu::TextureViewDimension {
    match dimension {
        TextureDimension::D1 => wgpu::TextureViewDimension::D1,
        TextureDimension::D2 | TextureDimension::D2Multisampled => wgpu::TextureViewDimension::D2,
        TextureDimension::D2Array => wgpu::TextureViewDimension::D2Array,
        TextureDimension::D3 => wgpu::TextureViewDimension::D3,
        TextureDimension::Cube => wgpu::TextureViewDimension::Cube,
        TextureDimension::CubeArray => wgpu::TextureViewDimension::CubeArray,
    }
}

/// The texture of a slot, or one texel of what is read where there is none.
pub fn bind(
    gpu: &Gpu,
    case: &Case,
    given: Option<&Value>,
    dimension: TextureDimension,
    sampled_as: SampledAs,
) -> BoundTexture {
    let texture = match given {
        Some(given) => texture(gpu, given, &case.bytes(&given["data"])),
        None => nothing(gpu, dimension, sampled_as, case.is_d3d9()),
    };
    let dimension = Some(view_dimension(dimension));
    let view = texture.create_view(&wgpu::TextureViewDescriptor { dimension, ..Default::default() });
    BoundTexture { view, is_filterable: texture.format() != wgpu::TextureFormat::R32Float }
}

fn nothing(gpu: &Gpu, dimension: TextureDimension, sampled_as: SampledAs, is_d3d9: bool) -> wgpu::Texture {
    let format = match sampled_as {
        SampledAs::Float | SampledAs::UnfilterableFloat => "rgba8unorm",
        SampledAs::Depth => "d32float",
        SampledAs::Sint => "rgba8sint",
        SampledAs::Uint => "rgba8uint",
    };
    let (kind, layers) = match dimension {
        TextureDimension::D1 => ("1d", 1),
        TextureDimension::D2 => ("2d", 1),
        TextureDimension::D2Multisampled => panic!("no case has textures of several samples"),
        TextureDimension::D2Array => ("2d-array", 7),
        TextureDimension::D3 => ("3d", 1),
        TextureDimension::Cube => ("cube", 6),
        TextureDimension::CubeArray => ("cube-array", 12),
    };
    let description = json!({ "kind": kind, "format": format, "layers": layers });
    let texel = if is_d3d9 && sampled_as != SampledAs::Depth { [0, 0, 0, 255] } else { [0; 4] };
    texture(gpu, &description, &texel.repeat(layers))
}

/// A texture with what it holds.
pub fn texture(gpu: &Gpu, given: &Value, data: &[u8]) -> wgpu::Texture {
    texture_for(gpu, given, data, wgpu::TextureUsages::TEXTURE_BINDING)
}

/// A texture that is written.
pub fn storage_texture(gpu: &Gpu, given: &Value, data: &[u8]) -> wgpu::Texture {
    texture_for(gpu, given, data, wgpu::TextureUsages::STORAGE_BINDING | wgpu::TextureUsages::COPY_SRC)
}

fn texture_for(gpu: &Gpu, given: &Value, data: &[u8], usage: wgpu::TextureUsages) -> wgpu::Texture {
    use wgpu::TextureUsages as U;
    let side = |key: &str| number(&given[key], 1);
    let format = format(text(&given["format"]));
    let (dimension, depth) = match text(&given["kind"]) {
        "1d" => (wgpu::TextureDimension::D1, 1),
        "3d" => (wgpu::TextureDimension::D3, side("depth")),
        _ => (wgpu::TextureDimension::D2, side("layers")),
    };
    let is_depth = format.has_depth_aspect();
    let descriptor = wgpu::TextureDescriptor {
        label: None,
        size: wgpu::Extent3d { width: side("width"), height: side("height"), depth_or_array_layers: depth },
        mip_level_count: side("mips"),
        sample_count: 1,
        dimension,
        format,
        usage: usage | if is_depth { U::RENDER_ATTACHMENT } else { U::COPY_DST },
        view_formats: &[],
    };
    if !is_depth {
        let order = wgpu::util::TextureDataOrder::LayerMajor;
        return gpu.device.create_texture_with_data(&gpu.queue, &descriptor, order, data);
    }
    let texture = gpu.device.create_texture(&descriptor);
    draw_depth(gpu, &texture, data);
    texture
}

/// Depths are drawn: they can't be copied to a texture.
fn draw_depth(gpu: &Gpu, texture: &wgpu::Texture, data: &[u8]) {
    const TEXT: &str = "@group(0) @binding(0) var depths: texture_2d<f32>;
        @vertex fn v(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
            return vec4f(f32(i & 1u) * 4.0 - 1.0, f32(i >> 1u) * 4.0 - 1.0, 0.0, 1.0);
        }
        @fragment fn f(@builtin(position) at: vec4f) -> @builtin(frag_depth) f32 {
            return textureLoad(depths, vec2i(at.xy), 0).x;
        }";
    let device = &gpu.device;
    let [width, height] = [texture.width(), texture.height()];
    let floats = texture_of_floats(gpu, [width, height], data);
    let source = wgpu::ShaderSource::Wgsl(TEXT.into());
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source });
    let pipeline = device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: None,
        layout: None,
        vertex: wgpu::VertexState {
            module: &module,
            entry_point: None,
            compilation_options: Default::default(),
            buffers: &[],
        },
        primitive: Default::default(),
        depth_stencil: Some(wgpu::DepthStencilState {
            format: texture.format(),
            depth_write_enabled: Some(true),
            depth_compare: Some(wgpu::CompareFunction::Always),
            stencil: Default::default(),
            bias: Default::default(),
        }),
        multisample: Default::default(),
        fragment: Some(wgpu::FragmentState {
            module: &module,
            entry_point: None,
            compilation_options: Default::default(),
            targets: &[],
        }),
        multiview_mask: None,
        cache: None,
    });
    let resource = wgpu::BindingResource::TextureView(&floats);
    let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &pipeline.get_bind_group_layout(0),
        entries: &[wgpu::BindGroupEntry { binding: 0, resource }],
    });
    let view = texture.create_view(&Default::default());
    let mut encoder = device.create_command_encoder(&Default::default());
    let depth_ops = wgpu::Operations { load: wgpu::LoadOp::Clear(0.0), store: wgpu::StoreOp::Store };
    let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
            view: &view,
            depth_ops: Some(depth_ops),
            stencil_ops: None,
        }),
        ..Default::default()
    });
    pass.set_pipeline(&pipeline);
    pass.set_bind_group(0, &group, &[]);
    pass.draw(0..3, 0..1);
    drop(pass);
    gpu.queue.submit([encoder.finish()]);
}

fn texture_of_floats(gpu: &Gpu, [width, height]: [u32; 2], data: &[u8]) -> wgpu::TextureView {
    let floats = json!({ "kind": "2d", "format": "r32float", "width": width, "height": height });
    texture(gpu, &floats, data).create_view(&Default::default())
}

/// The sampler of a slot; where there is none, the nearest texel without a mip, repeated.
pub fn sampler(gpu: &Gpu, given: Option<&Value>, is_comparison: bool) -> wgpu::Sampler {
    let null = Value::Null;
    let given = given.unwrap_or(&null);
    let is_linear = |key: &str| given[key].as_str() == Some("linear");
    let filter = |key| if is_linear(key) { wgpu::FilterMode::Linear } else { wgpu::FilterMode::Nearest };
    let address = |lane: usize| match given["address"][lane].as_str() {
        None | Some("wrap") => wgpu::AddressMode::Repeat,
        Some("mirror") => wgpu::AddressMode::MirrorRepeat,
        Some("clamp") => wgpu::AddressMode::ClampToEdge,
        Some(other) => panic!("unknown address mode {other}"),
    };
    let compare = match given["compare"].as_str() {
        Some(name) => Some(comparison(name)),
        None => is_comparison.then_some(wgpu::CompareFunction::Never),
    };
    gpu.device.create_sampler(&wgpu::SamplerDescriptor {
        address_mode_u: address(0),
        address_mode_v: address(1),
        address_mode_w: address(2),
        min_filter: filter("min"),
        mag_filter: filter("mag"),
        mipmap_filter: match is_linear("mip") {
            true => wgpu::MipmapFilterMode::Linear,
            false => wgpu::MipmapFilterMode::Nearest,
        },
        lod_min_clamp: given["min_lod"].as_f64().unwrap_or(0.0) as f32,
        lod_max_clamp: given["max_lod"].as_f64().unwrap_or(1000.0) as f32,
        compare,
        ..Default::default()
    })
}

/// Whether a sampler joins texels, which not all formats allow.
pub fn is_filtering(given: Option<&Value>) -> bool {
    given.is_some_and(|given| ["min", "mag", "mip"].iter().any(|key| given[*key].as_str() == Some("linear")))
}

pub fn comparison(name: &str) -> wgpu::CompareFunction {
    match name {
        "less" => wgpu::CompareFunction::Less,
        "greater" => wgpu::CompareFunction::Greater,
        other => panic!("unknown comparison {other}"),
    }
}
