//! What a stage is drawn with, found again: most draws differ from the one before in numbers, or in a texture that was
//! bound before.
//!
//! A group is known by the numbers of what is bound, as long as none of it was made anew or brought to another place. Where
//! its constants lie is known by the numbers of the values.

use super::bindings::legacy_parts;
use super::drawn_last::StageNumbers;
use super::groups::{DynamicOffsets, Lifetime, MOST_DYNAMIC, StageGroup};
use super::parameters::{DrawNumbers, parameter_bytes};
use super::programs::DrawProgram;
use super::resources::DeviceResources;
use super::stages::{SlotKind, Stage};
use super::uniforms::Uniforms;
use super::{Bindings, Resources};
use crate::command::Location;
use crate::error::Internal;
use crate::gpu::buffers::BatchNumber;
use crate::gpu::device::Gpu;
use crate::gpu::error::GpuError;
use crate::gpu::renderer::Renderer;
use crate::replay::{BufferRange, ConstantSource, DrawState, ObjectKey, StageBindings, ValueNumber};
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

/// The last draw that a stage had under an outline: places of its constants. Groups are kept in one place, which lets go of
/// those whose resources end.
#[derive(Default)]
pub(super) struct LastStage {
    chunk: usize,
    batch: BatchNumber,
    /// By the order of the dynamic buffers.
    places: [Option<Placed>; MOST_DYNAMIC],
}

/// Constants in a buffer of uniforms.
struct Placed {
    content: Content,
    offset: u32,
    /// The bytes of parameters: other numbers often make the same. Nothing of other constants.
    parameters: Vec<u8>,
}

/// What constants are, if they lie in a buffer of uniforms.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Content {
    Nothing,
    Registers(ValueNumber),
    /// A part of a buffer that is known on the CPU, by the number of its last change.
    Known {
        change: u64,
        range: BufferRange,
    },
    /// Numbers of a draw, as far as the block has them; and the numbers of slots and samplers, if the block tells of them.
    Parameters {
        numbers: DrawNumbers,
        slots: Option<ValueNumber>,
        samplers: Option<ValueNumber>,
    },
}

/// Groups by stage, with the numbers by which they are known.
pub(super) type BothGroups = ([Option<StageGroup>; 2], [Option<StageNumbers>; 2]);

impl Renderer {
    /// Both stages' groups, and by which numbers a later draw may know that they are its own.
    pub(super) fn stage_groups(
        &mut self,
        (program, drawn_to): (&DrawProgram, &[ObjectKey]),
        [of_vertices, of_pixels]: &mut [LastStage; 2],
        state: &DrawState,
        numbers: &DrawNumbers,
        at: Location,
    ) -> Result<BothGroups, GpuError> {
        let (stage, held) = (&program.vertex, &state.vertex_bindings);
        let (vertex, lifetime) = self.stage_group((stage, held), of_vertices, drawn_to, state, numbers, at)?;
        let of_vertices = StageNumbers::of(stage, held, lifetime);
        let (pixel, of_pixels) = match &program.pixel {
            Some(stage) => {
                let held = &state.pixel_bindings;
                let (pixel, lifetime) = self.stage_group((stage, held), of_pixels, drawn_to, state, numbers, at)?;
                (Some(pixel), StageNumbers::of(stage, held, lifetime))
            }
            None => (None, None),
        };
        Ok(([Some(vertex), pixel], [of_vertices, of_pixels]))
    }

    /// The group of a stage of a draw, and how long it stays right.
    pub(super) fn stage_group(
        &mut self,
        (stage, held): (&Stage, &StageBindings),
        last: &mut LastStage,
        drawn_to: &[ObjectKey],
        state: &DrawState,
        numbers: &DrawNumbers,
        at: Location,
    ) -> Result<(StageGroup, Lifetime), GpuError> {
        // Enough for all of them twice, so that they lie in one buffer.
        self.bindings.uniforms.reserve(&self.gpu, 2 * stage.uniform_bytes)?;
        let is_plain = stage.has_only_dynamic_uniforms && !is_drawn_to(held, drawn_to);
        let offsets = match is_plain {
            true => self.constant_offsets(stage, last, held, numbers)?,
            false => None,
        };
        // silent: the long way follows
        let Some(offsets) = offsets else {
            return self.bound_group(stage, held, (state.world, &state.targets), (numbers, None), at);
        };
        let (slots, samplers) = (held.slots.number(), held.samplers.number());
        let key = BindingsKey { stage: stage.number, slots, samplers, chunk: self.bindings.uniforms.chunk() };
        let epoch = self.resource_epoch();
        if let Some((seen, group)) = self.bindings.groups.known(&key, epoch.changes) {
            let group = group.clone();
            let is_of_this_batch = seen == epoch;
            if is_of_this_batch || stage.is_of_textures && self.use_textures(held)? {
                if !is_of_this_batch {
                    self.bindings.groups.remember(key, epoch, group.clone());
                }
                return Ok((StageGroup { group, offsets }, Lifetime::Lasting));
            }
        }
        let around = (state.world, &state.targets);
        let (found, lifetime) = self.bound_group(stage, held, around, (numbers, Some(offsets)), at)?;
        // What is brought or made on the way is seen too.
        let epoch = self.resource_epoch();
        if lifetime == Lifetime::Lasting {
            self.bindings.groups.remember(key, epoch, found.group.clone());
        }
        Ok((found, lifetime))
    }

    /// Notes that the textures which slots hold are used; `false` where some hold something else.
    fn use_textures(&mut self, held: &StageBindings) -> Result<bool, GpuError> {
        let textures = || held.slots.resources.iter().filter_map(|(_, bound)| bound.as_texture());
        // Buffers are brought to the GPU before they are read.
        if textures().count() < held.slots.resources.len() {
            return Ok(false);
        }
        for texture in textures() {
            self.used_texture(texture.texture)?;
        }
        Ok(true)
    }

    pub(super) fn resource_epoch(&self) -> ResourceEpoch {
        ResourceEpoch { batch: self.recorder.number, changes: self.resources.changes }
    }

    /// Where the constants of a stage lie; nothing if some lie in a buffer of the guest's that only the GPU knows.
    fn constant_offsets(
        &mut self,
        stage: &Stage,
        last: &mut LastStage,
        held: &StageBindings,
        numbers: &DrawNumbers,
    ) -> Result<Option<DynamicOffsets>, GpuError> {
        let Self { bindings: Bindings { uniforms, .. }, resources: Resources { objects: resources, .. }, gpu, .. } =
            self;
        let now = (uniforms.chunk(), self.recorder.number);
        if (last.chunk, last.batch) != now {
            (last.chunk, last.batch) = now;
            last.places = Default::default();
        }
        let lost = Internal::new("a draw's constants are missing");
        let mut offsets = DynamicOffsets::default();
        let dynamic = stage.slots.iter().filter(|slot| slot.is_dynamic);
        for (slot, place) in dynamic.zip(&mut last.places) {
            let content = match &slot.what {
                SlotKind::Named(StageBindingKind::LegacyConstants { .. }) => {
                    Content::Registers(held.registers.as_ref().ok_or(lost)?.number())
                }
                SlotKind::Named(StageBindingKind::ConstantBuffer { slot, .. }) => match held.constants(*slot) {
                    None => Content::Nothing,
                    Some(ConstantSource::FloatBank) => {
                        Content::Registers(held.registers.as_ref().ok_or(lost)?.number())
                    }
                    Some(ConstantSource::Buffer(range)) => {
                        let buffer = resources.buffers.get(&range.buffer).ok_or(lost)?;
                        // silent: only the GPU knows the constants: the long way follows
                        let Some(known) = &buffer.known else { return Ok(None) };
                        Content::Known { change: known.change(), range }
                    }
                },
                SlotKind::Named(_) => return Err(lost.into()),
                SlotKind::Parameters(_) => Content::Parameters {
                    numbers: stage.parameters.read_of(numbers),
                    slots: stage.parameters.reads_slots.then(|| held.slots.number()),
                    samplers: stage.parameters.reads_samplers.then(|| held.samplers.number()),
                },
            };
            let offset = match place {
                Some(placed) if placed.content == content => placed.offset,
                _ => {
                    let before = place.take();
                    let placed = place_constants(uniforms, gpu, resources, (&slot.what, held), (content, before))?;
                    place.insert(placed).offset
                }
            };
            offsets.push(offset).then_some(()).ok_or(lost)?;
        }
        Ok(Some(offsets))
    }
}

/// Keeps what a stage's dynamic buffer holds, unless it holds the same parameters as before.
fn place_constants(
    uniforms: &mut Uniforms,
    gpu: &Gpu,
    resources: &DeviceResources,
    (what, held): (&SlotKind, &StageBindings),
    (content, before): (Content, Option<Placed>),
) -> Result<Placed, GpuError> {
    if let (SlotKind::Parameters(block), Content::Parameters { numbers, .. }) = (what, &content) {
        let parameters = parameter_bytes(block, held, numbers)?;
        let offset = match before {
            Some(before) if before.parameters == parameters => before.offset,
            _ => uniforms.push(gpu, &parameters, block.size_bytes)?,
        };
        return Ok(Placed { content, offset, parameters });
    }
    let offset = push_constants(uniforms, gpu, resources, (what, held), &content)?;
    Ok(Placed { content, offset, parameters: Vec::new() })
}

/// Keeps constants; gives their offset.
fn push_constants(
    uniforms: &mut Uniforms,
    gpu: &Gpu,
    resources: &DeviceResources,
    (what, held): (&SlotKind, &StageBindings),
    content: &Content,
) -> Result<u32, GpuError> {
    let lost = Internal::new("a draw's constants are missing");
    match (what, content) {
        (SlotKind::Named(StageBindingKind::LegacyConstants { size_bytes }), _) => {
            uniforms.push_parts(gpu, &legacy_parts(held.registers.as_ref().ok_or(lost)?), *size_bytes)
        }
        (SlotKind::Named(StageBindingKind::ConstantBuffer { size_bytes, .. }), Content::Nothing) => {
            uniforms.push(gpu, &[], *size_bytes)
        }
        (SlotKind::Named(StageBindingKind::ConstantBuffer { size_bytes, .. }), Content::Registers(_)) => {
            uniforms.push(gpu, &held.registers.as_ref().ok_or(lost)?.floats, *size_bytes)
        }
        (SlotKind::Named(StageBindingKind::ConstantBuffer { size_bytes, .. }), Content::Known { range, .. }) => {
            let known = resources.buffers.get(&range.buffer).and_then(|buffer| buffer.known.as_ref()).ok_or(lost)?;
            let (start, count) = (range.start_bytes as usize, range.size_bytes.min(*size_bytes) as usize);
            uniforms.push(gpu, known.bytes().get(start..start + count).ok_or(lost)?, *size_bytes)
        }
        _ => Err(lost.into()),
    }
}

/// Whether something that a stage reads is drawn to at the same time.
fn is_drawn_to(held: &StageBindings, drawn_to: &[ObjectKey]) -> bool {
    let textures = held.slots.resources.iter().filter_map(|(_, bound)| bound.as_texture());
    textures.into_iter().any(|texture| drawn_to.contains(&texture.texture))
}
