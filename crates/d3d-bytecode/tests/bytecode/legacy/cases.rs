//! Shaders whose slots are known: from the text they were assembled of, from the table their compiler left in them, and
//! from what is bound when they are drawn.

use super::{Lengths, assert_symmetric, decoded, shared};
use d3d_bytecode::legacy::{ConstantTable, RegisterSet};
use d3d_bytecode::{DeclarationKind, Dialect, Program, SlotSet, Stage};
use dev_trials::{Trial, trials_of};
use serde_json::Value;
use std::fs;

pub fn trials() -> Vec<Trial> {
    let trials: Vec<Trial> = trials_of![slots_are_those_of_the_cases];
    trials.into_iter().map(|trial| trial.with_ignored_flag(shared("dxbc").is_none())).collect()
}

/// Number of shaders by witness.
#[derive(Debug, Default)]
struct Witnesses {
    cases: usize,
    text: usize,
    table: usize,
    bound: usize,
}

fn slots_are_those_of_the_cases() {
    let folder = shared("dxbc").unwrap();
    let mut names: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    let mut witnesses = Witnesses::default();
    for path in names.iter().filter(|path| path.extension().is_some_and(|extension| extension == "json")) {
        let name = path.file_stem().unwrap().to_str().unwrap();
        if !["sm1", "sm2", "sm3", "driver_"].iter().any(|start| name.starts_with(start)) {
            continue;
        }
        let case: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
        witnesses.cases += 1;
        for (stage, file) in case["shaders"].as_object().unwrap() {
            let bytes = fs::read(folder.join(file.as_str().unwrap())).unwrap();
            check(&format!("{name}.{stage}"), &bytes, &case, stage, &mut witnesses);
        }
    }
    println!("{witnesses:?}");
    assert!(
        witnesses.cases >= 146 && witnesses.text > 200 && witnesses.table > 10 && witnesses.bound > 250,
        "{witnesses:?}"
    );
}

fn check(name: &str, bytes: &[u8], case: &Value, stage: &str, witnesses: &mut Witnesses) {
    let program = decoded(bytes);
    let lengths = if program.dialect() == Dialect::TotalLength { Lengths::Total } else { Lengths::Microsoft };
    assert_symmetric(name, bytes, lengths);
    let text = case["source"][stage].as_str().unwrap();
    if text.starts_with("vs_") && text.contains('\n') || text.starts_with("ps_") && text.contains('\n') {
        check_text(name, &program, text);
        witnesses.text += 1;
    }
    if let Some(table) = ConstantTable::of(&program, bytes) {
        check_table(name, &program, &table.unwrap());
        witnesses.table += 1;
    }
    check_bound(name, &program, case, stage);
    witnesses.bound += 1;
}

/// Checks the names in the text, by its words.
fn check_text(name: &str, program: &Program, text: &str) {
    let named = |prefix: char| Named::of(text, prefix);
    let used = program.used_slots();
    assert_eq!(used.float_constants, named('c').slots(256), "{name}: c");
    assert_eq!(used.integer_constants, named('i').slots(16), "{name}: i");
    assert_eq!(used.boolean_constants, named('b').slots(16), "{name}: b");
    assert_eq!(used.inputs, named('v').slots(16), "{name}: v");
    let (samplers, coordinates) =
        if text.starts_with("ps_1") { stages(text) } else { (named('s').slots(16), named('t').slots(8)) };
    assert_eq!(used.samplers, samplers, "{name}: s");
    assert_eq!(used.texture_coordinates, coordinates, "{name}: t");
}

/// Registers of one letter in a text.
#[derive(Default)]
struct Named {
    used: Vec<u32>,
    declared: Vec<u32>,
    defined: Vec<u32>,
    any: bool,
}

impl Named {
    fn of(text: &str, prefix: char) -> Self {
        let mut named = Self::default();
        for line in text.lines().skip(1) {
            let (head, operands) = line.trim_start_matches('+').trim().split_once(' ').unwrap_or((line, ""));
            let is_matrix = head.starts_with("m3x") || head.starts_with("m4x");
            let rows = if is_matrix { head[3..4].parse().unwrap() } else { 1 };
            for (place, word) in operands
                .split([',', ' ', '(', ')', '-', '!', '|', '+', ']'])
                .filter(|word| !word.is_empty())
                .enumerate()
            {
                let Some(rest) = word.strip_prefix(prefix) else { continue };
                named.any |= rest.starts_with('[');
                let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
                let Ok(number) = digits.parse::<u32>() else { continue };
                match head {
                    _ if head.starts_with("dcl") => named.declared.push(number),
                    "def" | "defi" | "defb" => named.defined.push(number),
                    _ if is_matrix && place == 2 => named.used.extend(number..number + rows),
                    _ => named.used.push(number),
                }
            }
        }
        named
    }

    fn slots(&self, bank: u32) -> SlotSet {
        let any = match (self.any, self.declared.is_empty()) {
            (false, _) => SlotSet::default(),
            (true, true) => SlotSet::below(bank),
            (true, false) => self.declared.iter().copied().collect(),
        };
        let used: SlotSet = self.used.iter().copied().collect();
        used.union(any).without(self.defined.iter().copied().collect())
    }
}

/// Samplers and texture coordinates of ps_1_x: by the number that a texture instruction writes.
fn stages(text: &str) -> (SlotSet, SlotSet) {
    let is_14 = text.starts_with("ps_1_4");
    let (mut samplers, mut coordinates) = (Vec::new(), Vec::new());
    for line in text.lines().skip(1).filter(|line| line.starts_with("tex")) {
        let (head, operands) = line.split_once(' ').unwrap();
        let number = |word: &str| word.trim()[1..2].parse::<u32>().unwrap();
        let words: Vec<&str> = operands.split(',').collect();
        if ["tex", "texld", "texbem", "texbeml", "texreg2ar", "texreg2gb", "texm3x2tex", "texm3x3tex"].contains(&head) {
            samplers.push(number(words[0]));
        }
        if is_14 {
            coordinates.extend(words.iter().filter(|word| word.trim().starts_with('t')).map(|word| number(word)));
        } else if !head.starts_with("texreg2") {
            coordinates.push(number(words[0]));
        }
    }
    (samplers.into_iter().collect(), coordinates.into_iter().collect())
}

/// The compiler lists the constants that a program reads; registers that it set itself are not among them.
fn check_table(name: &str, program: &Program, table: &ConstantTable<'_>) {
    let used = program.used_slots();
    let mut listed = [SlotSet::default(); 4];
    for constant in table.constants() {
        let constant = constant.unwrap();
        let registers = u32::from(constant.first)..u32::from(constant.first) + u32::from(constant.count);
        let set = match constant.set {
            RegisterSet::Boolean => &mut listed[0],
            RegisterSet::Integer => &mut listed[1],
            RegisterSet::Float => &mut listed[2],
            RegisterSet::Sampler => &mut listed[3],
        };
        *set = set.union(registers.collect());
        assert!(!constant.name.is_empty() && constant.shape.columns <= 4, "{name}: {constant:?}");
    }
    assert_eq!(used.boolean_constants, listed[0], "{name}: b");
    assert_eq!(used.integer_constants, listed[1], "{name}: i");
    // A register of an array may go unread.
    assert!(used.float_constants.without(listed[2]).is_empty(), "{name}: {:?}", used.float_constants);
    assert_eq!(used.samplers, listed[3], "{name}: s");
    assert!(table.creator.starts_with("vkd3d"), "{name}: {}", table.creator);
}

/// Checks the bindings when the case is drawn.
fn check_bound(name: &str, program: &Program, case: &Value, stage: &str) {
    let used = program.used_slots();
    let textures = case["resources"][stage].as_object().into_iter().flatten();
    let textures: SlotSet = textures.filter_map(|(slot, _)| slot.strip_prefix('t')?.parse().ok()).collect();
    // The cases of the driver's shaders all have four textures bound.
    if name.starts_with("driver") {
        assert!(used.samplers.without(textures).is_empty(), "{name}: {:?}", used.samplers);
    } else {
        assert_eq!(used.samplers, textures, "{name}: s");
    }
    if program.version().stage == Stage::Vertex {
        check_inputs(name, program, case);
    }
}

fn check_inputs(name: &str, program: &Program, case: &Value) {
    let elements: Vec<(String, u64)> = case["input"]
        .as_array()
        .unwrap()
        .iter()
        .map(|element| (element["semantic"].as_str().unwrap().to_lowercase(), element["index"].as_u64().unwrap()))
        .collect();
    let mut declared = SlotSet::default();
    for declaration in program.declarations() {
        let DeclarationKind::Semantic { register, usage, usage_index, .. } = declaration.kind else { continue };
        if register.kind().unwrap().name() == "v" {
            assert!(
                elements.contains(&(usage.name().to_owned(), u64::from(usage_index))),
                "{name}: {usage}{usage_index}"
            );
            declared = declared.union(program.declared_slots().inputs);
        }
    }
    // Without declarations, an element is read by its place.
    let fed = if declared.is_empty() { SlotSet::below(elements.len() as u32) } else { declared };
    let used = program.used_slots().inputs;
    assert!(!used.is_empty() && used.without(fed).is_empty(), "{name}: {used:?}");
}
