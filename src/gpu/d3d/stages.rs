//! Stages of shaders on the GPU: their bindings, and the layouts of their groups.

use std::sync::atomic::{AtomicU32, Ordering};

use super::groups::MOST_DYNAMIC;
use super::parameters::ParameterInputs;
use super::storage_format::storage_format;
use crate::gpu::device::Gpu;
use crate::shader::d3d::{ParameterBlock, SampledAs, StageBinding, StageBindingKind, StorageAccess, TextureDimension};

/// A stage on the GPU.
pub(super) struct Stage {
    /// Stages with the same number are the same.
    pub number: u32,
    pub module: wgpu::ShaderModule,
    pub entry_point: &'static str,
    pub layout: wgpu::BindGroupLayout,
    /// Its slots, in the order of the bindings.
    pub slots: Vec<StageSlot>,
    /// Bytes of all its uniform buffers, each in its place.
    pub uniform_bytes: u64,
    /// True if the offset of each is told with each draw.
    pub has_only_dynamic_uniforms: bool,
    /// Inputs of its block of parameters: none if it has no block.
    pub parameters: ParameterInputs,
    /// True if it uses nothing but textures, samplers and dynamic uniforms.
    pub is_of_textures: bool,
    /// True if it reads buffers of constants.
    pub has_guest_constants: bool,
}

/// A slot of a stage.
pub(super) struct StageSlot {
    pub binding: u32,
    pub what: SlotKind,
    /// True of a uniform buffer whose offset is told with each draw.
    pub is_dynamic: bool,
}

/// Kind of a stage's slot.
pub(super) enum SlotKind {
    /// A binding that the shader names.
    Named(StageBindingKind),
    /// Numbers that change from draw to draw.
    Parameters(ParameterBlock),
}

impl StageSlot {
    /// The binding in a shader's own terms; nothing of a block of parameters.
    pub(super) fn named(&self) -> Option<StageBindingKind> {
        match self.what {
            SlotKind::Named(kind) => Some(kind),
            SlotKind::Parameters(_) => None,
        }
    }

    /// Its block of parameters, if it is one.
    fn parameters(&self) -> Option<&ParameterBlock> {
        match &self.what {
            SlotKind::Named(_) => None,
            SlotKind::Parameters(block) => Some(block),
        }
    }

    /// Slots of all bindings: the last of the uniform buffers is the one whose numbers change most.
    fn all_of(bindings: &[StageBinding], parameters: Option<ParameterBlock>) -> Vec<Self> {
        let named = bindings.iter().map(|binding| (binding.binding, SlotKind::Named(binding.kind)));
        let parameters = parameters.map(|block| (block.binding, SlotKind::Parameters(block)));
        let slots = named.chain(parameters);
        let mut slots: Vec<Self> = slots.map(|(binding, what)| Self { binding, what, is_dynamic: false }).collect();
        slots.sort_by_key(|slot| slot.binding);
        let uniforms = slots.iter_mut().rev().filter(|slot| slot.what.is_uniform());
        uniforms.take(MOST_DYNAMIC).for_each(|slot| slot.is_dynamic = true);
        slots
    }
}

impl SlotKind {
    const fn is_uniform(&self) -> bool {
        self.uniform_bytes().is_some()
    }

    /// The size of a uniform buffer.
    pub(super) const fn uniform_bytes(&self) -> Option<u32> {
        match self {
            Self::Named(
                StageBindingKind::ConstantBuffer { size_bytes, .. } | StageBindingKind::LegacyConstants { size_bytes },
            ) => Some(*size_bytes),
            Self::Parameters(block) => Some(block.size_bytes),
            Self::Named(_) => None,
        }
    }
}

impl Stage {
    /// A stage of this module.
    pub(super) fn new(
        gpu: &Gpu,
        (module, entry_point): (wgpu::ShaderModule, &'static str),
        (bindings, parameters): (&[StageBinding], Option<ParameterBlock>),
        visibility: wgpu::ShaderStages,
    ) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let slots = StageSlot::all_of(bindings, parameters);
        let layout = group_layout(gpu, &slots, visibility);
        let uniforms = slots.iter().filter_map(|slot| slot.what.uniform_bytes());
        let uniform_bytes = uniforms.map(|size| u64::from(size).next_multiple_of(gpu.uniform_alignment())).sum();
        let has_only_dynamic_uniforms = slots.iter().all(|slot| slot.is_dynamic == slot.what.is_uniform());
        let parameters = ParameterInputs::of(slots.iter().filter_map(StageSlot::parameters));
        let is_plain = |slot: &StageSlot| {
            let kind = slot.named();
            slot.is_dynamic || matches!(kind, Some(StageBindingKind::Texture { .. } | StageBindingKind::Sampler { .. }))
        };
        let is_of_textures = slots.iter().all(is_plain);
        let is_guests = |slot: &StageSlot| matches!(slot.named(), Some(StageBindingKind::ConstantBuffer { .. }));
        let has_guest_constants = slots.iter().any(is_guests);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Self {
            number,
            module,
            entry_point,
            layout,
            slots,
            uniform_bytes,
            has_only_dynamic_uniforms,
            parameters,
            is_of_textures,
            has_guest_constants,
        }
    }
}

/// The layout of what a stage uses.
fn group_layout(gpu: &Gpu, slots: &[StageSlot], visibility: wgpu::ShaderStages) -> wgpu::BindGroupLayout {
    let entry = |slot: &StageSlot| {
        let ty = match slot.what {
            SlotKind::Named(kind) if !slot.what.is_uniform() => binding_type(kind),
            SlotKind::Named(_) | SlotKind::Parameters(_) => uniform_buffer(slot.is_dynamic),
        };
        wgpu::BindGroupLayoutEntry { binding: slot.binding, visibility, ty, count: None }
    };
    let entries: Vec<_> = slots.iter().map(entry).collect();
    gpu.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries })
}

const fn uniform_buffer(has_dynamic_offset: bool) -> wgpu::BindingType {
    wgpu::BindingType::Buffer { ty: wgpu::BufferBindingType::Uniform, has_dynamic_offset, min_binding_size: None }
}

const fn storage_buffer(read_only: bool) -> wgpu::BindingType {
    wgpu::BindingType::Buffer {
        ty: wgpu::BufferBindingType::Storage { read_only },
        has_dynamic_offset: false,
        min_binding_size: None,
    }
}

const fn binding_type(kind: StageBindingKind) -> wgpu::BindingType {
    match kind {
        StageBindingKind::ConstantBuffer { .. } | StageBindingKind::LegacyConstants { .. } => uniform_buffer(false),
        StageBindingKind::Texture { dimension, sampled_as, .. } => wgpu::BindingType::Texture {
            sample_type: match sampled_as {
                SampledAs::Float => wgpu::TextureSampleType::Float { filterable: true },
                SampledAs::UnfilterableFloat => wgpu::TextureSampleType::Float { filterable: false },
                SampledAs::Depth => wgpu::TextureSampleType::Depth,
                SampledAs::Sint => wgpu::TextureSampleType::Sint,
                SampledAs::Uint => wgpu::TextureSampleType::Uint,
            },
            view_dimension: view_dimension(dimension),
            multisampled: matches!(dimension, TextureDimension::D2Multisampled),
        },
        StageBindingKind::Sampler { is_comparison, .. } => wgpu::BindingType::Sampler(match is_comparison {
            true => wgpu::SamplerBindingType::Comparison,
            false => wgpu::SamplerBindingType::Filtering,
        }),
        StageBindingKind::StorageTexture { dimension, format, access, .. } => wgpu::BindingType::StorageTexture {
            access: match access {
                StorageAccess::Read => wgpu::StorageTextureAccess::ReadOnly,
                StorageAccess::Write => wgpu::StorageTextureAccess::WriteOnly,
                StorageAccess::ReadWrite => wgpu::StorageTextureAccess::ReadWrite,
                StorageAccess::Atomic => wgpu::StorageTextureAccess::Atomic,
            },
            format: storage_format(format),
            view_dimension: view_dimension(dimension),
        },
        StageBindingKind::ResourceBuffer { .. } => storage_buffer(true),
        StageBindingKind::UnorderedBuffer { .. } | StageBindingKind::Counter { .. } => storage_buffer(false),
    }
}

/// Dimension of a texture's view.
pub(super) const fn view_dimension(dimension: TextureDimension) -> wgpu::TextureViewDimension {
    match dimension {
        TextureDimension::D1 => wgpu::TextureViewDimension::D1,
        TextureDimension::D2 | TextureDimension::D2Multisampled => wgpu::TextureViewDimension::D2,
        TextureDimension::D2Array => wgpu::TextureViewDimension::D2Array,
        TextureDimension::D3 => wgpu::TextureViewDimension::D3,
        TextureDimension::Cube => wgpu::TextureViewDimension::Cube,
        TextureDimension::CubeArray => wgpu::TextureViewDimension::CubeArray,
    }
}
