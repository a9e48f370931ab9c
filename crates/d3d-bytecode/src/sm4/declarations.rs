//! The declarations of SM4 and SM5 by their numbers in Microsoft's tokens, and what follows each.

use super::super::declaration::{
    ConstantBufferAccess, DataRange, DeclarationKind, GlobalFlags, InputPrimitive, Interpolation, OutputTopology,
    ResourceShape, SamplerMode, TessDomain, TessOutputPrimitive, TessPartitioning, UavFlags,
};
use super::super::error::BytecodeError;
use super::super::instruction::{ResourceDimension, ReturnType, TokenOffset};
use super::super::opcode::Opcode;
use super::super::operand::{Lanes, Operand, OperandValue, RegisterKind, Swizzle};
use super::super::role::Role;
use super::super::signature::SystemValue;
use super::operand::OperandReader;

/// What follows a declaration's opcode token. `bits` are the token's from 11 on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeclarationForm {
    /// Nothing: flags in the bits.
    GlobalFlags,
    /// A number.
    Count,
    /// Array, elements, lanes.
    IndexableTemp,
    /// A register.
    Register {
        /// How, in the bits.
        interpolated: bool,
        /// Behind it.
        has_system_value: bool,
    },
    /// A register and a number.
    IndexRange,
    /// A register; how it is indexed, in the bits.
    ConstantBuffer,
    /// A register; what for, in the bits.
    Sampler,
    /// A register and return types; dimension and samples in the bits.
    Typed(RegisterKind),
    /// A register.
    Raw(RegisterKind),
    /// A register and a stride.
    Structured(RegisterKind),
    /// A register and bytes.
    GroupRaw,
    /// A register, a stride and a number.
    GroupStructured,
    /// Three numbers.
    ThreadGroup,
    /// What, in the bits.
    InputPrimitive,
    /// What, in the bits.
    OutputTopology,
    /// A number, in the bits.
    CountInBits,
    /// A stream.
    Stream,
    /// What, in the bits.
    TessDomain,
    /// What, in the bits.
    TessPartitioning,
    /// What, in the bits.
    TessOutputPrimitive,
    /// A float.
    MaxTessFactor,
    /// A table's number, how many functions it has, and theirs.
    FunctionTable,
    /// A pointer's number, the tables' length, lengths in one dword, and the tables.
    Interface,
}

macro_rules! declarations {
    ($($number:literal $opcode:ident $layout:expr;)*) => {
        /// Every declaration of SM4 and SM5: its number in tokens, and what follows.
        pub const DECLARATIONS: &[(u32, Opcode, DeclarationForm)] = &[$(($number, Opcode::$opcode, $layout)),*];

        /// The declaration with this number.
        #[inline]
        pub(super) fn declaration(number: u32) -> Option<(Opcode, DeclarationForm)> {
            match number { $($number => Some((Opcode::$opcode, $layout)),)* _ => None }
        }
    };
}

const PLAIN: DeclarationForm = DeclarationForm::Register { interpolated: false, has_system_value: false };
const SYSTEM: DeclarationForm = DeclarationForm::Register { interpolated: false, has_system_value: true };
const PIXEL: DeclarationForm = DeclarationForm::Register { interpolated: true, has_system_value: false };
const PIXEL_SYSTEM: DeclarationForm = DeclarationForm::Register { interpolated: true, has_system_value: true };

declarations! {
     88 DclResource                 DeclarationForm::Typed(RegisterKind::Resource);
     89 DclConstantBuffer           DeclarationForm::ConstantBuffer;
     90 DclSampler                  DeclarationForm::Sampler;
     91 DclIndexRange               DeclarationForm::IndexRange;
     92 DclOutputTopology           DeclarationForm::OutputTopology;
     93 DclInputPrimitive           DeclarationForm::InputPrimitive;
     94 DclMaxOutputVertexCount     DeclarationForm::Count;
     95 DclInput                    PLAIN;
     96 DclInputSgv                 SYSTEM;
     97 DclInputSiv                 SYSTEM;
     98 DclInputPs                  PIXEL;
     99 DclInputPsSgv               PIXEL_SYSTEM;
    100 DclInputPsSiv               PIXEL_SYSTEM;
    101 DclOutput                   PLAIN;
    102 DclOutputSgv                SYSTEM;
    103 DclOutputSiv                SYSTEM;
    104 DclTemps                    DeclarationForm::Count;
    105 DclIndexableTemp            DeclarationForm::IndexableTemp;
    106 DclGlobalFlags              DeclarationForm::GlobalFlags;
    143 DclStream                   DeclarationForm::Stream;
    144 DclFunctionBody             DeclarationForm::Count;
    145 DclFunctionTable            DeclarationForm::FunctionTable;
    146 DclInterface                DeclarationForm::Interface;
    147 DclInputControlPointCount   DeclarationForm::CountInBits;
    148 DclOutputControlPointCount  DeclarationForm::CountInBits;
    149 DclTessDomain               DeclarationForm::TessDomain;
    150 DclTessPartitioning         DeclarationForm::TessPartitioning;
    151 DclTessOutputPrimitive      DeclarationForm::TessOutputPrimitive;
    152 DclHsMaxTessFactor          DeclarationForm::MaxTessFactor;
    153 DclHsForkPhaseInstanceCount DeclarationForm::Count;
    154 DclHsJoinPhaseInstanceCount DeclarationForm::Count;
    155 DclThreadGroup              DeclarationForm::ThreadGroup;
    156 DclUavTyped                 DeclarationForm::Typed(RegisterKind::Uav);
    157 DclUavRaw                   DeclarationForm::Raw(RegisterKind::Uav);
    158 DclUavStructured            DeclarationForm::Structured(RegisterKind::Uav);
    159 DclTgsmRaw                  DeclarationForm::GroupRaw;
    160 DclTgsmStructured           DeclarationForm::GroupStructured;
    161 DclResourceRaw              DeclarationForm::Raw(RegisterKind::Resource);
    162 DclResourceStructured       DeclarationForm::Structured(RegisterKind::Resource);
    206 DclGsInstanceCount          DeclarationForm::Count;
}

/// Bits of the opcode token above the opcode's number.
pub(super) const CONTROL_SHIFT: u32 = 11;

/// Reads what follows a declaration's opcode token.
pub(super) struct DeclarationReader<'a, 'b> {
    pub operands: OperandReader<'a, 'b>,
    /// The opcode token's bits from 11 on.
    pub bits: u32,
    /// Where the opcode token lies.
    pub at: TokenOffset,
}

impl DeclarationReader<'_, '_> {
    pub(crate) fn read(&mut self, layout: DeclarationForm) -> Result<DeclarationKind, BytecodeError> {
        Ok(match layout {
            DeclarationForm::GlobalFlags => DeclarationKind::GlobalFlags(GlobalFlags::from_bits(self.bits)),
            DeclarationForm::Count => DeclarationKind::Count(self.operands.dword()?),
            DeclarationForm::CountInBits => DeclarationKind::Count(self.bits & 0x3f),
            DeclarationForm::IndexableTemp => DeclarationKind::IndexableTemp {
                array: self.operands.dword()?,
                elements: self.operands.dword()?,
                lanes: self.operands.dword()?,
            },
            DeclarationForm::Register { interpolated, has_system_value } => {
                self.register(interpolated, has_system_value)?
            }
            DeclarationForm::IndexRange => {
                let register = self.operands.operand(Role::Dst)?;
                DeclarationKind::IndexRange { register, count: self.operands.dword()? }
            }
            DeclarationForm::ConstantBuffer => {
                let access = self.in_bits(1, "index mode of a constant buffer", ConstantBufferAccess::from_number)?;
                DeclarationKind::ConstantBuffer { register: self.slot(RegisterKind::ConstantBuffer)?, access }
            }
            DeclarationForm::Sampler => {
                let mode = self.in_bits(0xf, "kind of sampler", SamplerMode::from_number)?;
                DeclarationKind::Sampler { register: self.slot(RegisterKind::Sampler)?, mode }
            }
            DeclarationForm::Typed(kind) => self.typed(kind)?,
            DeclarationForm::Raw(kind) => {
                let register = self.slot(kind)?;
                DeclarationKind::Resource { register, shape: ResourceShape::Raw, flags: self.uav_flags(kind) }
            }
            DeclarationForm::Structured(kind) => {
                let register = self.slot(kind)?;
                let shape = ResourceShape::Structured { stride_bytes: self.operands.dword()? };
                DeclarationKind::Resource { register, shape, flags: self.uav_flags(kind) }
            }
            _ => self.read_of_one_stage(layout)?,
        })
    }

    /// Declarations of compute, geometry, hull and domain shaders, and of interfaces.
    fn read_of_one_stage(&mut self, layout: DeclarationForm) -> Result<DeclarationKind, BytecodeError> {
        Ok(match layout {
            DeclarationForm::GroupRaw => {
                let register = self.slot(RegisterKind::ThreadGroupMemory)?;
                DeclarationKind::GroupMemory { register, stride_bytes: None, count: self.operands.dword()? }
            }
            DeclarationForm::GroupStructured => {
                let register = self.slot(RegisterKind::ThreadGroupMemory)?;
                let stride_bytes = Some(self.operands.dword()?);
                DeclarationKind::GroupMemory { register, stride_bytes, count: self.operands.dword()? }
            }
            DeclarationForm::ThreadGroup => {
                DeclarationKind::ThreadGroup([self.operands.dword()?, self.operands.dword()?, self.operands.dword()?])
            }
            DeclarationForm::InputPrimitive => {
                DeclarationKind::InputPrimitive(self.in_bits(0x3f, "input primitive", InputPrimitive::from_number)?)
            }
            DeclarationForm::OutputTopology => {
                DeclarationKind::OutputTopology(self.in_bits(0x3f, "output topology", OutputTopology::from_number)?)
            }
            DeclarationForm::Stream => DeclarationKind::Stream(self.operands.operand(Role::Stream)?),
            DeclarationForm::TessDomain => {
                DeclarationKind::TessDomain(self.in_bits(3, "tessellator domain", TessDomain::from_number)?)
            }
            DeclarationForm::TessPartitioning => DeclarationKind::TessPartitioning(self.in_bits(
                7,
                "tessellator partitioning",
                TessPartitioning::from_number,
            )?),
            DeclarationForm::TessOutputPrimitive => DeclarationKind::TessOutputPrimitive(self.in_bits(
                7,
                "tessellator output primitive",
                TessOutputPrimitive::from_number,
            )?),
            DeclarationForm::MaxTessFactor => DeclarationKind::MaxTessFactor(self.operands.dword()?),
            DeclarationForm::FunctionTable => {
                let table = self.operands.dword()?;
                let count = self.operands.dword()?;
                DeclarationKind::FunctionTable { table, bodies: self.list(count)? }
            }
            _ => self.interface()?,
        })
    }

    fn register(&mut self, interpolated: bool, has_system_value: bool) -> Result<DeclarationKind, BytecodeError> {
        let interpolation =
            interpolated.then(|| self.in_bits(0xf, "interpolation", Interpolation::from_number)).transpose()?;
        let register = self.operands.operand(Role::Dst)?;
        let at = self.operands.tokens.offset();
        let system_value = if has_system_value {
            // The upper half is reserved.
            let number = self.operands.dword()? & 0xffff;
            let value = SystemValue::from_number(number).filter(|value| *value < SystemValue::Target);
            Some(value.ok_or_else(|| self.operands.unknown("system value", number, at))?)
        } else {
            None
        };
        Ok(DeclarationKind::Register { register, interpolation, system_value })
    }

    fn typed(&mut self, kind: RegisterKind) -> Result<DeclarationKind, BytecodeError> {
        let dimension = self.in_bits(0x1f, "dimension", ResourceDimension::from_number)?;
        let samples = if kind == RegisterKind::Resource { (self.bits >> 5) & 0x7f } else { 0 };
        let register = self.slot(kind)?;
        let at = self.operands.tokens.offset();
        let token = self.operands.dword()?;
        let return_types = return_types(token).map_err(|number| self.operands.unknown("return type", number, at))?;
        let shape = ResourceShape::Typed { dimension, samples, return_types };
        Ok(DeclarationKind::Resource { register, shape, flags: self.uav_flags(kind) })
    }

    fn uav_flags(&self, kind: RegisterKind) -> UavFlags {
        if kind != RegisterKind::Uav {
            return UavFlags::default();
        }
        UavFlags {
            globally_coherent: self.bits & (1 << 5) != 0,
            rasterizer_ordered: self.bits & (1 << 6) != 0,
            has_counter: self.bits & (1 << 12) != 0,
        }
    }

    fn interface(&mut self) -> Result<DeclarationKind, BytecodeError> {
        let pointer = self.operands.dword()?;
        let table_length = self.operands.dword()?;
        let lengths = self.operands.dword()?;
        let tables = self.list(lengths & 0xffff)?;
        let (is_dynamic, array_length) = (self.bits & 1 != 0, lengths >> 16);
        Ok(DeclarationKind::Interface { pointer, is_dynamic, table_length, array_length, tables })
    }

    fn list(&mut self, count: u32) -> Result<DataRange, BytecodeError> {
        match self.operands.tokens.split(count as usize) {
            Some(list) => Ok(self.operands.builder.data(list.values())),
            None => {
                let offset = self.operands.builder.file_offset(self.operands.tokens.offset());
                Err(BytecodeError::MissingOperand { opcode: self.operands.opcode, offset })
            }
        }
    }

    /// A register of the one kind that the declaration is for, with its slot.
    fn slot(&mut self, kind: RegisterKind) -> Result<Operand, BytecodeError> {
        let at = self.operands.tokens.offset();
        let operand = self.operands.any()?;
        match operand.value {
            // A constant buffer's lanes say nothing, and every compiler writes all.
            OperandValue::Register(register)
                if register.kind == RegisterKind::ConstantBuffer && kind == register.kind =>
            {
                Ok(Operand { lanes: Lanes::Swizzle(Swizzle::IDENTITY), ..operand })
            }
            // Those of other slots say nothing either, and compilers write none, one or all.
            OperandValue::Register(register) if register.kind == kind => Ok(Operand { lanes: Lanes::None, ..operand }),
            value => {
                let (opcode, offset) = (self.operands.opcode, self.operands.builder.file_offset(at));
                Err(BytecodeError::WrongOperand { opcode, expected: kind.name(), found: value.name(), offset })
            }
        }
    }

    fn in_bits<T>(
        &self,
        mask: u32,
        what: &'static str,
        from_number: impl Fn(u32) -> Option<T>,
    ) -> Result<T, BytecodeError> {
        let number = self.bits & mask;
        from_number(number).ok_or_else(|| self.operands.unknown(what, number, self.at))
    }
}

/// The types of four lanes, four bits each; the number of the one that isn't known.
pub(super) fn return_types(token: u32) -> Result<[ReturnType; 4], u32> {
    let of = |shift: u32| ReturnType::from_number((token >> shift) & 0xf).ok_or((token >> shift) & 0xf);
    Ok([of(0)?, of(4)?, of(8)?, of(12)?])
}
