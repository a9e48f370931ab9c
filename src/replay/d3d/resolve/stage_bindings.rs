//! What the slots hold that a shader names.

use std::sync::Arc;

use super::super::context::{BufferSlotState, StageSlots, slot_of};
use super::super::effect::{Number, ObjectKey};
use super::super::objects::Objects;
use super::super::shader::Shader;
use super::draw_state::Registers;
use super::legacy_constants::LegacyConstants;
use crate::command::{SubresourceRange, TextureFormat};
use crate::error::Internal;
use crate::replay::fixed_state::Sampler;

/// A part of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BufferRange {
    /// The buffer.
    pub buffer: ObjectKey,
    /// Where the part starts.
    pub start_bytes: u32,
    /// Its length, within the buffer.
    pub size_bytes: u32,
}

/// A texture as a slot holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TextureBinding {
    /// The texture.
    pub texture: ObjectKey,
    /// The format that it is seen in.
    pub format: TextureFormat,
    /// The mips seen.
    pub mips: SubresourceRange,
    /// The layers seen.
    pub layers: SubresourceRange,
}

/// What a slot for resources holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ResourceBinding {
    /// A texture.
    Texture(TextureBinding),
    /// A part of a buffer.
    Buffer(BufferRange),
}

/// Where constants come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConstantSource {
    /// A part of a buffer.
    Buffer(BufferRange),
    /// The bank of floats of Direct3D 9: slot 0 where no buffer was ever bound.
    FloatBank,
}

/// What the slots hold that a shader names, by slot. One that holds nothing is not among them.
#[derive(Clone, Debug, Default)]
pub struct StageBindings {
    /// `t#`; in Direct3D 9 the textures of samplers.
    pub resources: Vec<(u32, ResourceBinding)>,
    /// `s#`.
    pub samplers: Vec<(u32, Sampler)>,
    /// `cb#`.
    pub constants: Vec<(u32, ConstantSource)>,
    /// `u#`.
    pub written: Vec<(u32, BufferRange)>,
    /// The constants of Direct3D 9, where the shader reads any.
    pub registers: Registers,
}

impl StageBindings {
    pub(super) fn of(objects: &Objects, held: &StageSlots, shader: &Shader) -> Result<Self, Internal> {
        let slots = shader.program.as_ref();
        let slots = slots.map_err(|_| Internal::new("a shader that was checked cannot be used"))?;
        let mut found = Self::default();
        let resources = if slots.is_d3d9 { slots.used.samplers } else { slots.used.resources };
        for slot in resources.iter() {
            found.resources.extend(resource(objects, slot_of(&held.resources, slot)).map(|bound| (slot, bound)));
        }
        if slots.is_d3d9 {
            for slot in slots.used.samplers.iter() {
                let states = slot_of(&held.sampler_states, slot);
                found.samplers.push((slot, Sampler::of_d3d9(&states.states)));
            }
            found.registers = Some(Arc::new(LegacyConstants::of(&held.banks)));
            return Ok(found);
        }
        for slot in slots.used.samplers.iter() {
            let kept = held.samplers.get(slot as usize).and_then(|(kept, _)| kept.object.as_ref());
            found.samplers.extend(kept.map(|sampler| (slot, Sampler::of_d3d11(sampler))));
        }
        for slot in slots.used.constant_buffers.iter() {
            let state = slot_of(&held.constants, slot);
            if slot == 0 && state.slot.set_by == Number::NONE {
                found.constants.push((slot, ConstantSource::FloatBank));
                found.registers = Some(Arc::new(LegacyConstants::of(&held.banks)));
            } else {
                let bound = range(objects, state);
                found.constants.extend(bound.map(|range| (slot, ConstantSource::Buffer(range))));
            }
        }
        for slot in slots.used.uavs.iter() {
            found.written.extend(range(objects, slot_of(&held.uavs, slot)).map(|range| (slot, range)));
        }
        Ok(found)
    }

    /// What a draw without shaders reads.
    pub(super) fn first_texture(objects: &Objects, held: &StageSlots) -> Self {
        let first = resource(objects, slot_of(&held.resources, 0)).map(|bound| (0, bound));
        Self { resources: first.into_iter().collect(), ..Self::default() }
    }
}

fn resource(objects: &Objects, held: BufferSlotState) -> Option<ResourceBinding> {
    match objects.texture(held.slot.named) {
        Some(seen) => Some(ResourceBinding::Texture(TextureBinding {
            texture: seen.key,
            format: seen.format,
            mips: seen.mips,
            layers: seen.layers,
        })),
        None => range(objects, held).map(ResourceBinding::Buffer),
    }
}

fn range(objects: &Objects, held: BufferSlotState) -> Option<BufferRange> {
    let (key, buffer) = objects.buffer(held.slot.named)?;
    let start_bytes = held.offset_bytes.min(buffer.size_bytes);
    let left = buffer.size_bytes - start_bytes;
    let size_bytes = if held.size_bytes == 0 { left } else { held.size_bytes.min(left) };
    Some(BufferRange { buffer: key, start_bytes, size_bytes })
}
