//! The timelines of WIP15 traces against the expected ones, every frame, span and instant.

use std::path::Path;

use dev_trials::{Failed, Trial};
use serde_json::{Map, Value};
use trace_base::bytes::FileSource;
use trace_base::error::Classified;
use trace_timeline::annotation::wip15::{info_wip15, map_wip15};
use trace_timeline::wip15::{BlobPolicy, Layouts};

pub fn trials() -> Vec<Trial> {
    let root = dev_trials::root();
    let mut trials = Vec::new();
    for (label, folder) in [("fixture", root.join("fixtures/wip15")), ("shared", root.join("../shared/data/wip15"))] {
        let Ok(text) = std::fs::read(folder.join("timeline_expected.json")) else {
            assert!(label != "fixture", "{} is missing", folder.display());
            trials.push(Trial::test(format!("{label}: data not present"), || Ok(())).with_ignored_flag(true));
            continue;
        };
        let expected: Map<String, Value> = serde_json::from_slice(&text).unwrap();
        assert!(!expected.is_empty());
        for (name, expected) in expected {
            let path = folder.join(&name);
            trials.push(Trial::test(format!("{label}/{name}"), move || check(&path, &expected)));
        }
    }
    trials
}

fn check(path: &Path, expected: &Value) -> Result<(), Failed> {
    let source = FileSource::open(path)?;
    let mapped = map_wip15(&source, "test", BlobPolicy::Check)?;
    let mut expected = expected.as_object().unwrap().clone();
    let full = expected.remove("full");
    compare("figures", &mapped.figures(), &Value::Object(expected))?;
    let (info, error) = info_wip15(&source, Layouts::All)?;
    assert_eq!((&info["timeline"], &info["result"]), (&mapped.figures(), &Value::from(mapped.result())));
    assert_eq!(error.and_then(|error| error.offset()), info.get("error_offset").and_then(Value::as_u64));
    let listing = mapped.listing(&source)?;
    if let Some(full) = full {
        compare("listing", &listing, &full)?;
    }
    let frames = mapped.timeline.frames.iter().collect::<Vec<_>>();
    assert!(frames.windows(2).all(|pair| pair[0].end == pair[1].begin));
    assert_eq!(frames.last().map_or(0, |frame| frame.end.0), mapped.timeline.end.0);
    Ok(())
}

/// Compares deeply and names the first place that differs.
fn compare(path: &str, found: &Value, expected: &Value) -> Result<(), Failed> {
    match (found, expected) {
        (Value::Object(found), Value::Object(expected)) => {
            for (key, expected) in expected {
                compare(&format!("{path}.{key}"), found.get(key).unwrap_or(&Value::Null), expected)?;
            }
            let extra: Vec<_> = found.keys().filter(|key| !expected.contains_key(*key)).collect();
            if extra.is_empty() { Ok(()) } else { Err(format!("{path}: unexpected {extra:?}").into()) }
        }
        (Value::Array(found), Value::Array(expected)) => {
            for (index, expected) in expected.iter().enumerate() {
                compare(&format!("{path}[{index}]"), found.get(index).unwrap_or(&Value::Null), expected)?;
            }
            if found.len() == expected.len() { Ok(()) } else { Err(format!("{path}: {} items", found.len()).into()) }
        }
        _ if found == expected => Ok(()),
        _ => Err(format!("{path}: expected {expected}, found {found}").into()),
    }
}
