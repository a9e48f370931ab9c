//! Every wtf-trace with known results, one test per file: `expected.json` for whole traces, `bad/manifest.json` for
//! damaged ones. Small files lie in `fixtures/wtf`; the others are looked for in `../shared/data/wtf`, and a file that
//! is in neither place makes its test *ignored*, never passed.

use std::fs;
use std::path::{Path, PathBuf};

use dev_trials::{Failed, Trial};
use serde_json::Value;
use sha2::{Digest, Sha256};
use trace_base::bytes::MemorySource;
use trace_timeline::annotation::Digests;
use trace_timeline::annotation::wtf::{describe_wtf, map_wtf, write_canonical};
use trace_timeline::wtf::{Reader, count, write_event_line, write_header_lines};
use trace_timeline::{Exported, Placement, SelectedEvents, write_chrome, write_perfetto};

pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    let expected = read_json("expected.json").unwrap_or_default();
    for (name, expected) in expected.as_object().into_iter().flatten() {
        trials.push(trial(name, expected, check_info));
        trials.push(trial(name, expected, check_events));
        trials.push(trial(name, expected, check_timeline));
        trials.push(trial(name, expected, check_export));
    }
    for entry in read_json("bad/manifest.json").unwrap_or_default().as_array().into_iter().flatten() {
        let name = format!("bad/{}", entry["file"].as_str().unwrap_or_default());
        trials.push(trial(&name, &entry["expect"], check_bad));
    }
    assert!(trials.len() > 50, "fixtures/wtf/expected.json and bad/manifest.json must be there");
    trials
}

type Check = fn(&Path, &Value) -> Result<(), Failed>;

fn trial(name: &str, expected: &Value, check: Check) -> Trial {
    let kind = match check {
        _ if std::ptr::fn_addr_eq(check, check_info as Check) => "info",
        _ if std::ptr::fn_addr_eq(check, check_events as Check) => "events",
        _ if std::ptr::fn_addr_eq(check, check_timeline as Check) => "timeline",
        _ if std::ptr::fn_addr_eq(check, check_export as Check) => "export",
        _ => "bad",
    };
    let path = find(name);
    let expected = expected.clone();
    let is_absent = path.is_none();
    let run = move || check(&path.unwrap_or_default(), &expected);
    Trial::test(name.to_owned(), run).with_kind(kind).with_ignored_flag(is_absent)
}

fn roots() -> [PathBuf; 2] {
    let package = dev_trials::root();
    [package.join("fixtures/wtf"), package.join("../shared/data/wtf")]
}

fn find(name: &str) -> Option<PathBuf> {
    roots().into_iter().map(|root| root.join(name)).find(|path| path.is_file())
}

fn read_json(name: &str) -> Option<Value> {
    serde_json::from_slice(&fs::read(find(name)?).ok()?).ok()
}

fn source(path: &Path) -> Result<MemorySource, Failed> {
    Ok(MemorySource::from(fs::read(path)?))
}

fn same(what: &str, found: impl Into<Value>, expected: &Value) -> Result<(), Failed> {
    let found = found.into();
    if found == *expected { Ok(()) } else { Err(format!("{what}: expected {expected}, found {found}").into()) }
}

/// Everything that is known of a trace, all facts at once.
fn check_info(path: &Path, expected: &Value) -> Result<(), Failed> {
    let source = source(path)?;
    let info = describe_wtf(&source, Digests::Taken);
    let expected = expected.as_object().ok_or("no object")?;
    for (name, expected) in expected {
        same(name, info.facts.get(name).cloned(), expected)?;
    }
    same("number of facts", info.facts.len(), &expected.len().into())?;
    same("error", info.error.map(|error| error.class()), expected.get("error").unwrap_or(&Value::Null))?;
    let mut reader = Reader::new(&source);
    same("records counted", count(&mut reader).records, expected.get("records").unwrap_or(&Value::Null))
}

fn check_events(path: &Path, expected: &Value) -> Result<(), Failed> {
    let source = source(path)?;
    let mut reader = Reader::new(&source);
    let mut text = String::new();
    let mut sequence = 0;
    while let Ok(Some(event)) = reader.next_event() {
        write_event_line(&mut text, sequence, &event)?;
        text.push('\n');
        sequence += 1;
    }
    if let Some(listing) = listing(path, "events") {
        let mut whole = String::new();
        write_header_lines(&mut whole, reader.header().ok_or("no header")?)?;
        whole.push_str(&text);
        compare_lines(&whole, &listing)?;
    }
    same("events_sha256", sha256(&text), &expected["events_sha256"])
}

fn check_timeline(path: &Path, expected: &Value) -> Result<(), Failed> {
    let source = source(path)?;
    let trace = map_wtf(&source);
    let mut text = String::new();
    write_canonical(&mut text, &trace)?;
    if let Some(listing) = listing(path, "timeline") {
        let mut whole = String::new();
        write_header_lines(&mut whole, trace.header.as_ref().ok_or("no header")?)?;
        whole.push_str(&text);
        compare_lines(&whole, &listing)?;
    }
    same("timeline_sha256", sha256(&text), &expected["timeline_sha256"])
}

/// Chrome JSON holds every closed scope, instant and argument; both exports end well.
fn check_export(path: &Path, expected: &Value) -> Result<(), Failed> {
    let source = source(path)?;
    let trace = map_wtf(&source);
    let placement = Placement::of_axis(&trace.timeline.axis);
    let mut arguments = trace.arguments();
    let mut exported = [Exported {
        timeline: &trace.timeline,
        arguments: &mut arguments,
        placement: &placement,
        shown: SelectedEvents::all(),
    }];
    let (mut chrome, mut perfetto) = (Vec::new(), Vec::new());
    write_chrome(&mut exported, &mut chrome).map_err(|error| error.to_string())?;
    write_perfetto(&mut exported, &mut perfetto).map_err(|error| error.to_string())?;
    let chrome: Value = serde_json::from_slice(&chrome)?;
    let events = chrome.get("traceEvents").and_then(Value::as_array).ok_or("no traceEvents")?;
    let count = |phase: &str| events.iter().filter(|event| event["ph"] == phase).count() as u64;
    let sum = |key: &str| {
        let zones = expected["zones"].as_array().into_iter().flatten();
        zones.map(|zone| zone[key].as_u64().unwrap_or(0)).sum::<u64>()
    };
    if count("X") + count("B") < sum("scopes") || count("i") < sum("instants") {
        return Err(format!("{} X, {} B, {} i", count("X"), count("B"), count("i")).into());
    }
    if perfetto.is_empty() { Err("an empty export".into()) } else { Ok(()) }
}

fn check_bad(path: &Path, expected: &Value) -> Result<(), Failed> {
    let source = source(path)?;
    let mut reader = Reader::new(&source);
    let summary = count(&mut reader);
    let class = summary.error.as_ref().map(|error| error.class());
    let expected_class = if expected["severity"] == "error" { &expected["class"] } else { &Value::Null };
    same("class", class, expected_class)?;
    same("records", summary.records, &expected["records"])?;
    let trace = map_wtf(&source);
    same("warnings", trace.warnings.names(), &expected["warnings"])?;
    same("records in the timeline", trace.record_count, &expected["records"])?;
    if !expected["offset"].is_null() {
        same("offset", summary.error.as_ref().map(|error| error.offset), &expected["offset"])?;
    }
    Ok(())
}

fn listing(path: &Path, kind: &str) -> Option<String> {
    fs::read_to_string(path.with_extension(format!("{kind}.txt"))).ok()
}

fn compare_lines(found: &str, expected: &str) -> Result<(), Failed> {
    for (number, (found, expected)) in found.lines().zip(expected.lines()).enumerate() {
        if found != expected {
            return Err(format!("line {}:\nexpected {expected}\n   found {found}", number + 1).into());
        }
    }
    same("line count", found.lines().count(), &expected.lines().count().into())
}

fn sha256(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}
