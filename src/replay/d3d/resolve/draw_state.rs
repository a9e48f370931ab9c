//! Everything that one draw has in common with the next until something is set.

use std::sync::Arc;

use super::super::context::{Context, World};
use super::super::effect::ObjectKey;
use super::super::objects::Objects;
use super::super::shader::Shader;
use super::legacy_constants::LegacyConstants;
use super::stage_bindings::{BufferRange, StageBindings};
use super::vertex_input::VertexInput;
use crate::command::{
    IndexFormat, MOST_COLOR_TARGETS, SetScissor, ShaderStage, TextureFormat, Topology, VertexStep, Viewport,
};
use crate::error::Internal;
use crate::replay::fixed_state::{DynamicState, FixedState};

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
    pub inputs: Vec<VertexInput>,
    /// The indices, if a buffer is bound for them.
    pub indices: Option<IndexSource>,
    /// What the vertex shader names.
    pub vertex_bindings: StageBindings,
    /// What the pixel shader names.
    pub pixel_bindings: StageBindings,
}

impl DrawState {
    /// What the next draw of a context is made with. The contract has been checked.
    pub(super) fn of(objects: &Objects, context: &Context) -> Result<Self, Internal> {
        let of_stage = |stage| context.shader(stage).object.clone().filter(|_| context.shader(stage).handle != 0);
        let (vertex, pixel) = (of_stage(ShaderStage::Vertex), of_stage(ShaderStage::Fragment));
        let slots = vertex.as_ref().and_then(|shader| shader.program.as_ref().ok());
        let world = match slots {
            Some(slots) if slots.is_d3d9 => World::Direct3d9,
            _ => World::Direct3d11,
        };
        let (fixed, dynamic) = match world {
            World::Direct3d9 => FixedState::of_d3d9(&context.render_states),
            World::Direct3d11 => {
                FixedState::of_d3d11(&context.blend.value, &context.depth_stencil.value, &context.rasterizer.value)
            }
        };
        let fixed = if vertex.is_none() { fixed.without_culling() } else { fixed };
        let inputs = match slots {
            Some(slots) => VertexInput::all_of(objects, context, slots),
            None => VertexInput::by_stride(objects, context),
        };
        let bindings = |stage, shader: &Option<Arc<Shader>>| match shader {
            Some(shader) => StageBindings::of(objects, context.stage(stage), shader),
            None => Ok(StageBindings::default()),
        };
        let vertex_bindings = bindings(ShaderStage::Vertex, &vertex)?;
        let pixel_bindings = match &vertex {
            Some(_) => bindings(ShaderStage::Fragment, &pixel)?,
            None => StageBindings::first_texture(objects, context.stage(ShaderStage::Fragment)),
        };
        let (held, format) = context.indices.value;
        let indices = objects.buffer(held.slot.named);
        let indices = indices.map(|(buffer, _)| IndexSource { buffer, offset_bytes: held.offset_bytes, format });
        let others = [ShaderStage::Geometry, ShaderStage::Hull, ShaderStage::Domain];
        Ok(Self {
            world,
            other_stage: others.into_iter().find(|stage| context.shader(*stage).handle != 0),
            scissor: context.scissor.value.filter(|_| fixed.is_scissor_enabled()),
            vertex,
            pixel,
            fixed,
            dynamic,
            targets: DrawTargets::of(objects, context),
            viewport: context.viewport.value,
            topology: context.topology.value,
            inputs,
            indices,
            vertex_bindings,
            pixel_bindings,
        })
    }

    /// The part of a buffer that an input's values lie in, up to its end.
    pub fn has_instances(&self) -> bool {
        self.inputs.iter().any(|input| matches!(input.step, VertexStep::Instances(_)))
    }
}

/// What compute shaders run with.
#[derive(Clone, Debug)]
pub struct DispatchState {
    /// The shader.
    pub shader: Arc<Shader>,
    /// What it names.
    pub bindings: StageBindings,
    /// Buffers that it writes, by slot.
    pub written: Vec<(u32, BufferRange)>,
}

impl DispatchState {
    pub(super) fn of(objects: &Objects, context: &Context, bindings: ShaderStage) -> Result<Self, Internal> {
        let shader = context.shader(ShaderStage::Compute).object.clone();
        let shader = shader.ok_or(Internal::new("a dispatch that was checked has no shader"))?;
        let stage = StageBindings::of(objects, context.stage(bindings), &shader)?;
        let written = stage.written.clone();
        Ok(Self { bindings: stage, written, shader })
    }
}

/// The constants of Direct3D 9 that a stage's shader reads.
pub(super) type Registers = Option<Arc<LegacyConstants>>;
