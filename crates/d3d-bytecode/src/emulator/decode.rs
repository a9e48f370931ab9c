//! Tokens → [`Program`].

use super::super::builder::{InstructionHead, ProgramBuilder};
use super::super::declaration::DeclarationKind;
use super::super::error::BytecodeError;
use super::super::instruction::{Comparison, Control, Modifiers, SyncFlags, Test, TokenOffset};
use super::super::opcode::Opcode;
use super::super::operand::{Index, Lanes, MinPrecision, Modifier, Operand, OperandValue, Register, RegisterKind};
use super::super::program::Program;
use super::super::role::Role;
use super::super::signature::Signatures;
use super::super::tokens::Tokens;
use super::super::version::{Dialect, Version};
use super::declarations::declare;
use super::opcodes::{EmulatorForm, EmulatorInstruction, row};
use super::operand::{RawOperand, RawReader};
use super::shapes::shape;

const CUSTOM_DATA: u32 = 0x1f;
const IMMEDIATE_CONSTANT_BUFFER: u32 = 3;
const DECLARATIONS: u32 = 0x100;
const PHASES: [(u32, Opcode); 3] =
    [(0x11a, Opcode::HsControlPointPhase), (0x11b, Opcode::HsForkPhase), (0x11c, Opcode::HsJoinPhase)];
/// No instruction has more: `bfi` with a predicate has six.
const MAX_OPERANDS: usize = 8;

/// Decodes a program from its version token on. Its length was checked against `bytes`.
pub(in super::super) fn decode(
    version: Version,
    bytes: &[u8],
    file_offset: u64,
    signatures: Signatures,
) -> Result<Program, BytecodeError> {
    let mut builder = ProgramBuilder::new(version, Dialect::Emulator, file_offset, bytes.len())?;
    let mut tokens = Tokens::new(bytes);
    // Version and length.
    tokens.split(2);
    let mut operands = Vec::with_capacity(MAX_OPERANDS);
    while let Some(token) = tokens.peek() {
        instruction(&mut builder, token, &mut tokens, &mut operands)?;
    }
    builder.finish(signatures)
}

fn instruction(
    builder: &mut ProgramBuilder,
    token: u32,
    tokens: &mut Tokens<'_>,
    operands: &mut Vec<RawOperand>,
) -> Result<(), BytecodeError> {
    let (at, number, length) = (tokens.offset(), token & 0x7ff, (token >> 11) & 0x1fff);
    let row = row(number);
    let opcode = row.map_or(Opcode::Nop, |row| row.opcode);
    let (left, offset) = (tokens.left() as u32, builder.file_offset(at));
    if length == 0 {
        return Err(BytecodeError::BadLength { opcode, expected: 1, found: 0, offset });
    }
    let mut body =
        tokens.split(length as usize).ok_or(BytecodeError::Overrun { opcode, found: length, left, offset })?;
    body.next();
    let mut reader = RawReader { opcode, tokens: body, file_offset: builder.file_offset(TokenOffset::default()) };
    if number == CUSTOM_DATA {
        return custom_data(builder, at, reader);
    }
    let modifiers = if token >> 31 == 0 { Modifiers::NONE } else { extended(&mut reader)? };
    if let Some((_, phase)) = PHASES.iter().find(|(phase, _)| *phase == number) {
        let head = InstructionHead { opcode: *phase, offset: at, modifiers, control: Control::None };
        return builder.instruction(head, None);
    }
    if number >= DECLARATIONS {
        return declare(builder, number, at, reader);
    }
    let control = (token >> 24) & 0x7f;
    let head = InstructionHead { opcode, offset: at, modifiers, control: Control::None };
    operands.clear();
    operate(builder, row, Raw { number, control, head }, (reader, operands))
}

/// An instruction before its operands are known.
struct Raw {
    number: u32,
    control: u32,
    head: InstructionHead,
}

fn operate(
    builder: &mut ProgramBuilder,
    row: Option<&EmulatorInstruction>,
    raw: Raw,
    (mut reader, operands): (RawReader<'_>, &mut Vec<RawOperand>),
) -> Result<(), BytecodeError> {
    while reader.tokens.left() > 0 {
        reader.operand_into(operands)?;
        if let Some(operand) = operands.get(MAX_OPERANDS) {
            let (opcode, offset) = (raw.head.opcode, reader.offset_of(operand.at));
            let (expected, found) = ("no more than eight operands", operand.value.name());
            return Err(BytecodeError::WrongOperand { opcode, expected, found, offset });
        }
    }
    let predicate = take_predicate(operands, raw.head.opcode == Opcode::SetP);
    let Some(row) = row else { return operate_unnumbered(builder, raw, operands, predicate) };
    let Raw { control, mut head, .. } = raw;
    let mut roles = row.operands;
    match row.form {
        EmulatorForm::Plain => {}
        EmulatorForm::Test => head.control = Control::Test(test(control, &head, &reader)?),
        EmulatorForm::Condition => match control {
            0 | 1 => {
                head.control = Control::Test(test(control, &head, &reader)?);
                head.opcode = if head.opcode == Opcode::IfC { Opcode::If } else { head.opcode };
                roles = &[Role::Src];
            }
            _ => {
                head.control = Control::Comparison(condition(control, &head, &reader)?);
                head.opcode = if head.opcode == Opcode::If { Opcode::IfC } else { head.opcode };
            }
        },
        EmulatorForm::Compare => head.control = Control::Comparison(set_condition(control, &head, &reader)?),
        EmulatorForm::Sync => {
            let (threads, group_memory, uav_global) = (control & 4 != 0, control & 1 != 0, control & 2 != 0);
            head.control = Control::Sync(SyncFlags { uav_global, uav_group: false, group_memory, threads });
        }
        EmulatorForm::Product => return product(builder, row, head, operands, predicate),
        EmulatorForm::Stream => return emit(builder, head, control, operands, predicate),
        EmulatorForm::LastOptional if operands.len() < roles.len() => {
            roles = roles.split_last().map_or(roles, |(_, others)| others);
        }
        EmulatorForm::LastOptional => {}
    }
    push(builder, head, roles, operands, predicate)
}

fn operate_unnumbered(
    builder: &mut ProgramBuilder,
    raw: Raw,
    operands: &[RawOperand],
    predicate: Option<Operand>,
) -> Result<(), BytecodeError> {
    let shape = shape(operands, |slot| builder.is_typed_uav(slot));
    let Some((opcode, roles)) = shape else {
        let (version, number, offset) = (builder.version(), raw.number, builder.file_offset(raw.head.offset));
        return Err(BytecodeError::UnknownOpcode { version, number, offset });
    };
    push(builder, InstructionHead { opcode, ..raw.head }, roles, operands, predicate)
}

fn push(
    builder: &mut ProgramBuilder,
    head: InstructionHead,
    roles: &[Role],
    operands: &[RawOperand],
    predicate: Option<Operand>,
) -> Result<(), BytecodeError> {
    let (opcode, offset) = (head.opcode, builder.file_offset(head.offset));
    if operands.len() < roles.len() {
        return Err(BytecodeError::MissingOperand { opcode, offset });
    }
    if let Some(extra) = operands.get(roles.len()) {
        let (found, offset) = (extra.value.name(), builder.file_offset(extra.at));
        return Err(BytecodeError::WrongOperand { opcode, expected: "the instruction's end", found, offset });
    }
    for (raw, role) in operands.iter().zip(roles) {
        let operand = if role.has_mask() { raw.written() } else { raw.read() };
        if !role.takes(&operand) {
            let (expected, found, offset) = (role.expected(), operand.value.name(), builder.file_offset(raw.at));
            return Err(BytecodeError::WrongOperand { opcode, expected, found, offset });
        }
        builder.operand(operand, raw.at)?;
    }
    builder.instruction(head, predicate)
}

/// A product's lower half may be followed by its upper; Microsoft has the upper first, or `null`.
fn product(
    builder: &mut ProgramBuilder,
    row: &EmulatorInstruction,
    head: InstructionHead,
    operands: &[RawOperand],
    predicate: Option<Operand>,
) -> Result<(), BytecodeError> {
    let offset = builder.file_offset(head.offset);
    if operands.len() == row.operands.len() {
        let mut operands = operands.to_vec();
        operands.swap(0, 1);
        return push(builder, head, row.operands, &operands, predicate);
    }
    let Some((_, roles)) = row.operands.split_first() else {
        return Err(BytecodeError::MissingOperand { opcode: head.opcode, offset });
    };
    if head.opcode != Opcode::UMad {
        builder.operand(null(), head.offset)?;
        return push(builder, head, roles, operands, predicate);
    }
    // Microsoft's has the lower half alone.
    push(builder, head, roles, operands, predicate)
}

fn emit(
    builder: &mut ProgramBuilder,
    head: InstructionHead,
    control: u32,
    operands: &[RawOperand],
    predicate: Option<Operand>,
) -> Result<(), BytecodeError> {
    let (opcode, offset) = (head.opcode, builder.file_offset(head.offset));
    let stream = match operands {
        [] => control & 3,
        [operand] => match operand.value {
            OperandValue::Immediate32([stream @ 0..4, ..]) => stream,
            value => {
                let expected = "a stream's number, 0 to 3";
                return Err(BytecodeError::WrongOperand { opcode, expected, found: value.name(), offset });
            }
        },
        [_, extra, ..] => {
            let (expected, found) = ("the instruction's end", extra.value.name());
            return Err(BytecodeError::WrongOperand { opcode, expected, found, offset });
        }
    };
    builder.operand(register(RegisterKind::Stream, &[Index::immediate(stream)]), head.offset)?;
    builder.instruction(head, predicate)
}

fn null() -> Operand {
    register(RegisterKind::Null, &[])
}

fn register(kind: RegisterKind, indices: &[Index]) -> Operand {
    let value = OperandValue::Register(Register::new(kind, indices));
    Operand { value, lanes: Lanes::None, modifier: Modifier::None, precision: MinPrecision::Default }
}

/// A predicate stands first, or last where none stands first. The result of `setp` is one too, and isn't meant.
fn take_predicate(operands: &mut Vec<RawOperand>, writes_predicate: bool) -> Option<Operand> {
    let is_predicate = |operand: Option<&RawOperand>| operand?.kind().filter(|kind| *kind == RegisterKind::Predicate);
    let first = if writes_predicate { operands.get(1) } else { operands.first() };
    if is_predicate(operands.first()).is_some() && is_predicate(first).is_some() {
        let predicate = operands.first()?.predicate()?;
        operands.remove(0);
        return Some(predicate);
    }
    if operands.len() > 1 && is_predicate(operands.last()).is_some() {
        let predicate = operands.last()?.predicate()?;
        operands.pop();
        return Some(predicate);
    }
    None
}

fn test(control: u32, head: &InstructionHead, reader: &RawReader<'_>) -> Result<Test, BytecodeError> {
    Test::from_number(control).ok_or_else(|| unknown_condition(control, head, reader))
}

/// The comparisons of `if`, `breakc` and `continuec`.
fn condition(control: u32, head: &InstructionHead, reader: &RawReader<'_>) -> Result<Comparison, BytecodeError> {
    Ok(match control {
        2 => Comparison::Equal,
        3 => Comparison::NotEqual,
        4 => Comparison::Greater,
        5 => Comparison::GreaterEqual,
        6 => Comparison::Less,
        7 => Comparison::LessEqual,
        _ => return Err(unknown_condition(control, head, reader)),
    })
}

/// The comparisons of `setp`, from 8 on those of integers.
fn set_condition(control: u32, head: &InstructionHead, reader: &RawReader<'_>) -> Result<Comparison, BytecodeError> {
    Ok(match control {
        0 => Comparison::Equal,
        1 => Comparison::NotEqual,
        2 => Comparison::Less,
        3 => Comparison::GreaterEqual,
        4 => Comparison::LessEqual,
        5 => Comparison::Greater,
        8 => Comparison::IntEqual,
        9 => Comparison::IntNotEqual,
        10 => Comparison::IntLess,
        11 => Comparison::IntGreaterEqual,
        12 => Comparison::IntLessEqual,
        13 => Comparison::IntGreater,
        _ => return Err(unknown_condition(control, head, reader)),
    })
}

fn unknown_condition(found: u32, head: &InstructionHead, reader: &RawReader<'_>) -> BytecodeError {
    let offset = reader.offset_of(head.offset);
    BytecodeError::UnknownNumber { opcode: head.opcode, what: "condition", found, offset }
}

/// Extended opcode tokens: one kind saturates, the others say nothing.
fn extended(reader: &mut RawReader<'_>) -> Result<Modifiers, BytecodeError> {
    let mut modifiers = Modifiers::NONE;
    loop {
        let token = reader.dword()?;
        modifiers.saturate |= token & 0x3f == 0 && token & (1 << 13) != 0;
        if token >> 31 == 0 {
            return Ok(modifiers);
        }
    }
}

fn custom_data(builder: &mut ProgramBuilder, at: TokenOffset, mut reader: RawReader<'_>) -> Result<(), BytecodeError> {
    let opcode = Opcode::DclImmediateConstantBuffer;
    if reader.dword()? != IMMEDIATE_CONSTANT_BUFFER {
        return Ok(());
    }
    let left = reader.tokens.left() as u32;
    if !left.is_multiple_of(4) {
        let (expected, found) = (2 + (left & !3), 2 + left);
        return Err(BytecodeError::BadLength { opcode, expected, found, offset: reader.offset_of(at) });
    }
    let constants = builder.data(reader.tokens.values());
    builder.declare(opcode, at, DeclarationKind::ImmediateConstantBuffer(constants))
}
