//! Operands.

use super::super::operand::{MinPrecision, RegisterKind};
use super::super::sm4::REGISTER_KINDS;
use super::super::version::Version;
use super::error::AssemblyError;
use super::piece::Piece;
use crate::limits::MAX_BYTECODE_INDEX_NESTING;

/// What the lanes of an operand stand for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum LanesAre {
    /// Those that are written.
    Mask,
    /// Where those that are read come from.
    Swizzle,
}

/// The tokens of an operand.
pub(super) fn operand(text: Piece<'_>, version: Version, lanes: LanesAre) -> Result<Vec<u32>, AssemblyError> {
    nested(text, version, lanes, 0)
}

fn nested(text: Piece<'_>, version: Version, lanes: LanesAre, depth: u32) -> Result<Vec<u32>, AssemblyError> {
    const NEGATE: u32 = 1;
    const ABSOLUTE: u32 = 2;
    let (text, precision) = match text.split_once(" {") {
        Some((text, name)) => (text, precision_of(name)?),
        None => (text, MinPrecision::Default),
    };
    let (mut modifier, mut text) = (0, text);
    if let Some(rest) = text.strip_prefix("-") {
        (modifier, text) = (NEGATE, rest);
    }
    if text.text.starts_with('|') {
        let inside = text.within("|", "|").ok_or_else(|| text.expected("another | after the operand"))?;
        (modifier, text) = (modifier | ABSOLUTE, inside);
    }
    let mut words = vec![0];
    let mut token = 0;
    let precision = precision.token();
    if modifier != 0 || precision != 0 {
        token |= 1 << 31;
        words.push(1 | modifier << 6 | precision << 14);
    }
    token |= if let Some(values) = text.within("l(", ")") {
        immediate(values.list(), &mut words)?
    } else if let Some(values) = text.within("d(", ")") {
        long_immediate(values.list(), &mut words)?
    } else {
        register(text, (version, lanes, depth), &mut words)?
    };
    if let Some(first) = words.first_mut() {
        *first = token;
    }
    Ok(words)
}

/// The precision of this name, behind which a brace may stand.
fn precision_of(name: Piece<'_>) -> Result<MinPrecision, AssemblyError> {
    use MinPrecision as P;
    let name = name.strip_suffix("}").unwrap_or(name);
    let found = [P::Float16, P::Float2_8, P::Sint16, P::Uint16].into_iter().find(|of| of.name() == name.text);
    found.ok_or_else(|| name.expected("min16f, min2_8f, min16i or min16u"))
}

fn immediate(values: Vec<Piece<'_>>, words: &mut Vec<u32>) -> Result<u32, AssemblyError> {
    const KIND: u32 = 4 << 12;
    for value in &values {
        words.push(value.bits()?);
    }
    match (values.len(), values.last()) {
        (1, _) => Ok(KIND | 1),
        (4, _) => Ok(KIND | 2),
        (_, Some(last)) => Err(last.expected("one value, or four")),
        (_, None) => Ok(KIND),
    }
}

fn long_immediate(values: Vec<Piece<'_>>, words: &mut Vec<u32>) -> Result<u32, AssemblyError> {
    const KIND: u32 = 5 << 12;
    for value in &values {
        let bits = value.long_bits()?;
        words.extend([bits as u32, (bits >> 32) as u32]);
    }
    match (values.len(), values.last()) {
        (1, _) => Ok(KIND | 1),
        (2, _) => Ok(KIND | 2),
        (_, Some(last)) => Err(last.expected("one value, or two")),
        (_, None) => Ok(KIND),
    }
}

fn register(
    text: Piece<'_>,
    (version, has, depth): (Version, LanesAre, u32),
    words: &mut Vec<u32>,
) -> Result<u32, AssemblyError> {
    let (name, mut rest) = text.span(|letter| letter.is_ascii_alphabetic() || letter == '_');
    let kind = RegisterKind::from_name(name.text, version);
    let number = kind.and_then(|kind| REGISTER_KINDS.iter().position(|known| *known == Some(kind)));
    let (Some(kind), Some(number)) = (kind, number) else { return Err(text.expected("a register or l(…)")) };
    let (digits, behind) = rest.span(|letter| letter.is_ascii_digit());
    let (mut count, mut forms) = (0, 0);
    if !digits.is_empty() {
        words.push(digits.count()?);
        (count, rest) = (1, behind);
    }
    while rest.text.starts_with('[') {
        if count == 3 {
            return Err(rest.expected("no more than three indices"));
        }
        let end = rest.closing().ok_or_else(|| rest.expected("a ] after the index"))?;
        let (inside, behind) = rest.cut(end);
        forms |= index(inside.cut(1).1, version, depth, words)? << (22 + 3 * count);
        (count, rest) = (count + 1, behind.cut(1).1);
    }
    let lanes = match rest.strip_prefix(".") {
        Some(letters) => lanes(letters, has)?,
        None if !rest.is_empty() => return Err(rest.expected("lanes, such as .xyzw")),
        None => lanes_unsaid(kind, has),
    };
    Ok((number as u32) << 12 | count << 20 | forms | lanes)
}

/// How an index is written; its tokens go to `words`.
fn index(text: Piece<'_>, version: Version, depth: u32, words: &mut Vec<u32>) -> Result<u32, AssemblyError> {
    const NUMBER: u32 = 0;
    const REGISTER: u32 = 2;
    const BOTH: u32 = 3;
    let text = text.trim();
    if depth >= MAX_BYTECODE_INDEX_NESTING {
        return Err(text.expected("indices with less nesting"));
    }
    if text.text.chars().all(|letter| letter.is_ascii_digit()) {
        words.push(text.count()?);
        return Ok(NUMBER);
    }
    let (added, base) = match text.rsplit_once("+") {
        // A sum within brackets belongs to an index of the register.
        Some((register, base)) if !base.text.contains(']') => (register.trim(), base.trim().count()?),
        _ => (text, 0),
    };
    if base != 0 {
        words.push(base);
    }
    words.extend(nested(added, version, LanesAre::Swizzle, depth + 1)?);
    Ok(if base == 0 { REGISTER } else { BOTH })
}

fn lanes(letters: Piece<'_>, has: LanesAre) -> Result<u32, AssemblyError> {
    const FOUR: u32 = 2;
    let wrong = || letters.expected("letters of xyzw");
    let numbers: Option<Vec<u32>> = letters.text.chars().map(lane).collect();
    let numbers = numbers.filter(|numbers| numbers.len() <= 4).ok_or_else(wrong)?;
    match (has, numbers.as_slice()) {
        (LanesAre::Mask, lanes) => {
            if !lanes.is_sorted_by(|a, b| a < b) {
                return Err(letters.expected("lanes in the order of xyzw, each once"));
            }
            Ok(FOUR | lanes.iter().fold(0, |mask, lane| mask | 16 << lane))
        }
        (LanesAre::Swizzle, [lane]) => Ok(FOUR | 2 << 2 | lane << 4),
        (LanesAre::Swizzle, [x, y, z, w]) => Ok(FOUR | 1 << 2 | x << 4 | y << 6 | z << 8 | w << 10),
        (LanesAre::Swizzle, _) => Err(letters.expected("one lane, or four")),
    }
}

/// The number of a lane.
pub(super) fn lane(letter: char) -> Option<u32> {
    "xyzw".find(letter).map(|lane| lane as u32)
}

/// The lanes of a register that are not said.
fn lanes_unsaid(kind: RegisterKind, has: LanesAre) -> u32 {
    use RegisterKind as K;
    let has_four = matches!(
        kind,
        K::Temp | K::Input | K::Output | K::IndexableTemp | K::ConstantBuffer | K::ImmediateConstantBuffer
    );
    match (has_four, has) {
        (true, LanesAre::Mask) => 2 | 0xf << 4,
        (true, LanesAre::Swizzle) => 2 | 1 << 2 | 0xe4 << 4,
        (false, _) => u32::from(kind.has_one_lane()),
    }
}
