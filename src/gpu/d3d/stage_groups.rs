//! What a stage is drawn with, found again: most draws differ from the one before in numbers, or in a texture that was
//! bound before.
//!
//! A group is known by the numbers of what is bound, as long as none of it was made anew or brought to another place. Where
//! its constants lie is known by the numbers of the values.

use super::DeviceWorld;
use super::bindings::{DrawNumbers, legacy_bytes, parameter_bytes};
use super::groups::{DynamicOffsets, Lifetime, StageGroup};
use super::programs::{DrawProgram, SlotKind, Stage};
use crate::command::Location;
use crate::error::Internal;
use crate::gpu::buffers::BatchNumber;
use crate::gpu::error::GpuError;
use crate::gpu::renderer::Renderer;
use crate::replay::{ConstantSource, DrawState, ObjectKey, StageBindings, ValueNumber};
use crate::shader::d3d::StageBindingKind;

/// What a group is known by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct BindingsKey {
    stage: u32,
    slots: ValueNumber,
    samplers: ValueNumber,
    /// Which buffer of uniforms.
    chunk: usize,
}

/// What has happened to resources: whoever has seen this has seen their places.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ResourceEpoch {
    /// Resources used are noted once per batch.
    pub batch: BatchNumber,
    /// How often one was made, dropped, or moved, or has bytes that are not brought yet, though it was used.
    pub changes: u64,
}

/// Stages at most whose constants are known to lie somewhere.
const MOST_STAGES: usize = 1 << 12;

/// Where the constants of the last draw lie that had a stage.
#[derive(Default)]
pub(super) struct StageConstants {
    chunk: usize,
    batch: BatchNumber,
    /// By the order of the dynamic buffers.
    places: Vec<(Content, u32)>,
    /// The bytes of the parameters among them.
    parameters: Vec<u8>,
}

/// What constants are, if they lie in a buffer of uniforms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Content {
    Nothing,
    Registers(ValueNumber),
    /// A part of a buffer that is known on the CPU, by the number of its last change.
    Known {
        change: u64,
        start_bytes: u32,
        size_bytes: u32,
    },
    Parameters,
}

impl Renderer {
    /// Both stages' groups.
    pub(super) fn stage_groups(
        &mut self,
        (program, drawn_to): (&DrawProgram, &[ObjectKey]),
        state: &DrawState,
        numbers: &DrawNumbers,
        at: Location,
    ) -> Result<[Option<StageGroup>; 2], GpuError> {
        let vertex = self.stage_group((&program.vertex, &state.vertex_bindings), drawn_to, state, numbers, at)?;
        let pixel = match &program.pixel {
            Some(stage) => Some(self.stage_group((stage, &state.pixel_bindings), drawn_to, state, numbers, at)?),
            None => None,
        };
        Ok([Some(vertex), pixel])
    }

    /// What a stage of a draw is drawn with.
    fn stage_group(
        &mut self,
        (stage, held): (&Stage, &StageBindings),
        drawn_to: &[ObjectKey],
        state: &DrawState,
        numbers: &DrawNumbers,
        at: Location,
    ) -> Result<StageGroup, GpuError> {
        // Enough for all of them twice, so that they lie in one buffer.
        self.d3d.uniforms.reserve(&self.gpu, 2 * stage.uniform_bytes)?;
        let is_plain = stage.has_only_dynamic_uniforms && !is_drawn_to(held, drawn_to);
        let offsets = match is_plain {
            true => self.constant_offsets(stage, held, numbers)?,
            false => None,
        };
        // silent: the long way follows
        let Some(offsets) = offsets else {
            return Ok(self.bound_group(stage, held, (state.world, &state.targets), numbers, at)?.0);
        };
        let (slots, samplers) = (held.slots.number(), held.samplers.number());
        let key = BindingsKey { stage: stage.number, slots, samplers, chunk: self.d3d.uniforms.chunk() };
        let epoch = self.resource_epoch();
        if let Some(group) = self.d3d.groups.known(&key, epoch) {
            return Ok(StageGroup { group: group.clone(), offsets });
        }
        let (found, lifetime) = self.bound_group(stage, held, (state.world, &state.targets), numbers, at)?;
        // What is brought or made on the way is seen too.
        let epoch = self.resource_epoch();
        if lifetime == Lifetime::Lasting {
            self.d3d.groups.remember(key, epoch, found.group.clone());
        }
        Ok(found)
    }

    pub(super) fn resource_epoch(&self) -> ResourceEpoch {
        ResourceEpoch { batch: self.batch_number, changes: self.d3d.resource_changes }
    }

    /// Where the constants of a stage lie; nothing if some lie in a buffer of the guest's that only the GPU knows.
    fn constant_offsets(
        &mut self,
        stage: &Stage,
        held: &StageBindings,
        numbers: &DrawNumbers,
    ) -> Result<Option<DynamicOffsets>, GpuError> {
        let Self { d3d: DeviceWorld { constants, uniforms, resources, .. }, gpu, batch_number, .. } = self;
        if constants.len() >= MOST_STAGES {
            constants.clear();
        }
        let constants = constants.entry(stage.number).or_default();
        let now = (uniforms.chunk(), *batch_number);
        if (constants.chunk, constants.batch) != now {
            (constants.chunk, constants.batch) = now;
            constants.places.clear();
        }
        let mut offsets = DynamicOffsets::default();
        let StageConstants { places, parameters, .. } = constants;
        let dynamic = stage.slots.iter().filter(|slot| slot.is_dynamic);
        for (number, slot) in dynamic.enumerate() {
            let lost = Internal::new("a draw's constants are missing");
            let known = places.get(number).copied();
            let is_same = |content| known.is_some_and(|(known, _)| known == content);
            let (content, bytes, size_bytes) = match &slot.what {
                SlotKind::Named(StageBindingKind::LegacyConstants { size_bytes }) => {
                    let registers = held.registers.as_ref().ok_or(lost)?;
                    let content = Content::Registers(registers.number());
                    (content, (!is_same(content)).then(|| legacy_bytes(registers, *size_bytes)), *size_bytes)
                }
                SlotKind::Named(StageBindingKind::ConstantBuffer { slot, size_bytes }) => match held.constants(*slot) {
                    None => (Content::Nothing, Some((&[][..]).into()), *size_bytes),
                    Some(ConstantSource::FloatBank) => {
                        let registers = held.registers.as_ref().ok_or(lost)?;
                        let content = Content::Registers(registers.number());
                        (content, Some(registers.floats.as_slice().into()), *size_bytes)
                    }
                    Some(ConstantSource::Buffer(range)) => {
                        let buffer = resources.buffers.get(&range.buffer).ok_or(lost)?;
                        // silent: only the GPU knows the constants: the long way follows
                        let Some(known) = &buffer.known else { return Ok(None) };
                        let (start, count) = (range.start_bytes as usize, range.size_bytes.min(*size_bytes) as usize);
                        let bytes = known.bytes().get(start..start + count).ok_or(lost)?;
                        let (start_bytes, size_bytes) = (range.start_bytes, *size_bytes);
                        (
                            Content::Known { change: known.change(), start_bytes, size_bytes: range.size_bytes },
                            Some(bytes.into()),
                            size_bytes,
                        )
                    }
                },
                SlotKind::Named(_) => return Err(lost.into()),
                SlotKind::Parameters(block) => {
                    let was = std::mem::take(parameters);
                    parameter_bytes(block, held, numbers, parameters)?;
                    let content = Content::Parameters;
                    let differs = was != *parameters || !is_same(content);
                    let place = match (known, differs) {
                        (Some((_, offset)), false) => offset,
                        _ => uniforms.push(gpu, parameters, block.size_bytes)?,
                    };
                    remember(places, number, (content, place)).ok_or(lost)?;
                    offsets.push(place).then_some(()).ok_or(lost)?;
                    continue;
                }
            };
            let place = match (known, bytes) {
                (Some((_, offset)), _) if is_same(content) => offset,
                (_, Some(bytes)) => uniforms.push(gpu, &bytes, size_bytes)?,
                (_, None) => return Err(lost.into()),
            };
            remember(places, number, (content, place)).ok_or(lost)?;
            offsets.push(place).then_some(()).ok_or(lost)?;
        }
        Ok(Some(offsets))
    }
}

/// Puts something at a place that is there, or is the next.
fn remember<T>(places: &mut Vec<T>, number: usize, what: T) -> Option<()> {
    if number == places.len() {
        places.push(what);
        return Some(());
    }
    *places.get_mut(number)? = what;
    Some(())
}

/// Whether something that a stage reads is drawn to at the same time.
fn is_drawn_to(held: &StageBindings, drawn_to: &[ObjectKey]) -> bool {
    let textures = held.slots.resources.iter().filter_map(|(_, bound)| bound.as_texture());
    textures.into_iter().any(|texture| drawn_to.contains(&texture.texture))
}
