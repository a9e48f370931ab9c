//! Compiled and linked shaders, each distinct pair once, however often it is drawn with.

use std::collections::HashMap;
use std::sync::Arc;

use super::blob_store::BlobStore;
use super::error::Problem;
use super::op::ProgramKey;
use super::program_maker::{ProgramMaker, Recipe};
use super::programs_ahead::ProgramsAhead;
use super::shader_object::{ShaderObject, ShaderOptions};
use crate::bytes::Diagnostics;
use crate::shader::{Program, ShaderLanguage};

/// Every program linked so far.
#[derive(Default)]
pub struct ProgramLibrary {
    maker: Arc<ProgramMaker>,
    programs: Vec<Arc<Program>>,
    keys: HashMap<Recipe, ProgramKey>,
    /// Where programs are made before the first draw with them, if they are.
    ahead: Option<ProgramsAhead>,
}

impl ProgramLibrary {
    /// An empty library, which makes each program when it is asked for it.
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty library that makes shaders as `options` say, each program when it is asked for it.
    pub fn with_options(options: ShaderOptions) -> Self {
        Self { maker: Arc::new(ProgramMaker::new(options)), ..Self::default() }
    }

    /// An empty library that makes shaders as `options` say, and programs that are expected on other threads.
    pub fn working_ahead(options: ShaderOptions) -> Self {
        let mut library = Self::with_options(options);
        library.ahead = Some(ProgramsAhead::new(library.maker.clone()));
        library
    }

    /// How it makes shaders.
    pub fn options(&self) -> &ShaderOptions {
        self.maker.options()
    }

    /// The program with this key.
    pub fn get(&self, key: ProgramKey) -> Option<&Arc<Program>> {
        self.programs.get(key.0 as usize)
    }

    /// The language that two shaders are compiled in.
    pub fn choose_language(&self, vertex: &ShaderObject, fragment: &ShaderObject) -> Result<ShaderLanguage, Problem> {
        Ok(self.maker.choose_recipe(vertex, fragment)?.language())
    }

    /// Says that the program of two shaders will probably be asked for. Whatever is wrong with it is said then.
    pub fn expect(&mut self, vertex: &ShaderObject, fragment: &ShaderObject, blobs: &BlobStore) {
        // silent: nothing is made ahead
        let Some(ahead) = &self.ahead else { return };
        if let Ok(recipe) = self.maker.choose_recipe(vertex, fragment)
            && !self.keys.contains_key(&recipe)
        {
            ahead.expect(recipe, blobs.trace());
        }
    }

    /// The program of two shaders, compiled and linked if they have not met before.
    pub fn link(
        &mut self,
        vertex: &ShaderObject,
        fragment: &ShaderObject,
        blobs: &BlobStore,
        diagnostics: &mut Diagnostics,
    ) -> Result<ProgramKey, Problem> {
        let recipe = self.maker.choose_recipe(vertex, fragment)?;
        if let Some(key) = self.keys.get(&recipe) {
            return Ok(*key);
        }
        let made = self.ahead.as_ref().and_then(|ahead| ahead.take(&recipe));
        let made = made.unwrap_or_else(|| self.maker.make(&recipe, blobs.trace()));
        let program = made?;
        program.remarks.iter().for_each(|remark| diagnostics.push(remark.into()));
        let key = ProgramKey(self.programs.len() as u32);
        self.programs.push(Arc::new(program));
        self.keys.insert(recipe, key);
        Ok(key)
    }
}
