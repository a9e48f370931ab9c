//! Every instruction of every model with every kind of operand and every modifier that the model has at each place:
//! written as text, assembled by a table of its own, decoded, and written again.

use std::collections::{BTreeMap, BTreeSet};

use super::{Lengths, MODELS, assemble, decoded, fixture};
use d3d_bytecode::legacy::{LegacyOpcode, Takes, microsoft_forms, numbers};
use d3d_bytecode::{Instruction, Opcode, OperandValue, Program, Stage, Version, disassemble};
use dev_d3d_assembler::legacy::USAGES;
use dev_trials::{Trial, trials_of};

pub fn trials() -> Vec<Trial> {
    trials_of![
        every_operand_of_every_instruction_is_read,
        the_table_has_what_vkd3d_has,
        every_declaration_is_read,
        every_mask_and_swizzle_is_read,
    ]
}

/// Opcode, model, place and kind of operand → how often it was read.
type Coverage = BTreeMap<(Opcode, &'static str, usize, String), u32>;

fn version(model: &str) -> Version {
    let stage = if model.starts_with("ps") { Stage::Pixel } else { Stage::Vertex };
    let minor = if model.ends_with('x') { 1 } else { model[5..].parse().unwrap() };
    Version { stage, major: model[3..4].parse().unwrap(), minor }
}

fn forms(model: &str) -> impl Iterator<Item = &'static LegacyOpcode> {
    let version = version(model);
    numbers().flat_map(microsoft_forms).filter(move |form| form.is_in(version))
}

fn every_operand_of_every_instruction_is_read() {
    let mut coverage = Coverage::new();
    let mut expected = BTreeSet::new();
    for model in MODELS {
        let lines = lines_of(model, &mut expected);
        let text = format!("{model}\n{}\n", lines.join("\n"));
        let program = decoded(&assemble(&text, Lengths::Microsoft));
        let written = disassemble(&program);
        for (line, written) in text.lines().zip(written.lines()) {
            assert_eq!(line, written.trim(), "{model}");
        }
        assert_eq!(text.lines().count(), written.lines().count(), "{model}");
        count(model, &program, &mut coverage);
    }
    print(&coverage);
    let empty: Vec<_> = expected.iter().filter(|cell| !coverage.contains_key(*cell)).collect();
    assert!(
        empty.is_empty() && expected.len() > 3000,
        "of {} cells {} are empty: {empty:?}",
        expected.len(),
        empty.len()
    );
}

/// Counts the values that the program reads.
fn count(model: &'static str, program: &Program, coverage: &mut Coverage) {
    for instruction in program.instructions() {
        for (place, kind) in kinds(program, instruction).into_iter().enumerate() {
            *coverage.entry((instruction.opcode, model, place, kind)).or_default() += 1;
        }
    }
}

/// The kinds of an instruction's operands; `none` where it has no operands.
fn kinds(program: &Program, instruction: &Instruction) -> Vec<String> {
    let operands = program.operands(instruction);
    if operands.is_empty() {
        return vec!["none".to_owned()];
    }
    let kind = |operand: &d3d_bytecode::Operand| {
        let OperandValue::Register(register) = operand.value else { panic!("an immediate value") };
        let index = register.last_index().and_then(|index| program.relative(index.relative?));
        match index.map(|index| index.kind().unwrap().name()) {
            Some(index) => format!("{}[{index}]", register.kind.name()),
            None => register.kind.name().to_owned(),
        }
    };
    operands.iter().map(kind).collect()
}

fn print(coverage: &Coverage) {
    for model in MODELS {
        println!("{model}");
        let mut rows: BTreeMap<Opcode, BTreeMap<usize, Vec<String>>> = BTreeMap::new();
        for ((opcode, _, place, kind), times) in coverage.iter().filter(|((_, of, ..), _)| *of == model) {
            rows.entry(*opcode).or_default().entry(*place).or_default().push(format!("{kind} {times}"));
        }
        for (opcode, places) in rows {
            let places: Vec<String> = places.into_values().map(|kinds| kinds.join(" ")).collect();
            println!("  {:14}{}", opcode.name(), places.join(" | "));
        }
    }
}

/// A line for each thing that an instruction can have at each place.
fn lines_of(model: &'static str, expected: &mut BTreeSet<(Opcode, &'static str, usize, String)>) -> Vec<String> {
    let mut lines = Vec::new();
    for form in forms(model).filter(|form| !is_declaration(form.opcode)) {
        for opcode in variants(form, model) {
            let operands: Vec<String> =
                form.takes.iter().map(|takes| choices(*takes, opcode, model)[0].0.to_owned()).collect();
            let mut emit = |operands: &[String], suffix: &str| {
                lines.extend(in_block(opcode, &format!("{}{suffix} {}", opcode.name(), operands.join(", "))));
            };
            if form.takes.is_empty() {
                expected.insert((opcode, model, 0, "none".to_owned()));
            }
            emit(&operands, "");
            for (place, takes) in form.takes.iter().enumerate() {
                for (text, kind) in choices(*takes, opcode, model) {
                    expected.insert((opcode, model, place, (*kind).to_owned()));
                    let mut operands = operands.clone();
                    operands[place] = (*text).to_owned();
                    emit(&operands, "");
                }
                for (before, after) in source_modifiers(*takes, model) {
                    let mut operands = operands.clone();
                    let (register, lanes) = operands[place]
                        .split_once('.')
                        .map_or((operands[place].as_str(), ""), |(register, lanes)| (register, lanes));
                    let dot = if lanes.is_empty() { "" } else { "." };
                    operands[place] = format!("{before}{register}{after}{dot}{lanes}");
                    emit(&operands, "");
                }
            }
            if matches!(form.takes.first(), Some(Takes::Result | Takes::Comparison)) {
                result_modifiers(model).iter().for_each(|suffix| emit(&operands, suffix));
            }
        }
    }
    if version(model).major >= 2 && !matches!(model, "vs_2_0" | "ps_2_0") {
        lines.extend(predicated(model));
    }
    if model.starts_with("ps_1") {
        lines.extend(["mul r0.xyz, r1, c0".to_owned(), "+ add_sat r0.w, r1, c0".to_owned()]);
    }
    lines
}

fn predicated(model: &str) -> Vec<String> {
    let predicates = ["p0", "!p0", "p0.x", "!p0.w"];
    let mut lines = Vec::new();
    for form in forms(model).filter(|form| matches!(form.takes.first(), Some(Takes::Result | Takes::Comparison))) {
        for (at, opcode) in variants(form, model).into_iter().enumerate() {
            let operands: Vec<&str> = form.takes.iter().map(|takes| choices(*takes, opcode, model)[0].0).collect();
            let comparison = if opcode == Opcode::SetP { "_ge" } else { "" };
            let predicate = predicates[(at + lines.len()) % 4];
            lines.push(format!("({predicate}) {}{comparison} {}", opcode.name(), operands.join(", ")));
        }
    }
    lines
}

fn is_declaration(opcode: Opcode) -> bool {
    matches!(opcode, Opcode::Dcl | Opcode::Def | Opcode::DefI | Opcode::DefB)
}

/// `texld` is three instructions from SM2 on.
fn variants(form: &LegacyOpcode, model: &str) -> Vec<Opcode> {
    match form.opcode {
        Opcode::TexLd if version(model).major >= 2 => vec![Opcode::TexLd, Opcode::TexLdP, Opcode::TexLdB],
        opcode => vec![opcode],
    }
}

/// An instruction, with the block that it needs.
fn in_block(opcode: Opcode, line: &str) -> Vec<String> {
    let line = line.trim().to_owned();
    let compared = |name: &str| {
        ["gt", "eq", "ge", "lt", "ne", "le"]
            .map(|comparison| line.replacen(opcode.name(), &format!("{name}_{comparison}"), 1))
    };
    let block = |before: &str, after: &str| vec![before.to_owned(), line.clone(), after.to_owned()];
    match opcode {
        Opcode::If => vec![line, "endif".to_owned()],
        Opcode::IfC => compared("if").into_iter().flat_map(|line| [line, "endif".to_owned()]).collect(),
        Opcode::Else => block("if b0", "endif"),
        Opcode::EndIf => vec!["if b0".to_owned(), line],
        Opcode::Loop => vec![line, "endloop".to_owned()],
        Opcode::EndLoop => vec!["loop aL, i0".to_owned(), line],
        Opcode::Rep => vec![line, "endrep".to_owned()],
        Opcode::EndRep => vec!["rep i0".to_owned(), line],
        Opcode::Break | Opcode::BreakP => block("rep i0", "endrep"),
        Opcode::BreakC => {
            let breaks = compared("break").into_iter();
            std::iter::once("rep i0".to_owned()).chain(breaks).chain(["endrep".to_owned()]).collect()
        }
        Opcode::SetP => compared("setp").to_vec(),
        _ => vec![line],
    }
}

/// The operands that a place can have in a model, each with its kind.
fn choices(takes: Takes, opcode: Opcode, model: &str) -> &'static [(&'static str, &'static str)] {
    let version = version(model);
    match (takes, version.stage, version.major) {
        (Takes::Comparison, ..) => &[("p0", "p")],
        (Takes::Result, Stage::Vertex, 3) => {
            &[("r0", "r"), ("o11", "o"), ("o[a0.x + 1]", "o[a]"), ("o[aL + 2].xy", "o[aL]"), ("a0.x", "a")]
        }
        (Takes::Result, Stage::Vertex, _) => &[
            ("r0", "r"),
            ("oPos", "oPos"),
            ("oFog.x", "oFog"),
            ("oPts.x", "oPts"),
            ("oD1", "oD"),
            ("oT7.xyz", "oT"),
            ("a0.x", "a"),
        ],
        (Takes::Result, _, 1) if version.minor < 4 && opcode.name().starts_with("tex") => &[("t2", "t")],
        (Takes::Result, _, 1) => &[("r0", "r"), ("t1", "t")],
        (Takes::Result, ..) => &[("r0", "r"), ("oC3", "oC"), ("oDepth.x", "oDepth")],
        (Takes::Value, Stage::Vertex, 1) => &[("r1", "r"), ("v15", "v"), ("c95.wzyx", "c"), ("c[a0.x + 3].x", "c[a]")],
        (Takes::Value, Stage::Vertex, 2) => {
            &[("r1", "r"), ("v15", "v"), ("c95.wzyx", "c"), ("c[a0.w].x", "c[a]"), ("c[aL + 9]", "c[aL]")]
        }
        (Takes::Value, Stage::Vertex, _) => &[
            ("r31", "r"),
            ("v15", "v"),
            ("c250.wzyx", "c"),
            ("c[a0.w].x", "c[a]"),
            ("c[aL + 9]", "c[aL]"),
            ("v[a0.y + 1]", "v[a]"),
            ("v[aL]", "v[aL]"),
        ],
        (Takes::Value, _, 1) if version.minor < 4 && opcode.name().starts_with("tex") => &[("t0", "t"), ("c0", "c")],
        (Takes::Value, _, 1 | 2) => &[("r1", "r"), ("v1", "v"), ("c4.w", "c"), ("t3", "t")],
        (Takes::Value, ..) => &[
            ("r31", "r"),
            ("v9.xyz", "v"),
            ("c220.w", "c"),
            ("vPos.xy", "vPos"),
            ("vFace", "vFace"),
            ("v[aL + 3]", "v[aL]"),
            ("c[aL]", "c[aL]"),
        ],
        (Takes::Sampler, Stage::Vertex, _) => &[("s3", "s")],
        (Takes::Sampler, ..) => &[("s15", "s")],
        (Takes::Label, ..) => &[("l15", "l")],
        (Takes::Counts, ..) => &[("i15", "i")],
        (Takes::Counter, ..) => &[("aL", "aL")],
        (Takes::Truth, _, 2) if version.minor == 0 => &[("b15", "b")],
        (Takes::Truth, ..) => &[("b15", "b"), ("p0.y", "p")],
        (Takes::Predicate, ..) => &[("p0.z", "p")],
    }
}

fn source_modifiers(takes: Takes, model: &str) -> &'static [(&'static str, &'static str)] {
    match (takes, model) {
        (Takes::Truth | Takes::Predicate, _) => &[("!", "")],
        (Takes::Value, "ps_1_4") => &[
            ("-", ""),
            ("", "_bias"),
            ("-", "_bias"),
            ("", "_bx2"),
            ("-", "_bx2"),
            ("1-", ""),
            ("", "_x2"),
            ("-", "_x2"),
            ("", "_dz"),
            ("", "_dw"),
        ],
        (Takes::Value, "ps_1_1" | "ps_1_2" | "ps_1_3") => {
            &[("-", ""), ("", "_bias"), ("-", "_bias"), ("", "_bx2"), ("-", "_bx2"), ("1-", "")]
        }
        (Takes::Value, "vs_3_0" | "ps_3_0") => &[("-", ""), ("", "_abs"), ("-", "_abs")],
        (Takes::Value, _) => &[("-", "")],
        _ => &[],
    }
}

fn result_modifiers(model: &str) -> &'static [&'static str] {
    match model {
        "vs_1_1" => &[],
        "ps_1_4" => &["_sat", "_x2", "_x4", "_x8", "_d2", "_d4", "_d8", "_x8_sat", "_d8_sat"],
        "ps_1_1" | "ps_1_2" | "ps_1_3" => &["_sat", "_x2", "_x4", "_d2", "_x2_sat", "_x4_sat", "_d2_sat"],
        model if model.starts_with("vs") => &["_sat"],
        _ => &["_sat", "_pp", "_centroid", "_sat_pp", "_sat_centroid", "_pp_centroid", "_sat_pp_centroid"],
    }
}

/// The committed programs hold an instruction of a model where vkd3d has it there.
fn the_table_has_what_vkd3d_has() {
    for model in MODELS {
        let program = decoded(&fixture(&format!("{model}.d3dbc")));
        let found: BTreeSet<Opcode> = program.instructions().iter().map(|instruction| instruction.opcode).collect();
        let in_table: BTreeSet<Opcode> = forms(model)
            .flat_map(|form| variants(form, model))
            .filter(|opcode| !is_declaration(*opcode))
            // vkd3d refuses `breakp` where there is no `loop`.
            .filter(|opcode| *opcode != Opcode::BreakP || model != "ps_2_x")
            .collect();
        assert_eq!(found, in_table, "{model}");
    }
}

fn every_declaration_is_read() {
    let samplers = ["dcl s0", "dcl_2d s1", "dcl_cube s2", "dcl_volume s3"];
    for model in MODELS {
        let version = version(model);
        let mut lines = vec![
            "def c1, 0.1, -0.0, 1e-45, 3.4028235e38".to_owned(),
            "def c2, 0x7fc00001, 0xff800000, 1.0, 0.0".to_owned(),
        ];
        if version.major >= 2 && !model.starts_with("ps_2_0") {
            lines.extend(
                ["defi i3, -1, 2147483647, -2147483648, 0", "defb b4, true", "defb b5, false", "defb b6, 0x2"]
                    .map(str::to_owned),
            );
        }
        let registers: &[&str] = match (version.stage, version.major) {
            (Stage::Vertex, 3) => &["v15", "o11"],
            (Stage::Vertex, _) | (_, 3) => &["v9"],
            _ => &[],
        };
        for register in registers {
            for usage in USAGES {
                lines.extend(["", "1", "15"].map(|number| format!("dcl_{usage}{number} {register}.xw")));
            }
            lines.extend(["_pp", "_centroid", "_pp_centroid"].map(|suffix| format!("dcl_color{suffix} {register}")));
        }
        if (version.stage, version.major) == (Stage::Pixel, 2) {
            lines.extend(
                ["dcl v0", "dcl_pp v1.xyz", "dcl t0.xy", "dcl_centroid t7", "dcl_pp_centroid t3.w"].map(str::to_owned),
            );
        }
        if model == "ps_3_0" {
            lines.extend(["dcl vPos.xy", "dcl vFace"].map(str::to_owned));
        }
        if version.major >= 2 {
            lines.extend(samplers.map(str::to_owned));
        }
        let text = format!("{model}\n{}\n", lines.join("\n"));
        let program = decoded(&assemble(&text, Lengths::Microsoft));
        assert_eq!(disassemble(&program), text, "{model}");
    }
}

fn every_mask_and_swizzle_is_read() {
    let lanes = |bits: u32| ["x", "y", "z", "w"].into_iter().enumerate().filter(move |(lane, _)| bits >> lane & 1 != 0);
    let mut text = "vs_2_0\n".to_owned();
    for bits in 1..16 {
        let mask: String = lanes(bits).map(|(_, letter)| letter).collect();
        text += &format!("mov r0{}, c0\n", if bits == 15 { String::new() } else { format!(".{mask}") });
    }
    for bits in 0..256_u32 {
        let mut letters: Vec<char> =
            (0..4).map(|place| ['x', 'y', 'z', 'w'][(bits >> (2 * place) & 3) as usize]).collect();
        while letters.len() > 1 && letters[letters.len() - 1] == letters[letters.len() - 2] {
            letters.pop();
        }
        let swizzle: String = letters.into_iter().collect();
        text += &format!("mov r0, c0{}\n", if swizzle == "xyzw" { String::new() } else { format!(".{swizzle}") });
    }
    assert_eq!(disassemble(&decoded(&assemble(&text, Lengths::Microsoft))), text);
}
