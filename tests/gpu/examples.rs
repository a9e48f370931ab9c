//! The programs in `examples/` do what they say.

use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use self::scenes::courtyard;
use crate::gpu::kept::opened;
use crate::support;
use aerogpu_replay::bytes::Diagnostics;
use aerogpu_replay::format::aerogpu::{FrameIndex, Trace};
use aerogpu_replay::gpu::Gpu;
use aerogpu_replay::pixels::{Size, read_png};
use aerogpu_replay::player::Player;
use aerogpu_replay::replay::{TraceIndex, lint_trace};
use serde_json::Value;
use support::harness::{Trial, trials_of};
use support::{is_blessing, root, software};

#[path = "../../crates/d3d-bytecode/examples/disassemble.rs"]
#[allow(dead_code, reason = "main is the program's")]
mod disassemble;
#[path = "../../crates/trace-timeline/examples/export_timeline.rs"]
#[allow(dead_code, reason = "main is the program's")]
mod export_timeline;
#[path = "../../crates/trace-base/examples/filter_rows.rs"]
#[allow(dead_code, reason = "main is the program's")]
mod filter_rows;
#[path = "../../crates/aerogpu-trace/examples/list_packets.rs"]
#[allow(dead_code, reason = "main is the program's")]
mod list_packets;
#[path = "../../examples/render_frame.rs"]
#[allow(dead_code, reason = "main is the program's")]
mod render_frame;
#[path = "../../examples/scenes/main.rs"]
#[allow(dead_code, reason = "main is the program's")]
mod scenes;
#[path = "../../crates/glsl-es/examples/translate_glsl.rs"]
#[allow(dead_code, reason = "main is the program's")]
mod translate_glsl;
#[path = "../../crates/aerogpu-trace/examples/write_trace.rs"]
#[allow(dead_code, reason = "main is the program's")]
mod write_trace;

pub fn trials() -> Vec<Trial> {
    let mut trials: Vec<Trial> = trials_of![
        a_timeline_is_exported,
        bytecode_is_disassembled,
        packets_are_listed,
        rows_are_filtered,
        texts_are_translated,
        every_example_is_tried,
        scenes_are_what_their_program_writes,
        lint_finds_the_fault_of_the_courtyard,
    ];
    trials.push(software::trial("what_is_written_can_be_rendered", |_| what_is_written_can_be_rendered()));
    trials.push(software::trial("one_frame_of_the_courtyard_has_a_fault", one_frame_of_the_courtyard_has_a_fault));
    trials
}

fn scenes_are_what_their_program_writes() {
    let written = scenes::scenes().unwrap();
    for ((name, bytes), most) in written.iter().zip([300_000, 100_000]) {
        let path = root().join(format!("fixtures/examples/{name}.aerogputrace"));
        if is_blessing() {
            fs::write(&path, bytes).unwrap();
        }
        assert!(bytes.len() <= most, "{name}: {} bytes", bytes.len());
        assert!(*bytes == fs::read(path).unwrap(), "{name}: BLESS=1 writes it anew");
    }
}

fn trace_of(faulty: Option<u32>) -> Arc<Trace> {
    Arc::new(opened(courtyard::courtyard(faulty).unwrap()).unwrap())
}

fn lint_finds_the_fault_of_the_courtyard() {
    let findings = |faulty| {
        let trace = trace_of(faulty);
        let index = TraceIndex::build(&trace, |_| ());
        (lint_trace(&trace, &index, Diagnostics::new()).unwrap().findings, trace)
    };
    assert!(findings(None).0.is_empty());
    // The packet that turns the test off for the bloom finds it off already.
    let (found, trace) = findings(Some(courtyard::FAULTY));
    let [only] = &found[..] else { panic!("{found:?}") };
    let frame = &trace.frame(FrameIndex(courtyard::FAULTY)).unwrap().bytes;
    assert!(only.message.contains("SET_DEPTH_STENCIL_STATE") && frame.contains(&only.offset), "{only:?}");
}

/// A place where a pillar stands before the tree.
const PILLAR_PX: [u32; 2] = [338, 172];

fn one_frame_of_the_courtyard_has_a_fault(gpu: Arc<Gpu>) {
    let pictures = |faulty| {
        let size = Size { width_px: 640, height_px: 360 };
        let mut player = Player::new(trace_of(faulty), gpu.clone(), size).unwrap();
        [41, 42, 43].map(|frame| player.render(FrameIndex(frame)).unwrap())
    };
    let (right, faulty) = (pictures(None), pictures(Some(courtyard::FAULTY)));
    assert_eq!([0, 1, 2].map(|frame| right[frame] == faulty[frame]), [true, false, true]);
    let [right, faulty] = [&right[1], &faulty[1]].map(|picture| picture.pixel(PILLAR_PX[0], PILLAR_PX[1]).unwrap());
    // Leaves are green, marble in the shade is not.
    let is_green = |[red, green, blue, _]: [u8; 4]| green > red && green > blue.saturating_add(10);
    assert!(!is_green(right) && is_green(faulty), "{right:?} {faulty:?}");
}

fn what_is_written_can_be_rendered() {
    let folder = tempfile::tempdir().unwrap();
    let (trace, png) = (folder.path().join("a.aerogputrace"), folder.path().join("a.png"));
    write_trace::write_trace(&trace).unwrap();
    assert_eq!(Trace::open(&trace).unwrap().frames().len(), 1);
    render_frame::render_frame(&trace, 0, &png).unwrap();
    let picture = read_png(BufReader::new(File::open(&png).unwrap())).unwrap();
    assert_eq!((picture.size().width_px, picture.size().height_px), (64, 64));
    let (corner, middle) = (picture.pixel(0, 0), picture.pixel(32, 32));
    assert_eq!((corner, middle), (Some([0, 0, 255, 255]), Some([255, 0, 0, 255])));
    let error = render_frame::render_frame(&trace, 1, &png).unwrap_err().to_string();
    assert_eq!(error, "frame 1 does not exist: the trace has 1 frame (0)");
    let error = render_frame::render_frame(&folder.path().join("b"), 0, &png).unwrap_err().to_string();
    assert!(error.starts_with("cannot open "), "{error}");
}

fn a_timeline_is_exported() {
    let folder = tempfile::tempdir().unwrap();
    let json = folder.path().join("a.json");
    export_timeline::export_timeline(&support::root().join("fixtures/wtf/v3/seed_features.wtf-trace"), &json).unwrap();
    let exported: Value = serde_json::from_slice(&fs::read(&json).unwrap()).unwrap();
    let scopes = exported["traceEvents"].as_array().unwrap().iter().filter(|event| event["ph"] == "X").count();
    assert!(scopes > 3, "found only {scopes} scopes");
    let picture = support::root().join("golden/interpolated/frame0000.png");
    let error = export_timeline::export_timeline(&picture, &json).unwrap_err().to_string();
    assert_eq!(error, "expected a file of annotations");
}

fn bytecode_is_disassembled() {
    let program = support::root().join("fixtures/d3d/legacy/vs_2_0.d3dbc");
    let text = disassemble::disassembled(&program).unwrap();
    assert!(text.starts_with("vs_") && text.ends_with("// it can be translated\n"), "{text}");
}

fn packets_are_listed() {
    let listed = |name| {
        let mut out = Vec::new();
        list_packets::list_trace(&support::fixture(name), &mut out).unwrap();
        String::from_utf8(out).unwrap()
    };
    let text = listed("triangle");
    assert!(text.starts_with("frame 0\n  0x") && text.ends_with(" PRESENT\n"), "{text}");
}

fn rows_are_filtered() {
    let mut out = Vec::new();
    filter_rows::filter_rows("DRAW(vertex_count > 100)", &mut out).unwrap();
    assert_eq!(out, b"DRAW vertex_count=300\n");
    let error = filter_rows::filter_rows("@duration > 1ms", &mut out).unwrap_err().to_string();
    assert!(error.contains("@duration"), "{error}");
}

fn texts_are_translated() {
    let folder = tempfile::tempdir().unwrap();
    let paths = ["a.vert", "a.frag", "b.frag"].map(|name| folder.path().join(name));
    let [vertex, fragment, wrong] = &paths;
    fs::write(vertex, "attribute vec2 at; void main() { gl_Position = vec4(at, 0.0, 1.0); }").unwrap();
    let text = "precision highp float; uniform vec4 tint; void main() { gl_FragColor = tint; }";
    fs::write(fragment, text).unwrap();
    fs::write(wrong, text.replace("= tint;", "= tnt;")).unwrap();
    let wgsl = translate_glsl::translate_glsl(vertex, fragment).unwrap();
    let stages = ["@vertex", "@fragment"].map(|stage| wgsl.matches(stage).count());
    assert_eq!(stages, [1, 1], "{wgsl}");
    assert!(wgsl.contains("\n// 0 "), "nothing is bound: {wgsl}");
    let errors = translate_glsl::translate_glsl(vertex, wrong).unwrap_err();
    assert!(errors.contains("did you mean 'tint'?"), "{errors}");
    let missing = translate_glsl::translate_glsl(&folder.path().join("c"), wrong).unwrap_err();
    assert!(missing.contains("No such file"), "{missing}");
}

fn every_example_is_tried() {
    let this = fs::read_to_string(support::root().join("tests/gpu/examples.rs")).unwrap();
    let files = |folder: &Path| -> Vec<PathBuf> {
        fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path()).collect()
    };
    let crates = files(&support::root().join("crates")).into_iter().map(|folder| folder.join("examples"));
    let examples: Vec<_> = crates.chain([support::root().join("examples")]).flat_map(|folder| files(&folder)).collect();
    assert!(examples.len() >= 8, "found only {examples:?}");
    for example in examples {
        let name = example.file_stem().unwrap().to_str().unwrap().to_owned();
        assert!(this.contains(&format!(" {name}::")), "{name} is never called");
    }
}
