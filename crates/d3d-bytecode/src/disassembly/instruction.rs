//! Instructions: the name with what is asked of it, then operands.

use std::fmt;

use super::super::instruction::{Control, Instruction, ResourceAccess, ResourceDimension, SyncFlags};
use super::super::opcode::Opcode;
use super::super::operand::{Lane, Mask};
use super::super::program::Program;
use super::operand::write_operand;

/// Writes an instruction and the line's end.
pub(super) fn write_instruction(
    f: &mut fmt::Formatter<'_>,
    program: &Program,
    instruction: &Instruction,
) -> fmt::Result {
    let modifiers = &instruction.modifiers;
    if let Some(predicate) = program.predicate(instruction) {
        f.write_str("(")?;
        write_operand(f, program, predicate)?;
        f.write_str(") ")?;
    }
    write_name(f, instruction)?;
    if modifiers.precise != Mask::NONE {
        let lanes: String = modifiers.precise.lanes().map(Lane::letter).collect();
        write!(f, " [precise({lanes})]")?;
    }
    let mut separator = " ";
    if let Control::Function(function) = instruction.control {
        write!(f, "{separator}{function}")?;
        separator = ", ";
    }
    for operand in program.operands(instruction) {
        f.write_str(separator)?;
        write_operand(f, program, operand)?;
        separator = ", ";
    }
    f.write_str("\n")
}

fn write_name(f: &mut fmt::Formatter<'_>, instruction: &Instruction) -> fmt::Result {
    let opcode = instruction.opcode;
    match instruction.control {
        Control::None | Control::Function(_) => f.write_str(opcode.name())?,
        Control::Test(test) => write!(f, "{opcode}_{test}")?,
        Control::Comparison(comparison) => write!(f, "{}_{comparison}", compared(opcode))?,
        Control::Access(access) => write_access(f, opcode, &access)?,
        Control::Sync(flags) => write_sync(f, flags)?,
    }
    f.write_str(if instruction.modifiers.saturate { "_sat" } else { "" })
}

/// Names of instructions that compare, without the letter for "condition".
fn compared(opcode: Opcode) -> &'static str {
    match opcode {
        Opcode::IfC => "if",
        Opcode::BreakC => "break",
        Opcode::ContinueC => "continue",
        opcode => opcode.name(),
    }
}

fn write_access(f: &mut fmt::Formatter<'_>, opcode: Opcode, access: &ResourceAccess) -> fmt::Result {
    f.write_str(opcode.name())?;
    let has_offsets = access.offsets != [0; 3];
    if has_offsets {
        f.write_str("_aoffimmi")?;
    }
    if access.dimension.is_some() {
        f.write_str("_indexable")?;
    }
    if has_offsets {
        let [u, v, w] = access.offsets;
        write!(f, "({u},{v},{w})")?;
    }
    match access.dimension {
        None => {}
        Some(dimension @ ResourceDimension::StructuredBuffer) => {
            write!(f, "({dimension},stride={})", access.stride_bytes)?
        }
        Some(dimension) => write!(f, "({dimension})")?,
    }
    if let Some([x, y, z, w]) = access.return_types {
        write!(f, "({x},{y},{z},{w})")?;
    }
    write!(f, "{}", access.form)
}

fn write_sync(f: &mut fmt::Formatter<'_>, flags: SyncFlags) -> fmt::Result {
    f.write_str("sync")?;
    for (is_set, suffix) in [
        (flags.uav_global, "_uglobal"),
        (flags.uav_group, "_ugroup"),
        (flags.group_memory, "_g"),
        (flags.threads, "_t"),
    ] {
        f.write_str(if is_set { suffix } else { "" })?;
    }
    Ok(())
}
