//! The rules of the WIP15 timeline on traces made for one rule each.

use dev_recordings::wip15_writer;
use dev_trials::{Trial, trials_of};
use serde_json::json;
use trace_base::bytes::MemorySource;
use trace_base::listing::Filter;
use trace_timeline::annotation::wip15::{Wip15Timeline, map_wip15};
use trace_timeline::wip15::BlobPolicy;
use trace_timeline::{
    ArgumentSource, DumpForm, RecordOffset, Selection, Tick, TrackKind, Value, stats, write_events, write_overview,
};
use wip15_writer::{Trace, boolean, int, ptr, text, uint, uints, void};

pub fn trials() -> Vec<Trial> {
    trials_of![
        each_context_has_its_own_stack_and_a_failed_switch_changes_nothing,
        text_is_cut_to_its_length_and_spans_cross_frames,
        gpu_times_come_from_query_results_only,
        queries_alone_make_a_lane_of_the_gpu,
        a_call_means_the_declaration_before_it_also_later,
        calls_whose_arguments_do_not_fit_their_name_are_only_calls,
        dumps_select_by_frame_and_by_filter,
        counters_and_figures_follow_the_frames,
    ]
}

fn push(trace: &mut Trace, name: &str, length: i64) {
    trace.call("glPushDebugGroup", &[uint(0x824a), uint(7), int(length), text(name)], &void());
}

fn pop(trace: &mut Trace) {
    trace.call("glPopDebugGroup", &[], &void());
}

fn make_current(trace: &mut Trace, context: u64, worked: bool) {
    trace.call("glXMakeCurrent", &[ptr(1), uint(2), ptr(context)], &boolean(worked));
}

fn swap(trace: &mut Trace) {
    trace.call("glXSwapBuffers", &[ptr(1), uint(0x800)], &void());
}

fn map(trace: Trace) -> (Wip15Timeline, MemorySource) {
    let source = MemorySource::from(trace.bytes);
    (map_wip15(&source, "made", BlobPolicy::Check).unwrap(), source)
}

fn each_context_has_its_own_stack_and_a_failed_switch_changes_nothing() {
    let mut trace = Trace::new();
    make_current(&mut trace, 0xa, true);
    push(&mut trace, "in a", -1);
    make_current(&mut trace, 0xb, true);
    pop(&mut trace);
    push(&mut trace, "in b", -1);
    make_current(&mut trace, 0xa, false);
    pop(&mut trace);
    make_current(&mut trace, 0xa, true);
    swap(&mut trace);
    let (mapped, source) = map(trace);
    let listing = mapped.listing(&source).unwrap();
    let group = |ctx: u64, begin: u64, end: u64, closed: bool, text: &str| {
        json!({"kind": "group", "ctx": ctx, "begin": begin, "end": end, "depth": 0, "closed": closed, "text": text,
               "source": 0x824a, "id": 7})
    };
    assert_eq!(listing["spans"], json!([group(0xa, 1, 9, false, "in a"), group(0xb, 4, 7, true, "in b")]));
    assert_eq!((mapped.unmatched_pops, mapped.timeline.frames.len()), (1, 1));
}

fn text_is_cut_to_its_length_and_spans_cross_frames() {
    let mut trace = Trace::new();
    push(&mut trace, "Simulate -- cut", 8);
    trace.call("glInsertEventMarkerEXT", &[int(0), text("")], &void());
    swap(&mut trace);
    trace.call("glStringMarkerGREMEDY", &[int(100), text("whole")], &void());
    pop(&mut trace);
    let (mapped, source) = map(trace);
    let listing = mapped.listing(&source).unwrap();
    assert_eq!((&listing["spans"][0]["text"], &listing["spans"][0]["end"]), (&json!("Simulate"), &json!(5)));
    let marker = json!({"kind": "string_marker", "call": 3, "text": "whole"});
    assert_eq!((&listing["instants"][1], &listing["instants"][0]["kind"]), (&marker, &json!("event_marker")));
    let frames: Vec<(u64, u64, bool)> =
        mapped.timeline.frames.iter().map(|frame| (frame.begin.0, frame.end.0, frame.ended_by.is_some())).collect();
    assert_eq!(frames, [(0, 3, true), (3, 5, false)]);
}

fn gpu_times_come_from_query_results_only() {
    let mut trace = Trace::new();
    trace.call("glQueryCounter", &[uint(5), uint(0x8e28)], &void());
    trace.call("glBeginQuery", &[uint(0x88bf), uint(6)], &void());
    trace.call("glBeginQuery", &[uint(0x8914), uint(9)], &void());
    trace.call("glEndQuery", &[uint(0x88bf)], &void());
    let result = |trace: &mut Trace, id: u64, name: u64, value: u64| {
        trace.call("glGetQueryObjectui64v", &[uint(id), uint(name), uints(&[value])], &void());
    };
    result(&mut trace, 5, 0x8867, 1);
    result(&mut trace, 5, 0x8866, 123_456);
    result(&mut trace, 5, 0x8866, 999);
    result(&mut trace, 6, 0x8866, 42);
    let (mapped, source) = map(trace);
    let listing = mapped.listing(&source).unwrap();
    assert_eq!(listing["times"], json!([{"call": 0, "ns": 123_456}]));
    assert_eq!(listing["elapsed"], json!([{"call": 1, "ns": 42}]));
    let ends: Vec<_> =
        listing["spans"].as_array().unwrap().iter().map(|s| (s["end"].clone(), s["closed"].clone())).collect();
    assert_eq!(ends, [(json!(4), json!(true)), (json!(8), json!(false))]);
    let queries = mapped.timeline.tracks.iter().find(|track| track.kind == TrackKind::Ranges).unwrap();
    assert_eq!(queries.spans.len(), 2);
    assert_eq!(mapped.figures()["max_depth"], 1, "queries alone are spans too");
}

/// Nothing but queries: what they measured is a lane of its own, and says what it is.
fn queries_alone_make_a_lane_of_the_gpu() {
    let mut trace = Trace::new();
    let result = |trace: &mut Trace, id: u64, value: u64| {
        trace.call("glGetQueryObjectui64v", &[uint(id), uint(0x8866), uints(&[value])], &void());
    };
    let elapsed = |trace: &mut Trace, id: u64| {
        trace.call("glBeginQuery", &[uint(0x88bf), uint(id)], &void());
        trace.call("glEndQuery", &[uint(0x88bf)], &void());
    };
    let stamp = |trace: &mut Trace, id: u64| trace.call("glQueryCounter", &[uint(id), uint(0x8e28)], &void());
    // Frame 0: two queries of elapsed time. Their results come in the next frame.
    elapsed(&mut trace, 1);
    elapsed(&mut trace, 2);
    swap(&mut trace);
    result(&mut trace, 1, 1_500_000);
    result(&mut trace, 2, 500_000);
    // Frame 1: two timestamps.
    stamp(&mut trace, 3);
    stamp(&mut trace, 4);
    swap(&mut trace);
    result(&mut trace, 3, 10_000_000);
    result(&mut trace, 4, 13_000_000);
    swap(&mut trace);
    let (mapped, _) = map(trace);
    let timeline = &mapped.timeline;
    let track = |name: &str| {
        let found = timeline.tracks.iter().find(|track| timeline.text(track.name) == name);
        found.unwrap_or_else(|| panic!("no track {name:?}"))
    };
    let spans = |name: &str| -> Vec<(u64, u64, String)> {
        let spans = track(name).spans.iter();
        spans.map(|span| (span.begin().0, span.end().0, timeline.text(span.name()).into_owned())).collect()
    };
    let span = |begin, end, name: &str| (begin, end, name.to_owned());
    let measured = [span(0, 2, "TIME_ELAPSED 1.500 ms"), span(2, 4, "TIME_ELAPSED 0.500 ms")];
    assert_eq!(spans("TIME_ELAPSED"), measured);
    assert_eq!(spans("between timestamps"), [span(7, 8, "between timestamps 3.000 ms")]);
    let frames: Vec<_> = track("measured per frame").samples.iter().map(|sample| (sample.at.0, sample.value)).collect();
    assert_eq!(frames, [(0, 2_000_000.0), (5, 3_000_000.0)]);
    assert!(track("GPU, measured by queries").is_empty());
    // The figures of the format stay what they are, and those by name count queries together.
    assert_eq!((&mapped.figures()["elapsed"], &mapped.figures()["times"]), (&json!(2), &json!(2)));
    let stats = stats(timeline, 0);
    let counted = stats.names.iter().find(|figures| figures.name == "TIME_ELAPSED").expect("both queries");
    assert_eq!((counted.count, counted.total_ticks), (2, 4));
    // A file without results of queries has no such lane.
    let mut without = Trace::new();
    elapsed(&mut without, 1);
    swap(&mut without);
    let (mapped, _) = map(without);
    let names: Vec<_> = mapped.timeline.tracks.iter().map(|track| mapped.timeline.text(track.name)).collect();
    assert!(!names.iter().any(|name| name.contains("GPU")), "{names:?}");
}

fn a_call_means_the_declaration_before_it_also_later() {
    let mut trace = Trace::new();
    trace.declare(3, "old", [0, 0, 0], &[[1, 0, 0]]);
    let first = trace.bytes.len() as u64;
    trace.raw_call(3, &[9]);
    trace.declare(3, "new", [0, 0, 0], &[[7, 0, 0]]);
    let second = trace.bytes.len() as u64;
    trace.raw_call(3, &[1, 0, 0, 0, b'x']);
    let (mapped, source) = map(trace);
    let names: Vec<_> = mapped.timeline.tracks[0].steps.iter().map(|(_, name, _)| mapped.timeline.text(name)).collect();
    assert_eq!(names, ["old", "new"]);
    let mut source = mapped.arguments(&source);
    let mut arguments = Vec::new();
    source.arguments(RecordOffset(first), &mut arguments).unwrap();
    assert_eq!(arguments[0].value, Value::UInt(9));
    source.arguments(RecordOffset(second), &mut arguments).unwrap();
    assert_eq!(arguments[0].value, Value::Text("x".into()));
}

fn calls_whose_arguments_do_not_fit_their_name_are_only_calls() {
    let mut trace = Trace::new();
    trace.call("glPushDebugGroup", &[text("?")], &void());
    trace.call("glXSwapBuffers", &[], &void());
    let (mapped, _) = map(trace);
    assert_eq!((mapped.odd_signatures, mapped.timeline.frames.len()), (1, 1));
    assert_eq!(mapped.timeline.frames.get(0).unwrap().drawable, None);
}

fn three_frames() -> (Wip15Timeline, MemorySource) {
    let mut trace = Trace::new();
    for draws in [1, 3, 2] {
        push(&mut trace, "Frame\u{1b}[31m", -1);
        for count in 0..draws {
            trace.call("glDrawArrays", &[uint(4), int(0), int(count * 3)], &void());
        }
        pop(&mut trace);
        swap(&mut trace);
    }
    map(trace)
}

fn dump(mapped: &Wip15Timeline, source: &MemorySource, selection: &Selection, form: DumpForm) -> String {
    let mut out = Vec::new();
    write_events(&mapped.timeline, &mut mapped.arguments(source), selection, form, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn dumps_select_by_frame_and_by_filter() {
    let (mapped, source) = three_frames();
    let ticks = Selection::of_frames(&mapped.timeline, |index| index == 1);
    let filter = Some(Filter::parse("glDraw(arg2 >= 3)").unwrap());
    let selection = Selection { ticks, filter };
    let text = dump(&mapped, &source, &selection, DumpForm::Text);
    assert_eq!(text.lines().count(), 2, "{text}");
    assert!(text.contains("glDrawArrays(arg0=4, arg1=0, arg2=6)"), "{text}");
    let json = dump(&mapped, &source, &selection, DumpForm::JsonLines);
    let line: serde_json::Value = serde_json::from_str(json.lines().next().unwrap()).unwrap();
    assert_eq!(line["args"], json!({"arg0": 4, "arg1": 0, "arg2": 3}));
    let nothing = Selection { ticks: Selection::of_frames(&mapped.timeline, |_| false), filter: None };
    assert_eq!(dump(&mapped, &source, &nothing, DumpForm::Text), "");
    let all = dump(&mapped, &source, &Selection::default(), DumpForm::Text);
    assert!(!all.contains('\u{1b}') && all.contains("Frame\\u{1b}[31m"), "{all}");
}

fn counters_and_figures_follow_the_frames() {
    let (mapped, _) = three_frames();
    let draws =
        mapped.timeline.tracks.iter().find(|track| mapped.timeline.text(track.name) == "draws per frame").unwrap();
    let samples: Vec<(Tick, f64)> = draws.samples.iter().map(|sample| (sample.at, sample.value)).collect();
    assert_eq!(samples, [(Tick(0), 1.0), (Tick(4), 3.0), (Tick(10), 2.0)]);
    let stats = stats(&mapped.timeline, 1);
    let draw = stats.names.iter().find(|figures| figures.name == "glDrawArrays").unwrap();
    assert_eq!((draw.count, draw.p99_ticks, draw.per_frame), (6, 1, Some(2.0)));
    assert_eq!((stats.longest_frames[0].frame, stats.longest_frames[0].length_ticks), (1, 6));
    let mut overview = Vec::new();
    write_overview(&mapped.timeline, &mut overview).unwrap();
    let overview = String::from_utf8(overview).unwrap();
    assert!(overview.starts_with("made: 15 calls (the file records no time), 3 frames\n"), "{overview}");
}
