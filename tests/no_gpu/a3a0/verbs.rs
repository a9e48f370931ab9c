//! Output of verbs that need no GPU, of traces of A3A0 streams: nothing is said as if there were no packets.

use std::fs;
use std::sync::Arc;

use aerogpu_replay::bytes::{Diagnostics, MemorySource};
use aerogpu_replay::format::aerogpu::{BlobKind, NewSubmission, Trace, TraceWriter};
use aerogpu_replay::timeline::aerogpu::{AerogpuArguments, map_aerogpu};
use aerogpu_replay::timeline::{ArgumentSource, Value as Argument};
use serde_json::{Value, json};

use crate::support::fixture;
use crate::support::harness::{Trial, trials_of};
use crate::support::made;
use crate::support::program::{Run, run};
use crate::support::root;

pub fn trials() -> Vec<Trial> {
    trials_of![
        info_counts_packets_of_streams,
        info_goes_on_behind_a_bad_stream_and_ends_with_its_code,
        shaders_are_extracted,
        timelines_count_what_streams_do,
        arguments_are_those_of_the_packet,
        lint_knows_what_submissions_name_and_show,
    ]
}

fn on_fixture(verb: &[&str], name: &str, options: &[&str]) -> Run {
    let path = fixture(&format!("a3a0/{name}"));
    run(&[verb, &[path.to_str().unwrap()], options].concat(), root())
}

fn deep(name: &str) -> Value {
    let run = on_fixture(&["info", "--deep", "--json"], name, &[]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    serde_json::from_str(run.stdout.lines().next().unwrap()).unwrap()
}

fn info_counts_packets_of_streams() {
    let scene = deep("scene");
    let count = |name: &str| scene["commands"][name].as_u64();
    assert_eq!([count("DRAW"), count("CLEAR"), count("PRESENT"), count("UPLOAD_RESOURCE")], [2, 2, 2, 1].map(Some));
    assert_eq!(scene["streams"], json!({ "0": 3 }));
    assert_eq!(scene["largest_viewport"], json!([64.0, 64.0]));
    assert!(scene.get("target_width").is_none(), "each picture has the size of what is presented");
    assert_eq!(deep("contexts")["streams"], json!({ "1": 3, "2": 3 }));
    assert_eq!(deep("packet_record")["commands"], json!({ "CLEAR": 1, "PRESENT": 1 }));
    assert_eq!(deep("every_packet")["commands"]["UNKNOWN 0x333"], json!(1));
    let text = on_fixture(&["info", "--deep"], "contexts", &[]).stdout;
    assert!(text.contains("target        the render target bound at each PRESENT\n"), "{text}");
}

/// A stream that is none, between two that are.
fn info_goes_on_behind_a_bad_stream_and_ends_with_its_code() {
    let stream = aerogpu_replay::abi::a3a0::StreamWriter::new(0x0001_0004).finish();
    let mut writer = TraceWriter::new_v2(Vec::new(), 0x0001_0004, "{}").unwrap();
    writer.begin_frame().unwrap();
    for cmd_stream in [&stream[..], b"ACMDACMDACMDACMDACMDACMD", &stream] {
        writer.submit(&NewSubmission { cmd_stream, ..Default::default() }).unwrap();
    }
    writer.present().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bad.aerogputrace");
    fs::write(&path, writer.finish().unwrap()).unwrap();
    let run = run(&["info", "--deep", path.to_str().unwrap()], folder.path());
    assert_eq!(run.code, 4, "its ABI version is none that this build reads: {}", run.stderr);
    assert!(run.stdout.contains("stream        3 of context 0\n"), "{}", run.stdout);
    assert!(run.stderr.contains("the stream's ABI version is"), "{}", run.stderr);
}

fn shaders_are_extracted() {
    let folder = tempfile::tempdir().unwrap();
    let run = on_fixture(&["extract"], "scene", &["--shaders", folder.path().to_str().unwrap()]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let mut names: Vec<String> = run.stdout.lines().map(|line| line.rsplit('/').next().unwrap().to_owned()).collect();
    // The assembly of each is beside it.
    let assemblies: Vec<String> = names.extract_if(.., |name| name.ends_with(".asm")).collect();
    names.sort();
    assert_eq!((names.len(), assemblies.len()), (2, 2), "{names:?} {assemblies:?}");
    for (name, handle, first) in [(&names[0], 3, 0xfffe_0200_u32), (&names[1], 4, 0xffff_0200)] {
        assert!(name.starts_with(&format!("shader{handle}-0x")) && name.ends_with(".d3d9"), "{name}");
        let code = fs::read(folder.path().join(name)).unwrap();
        assert!(code.starts_with(&first.to_le_bytes()) && code.ends_with(&0xffff_u32.to_le_bytes()), "{name}");
    }
}

/// An object that nobody names is found all the same.
fn lint_knows_what_submissions_name_and_show() {
    for (name, _) in made::ALL {
        let stdout = on_fixture(&["lint"], name, &[]).stdout;
        assert!(!stdout.contains("unused-blob") && !stdout.contains("PRESENT packets"), "{name}: {stdout}");
    }
    let mut writer = TraceWriter::new_v2(Vec::new(), 0x0001_0004, "{}").unwrap();
    writer.blob(BlobKind::AerogpuAllocMemory, b"nobody's").unwrap();
    writer.begin_frame().unwrap();
    writer.submit(&NewSubmission::default()).unwrap();
    writer.present().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("unused.aerogputrace");
    fs::write(&path, writer.finish().unwrap()).unwrap();
    let stdout = run(&["lint", path.to_str().unwrap()], folder.path()).stdout;
    assert!(stdout.contains("unused-blob: no packet refers to blob 1 (AerogpuAllocMemory)"), "{stdout}");
}

fn opened(bytes: Vec<u8>) -> Trace {
    Trace::from_source(Arc::new(MemorySource::from(bytes)), &mut Diagnostics::new()).unwrap()
}

fn timelines_count_what_streams_do() {
    let trace = opened(made::scene());
    let mut noted = Diagnostics::new();
    let timeline = map_aerogpu(&trace, "scene", &mut noted).timeline;
    assert!(noted.is_empty(), "{noted:?}");
    let samples = |name: &str| -> Vec<f64> {
        let track = timeline.tracks.iter().find(|track| timeline.text(track.name) == name).unwrap();
        track.samples.iter().map(|sample| sample.value).collect()
    };
    // A counter that stays as it was has no other sample: each frame has one draw and one present.
    assert_eq!(samples("draws per frame"), [1.0]);
    assert_eq!(samples("uploads per frame"), [36.0, 0.0]);
    assert_eq!(samples("presents per frame"), [1.0]);
}

fn arguments_are_those_of_the_packet() {
    let trace = opened(made::scene());
    let timeline = map_aerogpu(&trace, "scene", &mut Diagnostics::new()).timeline;
    let span = timeline
        .tracks
        .iter()
        .flat_map(|track| track.spans.iter())
        .find(|span| timeline.text(span.name()) == "CREATE_TEXTURE2D")
        .unwrap();
    let mut arguments = Vec::new();
    AerogpuArguments::new(&trace).arguments(span.record(), &mut arguments).unwrap();
    let value = |name: &str| arguments.iter().find(|argument| &*argument.name == name).unwrap().value.clone();
    assert_eq!([value("width"), value("handle")], [Argument::UInt(64), Argument::UInt(1)]);
    assert_eq!(value("format"), Argument::Named { name: "B8G8R8A8_UNORM".into(), number: 1 });
}
