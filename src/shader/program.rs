//! A vertex and a fragment stage that fit each other and the command ABI.

use naga::ScalarKind;

use super::binding::{Binding, BindingKind};
use super::error::ShaderError;
use super::front_end_error::ShaderRemark;
use super::glsl::ProvokingVertex;
use super::stage::{StageModule, Varying};
use crate::limits::MAX_UNBOUND_BUFFER_BYTES;

/// A linked pair of stages.
#[derive(Clone, Debug)]
pub struct Program {
    /// The vertex stage.
    pub vertex: StageModule,
    /// The fragment stage.
    pub fragment: StageModule,
    /// Which of the ABI's attributes the vertex stage reads.
    pub inputs: VertexInputs,
    /// Which vertex of a triangle its flat varyings come from; `None` where it has none.
    pub provoking: Option<ProvokingVertex>,
    /// What was noticed in the texts and passed over.
    pub remarks: Vec<ShaderRemark>,
}

/// The two attributes that the reference ABI can feed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct VertexInputs {
    /// Location 0: 2 × f32.
    pub position: bool,
    /// Location 1: 4 × f32.
    pub color: bool,
}

impl Program {
    /// The resources that both stages use, to which the command ABI binds nothing.
    pub fn unbound_resources(&self) -> impl Iterator<Item = &Binding> {
        let bindings = self.vertex.bindings.iter().chain(&self.fragment.bindings);
        bindings.filter(|binding| binding.kind != BindingKind::TargetSize)
    }

    /// Whether the fragment stage writes the target at all.
    pub fn writes_target(&self) -> bool {
        self.fragment.outputs.iter().any(|output| output.location == 0)
    }
}

/// Joins two stages, checking each against the other and against what the ABI can feed.
pub fn link(vertex: StageModule, fragment: StageModule) -> Result<Program, ShaderError> {
    for input in &fragment.inputs {
        check_varying(input, &vertex, fragment.text_offset)?;
    }
    for stage in [&vertex, &fragment] {
        let unsupported = |kind| matches!(kind, BindingKind::Unsupported(_));
        if let Some(binding) = stage.bindings.iter().find(|binding| unsupported(binding.kind)) {
            let (found, offset) = (binding.to_string(), stage.text_offset);
            return Err(ShaderError::UnsupportedBinding { stage: stage.stage, found, offset });
        }
        check_buffers(stage)?;
    }
    let mut inputs = VertexInputs::default();
    for input in &vertex.inputs {
        match (input.location, input.io_type.kind) {
            (0, ScalarKind::Float) => inputs.position = true,
            (1, ScalarKind::Float) => inputs.color = true,
            _ => {
                let offset = vertex.text_offset;
                return Err(ShaderError::UnknownAttribute { found: input.to_string(), offset });
            }
        }
    }
    let provoking = fragment.inputs.iter().any(|input| input.is_flat).then_some(ProvokingVertex::First);
    Ok(Program { vertex, fragment, inputs, provoking, remarks: Vec::new() })
}

/// Refuses buffers that are larger than the zeros that there are.
fn check_buffers(stage: &StageModule) -> Result<(), ShaderError> {
    let mut buffers = stage.bindings.iter().filter_map(|binding| match binding.kind {
        BindingKind::Uniform { size_bytes } => Some(("uniform buffer's size in bytes", u64::from(size_bytes))),
        BindingKind::Storage { size_bytes } => Some(("storage buffer's size in bytes", u64::from(size_bytes))),
        _ => None,
    });
    let limit = MAX_UNBOUND_BUFFER_BYTES;
    match buffers.find(|(_, found)| *found > limit) {
        None => Ok(()),
        Some((what, found)) => {
            Err(ShaderError::OverLimit { stage: stage.stage, what, found, limit, offset: stage.text_offset })
        }
    }
}

fn check_varying(input: &Varying, vertex: &StageModule, offset: u64) -> Result<(), ShaderError> {
    let disagree = |found: String| ShaderError::StagesDisagree { wanted: input.to_string(), found, offset };
    let Some(output) = vertex.outputs.iter().find(|output| output.location == input.location) else {
        return Err(disagree("nothing there".to_owned()));
    };
    let fits = output.io_type.kind == input.io_type.kind && output.io_type.components >= input.io_type.components;
    if fits { Ok(()) } else { Err(disagree(output.to_string())) }
}

#[cfg(test)]
mod tests {
    use super::super::{ShaderText, parse_wgsl};
    use super::*;
    use crate::command::ShaderStage;

    fn stage(text: &str, stage: ShaderStage) -> StageModule {
        parse_wgsl(ShaderText { bytes: text.as_bytes(), offset: 0x10 }, stage).unwrap()
    }

    fn link_texts(vertex: &str, fragment: &str) -> Result<Program, String> {
        link(stage(vertex, ShaderStage::Vertex), stage(fragment, ShaderStage::Fragment)).map_err(|e| e.to_string())
    }

    const VERTEX: &str = "struct Out { @builtin(position) at: vec4f, @location(0) tint: vec4f }
        @vertex fn v(@location(1) tint: vec4f) -> Out { return Out(vec4f(), tint); }";

    #[test]
    fn the_attributes_read_are_known() {
        let fragment = "@fragment fn f(@location(0) tint: vec4f) -> @location(0) vec4f { return tint; }";
        let program = link_texts(VERTEX, fragment).unwrap();
        assert_eq!(program.inputs, VertexInputs { position: false, color: true });
        assert!(program.writes_target());
    }

    #[test]
    fn stages_that_disagree_name_both_sides() {
        let missing = "@fragment fn f(@location(3) tint: vec4f) -> @location(0) vec4f { return tint; }";
        assert_eq!(
            link_texts(VERTEX, missing).unwrap_err(),
            "the fragment shader reads @location(3) tint: vec4<f32>, but the vertex shader writes nothing \
                there, at 0x10"
        );
        let other_type =
            "@fragment fn f(@location(0) @interpolate(flat) n: u32) -> @location(0) vec4f { return vec4f(); }";
        assert_eq!(
            link_texts(VERTEX, other_type).unwrap_err(),
            "the fragment shader reads @location(0) n: u32, but the vertex shader writes @location(0) tint: \
                vec4<f32>, at 0x10"
        );
    }

    #[test]
    fn a_buffer_that_could_be_written_is_refused() {
        let text = |access: &str, body: &str| {
            format!(
                "@group(0) @binding(3) var<storage, {access}> counts: array<u32>;
                @fragment fn f() -> @location(0) vec4f {{ {body} return vec4f(f32(counts[0])); }}"
            )
        };
        let vertex = "@vertex fn v() -> @builtin(position) vec4f { return vec4f(); }";
        let told = "the fragment shader uses writable storage buffer counts at @group(0) @binding(3): this build binds \
            zeros for uniform buffers, storage buffers that are only read, samplers and sampled textures, at 0x10";
        for body in ["counts[1] = 7u;", ""] {
            assert_eq!(link_texts(vertex, &text("read_write", body)).unwrap_err(), told);
        }
        assert!(link_texts(vertex, &text("read", "")).is_ok());
        let unused = "@group(0) @binding(3) var<storage, read_write> counts: array<u32>;
            @fragment fn f() -> @location(0) vec4f { return vec4f(); }";
        assert!(link_texts(vertex, unused).is_ok(), "what is not used is not bound");
    }

    #[test]
    fn a_buffer_larger_than_the_zeros_is_refused() {
        let vertex = "@vertex fn v() -> @builtin(position) vec4f { return vec4f(); }";
        for (space, name) in [("uniform", "uniform"), ("storage", "storage")] {
            let text = |vectors: u32| {
                format!(
                    "@group(0) @binding(0) var<{space}> many: array<vec4f, {vectors}>;
                    @fragment fn f() -> @location(0) vec4f {{ return many[7]; }}"
                )
            };
            assert!(link_texts(vertex, &text(1 << 18)).is_ok());
            assert_eq!(
                link_texts(vertex, &text((1 << 18) + 1)).unwrap_err(),
                format!(
                    "fragment shader's {name} buffer's size in bytes is 4194320: this build's limit is 4194304, at 0x10"
                )
            );
        }
    }

    #[test]
    fn an_attribute_beyond_the_abi_is_named() {
        let vertex = "@vertex fn v(@location(2) uv: vec2f) -> @builtin(position) vec4f { return vec4f(uv, 0, 1); }";
        let error = link_texts(vertex, "@fragment fn f() {}").unwrap_err();
        assert!(
            error.starts_with("the vertex shader reads @location(2) uv: vec2<f32>: the command ABI has"),
            "{error}"
        );
    }
}
