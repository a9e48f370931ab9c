//! `timeline info --json` and `timeline dump --canonical` of the built program against every expected result: those in
//! `fixtures` always, those in the shared data where it is present (else they are reported as ignored).

use std::path::{Path, PathBuf};

use crate::support;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use support::harness::{Failed, Trial};
use support::program::{Run, run};
use support::root;

pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for (label, data) in [("fixture", root().join("fixtures")), ("shared", root().join("../shared/data"))] {
        let data = Data { label, folder: data };
        data.add(&mut trials, "wip15", "expected.json", wip15);
        data.add(&mut trials, "wip15/synth", "expected.json", wip15);
        data.add(&mut trials, "wip15/bad", "expected.json", wip15_bad);
        data.add(&mut trials, "wip15", "timeline_expected.json", wip15_timeline);
        data.add(&mut trials, "wtf", "expected.json", wtf);
        data.add(&mut trials, "wtf/bad", "manifest.json", wtf_bad);
    }
    trials
}

type Check = fn(&Path, &Value) -> Result<(), Failed>;

struct Data {
    label: &'static str,
    folder: PathBuf,
}

impl Data {
    /// One trial for each file that `list` names.
    fn add(&self, trials: &mut Vec<Trial>, folder: &str, list: &str, check: Check) {
        let label = format!("{}/{folder}/{list}", self.label);
        let folder = self.folder.join(folder);
        let Ok(text) = std::fs::read(folder.join(list)) else {
            assert!(self.label != "fixture", "{label} is missing");
            trials.push(Trial::test(format!("{label}: data not present"), || Ok(())).with_ignored_flag(true));
            return;
        };
        let expected: Vec<(String, Value)> = match serde_json::from_slice(&text).unwrap() {
            Value::Object(files) => files.into_iter().collect(),
            Value::Array(files) => {
                files.into_iter().map(|file| (file["file"].as_str().unwrap().to_owned(), file)).collect()
            }
            other => panic!("{label}: {other}"),
        };
        assert!(!expected.is_empty(), "nothing to compare in {label}");
        for (name, expected) in expected {
            let path = folder.join(&name);
            let is_absent = !path.is_file();
            let trial = Trial::test(format!("{label}: {name}"), move || check(&path, &expected));
            trials.push(trial.with_ignored_flag(is_absent));
        }
    }
}

fn program(arguments: &[&str], path: &Path) -> Run {
    let path = path.display().to_string();
    run(&[arguments, &[&path]].concat(), Path::new("."))
}

fn info(path: &Path) -> Result<(Map<String, Value>, i32), Failed> {
    let run = program(&["timeline", "info", "--json", "--digests"], path);
    if run.stdout.lines().count() != 1 {
        return Err(format!("expected one object, found {:?}; {}", run.stdout, run.stderr).into());
    }
    Ok((serde_json::from_str(&run.stdout)?, run.code))
}

fn same(what: &str, found: &Value, expected: &Value) -> Result<(), Failed> {
    if found == expected { Ok(()) } else { Err(format!("{what}: expected {expected}, found {found}").into()) }
}

/// Every expected field is there and equal; `except` can't be derived from the file.
fn fields(found: &Map<String, Value>, expected: &Value, except: &[&str]) -> Result<(), Failed> {
    for (key, expected) in expected.as_object().ok_or("no object")? {
        if !except.contains(&key.as_str()) {
            same(key, found.get(key).ok_or_else(|| format!("no field {key}"))?, expected)?;
        }
    }
    Ok(())
}

fn sha256(text: &[u8]) -> Value {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect::<String>().into()
}

fn wip15(path: &Path, expected: &Value) -> Result<(), Failed> {
    let (found, code) = info(path)?;
    // "what" says why the file was made; the words of the error are our own.
    fields(&found, expected, &["what", "error"])?;
    if let Some(error) = expected.get("error") {
        for key in ["class", "offset", "op_offset"] {
            same(key, &found["error"][key], &error[key])?;
        }
    }
    let canonical = program(&["timeline", "dump", "--canonical", "ops"], path);
    same("canonical_sha256", &sha256(&canonical.stdout_bytes), &expected["canonical_sha256"])?;
    let is_whole = expected.get("result").is_none_or(|result| result == "ok");
    let expected_code = if is_whole { 0 } else { 8 };
    same("exit codes", &json!([code, canonical.code]), &json!([expected_code, expected_code]))
}

fn wip15_timeline(path: &Path, expected: &Value) -> Result<(), Failed> {
    let (found, _) = info(path)?;
    let figures = found["timeline"].as_object().ok_or("no timeline")?;
    fields(figures, expected, &["full"])?;
    let Some(full) = expected.get("full") else { return Ok(()) };
    let listing = program(&["timeline", "dump", "--canonical", "timeline"], path);
    let listing: Value = serde_json::from_str(&listing.stdout)?;
    for (key, expected) in full.as_object().ok_or("no object")? {
        same(key, &listing[key], expected)?;
    }
    Ok(())
}

fn wip15_bad(path: &Path, expected: &Value) -> Result<(), Failed> {
    let (found, code) = info(path)?;
    fields(&found, &json!({"size": expected["size"], "sha256": expected["sha256"]}), &[])?;
    let (accept, own, class) = (expected["accept"].as_array().unwrap(), &expected["own"], &found["result"]);
    if !accept.contains(class) {
        return Err(format!("class {class} is none of {accept:?}").into());
    }
    assert!(found["calls"].as_u64().unwrap() >= expected["min_calls"].as_u64().unwrap_or(0));
    let is_unreadable = ["bad_magic", "truncated_header", "bad_endian", "unsupported_version"].map(Value::from);
    let expected_code = match class.as_str().unwrap() {
        "ok" => 0,
        "limit" => 10,
        _ if is_unreadable.contains(class) => 3,
        _ => 8,
    };
    same("exit code", &code.into(), &expected_code.into())?;
    if expected_code != 0 {
        same("error", &found["error"]["class"], class)?;
    }
    if own["class"] == *class && expected_code != 0 {
        same("error_offset", &found["error_offset"], &own["offset"])?;
        same("op_offset", &found["error"]["op_offset"], &own["op_offset"])?;
        same("calls", &found["calls"], &own["calls"])?;
    }
    Ok(())
}

fn wtf(path: &Path, expected: &Value) -> Result<(), Failed> {
    let (found, code) = info(path)?;
    fields(&found, expected, &[])?;
    let expected_code = if expected["error"].is_null() { 0 } else { 8 };
    for text in ["events", "timeline"] {
        let canonical = program(&["timeline", "dump", "--canonical", text], path);
        same("exit code", &json!([code, canonical.code]), &json!([expected_code, expected_code]))?;
        // The header's three lines are not part of the digest.
        let lines = canonical.stdout.split_inclusive('\n').skip(3).collect::<String>();
        let key = format!("{text}_sha256");
        same(&key, &sha256(lines.as_bytes()), &expected[&key])?;
        if let Ok(whole) = std::fs::read_to_string(path.with_extension(format!("{text}.txt"))) {
            assert!(canonical.stdout == whole, "{text} differs from the listing");
        }
    }
    Ok(())
}

fn wtf_bad(path: &Path, entry: &Value) -> Result<(), Failed> {
    let (found, code) = info(path)?;
    let expected = &entry["expect"];
    let class = if expected["severity"] == "error" { expected["class"].clone() } else { Value::Null };
    same("size", &found["size"], &entry["size"])?;
    same("error", &found["error"], &class)?;
    same("records", &found["records"], &expected["records"])?;
    same("warnings", &found["warnings"], &expected["warnings"])?;
    if !expected["offset"].is_null() {
        same("error_offset", &found["error_offset"], &expected["offset"])?;
    }
    let expected_code = match (class.is_null(), found["dialect"].is_null()) {
        (true, _) => 0,
        (false, true) => 3,
        (false, false) => 8,
    };
    same("exit code", &code.into(), &expected_code.into())
}
