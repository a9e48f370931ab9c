//! What a program's instructions do with its resources, known before the first of them is translated.

use std::collections::BTreeSet;

use crate::{Instruction, Opcode, Operand, OperandValue, Program, RegisterKind, SlotSet};

/// What all instructions of a program together do with its resources.
#[derive(Clone, Debug, Default)]
pub(super) struct ResourceUses {
    /// `t#` that are compared with a reference: textures of depth.
    pub compared: SlotSet,
    /// `u#` and `g#` whose words are combined in one step: each is an atomic wherever it is named.
    pub atomic: BTreeSet<(RegisterKind, u32)>,
    /// `u#` that are read.
    pub read: SlotSet,
    /// `u#` that are written.
    pub written: SlotSet,
}

impl ResourceUses {
    pub(super) fn of(program: &Program) -> Self {
        let mut uses = Self::default();
        for instruction in program.instructions() {
            uses.add(instruction, program.operands(instruction));
        }
        uses
    }

    fn add(&mut self, instruction: &Instruction, operands: &[Operand]) {
        for operand in operands {
            let Some((kind, slot)) = named(operand) else { continue };
            match kind {
                RegisterKind::Resource if compares(instruction.opcode) => {
                    self.compared.insert(slot);
                }
                RegisterKind::Uav | RegisterKind::ThreadGroupMemory if combines(instruction.opcode) => {
                    self.atomic.insert((kind, slot));
                }
                RegisterKind::Uav if stores(instruction.opcode) => {
                    self.written.insert(slot);
                }
                RegisterKind::Uav if loads(instruction.opcode) => {
                    self.read.insert(slot);
                }
                _ => {}
            }
        }
    }
}

/// The register that an operand names, by kind and first index.
pub(super) fn named(operand: &Operand) -> Option<(RegisterKind, u32)> {
    match &operand.value {
        OperandValue::Register(register) => Some((register.kind, register.first_index()?.base)),
        _ => None,
    }
}

const fn compares(opcode: Opcode) -> bool {
    matches!(opcode, Opcode::SampleC | Opcode::SampleCLz | Opcode::Gather4C | Opcode::Gather4PoC)
}

const fn loads(opcode: Opcode) -> bool {
    matches!(opcode, Opcode::LdUavTyped | Opcode::LdRaw | Opcode::LdStructured)
}

const fn stores(opcode: Opcode) -> bool {
    matches!(opcode, Opcode::StoreUavTyped | Opcode::StoreRaw | Opcode::StoreStructured)
}

/// Whether an instruction combines a word with the one that is there.
pub(super) const fn combines(opcode: Opcode) -> bool {
    matches!(
        opcode,
        Opcode::AtomicAnd
            | Opcode::AtomicOr
            | Opcode::AtomicXor
            | Opcode::AtomicCmpStore
            | Opcode::AtomicIAdd
            | Opcode::AtomicIMax
            | Opcode::AtomicIMin
            | Opcode::AtomicUMax
            | Opcode::AtomicUMin
            | Opcode::ImmAtomicIAdd
            | Opcode::ImmAtomicAnd
            | Opcode::ImmAtomicOr
            | Opcode::ImmAtomicXor
            | Opcode::ImmAtomicExch
            | Opcode::ImmAtomicCmpExch
            | Opcode::ImmAtomicIMax
            | Opcode::ImmAtomicIMin
            | Opcode::ImmAtomicUMax
            | Opcode::ImmAtomicUMin
    )
}
