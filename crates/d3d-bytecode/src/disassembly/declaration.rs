//! Declarations.

use std::fmt;

use super::super::declaration::{Declaration, DeclarationKind, InputPrimitive, Interpolation, ResourceShape, UavFlags};
use super::super::instruction::ResourceDimension;
use super::super::opcode::Opcode;
use super::super::operand::{Operand, RegisterKind};
use super::super::program::Program;
use super::number::{write_bits, write_list};
use super::operand::write_operand;

/// Writes a declaration and the line's end.
pub(super) fn write_declaration(
    f: &mut fmt::Formatter<'_>,
    program: &Program,
    declaration: &Declaration,
) -> fmt::Result {
    let opcode = declaration.opcode;
    match &declaration.kind {
        DeclarationKind::GlobalFlags(flags) => {
            f.write_str(opcode.name())?;
            for (number, name) in flags.names().enumerate() {
                write!(f, "{}{name}", if number == 0 { " " } else { " | " })?;
            }
        }
        DeclarationKind::Count(count) if opcode == Opcode::DclFunctionBody => write!(f, "{opcode} fb{count}")?,
        DeclarationKind::Count(count) => write!(f, "{opcode} {count}")?,
        DeclarationKind::IndexableTemp { array, elements, lanes } => {
            write!(f, "{opcode} x{array}[{elements}], {lanes}")?;
        }
        DeclarationKind::Register { register, interpolation, system_value } => {
            write!(f, "{opcode} ")?;
            if let Some(interpolation) = interpolation.filter(|mode| *mode != Interpolation::Undefined) {
                write!(f, "{interpolation} ")?;
            }
            write_operand(f, program, register)?;
            if let Some(value) = system_value {
                write!(f, ", {value}")?;
            }
        }
        DeclarationKind::IndexRange { register, count } => {
            write_with(f, program, opcode, register)?;
            write!(f, ", {count}")?;
        }
        DeclarationKind::ConstantBuffer { register, access } => {
            write_with(f, program, opcode, register)?;
            write!(f, ", {access}")?;
        }
        DeclarationKind::ImmediateConstantBuffer(range) => write_constants(f, opcode, program.data(*range))?,
        DeclarationKind::Sampler { register, mode } => {
            write_with(f, program, opcode, register)?;
            write!(f, ", {mode}")?;
        }
        DeclarationKind::Resource { register, shape, flags } => {
            write_resource(f, program, opcode, register, shape, *flags)?;
        }
        kind => write_of_one_stage(f, program, opcode, kind)?,
    }
    f.write_str("\n")
}

/// Declarations of compute, geometry, hull and domain shaders, of and of interfaces.
fn write_of_one_stage(
    f: &mut fmt::Formatter<'_>,
    program: &Program,
    opcode: Opcode,
    kind: &DeclarationKind,
) -> fmt::Result {
    match kind {
        DeclarationKind::GroupMemory { register, stride_bytes, count } => {
            write_with(f, program, opcode, register)?;
            if let Some(stride) = stride_bytes {
                write!(f, ", {stride}")?;
            }
            write!(f, ", {count}")
        }
        DeclarationKind::ThreadGroup([x, y, z]) => write!(f, "{opcode} {x}, {y}, {z}"),
        DeclarationKind::InputPrimitive(InputPrimitive::Basic(primitive)) => write!(f, "{opcode} {primitive}"),
        DeclarationKind::InputPrimitive(InputPrimitive::Patch(points)) => write!(f, "{opcode} patch_{points}"),
        DeclarationKind::OutputTopology(topology) => write!(f, "{opcode} {topology}"),
        DeclarationKind::Stream(stream) => write_with(f, program, opcode, stream),
        DeclarationKind::TessDomain(domain) => write!(f, "{opcode} {domain}"),
        DeclarationKind::TessPartitioning(partitioning) => write!(f, "{opcode} {partitioning}"),
        DeclarationKind::TessOutputPrimitive(primitive) => write!(f, "{opcode} {primitive}"),
        DeclarationKind::MaxTessFactor(bits) => {
            write!(f, "{opcode} l(")?;
            write_bits(f, *bits)?;
            f.write_str(")")
        }
        DeclarationKind::FunctionTable { table, bodies } => {
            write!(f, "{opcode} ft{table} = ")?;
            write_set(f, "fb", program.data(*bodies))
        }
        DeclarationKind::Interface { pointer, is_dynamic, table_length, array_length, tables } => {
            let dynamic = if *is_dynamic { "_dynamicindexed" } else { "" };
            write!(f, "{opcode}{dynamic} fp{pointer}[{array_length}][{table_length}] = ")?;
            write_set(f, "ft", program.data(*tables))
        }
        // All others are written by those who call this.
        _ => f.write_str(opcode.name()),
    }
}

fn write_with(f: &mut fmt::Formatter<'_>, program: &Program, opcode: Opcode, register: &Operand) -> fmt::Result {
    write!(f, "{opcode} ")?;
    write_slot(f, program, register)
}

/// The register of a declaration. A constant buffer's lanes say nothing.
fn write_slot(f: &mut fmt::Formatter<'_>, program: &Program, register: &Operand) -> fmt::Result {
    match &register.value {
        super::super::operand::OperandValue::Register(slot) if slot.kind == RegisterKind::ConstantBuffer => {
            super::operand::write_register(f, program, slot)
        }
        _ => write_operand(f, program, register),
    }
}

fn write_resource(
    f: &mut fmt::Formatter<'_>,
    program: &Program,
    opcode: Opcode,
    register: &Operand,
    shape: &ResourceShape,
    flags: UavFlags,
) -> fmt::Result {
    f.write_str(opcode.name())?;
    if let ResourceShape::Typed { dimension, .. } = shape {
        write!(f, "_{dimension}")?;
    }
    for (is_set, suffix) in
        [(flags.globally_coherent, "_glc"), (flags.has_counter, "_opc"), (flags.rasterizer_ordered, "_rov")]
    {
        f.write_str(if is_set { suffix } else { "" })?;
    }
    if let ResourceShape::Typed { dimension, samples, return_types: [x, y, z, w] } = shape {
        let has_samples =
            matches!(dimension, ResourceDimension::Texture2DMs | ResourceDimension::Texture2DMsArray) || *samples != 0;
        if has_samples {
            write!(f, "({samples})")?;
        }
        write!(f, " ({x},{y},{z},{w})")?;
    }
    f.write_str(" ")?;
    write_operand(f, program, register)?;
    match shape {
        ResourceShape::Structured { stride_bytes } => write!(f, ", {stride_bytes}"),
        _ => Ok(()),
    }
}

fn write_constants(f: &mut fmt::Formatter<'_>, opcode: Opcode, values: &[u32]) -> fmt::Result {
    write!(f, "{opcode} {{")?;
    for (number, register) in values.chunks(4).enumerate() {
        f.write_str(if number == 0 { " { " } else { ", { " })?;
        write_list(f, register)?;
        f.write_str(" }")?;
    }
    f.write_str(" }")
}

fn write_set(f: &mut fmt::Formatter<'_>, prefix: &str, numbers: &[u32]) -> fmt::Result {
    f.write_str("{")?;
    for (place, number) in numbers.iter().enumerate() {
        write!(f, "{}{prefix}{number}", if place == 0 { " " } else { ", " })?;
    }
    f.write_str(" }")
}
