//! The shaders that are ours, in `shaders/`.

use crate::gpu::device::Gpu;

/// One of them.
#[derive(Clone, Copy, Debug)]
pub(super) enum OwnShader {
    /// Copies bytes that begin anywhere.
    CopyBytes,
    /// Gathers elements that lie anywhere.
    GatherElements,
    /// The same in the order of indices.
    GatherIndexed,
    /// Fills a rectangle.
    Fill,
    /// Shows a texture.
    Show,
    /// Shows depth.
    ShowDepth,
    /// Shows the depth of a layer of an array.
    ShowLayerDepth,
    /// Shows where stencil has a bit.
    ShowStencil,
    /// The pixel stage of draws that have none.
    Nothing,
    /// A pixel stage that gives white.
    White,
    /// A pixel stage that gives the number of the primitive, counted from 1, as four bytes of a unorm target.
    PrimitiveNumber,
    /// A pixel stage that gives the words it is given.
    Words,
    /// Both stages of draws that have none, for vertices of 20 bytes.
    Stride20,
    /// The same of 24.
    Stride24,
    /// The same of 28.
    Stride28,
}

impl OwnShader {
    /// Makes its module.
    pub(super) fn module(self, gpu: &Gpu) -> wgpu::ShaderModule {
        let (label, text) = self.text();
        let source = wgpu::ShaderSource::Wgsl(text.into());
        gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor { label: Some(label), source })
    }

    /// What its text says. `Err` is the compiler's message.
    pub(super) fn parsed(self) -> Result<naga::Module, String> {
        naga::front::wgsl::parse_str(self.text().1).map_err(|error| error.message().to_owned())
    }

    /// Its name, and its text in WGSL.
    const fn text(self) -> (&'static str, &'static str) {
        match self {
            Self::CopyBytes => ("copy bytes", include_str!("../../../shaders/copy_bytes.wgsl")),
            Self::GatherElements => (
                "gather elements",
                concat!(
                    include_str!("../../../shaders/gather_elements.wgsl"),
                    include_str!("../../../shaders/element_bytes.wgsl")
                ),
            ),
            Self::GatherIndexed => (
                "gather indexed",
                concat!(
                    include_str!("../../../shaders/gather_indexed.wgsl"),
                    include_str!("../../../shaders/element_bytes.wgsl")
                ),
            ),
            Self::Fill => ("fill", include_str!("../../../shaders/fill.wgsl")),
            Self::Show => ("show", include_str!("../../../shaders/show.wgsl")),
            Self::ShowDepth => (
                "show depth",
                concat!(
                    include_str!("../../../shaders/depth_of_texture.wgsl"),
                    include_str!("../../../shaders/show_depth.wgsl")
                ),
            ),
            Self::ShowLayerDepth => (
                "show depth of a layer",
                concat!(
                    include_str!("../../../shaders/depth_of_layer.wgsl"),
                    include_str!("../../../shaders/show_depth.wgsl")
                ),
            ),
            Self::ShowStencil => ("show stencil", include_str!("../../../shaders/show_stencil.wgsl")),
            // WebGL2 wants a value for each target, though none is written.
            Self::Nothing => ("no pixel shader", "@fragment fn nothing() -> @location(0) vec4f { return vec4f(0.0); }"),
            Self::White => ("white", "@fragment fn white() -> @location(0) vec4f { return vec4f(1.0); }"),
            Self::PrimitiveNumber => (
                "primitive number",
                "enable primitive_index;\n@fragment fn primitive_number(@builtin(primitive_index) number: u32) -> @location(0) vec4f {\n  return unpack4x8unorm(number + 1u);\n}",
            ),
            Self::Words => (
                "words",
                "@fragment fn words(@location(0) @interpolate(flat) words: vec4u) -> @location(0) vec4u { return words; }",
            ),
            Self::Stride20 => ("vertices of 20 bytes", include_str!("../../../shaders/stride20.wgsl")),
            Self::Stride24 => ("vertices of 24 bytes", include_str!("../../../shaders/stride24.wgsl")),
            Self::Stride28 => ("vertices of 28 bytes", include_str!("../../../shaders/stride28.wgsl")),
        }
    }
}
