//! The exports as their readers see them: Chrome JSON by a JSON parser, Perfetto by the message classes of its official
//! Python package (ignored where `python3` or the package is missing; set `PERFETTO_PYTHON` to the interpreter that
//! has it).

use std::path::Path;
use std::process::Command;

use dev_trials::{Failed, Trial};
use serde_json::{Value, json};
use trace_base::bytes::FileSource;
use trace_base::listing::Filter;
use trace_timeline::annotation::wip15::map_wip15;
use trace_timeline::wip15::BlobPolicy;
use trace_timeline::{
    Axis, AxisUnit, Builder, Exported, FlowKind, FlowPoint, Frame, InstantKind, NoArguments, Placement, RecordOffset,
    SelectedEvents, Selection, SpanFlags, StringId, Tick, Timeline, Timing, TrackKind, write_chrome, write_perfetto,
};

pub fn trials() -> Vec<Trial> {
    let python = std::env::var("PERFETTO_PYTHON").unwrap_or("python3".into());
    let probe = Command::new(&python).args(["-c", IMPORT]).output();
    let has_perfetto = probe.is_ok_and(|output| output.status.success());
    let for_selected = python.clone();
    let selected = move || perfetto_selected(&for_selected);
    let read_back = move || perfetto_reads_back(&python);
    vec![
        Trial::test("chrome_everything", chrome_everything),
        Trial::test("chrome_selected", chrome_selected),
        Trial::test("chrome_overlapping_frames", chrome_overlapping_frames),
        Trial::test("chrome_real_trace", chrome_real_trace),
        Trial::test("perfetto_read_back", read_back).with_ignored_flag(!has_perfetto),
        Trial::test("perfetto_selected", selected).with_ignored_flag(!has_perfetto),
    ]
}

const IMPORT: &str = "from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace";

/// A timeline with one of everything.
fn everything() -> Timeline {
    let mut builder = Builder::new("every \"thing\"", Axis { unit: AxisUnit::Microseconds, origin_unix_ms: Some(1.5) });
    let names =
        ["Outer#run", "inner", "note", "zone", "ranges", "count", "marks"].map(|n| builder.intern(n.as_bytes()));
    let zone = builder.track(names[3], TrackKind::Stack, None);
    let (none, flags) = (RecordOffset::NONE, SpanFlags::default());
    builder.open(zone, Tick(10), names[0], none, flags);
    builder.open(zone, Tick(12), names[1], none, SpanFlags::SYSTEM);
    builder.instant(zone, Tick(13), names[2], none, InstantKind::Event);
    builder.close(zone, Tick(15)).unwrap();
    builder.open(zone, Tick(15), names[1], none, flags);
    builder.span_without_begin(zone, Tick(0), Tick(5), StringId::EMPTY, none);
    let point = |at, depth, kind| FlowPoint {
        flow: 7,
        parent: 0,
        at: Tick(at),
        track: zone,
        depth,
        kind,
        name: names[2],
        record: none,
    };
    builder.flow(point(11, 1, FlowKind::Branch));
    builder.flow(point(5, 0, FlowKind::Extend));
    builder.flow(point(16, 1, FlowKind::Terminate));
    let ranges = builder.track(names[4], TrackKind::Ranges, Some(zone));
    let first = builder.open_beside(ranges, Tick(1), names[1], none, flags);
    builder.open_beside(ranges, Tick(2), names[2], none, flags);
    builder.end_span(ranges, first, Tick(6), Timing::Closed);
    let counter = builder.track(names[5], TrackKind::Counter { unit: "bytes" }, None);
    builder.sample(counter, Tick(1), 4.0);
    builder.sample(counter, Tick(2), 0.5);
    let frame = Frame {
        begin: Tick(0),
        end: Tick(16),
        number: 3,
        ended_by: Some(names[0]),
        drawable: Some(9),
        track: None,
        record: none,
    };
    builder.frame(frame);
    builder.stamp(Tick(4), 123_456_789_012);
    builder.metadata("who", "me");
    builder.finish(Tick(20))
}

fn selection(ticks: &[(u64, u64)], filter: &str) -> Selection {
    let ticks = ticks.iter().map(|(begin, end)| (Tick(*begin), Tick(*end))).collect();
    Selection { ticks, filter: (!filter.is_empty()).then(|| Filter::parse(filter).unwrap()) }
}

fn chrome(timeline: &Timeline) -> Result<Value, Failed> {
    chrome_of(timeline, &Selection::default())
}

fn chrome_of(timeline: &Timeline, selection: &Selection) -> Result<Value, Failed> {
    let shown = SelectedEvents::of(timeline, &mut NoArguments, selection)?;
    let placement = Placement::of_axis(&timeline.axis);
    let mut out = Vec::new();
    let exported = Exported { timeline, arguments: &mut NoArguments, placement: &placement, shown };
    write_chrome(&mut [exported], &mut out)?;
    Ok(serde_json::from_slice(&out)?)
}

fn chrome_everything() -> Result<(), Failed> {
    let trace = chrome(&everything())?;
    let events = trace["traceEvents"].as_array().unwrap();
    let of = |phase: &str| events.iter().filter(|event| event["ph"] == phase).cloned().collect::<Vec<_>>();
    let outer = json!({"ph":"B","pid":1,"tid":1,"name":"Outer#run","ts":10,"cat":"Outer","args":{}});
    assert_eq!(of("B")[0], outer);
    assert_eq!(of("B").len(), 2, "two open ends");
    let system = json!({"ph":"X","pid":1,"tid":1,"name":"inner","ts":12,"dur":3,"cat":"system","args":{}});
    assert!(of("X").contains(&system));
    assert!(of("X").iter().any(|event| event["args"] == json!({"open":"start"}) && event["dur"] == 5));
    assert!(of("X").iter().any(|event| event["name"] == "frame 3" && event["args"]["drawable"] == "0x9"));
    assert_eq!((of("b").len(), of("e").len(), of("C").len()), (2, 1, 2));
    assert_eq!((of("s").len(), of("t").len(), of("f").len()), (1, 1, 1));
    assert!(of("X").iter().any(|event| event["name"] == "note" && event["dur"] == 0), "a slice for the lonely flow");
    assert!(of("i").iter().any(|event| event["args"]["ns"] == 123_456_789_012_u64));
    assert_eq!(trace["otherData"]["1: every \"thing\""]["origin_unix_ms"], 1.5);
    Ok(())
}

/// Events that some selections leave, as names with phases in the order of the file.
fn chrome_selected() -> Result<(), Failed> {
    for (ticks, filter, expected) in [
        (&[][..], "inner", "X inner, B inner, b inner, e inner, X frame 3"),
        (&[], "not inner and @depth > 0", "i note, X frame 3, s note, f note"),
        (&[], "@duration >= 5us and not Outer", "X , B inner, b inner, e inner, b note, X frame 3"),
        (&[], "count", "C count, C count, X frame 3"),
        (&[], "absent", "X frame 3"),
        (&[(12, 13)], "", "B Outer#run, X inner, b note, X frame 3"),
        (&[(4, 5)], "", "X , b inner, e inner, b note, X frame 3, i GPU time"),
        (&[(18, 19)], "", "B Outer#run, B inner, b note"),
        (&[(13, 14)], "note", "i note, b note, X frame 3"),
    ] {
        let trace = chrome_of(&everything(), &selection(ticks, filter))?;
        let events = trace["traceEvents"].as_array().unwrap();
        let text = |event: &Value, name: &str| event[name].as_str().unwrap().to_owned();
        let found = events.iter().filter(|event| event["ph"] != "M");
        let found: Vec<_> = found.map(|event| format!("{} {}", text(event, "ph"), text(event, "name"))).collect();
        assert_eq!(found.join(", "), expected, "{ticks:?} {filter}");
        let named = events.iter().filter(|event| event["name"] == "thread_name").map(|event| &event["tid"]);
        let named: std::collections::HashSet<_> = named.map(Value::to_string).collect();
        let used: std::collections::HashSet<_> =
            events.iter().filter(|event| event["ph"] != "M").map(|event| event["tid"].to_string()).collect();
        assert_eq!(named, used, "a thread where there is something, and nowhere else: {filter}");
    }
    Ok(())
}

fn gears() -> FileSource {
    FileSource::open(&dev_trials::root().join("fixtures/wip15/s1_glxgears_killed.trace")).unwrap()
}

fn chrome_real_trace() -> Result<(), Failed> {
    let source = gears();
    let mapped = map_wip15(&source, "gears", BlobPolicy::Skip)?;
    let placement = Placement::of_axis(&mapped.timeline.axis);
    let mut out = Vec::new();
    let mut arguments = mapped.arguments(&source);
    let exported = Exported {
        timeline: &mapped.timeline,
        arguments: &mut arguments,
        placement: &placement,
        shown: SelectedEvents::all(),
    };
    write_chrome(&mut [exported], &mut out)?;
    let trace: Value = serde_json::from_slice(&out)?;
    let events = trace["traceEvents"].as_array().unwrap();
    let kinds: std::collections::HashSet<&str> = events.iter().map(|event| event["ph"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["M", "i", "C"].into(), "calls have an order and no time");
    assert!(events.iter().all(|event| event.get("dur").is_none()));
    let ordered = events.iter().filter(|event| event["ph"] == "i" && event["args"]["length (calls)"].is_u64());
    assert_eq!(ordered.count(), 4975 + 2481, "every call and every frame");
    let swap = events.iter().find(|event| event["name"] == "glXSwapBuffers").unwrap();
    assert!(swap["args"]["arg0"].as_str().unwrap().starts_with("0x"), "{swap}");
    let name = events[0]["args"]["name"].as_str().unwrap();
    assert!(name.ends_with("(no times recorded; lengths are calls)"), "{name}");
    Ok(())
}

/// Frames that overlap in part lie in rows of their own: slices of one row nest or follow each other.
fn chrome_overlapping_frames() -> Result<(), Failed> {
    let mut builder = Builder::new("x", Axis { unit: AxisUnit::Microseconds, origin_unix_ms: None });
    let name = builder.intern(b"end");
    for (number, begin, end) in [(0, 0, 10), (1, 5, 15), (2, 10, 20), (3, 16, 18), (4, 15, 30)] {
        let (begin, end, ended_by) = (Tick(begin), Tick(end), Some(name));
        let (drawable, track, record) = (None, None, RecordOffset::NONE);
        builder.frame(Frame { begin, end, number, ended_by, drawable, track, record });
    }
    let trace = chrome(&builder.finish(Tick(30)))?;
    let events = trace["traceEvents"].as_array().unwrap();
    let frames = events.iter().filter(|event| event["ph"] == "X");
    let rows: Vec<(u64, u64)> =
        frames.map(|frame| (frame["args"]["number"].as_u64().unwrap(), frame["tid"].as_u64().unwrap())).collect();
    let [first, second, third] = [1_000_000u64, 11_000_000, 21_000_000];
    assert_eq!(rows, [(0, first), (1, second), (2, first), (3, second), (4, third)]);
    let named =
        events.iter().filter(|event| event["name"] == "thread_name").map(|event| event["args"]["name"].as_str());
    let named: Vec<_> = named.collect();
    assert_eq!(named, [Some("frames"), Some("frames, row 2"), Some("frames, row 3")]);
    Ok(())
}

/// Counts by kind, the nesting of each track, and whatever the classes refuse.
const READ_BACK: &str = r#"
import sys, json, collections
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace
trace = Trace(); trace.ParseFromString(open(sys.argv[1], 'rb').read())
kinds = collections.Counter(); names = {}; depth = collections.Counter(); tracks = {}; last = {}; notes = []
for p in trace.packet:
    for n in p.interned_data.event_names: names[p.trusted_packet_sequence_id, n.iid] = n.name
    if p.HasField('track_descriptor'):
        d = p.track_descriptor; assert d.uuid not in tracks; tracks[d.uuid] = d.name or d.process.process_name
        assert not d.parent_uuid or d.parent_uuid in tracks
    if p.HasField('track_event'):
        e = p.track_event; assert e.track_uuid in tracks
        kinds[e.TYPE.Name(e.type) if hasattr(e,'TYPE') else e.Type.Name(e.type)] += 1
        if e.name_iid: assert (p.trusted_packet_sequence_id, e.name_iid) in names
        if e.type in (1, 2):
            assert p.timestamp >= last.get(e.track_uuid, 0), (tracks[e.track_uuid], p.timestamp)
            last[e.track_uuid] = p.timestamp; depth[e.track_uuid] += 1 if e.type == 1 else -1
            assert depth[e.track_uuid] >= 0
        notes += [[a.name, a.string_value] for a in e.debug_annotations if a.string_value]
print(json.dumps({'kinds': kinds, 'tracks': sorted(tracks.values()), 'open': sum(depth.values()), 'notes': notes[:20]}))
"#;

fn read_back(python: &str, path: &Path) -> Result<Value, Failed> {
    let output = Command::new(python).args(["-c", READ_BACK]).arg(path).output()?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// Spans inside of ones that are left out, and ones around them.
fn perfetto_selected(python: &str) -> Result<(), Failed> {
    for (filter, begins, open, instants) in
        [("inner", 4, 1, 1), ("Outer or note", 3, 2, 5), ("@depth == 0", 5, 2, 3), ("absent", 1, 0, 1)]
    {
        let timeline = everything();
        let shown = SelectedEvents::of(&timeline, &mut NoArguments, &selection(&[], filter))?;
        let placement = Placement::of_axis(&timeline.axis);
        let mut file = tempfile::NamedTempFile::new()?;
        let exported = Exported { timeline: &timeline, arguments: &mut NoArguments, placement: &placement, shown };
        write_perfetto(&mut [exported], &mut file)?;
        let read = read_back(python, file.path())?;
        let kinds = &read["kinds"];
        let found = (&kinds["TYPE_SLICE_BEGIN"], &read["open"], &kinds["TYPE_INSTANT"]);
        assert_eq!(found, (&json!(begins), &json!(open), &json!(instants)), "{filter}: {read}");
    }
    Ok(())
}

fn perfetto_reads_back(python: &str) -> Result<(), Failed> {
    let everything = everything();
    let source = gears();
    let mapped = map_wip15(&source, "gears", BlobPolicy::Skip)?;
    let mut arguments = mapped.arguments(&source);
    let placements = [Placement::of_axis(&everything.axis), Placement::of_axis(&mapped.timeline.axis)];
    let mut file = tempfile::NamedTempFile::new()?;
    let mut exported = [
        Exported {
            timeline: &everything,
            arguments: &mut NoArguments,
            placement: &placements[0],
            shown: SelectedEvents::all(),
        },
        Exported {
            timeline: &mapped.timeline,
            arguments: &mut arguments,
            placement: &placements[1],
            shown: SelectedEvents::all(),
        },
    ];
    write_perfetto(&mut exported, &mut file)?;
    let read = read_back(python, file.path())?;
    // Everything: 1 unbegun, 3 scopes, 2 ranges, 1 frame, of which 3 never end. Gears has no clock, and so no slice.
    let begins = 7;
    assert_eq!(read["kinds"]["TYPE_SLICE_BEGIN"], begins, "{read}");
    assert_eq!((&read["kinds"]["TYPE_SLICE_END"], &read["open"]), (&json!(begins - 3), &json!(3)), "{read}");
    // Notes: one each about the files, one instant, three flow points, one GPU time, and gears' size, calls and frames.
    assert_eq!(read["kinds"]["TYPE_INSTANT"], 2 + 1 + 3 + 1 + 1 + 4975 + 2481, "{read}");
    assert!(read["notes"].as_array().unwrap().contains(&json!(["who", "me"])), "{read}");
    Ok(())
}
