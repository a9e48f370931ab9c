//! Rows of vertex streams, read on the CPU, against what the vertex stage of the GPU is given.

use std::path::PathBuf;
use std::sync::Arc;

use aerogpu_replay::analysis::{Analysis, Mesh, OutputValue, StreamRow, VertexStream, draw_mesh};
use aerogpu_replay::command::Place;
use aerogpu_replay::format::aerogpu::{FrameIndex, Trace};
use aerogpu_replay::player::Player;
use aerogpu_replay::replay::{DEFAULT_SIZE, TraceIndex, largest_viewport};

use crate::gpu::submitted_questions::traces_in;
use crate::support::harness::Trial;
use crate::support::root;
use crate::support::software::Backend;

/// Draws of a trace that are asked about.
const DRAWS: u32 = 6;

pub fn trials() -> Vec<Trial> {
    let folders = ["fixtures/aerogpu/scenes", "fixtures/aerogpu/public", "fixtures/d3d/driver_scenes"];
    let traces = folders.iter().flat_map(|folder| traces_in(&root().join(folder), usize::MAX));
    let trial = |path: PathBuf| {
        let name = format!("rows_are_what_the_stage_reads::{}", path.file_stem().unwrap().display());
        Backend::Vulkan.trial(name, move || rows_are_what_the_stage_reads(&path))
    };
    let mut trials: Vec<Trial> = traces.map(trial).collect();
    trials.push(Backend::Vulkan.trial("enough_is_compared", || {
        let scene = root().join("fixtures/aerogpu/scenes/seed-200.aerogputrace");
        assert!(rows_compared(&scene) > 20);
    }));
    trials
}

fn rows_are_what_the_stage_reads(path: &PathBuf) {
    rows_compared(path);
}

/// Compares the rows of the first draws; says how many values there were.
fn rows_compared(path: &PathBuf) -> u32 {
    let trace = Arc::new(Trace::open(path).unwrap());
    let index = Arc::new(TraceIndex::build(&trace, |_| ()));
    let size = largest_viewport(&trace).unwrap_or(DEFAULT_SIZE);
    let mut player = Player::new(trace.clone(), Backend::Vulkan.open_fresh(), size).unwrap();
    let analysis = Analysis::new(trace, index);
    let mut compared = 0;
    for draw in 0..analysis.draw_count(FrameIndex(0)).min(DRAWS) {
        let place = Place::at_draw(FrameIndex(0), draw);
        let (Ok(first), Ok(streams)) = (draw_mesh(&analysis, &mut player, place, 0), analysis.vertex_streams(place))
        else {
            continue;
        };
        let last = first.instance_count.saturating_sub(1);
        let other = if last == 0 { Vec::new() } else { vec![draw_mesh(&analysis, &mut player, place, last).unwrap()] };
        for mesh in [first].iter().chain(&other) {
            for stream in &streams {
                let rows = analysis.stream_rows(stream, 0..4096).unwrap();
                compared += compare(mesh, stream, &rows, &format!("{} draw {draw}", path.display()));
            }
        }
    }
    compared
}

fn compare(mesh: &Mesh, stream: &VertexStream, rows: &[StreamRow], what: &str) -> u32 {
    let mut compared = 0;
    for (number, attribute) in stream.attributes.iter().enumerate() {
        let is_it = |input: &aerogpu_replay::analysis::MeshValue| input.name.as_ref() == Some(&attribute.name);
        let Some(input) = mesh.inputs.iter().position(is_it) else { continue };
        for vertex in &mesh.vertices {
            let given = numbers(&vertex.inputs[input]);
            let holds = |row: &StreamRow| row.values[number].as_ref().is_none_or(|own| is_same(&numbers(own), &given));
            let found = match stream.instances_per_row {
                None => rows.get(vertex.index as usize).map(holds),
                // The draw may begin with another instance than the first.
                Some(_) => Some(rows.is_empty() || rows.iter().any(holds)),
            };
            assert!(found != Some(false), "{what}: {} of {}: given {given:?}", attribute.name, vertex.index);
            compared += 1;
        }
    }
    compared
}

/// Whether what a shader is given begins with these numbers.
fn is_same(own: &[f64], given: &[f64]) -> bool {
    let is_near =
        |(own, given): (&f64, &f64)| (own - given).abs() <= own.abs() * 1e-6 || (own.is_nan() && given.is_nan());
    own.iter().zip(given).all(is_near)
}

fn numbers(value: &OutputValue) -> Vec<f64> {
    match value {
        OutputValue::Floats(floats) => floats.iter().map(|float| f64::from(float.0)).collect(),
        OutputValue::Signed(numbers) => numbers.iter().map(|number| f64::from(*number)).collect(),
        OutputValue::Unsigned(numbers) => numbers.iter().map(|number| f64::from(*number)).collect(),
    }
}
