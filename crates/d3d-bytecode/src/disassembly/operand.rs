//! Operands: registers with their indices, lanes and modifiers; immediate values.

use std::fmt;

use super::super::operand::{Index, Lanes, MinPrecision, Modifier, Operand, OperandValue, Register, RegisterKind};
use super::super::program::Program;
use super::number::{write_bits, write_list, write_long_bits};

/// Writes an operand.
pub(super) fn write_operand(f: &mut fmt::Formatter<'_>, program: &Program, operand: &Operand) -> fmt::Result {
    f.write_str(before(operand.modifier))?;
    match &operand.value {
        OperandValue::Immediate32([first, ..]) if operand.lanes == Lanes::One => {
            f.write_str("l(")?;
            write_bits(f, *first)?;
            f.write_str(")")?;
        }
        OperandValue::Immediate32(values) => {
            f.write_str("l(")?;
            write_list(f, values)?;
            f.write_str(")")?;
        }
        OperandValue::Immediate64(values) => write_doubles(f, values, operand.lanes)?,
        OperandValue::Register(register) => write_register(f, program, register)?,
    }
    if matches!(operand.value, OperandValue::Register(_)) {
        write!(f, "{}", operand.lanes)?;
    }
    if matches!(operand.modifier, Modifier::Absolute | Modifier::NegateAbsolute) {
        f.write_str("|")?;
    }
    match operand.precision {
        MinPrecision::Default => Ok(()),
        precision => write!(f, " {{{}}}", precision.name()),
    }
}

/// What stands before a register. The modifiers of Direct3D 9 are never met here.
fn before(modifier: Modifier) -> &'static str {
    match modifier {
        Modifier::Negate => "-",
        Modifier::Absolute => "|",
        Modifier::NegateAbsolute => "-|",
        Modifier::Not => "!",
        _ => "",
    }
}

fn write_doubles(f: &mut fmt::Formatter<'_>, values: &[u64; 2], lanes: Lanes) -> fmt::Result {
    let [first, second] = values;
    f.write_str("d(")?;
    write_long_bits(f, *first)?;
    if lanes != Lanes::One {
        f.write_str(", ")?;
        write_long_bits(f, *second)?;
    }
    f.write_str(")")
}

/// Writes a register without its lanes: `r0`, `cb0[r1.x + 4]`, `v[2][1]`.
pub(super) fn write_register(f: &mut fmt::Formatter<'_>, program: &Program, register: &Register) -> fmt::Result {
    f.write_str(register.kind.name())?;
    for (place, index) in register.indices().iter().enumerate() {
        let is_bare = place == 0 && index.relative.is_none() && !begins_with_bracket(register);
        if is_bare {
            write!(f, "{}", index.base)?;
        } else {
            write_index(f, program, index)?;
        }
    }
    Ok(())
}

/// Whether even a first index that is a number stands in brackets: where it isn't a slot or register's number.
fn begins_with_bracket(register: &Register) -> bool {
    use RegisterKind as K;
    match register.kind {
        K::ImmediateConstantBuffer | K::InputControlPoint | K::OutputControlPoint => true,
        K::Input | K::Output | K::PatchConstant => register.indices().len() > 1,
        _ => false,
    }
}

fn write_index(f: &mut fmt::Formatter<'_>, program: &Program, index: &Index) -> fmt::Result {
    f.write_str("[")?;
    match index.relative.and_then(|id| program.relative(id)) {
        None => write!(f, "{}", index.base)?,
        Some(operand) => {
            write_operand(f, program, operand)?;
            write!(f, " + {}", index.base)?;
        }
    }
    f.write_str("]")
}
