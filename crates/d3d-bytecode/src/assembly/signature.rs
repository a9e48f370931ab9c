//! Signatures, and the container that holds them beside a program.

use super::super::container::CONTAINER_MAGIC;
use super::super::digest::digest;
use super::super::disassembly::has_unwritten_lanes;
use super::super::operand::MinPrecision;
use super::super::signature::{ComponentType, SystemValue};
use super::super::signature_chunk::signature_number;
use super::super::version::Stage;
use super::error::AssemblyError;
use super::operand::lane;
use super::piece::Piece;

/// Which signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Section {
    Input,
    Output,
    PatchConstant,
}

impl Section {
    /// The one that a line begins.
    pub(super) fn named(line: &str) -> Option<Self> {
        match line {
            ".input" => Some(Self::Input),
            ".output" => Some(Self::Output),
            ".patch_constant" => Some(Self::PatchConstant),
            _ => None,
        }
    }
}

/// The elements of all signatures.
#[derive(Default)]
pub(super) struct SignatureText {
    input: Vec<Element>,
    output: Vec<Element>,
    patch_constant: Vec<Element>,
}

/// An element as a chunk has it.
struct Element {
    name: String,
    index: u32,
    masks: u32,
    register: u32,
    component_type: u32,
    system_value: u32,
    stream: u32,
    precision: u32,
}

impl SignatureText {
    pub(super) fn is_empty(&self) -> bool {
        self.input.is_empty() && self.output.is_empty() && self.patch_constant.is_empty()
    }

    /// Takes a line `.param "NAME"[0].xyzw, v0.xy, float, position`.
    pub(super) fn add(&mut self, section: Section, line: Piece<'_>, stage: Stage) -> Result<(), AssemblyError> {
        let (elements, letter) = match section {
            Section::Input => (&mut self.input, 'v'),
            Section::Output => (&mut self.output, 'o'),
            Section::PatchConstant => (&mut self.patch_constant, 'p'),
        };
        let mut element = element(line)?;
        // The chunk has lanes that are never written, the text those that are.
        if has_unwritten_lanes(letter, stage) {
            element.masks ^= 0xf << 8;
        }
        elements.push(element);
        Ok(())
    }
}

fn element(line: Piece<'_>) -> Result<Element, AssemblyError> {
    const EXPECTED: &str = ".param \"NAME\"[0].xyzw, v0.xyzw, float";
    let wrong = || line.expected(EXPECTED);
    let quoted = line.strip_prefix(".param ").ok_or_else(wrong)?.trim().strip_prefix("\"").ok_or_else(wrong)?;
    let (name, rest) = quoted.cut(quoted.text.rfind("\"[").ok_or_else(wrong)?);
    let fields = rest.cut(1).1.list();
    let [lanes, register, component_type, others @ ..] = fields.as_slice() else { return Err(wrong()) };
    let (index, lanes) = lanes.strip_prefix("[").and_then(|lanes| lanes.split_once("].")).ok_or_else(wrong)?;
    let (register, second) = register.split_once(".").ok_or_else(wrong)?;
    let of_type = ComponentType::from_name(component_type.text).map(ComponentType::number);
    let mut element = Element {
        name: unescaped(name)?,
        index: index.count()?,
        masks: mask(lanes)? | mask(second)? << 8,
        register: match register.text {
            "none" => u32::MAX,
            _ => register.span(|letter| letter.is_ascii_alphabetic()).1.count()?,
        },
        component_type: of_type.ok_or_else(|| component_type.expected("unknown, uint, int or float"))?,
        system_value: 0,
        stream: 0,
        precision: 0,
    };
    for field in others {
        if let Some(value) = SystemValue::from_name(field.text) {
            element.system_value = signature_number(value);
        } else if let Some(stream) = field.strip_prefix("stream ") {
            element.stream = stream.count()?;
        } else {
            element.precision = precision(*field)?;
        }
    }
    Ok(element)
}

fn precision(field: Piece<'_>) -> Result<u32, AssemblyError> {
    use MinPrecision as P;
    let found = [P::Float16, P::Float2_8, P::Sint16, P::Uint16].into_iter().find(|of| of.name() == field.text);
    found.map(MinPrecision::token).ok_or_else(|| field.expected("a system value, a stream or a precision"))
}

fn mask(letters: Piece<'_>) -> Result<u32, AssemblyError> {
    letters
        .text
        .chars()
        .try_fold(0, |mask, letter| Ok(mask | 1 << lane(letter).ok_or_else(|| letters.expected("letters of xyzw"))?))
}

/// A name, as the disassembler has put it in quotes.
fn unescaped(name: Piece<'_>) -> Result<String, AssemblyError> {
    let mut letters = name.text.chars();
    let mut plain = String::with_capacity(name.text.len());
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            plain.push(letter);
            continue;
        }
        let wrong = || name.expected("a name in quotes");
        plain.push(match letters.next().ok_or_else(wrong)? {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            '0' => '\0',
            'u' => {
                let digits: String = letters.by_ref().skip(1).take_while(|letter| *letter != '}').collect();
                u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32).ok_or_else(wrong)?
            }
            letter => letter,
        });
    }
    Ok(plain)
}

/// The container of signatures and a program, its digest right, and where the program begins in it.
pub(super) fn container(signatures: &SignatureText, tag: [u8; 4], code: &[u8]) -> (Vec<u8>, usize) {
    let SignatureText { input, output, patch_constant } = signatures;
    let signatures = [
        chunk([*b"ISGN", *b"ISG1"], input),
        chunk([*b"OSGN", *b"OSG1"], output),
        chunk([*b"PCSG", *b"PSG1"], patch_constant),
    ];
    let mut chunks: Vec<([u8; 4], Vec<u8>)> = signatures.into_iter().flatten().collect();
    chunks.push((tag, code.to_vec()));
    let (mut table, mut body) = (Vec::new(), Vec::new());
    let start = 32 + 4 * chunks.len();
    for (tag, bytes) in &chunks {
        table.extend(((start + body.len()) as u32).to_le_bytes());
        body.extend(tag);
        body.extend((bytes.len() as u32).to_le_bytes());
        body.extend(bytes);
    }
    let size = start + body.len();
    // What the digest is of.
    let counts = [1, size as u32, chunks.len() as u32];
    let rest: Vec<u8> = counts.into_iter().flat_map(u32::to_le_bytes).chain(table).chain(body).collect();
    let mut bytes = CONTAINER_MAGIC.to_vec();
    bytes.extend(digest(&rest));
    bytes.extend(rest);
    (bytes, size - code.len())
}

/// A signature as a chunk: the plain form, or, where it doesn't do, the one with streams and precisions.
fn chunk([plain, full]: [[u8; 4]; 2], elements: &[Element]) -> Option<([u8; 4], Vec<u8>)> {
    if elements.is_empty() {
        return None;
    }
    let is_plain = elements.iter().all(|element| element.stream == 0 && element.precision == 0);
    let row_bytes = if is_plain { 24 } else { 32 };
    let names_at = 8 + row_bytes * elements.len();
    let (mut rows, mut names): (Vec<u32>, Vec<u8>) = (Vec::new(), Vec::new());
    for element in elements {
        rows.extend((!is_plain).then_some(element.stream));
        rows.push((names_at + names.len()) as u32);
        rows.extend([element.index, element.system_value, element.component_type, element.register, element.masks]);
        rows.extend((!is_plain).then_some(element.precision));
        names.extend(element.name.as_bytes());
        names.push(0);
    }
    let words = [elements.len() as u32, 8].into_iter().chain(rows);
    let mut bytes: Vec<u8> = words.flat_map(u32::to_le_bytes).chain(names).collect();
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    Some((if is_plain { plain } else { full }, bytes))
}
