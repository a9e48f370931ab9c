//! Translated Direct3D bytecode, drawn: cases with results that others computed, of which `fixtures/d3d/cases` has a few,
//! and `fixtures/d3d/programs` whole shaders: our HLSL, compiled and judged by vkd3d and lavapipe.

mod agreement;
pub mod case;
mod dispatch;
mod draw;
mod stage;
mod stream;
mod textures;
mod trace;
mod unfinished;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use aerogpu_replay::gpu::Gpu;

use crate::support::harness::Trial;
use crate::support::root;
use crate::support::software::{BACKENDS, Backend};
use case::{Case, text};

/// Where cases lie: ours, and those beside the checkout.
const FOLDERS: [(&str, &str); 3] =
    [("ours", "fixtures/d3d/cases"), (PROGRAMS, "fixtures/d3d/programs"), ("shared", "../shared/data/dxbc")];

/// Shaders of our own like those of applications: each is drawn as a stream too, where streams carry what it binds.
const PROGRAMS: &str = "programs";

pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for (kind, folder) in FOLDERS {
        let folder = root().join(folder);
        if !folder.is_dir() {
            // Reported as ignored, so that nobody takes silence for agreement.
            trials.push(Trial::test(kind, || Err("the folder is missing".into())).with_ignored_flag(true));
            continue;
        }
        for path in cases(&folder) {
            for backend in BACKENDS {
                let (path, name) = (path.clone(), path.file_stem().unwrap().to_string_lossy().into_owned());
                if trace::has_trace(&path) {
                    let path = path.clone();
                    let run = move || judge_trace(&path, backend).unwrap_or_else(|message| panic!("{message}"));
                    trials.push(backend.trial(format!("{kind}_traces/{name}/{}", backend.name()), run));
                }
                if kind == PROGRAMS && stream::has_stream(&Case::read(&path)) {
                    let path = path.clone();
                    let run = move || {
                        let found = stream::agrees(&backend.open_fresh(), &Case::read(&path));
                        found.unwrap_or_else(|message| panic!("{message}"));
                    };
                    trials.push(backend.trial(format!("{kind}_as_streams/{name}/{}", backend.name()), run));
                }
                let run = move || judge(&path, backend).unwrap_or_else(|message| panic!("{message}"));
                trials.push(backend.trial(format!("{kind}/{name}/{}", backend.name()), run));
            }
        }
    }
    trials
}

fn cases(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    paths.sort();
    assert!(!paths.is_empty(), "{} holds no case", folder.display());
    paths
}

/// One case at a time on a device: errors have to be those of the case.
static DEVICES: [Mutex<Option<Arc<Gpu>>>; 2] = [const { Mutex::new(None) }; 2];

/// A case agrees, or is known not to.
fn judge(path: &Path, backend: Backend) -> Result<(), String> {
    let case = Case::read(path);
    let known = unfinished::reason(&case.name, backend, unfinished::UNFINISHED);
    as_known(agrees(&case, backend), known)
}

/// Judges a case as a trace.
fn judge_trace(path: &Path, backend: Backend) -> Result<(), String> {
    let case = Case::read(path);
    let known = unfinished::reason(&case.name, backend, unfinished::UNFINISHED_TRACES);
    let gpu = backend.open_fresh();
    as_known(trace::agrees(&gpu, &case, path), known)
}

fn as_known(found: Result<(), String>, known: Option<&'static str>) -> Result<(), String> {
    match (found, known) {
        (Ok(()), None) | (Err(_), Some(_)) => Ok(()),
        (Err(found), None) => Err(found),
        (Ok(()), Some(reason)) => Err(format!("it agrees: take it from the list of unfinished cases ({reason})")),
    }
}

/// Runs a case on a backend, on a device that such cases share.
pub fn agrees(case: &Case, backend: Backend) -> Result<(), String> {
    let mut device = DEVICES[backend as usize].lock().unwrap_or_else(PoisonError::into_inner);
    let gpu = device.take().unwrap_or_else(|| backend.open_fresh());
    let found = agrees_on(&gpu, case, backend);
    // A case that fails may have cost the device.
    *device = found.is_ok().then_some(gpu);
    found
}

fn agrees_on(gpu: &Gpu, case: &Case, backend: Backend) -> Result<(), String> {
    let scope = gpu.device.push_error_scope(wgpu::ErrorFilter::Validation);
    let run = || match case.is_compute() {
        true => dispatched(gpu, case),
        false => drawn(gpu, case, backend),
    };
    // After an error wgpu's helpers panic on what is invalid; the error itself is in the scope.
    let found = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run));
    let error = pollster::block_on(scope.pop());
    match (error, found) {
        (Some(error), _) => Err(error.to_string()),
        (None, Err(panic)) => Err(message_of(panic.as_ref())),
        (None, Ok(_)) if gpu.is_in_trouble() => Err("the driver is in trouble".to_owned()),
        (None, Ok(found)) => found,
    }
}

fn message_of(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| Some((*panic.downcast_ref::<&str>()?).to_owned()))
        .unwrap_or_else(|| "a panic without words".to_owned())
}

fn drawn(gpu: &Gpu, case: &Case, backend: Backend) -> Result<(), String> {
    let formats = case.get("target")["formats"].as_array().unwrap();
    let formats: Vec<_> = formats.iter().map(|format| textures::format(text(format))).collect();
    // Drivers of GL need not draw floats; such cases have the same picture in bytes.
    let bytes = case.get("rgba8");
    if backend == Backend::Gl && bytes.is_object() {
        let drawn = draw::draw(gpu, case, &vec![wgpu::TextureFormat::Rgba8Unorm; formats.len()])?;
        return agreement::check("rgba8", &bytes["rule"], &case.file(text(&bytes["file"])), &drawn.targets[0]);
    }
    let drawn = draw::draw(gpu, case, &formats)?;
    for (what, expected) in case.get("expected").as_object().unwrap() {
        let found = match what.strip_prefix("target") {
            Some(number) => drawn.targets.get(number.parse::<usize>().unwrap()),
            None if what == "depth" => drawn.depth.as_ref(),
            None => drawn.written.get(what),
        };
        let found = found.ok_or_else(|| format!("{what}: nothing was drawn there"))?;
        agreement::check(what, &expected["rule"], &case.file(text(&expected["file"])), found)?;
    }
    Ok(())
}

fn dispatched(gpu: &Gpu, case: &Case) -> Result<(), String> {
    let written = dispatch::dispatch(gpu, case)?;
    for (what, expected) in case.get("expected").as_object().unwrap() {
        let found = written.get(what).ok_or_else(|| format!("{what}: nothing was written there"))?;
        agreement::check(what, &expected["rule"], &case.file(text(&expected["file"])), found)?;
    }
    Ok(())
}
