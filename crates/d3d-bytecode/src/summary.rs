//! What people want to know of a shader before they read it.

use std::fmt;

use sha2::{Digest, Sha256};

use super::container::{Container, hex};
use super::declaration::{DeclarationKind, ResourceShape};
use super::legacy;
use super::opcode::Opcode;
use super::operand::{Lane, Mask, Operand, OperandValue};
use super::program::Program;
use super::purpose::purpose;
use super::role::Role;
use super::signature::SignatureElement;
use super::slots::SlotSet;
use super::sm4::INSTRUCTIONS;
use super::source_names::SourceNames;
use super::translate::check_translation;
use super::version::{Dialect, Version};

/// A shader in short. Lists are in the order of the program, a word or two each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// Stage and shader model.
    pub version: Version,
    /// How it is encoded.
    pub dialect: Dialect,
    /// Its purpose: an application's, or a fixed function that the driver has made it for.
    pub purpose: String,
    /// Bytes of the shader, its container included.
    pub size_bytes: u64,
    /// SHA-256 of these bytes, in hexadecimal.
    pub sha256: String,
    /// The digest in its container.
    pub digest: Option<ContainerDigest>,
    /// What flows in: register and lanes, semantic.
    pub inputs: Vec<String>,
    /// What flows out: register and lanes, semantic.
    pub outputs: Vec<String>,
    /// Textures, buffers and samplers: slot, and what is declared there.
    pub resources: Vec<String>,
    /// Constant buffers, and the constants of Direct3D 9 that are read from the banks.
    pub constants: Vec<String>,
    /// What the source calls slots: registers, name.
    pub names: Vec<String>,
    /// How many instructions there are.
    pub instructions: InstructionCounts,
    /// Why a draw or dispatch with it fails, if it does whatever else is bound.
    pub cannot_draw: Option<String>,
}

/// The digest that a container has, and the one of its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContainerDigest {
    /// As it stands there.
    pub found: [u8; 16],
    /// As Microsoft's compilers make it.
    pub computed: [u8; 16],
}

impl ContainerDigest {
    /// The digest of a shader that is in a container.
    fn of(bytes: &[u8]) -> Option<Self> {
        // A shader that was decoded is in a container that can be read, or in none.
        let container = Container::parse(bytes, 0).ok()?;
        Some(Self { found: container.digest(), computed: container.computed_digest() })
    }
}

impl fmt::Display for ContainerDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.found))?;
        if self.found == self.computed { Ok(()) } else { write!(f, ", expected {}", hex(&self.computed)) }
    }
}

/// Instructions by what they do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InstructionCounts {
    /// All of them.
    pub total: u32,
    /// Those that read or write textures and buffers.
    pub memory: u32,
    /// Those that begin blocks, branch or end something.
    pub flow: u32,
}

impl Summary {
    /// The summary of a program, of the bytes that it was decoded from, and of the names that came with it.
    pub fn new(program: &Program, bytes: &[u8], names: &SourceNames<'_>) -> Self {
        let signatures = program.signatures();
        let has_signatures = !(signatures.input.is_empty() && signatures.output.is_empty());
        let (inputs, outputs) = if has_signatures {
            (elements(&signatures.input, 'v'), elements(&signatures.output, 'o'))
        } else {
            (flows(program, Direction::In), flows(program, Direction::Out))
        };
        Self {
            version: program.version(),
            dialect: program.dialect(),
            purpose: purpose(program),
            size_bytes: bytes.len() as u64,
            sha256: sha256(bytes),
            digest: ContainerDigest::of(bytes),
            inputs,
            outputs,
            resources: resources(program),
            constants: constants(program),
            names: names.slots.iter().map(ToString::to_string).collect(),
            instructions: count(program),
            cannot_draw: check_translation(program).err().map(|error| error.to_string()),
        }
    }
}

/// The SHA-256 of a shader, in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn elements(elements: &[SignatureElement], letter: char) -> Vec<String> {
    let element = |element: &SignatureElement| {
        let register = element.register.map_or_else(String::new, |register| format!("{letter}{register}"));
        format!("{register}{} {}{}", letters(element.mask), element.name, element.index)
    };
    elements.iter().map(element).map(|text| text.trim_start_matches('.').to_owned()).collect()
}

fn letters(mask: Mask) -> String {
    std::iter::once('.').chain(mask.lanes().map(Lane::letter)).collect()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    In,
    Out,
}

/// The inputs or outputs of a bare token stream: those that it declares, then what it uses besides.
fn flows(program: &Program, direction: Direction) -> Vec<String> {
    let mut list = Vec::new();
    let mut undeclared = used(program, direction);
    for declaration in program.declarations() {
        let (register, meaning) = match &declaration.kind {
            DeclarationKind::Register { register, system_value, .. } => {
                (register, system_value.map_or("", |value| value.name()).to_owned())
            }
            DeclarationKind::Semantic { register, usage, usage_index, .. } => {
                (register, format!("{usage}{usage_index}"))
            }
            _ => continue,
        };
        let is_output = register.value.name().starts_with('o');
        if is_output == (direction == Direction::Out) {
            list.push(format!("{} {meaning}", name(register)).trim_end().to_owned());
            undeclared.retain(|(used, _)| *used != register_name(register));
        }
    }
    list.extend(undeclared.into_iter().map(|(register, usage)| format!("{register} {usage}").trim_end().to_owned()));
    list
}

/// What instructions read of inputs, or write of outputs: register, and what it means where its kind says that.
fn used(program: &Program, direction: Direction) -> Vec<(String, String)> {
    if !program.version().is_d3d9() {
        let slots = program.used_slots();
        let (letter, slots) = if direction == Direction::In { ('v', slots.inputs) } else { ('o', slots.outputs) };
        return slots.iter().map(|number| (format!("{letter}{number}"), String::new())).collect();
    }
    let flows = if direction == Direction::In { legacy::inputs(program) } else { legacy::outputs(program) };
    let one = |flow: legacy::LegacyFlow| {
        (flow.register_name(), flow.usage.map_or_else(String::new, |(usage, number)| format!("{usage}{number}")))
    };
    flows.into_iter().map(one).collect()
}

fn register_name(operand: &Operand) -> String {
    let OperandValue::Register(register) = &operand.value else { return String::new() };
    let number = register.last_index().map_or_else(String::new, |index| index.base.to_string());
    format!("{}{number}", register.kind.name())
}

fn name(operand: &Operand) -> String {
    format!("{}{}", register_name(operand), operand.lanes)
}

fn slot(operand: &Operand) -> Option<u32> {
    match &operand.value {
        OperandValue::Register(register) => register.first_index().map(|index| index.base),
        _ => None,
    }
}

fn resources(program: &Program) -> Vec<String> {
    let (used, mut list) = (program.used_slots(), Vec::new());
    let (mut resources, mut uavs, mut samplers) = (used.resources, used.uavs, used.samplers);
    for declaration in program.declarations() {
        match &declaration.kind {
            DeclarationKind::Resource { register, shape, .. } => {
                let Some(number) = slot(register) else { continue };
                let is_uav = register.value.name() == "u";
                let set = if is_uav { &mut uavs } else { &mut resources };
                let unused = unused(set, number);
                list.push(format!("{}{number} {}{unused}", register.value.name(), shape_name(shape)));
            }
            DeclarationKind::Sampler { register, mode } => {
                let Some(number) = slot(register) else { continue };
                let unused = unused(&mut samplers, number);
                list.push(format!("s{number} {}{unused}", mode.name().trim_start_matches("mode_")));
            }
            DeclarationKind::TextureStage { register, texture } => {
                let Some(number) = slot(register) else { continue };
                let unused = unused(&mut samplers, number);
                list.push(format!("s{number} {texture}{unused}"));
            }
            _ => {}
        }
    }
    // What instructions name and nothing declares. Before SM2 nothing can.
    let undeclared = if program.version().major == 1 { "" } else { " undeclared" };
    for (letter, set) in [('t', resources), ('u', uavs), ('s', samplers)] {
        list.extend(set.iter().map(|number| format!("{letter}{number}{undeclared}")));
    }
    list
}

/// Takes a declared slot out of those that instructions name, and says whether none does.
fn unused(set: &mut SlotSet, number: u32) -> &'static str {
    let is_used = set.contains(number);
    *set = set.without(SlotSet::from_iter([number]));
    if is_used { "" } else { " unused" }
}

fn shape_name(shape: &ResourceShape) -> String {
    match shape {
        ResourceShape::Typed { dimension, return_types: [first, ..], .. } => format!("{dimension} {first}"),
        ResourceShape::Raw => "raw".to_owned(),
        ResourceShape::Structured { stride_bytes } => format!("structured {stride_bytes}"),
    }
}

fn constants(program: &Program) -> Vec<String> {
    let (used, mut list) = (program.used_slots(), Vec::new());
    let mut buffers = used.constant_buffers;
    for declaration in program.declarations() {
        if let DeclarationKind::ConstantBuffer { register, .. } = &declaration.kind
            && let (Some(number), OperandValue::Register(of)) = (slot(register), &register.value)
        {
            let size = of.last_index().map_or(0, |index| index.base);
            list.push(format!("cb{number}[{size}]{}", unused(&mut buffers, number)));
        }
    }
    list.extend(buffers.iter().map(|number| format!("cb{number} undeclared")));
    for (letter, set) in [('c', used.float_constants), ('i', used.integer_constants), ('b', used.boolean_constants)] {
        list.extend(runs(set).map(|(first, last)| match last - first {
            0 => format!("{letter}{first}"),
            _ => format!("{letter}{first}-{letter}{last}"),
        }));
    }
    list
}

/// The runs of neighbouring slots, first and last.
fn runs(set: SlotSet) -> impl Iterator<Item = (u32, u32)> {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for slot in set.iter() {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == slot => *last = slot,
            _ => runs.push((slot, slot)),
        }
    }
    runs.into_iter()
}

fn count(program: &Program) -> InstructionCounts {
    let mut counts = InstructionCounts::default();
    for instruction in program.instructions() {
        counts.total += 1;
        counts.memory += u32::from(is_memory(instruction.opcode));
        counts.flow += u32::from(is_flow(instruction.opcode));
    }
    counts
}

fn is_memory(opcode: Opcode) -> bool {
    let takes_memory = |role: &Role| matches!(role, Role::Resource | Role::Written);
    let of_sm4 = INSTRUCTIONS.iter().find(|form| form.opcode == opcode);
    of_sm4.map_or(opcode.name().starts_with("tex"), |form| form.operands.iter().any(takes_memory))
}

fn is_flow(opcode: Opcode) -> bool {
    use Opcode as O;
    matches!(
        opcode,
        O::If
            | O::IfC
            | O::Else
            | O::EndIf
            | O::Loop
            | O::EndLoop
            | O::Rep
            | O::EndRep
            | O::Break
            | O::BreakC
            | O::BreakP
            | O::Continue
            | O::ContinueC
            | O::Switch
            | O::Case
            | O::Default
            | O::EndSwitch
            | O::Call
            | O::CallC
            | O::CallNz
            | O::FCall
            | O::Label
            | O::Ret
            | O::RetC
            | O::Discard
            | O::Clip
            | O::TexKill
    )
}
