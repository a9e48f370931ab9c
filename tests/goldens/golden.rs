//! The project's own goldens, by the code that `golden test` runs: each case is a test of its own.
//!
//! Needs software Vulkan. `cargo run -- golden approve golden` makes goldens, `golden review` asks first.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::support;
use aerogpu_replay::golden::outcome::CaseOutcome;
use aerogpu_replay::golden::suite::{FoundCase, SuiteOptions, WarningPolicy, find_cases, test_cases};
use aerogpu_replay::worker::{Program, WorkerCommand};
use support::harness::{Failed, Trial};
use support::{fixtures, root, software};

fn options() -> SuiteOptions {
    let arguments = ["worker", "--backend", "vulkan", "--adapter", "llvmpipe"];
    SuiteOptions {
        worker: WorkerCommand::new(
            Program::Other(PathBuf::from(env!("CARGO_BIN_EXE_aerogpu-replay"))),
            arguments.map(str::to_owned).into(),
            Duration::from_secs(60),
        ),
        jobs: 1,
        retries: 1,
        root: root().to_owned(),
        warning_policy: WarningPolicy::Reported,
        keep: None,
    }
}

fn explain(outcome: &CaseOutcome) -> String {
    let frames = outcome.frames.iter().filter(|frame| !frame.status.is_good());
    let frames = frames.map(|frame| format!("\n  frame {}: {} {:?}", frame.of, frame.message, frame.cause));
    format!("{}: {}{}", outcome.status.word(), outcome.summary(), frames.collect::<String>())
}

fn test(case: &FoundCase) -> Result<(), Failed> {
    let outcomes = test_cases(std::slice::from_ref(case), &options(), |_| {});
    match outcomes.as_slice() {
        [outcome] if outcome.status.is_good() => Ok(()),
        [outcome] => Err(explain(outcome).into()),
        _ => Err("nothing was compared".into()),
    }
}

/// A fixture without goldens would be compared with nothing.
fn every_fixture_has_a_case(cases: &[FoundCase]) {
    let names: Vec<_> = cases.iter().filter_map(|case| case.folder.file_name()?.to_str()).collect();
    for name in std::iter::once("triangle").chain(fixtures::REPLAYABLE.iter().map(|(name, _)| *name)) {
        let make = format!("golden new fixtures/aerogpu/{name}.aerogputrace");
        assert!(names.contains(&name), "{name} has no case: `cargo run -- {make}` makes it");
    }
}

pub fn trials() -> Vec<Trial> {
    let golden: &Path = &root().join("golden");
    let cases = find_cases(&[golden.to_owned()]).unwrap();
    let mut trials: Vec<Trial> = Vec::new();
    for case in cases.clone() {
        let name = case.folder.strip_prefix(golden).unwrap().display().to_string();
        trials.push(software::trial(name, move |_| test(&case).unwrap_or_else(|failed| panic!("{failed:?}"))));
    }
    trials.push(Trial::test("cases_have_no_problems", || {
        // Their inputs.json name parts as earlier versions did.
        let fsck = ["golden", "fsck", "golden"];
        let ended = Command::new(env!("CARGO_BIN_EXE_aerogpu-replay")).args(fsck).current_dir(root()).output().unwrap();
        let said = String::from_utf8_lossy(&ended.stdout);
        assert!(ended.status.success() && said.contains(" 0 problems"), "{said}");
        Ok(())
    }));
    trials.push(Trial::test("every_fixture_has_a_case", move || {
        every_fixture_has_a_case(&cases);
        Ok(())
    }));
    trials
}
