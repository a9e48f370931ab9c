//! The lines of a program → tokens of the emulator's dialect.

use d3d_bytecode::{
    EMULATOR_INSTRUCTIONS, EmulatorForm, Modifier, Opcode, OutputTopology, RegisterKind, Role, SystemValue, TessDomain,
    TessOutputPrimitive, TessPartitioning, Version,
};

use super::assemble::{Source, primitive};
use super::text::{OperandText, ValueText, lane, mask, number, operand, split, swizzle};

/// Numbers of register kinds, which this dialect has in common with Microsoft's but for a few.
const KINDS: [(RegisterKind, u32); 16] = [
    (RegisterKind::Temp, 0),
    (RegisterKind::Input, 1),
    (RegisterKind::Output, 2),
    (RegisterKind::Sampler, 6),
    (RegisterKind::Resource, 7),
    (RegisterKind::ConstantBuffer, 8),
    (RegisterKind::Predicate, 11),
    (RegisterKind::OutputDepth, 12),
    (RegisterKind::Null, 13),
    (RegisterKind::Uav, 30),
    (RegisterKind::ThreadId, 32),
    (RegisterKind::ThreadGroupId, 33),
    (RegisterKind::ThreadIdInGroup, 34),
    (RegisterKind::ThreadIdInGroupFlattened, 35),
    (RegisterKind::OutputDepthGreaterEqual, 38),
    (RegisterKind::OutputDepthLessEqual, 39),
];

const CONDITIONS: [&str; 8] = ["z", "nz", "eq", "ne", "gt", "ge", "lt", "le"];
const SET_CONDITIONS: [(&str, u32); 12] = [
    ("ieq", 8),
    ("ine", 9),
    ("ilt", 10),
    ("ige", 11),
    ("ile", 12),
    ("igt", 13),
    ("eq", 0),
    ("ne", 1),
    ("lt", 2),
    ("ge", 3),
    ("le", 4),
    ("gt", 5),
];
/// No instruction of the dialect has this number: what it does is told by its operands.
const UNNUMBERED: u32 = 0x7e;

pub fn encode(source: &Source<'_>) -> Vec<u32> {
    source.lines.iter().flat_map(|line| encode_line(line, source.version)).collect()
}

fn encode_line(line: &str, version: Version) -> Vec<u32> {
    let (predicate, line) = match line.strip_prefix('(').and_then(|rest| rest.split_once(") ")) {
        Some((predicate, line)) if line.starts_with(|letter: char| letter.is_alphabetic()) => (Some(predicate), line),
        _ => (None, line),
    };
    let (head, rest) = line.split_once(' ').unwrap_or((line, ""));
    if let Some(name) = head.strip_prefix("dcl_") {
        return declare(name, rest, version);
    }
    let phases = ["hs_control_point_phase", "hs_fork_phase", "hs_join_phase"];
    if let Some(phase) = phases.iter().position(|name| *name == head) {
        return vec![(0x11a + phase as u32) | 1 << 11];
    }
    let (name, is_saturated) = head.strip_suffix("_sat").map_or((head, false), |name| (name, true));
    let (number, control, form, roles) = instruction(name, split(rest).len());
    let mut texts: Vec<OperandText> = split(rest).into_iter().map(|text| operand(text, version)).collect();
    let mut roles = roles.to_vec();
    reorder(form, &mut texts, &mut roles);
    let mut body: Vec<u32> = predicate.into_iter().flat_map(|text| encode_predicate(&operand(text, version))).collect();
    for (text, role) in texts.iter().zip(&roles) {
        body.extend(encode_operand(text, matches!(role, Role::Dst | Role::Written)));
    }
    let extended = if is_saturated { vec![1 << 13] } else { vec![] };
    assembled(number, control, &extended, body)
}

fn assembled(number: u32, control: u32, extended: &[u32], body: Vec<u32>) -> Vec<u32> {
    let length = (1 + extended.len() + body.len()) as u32;
    let token = number | length << 11 | control << 24 | u32::from(!extended.is_empty()) << 31;
    [token].into_iter().chain(extended.iter().copied()).chain(body).collect()
}

/// Number, control bits, form and roles of an instruction by its name.
fn instruction(name: &str, operands: usize) -> (u32, u32, EmulatorForm, Vec<Role>) {
    let numbered = |opcode: Opcode| {
        let row = EMULATOR_INSTRUCTIONS.iter().find(|row| row.opcode == opcode);
        row.map(|row| (row.number, row.form, row.operands.to_vec()))
    };
    if let Some((number, form, roles)) = Opcode::from_name(name).and_then(numbered) {
        let _ = operands;
        return (number, 0, form, roles);
    }
    if name.starts_with("sync") {
        let (number, form, roles) = numbered(Opcode::Sync).unwrap();
        let bits = [("_g", 1), ("_uglobal", 2), ("_t", 4)];
        let control =
            bits.iter().map(|(suffix, bit)| u32::from(format!("{name}_").contains(&format!("{suffix}_"))) * bit);
        return (number, control.sum(), form, roles);
    }
    if let Some(condition) = name.strip_prefix("setp_") {
        let (number, form, roles) = numbered(Opcode::SetP).unwrap();
        let control = SET_CONDITIONS.iter().find(|(known, _)| *known == condition).unwrap().1;
        return (number, control, form, roles);
    }
    let unnumbered = match name {
        "bufinfo" => Some(vec![Role::Dst, Role::Resource]),
        "store_uav_typed" => Some(vec![Role::Written, Role::Src, Role::Src]),
        "imm_atomic_iadd" => Some(vec![Role::Dst, Role::Written, Role::Src, Role::Src]),
        _ => None,
    };
    if let Some(roles) = unnumbered {
        return (UNNUMBERED, 0, EmulatorForm::Plain, roles);
    }
    let (name, condition) = name.rsplit_once('_').unwrap();
    let control = CONDITIONS.iter().position(|known| *known == condition).unwrap() as u32;
    let opcode = match (name, control) {
        ("if", 0 | 1) => Opcode::If,
        ("if", _) => Opcode::IfC,
        ("breakc" | "break", _) => Opcode::BreakC,
        ("continuec" | "continue", _) => Opcode::ContinueC,
        ("discard", _) => Opcode::Discard,
        _ => panic!("no instruction: {name}_{condition}"),
    };
    let (number, form, roles) = numbered(opcode).unwrap();
    (number, control, form, roles)
}

/// Puts operands in the dialect's order: the lower half of a product first, its upper one only if it is wanted.
fn reorder(form: EmulatorForm, texts: &mut Vec<OperandText>, roles: &mut Vec<Role>) {
    match form {
        EmulatorForm::Product if texts.len() < roles.len() => {
            roles.remove(0);
        }
        EmulatorForm::Product => {
            if matches!(texts[0].value, ValueText::Register(RegisterKind::Null, _)) {
                texts.remove(0);
                roles.remove(0);
            } else {
                texts.swap(0, 1);
            }
        }
        EmulatorForm::Stream => {
            let ValueText::Register(_, indices) = &texts[0].value else { panic!("no stream") };
            texts[0].value = ValueText::Immediate32(vec![indices[0].base]);
            roles[0] = Role::Src;
        }
        _ => {}
    }
}

fn encode_predicate(text: &OperandText) -> Vec<u32> {
    let modifier = if text.modifier == Modifier::Not { Modifier::Negate } else { Modifier::None };
    encode_operand(&OperandText { modifier, ..text.clone() }, false)
}

fn encode_operand(text: &OperandText, has_mask: bool) -> Vec<u32> {
    let modifier = match text.modifier {
        Modifier::None => 0,
        Modifier::Negate => 1,
        Modifier::Absolute => 2,
        Modifier::NegateAbsolute => 3,
        other => panic!("{other:?}"),
    };
    let mut words = vec![0];
    if modifier != 0 {
        words[0] |= 1 << 31;
        words.push(modifier << 6);
    }
    match &text.value {
        ValueText::Immediate32(values) => {
            words[0] |= 4 << 4 | if values.len() == 1 { 1 } else { 2 };
            words.extend(values);
        }
        ValueText::Immediate64(_) => panic!("the dialect has no doubles"),
        ValueText::Register(kind, indices) => {
            let number = KINDS.iter().find(|(known, _)| known == kind).unwrap().1;
            words[0] |= number << 4 | (indices.len() as u32) << 20 | lanes(*kind, text.lanes.as_deref(), has_mask);
            let mut numbers: Vec<u32> = indices.iter().map(|index| index.base).collect();
            if *kind == RegisterKind::Input {
                numbers.reverse();
            }
            words.extend(numbers);
        }
    }
    words
}

fn lanes(kind: RegisterKind, letters: Option<&str>, has_mask: bool) -> u32 {
    match letters {
        None => u32::from(kind.has_one_lane()),
        Some(letters) if has_mask => 2 | mask(letters) << 12,
        Some(letters) if letters.len() == 1 => 2 | 2 << 2 | lane(letters.chars().next().unwrap()) << 12,
        Some(letters) => 2 | 1 << 2 | swizzle(letters) << 12,
    }
}

fn declare(name: &str, rest: &str, version: Version) -> Vec<u32> {
    if name == "immediateConstantBuffer" {
        let values: Vec<u32> =
            rest.split(|letter| "{}, ".contains(letter)).filter(|part| !part.is_empty()).map(number).collect();
        return [0x1f | (2 + values.len() as u32) << 11, 3].into_iter().chain(values).collect();
    }
    let parts = split(rest.rsplit_once(") ").map_or(rest, |(_, slot)| slot));
    let register = |has_mask: bool| encode_operand(&operand(parts[0], version), has_mask);
    let with = |mut words: Vec<u32>, numbers: &[u32]| {
        words.extend(numbers);
        words
    };
    let named = |value: Option<u32>| value.unwrap_or_else(|| panic!("dcl_{name} {rest}"));
    let (number, body) = match name {
        "input" | "output" => (0x100, register(true)),
        "input_siv" | "output_siv" => {
            (0x100, with(register(true), &[named(SystemValue::from_name(parts[1]).map(SystemValue::number))]))
        }
        "constantbuffer" => (0x101, encode_operand(&operand(&format!("{}.xyzw", parts[0]), version), false)),
        "sampler" => (0x102, register(false)),
        "resource_texture2d" | "uav_typed_texture2d" => (0x103, with(register(false), &[2])),
        "resource_raw" => (0x205, register(false)),
        "resource_structured" => (0x206, with(register(false), &[number(parts[1])])),
        "uav_raw" => (0x207, register(false)),
        "uav_structured" => (0x208, with(register(false), &[number(parts[1])])),
        "inputprimitive" => (0x10c, vec![primitive(rest)]),
        "outputtopology" => (0x10d, vec![named(OutputTopology::from_name(rest).map(OutputTopology::number))]),
        "maxout" => (0x10e, vec![number(rest)]),
        "gsinstances" => (0x10f, vec![number(rest)]),
        "hs_max_tessfactor" => (0x110, vec![number(rest.trim_start_matches("l(").trim_end_matches(')'))]),
        "input_control_point_count" => (0x112, vec![number(rest)]),
        "tessellator_domain" => (0x113, vec![named(TessDomain::from_name(rest).map(TessDomain::number))]),
        "tessellator_partitioning" => {
            (0x114, vec![named(TessPartitioning::from_name(rest).map(TessPartitioning::number))])
        }
        "tessellator_output_primitive" => {
            (0x115, vec![named(TessOutputPrimitive::from_name(rest).map(TessOutputPrimitive::number))])
        }
        "output_control_point_count" => (0x116, vec![number(rest)]),
        "thread_group" => (0x11f, parts.iter().map(|part| self::number(part)).collect()),
        _ => panic!("no declaration: dcl_{name}"),
    };
    assembled(number, 0, &[], body)
}
