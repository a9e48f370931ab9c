//! A shader, as far as state depends on it: which slots it names, and which inputs it reads.

use std::sync::Arc;

use sha2::{Digest, Sha256};

use crate::command::{FileBytes, ShaderStage};
use crate::shader::d3d::legacy::nests_loops;
use crate::shader::d3d::{self, DeclarationKind, ResourceDimension, ResourceShape, SlotSet, Slots, StageTexture};

/// One input of a vertex shader that it reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShaderInput {
    /// Its register.
    pub register: u32,
    /// What it is linked by, where the shader says so.
    pub semantic: Option<crate::command::Semantic>,
}

/// A shader.
#[derive(Clone, Debug)]
pub struct Shader {
    /// Its stage.
    pub stage: ShaderStage,
    /// Its bytecode in the file.
    pub code: FileBytes,
    /// What it names, or why it cannot be used.
    pub program: Result<ShaderSlots, Box<str>>,
}

/// What a program names.
#[derive(Clone, Debug)]
pub struct ShaderSlots {
    /// Whether it is of Direct3D 9.
    pub is_d3d9: bool,
    /// Every slot that an instruction names.
    pub used: Slots,
    /// Of `used.resources`, or `used.samplers` in Direct3D 9: those that it reads all layers of.
    pub layered: SlotSet,
    /// The inputs that it reads, by register.
    pub inputs: Vec<ShaderInput>,
    /// Of floats, integers and flags of Direct3D 9, the register behind the last that it reads.
    pub(super) register_ends: [u32; 3],
    /// Whether it is one of Direct3D 9 whose positions are moved by half a pixel already by whoever draws with it.
    pub is_shifted: bool,
    /// Whether it is one of Direct3D 9 with loops within loops, so that constants say how long it takes.
    pub nests_loops: bool,
    /// What it does.
    pub decoded: Arc<d3d::Program>,
    /// SHA-256 of its bytecode, by which it is the same under any handle.
    pub digest: [u8; 32],
}

impl Shader {
    /// A shader whose bytes, if they could be read, are `bytes`.
    pub(super) fn new(stage: ShaderStage, code: FileBytes, bytes: Result<&[u8], Box<str>>) -> Self {
        let program = bytes.and_then(|bytes| {
            let program = d3d::decode(bytes, code.offset).map_err(|error| error.to_string().into_boxed_str())?;
            Ok(ShaderSlots::of(program, Sha256::digest(bytes).into()))
        });
        Self { stage, code, program }
    }
}

impl ShaderSlots {
    pub(super) fn of(program: d3d::Program, digest: [u8; 32]) -> Self {
        let is_d3d9 = program.version().is_d3d9();
        let mut used = *program.used_slots();
        let mut layered = SlotSet::default();
        let mut defined = [SlotSet::default(); 3];
        let mut declared = Vec::new();
        for declaration in program.declarations() {
            match declaration.kind {
                DeclarationKind::Resource { register, shape, .. } => {
                    let is_layered = matches!(
                        shape,
                        ResourceShape::Typed {
                            dimension: ResourceDimension::TextureCube
                                | ResourceDimension::Texture1DArray
                                | ResourceDimension::Texture2DArray
                                | ResourceDimension::Texture2DMsArray
                                | ResourceDimension::TextureCubeArray,
                            ..
                        }
                    );
                    if let Some(slot) = slot_of(&register).filter(|_| is_layered) {
                        layered.insert(slot);
                    }
                }
                DeclarationKind::TextureStage { register, texture: StageTexture::Cube } => {
                    if let Some(slot) = slot_of(&register) {
                        layered.insert(slot);
                    }
                }
                DeclarationKind::Constant { register, .. } => {
                    let bank = bank_of(&register, &mut defined);
                    if let Some((set, slot)) = bank.zip(slot_of(&register)) {
                        set.insert(slot);
                    }
                }
                DeclarationKind::Semantic { register, usage, usage_index, .. } => {
                    if let Some(slot) = slot_of(&register).filter(|_| is_input(&register)) {
                        let (usage, index) = (usage.number() as u8, usage_index as u8);
                        declared.push((slot, crate::command::Semantic::Usage { usage, index }));
                    }
                }
                _ => {}
            }
        }
        let [floats, integers, booleans] = defined;
        used.float_constants = used.float_constants.without(floats);
        used.integer_constants = used.integer_constants.without(integers);
        used.boolean_constants = used.boolean_constants.without(booleans);
        // Pixel shaders of SM1 have one output, which is a register that they compute with.
        if program.version().is_d3d9() && program.version().major == 1 {
            used.outputs.insert(0);
        }
        for element in &program.signatures().input {
            if let Some(register) = element.register.filter(|_| !is_d3d9 && element.system_value.is_none_or(is_given)) {
                let hash = semantic_hash(&element.name);
                declared.push((register, crate::command::Semantic::Hashed { hash, index: element.index }));
            }
        }
        let system: SlotSet = program
            .signatures()
            .input
            .iter()
            .filter(|element| !element.system_value.is_none_or(is_given))
            .filter_map(|element| element.register)
            .collect();
        let semantic = |register| declared.iter().find(|(slot, _)| *slot == register).map(|(_, semantic)| *semantic);
        let read = used.inputs.without(system);
        let inputs = read.iter().map(|register| ShaderInput { register, semantic: semantic(register) }).collect();
        let banks = [used.float_constants, used.integer_constants, used.boolean_constants];
        let register_ends = banks.map(|bank| bank.iter().last().map_or(0, |last| last + 1));
        let nests_loops = is_d3d9 && nests_loops(&program);
        let is_shifted = is_shifted(&program);
        let decoded = Arc::new(program);
        Self { is_d3d9, used, layered, inputs, register_ends, is_shifted, nests_loops, decoded, digest }
    }
}

/// Whether a vertex shader hands positions on as they are: it declares nothing, and writes the position once, as
/// `mov oPos, v0` without mask or modifier. The emulator's Direct3D 9 driver draws what is on the screen already with such
/// shaders, after it has moved the vertices by half a pixel itself.
fn is_shifted(program: &d3d::Program) -> bool {
    let declares = program.declarations().iter().any(|declaration| {
        matches!(declaration.kind, DeclarationKind::Semantic { .. } | DeclarationKind::TextureStage { .. })
    });
    let is_position = |operand: &d3d::Operand| operand.kind() == Some(d3d::RegisterKind::OutputPosition);
    let mut written = program
        .instructions()
        .iter()
        .filter(|instruction| program.operands(instruction).first().is_some_and(is_position));
    let (first, second) = (written.next(), written.next());
    let is_plain = first.is_some_and(|instruction| match program.operands(instruction) {
        [to, from] => {
            let is_whole = matches!(to.lanes, d3d::Lanes::Mask(d3d::Mask::ALL) | d3d::Lanes::None);
            let is_same = matches!(from.lanes, d3d::Lanes::Swizzle(d3d::Swizzle::IDENTITY) | d3d::Lanes::None);
            let is_first_input = is_input(from) && slot_of(from) == Some(0);
            instruction.opcode == d3d::Opcode::Mov
                && instruction.modifiers == d3d::Modifiers::NONE
                && program.predicate(instruction).is_none()
                && is_whole
                && is_same
                && is_first_input
                && from.modifier == d3d::Modifier::None
        }
        _ => false,
    });
    program.version().is_d3d9() && !declares && is_plain && second.is_none()
}

/// Whether vertices give the value; the others are the pipeline's.
fn is_given(value: d3d::SystemValue) -> bool {
    !matches!(value, d3d::SystemValue::VertexId | d3d::SystemValue::InstanceId | d3d::SystemValue::PrimitiveId)
}

fn slot_of(register: &d3d::Operand) -> Option<u32> {
    match &register.value {
        d3d::OperandValue::Register(register) => Some(register.first_index()?.base),
        _ => None,
    }
}

fn is_input(register: &d3d::Operand) -> bool {
    matches!(&register.value, d3d::OperandValue::Register(register) if register.kind == d3d::RegisterKind::Input)
}

/// Those that a program defines itself of the constants that a register is one of.
fn bank_of<'s>(register: &d3d::Operand, [floats, integers, booleans]: &'s mut [SlotSet; 3]) -> Option<&'s mut SlotSet> {
    // silent: it is no constant
    let d3d::OperandValue::Register(register) = &register.value else { return None };
    match register.kind {
        d3d::RegisterKind::Constant => Some(floats),
        d3d::RegisterKind::ConstantInteger => Some(integers),
        d3d::RegisterKind::ConstantBoolean => Some(booleans),
        _ => None,
    }
}

/// The number by which layouts name a semantic: FNV-1a, 32 bits, of the name in capitals.
pub fn semantic_hash(name: &str) -> u32 {
    let capitals = name.bytes().map(|byte| byte.to_ascii_uppercase());
    capitals.fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_semantic_is_named_by_its_hash() {
        assert_eq!([semantic_hash("POSITION"), semantic_hash("Position")], [0x7808_e88a; 2]);
    }
}
