//! Runs a case's compute shader.

use std::collections::BTreeMap;

use aerogpu_replay::gpu::Gpu;
use aerogpu_replay::shader::d3d::{ENTRY_POINT, translate_compute};

use super::case::{Case, number};
use super::stage::{Stage, resources};

/// Resources that the shader writes, by the names that cases call them.
pub fn dispatch(gpu: &Gpu, case: &Case) -> Result<BTreeMap<String, Vec<u8>>, String> {
    let program = case.program("cs").ok_or("the case has no compute shader")?;
    let translated = translate_compute(&program, &resources(case, "cs")).map_err(|error| error.to_string())?;
    let stage = Stage::new(gpu, case, "cs", &translated, wgpu::ShaderStages::COMPUTE)?;
    let device = &gpu.device;
    let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: None,
        bind_group_layouts: &[Some(&stage.layout)],
        immediate_size: 0,
    });
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: Some(&layout),
        module: &stage.module,
        entry_point: Some(ENTRY_POINT),
        compilation_options: Default::default(),
        cache: None,
    });
    let [x, y, z] = [0, 1, 2].map(|axis| number(&case.get("dispatch")[axis], 1));
    let mut encoder = device.create_command_encoder(&Default::default());
    let mut pass = encoder.begin_compute_pass(&Default::default());
    pass.set_pipeline(&pipeline);
    pass.set_bind_group(0, &stage.group, &[]);
    pass.dispatch_workgroups(x, y, z);
    drop(pass);
    gpu.queue.submit([encoder.finish()]);
    Ok(stage.read_written(gpu).into_iter().collect())
}
