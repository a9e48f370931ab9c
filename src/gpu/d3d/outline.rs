//! What draws have in common while only bindings, numbers and vertices change: program, targets, and what is drawn of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use foldhash::HashMap;

use super::clear::scissor_in;
use super::cube_filters::cube_filters;
use super::formats::{is_depth, srgb_of};
use super::pipelines::{PipelineKey, SlotLayout, primitive_topology};
use super::points::state_of_points;
use super::programs::{DrawProgram, slots_of};
use super::vertex_format::vertex_format;
use super::vertices::{VertexSource, drawn_topology};
use crate::command::{AddressMode, Location, Topology, Viewport};
use crate::error::Internal;
use crate::gpu::error::GpuError;
use crate::gpu::renderer::Renderer;
use crate::replay::device_rules::{
    Device, Refusal, ViewportMove, ViewportRectangle, attachments, check_attachments, check_fixed_state, intersection,
    loads_texels, reads_second_color, state_of, stored_layers,
};
use crate::replay::{
    DrawState, DrawTargets, DrawnVertices, FixedState, Fog, FogCurve, ObjectKey, PointRules, ResourceBinding, Sampler,
    Shader, ShaderSlots, StageBindings, ValueNumber, World,
};
use crate::shader::d3d::{
    BorderRule, Clipping, CubeFilter, DrawOptions, FogRule, InputFeed, PixelCenters, SamplerRule, SizedPoints, SlotSet,
    StageResources, StoredLayers, TextureShapes, Usage,
};

/// The rectangle that clip space maps to, and its depths.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Area {
    pub origin_px: [f32; 2],
    pub size_px: [f32; 2],
    pub depth: [f32; 2],
}

/// What draws have in common.
pub(super) struct DrawOutline {
    pub program: Arc<DrawProgram>,
    /// As they are written.
    pub targets: DrawTargets,
    /// The textures of them.
    pub drawn_to: Arc<[ObjectKey]>,
    /// The viewport of the guest's.
    pub guest_area: Area,
    /// The viewport that is set.
    pub area: Area,
    /// The way from the one to the other.
    pub moved: ViewportMove,
    /// Left, top, width, height.
    pub scissor: [u32; 4],
    topology: wgpu::PrimitiveTopology,
}

/// What an outline depends on, beside what samplers say.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct OutlineKey {
    state: ValueNumber,
    /// Whether vertices are drawn by indices.
    is_indexed: bool,
    /// By stage, the slots whose textures hold depth.
    depth_textures: [SlotSet; 2],
    /// The slots of the pixel stage whose textures are cubes.
    cubes: SlotSet,
    /// By stage, the layers of textures on a device without views of them.
    stored_layers: [Option<StoredLayers>; 2],
}

/// What samplers say that an outline depends on.
#[derive(Debug, Default, PartialEq, Eq)]
struct SamplerRules {
    /// By stage and axis, the slots whose samplers mirror textures once.
    mirrored_once: [[SlotSet; 3]; 2],
    /// By stage, the slots whose samplers have a colour outside of textures.
    borders: [BTreeMap<u32, BorderRule>; 2],
    /// By stage, the slots whose cubes have joined texels.
    cube_filters: [BTreeMap<u32, CubeFilter>; 2],
    /// By stage, the samplers that stages carry out themselves.
    samplers: [BTreeMap<u32, SamplerRule>; 2],
}

impl SamplerRules {
    fn of(state: &DrawState, device: &Device) -> Self {
        let stages = [&state.vertex_bindings, &state.pixel_bindings];
        let samplers = stages.map(|held| sampler_rules(held, device));
        match state.world {
            World::Direct3d9 => Self {
                mirrored_once: stages.map(mirrored_once),
                borders: stages.map(borders),
                cube_filters: stage_cube_filters(state),
                samplers,
            },
            // The other samplers of Direct3D 10 and 11 are as the API has them.
            World::Direct3d11 => Self { samplers, ..Self::default() },
        }
    }
}

/// Outlines that are kept at most.
const MOST_OUTLINES: usize = 1 << 10;

/// The outlines of draws.
#[derive(Default)]
pub(super) struct KnownOutlines {
    /// That of the last draw: most have the one of the draw before.
    last: Option<Box<KnownOutline>>,
    others: HashMap<OutlineKey, Box<KnownOutline>>,
}

impl KnownOutlines {
    /// Takes one out.
    fn take(&mut self, key: &OutlineKey) -> Option<Box<KnownOutline>> {
        let last = self.last.take()?;
        if last.key == *key {
            return Some(last);
        }
        if self.others.len() >= MOST_OUTLINES {
            self.others.clear();
        }
        self.others.insert(last.key.clone(), last);
        self.others.remove(key)
    }

    /// Puts that of a draw back.
    pub(super) fn put(&mut self, known: Box<KnownOutline>) {
        self.last = Some(known);
    }
}

/// The outline of draws, and what they were drawn with.
pub(super) struct KnownOutline {
    key: OutlineKey,
    /// The samplers of both stages when they were looked at last: most draws have those of the one before.
    samplers: [ValueNumber; 2],
    rules: SamplerRules,
    /// Nothing of a draw that draws nothing.
    pub outline: Option<DrawOutline>,
    /// The pipeline for vertices that are laid out like this, of strips of indices of this size.
    pipeline: Option<(Vec<SlotLayout>, Option<wgpu::IndexFormat>, wgpu::RenderPipeline)>,
}

impl Renderer {
    /// The outline of a draw: that of an earlier one, if nothing else was set then.
    pub(super) fn take_outline(
        &mut self,
        state: &DrawState,
        vertices: DrawnVertices,
        at: Location,
    ) -> Result<Box<KnownOutline>, GpuError> {
        let is_indexed = matches!(vertices, DrawnVertices::Indexed(_));
        // Textures of Direct3D 10 and 11 are as they are declared.
        let cubes = if state.world == World::Direct3d9 { cubes(state) } else { SlotSet::default() };
        let depth_textures = [&state.vertex_bindings, &state.pixel_bindings].map(depth_textures);
        let device = self.gpu.record();
        let stored_layers = [&state.vertex_bindings, &state.pixel_bindings].map(|held| stored_layers(held, device));
        let key = OutlineKey { state: state.outline, is_indexed, depth_textures, cubes, stored_layers };
        let samplers = [&state.vertex_bindings, &state.pixel_bindings].map(|held| held.samplers.number());
        let mut found = self.d3d.outlines.take(&key);
        if let Some(known) = found.take_if(|known| known.samplers == samplers) {
            return Ok(known);
        }
        let rules = SamplerRules::of(state, self.gpu.record());
        match found.filter(|known| known.rules == rules) {
            Some(mut known) => {
                known.samplers = samplers;
                Ok(known)
            }
            None => {
                let outline = self.outline(state, vertices, at)?;
                Ok(Box::new(KnownOutline { key, samplers, rules, outline, pipeline: None }))
            }
        }
    }

    fn outline(
        &mut self,
        state: &DrawState,
        vertices: DrawnVertices,
        at: Location,
    ) -> Result<Option<DrawOutline>, GpuError> {
        let unsupported = |what: &str| GpuError::Unsupported { what: what.into(), at };
        if let Some(stage) = state.other_stage {
            return Err(unsupported(&format!("a draw with a {} shader", stage.direct3d_name())));
        }
        let vertex_writes = names_written(state.vertex.as_ref())?;
        self.check_writes([vertex_writes, names_written(state.pixel.as_ref())?], at)?;
        // Vertex shaders run and write whatever becomes of the pixels.
        let hidden = || match vertex_writes {
            true => Err(unsupported("a draw of no pixels whose vertex shader writes buffers")),
            false => Ok(None),
        };
        // Targets have one sample, and not every driver looks whether it is written.
        if state.fixed.sample_mask & 1 == 0 {
            return hidden();
        }
        let no_topology = || unsupported(&format!("a draw of {}", state.topology));
        primitive_topology(state.topology).ok_or_else(no_topology)?;
        let targets = written_targets(state);
        // Without a target nothing is drawn to.
        let Some(size_px) = self.targets_size_px(&targets) else { return hidden() };
        let [width, height] = size_px;
        let scissor = state.scissor.map_or(Some([0, 0, width, height]), |scissor| scissor_in(scissor, size_px));
        let Some((scissor, area)) = scissor.zip(area(state.viewport, size_px)) else { return hidden() };
        let refused = |refusal| GpuError::Refusal { refusal, at };
        let device = *self.gpu.record();
        check_attachments(&device, &targets).map_err(refused)?;
        let fixed = fixed_state(state);
        check_fixed_state(&device, &fixed, &targets).map_err(refused)?;
        let guest = area;
        let (area, moved, scissor) = match guest.fits(&device) {
            true => (guest, ViewportMove::NONE, Some(scissor)),
            false => match guest.rectangle().moved_to(size_px) {
                None => return hidden(),
                Some((moved, within)) => {
                    let whole = Area { origin_px: [0.0; 2], size_px: size_px.map(|side| side as f32), ..guest };
                    (whole, moved, intersection(scissor, within))
                }
            },
        };
        let Some(scissor) = scissor else { return hidden() };
        let Self { d3d, gpu, .. } = self;
        let program = d3d.programs.get(gpu, state, options(state, &device), at, || d3d.help_ahead())?;
        let topology = primitive_topology(drawn_topology(&self.gpu, state.topology, vertices, &program));
        let topology = topology.ok_or_else(no_topology)?;
        let all = targets.colors.iter().chain([&targets.depth_stencil]).flatten();
        let drawn_to = all.map(|target| target.texture).collect();
        Ok(Some(DrawOutline { program, targets, drawn_to, guest_area: guest, area, moved, scissor, topology }))
    }

    /// A device may let shaders of draws write nothing.
    fn check_writes(&self, [vertex, pixel]: [bool; 2], at: Location) -> Result<(), GpuError> {
        let features = &self.gpu.record().features;
        let lacks = |what, feature| Err(GpuError::Refusal { refusal: Refusal::Lacks { what, feature }, at });
        if vertex && !features.vertex_writes {
            return lacks("a vertex shader that writes buffers", "VERTEX_WRITABLE_STORAGE");
        }
        if pixel && !features.pixel_writes {
            return lacks("a pixel shader that writes buffers", "FRAGMENT_WRITABLE_STORAGE");
        }
        Ok(())
    }
}

impl Area {
    /// Where it lies.
    pub(super) fn rectangle(&self) -> ViewportRectangle {
        ViewportRectangle { origin_px: self.origin_px, size_px: self.size_px }
    }

    /// Whether the device can set it.
    fn fits(&self, device: &Device) -> bool {
        self.rectangle().fits(device)
    }
}

/// The targets of a draw, seen as it writes them: by the curve of sRGB where Direct3D 9 says so, and without a depth surface
/// that does not fit and is not used.
pub(super) fn written_targets(state: &DrawState) -> DrawTargets {
    written_by_curve(attachments(&state.targets, &state.fixed), state.fixed.legacy.writes_srgb)
}

/// Targets whose colours are written by the curve of sRGB, if they are.
pub(super) fn written_by_curve(mut targets: DrawTargets, writes_srgb: bool) -> DrawTargets {
    if writes_srgb {
        targets.colors.iter_mut().flatten().for_each(|target| target.format = srgb_of(target.format));
    }
    targets
}

impl DrawOutline {
    /// Of strips that are drawn by indices, the size of these.
    fn strip_index(&self, index: Option<wgpu::IndexFormat>) -> Option<wgpu::IndexFormat> {
        strip_index(self.topology, index)
    }

    /// What distinguishes the pipeline of a draw.
    pub(super) fn key(
        &self,
        state: &DrawState,
        source: &VertexSource,
        index: Option<wgpu::IndexFormat>,
    ) -> PipelineKey {
        pipeline_key(state, (&self.program, &self.targets), self.topology, (source.slots.clone(), index))
    }
}

/// Of strips that are drawn by indices, the size of these.
fn strip_index(topology: wgpu::PrimitiveTopology, index: Option<wgpu::IndexFormat>) -> Option<wgpu::IndexFormat> {
    let is_strip = matches!(topology, wgpu::PrimitiveTopology::LineStrip | wgpu::PrimitiveTopology::TriangleStrip);
    index.filter(|_| is_strip)
}

/// What distinguishes the pipeline of a draw to targets that are seen as it writes them.
pub(super) fn pipeline_key(
    state: &DrawState,
    (program, targets): (&DrawProgram, &DrawTargets),
    topology: wgpu::PrimitiveTopology,
    (slots, index): (Vec<SlotLayout>, Option<wgpu::IndexFormat>),
) -> PipelineKey {
    let (colors, depth_stencil) = PipelineKey::formats(targets);
    PipelineKey {
        program: program.number,
        slots,
        fixed: if program.has_sized_points { state_of_points(&state.fixed) } else { fixed_state(state) },
        colors,
        depth_stencil,
        topology,
        strip_index: strip_index(topology, index),
    }
}

impl KnownOutline {
    /// The pipeline of a draw.
    pub(super) fn pipeline(
        &mut self,
        renderer: &mut Renderer,
        state: &DrawState,
        (source, index): (&VertexSource, Option<wgpu::IndexFormat>),
        at: Location,
    ) -> Result<wgpu::RenderPipeline, GpuError> {
        let lost = Internal::at("a draw that draws nothing has no pipeline", at.offset);
        let outline = self.outline.as_ref().ok_or(lost)?;
        let strip_index = outline.strip_index(index);
        if let Some((known, of_strip, pipeline)) = &self.pipeline
            && *known == source.slots
            && *of_strip == strip_index
        {
            return Ok(pipeline.clone());
        }
        let key = outline.key(state, source, index);
        let Renderer { d3d, gpu, .. } = renderer;
        d3d.late_pipelines += u32::from(!d3d.pipelines.has(&key));
        let pipeline = d3d.pipelines.get(gpu, &key, &outline.program, at, || d3d.help_ahead())?;
        self.pipeline = Some((source.slots.clone(), strip_index, pipeline.clone()));
        Ok(pipeline)
    }
}

/// Fixed state that decides about a draw.
fn fixed_state(state: &DrawState) -> FixedState {
    state_of(&state.fixed, state.topology)
}

/// The slots of a stage whose textures hold depth.
pub(super) fn depth_textures(held: &StageBindings) -> SlotSet {
    let depth = held.slots.resources.iter().filter_map(|(slot, bound)| match bound {
        ResourceBinding::Texture(texture) if is_depth(texture.format) => Some(*slot),
        _ => None,
    });
    depth.collect()
}

/// By axis, the slots of a stage whose samplers mirror textures once.
fn mirrored_once(held: &StageBindings) -> [SlotSet; 3] {
    let mut slots = [SlotSet::default(); 3];
    for (slot, sampler) in held.samplers.iter() {
        for (mode, slots) in sampler.address.iter().zip(&mut slots) {
            if *mode == AddressMode::MirrorOnce {
                slots.insert(*slot);
            }
        }
    }
    slots
}

/// By slot, how samplers of a stage read textures that have a colour outside.
fn borders(held: &StageBindings) -> BTreeMap<u32, BorderRule> {
    let bordered = held.samplers.iter().filter_map(|(slot, sampler)| {
        let Sampler { address: [u, v, _], min, mag, mip, largest_mip, .. } = *sampler;
        let axes = [u, v].map(|mode| mode == AddressMode::Border);
        axes.contains(&true).then_some((*slot, BorderRule { axes, min, mag, mip, largest_mip }))
    });
    bordered.collect()
}

/// The slots of a pixel shader of SM1, which does not say what it reads, whose textures are cubes.
fn cubes(state: &DrawState) -> SlotSet {
    if program_of(state.pixel.as_ref()).is_none_or(|program| program.decoded.version().major > 1) {
        return SlotSet::default();
    }
    let cubes = state.pixel_bindings.slots.resources.iter().filter_map(|(slot, bound)| match bound {
        ResourceBinding::Texture(texture) if texture.layers.count == 6 => Some(*slot),
        _ => None,
    });
    cubes.collect()
}

/// Whether a shader names buffers that it writes.
fn names_written(shader: Option<&Arc<Shader>>) -> Result<bool, GpuError> {
    shader.map_or(Ok(false), |shader| Ok(!slots_of(shader)?.used.uavs.is_empty()))
}

/// A shader that is bound, decoded.
fn program_of(shader: Option<&Arc<Shader>>) -> Option<&ShaderSlots> {
    shader.and_then(|shader| shader.program.as_ref().ok())
}

/// What lies on a draw's points, where they are drawn as two triangles each: that is where they are sprites, or may have
/// another size than a pixel, by the state or by their vertex shader.
fn sized_points(state: &DrawState) -> Option<SizedPoints> {
    if state.topology != Topology::PointList || state.world != World::Direct3d9 {
        return None;
    }
    let PointRules { are_sprites, are_sized } = state.fixed.legacy.points;
    let says_size = || {
        let outputs = |slots: &ShaderSlots| crate::shader::d3d::legacy::outputs(&slots.decoded);
        let has_size = |slots| outputs(slots).iter().any(|output| output.usage == Some((Usage::PointSize, 0)));
        program_of(state.vertex.as_ref()).is_some_and(has_size)
    };
    match (are_sprites, are_sized) {
        (true, _) => Some(SizedPoints::Sprites),
        (false, true) => Some(SizedPoints::Plain),
        (false, false) => says_size().then_some(SizedPoints::Plain),
    }
}

/// With a vertex shader the curve of fog once per vertex says nothing: what the shader gives is how much is left.
const fn fog_rule(fog: Fog) -> FogRule {
    match fog.table {
        FogCurve::None => FogRule::Vertex,
        FogCurve::Linear => FogRule::Linear,
        FogCurve::Exp => FogRule::Exp,
        FogCurve::Exp2 => FogRule::Exp2,
    }
}

/// The rectangle that clip space maps to; nothing of one without an area.
pub(super) fn area(viewport: Option<Viewport>, target_px: [u32; 2]) -> Option<Area> {
    let whole = Area { origin_px: [0.0; 2], size_px: target_px.map(|side| side as f32), depth: [0.0, 1.0] };
    let area = match viewport {
        None | Some(Viewport::TopLeft { width_px: 0, .. } | Viewport::TopLeft { height_px: 0, .. }) => whole,
        Some(Viewport::TopLeft { width_px, height_px }) => {
            Area { size_px: [width_px, height_px].map(|side| side as f32), ..whole }
        }
        Some(Viewport::Rectangle { origin_px, size_px, depth: [near, far] }) => {
            let within = |depth: f32| if depth > 0.0 { depth.min(1.0) } else { 0.0 };
            let (near, far) = (within(near), within(far));
            Area { origin_px, size_px, depth: [near, far.max(near)] }
        }
    };
    let is_area = area.size_px.iter().all(|side| *side > 0.0) && area.origin_px.iter().all(|at| at.is_finite());
    is_area.then_some(area)
}

/// Whether the viewport is one that the device cannot set.
fn moves_viewport(state: &DrawState, device: &Device) -> bool {
    // The whole target can be set, whatever its size.
    area(state.viewport, [1, 1]).is_some_and(|area| !area.fits(device))
}

/// By stage, the filters of cubes: those that shaders declare, and those that are bound where one declares nothing.
fn stage_cube_filters(state: &DrawState) -> [BTreeMap<u32, CubeFilter>; 2] {
    let [vertex, pixel] = [&state.vertex, &state.pixel]
        .map(|shader| program_of(shader.as_ref()).map_or(SlotSet::default(), |program| program.layered));
    [cube_filters(vertex, &state.vertex_bindings), cube_filters(pixel.union(cubes(state)), &state.pixel_bindings)]
}

/// What a stage's bindings alone say of its resources.
pub(super) fn bound_resources(held: &StageBindings, device: &Device) -> StageResources {
    StageResources {
        depth_textures: depth_textures(held),
        shapes: TextureShapes::TwoDimensional,
        stored_layers: stored_layers(held, device),
        loads_depth: !device.features.sampled_depth,
        joins_samplers: !device.features.samplers_apart,
        samplers: sampler_rules(held, device),
        ..StageResources::default()
    }
}

/// By slot, the samplers of a stage that it carries out itself.
fn sampler_rules(held: &StageBindings, device: &Device) -> BTreeMap<u32, SamplerRule> {
    let loads = || loads_texels(&depth_textures(held), stored_layers(held, device).as_ref(), device);
    if device.features.sampled_depth && device.features.layer_views || !loads() {
        return BTreeMap::new();
    }
    let rule = |sampler: &Sampler| {
        let Sampler { address: [u, v, _], min, mag, mip, largest_mip, .. } = *sampler;
        SamplerRule { address: [u, v], min, mag, mip, largest_mip }
    };
    held.samplers.iter().map(|(slot, sampler)| (*slot, rule(sampler))).collect()
}

/// What the stages depend on besides their shaders.
pub(super) fn options(state: &DrawState, device: &Device) -> DrawOptions {
    let registers = state.inputs.iter().map(|input| input.register + 1).max().unwrap_or(0);
    let mut inputs = vec![InputFeed::Missing; registers as usize];
    for (register, into) in (0..).zip(&mut inputs) {
        let fed = state.inputs.iter().find(|input| input.register == register);
        // A value that is not drawn is refused with its draw, if its shader reads it.
        let format = fed.and_then(|input| vertex_format(input.value));
        *into = format.map_or(InputFeed::Missing, |(_, feed)| feed);
    }
    let legacy = state.fixed.legacy;
    let is_legacy = state.world == World::Direct3d9;
    let [vertex_cubes, pixel_cubes] = if is_legacy { stage_cube_filters(state) } else { Default::default() };
    let is_shifted = program_of(state.vertex.as_ref()).is_some_and(|slots| slots.is_shifted);
    DrawOptions {
        inputs,
        pixel_centers: if is_legacy && !is_shifted { PixelCenters::Direct3d9 } else { PixelCenters::Direct3d10 },
        alpha_test: legacy.alpha_test,
        vertex_resources: StageResources {
            mirrored_once: if is_legacy { mirrored_once(&state.vertex_bindings) } else { Default::default() },
            borders: if is_legacy { borders(&state.vertex_bindings) } else { BTreeMap::new() },
            cube_filters: vertex_cubes,
            ..bound_resources(&state.vertex_bindings, device)
        },
        pixel_resources: StageResources {
            mirrored_once: if is_legacy { mirrored_once(&state.pixel_bindings) } else { Default::default() },
            borders: if is_legacy { borders(&state.pixel_bindings) } else { BTreeMap::new() },
            cube_filters: pixel_cubes,
            cubes: if is_legacy { cubes(state) } else { SlotSet::default() },
            ..bound_resources(&state.pixel_bindings, device)
        },
        is_flat: is_legacy && legacy.shading == crate::replay::Shading::Flat,
        fog: legacy.fog.map(fog_rule),
        points: sized_points(state),
        has_second_color: state.fixed.blend.is_some_and(reads_second_color),
        clipping: if device.features.clip_distances { Clipping::ByPipeline } else { Clipping::ByPixel },
        drops_depth: written_targets(state).depth_stencil.is_none(),
        moves_viewport: moves_viewport(state, device),
    }
}
