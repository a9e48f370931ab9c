//! Resources that could not be made, and the commands that use one of them.
//!
//! Whether a resource fits a device is known to whoever draws alone, so that the state of submissions has it all the same
//! and later commands name it. Where playing goes on, these are refused in their turn.

use foldhash::HashMap;

use super::bindings::resources_of;
use crate::command::Location;
use crate::error::{Classified, ErrorKind};
use crate::gpu::error::GpuError;
use crate::replay::{DeviceOp, DrawState, DrawTargets, ObjectKey};

/// Resources that could not be made, by where and how that was refused.
#[derive(Default)]
pub(super) struct RefusedResources(HashMap<ObjectKey, (Location, ErrorKind)>);

impl RefusedResources {
    /// Notes that `object` could not be made.
    #[cold]
    pub(super) fn add(&mut self, object: ObjectKey, at: Location, error: &GpuError) {
        self.0.insert(object, (at, error.kind()));
    }

    /// Refuses an op that uses a resource which could not be made.
    #[inline]
    pub(super) fn check(&self, op: &DeviceOp, at: Location) -> Result<(), GpuError> {
        if self.0.is_empty() { Ok(()) } else { self.check_each(op, at) }
    }

    #[cold]
    fn check_each(&self, op: &DeviceOp, at: Location) -> Result<(), GpuError> {
        let used = used_by(op).into_iter().find_map(|object| self.0.get(&object));
        match used {
            Some((made_at, kind)) => Err(GpuError::NotMade { at, made_at: *made_at, kind: *kind }),
            None => Ok(()),
        }
    }
}

/// Returns the resources that an op uses, but for one that it makes.
fn used_by(op: &DeviceOp) -> Vec<ObjectKey> {
    match op {
        DeviceOp::CreateBuffer { .. } | DeviceOp::CreateTexture { .. } | DeviceOp::Drop { .. } => Vec::new(),
        DeviceOp::Write { resource, .. } => vec![*resource],
        DeviceOp::SetCounter { buffer, .. } => vec![*buffer],
        DeviceOp::CopyBuffer(copy) => vec![copy.to, copy.from],
        DeviceOp::CopyTexture(copy) => vec![copy.to, copy.from],
        DeviceOp::Clear(clear) => drawn_to(&clear.targets).collect(),
        DeviceOp::Draw { state, .. } => used_by_draw(state),
        DeviceOp::Dispatch { state, .. } => resources_of(&state.bindings),
        DeviceOp::Present { source, .. } => source.iter().map(|source| source.texture).collect(),
    }
}

fn used_by_draw(state: &DrawState) -> Vec<ObjectKey> {
    let vertices = state.inputs.iter().filter_map(|input| input.buffer);
    let indices = state.indices.iter().map(|indices| indices.buffer);
    let bound = [&state.vertex_bindings, &state.pixel_bindings].into_iter().flat_map(resources_of);
    drawn_to(&state.targets).chain(vertices).chain(indices).chain(bound).collect()
}

fn drawn_to(targets: &DrawTargets) -> impl Iterator<Item = ObjectKey> + '_ {
    targets.colors.iter().chain([&targets.depth_stencil]).flatten().map(|target| target.texture)
}
