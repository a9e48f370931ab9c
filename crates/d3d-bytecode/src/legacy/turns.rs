//! How often the loops of a program turn at most.

use std::collections::BTreeMap;

use super::super::declaration::DeclarationKind;
use super::super::instruction::Instruction;
use super::super::opcode::Opcode;
use super::super::operand::{Operand, OperandValue, RegisterKind};
use super::super::program::Program;

/// Most turns of one loop.
pub(crate) const MOST_TURNS: i32 = 255;
/// Most functions within each other.
pub(crate) const MOST_CALLS: usize = 4;

/// Whether loops lie within loops, functions that are called there taken along. Those that do not are bounded by a program's
/// length.
pub fn nests_loops(program: &Program) -> bool {
    Turns::new(program, &|_| 1).function(0, 0).depth > 1
}

/// The turns that the loops of a program take at most when it runs once, those of loops within loops each time; `integer` gives
/// the first lane of an `i#` that the program does not define itself.
pub fn most_turns(program: &Program, integer: impl Fn(u32) -> i32) -> u64 {
    let mut defined = BTreeMap::new();
    for declaration in program.declarations() {
        if let DeclarationKind::Constant { register, value: [count, ..] } = &declaration.kind
            && let Some(number) = integer_register(register)
        {
            defined.insert(number, *count as i32);
        }
    }
    let count_of = |number: u32| {
        let count = defined.get(&number).copied().unwrap_or_else(|| integer(number));
        count.clamp(0, MOST_TURNS) as u64
    };
    Turns::new(program, &count_of).function(0, 0).turns
}

struct Turns<'a> {
    program: &'a Program,
    /// How often a loop of an `i#` turns.
    count_of: &'a dyn Fn(u32) -> u64,
    /// The first instruction of each function.
    functions: BTreeMap<u32, usize>,
    /// By the first instruction of a function and how deep it is called.
    known: BTreeMap<(usize, usize), Total>,
}

/// What comes together in a block.
#[derive(Clone, Copy, Default)]
struct Total {
    turns: u64,
    /// How many loops lie within each other.
    depth: u32,
}

impl Total {
    fn add(&mut self, other: Self) {
        self.turns = self.turns.saturating_add(other.turns);
        self.depth = self.depth.max(other.depth);
    }
}

impl<'a> Turns<'a> {
    fn new(program: &'a Program, count_of: &'a dyn Fn(u32) -> u64) -> Self {
        let mut functions = BTreeMap::new();
        for (position, instruction) in program.instructions().iter().enumerate() {
            if instruction.opcode == Opcode::Label
                && let Some(number) = program.operands(instruction).first().and_then(label)
            {
                functions.entry(number).or_insert(position + 1);
            }
        }
        Self { program, count_of, functions, known: BTreeMap::new() }
    }

    /// Of the function that begins with an instruction, `calls` deep.
    fn function(&mut self, first: usize, calls: usize) -> Total {
        if let Some(known) = self.known.get(&(first, calls)) {
            return *known;
        }
        let body = self.program.instructions().get(first..).unwrap_or_default();
        let mut open: Vec<(u64, Total)> = Vec::new();
        let mut total = Total::default();
        for instruction in body.iter().take_while(|instruction| instruction.opcode != Opcode::Label) {
            match instruction.opcode {
                Opcode::Rep | Opcode::Loop => open.push((self.count(instruction), std::mem::take(&mut total))),
                Opcode::EndRep | Opcode::EndLoop => {
                    // Which ends no loop is refused when the program is decoded.
                    let (count, outside) = open.pop().unwrap_or_default();
                    let within = total;
                    total = outside;
                    let turns = count.saturating_mul(within.turns.saturating_add(1));
                    total.add(Total { turns, depth: within.depth + 1 });
                }
                // One call deeper the program is refused when it is translated.
                Opcode::Call | Opcode::CallNz if calls < MOST_CALLS => {
                    let called = self.program.operands(instruction).first().and_then(label);
                    // One that is not there is refused then too.
                    if let Some(first) = called.and_then(|number| self.functions.get(&number).copied()) {
                        total.add(self.function(first, calls + 1));
                    }
                }
                _ => {}
            }
        }
        self.known.insert((first, calls), total);
        total
    }

    fn count(&self, instruction: &Instruction) -> u64 {
        let counts = self.program.operands(instruction).last().and_then(integer_register);
        counts.map_or(MOST_TURNS as u64, self.count_of)
    }
}

fn integer_register(operand: &Operand) -> Option<u32> {
    number_of(operand, RegisterKind::ConstantInteger)
}

fn label(operand: &Operand) -> Option<u32> {
    number_of(operand, RegisterKind::Label)
}

fn number_of(operand: &Operand, kind: RegisterKind) -> Option<u32> {
    match &operand.value {
        OperandValue::Register(register) if register.kind == kind => Some(register.last_index()?.base),
        _ => None,
    }
}
