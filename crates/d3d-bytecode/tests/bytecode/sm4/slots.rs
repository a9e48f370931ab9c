//! The slots that programs use, beside those that the cases feed.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use d3d_bytecode::{Container, Mask, Program, SignatureElement, SlotSet, SourceNames, SystemValue, decode};
use dev_d3d_assembler::sm4::assemble::assemble;
use dev_trials::root;
use dev_trials::{Failed, Trial};
use serde_json::Value;

const CASES: &str = "../shared/data/dxbc";

/// Cases that feed and declare a sampler with which nothing is sampled.
const FED_FOR_NOTHING: [&str; 3] =
    ["sm5_fxc_ld_offset.ps.dxbc", "sm5_fxc_resinfo_float.ps.dxbc", "sm5_fxc_resinfo_rcp.ps.dxbc"];

pub fn trials() -> Vec<Trial> {
    let folder = root().join(CASES);
    let is_absent = !folder.is_dir();
    vec![
        Trial::test("slots/cases", move || cases(&folder)).with_ignored_flag(is_absent),
        Trial::test("slots/from_operands_and_declarations", || {
            from_operands_and_declarations();
            Ok(())
        }),
    ]
}

/// Number of shaders by witness.
#[derive(Debug, Default)]
struct Witnesses {
    bound: usize,
    text: usize,
    signatures: usize,
    names: usize,
    elements: usize,
    targets: usize,
}

fn cases(folder: &Path) -> Result<(), Failed> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)?.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    paths.sort();
    let (mut wrong, mut witnesses) = (Vec::new(), Witnesses::default());
    for path in paths {
        let case: Value = serde_json::from_slice(&fs::read(&path)?)?;
        for (stage, file) in case["shaders"].as_object().unwrap() {
            let file = file.as_str().unwrap();
            if !file.ends_with(".dxbc") {
                continue;
            }
            let checked = case_stage(folder, &case, stage, file, &mut witnesses);
            wrong.extend(checked.err().map(|difference| format!("{} {file}: {difference}", case["name"])));
        }
    }
    println!("{witnesses:?}");
    if !wrong.is_empty() {
        return Err(wrong.join("\n").into());
    }
    let Witnesses { bound, text, signatures, names, elements, targets } = witnesses;
    // Each shader of the cases has what is bound, and its text or what its compiler left in it.
    assert!(bound >= 450 && text >= 120 && text + names == bound && names == signatures, "{witnesses:?}");
    assert!(elements >= 200 && targets >= 200, "{witnesses:?}");
    Ok(())
}

/// The slots of a case's shader, by everything that says which ones they are.
fn case_stage(folder: &Path, case: &Value, stage: &str, file: &str, witnesses: &mut Witnesses) -> Result<(), String> {
    let bytes = fs::read(folder.join(file)).unwrap();
    let program = decode(&bytes, 0).unwrap();
    bound(&program, case, stage, file)?;
    witnesses.bound += 1;
    let text = case["source"][stage].as_str().unwrap();
    if text.starts_with(&format!("{stage}_")) {
        named_by_text(&program, text)?;
        witnesses.text += 1;
    }
    if Container::parse(&bytes, 0).unwrap().find(b"STAT").is_some() {
        marked_in_signatures(&program)?;
        witnesses.signatures += 1;
        named_by_compiler(&program, &SourceNames::of(&program, &bytes, 0).unwrap())?;
        witnesses.names += 1;
    }
    if stage == "vs" {
        elements(&program, case)?;
        witnesses.elements += 1;
    }
    if stage == "ps" && case["expected"].is_object() {
        targets(&program, case)?;
        witnesses.targets += 1;
    }
    Ok(())
}

type Numbers = BTreeSet<u32>;

fn numbers(slots: SlotSet) -> Numbers {
    slots.iter().collect()
}

fn same(what: &str, found: &Numbers, expected: &Numbers) -> Result<(), String> {
    if found == expected { Ok(()) } else { Err(format!("{what}: {found:?}, expected {expected:?}")) }
}

/// A letter of slots: its name in a case, its name in a text, and both sets of a program.
fn kinds(program: &Program) -> [(char, &'static str, Numbers, Numbers); 4] {
    let (used, declared) = (program.used_slots(), program.declared_slots());
    [
        ('b', "cb", numbers(used.constant_buffers), numbers(declared.constant_buffers)),
        ('t', "t", numbers(used.resources), numbers(declared.resources)),
        ('s', "s", numbers(used.samplers), numbers(declared.samplers)),
        ('u', "u", numbers(used.uavs), numbers(declared.uavs)),
    ]
}

/// Every binding is used when the case is drawn, and the other way round.
fn bound(program: &Program, case: &Value, stage: &str, file: &str) -> Result<(), String> {
    let empty = serde_json::Map::new();
    let fed = case["resources"][stage].as_object().unwrap_or(&empty);
    for (letter, _, used, declared) in kinds(program) {
        let mut fed: Numbers = fed.keys().filter_map(|name| name.strip_prefix(letter)?.parse().ok()).collect();
        if !used.is_subset(&declared) {
            return Err(format!("{letter}: used {used:?}, declared {declared:?}"));
        }
        if letter == 's' && FED_FOR_NOTHING.contains(&file) {
            assert!(used.is_empty(), "{file} is no exception");
            fed.clear();
        }
        same(&letter.to_string(), &used, &fed)?;
    }
    Ok(())
}

/// Checks the names in the text that it was assembled of, by its words.
fn named_by_text(program: &Program, text: &str) -> Result<(), String> {
    for (_, name, used, declared) in kinds(program) {
        let named = Named::of(text, name);
        same(&format!("{name} by the text"), &used, &named.used())?;
        same(&format!("declared {name} by the text"), &declared, &named.declared)?;
    }
    let (used, inputs, outputs) = (program.used_slots(), Named::of(text, "v"), Named::of(text, "o"));
    same("v by the text", &numbers(used.inputs), &inputs.used())?;
    same("o by the text", &numbers(used.outputs), &outputs.used())
}

/// Registers of one name in a text.
#[derive(Default)]
struct Named {
    by_number: Numbers,
    declared: Numbers,
    /// An index that is a register: any that is declared.
    any: bool,
}

impl Named {
    fn of(text: &str, name: &str) -> Self {
        let mut named = Self::default();
        for line in text.lines().skip(1) {
            let (head, operands) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
            let is_separator = |letter: char| ", ()[-|+]{}".contains(letter);
            // Indices stand apart from the register: `v[r0.x + 1]`.
            named.any |= operands.contains(&format!(" {name}[r")) || operands.starts_with(&format!("{name}[r"));
            for word in operands.split(is_separator) {
                let digits: &str = word.strip_prefix(name).unwrap_or_default().split('.').next().unwrap();
                let Ok(number) = digits.parse::<u32>() else { continue };
                if head.starts_with("dcl_") { &mut named.declared } else { &mut named.by_number }.insert(number);
            }
        }
        named
    }

    fn used(&self) -> Numbers {
        let any = if self.any { self.declared.clone() } else { Numbers::new() };
        self.by_number.union(&any).copied().collect()
    }
}

/// A compiler marks which lanes of inputs are read, and which of outputs are never written. vkd3d marks the pixel's
/// position whether it is read or not.
fn marked_in_signatures(program: &Program) -> Result<(), String> {
    let (used, signatures) = (program.used_slots(), program.signatures());
    let used_inputs = numbers(used.inputs);
    let is_read = |element: &&SignatureElement| {
        let is_certain = element.system_value != Some(SystemValue::Position);
        element.read_or_unwritten != Mask::NONE
            && (is_certain || element.register.is_some_and(|register| used_inputs.contains(&register)))
    };
    let inputs: Numbers = signatures.input.iter().filter(is_read).filter_map(|element| element.register).collect();
    same("v by the signature", &used_inputs, &inputs)?;
    let is_written =
        |element: &&SignatureElement| element.read_or_unwritten.bits() & element.mask.bits() != element.mask.bits();
    let outputs: Numbers = signatures.output.iter().filter(is_written).filter_map(|element| element.register).collect();
    same("o by the signature", &numbers(used.outputs), &outputs)
}

/// A compiler lists what it declares.
fn named_by_compiler(program: &Program, names: &SourceNames<'_>) -> Result<(), String> {
    for (_, name, _, declared) in kinds(program) {
        let of_kind = names.slots.iter().filter(|slot| slot.kind.name() == name);
        let listed: Numbers = of_kind.flat_map(|slot| slot.first..slot.first + slot.count).collect();
        same(&format!("{name} by the compiler"), &declared, &listed)?;
    }
    Ok(())
}

/// Every input of a vertex shader is there: an element of the vertices, or a number that the pipeline makes.
fn elements(program: &Program, case: &Value) -> Result<(), String> {
    let fed: BTreeSet<(String, u64)> = case["input"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|element| (element["semantic"].as_str().unwrap().to_uppercase(), element["index"].as_u64().unwrap()))
        .collect();
    let used = program.used_slots().inputs;
    for element in &program.signatures().input {
        let is_read = element.register.is_some_and(|register| used.contains(register));
        let is_fed =
            element.system_value.is_some() || fed.contains(&(element.name.to_uppercase(), u64::from(element.index)));
        if is_read && !is_fed {
            return Err(format!("reads {}{}, and the vertices have {fed:?}", element.name, element.index));
        }
    }
    Ok(())
}

/// A target that the case expects something in, and which it clears to something else, is written.
fn targets(program: &Program, case: &Value) -> Result<(), String> {
    let count = case["target"]["formats"].as_array().map_or(0, Vec::len) as u32;
    let written = numbers(program.used_slots().outputs);
    let outside: Vec<&u32> = written.iter().filter(|target| **target >= count).collect();
    let none = written.is_empty() && count > 0;
    if outside.is_empty() && !none { Ok(()) } else { Err(format!("writes {written:?} of {count} targets")) }
}

fn from_operands_and_declarations() {
    let text = "ps_5_0\n\
        dcl_constantbuffer cb2[8], dynamicIndexed\ndcl_constantbuffer cb5[1], immediateIndexed\n\
        dcl_resource_texture2d (float,float,float,float) t7\ndcl_sampler s3, mode_default\n\
        dcl_input_ps linear v1.xyzw\ndcl_indexRange v1.xyzw, 3\ndcl_output o0.xyzw\ndcl_temps 1\n\
        mov r0.x, cb2[r0.x + 4].x\nmov r0.y, v[r0.x + 1].x\nsample r0.xyzw, r0.xyxx, t9.xyzw, s4\n\
        mov o0.xyzw, r0.xyzw\nret\n";
    let program = decode(&assemble(text), 0).unwrap();
    let (used, declared) = (program.used_slots(), program.declared_slots());
    let list = |slots: SlotSet| slots.iter().collect::<Vec<u32>>();
    // A slot that is named is used, though it is not declared; one that is declared alone is not.
    assert_eq!((list(used.resources), list(declared.resources)), (vec![9], vec![7]));
    assert_eq!((list(used.samplers), list(declared.samplers)), (vec![4], vec![3]));
    assert_eq!((list(used.constant_buffers), list(declared.constant_buffers)), (vec![2], vec![2, 5]));
    // An index that a register adds to may reach every register that is declared.
    assert_eq!(list(used.inputs), [1, 2, 3]);
    assert_eq!(list(used.outputs), [0]);
}
