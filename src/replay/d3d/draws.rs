//! Draws: what they read, what they write, and what they depend on.

use std::ops::Range;

use super::bindings::Bindings;
use super::context::{Context, LastDraw, World};
use super::effect::{AccessKind, EffectKind, Number, ObjectKey};
use super::error::ContractError;
use super::objects::Aspect;
use super::shader::ShaderSlots;
use super::state::DeviceState;
use super::vertices::read_vertices;
use super::work::{lost_context, target, usable};
use crate::command::{Draw, DrawIndexed, ShaderStage, VertexAttribute};
use crate::replay::error::Problem;
use crate::replay::fixed_state::{FixedState, RenderStates, TargetAccess};

/// The vertices of a draw.
#[derive(Clone, Copy, Debug)]
pub(super) enum Vertices {
    Direct(Draw),
    Indexed(DrawIndexed),
}

impl Vertices {
    fn count(&self) -> u32 {
        match self {
            Self::Direct(draw) => draw.vertex_count,
            Self::Indexed(draw) => draw.index_count,
        }
    }

    fn draws_nothing(&self) -> bool {
        let (_, instance_count) = self.instances();
        self.count() == 0 || instance_count == 0
    }

    pub(super) fn instances(&self) -> (u32, u32) {
        match self {
            Self::Direct(draw) => (draw.first_instance, draw.instance_count),
            Self::Indexed(draw) => (draw.first_instance, draw.instance_count),
        }
    }
}

/// What a draw's shaders are.
pub(super) enum Shaders<'a> {
    /// None: the vertices' stride says what they are.
    None,
    Bound {
        world: World,
        vertex: &'a ShaderSlots,
        fragment: Option<&'a ShaderSlots>,
    },
}

pub(super) const DRAW_STAGES: [ShaderStage; 5] =
    [ShaderStage::Vertex, ShaderStage::Fragment, ShaderStage::Geometry, ShaderStage::Hull, ShaderStage::Domain];

impl DeviceState {
    pub(super) fn draw(&mut self, vertices: Vertices, id: u32) -> Result<(), Problem> {
        let Self { objects, contexts, effect, .. } = self;
        let context = contexts.get_mut(&id).ok_or(lost_context())?;
        effect.kind = EffectKind::Draw;
        let is_indexed = matches!(vertices, Vertices::Indexed(_));
        if vertices.draws_nothing() {
            // No draw repeats what this one uses: it uses less.
            let mut bindings = Bindings { objects, effect };
            bindings.draw(context, is_indexed, Touch::Nothing)?;
            return Ok(());
        }
        effect.context = Some(context.back_buffer);
        if context.has_changed || context.last_draw.is_indexed != is_indexed {
            // Whatever goes wrong, the next draw looks at everything anew.
            context.has_changed = true;
            let mut bindings = Bindings { objects, effect };
            let attributes = bindings.draw(context, is_indexed, Touch::Parts)?;
            effect.finish();
            context.last_draw = LastDraw {
                references: effect.references.clone(),
                settings: effect.settings.clone(),
                accesses: effect.accesses.clone(),
                attributes,
                is_indexed,
            };
            context.has_changed = false;
        } else {
            let LastDraw { references, settings, accesses, .. } = &context.last_draw;
            effect.references.extend_from_slice(references);
            effect.settings.extend_from_slice(settings);
            effect.accesses.extend_from_slice(accesses);
            effect.repeats = true;
        }
        read_vertices(objects, effect, context, vertices);
        Ok(())
    }
}

/// Whether a draw does anything to its targets.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Touch {
    Parts,
    Nothing,
}

impl Bindings<'_> {
    /// Everything that a draw depends on but for its vertices; gives the attributes that it reads of these.
    fn draw(
        &mut self,
        context: &Context,
        is_indexed: bool,
        touch: Touch,
    ) -> Result<Vec<VertexAttribute>, ContractError> {
        let shaders = self.shaders(context)?;
        let fixed = fixed_state(context, &shaders);
        if matches!(shaders, Shaders::Bound { world: World::Direct3d9, .. }) {
            self.effect.settings.extend_from_slice(&context.render_state_setters);
            for (mask, opened_by) in RenderStates::MASKS.into_iter().zip(context.masks_opened_by) {
                if context.render_states.get(mask) == 0 {
                    self.effect.refer(opened_by);
                }
            }
        } else {
            self.effect.refer(context.blend.set_by);
            self.effect.refer(context.depth_stencil.set_by);
            self.effect.refer(context.rasterizer.set_by);
        }
        self.effect.refer(context.topology.set_by);
        self.effect.refer(context.viewport.set_by);
        if fixed.is_scissor_enabled() {
            self.effect.refer(context.scissor.set_by);
        }
        self.targets(context, &shaders, &fixed, touch)?;
        if touch == Touch::Parts {
            self.stages(context, &shaders);
        }
        let attributes = self.attributes(context, &shaders)?;
        self.vertex_slots(context, &attributes, is_indexed)?;
        Ok(attributes)
    }

    /// The shaders of a draw.
    fn shaders<'c>(&mut self, context: &'c Context) -> Result<Shaders<'c>, ContractError> {
        self.effect.refer(context.shaders_set_by);
        for stage in DRAW_STAGES {
            self.effect.refer(context.shader(stage).made_by);
        }
        let is_bound = |stage| context.shader(stage).handle != 0;
        if is_bound(ShaderStage::Hull) != is_bound(ShaderStage::Domain) {
            let (found, missing) = ("a hull or a domain shader", "the other");
            return Err(ContractError::MissingShader { found, missing });
        }
        match (is_bound(ShaderStage::Vertex), is_bound(ShaderStage::Fragment)) {
            (false, false) => Ok(Shaders::None),
            (false, true) => Err(ContractError::MissingShader { found: "a pixel shader", missing: "a vertex shader" }),
            (true, has_fragment) => {
                let vertex = usable(ShaderStage::Vertex, context.shader(ShaderStage::Vertex))?;
                let fragment =
                    has_fragment.then(|| usable(ShaderStage::Fragment, context.shader(ShaderStage::Fragment)));
                let world = if vertex.is_d3d9 { World::Direct3d9 } else { World::Direct3d11 };
                Ok(Shaders::Bound { world, vertex, fragment: fragment.transpose()? })
            }
        }
    }

    /// The targets of a draw, all of one size.
    fn targets(
        &mut self,
        context: &Context,
        shaders: &Shaders<'_>,
        fixed: &FixedState,
        touch: Touch,
    ) -> Result<(), ContractError> {
        let mut size: Option<[u32; 2]> = None;
        let mut same_size = |found: [u32; 2]| match size.replace(found) {
            Some(other) if other != found => Err(ContractError::TargetSizes { a: other, b: found }),
            _ => Ok(()),
        };
        let writes = |target: u32| {
            let is_output = match shaders {
                Shaders::None => target == 0,
                Shaders::Bound { fragment, .. } => fragment.is_some_and(|slots| slots.used.outputs.contains(target)),
            };
            is_output && fixed.color_write_mask(target) != 0
        };
        for (number, slot) in (0..).zip(&context.targets.colors) {
            self.effect.refer_all(slot.depends_on());
            let Some(seen) = target(self.objects, slot, "colour target")? else { continue };
            same_size(seen.target_size_px())?;
            let part = seen.target_part(Aspect::Color).filter(|_| seen.format.block().0 == 1);
            let (role, handle, format) = ("colour target", slot.handle, seen.format);
            let expected = "a colour format without blocks";
            let part = part.ok_or(ContractError::TargetFormat { role, handle, format, expected })?;
            if touch == Touch::Parts && writes(number) {
                self.effect.access(seen.key, part, AccessKind::Modify);
            }
        }
        let slot = &context.targets.depth_stencil;
        self.effect.refer_all(slot.depends_on());
        if let Some(seen) = target(self.objects, slot, "depth target")? {
            same_size(seen.target_size_px())?;
            let (role, handle, format) = ("depth target", slot.handle, seen.format);
            let expected = "a depth format";
            let depth = seen.target_part(Aspect::Depth);
            let depth = depth.ok_or(ContractError::TargetFormat { role, handle, format, expected })?;
            if touch == Touch::Parts {
                self.tested(seen.key, depth, fixed.depth_access());
                if let Some(stencil) = seen.target_part(Aspect::Stencil) {
                    self.tested(seen.key, stencil, fixed.stencil_access());
                }
            }
        }
        if touch == Touch::Parts && context.targets.is_empty() && writes(0) {
            self.effect.access(context.back_buffer, 0..1, AccessKind::Modify);
        }
        Ok(())
    }

    fn tested(&mut self, key: ObjectKey, part: Range<u32>, access: TargetAccess) {
        if access.reads {
            self.effect.access(key, part.clone(), AccessKind::Test);
        }
        if access.writes {
            self.effect.access(key, part, AccessKind::Modify);
        }
    }
}

/// The fixed state of a draw.
fn fixed_state(context: &Context, shaders: &Shaders<'_>) -> FixedState {
    match shaders {
        Shaders::Bound { world: World::Direct3d9, .. } => FixedState::of_d3d9(&context.render_states).0,
        Shaders::Bound { .. } => context.fixed_state_of_d3d11(),
        Shaders::None => context.fixed_state_of_d3d11().without_culling(),
    }
}

impl Context {
    /// The fixed state of draws in the world of Direct3D 10 and 11.
    pub fn fixed_state_of_d3d11(&self) -> FixedState {
        FixedState::of_d3d11(&self.blend.value, &self.depth_stencil.value, &self.rasterizer.value).0
    }

    pub(super) fn render_state_set_by(&self, state: u32) -> Number {
        self.render_states_set_by.get(state as usize).copied().unwrap_or_default()
    }
}
