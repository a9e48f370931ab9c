//! What all decoders put their programs together with.

use super::declaration::{DataRange, Declaration, DeclarationKind, ResourceShape};
use super::error::BytecodeError;
use super::instruction::{Control, Instruction, Modifiers, OperandRange, TokenOffset};
use super::nesting::Nesting;
use super::opcode::Opcode;
use super::operand::{Operand, OperandValue, RegisterKind, RelativeId};
use super::program::{Comment, Program};
use super::signature::Signatures;
use super::slots::{Named, OutOfRange, SlotSet, Slots};
use super::version::{Dialect, Producer, Version};
use crate::limits::MAX_BYTECODE_BYTES;

/// An instruction without its operands.
pub(super) struct InstructionHead {
    pub opcode: Opcode,
    pub offset: TokenOffset,
    pub modifiers: Modifiers,
    pub control: Control,
}

/// A program in the making. Operands are added first, then the instruction that takes them.
pub(super) struct ProgramBuilder {
    program: Program,
    nesting: Nesting,
    /// Operands that no instruction has taken yet begin here.
    pending: usize,
    /// Kinds of registers of which any slot may be meant.
    any: Vec<RegisterKind>,
    /// The `u#` that are declared with a type.
    typed_uavs: SlotSet,
}

impl ProgramBuilder {
    /// An empty program of `size_bytes` at an absolute file offset. Room is made for as many instructions and operands as
    /// usually follow: an instruction of SM4 is eight dwords with three operands, one of SM1 to SM3 four with three.
    pub(crate) fn new(
        version: Version,
        dialect: Dialect,
        file_offset: u64,
        size_bytes: usize,
    ) -> Result<Self, BytecodeError> {
        let Some(size_bytes) = u32::try_from(size_bytes).ok().filter(|size| u64::from(*size) <= MAX_BYTECODE_BYTES)
        else {
            let (what, found, limit) = ("bytecode", size_bytes as u64, MAX_BYTECODE_BYTES);
            return Err(BytecodeError::OverLimit { what, found, limit, offset: file_offset });
        };
        let (bytes_an_instruction, bytes_an_operand) = if version.is_d3d9() { (12, 5) } else { (20, 8) };
        let program = Program {
            version,
            dialect,
            producer: Producer::Application,
            file_offset,
            size_bytes,
            signatures: Signatures::default(),
            declarations: Vec::new(),
            instructions: Vec::with_capacity(size_bytes as usize / bytes_an_instruction),
            operands: Vec::with_capacity(size_bytes as usize / bytes_an_operand),
            relatives: Vec::new(),
            data: Vec::new(),
            comments: Vec::new(),
            declared: Slots::default(),
            named: Slots::default(),
        };
        Ok(Self { program, nesting: Nesting::new(), pending: 0, any: Vec::new(), typed_uavs: SlotSet::default() })
    }

    pub(crate) fn version(&self) -> Version {
        self.program.version
    }

    /// Absolute file offset of a place in the program.
    #[inline]
    pub(crate) fn file_offset(&self, offset: TokenOffset) -> u64 {
        self.program.file_offset(offset)
    }

    /// Adds an operand for the next instruction. It is named where it lies by then: an operand is put together of single
    /// bytes, and a processor that copies it in larger pieces right away waits until they are all written, which took
    /// half of the time of decoding.
    #[inline(always)]
    pub(crate) fn operand(&mut self, operand: Operand, at: TokenOffset) -> Result<(), BytecodeError> {
        self.program.operands.push(operand);
        let Program { operands, named, .. } = &mut self.program;
        let found = operands.last().map_or(Ok(Named::Slot), |operand| named.insert(operand));
        if matches!(found, Ok(Named::Slot)) { Ok(()) } else { self.note_named(found, operand.kind(), at) }
    }

    /// Adds an operand that names no slot for the next instruction.
    #[inline(always)]
    pub(crate) fn unnamed(&mut self, operand: Operand) {
        self.program.operands.push(operand);
    }

    /// Keeps the register that an index adds.
    pub(crate) fn relative(&mut self, operand: Operand, at: TokenOffset) -> Result<RelativeId, BytecodeError> {
        self.name(&operand, at)?;
        let position = self.program.relatives.len();
        self.program.relatives.push(operand);
        // There are no more operands than bytes, which the budget holds below 2³².
        RelativeId::from_position(position).ok_or(BytecodeError::OverLimit {
            what: "number of indices",
            found: position as u64,
            limit: u64::from(u32::MAX),
            offset: self.program.file_offset(at),
        })
    }

    /// Notes slots that an instruction uses without naming them, as the rows of a matrix or `tex t0`.
    pub(crate) fn uses(&mut self, operand: &Operand, at: TokenOffset) -> Result<(), BytecodeError> {
        self.name(operand, at)
    }

    /// Keeps dwords of a declaration.
    pub(crate) fn data(&mut self, words: impl Iterator<Item = u32>) -> DataRange {
        let first = self.program.data.len();
        self.program.data.extend(words);
        // No more of them than the program has, which fits.
        DataRange { first: first as u32, count: (self.program.data.len() - first) as u32 }
    }

    /// Adds a declaration. Its operand is in it.
    pub(crate) fn declare(
        &mut self,
        opcode: Opcode,
        offset: TokenOffset,
        kind: DeclarationKind,
    ) -> Result<(), BytecodeError> {
        if let Some(operand) = declared_operand(&kind) {
            let found = self.program.declared.insert(operand);
            self.in_range(found, offset)?;
        }
        match &kind {
            DeclarationKind::IndexRange { register, count } => self.declare_range(register, *count, offset)?,
            DeclarationKind::Resource { register, shape: ResourceShape::Typed { .. }, .. } => {
                self.typed_uavs = self.typed_uavs.union(uav_slots(register));
            }
            _ => {}
        }
        self.program.declarations.push(Declaration { opcode, offset, kind });
        Ok(())
    }

    fn declare_range(&mut self, first: &Operand, count: u32, at: TokenOffset) -> Result<(), BytecodeError> {
        let OperandValue::Register(register) = first.value else { return Ok(()) };
        let Some(index) = register.last_index() else { return Ok(()) };
        // What is declared so lies within the registers that there are.
        let limit = 32;
        let end = index.base.saturating_add(count);
        if end > limit {
            return self.in_range(Err(OutOfRange { kind: register.kind, found: end, limit }), at);
        }
        let slots = SlotSet::below(end).without(SlotSet::below(index.base));
        if let Some((set, _)) = self.program.declared.set_mut(register.kind) {
            *set = set.union(slots);
        }
        Ok(())
    }

    /// Adds an instruction, which takes all operands added since the last one.
    #[inline(always)]
    pub(crate) fn instruction(
        &mut self,
        head: InstructionHead,
        predicate: Option<Operand>,
    ) -> Result<(), BytecodeError> {
        let InstructionHead { opcode, offset, modifiers, control } = head;
        self.nesting.pass(opcode, self.program.file_offset(offset))?;
        // The decoders' tables give no instruction more than ten operands, and the budget keeps positions below 2³².
        let count = (self.program.operands.len() - self.pending) as u8;
        if matches!(opcode, Opcode::ImmAtomicAlloc | Opcode::ImmAtomicConsume) {
            self.note_counter();
        }
        let operands = OperandRange { first: self.pending as u32, count, is_predicated: predicate.is_some() };
        if let Some(predicate) = predicate {
            self.operand(predicate, offset)?;
        }
        self.program.instructions.push(Instruction { opcode, offset, modifiers, control, operands });
        self.pending = self.program.operands.len();
        Ok(())
    }

    /// The instruction in the making counts up or down.
    fn note_counter(&mut self) {
        let counted = self.pending().iter().fold(SlotSet::default(), |slots, operand| slots.union(uav_slots(operand)));
        self.program.named.counters = self.program.named.counters.union(counted);
    }

    /// Whether a `u#` has been declared with a type, rather than as bytes or structures.
    pub(crate) fn is_typed_uav(&self, slot: u32) -> bool {
        self.typed_uavs.contains(slot)
    }

    /// Notes a comment of so many bytes, its token not counted.
    pub(crate) fn comment(&mut self, offset: TokenOffset, size_bytes: u32) {
        self.program.comments.push(Comment { offset, size_bytes });
    }

    /// Says who made the program.
    pub(crate) fn produced_by(&mut self, producer: Producer) {
        self.program.producer = producer;
    }

    /// Ends the program before the bytes do.
    pub(crate) fn end(&mut self, end: TokenOffset) {
        self.program.size_bytes = end.0;
    }

    /// The operands of the instruction in the making.
    pub(crate) fn pending(&self) -> &[Operand] {
        self.program.operands.get(self.pending..).unwrap_or_default()
    }

    /// The program, once every block is closed.
    pub(crate) fn finish(mut self, signatures: Signatures) -> Result<Program, BytecodeError> {
        self.nesting.finish()?;
        self.program.signatures = signatures;
        for kind in self.any {
            self.program.named.insert_any(kind, &mut self.program.declared);
        }
        leave_defined_constants(&mut self.program);
        Ok(self.program)
    }

    #[inline]
    fn name(&mut self, operand: &Operand, at: TokenOffset) -> Result<(), BytecodeError> {
        let found = self.program.named.insert(operand);
        self.note_named(found, operand.kind(), at)
    }

    fn note_named(
        &mut self,
        found: Result<Named, OutOfRange>,
        kind: Option<RegisterKind>,
        at: TokenOffset,
    ) -> Result<(), BytecodeError> {
        if let (Named::Any, Some(kind)) = (self.in_range(found, at)?, kind)
            && !self.any.contains(&kind)
        {
            self.any.push(kind);
        }
        Ok(())
    }

    #[inline]
    fn in_range<T>(&self, found: Result<T, OutOfRange>, at: TokenOffset) -> Result<T, BytecodeError> {
        found.map_err(|OutOfRange { kind, found, limit }| BytecodeError::RegisterOutOfRange {
            kind,
            found,
            limit,
            offset: self.program.file_offset(at),
        })
    }
}

/// Takes the constants that a program defines itself out of what it reads from the banks.
fn leave_defined_constants(program: &mut Program) {
    let (named, declared) = (&mut program.named, &mut program.declared);
    named.float_constants = named.float_constants.without(std::mem::take(&mut declared.float_constants));
    named.integer_constants = named.integer_constants.without(std::mem::take(&mut declared.integer_constants));
    named.boolean_constants = named.boolean_constants.without(std::mem::take(&mut declared.boolean_constants));
}

/// The slot that a declaration names, if it is a `u#`.
fn uav_slots(register: &Operand) -> SlotSet {
    match &register.value {
        OperandValue::Register(register) if register.kind == RegisterKind::Uav => {
            register.first_index().map(|index| index.base).into_iter().collect()
        }
        _ => SlotSet::default(),
    }
}

fn declared_operand(kind: &DeclarationKind) -> Option<&Operand> {
    match kind {
        DeclarationKind::Register { register, .. }
        | DeclarationKind::IndexRange { register, .. }
        | DeclarationKind::ConstantBuffer { register, .. }
        | DeclarationKind::Sampler { register, .. }
        | DeclarationKind::Resource { register, .. }
        | DeclarationKind::GroupMemory { register, .. }
        | DeclarationKind::Semantic { register, .. }
        | DeclarationKind::TextureStage { register, .. }
        | DeclarationKind::Constant { register, .. }
        | DeclarationKind::Stream(register) => Some(register),
        _ => None,
    }
}
