//! Completions for shells, pages for `man`, and the output of `--version`.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use aerogpu_replay::cli::command;

use crate::support::harness::{Trial, trials_of};
use crate::support::program::run;

pub fn trials() -> Vec<Trial> {
    trials_of![
        #[cfg(target_os = "linux")]
        bash_completes_verbs_and_flags,
        every_shell_has_a_script,
        each_verb_has_a_page,
        a_version_says_what_it_was_built_from,
    ]
}

/// Offers of a shell at the end of a line.
fn completed(script: &str, words: &[&str]) -> BTreeSet<String> {
    let last = words.len();
    let (word, before) = (words.last().unwrap_or(&""), words.get(last.wrapping_sub(2)).unwrap_or(&"aerogpu-replay"));
    let line = format!(
        "{script}\nCOMP_WORDS=(aerogpu-replay {}); COMP_CWORD={last}\n\
         _aerogpu__replay aerogpu-replay '{word}' '{before}'; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        words.join(" ")
    );
    let output = Command::new("bash").args(["--norc", "-c", &line]).output().unwrap();
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(ToOwned::to_owned).collect()
}

fn bash_completes_verbs_and_flags() {
    let folder = tempfile::tempdir().unwrap();
    let script = run(&["completions", "bash"], folder.path()).stdout;
    let offers = |words: &[&str]| completed(&script, words);
    assert_eq!(offers(&["tim"]), BTreeSet::from(["timeline".to_owned()]));
    // What is hidden from people is not proposed to them.
    assert!(!offers(&["w"]).contains("worker") && !offers(&["help", "w"]).contains("worker"));
    assert_eq!(offers(&["timeline", "verify"]), BTreeSet::from(["verify-export".to_owned()]));
    assert!(offers(&["timeline", "verify-export", "--al"]).contains("--align"));
    assert_eq!(offers(&["info", "t.bin", "--de"]), BTreeSet::from(["--deep".to_owned()]));
}

fn every_shell_has_a_script() {
    let folder = tempfile::tempdir().unwrap();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let done = run(&["completions", shell], folder.path());
        assert_eq!((done.code, done.stderr.as_str()), (0, ""), "{shell}");
        assert!(done.stdout.contains("verify-export") && done.stdout.contains("keep-going"), "{shell}");
    }
    run(&["completions", "tcsh"], folder.path()).expect(2, "", "possible values: bash, elvish, fish, powershell, zsh");
}

fn each_verb_has_a_page() {
    let folder = tempfile::tempdir().unwrap();
    let done = run(&["man", "--out", "pages"], folder.path());
    let files: BTreeSet<String> = fs::read_dir(folder.path().join("pages"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    let count = files.len();
    done.expect(0, "", &format!("wrote {count} pages to pages"));
    let mut expected = BTreeSet::new();
    let mut commands = vec![(command(), "aerogpu-replay".to_owned())];
    while let Some((command, name)) = commands.pop() {
        expected.insert(format!("{name}.1"));
        let verbs = command.get_subcommands().filter(|verb| !verb.is_hide_set());
        commands.extend(verbs.map(|verb| (verb.clone(), format!("{name}-{}", verb.get_name()))));
    }
    assert_eq!(files, expected);
    for file in files {
        let page = fs::read_to_string(folder.path().join("pages").join(&file)).unwrap();
        assert!(page.contains(&format!(".TH {}", file.trim_end_matches(".1"))), "{file}: {page}");
        assert!(page.contains(".SH SYNOPSIS"), "{file}");
    }
    let printed = run(&["man"], folder.path()).stdout;
    assert_eq!(printed, fs::read_to_string(folder.path().join("pages/aerogpu-replay.1")).unwrap());
}

fn a_version_says_what_it_was_built_from() {
    let folder = tempfile::tempdir().unwrap();
    let short = run(&["-V"], folder.path()).stdout;
    assert_eq!(short, format!("aerogpu-replay {}\n", env!("CARGO_PKG_VERSION")));
    let long = run(&["--version"], folder.path()).stdout;
    assert!(long.starts_with(&format!("aerogpu-replay {}: commit ", env!("CARGO_PKG_VERSION"))), "{long}");
    let features = match (cfg!(feature = "gpu"), cfg!(feature = "window")) {
        (_, true) => "features: gpu, window",
        (true, false) => "features: gpu",
        (false, false) => "features: none",
    };
    assert!(long.contains(features), "{long}");
    assert_eq!(long.contains("\nwgpu ") && long.contains("\nnaga "), cfg!(feature = "gpu"), "{long}");
}
