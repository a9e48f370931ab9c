//! AeroGPU traces as timelines, and WIP15 traces laid beside them.

use std::path::Path;
use std::sync::Arc;

use crate::support::harness::{Trial, trials_of};
use crate::support::wip15_writer;
use aerogpu_replay::bytes::{Diagnostics, FileSource, MemorySource};
use aerogpu_replay::format::aerogpu::Trace;
use aerogpu_replay::format::wip15::BlobPolicy;
use aerogpu_replay::listing::Filter;
use aerogpu_replay::timeline::aerogpu::{AerogpuArguments, map_aerogpu};
use aerogpu_replay::timeline::annotation::wip15::map_wip15;
use aerogpu_replay::timeline::{
    AlignError, CommonAxis, DumpForm, Exported, Method, SelectedEvents, Selection, Tick, align, write_chrome,
    write_events,
};
use serde_json::Value;
use wip15_writer::{ptr, uint, void};

pub fn trials() -> Vec<Trial> {
    trials_of![every_frame_packet_and_blob_is_there, packets_show_their_fields, calls_lie_beside_the_frames_they_made,]
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
}
