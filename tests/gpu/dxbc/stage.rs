//! A translated stage on the GPU, with what a case binds to it.

use aerogpu_replay::gpu::Gpu;
use aerogpu_replay::shader::d3d::{
    BoundBuffer, Parameter, ParameterBlock, StageBindingKind, StageResources, StorageAccess, TranslatedStage,
};
use aerogpu_replay::shader::gl_form;
use std::borrow::Cow;
use std::collections::BTreeMap;
use wgpu::util::DeviceExt;

use super::case::{Case, number, text};
use super::textures;
use crate::gpu::kept::keep_module;

/// A stage that can be drawn or dispatched with.
pub struct Stage {
    pub module: wgpu::ShaderModule,
    pub layout: wgpu::BindGroupLayout,
    pub group: wgpu::BindGroup,
    /// Resources that the stage writes, by the names that cases call them: `cs.u0`, `cs.u0.counter`.
    pub written: BTreeMap<String, Written>,
}

/// Resource that a stage writes.
pub enum Written {
    Buffer(wgpu::Buffer),
    Texture(wgpu::Texture),
}

enum Resource {
    Buffer(wgpu::Buffer),
    View(wgpu::TextureView),
    Stored(wgpu::TextureView, wgpu::Texture),
    Sampler(wgpu::Sampler),
}

impl Stage {
    /// Makes the stage of a case that is called `vs`, `ps` or `cs`.
    pub fn new(
        gpu: &Gpu,
        case: &Case,
        name: &str,
        translated: &TranslatedStage,
        visibility: wgpu::ShaderStages,
    ) -> Result<Self, String> {
        keep_module(&translated.module);
        let is_gl = gpu.adapter.get_info().backend == wgpu::Backend::Gl;
        let module = if is_gl { gl_form(&translated.module)? } else { translated.module.clone() };
        let source = wgpu::ShaderSource::Naga(Cow::Owned(module));
        let module = gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source });
        let mut written = BTreeMap::new();
        let mut bound: Vec<_> = translated
            .bindings
            .iter()
            .map(|binding| {
                let (ty, resource) = bind(gpu, case, name, binding.kind);
                written.extend(written_by(name, binding.kind, &resource));
                (wgpu::BindGroupLayoutEntry { binding: binding.binding, visibility, ty, count: None }, resource)
            })
            .collect();
        if let Some(block) = &translated.parameters {
            let resource = uniform(gpu, &parameters(case, name, block));
            let ty = buffer_type(wgpu::BufferBindingType::Uniform);
            let binding = block.binding;
            bound.push((wgpu::BindGroupLayoutEntry { binding, visibility, ty, count: None }, resource));
        }
        let entries: Vec<_> = bound.iter().map(|(entry, _)| *entry).collect();
        let layout =
            gpu.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries });
        let resources = bound.iter().map(|(entry, resource)| (entry.binding, resource.binding()));
        let entries: Vec<_> = resources.map(|(binding, resource)| wgpu::BindGroupEntry { binding, resource }).collect();
        let descriptor = wgpu::BindGroupDescriptor { label: None, layout: &layout, entries: &entries };
        let group = gpu.device.create_bind_group(&descriptor);
        Ok(Self { module, layout, group, written })
    }

    /// Contents that it has written, by the names that cases call them.
    pub fn read_written(&self, gpu: &Gpu) -> Vec<(String, Vec<u8>)> {
        let read = |written: &Written| match written {
            Written::Buffer(buffer) => super::draw::read_buffer(gpu, buffer),
            Written::Texture(texture) => super::draw::read(gpu, texture),
        };
        self.written.iter().map(|(name, written)| (name.clone(), read(written))).collect()
    }
}

impl Resource {
    fn binding(&self) -> wgpu::BindingResource<'_> {
        match self {
            Self::Buffer(buffer) => buffer.as_entire_binding(),
            Self::View(view) | Self::Stored(view, _) => wgpu::BindingResource::TextureView(view),
            Self::Sampler(sampler) => wgpu::BindingResource::Sampler(sampler),
        }
    }
}

/// Resource that a stage writes there, and its name in cases.
fn written_by(stage: &str, kind: StageBindingKind, resource: &Resource) -> Option<(String, Written)> {
    match (kind, resource) {
        (StageBindingKind::UnorderedBuffer { slot }, Resource::Buffer(buffer)) => {
            Some((format!("{stage}.u{slot}"), Written::Buffer(buffer.clone())))
        }
        (StageBindingKind::Counter { slot }, Resource::Buffer(buffer)) => {
            Some((format!("{stage}.u{slot}.counter"), Written::Buffer(buffer.clone())))
        }
        (StageBindingKind::StorageTexture { slot, .. }, Resource::Stored(_, texture)) => {
            Some((format!("{stage}.u{slot}"), Written::Texture(texture.clone())))
        }
        _ => None,
    }
}

/// Facts of a stage's resources that a case says and its shader does not.
pub fn resources(case: &Case, stage: &str) -> StageResources {
    let formats = |letter, kinds: &[&str]| {
        let of_kind = |given: &&serde_json::Value| kinds.is_empty() || kinds.contains(&text(&given["kind"]));
        let given = case.resources(stage, letter).into_iter().filter(|(_, given)| of_kind(given));
        let formats = given.filter_map(|(slot, given)| Some((slot, given["format"].as_str()?.to_owned())));
        formats.collect::<Vec<_>>()
    };
    let named = |formats: Vec<(u32, String)>| {
        formats.into_iter().map(|(slot, name)| (slot, textures::storage_format(&name))).collect()
    };
    StageResources {
        depth_textures: formats('t', &[])
            .into_iter()
            .filter(|(_, name)| name == "d32float")
            .map(|(slot, _)| slot)
            .collect(),
        typed_buffers: named(formats('t', &["buffer"])),
        typed_uavs: named(formats('u', &[])),
        ..StageResources::default()
    }
}

fn bind(gpu: &Gpu, case: &Case, stage: &str, kind: StageBindingKind) -> (wgpu::BindingType, Resource) {
    use wgpu::BufferBindingType::Uniform;
    match kind {
        StageBindingKind::ConstantBuffer { slot, size_bytes } => {
            let given = case.resources(stage, 'b').remove(&slot);
            let mut bytes = given.map_or_else(Vec::new, |given| case.bytes(&given["data"]));
            bytes.resize(size_bytes as usize, 0);
            (buffer_type(Uniform), uniform(gpu, &bytes))
        }
        StageBindingKind::LegacyConstants { .. } => (buffer_type(Uniform), uniform(gpu, &case.legacy_constants(stage))),
        StageBindingKind::Texture { slot, dimension, sampled_as, .. } => {
            use aerogpu_replay::shader::d3d::SampledAs;
            let given = case.resources(stage, 't').remove(&slot);
            let bound = textures::bind(gpu, case, given, dimension, sampled_as);
            let sample_type = match sampled_as {
                SampledAs::Float => wgpu::TextureSampleType::Float { filterable: bound.is_filterable },
                SampledAs::UnfilterableFloat => wgpu::TextureSampleType::Float { filterable: false },
                SampledAs::Depth => wgpu::TextureSampleType::Depth,
                SampledAs::Sint => wgpu::TextureSampleType::Sint,
                SampledAs::Uint => wgpu::TextureSampleType::Uint,
            };
            let view_dimension = textures::view_dimension(dimension);
            let ty = wgpu::BindingType::Texture { sample_type, view_dimension, multisampled: false };
            (ty, Resource::View(bound.view))
        }
        StageBindingKind::StorageTexture { slot, dimension, format, access } => {
            let given = case.resources(stage, 'u').remove(&slot).expect("a storage texture has a format");
            let texture = textures::storage_texture(gpu, given, &case.bytes(&given["data"]));
            let view_dimension = textures::view_dimension(dimension);
            let descriptor = wgpu::TextureViewDescriptor { dimension: Some(view_dimension), ..Default::default() };
            let access = match access {
                StorageAccess::Read => wgpu::StorageTextureAccess::ReadOnly,
                StorageAccess::Write => wgpu::StorageTextureAccess::WriteOnly,
                StorageAccess::ReadWrite => wgpu::StorageTextureAccess::ReadWrite,
                StorageAccess::Atomic => wgpu::StorageTextureAccess::Atomic,
            };
            let format = textures::stored_format(format);
            let ty = wgpu::BindingType::StorageTexture { access, format, view_dimension };
            (ty, Resource::Stored(texture.create_view(&descriptor), texture))
        }
        StageBindingKind::Sampler { slot, is_comparison } => {
            let given = case.resources(stage, 's').remove(&slot);
            let ty = wgpu::BindingType::Sampler(match (is_comparison, textures::is_filtering(given)) {
                (true, _) => wgpu::SamplerBindingType::Comparison,
                (false, true) => wgpu::SamplerBindingType::Filtering,
                (false, false) => wgpu::SamplerBindingType::NonFiltering,
            });
            (ty, Resource::Sampler(textures::sampler(gpu, given, is_comparison)))
        }
        StageBindingKind::ResourceBuffer { slot } => {
            let words = buffer_words(case, stage, BoundBuffer::Resource(slot));
            (buffer_type(wgpu::BufferBindingType::Storage { read_only: true }), storage(gpu, words))
        }
        StageBindingKind::UnorderedBuffer { slot } => {
            let words = buffer_words(case, stage, BoundBuffer::Unordered(slot));
            (buffer_type(wgpu::BufferBindingType::Storage { read_only: false }), storage(gpu, words))
        }
        StageBindingKind::Counter { slot } => {
            let given = case.resources(stage, 'u').remove(&slot);
            let count = given.map_or(0, |given| number(&given["counter"], 0));
            let words = count.to_le_bytes().to_vec();
            (buffer_type(wgpu::BufferBindingType::Storage { read_only: false }), storage(gpu, words))
        }
    }
}

fn buffer_type(ty: wgpu::BufferBindingType) -> wgpu::BindingType {
    wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None }
}

fn uniform(gpu: &Gpu, bytes: &[u8]) -> Resource {
    buffer(gpu, bytes, wgpu::BufferUsages::UNIFORM)
}

/// A storage buffer is never empty.
fn storage(gpu: &Gpu, mut bytes: Vec<u8>) -> Resource {
    bytes.resize(bytes.len().next_multiple_of(4).max(4), 0);
    buffer(gpu, &bytes, wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC)
}

fn buffer(gpu: &Gpu, contents: &[u8], usage: wgpu::BufferUsages) -> Resource {
    let descriptor = wgpu::util::BufferInitDescriptor { label: None, contents, usage };
    Resource::Buffer(gpu.device.create_buffer_init(&descriptor))
}

/// Contents of a buffer; nothing where there is none.
fn buffer_words(case: &Case, stage: &str, buffer: BoundBuffer) -> Vec<u8> {
    let given = match buffer {
        BoundBuffer::Resource(slot) => case.resources(stage, 't').remove(&slot),
        BoundBuffer::Unordered(slot) => case.resources(stage, 'u').remove(&slot),
    };
    given.map_or_else(Vec::new, |given| case.bytes(&given["data"]))
}

fn parameters(case: &Case, stage: &str, block: &ParameterBlock) -> Vec<u8> {
    let mut bytes = vec![0; block.size_bytes as usize];
    for (parameter, offset) in &block.parameters {
        let words = parameter_words(case, stage, *parameter);
        let words: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
        let start = *offset as usize;
        bytes[start..start + words.len()].copy_from_slice(&words);
    }
    bytes
}

fn parameter_words(case: &Case, stage: &str, parameter: Parameter) -> Vec<u32> {
    let (target, draw) = (case.get("target"), case.get("draw"));
    match parameter {
        Parameter::HalfPixel => {
            ["width", "height"].map(|side| (1.0 / number(&target[side], 1) as f32).to_bits()).to_vec()
        }
        Parameter::AlphaReference => panic!("no case tests alpha"),
        Parameter::FogRange | Parameter::FogDensity | Parameter::FogColor => panic!("no case has fog"),
        Parameter::PointSize | Parameter::PointSizeRange => panic!("no case has points with a size"),
        Parameter::Border { .. } => panic!("cases have borders by their samplers"),
        Parameter::TextureMips { .. } => panic!("shaders of cases ask for numbers of mips"),
        Parameter::ViewportScale | Parameter::ViewportOffset => panic!("viewports of cases are those of their targets"),
        Parameter::LodBias { slot } => {
            let bias = case.resources(stage, 's').remove(&slot).and_then(|given| given["lod_bias"].as_f64());
            vec![(bias.unwrap_or(0.0) as f32).to_bits()]
        }
        Parameter::TextureLayers { .. } => panic!("textures of cases are shown as they are declared"),
        Parameter::BufferRange { buffer } => vec![0, buffer_words(case, stage, buffer).len() as u32],
        Parameter::FirstVertexAndInstance => {
            let first = if draw["indices"].is_string() { &draw["base_vertex"] } else { &draw["first"] };
            vec![number(first, 0), number(&draw["first_instance"], 0)]
        }
    }
}
