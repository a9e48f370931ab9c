//! Writes containers: signatures, a program, the digest.

use d3d_bytecode::{ComponentType, Container, MinPrecision, SystemValue};

use super::text::{mask, split};

/// An element of a signature.
#[derive(Clone)]
pub struct Element {
    pub name: String,
    pub index: u32,
    pub mask: u32,
    pub register: u32,
    pub second_mask: u32,
    pub component_type: u32,
    pub system_value: u32,
    pub stream: u32,
    pub precision: u32,
}

/// A line of a signature.
pub fn element(line: &str) -> Element {
    let rest = line.strip_prefix(".param \"").unwrap();
    let name_end = rest.rfind("\"[").unwrap();
    let name: String = serde_json::from_str(&format!("\"{}\"", &rest[..name_end])).unwrap();
    let fields = split(&rest[name_end + 1..]);
    let (index, lanes) = fields[0].strip_prefix('[').unwrap().split_once("].").unwrap();
    let (register, second) = fields[1].split_once('.').unwrap();
    let register = if register == "none" { u32::MAX } else { register[1..].parse().unwrap() };
    let mut element = Element {
        name,
        index: index.parse().unwrap(),
        mask: mask(lanes),
        register,
        second_mask: mask(second),
        component_type: ComponentType::from_name(fields[2]).unwrap().number(),
        system_value: 0,
        stream: 0,
        precision: 0,
    };
    for field in &fields[3..] {
        if let Some(value) = SystemValue::from_name(field) {
            element.system_value = signature_number(value);
        } else if let Some(stream) = field.strip_prefix("stream ") {
            element.stream = stream.parse().unwrap();
        } else {
            element.precision = precision(field).token();
        }
    }
    element
}

pub fn precision(name: &str) -> MinPrecision {
    let all = [
        MinPrecision::Default,
        MinPrecision::Float16,
        MinPrecision::Float2_8,
        MinPrecision::Sint16,
        MinPrecision::Uint16,
    ];
    all.into_iter().find(|precision| precision.name() == name).unwrap_or_else(|| panic!("no precision: {name}"))
}

/// Signatures number tessellation factors by their kind alone.
fn signature_number(value: SystemValue) -> u32 {
    match value.number() {
        11..=14 => 11,
        15 | 16 => 12,
        17..=19 => 13,
        20 => 14,
        21 => 15,
        22 => 16,
        number => number,
    }
}

/// A chunk of a signature: the plain form, or where it doesn't do the one with streams and precisions.
fn signature(plain: &[u8; 4], full: &[u8; 4], elements: &[Element]) -> Option<([u8; 4], Vec<u8>)> {
    if elements.is_empty() {
        return None;
    }
    let is_plain = elements.iter().all(|element| element.stream == 0 && element.precision == 0);
    let size = if is_plain { 24 } else { 32 };
    let (mut rows, mut names) = (Vec::new(), Vec::new());
    for element in elements {
        let name_at = (8 + size * elements.len() + names.len()) as u32;
        names.extend(element.name.as_bytes());
        names.push(0);
        if !is_plain {
            rows.push(element.stream);
        }
        rows.extend([name_at, element.index, element.system_value, element.component_type, element.register]);
        rows.push(element.mask | element.second_mask << 8);
        if !is_plain {
            rows.push(element.precision);
        }
    }
    let mut bytes: Vec<u8> =
        [elements.len() as u32, 8].iter().chain(&rows).flat_map(|word| word.to_le_bytes()).collect();
    bytes.extend(names);
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    Some((if is_plain { *plain } else { *full }, bytes))
}

/// A container of the three signatures and a program.
pub fn container(signatures: &[Vec<Element>; 3], program: ([u8; 4], Vec<u8>)) -> Vec<u8> {
    let [input, output, patch] = signatures;
    let chunks: Vec<([u8; 4], Vec<u8>)> = [
        signature(b"ISGN", b"ISG1", input),
        signature(b"OSGN", b"OSG1", output),
        signature(b"PCSG", b"PSG1", patch),
        Some(program),
    ]
    .into_iter()
    .flatten()
    .collect();
    pack(&chunks)
}

/// A container of chunks, its digest right.
pub fn pack(chunks: &[([u8; 4], Vec<u8>)]) -> Vec<u8> {
    let mut offset = 32 + 4 * chunks.len();
    let (mut table, mut body) = (Vec::new(), Vec::new());
    for (tag, bytes) in chunks {
        table.extend((offset as u32).to_le_bytes());
        body.extend(tag);
        body.extend((bytes.len() as u32).to_le_bytes());
        body.extend(bytes);
        offset += 8 + bytes.len();
    }
    let mut container = b"DXBC".to_vec();
    container.extend([0; 16]);
    for word in [1, offset as u32, chunks.len() as u32] {
        container.extend(word.to_le_bytes());
    }
    container.extend(table);
    container.extend(body);
    let digest = Container::parse(&container, 0).unwrap().computed_digest();
    container[4..20].copy_from_slice(&digest);
    container
}
