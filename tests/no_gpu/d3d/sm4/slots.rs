//! The slots that programs use, beside those that the cases feed.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::assemble::assemble;
use crate::support::harness::{Failed, Trial};
use crate::support::root;
use aerogpu_replay::shader::d3d::{SlotSet, decode};
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

fn cases(folder: &Path) -> Result<(), Failed> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)?.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    paths.sort();
    let (mut wrong, mut stages) = (Vec::new(), 0);
    for path in paths {
        let case: Value = serde_json::from_slice(&fs::read(&path)?)?;
        for (stage, file) in case["shaders"].as_object().unwrap() {
            let file = file.as_str().unwrap();
            if !file.ends_with(".dxbc") {
                continue;
            }
            stages += 1;
            if let Err(difference) = case_stage(folder, &case, stage, file) {
                wrong.push(format!("{file}: {difference}"));
            }
        }
    }
    assert!(stages > 240, "only {stages} shaders of SM4 and SM5");
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}

/// What a case feeds is used; what is used and not fed is declared, and reads 0.
fn case_stage(folder: &Path, case: &Value, stage: &str, file: &str) -> Result<(), String> {
    let program = decode(&fs::read(folder.join(file)).unwrap(), 0).unwrap();
    let empty = serde_json::Map::new();
    let fed = case["resources"][stage].as_object().unwrap_or(&empty);
    let (used, declared) = (program.used_slots(), program.declared_slots());
    for (letter, used, declared) in [
        ('b', used.constant_buffers, declared.constant_buffers),
        ('t', used.resources, declared.resources),
        ('s', used.samplers, declared.samplers),
        ('u', used.uavs, declared.uavs),
    ] {
        let fed: BTreeSet<u32> =
            fed.keys().filter(|name| name.starts_with(letter)).map(|name| name[1..].parse().unwrap()).collect();
        let set = |slots: SlotSet| slots.iter().collect::<BTreeSet<u32>>();
        let (used, declared) = (set(used), set(declared));
        if !fed.is_subset(&declared) || !used.is_subset(&declared) {
            return Err(format!("{letter}: fed {fed:?}, used {used:?}, declared {declared:?}"));
        }
        let unused: Vec<&u32> = fed.difference(&used).collect();
        let is_known = letter == 's' && FED_FOR_NOTHING.contains(&file);
        if !unused.is_empty() && !is_known {
            return Err(format!("{letter}: {unused:?} are fed and not used"));
        }
    }
    let inputs: BTreeSet<u32> = program.signatures().input.iter().filter_map(|element| element.register).collect();
    let read: BTreeSet<u32> = used.inputs.iter().collect();
    if read.is_subset(&inputs) { Ok(()) } else { Err(format!("inputs: {read:?} are read, {inputs:?} are there")) }
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
