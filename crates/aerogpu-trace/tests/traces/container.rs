//! The container: both ways to find frames agree, legal oddities are accepted, damage is named where it is.

use std::sync::Arc;

use aerogpu_trace::container::{
    BlobKind, DamageTolerance, FormatError, FrameSource, FrameSpan, RecordBody, Trace, TraceWriter, scan_frames,
};
use dev_traces::raw::RawTrace;
use dev_traces::{fixture, fixtures, scene};
use dev_trials::counting::CountingSource;
use dev_trials::{Trial, trials_of};
use trace_base::bytes::{Diagnostics, MemorySource};

pub fn trials() -> Vec<Trial> {
    trials_of![
        the_toc_and_a_scan_find_the_same_frames,
        a_scan_of_loose_records_finds_each_frame_s_commands,
        what_the_writer_writes_comes_back,
        the_writer_refuses_what_the_format_cannot_express,
        a_version_2_container_opens_and_names_its_records,
        reserved_fields_and_odd_metadata_are_findings,
        every_misplaced_structure_is_named_at_its_field,
        records_that_run_past_the_end_and_unknown_ones_are_named,
        a_truncated_trace_keeps_its_whole_frames,
        opening_reads_both_ends_and_walking_skips_blobs,
        a_broken_toc_is_tolerated_on_request,
    ]
}

fn open(bytes: Vec<u8>) -> Result<(Trace, Diagnostics), FormatError> {
    let mut diagnostics = Diagnostics::new();
    let trace = Trace::from_source(Arc::new(MemorySource::from(bytes)), &mut diagnostics)?;
    Ok((trace, diagnostics))
}

fn error_of(bytes: Vec<u8>) -> String {
    match open(bytes) {
        Ok(_) => panic!("opened"),
        Err(error) => error.to_string(),
    }
}

/// A trace of one frame with one PRESENT packet.
fn small() -> RawTrace {
    let mut trace = RawTrace::new();
    let start = trace.offset();
    trace.begin(0).packet(&[10, 2]);
    let present = trace.offset();
    trace.present(0);
    let end = trace.offset();
    trace.entry(start, present, end);
    trace
}

fn the_toc_and_a_scan_find_the_same_frames() {
    let mut compared = 0;
    let fixtures = fixtures::REPLAYABLE.iter().filter(|(name, _)| *name != "loose_records");
    for (name, make) in fixtures.copied().chain([("triangle", triangle as fn() -> Vec<u8>)]) {
        let (trace, _) = open(make()).unwrap();
        let mut reader = trace.records(trace.stream());
        let scanned = scan_frames(&mut reader, &mut Diagnostics::new());
        assert!(scanned.stopped_by.is_none(), "{name}: {:?}", scanned.stopped_by);
        let scanned = scanned.into_all();
        assert_eq!(scanned, trace.frames(), "{name}");
        compared += scanned.len();
    }
    assert!(compared >= 13, "only {compared} frames compared");
}

fn triangle() -> Vec<u8> {
    std::fs::read(fixture("triangle")).unwrap()
}

/// A scan cannot know about records that only the TOC joins to a frame; the rest agrees.
fn a_scan_of_loose_records_finds_each_frame_s_commands() {
    let (trace, _) = open(fixtures::loose_records()).unwrap();
    let scanned = scan_frames(&mut trace.records(trace.stream()), &mut Diagnostics::new());
    assert!(scanned.stopped_by.is_none(), "{:?}", scanned.stopped_by);
    let scanned = scanned.into_all();
    let ends: Vec<u64> = trace.frames().iter().map(|frame| frame.bytes.end).collect();
    // Frame 0 has no Present, so for a scan it goes on to the next one.
    assert_eq!(scanned.iter().map(|frame| frame.bytes.end).collect::<Vec<_>>()[..2], ends[1..3]);
}

fn what_the_writer_writes_comes_back() {
    let mut writer = TraceWriter::new(Vec::new(), 1, scene::META).unwrap();
    let first = writer.blob(BlobKind::BufferData, b"before").unwrap();
    writer.begin_frame().unwrap();
    writer.packet(&[10, 0, 0, 0, 2, 0, 0, 0]).unwrap();
    writer.present().unwrap();
    let between = writer.blob(BlobKind::ShaderWgsl, b"between").unwrap();
    let (trace, diagnostics) = open(writer.finish().unwrap()).unwrap();
    assert!(diagnostics.is_empty());
    assert_eq!((first.0, between.0), (1, 2));
    assert_eq!(trace.meta().bytes, scene::META.as_bytes());
    let mut records = Vec::new();
    let mut reader = trace.records(trace.stream());
    while let Some(record) = reader.next_record(&mut Diagnostics::new()).unwrap() {
        let contents = match &record.body {
            RecordBody::Blob(blob) => trace.read(blob.bytes.clone()).unwrap(),
            RecordBody::Packet(payload) => payload.to_vec(),
            _ => Vec::new(),
        };
        records.push((record.body.name(), contents));
    }
    let expected: [(&str, &[u8]); 5] = [
        ("Blob", b"before"),
        ("BeginFrame", b""),
        ("Packet", &[10, 0, 0, 0, 2, 0, 0, 0]),
        ("Present", b""),
        ("Blob", b"between"),
    ];
    assert_eq!(records, expected.map(|(name, contents)| (name, contents.to_vec())));
}

fn the_writer_refuses_what_the_format_cannot_express() {
    let mut writer = TraceWriter::new(Vec::new(), 1, "{}").unwrap();
    assert_eq!(writer.packet(&[]).unwrap_err().to_string(), "packet outside a frame: expected begin_frame");
    assert_eq!(writer.present().unwrap_err().to_string(), "present outside a frame: expected begin_frame");
    writer.begin_frame().unwrap();
    assert_eq!(writer.begin_frame().unwrap_err().to_string(), "begin_frame in a frame: expected present");
    assert_eq!(writer.finish().unwrap_err().to_string(), "finish in a frame: expected present");
}

fn a_version_2_container_opens_and_names_its_records() {
    let (trace, _) = open(fixtures::container_v2()).unwrap();
    let mut reader = trace.records(trace.stream());
    let mut submissions = 0;
    while let Some(record) = reader.next_record(&mut Diagnostics::new()).unwrap() {
        if let RecordBody::Submission(submission) = record.body {
            submissions += 1;
            assert_eq!((submission.context_id, submission.signal_fence), (7, 42));
            assert_eq!(submission.memory_ranges.len(), 1);
            assert_eq!((submission.memory_ranges[0].gpa, submission.memory_ranges[0].blob_id.0), (0x1000, 3));
        }
    }
    assert_eq!(submissions, 1);
}

fn reserved_fields_and_odd_metadata_are_findings() {
    let mut trace = small();
    trace.meta = b"{\"emulator_version\":7,\"command_abi_version\":2}".to_vec();
    let mut shifted = RawTrace { entries: Vec::new(), stream: trace.stream.clone(), ..trace };
    let start = 32 + shifted.meta.len() as u64;
    shifted.entry(start, 0, start + 12 + 16 + 12);
    shifted.entries[0].frame_index = 5;
    shifted.entries[0].flags = 1;
    let (_, diagnostics) = open(shifted.finish()).unwrap();
    let text: Vec<String> = diagnostics.findings().iter().map(ToString::to_string).collect();
    assert_eq!(text.len(), 4, "{text:#?}");
    assert_eq!(text[0], "the meta JSON has no string \"emulator_version\", at 0x20");
    assert_eq!(text[1], "\"command_abi_version\" of the meta JSON is 2, the header says 1, at 0x20");
    assert!(text[2].starts_with("TOC entry 0 has frame_index 5, at "), "{}", text[2]);
    assert!(text[3].starts_with("flags of TOC entry 0 are 0x1, expected 0, at "), "{}", text[3]);
    let mut no_json = small();
    no_json.meta[0] = 0xff;
    let (_, diagnostics) = open(no_json.finish()).unwrap();
    assert!(diagnostics.findings()[0].what.starts_with("the meta JSON cannot be parsed"));
}

fn every_misplaced_structure_is_named_at_its_field() {
    let good = small().finish();
    let (size, toc) = (good.len() as u64, good.len() as u64 - 32 - 48);
    let changed = |at: u64, bytes: &[u8]| {
        let mut trace = good.clone();
        trace[at as usize..at as usize + bytes.len()].copy_from_slice(bytes);
        error_of(trace)
    };
    let footer = size - 32;
    let huge64 = u64::MAX.to_le_bytes();
    let huge32 = u32::MAX.to_le_bytes();
    let big32 = 0x8000_0000u32.to_le_bytes();
    #[rustfmt::skip]
    let cases = [
        (changed(0, b"X"), "not an AeroGPU trace: expected the magic \"AEROGPUT\", found \"XEROGPUT\", at 0x0".to_owned()),
        (changed(8, &huge32), "header_size is 4294967295: expected 32, at 0x8".to_owned()),
        (changed(12, &[9]), "container version 9 is not supported: this build reads versions 1 and 2, at 0xc".to_owned()),
        (changed(24, &huge32), format!("meta JSON spans 0x20..0x10000001f: expected it inside 0x20..{size:#x}, at 0x18")),
        (changed(24, &big32), format!("meta JSON spans 0x20..0x80000020: expected it inside 0x20..{size:#x}, at 0x18")),
        (changed(footer, b"X"), format!("not a trace footer: expected the magic \"AEROGPUF\", found \"XEROGPUF\", at {footer:#x}")),
        (changed(footer + 12, &[2]), format!("footer says container version 2, header says 1, at {:#x}", footer + 12)),
        (changed(footer + 16, &huge64), format!("TOC spans 0xffffffffffffffff..0xffffffffffffffff: expected it inside 0x53..{footer:#x}, at {:#x}", footer + 16)),
        (changed(footer + 16, &[0; 8]), format!("TOC spans 0x0..0x30: expected it inside 0x53..{footer:#x}, at {:#x}", footer + 16)),
        (changed(footer + 24, &huge64), format!("TOC spans {toc:#x}..0xffffffffffffffff: expected it inside 0x53..{footer:#x}, at {:#x}", footer + 16)),
        (changed(footer + 24, &[8]), format!("toc_len is 8: expected 16, at {:#x}", footer + 24)),
        (changed(footer + 24, &[47]), format!("toc_len (against the TOC's frame_count) is 47: expected 48, at {:#x}", toc + 12)),
        (changed(toc, b"X"), format!("not a TOC: expected the magic \"AEROTOC\\0\", found \"XEROTOC\\x00\", at {toc:#x}")),
        (changed(toc + 8, &[2]), format!("TOC version 2 is not supported: expected 1, at {:#x}", toc + 8)),
        (changed(toc + 12, &huge32), format!("toc_len (against the TOC's frame_count) is 48: expected 137438953456, at {:#x}", toc + 12)),
    ];
    for (found, expected) in cases {
        assert_eq!(found, expected);
    }
}

fn records_that_run_past_the_end_and_unknown_ones_are_named() {
    let walk = |bytes: Vec<u8>| {
        let (trace, _) = open(bytes).unwrap();
        let mut reader = trace.records(trace.stream());
        loop {
            match reader.next_record(&mut Diagnostics::new()) {
                Ok(Some(_)) => {}
                Ok(None) => panic!("no error"),
                Err(error) => {
                    assert!(reader.next_record(&mut Diagnostics::new()).unwrap().is_none(), "one error, then the end");
                    return error.to_string();
                }
            }
        }
    };
    let with = |change: &dyn Fn(&mut RawTrace)| {
        let mut trace = small();
        change(&mut trace);
        walk(trace.finish())
    };
    let bytes = |length: u32| length.to_le_bytes();
    assert_eq!(
        with(&|trace| trace.stream[4..8].copy_from_slice(&bytes(u32::MAX))),
        "record spans 0x53..0x10000005a: expected it inside 0x53..0x7b, at 0x53"
    );
    assert_eq!(
        with(&|trace| trace.stream[0] = 6),
        "unknown record type 0x06 in a version 1 container: expected 0x01 to 0x04, at 0x53"
    );
    assert_eq!(
        with(&|trace| trace.stream[0] = 5),
        "unknown record type 0x05 in a version 1 container: expected 0x01 to 0x04, at 0x53"
    );
    assert_eq!(
        with(&|trace| _ = trace.blob(1, 9, b"")),
        "unknown blob kind 0x9: expected 0x1 to 0x5 or 0x100 to 0x102, at 0x8b"
    );
    assert_eq!(
        with(&|trace| _ = trace.record(4, &[0; 15])),
        "Blob record has a payload of 15 bytes: expected at least 16 bytes, the blob header, at 0x7b"
    );
    assert_eq!(
        with(&|trace| _ = trace.record(2, &[0; 5])),
        "Present record has a payload of 5 bytes: expected 4 bytes, at 0x7b"
    );
    assert_eq!(
        with(&|trace| trace.stream.extend_from_slice(&[3, 0, 0])),
        "record spans 0x7b..0x83: expected it inside 0x7b..0x7e, at 0x7b"
    );
}

/// Every truncation either still has whole frames, which are then found, or is refused.
fn a_truncated_trace_keeps_its_whole_frames() {
    let whole = fixtures::frames();
    let (trace, _) = open(whole.clone()).unwrap();
    let frames: Vec<FrameSpan> = trace.frames().to_vec();
    let mut recovered = 0;
    let first_end = frames[0].bytes.end as usize;
    for length in 0..whole.len() {
        let cut = MemorySource::from(whole[..length].to_vec());
        let expected = frames.iter().filter(|frame| frame.bytes.end <= length as u64).count();
        match Trace::open_or_recover(Arc::new(cut), DamageTolerance::Truncation, &mut Diagnostics::new()) {
            Ok(trace) => {
                assert_eq!(trace.frames(), &frames[..expected], "cut to {length} bytes");
                assert!(matches!(trace.frame_source(), FrameSource::Scan { .. }));
                recovered += 1;
            }
            Err(error) => assert_eq!(expected, 0, "cut to {length} bytes: {error}"),
        }
    }
    assert_eq!(recovered, whole.len() - first_end);
}

fn opening_reads_both_ends_and_walking_skips_blobs() {
    let mut writer = TraceWriter::new(Vec::new(), 1, scene::META).unwrap();
    writer.begin_frame().unwrap();
    for _ in 0..16 {
        writer.blob(BlobKind::BufferData, &vec![7; 1 << 20]).unwrap();
    }
    writer.present().unwrap();
    let bytes = writer.finish().unwrap();
    let size = bytes.len() as u64;
    let source = CountingSource::new(MemorySource::from(bytes));
    let trace = Trace::from_source(source.clone(), &mut Diagnostics::new()).unwrap();
    let opening = source.take_read();
    assert_eq!(opening, 32 + scene::META.len() as u64 + 48 + 32);
    let mut reader = trace.records(trace.stream());
    while reader.next_record(&mut Diagnostics::new()).unwrap().is_some() {}
    let walking = source.take_read();
    assert!(walking < size / 100, "walking read {walking} of {size} bytes");
}

/// A broken TOC in a whole file is an error, unless somebody asks to look at broken files.
fn a_broken_toc_is_tolerated_on_request() {
    let mut broken = small();
    broken.entries.push(broken.entries[0]);
    let source = || Arc::new(MemorySource::from(broken.finish()));
    let open = |tolerance| Trace::open_or_recover(source(), tolerance, &mut Diagnostics::new());
    assert!(matches!(open(DamageTolerance::Truncation), Err(FormatError::FramesOverlap { .. })));
    let trace = open(DamageTolerance::AnyDamagedEnd).unwrap();
    assert_eq!(trace.frames().len(), 1);
    let FrameSource::Scan { cause: FormatError::FramesOverlap { frame: 1, .. }, .. } = trace.frame_source() else {
        panic!("{:?}", trace.frame_source());
    };
}
