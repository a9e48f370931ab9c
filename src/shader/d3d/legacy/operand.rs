//! Results and sources.

use super::super::error::BytecodeError;
use super::super::instruction::Modifiers;
use super::super::opcode::Opcode;
use super::super::operand::{
    Index, Lane, Lanes, Mask, MinPrecision, Modifier, Operand, OperandValue, Register, RegisterKind, Swizzle,
};
use super::super::version::Stage;
use super::decode::Decoder;
use super::opcodes::Takes;
use super::registers::{NamedRegister, named_register};
use super::token::{ParameterToken, token_offset};

impl Decoder<'_> {
    /// Reads the register that an instruction writes, and what is done to the result.
    #[inline]
    pub(super) fn result(&mut self, opcode: Opcode) -> Result<Modifiers, BytecodeError> {
        let at = self.position;
        let token = self.parameter(opcode)?;
        let modifiers = self.result_modifiers(opcode, token)?;
        let named = self.named(opcode, token)?;
        let may_write = match opcode {
            Opcode::SetP => named.kind == RegisterKind::Predicate,
            _ => is_written(named.kind),
        };
        if !may_write {
            return self.wrong_operand(opcode, "a register to write", named.kind, at);
        }
        if token.mask() == Mask::NONE {
            let (expected, found) = ("lanes to write", "none");
            return Err(BytecodeError::WrongOperand { opcode, expected, found, offset: self.file_offset_of(at) });
        }
        let register = self.register(opcode, token, named, at)?;
        self.add(operand(register, Lanes::Mask(token.mask()), Modifier::None), named.kind, at)?;
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
    #[inline]
    pub(super) fn source(&mut self, opcode: Opcode, takes: Takes) -> Result<(), BytecodeError> {
        let at = self.position;
        let (operand, kind) = self.value(opcode)?;
        if !is_taken(takes, kind) {
            return self.wrong_operand(opcode, expectation(takes), kind, at);
        }
        self.add(operand, kind, at)
    }

    /// Reads a source, without adding it to the instruction; and its register's kind.
    #[inline]
    pub(super) fn value(&mut self, opcode: Opcode) -> Result<(Operand, RegisterKind), BytecodeError> {
        let at = self.position;
        let token = self.parameter(opcode)?;
        let Some(modifier) = token.modifier() else {
            return self.unknown_number(opcode, "modifier of sources", token.modifier_number());
        };
        let named = self.named(opcode, token)?;
        let register = self.register(opcode, token, named, at)?;
        Ok((operand(register, source_lanes(named.kind, token.swizzle()), modifier), named.kind))
    }

    /// The next parameter of the instruction.
    #[inline]
    pub(super) fn parameter(&mut self, opcode: Opcode) -> Result<ParameterToken, BytecodeError> {
        let offset = self.file_offset_of(self.position);
        let token = self.tokens.get(self.position).filter(|_| self.position < self.end);
        let token = token.map(ParameterToken).ok_or(BytecodeError::MissingOperand { opcode, offset })?;
        // Without lengths, nothing else tells an operand from the next instruction.
        if self.version.major < 2 && !token.is_marked() {
            return Err(BytecodeError::MissingOperand { opcode, offset });
        }
        self.position += 1;
        Ok(token)
    }

    #[inline]
    pub(super) fn named(&self, opcode: Opcode, token: ParameterToken) -> Result<NamedRegister, BytecodeError> {
        let Some(named) = named_register(token, self.version) else {
            return self.unknown_number(opcode, "type of register", token.register_type());
        };
        match named {
            NamedRegister { kind, number: Some(found), limit } if found >= limit => {
                let offset = self.file_offset_of(self.position - 1);
                Err(BytecodeError::RegisterOutOfRange { kind, found, limit, offset })
            }
            _ => Ok(named),
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
        if !token.is_indexed() {
            return Ok(numbered(named));
        }
        let Some(base) = named.number.filter(|_| self.may_be_indexed(named.kind)) else {
            return self.wrong_operand(opcode, "a register that may be indexed", named.kind, at);
        };
        let relative = self.index(opcode)?;
        let relative = Some(self.builder.relative(relative, token_offset(at))?);
        Ok(Register::numbered(named.kind, Index { base, relative }))
    }

    fn may_be_indexed(&self, kind: RegisterKind) -> bool {
        match (self.version.stage, self.version.major) {
            (Stage::Vertex, 1 | 2) => kind == RegisterKind::Constant,
            (Stage::Vertex, _) => matches!(kind, RegisterKind::Constant | RegisterKind::Input | RegisterKind::Output),
            (_, 3) => matches!(kind, RegisterKind::Constant | RegisterKind::Input),
            _ => false,
        }
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

    /// Adds an operand to the instruction. What a texture instruction left in `t#` in ps_1_1 to ps_1_3 is no input.
    #[inline]
    fn add(&mut self, operand: Operand, kind: RegisterKind, at: usize) -> Result<(), BytecodeError> {
        if kind == RegisterKind::TextureCoordinate && self.has_texture_registers() {
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
#[inline]
fn numbered(named: NamedRegister) -> Register {
    match named.number {
        Some(number) => Register::numbered(named.kind, Index::immediate(number)),
        None => Register::single(named.kind),
    }
}

#[inline]
pub(super) fn operand(register: Register, lanes: Lanes, modifier: Modifier) -> Operand {
    Operand { value: OperandValue::Register(register), lanes, modifier, precision: MinPrecision::Default }
}

/// Which lanes of a register are read. Some have none or one, whatever the token has in the swizzle's place.
#[inline]
fn source_lanes(kind: RegisterKind, swizzle: Swizzle) -> Lanes {
    match kind {
        RegisterKind::Sampler | RegisterKind::Label => Lanes::None,
        RegisterKind::ConstantBoolean | RegisterKind::LoopCounter => Lanes::One,
        _ => Lanes::Swizzle(swizzle),
    }
}

fn is_written(kind: RegisterKind) -> bool {
    use RegisterKind as Kind;
    matches!(
        kind,
        Kind::Temp
            | Kind::Address
            | Kind::TextureCoordinate
            | Kind::Output
            | Kind::OutputPosition
            | Kind::OutputFog
            | Kind::OutputPointSize
            | Kind::OutputDiffuse
            | Kind::OutputTextureCoordinate
            | Kind::OutputColor
            | Kind::OutputDepth
    )
}

fn is_taken(takes: Takes, kind: RegisterKind) -> bool {
    use RegisterKind as Kind;
    match takes {
        Takes::Result => false,
        Takes::Value => matches!(
            kind,
            Kind::Temp | Kind::Input | Kind::Constant | Kind::TextureCoordinate | Kind::PixelPosition | Kind::PixelFace
        ),
        Takes::Sampler => kind == Kind::Sampler,
        Takes::Label => kind == Kind::Label,
        Takes::Counts => kind == Kind::ConstantInteger,
        Takes::Counter => kind == Kind::LoopCounter,
        Takes::Truth => matches!(kind, Kind::ConstantBoolean | Kind::Predicate),
        Takes::Predicate => kind == Kind::Predicate,
    }
}

fn expectation(takes: Takes) -> &'static str {
    match takes {
        Takes::Result => "a register to write",
        Takes::Value => "a register with a value",
        Takes::Sampler => "a sampler",
        Takes::Label => "a label",
        Takes::Counts => "an integer constant",
        Takes::Counter => "aL",
        Takes::Truth => "a boolean constant or p0",
        Takes::Predicate => "p0",
    }
}
