//! Remarks on draws: stages of Direct3D 10 and 11 that do not agree on names, and what the API draws by a rule of its own.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::resolve::{DeviceOp, DrawState, ValueNumber};
use super::shader::{Shader, ShaderSlots};
use crate::bytes::Diagnostics;
use crate::command::{FillMode, Location, Topology};
use crate::shader::d3d::linked_by_register;

/// Remarks that were made, and those to make.
#[derive(Default)]
pub(in crate::replay) struct DrawRemarks {
    /// The pipeline state of the last draw.
    last: Option<ValueNumber>,
    /// Pairs of shaders that were remarked on.
    told: BTreeSet<[[u8; 32]; 2]>,
    /// A remark on lines, until it is made.
    lines: Option<LineRemark>,
}

/// A remark on the first draw of lines that a device draws by another rule than Direct3D's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineRemark {
    /// The remark.
    pub what: &'static str,
    /// Whether it is of lines with flat values alone.
    pub is_of_flat_values: bool,
}

impl DrawRemarks {
    /// Has lines remarked on.
    pub(in crate::replay) fn remark_on_lines(&mut self, remark: LineRemark) {
        self.lines = Some(remark);
    }

    /// Looks at the draws of a command, and remarks once on each pair of shaders that is linked by registers, and once on
    /// lines.
    pub(in crate::replay) fn look(&mut self, ops: &[DeviceOp], at: Location, diagnostics: &mut Diagnostics) {
        for op in ops {
            if let DeviceOp::Draw { state, .. } = op
                && self.last != Some(state.outline)
            {
                self.last = Some(state.outline);
                self.look_at_draw(state, at, diagnostics);
            }
        }
    }

    #[cold]
    fn look_at_draw(&mut self, state: &DrawState, at: Location, diagnostics: &mut Diagnostics) {
        let is_meant =
            |remark: &mut LineRemark| draws_lines(state) && (!remark.is_of_flat_values || state.has_flat_values());
        if let Some(LineRemark { what, .. }) = self.lines.take_if(is_meant) {
            diagnostics.remark(at.offset, what);
        }
        // A draw whose shaders cannot be read was refused.
        if let (Some(Ok(vertex)), Some(Ok(pixel))) = (program(&state.vertex), program(&state.pixel)) {
            let inputs = linked_by_register(&vertex.decoded, &pixel.decoded);
            if !inputs.is_empty() && self.told.insert([vertex.digest, pixel.digest]) {
                let inputs = inputs.join(", ");
                let what = format!("the vertex shader has no output named {inputs}: it is matched by its register");
                diagnostics.remark(at.offset, what);
            }
        }
    }
}

fn draws_lines(state: &DrawState) -> bool {
    match state.topology {
        Topology::LineList | Topology::LineStrip => true,
        Topology::TriangleList | Topology::TriangleStrip | Topology::TriangleFan => {
            state.fixed.raster.fill == FillMode::Wireframe
        }
        _ => false,
    }
}

fn program(shader: &Option<Arc<Shader>>) -> Option<Result<&ShaderSlots, &str>> {
    shader.as_ref().map(|shader| shader.program.as_ref().map_err(AsRef::as_ref))
}
