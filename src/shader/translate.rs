//! A pair of GLSL ES 3.00 texts → a program, by way of WGSL.

use super::binding::{Binding, BindingKind};
use super::error::{ShaderError, ShaderText};
use super::front_end_error::FrontEndError;
use super::glsl::{self, EndlessLoop, GlslErrors, GlslOptions, GlslSource};
use super::glsl_issues::remark;
use super::language::{Compiler, LanguageFacts};
use super::program::{Program, link};
use super::stage::StageModule;
use super::wgsl::parse_wgsl;
use crate::command::ShaderStage;
use crate::format::aerogpu::BlobKind;
use naga_gate::guarded;

/// GLSL ES 3.00 in the list of languages.
pub(super) const GLSL: LanguageFacts = LanguageFacts {
    name: "glsl",
    title: "GLSL ES 3.00",
    short_title: "GLSL",
    blob: BlobKind::ShaderGlslEs300,
    compiler: Compiler::Pairs(|[vertex, fragment], options| link_glsl(vertex, fragment, options)),
    endless_loops: endless_glsl_loops,
    rewrite: Some(rewrite),
};

/// Translates, compiles and links a pair of GLSL ES 3.00 texts.
pub fn link_glsl(
    vertex: ShaderText<'_>,
    fragment: ShaderText<'_>,
    options: &GlslOptions,
) -> Result<Program, ShaderError> {
    let translated = guarded(|| glsl::link_all(source_of(vertex), source_of(fragment), options));
    let offset = vertex.offset;
    let broke = |broken| ShaderError::broke(ShaderStage::Vertex, broken, offset);
    let linked = translated.map_err(broke)?.map_err(refused)?;
    let target_size = linked.bindings.iter().find(|binding| binding.kind == glsl::BindingKind::TargetInfo);
    let place = target_size.map(|binding| (binding.group, binding.binding));
    let compile = |wgsl: &str, text: ShaderText<'_>, stage| -> Result<StageModule, ShaderError> {
        let mut module = parse_wgsl(ShaderText { bytes: wgsl.as_bytes(), offset: text.offset }, stage)
            .map_err(|error| our_fault(error, stage, text))?;
        for binding in module.bindings.iter_mut().filter(|binding| place == Some(place_of(binding))) {
            binding.kind = BindingKind::TargetSize;
        }
        Ok(module)
    };
    let vertex = compile(&linked.vertex_wgsl, vertex, ShaderStage::Vertex)?;
    let fragment = compile(&linked.fragment_wgsl, fragment, ShaderStage::Fragment)?;
    let program = link(vertex, fragment)?;
    let remarks = linked.remarks.iter().map(|found| remark(found, offset)).collect();
    Ok(Program { provoking: program.provoking.map(|_| options.provoking), remarks, ..program })
}

/// The endless loops of a GLSL ES 3.00 text, where `main` can get to them.
pub(super) fn endless_glsl_loops(text: ShaderText<'_>, stage: ShaderStage) -> Result<Vec<EndlessLoop>, ShaderError> {
    let glsl_stage = match stage {
        ShaderStage::Vertex => glsl::Stage::Vertex,
        ShaderStage::Fragment => glsl::Stage::Fragment,
        // GLSL ES 3.00 has no others.
        ShaderStage::Compute | ShaderStage::Geometry | ShaderStage::Hull | ShaderStage::Domain => return Ok(Vec::new()),
    };
    let broke = |broken| ShaderError::broke(stage, broken, text.offset);
    guarded(|| glsl::endless_loops(source_of(text), glsl_stage)).map_err(broke)?.map_err(|error| refused(error.into()))
}

fn rewrite([vertex, fragment]: [ShaderText<'_>; 2], options: &GlslOptions) -> Result<[String; 2], FrontEndError> {
    let linked = glsl::link_all(source_of(vertex), source_of(fragment), options)?;
    Ok([linked.vertex_wgsl, linked.fragment_wgsl])
}

fn refused(error: GlslErrors) -> ShaderError {
    ShaderError::FrontEnd { title: GLSL.title, error: error.into() }
}

fn source_of(text: ShaderText<'_>) -> GlslSource<'_> {
    GlslSource { text: text.bytes, offset: text.offset }
}

fn place_of(binding: &Binding) -> (u32, u32) {
    (binding.group, binding.binding)
}

/// WGSL that we wrote and naga refuses is a bug of ours; a limit stays a limit, at a place of the GLSL text's own.
fn our_fault(error: ShaderError, stage: ShaderStage, text: ShaderText<'_>) -> ShaderError {
    let offset = text.offset;
    match error {
        ShaderError::OverLimit { what, found, limit, .. } => {
            ShaderError::OverLimit { stage, what, found, limit, offset }
        }
        error => ShaderError::CompilerBroke { stage, message: error.to_string(), offset },
    }
}
