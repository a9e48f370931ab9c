//! wtf-trace files that want to hurt: every cut and every changed byte of small ones, and made-up ones with absurd
//! counts. Reading them must end, without a panic and within a budget of memory.

use std::fs;
use std::path::Path;

use crate::memory::peak;
use crate::support::harness::{Trial, trials_of};
use aerogpu_replay::bytes::MemorySource;
use aerogpu_replay::error::{Classified, ErrorKind};
use aerogpu_replay::format::wtf::{Reader, Summary, count};
use aerogpu_replay::timeline::annotation::wtf::{WtfTimeline, map_wtf, write_canonical};
use aerogpu_replay::timeline::{ArgumentSource, Timing};

pub fn trials() -> Vec<Trial> {
    trials_of![
        every_cut_gives_what_came_before,
        every_cut_of_an_unchunked_file_keeps_all_whole_records,
        every_changed_byte_gives_a_value_or_an_error,
        a_million_scopes_deep,
        a_million_leaves_of_nothing_and_a_million_ends_of_nothing,
        times_that_fall_are_put_in_order,
        absurd_counts_cost_nothing,
        a_long_array_is_refused_by_its_cap_not_by_memory,
        holes_of_zeros_and_undefined_zones_end_the_trace_there,
        types_used_out_of_the_order_of_their_definition_keep_their_names,
        chunks_of_no_length_and_a_million_empty_parts_end,
        a_trace_within_a_trace_is_named,
        ten_million_json_values_are_refused_by_their_cap,
        json_lists_tell_what_is_wrong_with_them,
        json_values_of_every_kind_become_arguments,
        streamed_json_is_one_trace,
    ]
}

fn fixture(name: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/wtf").join(name)).unwrap()
}

fn read(bytes: &[u8]) -> Summary {
    count(&mut Reader::new(&MemorySource::from(bytes.to_vec())))
}

/// Reads, nests, decodes every argument and writes everything.
fn use_all(bytes: &[u8]) -> (u64, Option<&'static str>) {
    let source = MemorySource::from(bytes.to_vec());
    let trace = map_wtf(&source);
    let mut text = String::new();
    write_canonical(&mut text, &trace).unwrap();
    let mut arguments = Vec::new();
    let mut decoder = trace.arguments();
    for track in &trace.timeline.tracks {
        for record in track.spans.iter().map(|span| span.record()).chain(track.instants.iter().map(|at| at.record())) {
            decoder.arguments(record, &mut arguments).unwrap();
        }
    }
    let summary = read(bytes);
    assert_eq!(summary.records, trace.record_count);
    assert_eq!(summary.error.as_ref().map(|error| error.class()), trace.error.as_ref().map(|error| error.class()));
    (trace.record_count, trace.error.map(|error| error.class()))
}

const SMALL: [&str; 8] = [
    "v3/seed_basic.wtf-trace",
    "v3/seed_unbalanced.wtf-trace",
    "cff/cffle0_basic.wtf-trace",
    "cff_be/cffbe_basic.wtf-trace",
    "cff_json/head_basic.complete.wtf-json",
    "json_v2/combined-1.wtf-json",
    "bad/036_v3_array_overrun.wtf-trace",
    "bad/108_cff_part_offset_unaligned.wtf-trace",
];

fn every_cut_gives_what_came_before() {
    for name in SMALL {
        let whole = fixture(name);
        let all = use_all(&whole).0;
        let mut before = 0;
        for length in 0..whole.len() {
            let (records, class) = use_all(&whole[..length]);
            assert!(records <= all, "{name} cut at {length}");
            if name.ends_with("wtf-trace") {
                assert!(records >= before, "{name} cut at {length} gives {records} records, a shorter one {before}");
            }
            if length == 0 {
                assert_eq!(class, Some("empty_file"));
            }
            before = records;
        }
    }
}

fn every_cut_of_an_unchunked_file_keeps_all_whole_records() {
    let whole = fixture("v3/seed_basic.wtf-trace");
    let source = MemorySource::from(whole.clone());
    let mut reader = Reader::new(&source);
    let mut starts = Vec::new();
    while let Some(event) = reader.next_event().unwrap() {
        starts.push(event.offset as usize);
    }
    for length in starts[0]..whole.len() {
        let summary = read(&whole[..length]);
        // A record is whole when the next one's start is within the file.
        let kept = starts.iter().skip(1).filter(|&&start| start <= length).count() as u64;
        assert_eq!(summary.records, kept, "cut at {length}");
        match summary.error {
            None => assert!(starts.contains(&length), "cut at {length}"),
            Some(error) => assert_eq!(error.kind(), ErrorKind::CutShort, "cut at {length}: {error}"),
        }
    }
}

fn every_changed_byte_gives_a_value_or_an_error() {
    for name in SMALL {
        let whole = fixture(name);
        for at in 0..whole.len() {
            for change in [0x01, 0xff] {
                let mut changed = whole.clone();
                changed[at] ^= change;
                use_all(&changed);
            }
        }
    }
}

/// An un-chunked file: `header`, definitions, then records as they come.
struct Maker {
    bytes: Vec<u8>,
}

impl Maker {
    fn new() -> Self {
        let mut maker = Self { bytes: vec![0xde, 0xad, 0xbe, 0xef, 0, 0, 0, 0, 0, 0, 0, 3] };
        let context = br#"{"contextType":"script"}"#;
        maker.u16(context.len() as u16);
        maker.string(context);
        maker.bytes.extend([0; 12]);
        maker.u16(0);
        maker
    }

    fn u16(&mut self, value: u16) -> &mut Self {
        self.bytes.extend(value.to_be_bytes());
        self
    }

    fn u32(&mut self, value: u32) -> &mut Self {
        self.bytes.extend(value.to_be_bytes());
        self
    }

    fn string(&mut self, text: &[u8]) -> &mut Self {
        self.u16(text.len() as u16);
        self.bytes.extend(text);
        self
    }

    fn define(mut self, wire: u16, class: u16, name: &str, arguments: &str) -> Self {
        self.event(1, 0).u16(wire).u16(class).u32(0).string(name.as_bytes()).string(arguments.as_bytes());
        self
    }

    fn event(&mut self, wire: u16, time: u32) -> &mut Self {
        self.u16(wire).u32(time)
    }

    fn build(&self) -> (MemorySource, u64) {
        (MemorySource::from(self.bytes.clone()), self.bytes.len() as u64)
    }
}

fn facts(trace: &WtfTimeline<'_>) -> (u64, Option<&'static str>, Vec<&'static str>) {
    (trace.record_count, trace.error.as_ref().map(|error| error.class()), trace.warnings.names())
}

fn a_million_scopes_deep() {
    let mut maker = Maker::new().define(2, 1, "deep", "").define(3, 0, "wtf.scope#leave", "");
    for time in 0..1_000_000 {
        maker.event(2, time);
    }
    for time in 0..999_999 {
        maker.event(3, 1_000_000 + time);
    }
    let (source, _) = maker.build();
    let trace = map_wtf(&source);
    assert_eq!(facts(&trace), (2_000_001, None, vec!["scope_unclosed"]));
    assert_eq!((trace.figures[0].max_depth, trace.figures[0].open_scopes), (1_000_000, 1));
    assert_eq!(trace.timeline.tracks[0].spans[0].timing(), Timing::OpenEnd);
}

fn a_million_leaves_of_nothing_and_a_million_ends_of_nothing() {
    let mut maker = Maker::new().define(2, 0, "wtf.scope#leave", "").define(3, 0, "wtf.timeRange#end", "uint32 id");
    let mut maker_frames = Maker::new().define(2, 0, "wtf.timing#frameStart", "uint32 number");
    for time in 0..1_000_000 {
        maker.event(2, time);
        maker.event(3, time).u32(7);
        maker_frames.event(2, time).u32(9);
    }
    let (source, _) = maker.build();
    let trace = map_wtf(&source);
    assert_eq!(facts(&trace), (2_000_002, None, vec!["range_end_unmatched", "scope_underflow"]));
    assert_eq!(trace.figures[0].underflow, 1_000_000);
    let (source, _) = maker_frames.build();
    let trace = map_wtf(&source);
    assert_eq!((trace.figures[0].frames, trace.figures[0].complete_frames), (1_000_000, 0));
}

fn times_that_fall_are_put_in_order() {
    let mut maker = Maker::new().define(2, 0, "tick", "");
    for time in (0..100_000).rev() {
        maker.event(2, time);
    }
    let (source, _) = maker.build();
    let trace = map_wtf(&source);
    assert_eq!(facts(&trace), (100_001, None, vec!["time_nonmonotonic"]));
    let instants = &trace.timeline.tracks[0].instants;
    assert!(instants.is_sorted_by_key(|instant| instant.at()) && instants.len() == 100_000);
}

fn absurd_counts_cost_nothing() {
    let cases: [(&str, &[u8], &str); 5] = [
        ("uint32[] v", &[0xff, 0xff, 0xff, 0xff], "array_overrun"),
        ("int8[] v", &[0x7f, 0xff, 0xff, 0xff, 1, 2, 3], "array_overrun"),
        ("utf8 v", &[0xff, 0xff, 0xff, 0xff, 0x61], "string_overrun"),
        ("ascii v", &[0xff, 0xff], "string_overrun"),
        ("uint32 a, uint8 b, uint32 c", &[0; 6], "truncated_args"),
    ];
    for (signature, bytes, class) in cases {
        let mut maker = Maker::new().define(2, 0, "e", signature);
        maker.event(2, 1);
        let start = maker.bytes.len() as u64;
        maker.bytes.extend(bytes);
        let (source, _) = maker.build();
        let (trace, peak_bytes) = peak(|| map_wtf(&source));
        assert!(peak_bytes < 1 << 20, "{signature}: {peak_bytes} bytes");
        assert_eq!(facts(&trace), (1, Some(class), vec![]), "{signature}");
        let error = trace.error.unwrap();
        assert!(error.offset >= start && error.kind() == ErrorKind::CutShort, "{error}");
    }
}

fn a_long_array_is_refused_by_its_cap_not_by_memory() {
    let mut maker = Maker::new().define(2, 0, "e", "uint8[] v");
    maker.event(2, 1).u32(65 << 20);
    maker.bytes.resize(maker.bytes.len() + (66 << 20), 0);
    let (source, _) = maker.build();
    let summary = count(&mut Reader::new(&source));
    let error = summary.error.unwrap();
    assert_eq!((summary.records, error.class(), error.kind()), (1, "record_too_large", ErrorKind::OverLimit));
}

fn holes_of_zeros_and_undefined_zones_end_the_trace_there() {
    let mut maker = Maker::new().define(2, 0, "wtf.zone#set", "uint16 zoneId");
    let (hole, zone) = (maker.bytes.len() as u64, maker.bytes.len() as u64);
    let mut with_hole = Maker { bytes: maker.bytes.clone() };
    with_hole.bytes.resize(with_hole.bytes.len() + (1 << 20), 0);
    let summary = read(&with_hole.bytes);
    let error = summary.error.unwrap();
    assert_eq!((summary.records, error.class(), error.offset), (1, "undefined_wire_id", hole));
    maker.event(2, 0).u16(77);
    let summary = read(&maker.bytes);
    let error = summary.error.unwrap();
    assert_eq!((summary.records, error.class(), error.offset), (1, "zone_undefined", zone));
}

fn types_used_out_of_the_order_of_their_definition_keep_their_names() {
    let mut maker = Maker::new().define(2, 0, "first", "").define(3, 1, "second", "").define(9, 0, "third", "uint8 v");
    maker.event(9, 1).bytes.push(5);
    maker.event(3, 2);
    maker.event(2, 3);
    let (source, _) = maker.build();
    let mut text = String::new();
    write_canonical(&mut text, &map_wtf(&source)).unwrap();
    let expected = "Z 0 null null null\nS 0 2 - 0 \"second\" {}\nI 0 1 0 \"third\" {\"v\":5}\nI 0 3 1 \"first\" {}\n";
    assert_eq!(text, expected);
}

fn chunks_of_no_length_and_a_million_empty_parts_end() {
    let mut bytes = fixture("bad/117_cff_header_no_context.wtf-trace");
    let start = bytes.len() as u64;
    bytes.resize(bytes.len() + 4096, 0);
    let error = read(&bytes).error.unwrap();
    assert_eq!((error.class(), error.offset), ("chunk_length_small", start));

    let mut bytes = fixture("bad/117_cff_header_no_context.wtf-trace");
    let parts = 1_000_000u32;
    for word in [5, 2, 24 + 12 * parts, u32::MAX, u32::MAX, parts] {
        bytes.extend(word.to_le_bytes());
    }
    for _ in 0..parts {
        bytes.extend([0x77, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    }
    let source = MemorySource::from(bytes);
    let mut reader = Reader::new(&source);
    let summary = count(&mut reader);
    assert_eq!(summary.error.unwrap().class(), "missing_event_buffer");
    assert_eq!(reader.warnings().names(), ["unknown_part_type"]);
}

fn a_trace_within_a_trace_is_named() {
    let mut bytes = fixture("v3/seed_basic.wtf-trace");
    let start = bytes.len() as u64;
    bytes.extend(bytes.clone());
    let error = read(&bytes).error.unwrap();
    let message =
        format!("expected the wire id of a defined event type, found 57005 (another trace begins here), at {start:#x}");
    assert_eq!(error.to_string(), message);
}

fn ten_million_json_values_are_refused_by_their_cap() {
    let mut text = vec![b'['];
    text.extend(b"0,".repeat(10_000_000));
    let error = read(&text).error.unwrap();
    assert_eq!((error.class(), error.kind()), ("json_too_many", ErrorKind::OverLimit));
}

fn json_lists_tell_what_is_wrong_with_them() {
    let header = r#"{"type":"wtf.json#header","format_version":2}"#;
    let cases = [
        (r#"[{"event":"wtf.zone#set","time":0}]"#.to_owned(), "json_header_missing"),
        (format!("[{header},{header}]"), "duplicate_header"),
        (format!("[{header},7]"), "json_entry"),
        (format!(r#"[{header},{{"event":"wtf.trace#discontinuity"}}]"#), "json_time"),
        (format!(r#"[{header},{{"event":"wtf.trace#discontinuity","time":-1}}]"#), "json_time"),
        (format!(r#"[{header},{{"event":"nobody","time":1}}]"#), "undefined_event"),
        (format!(r#"[{header},{{"event":"wtf.zone#set","time":1,"args":[5]}}]"#), "zone_undefined"),
        (format!(r#"[{header},{{"type":"wtf.event#define","signature":"a(what b)"}}]"#), "unknown_arg_type"),
        (format!("[{header} {header}]"), "json_syntax"),
        (r#"[{"type":"wtf.json#header"}]"#.to_owned(), "unsupported_version"),
        (r#"{"formatVersion":11}"#.to_owned(), "unsupported_version"),
        (r#"{"formatVersion":10,"chunks":7}"#.to_owned(), "json_chunk"),
        (r#"{"formatVersion":10}"#.to_owned(), "missing_header_chunk"),
        (r#"{"what":10}"#.to_owned(), "json_root"),
    ];
    for (text, class) in cases {
        assert_eq!(read(text.as_bytes()).error.map(|error| error.class()), Some(class), "{text}");
    }
}

fn json_values_of_every_kind_become_arguments() {
    let text = r#"[{"type":"wtf.json#header","format_version":2},
        {"type":"wtf.event#define","class":"instance","event_id":4,
         "signature":"e(bool a, int16 b, float32 c, utf8 d, any e, int8[] f, uint16 g, ascii h)"},
        {"event":4,"time":1.5,"args":[true,-2,1.5,"a\ud800",{"k": [1]},[1,-1,2]]}]"#;
    let source = MemorySource::from(text.as_bytes().to_vec());
    let mut written = String::new();
    write_canonical(&mut written, &map_wtf(&source)).unwrap();
    let arguments =
        r#"{"a":true,"b":-2,"c":f32:3fc00000,"d":"a\ud800","e":json:"{\"k\": [1]}","f":[1,-1,2],"g":0,"h":null}"#;
    assert_eq!(written, format!("Z 0 null null null\nI 0 1500 0 \"e\" {arguments}\n"));
}

fn streamed_json_is_one_trace() {
    let whole = String::from_utf8(fixture("cff_json/head_basic.complete.wtf-json")).unwrap();
    let versions = whole.find("\"chunks\"").unwrap();
    let (head, rest) = whole.split_at(versions);
    let streamed = format!("{}}}\n{{{rest}", head.trim_end().trim_end_matches(','));
    let (whole, streamed) = (read(whole.as_bytes()), read(streamed.as_bytes()));
    assert_eq!((streamed.records, &streamed.type_counts), (whole.records, &whole.type_counts));
    assert!(streamed.error.is_none(), "{:?}", streamed.error);
}
