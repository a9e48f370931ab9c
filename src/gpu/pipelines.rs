//! Render pipelines, made at the first draw that needs them and kept by key.

use foldhash::fast::RandomState;
use lru::LruCache;

use super::device::Gpu;
use super::draw_override::OverrideKind;
use super::error::{GpuError, LibraryError};
use super::fallback_resources::{FallbackResources, merged_bindings};
use super::overdraw_counter::OVERDRAW_FORMAT;
use super::shader_modules::make_shader_module;
use super::triangles::Corners;
use super::vertex_slots::FetchLayout;
use crate::command::Location;
use crate::limits::MAX_PIPELINES;
use crate::pixels::Size;
use crate::replay::ProgramKey;
use crate::replay::device_rules::check_stride;
use crate::shader::{Program, StageModule};

/// Straight alpha, and no sRGB conversion anywhere.
pub(super) const TARGET_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;

/// What distinguishes two pipelines of the same guest program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct PipelineKey {
    pub program: ProgramKey,
    pub layout: FetchLayout,
    pub override_kind: OverrideKind,
}

/// A pipeline with the resources that go with it.
pub(super) struct DrawPipeline {
    pub pipeline: wgpu::RenderPipeline,
    /// Groups 0, 1, …: fallback values for what the ABI cannot bind.
    pub bind_groups: Vec<wgpu::BindGroup>,
    /// The order in which the corners of triangles are drawn.
    pub corners: Corners,
}

/// The pipelines used most recently.
pub(super) struct PacketPipelines {
    fallback: FallbackResources,
    pipelines: LruCache<PipelineKey, DrawPipeline, RandomState>,
}

impl PacketPipelines {
    pub(crate) fn new(target: Size) -> Self {
        let pipelines = LruCache::with_hasher(MAX_PIPELINES, RandomState::default());
        Self { fallback: FallbackResources::new(target), pipelines }
    }

    pub(crate) fn get(&mut self, key: &PipelineKey) -> Option<&DrawPipeline> {
        self.pipelines.get(key)
    }

    /// Makes the pipeline if it does not exist, and says whether it did; `at` is the draw that needs it.
    pub(crate) fn ensure(
        &mut self,
        gpu: &Gpu,
        key: PipelineKey,
        program: &Program,
        at: Location,
    ) -> Result<bool, GpuError> {
        if self.pipelines.contains(&key) {
            return Ok(false);
        }
        for (stride_bytes, _) in key.layout.attributes(program.inputs) {
            check_stride(gpu.record(), stride_bytes).map_err(|refusal| GpuError::Refusal { refusal, at })?;
        }
        let made = gpu.compile(|| {
            let repainted = match key.override_kind.fragment_override() {
                Some(fragment_override) => {
                    &program.with_fragment_override(fragment_override).map_err(|error| error.to_string())?
                }
                None => program,
            };
            make_pipeline(gpu, key.layout, key.override_kind, repainted, &mut self.fallback)
        });
        let made = made.map_err(LibraryError::of_guest_text).and_then(|made| made.map_err(LibraryError::GuestText));
        let pipeline = made.map_err(|error| GpuError::NotCompiled { what: "pipeline of the DRAW", at, error })?;
        self.pipelines.put(key, pipeline);
        Ok(true)
    }
}

fn make_pipeline(
    gpu: &Gpu,
    layout: FetchLayout,
    override_kind: OverrideKind,
    program: &Program,
    fallback: &mut FallbackResources,
) -> Result<DrawPipeline, String> {
    let attributes = layout.attributes(program.inputs);
    let buffers: Vec<Option<wgpu::VertexBufferLayout<'_>>> = attributes
        .iter()
        .map(|(stride, attributes)| {
            let step_mode = wgpu::VertexStepMode::Vertex;
            Some(wgpu::VertexBufferLayout { array_stride: *stride, step_mode, attributes })
        })
        .collect();
    let vertex = make_stage(gpu, &program.vertex)?;
    let fragment = make_stage(gpu, &program.fragment)?;
    let format = if override_kind == OverrideKind::CountWrites { OVERDRAW_FORMAT } else { TARGET_FORMAT };
    let write_mask = if program.writes_target() { wgpu::ColorWrites::ALL } else { wgpu::ColorWrites::empty() };
    let pipeline = gpu.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some("guest pipeline"),
        layout: None,
        vertex: wgpu::VertexState {
            module: &vertex,
            entry_point: Some(&program.vertex.entry_point),
            compilation_options: Default::default(),
            buffers: &buffers,
        },
        // The guest culls nothing.
        primitive: wgpu::PrimitiveState {
            topology: override_kind.topology(),
            cull_mode: override_kind.cull_mode(None),
            ..Default::default()
        },
        depth_stencil: None,
        multisample: wgpu::MultisampleState::default(),
        fragment: Some(wgpu::FragmentState {
            module: &fragment,
            entry_point: Some(&program.fragment.entry_point),
            compilation_options: Default::default(),
            targets: &[Some(wgpu::ColorTargetState { format, blend: override_kind.blend(), write_mask })],
        }),
        multiview_mask: None,
        cache: None,
    });
    let layout_of = |group| pipeline.get_bind_group_layout(group);
    let bind_groups = fallback.make_bind_groups(gpu, layout_of, &merged_bindings(program), None);
    let corners = match override_kind {
        OverrideKind::Edges => Corners::Edges,
        _ => Corners::for_flat_values(gpu, program.provoking),
    };
    Ok(DrawPipeline { pipeline, bind_groups, corners })
}

fn make_stage(gpu: &Gpu, stage: &StageModule) -> Result<wgpu::ShaderModule, String> {
    make_shader_module(gpu, &stage.entry_point, &stage.module)
}
