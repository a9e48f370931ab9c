//! Remarks on draws of Direct3D 10 and 11 whose stages do not agree on names.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::resolve::{DeviceOp, DrawState, ValueNumber};
use super::shader::{Shader, ShaderSlots};
use crate::bytes::Diagnostics;
use crate::command::Location;
use crate::shader::d3d::linked_by_register;

/// Pairs of shaders on which a remark was made.
#[derive(Default)]
pub(in crate::replay) struct LinkRemarks {
    /// The pipeline state of the last draw.
    last: Option<ValueNumber>,
    told: BTreeSet<[[u8; 32]; 2]>,
}

impl LinkRemarks {
    /// Looks at the draws of a command, and remarks once on each pair of shaders that is linked by registers.
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

fn program(shader: &Option<Arc<Shader>>) -> Option<Result<&ShaderSlots, &str>> {
    shader.as_ref().map(|shader| shader.program.as_ref().map_err(AsRef::as_ref))
}
