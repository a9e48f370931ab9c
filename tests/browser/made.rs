//! Traces and modules that other tests have made with `KEEP_MADE`, given to the browser. `MADE` names their folder; where it names
//! none these tests are ignored.

use std::path::PathBuf;

use serde_json::json;

use super::server::Server;
use super::{Browser, PAGE, native, native_answer};
use crate::support::harness::{Trial, trials_of};
use crate::support::root;

/// Frames of a trace of the tests' own that are compared.
const FRAMES_OF_MADE: u64 = 4;

/// Words of refusals of what a browser's WebGPU lacks: a feature, or as much of something.
const LACKS_OF_TRACES: [&str; 2] = ["which this device lacks", "the device's limit is"];

/// Lacks of the browser's compiler, each by a part of its message. Each must be met.
const LACKS_OF_MODULES: [&str; 4] = [
    "no matching call to 'textureSampleGrad(texture_1d<f32>",
    "no matching call to 'textureSample(texture_1d<f32>, sampler, f32, i32)",
    "'workgroupBarrier' must only be called from uniform control flow",
    "extension 'primitive_index' is not allowed",
];

/// Traces or modules that tests have made, kept in the folder that `MADE` names, by the ending of their names.
fn made(ending: &str) -> Vec<PathBuf> {
    let folder = root().join(std::env::var_os("MADE").unwrap());
    let mut made: Vec<PathBuf> = folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    made.retain(|path| path.extension().is_some_and(|found| found == ending));
    made.sort();
    assert!(made.len() > 100, "{} of {ending}", made.len());
    made
}

/// Each trace that tests have made: its pictures are the program's.
fn traces_that_tests_make() {
    let traces = made("aerogputrace");
    let server = Server::start(PAGE.clone().unwrap(), traces[0].parent().unwrap().to_owned(), true);
    let (mut browser, mut client) = (Browser::start(), native());
    let (mut compared, mut refused, mut failed) = (0, 0, Vec::new());
    for trace in &traces {
        let name = trace.file_name().unwrap().to_str().unwrap();
        let opened = browser.ask("open", &json!({ "path": server.address_of(&format!("ranges/{name}")) }));
        let expected = native_answer(&mut client, "open", &json!({ "path": trace }));
        let (Ok(opened), Ok(expected)) = (&opened, &expected) else {
            assert!(opened.is_err() && expected.is_err(), "{name}: {opened:?}, {expected:?}");
            continue;
        };
        for frame in 0..opened["frames"].as_u64().unwrap().min(FRAMES_OF_MADE) {
            let found = browser.ask("hash", &json!({ "trace": opened["trace"], "frame": frame }));
            let wanted = native_answer(&mut client, "hash", &json!({ "trace": expected["trace"], "frame": frame }));
            match (found, wanted) {
                (Err((error, _)), Ok(_)) if LACKS_OF_TRACES.iter().any(|lack| error.contains(lack)) => refused += 1,
                (found, wanted) if found == wanted => compared += 1,
                (found, wanted) => failed.push(format!("{name}, frame {frame}: {found:?}, expected {wanted:?}")),
            }
        }
        browser.ask("close", &json!({ "trace": opened["trace"] })).unwrap();
        native_answer(&mut client, "close", &json!({ "trace": expected["trace"] })).unwrap();
    }
    println!("{} traces, {compared} pictures compared, {refused} refused by what a browser lacks", traces.len());
    assert!(failed.is_empty(), "{} beside {compared}:\n{}", failed.len(), failed.join("\n"));
}

/// Each module that tests have made goes through the browser's own compiler, which refuses none but those with a feature that it
/// lacks.
fn modules_that_tests_make() {
    let modules = made("wgsl");
    let mut browser = Browser::start();
    browser.value(
        "(async () => {
            const adapter = await navigator.gpu.requestAdapter();
            const device = await adapter.requestDevice({ requiredFeatures: [...adapter.features] });
            window.compiled = (texts) => Promise.all(texts.map(async (code) => {
                device.pushErrorScope('validation');
                const { messages } = await device.createShaderModule({ code }).getCompilationInfo();
                await device.popErrorScope();
                return messages.filter(({ type }) => type === 'error').map(({ message }) => message).join('; ');
            }));
        })()",
    );
    let (mut lacks, mut failed) = ([0; LACKS_OF_MODULES.len()], Vec::new());
    for some in modules.chunks(40) {
        let texts: Vec<String> = some.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect();
        let errors = browser.value(&format!("compiled({})", json!(texts)));
        for (path, error) in some.iter().zip(errors.as_array().unwrap()) {
            let error = error.as_str().unwrap();
            match LACKS_OF_MODULES.iter().position(|lack| error.contains(lack)) {
                Some(lack) => lacks[lack] += 1,
                None if error.is_empty() => {}
                None => failed.push(format!("{}: {error}", path.display())),
            }
        }
    }
    println!("{} modules, {} refused, lacks: {lacks:?}", modules.len(), failed.len());
    assert!(failed.is_empty(), "{} of {}:\n{}", failed.len(), modules.len(), failed.join("\n"));
    assert!(lacks.iter().all(|met| *met > 0), "{LACKS_OF_MODULES:?}: {lacks:?}: one is not lacked any more");
}

pub fn trials() -> Vec<Trial> {
    let has_made = std::env::var_os("MADE").is_some();
    let all: Vec<Trial> = trials_of![traces_that_tests_make, modules_that_tests_make];
    all.into_iter().map(|trial| trial.with_ignored_flag(PAGE.is_none() || !has_made)).collect()
}
