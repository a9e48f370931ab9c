//! From two shaders' texts to a program, on any thread.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use super::error::Problem;
use super::shader_object::{ShaderLanguage, ShaderObject, ShaderOptions};
use crate::bytes::Diagnostics;
use crate::bytes::limits::MAX_SHADER_BYTES;
use crate::command::ShaderStage;
use crate::format::aerogpu::{BlobDefinition, Trace};
use crate::shader::{Program, ShaderText, StageModule, link, link_glsl, parse_wgsl};

/// What a program is made of: two programs of the same recipe are the same.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Recipe {
    language: Language,
    vertex: BlobDefinition,
    fragment: BlobDefinition,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Language {
    Wgsl,
    Glsl,
}

/// A program, or why there is none, and what there is to say about it.
pub(super) struct Made {
    pub program: Result<Program, Problem>,
    pub diagnostics: Diagnostics,
}

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
        match self.language {
            Language::Wgsl => ShaderLanguage::Wgsl,
            Language::Glsl => ShaderLanguage::Glsl,
        }
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

    /// Chooses the language that both shaders have.
    pub(crate) fn choose_recipe(&self, vertex: &ShaderObject, fragment: &ShaderObject) -> Result<Recipe, Problem> {
        let wanted = self.options.language;
        let recipe = |language, texts: Option<(&BlobDefinition, &BlobDefinition)>| {
            texts.map(|(vertex, fragment)| Recipe { language, vertex: vertex.clone(), fragment: fragment.clone() })
        };
        let wgsl = || recipe(Language::Wgsl, vertex.wgsl.as_ref().zip(fragment.wgsl.as_ref()));
        let glsl = || recipe(Language::Glsl, vertex.glsl.as_ref().zip(fragment.glsl.as_ref()));
        let (chosen, expected) = match wanted {
            ShaderLanguage::Auto => (wgsl().or_else(glsl), "WGSL for both or GLSL ES 3.00 for both"),
            ShaderLanguage::Wgsl => (wgsl(), "WGSL for both (--shaders wgsl)"),
            ShaderLanguage::Glsl => (glsl(), "GLSL ES 3.00 for both (--shaders glsl)"),
        };
        chosen.ok_or_else(|| Problem::NoUsableSource {
            vertex: vertex.id,
            vertex_has: sources(vertex),
            fragment: fragment.id,
            fragment_has: sources(fragment),
            expected,
        })
    }

    /// Compiles and links.
    pub(crate) fn make(&self, recipe: &Recipe, trace: &Trace) -> Made {
        let mut diagnostics = Diagnostics::new();
        let program = match recipe.language {
            Language::Wgsl => self.link_wgsl(recipe, trace),
            Language::Glsl => self.link_glsl(recipe, trace, &mut diagnostics),
        };
        if let (Ok(program), Language::Wgsl) = (&program, recipe.language) {
            remark_unbound(program, &mut diagnostics);
        }
        Made { program, diagnostics }
    }

    fn link_wgsl(&self, recipe: &Recipe, trace: &Trace) -> Result<Program, Problem> {
        let vertex = self.compile(&recipe.vertex, ShaderStage::Vertex, trace)?;
        let fragment = self.compile(&recipe.fragment, ShaderStage::Fragment, trace)?;
        Ok(link(StageModule::clone(&vertex), StageModule::clone(&fragment))?)
    }

    fn link_glsl(&self, recipe: &Recipe, trace: &Trace, diagnostics: &mut Diagnostics) -> Result<Program, Problem> {
        let (vertex, fragment) = (self.read_text(&recipe.vertex, trace)?, self.read_text(&recipe.fragment, trace)?);
        let text = |bytes, blob: &BlobDefinition| ShaderText { bytes, offset: blob.bytes.start };
        let (vertex, fragment) = (text(&vertex, &recipe.vertex), text(&fragment, &recipe.fragment));
        Ok(link_glsl(vertex, fragment, &self.options.glsl, diagnostics)?)
    }

    fn compile(&self, text: &BlobDefinition, stage: ShaderStage, trace: &Trace) -> Result<Arc<StageModule>, Problem> {
        let key = (text.bytes.clone(), stage);
        // Not locked while compiling: two threads may compile the same stage, and either result will do.
        if let Some(module) = self.stages.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Ok(module.clone());
        }
        let bytes = self.read_text(text, trace)?;
        let module = Arc::new(parse_wgsl(ShaderText { bytes: &bytes, offset: text.bytes.start }, stage)?);
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

fn sources(shader: &ShaderObject) -> &'static str {
    match (&shader.wgsl, &shader.glsl) {
        (Some(_), Some(_)) => "both",
        (Some(_), None) => "WGSL only",
        (None, Some(_)) => "GLSL ES 3.00 only",
        (None, None) => "neither WGSL nor GLSL ES 3.00",
    }
}

/// Says once a program what has its fallback value. The GLSL front end says so in the text's own words.
fn remark_unbound(program: &Program, diagnostics: &mut Diagnostics) {
    let unbound: Vec<String> = program.unbound_resources().map(ToString::to_string).collect();
    if !unbound.is_empty() {
        let what = "stay at zeros and texels of (0, 0, 0, 1), since the command ABI binds nothing";
        diagnostics.remark(program.vertex.text_offset, format!("{} {what}", unbound.join(", ")));
    }
}
