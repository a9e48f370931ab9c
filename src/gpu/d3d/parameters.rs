//! Numbers that a draw gives its stages: blocks of parameters, and what they are made of.

use crate::error::Internal;
use crate::replay::device_rules::ViewportMove;
use crate::replay::{FogNumbers, PointNumbers, ResourceBinding, Sampler, StageBindings};
use crate::shader::d3d::{BoundBuffer, Parameter, ParameterBlock};

/// Numbers that a draw gives its stages.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct DrawNumbers {
    /// Width and height of the viewport.
    pub viewport_px: [f32; 2],
    /// Reference of the alpha test, of 255.
    pub alpha_reference: u8,
    pub fog: FogNumbers,
    pub points: PointNumbers,
    pub first_vertex: u32,
    pub first_instance: u32,
    /// The way from the guest's viewport to the one that is set.
    pub moved: ViewportMove,
}

/// Inputs of a block of parameters: draws that agree in these have equal blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ParameterInputs {
    reads_viewport: bool,
    reads_alpha_reference: bool,
    reads_fog: bool,
    reads_points: bool,
    reads_first: bool,
    reads_move: bool,
    /// True if it tells of the resources in slots.
    pub reads_slots: bool,
    /// True if it tells of samplers.
    pub reads_samplers: bool,
}

impl ParameterInputs {
    /// Inputs of the parameters of blocks.
    pub(super) fn of<'b>(blocks: impl Iterator<Item = &'b ParameterBlock>) -> Self {
        let mut inputs = Self::default();
        for (parameter, _) in blocks.flat_map(|block| &block.parameters) {
            match parameter {
                Parameter::HalfPixel => inputs.reads_viewport = true,
                Parameter::AlphaReference => inputs.reads_alpha_reference = true,
                Parameter::PointSize | Parameter::PointSizeRange => inputs.reads_points = true,
                Parameter::FogRange | Parameter::FogDensity | Parameter::FogColor => inputs.reads_fog = true,
                Parameter::LodBias { .. } => inputs.reads_samplers = true,
                Parameter::Border { .. } => (inputs.reads_slots, inputs.reads_samplers) = (true, true),
                Parameter::BufferRange { .. } | Parameter::TextureLayers { .. } | Parameter::TextureMips { .. } => {
                    inputs.reads_slots = true;
                }
                Parameter::FirstVertexAndInstance => inputs.reads_first = true,
                Parameter::ViewportScale | Parameter::ViewportOffset => inputs.reads_move = true,
            }
        }
        inputs
    }

    /// A draw's numbers, as far as they are read; the others are 0.
    pub(super) fn read_of(self, numbers: &DrawNumbers) -> DrawNumbers {
        let mut read = DrawNumbers::default();
        if self.reads_viewport {
            read.viewport_px = numbers.viewport_px;
        }
        if self.reads_alpha_reference {
            read.alpha_reference = numbers.alpha_reference;
        }
        if self.reads_fog {
            read.fog = numbers.fog;
        }
        if self.reads_points {
            read.points = numbers.points;
        }
        if self.reads_first {
            (read.first_vertex, read.first_instance) = (numbers.first_vertex, numbers.first_instance);
        }
        if self.reads_move {
            read.moved = numbers.moved;
        }
        read
    }
}

/// The bytes of a block.
pub(super) fn parameter_bytes(
    block: &ParameterBlock,
    held: &StageBindings,
    numbers: &DrawNumbers,
) -> Result<Vec<u8>, Internal> {
    let lost = Internal::new("a parameter is missing from its block");
    let mut bytes = vec![0; block.size_bytes as usize];
    for (parameter, offset) in &block.parameters {
        let [width, height] = numbers.viewport_px;
        let words: [u32; 2] = match *parameter {
            Parameter::HalfPixel => [1.0 / width, 1.0 / height].map(f32::to_bits),
            Parameter::AlphaReference => [f32::from(numbers.alpha_reference).to_bits(), 0],
            Parameter::PointSize => [numbers.points.size_px.get().to_bits(), 0],
            Parameter::PointSizeRange => {
                [numbers.points.smallest_px, numbers.points.largest_px].map(|size| size.get().to_bits())
            }
            Parameter::FogRange => [numbers.fog.start, numbers.fog.end].map(|distance| distance.get().to_bits()),
            Parameter::FogDensity => [numbers.fog.density.get().to_bits(), 0],
            Parameter::FogColor => {
                let [red, green, blue] = numbers.fog.color;
                [u32::from_le_bytes([red, green, blue, 0]), 0]
            }
            Parameter::LodBias { slot } => [held.sampler(slot).map_or(0.0, lod_bias).to_bits(), 0],
            Parameter::Border { slot } => {
                let texture = held.resource(slot).and_then(ResourceBinding::as_texture);
                let mips = texture.map_or(1, |bound| bound.mips.count);
                // Nothing that is bound reads the same everywhere.
                let color = match (texture, held.sampler(slot)) {
                    (Some(_), Some(sampler)) => sampler.border_color,
                    _ => held.slots.unbound.rgba(),
                };
                [u32::from_le_bytes(color), mips.saturating_sub(1)]
            }
            Parameter::BufferRange { buffer } => buffer_range(buffer, held),
            Parameter::TextureLayers { slot } => {
                let texture = held.resource(slot).and_then(ResourceBinding::as_texture);
                texture.map_or([0, 1], |bound| [bound.layers.first, bound.layers.count])
            }
            Parameter::TextureMips { slot } => {
                let texture = held.resource(slot).and_then(ResourceBinding::as_texture);
                [texture.map_or(1, |bound| bound.mips.count), 0]
            }
            Parameter::FirstVertexAndInstance => [numbers.first_vertex, numbers.first_instance],
            Parameter::ViewportScale => numbers.moved.scale.map(f32::to_bits),
            Parameter::ViewportOffset => numbers.moved.offset.map(f32::to_bits),
        };
        let size = match parameter {
            Parameter::AlphaReference
            | Parameter::LodBias { .. }
            | Parameter::PointSize
            | Parameter::FogDensity
            | Parameter::TextureMips { .. }
            | Parameter::FogColor => 4,
            _ => 8,
        };
        let start = *offset as usize;
        let words: &[u8] = bytemuck::bytes_of(&words);
        let into = bytes.get_mut(start..start + size).ok_or(lost)?;
        into.copy_from_slice(words.get(..size).ok_or(lost)?);
    }
    Ok(bytes)
}

/// The first word of what is bound, and its bytes.
fn buffer_range(buffer: BoundBuffer, held: &StageBindings) -> [u32; 2] {
    let found = match buffer {
        BoundBuffer::Resource(slot) => match held.resource(slot) {
            Some(ResourceBinding::Buffer(range)) => Some(*range),
            _ => None,
        },
        BoundBuffer::Unordered(slot) => held.written(slot),
    };
    found.map_or([0, 0], |range| [range.start_bytes / 4, range.size_bytes])
}

/// The bias of a sampler's levels, no further than textures have mips.
fn lod_bias(sampler: &Sampler) -> f32 {
    const MOST: f32 = 32.0;
    let bias = sampler.lod_bias.get();
    if bias.is_nan() { 0.0 } else { bias.clamp(-MOST, MOST) }
}
