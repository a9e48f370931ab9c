//! The state of one context: what each slot holds and each setting says, and which command said so.
//!
//! A slot that nothing was bound to was set by nobody. One that is empty because what it held was destroyed, or was
//! bound elsewhere, was set by whatever did that.

use std::sync::Arc;

use super::draw_uses::{DirtyGroups, UseGroup, UseGroups};
use super::effect::{EarlierCommand, ObjectKey};
use super::layout::Layout;
use super::objects::Named;
use super::shader::Shader;
use crate::command::{
    CreateSampler, IndexFormat, MOST_COLOR_TARGETS, SetBlend, SetDepthStencil, SetRasterizer, SetScissor, ShaderStage,
    Topology, Viewport,
};
use crate::error::Internal;
use crate::replay::fixed_state::{
    DEFAULT_BLEND, DEFAULT_DEPTH_STENCIL, DEFAULT_RASTERIZER, RenderStates, SamplerStates,
};
use crate::replay::index::Writers;

/// A slot for a resource or a view.
#[derive(Clone, Copy, Debug, Default)]
pub struct Slot {
    /// The handle bound, 0 for none.
    pub handle: u32,
    /// What it meant then.
    pub named: Named,
    /// The command that made what is bound, or destroyed it before it was bound.
    pub(super) named_by: EarlierCommand,
    /// The command that set the slot.
    pub(super) set_by: EarlierCommand,
    /// The command that had bound what `set_by` took away.
    pub(super) undone: EarlierCommand,
    /// Without these it would not have been taken away: what made the other side of it, and what has decided the world.
    pub(super) because: [EarlierCommand; 3],
}

impl Slot {
    /// The commands that what the slot holds depends on.
    pub(super) fn depends_on(&self) -> [EarlierCommand; 6] {
        let [made_by, decided_by, decided_by_shader] = self.because;
        [self.set_by, self.named_by, self.undone, made_by, decided_by, decided_by_shader]
    }

    /// The command `by` takes away what the slot holds.
    pub(super) fn emptied(&self, by: EarlierCommand) -> Self {
        let because = [EarlierCommand::NONE; 3];
        Self { handle: 0, named: Named::Nothing, named_by: self.named_by, set_by: by, undone: self.set_by, because }
    }
}

/// A slot for a part of a buffer.
#[derive(Clone, Copy, Debug, Default)]
pub struct BufferSlotState {
    /// The buffer.
    pub slot: Slot,
    /// Where the part starts.
    pub offset_bytes: u32,
    /// Its length, 0 for up to the end; of vertices the distance from one to the next.
    pub size_bytes: u32,
}

/// A setting and the command that made it.
#[derive(Clone, Copy, Debug)]
pub struct Setting<T> {
    /// What it says.
    pub value: T,
    /// The command that set it.
    pub(super) set_by: EarlierCommand,
}

impl<T> Setting<T> {
    fn unset(value: T) -> Self {
        Self { value, set_by: EarlierCommand::NONE }
    }
}

/// An object that slots keep, whatever becomes of its handle.
#[derive(Clone, Debug)]
pub struct Kept<T> {
    /// The handle bound, 0 for none.
    pub handle: u32,
    /// The object; nothing where the handle meant none.
    pub object: Option<T>,
    pub(super) made_by: EarlierCommand,
}

impl<T> Kept<T> {
    /// The number of the command that made the object.
    pub fn made_by(&self) -> Option<u32> {
        self.made_by.get()
    }
}

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Self { handle: 0, object: None, made_by: EarlierCommand::NONE }
    }
}

/// What a stage's shader can name.
#[derive(Default)]
pub struct StageSlots {
    /// `t#`: textures, and buffers that are read; the textures of Direct3D 9.
    pub resources: Vec<BufferSlotState>,
    /// `s#` of Direct3D 10 and 11.
    pub(super) samplers: Vec<(Kept<CreateSampler>, EarlierCommand)>,
    /// `cb#`.
    pub constants: Vec<BufferSlotState>,
    /// `u#`.
    pub uavs: Vec<BufferSlotState>,
    /// The sampler states of Direct3D 9.
    pub sampler_states: Vec<SamplerSlotStates>,
    /// The banks of constants.
    pub banks: [Bank; 3],
}

/// The states of one sampler of Direct3D 9.
#[derive(Clone, Default)]
pub struct SamplerSlotStates {
    /// What they say.
    pub states: SamplerStates,
    /// Who set them, by number.
    pub(super) set_by: [EarlierCommand; SAMPLER_STATES],
}

impl SamplerSlotStates {
    /// The command that set a state.
    pub(super) fn set_by(&self, state: u32) -> EarlierCommand {
        self.set_by.get(state as usize).map_or(EarlierCommand::NONE, |set_by| *set_by)
    }
}

/// Sampler states of Direct3D 9 have numbers below this.
pub(super) const SAMPLER_STATES: usize = 14;

/// A bank of constants: who set which registers, and what they hold.
#[derive(Default)]
pub struct Bank {
    /// Kept where references are wanted: playing asks for none.
    pub(super) writers: Writers,
    /// Up to the last register that was ever set.
    pub(super) values: Vec<u8>,
}

impl Bank {
    /// Sets registers from `first` on, each of `size` bytes.
    pub(super) fn set(&mut self, first: u32, values: &[u8], size: usize) -> Result<(), Internal> {
        let start = first as usize * size;
        let end = start + values.len();
        if self.values.len() < end {
            self.values.resize(end, 0);
        }
        let lost = Internal::new("a constant bank is too small for its constants");
        self.values.get_mut(start..end).ok_or(lost)?.copy_from_slice(values);
        Ok(())
    }
}

/// What decides which Direct3D a command outside of draws belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum World {
    /// Direct3D 9: render states, sampler states, constant banks.
    Direct3d9,
    /// Direct3D 10 and 11.
    #[default]
    Direct3d11,
}

/// The world outside of draws, and the commands that have decided it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Decided {
    pub world: World,
    pub by: [EarlierCommand; 2],
    /// Whether a vertex shader has decided it, so that legacy packets don't.
    pub is_final: bool,
}

/// The targets.
#[derive(Clone, Copy, Debug, Default)]
pub struct Targets {
    /// Colours.
    pub colors: [Slot; MOST_COLOR_TARGETS],
    /// Depth and stencil.
    pub depth_stencil: Slot,
}

impl Targets {
    /// Every target's slot.
    pub(super) fn all(&self) -> impl Iterator<Item = &Slot> {
        self.colors.iter().chain([&self.depth_stencil])
    }

    /// Whether anything is bound.
    pub(super) fn is_empty(&self) -> bool {
        self.all().all(|slot| slot.named == Named::Nothing)
    }
}

/// Everything that SET commands set.
pub struct Context {
    /// What it draws to while nothing is bound.
    pub back_buffer: ObjectKey,
    /// By [`ShaderStage::ALL`].
    pub shaders: [Kept<Arc<Shader>>; 6],
    pub(super) shaders_set_by: EarlierCommand,
    /// The layout of vertices.
    pub layout: Setting<Kept<Arc<Layout>>>,
    /// Vertex buffers; `size_bytes` is the stride.
    pub vertex_buffers: Vec<BufferSlotState>,
    /// The index buffer.
    pub indices: Setting<(BufferSlotState, IndexFormat)>,
    /// What vertices form.
    pub topology: Setting<Topology>,
    /// The targets.
    pub targets: Targets,
    /// The rectangle that clip space maps to; nothing for the whole target.
    pub viewport: Setting<Option<Viewport>>,
    /// The scissor.
    pub scissor: Setting<Option<SetScissor>>,
    /// Blending in Direct3D 10 and 11.
    pub blend: Setting<SetBlend>,
    /// Depth and stencil in Direct3D 10 and 11.
    pub depth_stencil: Setting<SetDepthStencil>,
    /// Rasterizing in Direct3D 10 and 11.
    pub rasterizer: Setting<SetRasterizer>,
    /// The render states of Direct3D 9.
    pub render_states: RenderStates,
    pub(super) render_states_set_by: Box<[EarlierCommand; RENDER_STATES]>,
    /// By [`RenderStates::MASKS`]: what first set one to something other than 0, since when a 0 counts.
    pub(super) masks_opened_by: [EarlierCommand; RenderStates::MASKS.len()],
    /// By [`ShaderStage::ALL`].
    pub stages: [StageSlots; 6],
    pub(super) decided: Decided,
    /// The groups of what draws use of which something was set since it was collected last.
    pub(super) stale: UseGroups,
    /// The groups of which something was set since a draw was checked last.
    pub(super) unchecked: UseGroups,
    /// Whether the draw that was checked last had indices.
    pub(super) is_checked_indexed: bool,
    /// Whether the depth surface of that draw was of another size than its colour targets.
    pub(super) has_unfit_depth: bool,
    /// Groups set since a draw was resolved; render states are fixed state.
    pub(super) unresolved: DirtyGroups,
}

/// Render states of Direct3D 9 have numbers below this.
pub(super) const RENDER_STATES: usize = 256;

impl Context {
    pub(super) fn new(back_buffer: ObjectKey) -> Self {
        Self {
            back_buffer,
            shaders: Default::default(),
            shaders_set_by: EarlierCommand::NONE,
            layout: Setting::unset(Kept::default()),
            vertex_buffers: Vec::new(),
            indices: Setting::unset((BufferSlotState::default(), IndexFormat::Uint16)),
            topology: Setting::unset(Topology::TriangleList),
            targets: Targets::default(),
            viewport: Setting::unset(None),
            scissor: Setting::unset(None),
            blend: Setting::unset(DEFAULT_BLEND),
            depth_stencil: Setting::unset(DEFAULT_DEPTH_STENCIL),
            rasterizer: Setting::unset(DEFAULT_RASTERIZER),
            render_states: RenderStates::default(),
            render_states_set_by: Box::new([EarlierCommand::NONE; RENDER_STATES]),
            masks_opened_by: [EarlierCommand::NONE; RenderStates::MASKS.len()],
            stages: Default::default(),
            decided: Decided::default(),
            stale: UseGroups::ALL,
            unchecked: UseGroups::ALL,
            is_checked_indexed: false,
            has_unfit_depth: false,
            unresolved: DirtyGroups::of(UseGroups::ALL),
        }
    }

    /// Notes that these groups were set, of whichever stages.
    pub(super) fn touch(&mut self, groups: UseGroups) {
        self.note(groups, DirtyGroups::of(groups));
    }

    /// Notes that these groups of one stage were set.
    pub(super) fn touch_stage(&mut self, groups: UseGroups, stage: ShaderStage) {
        self.note(groups, DirtyGroups::of_stage(groups, stage));
    }

    fn note(&mut self, groups: UseGroups, dirty: DirtyGroups) {
        self.stale = self.stale.union(groups);
        self.unchecked = self.unchecked.union(groups);
        self.unresolved = self.unresolved.union(dirty);
    }

    /// Shaders were bound; whether the vertex shader is another one. All that draws use depends on them; what is resolved for
    /// draws tells itself what does.
    pub(super) fn touch_shaders(&mut self, has_other_vertex: bool) {
        self.stale = UseGroups::ALL;
        self.unchecked.insert(UseGroup::Shaders);
        if has_other_vertex {
            self.unchecked.insert(UseGroup::Vertices);
        }
        self.unresolved = self.unresolved.union(DirtyGroups::of(UseGroups::of(&[UseGroup::Shaders])));
    }

    /// A render state was set that decides nothing about targets.
    pub(super) fn touch_render_state(&mut self) {
        self.unresolved = self.unresolved.union(DirtyGroups::of(UseGroups::of(&[UseGroup::Fixed])));
    }

    /// The slots of a stage.
    pub fn stage(&self, stage: ShaderStage) -> &StageSlots {
        of_stage(self.stages.each_ref(), stage)
    }

    pub(super) fn stage_mut(&mut self, stage: ShaderStage) -> &mut StageSlots {
        of_stage(self.stages.each_mut(), stage)
    }

    /// The shader of a stage.
    pub fn shader(&self, stage: ShaderStage) -> &Kept<Arc<Shader>> {
        of_stage(self.shaders.each_ref(), stage)
    }

    /// The command with this number, the last of all, has set a render state.
    pub(super) fn note_render_state(&mut self, state: u32, value: u32, number: EarlierCommand) {
        for (mask, opened_by) in RenderStates::MASKS.into_iter().zip(&mut self.masks_opened_by) {
            if mask == state && value != 0 && *opened_by == EarlierCommand::NONE {
                *opened_by = number;
            }
        }
        // Direct3D 9 has no states of higher numbers: they are ignored.
        // silent: Direct3D 9 has no states of higher numbers: they are ignored
        if let Some(set_by) = self.render_states_set_by.get_mut(state as usize) {
            *set_by = number;
        }
    }

    /// Direct3D 9 decides from here on, unless a vertex shader has decided.
    pub(super) fn see_legacy_packet(&mut self, number: EarlierCommand) {
        if !self.decided.is_final && self.decided.by == [EarlierCommand::NONE; 2] {
            let by = [number, EarlierCommand::NONE];
            self.decided = Decided { world: World::Direct3d9, by, is_final: false };
        }
    }

    /// Every slot that holds a resource or a view.
    pub(super) fn slots_mut(&mut self) -> impl Iterator<Item = &mut Slot> {
        let Targets { colors, depth_stencil } = &mut self.targets;
        let targets = colors.iter_mut().chain([depth_stencil]);
        let stages = self.stages.iter_mut().flat_map(|stage| {
            let StageSlots { resources, constants, uavs, .. } = stage;
            resources.iter_mut().chain(constants).chain(uavs)
        });
        let buffers = self.vertex_buffers.iter_mut().chain([&mut self.indices.value.0]).chain(stages);
        targets.chain(buffers.map(|buffer| &mut buffer.slot))
    }
}

/// The one of a stage, of those in the order of [`ShaderStage::ALL`].
fn of_stage<T>([vertex, fragment, compute, geometry, hull, domain]: [T; 6], stage: ShaderStage) -> T {
    match stage {
        ShaderStage::Vertex => vertex,
        ShaderStage::Fragment => fragment,
        ShaderStage::Compute => compute,
        ShaderStage::Geometry => geometry,
        ShaderStage::Hull => hull,
        ShaderStage::Domain => domain,
    }
}

/// What a slot holds; one beyond those that were ever set holds nothing.
pub(super) fn slot_of<T: Clone + Default>(slots: &[T], slot: u32) -> T {
    // silent: what was never set holds nothing
    slots.get(slot as usize).cloned().unwrap_or_default()
}

/// The slot, which from here on is among those that were set.
pub(super) fn slot_mut<T: Clone + Default>(slots: &mut Vec<T>, slot: u32) -> Option<&mut T> {
    let slot = slot as usize;
    if slots.len() <= slot {
        slots.resize(slot + 1, T::default());
    }
    slots.get_mut(slot)
}
