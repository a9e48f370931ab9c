//! Render pipelines of draws.

use std::sync::OnceLock;

use super::formats::{stored_format, writes_alpha};
use super::memo::Memo;
use super::own_shaders::OwnShader;
use super::programs::DrawProgram;
use crate::command::{
    BlendEquation, BlendFactor, BlendOp, Comparison, CullMode, FillMode, Location, MOST_COLOR_TARGETS, TextureFormat,
    Topology,
};
use crate::gpu::device::{Gpu, Unsettled};
use crate::gpu::error::{GpuError, LibraryError};
use crate::limits::MAX_PIPELINES;
use crate::replay::device_rules::{Device, Points, Refusal, check_blending, check_values_given, check_vertex_buffers};
use crate::replay::{BlendEquations, ClipRange, DepthBias, DrawTargets, FixedState, StencilFace, StencilOp, Winding};

/// One vertex buffer as a pipeline sees it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct SlotLayout {
    pub stride_bytes: u64,
    pub step: wgpu::VertexStepMode,
    pub attributes: Vec<wgpu::VertexAttribute>,
}

impl SlotLayout {
    /// As the API wants it.
    pub(super) fn described(&self) -> Option<wgpu::VertexBufferLayout<'_>> {
        let Self { stride_bytes, step, attributes } = self;
        Some(wgpu::VertexBufferLayout { array_stride: *stride_bytes, step_mode: *step, attributes })
    }
}

/// What distinguishes two pipelines.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct PipelineKey {
    /// The program's number.
    pub program: u32,
    pub slots: Vec<SlotLayout>,
    pub fixed: FixedState,
    pub colors: [Option<TextureFormat>; MOST_COLOR_TARGETS],
    pub depth_stencil: Option<TextureFormat>,
    pub topology: wgpu::PrimitiveTopology,
    /// Of strips that are drawn by indices, their size.
    pub strip_index: Option<wgpu::IndexFormat>,
}

impl PipelineKey {
    /// The formats of targets.
    pub(super) fn formats(
        targets: &DrawTargets,
    ) -> ([Option<TextureFormat>; MOST_COLOR_TARGETS], Option<TextureFormat>) {
        let format = |target: Option<crate::replay::TargetView>| target.map(|target| target.format);
        (targets.colors.map(format), format(targets.depth_stencil))
    }
}

/// Pipelines used most recently.
pub(super) struct DrawPipelines {
    made: Memo<PipelineKey, wgpu::RenderPipeline>,
    /// A pixel stage that does nothing, for draws that have none.
    nothing: OnceLock<wgpu::ShaderModule>,
}

impl Default for DrawPipelines {
    fn default() -> Self {
        Self { made: Memo::of_at_most(MAX_PIPELINES), nothing: OnceLock::new() }
    }
}

impl DrawPipelines {
    /// Number of pipelines that were evicted so far.
    pub(super) fn let_go(&self) -> u64 {
        self.made.let_go()
    }

    /// Whether the pipeline is made.
    pub(super) fn has(&self, key: &PipelineKey) -> bool {
        self.made.get(key).is_some()
    }

    /// The pipeline of a draw at `at`, which any thread may ask for; each may [help](Memo::get_or_make) others.
    pub(super) fn get(
        &self,
        gpu: &Gpu,
        key: &PipelineKey,
        program: &DrawProgram,
        at: Location,
        help: impl Fn() -> bool,
    ) -> Result<wgpu::RenderPipeline, GpuError> {
        let make = || {
            let refused = |error| GpuError::NotCompiled { what: "pipeline of the draw", at, error };
            let made = self.unsettled(gpu, key, program, at)?.and_then(Unsettled::settled);
            made.map_err(|error| gpu.lost().unwrap_or_else(|| refused(error)))
        };
        self.made.get_or_make(key, make, help)
    }

    /// A pipeline that is kept by whoever [puts](Self::put) it, once the library has taken it.
    pub(super) fn unsettled(
        &self,
        gpu: &Gpu,
        key: &PipelineKey,
        program: &DrawProgram,
        at: Location,
    ) -> Result<Result<Unsettled<wgpu::RenderPipeline>, LibraryError>, GpuError> {
        check(gpu.record(), key, program).map_err(|refusal| GpuError::Refusal { refusal, at })?;
        Ok(gpu.compile_unsettled(|| self.make(gpu, key, program)))
    }

    /// Keeps a pipeline that the library has taken.
    pub(super) fn put(&self, key: PipelineKey, made: wgpu::RenderPipeline) {
        self.made.put(key, made);
    }

    fn make(&self, gpu: &Gpu, key: &PipelineKey, program: &DrawProgram) -> wgpu::RenderPipeline {
        let slots: Vec<_> = key.slots.iter().map(SlotLayout::described).collect();
        let fixed = &key.fixed;
        let mut targets = color_targets(gpu.record(), key, program);
        while targets.last().is_some_and(Option::is_none) {
            targets.pop();
        }
        let compilation_options = wgpu::PipelineCompilationOptions::default;
        let (module, entry_point) = match &program.pixel {
            Some(stage) => (stage.module.clone(), stage.entry_point),
            None => (self.nothing(gpu), "nothing"),
        };
        let fragment = wgpu::FragmentState {
            module: &module,
            entry_point: Some(entry_point),
            compilation_options: compilation_options(),
            targets: &targets,
        };
        gpu.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some("guest pipeline"),
            layout: Some(&program.layout),
            vertex: wgpu::VertexState {
                module: &program.vertex.module,
                entry_point: Some(program.vertex.entry_point),
                compilation_options: compilation_options(),
                buffers: &slots,
            },
            primitive: primitive(key),
            depth_stencil: key.depth_stencil.map(|format| depth_stencil(gpu, fixed, format)),
            multisample: wgpu::MultisampleState {
                count: 1,
                mask: u64::from(fixed.sample_mask),
                alpha_to_coverage_enabled: false,
            },
            fragment: Some(fragment),
            multiview_mask: None,
            cache: None,
        })
    }

    fn nothing(&self, gpu: &Gpu) -> wgpu::ShaderModule {
        self.nothing.get_or_init(|| OwnShader::Nothing.module(gpu)).clone()
    }
}

const NO_WRITES: wgpu::ColorWrites = wgpu::ColorWrites::empty();

/// Colour targets by their slots.
fn color_targets(device: &Device, key: &PipelineKey, program: &DrawProgram) -> Vec<Option<wgpu::ColorTargetState>> {
    let blend = key.fixed.blend.map(blend_state);
    let target = |(number, format): (u32, &Option<TextureFormat>)| {
        let format = (*format)?;
        let is_written = program.pixel.is_some() && program.outputs.contains(number);
        let mask = if is_written { write_mask(key.fixed.color_write_mask(number), format) } else { NO_WRITES };
        let blend = blend.filter(|_| mask != NO_WRITES);
        Some(wgpu::ColorTargetState { format: stored_format(device, format), blend, write_mask: mask })
    };
    (0..).zip(&key.colors).map(target).collect()
}

/// Refuses a pipeline that the device cannot have.
fn check(device: &Device, key: &PipelineKey, program: &DrawProgram) -> Result<(), Refusal> {
    check_vertex_buffers(device, key.slots.len(), program.group_count())?;
    if !device.features.independent_blending {
        let mut targets = color_targets(device, key, program).into_iter().flatten();
        let first = targets.next();
        let is_alike = |target: wgpu::ColorTargetState| {
            first.as_ref().is_none_or(|first| (first.blend, first.write_mask) == (target.blend, target.write_mask))
        };
        check_blending(device, targets.all(is_alike))?;
    }
    let points = match key.topology {
        wgpu::PrimitiveTopology::PointList => Points::Yes,
        _ => Points::No,
    };
    check_values_given(device, program.stage_values, points)
}

pub(super) fn primitive(key: &PipelineKey) -> wgpu::PrimitiveState {
    let raster = &key.fixed.raster;
    let is_triangles =
        matches!(key.topology, wgpu::PrimitiveTopology::TriangleList | wgpu::PrimitiveTopology::TriangleStrip);
    wgpu::PrimitiveState {
        topology: key.topology,
        strip_index_format: key.strip_index,
        front_face: match raster.front {
            Winding::Clockwise => wgpu::FrontFace::Cw,
            Winding::CounterClockwise => wgpu::FrontFace::Ccw,
        },
        cull_mode: match raster.cull {
            CullMode::None => None,
            CullMode::Front => Some(wgpu::Face::Front),
            CullMode::Back => Some(wgpu::Face::Back),
        },
        unclipped_depth: raster.depth_range == ClipRange::Clamp,
        polygon_mode: match raster.fill {
            FillMode::Wireframe if is_triangles => wgpu::PolygonMode::Line,
            FillMode::Point if is_triangles => wgpu::PolygonMode::Point,
            _ => wgpu::PolygonMode::Fill,
        },
        conservative: false,
    }
}

/// How a GPU takes what vertices form; nothing for what needs another stage. Fans are drawn as lists.
pub(super) const fn primitive_topology(topology: Topology) -> Option<wgpu::PrimitiveTopology> {
    Some(match topology {
        Topology::PointList => wgpu::PrimitiveTopology::PointList,
        Topology::LineList => wgpu::PrimitiveTopology::LineList,
        Topology::LineStrip => wgpu::PrimitiveTopology::LineStrip,
        Topology::TriangleList | Topology::TriangleFan => wgpu::PrimitiveTopology::TriangleList,
        Topology::TriangleStrip => wgpu::PrimitiveTopology::TriangleStrip,
        Topology::LineListAdjacency
        | Topology::LineStripAdjacency
        | Topology::TriangleListAdjacency
        | Topology::TriangleStripAdjacency
        | Topology::PatchList(_) => return None,
    })
}

pub(super) fn write_mask(mask: u8, format: TextureFormat) -> wgpu::ColorWrites {
    let mask = wgpu::ColorWrites::from_bits_truncate(u32::from(mask));
    if writes_alpha(format) { mask } else { mask & wgpu::ColorWrites::COLOR }
}

fn blend_state(blend: BlendEquations) -> wgpu::BlendState {
    let component = |equation: BlendEquation| wgpu::BlendComponent {
        src_factor: blend_factor(equation.src),
        dst_factor: blend_factor(equation.dst),
        operation: match equation.op {
            BlendOp::Add => wgpu::BlendOperation::Add,
            BlendOp::Subtract => wgpu::BlendOperation::Subtract,
            BlendOp::RevSubtract => wgpu::BlendOperation::ReverseSubtract,
            BlendOp::Min => wgpu::BlendOperation::Min,
            BlendOp::Max => wgpu::BlendOperation::Max,
        },
    };
    wgpu::BlendState { color: component(blend.color), alpha: component(blend.alpha) }
}

const fn blend_factor(factor: BlendFactor) -> wgpu::BlendFactor {
    match factor {
        BlendFactor::Zero => wgpu::BlendFactor::Zero,
        BlendFactor::One => wgpu::BlendFactor::One,
        BlendFactor::SrcAlpha => wgpu::BlendFactor::SrcAlpha,
        BlendFactor::InvSrcAlpha => wgpu::BlendFactor::OneMinusSrcAlpha,
        BlendFactor::DestAlpha => wgpu::BlendFactor::DstAlpha,
        BlendFactor::InvDestAlpha => wgpu::BlendFactor::OneMinusDstAlpha,
        BlendFactor::Constant => wgpu::BlendFactor::Constant,
        BlendFactor::InvConstant => wgpu::BlendFactor::OneMinusConstant,
        BlendFactor::SrcColor => wgpu::BlendFactor::Src,
        BlendFactor::InvSrcColor => wgpu::BlendFactor::OneMinusSrc,
        BlendFactor::DestColor => wgpu::BlendFactor::Dst,
        BlendFactor::InvDestColor => wgpu::BlendFactor::OneMinusDst,
        BlendFactor::SrcAlphaSat => wgpu::BlendFactor::SrcAlphaSaturated,
        BlendFactor::Src1Color => wgpu::BlendFactor::Src1,
        BlendFactor::InvSrc1Color => wgpu::BlendFactor::OneMinusSrc1,
        BlendFactor::Src1Alpha => wgpu::BlendFactor::Src1Alpha,
        BlendFactor::InvSrc1Alpha => wgpu::BlendFactor::OneMinusSrc1Alpha,
    }
}

pub(super) fn depth_stencil(gpu: &Gpu, fixed: &FixedState, format: TextureFormat) -> wgpu::DepthStencilState {
    // Steps of a depth of 24 bits; those of floats are as fine near 1.
    const STEPS: f32 = 16_777_216.0;
    let constant = match fixed.raster.depth_bias {
        DepthBias::Steps(steps) => steps,
        DepthBias::OfRange(part) => (part.get() * STEPS) as i32,
    };
    let stored = stored_format(gpu.record(), format);
    let is_doubled = gpu.has_twice_the_bias() && stored != wgpu::TextureFormat::Depth32Float;
    // A single step stays one.
    let constant = if is_doubled { constant.saturating_add(constant.signum()) / 2 } else { constant };
    let stencil = fixed.stencil.filter(|_| stored.has_stencil_aspect());
    wgpu::DepthStencilState {
        format: stored,
        depth_write_enabled: Some(fixed.depth.is_some_and(|test| test.writes)),
        depth_compare: Some(
            fixed.depth.map_or(wgpu::CompareFunction::Always, |test| compare_function(test.comparison)),
        ),
        stencil: stencil.map_or_else(wgpu::StencilState::default, |test| wgpu::StencilState {
            front: stencil_face(test.front),
            back: stencil_face(test.back),
            read_mask: u32::from(test.read_mask),
            write_mask: u32::from(test.write_mask),
        }),
        bias: wgpu::DepthBiasState { constant, slope_scale: fixed.raster.slope_depth_bias.get(), clamp: 0.0 },
    }
}

const fn compare_function(comparison: Comparison) -> wgpu::CompareFunction {
    match comparison {
        Comparison::Never => wgpu::CompareFunction::Never,
        Comparison::Less => wgpu::CompareFunction::Less,
        Comparison::Equal => wgpu::CompareFunction::Equal,
        Comparison::LessEqual => wgpu::CompareFunction::LessEqual,
        Comparison::Greater => wgpu::CompareFunction::Greater,
        Comparison::NotEqual => wgpu::CompareFunction::NotEqual,
        Comparison::GreaterEqual => wgpu::CompareFunction::GreaterEqual,
        Comparison::Always => wgpu::CompareFunction::Always,
    }
}

const fn stencil_face(face: StencilFace) -> wgpu::StencilFaceState {
    wgpu::StencilFaceState {
        compare: compare_function(face.comparison),
        fail_op: stencil_op(face.fail),
        depth_fail_op: stencil_op(face.depth_fail),
        pass_op: stencil_op(face.pass),
    }
}

const fn stencil_op(op: StencilOp) -> wgpu::StencilOperation {
    match op {
        StencilOp::Keep => wgpu::StencilOperation::Keep,
        StencilOp::Zero => wgpu::StencilOperation::Zero,
        StencilOp::Replace => wgpu::StencilOperation::Replace,
        StencilOp::IncrSat => wgpu::StencilOperation::IncrementClamp,
        StencilOp::DecrSat => wgpu::StencilOperation::DecrementClamp,
        StencilOp::Invert => wgpu::StencilOperation::Invert,
        StencilOp::Incr => wgpu::StencilOperation::IncrementWrap,
        StencilOp::Decr => wgpu::StencilOperation::DecrementWrap,
    }
}
