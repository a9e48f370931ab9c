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
    /// Remarks on what the device draws, until they are made.
    of_device: Vec<DeviceRemark>,
}

/// A remark on the first draw of a kind that a device draws otherwise than other devices or Direct3D.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceRemark {
    /// The remark.
    pub what: &'static str,
    /// The draws that it is about.
    pub about: RemarkedDraws,
}

/// Kinds of draws that devices draw in different ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RemarkedDraws {
    /// Lines.
    Lines,
    /// Lines with values that come from one end.
    FlatLines,
    /// Filled triangles, between whose corners values are interpolated.
    Triangles,
}

impl RemarkedDraws {
    fn have(self, state: &DrawState) -> bool {
        match self {
            Self::Lines => draws_lines(state),
            Self::FlatLines => draws_lines(state) && state.has_flat_values(),
            Self::Triangles => is_of_triangles(state.topology) && !draws_lines(state),
        }
    }
}

impl DrawRemarks {
    /// Has the draws remarked on that a device draws in its own way.
    pub(in crate::replay) fn remark_on(&mut self, remarks: &[DeviceRemark]) {
        self.of_device = remarks.to_vec();
    }

    /// Whether there is a draw of some kind to be remarked on.
    #[inline]
    pub(in crate::replay) fn awaits_device_draws(&self) -> bool {
        !self.of_device.is_empty()
    }

    /// Remarks on a draw of Appendix A, which has triangles alone.
    #[cold]
    pub(in crate::replay) fn remark_on_triangles(&mut self, at: Location, diagnostics: &mut Diagnostics) {
        self.make(|about| about == RemarkedDraws::Triangles, at, diagnostics);
    }

    /// Makes the remarks on draws of the kinds that are meant, each once.
    fn make(&mut self, is_meant: impl Fn(RemarkedDraws) -> bool, at: Location, diagnostics: &mut Diagnostics) {
        self.of_device.retain(|DeviceRemark { what, about }| {
            let is_meant = is_meant(*about);
            if is_meant {
                diagnostics.remark(at.offset, *what);
            }
            !is_meant
        });
    }

    /// Looks at the draws of a command, and remarks once on each pair of shaders that is linked by registers, and once on
    /// each kind of draw that the device draws in its own way.
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
        self.make(|about| about.have(state), at, diagnostics);
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
        topology => is_of_triangles(topology) && state.fixed.raster.fill == FillMode::Wireframe,
    }
}

fn is_of_triangles(topology: Topology) -> bool {
    matches!(topology, Topology::TriangleList | Topology::TriangleStrip | Topology::TriangleFan)
}

fn program(shader: &Option<Arc<Shader>>) -> Option<Result<&ShaderSlots, &str>> {
    shader.as_ref().map(|shader| shader.program.as_ref().map_err(AsRef::as_ref))
}
