//! Tokens → [`Program`].

use super::super::builder::{InstructionHead, ProgramBuilder};
use super::super::declaration::DeclarationKind;
use super::super::error::BytecodeError;
use super::super::instruction::{Control, InfoForm, Modifiers, ResourceAccess, SyncFlags, Test};
use super::super::opcode::Opcode;
use super::super::operand::Mask;
use super::super::program::Program;
use super::super::signature::Signatures;
use super::super::tokens::Tokens;
use super::super::version::{Dialect, Version};
use super::access::read_access;
use super::declarations::{CONTROL_SHIFT, DeclarationReader, declaration};
use super::opcodes::{ControlBits, InstructionForm, row};
use super::operand::OperandReader;

const CUSTOM_DATA: u32 = 53;
const IMMEDIATE_CONSTANT_BUFFER: u32 = 3;

/// Decodes a program from its version token on. Its length was checked against `bytes`.
pub(in super::super) fn decode(
    version: Version,
    bytes: &[u8],
    file_offset: u64,
    signatures: Signatures,
) -> Result<Program, BytecodeError> {
    let mut builder = ProgramBuilder::new(version, Dialect::Microsoft, file_offset, bytes.len())?;
    let mut tokens = Tokens::new(bytes);
    // Version and length.
    tokens.split(2);
    while let Some(token) = tokens.peek() {
        let number = token & 0x7ff;
        if number == CUSTOM_DATA {
            custom_data(&mut builder, token, &mut tokens)?;
        } else if let Some(row) = row(number) {
            instruction(&mut builder, row, token, &mut tokens)?;
        } else {
            declare(&mut builder, number, token, &mut tokens)?;
        }
    }
    builder.finish(signatures)
}

/// The tokens of one instruction behind its opcode token, which are passed.
#[inline]
fn body<'a>(
    builder: &ProgramBuilder,
    opcode: Opcode,
    length: u32,
    tokens: &mut Tokens<'a>,
) -> Result<Tokens<'a>, BytecodeError> {
    let (at, left) = (tokens.offset(), tokens.left() as u32);
    let offset = builder.file_offset(at);
    if length == 0 {
        return Err(BytecodeError::BadLength { opcode, expected: 1, found: 0, offset });
    }
    let mut body =
        tokens.split(length as usize).ok_or(BytecodeError::Overrun { opcode, found: length, left, offset })?;
    body.next();
    Ok(body)
}

#[inline]
fn instruction(
    builder: &mut ProgramBuilder,
    row: &InstructionForm,
    token: u32,
    tokens: &mut Tokens<'_>,
) -> Result<(), BytecodeError> {
    let (opcode, offset, length) = (row.opcode, tokens.offset(), (token >> 24) & 0x7f);
    let body = body(builder, opcode, length, tokens)?;
    let mut reader = OperandReader { opcode, tokens: body, builder };
    let access = if token >> 31 == 0 { ResourceAccess::PLAIN } else { read_access(&mut reader)? };
    let control = control(row, token, access, &mut reader)?;
    for role in row.operands {
        let at = reader.tokens.offset();
        let operand = reader.operand(*role)?;
        reader.builder.operand(operand, at)?;
    }
    // Devices pass over dwords behind the operands.
    let modifiers = match row.control {
        ControlBits::Arithmetic => {
            Modifiers { saturate: token & (1 << 13) != 0, precise: Mask::from_bits(token >> 19), ..Modifiers::NONE }
        }
        _ => Modifiers::NONE,
    };
    builder.instruction(InstructionHead { opcode, offset, modifiers, control }, None)
}

#[inline]
fn control(
    row: &InstructionForm,
    token: u32,
    access: ResourceAccess,
    reader: &mut OperandReader<'_, '_>,
) -> Result<Control, BytecodeError> {
    let bits = token >> CONTROL_SHIFT;
    Ok(match row.control {
        ControlBits::Unused | ControlBits::Arithmetic => Control::None,
        ControlBits::Test => Control::Test(if token & (1 << 18) == 0 { Test::Zero } else { Test::NonZero }),
        ControlBits::Access => Control::Access(access),
        ControlBits::Info => {
            Control::Access(ResourceAccess { form: info_form(row.opcode, bits & 3, reader)?, ..access })
        }
        ControlBits::Sync => Control::Sync(SyncFlags {
            threads: bits & 1 != 0,
            group_memory: bits & 2 != 0,
            uav_group: bits & 4 != 0,
            uav_global: bits & 8 != 0,
        }),
        ControlBits::Function => Control::Function(reader.dword()?),
    })
}

/// `sampleinfo` has no reciprocals, and numbers the unsigned form 1.
fn info_form(opcode: Opcode, number: u32, reader: &OperandReader<'_, '_>) -> Result<InfoForm, BytecodeError> {
    let form = match (opcode, number) {
        (Opcode::SampleInfo, 1) => Some(InfoForm::Uint),
        (Opcode::SampleInfo, 2) => None,
        _ => InfoForm::from_number(number),
    };
    form.ok_or_else(|| reader.unknown("form of a result", number, reader.tokens.offset()))
}

fn declare(
    builder: &mut ProgramBuilder,
    number: u32,
    token: u32,
    tokens: &mut Tokens<'_>,
) -> Result<(), BytecodeError> {
    let (at, length) = (tokens.offset(), (token >> 24) & 0x7f);
    let Some((opcode, layout)) = declaration(number) else {
        let version = builder.version();
        return Err(BytecodeError::UnknownOpcode { version, number, offset: builder.file_offset(at) });
    };
    let body = body(builder, opcode, length, tokens)?;
    let operands = OperandReader { opcode, tokens: body, builder };
    let mut reader = DeclarationReader { operands, bits: (token >> CONTROL_SHIFT) & 0x1fff, at };
    let kind = reader.read(layout)?;
    builder.declare(opcode, at, kind)
}

/// Constants, which are kept, or what is for debuggers: comments, texts.
fn custom_data(builder: &mut ProgramBuilder, token: u32, tokens: &mut Tokens<'_>) -> Result<(), BytecodeError> {
    let (at, opcode) = (tokens.offset(), Opcode::DclImmediateConstantBuffer);
    let offset = builder.file_offset(at);
    let length = tokens.peek_at(1).ok_or(BytecodeError::MissingOperand { opcode, offset: offset + 4 })?;
    if length < 2 {
        return Err(BytecodeError::BadLength { opcode, expected: 2, found: length, offset });
    }
    let mut body = body(builder, opcode, length, tokens)?;
    body.next();
    if token >> CONTROL_SHIFT != IMMEDIATE_CONSTANT_BUFFER {
        return Ok(());
    }
    if !body.left().is_multiple_of(4) {
        let expected = length & !3 | 2;
        return Err(BytecodeError::BadLength { opcode, expected, found: length, offset });
    }
    let constants = builder.data(body.values());
    builder.declare(opcode, at, DeclarationKind::ImmediateConstantBuffer(constants))
}
