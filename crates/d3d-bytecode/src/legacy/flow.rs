//! What a program of Direct3D 9 reads from the stage before it and writes for the stage behind it, by meaning: from its
//! declarations, or from its registers where those say it.

use std::collections::BTreeMap;

use super::super::declaration::{DeclarationKind, Usage};
use super::super::operand::{OperandValue, Register, RegisterKind};
use super::super::program::Program;
use super::super::slots::SlotSet;
use super::super::version::Stage;

/// An input or output and what it means: a usage and its number. `None` for what no declaration and no kind of register
/// says: an undeclared `v#` of a vertex shader, as the emulator's driver has it, which reads elements by their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LegacyFlow {
    /// The kind of its register.
    pub kind: RegisterKind,
    /// The register's number; 0 where there is one of the kind.
    pub number: u32,
    /// What it means.
    pub usage: Option<(Usage, u32)>,
}

impl LegacyFlow {
    /// Its register as the disassembly has it: `v0`, `oPos`.
    pub fn register_name(&self) -> String {
        use RegisterKind as K;
        let name = self.kind.name();
        match self.kind {
            K::OutputPosition
            | K::OutputFog
            | K::OutputPointSize
            | K::OutputDepth
            | K::PixelPosition
            | K::PixelFace => name.to_owned(),
            _ => format!("{name}{}", self.number),
        }
    }
}

/// The inputs that a program of SM1 to SM3 uses, ordered by kind and number.
pub fn inputs(program: &Program) -> Vec<LegacyFlow> {
    let used = program.used_slots();
    let of = |kind, slots: SlotSet| slots.iter().map(move |number| (kind, number)).collect::<Vec<_>>();
    let mut registers = of(RegisterKind::Input, used.inputs);
    registers.extend(of(RegisterKind::TextureCoordinate, used.texture_coordinates));
    registers
        .extend(named_registers(program, |kind| matches!(kind, RegisterKind::PixelPosition | RegisterKind::PixelFace)));
    with_usages(program, registers)
}

/// The outputs that a program of SM1 to SM3 writes, ordered by kind and number. In ps_1_x that is `r0`.
pub fn outputs(program: &Program) -> Vec<LegacyFlow> {
    let used = program.used_slots();
    let version = program.version();
    let mut registers = named_registers(program, |kind| {
        matches!(
            kind,
            RegisterKind::OutputPosition
                | RegisterKind::OutputFog
                | RegisterKind::OutputPointSize
                | RegisterKind::OutputDiffuse
                | RegisterKind::OutputTextureCoordinate
                | RegisterKind::OutputColor
                | RegisterKind::OutputDepth
        )
    });
    if version.stage == Stage::Pixel && version.major == 1 {
        registers.push((RegisterKind::Temp, 0));
    }
    // An index may reach every declared one.
    if version.stage == Stage::Vertex && version.major >= 3 {
        registers.extend(used.outputs.iter().map(|number| (RegisterKind::Output, number)));
    }
    with_usages(program, registers)
}

/// The registers of some kinds among the operands of instructions.
fn named_registers(program: &Program, is_meant: impl Fn(RegisterKind) -> bool) -> Vec<(RegisterKind, u32)> {
    let operands = program.instructions().iter().flat_map(|instruction| program.operands(instruction));
    let registers = operands.filter_map(|operand| match &operand.value {
        OperandValue::Register(register) if is_meant(register.kind) => Some((register.kind, number_of(register))),
        _ => None,
    });
    registers.collect()
}

fn number_of(register: &Register) -> u32 {
    register.last_index().map_or(0, |index| index.base)
}

fn with_usages(program: &Program, mut registers: Vec<(RegisterKind, u32)>) -> Vec<LegacyFlow> {
    let mut declared = BTreeMap::new();
    for declaration in program.declarations() {
        if let DeclarationKind::Semantic { register, usage, usage_index, .. } = &declaration.kind
            && let OperandValue::Register(register) = &register.value
        {
            declared.insert((register.kind, number_of(register)), (*usage, *usage_index));
        }
    }
    registers.sort_unstable();
    registers.dedup();
    let flow = |(kind, number)| {
        let usage = usage_of_kind(program, kind, number).or_else(|| declared.get(&(kind, number)).copied());
        LegacyFlow { kind, number, usage }
    };
    registers.into_iter().map(flow).collect()
}

/// What a kind of register means by itself.
fn usage_of_kind(program: &Program, kind: RegisterKind, number: u32) -> Option<(Usage, u32)> {
    let version = program.version();
    Some(match kind {
        RegisterKind::OutputPosition => (Usage::Position, 0),
        RegisterKind::OutputFog => (Usage::Fog, 0),
        RegisterKind::OutputPointSize => (Usage::PointSize, 0),
        RegisterKind::OutputDiffuse | RegisterKind::OutputColor => (Usage::Color, number),
        RegisterKind::OutputTextureCoordinate | RegisterKind::TextureCoordinate => (Usage::TexCoord, number),
        RegisterKind::OutputDepth => (Usage::Depth, 0),
        RegisterKind::Temp => (Usage::Color, 0),
        RegisterKind::Input if version.stage == Stage::Pixel && version.major < 3 => (Usage::Color, number),
        _ => return None,
    })
}
