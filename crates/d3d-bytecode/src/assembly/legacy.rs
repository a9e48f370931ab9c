//! Instructions and declarations of SM1 to SM3.

use super::super::declaration::{StageTexture, Usage};
use super::super::instruction::Comparison;
use super::super::legacy::{
    LegacyOpcode, Takes, emulator_forms, microsoft_forms, modifier_number, numbers, register_bits,
};
use super::super::opcode::Opcode;
use super::super::operand::{Modifier, RegisterKind};
use super::super::version::{Dialect, Producer, Stage, Version};
use super::error::AssemblyError;
use super::operand::lane;
use super::piece::Piece;

/// All lanes of a result, and all lanes of a source in their order.
const ALL_WRITTEN: u32 = 0xf;
const ALL_READ: u32 = 0xe4;
/// Bit 13 of an operand: a register is added to its number.
const INDEXED: u32 = 1 << 13;

/// Encoding of the tokens of SM1 to SM3.
#[derive(Clone, Copy, Debug)]
pub(super) struct LegacyEncoding {
    pub version: Version,
    pub dialect: Dialect,
    pub producer: Producer,
}

/// An instruction's name, taken apart.
struct Head<'a> {
    name: Piece<'a>,
    opcode: Opcode,
    /// Bits 16 to 23 of the first token.
    control: u32,
    /// Modifiers of the result: bits 20 to 27 of its token.
    result: u32,
    /// The part of a declaration's name that tells its meaning.
    meaning: Option<Piece<'a>>,
}

impl LegacyEncoding {
    /// The first token of a program.
    pub(super) fn version_token(&self) -> u32 {
        let stage = if self.version.stage == Stage::Pixel { 0xffff } else { 0xfffe };
        stage << 16 | u32::from(self.version.major) << 8 | u32::from(self.version.minor)
    }

    /// The tokens of a line.
    pub(super) fn line(&self, line: Piece<'_>) -> Result<Vec<u32>, AssemblyError> {
        let (mut token, mut rest) = (0, line);
        if let Some(behind) = rest.strip_prefix("+") {
            (token, rest) = (1 << 30, behind.trim());
        }
        let mut predicate = None;
        if let Some((inside, behind)) = rest.strip_prefix("(").and_then(|rest| rest.split_once(")")) {
            (predicate, rest) = (Some(inside.trim()), behind.trim());
            token |= 1 << 28;
        }
        let (name, rest) = rest.word();
        let head = self.head(name)?;
        let operands = rest.list();
        let (number, body) = match head.opcode {
            Opcode::Dcl => self.declaration(&head, line, &operands)?,
            Opcode::Def | Opcode::DefI | Opcode::DefB => self.constant(&head, line, &operands)?,
            _ => self.operation(&head, line, (&operands, predicate))?,
        };
        let length = match (self.version.major, self.dialect) {
            (1, _) => 0,
            (_, Dialect::TotalLength) => body.len() + 1,
            _ => body.len(),
        };
        if length > 0xf {
            return Err(line.expected("an instruction of no more than 15 dwords"));
        }
        Ok([token | number | head.control << 16 | (length as u32) << 24].into_iter().chain(body).collect())
    }

    fn head<'a>(&self, name: Piece<'a>) -> Result<Head<'a>, AssemblyError> {
        let unknown = || name.expected("an instruction");
        let (first, mut rest) = name.cut(name.text.find('_').unwrap_or(name.text.len()));
        let (opcode, mut control) = match first.text {
            "texldp" => (Opcode::TexLd, 1),
            "texldb" => (Opcode::TexLd, 2),
            text => (Opcode::from_name(text).ok_or_else(unknown)?, 0),
        };
        let mut head = Head { name, opcode, control: 0, result: 0, meaning: None };
        let (mut is_compared, mut is_first) = (false, true);
        while let Some(behind) = rest.strip_prefix("_") {
            let (part, others) = behind.cut(behind.text.find('_').unwrap_or(behind.text.len()));
            rest = others;
            let comparison = Comparison::from_name(part.text).map(Comparison::number).filter(|number| *number <= 6);
            match (part.text, shift(part.text), comparison) {
                ("sat", ..) => head.result |= 1 << 20,
                ("pp", ..) => head.result |= 2 << 20,
                ("centroid", ..) => head.result |= 4 << 20,
                (_, Some(shift), _) => head.result |= shift << 24,
                (_, _, Some(number)) if !is_compared => (control, is_compared) = (number, true),
                _ if opcode == Opcode::Dcl && is_first => head.meaning = Some(part),
                _ => return Err(part.expected("a comparison, a shift, sat, pp or centroid")),
            }
            is_first = false;
        }
        head.opcode = match (opcode, is_compared) {
            (Opcode::If, true) => Opcode::IfC,
            (Opcode::Break, true) => Opcode::BreakC,
            (Opcode::SetP, true) => Opcode::SetP,
            (_, true) | (Opcode::SetP | Opcode::IfC | Opcode::BreakC, false) => {
                return Err(name.expected("a comparison on an instruction that compares, and only there"));
            }
            (opcode, false) => opcode,
        };
        head.control = control;
        Ok(head)
    }

    /// The number of an instruction and its form: in the driver's own lengths the emulator's number, where it has one.
    fn form(&self, head: &Head<'_>, operands: usize) -> Result<(u32, &'static LegacyOpcode), AssemblyError> {
        let of = |forms: fn(u32) -> &'static [LegacyOpcode]| {
            let all = numbers().flat_map(move |number| forms(number).iter().map(move |form| (number, form)));
            let mut fitting = all.filter(|(_, form)| form.opcode == head.opcode && form.is_in(self.version));
            fitting.find(|(_, form)| form.takes.is_empty() || form.takes.len() == operands)
        };
        let (microsoft, emulator) = (of(microsoft_forms), of(emulator_forms));
        let form = match self.dialect {
            Dialect::TotalLength => emulator.or(microsoft),
            _ => microsoft.or(emulator),
        };
        form.ok_or_else(|| head.name.expected("an instruction of the model, with its number of operands"))
    }

    fn operation(
        &self,
        head: &Head<'_>,
        line: Piece<'_>,
        (operands, predicate): (&[Piece<'_>], Option<Piece<'_>>),
    ) -> Result<(u32, Vec<u32>), AssemblyError> {
        let (number, form) = self.form(head, operands.len())?;
        let mut texts = operands.iter();
        let mut body = Vec::new();
        let mut predicate = predicate;
        for takes in form.takes {
            let text = *texts.next().ok_or_else(|| line.expected("another operand"))?;
            let is_result = matches!(takes, Takes::Result | Takes::Comparison);
            if !is_result && let Some(predicate) = predicate.take() {
                self.source(predicate, &mut body)?;
            }
            match is_result {
                true => self.result(text, head.result, &mut body)?,
                false => self.source(text, &mut body)?,
            }
            if is_result && let Some(predicate) = predicate.take() {
                self.source(predicate, &mut body)?;
            }
        }
        if let Some(predicate) = predicate {
            self.source(predicate, &mut body)?;
        }
        let has_result = form.takes.iter().any(|takes| matches!(takes, Takes::Result | Takes::Comparison));
        if head.result != 0 && !has_result {
            return Err(head.name.expected("no sat, pp, centroid or shift: the instruction has no result"));
        }
        match texts.next() {
            Some(text) => Err(text.expected("no further operand")),
            None => Ok((number, body)),
        }
    }

    /// `dcl_texcoord1_centroid v0`, `dcl_2d s0`.
    fn declaration(
        &self,
        head: &Head<'_>,
        line: Piece<'_>,
        operands: &[Piece<'_>],
    ) -> Result<(u32, Vec<u32>), AssemblyError> {
        let (number, _) = self.form(head, operands.len())?;
        let [register] = operands else { return Err(line.expected("one register")) };
        let meaning = match head.meaning {
            None => 0,
            Some(part) => {
                let (name, index) = part.cut(part.text.trim_end_matches(|letter: char| letter.is_ascii_digit()).len());
                let texture = StageTexture::from_name(part.text).map(|texture| texture.number() << 27);
                let usage = match Usage::from_name(name.text) {
                    Some(usage) if index.is_empty() => Some(usage.number()),
                    Some(usage) => Some(usage.number() | usage_index(index)? << 16),
                    None => None,
                };
                texture.or(usage).ok_or_else(|| part.expected("a usage, such as texcoord0, or 2d, cube or volume"))?
            }
        };
        let mut body = vec![self.marked(meaning)];
        self.result(*register, head.result, &mut body)?;
        Ok((number, body))
    }

    /// `def c0, 1.0, 2.0, 3.0, 4.0`, `defi i0, 1, 2, 3, 4`, `defb b0, true`.
    fn constant(
        &self,
        head: &Head<'_>,
        line: Piece<'_>,
        operands: &[Piece<'_>],
    ) -> Result<(u32, Vec<u32>), AssemblyError> {
        let (number, _) = self.form(head, operands.len())?;
        let count = if head.opcode == Opcode::DefB { 1 } else { 4 };
        let Some((register, values)) = operands.split_first().filter(|(_, values)| values.len() == count) else {
            return Err(line.expected("a constant and its values"));
        };
        let mut body = Vec::new();
        self.result(*register, 0, &mut body)?;
        for value in values {
            body.push(match (head.opcode, value.text) {
                (Opcode::DefB, "true") => 1,
                (Opcode::DefB, "false") => 0,
                (Opcode::Def, text) if !text.starts_with("0x") => {
                    let float: Option<f32> = text.parse().ok().filter(|float: &f32| float.is_finite());
                    float.ok_or_else(|| value.expected("a number"))?.to_bits()
                }
                _ => value.bits()?,
            });
        }
        Ok((number, body))
    }

    /// A token with bit 31, unless the driver made the program.
    fn marked(&self, token: u32) -> u32 {
        if self.producer == Producer::Driver { token } else { token | 1 << 31 }
    }

    fn result(&self, text: Piece<'_>, bits: u32, body: &mut Vec<u32>) -> Result<(), AssemblyError> {
        let (register, lanes) = split_lanes(text.trim());
        let mask = match lanes {
            None => ALL_WRITTEN,
            Some(lanes) => {
                let numbers = lane_numbers(lanes)?;
                if !numbers.is_sorted_by(|a, b| a < b) {
                    return Err(lanes.expected("lanes in the order of xyzw, each once"));
                }
                numbers.iter().fold(0, |mask, lane| mask | 1 << lane)
            }
        };
        self.register(register, mask << 16 | bits, body)
    }

    fn source(&self, text: Piece<'_>, body: &mut Vec<u32>) -> Result<(), AssemblyError> {
        let text = text.trim();
        let (prefix, text) = [("1-", Modifier::Complement), ("-", Modifier::Negate), ("!", Modifier::Not)]
            .into_iter()
            .find_map(|(prefix, modifier)| Some((modifier, text.strip_prefix(prefix)?)))
            .unwrap_or((Modifier::None, text));
        let (register, lanes) = split_lanes(text.trim());
        let (suffix, register) = SUFFIXES
            .iter()
            .find_map(|(suffix, plain, negated)| Some(([*plain, *negated], register.strip_suffix(suffix)?)))
            .unwrap_or(([Modifier::None, Modifier::Negate], register));
        let [plain, negated] = suffix;
        let modifier = match prefix {
            Modifier::None => plain,
            Modifier::Negate => negated,
            other if plain == Modifier::None => other,
            _ => return Err(text.expected("one modifier of the operand")),
        };
        let swizzle = match lanes {
            None => ALL_READ,
            Some(lanes) => {
                let numbers = lane_numbers(lanes)?;
                let last = numbers.last().copied().ok_or_else(|| lanes.expected("letters of xyzw"))?;
                (0..4).fold(0, |bits, place| bits | numbers.get(place).copied().unwrap_or(last) << (2 * place))
            }
        };
        self.register(register, swizzle << 16 | modifier_number(modifier) << 24, body)
    }

    /// A register's token with some bits set, and the token of the register that is added to its number.
    fn register(&self, text: Piece<'_>, bits: u32, body: &mut Vec<u32>) -> Result<(), AssemblyError> {
        let wrong = || text.expected("a register of the shader model");
        let (name, inside) = match text.split_once("[") {
            Some((name, inside)) => (name, Some(inside.strip_suffix("]").ok_or_else(|| text.expected("a closing ]"))?)),
            None => (text, None),
        };
        let (letters, digits) = name.span(|letter| letter.is_ascii_alphabetic());
        let kind = RegisterKind::from_name(letters.text, self.version).ok_or_else(wrong)?;
        let mut number = if digits.is_empty() { 0 } else { digits.count()? };
        let mut index = None;
        for part in inside.into_iter().flat_map(parts_of_sum) {
            match part.text.parse::<u32>() {
                Ok(added) => number = number.checked_add(added).ok_or_else(wrong)?,
                Err(_) if index.is_none() => index = Some(part),
                Err(_) => return Err(part.expected("a number")),
            }
        }
        let named = register_bits(kind, number, self.version).ok_or_else(wrong)?;
        body.push(self.marked(named | bits | if index.is_some() { INDEXED } else { 0 }));
        match index {
            // In SM1 it is a0.x, which has no token.
            Some(index) if self.version.major < 2 => match index.text {
                "a0.x" | "a0" => Ok(()),
                _ => Err(index.expected("a0.x")),
            },
            Some(index) => self.source(index, body),
            None => Ok(()),
        }
    }
}

/// The bits of a result's shift.
fn shift(name: &str) -> Option<u32> {
    const SHIFTS: [(&str, u32); 6] = [("x2", 1), ("x4", 2), ("x8", 3), ("d2", 15), ("d4", 14), ("d8", 13)];
    SHIFTS.iter().find(|(known, _)| *known == name).map(|(_, bits)| *bits)
}

/// Modifiers that stand behind a register, each alone and with a minus before it.
const SUFFIXES: [(&str, Modifier, Modifier); 6] = [
    ("_bias", Modifier::Bias, Modifier::NegateBias),
    ("_bx2", Modifier::Sign, Modifier::NegateSign),
    ("_x2", Modifier::Double, Modifier::NegateDouble),
    ("_abs", Modifier::Absolute, Modifier::NegateAbsolute),
    ("_dz", Modifier::DivideByZ, Modifier::DivideByZ),
    ("_dw", Modifier::DivideByW, Modifier::DivideByW),
];

fn usage_index(text: Piece<'_>) -> Result<u32, AssemblyError> {
    let index = text.count()?;
    if index > 0xf { Err(text.expected("a number below 16")) } else { Ok(index) }
}

/// A register, and the lanes behind the dot that follows it.
fn split_lanes(text: Piece<'_>) -> (Piece<'_>, Option<Piece<'_>>) {
    let behind_index = text.text.rfind(']').unwrap_or(0);
    let (before, behind) = text.cut(behind_index);
    match behind.text.find('.') {
        None => (text, None),
        Some(dot) => {
            let (register, lanes) = text.cut(before.text.len() + dot);
            (register, lanes.strip_prefix("."))
        }
    }
}

fn lane_numbers(letters: Piece<'_>) -> Result<Vec<u32>, AssemblyError> {
    let numbers: Option<Vec<u32>> = letters.text.chars().map(lane).collect();
    numbers.filter(|numbers| numbers.len() <= 4).ok_or_else(|| letters.expected("letters of xyzw"))
}

/// The summands of an index.
fn parts_of_sum(text: Piece<'_>) -> Vec<Piece<'_>> {
    match text.split_once("+") {
        Some((first, rest)) => [vec![first.trim()], parts_of_sum(rest)].concat(),
        None => vec![text.trim()],
    }
}
