//! What shaders of Direct3D 10 and 11 ask for and a device has not: told before anything is made of them.

use foldhash::HashMap;
use naga::{BuiltIn, Expression};

use crate::command::Location;
use crate::gpu::device::Gpu;
use crate::gpu::error::GpuError;
use crate::shader::d3d::{TranslatedDraw, TranslatedStage};

/// Refuses a draw whose shaders the device cannot run.
pub(super) fn check_draw(gpu: &Gpu, translated: &TranslatedDraw, at: Location) -> Result<(), GpuError> {
    let has_numbers = gpu.device.features().contains(wgpu::Features::PRIMITIVE_INDEX);
    if !has_numbers && translated.pixel.as_ref().is_some_and(|stage| is_given(&stage.module, BuiltIn::PrimitiveIndex)) {
        let what = "SV_PrimitiveID, which this device doesn't tell,".into();
        return Err(GpuError::Unsupported { what, at });
    }
    let has_early_tests = gpu.device.features().contains(wgpu::Features::SHADER_EARLY_DEPTH_TEST);
    if !has_early_tests && translated.pixel.as_ref().is_some_and(|stage| tests_early(&stage.module)) {
        let what = "a pixel shader behind the tests of depth and stencil, which this device has not,".into();
        return Err(GpuError::Unsupported { what, at });
    }
    let mut stages = [Some(&translated.vertex), translated.pixel.as_ref()].into_iter().flatten();
    stages.try_for_each(|stage| check_samplers(gpu, stage, at))
}

/// Refuses a dispatch whose shader the device cannot run, in groups of so many threads.
pub(super) fn check_dispatch(
    gpu: &Gpu,
    translated: &TranslatedStage,
    threads: [u32; 3],
    at: Location,
) -> Result<(), GpuError> {
    check_group(gpu, threads, at)?;
    check_samplers(gpu, translated, at)
}

/// A device may have less than Direct3D's groups need.
fn check_group(gpu: &Gpu, threads: [u32; 3], at: Location) -> Result<(), GpuError> {
    let limits = gpu.device.limits();
    let axes =
        [limits.max_compute_workgroup_size_x, limits.max_compute_workgroup_size_y, limits.max_compute_workgroup_size_z];
    let fits = threads.iter().zip(axes).all(|(threads, most)| *threads <= most);
    if fits && threads.iter().product::<u32>() <= limits.max_compute_invocations_per_workgroup {
        return Ok(());
    }
    let [x, y, z] = threads;
    let what = format!("a group of {x} × {y} × {z} threads, more than this device has,").into();
    Err(GpuError::Unsupported { what, at })
}

/// On GL a texture and its sampler are one.
fn check_samplers(gpu: &Gpu, stage: &TranslatedStage, at: Location) -> Result<(), GpuError> {
    match gpu.is_gl() && has_texture_of_two_samplers(&stage.module) {
        true => Err(GpuError::Unsupported {
            what: "a texture that is read through two samplers, which GL has not,".into(),
            at,
        }),
        false => Ok(()),
    }
}

/// Whether a module's entry point samples some texture through more than one sampler.
fn has_texture_of_two_samplers(module: &naga::Module) -> bool {
    let mut samplers = HashMap::default();
    module.entry_points.iter().any(|entry| {
        let variable = |handle| match entry.function.expressions.try_get(handle) {
            Ok(Expression::GlobalVariable(variable)) => Some(*variable),
            _ => None,
        };
        entry.function.expressions.iter().any(|(_, expression)| match *expression {
            Expression::ImageSample { image, sampler, .. } => {
                let (texture, sampler) = (variable(image), variable(sampler));
                *samplers.entry(texture).or_insert(sampler) != sampler
            }
            _ => false,
        })
    })
}

/// Whether a module's entry point runs only where depth and stencil pass.
fn tests_early(module: &naga::Module) -> bool {
    module.entry_points.iter().any(|entry| entry.early_depth_test.is_some())
}

/// Whether the pipeline gives this to the module's entry point.
fn is_given(module: &naga::Module, wanted: BuiltIn) -> bool {
    let entries = module.entry_points.iter().flat_map(|entry| &entry.function.arguments);
    entries.into_iter().any(|argument| argument.binding == Some(naga::Binding::BuiltIn(wanted)))
}
