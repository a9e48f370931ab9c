//! What draws have in common while only bindings, numbers and vertices change: program, targets, and what is drawn of them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use foldhash::HashMap;

use super::clear::scissor_in;
use super::draw_options::{SamplerRules, options};
use super::formats::srgb_of;
use super::pipelines::{PipelineKey, SlotLayout, primitive_topology};
use super::points::state_of_points;
use super::programs::{DrawProgram, slots_of};
use super::stage_groups::LastStage;
use super::vertices::{VertexSource, drawn_topology};
use crate::command::{Location, Viewport};
use crate::error::Internal;
use crate::gpu::error::GpuError;
use crate::gpu::in_flight::Recorded;
use crate::gpu::renderer::Renderer;
use crate::replay::device_rules::{
    Device, Refusal, ViewportMove, ViewportRectangle, attachments, check_attachments, check_fixed_state, intersection,
    state_of,
};
use crate::replay::{DrawState, DrawTargets, DrawnVertices, FixedState, ObjectKey, Shader, ValueNumber};

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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct OutlineKey {
    state: ValueNumber,
    /// Whether vertices are drawn by indices.
    is_indexed: bool,
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
        self.others.insert(last.key, last);
        self.others.remove(key)
    }

    /// Puts that of a draw back.
    pub(super) fn put(&mut self, known: Box<KnownOutline>) {
        self.last = Some(known);
    }
}

/// The number of an outline's making: outlines with the same number have one program, whatever their samplers say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OutlineNumber(u64);

impl OutlineNumber {
    /// One that no outline has.
    fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// The outline of draws, and what they were drawn with.
pub(super) struct KnownOutline {
    number: OutlineNumber,
    key: OutlineKey,
    /// The samplers of both stages when they were looked at last: most draws have those of the one before.
    samplers: [ValueNumber; 2],
    rules: SamplerRules,
    /// Nothing of a draw that draws nothing.
    pub outline: Option<DrawOutline>,
    /// By stage.
    pub last: [LastStage; 2],
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
        let key = OutlineKey { state: state.outline, is_indexed };
        let samplers = [&state.vertex_bindings, &state.pixel_bindings].map(|held| held.samplers.number());
        let mut found = self.pipelines.outlines.take(&key);
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
                let (number, last) = (OutlineNumber::new(), Default::default());
                Ok(Box::new(KnownOutline { number, key, samplers, rules, outline, last, pipeline: None }))
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
        check_writes(self.gpu.record(), [vertex_writes, names_written(state.pixel.as_ref())?], at)?;
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
        // silent: nothing is drawn to
        let Some(size_px) = self.targets_size_px(&targets) else { return hidden() };
        let [width, height] = size_px;
        let scissor = state.scissor.map_or(Some([0, 0, width, height]), |scissor| scissor_in(scissor, size_px));
        // silent: nothing of the target lies in the scissor, or the viewport has no area
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
        // silent: nothing of the scissor lies in the viewport
        let Some(scissor) = scissor else { return hidden() };
        let Self { pipelines, gpu, .. } = self;
        let program = pipelines.programs.get(gpu, state, options(state, &device), at, || pipelines.help_ahead())?;
        let topology = primitive_topology(drawn_topology(&self.gpu, state.topology, vertices, &program));
        let topology = topology.ok_or_else(no_topology)?;
        let all = targets.colors.iter().chain([&targets.depth_stencil]).flatten();
        let drawn_to = all.map(|target| target.texture).collect();
        Ok(Some(DrawOutline { program, targets, drawn_to, guest_area: guest, area, moved, scissor, topology }))
    }
}

/// A device may let shaders of draws write nothing.
fn check_writes(device: &Device, [vertex, pixel]: [bool; 2], at: Location) -> Result<(), GpuError> {
    let features = &device.features;
    let lacks = |what, feature| Err(GpuError::Refusal { refusal: Refusal::Lacks { what, feature }, at });
    if vertex && !features.vertex_writes {
        return lacks("a vertex shader that writes buffers", "VERTEX_WRITABLE_STORAGE");
    }
    if pixel && !features.pixel_writes {
        return lacks("a pixel shader that writes buffers", "FRAGMENT_WRITABLE_STORAGE");
    }
    Ok(())
}

/// Refuses whatever a device cannot draw, of all that the outline of a draw decides, for those who make its pipeline before it
/// comes.
pub(super) fn check_coming(device: &Device, state: &DrawState, at: Location) -> Result<(), GpuError> {
    let writes = [names_written(state.vertex.as_ref())?, names_written(state.pixel.as_ref())?];
    check_writes(device, writes, at)?;
    let targets = written_targets(state);
    check_attachments(device, &targets)
        .and_then(|()| check_fixed_state(device, &fixed_state(state), &targets))
        .map_err(|refusal| GpuError::Refusal { refusal, at })
}

impl Area {
    /// Where it lies.
    pub(super) fn rectangle(&self) -> ViewportRectangle {
        ViewportRectangle { origin_px: self.origin_px, size_px: self.size_px }
    }

    /// Whether the device can set it.
    pub(super) fn fits(&self, device: &Device) -> bool {
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
    /// The number of its making.
    pub(super) fn number(&self) -> OutlineNumber {
        self.number
    }

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
        let Renderer { pipelines, gpu, .. } = renderer;
        let is_late = !pipelines.draws.has(&key);
        pipelines.late += u32::from(is_late);
        let pipeline = pipelines.draws.get(gpu, &key, &outline.program, at, || pipelines.help_ahead())?;
        // One that another thread has made for this batch counts as soon as others were let go for it.
        if is_late || pipelines.has_let_go() {
            renderer.recorder.batch.note(Recorded::Pipeline);
        }
        self.pipeline = Some((source.slots.clone(), strip_index, pipeline.clone()));
        Ok(pipeline)
    }
}

/// Fixed state that decides about a draw.
fn fixed_state(state: &DrawState) -> FixedState {
    state_of(&state.fixed, state.topology)
}

/// Whether a shader names buffers that it writes.
fn names_written(shader: Option<&Arc<Shader>>) -> Result<bool, GpuError> {
    shader.map_or(Ok(false), |shader| Ok(!slots_of(shader)?.used.uavs.is_empty()))
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
