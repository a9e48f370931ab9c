//! Stages of a draw or dispatch: what their shaders need and a device may lack.

use naga::{
    AddressSpace, Binding, BuiltIn, Expression, Function, FunctionArgument, ImageClass, ImageQuery, Interpolation,
    MathFunction, Module, ShaderStage, TypeInner,
};

use super::device::Device;
use super::refusal::Refusal;
use crate::shader::d3d::{StageBindingKind, TranslatedDraw, TranslatedStage};

/// Refuses a draw whose shaders the device cannot run.
pub fn check_draw(device: &Device, translated: &TranslatedDraw) -> Result<(), Refusal> {
    let features = &device.features;
    let pixel = translated.pixel.as_ref();
    let reads_numbers = pixel.is_some_and(|stage| is_given(&stage.module, BuiltIn::PrimitiveIndex));
    let tests_early = pixel.is_some_and(|stage| tests_early(&stage.module));
    Refusal::without(features.primitive_index || !reads_numbers, "SV_PrimitiveID", "PRIMITIVE_INDEX")?;
    let what = "forceEarlyDepthStencil in a pixel shader that discards, writes buffers or gives depth";
    Refusal::without(features.early_tests || !tests_early, what, "SHADER_EARLY_DEPTH_TEST")?;
    let is_cut =
        given(&translated.vertex.module).any(|(binding, _)| binding == &Binding::BuiltIn(BuiltIn::ClipDistances));
    Refusal::without(features.clip_distances || !is_cut, "SV_ClipDistance", "CLIP_DISTANCES")?;
    check_language(device, "vertex", &translated.vertex.module)?;
    check_uses(device, "vertex", &translated.vertex)?;
    check_elements(device, &translated.vertex)?;
    if let Some(pixel) = pixel {
        check_language(device, "pixel", &pixel.module)?;
        check_uses(device, "pixel", pixel)?;
        check_uses_together(device, [&translated.vertex, pixel])?;
        let values = values_taken(&pixel.module);
        Refusal::above(
            "the number of values that the pixel shader is given",
            values,
            u64::from(device.max_stage_values),
        )?;
    }
    check_values_given(device, values_given(&translated.vertex.module), Points::No)
}

/// Whether a draw's vertices form points, each of which takes one value more between the stages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Points {
    /// They do.
    Yes,
    /// They do not.
    No,
}

/// Refuses a vertex stage that gives more values than the device has between the stages.
pub fn check_values_given(device: &Device, values: u64, points: Points) -> Result<(), Refusal> {
    let what = "the number of values that the vertex shader gives the pixel shader";
    Refusal::above(what, values + u64::from(points == Points::Yes), u64::from(device.max_stage_values))
}

/// Refuses a dispatch whose shader the device cannot run.
pub fn check_compute(device: &Device, translated: &TranslatedStage) -> Result<(), Refusal> {
    let threads = translated.module.entry_points.first().map_or([1; 3], |entry| entry.workgroup_size);
    for ((threads, most), axis) in threads.iter().zip(device.max_group_threads_by_axis).zip(["x", "y", "z"]) {
        let what = format!("the number of threads of a group along {axis}");
        Refusal::above(what, u64::from(*threads), u64::from(most))?;
    }
    let all = threads.into_iter().map(u64::from).product();
    Refusal::above("the number of threads of a group", all, u64::from(device.max_group_threads))?;
    let memory = group_memory_bytes(&translated.module);
    let what = "the size in bytes of a thread group's shared memory";
    Refusal::above(what, memory, u64::from(device.max_group_memory_bytes))?;
    check_uses(device, "compute", translated)
}

/// Refuses a stage that the device's shading language has no words for.
fn check_language(device: &Device, stage: &'static str, module: &Module) -> Result<(), Refusal> {
    let has_all = device.features.opengl_es_31 && device.features.loaded_depth;
    if has_all {
        return Ok(());
    }
    let functions = module.functions.iter().map(|(_, function)| function);
    let functions: Vec<_> = functions.chain(module.entry_points.iter().map(|entry| &entry.function)).collect();
    let is_later = |expression: &Expression| match expression {
        Expression::ImageQuery { query, .. } => matches!(query, ImageQuery::NumLevels | ImageQuery::NumSamples),
        Expression::ImageSample { gather, .. } => gather.is_some(),
        Expression::Math { fun, .. } => matches!(fun, MathFunction::ReverseBits),
        _ => false,
    };
    let is_linear =
        |binding: &Binding| matches!(binding, Binding::Location { interpolation: Some(Interpolation::Linear), .. });
    let has_depth = module.global_variables.iter().any(|(_, variable)| {
        let ty = module.types.get_handle(variable.ty).map(|ty| &ty.inner);
        matches!(ty, Ok(TypeInner::Image { class: ImageClass::Depth { .. }, .. }))
    });
    let loads = |function: &Function| {
        function.expressions.iter().any(|(_, found)| matches!(found, Expression::ImageLoad { .. }))
    };
    let loads_depth = has_depth && functions.iter().any(|function| loads(function));
    let what = match stage {
        "vertex" => "a vertex shader that loads texels of depth",
        _ => "a pixel shader that loads texels of depth",
    };
    Refusal::without(device.features.loaded_depth || !loads_depth, what, "texel loads of depth")?;
    let is_written = functions.iter().all(|function| !function.expressions.iter().any(|(_, found)| is_later(found)));
    let is_written =
        device.features.opengl_es_31 || is_written && !given(module).any(|(binding, _)| is_linear(binding));
    let what = match stage {
        "vertex" => {
            "a vertex shader that asks for numbers of samples, gathers texels, reverses bits or ignores perspective"
        }
        _ => "a pixel shader that asks for numbers of samples, gathers texels, reverses bits or ignores perspective",
    };
    Refusal::without(is_written, what, "OpenGL ES 3.1")
}

/// Refuses a stage that uses more than the device binds at one time.
fn check_uses(device: &Device, stage: &'static str, translated: &TranslatedStage) -> Result<(), Refusal> {
    let (mut textures, mut samplers, mut storage, mut uniforms) = (0_u64, 0_u64, 0_u64, 0_u64);
    for binding in &translated.bindings {
        match binding.kind {
            StageBindingKind::Texture { .. } | StageBindingKind::StorageTexture { .. } => textures += 1,
            StageBindingKind::Sampler { .. } => samplers += 1,
            StageBindingKind::ResourceBuffer { .. }
            | StageBindingKind::UnorderedBuffer { .. }
            | StageBindingKind::Counter { .. } => storage += 1,
            StageBindingKind::ConstantBuffer { size_bytes, .. } | StageBindingKind::LegacyConstants { size_bytes } => {
                uniforms += 1;
                let what = format!("the size in bytes of a constant buffer of the {stage} shader");
                Refusal::above(what, u64::from(size_bytes), device.max_uniform_binding_bytes)?;
            }
        }
    }
    uniforms += u64::from(translated.parameters.is_some());
    for (what, found, limit) in [
        ("textures", textures, device.max_textures_per_stage),
        ("samplers", samplers, device.max_samplers_per_stage),
        ("buffers, with counters,", storage, device.max_storage_buffers_per_stage),
        ("constant buffers, with one of this program's own,", uniforms, device.max_uniform_buffers_per_stage),
    ] {
        let what = format!("the number of {what} that the {stage} shader uses");
        Refusal::above(what, found, u64::from(limit))?;
    }
    Ok(())
}

/// Refuses a draw whose stages together use more than the device binds at one time.
fn check_uses_together(device: &Device, stages: [&TranslatedStage; 2]) -> Result<(), Refusal> {
    let kinds = || stages.into_iter().flat_map(|stage| &stage.bindings).map(|binding| binding.kind);
    let textures = kinds().filter(|kind| matches!(kind, StageBindingKind::Texture { .. })).count() as u64;
    let samplers = kinds().filter(|kind| matches!(kind, StageBindingKind::Sampler { .. })).count() as u64;
    for (what, found, limit) in
        [("textures", textures, device.max_textures_per_draw), ("samplers", samplers, device.max_samplers_per_draw)]
    {
        let what = format!("the number of {what} that the vertex and pixel shaders use together");
        Refusal::above(what, found, u64::from(limit))?;
    }
    Ok(())
}

/// Refuses a vertex stage whose elements have locations that the device lacks.
fn check_elements(device: &Device, vertex: &TranslatedStage) -> Result<(), Refusal> {
    let most = u64::from(device.max_vertex_elements);
    let end = vertex.inputs.iter().last().map_or(0, |last| u64::from(last) + 1);
    Refusal::above("the number of input registers up to the last that the vertex shader reads", end, most)
}

/// Values that a vertex stage gives, with those that clip distances take.
pub fn values_given(module: &Module) -> u64 {
    let values = given(module).map(|(binding, ty)| match (binding, ty) {
        (Binding::Location { .. }, _) => 1,
        (Binding::BuiltIn(BuiltIn::ClipDistances), TypeInner::Array { size: naga::ArraySize::Constant(count), .. }) => {
            u64::from(count.get().div_ceil(4))
        }
        _ => 0,
    });
    values.sum()
}

/// Members of the results of a module's entry points.
fn given(module: &Module) -> impl Iterator<Item = (&Binding, &TypeInner)> {
    let results = module.entry_points.iter().filter_map(|entry| entry.function.result.as_ref());
    let members = results.filter_map(|result| match module.types.get_handle(result.ty).map(|ty| &ty.inner) {
        Ok(TypeInner::Struct { members, .. }) => Some(members),
        _ => None,
    });
    members.flatten().filter_map(|member| {
        // silent: a type of the module's own is in the module
        let ty = module.types.get_handle(member.ty).ok()?;
        Some((member.binding.as_ref()?, &ty.inner))
    })
}

fn arguments(module: &Module) -> impl Iterator<Item = &FunctionArgument> {
    module.entry_points.iter().flat_map(|entry| &entry.function.arguments)
}

/// Values that a pixel stage is given, with those of the pipeline that count.
fn values_taken(module: &Module) -> u64 {
    let counts = |argument: &FunctionArgument| match argument.binding {
        Some(Binding::Location { .. }) => true,
        Some(Binding::BuiltIn(built_in)) => {
            matches!(
                built_in,
                BuiltIn::FrontFacing | BuiltIn::SampleIndex | BuiltIn::SampleMask | BuiltIn::PrimitiveIndex
            )
        }
        None => false,
    };
    arguments(module).filter(|argument| counts(argument)).count() as u64
}

/// Whether a module's entry point runs only where depth and stencil pass.
fn tests_early(module: &Module) -> bool {
    module.entry_points.iter().any(|entry| entry.early_depth_test.is_some())
}

/// Whether the pipeline gives this to the module's entry point.
fn is_given(module: &Module, wanted: BuiltIn) -> bool {
    arguments(module).any(|argument| argument.binding == Some(Binding::BuiltIn(wanted)))
}

/// Bytes of the memory that the threads of a group share.
fn group_memory_bytes(module: &Module) -> u64 {
    let is_compute = module.entry_points.iter().any(|entry| entry.stage == ShaderStage::Compute);
    let variables = module.global_variables.iter().map(|(_, variable)| variable);
    let shared = variables.filter(|variable| is_compute && variable.space == AddressSpace::WorkGroup);
    // silent: a type of the module's own is in the module
    let sizes = shared.filter_map(|variable| module.types.get_handle(variable.ty).ok());
    sizes.map(|ty| u64::from(ty.inner.size(module.to_ctx()))).sum()
}
