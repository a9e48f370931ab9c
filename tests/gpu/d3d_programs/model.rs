//! Runs a program on the CPU: thread by thread, up to where threads of a group wait for each other.

use std::collections::BTreeMap;

use super::arithmetic::evaluate;
use super::bound::Bound;
use super::lookups::{asks_neighbours, looks_up};
use super::text::{Index, Line, Operand, What, number, parse, results, split};

type Words = [u32; 4];

/// More turns than any program here takes.
const MOST_STEPS: u32 = 200_000;

/// A program, ready to be run.
pub struct Model {
    lines: Vec<Line>,
    /// Whether sums are those of their terms without signs.
    sums_terms: bool,
    /// Of each line that begins or divides a block, the line where it goes on; of `else` and `endloop` too.
    targets: Vec<usize>,
    icb: Vec<Words>,
    arrays: BTreeMap<u32, usize>,
    /// Bytes of a structure of `g#` and `u#`, by name and number.
    strides: BTreeMap<(String, u32), u32>,
    /// Words of `g#`.
    group_words: BTreeMap<u32, usize>,
}

/// Memory that threads read and write together.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    pub constants: Vec<Words>,
    /// By name and number: `u0`, `g1`, `t2`.
    pub words: BTreeMap<(String, u32), Vec<u32>>,
    /// The counters of `u#`.
    pub counters: BTreeMap<u32, u32>,
    /// Bindings; the contents of buffers are in [`Self::words`].
    pub bound: Bound,
}

impl Memory {
    pub fn new(constants: Vec<Words>, bound: &Bound) -> Self {
        let words = bound.buffers.iter().map(|(key, buffer)| (key.clone(), buffer.words.clone()));
        let counted = bound.buffers.iter().filter_map(|((_, slot), buffer)| Some((*slot, buffer.counter?)));
        Self { constants, words: words.collect(), counters: counted.collect(), bound: bound.clone() }
    }
}

/// State of one thread.
pub struct Thread {
    at: usize,
    /// Where functions go on when they are left.
    returns: Vec<usize>,
    registers: BTreeMap<u32, Words>,
    arrays: BTreeMap<u32, Vec<Words>>,
    pub inputs: BTreeMap<String, Words>,
    pub outputs: BTreeMap<u32, Words>,
    pub is_discarded: bool,
    steps: u32,
}

/// Why a thread stands.
#[derive(PartialEq, Eq)]
enum Stop {
    Left,
    Waits,
    /// For the pixels around, at an instruction that is not run yet.
    Asks,
}

impl Thread {
    pub fn new(inputs: BTreeMap<String, Words>) -> Self {
        Self {
            at: 0,
            returns: Vec::new(),
            registers: BTreeMap::new(),
            arrays: BTreeMap::new(),
            inputs,
            outputs: BTreeMap::new(),
            is_discarded: false,
            steps: 0,
        }
    }

    /// The line that it has come to.
    pub fn at(&self) -> usize {
        self.at
    }

    pub fn go_on(&mut self) {
        self.at += 1;
    }
}

impl Model {
    pub fn new(text: &str) -> Self {
        let (declarations, lines): (Vec<Line>, Vec<Line>) =
            parse(text).into_iter().partition(|line| line.name.starts_with("dcl_"));
        let mut model = Self {
            targets: targets(&lines),
            lines,
            sums_terms: false,
            icb: Vec::new(),
            arrays: BTreeMap::new(),
            strides: BTreeMap::new(),
            group_words: BTreeMap::new(),
        };
        declarations.iter().for_each(|line| model.declare(line));
        model
    }

    /// Computes with the sum of the terms' magnitudes in place of each sum.
    pub fn of_terms(self) -> Self {
        Self { sums_terms: true, ..self }
    }

    fn declare(&mut self, line: &Line) {
        let parts = split(&line.rest);
        let slot = |text: &str| number(text.trim_start_matches(|letter: char| letter.is_ascii_alphabetic()));
        match line.name.as_str() {
            "dcl_icb" => {
                let words: Vec<u32> = parts.iter().map(|word| number(word)).collect();
                self.icb = words.as_chunks().0.to_vec();
            }
            "dcl_indexableTemp" => {
                let (array, count) = parts[0].trim_end_matches(']').split_once('[').unwrap();
                self.arrays.insert(slot(array), number(count) as usize);
            }
            "dcl_tgsm_raw" => {
                self.group_words.insert(slot(parts[0]), number(parts[1]) as usize / 4);
            }
            "dcl_tgsm_structured" => {
                self.strides.insert(("g".to_owned(), slot(parts[0])), number(parts[1]));
                self.group_words.insert(slot(parts[0]), (number(parts[1]) * number(parts[2])) as usize / 4);
            }
            "dcl_uav_structured" | "dcl_uav_counted" | "dcl_resource_structured" => {
                self.strides.insert((parts[0][..1].to_owned(), slot(parts[0])), number(parts[1]));
            }
            _ => {}
        }
    }

    /// Runs a group: each thread up to the next barrier, in turn, until all have left.
    pub fn run(&self, threads: &mut [Thread], memory: &mut Memory) {
        for (number, words) in &self.group_words {
            memory.words.insert(("g".to_owned(), *number), vec![0; *words]);
        }
        loop {
            let stops: Vec<Stop> = threads.iter_mut().map(|thread| self.run_one(thread, memory)).collect();
            if stops.iter().all(|stop| *stop == Stop::Left) {
                return;
            }
            assert!(stops.iter().all(|stop| *stop == Stop::Waits), "some threads wait and others have left");
        }
    }

    /// Runs pixels to where they ask for each other; `false` if they have left.
    pub fn run_to_question(&self, quad: &mut [Thread; 4], memory: &mut Memory) -> bool {
        let stops: Vec<Stop> = quad.iter_mut().map(|thread| self.run_one(thread, memory)).collect();
        assert!(stops.iter().all(|stop| *stop == stops[0]), "some pixels have left");
        stops[0] == Stop::Asks
    }

    pub fn asked(&self, thread: &Thread) -> &Line {
        &self.lines[thread.at]
    }

    fn run_one(&self, thread: &mut Thread, memory: &mut Memory) -> Stop {
        while let Some(line) = self.lines.get(thread.at) {
            thread.steps += 1;
            assert!(thread.steps < MOST_STEPS, "a loop without end");
            let at = thread.at;
            thread.at += 1;
            let condition = || {
                let word = self.read(thread, memory, &line.operands[0])[0];
                (word != 0) == line.nonzero
            };
            match line.name.as_str() {
                name if asks_neighbours(name) => {
                    thread.at = at;
                    return Stop::Asks;
                }
                "retc" if !condition() => {}
                "ret" | "retc" => match thread.returns.pop() {
                    Some(place) => thread.at = place,
                    None => return Stop::Left,
                },
                "callc" if !condition() => {}
                "call" | "callc" => {
                    thread.returns.push(thread.at);
                    thread.at = self.function(line.operands.last().unwrap());
                }
                "discard" if condition() => {
                    thread.is_discarded = true;
                    return Stop::Left;
                }
                name if name.starts_with("sync_") => {
                    if name.ends_with("_t") {
                        return Stop::Waits;
                    }
                }
                "if" if !condition() => thread.at = self.targets[at],
                "else" | "endloop" | "break" | "continue" => thread.at = self.targets[at],
                "breakc" | "continuec" if condition() => thread.at = self.targets[at],
                "switch" => {
                    let value = self.read(thread, memory, &line.operands[0])[0];
                    thread.at = self.chosen(at, value);
                }
                "label" => panic!("a function is run into"),
                "discard" | "if" | "breakc" | "continuec" | "endif" | "loop" | "case" | "default" | "endswitch"
                | "nop" => {}
                _ => self.compute(thread, memory, line),
            }
        }
        Stop::Left
    }

    /// The first line of a function.
    fn function(&self, label: &Operand) -> usize {
        let What::Register(_, wanted) = &label.what else { panic!("no label") };
        let is_wanted = |line: &Line| {
            line.name == "label"
                && matches!(&line.operands[0].what, What::Register(_, found) if found[0].base == wanted[0].base)
        };
        self.lines.iter().position(is_wanted).expect("a function of that number") + 1
    }

    /// The line behind the case that a value chooses.
    fn chosen(&self, switch: usize, value: u32) -> usize {
        let mut depth = 0;
        let mut default = self.targets[switch];
        for at in switch + 1..self.targets[switch] {
            let line = &self.lines[at];
            match line.name.as_str() {
                "switch" => depth += 1,
                "endswitch" => depth -= 1,
                "default" if depth == 0 => default = at + 1,
                "case" if depth == 0 && matches!(line.operands[0].what, What::Word(word) if word == value) => {
                    return at + 1;
                }
                _ => {}
            }
        }
        default
    }

    fn compute(&self, thread: &mut Thread, memory: &mut Memory, line: &Line) {
        let (to, from) = line.operands.split_at(results(&line.name));
        if looks_up(line, &memory.bound) {
            return self.look_up(thread, memory, line, None);
        }
        let is_memory = |operand: &Operand| matches!(operand.name(), "u" | "g" | "t");
        if line.operands.iter().any(is_memory) {
            return self.access(thread, memory, line);
        }
        let numbers = kind_of(&line.name);
        let of_operand = |(place, operand): (usize, &Operand)| {
            let is_float = numbers && !(place == CONDITION && matches!(line.name.as_str(), "movc" | "swapc"));
            modified(self.read(thread, memory, operand), operand, is_float)
        };
        let values: Vec<Words> = from.iter().enumerate().map(of_operand).collect();
        let results = match self.sums_terms && line.name.starts_with("dp") {
            true => evaluate(&format!("{} of terms", line.name), false, &values),
            false => evaluate(&line.name, line.saturate, &values),
        };
        let results = results.unwrap_or_else(|| panic!("{} is not known", line.name));
        for (operand, words) in to.iter().zip(results) {
            self.write(thread, memory, operand, words);
        }
    }

    /// Loads, stores and atomics.
    fn access(&self, thread: &mut Thread, memory: &mut Memory, line: &Line) {
        let values: Vec<Words> = line.operands.iter().map(|operand| self.value(thread, memory, operand)).collect();
        let place = line.operands.iter().position(|operand| matches!(operand.name(), "u" | "g" | "t")).unwrap();
        let named = &line.operands[place];
        let What::Register(name, indices) = &named.what else { panic!("no register") };
        let key = (name.clone(), indices[0].base);
        let is_structured = line.name.ends_with("_structured");
        // Where it is said where, before or behind the memory.
        let first = match line.name.as_str() {
            "ld_raw" | "ld_structured" => 1,
            _ => place + 1,
        };
        let stride = self.strides.get(&key).copied();
        let words = memory.words.get(&key).map_or(0, Vec::len);
        let word_at = |lane: usize| {
            let (base, in_structure) = match (is_structured, stride) {
                (true, Some(stride)) => {
                    let offset = values[first + 1][0];
                    let inside = offset.checked_add(lane as u32 * 4 + 4).is_some_and(|end| end <= stride);
                    (u64::from(values[first][0]) * u64::from(stride) + u64::from(offset), inside)
                }
                // An atomic on structures takes number and offset as two lanes.
                (false, Some(stride)) => {
                    let [number, offset, ..] = values[first];
                    let inside = offset.checked_add(4).is_some_and(|end| end <= stride);
                    (u64::from(number) * u64::from(stride) + u64::from(offset), inside)
                }
                _ => (u64::from(values[first][0]), true),
            };
            let word = base / 4 + lane as u64;
            (in_structure && word < words as u64).then_some(word as usize)
        };
        match line.name.as_str() {
            "ld_raw" | "ld_structured" => {
                let read = |lane: usize| word_at(lane).map_or(0, |word| memory.words[&key][word]);
                let words = named.swizzle().map(read);
                self.write(thread, memory, &line.operands[0], words);
            }
            "store_raw" | "store_structured" => {
                let stored = values[values.len() - 1];
                for lane in named.mask() {
                    if let Some(word) = word_at(lane) {
                        memory.words.get_mut(&key).unwrap()[word] = stored[lane];
                    }
                }
            }
            name => {
                let further = [first + 1, first + 2].map(|at| values.get(at).map_or(0, |words| words[0]));
                let old = word_at(0).map_or(0, |word| {
                    let words = memory.words.get_mut(&key).unwrap();
                    let old = words[word];
                    words[word] = combined(name, old, further);
                    old
                });
                if name.starts_with("imm_") {
                    self.write(thread, memory, &line.operands[0], [old; 4]);
                }
            }
        }
    }

    fn value(&self, thread: &Thread, memory: &Memory, operand: &Operand) -> Words {
        match operand.name() {
            "u" | "g" | "t" => [0; 4],
            _ => self.read(thread, memory, operand),
        }
    }

    /// A source as it is computed with.
    pub fn read_source(&self, thread: &Thread, memory: &Memory, operand: &Operand) -> Words {
        modified(self.read(thread, memory, operand), operand, true)
    }

    pub fn read(&self, thread: &Thread, memory: &Memory, operand: &Operand) -> Words {
        let words = match &operand.what {
            What::Word(word) => return [*word; 4],
            What::Words(words) => return *words,
            What::Register(name, indices) => {
                let index = |place: usize| self.index(thread, indices[place]);
                match name.as_str() {
                    "r" => thread.registers.get(&index(0)).copied().unwrap_or_default(),
                    "x" => thread
                        .arrays
                        .get(&index(0))
                        .map_or([0; 4], |array| array[(index(1) as usize).min(array.len() - 1)]),
                    "cb" => memory.constants.get(index(1) as usize).copied().unwrap_or_default(),
                    "icb" => self.icb.get(index(0) as usize).copied().unwrap_or_default(),
                    "v" => thread.inputs[&format!("v{}", index(0))],
                    "o" => thread.outputs.get(&index(0)).copied().unwrap_or_default(),
                    other => thread.inputs[other],
                }
            }
        };
        operand.swizzle().map(|lane| words[lane])
    }

    fn index(&self, thread: &Thread, index: Index) -> u32 {
        let plus = index.plus.map_or(0, |(register, lane)| thread.registers.get(&register).map_or(0, |of| of[lane]));
        index.base.wrapping_add(plus)
    }

    pub fn write(&self, thread: &mut Thread, _memory: &Memory, operand: &Operand, words: Words) {
        let What::Register(name, indices) = &operand.what else { panic!("no register") };
        let numbers: Vec<u32> = indices.iter().map(|index| self.index(thread, *index)).collect();
        let held = match name.as_str() {
            "null" => return,
            "r" => thread.registers.entry(numbers[0]).or_default(),
            "o" => thread.outputs.entry(numbers[0]).or_default(),
            "x" => {
                let count = self.arrays[&numbers[0]];
                let array = thread.arrays.entry(numbers[0]).or_insert_with(|| vec![[0; 4]; count]);
                &mut array[(numbers[1] as usize).min(count - 1)]
            }
            other => panic!("{other} is not written"),
        };
        for lane in operand.mask() {
            held[lane] = words[lane];
        }
    }
}

/// The operand of `movc` and `swapc` that is no number.
const CONDITION: usize = 0;

/// Whether an instruction takes floats, on which modifiers depend.
fn kind_of(name: &str) -> bool {
    const WORDS: &[&str] = &["and", "or", "xor", "not", "itof", "utof", "f16tof32", "countbits", "bfrev", "bfi"];
    let is_integer = name.starts_with(['i', 'u']) || name.starts_with("firstbit") || WORDS.contains(&name);
    !is_integer
}

fn modified(words: Words, operand: &Operand, is_float: bool) -> Words {
    const SIGN: u32 = 1 << 31;
    words.map(|word| match is_float {
        true => {
            let word = if operand.absolute { word & !SIGN } else { word };
            if operand.negate { word ^ SIGN } else { word }
        }
        false if operand.negate => word.wrapping_neg(),
        false => word,
    })
}

pub fn combined(name: &str, old: u32, [first, second]: [u32; 2]) -> u32 {
    let (a, b) = (old as i32, first as i32);
    match name.trim_start_matches("imm_").trim_start_matches("atomic_") {
        "and" => old & first,
        "or" => old | first,
        "xor" => old ^ first,
        "iadd" => old.wrapping_add(first),
        "imax" => a.max(b) as u32,
        "imin" => a.min(b) as u32,
        "umax" => old.max(first),
        "umin" => old.min(first),
        "exch" => first,
        "cmp_store" | "cmp_exch" => {
            if old == first {
                second
            } else {
                old
            }
        }
        other => panic!("unknown atomic {other}"),
    }
}

/// Where each line that jumps goes on.
fn targets(lines: &[Line]) -> Vec<usize> {
    let mut targets = vec![usize::MAX; lines.len()];
    let mut open: Vec<usize> = Vec::new();
    // Jumps out of the block that begins at a line.
    let mut breaks: Vec<(usize, usize)> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let name = |at: usize| lines[at].name.as_str();
        let innermost = |names: &[&str]| open.iter().rev().copied().find(|at| names.contains(&name(*at)));
        match line.name.as_str() {
            "if" | "loop" | "switch" => open.push(at),
            "else" => {
                targets[open.pop().unwrap()] = at + 1;
                open.push(at);
            }
            "break" | "breakc" => breaks.push((at, innermost(&["loop", "switch"]).unwrap())),
            "continue" | "continuec" => targets[at] = innermost(&["loop"]).unwrap() + 1,
            "endif" | "endloop" | "endswitch" => {
                let begin = open.pop().unwrap();
                targets[begin] = at + 1;
                if line.name == "endloop" {
                    targets[at] = begin + 1;
                }
                for (from, _) in breaks.iter().filter(|(_, of)| *of == begin) {
                    targets[*from] = at + 1;
                }
                breaks.retain(|(_, of)| *of != begin);
            }
            _ => {}
        }
    }
    targets
}
