//! Translated shaders, kept by what they are translated from.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use super::draw_options::bound_resources;
use super::memo::Memo;
use super::not_compiled::{blamed, bug, refused};
use super::own_shaders::OwnShader;
use super::stages::Stage;
use crate::command::Location;
use crate::error::{Classified, Internal};
use crate::gpu::device::{Gpu, Unsettled};
use crate::gpu::error::{GpuError, LibraryError};
use crate::gpu::shader_modules::make_shader_module;
use crate::limits::MAX_PIPELINES;
use crate::replay::device_rules::{check_compute, check_draw, values_given};
use crate::replay::{DispatchState, DrawState, ShaderSlots};
use crate::shader::d3d::{
    DrawOptions, ENTRY_POINT, PIXEL_GROUP, SampledAs, SlotSet, StageBinding, StageBindingKind, StageResources,
    TextureDimension, TranslatedDraw, TranslatedStage, translate_compute, translate_draw,
};
use crate::shader::{Paint, guarded, surviving_paint};

/// The vertex stage of vertices without shaders.
const VERTEX_BY_STRIDE: &str = "vertex_main";

/// What a pair of shaders is translated from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct ProgramSource {
    /// SHA-256 of the vertex shader's bytecode; without one, the stride that says what vertices are.
    vertex: Result<[u8; 32], u32>,
    pixel: Option<[u8; 32]>,
    options: DrawOptions,
}

/// Both stages of a draw.
pub(super) struct DrawProgram {
    /// Programs with the same number are the same.
    pub number: u32,
    pub vertex: Stage,
    pub pixel: Option<Stage>,
    /// The registers that the vertex stage reads.
    pub inputs: SlotSet,
    /// The colour targets that the pixel stage writes.
    pub outputs: SlotSet,
    /// Whether the pixel stage reads values of one corner of each triangle.
    pub has_flat_values: bool,
    /// Whether the vertex stage makes the corners of points that have a size.
    pub has_sized_points: bool,
    /// Values that the vertex stage gives the pixel stage.
    pub stage_values: u64,
    pub layout: wgpu::PipelineLayout,
}

impl DrawProgram {
    /// Number of bind groups.
    pub(super) fn group_count(&self) -> usize {
        if self.pixel.is_some() { PIXEL_GROUP as usize + 1 } else { 1 }
    }
}

/// A compute shader.
pub(super) struct ComputeProgram {
    pub stage: Stage,
    pub pipeline: wgpu::ComputePipeline,
    /// Threads of a group along each axis.
    pub threads: [u32; 3],
}

/// Programs used most recently. Shaders of equal bytecode are one, whatever their handles.
pub(super) struct Programs {
    draws: Memo<ProgramSource, Arc<DrawProgram>>,
    /// By SHA-256 of the bytecode, and what that leaves open.
    computes: Memo<([u8; 32], StageResources), Arc<ComputeProgram>>,
}

impl Default for Programs {
    fn default() -> Self {
        Self { draws: Memo::of_at_most(MAX_PIPELINES), computes: Memo::of_at_most(MAX_PIPELINES) }
    }
}

impl Programs {
    /// Number of programs that were evicted so far.
    pub(super) fn let_go(&self) -> u64 {
        self.draws.let_go() + self.computes.let_go()
    }

    /// The program of a draw, which any thread may ask for; each may [help](Memo::get_or_make) others.
    pub(super) fn get(
        &self,
        gpu: &Gpu,
        state: &DrawState,
        options: DrawOptions,
        at: Location,
        help: impl Fn() -> bool,
    ) -> Result<Arc<DrawProgram>, GpuError> {
        let source = ProgramSource::of(state, options)?;
        let make = || {
            let MadeProgram { made, translated } = made_program(gpu, state, &source, at)?;
            let stages = translated.iter().flat_map(|draw| [Some(&draw.vertex), draw.pixel.as_ref()]).flatten();
            let made = made
                .and_then(Unsettled::settled)
                .map_err(|error| refused(gpu, error, ("shaders of the draw", at)))
                .and_then(|made| made.map_err(|message| bug(at, &message)));
            made.map_err(|error| blamed(error, stages, at))
        };
        self.draws.get_or_make(&source, make, help)
    }

    /// The program that is made from this, if it is made.
    pub(super) fn known(&self, source: &ProgramSource) -> Option<Arc<DrawProgram>> {
        self.draws.get(source)
    }

    /// Keeps a program that the library has taken.
    pub(super) fn put(&self, source: ProgramSource, made: Arc<DrawProgram>) {
        self.draws.put(source, made);
    }
}

impl ProgramSource {
    /// Source of a draw's program.
    pub(super) fn of(state: &DrawState, options: DrawOptions) -> Result<Self, GpuError> {
        let vertex = state.vertex.as_ref().map(slots_of).transpose()?;
        let pixel = state.pixel.as_ref().map(slots_of).transpose()?;
        let vertex = vertex.map(|slots| slots.digest).ok_or(stride_of(state));
        Ok(Self { vertex, pixel: pixel.map(|slots| slots.digest), options })
    }
}

/// A program of which the library has yet to say whether it refuses it; `Err` where a module could not be made.
pub(super) type UnsettledProgram = Unsettled<Result<Arc<DrawProgram>, String>>;

/// A program as it was made.
pub(super) struct MadeProgram {
    pub made: Result<UnsettledProgram, LibraryError>,
    /// Nothing of vertices without shaders.
    translated: Option<TranslatedDraw>,
}

/// Makes a program, which is kept by whoever puts it.
pub(super) fn made_program(
    gpu: &Gpu,
    state: &DrawState,
    source: &ProgramSource,
    at: Location,
) -> Result<MadeProgram, GpuError> {
    let has_sized_points = source.options.points.is_some();
    let made = |program| Arc::new(DrawProgram { has_sized_points, ..program });
    let (vertex, pixel) = (state.vertex.as_ref(), state.pixel.as_ref());
    match (vertex.map(slots_of).transpose()?, pixel.map(slots_of).transpose()?) {
        (Some(vertex), pixel) => {
            let translated = translated(gpu, (vertex, pixel), &source.options, at)?;
            let program = gpu.compile_unsettled(|| draw_program(gpu, &translated).map(made));
            Ok(MadeProgram { made: program, translated: Some(translated) })
        }
        (None, _) => {
            let program = gpu.compile_unsettled(|| Ok(made(by_stride(gpu, stride_of(state)))));
            Ok(MadeProgram { made: program, translated: None })
        }
    }
}

impl Programs {
    /// The pixel stage of a draw that gives paint where the guest's gives anything; nothing without shaders.
    pub(super) fn survivors(
        &self,
        gpu: &Gpu,
        state: &DrawState,
        options: &DrawOptions,
        paint: Paint,
        at: Location,
    ) -> Result<Option<wgpu::ShaderModule>, GpuError> {
        // silent: what draws without shaders discards nothing
        let (Some(vertex), Some(pixel)) = (&state.vertex, &state.pixel) else { return Ok(None) };
        let (vertex, pixel) = (slots_of(vertex)?, slots_of(pixel)?);
        // Paint is blended with no second colour.
        let options = DrawOptions { has_second_color: false, ..options.clone() };
        let translated = translate_draw(&vertex.decoded, Some(&pixel.decoded), &options);
        let translated =
            translated.map_err(|error| GpuError::Shader { at, kind: error.kind(), message: error.to_string() })?;
        // silent: without a pixel stage nothing is discarded
        let Some(pixel) = translated.pixel else { return Ok(None) };
        let made = surviving_paint(&pixel.module, ENTRY_POINT, paint)
            .and_then(|module| guarded(|| make_shader_module(gpu, "surviving pixels", &module))?);
        made.map(Some).map_err(|message| bug(at, &message))
    }

    /// The vertex stage of a draw, and the name of its entry point.
    pub(super) fn vertex_module(
        &self,
        state: &DrawState,
        options: &DrawOptions,
        at: Location,
    ) -> Result<(naga::Module, &'static str), GpuError> {
        let Some(vertex) = &state.vertex else {
            let parsed = shader_by_stride(stride_of(state)).0.parsed();
            return parsed.map(|module| (module, VERTEX_BY_STRIDE)).map_err(|message| bug(at, &message));
        };
        let pixel = state.pixel.as_ref().map(slots_of).transpose()?;
        let translated = translate_draw(&slots_of(vertex)?.decoded, pixel.map(|slots| slots.decoded.as_ref()), options);
        let translated =
            translated.map_err(|error| GpuError::Shader { at, kind: error.kind(), message: error.to_string() })?;
        Ok((translated.vertex.module, ENTRY_POINT))
    }

    /// The program of a dispatch, and whether it was just made.
    pub(super) fn compute(
        &self,
        gpu: &Gpu,
        state: &DispatchState,
        at: Location,
    ) -> Result<(Arc<ComputeProgram>, bool), GpuError> {
        let slots = slots_of(&state.shader)?;
        let resources = bound_resources(&state.bindings, gpu.record());
        let mut is_made = false;
        let make = || {
            is_made = true;
            let translated = translate_compute(&slots.decoded, &resources).map_err(|error| GpuError::Shader {
                at,
                kind: error.kind(),
                message: error.to_string(),
            })?;
            let threads = translated.module.entry_points.first().map_or([1; 3], |entry| entry.workgroup_size);
            check_compute(gpu.record(), &translated).map_err(|refusal| GpuError::Refusal { refusal, at })?;
            let made = gpu.compile(|| compute_program(gpu, &translated, threads));
            let made = made
                .map_err(|error| refused(gpu, error, ("shader of the dispatch", at)))
                .and_then(|made| made.map_err(|message| bug(at, &message)))
                .map_err(|error| blamed(error, [&translated], at))?;
            Ok::<_, GpuError>(Arc::new(made))
        };
        let program = self.computes.get_or_make(&(slots.digest, resources.clone()), make, || false)?;
        Ok((program, is_made))
    }
}

fn compute_program(gpu: &Gpu, translated: &TranslatedStage, threads: [u32; 3]) -> Result<ComputeProgram, String> {
    let stage = stage(gpu, translated, wgpu::ShaderStages::COMPUTE)?;
    let layout = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: None,
        bind_group_layouts: &[Some(&stage.layout)],
        immediate_size: 0,
    });
    let pipeline = gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: Some(&layout),
        module: &stage.module,
        entry_point: Some(stage.entry_point),
        // The translated shader does it itself.
        compilation_options: wgpu::PipelineCompilationOptions {
            zero_initialize_workgroup_memory: false,
            ..Default::default()
        },
        cache: None,
    });
    Ok(ComputeProgram { stage, pipeline, threads })
}

/// What a shader names, which was checked before.
pub(super) fn slots_of(shader: &Arc<crate::replay::Shader>) -> Result<&ShaderSlots, GpuError> {
    let unusable = Internal::new("a checked shader cannot be used");
    Ok(shader.program.as_ref().map_err(|_| unusable)?)
}

fn translated(
    gpu: &Gpu,
    (vertex, pixel): (&ShaderSlots, Option<&ShaderSlots>),
    options: &DrawOptions,
    at: Location,
) -> Result<TranslatedDraw, GpuError> {
    let translated = translate_draw(&vertex.decoded, pixel.map(|slots| slots.decoded.as_ref()), options);
    let translated =
        translated.map_err(|error| GpuError::Shader { at, kind: error.kind(), message: error.to_string() })?;
    check_draw(gpu.record(), &translated).map_err(|refusal| GpuError::Refusal { refusal, at })?;
    Ok(translated)
}

/// Whether a module's entry point is given values that are the same all over a triangle.
fn has_flat_values(module: &naga::Module) -> bool {
    let entries = module.entry_points.iter().flat_map(|entry| &entry.function.arguments);
    entries.into_iter().any(|argument| {
        matches!(
            &argument.binding,
            Some(naga::Binding::Location { interpolation: Some(naga::Interpolation::Flat), .. })
        )
    })
}

fn draw_program(gpu: &Gpu, translated: &TranslatedDraw) -> Result<DrawProgram, String> {
    let inputs = translated.vertex.inputs;
    let outputs = translated.pixel.as_ref().map_or(SlotSet::default(), |stage| stage.outputs);
    let vertex = stage(gpu, &translated.vertex, wgpu::ShaderStages::VERTEX)?;
    let pixel = translated.pixel.as_ref().map(|made| stage(gpu, made, wgpu::ShaderStages::FRAGMENT)).transpose()?;
    let has_flat_values = translated.pixel.as_ref().is_some_and(|stage| has_flat_values(&stage.module));
    let stage_values = values_given(&translated.vertex.module);
    Ok(DrawProgram { has_flat_values, stage_values, ..program(gpu, vertex, pixel, (inputs, outputs)) })
}

fn program(gpu: &Gpu, vertex: Stage, pixel: Option<Stage>, (inputs, outputs): (SlotSet, SlotSet)) -> DrawProgram {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let groups = [Some(&vertex.layout), pixel.as_ref().map(|stage| &stage.layout)];
    let count = if groups.iter().all(Option::is_some) { PIXEL_GROUP as usize + 1 } else { 1 };
    let layout = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: None,
        bind_group_layouts: groups.get(..count).unwrap_or(&groups),
        immediate_size: 0,
    });
    let (has_flat_values, has_sized_points, stage_values) = (false, false, 1);
    DrawProgram { number, vertex, pixel, inputs, outputs, has_flat_values, has_sized_points, stage_values, layout }
}

fn stage(gpu: &Gpu, translated: &TranslatedStage, visibility: wgpu::ShaderStages) -> Result<Stage, String> {
    let module = make_shader_module(gpu, "guest shader", &translated.module)?;
    let uses = (translated.bindings.as_slice(), translated.parameters.clone());
    Ok(Stage::new(gpu, (module, ENTRY_POINT), uses, visibility))
}

/// The stride that says what vertices without shaders are.
fn stride_of(state: &DrawState) -> u32 {
    state.inputs.first().map_or(0, |input| input.stride_bytes)
}

/// What vertices without shaders are drawn with, and whether it reads a texture.
const fn shader_by_stride(stride: u32) -> (OwnShader, bool) {
    match stride {
        20 => (OwnShader::Stride20, true),
        24 => (OwnShader::Stride24, false),
        _ => (OwnShader::Stride28, false),
    }
}

/// The program of vertices without shaders, by their stride.
fn by_stride(gpu: &Gpu, stride: u32) -> DrawProgram {
    let (shader, has_texture) = shader_by_stride(stride);
    let module = shader.module(gpu);
    let (dimension, sampled_as) = (TextureDimension::D2, SampledAs::Float);
    let texture = StageBindingKind::Texture { slot: 0, dimension, sampled_as, pair: 0 };
    let sampler = StageBindingKind::Sampler { slot: 0, is_comparison: false };
    let bindings = [texture, sampler].into_iter().zip(0..).map(|(kind, binding)| StageBinding { binding, kind });
    let bindings: Vec<StageBinding> = bindings.filter(|_| has_texture).collect();
    let stage = |bindings: &[StageBinding], visibility, entry_point| {
        Stage::new(gpu, (module.clone(), entry_point), (bindings, None), visibility)
    };
    let vertex = stage(&[], wgpu::ShaderStages::VERTEX, VERTEX_BY_STRIDE);
    let pixel = stage(&bindings, wgpu::ShaderStages::FRAGMENT, "pixel_main");
    program(gpu, vertex, Some(pixel), ([0, 1].into_iter().collect(), [0].into_iter().collect()))
}
