//! Programs of SM1 to SM3 as Direct3D 9's book has them, run from their text on the CPU, an instruction at a time. It shares
//! nothing with what translates them.

use std::cell::Cell;
use std::collections::BTreeMap;

pub type Lanes = [f32; 4];

/// Texels of the textures that programs read, 4 × 4 each.
pub const TEXTURE_SIDE: usize = 4;

/// Values that programs read besides their inputs.
pub struct Outside {
    pub floats: Vec<Lanes>,
    pub integers: Vec<[i32; 4]>,
    pub flags: Vec<bool>,
    /// Texels of each sampler's texture, row by row.
    pub textures: Vec<Vec<[u8; 4]>>,
}

/// A program's lines, each taken apart.
pub struct Model<'a> {
    outside: &'a Outside,
    lines: Vec<Line>,
    /// Where blocks end: of `if` the `else` or `endif`, of `else` the `endif`, of loops their ends.
    ends: BTreeMap<usize, usize>,
    labels: BTreeMap<String, usize>,
    floats: BTreeMap<usize, Lanes>,
    integers: BTreeMap<usize, [i32; 4]>,
    flags: BTreeMap<usize, bool>,
    is_first_model: bool,
    is_fourth: bool,
    is_pixel: bool,
    /// Whether some run has come to a number too small to be normal: Direct3D 9 leaves it to devices whether it is 0.
    has_met_denormals: Cell<bool>,
}

struct Line {
    name: String,
    suffixes: Vec<String>,
    operands: Vec<String>,
    predicate: Option<String>,
    is_beside: bool,
}

/// Values that a program has computed.
#[derive(Default)]
pub struct Run {
    registers: BTreeMap<String, Lanes>,
    address: [i32; 4],
    counter: i32,
    predicate: [bool; 4],
    rows: Vec<f32>,
    pub is_killed: bool,
}

enum Next {
    Go,
    Break,
    Return,
}

fn lane(letter: char) -> usize {
    "xyzw".find(letter).unwrap()
}

impl<'a> Model<'a> {
    pub fn new(text: &str, outside: &'a Outside) -> Self {
        let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let version = lines.next().unwrap();
        let mut model = Self {
            outside,
            lines: Vec::new(),
            ends: BTreeMap::new(),
            labels: BTreeMap::new(),
            floats: BTreeMap::new(),
            integers: BTreeMap::new(),
            flags: BTreeMap::new(),
            is_first_model: version[3..4] == *"1",
            is_fourth: version == "ps_1_4",
            is_pixel: version.starts_with("ps"),
            has_met_denormals: Cell::new(false),
        };
        for line in lines {
            model.add(line);
        }
        model.match_blocks();
        model
    }

    fn add(&mut self, line: &str) {
        let (is_beside, line) = line.strip_prefix('+').map_or((false, line), |line| (true, line.trim()));
        let (predicate, line) = match line.strip_prefix('(').and_then(|line| line.split_once(')')) {
            Some((predicate, line)) => (Some(predicate.to_owned()), line.trim()),
            None => (None, line),
        };
        let (head, rest) = line.split_once(' ').unwrap_or((line, ""));
        let mut parts = head.split('_').map(str::to_owned);
        let name = parts.next().unwrap();
        let operands: Vec<String> =
            rest.split(',').map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect();
        let number = |text: &str| text[1..].parse::<usize>().unwrap();
        match name.as_str() {
            "def" => _ = self.floats.insert(number(&operands[0]), four(&operands)),
            "defi" => _ = self.integers.insert(number(&operands[0]), four(&operands)),
            "defb" => _ = self.flags.insert(number(&operands[0]), operands[1] == "true"),
            "dcl" => {}
            _ => self.lines.push(Line { name, suffixes: parts.collect(), operands, predicate, is_beside }),
        }
    }

    fn match_blocks(&mut self) {
        let mut open = Vec::new();
        for (at, line) in self.lines.iter().enumerate() {
            match line.name.as_str() {
                "if" | "rep" | "loop" => open.push(at),
                "else" => {
                    self.ends.insert(open.pop().unwrap(), at);
                    open.push(at);
                }
                "endif" | "endrep" | "endloop" => _ = self.ends.insert(open.pop().unwrap(), at),
                "label" => _ = self.labels.insert(line.operands[0].clone(), at),
                _ => {}
            }
        }
    }

    /// Whether any run so far has come to a number too small to be normal.
    pub fn has_met_denormals(&self) -> bool {
        self.has_met_denormals.get()
    }

    /// Runs the program with its inputs by their names.
    pub fn run(&self, inputs: &[(&str, Lanes)]) -> Run {
        let mut run = Run::default();
        run.registers.extend(inputs.iter().map(|(name, lanes)| ((*name).to_owned(), *lanes)));
        self.block(&mut run, 0, self.lines.len());
        run
    }

    fn block(&self, run: &mut Run, mut at: usize, end: usize) -> Next {
        while at < end {
            let line = &self.lines[at];
            match line.name.as_str() {
                "if" => {
                    let behind = self.ends[&at];
                    let has_else = self.lines[behind].name == "else";
                    let last = if has_else { self.ends[&behind] } else { behind };
                    let next = match (self.holds(run, line), has_else) {
                        (true, _) => self.block(run, at + 1, behind),
                        (false, true) => self.block(run, behind + 1, last),
                        (false, false) => Next::Go,
                    };
                    if !matches!(next, Next::Go) {
                        return next;
                    }
                    at = last;
                }
                "rep" | "loop" => {
                    let last = self.ends[&at];
                    let [count, first, step, _] = self.whole(line.operands.last().unwrap());
                    let before = run.counter;
                    if line.name == "loop" {
                        run.counter = first;
                    }
                    for _ in 0..count.clamp(0, 255) {
                        match self.block(run, at + 1, last) {
                            Next::Go => {}
                            Next::Break => break,
                            // The loops around it go on with their own counters.
                            Next::Return => {
                                run.counter = before;
                                return Next::Return;
                            }
                        }
                        if line.name == "loop" {
                            run.counter += step;
                        }
                    }
                    run.counter = before;
                    at = last;
                }
                "break" | "breakp" => {
                    let is_allowed = line.predicate.as_ref().is_none_or(|predicate| self.truth(run, predicate)[0]);
                    if is_allowed && (line.operands.is_empty() || self.holds(run, line)) {
                        return Next::Break;
                    }
                }
                "call" | "callnz" => {
                    if line.operands.get(1).is_none_or(|flag| self.truth(run, flag)[0]) {
                        self.block(run, self.labels[&line.operands[0]] + 1, self.lines.len());
                    }
                }
                "ret" | "label" => return Next::Return,
                _ => {
                    let first = self.value(run, line);
                    match self.lines.get(at + 1).filter(|next| next.is_beside) {
                        None => self.write(run, line, first),
                        // What runs together reads what was there before either writes.
                        Some(next) => {
                            let second = self.value(run, next);
                            self.write(run, line, first);
                            self.write(run, next, second);
                            at += 1;
                        }
                    }
                }
            }
            at += 1;
        }
        Next::Go
    }

    fn holds(&self, run: &Run, line: &Line) -> bool {
        match line.suffixes.first().map(String::as_str) {
            Some(comparison) => {
                let [a, b] = [0, 1].map(|place| self.source(run, &line.operands[place])[0]);
                compare(comparison, a, b)
            }
            None => self.truth(run, &line.operands[0])[0],
        }
    }

    /// `b#` or `p0`, with or without lanes, turned round or not.
    fn truth(&self, run: &Run, text: &str) -> [bool; 4] {
        let (is_turned, text) = text.strip_prefix('!').map_or((false, text), |text| (true, text));
        let (name, lanes) = text.split_once('.').unwrap_or((text, "xyzw"));
        let held = match name.strip_prefix('b') {
            Some(number) => {
                let number: usize = number.parse().unwrap();
                [self.flags.get(&number).copied().unwrap_or_else(|| self.outside.flags[number]); 4]
            }
            None => run.predicate,
        };
        let lanes: Vec<usize> = lanes.chars().map(lane).collect();
        std::array::from_fn(|place| held[*lanes.get(place).or(lanes.last()).unwrap()] != is_turned)
    }

    fn whole(&self, name: &str) -> [i32; 4] {
        let number: usize = name[1..].parse().unwrap();
        self.integers.get(&number).copied().unwrap_or_else(|| self.outside.integers[number])
    }

    /// A register's name, its number with what is added to it.
    fn resolve(&self, run: &Run, text: &str) -> String {
        let Some((name, inner)) = text.split_once('[') else { return text.to_owned() };
        let kind = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
        let mut number: i32 = name[kind.len()..].parse().unwrap_or(0);
        for part in inner.trim_end_matches(']').split('+').map(str::trim) {
            number += match (part.parse::<i32>(), part.split_once('.')) {
                (Ok(added), _) => added,
                (_, Some(("a0", letter))) => run.address[lane(letter.chars().next().unwrap())],
                (_, None) if part == "aL" => run.counter,
                _ => panic!("no index {part}"),
            };
        }
        format!("{kind}{number}")
    }

    fn held(&self, run: &Run, name: &str) -> Lanes {
        let Some(number) = name.strip_prefix('c') else {
            return run.registers.get(name).copied().unwrap_or_default();
        };
        let number: i32 = number.parse().unwrap();
        let Ok(number) = usize::try_from(number) else { return [0.0; 4] };
        let of_program = self.floats.get(&number).copied();
        let held = of_program.or_else(|| self.outside.floats.get(number).copied()).unwrap_or_default();
        // Those of the first pixel shaders are -1 to 1, those that the program brings along too.
        let is_cut = self.is_first_model && self.is_pixel;
        held.map(|value| if is_cut { value.clamp(-1.0, 1.0) } else { value })
    }

    fn source(&self, run: &Run, text: &str) -> Lanes {
        let (is_rest, text) = text.strip_prefix("1-").map_or((false, text), |text| (true, text));
        let (is_negated, text) = text.strip_prefix('-').map_or((false, text), |text| (true, text));
        let behind = text.rfind(']').unwrap_or(0);
        let (mut register, lanes) = match text[behind..].find('.') {
            Some(dot) => (&text[..behind + dot], &text[behind + dot + 1..]),
            None => (text, "xyzw"),
        };
        let mut modifier = "";
        for suffix in ["_bias", "_bx2", "_x2", "_dz", "_dw", "_abs"] {
            if let Some(name) = register.strip_suffix(suffix) {
                (register, modifier) = (name, suffix);
            }
        }
        let held = self.held(run, &self.resolve(run, register));
        let lanes: Vec<usize> = lanes.chars().map(lane).collect();
        let value: Lanes = std::array::from_fn(|place| held[*lanes.get(place).or(lanes.last()).unwrap()]);
        let value = match modifier {
            "_bias" => value.map(|value| value - 0.5),
            "_bx2" => value.map(|value| (value - 0.5) * 2.0),
            "_x2" => value.map(|value| value * 2.0),
            "_abs" => value.map(f32::abs),
            "_dz" => value.map(|lane| lane / value[2]),
            "_dw" => value.map(|lane| lane / value[3]),
            _ => value,
        };
        let value = if is_rest { value.map(|value| 1.0 - value) } else { value };
        if is_negated { value.map(|value| -value) } else { value }
    }

    fn sample(&self, number: usize, [u, v]: [f32; 2]) -> Lanes {
        let place = |at: f32| (at * TEXTURE_SIDE as f32).floor().rem_euclid(TEXTURE_SIDE as f32) as usize;
        let texels = &self.outside.textures[number];
        texels[place(v) * TEXTURE_SIDE + place(u)].map(|byte| f32::from(byte) / 255.0)
    }

    /// The coordinate of a result's number times a row.
    fn row(&self, run: &Run, line: &Line) -> f32 {
        let [at, row] = [0, 1].map(|place| self.source(run, &line.operands[place]));
        dot(at, row, 3)
    }

    fn value(&self, run: &mut Run, line: &Line) -> Option<Lanes> {
        let operands = &line.operands;
        let own = || operands[0].trim_start_matches(|letter: char| !letter.is_ascii_digit()).parse::<usize>().unwrap();
        let sampler = |place: usize| operands[place][1..].parse::<usize>().unwrap();
        match line.name.as_str() {
            "nop" | "phase" => return None,
            "texkill" => {
                let (_, mask) = operands[0].split_once('.').unwrap_or((&operands[0], "xyzw"));
                let count = if self.is_first_model { 3 } else { 4 };
                let tested = self.held(run, operands[0].split('.').next().unwrap());
                run.is_killed |= mask.chars().map(lane).filter(|lane| *lane < count).any(|lane| tested[lane] < 0.0);
                return None;
            }
            "texm3x2pad" | "texm3x3pad" => {
                let row = self.row(run, line);
                run.rows.push(row);
                return None;
            }
            "tex" => {
                let [u, v, ..] = self.held(run, &operands[0]);
                return Some(self.sample(own(), [u, v]));
            }
            "texcoord" => {
                let [x, y, z, _] = self.held(run, &operands[0]).map(saturated);
                return Some([x, y, z, 1.0]);
            }
            "texbem" => {
                let [u, v, ..] = self.held(run, &operands[0]);
                return Some(self.sample(own(), [u, v]));
            }
            "texbeml" => return Some([0.0; 4]),
            "texdp3" => return Some([self.row(run, line); 4]),
            "texdp3tex" => return Some(self.sample(own(), [self.row(run, line), 0.0])),
            "texm3x2tex" => {
                let second = self.row(run, line);
                return Some(self.sample(own(), [run.rows.pop().unwrap(), second]));
            }
            // No cube is bound.
            "texm3x3tex" | "texm3x3spec" | "texm3x3vspec" => {
                run.rows.clear();
                return Some([0.0, 0.0, 0.0, 1.0]);
            }
            "texm3x3" => {
                let third = self.row(run, line);
                let [first, second] = run.rows[run.rows.len() - 2..] else { panic!("rows are missing") };
                run.rows.clear();
                return Some([first, second, third, 1.0]);
            }
            _ => {}
        }
        let place = |place: usize| self.source(run, &operands[place]);
        let scalar = |value: f32| Some([value; 4]);
        let (a, b, c) = match operands.len() {
            0 | 1 => ([0.0; 4], [0.0; 4], [0.0; 4]),
            2 => (place(1), [0.0; 4], [0.0; 4]),
            3 if operands[2].starts_with('s') => (place(1), [0.0; 4], [0.0; 4]),
            3 => (place(1), place(2), [0.0; 4]),
            _ if operands[2].starts_with('s') => (place(1), [0.0; 4], [0.0; 4]),
            _ => (place(1), place(2), place(3)),
        };
        let each = |of: &dyn Fn(f32, f32, f32) -> f32| Some(std::array::from_fn(|at| of(a[at], b[at], c[at])));
        match line.name.as_str() {
            "mov" | "mova" | "texcrd" => Some(a),
            "add" => each(&|a, b, _| a + b),
            "sub" => each(&|a, b, _| a - b),
            "mul" => each(&|a, b, _| times(a, b)),
            "mad" => each(&|a, b, c| times(a, b) + c),
            "lrp" => each(&|a, b, c| times(a, b - c) + c),
            "cmp" => each(&|a, b, c| if a >= 0.0 { b } else { c }),
            "cnd" => each(&|a, b, c| if a > 0.5 { b } else { c }),
            "min" => each(&|a, b, _| a.min(b)),
            "max" => each(&|a, b, _| a.max(b)),
            "slt" => each(&|a, b, _| f32::from(u8::from(a < b))),
            "sge" => each(&|a, b, _| f32::from(u8::from(a >= b))),
            "frc" => each(&|a, _, _| a - a.floor()),
            "abs" => each(&|a, _, _| a.abs()),
            "sgn" => each(&|a, _, _| if a == 0.0 { 0.0 } else { a.signum() }),
            "dp2add" => scalar(dot(a, b, 2) + c[0]),
            "dp3" => scalar(dot(a, b, 3)),
            "dp4" => scalar(dot(a, b, 4)),
            "rcp" => scalar((1.0 / a[0]).clamp(f32::MIN, f32::MAX)),
            "rsq" => scalar((1.0 / a[0].abs().sqrt()).min(f32::MAX)),
            "exp" => scalar(a[0].exp2()),
            "expp" if !self.is_first_model => scalar(a[0].exp2()),
            "expp" => Some([a[0].floor().exp2(), a[0] - a[0].floor(), a[0].exp2(), 1.0]),
            "log" => scalar(logarithm(a[0])),
            "logp" if !self.is_first_model => scalar(logarithm(a[0])),
            "logp" => {
                let log = logarithm(a[0]);
                Some([log.floor(), a[0].abs() / log.floor().exp2(), log, 1.0])
            }
            "pow" => scalar(times(logarithm(a[0]), b[0]).exp2()),
            "sincos" => Some([a[0].cos(), a[0].sin(), 0.0, 0.0]),
            "nrm" => {
                let factor = (1.0 / dot(a, a, 3).sqrt()).min(f32::MAX);
                each(&|a, _, _| times(a, factor))
            }
            "crs" => Some(std::array::from_fn(|at| match at {
                3 => 0.0,
                at => times(a[(at + 1) % 3], b[(at + 2) % 3]) - times(a[(at + 2) % 3], b[(at + 1) % 3]),
            })),
            "dst" => Some([1.0, times(a[1], b[1]), a[2], b[3]]),
            "lit" => {
                let power = a[3].clamp(-127.9961, 127.9961);
                let shines = if a[0] > 0.0 && a[1] > 0.0 { times(logarithm(a[1]), power).exp2() } else { 0.0 };
                Some([1.0, a[0].max(0.0), shines, 1.0])
            }
            "m4x4" => self.matrix(run, line, a, 4, 4),
            "m4x3" => self.matrix(run, line, a, 4, 3),
            "m3x4" => self.matrix(run, line, a, 3, 4),
            "m3x3" => self.matrix(run, line, a, 3, 3),
            "m3x2" => self.matrix(run, line, a, 3, 2),
            "bem" => Some(a),
            "setp" => {
                let holds: [bool; 4] = std::array::from_fn(|at| compare(&line.suffixes[0], a[at], b[at]));
                Some(holds.map(|holds| f32::from(u8::from(holds))))
            }
            "texld" if self.is_fourth => Some(self.sample(own(), [a[0], a[1]])),
            "texld" | "texldb" | "texldl" | "texldd" => Some(self.sample(sampler(2), [a[0], a[1]])),
            "texldp" => Some(self.sample(sampler(2), [a[0] / a[3], a[1] / a[3]])),
            "texreg2ar" => Some(self.sample(own(), [a[3], a[0]])),
            "texreg2gb" => Some(self.sample(own(), [a[1], a[2]])),
            "texreg2rgb" => Some(self.sample(own(), [a[0], a[1]])),
            // The derivatives of what is the same all around.
            "dsx" | "dsy" => Some([0.0; 4]),
            other => panic!("no instruction {other}"),
        }
    }

    fn matrix(&self, run: &Run, line: &Line, vector: Lanes, columns: usize, rows: usize) -> Option<Lanes> {
        // `-c4_abs`: what stands before the number, the number, and what stands behind it.
        let text = &line.operands[2];
        let start = text.find(|letter: char| letter.is_ascii_digit()).unwrap();
        let end = text[start..].find(|letter: char| !letter.is_ascii_digit()).map_or(text.len(), |end| start + end);
        let first: usize = text[start..end].parse().unwrap();
        let name = |row: usize| format!("{}{}{}", &text[..start], first + row, &text[end..]);
        let row = |row: usize| dot(vector, self.source(run, &name(row)), columns);
        Some(std::array::from_fn(|at| if at < rows { row(at) } else { 0.0 }))
    }

    fn write(&self, run: &mut Run, line: &Line, value: Option<Lanes>) {
        let Some(mut value) = value else { return };
        if value.iter().any(|value| value.is_subnormal()) {
            self.has_met_denormals.set(true);
        }
        for suffix in &line.suffixes {
            let factor = match suffix.as_str() {
                "x2" => 2.0,
                "x4" => 4.0,
                "x8" => 8.0,
                "d2" => 0.5,
                "d4" => 0.25,
                "d8" => 0.125,
                _ => 1.0,
            };
            value = value.map(|value| value * factor);
        }
        if line.suffixes.iter().any(|suffix| suffix == "sat") {
            value = value.map(saturated);
        }
        let text = &line.operands[0];
        let behind = text.rfind(']').unwrap_or(0);
        let (register, mask) = match text[behind..].find('.') {
            Some(dot) => (&text[..behind + dot], &text[behind + dot + 1..]),
            None => (text.as_str(), "xyzw"),
        };
        let allowed = line.predicate.as_ref().map_or([true; 4], |predicate| self.truth(run, predicate));
        let lanes = mask.chars().map(lane).filter(|lane| allowed[*lane]).collect::<Vec<usize>>();
        match register {
            "p0" => lanes.iter().for_each(|lane| run.predicate[*lane] = value[*lane] != 0.0),
            "a0" => {
                let is_down = line.name == "mov" && self.is_first_model;
                let rounded = |value: f32| if is_down { value.floor() } else { value.round_ties_even() } as i32;
                lanes.iter().for_each(|lane| run.address[*lane] = rounded(value[*lane]));
            }
            _ => {
                let held = run.registers.entry(self.resolve(run, register)).or_default();
                lanes.iter().for_each(|lane| held[*lane] = value[*lane]);
            }
        }
    }
}

impl Run {
    pub fn register(&self, name: &str) -> Lanes {
        self.registers.get(name).copied().unwrap_or_default()
    }
}

fn four<T: std::str::FromStr<Err: std::fmt::Debug>>(operands: &[String]) -> [T; 4] {
    std::array::from_fn(|at| operands[at + 1].parse().unwrap())
}

fn compare(how: &str, a: f32, b: f32) -> bool {
    match how {
        "gt" => a > b,
        "eq" => a == b,
        "ge" => a >= b,
        "lt" => a < b,
        "ne" => a != b,
        "le" => a <= b,
        other => panic!("no comparison {other}"),
    }
}

pub fn saturated(value: f32) -> f32 {
    if value > 0.0 { value.min(1.0) } else { 0.0 }
}

/// 0 times anything is 0.
fn times(a: f32, b: f32) -> f32 {
    let product = a * b;
    if product.is_nan() && (a == 0.0 || b == 0.0) { 0.0 } else { product }
}

fn dot(a: Lanes, b: Lanes, lanes: usize) -> f32 {
    (1..lanes).fold(times(a[0], b[0]), |sum, at| sum + times(a[at], b[at]))
}

fn logarithm(value: f32) -> f32 {
    value.abs().log2().max(f32::MIN)
}
