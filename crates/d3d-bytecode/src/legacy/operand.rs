//! Results and sources.

use super::super::error::BytecodeError;
use super::super::instruction::Modifiers;
use super::super::opcode::Opcode;
use super::super::operand::{
    Index, Lane, Lanes, Mask, MinPrecision, Modifier, Operand, OperandValue, Register, RegisterKind,
};
use super::super::version::Stage;
use super::decode::Decoder;
use super::opcodes::Takes;
use super::registers::{NamedRegister, NoRegister, named_register};
use super::token::{ParameterToken, token_offset};

impl Decoder<'_> {
    /// Reads the register that an instruction writes, and what is done to the result.
    #[inline(always)]
    pub(super) fn result(&mut self, opcode: Opcode, takes: Takes) -> Result<Modifiers, BytecodeError> {
        let at = self.position;
        let token = self.parameter(opcode)?;
        let modifiers = self.result_modifiers(opcode, token)?;
        let named = self.named(opcode, token)?;
        self.check_taken(opcode, takes, named, at)?;
        if token.mask() == Mask::NONE {
            let (expected, found) = ("lanes to write", "none");
            return Err(BytecodeError::WrongOperand { opcode, expected, found, offset: self.file_offset_of(at) });
        }
        self.add(opcode, (token, named), (Lanes::Mask(token.mask()), Modifier::None), at)?;
        Ok(modifiers)
    }

    #[inline]
    pub(super) fn result_modifiers(&self, opcode: Opcode, token: ParameterToken) -> Result<Modifiers, BytecodeError> {
        let (flags, shift) = (token.result_flags(), token.shift());
        if flags & 8 != 0 {
            return self.unknown_number(opcode, "modifier of results", flags);
        }
        if !(-3..=3).contains(&shift) {
            return self.unknown_number(opcode, "shift", u32::from(shift.unsigned_abs()));
        }
        Ok(Modifiers {
            saturate: flags & 1 != 0,
            partial_precision: flags & 2 != 0,
            centroid: flags & 4 != 0,
            shift,
            ..Modifiers::NONE
        })
    }

    /// Reads what an instruction takes besides results.
    #[inline(always)]
    pub(super) fn source(&mut self, opcode: Opcode, takes: Takes) -> Result<(), BytecodeError> {
        let at = self.position;
        let (token, modifier, named) = self.source_token(opcode, takes)?;
        self.add(opcode, (token, named), (named.source_lanes(token.swizzle()), modifier), at)
    }

    /// Reads the predicate, which is no operand.
    pub(super) fn predicate(&mut self, opcode: Opcode) -> Result<Operand, BytecodeError> {
        let at = self.position;
        let (token, modifier, named) = self.source_token(opcode, Takes::Predicate)?;
        let register = self.register(opcode, token, named, at)?;
        Ok(operand(register, named.source_lanes(token.swizzle()), modifier))
    }

    #[inline(always)]
    fn source_token(
        &mut self,
        opcode: Opcode,
        takes: Takes,
    ) -> Result<(ParameterToken, Modifier, NamedRegister), BytecodeError> {
        let at = self.position;
        let token = self.parameter(opcode)?;
        let Some(modifier) = token.modifier() else {
            return self.unknown_number(opcode, "modifier of sources", token.modifier_number());
        };
        let named = self.named(opcode, token)?;
        self.check_taken(opcode, takes, named, at)?;
        Ok((token, modifier, named))
    }

    #[inline(always)]
    fn check_taken(&self, opcode: Opcode, takes: Takes, named: NamedRegister, at: usize) -> Result<(), BytecodeError> {
        if named.is_taken_for(takes) {
            return Ok(());
        }
        self.wrong_operand(opcode, expectation(takes), named.kind, at)
    }

    /// The next parameter of the instruction.
    #[inline(always)]
    pub(super) fn parameter(&mut self, opcode: Opcode) -> Result<ParameterToken, BytecodeError> {
        match self.tokens.get(self.position).map(ParameterToken) {
            // Without lengths, nothing else tells an operand from the next instruction.
            Some(token) if self.position < self.end && (token.is_marked() || self.version.major >= 2) => {
                self.position += 1;
                self.parameters.any = true;
                self.parameters.marked |= token.is_marked();
                Ok(token)
            }
            _ => self.missing_operand(opcode),
        }
    }

    #[cold]
    fn missing_operand<T>(&self, opcode: Opcode) -> Result<T, BytecodeError> {
        Err(BytecodeError::MissingOperand { opcode, offset: self.file_offset_of(self.position) })
    }

    #[inline(always)]
    pub(super) fn named(&self, opcode: Opcode, token: ParameterToken) -> Result<NamedRegister, BytecodeError> {
        match named_register(token, self.types) {
            Ok(named) => Ok(named),
            Err(wrong) => self.no_register(opcode, token, wrong),
        }
    }

    #[cold]
    fn no_register<T>(&self, opcode: Opcode, token: ParameterToken, wrong: NoRegister) -> Result<T, BytecodeError> {
        match wrong {
            NoRegister::UnknownType => self.unknown_number(opcode, "type of register", token.register_type()),
            NoRegister::OutOfRange { kind, found, limit } => {
                let offset = self.file_offset_of(self.position - 1);
                Err(BytecodeError::RegisterOutOfRange { kind, found, limit, offset })
            }
        }
    }

    /// The register that a token at a position names, with the index that follows it.
    #[inline]
    pub(super) fn register(
        &mut self,
        opcode: Opcode,
        token: ParameterToken,
        named: NamedRegister,
        at: usize,
    ) -> Result<Register, BytecodeError> {
        if token.is_indexed() { self.indexed_register(opcode, named, at) } else { Ok(numbered(named)) }
    }

    fn indexed_register(&mut self, opcode: Opcode, named: NamedRegister, at: usize) -> Result<Register, BytecodeError> {
        let Some(base) = named.number.filter(|_| named.of.may_be_indexed) else {
            return self.wrong_operand(opcode, "a register that may be indexed", named.kind, at);
        };
        let relative = self.index(opcode)?;
        let relative = Some(self.builder.relative(relative, token_offset(at))?);
        Ok(Register::numbered(named.kind, Index { base, relative }))
    }

    /// The register that is added to a number: `a0` or `aL`.
    fn index(&mut self, opcode: Opcode) -> Result<Operand, BytecodeError> {
        if self.version.major < 2 {
            let address = Register::numbered(RegisterKind::Address, Index::immediate(0));
            return Ok(operand(address, Lanes::Select(Lane::X), Modifier::None));
        }
        let at = self.position;
        let token = self.parameter(opcode)?;
        let named = self.named(opcode, token)?;
        let lanes = match named.kind {
            RegisterKind::Address => Lanes::Select(Lane::from_bits(token.swizzle().bits().into())),
            RegisterKind::LoopCounter => Lanes::One,
            _ => return self.wrong_operand(opcode, "a0 or aL as an index", named.kind, at),
        };
        Ok(operand(numbered(named), lanes, Modifier::None))
    }

    /// Adds an operand to the instruction.
    #[inline(always)]
    fn add(
        &mut self,
        opcode: Opcode,
        (token, named): (ParameterToken, NamedRegister),
        (lanes, modifier): (Lanes, Modifier),
        at: usize,
    ) -> Result<(), BytecodeError> {
        // Indices are rare, and so is what texture instructions leave in `t#`.
        if token.is_indexed() || named.kind == RegisterKind::TextureCoordinate {
            return self.add_unusual(opcode, (token, named), (lanes, modifier), at);
        }
        self.builder.operand(operand(numbered(named), lanes, modifier), token_offset(at))
    }

    /// The same with an index, or of a texture coordinate. What a texture instruction left in `t#` in ps_1_1 to ps_1_3
    /// is no input.
    #[inline(never)]
    fn add_unusual(
        &mut self,
        opcode: Opcode,
        (token, named): (ParameterToken, NamedRegister),
        (lanes, modifier): (Lanes, Modifier),
        at: usize,
    ) -> Result<(), BytecodeError> {
        let register = self.register(opcode, token, named, at)?;
        let operand = operand(register, lanes, modifier);
        if named.kind == RegisterKind::TextureCoordinate && self.has_texture_registers() {
            self.builder.unnamed(operand);
            return Ok(());
        }
        self.builder.operand(operand, token_offset(at))
    }

    /// Whether `t#` are registers that texture instructions write, as in ps_1_1 to ps_1_3.
    pub(super) fn has_texture_registers(&self) -> bool {
        let version = self.version;
        version.stage == Stage::Pixel && version.major == 1 && version.minor < 4
    }

    #[cold]
    fn wrong_operand<T>(
        &self,
        opcode: Opcode,
        expected: &'static str,
        found: RegisterKind,
        at: usize,
    ) -> Result<T, BytecodeError> {
        let offset = self.file_offset_of(at);
        Err(BytecodeError::WrongOperand { opcode, expected, found: found.name(), offset })
    }
}

/// A register without an index that adds another.
#[inline(always)]
fn numbered(named: NamedRegister) -> Register {
    match named.number {
        Some(number) => Register::numbered(named.kind, Index::immediate(number)),
        None => Register::single(named.kind),
    }
}

#[inline(always)]
pub(super) fn operand(register: Register, lanes: Lanes, modifier: Modifier) -> Operand {
    Operand { value: OperandValue::Register(register), lanes, modifier, precision: MinPrecision::Default }
}

fn expectation(takes: Takes) -> &'static str {
    match takes {
        Takes::Result => "a register to write",
        Takes::Comparison => "p0 to write",
        Takes::Value => "a register with a value",
        Takes::Sampler => "a sampler",
        Takes::Label => "a label",
        Takes::Counts => "an integer constant",
        Takes::Counter => "aL",
        Takes::Truth => "a boolean constant or p0",
        Takes::Predicate => "p0",
    }
}
