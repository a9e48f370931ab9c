//! Reads the text of a disassembly: lines, operands, numbers.

use d3d_bytecode::{Modifier, RegisterKind, Stage, Version};

/// An operand as it is written.
#[derive(Clone, Debug)]
pub struct OperandText {
    pub modifier: Modifier,
    pub value: ValueText,
    /// The letters behind the point.
    pub lanes: Option<String>,
    /// Text in braces.
    pub precision: String,
}

#[derive(Clone, Debug)]
pub enum ValueText {
    Immediate32(Vec<u32>),
    Immediate64(Vec<u64>),
    Register(RegisterKind, Vec<IndexText>),
}

#[derive(Clone, Debug)]
pub struct IndexText {
    pub base: u32,
    pub relative: Option<Box<OperandText>>,
}

pub fn version(line: &str) -> Version {
    let parts: Vec<&str> = line.split('_').collect();
    let stage = Stage::from_name(parts[0]).unwrap();
    Version { stage, major: parts[1].parse().unwrap(), minor: parts[2].parse().unwrap() }
}

/// Splits at commas outside brackets, parentheses and braces.
pub fn split(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, letter) in text.char_indices() {
        match letter {
            '[' | '(' | '{' => depth += 1,
            ']' | ')' | '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}

pub fn number(text: &str) -> u32 {
    let text = text.trim();
    if let Some(hex) = text.strip_prefix("0x") {
        return u32::from_str_radix(hex, 16).unwrap();
    }
    match text.parse::<i64>() {
        Ok(integer) => integer as u32,
        Err(_) => text.parse::<f32>().unwrap_or_else(|_| panic!("no number: {text}")).to_bits(),
    }
}

fn long_number(text: &str) -> u64 {
    match text.trim().strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).unwrap(),
        None => text.trim().parse::<f64>().unwrap().to_bits(),
    }
}

pub fn operand(text: &str, version: Version) -> OperandText {
    let (text, precision) = match text.split_once(" {") {
        Some((text, precision)) => (text, precision.trim_end_matches('}')),
        None => (text, ""),
    };
    let is_absolute = text.ends_with('|');
    let (is_negated, text) = text.strip_prefix('-').map_or((false, text), |rest| (!rest.is_empty(), rest));
    let text = if is_absolute { text.trim_matches('|') } else { text };
    let (is_not, text) = text.strip_prefix('!').map_or((false, text), |rest| (true, rest));
    let modifier = match (is_negated, is_absolute, is_not) {
        (_, _, true) => Modifier::Not,
        (false, false, _) => Modifier::None,
        (true, false, _) => Modifier::Negate,
        (false, true, _) => Modifier::Absolute,
        (true, true, _) => Modifier::NegateAbsolute,
    };
    let within = |text: &str| text[2..text.len() - 1].to_owned();
    let (value, lanes) = if text.starts_with("l(") {
        (ValueText::Immediate32(split(&within(text)).into_iter().map(number).collect()), None)
    } else if text.starts_with("d(") {
        (ValueText::Immediate64(split(&within(text)).into_iter().map(long_number).collect()), None)
    } else {
        register(text, version)
    };
    OperandText { modifier, value, lanes, precision: precision.to_owned() }
}

fn register(text: &str, version: Version) -> (ValueText, Option<String>) {
    let name_end = text.find(|letter: char| letter.is_ascii_digit() || "[.".contains(letter)).unwrap_or(text.len());
    let kind = RegisterKind::from_name(&text[..name_end], version).unwrap_or_else(|| panic!("no register: {text}"));
    let mut rest = &text[name_end..];
    let mut indices = Vec::new();
    let digits = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
    if digits > 0 {
        indices.push(IndexText { base: rest[..digits].parse().unwrap(), relative: None });
        rest = &rest[digits..];
    }
    while rest.starts_with('[') {
        let mut depth = 0;
        let end = rest
            .char_indices()
            .find(|(_, letter)| {
                depth += i32::from(*letter == '[') - i32::from(*letter == ']');
                depth == 0
            })
            .unwrap()
            .0;
        indices.push(index(&rest[1..end], version));
        rest = &rest[end + 1..];
    }
    (ValueText::Register(kind, indices), rest.strip_prefix('.').map(str::to_owned))
}

fn index(text: &str, version: Version) -> IndexText {
    match text.rsplit_once(" + ") {
        None => IndexText { base: text.parse().unwrap(), relative: None },
        Some((relative, base)) => {
            IndexText { base: base.parse().unwrap(), relative: Some(Box::new(operand(relative, version))) }
        }
    }
}

/// The bits of a mask's letters, x in the lowest.
pub fn mask(letters: &str) -> u32 {
    letters.chars().map(|letter| 1 << lane(letter)).sum()
}

/// Two bits a letter.
pub fn swizzle(letters: &str) -> u32 {
    letters.chars().enumerate().map(|(place, letter)| lane(letter) << (2 * place)).sum()
}

pub fn lane(letter: char) -> u32 {
    "xyzw".find(letter).unwrap_or_else(|| panic!("no lane: {letter}")) as u32
}
