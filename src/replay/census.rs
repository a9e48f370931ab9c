//! Objects, draws and pictures of a trace, counted while its index is made.

use std::collections::{BTreeMap, BTreeSet};

use super::d3d::{Context, World};
use super::executor::Executor;
use super::target_size::LargestViewport;
use crate::command::{Command, CreateShader, Located, ShaderStage};
use crate::pixels::Size;

/// Sizes of pictures that are told apart: a desktop presents windows of any size.
const MOST_SIZES: usize = 8;

/// The API whose rules draws follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Api {
    /// The trace format's own commands.
    AppendixA,
    /// Direct3D 9.
    Direct3d9,
    /// Direct3D 10 and 11.
    Direct3d11,
}

impl Api {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::AppendixA => "Appendix A",
            Self::Direct3d9 => "Direct3D 9",
            Self::Direct3d11 => "Direct3D 10/11",
        }
    }

    fn of_context(context: &Context) -> Self {
        match context.world() {
            World::Direct3d9 => Self::Direct3d9,
            World::Direct3d11 => Self::Direct3d11,
        }
    }
}

/// Objects and pictures of a trace, or of its first frames.
#[derive(Clone, Debug, Default)]
pub struct Census {
    textures: u64,
    shaders: BTreeMap<ShaderStage, u64>,
    /// The APIs of draws, and those of clears, presents and dispatches.
    drawn_by: BTreeSet<Api>,
    shown_by: BTreeSet<Api>,
    presented: Vec<Size>,
    viewport: LargestViewport,
}

impl Census {
    /// Textures that are made.
    pub fn textures(&self) -> u64 {
        self.textures
    }

    /// Shaders that are made, by stage.
    pub fn shaders(&self) -> &BTreeMap<ShaderStage, u64> {
        &self.shaders
    }

    /// The APIs of draws; where nothing is drawn, those of clears and presents.
    pub fn apis(&self) -> &BTreeSet<Api> {
        if self.drawn_by.is_empty() { &self.shown_by } else { &self.drawn_by }
    }

    /// Sizes of the textures that submissions present, in the order in which they first come; some of very many.
    pub fn presented_sizes(&self) -> &[Size] {
        &self.presented
    }

    /// The largest viewport that is set, which stands in for the size of a target that has none of its own.
    pub fn largest_viewport(&self) -> Option<Size> {
        self.viewport.largest()
    }

    /// Takes in a command that was carried out, or refused alone. Draws that repeat the one before them need not come.
    pub(super) fn see(&mut self, command: &Located<Command>, executor: &Executor) {
        match command.value {
            Command::CreateTexture(_) => self.textures += 1,
            Command::CreateShader(CreateShader { stage, .. }) => *self.shaders.entry(stage).or_default() += 1,
            Command::SetViewport(_) => self.viewport.see(&command.value),
            Command::Draw(_) | Command::DrawIndexed(_) => {
                let api = api_of(command, executor);
                self.drawn_by.insert(api);
            }
            Command::Clear(_) | Command::Dispatch(_) => {
                let api = api_of(command, executor);
                self.shown_by.insert(api);
            }
            Command::Present(_) => {
                let api = api_of(command, executor);
                self.shown_by.insert(api);
                self.present(command, executor);
            }
            // Nothing else is counted.
            _ => {}
        }
    }

    fn present(&mut self, command: &Located<Command>, executor: &Executor) {
        // silent: Appendix A presents the one target
        let Some(context) = context_of(command, executor) else { return };
        let [slot, ..] = &context.targets.colors;
        // silent: a context's own back buffer is as large as the target
        let Some(seen) = executor.device().objects().texture(slot.named) else { return };
        let [width_px, height_px] = seen.target_size_px();
        let size = Size { width_px, height_px };
        if self.presented.len() < MOST_SIZES && !self.presented.contains(&size) {
            self.presented.push(size);
        }
    }
}

fn context_of<'a>(command: &Located<Command>, executor: &'a Executor) -> Option<&'a Context> {
    executor.device().context(command.at.submission?.context())
}

fn api_of(command: &Located<Command>, executor: &Executor) -> Api {
    match command.at.submission {
        None => Api::AppendixA,
        Some(_) => context_of(command, executor).map_or(Api::Direct3d11, Api::of_context),
    }
}
