//! AeroGPU traces as timelines, and WIP15 traces laid beside them.

use std::path::Path;
use std::sync::Arc;

use crate::support::harness::{Trial, trials_of};
use crate::support::streams::stream_that_runs_three_times;
use crate::support::wip15_writer;
use aerogpu_replay::bytes::{Diagnostics, FileSource, MemorySource};
use aerogpu_replay::format::aerogpu::Trace;
use aerogpu_replay::format::wip15::BlobPolicy;
use aerogpu_replay::listing::Filter;
use aerogpu_replay::timeline::aerogpu::{AerogpuArguments, map_aerogpu};
use aerogpu_replay::timeline::annotation::wip15::map_wip15;
use aerogpu_replay::timeline::{
    AlignError, Axis, AxisUnit, Builder, CommonAxis, DumpForm, Exported, Frame, Method, NoArguments, RecordOffset,
    SelectedEvents, Selection, SpanFlags, StringId, Tick, TrackKind, align, write_chrome, write_events,
};
use serde_json::{Value, json};
use wip15_writer::{ptr, uint, void};

pub fn trials() -> Vec<Trial> {
    trials_of![
        every_frame_packet_and_blob_is_there,
        packets_show_their_fields,
        a_stream_that_runs_again_is_shown_where_it_does,
        calls_lie_beside_the_frames_they_made,
        packets_beside_a_clock_have_no_lengths,
    ]
}

fn open(name: &str) -> Trace {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/aerogpu").join(name);
    Trace::from_source(Arc::new(FileSource::open(&path).unwrap()), &mut Diagnostics::new()).unwrap()
}

fn every_frame_packet_and_blob_is_there() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/aerogpu");
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if !name.ends_with(".aerogputrace") {
            continue;
        }
        let trace = open(&name);
        let mapped = map_aerogpu(&trace, &name, &mut Diagnostics::new());
        assert!(mapped.error.is_none(), "{name}: {:?}", mapped.error);
        let timeline = &mapped.timeline;
        assert_eq!(timeline.frames.len(), trace.frames().len(), "{name}");
        for (frame, span) in timeline.frames.iter().zip(trace.frames()) {
            assert_eq!((frame.begin.0, frame.end.0), (span.bytes.start, span.bytes.end), "{name}");
        }
        let spans = timeline.tracks.iter().flat_map(|track| &track.spans);
        assert!(spans.clone().count() > 0, "{name}");
        assert!(spans.clone().all(|span| span.end() <= timeline.end && span.begin() < span.end()), "{name}");
        seen += 1;
    }
    assert!(seen > 5);
}

/// The second and the third submission of the first stream lie in frame 1, before and behind another stream's.
fn a_stream_that_runs_again_is_shown_where_it_does() {
    let trace =
        Trace::from_source(Arc::new(MemorySource(stream_that_runs_three_times().into())), &mut Diagnostics::new())
            .unwrap();
    let mapped = map_aerogpu(&trace, "runs", &mut Diagnostics::new());
    let timeline = &mapped.timeline;
    let packets = &timeline.tracks[0];
    let text = |id| timeline.strings.text(id).into_owned();
    let spans: Vec<_> =
        packets.spans.iter().map(|span| (text(span.name()), span.depth(), span.begin(), span.end())).collect();
    let submissions: Vec<_> = spans.iter().filter(|(name, ..)| name == "AerogpuSubmission").collect();
    assert_eq!(submissions.len(), 4, "{spans:?}");
    // The stream's packets begin behind its header.
    let marker = spans.iter().find(|(name, ..)| name == "DEBUG_MARKER").unwrap();
    let name = format!("runs the stream at {:#x} again", marker.2.0 - 24);
    let again: Vec<_> = spans.iter().filter(|(name, ..)| name.starts_with("runs the stream")).collect();
    let expected = [submissions[1], submissions[3]].map(|(_, _, begin, end)| (name.clone(), 1, *begin, *end));
    assert_eq!(again, expected.iter().collect::<Vec<_>>());
    let second = timeline.frames.iter().nth(1).unwrap();
    assert!(second.begin < again[0].2 && again[1].3 <= second.end);
}

fn packets_show_their_fields() {
    let trace = open("triangle.aerogputrace");
    let mapped = map_aerogpu(&trace, "triangle", &mut Diagnostics::new());
    let filter = Some(Filter::parse("DRAW(vertex_count >= 3)").unwrap());
    let mut out = Vec::new();
    let selection = Selection { ticks: Vec::new(), filter };
    let mut arguments = AerogpuArguments::new(&trace);
    let shown = write_events(&mapped.timeline, &mut arguments, &selection, DumpForm::JsonLines, &mut out).unwrap();
    assert!(shown >= 1);
    let first: Value = serde_json::from_slice(out.split(|byte| *byte == b'\n').next().unwrap()).unwrap();
    assert_eq!((&first["name"], &first["args"]["first_vertex"]), (&"DRAW".into(), &0.into()));
}

fn calls_lie_beside_the_frames_they_made() {
    let trace = open("frames.aerogputrace");
    let reference = map_aerogpu(&trace, "frames", &mut Diagnostics::new()).timeline;
    let count = trace.frames().len();
    let wip15 = |swaps: usize| {
        let mut made = wip15_writer::Trace::new();
        for _ in 0..swaps {
            made.call("glDrawArrays", &[uint(4)], &void());
            made.call("glXSwapBuffers", &[ptr(1), uint(2)], &void());
        }
        // What follows the last swap is no frame of the trace.
        made.call("glFinish", &[], &void());
        MemorySource::from(made.bytes)
    };
    let source = wip15(count);
    let calls = map_wip15(&source, "calls", BlobPolicy::Check).unwrap();
    let alignment = align(&reference, &calls.timeline, &Method::default()).unwrap();
    assert_eq!((alignment.reference_frames, alignment.annotation_frames), (count, count));
    let axis = CommonAxis::new(&reference, &[(&calls.timeline, &alignment)]);
    let (here, there) = (axis.place_reference(&reference), axis.place(&calls.timeline, &alignment));
    for (index, frame) in reference.frames.iter().enumerate() {
        assert_eq!(here.nanos(frame.begin), there.nanos(Tick(index as u64 * 2)), "frame {index}");
    }
    let more = wip15(count + 1);
    let more = map_wip15(&more, "more", BlobPolicy::Check).unwrap();
    let refused = align(&reference, &more.timeline, &Method::default()).unwrap_err();
    assert_eq!(refused, AlignError::CountsDisagree { reference: count, annotation: count + 1 });
    assert!(align(&reference, &more.timeline, &Method::parse("frames:0=1").unwrap()).is_ok());

    let mut out = Vec::new();
    let (mut packets, mut arguments) = (AerogpuArguments::new(&trace), calls.arguments(&source));
    let mut both = [
        Exported { timeline: &reference, arguments: &mut packets, placement: &here, shown: SelectedEvents::all() },
        Exported {
            timeline: &calls.timeline,
            arguments: &mut arguments,
            placement: &there,
            shown: SelectedEvents::all(),
        },
    ];
    write_chrome(&mut both, &mut out).unwrap();
    let json: Value = serde_json::from_slice(&out).unwrap();
    let frame = |pid: u64| {
        let mut events = json["traceEvents"].as_array().unwrap().iter();
        events.find(|event| event["pid"] == pid && event["name"] == "frame 1").unwrap()["ts"].clone()
    };
    assert_eq!(frame(1), frame(2));
    // Neither file has a clock.
    assert!(json["traceEvents"].as_array().unwrap().iter().all(|event| event.get("dur").is_none()));
}

/// Export of packets beside a file with a clock: the frames that the file ties have its lengths, those beyond
/// have none, and within frames there is an order.
fn packets_beside_a_clock_have_no_lengths() {
    let trace = open("frames.aerogputrace");
    let reference = map_aerogpu(&trace, "frames", &mut Diagnostics::new()).timeline;
    assert_eq!(reference.frames.len(), 4);
    let mut builder = Builder::new("app", Axis { unit: AxisUnit::Microseconds, origin_unix_ms: None });
    let (name, zone) = (builder.intern(b"swap"), builder.track(StringId::EMPTY, TrackKind::Stack, None));
    for number in 0..2 {
        let (begin, end) = (Tick(100 + 50 * number), Tick(150 + 50 * number));
        let (ended_by, drawable, track) = (Some(name), None, None);
        builder.frame(Frame { begin, end, number, ended_by, drawable, track, record: RecordOffset::NONE });
        builder.open(zone, begin, name, RecordOffset::NONE, SpanFlags::default());
        builder.close(zone, Tick(begin.0 + 10)).unwrap();
    }
    let app = builder.finish(Tick(200));
    // Frames 1 and 2 of the trace are frames 0 and 1 of the application.
    let alignment = align(&reference, &app, &Method::parse("frames:1=0").unwrap()).unwrap();
    let axis = CommonAxis::new(&reference, &[(&app, &alignment)]);
    let (here, there) = (axis.place_reference(&reference), axis.place(&app, &alignment));
    let (mut packets, mut none) = (AerogpuArguments::new(&trace), NoArguments);
    let (shown, all) = (SelectedEvents::all(), SelectedEvents::all());
    let mut both = [
        Exported { timeline: &reference, arguments: &mut packets, placement: &here, shown },
        Exported { timeline: &app, arguments: &mut none, placement: &there, shown: all },
    ];
    let mut out = Vec::new();
    write_chrome(&mut both, &mut out).unwrap();
    let json: Value = serde_json::from_slice(&out).unwrap();
    let events = json["traceEvents"].as_array().unwrap();
    let frames: Vec<_> = events.iter().filter(|event| event["pid"] == 1 && event["args"]["number"].is_u64()).collect();
    let told: Vec<_> = frames.iter().map(|frame| (&frame["ph"], &frame["dur"], &frame["args"]["placed"])).collect();
    let (slice, instant, exact) = (json!("X"), json!("i"), json!("exact"));
    let (beyond, null, fifty) = (json!("extrapolated"), Value::Null, json!(50));
    let expected =
        [(&instant, &null, &beyond), (&slice, &fifty, &exact), (&slice, &fifty, &exact), (&instant, &null, &beyond)];
    assert_eq!(told, expected);
    let of_packets = || events.iter().filter(|event| event["pid"] == 1 && event["args"]["number"].is_null());
    assert!(of_packets().any(|event| event["name"] == "DRAW" && event["args"]["length (bytes)"].is_u64()));
    assert!(of_packets().all(|event| event.get("dur").is_none()), "a packet with a duration");
    let of_app: Vec<_> = events.iter().filter(|event| event["pid"] == 2 && event["args"]["number"].is_u64()).collect();
    let same: Vec<_> = of_app.iter().map(|frame| &frame["args"]["frame of the trace"]).collect();
    assert_eq!(same, [&json!(1), &json!(2)]);
    let end_of = |event: &Value| {
        let micros = event["ts"].as_f64().unwrap();
        (!(100.0..=200.0).contains(&micros)).then_some("extrapolated")
    };
    let placed: Vec<_> = of_packets().filter(|event| event["ph"] == "i").collect();
    assert!(placed.iter().any(|event| end_of(event).is_some()) && placed.iter().any(|event| end_of(event).is_none()));
    for event in placed {
        // A packet that begins where the last frame of both files ends lies beyond it with all but its begin.
        let is_at_the_end = event["ts"] == 200.0;
        assert!(is_at_the_end || event["args"]["placed"].as_str() == end_of(event), "{event}");
    }
    let scopes: Vec<_> = events.iter().filter(|event| event["pid"] == 2 && event["name"] == "swap").collect();
    assert!(scopes.len() == 2 && scopes.iter().all(|scope| scope["dur"] == 10), "what was measured stays: {scopes:?}");
    let process = |pid: u64| {
        let mut names = events.iter().filter(|event| event["name"] == "process_name");
        names.find(|event| event["pid"] == pid).unwrap()["args"]["name"].as_str().unwrap().to_owned()
    };
    assert_eq!(process(1), "frames (no times recorded; lengths are bytes; frames: time as recorded in app)");
    assert_eq!(process(2), "app (time as recorded in app)");
    let about = &json["otherData"]["2: app"]["alignment"];
    assert_eq!((&about["method"], about["anchors"].as_array().unwrap().len()), (&json!("frames:1=0"), 3));
    assert_eq!(about["anchors"][1], json!({ "tick": 150, "frame": 2.0 }));
    assert_eq!(about["frames"][1], json!({ "frame": 2, "annotation": 1, "begin": 150, "end": 200, "evidence": null }));
    assert!(json["otherData"]["1: frames"].get("alignment").is_none());
}
