//! Slots that instructions use without naming them.
//!
//! | instruction | uses besides |
//! |---|---|
//! | `m4x4 r0, v0, c4` | the rows that follow: c5, c6, c7 |
//! | `tex t0`, `texbem t1, t0`, … in ps_1_1 to ps_1_3 | the sampler and the texture coordinate of the number that is written |
//! | `texreg2ar t1, t0`, … | the sampler of that number; the coordinate comes from the source |
//! | `texld r0, t1` in ps_1_4 | the sampler of the number that is written |

use super::super::error::BytecodeError;
use super::super::instruction::TokenOffset;
use super::super::opcode::Opcode;
use super::super::operand::{Index, Lanes, Modifier, OperandValue, Register, RegisterKind};
use super::decode::Decoder;
use super::operand::operand;

impl Decoder<'_> {
    /// Names what the instruction whose operands were read uses besides them.
    #[inline]
    pub(super) fn name_implied(&mut self, opcode: Opcode, offset: TokenOffset) -> Result<(), BytecodeError> {
        match opcode {
            Opcode::M4x4 | Opcode::M3x4 => self.name_rows(4, offset),
            Opcode::M4x3 | Opcode::M3x3 => self.name_rows(3, offset),
            Opcode::M3x2 => self.name_rows(2, offset),
            _ if self.version.major == 1 => self.name_stage(opcode, offset),
            _ => Ok(()),
        }
    }

    /// The rows of a matrix behind the first.
    fn name_rows(&mut self, count: u32, offset: TokenOffset) -> Result<(), BytecodeError> {
        let Some((kind, first)) = self.numbered_operand(2) else { return Ok(()) };
        // An index that adds a register names the whole bank already.
        if first.relative.is_some() {
            return Ok(());
        }
        for base in first.base + 1..first.base + count {
            self.name(kind, base, offset)?;
        }
        Ok(())
    }

    /// The sampler and the texture coordinate of ps_1_x.
    fn name_stage(&mut self, opcode: Opcode, offset: TokenOffset) -> Result<(), BytecodeError> {
        let Some((_, Index { base: stage, .. })) = self.numbered_operand(0) else { return Ok(()) };
        if reads_sampler(opcode) {
            self.name(RegisterKind::Sampler, stage, offset)?;
        }
        if self.has_texture_registers() && reads_coordinate(opcode) {
            self.name(RegisterKind::TextureCoordinate, stage, offset)?;
        }
        Ok(())
    }

    fn numbered_operand(&self, position: usize) -> Option<(RegisterKind, Index)> {
        match self.builder.pending().get(position)?.value {
            OperandValue::Register(register) => Some((register.kind, register.last_index()?)),
            _ => None,
        }
    }

    fn name(&mut self, kind: RegisterKind, number: u32, offset: TokenOffset) -> Result<(), BytecodeError> {
        let register = Register::numbered(kind, Index::immediate(number));
        self.builder.uses(&operand(register, Lanes::None, Modifier::None), offset)
    }
}

fn reads_sampler(opcode: Opcode) -> bool {
    matches!(
        opcode,
        Opcode::Tex
            | Opcode::TexLd
            | Opcode::TexBem
            | Opcode::TexBemL
            | Opcode::TexReg2Ar
            | Opcode::TexReg2Gb
            | Opcode::TexReg2Rgb
            | Opcode::TexM3x2Tex
            | Opcode::TexM3x3Tex
            | Opcode::TexM3x3Spec
            | Opcode::TexM3x3VSpec
            | Opcode::TexDp3Tex
    )
}

fn reads_coordinate(opcode: Opcode) -> bool {
    matches!(
        opcode,
        Opcode::Tex
            | Opcode::TexCoord
            | Opcode::TexKill
            | Opcode::TexBem
            | Opcode::TexBemL
            | Opcode::TexM3x2Pad
            | Opcode::TexM3x2Tex
            | Opcode::TexM3x2Depth
            | Opcode::TexM3x3Pad
            | Opcode::TexM3x3Tex
            | Opcode::TexM3x3Spec
            | Opcode::TexM3x3VSpec
            | Opcode::TexM3x3
            | Opcode::TexDp3Tex
            | Opcode::TexDp3
    )
}
