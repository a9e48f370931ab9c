//! What draws of a context use, in groups: what was set since the last draw makes its own group anew, and leaves the others.
//!
//! ```text
//!  SET_TEXTURE ──marks──► Slots ──at the next draw──► references and accesses of the group, looked at anew
//! ```
//!
//! Render states are in no group. There are many of them, and what is in force at a draw is known from when each was set.

use super::effect::{Access, Effect};
use super::vertices::VertexSource;
use crate::command::ShaderStage;
use crate::replay::fixed_state::TargetAccess;

/// A group of what draws use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::replay) enum UseGroup {
    /// The shaders, on which all else depends.
    Shaders,
    /// Fixed state but for render states, and what it is applied to.
    Fixed,
    /// The targets.
    Targets,
    /// What shaders name in slots of resources, constant buffers and UAVs.
    Slots,
    /// Samplers, and the sampler states of Direct3D 9.
    Samplers,
    /// Banks of constants.
    Constants,
    /// The layout, and the buffers of vertices and indices.
    Vertices,
}

impl UseGroup {
    /// Every group, in the order in which a draw looks at them.
    pub(in crate::replay) const ALL: [Self; 7] =
        [Self::Shaders, Self::Fixed, Self::Targets, Self::Slots, Self::Samplers, Self::Constants, Self::Vertices];
}

/// Some groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::replay) struct UseGroups(u8);

impl UseGroups {
    /// None.
    pub(in crate::replay) const NONE: Self = Self(0);
    /// Every group.
    pub(in crate::replay) const ALL: Self = Self((1 << UseGroup::ALL.len()) - 1);

    /// These.
    pub(super) const fn of(groups: &[UseGroup]) -> Self {
        let (mut bits, mut left) = (0, groups);
        while let [group, rest @ ..] = left {
            bits |= 1 << *group as u8;
            left = rest;
        }
        Self(bits)
    }

    /// Both together.
    pub(super) const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Those of them that are among others.
    pub(super) const fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Puts in one more.
    pub(super) fn insert(&mut self, group: UseGroup) {
        self.0 |= 1 << group as u8;
    }

    /// Whether a group is among them.
    pub(in crate::replay) const fn contains(self, group: UseGroup) -> bool {
        self.0 >> group as u8 & 1 != 0
    }
}

/// Groups of which something was set, by stage: a byte for each stage, and one for groups that no stage has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DirtyGroups(u64);

impl DirtyGroups {
    pub(super) const NONE: Self = Self(0);

    /// These groups, of every stage.
    pub(super) const fn of(groups: UseGroups) -> Self {
        Self(groups.0 as u64 * 0x0101_0101_0101_0101)
    }

    /// These groups of one stage.
    pub(super) const fn of_stage(groups: UseGroups, stage: ShaderStage) -> Self {
        Self((groups.0 as u64) << (8 * (stage as u8 + 1)))
    }

    pub(super) const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The groups that no stage has.
    pub(super) const fn shared(self) -> UseGroups {
        UseGroups(self.0 as u8)
    }

    /// The groups of a stage.
    pub(super) const fn stage(self, stage: ShaderStage) -> UseGroups {
        UseGroups((self.0 >> (8 * (stage as u8 + 1))) as u8)
    }
}

/// What a draw uses of one group.
#[derive(Clone, Debug, Default)]
pub(in crate::replay) struct GroupUses {
    /// Numbers of the commands without which it has no meaning, ascending.
    pub references: Vec<u32>,
    /// What it reads and writes.
    pub accesses: Vec<Access>,
}

/// What the last draw of a context used, but for its vertices.
#[derive(Debug)]
pub(in crate::replay) struct DrawUses {
    groups: [GroupUses; UseGroup::ALL.len()],
    /// The groups that are other than at the draw before.
    pub(super) changed: UseGroups,
    /// Whether the render states in force count.
    pub(super) counts_render_states: bool,
    pub(super) target_use: TargetUse,
    pub(super) sources: Vec<VertexSource>,
    pub(super) is_indexed: bool,
}

/// What fixed state makes of targets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct TargetUse {
    /// By the bits: the colour targets that are written.
    pub colors: u8,
    pub depth: TargetAccess,
    pub stencil: TargetAccess,
}

impl Default for DrawUses {
    fn default() -> Self {
        Self {
            groups: Default::default(),
            changed: UseGroups::ALL,
            counts_render_states: false,
            target_use: TargetUse::default(),
            sources: Vec::new(),
            is_indexed: false,
        }
    }
}

impl DrawUses {
    /// The groups, in the order of [`UseGroup::ALL`].
    pub(in crate::replay) fn groups(&self) -> &[GroupUses; UseGroup::ALL.len()] {
        &self.groups
    }

    /// The groups that are other than at the last draw of the context that could be carried out.
    pub(in crate::replay) fn changed(&self) -> UseGroups {
        self.changed
    }

    /// Whether the render states in force count.
    pub(in crate::replay) fn counts_render_states(&self) -> bool {
        self.counts_render_states
    }

    /// Takes over what an effect has collected of a group, and leaves it empty.
    pub(super) fn take(&mut self, group: UseGroup, effect: &mut Effect) {
        effect.finish();
        for uses in self.groups.iter_mut().skip(group as usize).take(1) {
            if uses.references != effect.references || uses.accesses != effect.accesses {
                std::mem::swap(&mut uses.references, &mut effect.references);
                std::mem::swap(&mut uses.accesses, &mut effect.accesses);
                self.changed.insert(group);
            }
        }
        effect.references.clear();
        effect.accesses.clear();
    }

    /// Adds what the groups before `group` refer to: it has been decided by all of them that the draw cannot be carried out.
    pub(super) fn refer_before(&self, group: UseGroup, effect: &mut Effect) {
        for uses in self.groups.iter().take(group as usize) {
            effect.references.extend_from_slice(&uses.references);
        }
    }
}
