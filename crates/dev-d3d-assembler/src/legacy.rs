//! Text of SM1 to SM3 → tokens, with a table of its own: what the decoder's table has wrong, this one has right.

/// Way in which an instruction's length counts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Lengths {
    /// The dwords behind the first.
    Microsoft,
    /// The first one too, with bit 31 of operands clear and the emulator's own numbers.
    Total,
}

const OPCODES: &[(&str, u32)] = &[
    ("nop", 0),
    ("mov", 1),
    ("add", 2),
    ("sub", 3),
    ("mad", 4),
    ("mul", 5),
    ("rcp", 6),
    ("rsq", 7),
    ("dp3", 8),
    ("dp4", 9),
    ("min", 10),
    ("max", 11),
    ("slt", 12),
    ("sge", 13),
    ("exp", 14),
    ("log", 15),
    ("lit", 16),
    ("dst", 17),
    ("lrp", 18),
    ("frc", 19),
    ("m4x4", 20),
    ("m4x3", 21),
    ("m3x4", 22),
    ("m3x3", 23),
    ("m3x2", 24),
    ("call", 25),
    ("callnz", 26),
    ("loop", 27),
    ("ret", 28),
    ("endloop", 29),
    ("label", 30),
    ("dcl", 31),
    ("pow", 32),
    ("crs", 33),
    ("sgn", 34),
    ("abs", 35),
    ("nrm", 36),
    ("sincos", 37),
    ("rep", 38),
    ("endrep", 39),
    ("if", 40),
    ("else", 42),
    ("endif", 43),
    ("break", 44),
    ("mova", 46),
    ("defb", 47),
    ("defi", 48),
    ("texcoord", 64),
    ("texcrd", 64),
    ("texkill", 65),
    ("tex", 66),
    ("texld", 66),
    ("texldp", 66),
    ("texldb", 66),
    ("texbem", 67),
    ("texbeml", 68),
    ("texreg2ar", 69),
    ("texreg2gb", 70),
    ("texm3x2pad", 71),
    ("texm3x2tex", 72),
    ("texm3x3pad", 73),
    ("texm3x3tex", 74),
    ("texm3x3spec", 76),
    ("texm3x3vspec", 77),
    ("expp", 78),
    ("logp", 79),
    ("cnd", 80),
    ("def", 81),
    ("texreg2rgb", 82),
    ("texdp3tex", 83),
    ("texm3x2depth", 84),
    ("texdp3", 85),
    ("texm3x3", 86),
    ("texdepth", 87),
    ("cmp", 88),
    ("bem", 89),
    ("dp2add", 90),
    ("dsx", 91),
    ("dsy", 92),
    ("texldd", 93),
    ("setp", 94),
    ("texldl", 95),
    ("breakp", 96),
    ("phase", 0xfffd),
];

/// The emulator's own numbers.
const EMULATOR_OPCODES: &[(&str, u32)] = &[
    ("setp", 78),
    ("defi", 82),
    ("defb", 83),
    ("seq", 84),
    ("sne", 85),
    ("dsx", 86),
    ("dsy", 87),
    ("dp2add", 89),
    ("dp2", 90),
];

const COMPARISONS: &[(&str, u32)] = &[("gt", 1), ("eq", 2), ("ge", 3), ("lt", 4), ("ne", 5), ("le", 6)];

const SHIFTS: &[(&str, u32)] = &[("x2", 1), ("x4", 2), ("x8", 3), ("d2", 15), ("d4", 14), ("d8", 13)];

pub const USAGES: &[&str] = &[
    "position",
    "blendweight",
    "blendindices",
    "normal",
    "psize",
    "texcoord",
    "tangent",
    "binormal",
    "tessfactor",
    "positiont",
    "color",
    "fog",
    "depth",
    "sample",
];

const TEXTURES: &[(&str, u32)] = &[("2d", 2), ("cube", 3), ("volume", 4)];

/// Registers that are one of their kind: type, number.
const SINGLE: &[(&str, (u32, u32))] = &[
    ("oPos", (4, 0)),
    ("oFog", (4, 1)),
    ("oPts", (4, 2)),
    ("oDepth", (9, 0)),
    ("aL", (15, 0)),
    ("vPos", (17, 0)),
    ("vFace", (17, 1)),
];

const KINDS: &[(&str, u32)] = &[
    ("oT", 6),
    ("oD", 5),
    ("oC", 8),
    ("r", 0),
    ("v", 1),
    ("c", 2),
    ("a", 3),
    ("t", 3),
    ("o", 6),
    ("i", 7),
    ("s", 10),
    ("b", 14),
    ("l", 18),
    ("p", 19),
];

const SOURCE_SUFFIXES: &[(&str, u32)] = &[("_bias", 2), ("_bx2", 4), ("_x2", 7), ("_dz", 9), ("_dw", 10), ("_abs", 11)];

/// Instructions whose first operand is no result.
const WITHOUT_RESULT: &[&str] = &["if", "break", "rep", "loop", "call", "callnz", "label", "breakp"];

/// The tokens of a text, as [`d3d_bytecode::disassemble`] writes it.
pub fn assemble(text: &str, lengths: Lengths) -> Vec<u8> {
    // The dialect is said by the lengths that are asked for.
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('.'));
    let model = lines.next().expect("a version");
    let is_drivers = lengths == Lengths::Total || text.contains("\n.producer driver\n");
    let assembler = Assembler { is_marked: !is_drivers, ..Assembler::new(model, lengths) };
    let mut words = vec![assembler.version_token];
    lines.for_each(|line| assembler.line(line, &mut words));
    words.push(0x0000_ffff);
    words.into_iter().flat_map(u32::to_le_bytes).collect()
}

fn lookup<T: Copy>(table: &[(&str, T)], name: &str) -> Option<T> {
    table.iter().find(|(entry, _)| *entry == name).map(|(_, value)| *value)
}

struct Assembler {
    version_token: u32,
    has_lengths: bool,
    /// Whether operands have bit 31.
    is_marked: bool,
    lengths: Lengths,
}

/// Text before the operands of a line.
#[derive(Default)]
struct Head<'a> {
    name: &'a str,
    control: u32,
    result_bits: u32,
    rest: Vec<&'a str>,
}

impl Assembler {
    fn new(model: &str, lengths: Lengths) -> Self {
        let parts: Vec<&str> = model.split('_').collect();
        let stage = if parts[0] == "ps" { 0xffff_u32 } else { 0xfffe };
        let major: u32 = parts[1].parse().unwrap();
        let minor = match parts[2] {
            "x" => 1,
            "sw" => 0xff,
            minor => minor.parse().unwrap(),
        };
        Self { version_token: stage << 16 | major << 8 | minor, has_lengths: major >= 2, is_marked: true, lengths }
    }

    fn line(&self, line: &str, words: &mut Vec<u32>) {
        let (coissue, line) = line.strip_prefix('+').map_or((0, line), |line| (1 << 30, line.trim()));
        let (predicate, line) = match line.strip_prefix('(').and_then(|line| line.split_once(')')) {
            Some((predicate, line)) => (Some(predicate), line.trim()),
            None => (None, line),
        };
        let (head, operands) = line.split_once(' ').unwrap_or((line, ""));
        let operands: Vec<&str> = split_operands(operands);
        let mut head = self.head(head);
        let mut body = Vec::new();
        match head.name {
            "dcl" => {
                let meaning = declared_meaning(&mut head);
                body.push(self.marked(meaning));
                self.result(operands[0], head.result_bits, &mut body);
            }
            "def" | "defi" | "defb" => {
                self.result(operands[0], 0, &mut body);
                body.extend(operands[1..].iter().map(|value| constant(value, head.name)));
            }
            _ => self.operands(&head, &operands, predicate, &mut body),
        }
        assert!(head.rest.is_empty(), "{line}: {:?}", head.rest);
        let length = match self.lengths {
            _ if !self.has_lengths => 0,
            Lengths::Microsoft => body.len() as u32,
            Lengths::Total => body.len() as u32 + 1,
        };
        let is_predicated = u32::from(predicate.is_some());
        words.push(
            self.number(&head, operands.len()) | head.control << 16 | length << 24 | is_predicated << 28 | coissue,
        );
        words.extend(body);
    }

    fn number(&self, head: &Head<'_>, operands: usize) -> u32 {
        if self.lengths == Lengths::Total
            && let Some(number) = lookup(EMULATOR_OPCODES, head.name)
        {
            return number;
        }
        match (head.name, operands) {
            ("if", 2) => 41,
            ("break", 2) => 45,
            (name, _) => lookup(OPCODES, name).unwrap_or_else(|| panic!("no instruction {name}")),
        }
    }

    fn head<'a>(&self, text: &'a str) -> Head<'a> {
        let mut parts = text.split('_');
        let mut head = Head { name: parts.next().unwrap(), ..Head::default() };
        head.control = match head.name {
            "texldp" => 1,
            "texldb" => 2,
            _ => 0,
        };
        for part in parts {
            match part {
                "sat" => head.result_bits |= 1 << 20,
                "pp" => head.result_bits |= 2 << 20,
                "centroid" => head.result_bits |= 4 << 20,
                _ if lookup(SHIFTS, part).is_some() => head.result_bits |= lookup(SHIFTS, part).unwrap() << 24,
                _ if lookup(COMPARISONS, part).is_some() => head.control = lookup(COMPARISONS, part).unwrap(),
                _ => head.rest.push(part),
            }
        }
        head
    }

    fn operands(&self, head: &Head<'_>, operands: &[&str], predicate: Option<&str>, body: &mut Vec<u32>) {
        let has_result = !WITHOUT_RESULT.contains(&head.name);
        if !has_result && let Some(predicate) = predicate {
            self.source(predicate, body);
        }
        for (position, operand) in operands.iter().enumerate() {
            if position == 0 && has_result {
                self.result(operand, head.result_bits, body);
                if let Some(predicate) = predicate {
                    self.source(predicate, body);
                }
            } else {
                self.source(operand, body);
            }
        }
    }

    fn marked(&self, word: u32) -> u32 {
        if self.is_marked { word | 1 << 31 } else { word }
    }

    fn result(&self, text: &str, bits: u32, body: &mut Vec<u32>) {
        let (register, mask) = split_lanes(text);
        let mask = mask.map_or(0xf, |lanes| lanes.iter().fold(0, |mask, lane| mask | 1 << lane));
        self.register(register, mask << 16 | bits, body);
    }

    fn source(&self, text: &str, body: &mut Vec<u32>) {
        let (text, mut modifier) = match text.trim() {
            text if text.starts_with("1-") => (&text[2..], 6),
            text if text.starts_with('!') => (&text[1..], 13),
            text => (text, 0),
        };
        let (text, is_negated) = text.strip_prefix('-').map_or((text, false), |text| (text, true));
        let (mut register, lanes) = split_lanes(text);
        for (suffix, number) in SOURCE_SUFFIXES {
            if let Some(name) = register.strip_suffix(suffix) {
                (register, modifier) = (name, *number);
            }
        }
        modifier += u32::from(is_negated);
        self.register(register, swizzle(lanes) << 16 | modifier << 24, body);
    }

    /// A register's token with some bits set, and the token of its index.
    fn register(&self, text: &str, bits: u32, body: &mut Vec<u32>) {
        let (name, inner) = match text.split_once('[') {
            Some((name, inner)) => (name, Some(inner.trim_end_matches(']'))),
            None => (text, None),
        };
        let (kind, mut number) = named(name);
        let mut index = None;
        for part in inner.into_iter().flat_map(|inner| inner.split('+')).map(str::trim) {
            match part.parse::<u32>() {
                Ok(added) => number += added,
                Err(_) => index = Some(part),
            }
        }
        // Numbers past a bank belong to the next one.
        let (kind, number) =
            if kind == 2 && number >= 2048 { (10 + number / 2048, number % 2048) } else { (kind, number) };
        let token = (kind & 7) << 28 | kind >> 3 << 11 | number | bits | u32::from(index.is_some()) << 13;
        body.push(self.marked(token));
        if let Some(index) = index.filter(|_| self.has_lengths) {
            let (register, lanes) = split_lanes(index);
            self.register(register, swizzle(lanes) << 16, body);
        }
    }
}

fn declared_meaning(head: &mut Head<'_>) -> u32 {
    let Some(kind) = (!head.rest.is_empty()).then(|| head.rest.remove(0)) else { return 0 };
    if let Some(texture) = lookup(TEXTURES, kind) {
        return texture << 27;
    }
    let name = kind.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let usage = USAGES.iter().position(|usage| *usage == name).unwrap_or_else(|| panic!("no usage {kind}"));
    usage as u32 | kind[name.len()..].parse().unwrap_or(0) << 16
}

fn constant(text: &str, opcode: &str) -> u32 {
    match (opcode, text) {
        (_, "true") => 1,
        (_, "false") => 0,
        (_, text) if text.starts_with("0x") => u32::from_str_radix(&text[2..], 16).unwrap(),
        ("def", text) => text.parse::<f32>().unwrap().to_bits(),
        (_, text) => text.parse::<i32>().unwrap().cast_unsigned(),
    }
}

fn split_operands(text: &str) -> Vec<&str> {
    text.split(',').map(str::trim).filter(|operand| !operand.is_empty()).collect()
}

/// A register and its lanes.
fn split_lanes(text: &str) -> (&str, Option<Vec<u32>>) {
    let behind_index = text.rfind(']').unwrap_or(0);
    match text[behind_index..].find('.') {
        None => (text.trim(), None),
        Some(dot) => {
            let (register, lanes) = text.split_at(behind_index + dot);
            let lanes = lanes[1..].trim().chars().map(|lane| "xyzw".find(lane).unwrap() as u32).collect();
            (register.trim(), Some(lanes))
        }
    }
}

/// Eight bits; the last lane is repeated.
fn swizzle(lanes: Option<Vec<u32>>) -> u32 {
    let lanes = lanes.unwrap_or_else(|| vec![0, 1, 2, 3]);
    (0..4).fold(0, |bits, place| bits | lanes.get(place).or(lanes.last()).unwrap() << (2 * place))
}

fn named(name: &str) -> (u32, u32) {
    if let Some(register) = lookup(SINGLE, name) {
        return register;
    }
    let kind = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let number = lookup(KINDS, kind).unwrap_or_else(|| panic!("no register {name}"));
    (number, name[kind.len()..].parse().unwrap_or(0))
}
