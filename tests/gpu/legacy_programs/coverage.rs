//! Instruction × modifier × model: what no program holds could be made wrong by anyone without a test to tell.

use std::collections::{BTreeMap, BTreeSet};

use aerogpu_replay::shader::d3d::legacy::Takes;
use aerogpu_replay::shader::d3d::{Control, Instruction, Modifier, Opcode, OperandValue, Program};

use super::cells::{ELSEWHERE, MODELS, bodies, forms, result_modifiers, source_modifiers};

/// An instruction, and what is about it.
type Cell = (Opcode, String);

/// Prints how many instructions of the programs have each modifier, and fails where one that can be is in none. What the
/// programs hold is taken from their bytecode as it is decoded, not from what they were meant to hold.
pub fn every_cell_has_a_program() {
    let mut empty = Vec::new();
    for model in MODELS {
        let mut counts: BTreeMap<Cell, u32> = BTreeMap::new();
        let bodies = bodies(model);
        for body in &bodies {
            let case = body.case().1.unwrap();
            let program = case.program(&model[..2]).unwrap();
            for instruction in program.instructions() {
                for what in features(&program, instruction) {
                    *counts.entry((instruction.opcode, what)).or_default() += 1;
                }
            }
        }
        println!("{model}: {} programs", bodies.len());
        let mut rows: BTreeMap<Opcode, Vec<String>> = BTreeMap::new();
        for ((opcode, what), count) in &counts {
            rows.entry(*opcode).or_default().push(format!("{what} {count}"));
        }
        rows.iter().for_each(|(opcode, row)| println!("  {:12}{}", opcode.name(), row.join(", ")));
        let expected = expected(model);
        empty.extend(expected.into_iter().filter(|cell| !counts.contains_key(cell)).map(|cell| (model, cell)));
    }
    assert!(empty.is_empty(), "no program has {empty:#?}");
}

/// Cells that every model's instructions can have.
fn expected(model: &str) -> BTreeSet<Cell> {
    let mut cells = BTreeSet::new();
    let is_elsewhere = |opcode: Opcode| ELSEWHERE.iter().any(|(known, _)| *known == opcode);
    for form in forms(model).filter(|form| !is_elsewhere(form.opcode)) {
        cells.insert((form.opcode, "plain".to_owned()));
        if matches!(form.opcode, Opcode::IfC | Opcode::BreakC | Opcode::SetP) {
            let all = ["Greater", "Equal", "GreaterEqual", "Less", "NotEqual", "LessEqual"];
            cells.extend(all.map(|comparison| (form.opcode, comparison.to_owned())));
        }
        let is_computed = form.takes.first() == Some(&Takes::Result)
            && form.takes[1..].iter().all(|takes| *takes == Takes::Value)
            && !form.opcode.name().starts_with("tex")
            && form.takes.len() > 1;
        // Some take certain registers alone, and none has a modifier.
        let is_fixed = matches!(form.opcode, Opcode::Sgn | Opcode::SinCos | Opcode::Bem | Opcode::MovA)
            || form.opcode == Opcode::Cnd && model != "ps_1_4";
        if !is_computed || is_fixed {
            continue;
        }
        let of_sources = source_modifiers(model).iter().map(|(before, after)| format!("source {before}{after}"));
        let of_results = result_modifiers(model).iter().map(|suffix| format!("result {suffix}"));
        cells.extend(of_sources.chain(of_results).map(|what| (form.opcode, what)));
        if matches!(model, "vs_2_x" | "vs_3_0" | "ps_2_x" | "ps_3_0") {
            cells.extend(["predicated", "predicated by not"].map(|what| (form.opcode, what.to_owned())));
        }
    }
    cells
}

fn features(program: &Program, instruction: &Instruction) -> BTreeSet<String> {
    let mut found = BTreeSet::from(["plain".to_owned()]);
    let all = program.operands(instruction);
    let of_modifier = |modifier| match modifier {
        Modifier::None | Modifier::Not => None,
        Modifier::Negate => Some("source -"),
        Modifier::Bias => Some("source _bias"),
        Modifier::NegateBias => Some("source -_bias"),
        Modifier::Sign => Some("source _bx2"),
        Modifier::NegateSign => Some("source -_bx2"),
        Modifier::Complement => Some("source 1-"),
        Modifier::Double => Some("source _x2"),
        Modifier::NegateDouble => Some("source -_x2"),
        Modifier::Absolute => Some("source _abs"),
        Modifier::NegateAbsolute => Some("source -_abs"),
        Modifier::DivideByZ => Some("source _dz"),
        Modifier::DivideByW => Some("source _dw"),
    };
    found.extend(all.iter().filter_map(|operand| of_modifier(operand.modifier)).map(str::to_owned));
    let modifiers = instruction.modifiers;
    let shift = match modifiers.shift {
        0 => String::new(),
        shift if shift > 0 => format!("_x{}", 1 << shift),
        shift => format!("_d{}", 1 << -shift),
    };
    let saturates = if modifiers.saturate { "_sat" } else { "" };
    let partial = if modifiers.partial_precision { "_pp" } else { "" };
    let suffix = format!("{shift}{saturates}{partial}");
    if !suffix.is_empty() {
        found.insert(format!("result {suffix}"));
    }
    if modifiers.coissue {
        found.insert("beside another".to_owned());
    }
    if let Control::Comparison(comparison) = instruction.control {
        found.insert(format!("{comparison:?}"));
    }
    if let Some(predicate) = program.predicate(instruction) {
        let is_not = predicate.modifier == Modifier::Not;
        found.insert(if is_not { "predicated by not" } else { "predicated" }.to_owned());
    }
    let is_indexed = |value: &OperandValue| matches!(value, OperandValue::Register(register) if register.last_index().is_some_and(|index| index.relative.is_some()));
    if all.iter().any(|operand| is_indexed(&operand.value)) {
        found.insert("indexed".to_owned());
    }
    found
}
