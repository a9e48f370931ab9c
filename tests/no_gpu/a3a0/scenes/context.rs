//! Settings of each context, and who set them.

use std::collections::BTreeMap;

use super::provenance::{NOTHING, NodeId};
use super::shaders::{LayoutKind, ShaderKind};
use crate::support::a3a0::{Bank, Stage};

/// A slot: who set it, to what; or who emptied it.
#[derive(Clone, Copy, Debug)]
pub struct Slot<T> {
    pub by: NodeId,
    pub value: Option<T>,
    /// Command that made it empty, or ended the name that it was set to.
    pub undone: NodeId,
    /// Command that had made the object that it held before it was emptied.
    pub held: NodeId,
    /// Set to a name that nothing had.
    pub is_unknown: bool,
}

impl<T> Default for Slot<T> {
    fn default() -> Self {
        Self { by: NOTHING, value: None, undone: NOTHING, held: NOTHING, is_unknown: false }
    }
}

impl<T> Slot<T> {
    pub fn set(by: NodeId, value: Option<T>) -> Self {
        Self { by, value, ..Self::default() }
    }

    /// Takes out what it holds, which stays to be seen: its setter and its creation were needed to have it emptied.
    pub fn empty(&mut self, undone: NodeId, held: NodeId) {
        *self = Self { by: self.by, undone, held, ..Self::default() };
    }
}

/// An object that is bound: the name it was bound by, and which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Named {
    /// Of this life of the name.
    pub name: u32,
    pub thing: Thing,
    /// Command that had made it, or imported it under this name, when it was bound.
    pub made: NodeId,
    pub is_alias: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Thing {
    Buffer(usize),
    Texture(usize),
    View(usize),
}

/// A buffer's range, as it is bound: for vertices the size is the stride.
#[derive(Clone, Copy, Debug)]
pub struct BoundRange {
    pub named: Named,
    pub offset: u32,
    pub size: u32,
}

#[derive(Clone, Copy, Debug)]
pub struct Shader {
    pub kind: ShaderKind,
    pub made: NodeId,
}

#[derive(Clone, Copy, Debug)]
pub struct Layout {
    pub kind: LayoutKind,
    pub made: NodeId,
}

/// A numbered state.
#[derive(Clone, Copy, Debug)]
pub struct RenderState {
    pub by: NodeId,
    pub value: u32,
    /// The first that set it to another value than 0.
    pub first_not_zero: NodeId,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct World {
    pub is_d3d9: bool,
    /// Command that decided it.
    pub by: [NodeId; 2],
    pub is_of_shader: bool,
}

pub const DEPTH_TARGET: usize = 8;

#[derive(Default)]
pub struct Context {
    pub shaders_by: NodeId,
    pub vs: Option<Shader>,
    pub ps: Option<Shader>,
    pub cs: Option<Shader>,
    pub constants: BTreeMap<(Stage, Bank, u32), NodeId>,
    pub layout: Slot<Layout>,
    pub blend: Slot<u8>,
    pub depth: Slot<(bool, bool, u32)>,
    pub raster: Slot<bool>,
    pub viewport: NodeId,
    pub scissor: NodeId,
    pub topology: NodeId,
    /// Eight colours, then depth.
    pub targets: [Slot<Named>; 9],
    pub vertex_buffers: BTreeMap<u32, Slot<BoundRange>>,
    pub index_buffer: Slot<BoundRange>,
    /// Textures and buffers that shaders read.
    pub resources: BTreeMap<(Stage, u32), Slot<BoundRange>>,
    pub samplers: BTreeMap<(Stage, u32), Slot<NodeId>>,
    pub constant_buffers: BTreeMap<(Stage, u32), Slot<BoundRange>>,
    pub uavs: BTreeMap<(Stage, u32), Slot<BoundRange>>,
    pub render_states: BTreeMap<u32, RenderState>,
    pub sampler_states: BTreeMap<(Stage, u32, u32), NodeId>,
    pub world: World,
    pub back_buffer: usize,
}

impl Context {
    /// A render state's value, `default` where 0 means that or nothing set it.
    pub fn render_state(&self, state: u32, default: u32, zero_is_default: bool) -> u32 {
        match self.render_states.get(&state) {
            Some(RenderState { value: 0, .. }) if zero_is_default => default,
            Some(state) => state.value,
            None => default,
        }
    }

    /// The mask of a colour target in Direct3D 9: a 0 counts only after another value, but that of the first target.
    pub fn mask_9(&self, target: usize) -> (u32, NodeId) {
        if target == 0 {
            return (self.render_state(168, 0xf, false), NOTHING);
        }
        let state = [168, 190, 191, 192].get(target).and_then(|state| self.render_states.get(state));
        match state {
            Some(RenderState { value: 0, first_not_zero, .. }) if *first_not_zero != NOTHING => (0, *first_not_zero),
            Some(RenderState { value, .. }) if *value != 0 => (*value, NOTHING),
            _ => (0xf, NOTHING),
        }
    }

    /// Notes a packet that only Direct3D 9 has.
    pub fn saw_legacy(&mut self, by: NodeId) {
        if !self.world.is_of_shader && !self.world.is_d3d9 {
            let by = [by, NOTHING];
            self.world = World { is_d3d9: true, by, is_of_shader: false };
        }
    }

    /// All slots that hold resources.
    pub fn ranges_mut(&mut self) -> impl Iterator<Item = &mut Slot<BoundRange>> {
        let Self { vertex_buffers, index_buffer, resources, constant_buffers, uavs, .. } = self;
        let staged = [resources, constant_buffers, uavs].into_iter().flat_map(|slots| slots.values_mut());
        vertex_buffers.values_mut().chain([index_buffer]).chain(staged)
    }
}
