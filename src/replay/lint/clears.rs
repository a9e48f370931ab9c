//! CLEARs of Direct3D 9 that its own viewport would have cut. The driver hands on neither their rectangles nor the viewport, so
//! that hosts fill whole targets.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::{Lint, LintRule};
use crate::command::{Command, CreateShader, Located, SetScissor, ShaderCode, ShaderStage, Viewport};
use crate::format::aerogpu::{FormatError, Trace};
use crate::replay::ReplayError;

/// D3DRS_SCISSORTESTENABLE.
const SCISSOR_TEST_ENABLE: u32 = 174;

/// Left, top, right and bottom in pixels.
type Edges = [f64; 4];

/// The state that CLEARs depend on.
#[derive(Default)]
pub(super) struct Clears {
    /// Sizes of textures, and of the largest mip of views, by handle.
    sizes: HashMap<u32, [u32; 2]>,
    /// Whether shaders are of Direct3D 9, by handle.
    shaders: HashMap<u32, bool>,
    contexts: BTreeMap<u32, ClearState>,
}

/// The state of one context.
#[derive(Default)]
struct ClearState {
    /// Whether Direct3D 9's rules hold: by the last vertex shader, before one by the packets that came.
    is_d3d9: bool,
    has_shader: bool,
    viewport: Option<Viewport>,
    scissor: Option<SetScissor>,
    is_scissored: bool,
    target: Option<u32>,
}

impl Clears {
    /// Takes in the next command of a submission.
    pub(super) fn see(
        &mut self,
        lint: &mut Lint,
        trace: &Arc<Trace>,
        command: &Located<Command>,
        context: u32,
    ) -> Result<(), ReplayError> {
        let state = self.contexts.entry(context).or_default();
        match &command.value {
            Command::CreateTexture(texture) => drop(self.sizes.insert(texture.id.number(), texture.size_px)),
            Command::CreateView(view) => {
                let size = self.sizes.get(&view.texture.number()).copied();
                let of_mip = |side: u32| side.checked_shr(view.mips.first).unwrap_or(0).max(1);
                self.sizes.extend(size.map(|size| (view.id.number(), size.map(of_mip))));
            }
            Command::CreateShader(CreateShader { id, code: ShaderCode::Bytecode(code), .. }) => {
                let start = code.range().start;
                let end = code.range().end.min(start.saturating_add(4));
                let bytes = trace.read(start..end).map_err(FormatError::from)?;
                // The version token of SM1 to SM3.
                self.shaders.insert(id.number(), matches!(*bytes, [_, _, 0xfe | 0xff, 0xff]));
            }
            Command::BindShaders(shaders) => {
                let vertex = shaders.all().find(|(stage, _)| *stage == ShaderStage::Vertex).and_then(|(_, id)| id);
                // A handle that names no shader leaves the rules as they are.
                let known = vertex.and_then(|id| self.shaders.get(&id.number()).copied());
                state.has_shader |= known.is_some();
                state.is_d3d9 = known.unwrap_or(state.is_d3d9);
            }
            Command::SetRenderState(set) => {
                state.is_d3d9 |= !state.has_shader;
                if set.state == SCISSOR_TEST_ENABLE {
                    state.is_scissored = set.value != 0;
                }
            }
            Command::SetSamplerState(_) | Command::SetConstants(_) => state.is_d3d9 |= !state.has_shader,
            Command::SetTargets(targets) => {
                let first = targets.all_colors().find_map(|(_, color)| color);
                state.target = first.or(targets.depth_stencil()).map(|id| id.number());
            }
            Command::SetViewport(viewport) => state.viewport = Some(*viewport),
            Command::SetScissor(scissor) => state.scissor = Some(*scissor),
            Command::Clear(_) if state.is_d3d9 => {
                let size = state.target.and_then(|target| self.sizes.get(&target));
                let beyond = size.and_then(|size| state.beyond_viewport(*size));
                beyond.into_iter().for_each(|what| {
                    lint.note_some(command.at.offset, LintRule::ClearBeyondViewport, || what);
                });
            }
            _ => {}
        }
        Ok(())
    }
}

impl ClearState {
    /// The rectangle that a CLEAR fills beyond the viewport, in words; nothing if it fills none.
    fn beyond_viewport(&self, target_px: [u32; 2]) -> Option<String> {
        match self.viewport {
            Some(Viewport::Rectangle { origin_px, size_px, .. }) => self.beyond(origin_px, size_px, target_px),
            Some(Viewport::TopLeft { .. }) | None => None,
        }
    }

    fn beyond(
        &self,
        [x, y]: [f32; 2],
        [width, height]: [f32; 2],
        [target_width, target_height]: [u32; 2],
    ) -> Option<String> {
        let target = [0.0, 0.0, f64::from(target_width), f64::from(target_height)];
        let filled = match self.scissor.filter(|_| self.is_scissored) {
            Some(scissor) => common(target, edges_of(scissor)),
            None => target,
        };
        let [left, top, right, bottom] = filled;
        let viewport = [x, y, x + width, y + height].map(f64::from);
        let is_empty = right <= left || bottom <= top || width <= 0.0 || height <= 0.0;
        (!is_empty && common(filled, viewport) != filled).then(|| {
            let (columns, rows) = (right - left, bottom - top);
            format!(
                "it fills {columns}x{rows} of the target at {left},{top}; Direct3D 9 fills only the part in \
                    the viewport of {width}x{height} at {x},{y}"
            )
        })
    }
}

fn edges_of(scissor: SetScissor) -> Edges {
    let ([x, y], [width, height]) = (scissor.origin_px.map(f64::from), scissor.size_px.map(f64::from));
    [x, y, x + width, y + height]
}

fn common([a_left, a_top, a_right, a_bottom]: Edges, [b_left, b_top, b_right, b_bottom]: Edges) -> Edges {
    [a_left.max(b_left), a_top.max(b_top), a_right.min(b_right), a_bottom.min(b_bottom)]
}
