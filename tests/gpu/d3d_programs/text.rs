//! Programs of SM4 and SM5 as text: the lines that the generators write, and that both the assembler and the model read.
//!
//! ```text
//!  mad_sat r3.xyz, -|r1.zyxw|, cb0[r0.y + 20].xyzw, l(0x3f800000, 0, 0, 0)
//!  breakc_nz r12.x        ld_raw r1.x, r0.x, g0.xxxx        dcl_indexableTemp x0[8], 4
//! ```
//!
//! `sample(1,-1,0) r1, r0, t0, s0` adds texels. A source has no lanes (all four), one, or four; a result any in order. Numbers in `l(…)` are words.

/// An instruction, or a declaration.
#[derive(Clone, Debug)]
pub struct Line {
    /// Its name without suffixes; of a declaration with `dcl_`.
    pub name: String,
    pub saturate: bool,
    /// Whether a condition holds for what is not 0.
    pub nonzero: bool,
    /// Texels that are added to where a texture is read.
    pub offsets: [i32; 3],
    pub operands: Vec<Operand>,
    /// Text behind the name, for declarations.
    pub rest: String,
}

/// Value that an instruction takes or gives.
#[derive(Clone, Debug)]
pub struct Operand {
    pub negate: bool,
    pub absolute: bool,
    pub what: What,
    pub lanes: Lanes,
}

#[derive(Clone, Debug)]
pub enum What {
    /// `l(…)` of four words.
    Words([u32; 4]),
    /// `l(…)` of one.
    Word(u32),
    /// A register by its name, with its indices.
    Register(String, Vec<Index>),
}

/// A number, with a lane of a temporary register added to it.
#[derive(Clone, Copy, Debug)]
pub struct Index {
    pub base: u32,
    pub plus: Option<(u32, usize)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lanes {
    All,
    One(usize),
    /// As they are written: four of a source, any of a result.
    Some([usize; 4], usize),
}

impl Operand {
    pub fn name(&self) -> &str {
        match &self.what {
            What::Register(name, _) => name,
            _ => "l",
        }
    }

    /// The lanes that a result goes to.
    pub fn mask(&self) -> Vec<usize> {
        match self.lanes {
            Lanes::All => vec![0, 1, 2, 3],
            Lanes::One(lane) => vec![lane],
            Lanes::Some(lanes, count) => lanes[..count].to_vec(),
        }
    }

    /// The lane that each lane of a source is.
    pub fn swizzle(&self) -> [usize; 4] {
        match self.lanes {
            Lanes::All => [0, 1, 2, 3],
            Lanes::One(lane) => [lane; 4],
            Lanes::Some(lanes, _) => lanes,
        }
    }
}

/// The lines of a program behind its first, which names stage and model.
pub fn parse(text: &str) -> Vec<Line> {
    let lines = text.lines().skip(1).map(str::trim).filter(|line| !line.is_empty());
    lines.map(line).collect()
}

fn line(text: &str) -> Line {
    let (head, rest) = text.split_once(' ').unwrap_or((text, ""));
    let rest = rest.to_owned();
    if head.starts_with("dcl_") {
        let (name, offsets) = (head.to_owned(), [0; 3]);
        return Line { name, saturate: false, nonzero: false, offsets, operands: Vec::new(), rest };
    }
    let (head, offsets) = head.split_once('(').map_or((head, [0; 3]), |(head, texels)| {
        let texels: Vec<i32> = texels.trim_end_matches(')').split(',').map(|texel| texel.parse().unwrap()).collect();
        (head, texels.try_into().expect("three numbers"))
    });
    let operands = split(&rest).into_iter().map(operand).collect();
    let (head, saturate) = head.strip_suffix("_sat").map_or((head, false), |head| (head, true));
    let (head, nonzero) = head.strip_suffix("_nz").map_or((head, false), |head| (head, true));
    let name = head.strip_suffix("_z").filter(|name| *name != "round").unwrap_or(head).to_owned();
    Line { name, saturate, nonzero, offsets, operands, rest }
}

/// Texts between commas that stand in no brackets.
pub fn split(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, letter) in text.char_indices() {
        match letter {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
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

fn operand(text: &str) -> Operand {
    let (text, negate) = text.strip_prefix('-').map_or((text, false), |rest| (rest, true));
    let inner = text.strip_prefix('|').and_then(|text| text.strip_suffix('|'));
    let (text, absolute) = inner.map_or((text, false), |text| (text, true));
    if let Some(words) = text.strip_prefix("l(").and_then(|text| text.strip_suffix(')')) {
        let words: Vec<u32> = words.split(',').map(|word| number(word.trim())).collect();
        let what = match words[..] {
            [word] => What::Word(word),
            _ => What::Words(words.try_into().expect("one word or four")),
        };
        return Operand { negate, absolute, what, lanes: Lanes::All };
    }
    // A point inside of brackets is an index's.
    let end = text.rfind(']').map_or(0, |at| at + 1);
    let (register, lanes) = match text[end..].split_once('.') {
        Some((rest, lanes)) => (&text[..end + rest.len()], lanes_of(lanes)),
        None => (text, Lanes::All),
    };
    let (name, brackets) = register.split_once('[').map_or((register, ""), |(name, rest)| (name, rest));
    let digits = name.len() - name.trim_end_matches(|letter: char| letter.is_ascii_digit()).len();
    let (name, number) = name.split_at(name.len() - digits);
    let first = number.parse().ok().map(|base| Index { base, plus: None });
    let further = brackets.split('[').filter(|part| !part.is_empty()).map(|part| index(part.trim_end_matches(']')));
    let indices = first.into_iter().chain(further).collect();
    Operand { negate, absolute, what: What::Register(name.to_owned(), indices), lanes }
}

fn index(text: &str) -> Index {
    let mut index = Index { base: 0, plus: None };
    for part in text.split('+').map(str::trim) {
        match part.strip_prefix('r') {
            Some(register) => {
                let (number, lane) = register.split_once('.').expect("a lane");
                index.plus = Some((number.parse().unwrap(), lane_of(lane.chars().next().unwrap())));
            }
            None => index.base = number(part),
        }
    }
    index
}

fn lanes_of(text: &str) -> Lanes {
    let all: Vec<usize> = text.chars().map(lane_of).collect();
    match all[..] {
        [lane] => Lanes::One(lane),
        _ => {
            let mut lanes = [0; 4];
            lanes[..all.len()].copy_from_slice(&all);
            Lanes::Some(lanes, all.len())
        }
    }
}

fn lane_of(letter: char) -> usize {
    "xyzw".find(letter).unwrap_or_else(|| panic!("{letter} is no lane"))
}

/// A word: decimal, or hexadecimal behind `0x`.
pub fn number(text: &str) -> u32 {
    let parsed = match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => text.parse::<i64>().map(|number| number as u32),
    };
    parsed.unwrap_or_else(|error| panic!("{text:?}: {error}"))
}

/// Number of an instruction's operands that are results.
pub fn results(name: &str) -> usize {
    match name {
        "udiv" | "umul" | "imul" | "sincos" | "uaddc" | "usubb" | "swapc" => 2,
        "if" | "breakc" | "continuec" | "retc" | "discard" | "switch" | "case" | "store_raw" | "store_structured"
        | "store_uav_typed" | "call" | "callc" | "label" => 0,
        name if name.starts_with("atomic_") => 0,
        _ => 1,
    }
}
