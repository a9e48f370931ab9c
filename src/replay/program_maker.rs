//! From two shaders' texts to a program, on any thread.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use super::error::Problem;
use super::shader_object::{ShaderObject, ShaderOptions};
use crate::command::ShaderStage;
use crate::format::aerogpu::{BlobDefinition, Trace};
use crate::limits::MAX_SHADER_BYTES;
use crate::shader::{
    Compiler, LanguageChoice, Program, ShaderError, ShaderLanguage, ShaderRemark, ShaderText, StageModule, link,
};

/// What a program is made of: two programs of the same recipe are the same.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Recipe {
    language: ShaderLanguage,
    vertex: BlobDefinition,
    fragment: BlobDefinition,
}

/// Compiles a stage of a language whose stages are compiled apart.
type ParseStage = fn(ShaderText<'_>, ShaderStage) -> Result<StageModule, ShaderError>;

/// By the file range of the text.
type Stages = HashMap<(Range<u64>, ShaderStage), Arc<StageModule>>;

/// Makes programs. Stages that several of them share are compiled once.
#[derive(Default)]
pub(super) struct ProgramMaker {
    options: ShaderOptions,
    stages: Mutex<Stages>,
}

impl Recipe {
    /// The language of both texts.
    pub(crate) fn language(&self) -> ShaderLanguage {
        self.language
    }

    /// Length of both texts in bytes.
    pub(crate) fn text_bytes(&self) -> u64 {
        self.vertex.size_bytes() + self.fragment.size_bytes()
    }
}

impl ProgramMaker {
    pub(crate) fn new(options: ShaderOptions) -> Self {
        Self { options, ..Self::default() }
    }

    /// How it makes them.
    pub(crate) fn options(&self) -> &ShaderOptions {
        &self.options
    }

    /// Chooses the language that both shaders have.
    pub(crate) fn choose_recipe(&self, vertex: &ShaderObject, fragment: &ShaderObject) -> Result<Recipe, Problem> {
        let wanted = self.options.language;
        let both = |language| vertex.sources.get(&language).zip(fragment.sources.get(&language));
        let chosen = wanted.languages().find_map(|language| {
            let (vertex, fragment) = both(language)?;
            Some(Recipe { language, vertex: vertex.clone(), fragment: fragment.clone() })
        });
        chosen.ok_or_else(|| Problem::NoUsableSource {
            vertex: vertex.id,
            vertex_has: sources(vertex).into(),
            fragment: fragment.id,
            fragment_has: sources(fragment).into(),
            expected: match wanted {
                LanguageChoice::Auto => format!("{} for both", ShaderLanguage::titles(" for both or ")),
                LanguageChoice::Only(only) => format!("{} for both (--shaders {wanted})", only.facts().title),
            }
            .into(),
        })
    }

    /// Compiles and links.
    pub(crate) fn make(&self, recipe: &Recipe, trace: &Trace) -> Result<Program, Problem> {
        Ok(match recipe.language.facts().compiler {
            Compiler::Stages(parse) => {
                let program = self.link_stages(parse, recipe, trace)?;
                Program { remarks: unbound(&program).into_iter().collect(), ..program }
            }
            Compiler::Pairs(link) => {
                let [vertex, fragment] = self.read_pair(recipe, trace)?;
                let text = |bytes, blob: &BlobDefinition| ShaderText { bytes, offset: blob.bytes.start };
                link([text(&vertex, &recipe.vertex), text(&fragment, &recipe.fragment)], &self.options.glsl)?
            }
        })
    }

    fn link_stages(&self, parse: ParseStage, recipe: &Recipe, trace: &Trace) -> Result<Program, Problem> {
        let vertex = self.compile(parse, &recipe.vertex, ShaderStage::Vertex, trace)?;
        let fragment = self.compile(parse, &recipe.fragment, ShaderStage::Fragment, trace)?;
        Ok(link(StageModule::clone(&vertex), StageModule::clone(&fragment))?)
    }

    fn read_pair(&self, recipe: &Recipe, trace: &Trace) -> Result<[Vec<u8>; 2], Problem> {
        Ok([self.read_text(&recipe.vertex, trace)?, self.read_text(&recipe.fragment, trace)?])
    }

    fn compile(
        &self,
        parse: ParseStage,
        text: &BlobDefinition,
        stage: ShaderStage,
        trace: &Trace,
    ) -> Result<Arc<StageModule>, Problem> {
        let key = (text.bytes.clone(), stage);
        // Not locked while compiling: two threads may compile the same stage, and either result will do.
        if let Some(module) = self.stages.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Ok(module.clone());
        }
        let bytes = self.read_text(text, trace)?;
        let module = Arc::new(parse(ShaderText { bytes: &bytes, offset: text.bytes.start }, stage)?);
        self.stages.lock().unwrap_or_else(PoisonError::into_inner).insert(key, module.clone());
        Ok(module)
    }

    fn read_text(&self, text: &BlobDefinition, trace: &Trace) -> Result<Vec<u8>, Problem> {
        if let Some(replacement) = self.options.replacements.get(&text.record_offset) {
            return Ok(replacement.clone());
        }
        if text.size_bytes() > MAX_SHADER_BYTES {
            let (what, found) = ("a shader's size in bytes", text.size_bytes());
            return Err(Problem::OverLimit { what, found, limit: MAX_SHADER_BYTES });
        }
        Ok(trace.read(text.bytes.clone())?)
    }
}

/// What a shader has, in words.
fn sources(shader: &ShaderObject) -> String {
    let titles: Vec<&str> = shader.sources.keys().map(|language| language.facts().title).collect();
    match titles.len() {
        0 => format!("neither {}", ShaderLanguage::titles(" nor ")),
        2 if ShaderLanguage::ALL.len() == 2 => "both".to_owned(),
        count if count == ShaderLanguage::ALL.len() => "all".to_owned(),
        _ => format!("{} only", titles.join(" and ")),
    }
}

/// What of a program has its fallback value, if anything has. The GLSL front end says so in the text's own words.
fn unbound(program: &Program) -> Option<ShaderRemark> {
    let unbound: Vec<String> = program.unbound_resources().map(ToString::to_string).collect();
    let what = "read as zeros and as texels of (0, 0, 0, 1), because the command ABI binds nothing";
    let remark = || ShaderRemark::without_place(program.vertex.text_offset, format!("{} {what}", unbound.join(", ")));
    (!unbound.is_empty()).then(remark)
}
