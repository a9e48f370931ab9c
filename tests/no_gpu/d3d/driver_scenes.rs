//! The shaders of the drivers' scenes: what each is for, and that its assembly is the same bytes again.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use aerogpu_replay::analysis::StreamShaders;
use aerogpu_replay::bytes::Diagnostics;
use aerogpu_replay::format::aerogpu::Trace;
use aerogpu_replay::shader::d3d::{Producer, assemble, decode, disassemble, purpose};

use crate::support::harness::{Trial, trials_of};
use crate::support::root;

pub fn trials() -> Vec<Trial> {
    trials_of![assembly_is_the_same_bytes, purposes_are_told, combiners_are_all_read]
}

/// The shaders of a scene, each once, by their bytes.
fn shaders(path: &PathBuf) -> BTreeSet<Vec<u8>> {
    let trace = Arc::new(Trace::open(path).unwrap());
    let (mut found, mut streams) = (BTreeSet::new(), StreamShaders::new(&trace));
    let mut records = trace.records(trace.stream());
    while let Some(record) = records.next_record(&mut Diagnostics::new()).unwrap() {
        let visited = streams.visit(&record, |shader| {
            found.insert(shader.unwrap().code.to_vec());
            Ok::<_, std::convert::Infallible>(())
        });
        visited.unwrap();
    }
    found
}

fn all() -> BTreeMap<String, BTreeSet<Vec<u8>>> {
    let folder = root().join("fixtures/d3d/driver_scenes");
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let traces = paths.filter(|path| path.extension().is_some_and(|extension| extension == "aerogputrace"));
    traces.map(|path| (path.file_stem().unwrap().to_string_lossy().into_owned(), shaders(&path))).collect()
}

fn assembly_is_the_same_bytes() {
    let mut count = 0;
    for (name, shaders) in all() {
        for bytes in shaders {
            let program = decode(&bytes, 0).unwrap();
            if !program.version().is_d3d9() {
                continue;
            }
            let text = disassemble(&program);
            let (again, read) = assemble(&text).unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
            assert!(again == bytes[..program.size_bytes() as usize], "{name}:\n{text}");
            assert!(read.is_same_code(&program), "{name}:\n{text}");
            count += 1;
        }
    }
    assert!(count > 650, "{count} shaders");
}

fn purposes_are_told() {
    let purposes = |name: &str| -> BTreeSet<String> {
        all()[name].iter().map(|bytes| purpose(&decode(bytes, 0).unwrap())).collect()
    };
    let has = |name: &str, expected: &str| {
        let found = purposes(name);
        assert!(found.contains(expected), "{name}: {found:?}");
    };
    has("d9_colorfill", "copy: modulate(texture 0, constant 0)");
    has("d9_fog", "fixed function: diffuse -> linear fog by z/w");
    has("d9_fog", "fixed function: transform by world, view and projection, z/w for fog in oT0.z");
    has(
        "d9_lit",
        "fixed function: transform by world, view and projection, lit by 4 directional lights and 2 point lights",
    );
    has("d9_interop", "fixed function: modulate(texture 0, diffuse)");
    has("d9_interop", "fixed function: modulate(texture 0, diffuse), alpha diffuse");
    has("d9_halfpixel", "fixed function: pass-through of positions on the screen");
    has("d9_halfpixel", "application shader");
    has(
        "d9_stages",
        "fixed function: texture factor, alpha subtract(1 - diffuse, 1 - diffuse) -> modulate2x(texture factor, texture 1), alpha subtract(texture factor alpha, 1 - diffuse)",
    );
}

/// Every pixel shader that the driver made is told in the words of Direct3D's texture stages.
fn combiners_are_all_read() {
    let mut count = 0;
    for (name, shaders) in all() {
        for bytes in shaders {
            let program = decode(&bytes, 0).unwrap();
            if program.producer() == Producer::Driver {
                let text = purpose(&program);
                assert!(!text.contains(" instructions of "), "{name}: {text}\n{}", disassemble(&program));
                count += 1;
            }
        }
    }
    assert!(count > 600, "{count} shaders");
}
