//! Slots that shaders read where nothing is bound.

use std::collections::HashMap;
use std::sync::Arc;

use super::context::{Context, Slot};
use super::handles::Handle;
use super::{Lint, LintRule};
use crate::command::{BufferUse, Command, FileBytes, Located, ShaderStage};
use crate::format::aerogpu::{FormatError, Trace};
use crate::limits::MAX_BYTECODE_BYTES;
use crate::replay::ReplayError;
use crate::shader::d3d::{self, SlotSet, Slots};

/// What bytecode names of what can be bound. Vertices are matched with layouts by others.
#[derive(Clone, Copy)]
struct Named {
    is_d3d9: bool,
    constant_buffers: SlotSet,
    resources: SlotSet,
    samplers: SlotSet,
    uavs: SlotSet,
    /// Where the shader was made.
    created_at: u64,
}

/// The shaders of a trace by their handles, and what was told of them.
#[derive(Default)]
pub(super) struct ShaderSlots {
    made: HashMap<u32, Named>,
    /// By where the shader was made: the slots that were told, each kind for itself.
    told: HashMap<(u64, &'static str), SlotSet>,
}

impl ShaderSlots {
    /// A CREATE_SHADER_DXBC. Bytecode that can't be read names nothing: `shaders` says why.
    pub(super) fn create(
        &mut self,
        trace: &Arc<Trace>,
        handle: u32,
        code: FileBytes,
        created_at: u64,
    ) -> Result<(), ReplayError> {
        self.made.remove(&handle);
        if code.size_bytes > MAX_BYTECODE_BYTES {
            return Ok(());
        }
        let bytes = trace.read(code.range()).map_err(FormatError::from)?;
        if let Ok(program) = d3d::decode(&bytes, code.offset) {
            let Slots { constant_buffers, resources, samplers, uavs, .. } = *program.used_slots();
            let is_d3d9 = program.version().is_d3d9();
            let named = Named { is_d3d9, constant_buffers, resources, samplers, uavs, created_at };
            if ![constant_buffers, resources, samplers, uavs].iter().all(SlotSet::is_empty) {
                self.made.insert(handle, named);
            }
        }
        Ok(())
    }

    /// A draw or dispatch: what its shaders read where nothing is bound, each slot of each shader once.
    pub(super) fn work(&mut self, lint: &mut Lint, command: &Located<Command>, context: &Context) {
        let is_dispatch = matches!(command.value, Command::Dispatch(_));
        for stage in ShaderStage::ALL.into_iter().filter(|stage| (*stage == ShaderStage::Compute) == is_dispatch) {
            // silent: the stage has no shader
            let Some(Handle::Shader(handle)) = context.bound_to(Slot::Shader(stage)) else { continue };
            // silent: the shader reads no slot, or is none that can be read
            if let Some(named) = self.made.get(&handle).copied() {
                self.stage(lint, command, context, (stage, handle, named));
            }
        }
    }

    fn stage(
        &mut self,
        lint: &mut Lint,
        command: &Located<Command>,
        context: &Context,
        (stage, handle, named): (ShaderStage, u32, Named),
    ) {
        let is_bound = |slot| context.bound_to(slot).is_some();
        let buffer = |usage, slot| is_bound(Slot::Buffer(stage, usage, slot));
        let texture = |slot| is_bound(Slot::Texture(stage, slot));
        let Named { constant_buffers, resources, samplers, uavs, .. } = named;
        let unbound = |slots: SlotSet, is_bound: &dyn Fn(u32) -> bool| -> SlotSet {
            slots.iter().filter(|slot| !is_bound(*slot)).collect()
        };
        let found = if named.is_d3d9 {
            vec![("texture", unbound(samplers, &texture))]
        } else {
            // What slot 0 lacks are the constants of Direct3D 9.
            let constants = constant_buffers.without(SlotSet::below(1));
            vec![
                ("constant buffer", unbound(constants, &|slot| buffer(BufferUse::Constants, slot))),
                ("texture or buffer", unbound(resources, &|slot| texture(slot) || buffer(BufferUse::Resource, slot))),
                ("sampler", unbound(samplers, &|slot| is_bound(Slot::Sampler(stage, slot)))),
                ("unordered access buffer", unbound(uavs, &|slot| buffer(BufferUse::UnorderedAccess, slot))),
            ]
        };
        for (what, slots) in found {
            let told = self.told.entry((named.created_at, what)).or_default();
            let new = slots.without(*told);
            *told = told.union(slots);
            for slot in new.iter() {
                let (name, stage) = (command.value.name(), stage.direct3d_name());
                lint.note_some(command.at.offset, LintRule::UnboundSlot, || {
                    format!("{name}: {stage} shader {handle} reads {what} {slot}, but nothing is bound there")
                });
            }
        }
    }
}
