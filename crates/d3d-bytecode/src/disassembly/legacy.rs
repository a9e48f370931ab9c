//! Declarations and instructions of SM1 to SM3, in the assembler's syntax that Direct3D 9 documents.

use std::fmt::{self, Display, Formatter};

use super::super::declaration::{Declaration, DeclarationKind, StageTexture, Usage};
use super::super::instruction::{Control, Instruction, Modifiers};
use super::super::opcode::Opcode;
use super::super::operand::{
    Index, Lane, Lanes, Mask, Modifier, Operand, OperandValue, Register, RegisterKind, Swizzle,
};
use super::super::program::Program;
use super::super::version::Stage;

/// Shows an operand of a program.
struct OperandText<'a>(&'a Program, &'a Operand);

/// Writes a declaration and the line's end.
pub(super) fn write_declaration(f: &mut Formatter<'_>, program: &Program, declaration: &Declaration) -> fmt::Result {
    f.write_str(declaration.opcode.name())?;
    match &declaration.kind {
        DeclarationKind::Semantic { register, usage, usage_index, centroid, partial_precision } => {
            if usage_is_said(program, register, *usage, *usage_index) {
                write!(f, "_{usage}")?;
                write_unless_zero(f, *usage_index)?;
            }
            f.write_str(if *partial_precision { "_pp" } else { "" })?;
            f.write_str(if *centroid { "_centroid" } else { "" })?;
            writeln!(f, " {}", OperandText(program, register))
        }
        DeclarationKind::TextureStage { register, texture } => {
            if *texture != StageTexture::Unknown {
                write!(f, "_{texture}")?;
            }
            writeln!(f, " {}", OperandText(program, register))
        }
        DeclarationKind::Constant { register, value } => {
            write!(f, " {}", OperandText(program, register))?;
            write_constant(f, declaration.opcode, *value)?;
            writeln!(f)
        }
        // Direct3D 9 has no others.
        _ => Err(fmt::Error),
    }
}

/// In pixel shaders before SM3 a register's kind says what it is, and `vPos` and `vFace` do by themselves.
fn usage_is_said(program: &Program, register: &Operand, usage: Usage, usage_index: u32) -> bool {
    let version = program.version();
    match register.kind() {
        Some(RegisterKind::PixelPosition | RegisterKind::PixelFace) => (usage, usage_index) != (Usage::Position, 0),
        _ => version.stage != Stage::Pixel || version.major >= 3,
    }
}

fn write_unless_zero(f: &mut Formatter<'_>, number: u32) -> fmt::Result {
    if number == 0 { Ok(()) } else { write!(f, "{number}") }
}

fn write_constant(f: &mut Formatter<'_>, opcode: Opcode, value: [u32; 4]) -> fmt::Result {
    match (opcode, value) {
        (Opcode::DefB, [0, ..]) => f.write_str(", false"),
        (Opcode::DefB, [1, ..]) => f.write_str(", true"),
        (Opcode::DefB, [other, ..]) => write!(f, ", {other:#x}"),
        (Opcode::DefI, lanes) => lanes.iter().try_for_each(|lane| write!(f, ", {}", lane.cast_signed())),
        (_, lanes) => lanes.iter().try_for_each(|lane| {
            let float = f32::from_bits(*lane);
            // Text has neither infinities nor the bits of what is no number.
            if float.is_finite() { write!(f, ", {float:?}") } else { write!(f, ", {lane:#010x}") }
        }),
    }
}

/// Writes an instruction and the line's end.
pub(super) fn write_instruction(f: &mut Formatter<'_>, program: &Program, instruction: &Instruction) -> fmt::Result {
    if instruction.modifiers.coissue {
        f.write_str("+ ")?;
    }
    if let Some(predicate) = program.predicate(instruction) {
        write!(f, "({}) ", OperandText(program, predicate))?;
    }
    f.write_str(match instruction.opcode {
        Opcode::IfC => "if",
        Opcode::BreakC => "break",
        other => other.name(),
    })?;
    if let Control::Comparison(comparison) = instruction.control {
        write!(f, "_{comparison}")?;
    }
    write_modifiers(f, instruction.modifiers)?;
    for (position, operand) in program.operands(instruction).iter().enumerate() {
        f.write_str(if position == 0 { " " } else { ", " })?;
        write!(f, "{}", OperandText(program, operand))?;
    }
    writeln!(f)
}

fn write_modifiers(f: &mut Formatter<'_>, modifiers: Modifiers) -> fmt::Result {
    match modifiers.shift {
        0 => {}
        up @ 1.. => write!(f, "_x{}", 1 << up)?,
        down => write!(f, "_d{}", 1 << -down)?,
    }
    f.write_str(if modifiers.saturate { "_sat" } else { "" })?;
    f.write_str(if modifiers.partial_precision { "_pp" } else { "" })?;
    f.write_str(if modifiers.centroid { "_centroid" } else { "" })
}

impl Display for OperandText<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self(program, operand) = *self;
        let OperandValue::Register(register) = &operand.value else { return Err(fmt::Error) };
        let (before, after) = affixes(operand.modifier);
        f.write_str(before)?;
        write_register(f, program, register)?;
        f.write_str(after)?;
        write_lanes(f, operand.lanes)
    }
}

/// What a modifier puts before and behind a register.
fn affixes(modifier: Modifier) -> (&'static str, &'static str) {
    match modifier {
        Modifier::None => ("", ""),
        Modifier::Negate => ("-", ""),
        Modifier::Absolute => ("", "_abs"),
        Modifier::NegateAbsolute => ("-", "_abs"),
        Modifier::Bias => ("", "_bias"),
        Modifier::NegateBias => ("-", "_bias"),
        Modifier::Sign => ("", "_bx2"),
        Modifier::NegateSign => ("-", "_bx2"),
        Modifier::Complement => ("1-", ""),
        Modifier::Double => ("", "_x2"),
        Modifier::NegateDouble => ("-", "_x2"),
        Modifier::DivideByZ => ("", "_dz"),
        Modifier::DivideByW => ("", "_dw"),
        Modifier::Not => ("!", ""),
    }
}

fn write_register(f: &mut Formatter<'_>, program: &Program, register: &Register) -> fmt::Result {
    f.write_str(register.kind.name())?;
    match register.last_index() {
        None => Ok(()),
        Some(Index { base, relative: None }) => write!(f, "{base}"),
        Some(Index { base, relative: Some(id) }) => {
            let added = program.relative(id).ok_or(fmt::Error)?;
            write!(f, "[{}", OperandText(program, added))?;
            if base == 0 { f.write_str("]") } else { write!(f, " + {base}]") }
        }
    }
}

/// All lanes in order go without saying, and so do repetitions of the last one.
fn write_lanes(f: &mut Formatter<'_>, lanes: Lanes) -> fmt::Result {
    match lanes {
        Lanes::Mask(Mask::ALL) | Lanes::Swizzle(Swizzle::IDENTITY) => Ok(()),
        Lanes::Swizzle(swizzle) => {
            let mut letters = swizzle.lanes().map(Lane::letter).to_vec();
            while let [.., before, last] = letters.as_slice()
                && before == last
            {
                letters.pop();
            }
            write!(f, ".{}", letters.into_iter().collect::<String>())
        }
        other => write!(f, "{other}"),
    }
}
