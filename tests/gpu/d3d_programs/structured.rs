//! Random programs with nested loops, switches, early exits and indexed registers, of words and of small whole floats.
//!
//! Every loop ends: it counts its turns. `r1` to `r5` hold what is computed, `r8` to `r11` count, `r6`, `r7` and `r12` are
//! passing, `x0` has eight registers.

use serde_json::json;

use super::bound::Bound;
use super::cells::{constants, own_constants, prologue};
use super::wrap::{Body, EXIT, READY, Stage, Threads};
use crate::support::random::Random;

/// Blocks within blocks.
const MOST_DEPTH: usize = 4;
const FUNCTIONS: u32 = 3;
/// Instructions of a program, about.
const MOST_LINES: usize = 90;

struct Writer {
    random: Random,
    stage: Stage,
    text: String,
    lines: usize,
    /// The blocks that are open.
    open: Vec<Block>,
    /// Loops that were begun within each other.
    loops: usize,
    /// Number of functions that can be called.
    callable: u32,
    /// Whether a function is written, whose returns leave only it.
    in_function: bool,
    /// Whether it has the instructions that vkd3d does not know: programs without them can be judged by it.
    has_all: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Block {
    If,
    /// Whether its turns are counted at its beginning, so that one may end early.
    Loop {
        may_continue: bool,
    },
    Switch,
}

/// The random program of a number; odd ones leave out what vkd3d does not know.
pub fn body(seed: u64, stage: Stage) -> Body {
    let mut writer = Writer {
        random: Random::new(seed),
        stage,
        text: String::new(),
        lines: 0,
        open: Vec::new(),
        loops: 0,
        callable: 0,
        in_function: false,
        has_all: seed.is_multiple_of(2),
    };
    let functions = writer.functions();
    writer.begin();
    while writer.lines < MOST_LINES {
        if stage == Stage::Compute && writer.random.one_in(4) {
            writer.exchange();
        }
        writer.statement();
    }
    for register in 1..=5 {
        writer.line(&format!("xor r10, r10, r{register}"));
    }
    writer.line("xor r10, r10, x0[r0.z]");
    writer.line("xor r10, r10, x0[r0.z + 4]");
    let memory = if stage == Stage::Compute { "dcl_tgsm_raw g0, 1024\ndcl_tgsm_structured g1, 8, 64\n" } else { "" };
    let icb: Vec<String> = own_constants().iter().map(u32::to_string).collect();
    Body {
        name: format!("structured_{seed}"),
        declarations: format!("dcl_icb {}\ndcl_indexableTemp x0[8], 4\n{memory}", icb.join(",")),
        prologue: prologue(),
        parts: vec![writer.text],
        functions,
        is_guarded: false,
        threads: Threads::Tuples,
        constants: constants(true),
        bound: Bound::default(),
        rule: json!({ "kind": "exact" }),
        has_sums: false,
    }
}

impl Writer {
    fn line(&mut self, line: &str) {
        self.text += line;
        self.text += "\n";
        self.lines += 1;
    }

    fn begin(&mut self) {
        self.line("mov r10, l(0,0,0,0)");
        self.line("mov r1, cb0[r0.y + 40]");
        self.line("mov r2, cb0[r0.w + 60]");
        self.line("mov r3, cb0[r0.z + 76]");
        self.line("imad r4, r0.yzwy, l(3,5,7,11), l(1)");
        self.line("xor r5, r1.yzwx, r2");
        for register in 0..8 {
            let value = self.random.below(1000);
            self.line(&format!("mov x0[{register}], l({value},1,2,{register})"));
        }
    }

    /// Functions, each of which may call those before it.
    fn functions(&mut self) -> String {
        // vkd3d knows none.
        if !self.has_all {
            return String::new();
        }
        self.in_function = true;
        for number in 0..FUNCTIONS {
            self.line(&format!("label l{number}"));
            self.callable = number;
            self.block(3);
            self.line("ret");
        }
        (self.in_function, self.lines, self.callable) = (false, 0, FUNCTIONS);
        std::mem::take(&mut self.text)
    }

    fn call(&mut self) {
        let function = self.random.below(self.callable);
        if self.random.one_in(2) {
            self.line(&format!("call l{function}"));
            return;
        }
        let (condition, test) = (self.condition(), self.test());
        self.line(&format!("callc{test} {condition}, l{function}"));
    }

    fn data(&mut self) -> String {
        format!("r{}", 1 + self.random.below(5))
    }

    fn lane(&mut self) -> char {
        self.random.pick(&['x', 'y', 'z', 'w'])
    }

    /// A source of words: a register with lanes, a constant, a number.
    fn source(&mut self) -> String {
        match self.random.below(10) {
            0 => format!("l({})", self.random.below(40)),
            1 => {
                let words = [0; 4].map(|_: u32| self.random.below(1 << 20).wrapping_mul(4099).to_string());
                format!("l({})", words.join(","))
            }
            2 => format!("cb0[r0.{} + {}]", self.random.pick(&['y', 'w']), self.random.below(60)),
            3 => format!("icb[r0.z + {}]", self.random.below(28)),
            4 => format!("{}.{}", self.data(), self.lane()),
            5 => {
                let lanes: String = (0..4).map(|_| self.lane()).collect();
                format!("{}.{lanes}", self.data())
            }
            6 => format!("x0[{}]", self.random.below(8)),
            _ => self.data(),
        }
    }

    fn result(&mut self) -> String {
        let mask = self.random.pick(&["", "", "", ".x", ".yz", ".xw", ".xyz", ".w"]);
        format!("{}{mask}", self.data())
    }

    fn statement(&mut self) {
        let is_deep = self.open.len() >= MOST_DEPTH;
        match self.random.below(if is_deep { 12 } else { 18 }) {
            0 if self.callable > 0 && self.random.one_in(2) => self.call(),
            0 => self.floats(),
            1 => self.indexed(),
            2 => self.outside(),
            3 => self.jump(),
            4..=11 => self.words(),
            12..=14 => self.choice(),
            // What counts their turns may count those of a loop around the call.
            15 | 16 if !self.in_function => self.repeat(),
            15 | 16 => self.words(),
            _ => self.switch(),
        }
    }

    fn words(&mut self) {
        let (to, a, b) = (self.result(), self.source(), self.source());
        let line = match self.random.below(8) {
            0 => {
                let c = self.source();
                let second = if self.has_all { "umad" } else { "imad" };
                let name = self.random.pick(&["imad", second, "movc", "ubfe", "ibfe"]);
                format!("{name} {to}, {a}, {b}, {c}")
            }
            1 => {
                let name = self.random.pick(&["not", "ineg", "bfrev", "countbits", "firstbit_hi", "firstbit_lo"]);
                format!("{name} {to}, {a}")
            }
            2 => {
                let names = ["udiv", "imul", "umul", "uaddc", "usubb"];
                let name = self.random.pick(&names[..if self.has_all { names.len() } else { 1 }]);
                let second = self.random.pick(&["null", "r6", "r7.xz"]);
                match self.random.one_in(2) {
                    true => format!("{name} {to}, {second}, {a}, {b}"),
                    false => format!("{name} {second}, {to}, {a}, {b}"),
                }
            }
            3 => {
                let name = self.random.pick(&["ieq", "ine", "ilt", "ige", "ult", "uge"]);
                format!("{name} {to}, {a}, {b}")
            }
            _ => {
                let names = ["iadd", "iadd", "and", "or", "xor", "ishl", "ushr", "ishr", "imin", "umax"];
                format!("{} {to}, {a}, {b}", self.random.pick(&names))
            }
        };
        self.line(&line);
    }

    /// Floats that are whole and small, which every way of computing gives exactly.
    fn floats(&mut self) {
        let (a, b, to) = (self.source(), self.source(), self.result());
        self.line(&format!("and r6, {a}, l(255)"));
        self.line(&format!("and r7, {b}, l(63)"));
        self.line("utof r6, r6");
        self.line("itof r7, r7");
        let line = self.random.pick(&[
            "mad r6, r6, r7, -r6.wzyx",
            "add r6, -|r6|, r7",
            "mul r6, r6, -r7.yyxx",
            "max r6, r6, -r7",
            "dp3 r6, r6.xyzx, r7.zyxz",
            "lt r6, r6, r7\nand r6, r6, l(0x40400000)",
            "round_ni r6, r6\nmin r6, r6, r7",
            "mul r6, r6, l(0x3b800000)\nadd_sat r6, r6, -r7\nmul r6, r6, l(0x43800000)",
        ]);
        self.line(line);
        self.line(&format!("ftoi {to}, r6"));
    }

    /// Registers by a number that is computed.
    fn indexed(&mut self) {
        let (from, lane) = (self.data(), self.lane());
        // Past the end is the last register: Direct3D leaves it open, so vkd3d is not asked.
        let bits = if self.has_all { 15 } else { 7 };
        self.line(&format!("and r6.x, {from}.{lane}, l({bits})"));
        match self.random.one_in(2) {
            true => {
                let (mask, from) = (self.random.pick(&["", ".xz", ".y"]), self.data());
                self.line(&format!("mov x0[r6.x]{mask}, {from}"));
            }
            false => {
                let to = self.result();
                self.line(&format!("xor {to}, x0[r6.x].wxyz, r1"));
            }
        }
    }

    /// Constants past their end.
    fn outside(&mut self) {
        let (from, lane, to) = (self.data(), self.lane(), self.result());
        self.line(&format!("and r6.y, {from}.{lane}, l(127)"));
        self.line(&format!("iadd {to}, cb0[r6.y + 9].yxwz, r2"));
    }

    /// A condition in `r12`, as a lane of it.
    fn condition(&mut self) -> String {
        let (a, b) = (self.source(), self.source());
        let name = self.random.pick(&["ieq", "ine", "ilt", "uge", "and", "ult"]);
        let lane = self.lane();
        self.line(&format!("{name} r12.{lane}, {a}, {b}"));
        format!("r12.{lane}")
    }

    fn test(&mut self) -> &'static str {
        self.random.pick(&["_nz", "_z"])
    }

    fn block(&mut self, most: u32) {
        for _ in 0..1 + self.random.below(most) {
            self.statement();
        }
    }

    fn choice(&mut self) {
        let (condition, test) = (self.condition(), self.test());
        self.line(&format!("if{test} {condition}"));
        self.open.push(Block::If);
        self.block(4);
        if self.random.one_in(2) {
            self.line("else");
            self.block(3);
        }
        self.open.pop();
        self.line("endif");
    }

    fn repeat(&mut self) {
        let counter = format!("r{}.{}", 8 + self.loops / 2, ["x", "z"][self.loops % 2]);
        let turns = 1 + self.random.below(4);
        self.line(&format!("mov {counter}, l(0)"));
        self.line("loop");
        let may_continue = self.random.one_in(2);
        let count = format!("iadd {counter}, {counter}, l(1)\nuge r12.y, {counter}, l({turns})");
        if may_continue {
            self.line(&format!("uge r12.x, {counter}, l({turns})\nbreakc_nz r12.x\niadd {counter}, {counter}, l(1)"));
        }
        self.open.push(Block::Loop { may_continue });
        self.loops += 1;
        self.block(3);
        if self.open.len() < MOST_DEPTH {
            self.switch();
        }
        self.loops -= 1;
        self.open.pop();
        if !may_continue {
            // Counted at the end.
            let last =
                self.random.pick(&["breakc_nz r12.y", "if_nz r12.y\nbreak\nendif", "if_z r12.y\nelse\nbreak\nendif"]);
            self.line(&format!("{count}\n{last}"));
        }
        self.line("endloop");
    }

    fn switch(&mut self) {
        let (from, lane) = (self.data(), self.lane());
        let bits = self.random.pick(&[3, 3, 7]);
        self.line(&format!("and r12.z, {from}.{lane}, l({bits})"));
        self.line("switch r12.z");
        self.open.push(Block::Switch);
        let cases = 1 + self.random.below(4);
        let default = self.random.below(cases + 2);
        for case in 0..cases {
            if case == default {
                self.line("default");
                if !self.random.one_in(3) {
                    self.case_body();
                }
            }
            self.line(&format!("case l({case})"));
            if !self.random.one_in(4) || case + 1 == cases {
                self.case_body();
            }
        }
        if default == cases {
            self.line("default");
            self.case_body();
        }
        self.open.pop();
        self.line("endswitch");
    }

    fn case_body(&mut self) {
        self.block(3);
        // The next turn of the loop around, from within the switch.
        if self.loop_around() == Some(true) && self.random.one_in(2) {
            let (condition, test) = (self.condition(), self.test());
            self.line(&format!("continuec{test} {condition}"));
        }
        // Else it falls through.
        if !self.random.one_in(4) {
            self.line("break");
        }
    }

    /// Whether a turn of the innermost loop may end early, if there is a loop.
    fn loop_around(&self) -> Option<bool> {
        self.open.iter().rev().find_map(|block| match block {
            Block::Loop { may_continue } => Some(*may_continue),
            _ => None,
        })
    }

    /// Leaves a turn, a block or the program, mostly on a condition.
    fn jump(&mut self) {
        let around = self.loop_around();
        let can_break = self.open.iter().any(|block| *block != Block::If);
        // A breaking `if` counts as one more way.
        let (condition, test) = (self.condition(), self.test());
        match self.random.below(6) {
            0 | 1 if can_break => self.line(&format!("breakc{test} {condition}")),
            2 if around == Some(true) => {
                self.line(&format!("if{test} {condition}\ncontinue\nendif"));
            }
            3 if around == Some(true) => self.line(&format!("continuec{test} {condition}")),
            5 if self.in_function => self.line(&format!("retc{test} {condition}")),
            4 if self.stage == Stage::Pixel && self.random.one_in(4) => {
                self.line(&format!("discard{test} {condition}"))
            }
            // Threads of a group wait for each other.
            5 if self.stage != Stage::Compute && self.random.one_in(2) => {
                self.line("mov r10, r3.wzyx");
                self.text += READY;
                self.line(&format!("retc{test} {condition}"));
            }
            5 if self.stage != Stage::Compute && self.random.one_in(2) => {
                self.line(&format!("if{test} {condition}"));
                self.line("mov r10, r3.wzyx");
                self.text += EXIT;
                self.line("endif");
            }
            _ => {
                let to = self.result();
                self.line(&format!("movc {to}, {condition}, r4, r5.yzwx"));
            }
        }
    }

    /// Threads of a group give each other words, in control flow that is the same for all of them, which nobody can see.
    fn exchange(&mut self) {
        if !self.open.is_empty() {
            return;
        }
        let constant = self.random.below(80);
        let is_guarded = self.random.one_in(2);
        if is_guarded {
            let lane = self.lane();
            self.line(&format!("mov r13, cb0[{constant}]\nuge r13.x, r13.{lane}, l(2)"));
            let test = self.test();
            self.line(&format!("if{test} r13.x"));
        }
        let (given, to, other) = (self.data(), self.result(), 1 + self.random.below(62));
        let lane = self.lane();
        self.line("mov r13.w, vThreadIDInGroup.x");
        self.line(&format!("ishl r13.x, r13.w, l(4)\nstore_raw g0, r13.x, {given}"));
        self.line(&format!("store_structured g1.xy, r13.w, l(0), {given}.{lane}yxw"));
        self.line("sync_g_t");
        self.line(&format!("iadd r13.y, r13.w, l({other})\nand r13.z, r13.y, l(63)\nishl r13.y, r13.z, l(4)"));
        self.line(&format!("ld_raw r14, r13.y, g0.zwxy\nxor {to}, r14, {given}"));
        let offset = self.random.pick(&[0, 4, 8]);
        self.line(&format!("ld_structured r14.x, r13.z, l({offset}), g1.xxxx\niadd r2.z, r14.x, r2.z"));
        self.line("sync_g_t");
        if is_guarded {
            self.line("endif");
        }
    }
}
