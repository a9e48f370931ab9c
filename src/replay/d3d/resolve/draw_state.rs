//! Everything that one draw has in common with the next until something is set.

use std::sync::Arc;

use super::super::context::{Context, World};
use super::super::draw_uses::{UseGroup, UseGroups};
use super::super::effect::ObjectKey;
use super::super::objects::Objects;
use super::super::shader::{Shader, ShaderSlots};
use super::interned::{Numbered, ValueNumber};
use super::stage_bindings::{KnownBindings, StageBindings};
use super::vertex_input::VertexInput;
use crate::bytes::limits::MAX_LOOP_TURNS;
use crate::command::{
    IndexFormat, MOST_COLOR_TARGETS, SetScissor, ShaderStage, TextureFormat, Topology, VertexStep, Viewport,
};
use crate::error::Internal;
use crate::replay::error::Problem;
use crate::replay::fixed_state::{DynamicState, FixedState};
use crate::shader::d3d::legacy::most_turns;

/// What is drawn to or shown: one mip of one layer of a texture, in a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TargetView {
    /// The texture; a context's own back buffer is one too.
    pub texture: ObjectKey,
    /// The format that it is seen in.
    pub format: TextureFormat,
    /// Its mip.
    pub mip: u32,
    /// Its layer.
    pub layer: u32,
    /// Width and height; nothing of a context's own back buffer, which has the size that pictures have.
    pub size_px: Option<[u32; 2]>,
}

impl TargetView {
    /// A context's own back buffer.
    pub(super) const fn back_buffer(texture: ObjectKey) -> Self {
        Self { texture, format: TextureFormat::R8g8b8a8Unorm, mip: 0, layer: 0, size_px: None }
    }
}

/// The targets of a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DrawTargets {
    /// Colours, by slot.
    pub colors: [Option<TargetView>; MOST_COLOR_TARGETS],
    /// Depth and stencil.
    pub depth_stencil: Option<TargetView>,
}

impl DrawTargets {
    /// None at all: what a dispatch has.
    pub const NONE: Self = Self { colors: [None; MOST_COLOR_TARGETS], depth_stencil: None };

    /// What is bound, or the back buffer where nothing is.
    pub(super) fn of(objects: &Objects, context: &Context) -> Self {
        let view = |named| objects.texture(named).map(|seen| TargetView::of(&seen));
        let mut colors = context.targets.colors.map(|slot| view(slot.named));
        if let [first, ..] = &mut colors
            && context.targets.is_empty()
        {
            *first = Some(TargetView::back_buffer(context.back_buffer));
        }
        Self { colors, depth_stencil: view(context.targets.depth_stencil.named) }
    }
}

/// The indices of indexed draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IndexSource {
    /// The buffer.
    pub buffer: ObjectKey,
    /// Where index 0 lies.
    pub offset_bytes: u32,
    /// The size of an index.
    pub format: IndexFormat,
}

/// What draws are made with.
#[derive(Clone, Debug)]
pub struct DrawState {
    /// Whoever has seen this number has seen all of this but for bindings, numbers, and where in which buffers vertices lie.
    pub outline: ValueNumber,
    /// Which Direct3D the draw belongs to.
    pub world: World,
    /// The vertex shader; with none, vertices are drawn as they lie, by their stride.
    pub vertex: Option<Arc<Shader>>,
    /// The pixel shader.
    pub pixel: Option<Arc<Shader>>,
    /// A stage that this build does not draw with, if one is bound.
    pub other_stage: Option<ShaderStage>,
    /// What stands in a pipeline beside shaders.
    pub fixed: FixedState,
    /// Numbers.
    pub dynamic: DynamicState,
    /// The targets.
    pub targets: DrawTargets,
    /// The rectangle that clip space maps to; nothing for the whole target.
    pub viewport: Option<Viewport>,
    /// The rectangle outside of which nothing is drawn, where the scissor counts.
    pub scissor: Option<SetScissor>,
    /// What vertices form.
    pub topology: Topology,
    /// The values that the vertex shader reads, by register.
    pub inputs: Numbered<Vec<VertexInput>>,
    /// The indices, if a buffer is bound for them.
    pub indices: Option<IndexSource>,
    /// What the vertex shader names.
    pub vertex_bindings: StageBindings,
    /// What the pixel shader names.
    pub pixel_bindings: StageBindings,
}

impl DrawState {
    /// What the next draw of a context is made with. The contract has been checked.
    pub(super) fn of(objects: &Objects, context: &Context, known: &mut KnownBindings) -> Result<Self, Internal> {
        let of_stage = |stage| context.shader(stage).object.clone().filter(|_| context.shader(stage).handle != 0);
        let (vertex, pixel) = (of_stage(ShaderStage::Vertex), of_stage(ShaderStage::Fragment));
        let world = match slots_of(&vertex)? {
            Some(slots) if slots.is_d3d9 => World::Direct3d9,
            _ => World::Direct3d11,
        };
        let (fixed, dynamic) = fixed_of(context, world, vertex.is_some());
        let vertex_slots = slots_of(&vertex)?;
        let vertex_bindings = StageBindings::of(objects, context.stage(ShaderStage::Vertex), vertex_slots, known);
        let of_pixels = context.stage(ShaderStage::Fragment);
        let pixel_bindings = match vertex_slots {
            Some(_) => StageBindings::of(objects, of_pixels, slots_of(&pixel)?, known),
            None => StageBindings::first_texture(objects, of_pixels, known),
        };
        let others = [ShaderStage::Geometry, ShaderStage::Hull, ShaderStage::Domain];
        Ok(Self {
            outline: ValueNumber::new(),
            world,
            other_stage: others.into_iter().find(|stage| context.shader(*stage).handle != 0),
            scissor: context.scissor.value.filter(|_| fixed.is_scissor_enabled()),
            inputs: Numbered::new(VertexInput::all_of(objects, context, vertex_slots)),
            vertex,
            pixel,
            fixed,
            dynamic,
            targets: DrawTargets::of(objects, context),
            viewport: context.viewport.value,
            topology: context.topology.value,
            indices: indices_of(objects, context),
            vertex_bindings,
            pixel_bindings,
        })
    }

    /// Looks at everything anew of which something was set since the last draw of the context.
    pub(super) fn renew(
        &mut self,
        objects: &Objects,
        context: &Context,
        (known, changed): (&mut KnownBindings, UseGroups),
    ) -> Result<(), Internal> {
        if changed.contains(UseGroup::Shaders) {
            *self = Self::of(objects, context, known)?;
            return Ok(());
        }
        if changed.contains(UseGroup::Fixed) {
            self.renew_fixed(context);
        }
        if changed.contains(UseGroup::Targets) {
            let targets = DrawTargets::of(objects, context);
            self.note(self.targets != targets);
            self.targets = targets;
        }
        if changed.contains(UseGroup::Vertices) {
            self.renew_vertices(objects, context)?;
        }
        let (of_vertices, of_pixels) = (context.stage(ShaderStage::Vertex), context.stage(ShaderStage::Fragment));
        match slots_of(&self.vertex)? {
            Some(vertex) => {
                self.vertex_bindings.renew(objects, of_vertices, vertex, (known, changed));
                if let Some(pixel) = slots_of(&self.pixel)? {
                    self.pixel_bindings.renew(objects, of_pixels, pixel, (known, changed));
                }
            }
            None if changed.contains(UseGroup::Slots) => {
                self.pixel_bindings.renew_first_texture(objects, of_pixels, known);
            }
            None => {}
        }
        Ok(())
    }

    /// Refuses loops within loops that would take too long. How often they turn is a matter of constants.
    pub(super) fn check_turns(&self) -> Result<(), Problem> {
        for (shader, bindings) in [(&self.vertex, &self.vertex_bindings), (&self.pixel, &self.pixel_bindings)] {
            let Some(slots) = slots_of(shader)?.filter(|slots| slots.nests_loops) else { continue };
            let found = most_turns(&slots.decoded, |number| {
                bindings.registers.as_ref().map_or(0, |registers| registers.first_integer(number))
            });
            if found > MAX_LOOP_TURNS {
                let what = "the number of turns of a shader's loops";
                return Err(Problem::OverLimit { what, found, limit: MAX_LOOP_TURNS });
            }
        }
        Ok(())
    }

    fn note(&mut self, differs: bool) {
        if differs {
            self.outline = ValueNumber::new();
        }
    }

    fn renew_fixed(&mut self, context: &Context) {
        let (fixed, dynamic) = fixed_of(context, self.world, self.vertex.is_some());
        let scissor = context.scissor.value.filter(|_| fixed.is_scissor_enabled());
        let (viewport, topology) = (context.viewport.value, context.topology.value);
        self.note((self.fixed, self.viewport, self.topology) != (fixed, viewport, topology) || self.scissor != scissor);
        (self.fixed, self.dynamic, self.scissor) = (fixed, dynamic, scissor);
        (self.viewport, self.topology) = (viewport, topology);
    }

    fn renew_vertices(&mut self, objects: &Objects, context: &Context) -> Result<(), Internal> {
        let mut inputs = VertexInput::all_of(objects, context, slots_of(&self.vertex)?);
        if self.inputs.replace(&mut inputs) {
            // Here are those from before.
            let same = self.inputs.len() == inputs.len()
                && self.inputs.iter().zip(&inputs).all(|(input, other)| input.is_laid_out_like(other));
            self.note(!same);
        }
        self.indices = indices_of(objects, context);
        Ok(())
    }

    /// Whether some input is read once per so many instances.
    pub fn has_instances(&self) -> bool {
        self.inputs.iter().any(|input| matches!(input.step, VertexStep::Instances(_)))
    }
}

/// What a shader that was checked names.
fn slots_of(shader: &Option<Arc<Shader>>) -> Result<Option<&ShaderSlots>, Internal> {
    let Some(shader) = shader else { return Ok(None) };
    shader.program.as_ref().map(Some).map_err(|_| Internal::new("a shader that was checked cannot be used"))
}

fn fixed_of(context: &Context, world: World, has_shaders: bool) -> (FixedState, DynamicState) {
    let (fixed, dynamic) = match world {
        World::Direct3d9 => FixedState::of_d3d9(&context.render_states),
        World::Direct3d11 => {
            FixedState::of_d3d11(&context.blend.value, &context.depth_stencil.value, &context.rasterizer.value)
        }
    };
    (if has_shaders { fixed } else { fixed.without_culling() }, dynamic)
}

fn indices_of(objects: &Objects, context: &Context) -> Option<IndexSource> {
    let (held, format) = context.indices.value;
    let indices = objects.buffer(held.slot.named);
    indices.map(|(buffer, _)| IndexSource { buffer, offset_bytes: held.offset_bytes, format })
}

/// What compute shaders run with.
#[derive(Clone, Debug)]
pub struct DispatchState {
    /// The shader.
    pub shader: Arc<Shader>,
    /// What it names.
    pub bindings: StageBindings,
}

impl DispatchState {
    pub(super) fn of(
        objects: &Objects,
        context: &Context,
        bindings: ShaderStage,
        known: &mut KnownBindings,
    ) -> Result<Self, Internal> {
        let shader = context.shader(ShaderStage::Compute).object.clone();
        let slots = slots_of(&shader)?;
        let stage = StageBindings::of(objects, context.stage(bindings), slots, known);
        let shader = shader.ok_or(Internal::new("a dispatch that was checked has no shader"))?;
        Ok(Self { bindings: stage, shader })
    }
}
