//! Clears, presents and dispatches: what they read, what they write, and what they depend on.

use super::bindings::Bindings;
use super::context::World;
use super::contexts::DrawingContext;
use super::draw_uses::UseGroup;
use super::effect::{AccessKind, ContextNumber, EffectKind};
use super::error::ContractError;
use super::objects::{Aspect, Named, Objects, SeenTexture, cleared};
use super::shader::ShaderSlots;
use super::state::DeviceState;
use crate::command::{Clear, Dispatch, Present, ShaderStage};
use crate::replay::error::Problem;

/// D3DRS_SCISSORTESTENABLE.
const SCISSOR_TEST_ENABLE: u32 = 174;

/// D3DRS_SRGBWRITEENABLE.
const SRGB_WRITE_ENABLE: u32 = 194;

impl DeviceState {
    pub(super) fn clear(&mut self, clear: &Clear, context: ContextNumber) -> Result<(), Problem> {
        let Self { objects, contexts, effect, .. } = self;
        let DrawingContext { context, .. } = contexts.at(context)?;
        effect.kind = EffectKind::Clear;
        for number in context.decided.by {
            effect.refer(number);
        }
        let mut kind = AccessKind::Write;
        if context.decided.world == World::Direct3d9 {
            effect.refer(context.render_state_set_by(SCISSOR_TEST_ENABLE));
            effect.refer(context.scissor.set_by);
            if clear.aspects.color {
                effect.refer(context.render_state_set_by(SRGB_WRITE_ENABLE));
            }
            if context.render_states.get(SCISSOR_TEST_ENABLE) != 0 {
                kind = AccessKind::Modify;
            }
        }
        for aspect in cleared(clear.aspects) {
            let slots: &[_] = match aspect {
                Aspect::Color => &context.targets.colors,
                Aspect::Depth | Aspect::Stencil => std::slice::from_ref(&context.targets.depth_stencil),
            };
            for slot in slots {
                effect.refer_all(slot.depends_on());
                if let Some(seen) = target(objects, slot, "target")? {
                    // A target without the aspect has nothing to fill.
                    if let Some(part) = seen.target_part(aspect) {
                        effect.access(seen.key, part, kind);
                    }
                }
            }
            if aspect == Aspect::Color && context.targets.is_empty() {
                // That nothing is bound for depth either is what makes it the back buffer.
                effect.refer_all(context.targets.depth_stencil.depends_on());
                effect.access(context.back_buffer, 0..1, kind);
            }
        }
        Ok(())
    }

    pub(super) fn present(&mut self, present: &Present, context: ContextNumber) -> Result<(), Problem> {
        let Self { objects, contexts, effect, .. } = self;
        let DrawingContext { context, .. } = contexts.at(context)?;
        effect.kind = EffectKind::Present;
        effect.scanout = Some(present.scanout);
        let [slot, ..] = &context.targets.colors;
        effect.refer_all(slot.depends_on());
        match target(objects, slot, "target")? {
            Some(seen) => {
                let part = seen.target_part(Aspect::Color).filter(|_| seen.format.block().0 == 1);
                let (role, handle, format, expected) =
                    ("target", slot.handle, seen.format, "a format that can be shown");
                let part = part.ok_or(ContractError::TargetFormat { role, handle, format, expected })?;
                effect.access(seen.key, part, AccessKind::Read);
            }
            None => {
                // That the others are empty too is what makes it the back buffer.
                context.targets.all().for_each(|slot| effect.refer_all(slot.depends_on()));
                if context.targets.is_empty() {
                    effect.access(context.back_buffer, 0..1, AccessKind::Read);
                }
            }
        }
        Ok(())
    }

    pub(super) fn dispatch(&mut self, dispatch: &Dispatch, context: ContextNumber) -> Result<(), Problem> {
        let Self { objects, contexts, effect, .. } = self;
        let DrawingContext { context, .. } = contexts.at(context)?;
        effect.kind = EffectKind::Dispatch;
        effect.refer(context.shaders_set_by);
        let shader = context.shader(ShaderStage::Compute);
        effect.refer(shader.made_by);
        if shader.handle == 0 {
            let (found, missing) = ("DISPATCH", "a compute shader");
            return Err(ContractError::MissingShader { found, missing }.into());
        }
        let slots = usable(ShaderStage::Compute, shader)?;
        if !dispatch.groups.contains(&0) {
            let mut bindings = Bindings { objects, effect };
            UseGroup::ALL.into_iter().for_each(|group| bindings.of_stage(group, context, dispatch.bindings, slots));
        }
        Ok(())
    }
}

/// The texture that a slot for a target holds.
pub(super) fn target<'o>(
    objects: &'o Objects,
    slot: &super::context::Slot,
    role: &'static str,
) -> Result<Option<SeenTexture<'o>>, ContractError> {
    match slot.named {
        Named::Nothing => Ok(None),
        Named::Unknown => Err(ContractError::Unknown { role, handle: slot.handle }),
        named => match objects.texture(named) {
            Some(seen) => Ok(Some(seen)),
            None => {
                let (found, expected) = ("buffer", "texture");
                Err(ContractError::WrongKind { role, handle: slot.handle, found, expected })
            }
        },
    }
}

/// What a shader names, if it can be used.
pub(super) fn usable(
    stage: ShaderStage,
    shader: &super::context::Kept<std::sync::Arc<super::shader::Shader>>,
) -> Result<&ShaderSlots, ContractError> {
    let name = stage.direct3d_name();
    let object = shader.object.as_ref().ok_or_else(|| ContractError::Unusable {
        what: format!("{name} shader {} does not exist", shader.handle).into(),
    })?;
    if object.stage != stage {
        let what =
            format!("shader {} is a {} shader: expected a {name} shader", shader.handle, object.stage.direct3d_name());
        return Err(ContractError::Unusable { what: what.into() });
    }
    object.program.as_ref().map_err(|why| ContractError::Unusable {
        what: format!("{name} shader {} cannot be read ({why})", shader.handle).into(),
    })
}
