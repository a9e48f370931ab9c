//! Tokens → [`Program`].

use super::super::builder::{InstructionHead, ProgramBuilder};
use super::super::error::BytecodeError;
use super::super::instruction::{Comparison, Control, Modifiers, TokenOffset};
use super::super::opcode::Opcode;
use super::super::program::Program;
use super::super::signature::Signatures;
use super::super::version::{Dialect, Producer, Stage, Version};
use super::convention::{body_dwords, first_form, form_of, likelier_dialect, measure, other_dialect, otherwise};
use super::opcodes::{LegacyOpcode, Takes};
use super::registers::{RegisterTypes, register_types};
use super::token::{END, InstructionToken, ParameterToken, Tokens, token_offset, version_of};

/// Decodes a program of SM1 to SM3 whose version token lies at an absolute file offset. What follows its end token is
/// no part of it: [`Program::size_bytes`] says where it ends. Of containers' signatures it says nothing itself.
pub(in super::super) fn decode(
    bytes: &[u8],
    file_offset: u64,
    signatures: &Signatures,
) -> Result<Program, BytecodeError> {
    let tokens = Tokens::new(bytes);
    let Some(first) = tokens.get(0) else {
        return Err(BytecodeError::MissingEnd { offset: file_offset.saturating_add(bytes.len() as u64) });
    };
    let Some(version) = version_of(first) else {
        return Err(BytecodeError::UnknownVersion { found: first, offset: file_offset });
    };
    // What is decoded has lengths that fit, so programs are seldom walked twice.
    let likelier = likelier_dialect(tokens, version);
    let decode_as = |dialect, lengths| {
        let builder = ProgramBuilder::new(version, dialect, file_offset, bytes.len())?;
        let (types, parameters) = (register_types(version), Parameters::default());
        let (position, end) = (1, 1);
        let decoder =
            Decoder { tokens, file_offset, version, dialect, lengths, builder, types, position, end, parameters };
        decoder.program(signatures.clone())
    };
    let decoded = decode_as(likelier, Lengths::Exact);
    let Err(error) = decoded else { return decoded };
    match other_dialect(tokens, version, likelier) {
        Some(other) => decode_as(other, Lengths::Exact),
        // Devices pass over dwords behind an instruction's operands.
        None if matches!(error, BytecodeError::BadLength { .. }) => decode_as(likelier, Lengths::AtLeast)
            .or_else(|error| decode_as(otherwise(likelier), Lengths::AtLeast).map_err(|_| error)),
        None => Err(error),
    }
}

/// How many dwords an instruction may have.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Lengths {
    /// As many as its operands take.
    Exact,
    /// More, too, which devices pass over.
    AtLeast,
}

/// A program that is being decoded.
pub(super) struct Decoder<'a> {
    pub(crate) tokens: Tokens<'a>,
    pub(crate) file_offset: u64,
    pub(crate) version: Version,
    pub(crate) dialect: Dialect,
    lengths: Lengths,
    pub(crate) builder: ProgramBuilder,
    pub(crate) types: &'static RegisterTypes,
    /// The token to be read next.
    pub(crate) position: usize,
    /// The first token behind the instruction that is being read.
    pub(crate) end: usize,
    /// All parameter tokens that were read.
    pub(crate) parameters: Parameters,
}

/// Whether there are parameter tokens, and whether one of them has bit 31.
#[derive(Clone, Copy, Default)]
pub(super) struct Parameters {
    pub(crate) any: bool,
    pub(crate) marked: bool,
}

impl Decoder<'_> {
    fn program(mut self, signatures: Signatures) -> Result<Program, BytecodeError> {
        loop {
            let Some(token) = self.tokens.get(self.position) else {
                return Err(BytecodeError::MissingEnd { offset: self.file_offset_of(self.tokens.len()) });
            };
            if token == END {
                break;
            }
            match InstructionToken(token).comment_dwords() {
                Some(dwords) => self.comment(dwords)?,
                None => self.instruction(InstructionToken(token))?,
            }
        }
        self.builder.end(token_offset(self.position + 1));
        if self.parameters.any && !self.parameters.marked {
            self.builder.produced_by(Producer::Driver);
        }
        self.builder.finish(signatures)
    }

    fn comment(&mut self, dwords: usize) -> Result<(), BytecodeError> {
        let left = self.tokens.len() - self.position - 1;
        if dwords > left {
            let offset = self.file_offset_of(self.position);
            return Err(BytecodeError::CommentOverrun { found: dwords as u32, left: left as u32, offset });
        }
        self.builder.comment(token_offset(self.position), dwords as u32 * 4);
        self.position += 1 + dwords;
        Ok(())
    }

    fn instruction(&mut self, token: InstructionToken) -> Result<(), BytecodeError> {
        let begin = self.position;
        let (form, dwords) = self.form(token)?;
        self.end = begin + 1 + dwords;
        self.position = begin + 1;
        match form.opcode {
            Opcode::Dcl => self.declaration(token, token_offset(begin))?,
            Opcode::Def | Opcode::DefI | Opcode::DefB => self.constant(form.opcode, token_offset(begin))?,
            _ => self.operation(token, form, token_offset(begin))?,
        }
        self.position = self.end;
        Ok(())
    }

    /// The form of an instruction, and how many dwords its operands take.
    #[inline]
    fn form(&self, token: InstructionToken) -> Result<(&'static LegacyOpcode, usize), BytecodeError> {
        let (version, dialect) = (self.version, self.dialect);
        if version.major >= 2
            && let Some(form) = form_of(token, self.tokens, self.position, version, dialect)
        {
            return Ok((form, body_dwords(token, dialect)));
        }
        self.form_without_length(token)
    }

    /// The same in SM1, or what is wrong with the length.
    fn form_without_length(&self, token: InstructionToken) -> Result<(&'static LegacyOpcode, usize), BytecodeError> {
        let (version, dialect) = (self.version, self.dialect);
        let offset = self.file_offset_of(self.position);
        let Some(form) = first_form(token, version) else {
            return Err(BytecodeError::UnknownOpcode { version, number: token.opcode_bits(), offset });
        };
        let opcode = form.opcode;
        let measured = measure(form, self.tokens, self.position, version, dialect);
        if version.major < 2 {
            let end = self.file_offset_of(self.tokens.len());
            return measured.map(|dwords| (form, dwords)).ok_or(BytecodeError::MissingOperand { opcode, offset: end });
        }
        let (body, left) = (body_dwords(token, dialect), self.tokens.len() - self.position);
        if body + 1 > left {
            return Err(BytecodeError::Overrun { opcode, found: body as u32 + 1, left: left as u32, offset });
        }
        let Some(dwords) = measured else {
            return Err(BytecodeError::MissingOperand {
                opcode,
                offset: self.file_offset_of(self.position + 1 + body),
            });
        };
        if self.lengths == Lengths::AtLeast && body > dwords {
            return Ok((form, body));
        }
        let counts_itself = usize::from(dialect == Dialect::TotalLength);
        let (expected, found) = ((dwords + counts_itself) as u32, token.length() as u32);
        Err(BytecodeError::BadLength { opcode, expected, found, offset })
    }

    #[inline]
    fn operation(
        &mut self,
        token: InstructionToken,
        form: &LegacyOpcode,
        offset: TokenOffset,
    ) -> Result<(), BytecodeError> {
        let opcode = self.variant(token, form.opcode, offset)?;
        let mut modifiers = Modifiers::NONE;
        let coissue = self.version.stage == Stage::Pixel && self.version.major == 1 && token.is_coissued();
        let mut predicate = None;
        let predicate_at = if token.is_predicated() { self.predicate_position(form) } else { usize::MAX };
        for (position, takes) in form.takes.iter().enumerate() {
            if position == predicate_at {
                predicate = Some(self.predicate(opcode)?);
            }
            match takes {
                Takes::Result | Takes::Comparison => modifiers = self.result(opcode, *takes)?,
                _ => self.source(opcode, *takes)?,
            }
        }
        if token.is_predicated() && predicate.is_none() {
            predicate = Some(self.predicate(opcode)?);
        }
        self.name_implied(opcode, offset)?;
        let (control, modifiers) = (self.control(token, opcode, offset)?, Modifiers { coissue, ..modifiers });
        self.builder.instruction(InstructionHead { opcode, offset, modifiers, control }, predicate)
    }

    /// `texld` is three instructions from SM2 on.
    #[inline]
    fn variant(&self, token: InstructionToken, opcode: Opcode, offset: TokenOffset) -> Result<Opcode, BytecodeError> {
        if opcode != Opcode::TexLd || self.version.major < 2 {
            return Ok(opcode);
        }
        match token.control() {
            0 => Ok(opcode),
            1 => Ok(Opcode::TexLdP),
            2 => Ok(Opcode::TexLdB),
            found => self.unknown_at(opcode, "texture read mode", found, offset),
        }
    }

    #[inline]
    fn control(&self, token: InstructionToken, opcode: Opcode, offset: TokenOffset) -> Result<Control, BytecodeError> {
        match opcode {
            Opcode::IfC | Opcode::BreakC | Opcode::SetP => match token.control() {
                number @ 1..=6 => Ok(Comparison::from_number(number).map_or(Control::None, Control::Comparison)),
                found => self.unknown_at(opcode, "comparison", found, offset),
            },
            _ => Ok(Control::None),
        }
    }

    /// Before which operand the predicate stands. In Direct3D it follows the result; the emulator looks for it behind
    /// or before all others.
    fn predicate_position(&self, form: &LegacyOpcode) -> usize {
        let has_result = matches!(form.takes.first(), Some(Takes::Result | Takes::Comparison));
        let after_result = usize::from(has_result);
        if self.dialect != Dialect::TotalLength {
            return after_result;
        }
        let places = [after_result, form.takes.len(), 0];
        let is_predicate = |place: &usize| {
            let token = self.parameter_at(*place).map(ParameterToken::register_type);
            token == Some(PREDICATE)
        };
        places.into_iter().find(is_predicate).unwrap_or(after_result)
    }

    /// The parameter of the instruction that stands behind so many others.
    fn parameter_at(&self, count: usize) -> Option<ParameterToken> {
        let mut position = self.position;
        for _ in 0..count {
            position += 1 + usize::from(self.tokens.get(position).map(ParameterToken)?.is_indexed());
        }
        self.tokens.get(position).map(ParameterToken)
    }

    pub(super) fn file_offset_of(&self, position: usize) -> u64 {
        self.file_offset.saturating_add(u64::from(token_offset(position).0))
    }

    #[cold]
    pub(super) fn unknown_at<T>(
        &self,
        opcode: Opcode,
        what: &'static str,
        found: u32,
        offset: TokenOffset,
    ) -> Result<T, BytecodeError> {
        Err(BytecodeError::UnknownNumber { opcode, what, found, offset: self.builder.file_offset(offset) })
    }

    /// The error for a number in the token that was read last.
    #[cold]
    pub(super) fn unknown_number<T>(&self, opcode: Opcode, what: &'static str, found: u32) -> Result<T, BytecodeError> {
        let offset = self.file_offset_of(self.position.saturating_sub(1));
        Err(BytecodeError::UnknownNumber { opcode, what, found, offset })
    }
}

/// The predicate's type of register.
const PREDICATE: u32 = 19;
