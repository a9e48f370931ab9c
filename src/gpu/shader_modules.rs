//! naga modules → wgpu's.

use std::borrow::Cow;

use super::device::Gpu;
use crate::shader::{gl_form, web_form, webgl_form};

/// Makes a module of the API's own, for one that means the same on each. `Err` is half a sentence.
pub(super) fn make_shader_module(gpu: &Gpu, label: &str, module: &naga::Module) -> Result<wgpu::ShaderModule, String> {
    let module = match (gpu.is_gl(), gpu.summary().is_browsers_own()) {
        // A browser looks into WebGL2's constants as it does into WebGPU's.
        (true, _) if cfg!(target_arch = "wasm32") => webgl_form(&gl_form(&web_form(module)?)?)?,
        (true, _) => gl_form(module)?,
        (false, true) => web_form(module)?,
        (false, false) => module.clone(),
    };
    let source = wgpu::ShaderSource::Naga(Cow::Owned(module));
    Ok(gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor { label: Some(label), source }))
}
