//! Clears, draws, dispatches and presents: what they read, what they write, and what they depend on.

use std::ops::Range;

use super::context::{BufferSlotState, Context, LastDraw, StageSlots, World, slot_of};
use super::effect::{AccessKind, Effect, EffectKind, Number, ObjectKey};
use super::error::ContractError;
use super::objects::{Aspect, Named, Objects, SeenTexture, cleared};
use super::shader::ShaderSlots;
use super::state::DeviceState;
use crate::command::{
    Clear, Dispatch, Draw, DrawIndexed, IndexFormat, Present, Semantic, ShaderStage, VertexAttribute, VertexStep,
};
use crate::error::Internal;
use crate::replay::error::Problem;
use crate::replay::fixed_state::{FixedState, RenderStates};
use crate::shader::d3d::SlotSet;

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

    fn instances(&self) -> (u32, u32) {
        match self {
            Self::Direct(draw) => (draw.first_instance, draw.instance_count),
            Self::Indexed(draw) => (draw.first_instance, draw.instance_count),
        }
    }
}

/// What a draw's shaders are.
enum Shaders<'a> {
    /// None: the vertices' stride says what they are.
    None,
    Bound {
        world: World,
        vertex: &'a ShaderSlots,
        fragment: Option<&'a ShaderSlots>,
    },
}

/// D3DRS_SCISSORTESTENABLE.
const SCISSOR_TEST_ENABLE: u32 = 174;
const DRAW_STAGES: [ShaderStage; 5] =
    [ShaderStage::Vertex, ShaderStage::Fragment, ShaderStage::Geometry, ShaderStage::Hull, ShaderStage::Domain];

impl DeviceState {
    pub(super) fn clear(&mut self, clear: &Clear, id: u32) -> Result<(), Problem> {
        let Self { objects, contexts, effect, .. } = self;
        let context = contexts.get(&id).ok_or(lost_context())?;
        effect.kind = EffectKind::Clear;
        for number in context.decided.by {
            effect.refer(number);
        }
        let mut kind = AccessKind::Write;
        if context.decided.world == World::Direct3d9 {
            effect.refer(context.render_state_set_by(SCISSOR_TEST_ENABLE));
            effect.refer(context.scissor.set_by);
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

    pub(super) fn present(&mut self, present: &Present, id: u32) -> Result<(), Problem> {
        let Self { objects, contexts, effect, .. } = self;
        let context = contexts.get(&id).ok_or(lost_context())?;
        effect.kind = EffectKind::Present { scanout: present.scanout };
        let [slot, ..] = &context.targets.colors;
        effect.refer_all(slot.depends_on());
        match target(objects, slot, "target")? {
            Some(seen) => {
                let part = seen.target_part(Aspect::Color).filter(|_| seen.format.block().0 == 1);
                let (role, handle, format, expected) =
                    ("target", slot.handle, seen.format, "a format whose texels can be shown");
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

    pub(super) fn dispatch(&mut self, dispatch: &Dispatch, id: u32) -> Result<(), Problem> {
        let Self { objects, contexts, effect, .. } = self;
        let context = contexts.get(&id).ok_or(lost_context())?;
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
            bindings.of_stage(context, dispatch.bindings, slots);
        }
        Ok(())
    }

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

fn lost_context() -> Internal {
    Internal::new("a command's context is not there")
}

/// The texture that a slot for a target holds.
fn target<'o>(
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
fn usable(
    stage: ShaderStage,
    shader: &super::context::Kept<std::sync::Arc<super::shader::Shader>>,
) -> Result<&ShaderSlots, ContractError> {
    let name = stage.direct3d_name();
    let object = shader.object.as_ref().ok_or_else(|| ContractError::Unusable {
        what: format!("{name} shader {} does not exist", shader.handle).into(),
    })?;
    if object.stage != stage {
        let what = format!(
            "shader {} is a {} shader where a {name} shader belongs",
            shader.handle,
            object.stage.direct3d_name()
        );
        return Err(ContractError::Unusable { what: what.into() });
    }
    object.program.as_ref().map_err(|why| ContractError::Unusable {
        what: format!("{name} shader {} cannot be read ({why})", shader.handle).into(),
    })
}

/// Collects what a draw or a dispatch uses of a context.
struct Bindings<'a> {
    objects: &'a Objects,
    effect: &'a mut Effect,
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

    fn tested(&mut self, key: ObjectKey, part: Range<u32>, access: crate::replay::fixed_state::TargetAccess) {
        if access.reads {
            self.effect.access(key, part.clone(), AccessKind::Test);
        }
        if access.writes {
            self.effect.access(key, part, AccessKind::Modify);
        }
    }

    /// What a draw's shaders name.
    fn stages(&mut self, context: &Context, shaders: &Shaders<'_>) {
        match shaders {
            Shaders::None => {
                // Vertices of this length have a texture coordinate, and pixels read the first texture.
                if slot_of(&context.vertex_buffers, 0).size_bytes == 20 {
                    let stage = context.stage(ShaderStage::Fragment);
                    self.resource(slot_of(&stage.resources, 0), Layers::First);
                }
            }
            Shaders::Bound { .. } => {
                for stage in DRAW_STAGES {
                    let program = context.shader(stage).object.as_ref().map(|shader| &shader.program);
                    if let Some(Ok(slots)) = program {
                        self.of_stage(context, stage, slots);
                    }
                }
            }
        }
    }

    /// What one shader names in the slots of a stage.
    fn of_stage(&mut self, context: &Context, stage: ShaderStage, slots: &ShaderSlots) {
        let held = context.stage(stage);
        let layers = |slot| if slots.layered.contains(slot) { Layers::All } else { Layers::First };
        if slots.is_d3d9 {
            for sampler in slots.used.samplers.iter() {
                self.resource(slot_of(&held.resources, sampler), layers(sampler));
                let set_by = held.sampler_states.get(sampler as usize).map(|states| states.set_by);
                set_by.into_iter().flatten().for_each(|number| self.effect.refer(number));
            }
            self.constants(
                held,
                [slots.used.float_constants, slots.used.integer_constants, slots.used.boolean_constants],
            );
            return;
        }
        for resource in slots.used.resources.iter() {
            self.resource(slot_of(&held.resources, resource), layers(resource));
        }
        for sampler in slots.used.samplers.iter() {
            if let Some((kept, set_by)) = held.samplers.get(sampler as usize) {
                self.effect.refer(*set_by);
                self.effect.refer(kept.made_by);
            }
        }
        for buffer in slots.used.constant_buffers.iter() {
            let slot = slot_of(&held.constants, buffer);
            if buffer == 0 && slot.slot.set_by == Number::NONE {
                let [floats, ..] = &held.banks;
                floats.writers.stretches().for_each(|(_, _, writer)| self.effect.refer(Number::new(writer)));
            } else {
                self.buffer(slot, &[AccessKind::Read]);
            }
        }
        for uav in slots.used.uavs.iter() {
            self.buffer(slot_of(&held.uavs, uav), &[AccessKind::Read, AccessKind::Modify]);
        }
    }

    /// The constants of Direct3D 9 that a shader reads.
    fn constants(&mut self, held: &StageSlots, used: [SlotSet; 3]) {
        for (bank, used) in held.banks.iter().zip(used) {
            for (start, end, writer) in bank.writers.stretches() {
                if (start..end.min(SlotSet::CAPACITY)).any(|register| used.contains(register)) {
                    self.effect.refer(Number::new(writer));
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

    /// The slots that a draw's vertices and indices come from.
    fn vertex_slots(
        &mut self,
        context: &Context,
        attributes: &[VertexAttribute],
        is_indexed: bool,
    ) -> Result<(), ContractError> {
        for attribute in attributes {
            self.effect.refer_all(slot_of(&context.vertex_buffers, attribute.slot).slot.depends_on());
        }
        if is_indexed {
            let (held, _) = &context.indices.value;
            self.effect.refer(context.indices.set_by);
            self.effect.refer_all(held.slot.depends_on());
            self.objects.buffer(held.slot.named).ok_or(ContractError::NoIndexBuffer)?;
        }
        Ok(())
    }

    /// The attributes that a draw's vertex shader reads.
    fn attributes(&mut self, context: &Context, shaders: &Shaders<'_>) -> Result<Vec<VertexAttribute>, ContractError> {
        let vertex = match shaders {
            Shaders::None => {
                let stride = slot_of(&context.vertex_buffers, 0).size_bytes;
                if !matches!(stride, 20 | 24 | 28) {
                    return Err(ContractError::NoMeaning { stride });
                }
                let semantic = Semantic::Hashed { hash: 0, index: 0 };
                let step = VertexStep::Vertex;
                return Ok(vec![VertexAttribute {
                    semantic,
                    slot: 0,
                    offset_bytes: 0,
                    size_bytes: stride,
                    format: 0,
                    step,
                }]);
            }
            Shaders::Bound { vertex, .. } => vertex,
        };
        if vertex.inputs.is_empty() {
            return Ok(Vec::new());
        }
        let layout = &context.layout;
        self.effect.refer(layout.set_by);
        self.effect.refer(layout.value.made_by);
        let unusable = |what: String| ContractError::Unusable { what: what.into() };
        let Some(object) = &layout.value.object else {
            return Err(match layout.value.handle {
                0 => unusable("no layout is bound, and the vertex shader reads inputs".to_owned()),
                handle => unusable(format!("layout {handle} does not exist")),
            });
        };
        let attributes = object
            .attributes
            .as_ref()
            .map_err(|why| unusable(format!("layout {} cannot be used ({why})", layout.value.handle)))?;
        let used: Vec<VertexAttribute> = (0..)
            .zip(attributes)
            .filter(|(number, attribute)| vertex.inputs.iter().any(|input| is_linked(*number, attribute, input)))
            .map(|(_, attribute)| *attribute)
            .collect();
        if let Some(unknown) = used.iter().find(|attribute| attribute.size_bytes == 0) {
            let (handle, format) = (layout.value.handle, unknown.format);
            return Err(unusable(format!(
                "layout {handle} has an element of format {format}, which vertices cannot have"
            )));
        }
        Ok(used)
    }
}

/// The bytes of vertices and indices that a draw reads.
fn read_vertices(objects: &Objects, effect: &mut Effect, context: &Context, vertices: Vertices) {
    let attributes = &context.last_draw.attributes;
    for (number, attribute) in attributes.iter().enumerate() {
        // Each slot once, with all its attributes.
        let is_first = attributes.iter().take(number).all(|earlier| earlier.slot != attribute.slot);
        let held = slot_of(&context.vertex_buffers, attribute.slot);
        if let Some((key, buffer)) = objects.buffer(held.slot.named).filter(|_| is_first) {
            let own = attributes.iter().filter(|other| other.slot == attribute.slot);
            let bytes = vertex_bytes(own, &held, vertices, u64::from(buffer.size_bytes));
            effect.read_vertices(key, bytes);
        }
    }
    let (held, format) = &context.indices.value;
    if let Vertices::Indexed(draw) = vertices
        && let Some((key, buffer)) = objects.buffer(held.slot.named)
    {
        let index_bytes = match format {
            IndexFormat::Uint16 => 2,
            IndexFormat::Uint32 => 4,
        };
        let size = u64::from(buffer.size_bytes);
        let start = u64::from(held.offset_bytes) + u64::from(draw.first_index) * index_bytes;
        let end = start.saturating_add(u64::from(draw.index_count) * index_bytes);
        effect.read_vertices(key, start.min(size) as u32..end.min(size) as u32);
    }
}

/// Whether attribute `number` of a layout feeds an input: by semantic where both say one of the same Direct3D, else by the
/// order of registers.
fn is_linked(number: u32, attribute: &VertexAttribute, input: &super::shader::ShaderInput) -> bool {
    match (attribute.semantic, input.semantic) {
        (Semantic::Hashed { .. }, Some(semantic @ Semantic::Hashed { .. }))
        | (Semantic::Usage { .. }, Some(semantic @ Semantic::Usage { .. })) => attribute.semantic == semantic,
        _ => input.register == number,
    }
}

/// Which layers of a texture a shader reads.
#[derive(Clone, Copy)]
enum Layers {
    First,
    All,
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

/// The bytes of a buffer that the attributes of one slot can read.
fn vertex_bytes<'v>(
    attributes: impl Iterator<Item = &'v VertexAttribute>,
    held: &BufferSlotState,
    vertices: Vertices,
    size: u64,
) -> Range<u32> {
    let (offset, stride) = (u64::from(held.offset_bytes), u64::from(held.size_bytes));
    let mut all: Option<Range<u64>> = None;
    for attribute in attributes {
        let (first_instance, instance_count) = vertices.instances();
        let elements = match (attribute.step, vertices) {
            (VertexStep::Instances(step), _) => {
                let last = u64::from(instance_count.saturating_sub(1)) / u64::from(step.max(1));
                Some(u64::from(first_instance)..=u64::from(first_instance) + last)
            }
            (VertexStep::Vertex, Vertices::Direct(draw)) => {
                let first = u64::from(draw.first_vertex);
                Some(first..=first + u64::from(draw.vertex_count.saturating_sub(1)))
            }
            (VertexStep::Vertex, Vertices::Indexed(_)) => None,
        };
        let start = offset.saturating_add(u64::from(attribute.offset_bytes));
        let bytes = match elements {
            Some(elements) => {
                let at = |number: u64| start.saturating_add(number.saturating_mul(stride));
                at(*elements.start())..at(*elements.end()).saturating_add(u64::from(attribute.size_bytes))
            }
            // Whatever the indices say.
            None => start..size.max(start),
        };
        all = Some(match all {
            Some(all) => all.start.min(bytes.start)..all.end.max(bytes.end),
            None => bytes,
        });
    }
    let all = all.unwrap_or(0..0);
    all.start.min(size) as u32..all.end.min(size) as u32
}
