//! Every instruction that computes, in every form its operands can have: a program an instruction, a row of pixels a form.

use serde_json::{Value, json};

use super::wrap::{LANES, TUPLES};

/// Kinds of numbers in an instruction's operands, and the values that it is tried with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers {
    /// Floats at the edges: no numbers, infinities, denormals, zeros of both signs.
    Floats,
    /// Floats that are added up, without those that overflow.
    Sums,
    /// Angles.
    Angles,
    /// Words that are signed, and can be negated.
    Signed,
    /// Words.
    Unsigned,
    /// A condition, then words that move.
    Choice,
}

/// An instruction: its name, results, sources, numbers, and how exactly it computes.
pub struct Instruction {
    pub name: &'static str,
    pub results: u32,
    pub sources: u32,
    pub numbers: Numbers,
    /// Steps of a float that a result may be off; nothing for words.
    pub steps: Option<u32>,
}

macro_rules! instructions {
    ($($name:literal $results:literal $sources:literal $numbers:ident $steps:expr;)*) => {
        /// The instructions that compute.
        pub const INSTRUCTIONS: &[Instruction] = &[$(Instruction {
            name: $name, results: $results, sources: $sources, numbers: Numbers::$numbers, steps: $steps,
        }),*];
    };
}

instructions! {
    "add" 1 2 Floats Some(0); "mul" 1 2 Floats Some(0); "div" 1 2 Floats Some(1); "min" 1 2 Floats Some(0);
    "max" 1 2 Floats Some(0); "mad" 1 3 Floats Some(0); "dp2" 1 2 Sums Some(4); "dp3" 1 2 Sums Some(4);
    "dp4" 1 2 Sums Some(4); "rcp" 1 1 Floats Some(1); "sqrt" 1 1 Floats Some(1); "rsq" 1 1 Floats Some(8);
    "exp" 1 1 Sums Some(64); "log" 1 1 Floats Some(64); "frc" 1 1 Floats Some(1); "round_ne" 1 1 Floats Some(0);
    "round_ni" 1 1 Floats Some(0); "round_pi" 1 1 Floats Some(0); "round_z" 1 1 Floats Some(0);
    "sincos" 2 1 Angles Some(16); "mov" 1 1 Floats None; "movc" 1 3 Choice None; "swapc" 2 3 Choice None;
    "eq" 1 2 Floats None; "ne" 1 2 Floats None; "lt" 1 2 Floats None; "ge" 1 2 Floats None;
    "ftoi" 1 1 Floats None; "ftou" 1 1 Floats None; "f32tof16" 1 1 Floats Some(1); "f16tof32" 1 1 Unsigned Some(0);
    "itof" 1 1 Signed Some(0); "utof" 1 1 Unsigned Some(0);
    "ieq" 1 2 Signed None; "ine" 1 2 Signed None; "ilt" 1 2 Signed None; "ige" 1 2 Signed None;
    "ult" 1 2 Unsigned None; "uge" 1 2 Unsigned None; "iadd" 1 2 Signed None; "ineg" 1 1 Signed None;
    "imin" 1 2 Signed None; "imax" 1 2 Signed None; "umin" 1 2 Unsigned None; "umax" 1 2 Unsigned None;
    "imad" 1 3 Signed None; "umad" 1 3 Unsigned None; "imul" 2 2 Signed None; "umul" 2 2 Unsigned None;
    "udiv" 2 2 Unsigned None; "uaddc" 2 2 Unsigned None; "usubb" 2 2 Unsigned None;
    "and" 1 2 Unsigned None; "or" 1 2 Unsigned None; "xor" 1 2 Unsigned None; "not" 1 1 Unsigned None;
    "ishl" 1 2 Unsigned None; "ishr" 1 2 Unsigned None; "ushr" 1 2 Unsigned None;
    "countbits" 1 1 Unsigned None; "bfrev" 1 1 Unsigned None; "firstbit_hi" 1 1 Unsigned None;
    "firstbit_lo" 1 1 Unsigned None; "firstbit_shi" 1 1 Unsigned None;
    "ubfe" 1 3 Unsigned None; "ibfe" 1 3 Unsigned None; "bfi" 1 4 Unsigned None;
}

/// Spelling of an instruction's operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    Plain,
    OrdinaryValues,
    SecondResult,
    Negate,
    Absolute,
    NegateAbsolute,
    Saturate,
    SaturateOrdinary,
    Swizzle,
    Select,
    Mask,
    ConstantBuffer,
    Immediate,
    ImmediateOne,
    OwnConstants,
    Indexable,
    IndexableResult,
    ResultIsSource,
}

impl Form {
    pub const ALL: [Self; 18] = [
        Self::Plain,
        Self::OrdinaryValues,
        Self::SecondResult,
        Self::Negate,
        Self::Absolute,
        Self::NegateAbsolute,
        Self::Saturate,
        Self::SaturateOrdinary,
        Self::Swizzle,
        Self::Select,
        Self::Mask,
        Self::ConstantBuffer,
        Self::Immediate,
        Self::ImmediateOne,
        Self::OwnConstants,
        Self::Indexable,
        Self::IndexableResult,
        Self::ResultIsSource,
    ];
}

impl Instruction {
    /// Whether the sources are floats, with the modifiers of such.
    fn has_float_sources(&self) -> bool {
        matches!(self.numbers, Numbers::Floats | Numbers::Sums | Numbers::Angles | Numbers::Choice)
    }

    /// Whether the result is a float, which can be saturated.
    fn has_float_result(&self) -> bool {
        (self.steps.is_some() && self.name != "f32tof16") || matches!(self.name, "mov" | "movc" | "swapc")
    }

    /// Whether Direct3D has the instruction in a form.
    pub fn has(&self, form: Form) -> bool {
        match form {
            Form::Negate => self.has_float_sources() || self.numbers == Numbers::Signed,
            Form::Absolute | Form::NegateAbsolute => self.has_float_sources(),
            Form::Saturate | Form::SaturateOrdinary => self.has_float_result(),
            Form::SecondResult => self.results == 2,
            _ => true,
        }
    }

    /// Whether results are sums, whose terms may be added up in any order.
    pub fn is_sum(&self) -> bool {
        matches!(self.name, "dp2" | "dp3" | "dp4")
    }

    /// Rule by which results are compared.
    pub fn rule(&self) -> Value {
        match (self.name, self.steps) {
            ("f32tof16", _) => json!({ "kind": "float16", "ulp": 1 }),
            ("min" | "max", Some(steps)) => json!({ "kind": "float32", "ulp": steps, "zero_sign": "any" }),
            ("sincos", Some(steps)) => json!({ "kind": "float32", "ulp": steps, "abs": 1e-4 }),
            ("exp" | "log", Some(steps)) => json!({ "kind": "float32", "ulp": steps, "abs": 1e-5 }),
            (_, Some(steps)) => json!({ "kind": "float32", "ulp": steps }),
            (_, None) => json!({ "kind": "exact" }),
        }
    }

    /// The first of the constants that the form is tried with: rows of values, then rows of their partners.
    fn values(&self, form: Form) -> u32 {
        let is_ordinary = matches!(form, Form::OrdinaryValues | Form::SaturateOrdinary | Form::Mask | Form::Select);
        match self.numbers {
            // Where bits move, a denormal may be saturated to itself or to 0.
            _ if self.steps.is_none() && matches!(form, Form::Saturate | Form::SaturateOrdinary) => 1,
            Numbers::Floats if is_ordinary => 1,
            Numbers::Floats => 0,
            Numbers::Sums | Numbers::Angles => 1,
            Numbers::Signed | Numbers::Unsigned | Numbers::Choice if is_ordinary => 3,
            Numbers::Signed | Numbers::Unsigned | Numbers::Choice => 2,
        }
    }

    /// The lines that leave the result of a form in `r8`.
    fn lines(&self, form: Form) -> String {
        let base = self.values(form) * ROWS;
        // Where the values of a tuple lie: r0.y of the first and third operand, r0.z of the second and fourth.
        let index = |source: u32| {
            let lane = ["r0.y", "r0.z", "r0.w", "r0.y"][source as usize];
            let base = base + [0, 16, 0, 0][source as usize];
            format!("{lane} + {base}")
        };
        let mut text = String::new();
        for source in 0..self.sources {
            text += &format!("mov r{}, cb0[{}]\n", source + 1, index(source));
            if form == Form::Indexable {
                text += &format!("mov x0[{source}], r{}\nmov r{}, l(0,0,0,0)\n", source + 1, source + 1);
            }
        }
        text += "mov r8, l(0x11111111,0x22222222,0x33333333,0x44444444)\n";
        let is_condition = |source: u32| self.numbers == Numbers::Choice && source == 0;
        let source = |source: u32| {
            let register = format!("r{}", source + 1);
            match form {
                _ if is_condition(source) && form < Form::Swizzle => register,
                Form::Negate => format!("-{register}"),
                Form::Absolute => format!("|{register}|"),
                Form::NegateAbsolute => format!("-|{register}|"),
                Form::Swizzle => format!("{register}.{}", ["wzyx", "yxwz", "zxxy", "wwyz"][source as usize]),
                Form::Select => format!("{register}.{}", ["z", "x", "w", "y"][source as usize]),
                Form::Mask => format!("{register}.{}", ["yzwx", "xyzw", "wxyz", "zzxx"][source as usize]),
                Form::ConstantBuffer => format!("cb0[{}].{}", index(source), ["xyzw", "zyxw"][source as usize % 2]),
                Form::Immediate if source + 1 == self.sources => self.immediate(4),
                Form::ImmediateOne if source + 1 == self.sources => self.immediate(1),
                Form::OwnConstants if source + 1 == self.sources => format!("icb[r0.y + {}]", self.own_constants()),
                Form::Indexable if source == 0 => "x0[r9.x]".to_owned(),
                Form::Indexable => format!("x0[{source}].xywz"),
                _ => register,
            }
        };
        let sources: Vec<String> = (0..self.sources).map(source).collect();
        let saturate = if matches!(form, Form::Saturate | Form::SaturateOrdinary) { "_sat" } else { "" };
        let (result, other) = match form {
            Form::Mask => ("r8.xz", "r9.yw"),
            Form::IndexableResult => ("x0[r9.x + 1]", "x0[3]"),
            Form::ResultIsSource => ("r1", if self.sources > 1 { "r2" } else { "r3" }),
            _ => ("r8", "r9"),
        };
        let results = match (self.results, form) {
            (1, _) => result.to_owned(),
            (_, Form::SecondResult) => format!("null, {result}"),
            (_, Form::Plain) => format!("{result}, null"),
            _ => format!("{result}, {other}"),
        };
        text += "mov r9, l(0,0,0,0)\n";
        text += &format!("{}{saturate} {results}, {}\n", self.name, sources.join(", "));
        text += match form {
            // Whether 0 has a sign there is not said.
            Form::Saturate | Form::SaturateOrdinary => "and r8, r8, l(0x7fffffff)\n",
            Form::IndexableResult => "mov r8, x0[1]\n",
            Form::ResultIsSource => "mov r8, r1\n",
            Form::Mask if self.results == 2 => "mov r8.yw, r9\n",
            _ => "",
        };
        text
    }

    /// The last operand as a number in the program.
    fn immediate(&self, lanes: usize) -> String {
        // Drivers take a product with a 0 that they know for 0, whatever its sign and the other factor.
        let least = if matches!(self.name, "mul" | "mad") { -1.0_f32 } else { -0.0 };
        let all: [u32; 4] = match (self.numbers, self.has_float_sources()) {
            (Numbers::Choice, _) | (_, false) => [33, 0, 0x8000_0001, 7],
            _ => [2.5_f32.to_bits(), least.to_bits(), 0x7fc0_0000, f32::NEG_INFINITY.to_bits()],
        };
        let finite = [2.5_f32, -0.75, 3.0, 0.25].map(f32::to_bits);
        let all = if matches!(self.numbers, Numbers::Angles | Numbers::Sums) { finite } else { all };
        let words: Vec<String> = all[..lanes].iter().map(|word| format!("{word:#x}")).collect();
        format!("l({})", words.join(","))
    }

    /// The row of the program's own constants that the last operand begins at.
    fn own_constants(&self) -> u32 {
        if self.has_float_sources() { 0 } else { 16 }
    }

    /// The lines of each form, which leave its result in `r10`.
    pub fn parts(&self) -> Vec<String> {
        self.forms().into_iter().map(|form| self.lines(form) + "mov r10, r8\n").collect()
    }

    pub fn forms(&self) -> Vec<Form> {
        Form::ALL.into_iter().filter(|form| self.has(*form)).collect()
    }
}

/// Rows of values: 16 of one operand, 4 of its partner.
const ROWS: u32 = 20;

/// The values, four sets of them; without denormals where a driver takes them for numbers, which it may not.
fn sets(has_denormals: bool) -> [[u32; 16]; 4] {
    let edges = [
        f32::INFINITY,
        f32::NEG_INFINITY,
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        -2.5,
        f32::MAX,
        f32::MIN_POSITIVE,
        -1.0e5,
        3.0e-20,
        2_147_483_648.0,
    ];
    let mut floats = [0x7fc0_0000_u32; 16];
    floats[1..14].copy_from_slice(&edges.map(f32::to_bits));
    // Denormals of both signs.
    floats[14..].copy_from_slice(&[1, 0x807f_ffff]);
    if !has_denormals {
        let others = [1.0e-9_f32, 3.0e-7, -4.0e-8].map(f32::to_bits);
        [floats[10], floats[14], floats[15]] = others;
    }
    let ordinary =
        [0.5_f32, 1.5, 2.5, -0.5, -1.5, 0.1, 3.7, -3.2, 100.25, -100.75, 7.0, 0.75, 1.0, 65.5, -0.001, 12.125];
    let words = [
        0,
        1,
        2,
        u32::MAX,
        0xffff_fffe,
        1 << 31,
        i32::MAX as u32,
        31,
        32,
        33,
        0x5555_5555,
        0xaaaa_aaaa,
        0xffff,
        0x1_0000,
        0x1234_5678,
        0x7c01_fc00,
    ];
    let small =
        [0, 1, 3, 5, 8, 13, 16, 24, 0xf0f0_f0f0, 0x0000_3c00, 7, 30, 0x0000_83ff, 0x8001_0001, 100, 0xffff_ff9c];
    [floats, ordinary.map(f32::to_bits), words, small]
}

/// The constant buffer: every lane of rows 0 to 15 meets every value of rows 16 to 19 once in the tuples.
pub fn constants(has_denormals: bool) -> Vec<[u32; 4]> {
    let of_set = |set: [u32; 16]| {
        let values = (0..16).map(move |row| std::array::from_fn(|lane| set[(row + 5 * lane) % 16]));
        values.chain((0..4).map(move |row| std::array::from_fn(|lane| set[(4 * row + lane) % 16])))
    };
    sets(has_denormals).into_iter().flat_map(of_set).collect()
}

/// The program's own constants: ordinary floats, then small words.
pub fn own_constants() -> Vec<u32> {
    let sets = sets(true);
    let rows = |set: [u32; 16]| (0..16).flat_map(move |row| (0..4).map(move |lane| set[(row + 3 * lane) % 16]));
    rows(sets[1]).chain(rows(sets[3])).collect()
}

/// Instructions before the forms: `r0.yzw` say where the values of tuple `r0.y` lie.
pub fn prologue() -> String {
    assert_eq!((TUPLES, LANES), (64, 4));
    "ushr r0.z, r0.y, l(4)\nimad r0.w, r0.y, l(5), l(3)\nand r0.yw, r0.yyww, l(15)\n".to_owned()
}
