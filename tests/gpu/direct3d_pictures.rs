//! Rules of Direct3D, one a trace, and kinds of reported bugs: pixels whose colours follow from a specification or were seen
//! on devices (`fixtures/d3d/rules`, `fixtures/d3d/reports`), on Vulkan and on OpenGL.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use aerogpu_replay::format::aerogpu::{FrameIndex, Trace};
use aerogpu_replay::player::{FaultPolicy, Player};
use aerogpu_replay::replay::{DEFAULT_SIZE, largest_viewport};
use serde_json::Value;

use crate::support::harness::{Failed, Trial};
use crate::support::root;
use crate::support::software::{BACKENDS, Backend};

/// Traces that fall short, and why.
const KNOWN_FAILURES: &[(&str, &str)] = &[(
    "both::reports::texdepth",
    "the trace sets the constant that is drawn after its draw, so that the draw has zeros",
)];

pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for folder in ["rules", "reports"] {
        let path = root().join("fixtures/d3d").join(folder);
        let expected: BTreeMap<String, Value> =
            serde_json::from_slice(&fs::read(path.join("expected.json")).unwrap()).unwrap();
        assert_eq!(expected.len(), traces_in(&path), "{folder}: each trace has its pixels");
        for backend in BACKENDS {
            trials.extend(expected.iter().map(|(name, case)| trial(backend, folder, (name, case), &path)));
        }
    }
    let names: Vec<String> = trials.iter().map(|trial| trial.name().to_owned()).collect();
    for (name, _) in KNOWN_FAILURES {
        let is_there = |backend: &str| names.contains(&name.replacen("both", backend, 1));
        assert!(is_there("vulkan") || names.contains(&(*name).to_owned()), "{name} is no trace");
    }
    trials
}

fn traces_in(folder: &Path) -> usize {
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files.filter(|path| path.extension().is_some_and(|end| end == "aerogputrace")).count()
}

fn trial(backend: Backend, folder: &str, (name, case): (&str, &Value), path: &Path) -> Trial {
    let full = format!("{}::{folder}::{name}", backend.name());
    let of_both = format!("both::{folder}::{name}");
    let known = KNOWN_FAILURES.iter().find(|(known, _)| *known == full || *known == of_both);
    let (path, case) = (path.join(format!("{name}.aerogputrace")), case.clone());
    backend.fallible_trial(full, move || match (check(backend, &path, &case), known) {
        (Ok(()), None) | (Err(_), Some(_)) => Ok(()),
        (Ok(()), Some((_, why))) => Err(Failed::from(format!("it passes, and is listed as a known failure: {why}"))),
        (Err(wrong), None) => Err(Failed::from(format!("{}: {wrong}", case["rule"]))),
    })
}

fn check(backend: Backend, path: &PathBuf, case: &Value) -> Result<(), String> {
    let trace = Arc::new(Trace::open(path).unwrap());
    let size = largest_viewport(&trace).unwrap_or(DEFAULT_SIZE);
    let mut player = Player::new(trace, backend.open_fresh(), size).map_err(|error| error.to_string())?;
    player.set_fault_policy(FaultPolicy::KeepGoing);
    for (number, pixels) in (0..).zip(case["frames"].as_array().unwrap()) {
        let picture = player.render(FrameIndex(number)).map_err(|error| error.to_string())?;
        let faults = player.take_faults();
        if let Some(error) = faults.errors.first() {
            return Err(format!("frame {number}: {error}"));
        }
        for pixel in pixels.as_array().unwrap() {
            let number_at = |at: usize| pixel[at].as_u64().unwrap() as u32;
            let (x, y, tolerance) = (number_at(0), number_at(1), number_at(3));
            let found = picture.rgba().as_chunks::<4>().0[(y * picture.size().width_px + x) as usize];
            let is_right = |wanted: &Value| {
                let wanted = wanted.as_array().unwrap().iter().map(|channel| channel.as_u64().unwrap() as u32);
                wanted.zip(found).all(|(wanted, found)| wanted.abs_diff(u32::from(found)) <= tolerance)
            };
            if !pixel[2].as_array().unwrap().iter().any(is_right) {
                let wanted = &pixel[2];
                return Err(format!("frame {number}, pixel {x},{y}: found {found:?}, expected one of {wanted}"));
            }
        }
    }
    Ok(())
}
