//! The emulator's own shaders, from its public traces: what each says and uses.

use std::fs;
use std::path::PathBuf;

use crate::shared;
use d3d_bytecode::{Dialect, SourceNames, Summary, decode, disassemble};
use dev_d3d_assembler::same_when_assembled;
use dev_trials::{Trial, trials_of};

pub fn trials() -> Vec<Trial> {
    let trials: Vec<Trial> = trials_of![every_one_is_read];
    let is_absent = shared("a3a0/shaders").is_none();
    trials.into_iter().map(|trial| trial.with_ignored_flag(is_absent)).collect()
}

/// File; inputs; outputs; resources and constants; instructions.
type Row = (&'static str, &'static str, &'static str, &'static str, &'static str);

const SHADERS: [Row; 7] = [
    (
        "ps_4_0_0557322452c6e24a",
        "v0.xy TEXCOORD0",
        "o0.xyzw SV_Target0",
        "t0 texture2d float, s0 default",
        "sample o0.xyzw, v0.xyzw, t0, s0",
    ),
    ("ps_4_0_3aafa633bfd41b4b", "", "o0.xyzw SV_Target0", "", "mov o0.xyzw, l(0, 0, 0, 0)"),
    (
        "ps_4_0_8bd3b6a9a5013673",
        "v0.xyzw SV_Position0, v1.xyzw COLOR0",
        "o0.xyzw SV_Target0",
        "",
        "mov o0.xyzw, v1.xyzw",
    ),
    (
        "ps_4_0_ea65d440fb1b59db",
        "v0.xyzw SV_Position0, v1.xyzw COLOR0",
        "o0.xyzw SV_Target0",
        "t0 undeclared",
        "ld o0.xyzw, l(0, 0, 0, 0), t0.xyzw",
    ),
    (
        "vs_4_0_0c0a62eba36c3045",
        "v0.xyz POSITION0",
        "o0.xyzw SV_Position0",
        "cb0[4]",
        "dp4 o0.x, v0.xyzw, cb0[0].xyzw; dp4 o0.y, v0.xyzw, cb0[1].xyzw; dp4 o0.z, v0.xyzw, cb0[2].xyzw; dp4 o0.w, v0.xyzw, cb0[3].xyzw",
    ),
    // It declares v0 alone, and reads v1.
    (
        "vs_4_0_1935761234a089cf",
        "v0.xyz POSITION0, v1.xyzw COLOR0",
        "o0.xyzw SV_Position0, o1.xyzw COLOR0",
        "",
        "mov o0.xyzw, v0.xyzw; mov o1.xyzw, v1.xyzw",
    ),
    (
        "vs_4_0_9d7c4662ff17fb71",
        "v0.xyz POSITION0, v1.xy TEXCOORD0",
        "o0.xy TEXCOORD0, o1.xyzw SV_Position0",
        "",
        "mov o1.xyzw, v0.xyzw; mov o0.xyzw, v1.xyzw",
    ),
];

fn every_one_is_read() {
    let folder = shared("a3a0/shaders").unwrap();
    let mut files: Vec<PathBuf> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.file_name().unwrap().to_string_lossy()[1..].starts_with("s_4_0_"));
    files.sort();
    assert_eq!(files.len(), SHADERS.len());
    for (path, (name, inputs, outputs, slots, instructions)) in files.iter().zip(SHADERS) {
        assert_eq!(path.file_stem().unwrap(), name);
        let bytes = fs::read(path).unwrap();
        let program = decode(&bytes, 0).unwrap();
        assert_eq!(program.dialect(), Dialect::Emulator, "{name}");
        let summary = Summary::new(&program, &bytes, &SourceNames::of(&program, &bytes, 0).unwrap());
        assert_eq!(
            (summary.inputs.join(", ").as_str(), summary.outputs.join(", ").as_str()),
            (inputs, outputs),
            "{name}"
        );
        let used = [summary.resources, summary.constants].concat().join(", ");
        assert_eq!(used, slots, "{name}");
        let text = disassemble(&program);
        let lines: Vec<&str> =
            text.split_once(".text\n").unwrap().1.lines().filter(|line| !line.starts_with("dcl_")).collect();
        assert_eq!(lines.join("; "), format!("{instructions}; ret"), "{name}");
        same_when_assembled(&program).unwrap_or_else(|difference| panic!("{name}: {difference}"));
    }
}
