//! Text → bytecode, the way back from a disassembly: one line a declaration or instruction, in both encodings of SM4 and
//! SM5.

use d3d_bytecode::{
    ControlBits, DECLARATIONS, DeclarationForm, Dialect, GlobalFlags, INSTRUCTIONS, InfoForm, InputPrimitive,
    InstructionForm, Interpolation, Modifier, Opcode, OutputTopology, REGISTER_KINDS, RegisterKind, ResourceDimension,
    ReturnType, Role, SamplerMode, Stage, SystemValue, TessDomain, TessOutputPrimitive, TessPartitioning, Version,
};

use super::container::{container, element, precision};
use super::emulator;
use super::text::{IndexText, OperandText, ValueText, lane, mask, number, operand, split, swizzle, version};

/// Parts of a text, before it is encoded.
pub struct Source<'a> {
    pub version: Version,
    pub lines: Vec<&'a str>,
}

/// A container with the program of a text; without signatures, its bare tokens.
pub fn assemble(text: &str) -> Vec<u8> {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//"));
    let version = version(lines.next().unwrap());
    let (mut dialect, mut signatures, mut section) = (Dialect::Microsoft, [vec![], vec![], vec![]], 0);
    let mut source = Source { version, lines: Vec::new() };
    for line in lines {
        match line {
            ".dialect emulator" => dialect = Dialect::Emulator,
            ".input" => section = 0,
            ".output" => section = 1,
            ".patch_constant" => section = 2,
            ".text" => {}
            _ if line.starts_with(".param") => {
                let mut element = element(line);
                // Of an output the chunk has the lanes that are never written.
                let is_given = section == 1 || section == 2 && version.stage == Stage::Hull;
                if is_given && dialect == Dialect::Microsoft {
                    element.second_mask ^= 0xf;
                }
                signatures[section].push(element);
            }
            _ => source.lines.push(line),
        }
    }
    let body = match dialect {
        Dialect::Emulator => emulator::encode(&source),
        _ => source.lines.iter().flat_map(|line| encode(line, version)).collect(),
    };
    let token = version.stage.number() << 16 | u32::from(version.major) << 4 | u32::from(version.minor);
    let words = [token, body.len() as u32 + 2].into_iter().chain(body);
    let bytes: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
    if signatures.iter().all(Vec::is_empty) {
        return bytes;
    }
    container(&signatures, (if version.major == 5 { *b"SHEX" } else { *b"SHDR" }, bytes))
}

fn encode(line: &str, version: Version) -> Vec<u32> {
    let (head, rest) = line.split_once(' ').unwrap_or((line, ""));
    if head.starts_with("dcl_") { declare(head, rest, version) } else { Head::parse(head).encode(rest, version) }
}

/// An opcode token, what extends it, and operands.
fn assembled(number: u32, control: u32, extended: &[u32], body: Vec<u32>) -> Vec<u32> {
    let length = 1 + extended.len() + body.len();
    assert!(length < 128, "too long");
    let chained = |is_last: bool| if is_last { 0 } else { 1 << 31 };
    let mut words = vec![number | control | (length as u32) << 24 | chained(extended.is_empty())];
    let last = extended.len().saturating_sub(1);
    words.extend(extended.iter().enumerate().map(|(place, token)| token | chained(place == last)));
    words.extend(body);
    words
}

pub fn encode_operand(text: &OperandText, has_mask: bool) -> Vec<u32> {
    let modifier = match text.modifier {
        Modifier::None => 0,
        Modifier::Negate => 1,
        Modifier::Absolute => 2,
        Modifier::NegateAbsolute => 3,
        other => panic!("{other:?}"),
    };
    let precision = precision(&text.precision).token();
    let mut words = vec![0];
    if modifier != 0 || precision != 0 {
        words[0] |= 1 << 31;
        words.push(1 | modifier << 6 | precision << 14);
    }
    match &text.value {
        ValueText::Immediate32(values) => {
            words[0] |= 4 << 12 | if values.len() == 1 { 1 } else { 2 };
            words.extend(values);
        }
        ValueText::Immediate64(values) => {
            words[0] |= 5 << 12 | if values.len() == 1 { 1 } else { 2 };
            words.extend(values.iter().flat_map(|value| [*value as u32, (*value >> 32) as u32]));
        }
        ValueText::Register(kind, indices) => {
            let number = REGISTER_KINDS.iter().position(|known| *known == Some(*kind)).unwrap() as u32;
            words[0] |= number << 12 | (indices.len() as u32) << 20 | lanes(*kind, text.lanes.as_deref(), has_mask);
            for (place, index) in indices.iter().enumerate() {
                let (form, encoded) = encode_index(index);
                words[0] |= form << (22 + 3 * place);
                words.extend(encoded);
            }
        }
    }
    words
}

fn encode_index(index: &IndexText) -> (u32, Vec<u32>) {
    match &index.relative {
        None => (0, vec![index.base]),
        Some(relative) => {
            let register = encode_operand(relative, false);
            if index.base == 0 { (2, register) } else { (3, [index.base].into_iter().chain(register).collect()) }
        }
    }
}

fn lanes(kind: RegisterKind, letters: Option<&str>, has_mask: bool) -> u32 {
    match letters {
        None => u32::from(kind.has_one_lane()),
        Some(letters) if has_mask => 2 | mask(letters) << 4,
        Some(letters) if letters.len() == 1 => 2 | 2 << 2 | lane(letters.chars().next().unwrap()) << 4,
        Some(letters) => 2 | 1 << 2 | swizzle(letters) << 4,
    }
}

/// An instruction's name, taken apart.
pub struct Head {
    pub form: InstructionForm,
    pub control: u32,
    extended: Vec<u32>,
}

impl Head {
    fn parse(head: &str) -> Self {
        let start = head.find('(').unwrap_or(head.len());
        let end = head.rfind(')').map_or(head.len(), |end| end + 1);
        let (mut name, groups, suffix) =
            (head[..start].to_owned(), &head[start..end.max(start)], &head[end.max(start)..]);
        let mut take = |suffix: &str| {
            let is_there = name.ends_with(suffix) && Opcode::from_name(&name).is_none();
            if is_there {
                name.truncate(name.len() - suffix.len());
            }
            is_there
        };
        let mut control = 0;
        let is_saturated = take("_sat");
        let (is_indexable, has_offsets) = (take("_indexable"), take("_aoffimmi"));
        let form =
            [InfoForm::Uint, InfoForm::Reciprocal].into_iter().find(|form| suffix == form.name() || take(form.name()));
        let test = u32::from(take("_nz"));
        take("_z");
        if name.starts_with("sync") {
            for (suffix, bit) in [("_uglobal", 8), ("_ugroup", 4), ("_g", 2), ("_t", 1)] {
                control |= (u32::from(format!("{name}_").contains(&format!("{suffix}_"))) * bit) << 11;
            }
            name.truncate(4);
        }
        let opcode = Opcode::from_name(&name).unwrap_or_else(|| panic!("no instruction: {head}"));
        let row = INSTRUCTIONS.iter().find(|row| row.opcode == opcode).unwrap_or_else(|| panic!("{head}"));
        control |= match row.control {
            ControlBits::Arithmetic => u32::from(is_saturated) << 13,
            ControlBits::Test => test << 18,
            ControlBits::Info => info_bits(opcode, form) << 11,
            _ => 0,
        };
        Self { form: *row, control, extended: extended(groups, is_indexable, has_offsets) }
    }

    fn encode(self, rest: &str, version: Version) -> Vec<u32> {
        let (mut control, mut rest) = (self.control, rest);
        if let Some((lanes, others)) = rest.strip_prefix("[precise(").and_then(|rest| rest.split_once(")]")) {
            control |= mask(lanes) << 19;
            rest = others;
        }
        let mut texts = split(rest);
        let mut body = Vec::new();
        if self.form.control == ControlBits::Function {
            body.push(number(texts.remove(0)));
        }
        assert_eq!(texts.len(), self.form.operands.len(), "{:?} {rest}", self.form.opcode);
        for (text, role) in texts.iter().zip(self.form.operands) {
            let has_mask = matches!(role, Role::Dst | Role::Written);
            body.extend(encode_operand(&operand(text, version), has_mask));
        }
        assembled(self.form.number, control, &self.extended, body)
    }
}

fn info_bits(opcode: Opcode, form: Option<InfoForm>) -> u32 {
    match (opcode, form) {
        (Opcode::SampleInfo, Some(InfoForm::Uint)) => 1,
        (_, form) => form.map_or(0, InfoForm::number),
    }
}

/// The tokens for what stands in parentheses: offsets, dimension, return types.
fn extended(groups: &str, is_indexable: bool, has_offsets: bool) -> Vec<u32> {
    let mut groups = groups.split(')').map(|group| group.trim_start_matches('(')).filter(|group| !group.is_empty());
    let mut tokens = Vec::new();
    if has_offsets {
        let offsets: Vec<i32> = groups.next().unwrap().split(',').map(|offset| offset.parse().unwrap()).collect();
        let nibble = |place: usize, shift: u32| (offsets[place] as u32 & 0xf) << shift;
        tokens.push(1 | nibble(0, 9) | nibble(1, 13) | nibble(2, 17));
    }
    if is_indexable {
        let group = groups.next().unwrap();
        let (name, stride) = group.split_once(",stride=").unwrap_or((group, "0"));
        let dimension = ResourceDimension::from_name(name).unwrap();
        tokens.push(2 | dimension.number() << 6 | stride.parse::<u32>().unwrap() << 11);
    }
    if let Some(types) = groups.next() {
        tokens.push(3 | return_types(types) << 6);
    }
    tokens
}

fn return_types(text: &str) -> u32 {
    let number = |name: &str| ReturnType::from_name(name).unwrap_or_else(|| panic!("no type: {name}")).number();
    text.split(',').enumerate().map(|(place, name)| number(name) << (4 * place)).sum()
}

fn declare(head: &str, rest: &str, version: Version) -> Vec<u32> {
    if head == "dcl_immediateConstantBuffer" {
        let values: Vec<u32> =
            rest.split(|letter| "{}, ".contains(letter)).filter(|part| !part.is_empty()).map(number).collect();
        return [53 | 3 << 11, 2 + values.len() as u32].into_iter().chain(values).collect();
    }
    let (number, _, form) = *DECLARATIONS
        .iter()
        .filter(|(_, opcode, _)| head.starts_with(opcode.name()))
        .max_by_key(|(_, opcode, _)| opcode.name().len())
        .unwrap_or_else(|| panic!("no declaration: {head}"));
    let name_end = DECLARATIONS.iter().find(|row| row.0 == number).unwrap().1.name().len();
    let (bits, body) = declaration_body(form, &head[name_end..], rest, version);
    assembled(number, bits << 11, &[], body)
}

fn declaration_body(form: DeclarationForm, suffix: &str, rest: &str, version: Version) -> (u32, Vec<u32>) {
    let parts = split(rest);
    let register = |text: &str, has_mask: bool| encode_operand(&operand(text, version), has_mask);
    let with = |has_mask: bool, numbers: &[&str]| {
        let mut words = register(parts[0], has_mask);
        words.extend(numbers.iter().map(|text| number(text)));
        words
    };
    match form {
        DeclarationForm::GlobalFlags => {
            let bit = |name: &str| 1 << GlobalFlags::NAMES.iter().position(|known| *known == name).unwrap();
            (rest.split(" | ").filter(|name| !name.is_empty()).map(bit).sum(), vec![])
        }
        DeclarationForm::Count => (0, vec![number(rest.trim_start_matches("fb"))]),
        DeclarationForm::CountInBits => (number(rest), vec![]),
        DeclarationForm::IndexableTemp => {
            let (array, elements) = parts[0][1..].trim_end_matches(']').split_once('[').unwrap();
            (0, vec![number(array), number(elements), number(parts[1])])
        }
        DeclarationForm::Register { interpolated, .. } => {
            let (interpolation, register_text) =
                parts[0].rsplit_once(' ').filter(|_| interpolated).unwrap_or(("undefined", parts[0]));
            let mut words = register(register_text, true);
            words.extend(parts.get(1).map(|name| SystemValue::from_name(name).unwrap().number()));
            (Interpolation::from_name(interpolation).unwrap().number(), words)
        }
        DeclarationForm::IndexRange => (0, with(true, &parts[1..])),
        DeclarationForm::ConstantBuffer => {
            let words = register(&format!("{}.xyzw", parts[0]), false);
            (u32::from(parts[1] == "dynamicIndexed"), words)
        }
        DeclarationForm::Sampler => (SamplerMode::from_name(parts[1]).unwrap().number(), with(false, &[])),
        DeclarationForm::Typed(_) => {
            let (name, samples) = suffix[1..].split_once('(').unwrap_or((&suffix[1..], "0)"));
            let (types, slot) = rest[1..].split_once(") ").unwrap();
            let dimension_end = name.find("_glc").or(name.find("_opc")).or(name.find("_rov")).unwrap_or(name.len());
            let dimension = ResourceDimension::from_name(&name[..dimension_end]).unwrap().number();
            let mut words = register(slot, false);
            words.push(return_types(types));
            (dimension | number(samples.trim_end_matches(')')) << 5 | uav_bits(name), words)
        }
        DeclarationForm::Raw(_) => (uav_bits(suffix), with(false, &[])),
        DeclarationForm::Structured(_) => (uav_bits(suffix), with(false, &parts[1..])),
        DeclarationForm::GroupRaw | DeclarationForm::GroupStructured => (0, with(false, &parts[1..])),
        DeclarationForm::ThreadGroup => (0, parts.iter().map(|part| number(part)).collect()),
        DeclarationForm::InputPrimitive => (primitive(rest), vec![]),
        DeclarationForm::OutputTopology => (OutputTopology::from_name(rest).unwrap().number(), vec![]),
        DeclarationForm::Stream => (0, with(false, &[])),
        DeclarationForm::TessDomain => (TessDomain::from_name(rest).unwrap().number(), vec![]),
        DeclarationForm::TessPartitioning => (TessPartitioning::from_name(rest).unwrap().number(), vec![]),
        DeclarationForm::TessOutputPrimitive => (TessOutputPrimitive::from_name(rest).unwrap().number(), vec![]),
        DeclarationForm::MaxTessFactor => (0, vec![number(rest.trim_start_matches("l(").trim_end_matches(')'))]),
        DeclarationForm::FunctionTable => {
            let (table, bodies) = rest.split_once(" = ").unwrap();
            let bodies = set(bodies, "fb");
            (0, [number(&table[2..]), bodies.len() as u32].into_iter().chain(bodies).collect())
        }
        DeclarationForm::Interface => {
            let (pointer, tables) = rest.split_once(" = ").unwrap();
            let numbers: Vec<u32> =
                pointer[2..].split(['[', ']']).filter(|part| !part.is_empty()).map(number).collect();
            let tables = set(tables, "ft");
            let lengths = numbers[1] << 16 | tables.len() as u32;
            let body = [numbers[0], numbers[2], lengths].into_iter().chain(tables).collect();
            (u32::from(suffix == "_dynamicindexed"), body)
        }
    }
}

fn uav_bits(suffix: &str) -> u32 {
    [("_glc", 5), ("_rov", 6), ("_opc", 12)].iter().map(|(flag, bit)| u32::from(suffix.contains(flag)) << bit).sum()
}

pub fn primitive(name: &str) -> u32 {
    let is_named = |number: &u32| match InputPrimitive::from_number(*number) {
        Some(InputPrimitive::Basic(primitive)) => primitive.name() == name,
        Some(InputPrimitive::Patch(points)) => name == format!("patch_{points}"),
        None => false,
    };
    (0..64).find(is_named).unwrap()
}

fn set(text: &str, prefix: &str) -> Vec<u32> {
    let text = text.trim_start_matches('{').trim_end_matches('}');
    split(text).into_iter().map(|name| number(name.strip_prefix(prefix).unwrap())).collect()
}
