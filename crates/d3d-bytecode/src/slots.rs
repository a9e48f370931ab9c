//! Which numbered slots and registers a program names.

use std::fmt;

use super::operand::{Index, Operand, OperandValue, Register, RegisterKind};

/// A set of slot numbers below [`SlotSet::CAPACITY`].
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct SlotSet([u64; 4]);

impl SlotSet {
    /// As many as any bank has: Direct3D 9 has 256 float constants, Direct3D 11 has 128 textures.
    pub const CAPACITY: u32 = 256;

    /// The slots from 0 up to, and without, `end`.
    pub fn below(end: u32) -> Self {
        let mut set = Self::default();
        for (word, first) in set.0.iter_mut().zip([0, 64, 128, 192]) {
            let count = end.saturating_sub(first).min(64);
            *word = if count == 64 { u64::MAX } else { (1 << count) - 1 };
        }
        set
    }

    /// Adds a slot; `false` if its number is beyond the capacity.
    #[inline]
    pub fn insert(&mut self, slot: u32) -> bool {
        match self.0.get_mut((slot / 64) as usize) {
            Some(word) => {
                *word |= 1 << (slot % 64);
                true
            }
            None => false,
        }
    }

    /// Whether a slot is in it.
    pub fn contains(&self, slot: u32) -> bool {
        self.0.get((slot / 64) as usize).is_some_and(|word| word & (1 << (slot % 64)) != 0)
    }

    /// Whether no slot is in it.
    pub fn is_empty(&self) -> bool {
        self.0 == [0; 4]
    }

    /// How many slots are in it.
    pub fn len(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// Its slots, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> + use<> {
        self.0.into_iter().zip([0, 64, 128, 192]).flat_map(|(word, first)| {
            let mut left = word;
            std::iter::from_fn(move || {
                let slot = (left != 0).then(|| first + left.trailing_zeros());
                left &= left.wrapping_sub(1);
                slot
            })
        })
    }

    /// The slots of either.
    pub fn union(self, other: Self) -> Self {
        let mut set = self;
        set.0.iter_mut().zip(other.0).for_each(|(word, other)| *word |= other);
        set
    }

    /// The slots that the other doesn't have.
    pub fn without(self, other: Self) -> Self {
        let mut set = self;
        set.0.iter_mut().zip(other.0).for_each(|(word, other)| *word &= !other);
        set
    }
}

impl FromIterator<u32> for SlotSet {
    /// The numbers that are within the capacity.
    fn from_iter<I: IntoIterator<Item = u32>>(slots: I) -> Self {
        let mut set = Self::default();
        for slot in slots {
            set.insert(slot);
        }
        set
    }
}

impl fmt::Debug for SlotSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// Slots of every kind, as a program declares them or as its instructions name them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slots {
    /// `v#`, `vicp#`: inputs.
    pub inputs: SlotSet,
    /// `t#` of Direct3D 9: texture coordinates that a pixel shader reads.
    pub texture_coordinates: SlotSet,
    /// `o#`, and `oC#` of Direct3D 9.
    pub outputs: SlotSet,
    /// `oD#`: colours that a vertex shader of SM1 or SM2 writes.
    pub output_colors: SlotSet,
    /// `oT#`: texture coordinates that a vertex shader of SM1 or SM2 writes.
    pub output_texture_coordinates: SlotSet,
    /// `vpc#`: values of a patch, read.
    pub patch_constants: SlotSet,
    /// `cb#`: constant buffers.
    pub constant_buffers: SlotSet,
    /// `t#`: textures and buffers that are read.
    pub resources: SlotSet,
    /// `s#`: samplers; in Direct3D 9 the textures too.
    pub samplers: SlotSet,
    /// `u#`: textures and buffers that are written.
    pub uavs: SlotSet,
    /// `u#` whose counter is counted up or down; a declaration does not say it.
    pub counters: SlotSet,
    /// `c#`: float constants of Direct3D 9.
    pub float_constants: SlotSet,
    /// `i#`: integer constants of Direct3D 9.
    pub integer_constants: SlotSet,
    /// `b#`: truth values of Direct3D 9.
    pub boolean_constants: SlotSet,
}

/// What an operand names.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Named {
    /// One slot, or none at all.
    Slot,
    /// Any slot of its kind: a register is added to the index.
    Any,
}

/// A register whose number is beyond what any device has.
pub(super) struct OutOfRange {
    pub kind: RegisterKind,
    pub found: u32,
    pub limit: u32,
}

impl Slots {
    /// Adds the slot that an operand names.
    #[inline]
    pub(super) fn insert(&mut self, operand: &Operand) -> Result<Named, OutOfRange> {
        match &operand.value {
            OperandValue::Register(register) => self.insert_register(register),
            _ => Ok(Named::Slot),
        }
    }

    #[inline]
    fn insert_register(&mut self, register: &Register) -> Result<Named, OutOfRange> {
        let kind = register.kind;
        let Some((set, limit)) = self.set_mut(kind) else { return Ok(Named::Slot) };
        let index = if kind == RegisterKind::ConstantBuffer { register.first_index() } else { register.last_index() };
        match index {
            // Registers of one kind without a number, as hull shaders' inputs may be declared.
            None => {}
            Some(Index { base, relative: None }) if base < limit => {
                set.insert(base);
            }
            Some(Index { base, relative: None }) => return Err(OutOfRange { kind, found: base, limit }),
            Some(Index { relative: Some(_), .. }) => return Ok(Named::Any),
        }
        Ok(Named::Slot)
    }

    /// Adds every slot of a kind that is declared; where none is, every one that there is.
    pub(super) fn insert_any(&mut self, kind: RegisterKind, declared: &mut Self) {
        let Some((set, limit)) = self.set_mut(kind) else { return };
        // The constants of Direct3D 9 are there undeclared, and those that are declared are no slots.
        let is_constant = matches!(kind, RegisterKind::Constant | RegisterKind::ConstantInteger);
        let any = match declared.set_mut(kind) {
            Some((declared, _)) if !declared.is_empty() && !is_constant => *declared,
            _ => SlotSet::below(limit),
        };
        *set = set.union(any);
    }

    /// The set that a kind of register belongs to, and how many registers of the kind there are.
    #[inline]
    pub(super) fn set_mut(&mut self, kind: RegisterKind) -> Option<(&mut SlotSet, u32)> {
        Some(match kind {
            RegisterKind::Input | RegisterKind::InputControlPoint => (&mut self.inputs, 32),
            RegisterKind::Output | RegisterKind::OutputColor => (&mut self.outputs, 32),
            RegisterKind::TextureCoordinate => (&mut self.texture_coordinates, 8),
            RegisterKind::OutputDiffuse => (&mut self.output_colors, 2),
            RegisterKind::OutputTextureCoordinate => (&mut self.output_texture_coordinates, 8),
            RegisterKind::PatchConstant => (&mut self.patch_constants, 32),
            RegisterKind::ConstantBuffer => (&mut self.constant_buffers, 16),
            RegisterKind::Resource => (&mut self.resources, 128),
            RegisterKind::Sampler => (&mut self.samplers, 16),
            RegisterKind::Uav => (&mut self.uavs, 64),
            RegisterKind::Constant => (&mut self.float_constants, 256),
            RegisterKind::ConstantInteger => (&mut self.integer_constants, 16),
            RegisterKind::ConstantBoolean => (&mut self.boolean_constants, 16),
            _ => return None,
        })
    }

    /// The slots of either.
    pub fn union(self, other: Self) -> Self {
        Self {
            inputs: self.inputs.union(other.inputs),
            texture_coordinates: self.texture_coordinates.union(other.texture_coordinates),
            outputs: self.outputs.union(other.outputs),
            output_colors: self.output_colors.union(other.output_colors),
            output_texture_coordinates: self.output_texture_coordinates.union(other.output_texture_coordinates),
            patch_constants: self.patch_constants.union(other.patch_constants),
            constant_buffers: self.constant_buffers.union(other.constant_buffers),
            resources: self.resources.union(other.resources),
            samplers: self.samplers.union(other.samplers),
            uavs: self.uavs.union(other.uavs),
            counters: self.counters.union(other.counters),
            float_constants: self.float_constants.union(other.float_constants),
            integer_constants: self.integer_constants.union(other.integer_constants),
            boolean_constants: self.boolean_constants.union(other.boolean_constants),
        }
    }
}
