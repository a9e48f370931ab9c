//! WGSL text → a validated module with its entry point.

use naga::valid::{Capabilities, ModuleInfo, ValidationError, ValidationFlags, Validator};

use super::binding::{Binding, BindingKind};
use super::endless::endless_wgsl_loops;
use super::error::{ShaderError, ShaderText};
use super::front_end_error::IssueRange;
use super::language::{Compiler, LanguageFacts};
use super::stage::{Interface, StageModule};
use crate::command::ShaderStage;
use crate::format::aerogpu::BlobKind;
use crate::limits::MAX_SHADER_BYTES;
use naga_gate::guarded;
use naga_gate::{self as gate, Exceeded};

/// WGSL in the list of languages.
pub(super) const WGSL: LanguageFacts = LanguageFacts {
    name: "wgsl",
    title: "WGSL",
    short_title: "WGSL",
    blob: BlobKind::ShaderWgsl,
    compiler: Compiler::Stages(parse_wgsl),
    endless_loops: endless_wgsl_loops,
    rewrite: None,
};

/// Compiles WGSL for one stage.
///
/// The entry point is the one of the stage, whatever its name. Where there are several, `vs_main` or `fs_main` is
/// taken, else the first.
pub fn parse_wgsl(source: ShaderText<'_>, stage: ShaderStage) -> Result<StageModule, ShaderError> {
    let text = check_text(source, stage)?;
    let compiled = guarded(|| compile(text, source.offset, stage));
    let (module, info) = compiled.map_err(|broken| ShaderError::broke(stage, broken, source.offset))??;
    choose_entry_point(module, &info, stage, source.offset)
}

fn check_text(source: ShaderText<'_>, stage: ShaderStage) -> Result<&str, ShaderError> {
    let offset = source.offset;
    let found = source.bytes.len() as u64;
    if found > MAX_SHADER_BYTES {
        return Err(ShaderError::OverLimit { stage, what: "size in bytes", found, limit: MAX_SHADER_BYTES, offset });
    }
    let text = str::from_utf8(source.bytes)
        .map_err(|error| ShaderError::NotUtf8 { stage, offset: offset + error.valid_up_to() as u64 })?;
    gate::check_text(text).map_err(|exceeded| over_limit(exceeded, stage, offset))?;
    Ok(text)
}

/// The error of a shader whose text begins at this offset.
fn over_limit(exceeded: Exceeded, stage: ShaderStage, text_offset: u64) -> ShaderError {
    let Exceeded { what, found, limit, place } = exceeded;
    ShaderError::OverLimit { stage, what, found, limit, offset: text_offset + place.unwrap_or(0) as u64 }
}

fn compile(text: &str, offset: u64, stage: ShaderStage) -> Result<(naga::Module, ModuleInfo), ShaderError> {
    let failed = |message: String, location: Option<naga::SourceLocation>, excerpt: String| {
        let bytes = location.map_or(0..0, |place| {
            let start = place.offset as usize;
            start..start + place.length as usize
        });
        let offset = offset + bytes.start as u64;
        let range = IssueRange::of_bytes(text, bytes);
        ShaderError::DoesNotCompile { stage, message, range, offset, excerpt }
    };
    let module = naga::front::wgsl::parse_str(text)
        .map_err(|error| failed(error.message().to_owned(), error.location(text), error.emit_to_string(text)))?;
    gate::check_module(&module).map_err(|exceeded| over_limit(exceeded, stage, offset))?;
    let info = validate(&module)
        .map_err(|error| failed(error.as_inner().to_string(), error.location(text), error.emit_to_string(text)))?;
    Ok((module, info))
}

/// Validates with the capabilities of every WebGPU implementation; what needs more would not replay on any machine.
/// `pack2x16float` and its like, which WGSL has without extensions, are one to naga.
pub(super) fn validate(module: &naga::Module) -> Result<ModuleInfo, Box<naga::WithSpan<ValidationError>>> {
    let capabilities = Capabilities::default() | Capabilities::SHADER_FLOAT16_IN_FLOAT32;
    Validator::new(ValidationFlags::all(), capabilities).validate(module).map_err(Box::new)
}

/// Validates with all capabilities: whether the device has what a module needs is asked elsewhere.
pub(super) fn validate_for_any_device(
    module: &naga::Module,
) -> Result<ModuleInfo, Box<naga::WithSpan<ValidationError>>> {
    Validator::new(ValidationFlags::all(), Capabilities::all()).validate(module).map_err(Box::new)
}

/// What WGSL calls a stage.
fn name_of_stage(stage: naga::ShaderStage) -> &'static str {
    match stage {
        naga::ShaderStage::Vertex => "vertex",
        naga::ShaderStage::Fragment => "fragment",
        naga::ShaderStage::Compute => "compute",
        naga::ShaderStage::Task => "task",
        naga::ShaderStage::Mesh => "mesh",
        naga::ShaderStage::RayGeneration => "ray generation",
        naga::ShaderStage::Miss => "miss",
        naga::ShaderStage::AnyHit => "any hit",
        naga::ShaderStage::ClosestHit => "closest hit",
    }
}

fn choose_entry_point(
    module: naga::Module,
    info: &ModuleInfo,
    stage: ShaderStage,
    text_offset: u64,
) -> Result<StageModule, ShaderError> {
    let (naga_stage, usual_name) = match stage {
        ShaderStage::Vertex => (naga::ShaderStage::Vertex, "vs_main"),
        ShaderStage::Fragment => (naga::ShaderStage::Fragment, "fs_main"),
        ShaderStage::Compute => (naga::ShaderStage::Compute, "cs_main"),
        ShaderStage::Geometry | ShaderStage::Hull | ShaderStage::Domain => {
            let message = format!("WGSL knows no {stage} shaders");
            return Err(ShaderError::CompilerBroke { stage, message, offset: text_offset });
        }
    };
    let candidates = || module.entry_points.iter().enumerate().filter(|(_, entry)| entry.stage == naga_stage);
    let usual = candidates().find(|(_, entry)| entry.name == usual_name);
    let Some((index, entry)) = usual.or_else(|| candidates().next()) else {
        let names = |entry: &naga::EntryPoint| format!("{} ({})", entry.name, name_of_stage(entry.stage));
        let found: Vec<String> = module.entry_points.iter().map(names).collect();
        let found = if found.is_empty() { "none".to_owned() } else { found.join(", ") };
        return Err(ShaderError::NoEntryPoint { stage, found, offset: text_offset });
    };
    let mut inputs = Interface::default();
    for argument in &entry.function.arguments {
        inputs.add(&module, argument.name.as_ref(), argument.ty, argument.binding.as_ref());
    }
    let mut outputs = Interface::default();
    if let Some(result) = &entry.function.result {
        outputs.add(&module, None, result.ty, result.binding.as_ref());
    }
    Ok(StageModule {
        stage,
        entry_point: entry.name.clone(),
        inputs: inputs.varyings,
        outputs: outputs.varyings,
        bindings: used_bindings(&module, info, index),
        uses_vertex_index: inputs.built_ins.contains(&naga::BuiltIn::VertexIndex),
        text_offset,
        module,
    })
}

pub(super) fn used_bindings(module: &naga::Module, info: &ModuleInfo, entry_point: usize) -> Vec<Binding> {
    let usage = info.get_entry_point(entry_point);
    let used = module.global_variables.iter().filter(|(handle, _)| !usage[*handle].is_empty());
    used.filter_map(|(_, global)| {
        let kind = BindingKind::of(module, global);
        let (group, binding) = match (&global.binding, kind) {
            (Some(place), _) => (place.group, place.binding),
            (None, BindingKind::Unsupported("immediate data")) => (0, 0),
            (None, _) => return None,
        };
        Some(Binding { group, binding, name: global.name.clone(), kind })
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str, stage: ShaderStage) -> Result<StageModule, ShaderError> {
        parse_wgsl(ShaderText { bytes: text.as_bytes(), offset: 0x1000 }, stage)
    }

    #[test]
    fn the_entry_point_is_the_stage_s_whatever_its_name() {
        let text = "@fragment fn paint() -> @location(0) vec4f { return vec4f(); }
                    @vertex fn place(@location(0) at: vec2f) -> @builtin(position) vec4f { return vec4f(at, 0, 1); }";
        let vertex = parse(text, ShaderStage::Vertex).unwrap();
        assert_eq!((vertex.entry_point.as_str(), vertex.inputs.len()), ("place", 1));
        assert_eq!(vertex.inputs[0].to_string(), "@location(0) at: vec2<f32>");
        assert_eq!(parse(text, ShaderStage::Fragment).unwrap().entry_point, "paint");
        let twice = format!("{text} @fragment fn fs_main() {{}}");
        assert_eq!(parse(&twice, ShaderStage::Fragment).unwrap().entry_point, "fs_main");
    }

    #[test]
    fn a_text_for_the_other_stage_says_what_it_has() {
        let error = parse("@compute @workgroup_size(1) fn c() {}", ShaderStage::Vertex).unwrap_err();
        assert_eq!(error.to_string(), "vertex shader has no @vertex entry point: found c (compute), at 0x1000");
    }

    #[test]
    fn an_error_points_into_the_file_and_shows_the_line() {
        let error = parse("fn f() {\n  let a = b;\n}", ShaderStage::Vertex).unwrap_err();
        let ShaderError::DoesNotCompile { range, offset, excerpt, .. } = error else { panic!("{error}") };
        assert_eq!((range, offset), (IssueRange { line: 1, from: 10, to: 11 }, 0x1000 + 19));
        assert!(excerpt.contains("let a = b;"), "{excerpt}");
        let error = parse_wgsl(ShaderText { bytes: b"fn \xff", offset: 0x10 }, ShaderStage::Vertex).unwrap_err();
        assert!(matches!(error, ShaderError::NotUtf8 { offset: 0x13, .. }), "{error}");
    }

    #[test]
    fn hostile_texts_are_errors() {
        for hostile in [
            "(".repeat(1_000_000),
            format!("const a = {}1{};", "(".repeat(150), ")".repeat(150)),
            format!("fn f() {{ {} {} }}", "if true {".repeat(190), "}".repeat(190)),
            format!("const a = 1{};", "+1".repeat(1_900)),
            format!("fn f() {{ var a = 1; a = a{}; }}", "+a".repeat(1_900)),
            format!("fn f(a: bool) {{ if a {{}} {} }}", "else if a {}".repeat(1_900)),
            format!("const a = {}1;", "-".repeat(1_900)),
            "\0".repeat(1000),
            "x".repeat(MAX_SHADER_BYTES as usize + 1),
            "@group(0) @binding(0) var a: array<array<array<vec4f, 65536>, 65536>, 65536>;".to_owned(),
        ] {
            let _ = parse(&hostile, ShaderStage::Vertex).unwrap_err();
        }
    }

    #[test]
    fn functions_of_plain_wgsl_are_taken() {
        let text = "@fragment fn f() -> @location(0) vec4f { var a = 0.5;
            return vec4f(unpack2x16float(pack2x16float(vec2f(a))), unpack2x16unorm(pack2x16unorm(vec2f(a)))); }";
        parse(text, ShaderStage::Fragment).unwrap();
    }

    #[test]
    fn only_used_resources_count() {
        let text = "@group(0) @binding(0) var<uniform> used: vec4f;
                    @group(0) @binding(1) var<uniform> unused: vec4f;
                    @fragment fn f() -> @location(0) vec4f { return used; }";
        let bindings = parse(text, ShaderStage::Fragment).unwrap().bindings;
        let kind = BindingKind::Uniform { size_bytes: 16 };
        assert_eq!(bindings, [Binding { group: 0, binding: 0, name: Some("used".into()), kind }]);
    }
}
