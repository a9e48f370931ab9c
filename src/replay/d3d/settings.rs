//! What SET commands do to their context.

use std::sync::Arc;

use super::context::{BufferSlotState, Context, Decided, Kept, Setting, Slot, Targets, World, slot_mut};
use super::draw_uses::{UseGroup, UseGroups};
use super::effect::{EarlierCommand, Effect, EffectDetail, GuestHandle, Past};
use super::error::ContractError;
use super::objects::{Named, Objects};
use super::state::Surroundings;
use crate::abi;
use crate::command::{
    BindShaders, BufferUse, ConstantBank, LayoutId, ResourceId, SetBuffers, SetConstants, SetSamplerState, SetSamplers,
    SetTargets, SetTexture, SetVertexBuffers, ShaderStage,
};
use crate::error::Internal;
use crate::replay::error::Problem;

/// A slot holds from here on what `id` means; says what the handle has meant before.
pub(super) fn rebind(objects: &mut Objects, slot: &mut Slot, id: Option<ResourceId>, set_by: EarlierCommand) -> Past {
    objects.unbind(slot.handle, slot.named);
    let handle = id.map_or(0, ResourceId::number);
    let (named, named_by, past) = objects.bind(handle);
    *slot = Slot { handle, named, named_by, set_by, undone: EarlierCommand::NONE, because: [EarlierCommand::NONE; 3] };
    past
}

/// The same for what is drawn to, read or written, which other slots then lose.
fn rebind_seen(
    objects: &mut Objects,
    effect: &mut Effect,
    slot: &mut Slot,
    id: Option<ResourceId>,
    set_by: EarlierCommand,
) {
    let past = rebind(objects, slot, id, set_by);
    effect.set_handle(GuestHandle::Resource(slot.handle), past);
}

/// The command `by` binds what a slot holds to be drawn to, where the slot is read, or the other way round, by what `bound_by`
/// made. In Direct3D 10 and 11 it takes it away, and the slot is as it is because of what has decided the world. In Direct3D 9
/// it leaves it, so that the slot owes it nothing; but wherever the command is carried out, it has to leave it, and so it is
/// the command that needs what has decided the world.
fn meet(
    objects: &mut Objects,
    effect: &mut Effect,
    slot: &mut Slot,
    [by, bound_by]: [EarlierCommand; 2],
    decided: &Decided,
) {
    match decided.world {
        World::Direct3d9 => effect.carried_with = decided.by,
        World::Direct3d11 => {
            objects.unbind(slot.handle, slot.named);
            let [decided_by, decided_by_shader] = decided.by;
            *slot = Slot { because: [bound_by, decided_by, decided_by_shader], ..slot.emptied(by) };
        }
    }
}

pub(super) fn bind_shaders(
    objects: &Objects,
    context: &mut Context,
    effect: &mut Effect,
    bind: BindShaders,
    number: EarlierCommand,
) {
    let mut has_other_vertex = false;
    for ((stage, id), kept) in bind.all().zip(&mut context.shaders) {
        let handle = id.map_or(0, |id| id.number());
        let (object, made_by) = objects.shaders.find(handle);
        if stage == ShaderStage::Vertex {
            has_other_vertex = kept.object.as_ref().map(Arc::as_ptr) != object.map(Arc::as_ptr);
        }
        *kept = Kept { handle, object: object.cloned(), made_by };
        if stage == ShaderStage::Vertex {
            // It decides the world, whether or not anything is drawn with it.
            effect.set_handle(GuestHandle::Shader(handle), objects.shaders.past(handle));
        }
        if let Some(program) = kept.object.as_ref().filter(|_| stage == ShaderStage::Vertex)
            && let Ok(slots) = &program.program
        {
            let world = if slots.is_d3d9 { World::Direct3d9 } else { World::Direct3d11 };
            let by = [number, made_by];
            context.decided = Decided { world, by, is_final: true };
        }
    }
    context.shaders_set_by = number;
    context.touch_shaders(has_other_vertex);
}

pub(super) fn set_constants(
    context: &mut Context,
    set: &SetConstants,
    around: &Surroundings<'_>,
) -> Result<(), Problem> {
    let SetConstants { stage, bank, first_register, register_count, values } = *set;
    let limit = match bank {
        ConstantBank::Float => 4096,
        ConstantBank::Int | ConstantBank::Bool | ConstantBank::WideBool => 256,
    };
    check_slots("constant", first_register, register_count, limit)?;
    let bytes = around.payloads.read(values, around.blobs)?;
    context.see_legacy_packet(EarlierCommand::new(around.number));
    let [floats, integers, booleans] = &mut context.stage_mut(stage).banks;
    let set = match bank {
        ConstantBank::Float => {
            floats.set(first_register, &bytes, 16)?;
            floats
        }
        ConstantBank::Int => {
            integers.set(first_register, &bytes, 16)?;
            integers
        }
        ConstantBank::Bool => {
            booleans.set(first_register, &flags(&bytes, 4), 4)?;
            booleans
        }
        ConstantBank::WideBool => {
            booleans.set(first_register, &flags(&bytes, 16), 4)?;
            booleans
        }
    };
    if around.detail == EffectDetail::All {
        set.writers.write(first_register..first_register.saturating_add(register_count), around.number);
    }
    Ok(())
}

/// A word for each `stride` bytes: 1 if any of them is set.
fn flags(bytes: &[u8], stride: usize) -> Vec<u8> {
    let word = |flag: &[u8]| u32::from(flag.iter().any(|byte| *byte != 0)).to_le_bytes();
    bytes.chunks(stride).flat_map(word).collect()
}

pub(super) fn set_layout(
    objects: &Objects,
    context: &mut Context,
    effect: &mut Effect,
    layout: Option<LayoutId>,
    number: EarlierCommand,
) {
    let handle = layout.map_or(0, |layout| layout.number());
    // One of Direct3D 9 may decide the world, whether or not anything is drawn with it.
    effect.set_handle(GuestHandle::Layout(handle), objects.layouts.past(handle));
    let (object, made_by) = objects.layouts.find(handle);
    let object = object.cloned();
    if object.as_ref().is_some_and(|layout| layout.is_d3d9()) {
        context.see_legacy_packet(number);
    }
    context.layout = Setting { value: Kept { handle, object, made_by }, set_by: number };
}

pub(super) fn set_targets(
    objects: &mut Objects,
    context: &mut Context,
    effect: &mut Effect,
    targets: SetTargets,
    number: EarlierCommand,
) {
    let Targets { colors, depth_stencil } = &mut context.targets;
    for ((_, id), slot) in targets.all_colors().zip(colors.iter_mut()) {
        rebind_seen(objects, effect, slot, id, number);
    }
    rebind_seen(objects, effect, depth_stencil, targets.depth_stencil(), number);
    // What is drawn to cannot be read at the same time: the later binding wins. Other mips and layers of the texture can.
    for held in context.stages.iter_mut().flat_map(|stage| &mut stage.resources) {
        // Of several names that it is drawn to by, the first.
        let read = held.slot.named;
        // silent: what is read is not drawn to
        if let Some(drawn) = context.targets.all().find(|drawn| objects.read_and_drawn(read, drawn.named)) {
            meet(objects, effect, &mut held.slot, [number, drawn.named_by], &context.decided);
        }
    }
}

pub(super) fn set_sampler_state(
    context: &mut Context,
    set: &SetSamplerState,
    number: EarlierCommand,
) -> Result<(), Problem> {
    const SLOTS: u32 = 16;
    let SetSamplerState { stage, slot, state, value } = *set;
    check_slots("sampler", slot, 1, SLOTS)?;
    context.see_legacy_packet(number);
    let lost = Internal::new("a sampler's slot is not there");
    let sampler = slot_mut(&mut context.stage_mut(stage).sampler_states, slot).ok_or(lost)?;
    sampler.states.set(state, value);
    // silent: Direct3D 9 has no states of higher numbers: they are ignored
    if let Some(set_by) = sampler.set_by.get_mut(state as usize) {
        *set_by = number;
    }
    Ok(())
}

pub(super) fn set_vertex_buffers(
    objects: &mut Objects,
    context: &mut Context,
    set: &SetVertexBuffers,
    around: &Surroundings<'_>,
) -> Result<(), Problem> {
    check_slots("vertex buffer", set.first_slot, set.slots.count, 32)?;
    let bytes = around.payloads.read(set.slots.bytes, around.blobs)?;
    for (slot, element) in (set.first_slot..).zip(abi::list_elements(set.slots, &bytes)) {
        let lost = Internal::new("a vertex buffer's slot is not there");
        let held = slot_mut(&mut context.vertex_buffers, slot).ok_or(lost)?;
        rebind(objects, &mut held.slot, element.buffer, EarlierCommand::new(around.number));
        (held.size_bytes, held.offset_bytes) = (element.stride_bytes, element.offset_bytes);
    }
    Ok(())
}

fn check_slots(what: &'static str, first: u32, count: u32, limit: u32) -> Result<(), ContractError> {
    let is_inside = first.checked_add(count).is_some_and(|end| end <= limit);
    is_inside.then_some(()).ok_or(ContractError::SlotsOutside { what, first, count, limit })
}

/// Says whether the texture is drawn to, so that a target's slot is not what it was.
pub(super) fn set_texture(
    objects: &mut Objects,
    context: &mut Context,
    effect: &mut Effect,
    set: &SetTexture,
    number: EarlierCommand,
) -> Result<bool, Problem> {
    let SetTexture { stage, slot, texture } = *set;
    check_slots("texture", slot, 1, 128)?;
    let lost = Internal::new("a texture's slot is not there");
    let held = slot_mut(&mut context.stage_mut(stage).resources, slot).ok_or(lost)?;
    rebind_seen(objects, effect, &mut held.slot, texture, number);
    (held.offset_bytes, held.size_bytes) = (0, 0);
    let held = held.slot;
    // It may be a buffer, too.
    if objects.buffer(held.named).is_some() {
        unbind_elsewhere(objects, context, BufferUse::Resource, &held, number);
    }
    let (bound, bound_by) = (held.named, held.named_by);
    let Targets { colors, depth_stencil } = &mut context.targets;
    let mut meets = false;
    let targets = colors.iter_mut().chain([depth_stencil]).filter(|target| target.named != Named::Nothing);
    for target in targets {
        if objects.read_and_drawn(bound, target.named) {
            meet(objects, effect, target, [number, bound_by], &context.decided);
            meets = true;
        }
    }
    Ok(meets)
}

pub(super) fn set_samplers(
    objects: &Objects,
    context: &mut Context,
    effect: &mut Effect,
    set: &SetSamplers,
    around: &Surroundings<'_>,
) -> Result<(), Problem> {
    check_slots("sampler", set.first_slot, set.slots.count, 16)?;
    let bytes = around.payloads.read(set.slots.bytes, around.blobs)?;
    let samplers = &mut context.stage_mut(set.stage).samplers;
    for (slot, element) in (set.first_slot..).zip(abi::list_elements(set.slots, &bytes)) {
        let handle = element.0.map_or(0, |id| id.number());
        effect.set_handle(GuestHandle::Sampler(handle), objects.samplers.past(handle));
        let (object, made_by) = objects.samplers.find(handle);
        let held = slot_mut(samplers, slot).ok_or(Internal::new("a sampler's slot is not there"))?;
        *held = (Kept { handle, object: object.copied(), made_by }, EarlierCommand::new(around.number));
    }
    Ok(())
}

pub(super) fn set_buffers(
    objects: &mut Objects,
    context: &mut Context,
    effect: &mut Effect,
    set: &SetBuffers,
    around: &Surroundings<'_>,
) -> Result<(), Problem> {
    let (what, limit) = match set.usage {
        BufferUse::Constants => ("constant buffer", 14),
        BufferUse::Resource => ("shader resource buffer", 128),
        BufferUse::UnorderedAccess => ("unordered access buffer", 8),
    };
    check_slots(what, set.first_slot, set.slots.count, limit)?;
    let bytes = around.payloads.read(set.slots.bytes, around.blobs)?;
    let number = EarlierCommand::new(around.number);
    let stage = context.stage_mut(set.stage);
    let slots = match set.usage {
        BufferUse::Constants => &mut stage.constants,
        BufferUse::Resource => &mut stage.resources,
        BufferUse::UnorderedAccess => &mut stage.uavs,
    };
    let mut bound = Vec::new();
    for (slot, element) in (set.first_slot..).zip(abi::list_elements(set.slots, &bytes)) {
        let held = slot_mut(slots, slot).ok_or(Internal::new("a buffer's slot is not there"))?;
        if set.usage == BufferUse::Constants {
            rebind(objects, &mut held.slot, element.buffer, number);
        } else {
            rebind_seen(objects, effect, &mut held.slot, element.buffer, number);
            bound.push(held.slot);
        }
        (held.offset_bytes, held.size_bytes) = (element.offset_bytes, element.size_bytes);
        if let Some(count) = element.counter(set.usage)
            && let Some((key, _)) = objects.buffer(held.slot.named)
        {
            // Without the buffer it sets nothing.
            effect.refer(held.slot.named_by);
            effect.refer_all(held.slot.because);
            effect.set_counter(key, count);
        }
    }
    bound.iter().for_each(|slot| unbind_elsewhere(objects, context, set.usage, slot, number));
    Ok(())
}

/// A buffer is not read where shaders write it: the later binding takes it away from all slots for the other use, of all
/// stages. Direct3D 9 has no slots for either.
fn unbind_elsewhere(objects: &mut Objects, context: &mut Context, usage: BufferUse, bound: &Slot, by: EarlierCommand) {
    let stages = context.stages.iter_mut();
    let others = stages.flat_map(|stage| match usage {
        BufferUse::UnorderedAccess => &mut stage.resources,
        BufferUse::Resource | BufferUse::Constants => &mut stage.uavs,
    });
    let mut takes = false;
    for BufferSlotState { slot, .. } in others {
        if objects.are_one_buffer(slot.named, bound.named) {
            objects.unbind(slot.handle, slot.named);
            *slot = Slot { because: [bound.named_by, EarlierCommand::NONE, EarlierCommand::NONE], ..slot.emptied(by) };
            takes = true;
        }
    }
    if takes {
        context.touch(UseGroups::of(&[UseGroup::Slots]));
    }
}
