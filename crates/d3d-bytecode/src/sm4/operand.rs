//! Operands of SM4 and SM5 in Microsoft's encoding.
//!
//! ```text
//!  31 30 28 27 25 24 22 21 20 19      12 11         4 3  2 1  0
//! ┌──┬─────┬─────┬─────┬─────┬──────────┬────────────┬────┬────┐
//! │e │ how each index is │  n  │   kind   │   lanes    │mode│size│
//! └──┴─────┴─────┴─────┴─────┴──────────┴────────────┴────┴────┘
//!  e     an extended token follows: modifier in bits 6 to 13, precision in 14 to 16
//!  how   0 dword, 1 quadword, 2 register, 3 dword and register, 4 quadword and register
//!  n     number of indices
//!  mode  0 mask (bits 4 to 7), 1 swizzle (4 to 11), 2 one lane (4 and 5)
//!  size  0 no lanes, 1 one, 2 four
//! ```

use super::super::builder::ProgramBuilder;
use super::super::error::BytecodeError;
use super::super::instruction::TokenOffset;
use super::super::opcode::Opcode;
use super::super::operand::{
    Index, Lane, Lanes, Mask, MinPrecision, Modifier, Operand, OperandValue, Register, RegisterKind, Swizzle,
};
use super::super::register_shape::check_indices;
use super::super::role::Role;
use super::super::tokens::Tokens;
use crate::limits::MAX_BYTECODE_INDEX_NESTING;

/// Kinds of registers by their numbers in operand tokens. Numbers without a register here are immediate values (4, 5)
/// or of things that no program holds.
pub const REGISTER_KINDS: [Option<RegisterKind>; 43] = {
    use RegisterKind as K;
    [
        Some(K::Temp),
        Some(K::Input),
        Some(K::Output),
        Some(K::IndexableTemp),
        None,
        None,
        Some(K::Sampler),
        Some(K::Resource),
        Some(K::ConstantBuffer),
        Some(K::ImmediateConstantBuffer),
        Some(K::Label),
        Some(K::InputPrimitiveId),
        Some(K::OutputDepth),
        Some(K::Null),
        Some(K::Rasterizer),
        Some(K::OutputCoverageMask),
        Some(K::Stream),
        Some(K::FunctionBody),
        Some(K::FunctionTable),
        Some(K::Interface),
        Some(K::FunctionInput),
        Some(K::FunctionOutput),
        Some(K::OutputControlPointId),
        Some(K::ForkInstanceId),
        Some(K::JoinInstanceId),
        Some(K::InputControlPoint),
        Some(K::OutputControlPoint),
        Some(K::PatchConstant),
        Some(K::DomainLocation),
        Some(K::ThisPointer),
        Some(K::Uav),
        Some(K::ThreadGroupMemory),
        Some(K::ThreadId),
        Some(K::ThreadGroupId),
        Some(K::ThreadIdInGroup),
        Some(K::Coverage),
        Some(K::ThreadIdInGroupFlattened),
        Some(K::GsInstanceId),
        Some(K::OutputDepthGreaterEqual),
        Some(K::OutputDepthLessEqual),
        Some(K::CycleCounter),
        Some(K::OutputStencilRef),
        Some(K::InnerCoverage),
    ]
};

const IMMEDIATE32: u32 = 4;
const IMMEDIATE64: u32 = 5;

/// Reads the operands of one instruction.
pub(super) struct OperandReader<'a, 'b> {
    pub opcode: Opcode,
    pub tokens: Tokens<'a>,
    pub builder: &'b mut ProgramBuilder,
}

impl OperandReader<'_, '_> {
    /// The next operand, for its role.
    #[inline]
    pub(crate) fn operand(&mut self, role: Role) -> Result<Operand, BytecodeError> {
        let at = self.tokens.offset();
        let operand = self.any_operand(role.has_mask(), 0)?;
        if !role.takes(&operand) {
            let (opcode, expected, found) = (self.opcode, role.expected(), operand.value.name());
            return Err(BytecodeError::WrongOperand { opcode, expected, found, offset: self.builder.file_offset(at) });
        }
        Ok(operand)
    }

    /// The next operand, whatever it is for, its lanes as those of a source.
    pub(crate) fn any(&mut self) -> Result<Operand, BytecodeError> {
        self.any_operand(false, 0)
    }

    /// The next dword.
    #[inline]
    pub(crate) fn dword(&mut self) -> Result<u32, BytecodeError> {
        self.tokens.next().ok_or_else(|| BytecodeError::MissingOperand {
            opcode: self.opcode,
            offset: self.builder.file_offset(self.tokens.offset()),
        })
    }

    /// A number that isn't in an enumeration, in the token before this place.
    #[cold]
    pub(crate) fn unknown(&self, what: &'static str, found: u32, at: TokenOffset) -> BytecodeError {
        BytecodeError::UnknownNumber { opcode: self.opcode, what, found, offset: self.builder.file_offset(at) }
    }

    fn any_operand(&mut self, has_mask: bool, depth: u32) -> Result<Operand, BytecodeError> {
        let at = self.tokens.offset();
        let token = self.dword()?;
        let (modifier, precision) = if token >> 31 == 0 { Default::default() } else { self.extended()? };
        let lanes = self.lanes(token, has_mask, at)?;
        let number = (token >> 12) & 0xff;
        let value = match number {
            IMMEDIATE32 => OperandValue::Immediate32(self.immediate32(lanes)?),
            IMMEDIATE64 => OperandValue::Immediate64(self.immediate64(lanes)?),
            _ => {
                let kind = REGISTER_KINDS.get(number as usize).copied().flatten();
                let kind = kind.ok_or_else(|| self.unknown("kind of register", number, at))?;
                OperandValue::Register(self.register(token, kind, at, depth)?)
            }
        };
        let lanes = match (&value, lanes) {
            (OperandValue::Register(register), Lanes::None | Lanes::One) => {
                Lanes::of_few(register.kind, lanes == Lanes::One, has_mask)
            }
            (OperandValue::Register(_), lanes) => lanes,
            (_, Lanes::One) => Lanes::One,
            // What selects lanes of immediate values says nothing, and compilers write this or that.
            _ => Lanes::Swizzle(Swizzle::IDENTITY),
        };
        Ok(Operand { value, lanes, modifier, precision })
    }

    fn extended(&mut self) -> Result<(Modifier, MinPrecision), BytecodeError> {
        let (mut modifier, mut precision) = (Modifier::None, MinPrecision::Default);
        loop {
            let at = self.tokens.offset();
            let token = self.dword()?;
            match token & 0x3f {
                0 => {}
                1 => {
                    modifier = match (token >> 6) & 0xff {
                        0 => Modifier::None,
                        1 => Modifier::Negate,
                        2 => Modifier::Absolute,
                        3 => Modifier::NegateAbsolute,
                        number => return Err(self.unknown("modifier", number, at)),
                    };
                    let number = (token >> 14) & 7;
                    precision =
                        MinPrecision::from_token(number).ok_or_else(|| self.unknown("precision", number, at))?;
                }
                number => return Err(self.unknown("extension of an operand", number, at)),
            }
            if token >> 31 == 0 {
                return Ok((modifier, precision));
            }
        }
    }

    /// What is written has a mask; what is read a swizzle or one lane. A mask of what is read stands for all lanes.
    #[inline]
    fn lanes(&self, token: u32, has_mask: bool, at: TokenOffset) -> Result<Lanes, BytecodeError> {
        match token & 3 {
            0 => return Ok(Lanes::None),
            1 => return Ok(Lanes::One),
            2 => {}
            number => return Err(self.unknown("number of lanes", number, at)),
        }
        let lanes = match ((token >> 2) & 3, has_mask) {
            (0, true) => Lanes::Mask(Mask::from_bits(token >> 4)),
            (0, false) => Lanes::Swizzle(Swizzle::IDENTITY),
            (1, false) => Lanes::Swizzle(Swizzle::from_bits(token >> 4)),
            (2, false) => Lanes::Select(Lane::from_bits(token >> 4)),
            // Memory that is written as a whole, as by atomic instructions, has lanes of either kind.
            (1 | 2, true) if (token >> 12) & 0xff != 0 => Lanes::Mask(Mask::ALL),
            (mode, _) => return Err(self.unknown("lane selection", mode, at)),
        };
        Ok(lanes)
    }

    fn immediate32(&mut self, lanes: Lanes) -> Result<[u32; 4], BytecodeError> {
        let first = self.dword()?;
        if lanes == Lanes::One {
            return Ok([first; 4]);
        }
        Ok([first, self.dword()?, self.dword()?, self.dword()?])
    }

    /// A quadword's lower half comes first.
    fn immediate64(&mut self, lanes: Lanes) -> Result<[u64; 2], BytecodeError> {
        let first = self.quadword()?;
        if lanes == Lanes::One {
            return Ok([first; 2]);
        }
        Ok([first, self.quadword()?])
    }

    fn quadword(&mut self) -> Result<u64, BytecodeError> {
        let low = self.dword()?;
        Ok(u64::from(self.dword()?) << 32 | u64::from(low))
    }

    #[inline]
    fn register(
        &mut self,
        token: u32,
        kind: RegisterKind,
        at: TokenOffset,
        depth: u32,
    ) -> Result<Register, BytecodeError> {
        let count = (token >> 20) & 3;
        let mut indices = [Index::default(); 3];
        for (place, index) in indices.iter_mut().take(count as usize).enumerate() {
            *index = self.index((token >> (22 + 3 * place)) & 7, at, depth)?;
        }
        let indices = indices.get(..count as usize).unwrap_or_default();
        check_indices(kind, indices.len(), self.builder.file_offset(at))?;
        Ok(Register::new(kind, indices))
    }

    #[inline]
    fn index(&mut self, representation: u32, at: TokenOffset, depth: u32) -> Result<Index, BytecodeError> {
        let base = match representation {
            0 | 3 => self.dword()?,
            2 => 0,
            number => return Err(self.unknown("form of an index", number, at)),
        };
        if representation == 0 {
            return Ok(Index::immediate(base));
        }
        self.relative(base, depth + 1)
    }

    fn relative(&mut self, base: u32, depth: u32) -> Result<Index, BytecodeError> {
        let at = self.tokens.offset();
        let offset = self.builder.file_offset(at);
        if depth > MAX_BYTECODE_INDEX_NESTING {
            let (found, limit) = (u64::from(depth), u64::from(MAX_BYTECODE_INDEX_NESTING));
            return Err(BytecodeError::OverLimit { what: "nesting of indices", found, limit, offset });
        }
        let operand = self.any_operand(false, depth)?;
        let (opcode, found) = (self.opcode, operand.value.name());
        if !Role::Src.takes(&operand) || !matches!(operand.value, OperandValue::Register(_)) {
            return Err(BytecodeError::WrongOperand { opcode, expected: "a register as an index", found, offset });
        }
        if !matches!(operand.lanes, Lanes::Select(_) | Lanes::One) {
            return Err(BytecodeError::WrongOperand { opcode, expected: "one lane as an index", found, offset });
        }
        Ok(Index { base, relative: Some(self.builder.relative(operand, at)?) })
    }
}
