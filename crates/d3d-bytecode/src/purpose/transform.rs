//! Vertex shaders of the driver: pass-through, transform and lighting.

use super::super::instruction::Instruction;
use super::super::opcode::Opcode;
use super::super::operand::{Lane, Lanes, Operand, RegisterKind};
use super::super::program::Program;
use super::combiner::register;

/// The first constant of lights, behind the three of the matrix for normals.
const FIRST_LIGHT: u32 = 211;
/// The constant behind those of lights and materials: the matrix of positions begins here.
const MATRIX: u32 = 240;

/// The purpose of a vertex shader that the driver made.
pub(super) fn purpose(program: &Program) -> String {
    let mut parts = Vec::new();
    let position = instructions_to(program, RegisterKind::OutputPosition);
    let is_copied = position.iter().all(|instruction| instruction.opcode == Opcode::Mov);
    let is_transformed = position.iter().any(|instruction| reads_constant(program, instruction, MATRIX..MATRIX + 4));
    parts.push(match (is_copied, is_transformed) {
        (true, _) => "pass-through of positions on the screen".to_owned(),
        (_, true) => "transform by world, view and projection".to_owned(),
        _ => "positions computed".to_owned(),
    });
    if let Some(lights) = lights(program) {
        parts.push(lights);
    } else if instructions_to(program, RegisterKind::OutputDiffuse)
        .iter()
        .any(|instruction| reads_constant(program, instruction, 0..FIRST_LIGHT))
    {
        parts.push("diffuse white".to_owned());
    }
    if writes_depth(program) {
        parts.push("z/w for fog in oT0.z".to_owned());
    }
    format!("fixed function: {}", parts.join(", "))
}

fn instructions_to(program: &Program, kind: RegisterKind) -> Vec<&Instruction> {
    let is_to = |instruction: &&Instruction| {
        program.operands(instruction).first().is_some_and(|operand| operand.kind() == Some(kind))
    };
    program.instructions().iter().filter(is_to).collect()
}

fn reads_constant(program: &Program, instruction: &Instruction, numbers: std::ops::Range<u32>) -> bool {
    let is_one = |operand: &Operand| {
        register(operand).is_some_and(|(kind, number)| kind == RegisterKind::Constant && numbers.contains(&number))
    };
    program.operands(instruction).iter().skip(1).any(is_one)
}

/// Lights in words: each directional one is a product of the normal and a constant, each point light has a root for its
/// direction besides that of the normal.
fn lights(program: &Program) -> Option<String> {
    let instructions = program.instructions();
    let is_directional = |instruction: &&Instruction| match program.operands(instruction) {
        [_, normal, _] => {
            instruction.opcode == Opcode::Dp3
                && normal.kind() == Some(RegisterKind::Temp)
                && reads_constant(program, instruction, FIRST_LIGHT..MATRIX)
        }
        _ => false,
    };
    let is_lit = instructions.iter().any(|instruction| reads_constant(program, instruction, FIRST_LIGHT..MATRIX));
    if !is_lit {
        return None;
    }
    let directional = instructions.iter().filter(is_directional).count();
    let is_from_place =
        |instruction: &&Instruction| {
            // A place minus the vertex's own.
            instruction.opcode == Opcode::Add
                && program.operands(instruction).get(1).and_then(register).is_some_and(|(kind, number)| {
                    kind == RegisterKind::Constant && (FIRST_LIGHT..MATRIX).contains(&number)
                })
        };
    let points = instructions.iter().filter(is_from_place).count();
    let named = |count: usize, kind: &str| match count {
        0 => None,
        1 => Some(format!("1 {kind} light")),
        count => Some(format!("{count} {kind} lights")),
    };
    let all: Vec<String> = [named(directional, "directional"), named(points, "point")].into_iter().flatten().collect();
    Some(match all.is_empty() {
        true => "lit by ambient light".to_owned(),
        false => format!("lit by {}", all.join(" and ")),
    })
}

/// Whether depth is put into the third lane of the first texture coordinate by itself.
fn writes_depth(program: &Program) -> bool {
    let to_coordinates = instructions_to(program, RegisterKind::OutputTextureCoordinate);
    to_coordinates.iter().any(|instruction| {
        let to = program.operands(instruction).first();
        to.is_some_and(|operand| match operand.lanes {
            Lanes::Mask(mask) => mask.lanes().eq([Lane::Z]),
            _ => false,
        })
    })
}
