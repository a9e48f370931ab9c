//! Instructions: the name with what is asked of it, then operands.

use super::super::instruction::{InfoForm, ResourceDimension, ReturnType};
use super::super::opcode::Opcode;
use super::super::role::Role;
use super::super::sm4::{ControlBits, INSTRUCTIONS, InstructionForm};
use super::super::version::Version;
use super::error::AssemblyError;
use super::operand::{LanesAre, lane, operand};
use super::piece::Piece;

/// The bits of an opcode token from which what an instruction leaves open stands.
pub(super) const CONTROL_SHIFT: u32 = 11;

/// The tokens of an instruction.
pub(super) fn instruction(line: Piece<'_>, version: Version) -> Result<Vec<u32>, AssemblyError> {
    let (name, mut rest) = line.word();
    let head = Head::read(name)?;
    let mut control = head.control;
    if let Some((lanes, others)) = rest.strip_prefix("[precise(").and_then(|rest| rest.split_once(")]")) {
        if head.form.control != ControlBits::Arithmetic {
            return Err(rest.expected("no precise lanes: the instruction has no result"));
        }
        for letter in lanes.text.chars() {
            control |= 1 << (19 + lane(letter).ok_or_else(|| lanes.expected("letters of xyzw"))?);
        }
        rest = others.trim();
    }
    let mut texts = rest.list().into_iter();
    let mut body = Vec::new();
    if head.form.control == ControlBits::Function {
        body.push(texts.next().unwrap_or(rest).count()?);
    }
    for role in head.form.operands {
        let text = texts.next().ok_or_else(|| line.expected("another operand"))?;
        let lanes = if matches!(role, Role::Dst | Role::Written) { LanesAre::Mask } else { LanesAre::Swizzle };
        body.extend(operand(text, version, lanes)?);
    }
    match texts.next() {
        Some(text) => Err(text.expected("no further operand")),
        None => assembled(line, head.form.number | control, &head.extended, body),
    }
}

/// An opcode token, what extends it, and what follows.
pub(super) fn assembled(
    line: Piece<'_>,
    token: u32,
    extended: &[u32],
    body: Vec<u32>,
) -> Result<Vec<u32>, AssemblyError> {
    const MOST: usize = 127;
    const FURTHER: u32 = 1 << 31;
    let length = 1 + extended.len() + body.len();
    if length > MOST {
        return Err(line.expected("an instruction of no more than 127 dwords"));
    }
    let mut words = vec![token | (length as u32) << 24];
    words.extend(extended);
    let before_last = words.len() - 1;
    words.iter_mut().take(before_last).for_each(|word| *word |= FURTHER);
    words.extend(body);
    Ok(words)
}

/// An instruction's name, taken apart.
struct Head {
    form: InstructionForm,
    control: u32,
    extended: Vec<u32>,
}

/// What an instruction's name ends with.
#[derive(Default)]
struct Suffixes {
    is_saturated: bool,
    is_indexable: bool,
    has_offsets: bool,
    info: Option<InfoForm>,
    test: Option<u32>,
}

impl Head {
    fn read(whole: Piece<'_>) -> Result<Self, AssemblyError> {
        let unknown = || whole.expected("an instruction");
        let start = whole.text.find('(').unwrap_or(whole.text.len());
        let end = whole.text.rfind(')').map_or(start, |end| end + 1);
        let ((name, _), (groups, behind)) = (whole.cut(start), (whole.cut(start).1.cut(end.saturating_sub(start))));
        let mut suffixes = Suffixes::default();
        let mut name = name.text;
        if let Some(info) = [InfoForm::Uint, InfoForm::Reciprocal].into_iter().find(|form| form.name() == behind.text) {
            suffixes.info = Some(info);
        } else if !behind.is_empty() {
            return Err(behind.expected("operands after a space"));
        }
        let mut sync = 0;
        if let Some(parts) = name.strip_prefix("sync") {
            sync = sync_bits(parts).ok_or_else(unknown)?;
            name = "sync";
        }
        let name = suffixes.take(name);
        let form = Opcode::from_name(name).and_then(|opcode| INSTRUCTIONS.iter().find(|row| row.opcode == opcode));
        let form = *form.ok_or_else(unknown)?;
        let control = suffixes.control(&form, whole)? | sync << CONTROL_SHIFT;
        let extended = suffixes.extended(groups, whole)?;
        if !extended.is_empty() && !matches!(form.control, ControlBits::Access | ControlBits::Info) {
            return Err(whole.expected("an instruction that reads no texture"));
        }
        Ok(Self { form, control, extended })
    }
}

/// What a barrier waits for, by the letters behind its name.
fn sync_bits(parts: &str) -> Option<u32> {
    let mut bits = 0;
    for part in parts.split('_').skip(1) {
        bits |= match part {
            "uglobal" => 8,
            "ugroup" => 4,
            "g" => 2,
            "t" => 1,
            _ => return None,
        };
    }
    (parts.is_empty() || parts.starts_with('_')).then_some(bits)
}

impl Suffixes {
    /// Takes what a name ends with, the last first; gives what is left.
    fn take<'n>(&mut self, mut name: &'n str) -> &'n str {
        let mut take = |suffix: &str| match name.strip_suffix(suffix) {
            Some(rest) if Opcode::from_name(name).is_none() => {
                name = rest;
                true
            }
            _ => false,
        };
        self.is_saturated = take("_sat");
        self.is_indexable = take("_indexable");
        self.has_offsets = take("_aoffimmi");
        for form in [InfoForm::Uint, InfoForm::Reciprocal] {
            if take(form.name()) {
                self.info = Some(form);
            }
        }
        for (suffix, bit) in [("_nz", 1), ("_z", 0)] {
            if take(suffix) {
                self.test = Some(bit);
            }
        }
        name
    }

    /// The bits of the opcode token.
    fn control(&self, form: &InstructionForm, whole: Piece<'_>) -> Result<u32, AssemblyError> {
        let has = |control: ControlBits| form.control == control;
        if self.is_saturated && !has(ControlBits::Arithmetic) {
            return Err(whole.expected("no _sat: the instruction has no result"));
        }
        if self.info.is_some() && !has(ControlBits::Info) {
            return Err(whole.expected("no size form: the instruction has none"));
        }
        if self.test.is_some() != has(ControlBits::Test) {
            return Err(whole.expected("_z or _nz on an instruction that tests a value, and only there"));
        }
        let info = match (form.opcode, self.info) {
            (Opcode::SampleInfo, Some(InfoForm::Uint)) => 1,
            (_, info) => info.map_or(0, InfoForm::number),
        };
        Ok(u32::from(self.is_saturated) << 13 | self.test.unwrap_or(0) << 18 | info << CONTROL_SHIFT)
    }

    /// The tokens for what stands in parentheses: offsets, dimension, return types.
    fn extended(&self, groups: Piece<'_>, whole: Piece<'_>) -> Result<Vec<u32>, AssemblyError> {
        let mut rest = groups;
        let mut group = || {
            let (inside, behind) = rest.strip_prefix("(")?.split_once(")")?;
            rest = behind;
            Some(inside)
        };
        let mut tokens = Vec::new();
        if self.has_offsets {
            tokens.push(1 | offsets(group().ok_or_else(|| whole.expected("(u,v,w) after _aoffimmi"))?)?);
        }
        if self.is_indexable {
            let found = group().ok_or_else(|| whole.expected("a type such as (texture2d) after _indexable"))?;
            let (name, stride) = match found.split_once(",stride=") {
                Some((name, stride)) => (name, stride.count()?),
                None => (found, 0),
            };
            if stride > 0xfff {
                return Err(found.expected("a stride of no more than 4095 bytes"));
            }
            tokens.push(2 | dimension(name)? << 6 | stride << 11);
        }
        if let Some(types) = group() {
            tokens.push(3 | return_types(types)? << 6);
        }
        if rest.is_empty() { Ok(tokens) } else { Err(rest.expected("nothing more in parentheses")) }
    }
}

fn offsets(text: Piece<'_>) -> Result<u32, AssemblyError> {
    let wrong = || text.expected("three numbers from -8 to 7");
    let numbers: Vec<i8> =
        text.list().iter().map(|part| part.text.parse().map_err(|_| wrong())).collect::<Result<_, _>>()?;
    if numbers.len() != 3 || numbers.iter().any(|number| !(-8..8).contains(number)) {
        return Err(wrong());
    }
    Ok(numbers.iter().zip([9, 13, 17]).fold(0, |bits, (number, shift)| bits | (*number as u32 & 0xf) << shift))
}

/// The number of a resource's dimension.
pub(super) fn dimension(name: Piece<'_>) -> Result<u32, AssemblyError> {
    let found = ResourceDimension::from_name(name.text).map(ResourceDimension::number);
    found.ok_or_else(|| name.expected("a dimension, such as texture2d"))
}

/// Four types of lanes, four bits each.
pub(super) fn return_types(text: Piece<'_>) -> Result<u32, AssemblyError> {
    let types = text.list();
    if types.len() != 4 {
        return Err(text.expected("four types, such as (float,float,float,float)"));
    }
    types.iter().zip([0, 4, 8, 12]).try_fold(0, |bits, (name, shift)| {
        let number = ReturnType::from_name(name.text).ok_or_else(|| name.expected("a type, such as float"))?.number();
        Ok(bits | number << shift)
    })
}
