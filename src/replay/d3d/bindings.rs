//! What a draw or a dispatch uses of the slots of its stages.

use super::context::{BufferSlotState, Context, StageSlots, slot_of};
use super::draw_uses::UseGroup;
use super::draws::{DRAW_STAGES, Shaders};
use super::effect::{AccessKind, COUNTER_PART, EarlierCommand, Effect};
use super::objects::{Aspect, Objects};
use super::shader::ShaderSlots;
use crate::command::ShaderStage;
use crate::shader::d3d::SlotSet;

/// Collects what a draw or a dispatch uses of a context.
pub(super) struct Bindings<'a> {
    pub(super) objects: &'a Objects,
    pub(super) effect: &'a mut Effect,
}

impl Bindings<'_> {
    /// What a draw's shaders name, of one group.
    pub(super) fn stages(&mut self, group: UseGroup, context: &Context, shaders: &Shaders<'_>) {
        match shaders {
            Shaders::None => {
                // Vertices of this length have a texture coordinate, and pixels read the first texture.
                if group == UseGroup::Slots && slot_of(&context.vertex_buffers, 0).size_bytes == 20 {
                    let stage = context.stage(ShaderStage::Fragment);
                    self.resource(slot_of(&stage.resources, 0), Layers::First);
                }
            }
            Shaders::Bound { .. } => {
                for stage in DRAW_STAGES {
                    let program = context.shader(stage).object.as_ref().map(|shader| &shader.program);
                    if let Some(Ok(slots)) = program {
                        self.of_stage(group, context, stage, slots);
                    }
                }
            }
        }
    }

    /// What one shader names in the slots of a stage, of one group.
    pub(super) fn of_stage(&mut self, group: UseGroup, context: &Context, stage: ShaderStage, slots: &ShaderSlots) {
        let held = context.stage(stage);
        match group {
            UseGroup::Slots => self.slots(held, slots),
            UseGroup::Samplers => self.samplers(held, slots),
            UseGroup::Constants => self.constants(held, slots),
            UseGroup::Shaders | UseGroup::Fixed | UseGroup::Targets | UseGroup::Vertices => {}
        }
    }

    fn slots(&mut self, held: &StageSlots, ShaderSlots { used, layered, is_d3d9, .. }: &ShaderSlots) {
        // In Direct3D 9 a sampler is a texture too.
        let resources = if *is_d3d9 { &used.samplers } else { &used.resources };
        for resource in resources.iter() {
            let layers = if layered.contains(resource) { Layers::All } else { Layers::First };
            self.resource(slot_of(&held.resources, resource), layers);
        }
        if *is_d3d9 {
            return;
        }
        for buffer in used.constant_buffers.iter() {
            let slot = slot_of(&held.constants, buffer);
            if !reads_bank(buffer, &slot) {
                self.buffer(slot, &[AccessKind::Read]);
            }
        }
        for uav in used.uavs.iter() {
            self.buffer(slot_of(&held.uavs, uav), &[AccessKind::Read, AccessKind::Modify]);
        }
        for counted in used.counters.iter() {
            if let Some((key, _)) = self.objects.buffer(slot_of(&held.uavs, counted).slot.named) {
                self.effect.access(key, COUNTER_PART, AccessKind::Read);
                self.effect.access(key, COUNTER_PART, AccessKind::Modify);
            }
        }
    }

    fn samplers(&mut self, held: &StageSlots, ShaderSlots { used, is_d3d9, .. }: &ShaderSlots) {
        for sampler in used.samplers.iter() {
            // silent: nothing was ever bound there
            if *is_d3d9 {
                let set_by = held.sampler_states.get(sampler as usize).map(|states| states.set_by);
                set_by.into_iter().flatten().for_each(|number| self.effect.refer(number));
            } else if let Some((kept, set_by)) = held.samplers.get(sampler as usize) {
                self.effect.refer(*set_by);
                self.effect.refer(kept.made_by);
            }
        }
    }

    fn constants(&mut self, held: &StageSlots, ShaderSlots { used, is_d3d9, .. }: &ShaderSlots) {
        if *is_d3d9 {
            let used = [used.float_constants, used.integer_constants, used.boolean_constants];
            self.constants_of_d3d9(held, used);
        } else if used.constant_buffers.iter().any(|buffer| reads_bank(buffer, &slot_of(&held.constants, buffer))) {
            let [floats, ..] = &held.banks;
            floats.writers.stretches().for_each(|(_, _, writer)| self.effect.refer(EarlierCommand::new(writer)));
        }
    }

    /// The constants of Direct3D 9 that a shader reads.
    fn constants_of_d3d9(&mut self, held: &StageSlots, used: [SlotSet; 3]) {
        for (bank, used) in held.banks.iter().zip(used) {
            for (start, end, writer) in bank.writers.stretches() {
                if (start..end.min(SlotSet::CAPACITY)).any(|register| used.contains(register)) {
                    self.effect.refer(EarlierCommand::new(writer));
                }
            }
        }
    }

    /// A texture, or a buffer where a texture could be.
    fn resource(&mut self, held: BufferSlotState, layers: Layers) {
        self.effect.refer_all(held.slot.depends_on());
        let Some(seen) = self.objects.texture(held.slot.named) else {
            self.read_buffer(held, &[AccessKind::Read]);
            return;
        };
        let aspect = if seen.texture.parts(Aspect::Color, 0, 0..0).is_some() { Aspect::Color } else { Aspect::Depth };
        let count = match layers {
            Layers::First => 1,
            Layers::All => seen.layers.count,
        };
        let mips = seen.mips.first..seen.mips.first.saturating_add(seen.mips.count);
        for layer in seen.layers.first..seen.layers.first.saturating_add(count) {
            // Creation has checked the view.
            if let Some(parts) = seen.texture.parts(aspect, layer, mips.clone()) {
                self.effect.access(seen.key, parts, AccessKind::Read);
            }
        }
    }

    fn buffer(&mut self, held: BufferSlotState, kinds: &[AccessKind]) {
        self.effect.refer_all(held.slot.depends_on());
        self.read_buffer(held, kinds);
    }

    fn read_buffer(&mut self, held: BufferSlotState, kinds: &[AccessKind]) {
        // What holds no buffer reads as zeros.
        if let Some((key, buffer)) = self.objects.buffer(held.slot.named) {
            let size = buffer.size_bytes;
            let end = match held.size_bytes {
                0 => size,
                length => held.offset_bytes.saturating_add(length).min(size),
            };
            for kind in kinds {
                self.effect.access(key, held.offset_bytes.min(size)..end, *kind);
            }
        }
    }
}

/// Whether a constant buffer's slot stands for the bank of constants: the first one does until something is bound there.
fn reads_bank(number: u32, held: &BufferSlotState) -> bool {
    number == 0 && held.slot.set_by == EarlierCommand::NONE
}

/// Which layers of a texture a shader reads.
#[derive(Clone, Copy)]
enum Layers {
    First,
    All,
}
