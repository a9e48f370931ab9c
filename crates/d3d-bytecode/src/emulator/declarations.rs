//! Declarations of the emulator's dialect: a few have numbers of their own, the others are known by their register.

use super::super::builder::ProgramBuilder;
use super::super::declaration::{
    BasicPrimitive, ConstantBufferAccess, DeclarationKind, InputPrimitive, OutputTopology, ResourceShape, SamplerMode,
    TessDomain, TessOutputPrimitive, TessPartitioning, UavFlags,
};
use super::super::error::BytecodeError;
use super::super::instruction::{ResourceDimension, ReturnType, TokenOffset};
use super::super::opcode::Opcode;
use super::super::operand::{Lanes, Operand, OperandValue, RegisterKind, Swizzle};
use super::super::signature::SystemValue;
use super::operand::RawReader;

/// What the emulator writes for `Texture2D`.
const TEXTURE_2D: u32 = 2;

/// Adds what a declaration with this number says. One that says nothing is passed over: the emulator writes some with
/// no operands, and reads none of them.
pub(super) fn declare(
    builder: &mut ProgramBuilder,
    number: u32,
    at: TokenOffset,
    reader: RawReader<'_>,
) -> Result<(), BytecodeError> {
    if reader.tokens.left() == 0 {
        return Ok(());
    }
    match numbered(number, reader.tokens.peek().unwrap_or_default()) {
        Some((opcode, kind)) => builder.declare(opcode, at, kind),
        None if number == 0x11f => thread_group(builder, at, reader),
        None => of_register(builder, number, at, reader),
    }
}

/// Declarations of one number.
fn numbered(number: u32, value: u32) -> Option<(Opcode, DeclarationKind)> {
    use DeclarationKind as D;
    Some(match number {
        0x10c => (Opcode::DclInputPrimitive, D::InputPrimitive(input_primitive(value)?)),
        0x10d => (Opcode::DclOutputTopology, D::OutputTopology(output_topology(value)?)),
        0x10e => (Opcode::DclMaxOutputVertexCount, D::Count(value)),
        0x10f => (Opcode::DclGsInstanceCount, D::Count(value)),
        0x110 => (Opcode::DclHsMaxTessFactor, D::MaxTessFactor(value)),
        0x112 => (Opcode::DclInputControlPointCount, D::Count(value)),
        0x113 | 0x119 => (Opcode::DclTessDomain, D::TessDomain(TessDomain::from_number(value)?)),
        0x114 => (Opcode::DclTessPartitioning, D::TessPartitioning(TessPartitioning::from_number(value)?)),
        0x115 => (Opcode::DclTessOutputPrimitive, D::TessOutputPrimitive(TessOutputPrimitive::from_number(value)?)),
        0x116 => (Opcode::DclOutputControlPointCount, D::Count(value)),
        _ => return None,
    })
}

fn input_primitive(value: u32) -> Option<InputPrimitive> {
    Some(InputPrimitive::Basic(match value {
        1 => BasicPrimitive::Point,
        2 => BasicPrimitive::Line,
        3 | 4 => BasicPrimitive::Triangle,
        6 | 10 | 11 => BasicPrimitive::LineAdjacency,
        7 | 12 | 13 => BasicPrimitive::TriangleAdjacency,
        _ => return None,
    }))
}

fn output_topology(value: u32) -> Option<OutputTopology> {
    Some(match value {
        1 => OutputTopology::PointList,
        2 => OutputTopology::LineStrip,
        3 | 5 => OutputTopology::TriangleStrip,
        _ => return None,
    })
}

fn thread_group(builder: &mut ProgramBuilder, at: TokenOffset, mut reader: RawReader<'_>) -> Result<(), BytecodeError> {
    let size = [reader.dword()?, reader.dword()?, reader.dword()?];
    builder.declare(Opcode::DclThreadGroup, at, DeclarationKind::ThreadGroup(size))
}

/// A register, whose kind says what is declared, and dwords behind it.
fn of_register(
    builder: &mut ProgramBuilder,
    number: u32,
    at: TokenOffset,
    mut reader: RawReader<'_>,
) -> Result<(), BytecodeError> {
    // What can't be parsed as an operand declares nothing.
    let Ok(operand) = reader.operand() else { return Ok(()) };
    let OperandValue::Register(register) = operand.value else { return Ok(()) };
    let trailing = reader.tokens.peek();
    let declared = match register.kind {
        RegisterKind::Input => input_or_output(Opcode::DclInput, Opcode::DclInputSiv, operand.written(), trailing),
        RegisterKind::Output => input_or_output(Opcode::DclOutput, Opcode::DclOutputSiv, operand.written(), trailing),
        RegisterKind::ConstantBuffer => {
            let access = ConstantBufferAccess::ImmediateIndexed;
            let register = Operand { lanes: Lanes::Swizzle(Swizzle::IDENTITY), ..operand.read() };
            (Opcode::DclConstantBuffer, DeclarationKind::ConstantBuffer { register, access })
        }
        RegisterKind::Sampler => {
            let mode = SamplerMode::Default;
            (
                Opcode::DclSampler,
                DeclarationKind::Sampler { register: Operand { lanes: Lanes::None, ..operand.read() }, mode },
            )
        }
        RegisterKind::Resource | RegisterKind::Uav => {
            match resource(number, register.kind, Operand { lanes: Lanes::None, ..operand.read() }, trailing) {
                Some(declared) => declared,
                None => return Ok(()),
            }
        }
        _ => return Ok(()),
    };
    builder.declare(declared.0, at, declared.1)
}

fn input_or_output(
    plain: Opcode,
    with_value: Opcode,
    register: Operand,
    system_value: Option<u32>,
) -> (Opcode, DeclarationKind) {
    // The emulator has numbers of its own from 11 on, for what has register kinds in Microsoft's.
    let system_value =
        system_value.and_then(SystemValue::from_number).filter(|value| *value <= SystemValue::SampleIndex);
    let opcode = if system_value.is_some() { with_value } else { plain };
    (opcode, DeclarationKind::Register { register, interpolation: None, system_value })
}

fn resource(
    number: u32,
    kind: RegisterKind,
    register: Operand,
    trailing: Option<u32>,
) -> Option<(Opcode, DeclarationKind)> {
    let is_uav = kind == RegisterKind::Uav;
    let (opcode, shape) = match number {
        0x205 => (Opcode::DclResourceRaw, ResourceShape::Raw),
        0x206 => (Opcode::DclResourceStructured, ResourceShape::Structured { stride_bytes: trailing? }),
        0x207 => (Opcode::DclUavRaw, ResourceShape::Raw),
        0x208 => (Opcode::DclUavStructured, ResourceShape::Structured { stride_bytes: trailing? }),
        _ => {
            let dimension = match trailing {
                None | Some(TEXTURE_2D) => ResourceDimension::Texture2D,
                Some(_) => return None,
            };
            let opcode = if is_uav { Opcode::DclUavTyped } else { Opcode::DclResource };
            (opcode, ResourceShape::Typed { dimension, samples: 0, return_types: [ReturnType::Float; 4] })
        }
    };
    Some((opcode, DeclarationKind::Resource { register, shape, flags: UavFlags::default() }))
}
