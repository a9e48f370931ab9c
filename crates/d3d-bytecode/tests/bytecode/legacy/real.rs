//! The shaders of public traces: those that the emulator's driver makes itself.

use super::corpus::compare;
use super::{Lengths, assert_symmetric, decoded, shared};
use crate::corpus::vkd3d_texts;
use d3d_bytecode::Dialect;
use dev_trials::{Trial, trials_of};
use serde_json::Value;
use std::fs;

pub fn trials() -> Vec<Trial> {
    let trials: Vec<Trial> = trials_of![the_drivers_shaders_are_read];
    trials.into_iter().map(|trial| trial.with_ignored_flag(shared("a3a0/shaders").is_none())).collect()
}

fn the_drivers_shaders_are_read() {
    let folder = shared("a3a0/shaders").unwrap();
    let index: Vec<Value> = serde_json::from_slice(&fs::read(folder.join("index.json")).unwrap()).unwrap();
    let (mut read, mut lines, texts) = (0, 0, vkd3d_texts("driver"));
    for entry in index.iter().filter(|entry| entry["kind"] == "d3d9") {
        let name = entry["file"].as_str().unwrap();
        let bytes = fs::read(folder.join(name)).unwrap();
        let program = decoded(&bytes);
        let (dialect, lengths) = match entry["dialect"].as_str().unwrap() {
            "total-length" => (Dialect::TotalLength, Lengths::Total),
            _ => (Dialect::Microsoft, Lengths::Microsoft),
        };
        assert_eq!(program.version().to_string(), entry["model"].as_str().unwrap(), "{name}");
        assert_eq!(program.dialect(), dialect, "{name}");
        assert_eq!(program.size_bytes() as usize, bytes.len(), "{name}");
        assert_symmetric(name, &bytes, lengths);
        lines += compare(name, &bytes, texts.get(name).unwrap_or_else(|| panic!("vkd3d has no text of {name}")));
        read += 1;
    }
    println!("{lines} lines of {read} shaders");
    assert!(read >= 165, "{read} shaders");
}
