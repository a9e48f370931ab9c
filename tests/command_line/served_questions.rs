//! The questions of verbs over `serve`: for a trace of each kind the answers are those of the verbs, member by member.
//!
//! Needs software Vulkan.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support;
use aerogpu_replay::bytes::encode_base64;
use aerogpu_replay::pixels::read_png;
use serde_json::{Value, json};
use support::harness::{Trial, trials_of};
use support::program::run;
use support::root;
use support::serve_client::Client;

const ADAPTER: [&str; 4] = ["--backend", "vulkan", "--adapter", "llvmpipe"];

/// A trace of Appendix A, one of random submissions, and two of the guest's drivers, one with groups of markers.
const TRACES: [&str; 4] = [
    "fixtures/aerogpu/upload_between_draws.aerogputrace",
    "fixtures/aerogpu/scenes/seed-200.aerogputrace",
    "fixtures/d3d/driver_scenes/d11_many_frames.aerogputrace",
    "fixtures/examples/courtyard.aerogputrace",
];

fn lines(arguments: &[&str]) -> Vec<Value> {
    let done = run(&[arguments, &["--json"]].concat(), Path::new("."));
    assert!([0, 1].contains(&done.code), "{arguments:?}: {}", done.stderr);
    done.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Says that an answer has all members of a verb's line, of which there must be some.
fn has_all(answered: &Value, line: &Value) -> bool {
    let (answered, line) = (answered.as_object().unwrap(), line.as_object().unwrap());
    let envelope = ["schema", "type", "frame", "input_sha256"];
    let mut members = line.iter().filter(|(name, _)| !envelope.contains(&name.as_str())).peekable();
    members.peek().is_some() && members.all(|(name, value)| answered.get(name) == Some(value))
}

fn each_trace(mut each: impl FnMut(&mut Client, u64, &str)) {
    let mut client = Client::start(&ADAPTER);
    for name in TRACES {
        let path = root().join(name);
        let trace = client.open(&path);
        each(&mut client, trace, path.to_str().unwrap());
    }
    assert_eq!(client.end(), (String::new(), 0));
}

fn draws_are_those_of_the_verb() {
    let (mut indexed, mut grouped, mut of_appendix_a) = (0, 0, 0);
    each_trace(|client, trace, path| {
        let answer = client.result("draws", &json!({ "trace": trace, "frame": 0 }));
        let told = lines(&["draws", path, "--frame", "0"]);
        let draws = answer["draws"].as_array().unwrap();
        assert_eq!((draws.len(), &answer["draw_count"]), (told.len(), &json!(told.len())), "{path}");
        for (draw, line) in draws.iter().zip(&told) {
            assert!(has_all(draw, line), "{path}: {draw} {line}");
            assert!(!draw["targets"].as_array().unwrap().is_empty(), "{path}: {draw}");
            assert!(draw["shaders"].as_object().unwrap().len() > 1, "{path}: {draw}");
            indexed += u32::from(draw["name"] == "DRAW_INDEXED");
            grouped += u32::from(!draw["markers"].as_array().unwrap().is_empty());
            of_appendix_a += u32::from(draw["submission"].is_null());
        }
        let part = client.result("draws", &json!({ "trace": trace, "frame": 0, "first": 1, "count": 1 }));
        assert_eq!(part["draws"], json!(draws.iter().skip(1).take(1).collect::<Vec<_>>()), "{path}");
    });
    assert!([indexed, grouped, of_appendix_a].iter().all(|count| *count > 0), "{indexed} {grouped} {of_appendix_a}");
}

fn passes_are_those_of_the_verb() {
    let mut across_frames = 0;
    each_trace(|client, trace, path| {
        let told = lines(&["passes", path]);
        let frames = told.iter().map(|line| line["frame"].as_u64().unwrap()).max().unwrap();
        let mut listed = told.iter();
        for frame in 0..=frames {
            let answer = client.result("passes", &json!({ "trace": trace, "frame": frame }));
            let passes = answer["passes"].as_array().unwrap();
            assert_eq!(answer["pass_count"], json!(passes.len()), "{path}");
            for (pass, line) in passes.iter().zip(&mut listed) {
                assert!(has_all(pass, line) && line["frame"] == frame, "{path}: {pass} {line}");
                let readers = pass["writes"].as_array().unwrap().iter().flat_map(|write| write["read_by"].as_array());
                across_frames += readers.flatten().filter(|reader| reader["frame"] != frame).count();
            }
        }
        assert_eq!(listed.next(), None, "{path}");
        let part = client.result("passes", &json!({ "trace": trace, "frame": 0, "first": 1, "count": 1 }));
        assert_eq!(part["passes"][0]["pass"], 1, "{path}");
        let none = client.error("passes", &json!({ "trace": trace, "frame": 9999 }));
        assert!(none["message"].as_str().unwrap().starts_with("frame 9999 does not exist"), "{none}");
    });
    assert!(across_frames > 5, "{across_frames}");
}

fn findings_are_those_of_the_verb() {
    let mut found = 0;
    each_trace(|client, trace, path| {
        let all = client.result("lint", &json!({ "trace": trace }))["findings"].clone();
        let told = lines(&["lint", path]);
        assert_eq!(all.as_array().unwrap().len(), told.len(), "{path}");
        for (finding, line) in all.as_array().unwrap().iter().zip(&told) {
            assert!(has_all(finding, line) && finding["frame"] == line["frame"], "{path}: {finding} {line}");
            found += 1;
        }
        let of_frame = client.result("lint", &json!({ "trace": trace, "frame": 0 }))["findings"].clone();
        let expected: Vec<&Value> = all.as_array().unwrap().iter().filter(|finding| finding["frame"] == 0).collect();
        assert_eq!(of_frame, json!(expected), "{path}");
        let none = client.error("lint", &json!({ "trace": trace, "frame": 9999 }));
        assert!(none["message"].as_str().unwrap().starts_with("frame 9999 does not exist"), "{none}");
    });
    assert!(found > 3, "{found}");
}

fn overlays_are_those_of_the_verb() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("overlay.png");
    each_trace(|client, trace, path| {
        for kind in ["highlight", "tests", "sides", "wireframe", "overdraw", "age"] {
            let answer = client.result("overlay", &json!({ "trace": trace, "frame": 0, "draw": 0, "kind": kind }));
            let written = out.to_str().unwrap();
            let arguments = ["overlay", path, "--frame", "0", "--draw", "0", "--kind", kind, "--out", written];
            let told = lines(&[&arguments[..], &ADAPTER].concat());
            let picture = read_png(std::io::BufReader::new(fs::File::open(&out).unwrap())).unwrap();
            assert_eq!(answer["sha256"], json!(picture.hash().to_string()), "{path} {kind}");
            let legend = answer["legend"].as_array().unwrap();
            assert_eq!(legend.len(), told.len(), "{path} {kind}");
            assert!(legend.iter().zip(&told).all(|(entry, line)| has_all(entry, line)), "{path} {kind}: {legend:?}");
            assert_eq!(answer["kind"], kind);
        }
        let error = client.error("overlay", &json!({ "trace": trace, "frame": 0, "kind": "highlight" }));
        assert_eq!(error["message"], "highlight needs a draw: expected draw, or a place such as 7/draw=2");
        let error = client.error("overlay", &json!({ "trace": trace, "frame": 0, "kind": "tests" }));
        assert_eq!(error["message"], "tests needs a draw: expected draw, or a place such as 7/draw=2");
        assert_eq!(error["data"]["exit_code"], 2);
    });
}

fn trimmed_traces_are_those_of_the_verb() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("trimmed");
    each_trace(|client, trace, path| {
        let answer = client.result("trim", &json!({ "trace": trace, "frames": "0" }));
        let told = lines(&["trim", path, out.to_str().unwrap(), "--frames", "0"]).remove(0);
        let members = ["frames", "frame_count", "size_bytes", "source_size_bytes", "earlier_commands"];
        assert!(members.iter().all(|member| answer[member] == told[member]), "{path}: {told}");
        assert_eq!(answer["bytes"], json!(encode_base64(&fs::read(&out).unwrap())), "{path}");
        assert_eq!(client.result("trim", &json!({ "trace": trace, "frames": 0 })), answer, "{path}");
        fs::remove_file(&out).unwrap();
        for (frames, reason) in [
            (json!("9999"), "frame 9999 does not exist: the trace has"),
            (json!("3-1"), "expected a frame, or frames such as \"3-5,9\""),
            (json!("last"), "expected a frame, or frames such as \"3-5,9\""),
            (json!([0]), "expected a frame, or frames such as \"3-5,9\""),
        ] {
            let error = client.error("trim", &json!({ "trace": trace, "frames": frames }));
            let message = error["message"].as_str().unwrap();
            assert!(message.starts_with("parameters of trim: ") && message.contains(reason), "{message}");
        }
    });
}

/// A trace beside itself, and beside one with an edited constant.
fn comparisons_are_those_of_the_verb() {
    let paths = ["fixtures/aerogpu/scenes/seed-200.aerogputrace", "fixtures/aerogpu/scenes/seed-212.aerogputrace"];
    let paths: Vec<PathBuf> = paths.iter().map(|path| root().join(path)).collect();
    let mut client = Client::start(&ADAPTER);
    let [a, b] = [client.open(&paths[0]), client.open(&paths[1])];
    let same = client.result("compare", &json!({ "trace": a, "with": a }));
    assert_eq!((&same["different"], &same["first"]), (&json!(0), &Value::Null), "{same}");
    assert_eq!(same["identical"], same["frames_a"]);
    let answer = client.result("compare", &json!({ "trace": a, "with": b }));
    let told = lines(&["compare", paths[0].to_str().unwrap(), paths[1].to_str().unwrap(), "--by", "input"]);
    assert!(has_all(&answer, &told[0]), "{answer} {}", told[0]);
    assert!(has_all(&answer["first"], &told[1]) && answer["first"]["frame"] == told[1]["frame"], "{answer}");
    assert_eq!(answer["frames"].as_array().unwrap().len() as u64, answer["frames_a"].as_u64().unwrap());
    let error = client.error("compare", &json!({ "trace": a, "with": 99 }));
    assert_eq!(error["message"], "trace 99 is not open");
}

/// Recordings with their events by kind, as `timeline dump` lists them; all of them, and the longest.
fn annotations_are_those_of_the_verb() {
    let mut client = Client::start(&ADAPTER);
    for name in ["wtf/v3/seed_features.wtf-trace", "wip15/synth/frames_two_drawables.trace"] {
        let path = root().join("fixtures").join(name);
        let answer = client.result("annotations", &json!({ "path": path }));
        let told = lines(&["timeline", "dump", path.to_str().unwrap()]);
        let told_of =
            |kinds: &[&str]| told.iter().filter(|line| kinds.contains(&line["kind"].as_str().unwrap())).count();
        let tracks = answer["tracks"].as_array().unwrap();
        let found = |shape: &str| tracks.iter().map(|track| track[shape].as_array().unwrap().len()).sum::<usize>();
        let [spans, instants, frames] = [
            told_of(&["span", "call"]),
            told_of(&["instant", "message", "marker", "size", "label", "discontinuity", "internal"]),
            told_of(&["frame"]),
        ];
        assert_eq!((found("spans"), found("instants")), (spans, instants), "{name}");
        assert_eq!(answer["frames"].as_array().unwrap().len(), frames, "{name}");
        assert!(spans > 5 && answer["left_out"] == 0 && answer["matched"] == json!([]), "{name}: {answer}");
        for line in told.iter().filter(|line| line["kind"] == "span" && line["closed"] == true) {
            let is_it = |span: &Value| {
                let members = [("name", "name"), ("start", "begin"), ("end", "end"), ("depth", "depth")];
                members.iter().all(|(ours, theirs)| span[ours] == line[theirs])
            };
            assert!(tracks.iter().any(|track| track["spans"].as_array().unwrap().iter().any(is_it)), "{name}: {line}");
        }
        let few = client.result("annotations", &json!({ "path": path, "count": 3 }));
        let all = spans + instants + found("samples");
        assert_eq!(few["left_out"], json!(all - 3), "{name}");
        let length = |span: &Value| span["end"].as_u64().unwrap_or(u64::MAX) - span["start"].as_u64().unwrap();
        let lengths = |answer: &Value| -> Vec<u64> {
            let tracks = answer["tracks"].as_array().unwrap();
            let spans = tracks.iter().flat_map(|track| track["spans"].as_array().unwrap());
            let mut lengths: Vec<u64> = spans.map(length).collect();
            lengths.sort_unstable_by_key(|length| std::cmp::Reverse(*length));
            lengths
        };
        assert_eq!(lengths(&few), lengths(&answer)[..3], "{name}");
        let none = client.result("annotations", &json!({ "path": path, "start": u64::MAX - 1 }));
        assert_eq!((&none["left_out"], &none["frames"]), (&json!(0), &json!([])), "{name}");
    }
    assert_eq!(client.end(), (String::new(), 0));
}

/// Frames of a recording beside those of a trace, as `timeline align` lays them; a reason where nobody can say.
fn annotations_lie_beside_a_trace() {
    let mut client = Client::start(&ADAPTER);
    let (reference, recording) = (
        root().join(TRACES[0].replace("upload_between_draws", "frames")),
        root().join("fixtures/wtf/v3/seed_features.wtf-trace"),
    );
    let trace = client.open(&reference);
    let unclear = client.result("annotations", &json!({ "path": recording, "trace": trace }));
    assert!(unclear["not_aligned"].as_str().unwrap().starts_with("expected 4 frames as in the trace"), "{unclear}");
    assert_eq!(unclear["matched"], json!([]));
    let aligned = client.result("annotations", &json!({ "path": recording, "trace": trace, "align": "frames:0=2" }));
    let [reference, recording] = [reference, recording].map(|path| path.display().to_string());
    let told = lines(&["timeline", "align", &reference, &recording, "--align", "frames:0=2"]);
    let alignment = &told.iter().find(|line| line["type"] == "alignment").unwrap()["alignment"];
    let frames = alignment["frames"].as_array().unwrap();
    assert!(frames.len() == 4 && aligned["not_aligned"].is_null(), "{aligned}");
    assert_eq!(aligned["matched"].as_array().unwrap().len(), frames.len(), "{aligned}");
    for (matched, frame) in aligned["matched"].as_array().unwrap().iter().zip(frames) {
        let found = [&matched["frame"], &matched["note_frame"], &matched["start"], &matched["end"]];
        assert_eq!(found, [&frame["frame"], &frame["annotation"], &frame["begin"], &frame["end"]]);
    }
    let wrong = client.error("annotations", &json!({ "path": recording, "trace": trace, "align": "somehow" }));
    assert!(wrong["message"].as_str().unwrap().contains("align: expected auto, frames, frames:A=B"), "{wrong}");
    let no_recording = client.error("annotations", &json!({ "path": reference }));
    let message = no_recording["message"].as_str().unwrap();
    assert!(
        message.contains("expected a WIP15 trace or a wtf-trace, found a file that begins \"AEROGPUT\""),
        "{message}"
    );
}

pub fn trials() -> Vec<Trial> {
    trials_of![
        draws_are_those_of_the_verb,
        passes_are_those_of_the_verb,
        findings_are_those_of_the_verb,
        overlays_are_those_of_the_verb,
        trimmed_traces_are_those_of_the_verb,
        comparisons_are_those_of_the_verb,
        annotations_are_those_of_the_verb,
        annotations_lie_beside_a_trace,
    ]
}
