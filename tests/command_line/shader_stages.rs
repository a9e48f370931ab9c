//! A submission with Direct3D bytecode of three stages (a compute shader fills a buffer, which a draw shows): stepped by
//! draw, asked about, and compared with the same whose compute shader computes something else.
//!
//! Needs software Vulkan.

use std::fs;
use std::path::Path;

use crate::support::harness::Trial;
use crate::support::program::{Run, run};
use crate::support::{root, software};

const ADAPTER: [&str; 4] = ["--backend", "vulkan", "--adapter", "llvmpipe"];

pub fn trials() -> Vec<Trial> {
    let tests: [(&str, fn()); 3] = [
        ("three_stages_are_stepped_and_asked_about", three_stages_are_stepped_and_asked_about),
        ("an_edited_stage_is_found", an_edited_stage_is_found),
        ("bytecode_is_not_replaced", bytecode_is_not_replaced),
    ];
    tests.map(|(name, test)| software::trial(name, move |_| test())).into()
}

/// `a.bin`, and `b.bin` whose compute shader multiplies by 5 where that of `a.bin` does by 3.
fn write_traces(folder: &Path) {
    /// `l(3)`
    const THREE: [u8; 8] = [1, 0x40, 0, 0, 3, 0, 0, 0];
    let mut bytes = fs::read(root().join("fixtures/d3d/cases/cs5_groupshared.aerogputrace")).unwrap();
    fs::write(folder.join("a.bin"), &bytes).unwrap();
    let at = bytes.windows(THREE.len()).position(|window| window == THREE).unwrap();
    bytes[at + 4] = 5;
    fs::write(folder.join("b.bin"), &bytes).unwrap();
}

fn drawn(arguments: &[&str], folder: &Path) -> Run {
    let done = run(&[arguments, &ADAPTER].concat(), folder);
    assert_eq!(done.code, 0, "{}", done.stderr);
    done
}

fn three_stages_are_stepped_and_asked_about() {
    let folder = tempfile::tempdir().unwrap();
    write_traces(folder.path());
    let hash = |arguments: &[&str]| {
        let done = drawn(&[&["a.bin", "--frame", "0", "--hash"], arguments].concat(), folder.path());
        done.stdout.trim().rsplit_once("sha256=").unwrap().1.to_owned()
    };
    let whole = hash(&[]);
    assert_eq!(hash(&["--draw", "0"]), whole);
    let film = drawn(&["film", "a.bin", "--frame", "0", "--out", "film"], folder.path());
    assert!(film.stdout.starts_with("draw 0 at 0xe36") && film.stdout.contains(&whole), "{}", film.stdout);
    let shaders = run(&["shaders", "a.bin"], folder.path());
    for stage in ["compute", "vertex", "pixel"] {
        assert!(shaders.stdout.contains(stage), "{}", shaders.stdout);
    }
    let pixel = drawn(&["pixel", "a.bin", "--frame", "0", "--at", "3,2"], folder.path());
    assert!(pixel.stdout.contains("draw 0"), "{}", pixel.stdout);
}

fn an_edited_stage_is_found() {
    let folder = tempfile::tempdir().unwrap();
    write_traces(folder.path());
    for name in ["a", "b"] {
        drawn(&[&format!("{name}.bin"), "--frame", "0", "--out", &format!("{name}.png")], folder.path());
    }
    let same = run(&["diff", "a.png", "a.png"], folder.path());
    assert_eq!(same.code, 0, "{}", same.stdout);
    let other = run(&["diff", "a.png", "b.png"], folder.path());
    assert_eq!(other.code, 1, "{}", other.stdout);
    // One number stays: that of 0 times anything.
    assert!(other.stdout.contains("63 of 64 pixels differ"), "{}", other.stdout);
    let found = run(&["bisect", "a.bin", "--by", "input", "--b", "b.bin"], folder.path());
    assert_eq!(found.code, 1, "{}", found.stderr);
    for words in ["its first draw that is not: draw 0", "CREATE_SHADER_DXBC at 0x96", "in its payload"] {
        assert!(found.stdout.contains(words), "{}", found.stdout);
    }
}

fn bytecode_is_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    write_traces(folder.path());
    let extracted = run(&["extract", "--shaders", "edited", "a.bin"], folder.path());
    assert_eq!(extracted.code, 0, "{}", extracted.stderr);
    let told = "shaders of submissions, which are bytecode, are not replaced by this build";
    let arguments = ["a.bin", "--frame", "0", "--hash", "--replace-shaders", "edited"];
    run(&[arguments.as_slice(), &ADAPTER].concat(), folder.path()).expect(4, "", told);
}
