//! The conformance table on each API: every row is right, or a known failure with a reason. One that fails no more fails the
//! test, so that the list only gets shorter.
//!
//! `CONFORMANCE=all cargo test --test gpu conformance` draws every row instead of the usual ones; `CONFORMANCE=NAME` draws
//! those whose names contain NAME and prints their outcomes; `BLESS=1` rewrites `known_failures.txt`.

pub mod known;

use std::sync::Arc;
use std::time::Duration;

use aerogpu_replay::conformance::{
    ConformanceRow, ConformanceRun, Expectation, Extent, Outcome, RowResult, rows, tally,
};

use crate::gpu::kept::keep_trace;
use crate::support::harness::{Failed, Trial};
use crate::support::is_blessing;
use crate::support::software::{BACKENDS, Backend};
use known::Known;

pub fn trials() -> Vec<Trial> {
    let trial = |backend: Backend| {
        backend.fallible_trial(format!("{}::rows_are_right_or_known", backend.name()), move || check(backend))
    };
    let gone = |backend: Backend| {
        let name = format!("{}::a_device_is_gone_when_its_run_is", backend.name());
        backend.trial(name, move || a_device_is_gone_when_its_run_is(backend))
    };
    BACKENDS.map(trial).into_iter().chain(BACKENDS.map(gone)).collect()
}

/// Time that a row may take.
const PATIENCE: Duration = Duration::from_secs(20);

fn run_on(backend: Backend) -> ConformanceRun {
    ConformanceRun::new(move || Ok(backend.open_fresh()), PATIENCE)
}

/// Outcomes of rows on an API.
fn outcomes(backend: Backend, rows: &[ConformanceRow]) -> Vec<(ConformanceRow, Outcome)> {
    let (mut run, mut vulkan) = (run_on(backend), run_on(Backend::Vulkan));
    let outcome = |row: &ConformanceRow| {
        keep_trace(&row.trace().unwrap().file);
        let drawn = run.draw(row).unwrap();
        let of_vulkan: Option<RowResult> = match row.expectation().unwrap() {
            Expectation::Computed(_) => None,
            Expectation::OfVulkan => Some(vulkan.draw(row).unwrap()),
        };
        let outcome = drawn.judge(row, of_vulkan.as_ref()).unwrap();
        if std::env::var_os("CONFORMANCE").is_some() {
            println!("{}: {row}: {outcome}", backend.name());
        }
        (*row, outcome)
    };
    rows.iter().map(outcome).collect()
}

/// Nobody takes a driver down while the process ends.
fn a_device_is_gone_when_its_run_is(backend: Backend) {
    let rows = rows(Extent::Usual);
    for row in rows.iter().take(8) {
        let gpu = backend.open_fresh();
        let opened = gpu.clone();
        let mut run = ConformanceRun::new(move || Ok(opened.clone()), PATIENCE);
        run.draw(row).unwrap();
        assert!(Arc::strong_count(&gpu) > 2, "a thread draws with it");
        drop(run);
        assert_eq!(Arc::strong_count(&gpu), 1, "{row}");
    }
}

/// An outcome as the list has it: without places in the trace and in shaders.
fn words(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Refused { message } | Outcome::Failed { message } => {
            let what = message.split_once("): ").map_or(message.as_str(), |(_, what)| what);
            let what = what.split_once("shader: ").map_or(what, |(_, what)| what);
            let what = what.split_once(": error: ").map_or(what, |(_, what)| what);
            let kind = if matches!(outcome, Outcome::Refused { .. }) { "refused" } else { "error" };
            format!("{kind}: {}", what.split(';').next().unwrap())
        }
        _ => outcome.to_string(),
    }
}

fn check(backend: Backend) -> Result<(), Failed> {
    let asked = std::env::var("CONFORMANCE").ok();
    let (extent, part) = match asked.as_deref() {
        None => (Extent::Usual, None),
        Some("all") => (Extent::Full, None),
        Some(part) => (Extent::Full, Some(part)),
    };
    let api = backend.name();
    let mut known = Known::read();
    let listed = known.of_api(api);
    let is_asked = |row: &ConformanceRow| part.is_none_or(|part| row.name().contains(part));
    let rows: Vec<ConformanceRow> = rows(extent).into_iter().filter(is_asked).collect();
    let outcomes = outcomes(backend, &rows);
    for ((group, axis, value), tally) in tally(outcomes.iter().map(|(row, outcome)| (row, outcome))) {
        println!("{api} {group} {axis} {value}: {tally}");
    }
    let mut wrong = Vec::new();
    for (row, outcome) in &outcomes {
        let (name, words) = (row.name(), words(outcome));
        let listed = listed.get(&name);
        match (outcome.is_right(), listed) {
            (true, None) => continue,
            (true, Some(_)) => wrong.push(format!("{name}: right, and known to fail: BLESS=1 takes it off the list")),
            (false, Some(known)) if *known == words => continue,
            (false, Some(known)) => wrong.push(format!("{name}: {words}, known as: {known}")),
            (false, None) => wrong.push(format!("{name}: {words}")),
        }
        known.remove(api, &name);
        if !outcome.is_right() {
            known.add(api, row, words);
        }
    }
    if is_blessing() {
        known.write();
        return Ok(());
    }
    let is_no_row = |name: &&String| name.parse::<ConformanceRow>().is_err();
    wrong.extend(listed.keys().filter(is_no_row).map(|name| format!("{name}: no row is called that")));
    wrong.extend(known.unexplained().map(|name| format!("{name}: known without a reason")));
    // So many rows at least, so that none is passed over.
    if part.is_none() && rows.len() < 200 {
        wrong.push(format!("only {} rows", rows.len()));
    }
    let (count, first) = (wrong.len(), wrong.iter().take(40).map(String::as_str).collect::<Vec<_>>().join("\n"));
    if wrong.is_empty() { Ok(()) } else { Err(Failed::from(format!("{count} of {}:\n{first}", rows.len()))) }
}
