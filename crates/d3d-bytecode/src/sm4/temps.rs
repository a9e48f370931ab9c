//! Temporaries, which a program has to declare before it uses them.

use super::super::declaration::DeclarationKind;
use super::super::error::BytecodeError;
use super::super::opcode::Opcode;
use super::super::operand::{Operand, OperandValue, Register, RegisterKind};
use super::super::program::Program;

/// Temporaries that a program declares; of a hull shader those of all its phases.
struct Declared {
    temps: u32,
    /// Number and length of each array.
    arrays: Vec<(u32, u32)>,
}

/// Refuses a program that uses a temporary which it does not declare.
pub(in super::super) fn check_temps(program: &Program) -> Result<(), BytecodeError> {
    let mut declared = Declared { temps: 0, arrays: Vec::new() };
    for declaration in program.declarations() {
        match declaration.kind {
            DeclarationKind::Count(count) if declaration.opcode == Opcode::DclTemps => {
                declared.temps = declared.temps.max(count);
            }
            DeclarationKind::IndexableTemp { array, elements, .. } => declared.arrays.push((array, elements)),
            _ => {}
        }
    }
    for instruction in program.instructions() {
        for operand in program.operands(instruction) {
            declared.check(program, operand).map_err(|(kind, found)| BytecodeError::UndeclaredTemp {
                kind,
                found,
                offset: program.file_offset(instruction.offset),
            })?;
        }
    }
    Ok(())
}

impl Declared {
    /// Says which temporary of an operand, or of its indices, is not declared.
    fn check(&self, program: &Program, operand: &Operand) -> Result<(), (RegisterKind, u32)> {
        let OperandValue::Register(register) = &operand.value else { return Ok(()) };
        self.check_register(register)?;
        for index in register.indices() {
            // An index is read before the registers that it adds to: its own indices lie before it, so this ends.
            if let Some(added) = index.relative.and_then(|id| program.relative(id)) {
                self.check(program, added)?;
            }
        }
        Ok(())
    }

    fn check_register(&self, register: &Register) -> Result<(), (RegisterKind, u32)> {
        let number = register.first_index().map_or(0, |index| index.base);
        let is_declared = match register.kind {
            RegisterKind::Temp => number < self.temps,
            RegisterKind::IndexableTemp => {
                let element = register.last_index().filter(|index| index.relative.is_none());
                let first = element.map_or(0, |index| index.base);
                self.arrays.iter().any(|(array, elements)| *array == number && first < *elements)
            }
            _ => true,
        };
        if is_declared { Ok(()) } else { Err((register.kind, number)) }
    }
}
