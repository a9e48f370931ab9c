//! `doctor`: the block for bug reports says what `adapters` and `--version` say.

use crate::support;
use serde_json::Value;
use support::harness::{Trial, trials_of};
use support::program::{program, run};

pub fn trials() -> Vec<Trial> {
    trials_of![
        the_block_says_what_is_there,
        adapters_are_those_of_adapters_with_their_faults,
        what_becomes_of_freed_memory,
    ]
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn of_type<'l>(lines: &'l [Value], wanted: &str) -> Vec<&'l Value> {
    lines.iter().filter(|line| line["type"] == wanted).collect()
}

fn the_block_says_what_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    let output = program().args(["doctor"]).env("XDG_STATE_HOME", &state).output().unwrap();
    let (block, words) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert_eq!((output.status.code(), words.as_str()), (Some(0), ""), "{block}");
    let inner = block.strip_prefix("```\n").and_then(|rest| rest.strip_suffix("```\n")).unwrap();
    let version = run(&["-V"], folder.path()).stdout;
    let built_from = run(&["--version"], folder.path()).stdout;
    let profile = if cfg!(debug_assertions) { "a debug build" } else { "an optimised build" };
    // Optimised builds are told, by `build.rs`.
    let commit = option_env!("AEROGPU_REPLAY_COMMIT").unwrap_or("unknown");
    let first = format!("{}: commit {commit}, {profile}\n", version.trim_end());
    assert!(inner.starts_with(&first), "{first} does not begin\n{block}");
    assert!(inner.starts_with(built_from.trim_end()), "{built_from} does not begin\n{block}");
    for line in [
        format!("notes and bookmarks: {}\n", state.join("aerogpu-replay").display()),
        format!("temporary files: {}\n", std::env::temp_dir().display()),
        format!("system: {} {}\n", std::env::consts::OS, std::env::consts::ARCH),
    ] {
        assert!(inner.contains(&line), "{line} is not in\n{block}");
    }
    assert!(!folder.path().join("state").exists(), "a question leaves nothing behind");
}

fn adapters_are_those_of_adapters_with_their_faults() {
    let folder = tempfile::tempdir().unwrap();
    let doctor = run(&["doctor", "--json"], folder.path());
    doctor.expect(0, &doctor.stdout, "");
    let found = lines(&doctor.stdout);
    let listed = lines(&run(&["adapters", "--json"], folder.path()).stdout);
    assert_eq!(of_type(&found, "adapter"), listed.iter().collect::<Vec<_>>());
    let block = run(&["doctor"], folder.path()).stdout;
    for adapter in &listed {
        let line = format!("adapter {}: {} (", adapter["index"], adapter["name"].as_str().unwrap());
        assert!(block.contains(&line), "{line} is not in\n{block}");
        let faults: Vec<&str> =
            adapter["faults"].as_array().unwrap().iter().map(|fault| fault["name"].as_str().unwrap()).collect();
        let is_llvmpipe = adapter["name"].as_str().unwrap().starts_with("llvmpipe");
        let mut expected = Vec::new();
        if is_llvmpipe {
            expected.extend(["nine-vertices", "twice-the-bias"]);
        }
        if is_llvmpipe && adapter["backend"] == "gl" {
            expected.push("early-copies");
        }
        if is_llvmpipe && adapter["backend"] == "vulkan" {
            expected.push("cut-colors");
        }
        assert_eq!(faults, expected, "{adapter}");
        assert!(faults.iter().all(|fault| block.contains(&format!("known fault {fault}: "))), "{block}");
    }
    let build = of_type(&found, "build")[0];
    assert!(build["features"].as_array().unwrap().contains(&"gpu".into()), "{build}");
    assert_eq!(build["libraries"]["wgpu"], aerogpu_replay::gpu::WGPU_VERSION);
    assert_eq!(of_type(&found, "folder").len(), 2);
}

/// glibc's own choice is changed where nobody has made one.
fn what_becomes_of_freed_memory() {
    const OWN: [&str; 5] =
        ["MALLOC_TRIM_THRESHOLD_", "MALLOC_TOP_PAD_", "MALLOC_MMAP_THRESHOLD_", "MALLOC_MMAP_MAX_", "GLIBC_TUNABLES"];
    let is_glibc = cfg!(all(target_os = "linux", target_env = "gnu"));
    let told = |set: Option<(&str, &str)>| {
        let ask = |arguments: &[&str]| {
            let mut asked = program();
            for variable in OWN {
                asked.env_remove(variable);
            }
            let output = asked.args(arguments).envs(set).output().unwrap();
            assert_eq!(output.status.code(), Some(0), "{output:?}");
            String::from_utf8(output.stdout).unwrap()
        };
        let block = ask(&["doctor"]);
        let line = block.lines().find_map(|line| line.strip_prefix("memory that software Vulkan frees: ")).unwrap();
        let listed = lines(&ask(&["doctor", "--json"]));
        let [json] = of_type(&listed, "freed-memory")[..] else { panic!("{listed:?}") };
        (line.to_owned(), json["of_software_vulkan"].as_str().unwrap().to_owned(), json["variable"].clone())
    };
    let by = |sentence: &str, name: &str, variable: Value| (sentence.to_owned(), name.to_owned(), variable);
    let system = || by("as the system's allocator does", "as-the-system-does", Value::Null);
    let kept = if is_glibc { by("kept for the next frame", "kept", Value::Null) } else { system() };
    assert_eq!(told(None), kept);
    assert_eq!(told(Some(("GLIBC_TUNABLES", "glibc.malloc.arena_max=2"))), kept);
    let set = [
        ("MALLOC_TRIM_THRESHOLD_", "131072"),
        ("MALLOC_MMAP_MAX_", "65536"),
        ("GLIBC_TUNABLES", "glibc.malloc.arena_max=2:glibc.malloc.mmap_threshold=131072"),
    ];
    for (variable, value) in set {
        let sentence = format!("as {variable} says");
        let expected = if is_glibc { by(&sentence, "as-set", variable.into()) } else { system() };
        assert_eq!(told(Some((variable, value))), expected);
    }
}
