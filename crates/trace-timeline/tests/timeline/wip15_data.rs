//! Every expected result for WIP15 traces: those in `fixtures/wip15` always, those in the shared data where it is
//! present (else they are reported as ignored).

use std::collections::BTreeMap;
use std::path::Path;

use dev_trials::{Failed, Trial};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use trace_base::bytes::{ByteSource, FileSource};
use trace_base::error::Classified;
use trace_timeline::wip15::{BlobPolicy, Reader, count_calls, summarize, write_canonical};

pub fn trials() -> Vec<Trial> {
    let root = dev_trials::root();
    let mut trials = Vec::new();
    let shared = root.join("../shared/data/wip15");
    for (label, folder) in [("fixture", root.join("fixtures/wip15")), ("shared", shared)] {
        add(&mut trials, &format!("{label}/real"), &folder, real);
        add(&mut trials, &format!("{label}/synth"), &folder.join("synth"), synth);
        add(&mut trials, &format!("{label}/bad"), &folder.join("bad"), bad);
    }
    trials
}

type Check = fn(&Path, &Value) -> Result<(), Failed>;

/// One trial a file named in `folder/expected.json`, or one ignored trial if there is no such file.
fn add(trials: &mut Vec<Trial>, label: &str, folder: &Path, check: Check) {
    let Ok(text) = std::fs::read(folder.join("expected.json")) else {
        assert!(!label.starts_with("fixture"), "{} is missing", folder.display());
        trials.push(Trial::test(format!("{label}: data not present"), || Ok(())).with_ignored_flag(true));
        return;
    };
    let expected: Map<String, Value> = serde_json::from_slice(&text).unwrap();
    assert!(!expected.is_empty(), "nothing to compare in {}", folder.display());
    for (name, expected) in expected {
        let path = folder.join(&name);
        trials.push(Trial::test(format!("{label}/{name}"), move || check(&path, &expected)));
    }
}

fn open(path: &Path) -> Result<FileSource, Failed> {
    Ok(FileSource::open(path)?)
}

fn compare(what: &str, found: &Value, expected: &Value) -> Result<(), Failed> {
    if found == expected { Ok(()) } else { Err(format!("{what}: expected {expected}, found {found}").into()) }
}

/// Lines and SHA-256 of the canonical text.
fn canonical(source: &dyn ByteSource) -> Result<(Value, Value), Failed> {
    let mut text = Vec::new();
    write_canonical(&mut Reader::open(source, BlobPolicy::Check)?, &mut text)?;
    let lines = text.iter().filter(|byte| **byte == b'\n').count();
    let digest: String = Sha256::digest(&text).iter().map(|byte| format!("{byte:02x}")).collect();
    Ok((json!(lines), json!(digest)))
}

fn real(path: &Path, expected: &Value) -> Result<(), Failed> {
    let source = open(path)?;
    let (summary, _) = summarize(&mut Reader::open(&source, BlobPolicy::Check)?);
    let found = serde_json::to_value(&summary)?;
    let about_the_file = ["sha256", "size", "canonical_sha256", "canonical_lines"];
    for (key, expected) in expected.as_object().unwrap() {
        if key == "error" {
            for key in ["class", "offset", "op_offset"] {
                compare(key, &found["error"][key], &expected[key])?;
            }
        } else if !about_the_file.contains(&key.as_str()) {
            compare(key, &found[key], expected)?;
        }
    }
    let (lines, digest) = canonical(&source)?;
    compare("canonical_lines", &lines, &expected["canonical_lines"])?;
    compare("canonical_sha256", &digest, &expected["canonical_sha256"])?;
    counting_agrees(&source, &summary.call_histogram)
}

/// The fast count gives the same histogram, up to the first damage that it can't see: a damaged blob.
fn counting_agrees(source: &dyn ByteSource, histogram: &BTreeMap<String, u64>) -> Result<(), Failed> {
    let (counts, error) = count_calls(&mut Reader::open(source, BlobPolicy::Check)?);
    assert_eq!(counts.calls, histogram.values().sum::<u64>());
    assert_eq!(&counts.histogram, histogram);
    let (lazy, lazy_error) = count_calls(&mut Reader::open(source, BlobPolicy::Skip)?);
    assert!(lazy.calls >= counts.calls && (error.is_some() || lazy_error.is_none()));
    Ok(())
}

fn synth(path: &Path, expected: &Value) -> Result<(), Failed> {
    let source = open(path)?;
    let (summary, error) = summarize(&mut Reader::open(&source, BlobPolicy::Check)?);
    assert!(error.is_none(), "{error:?}");
    let found = serde_json::to_value(&summary)?;
    for key in ["blobs", "calls", "endian", "extras", "frames", "variant_used", "warnings"] {
        compare(key, &found[key], &expected[key])?;
    }
    compare("functions", &found["functions_declared"], &expected["functions"])?;
    compare("groups", &found["groups_declared"], &expected["groups"])?;
    let (lines, digest) = canonical(&source)?;
    compare("canonical_lines", &lines, &expected["canonical_lines"])?;
    compare("canonical_sha256", &digest, &expected["canonical_sha256"])
}

fn bad(path: &Path, expected: &Value) -> Result<(), Failed> {
    let source = open(path)?;
    let own = &expected["own"];
    let (class, offset, calls) = match Reader::open(&source, BlobPolicy::Check) {
        Err(error) => (error.class(), json!(error.offset()), 0),
        Ok(mut reader) => {
            let (summary, error) = summarize(&mut reader);
            if error.is_some() {
                compare("op_offset", &json!(reader.op_offset()), &own["op_offset"])?;
            }
            (summary.result, json!(summary.error_offset), summary.calls)
        }
    };
    let accept = expected["accept"].as_array().unwrap();
    assert!(accept.contains(&json!(class)), "class {class} at {offset} is none of {accept:?}");
    assert!(calls >= expected["min_calls"].as_u64().unwrap_or(0), "only {calls} calls");
    if own["class"] == class && class != "ok" {
        compare("offset", &offset, &own["offset"])?;
        compare("calls", &json!(calls), &own["calls"])?;
    }
    Ok(())
}
