//! Operands in the emulator's dialect.
//!
//! ```text
//!  31 30        22 21 20 19      12 11       4 3  2 1  0
//! ┌──┬────────────┬─────┬──────────┬──────────┬────┬────┐
//! │e │ zeros      │  n  │  lanes   │   kind   │mode│size│
//! └──┴────────────┴─────┴──────────┴──────────┴────┴────┘
//!  e     an extended token follows: modifier in bits 6 and 7
//!  n     number of indices, each a dword
//!  mode  0 mask (four bits of lanes), 1 swizzle (eight), 2 one lane (two)
//!  size  0 no lanes, 1 one, 2 four
//! ```

use super::super::error::BytecodeError;
use super::super::instruction::TokenOffset;
use super::super::opcode::Opcode;
use super::super::operand::{
    Index, Lane, Lanes, Mask, MinPrecision, Modifier, Operand, OperandValue, Register, RegisterKind, Swizzle,
};
use super::super::register_shape::check_indices;
use super::super::tokens::Tokens;

const IMMEDIATE: u32 = 4;

/// Kinds of registers by their numbers in operand tokens.
fn kind(number: u32) -> Option<RegisterKind> {
    use RegisterKind as K;
    Some(match number {
        0 => K::Temp,
        1 => K::Input,
        2 => K::Output,
        6 => K::Sampler,
        7 => K::Resource,
        8 => K::ConstantBuffer,
        11 => K::Predicate,
        12 => K::OutputDepth,
        13 => K::Null,
        30 => K::Uav,
        32 => K::ThreadId,
        33 => K::ThreadGroupId,
        34 => K::ThreadIdInGroup,
        35 => K::ThreadIdInGroupFlattened,
        38 => K::OutputDepthGreaterEqual,
        39 => K::OutputDepthLessEqual,
        _ => return None,
    })
}

/// An operand before it is known what for.
#[derive(Clone, Copy)]
pub(super) struct RawOperand {
    pub value: OperandValue,
    pub modifier: Modifier,
    pub at: TokenOffset,
    /// How many lanes, how they are chosen, and which.
    size: u32,
    mode: u32,
    lanes: u32,
}

impl RawOperand {
    pub(crate) fn kind(&self) -> Option<RegisterKind> {
        match self.value {
            OperandValue::Register(register) => Some(register.kind),
            _ => None,
        }
    }

    /// As a register that is written: a mask, one lane, or all.
    pub(crate) fn written(&self) -> Operand {
        self.with_lanes(
            true,
            match self.mode {
                0 => Lanes::Mask(Mask::from_bits(self.lanes)),
                2 => Lanes::Mask(Mask::from_bits(1 << (self.lanes & 3))),
                _ => Lanes::Mask(Mask::ALL),
            },
        )
    }

    /// As a value: a swizzle or one lane; a mask stands for all.
    pub(crate) fn read(&self) -> Operand {
        self.with_lanes(
            false,
            match self.mode {
                1 => Lanes::Swizzle(Swizzle::from_bits(self.lanes)),
                2 => Lanes::Select(Lane::from_bits(self.lanes)),
                _ => Lanes::Swizzle(Swizzle::IDENTITY),
            },
        )
    }

    /// As a predicate, whose one lane is chosen in any way; negated, the other truth value is meant.
    pub(crate) fn predicate(&self) -> Option<Operand> {
        let lane = match self.mode {
            2 => Lane::from_bits(self.lanes),
            1 => {
                let lanes = Swizzle::from_bits(self.lanes).lanes();
                let [first, ..] = lanes;
                lanes.iter().all(|lane| *lane == first).then_some(first)?
            }
            _ => {
                let mut lanes = Mask::from_bits(self.lanes).lanes();
                let first = lanes.next()?;
                lanes.next().is_none().then_some(first)?
            }
        };
        let modifier = match self.modifier {
            Modifier::Negate | Modifier::NegateAbsolute => Modifier::Not,
            _ => Modifier::None,
        };
        Some(Operand { modifier, ..self.with_lanes(false, Lanes::Select(lane)) })
    }

    fn with_lanes(&self, has_mask: bool, four: Lanes) -> Operand {
        let lanes = match (self.size, self.value) {
            (0 | 1, OperandValue::Register(register)) => Lanes::of_few(register.kind, self.size == 1, has_mask),
            (_, OperandValue::Register(_)) => four,
            (1, _) => Lanes::One,
            _ => Lanes::Swizzle(Swizzle::IDENTITY),
        };
        Operand { value: self.value, lanes, modifier: self.modifier, precision: MinPrecision::Default }
    }
}

/// Reads operands of one instruction or declaration.
pub(super) struct RawReader<'a> {
    pub opcode: Opcode,
    pub tokens: Tokens<'a>,
    pub file_offset: u64,
}

impl RawReader<'_> {
    pub(crate) fn offset_of(&self, at: TokenOffset) -> u64 {
        self.file_offset.saturating_add(u64::from(at.0))
    }

    pub(crate) fn dword(&mut self) -> Result<u32, BytecodeError> {
        let at = self.tokens.offset();
        let (opcode, offset) = (self.opcode, self.offset_of(at));
        self.tokens.next().ok_or(BytecodeError::MissingOperand { opcode, offset })
    }

    fn unknown(&self, what: &'static str, found: u32, at: TokenOffset) -> BytecodeError {
        BytecodeError::UnknownNumber { opcode: self.opcode, what, found, offset: self.offset_of(at) }
    }

    /// The next operand.
    pub(crate) fn operand(&mut self) -> Result<RawOperand, BytecodeError> {
        let mut operands = Vec::with_capacity(1);
        let at = self.tokens.offset();
        self.operand_into(&mut operands)?;
        operands.pop().ok_or(BytecodeError::MissingOperand { opcode: self.opcode, offset: self.offset_of(at) })
    }

    /// Puts the next operand behind others.
    #[inline(always)]
    pub(crate) fn operand_into(&mut self, operands: &mut Vec<RawOperand>) -> Result<(), BytecodeError> {
        let at = self.tokens.offset();
        let token = self.dword()?;
        let modifier = if token >> 31 == 0 { Modifier::None } else { self.modifier()? };
        let (size, mode, lanes) = (token & 3, (token >> 2) & 3, (token >> 12) & 0xff);
        if size == 3 || mode == 3 {
            return Err(self.unknown("lane selection", token & 0xf, at));
        }
        let (number, count, forms) = ((token >> 4) & 0xff, (token >> 20) & 3, (token >> 22) & 0x1ff);
        if forms != 0 {
            return Err(self.unknown("form of an index", forms, at));
        }
        let mut indices = [0; 3];
        for index in indices.iter_mut().take(count as usize) {
            *index = self.dword()?;
        }
        let value = if number == IMMEDIATE {
            self.immediate(size, at)?
        } else {
            let kind = kind(number).ok_or_else(|| self.unknown("kind of register", number, at))?;
            check_indices(kind, count as usize, self.offset_of(at))?;
            OperandValue::Register(register(kind, count, indices))
        };
        operands.push(RawOperand { value, modifier, at, size, mode, lanes });
        Ok(())
    }

    fn immediate(&mut self, size: u32, at: TokenOffset) -> Result<OperandValue, BytecodeError> {
        Ok(OperandValue::Immediate32(match size {
            1 => [self.dword()?; 4],
            2 => [self.dword()?, self.dword()?, self.dword()?, self.dword()?],
            _ => return Err(self.unknown("number of lanes", size, at)),
        }))
    }

    fn modifier(&mut self) -> Result<Modifier, BytecodeError> {
        let mut modifier = Modifier::None;
        loop {
            let at = self.tokens.offset();
            let token = self.dword()?;
            if token & 0x3f != 0 {
                return Err(self.unknown("extension of an operand", token & 0x3f, at));
            }
            modifier = match (token >> 6) & 3 {
                0 => modifier,
                1 => Modifier::Negate,
                2 => Modifier::Absolute,
                _ => Modifier::NegateAbsolute,
            };
            if token >> 31 == 0 {
                return Ok(modifier);
            }
        }
    }
}

/// A register, its indices in Microsoft's order: this encoding has an input's register before its vertex.
#[inline(always)]
fn register(kind: RegisterKind, count: u32, [first, second, third]: [u32; 3]) -> Register {
    let index = Index::immediate;
    match (kind, count) {
        (_, 0) => Register::single(kind),
        (_, 1) => Register::numbered(kind, index(first)),
        (RegisterKind::Input, 2) => Register::new(kind, &[index(second), index(first)]),
        (_, 2) => Register::new(kind, &[index(first), index(second)]),
        _ => Register::new(kind, &[index(first), index(second), index(third)]),
    }
}
