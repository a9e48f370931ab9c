//! Assembly of SM1 to SM3 as people edit it: what the disassembler writes is the same shader again, whoever made it.

use std::collections::BTreeSet;

use d3d_bytecode::legacy::{LegacyOpcode, emulator_forms, microsoft_forms, numbers};
use d3d_bytecode::{Dialect, Opcode, Producer, Stage, Version, assemble, decode, disassemble};

use super::{MODELS, fixture, without_comments};
use dev_trials::{Trial, trials_of};

pub fn trials() -> Vec<Trial> {
    trials_of![
        programs_are_assembled_to_their_bytes,
        dialect_and_producer_are_written_back,
        every_operand_of_every_instruction,
        mistakes_are_told_by_place,
        samplers_have_swizzles,
    ]
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Words in which `aL`, which has one lane, has no swizzle: the assembler of the fixtures leaves it clear.
fn plain(bytes: &[u8]) -> Vec<u32> {
    let word = |bytes: &[u8; 4]| match u32::from_le_bytes(*bytes) {
        0xf0e4_0800 => 0xf000_0800,
        word => word,
    };
    bytes.as_chunks().0.iter().map(word).collect()
}

fn programs_are_assembled_to_their_bytes() {
    for model in MODELS {
        let bytes = fixture(&format!("{model}.d3dbc"));
        let program = decode(&bytes, 0).unwrap();
        let (again, read) = assemble(&disassemble(&program)).unwrap_or_else(|error| panic!("{model}: {error}"));
        let expected = without_comments(&bytes, &program);
        let (again, expected) = (plain(&again), plain(&expected));
        let place = again.iter().zip(&expected).position(|(a, b)| a != b).unwrap_or(again.len().min(expected.len()));
        assert!(again == expected, "{model} from {place}: {:x?} is {:x?}", &expected[place..], &again[place..]);
        assert!(read.is_same_code(&program) || !program.comments().is_empty(), "{model}");
    }
}

fn dialect_and_producer_are_written_back() {
    let source = |head: &str| format!("ps_2_0\n{head}texld r0, t0, s0\nmul r0, r0, c0\nmov oC0, r0\n");
    let assembled = |head: &str| {
        let text = source(head);
        let (bytes, program) = assemble(&text).unwrap();
        assert_eq!(disassemble(&program), text);
        let words: Vec<u32> = bytes.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect();
        (words, program)
    };
    let (words, program) = assembled("");
    assert_eq!((program.dialect(), program.producer()), (Dialect::Microsoft, Producer::Application));
    assert_eq!(words[..5], [0xffff_0200, 0x0300_0042, 0x800f_0000, 0xb0e4_0000, 0xa0e4_0800]);
    let (words, program) = assembled(".producer driver\n");
    assert_eq!((program.dialect(), program.producer()), (Dialect::Microsoft, Producer::Driver));
    assert_eq!(words[..5], [0xffff_0200, 0x0300_0042, 0x000f_0000, 0x30e4_0000, 0x20e4_0800]);
    let (words, program) = assembled(".dialect total-length\n.producer driver\n");
    assert_eq!((program.dialect(), program.producer()), (Dialect::TotalLength, Producer::Driver));
    assert_eq!(words[..5], [0xffff_0200, 0x0400_0042, 0x000f_0000, 0x30e4_0000, 0x20e4_0800]);
    let (words, program) = assembled(".dialect total-length\n");
    assert_eq!((program.dialect(), program.producer()), (Dialect::TotalLength, Producer::Application));
    assert_eq!(words[..5], [0xffff_0200, 0x0400_0042, 0x800f_0000, 0xb0e4_0000, 0xa0e4_0800]);
}

fn samplers_have_swizzles() {
    for (text, token) in [("s1", 0xa0e4_0801), ("s1.wzyx", 0xa01b_0801), ("s1.x", 0xa000_0801), ("s1.xyz", 0xa0a4_0801)]
    {
        let text = format!("ps_3_0\ndcl_texcoord v0\ndcl_2d s1\ntexld r0.xy, v0, {text}\nmov oC0, r0\n");
        let (bytes, program) = assemble(&text).unwrap();
        assert_eq!(disassemble(&program), text);
        assert!(bytes.as_chunks().0.iter().any(|bytes| u32::from_le_bytes(*bytes) == token), "{text}");
    }
}

/// Encoding of programs: bit 31, and whether lengths count the first dword.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Encoding {
    version: Version,
    is_marked: bool,
    is_total: bool,
}

/// An instruction with what it needs around it.
struct Walked {
    encoding: Encoding,
    number: u32,
    form: &'static LegacyOpcode,
}

impl Walked {
    fn mark(&self, token: u32) -> u32 {
        if self.encoding.is_marked { token | 1 << 31 } else { token }
    }

    fn instruction(&self, number: u32, body: &[u32], longer: u32) -> Vec<u32> {
        let length = body.len() as u32 + u32::from(self.encoding.is_total) + longer;
        let length = if self.encoding.version.major < 2 { 0 } else { length << 24 };
        let mut words = vec![number | length];
        words.extend(body);
        words.extend(std::iter::repeat_n(self.mark(0x00e4_0000), longer as usize));
        words
    }

    /// A program of the instruction with these operands.
    fn program(&self, body: &[u32], longer: u32) -> Vec<u8> {
        let version = self.encoding.version;
        let stage = if version.stage == Stage::Pixel { 0xffff } else { 0xfffe };
        let mut all = vec![stage << 16 | u32::from(version.major) << 8 | u32::from(version.minor)];
        let counts = self.mark(0x70e4_0000);
        let is_compared = matches!(self.form.opcode, Opcode::IfC | Opcode::BreakC | Opcode::SetP);
        let number = self.number | u32::from(is_compared) << 16;
        let is_break = matches!(self.form.opcode, Opcode::BreakC | Opcode::BreakP);
        if is_break {
            all.extend(self.instruction(38, &[counts], 0));
        }
        // Which dialect a program has is told by an instruction with operands.
        let known = self.instruction(1, &[self.mark(0x000f_0000), self.mark(0x20e4_0000)], 0);
        if self.form.opcode != Opcode::Label {
            all.extend(&known);
        }
        if self.form.opcode == Opcode::Label {
            all.extend(&known);
            all.extend(self.instruction(28, &[], 0));
        }
        all.extend(self.instruction(number, body, longer));
        let end = match self.form.opcode {
            Opcode::If | Opcode::IfC => Some(43),
            Opcode::Rep => Some(39),
            Opcode::Loop => Some(29),
            Opcode::Label => Some(28),
            _ if is_break => Some(39),
            _ => None,
        };
        if let Some(end) = end {
            all.extend(self.instruction(end, &[], 0));
        }
        all.push(0xffff);
        words(&all)
    }
}

/// Holds that a program's text is the same program again; `false` if it is none.
fn holds(bytes: &[u8]) -> bool {
    let Ok(program) = decode(bytes, 0) else { return false };
    let text = disassemble(&program);
    let (again, read) = assemble(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert!(read.is_same_code(&program), "{text}\nassembles to\n{}", disassemble(&read));
    assert_eq!(disassemble(&read), text);
    assert_eq!(decode(&again, 0).unwrap(), read);
    true
}

const TYPES: u32 = 20;

fn register_token(register_type: u32, number: u32) -> u32 {
    (register_type & 7) << 28 | register_type >> 3 << 11 | number
}

/// Every modifier, mask, swizzle and length of every operand of every instruction of every model.
fn every_operand_of_every_instruction() {
    let encodings = [
        ("vs_1_1", true, false),
        ("ps_1_1", true, false),
        ("ps_1_2", true, false),
        ("ps_1_3", true, false),
        ("ps_1_4", true, false),
        ("vs_2_x", true, false),
        ("ps_2_x", false, true),
        ("ps_2_x", true, false),
        ("vs_3_0", true, false),
        ("vs_3_0", false, true),
        ("ps_3_0", true, false),
        ("ps_3_0", false, false),
    ];
    let (mut walked, mut seen) = (0_u32, BTreeSet::new());
    for (model, is_marked, is_total) in encodings {
        let version = decode(&fixture(&format!("{model}.d3dbc")), 0).unwrap().version();
        let encoding = Encoding { version, is_marked, is_total };
        for number in numbers() {
            let forms = microsoft_forms(number).iter().chain(emulator_forms(number).iter().filter(|_| is_total));
            for form in forms.filter(|form| form.is_in(version) && !form.takes.is_empty()) {
                let instruction = Walked { encoding, number, form };
                let count = walk(&instruction);
                assert!(count > 0, "{model}: nothing of {} is read", form.opcode);
                walked += count;
                seen.insert(form.opcode.name());
            }
        }
    }
    assert!(walked > 100_000 && seen.len() > 70, "{walked} programs, {} instructions", seen.len());
}

/// Walks the operands of one instruction; says how many programs were read.
fn walk(of: &Walked) -> u32 {
    // Registers that each operand may be, the others staying at what is known to be right.
    let places = of.form.takes.len();
    let mut body = vec![0; places];
    let full = |place: usize| if is_result(of.form, place) { 0x000f_0000 } else { 0x00e4_0000 };
    let Some(found) = first_registers(of, &mut body, 0) else { return 0 };
    body = found;
    let mut count = 0;
    let is_full = of.encoding.version.major == 3 && of.encoding.is_marked;
    for place in 0..places {
        for register_type in 0..TYPES {
            for number in [0, 1, 2] {
                let mut other = body.clone();
                other[place] = of.mark(register_token(register_type, number) | full(place));
                count += u32::from(holds(&of.program(&other, 0)));
                if !is_result(of.form, place) && of.encoding.version.major >= 2 && number == 1 {
                    // An index: a0.x, or aL.
                    for index in [register_token(3, 0) | 0x00aa_0000, register_token(15, 0) | 0x00e4_0000] {
                        let mut indexed = other.clone();
                        indexed[place] |= 1 << 13;
                        indexed.insert(place + 1, of.mark(index));
                        count += u32::from(holds(&of.program(&indexed, 0)));
                    }
                }
            }
        }
        let bits: Vec<u32> = match is_result(of.form, place) {
            true => (0..16)
                .flat_map(|mask| [mask << 16, mask << 16 | 1 << 20])
                .chain((0..16).map(|flags| 0x000f_0000 | flags << 20))
                .chain((0..16).map(|shift| 0x000f_0000 | shift << 24))
                .collect(),
            false => (0..256)
                .step_by(if is_full { 1 } else { 5 })
                .map(|swizzle| swizzle << 16)
                .chain((0..16).map(|modifier| 0x00e4_0000 | modifier << 24))
                .collect(),
        };
        for bits in bits {
            let mut other = body.clone();
            other[place] = other[place] & !0x0fff_0000 | bits;
            count += u32::from(holds(&of.program(&other, 0)));
        }
    }
    // Two instructions that share a number are told apart by their lengths.
    let all = microsoft_forms(of.number).iter().chain(emulator_forms(of.number));
    let is_alone = all.filter(|form| form.is_in(of.encoding.version)).count() == 1;
    if of.encoding.version.major >= 2 && is_alone {
        for longer in 1..=2 {
            assert!(holds(&of.program(&body, longer)), "{} by {longer} dwords longer", of.form.opcode);
        }
    }
    count
}

fn is_result(form: &LegacyOpcode, place: usize) -> bool {
    use d3d_bytecode::legacy::Takes;
    matches!(form.takes[place], Takes::Result | Takes::Comparison)
}

/// Operands with which the instruction is read.
fn first_registers(of: &Walked, body: &mut Vec<u32>, place: usize) -> Option<Vec<u32>> {
    if place == body.len() {
        return decode(&of.program(body, 0), 0).is_ok().then(|| body.clone());
    }
    let full = if is_result(of.form, place) { 0x000f_0000 } else { 0x00e4_0000 };
    for register_type in [0, 2, 3, 10, 7, 15, 18, 19, 14] {
        body[place] = of.mark(register_token(register_type, 0) | full);
        if let Some(found) = first_registers(of, body, place + 1) {
            return Some(found);
        }
    }
    None
}

fn mistakes_are_told_by_place() {
    for (text, message) in [
        ("ps_2_0\nmvo r0, r1", "line 2, column 1: expected an instruction, found mvo"),
        (
            "ps_2_0\nmov r0",
            "line 2, column 1: expected an instruction of the model, with its number of operands, found mov",
        ),
        ("ps_2_0\nmov r0.yx, c0", "line 2, column 8: expected lanes in the order of xyzw, each once, found yx"),
        ("ps_2_0\nmov r0, q0", "line 2, column 9: expected a register of the shader model, found q0"),
        ("ps_2_0\nmov r0, c300", "line 2, column 9: expected a register of the shader model, found c300"),
        ("ps_2_0\nmov r0, c0.xyq", "line 2, column 12: expected letters of xyzw, found xyq"),
        ("ps_2_0\nmov_foo r0, c0", "line 2, column 5: expected a comparison, a shift, sat, pp or centroid, found foo"),
        (
            "ps_2_0\nmov_gt r0, c0",
            "line 2, column 1: expected a comparison on an instruction that compares, and only there, found mov_gt",
        ),
        ("ps_2_0\ndef c0, 1.0, 2.0", "line 2, column 1: expected a constant and its values, found def c0, 1.0, 2.0"),
        ("ps_2_0\n.dialect greek\nnop", "line 2, column 10: expected microsoft, emulator or total-length, found greek"),
        ("ps_2_0\n.producer nobody\nnop", "line 2, column 11: expected application or driver, found nobody"),
        ("ps_2_x\nif b0", "line 2: if: expected its closing instruction, found the end of the function, at 0x4"),
        ("gs_2_0\nnop", "line 1, column 1: expected a model, such as ps_5_0, found gs_2_0"),
    ] {
        assert_eq!(assemble(text).unwrap_err().to_string(), message, "{text}");
    }
}
