//! A submission with Direct3D bytecode of three stages (a compute shader fills a buffer, which a draw shows): stepped by
//! draw, asked about, and compared with the same whose compute shader computes something else.
//!
//! Needs software Vulkan.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::support::harness::Trial;
use crate::support::program::{Run, run};
use crate::support::serve_client::Client;
use crate::support::{root, software};

const ADAPTER: [&str; 4] = ["--backend", "vulkan", "--adapter", "llvmpipe"];

pub fn trials() -> Vec<Trial> {
    let tests: [(&str, fn()); 6] = [
        ("three_stages_are_stepped_and_asked_about", three_stages_are_stepped_and_asked_about),
        ("an_edited_stage_is_found", an_edited_stage_is_found),
        ("bytecode_is_replaced", bytecode_is_replaced),
        ("every_verb_that_draws_takes_other_shaders", every_verb_that_draws_takes_other_shaders),
        ("what_cannot_stand_in_is_refused", what_cannot_stand_in_is_refused),
        ("bytecode_is_edited_in_serve", bytecode_is_edited_in_serve),
    ];
    tests.map(|(name, test)| software::trial(name, move |_| test())).into()
}

/// `l(3)`
const THREE: [u8; 8] = [1, 0x40, 0, 0, 3, 0, 0, 0];

/// `a.bin`, and `b.bin` whose compute shader multiplies by 5 where that of `a.bin` does by 3.
fn write_traces(folder: &Path) {
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
    let film = drawn(&["filmstrip", "a.bin", "--frame", "0", "--out", "film"], folder.path());
    assert!(film.stdout.starts_with("draw 0 at 0xe36") && film.stdout.contains(&whole[..16]), "{}", film.stdout);
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
    for words in [
        "the first draw whose inputs differ: draw 0",
        "CREATE_SHADER_DXBC handle=1 stage=compute size_bytes=912 stage_ex=0 at 0x96",
        "differing in: its payload",
    ] {
        assert!(found.stdout.contains(words), "{}", found.stdout);
    }
}

/// Files that `extract --shaders` writes of `a.bin`, by their ends, those of the compute shader first.
fn extracted(folder: &Path) -> Vec<PathBuf> {
    let done = run(&["extract", "--shaders", "edited", "a.bin"], folder);
    assert_eq!(done.code, 0, "{}", done.stderr);
    let compute = "l(3)";
    let mut files: Vec<PathBuf> = done.stdout.lines().map(|line| folder.join(line)).collect();
    files.sort_by_key(|path| {
        let text = fs::read_to_string(path.with_extension("asm")).unwrap();
        (!text.contains(compute), path.extension().map(ToOwned::to_owned))
    });
    files
}

fn drawn_hash(name: &str, arguments: &[&str], folder: &Path) -> String {
    let done = drawn(&[&[name, "--frame", "0", "--hash"], arguments].concat(), folder);
    done.stdout.trim().rsplit_once("sha256=").unwrap().1.to_owned()
}

/// `filmstrip`, `overlay` and `pixel` draw with what stands in for the trace's shaders.
fn every_verb_that_draws_takes_other_shaders() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_traces(folder);
    let assembly = &extracted(folder)[0];
    let text = fs::read_to_string(assembly).unwrap();
    fs::write(assembly, text.replace("l(3)", "l(5)")).unwrap();
    let said = |words: &[&str], trace: &str, more: &[&str]| {
        let words: Vec<&str> = words.iter().map(|word| if *word == "TRACE" { trace } else { word }).collect();
        drawn(&[&words[..], more].concat(), folder).stdout
    };
    // What places they name differs with the trace alone.
    let film = ["filmstrip", "TRACE", "--frame", "0", "--out", "film"];
    let pixel = ["pixel", "TRACE", "--frame", "0", "--at", "3,2"];
    for words in [&film[..], &pixel] {
        let [a, b] = ["a.bin", "b.bin"].map(|trace| said(words, trace, &[]));
        assert_ne!(a, b, "{words:?}");
        assert_eq!(said(words, "a.bin", &REPLACED), b, "{words:?}");
    }
    let overlay = ["overlay", "TRACE", "--frame", "0", "--kind", "overdraw", "--out", "overlay.png"];
    said(&overlay, "a.bin", &REPLACED);
    for verb in ["filmstrip", "overlay", "pixel"] {
        let kind: &[&str] = match verb {
            "filmstrip" => &["--out", "film"],
            "overlay" => &["--kind", "overdraw", "--out", "overlay.png"],
            _ => &["--at", "3,2"],
        };
        let words = [&[verb, "a.bin", "--frame", "0", "--replace-shaders", "nowhere"], kind].concat();
        let refused = run(&[&words[..], &ADAPTER].concat(), folder);
        assert_eq!(refused.code, 2, "{verb}: {}", refused.stderr);
        assert!(refused.stderr.contains("nowhere"), "{verb}: {}", refused.stderr);
    }
}

const REPLACED: [&str; 2] = ["--replace-shaders", "edited"];

/// Edited assembly, or the same change made in the bytecode, draws what the trace does whose shader was made so.
fn bytecode_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_traces(folder);
    let hash = |name, arguments: &[&str]| drawn_hash(name, arguments, folder);
    let (a, b) = (hash("a.bin", &[]), hash("b.bin", &[]));
    assert_ne!(a, b);
    let files = extracted(folder);
    let (assembly, code) = (&files[0], &files[1]);
    assert!(assembly.extension().unwrap() == "asm" && code.extension().unwrap() == "dxbc", "{files:?}");
    // Nothing was edited yet.
    assert_eq!(hash("a.bin", &REPLACED), a);
    let (text, bytes) = (fs::read_to_string(assembly).unwrap(), fs::read(code).unwrap());
    fs::write(assembly, text.replace("l(3)", "l(5)")).unwrap();
    assert_eq!(hash("a.bin", &REPLACED), b);
    assert_eq!(hash("a.bin", &[&REPLACED[..], &["--draw", "0"]].concat()), b);
    fs::write(assembly, &text).unwrap();
    let mut edited = bytes.clone();
    let at = edited.windows(THREE.len()).position(|window| window == THREE).unwrap();
    edited[at + 4] = 5;
    fs::write(code, &edited).unwrap();
    assert_eq!(hash("a.bin", &REPLACED), b);
    // Assembly may also lie there alone.
    fs::remove_file(code).unwrap();
    fs::write(assembly, text.replace("l(3)", "l(5)")).unwrap();
    assert_eq!(hash("a.bin", &REPLACED), b);
}

fn what_cannot_stand_in_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_traces(folder);
    let files = extracted(folder);
    let (assembly, code) = (&files[0], &files[1]);
    let (text, bytes) = (fs::read_to_string(assembly).unwrap(), fs::read(code).unwrap());
    let refuses = |exit: i32, told: &str| {
        let arguments = [&["a.bin", "--frame", "0", "--hash"], &REPLACED[..]].concat();
        run(&[arguments.as_slice(), &ADAPTER].concat(), folder).expect(exit, "", told);
    };
    let line = 1 + text.lines().position(|line| line.contains("l(3)")).unwrap();
    fs::write(assembly, text.replace("l(3)", "l(three)")).unwrap();
    refuses(3, &format!("line {line}, column "));
    fs::write(assembly, text.replacen("\nret", "\ndadd r0.xy, r0.xyzw, r0.xyzw\nret", 1)).unwrap();
    refuses(4, "dadd is not translated by this build");
    fs::write(assembly, text.replacen("\nret", "\nmov r0.x, cb3[0].x\nret", 1)).unwrap();
    refuses(4, "it uses the constant buffer 3, which the shader that it replaces does not");
    fs::write(assembly, "ps_5_0\nret\n").unwrap();
    refuses(2, "expected a shader of cs_5_0's stage and Direct3D, found ps_5_0");
    fs::write(assembly, [0xff; 8]).unwrap();
    refuses(2, "expected Direct3D bytecode, or assembly as UTF-8 text");
    fs::write(code, &bytes[..bytes.len() / 2]).unwrap();
    refuses(2, "both differ from the trace's shader");
    fs::write(assembly, &text).unwrap();
    refuses(3, "size of the container: expected at most the bytes that follow");
    fs::remove_dir_all(folder.join("edited")).unwrap();
    fs::create_dir(folder.join("edited")).unwrap();
    refuses(
        2,
        "expected files named as extract --shaders names the shaders of this trace (the first is shader1-0x96.asm), found none",
    );
}

fn bytecode_is_edited_in_serve() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_traces(folder);
    let (a, b) = (drawn_hash("a.bin", &[], folder), drawn_hash("b.bin", &[], folder));
    let mut client = Client::start(&ADAPTER);
    let trace = client.open(&folder.join("a.bin"));
    let hash = |client: &mut Client, trace: u64| {
        client.result("hash", &json!({ "trace": trace, "frame": 0 }))["sha256"].clone()
    };
    assert_eq!(hash(&mut client, trace), json!(a));
    // Behind the DISPATCH: the draw has no compute shader bound any more.
    let dispatched = json!({ "trace": trace, "frame": 0, "packet": 5 });
    let shaders = client.result("shaders", &dispatched)["shaders"].clone();
    let compute = shaders.as_array().unwrap().iter().find(|shader| shader["stage"] == "compute").unwrap();
    let text = compute["assembly"].as_str().unwrap();
    let edit = |text| {
        let (trace, offset) = (dispatched["trace"].clone(), &compute["code_offset"]);
        json!({ "trace": trace, "frame": 0, "packet": 5, "record_offset": offset, "text": text })
    };
    let broken = client.result("edit", &edit(Some(text.replace("l(3)", "l(5"))));
    let line = 1 + text.lines().position(|line| line.contains("l(3)")).unwrap();
    assert_eq!(
        (&broken["issues"][0]["line"], &broken["issues"][0]["stage"]),
        (&json!(line), &json!("compute")),
        "{broken}"
    );
    assert_eq!(hash(&mut client, trace), json!(a), "the old one stays");
    let edited = client.result("edit", &edit(Some(text.replace("l(3)", "l(5)"))));
    assert_eq!(edited["issues"], json!([]));
    assert_eq!(hash(&mut client, trace), json!(b));
    let saved = client.result("save_edits", &json!({ "trace": trace, "folder": folder.join("edited") }));
    assert!(
        saved["paths"][0].as_str().unwrap().ends_with(".asm") && saved["paths"].as_array().unwrap().len() == 1,
        "{saved}"
    );
    assert_eq!(drawn_hash("a.bin", &REPLACED, folder), b);
    let opened =
        client.result("open", &json!({ "path": folder.join("a.bin"), "replace_shaders": folder.join("edited") }));
    assert_eq!(hash(&mut client, opened["trace"].as_u64().unwrap()), json!(b));
    assert_eq!(client.result("edit", &edit(None))["reverted"], true);
    assert_eq!(hash(&mut client, trace), json!(a));
}
