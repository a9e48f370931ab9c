//! Everything that one draw has in common with the next until something is set.

use std::sync::Arc;

use super::super::context::{Context, World};
use super::super::draw_uses::{DirtyGroups, UseGroup};
use super::super::effect::ObjectKey;
use super::super::objects::Objects;
use super::super::shader::{Shader, ShaderSlots};
use super::Known;
use super::interned::{Interned, ValueNumber};
use super::outline_number::{FixedRules, OutlineParts, SameShader, ViewportBits};
use super::stage_bindings::{KnownBindings, StageBindings};
use super::vertex_input::{InputLayout, VertexInput};
use crate::command::{
    IndexFormat, MOST_COLOR_TARGETS, SetScissor, ShaderStage, TextureFormat, Topology, VertexStep, Viewport,
};
use crate::error::Internal;
use crate::limits::MAX_LOOP_TURNS;
use crate::replay::error::Problem;
use crate::replay::fixed_state::{DynamicState, FixedState, Shading};
use crate::shader::d3d::legacy::most_turns;
use crate::shader::d3d::{DeclarationKind, Interpolation};

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
    parts: OutlineParts,
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
    pub inputs: Interned<Vec<VertexInput>>,
    /// The indices, if a buffer is bound for them.
    pub indices: Option<IndexSource>,
    /// What the vertex shader names.
    pub vertex_bindings: StageBindings,
    /// What the pixel shader names.
    pub pixel_bindings: StageBindings,
}

impl DrawState {
    /// Whether pixels have values of one vertex of their primitive.
    pub fn has_flat_values(&self) -> bool {
        // silent: a draw whose shaders cannot be read is refused
        let pixel = self.pixel.as_ref().and_then(|shader| shader.program.as_ref().ok());
        let mut declarations = pixel.iter().flat_map(|slots| slots.decoded.declarations());
        self.fixed.legacy.shading == Shading::Flat || declarations.any(|declaration| {
            let constant = Some(Interpolation::Constant);
            matches!(&declaration.kind, DeclarationKind::Register { interpolation, .. } if *interpolation == constant)
        })
    }

    /// What the next draw of a context is made with. The contract has been checked.
    pub(super) fn of(objects: &Objects, context: &Context, known: &mut Known) -> Result<Self, Internal> {
        let (vertex, pixel) = shaders_of(context);
        let world = world_of(&vertex)?;
        let (fixed, dynamic) = fixed_of(context, world, vertex.is_some());
        let (viewport, scissor) = (viewport_of(context, world), scissor_of(context, world, &fixed));
        let vertex_slots = slots_of(&vertex)?;
        let Known { bindings, outlines, inputs } = known;
        let vertex_bindings = StageBindings::of(objects, context.stage(ShaderStage::Vertex), vertex_slots, bindings);
        let of_pixels = context.stage(ShaderStage::Fragment);
        let pixel_bindings = match vertex_slots {
            Some(_) => StageBindings::of(objects, of_pixels, slots_of(&pixel)?, bindings),
            None => StageBindings::first_texture(objects, of_pixels, bindings),
        };
        let inputs = inputs.get(&VertexInput::all_of(objects, context, vertex_slots));
        let (targets, topology) = (DrawTargets::of(objects, context), context.topology.value);
        let rules = FixedRules { fixed, viewport: viewport.map(ViewportBits::from), scissor, topology };
        let parts = OutlineParts {
            world,
            other_stage: other_stage_of(context),
            vertex: outlines.shaders.number(&SameShader::from(&vertex)),
            pixel: outlines.shaders.number(&SameShader::from(&pixel)),
            rules: outlines.rules.number(&rules),
            targets: outlines.targets.number(&targets),
            layout: outlines.layouts.number(&layout_of(&inputs)),
            shapes: [vertex_bindings.shapes, pixel_bindings.shapes],
        };
        Ok(Self {
            outline: outlines.outlines.number(&parts),
            parts,
            world,
            other_stage: parts.other_stage,
            scissor,
            inputs,
            vertex,
            pixel,
            fixed,
            dynamic,
            targets,
            viewport,
            topology,
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
        (known, dirty): (&mut Known, DirtyGroups),
    ) -> Result<(), Internal> {
        let (before, changed) = (self.parts, dirty.shared());
        let mut other = ChangedShaders::default();
        if changed.contains(UseGroup::Shaders) {
            other = match self.renew_shaders(context, known)? {
                Some(other) => other,
                None => {
                    *self = Self::of(objects, context, known)?;
                    return Ok(());
                }
            };
        }
        if changed.contains(UseGroup::Fixed) {
            self.renew_fixed(context, known);
        }
        if changed.contains(UseGroup::Targets) {
            let targets = DrawTargets::of(objects, context);
            if self.targets != targets {
                self.targets = targets;
                self.parts.targets = known.outlines.targets.number(&targets);
            }
        }
        if changed.contains(UseGroup::Vertices) || other.vertex {
            self.renew_vertices(objects, context, known)?;
        }
        let (of_vertices, of_pixels) = (context.stage(ShaderStage::Vertex), context.stage(ShaderStage::Fragment));
        let bindings = &mut known.bindings;
        match slots_of(&self.vertex)? {
            Some(vertex) => {
                match other.vertex {
                    true => self.vertex_bindings.renew_all(objects, of_vertices, vertex, bindings),
                    false => {
                        let changed = dirty.stage(ShaderStage::Vertex);
                        self.vertex_bindings.renew(objects, of_vertices, vertex, (bindings, changed));
                    }
                }
                if let Some(pixel) = slots_of(&self.pixel)? {
                    match other.pixel {
                        true => self.pixel_bindings.renew_all(objects, of_pixels, pixel, bindings),
                        false => {
                            let changed = dirty.stage(ShaderStage::Fragment);
                            self.pixel_bindings.renew(objects, of_pixels, pixel, (bindings, changed));
                        }
                    }
                }
            }
            None if dirty.stage(ShaderStage::Fragment).contains(UseGroup::Slots) => {
                self.pixel_bindings.renew_first_texture(objects, of_pixels, bindings);
            }
            None => {}
        }
        self.parts.shapes = [self.vertex_bindings.shapes, self.pixel_bindings.shapes];
        if self.parts != before {
            self.outline = known.outlines.outlines.number(&self.parts);
        }
        Ok(())
    }

    /// Takes the shaders that are bound, and says which are others. Nothing where all else depends on that: with another
    /// Direct3D, or where there was none, or is none now.
    fn renew_shaders(&mut self, context: &Context, known: &mut Known) -> Result<Option<ChangedShaders>, Internal> {
        let (vertex, pixel) = shaders_of(context);
        let is_alike = (vertex.is_some(), pixel.is_some()) == (self.vertex.is_some(), self.pixel.is_some());
        if !is_alike || world_of(&vertex)? != self.world {
            return Ok(None);
        }
        self.other_stage = other_stage_of(context);
        self.parts.other_stage = self.other_stage;
        let mut other = ChangedShaders::default();
        for (held, bound, number, is_other) in [
            (&mut self.vertex, vertex, &mut self.parts.vertex, &mut other.vertex),
            (&mut self.pixel, pixel, &mut self.parts.pixel, &mut other.pixel),
        ] {
            if held.as_ref().map(Arc::as_ptr) != bound.as_ref().map(Arc::as_ptr) {
                *is_other = true;
                *number = known.outlines.shaders.number(&SameShader::from(&bound));
                *held = bound;
            }
        }
        Ok(Some(other))
    }

    /// Refuses loops within loops that would take too long. How often they turn is a matter of constants.
    pub(super) fn check_turns(&self) -> Result<(), Problem> {
        for (shader, bindings) in [(&self.vertex, &self.vertex_bindings), (&self.pixel, &self.pixel_bindings)] {
            // silent: a shader without loops within loops turns no oftener than it is long
            let Some(slots) = slots_of(shader)?.filter(|slots| slots.nests_loops) else { continue };
            let found = most_turns(&slots.decoded, |number| {
                bindings.registers.as_ref().map_or(0, |registers| registers.first_integer(number))
            });
            if found > MAX_LOOP_TURNS {
                let what = "the number of iterations of a shader's loops";
                return Err(Problem::OverLimit { what, found, limit: MAX_LOOP_TURNS });
            }
        }
        Ok(())
    }

    fn renew_fixed(&mut self, context: &Context, known: &mut Known) {
        let (fixed, dynamic) = fixed_of(context, self.world, self.vertex.is_some());
        let scissor = scissor_of(context, self.world, &fixed);
        let (viewport, topology) = (viewport_of(context, self.world), context.topology.value);
        let differs = (self.fixed, self.viewport, self.topology) != (fixed, viewport, topology);
        if differs || self.scissor != scissor {
            let rules = FixedRules { fixed, viewport: viewport.map(ViewportBits::from), scissor, topology };
            self.parts.rules = known.outlines.rules.number(&rules);
        }
        (self.fixed, self.dynamic, self.scissor) = (fixed, dynamic, scissor);
        (self.viewport, self.topology) = (viewport, topology);
    }

    fn renew_vertices(&mut self, objects: &Objects, context: &Context, known: &mut Known) -> Result<(), Internal> {
        let inputs = known.inputs.get(&VertexInput::all_of(objects, context, slots_of(&self.vertex)?));
        if self.inputs.number() != inputs.number() {
            let is_same = self.inputs.iter().map(VertexInput::layout).eq(inputs.iter().map(VertexInput::layout));
            if !is_same {
                self.parts.layout = known.outlines.layouts.number(&layout_of(&inputs));
            }
            self.inputs = inputs;
        }
        self.indices = indices_of(objects, context);
        Ok(())
    }

    /// Whether some input is read once per so many instances.
    pub fn has_instances(&self) -> bool {
        self.inputs.iter().any(|input| matches!(input.step, VertexStep::Instances(_)))
    }
}

/// Which shaders are others than before.
#[derive(Default)]
struct ChangedShaders {
    vertex: bool,
    pixel: bool,
}

/// The vertex and the pixel shader that are bound.
fn shaders_of(context: &Context) -> (Option<Arc<Shader>>, Option<Arc<Shader>>) {
    let of_stage = |stage| context.shader(stage).object.clone().filter(|_| context.shader(stage).handle != 0);
    (of_stage(ShaderStage::Vertex), of_stage(ShaderStage::Fragment))
}

/// A stage that this build does not draw with, if one is bound.
fn other_stage_of(context: &Context) -> Option<ShaderStage> {
    let others = [ShaderStage::Geometry, ShaderStage::Hull, ShaderStage::Domain];
    others.into_iter().find(|stage| context.shader(*stage).handle != 0)
}

fn world_of(vertex: &Option<Arc<Shader>>) -> Result<World, Internal> {
    Ok(match slots_of(vertex)? {
        Some(slots) if slots.is_d3d9 => World::Direct3d9,
        _ => World::Direct3d11,
    })
}

fn layout_of(inputs: &[VertexInput]) -> Vec<InputLayout> {
    inputs.iter().map(VertexInput::layout).collect()
}

/// What a shader that was checked names.
fn slots_of(shader: &Option<Arc<Shader>>) -> Result<Option<&ShaderSlots>, Internal> {
    // silent: no shader is bound there
    let Some(shader) = shader else { return Ok(None) };
    shader.program.as_ref().map(Some).map_err(|_| Internal::new("a checked shader cannot be used"))
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

/// The viewport of a draw; nothing for the whole target, which Direct3D 10 and 11 say by a viewport of zeros too.
fn viewport_of(context: &Context, world: World) -> Option<Viewport> {
    let is_none = |viewport: &Viewport| world == World::Direct3d11 && viewport.is_none_set();
    context.viewport.value.filter(|viewport| !is_none(viewport))
}

/// The scissor of a draw, where it counts; nothing for none, which Direct3D 10 and 11 say by a scissor of zeros too.
fn scissor_of(context: &Context, world: World, fixed: &FixedState) -> Option<SetScissor> {
    let is_none = |scissor: &SetScissor| world == World::Direct3d11 && scissor.is_none_set();
    context.scissor.value.filter(|scissor| fixed.is_scissor_enabled() && !is_none(scissor))
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
        let shader = shader.ok_or(Internal::new("a checked dispatch has no shader"))?;
        Ok(Self { bindings: stage, shader })
    }
}
