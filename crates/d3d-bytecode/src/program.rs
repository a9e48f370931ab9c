//! A decoded program, the same for SM1 to SM5 and for every encoding.

use super::declaration::{DataRange, Declaration};
use super::instruction::{Instruction, TokenOffset};
use super::operand::{Operand, OperandValue, RegisterKind, RelativeId};
use super::signature::Signatures;
use super::slots::Slots;
use super::version::{Dialect, Producer, Version};

/// A program: what it declares and what it does, in the order of its tokens.
///
/// Operands lie in one array for all instructions and are reached through the program. Indices that add a register
/// keep it there too: [`Self::relative`]. Everything refers to what is in the program, so nothing that a file says can
/// lead outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    pub(super) version: Version,
    pub(super) dialect: Dialect,
    pub(super) producer: Producer,
    pub(super) file_offset: u64,
    pub(super) size_bytes: u32,
    pub(super) signatures: Signatures,
    pub(super) declarations: Vec<Declaration>,
    pub(super) instructions: Vec<Instruction>,
    pub(super) operands: Vec<Operand>,
    pub(super) relatives: Vec<Operand>,
    pub(super) data: Vec<u32>,
    pub(super) comments: Vec<Comment>,
    pub(super) declared: Slots,
    pub(super) named: Slots,
}

/// A comment of a Direct3D 9 program: a constant table, debug data, or whatever a compiler left there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comment {
    /// Where its token lies; its bytes follow.
    pub offset: TokenOffset,
    /// How many bytes follow.
    pub size_bytes: u32,
}

impl Program {
    /// Stage and shader model.
    pub fn version(&self) -> Version {
        self.version
    }

    /// How it was encoded.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Producer of the program; an application where it is none of Direct3D 9.
    pub fn producer(&self) -> Producer {
        self.producer
    }

    /// Bytes of its tokens, version token included.
    pub fn size_bytes(&self) -> u32 {
        self.size_bytes
    }

    /// Absolute file offset of a place in it.
    pub fn file_offset(&self, offset: TokenOffset) -> u64 {
        self.file_offset.saturating_add(u64::from(offset.0))
    }

    /// What flows in and out by name; empty for a bare token stream, whose declarations say it.
    pub fn signatures(&self) -> &Signatures {
        &self.signatures
    }

    /// What it declares, in order. Hull shaders declare more in each phase: the offsets tell to which one it belongs.
    pub fn declarations(&self) -> &[Declaration] {
        &self.declarations
    }

    /// What it does, in order.
    pub fn instructions(&self) -> &[Instruction] {
        &self.instructions
    }

    /// The operands of one of its instructions, results first.
    #[inline]
    pub fn operands(&self, instruction: &Instruction) -> &[Operand] {
        let first = instruction.operands.first as usize;
        self.operands.get(first..first + usize::from(instruction.operands.count)).unwrap_or_default()
    }

    /// The truth value without which one of its instructions writes nothing: `(p0.x)`, `(!p0.x)`.
    #[inline]
    pub fn predicate(&self, instruction: &Instruction) -> Option<&Operand> {
        let range = instruction.operands;
        range.is_predicated.then(|| self.operands.get(range.first as usize + usize::from(range.count))).flatten()
    }

    /// The first register of a constant buffer behind all that an operand names; nothing where one adds a register to the
    /// index.
    pub fn constants_end(&self, slot: u32) -> Option<u32> {
        let named = self.operands.iter().filter_map(|operand| match &operand.value {
            OperandValue::Register(register) if register.kind == RegisterKind::ConstantBuffer => {
                register.first_index().filter(|first| first.base == slot).and(register.last_index())
            }
            _ => None,
        });
        let ends = named.map(|index| index.relative.is_none().then(|| index.base.saturating_add(1)));
        ends.reduce(|end, other| Some(end?.max(other?))).unwrap_or(Some(0))
    }

    /// Every register that an index adds.
    pub(super) fn relatives(&self) -> &[Operand] {
        &self.relatives
    }

    /// The register that an index adds. Its own indices may add registers again.
    #[inline]
    pub fn relative(&self, id: RelativeId) -> Option<&Operand> {
        self.relatives.get(id.position())
    }

    /// The dwords of a declaration: four a register of an immediate constant buffer, function numbers of a table.
    pub fn data(&self, range: DataRange) -> &[u32] {
        let first = range.first as usize;
        self.data.get(first..first + range.count as usize).unwrap_or_default()
    }

    /// The comments among its tokens.
    pub fn comments(&self) -> &[Comment] {
        &self.comments
    }

    /// Whether another program says the same, wherever its tokens lie.
    pub fn is_same_code(&self, other: &Self) -> bool {
        let instruction = |of: &Instruction| Instruction { offset: TokenOffset::default(), ..*of };
        let declaration = |of: &Declaration| Declaration { offset: TokenOffset::default(), ..*of };
        (self.version, self.dialect, self.producer) == (other.version, other.dialect, other.producer)
            && self.signatures == other.signatures
            && self.declarations.iter().map(declaration).eq(other.declarations.iter().map(declaration))
            && self.instructions.iter().map(instruction).eq(other.instructions.iter().map(instruction))
            && (&self.operands, &self.relatives, &self.data) == (&other.operands, &other.relatives, &other.data)
    }

    /// The slots that its declarations name.
    pub fn declared_slots(&self) -> &Slots {
        &self.declared
    }

    /// The slots that its instructions may read or write, whether declared or not. An index that adds a register may
    /// reach every declared slot of its kind, or every one there is where none is declared.
    /// Constants that the program itself defines are read from no bank and not among them.
    pub fn used_slots(&self) -> &Slots {
        &self.named
    }
}
