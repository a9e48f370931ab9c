//! Random programs of SM2 and SM3: nested blocks, functions, predicates and computed indices around exact arithmetic.
//!
//! Every loop's turns are constants. `r0` and `r3` to `r6` hold what is computed, and stay between -2 and 2.

use super::random_first;
use super::wrap::Body;
use crate::support::random::Random;

const MODELS: [&str; 6] = ["vs_2_0", "vs_2_x", "vs_3_0", "ps_2_0", "ps_2_x", "ps_3_0"];
const HELD: [&str; 5] = ["r0", "r3", "r4", "r5", "r6"];
const MOST_DEPTH: usize = 4;

struct Writer {
    random: Random,
    model: &'static str,
    text: String,
    depth: usize,
    /// Number of blocks that are loops.
    loops: usize,
    /// Number of loops that count `aL`.
    counters: usize,
    left: u32,
    functions: u32,
    has_predicate: bool,
}

/// The random program of a number; each third is of SM1.
pub fn body(seed: u64) -> Body {
    let mut random = Random::new(seed);
    if seed % 3 == 2 {
        return random_first::body(seed, random);
    }
    let model = random.pick(&MODELS);
    let (left, functions) = (10 + random.below(25), if model == "ps_2_0" { 0 } else { random.below(3) });
    let mut writer = Writer {
        random,
        model,
        text: "mov r3, r1\nmov r4, r2\nmov r5, c2\nmov r6, c3\n".to_owned(),
        depth: 0,
        loops: 0,
        counters: 0,
        left,
        functions,
        has_predicate: false,
    };
    writer.lines();
    for function in 0..functions {
        // Each calls only those behind it.
        writer.text += &format!("ret\nlabel l{function}\n");
        writer.functions = functions - function - 1;
        writer.left = 4 + writer.random.below(6);
        writer.has_predicate = false;
        writer.lines_of(function + 1);
    }
    if functions > 0 {
        writer.text += "ret\n";
    }
    Body { name: format!("random {seed} {model}"), model, lines: writer.text, is_near: false }
}

impl Writer {
    fn has_predicates(&self) -> bool {
        matches!(self.model, "vs_2_x" | "vs_3_0" | "ps_2_x" | "ps_3_0")
    }

    fn lines(&mut self) {
        self.lines_of(0);
    }

    /// Lines that call functions from this one on.
    fn lines_of(&mut self, first: u32) {
        while self.left > 0 {
            self.left -= 1;
            self.line(first);
        }
    }

    fn block(&mut self, first: u32) {
        self.depth += 1;
        for _ in 0..1 + self.random.below(4) {
            self.left = self.left.saturating_sub(1);
            self.line(first);
        }
        self.depth -= 1;
    }

    fn line(&mut self, first: u32) {
        let has_flow = self.model != "ps_2_0" && self.depth < MOST_DEPTH;
        match self.random.below(if has_flow { 14 } else { 9 }) {
            0..9 => self.instruction(),
            9 | 10 => self.branch(first),
            11 | 12 => self.turns(first),
            // From within a block of a function.
            _ if first > 0 && self.depth > 0 && self.random.one_in(3) => self.text += "ret\n",
            _ if self.functions > 0 => {
                let callee = first + self.random.below(self.functions);
                if self.random.one_in(2) {
                    self.text += &format!("call l{callee}\n");
                } else {
                    let flag = self.flag();
                    self.text += &format!("callnz l{callee}, {flag}\n");
                }
            }
            _ => self.instruction(),
        }
    }

    fn flag(&mut self) -> String {
        let not = self.random.pick(&["", "!"]);
        let flag = self.random.below(4);
        format!("{not}b{flag}")
    }

    fn comparison(&mut self) -> &'static str {
        self.random.pick(&["gt", "eq", "ge", "lt", "ne", "le"])
    }

    /// One lane of a source.
    fn lane(&mut self) -> String {
        let register = self.random.pick(&HELD);
        let lane = self.random.pick(&["x", "y", "z", "w"]);
        let sign = self.random.pick(&["", "-"]);
        format!("{sign}{register}.{lane}")
    }

    fn branch(&mut self, first: u32) {
        let has_comparisons = self.has_predicates();
        match self.random.below(if has_comparisons { 3 } else { 1 }) {
            0 => {
                let flag = self.flag();
                self.text += &format!("if {flag}\n");
            }
            1 => {
                let (how, a, b) = (self.comparison(), self.lane(), self.lane());
                self.text += &format!("if_{how} {a}, {b}\n");
            }
            _ => {
                self.predicate();
                let lane = self.random.pick(&["x", "y", "z", "w"]);
                let not = self.random.pick(&["", "!"]);
                self.text += &format!("if {not}p0.{lane}\n");
            }
        }
        self.block(first);
        if self.random.one_in(2) {
            self.text += "else\n";
            self.block(first);
        }
        self.text += "endif\n";
    }

    fn turns(&mut self, first: u32) {
        let counts = self.random.below(4);
        let can_count = self.model != "ps_2_x";
        let is_counted = can_count && self.random.one_in(2);
        self.text += &if is_counted { format!("loop aL, i{counts}\n") } else { format!("rep i{counts}\n") };
        self.loops += 1;
        self.counters += u32::from(is_counted) as usize;
        self.block(first);
        if self.has_predicates() && self.random.one_in(2) {
            let (how, a, b) = (self.comparison(), self.lane(), self.lane());
            self.text += &format!("break_{how} {a}, {b}\n");
            self.block(first);
        } else if self.has_predicates() && self.random.one_in(3) {
            self.predicate();
            self.text += "breakp p0.z\n";
        }
        self.loops -= 1;
        self.counters -= u32::from(is_counted) as usize;
        self.text += if is_counted { "endloop\n" } else { "endrep\n" };
    }

    fn predicate(&mut self) {
        let (how, a, b) = (self.comparison(), self.source(), self.source());
        // A predicate may hold what an instruction before has left in its other lanes.
        let mask = if self.has_predicate { self.random.pick(&["", ".xz", ".y"]) } else { "" };
        self.text += &format!("setp_{how} p0{mask}, {a}, {b}\n");
        self.has_predicate = true;
    }

    /// Four lanes of a source.
    fn source(&mut self) -> String {
        let sign = self.random.pick(&["", "", "-"]);
        let swizzle = self.random.pick(&["", "", ".x", ".yzx", ".wzyx", ".xxzw"]);
        let can_index = self.model.starts_with("vs") || self.model == "ps_3_0";
        let register = match self.random.below(7) {
            0 => format!("c{}", 2 + self.random.below(18)),
            1 if can_index && self.counters > 0 => format!("c[aL + {}]", self.random.below(6)),
            1 if self.model.starts_with("vs") => {
                let lane = self.random.pick(&["x", "y", "z", "w"]);
                self.text += &format!("mova a0, {}\n", self.random.pick(&["c1", "r1", "r2"]));
                format!("c[a0.{lane} + 4]")
            }
            2 => self.random.pick(&["r1", "r2"]).to_owned(),
            _ => self.random.pick(&HELD).to_owned(),
        };
        let absolute = if self.model.ends_with("3_0") && self.random.one_in(6) { "_abs" } else { "" };
        format!("{sign}{register}{absolute}{swizzle}")
    }

    fn instruction(&mut self) {
        if self.has_predicates() && self.random.one_in(8) {
            return self.predicate();
        }
        let is_vertex = self.model.starts_with("vs");
        let (name, count) = self.random.pick(&[
            ("mov", 1),
            ("add", 2),
            ("sub", 2),
            ("mul", 2),
            ("mad", 3),
            ("mad", 3),
            ("min", 2),
            ("max", 2),
            ("frc", 1),
            ("abs", 1),
            ("lrp", 3),
            ("dp3", 2),
            ("dp4", 2),
            if is_vertex { ("slt", 2) } else { ("cmp", 3) },
            if is_vertex { ("sge", 2) } else { ("dp2add", 3) },
        ]);
        let sources: Vec<String> = (0..count).map(|_| self.source()).collect();
        let mut sources = sources.join(", ");
        // What is added is one lane.
        if name == "dp2add" {
            sources = format!("{}, {}", sources.rsplit_once(", ").unwrap().0, self.lane());
        }
        let saturates = self.random.one_in(8) && self.model != "vs_2_0";
        let (result, suffix) = (self.random.pick(&HELD), if saturates { "_sat" } else { "" });
        let mask = self.random.pick(&["", "", ".x", ".yz", ".xyw"]);
        let predicate = match self.has_predicate && self.random.one_in(3) {
            true => self.random.pick(&["(p0) ", "(!p0) ", "(p0.y) ", "(!p0.x) "]),
            false => "",
        };
        self.text += &format!("{predicate}{name}{suffix} {result}{mask}, {sources}\n");
        self.text += &format!("min {result}, {result}, c20.x\nmax {result}, {result}, -c20.x\n");
    }
}
