//! Damaged and hostile WIP15 traces: a value or a typed error, never a panic, a hang or a big allocation.

use dev_recordings::wip15_writer;
use dev_trials::{Trial, trials_of};
use trace_base::bytes::MemorySource;
use trace_base::error::Classified;
use trace_timeline::annotation::wip15::map_wip15;
use trace_timeline::wip15::{BlobPolicy, Error, Op, Reader, count_calls, summarize, write_canonical};
use trace_timeline::{
    DumpForm, Exported, Placement, SelectedEvents, Selection, write_chrome, write_events, write_perfetto,
};
use wip15_writer::{Trace, data, uint, void};

pub fn trials() -> Vec<Trial> {
    trials_of![
        every_truncation_gives_what_came_before,
        every_single_byte_change_gives_a_value_or_an_error,
        counts_of_everything_are_not_believed,
        variants_nest_only_so_deep,
        numbers_longer_than_64_bits_are_refused,
        a_hole_of_zeros_is_named,
        the_level_zero_bug_has_its_own_message,
        an_operation_larger_than_the_window_is_read_whole,
        blobs_are_listed_with_their_place_and_unpacked_when_asked,
        a_count_that_is_too_large_is_the_cause,
    ]
}

/// Runs everything that can be done with a trace. Gives the number of calls and the error's class.
fn exercise(bytes: &[u8]) -> (u64, &'static str) {
    let source = MemorySource::from(bytes.to_vec());
    let mut reader = match Reader::open(&source, BlobPolicy::Check) {
        Ok(reader) => reader,
        Err(error) => return (0, error.class()),
    };
    let (summary, error) = summarize(&mut reader);
    if let Some(error) = &error {
        let offset = error.offset().unwrap();
        assert!(offset <= bytes.len() as u64, "{error}");
        assert!(error.to_string().contains(&format!("at {offset:#x}")), "{error}");
    }
    assert!(reader.next_op().is_none(), "one error, then the end");
    let mut text = Vec::new();
    write_canonical(&mut Reader::open(&source, BlobPolicy::Check).unwrap(), &mut text).unwrap();
    let calls = text.split(|byte| *byte == b'\n').filter(|line| line.starts_with(b"C ")).count();
    assert_eq!(calls as u64, summary.calls);
    let (counts, _) = count_calls(&mut Reader::open(&source, BlobPolicy::Skip).unwrap());
    assert!(counts.calls >= summary.calls);
    exercise_timeline(&source);
    (summary.calls, summary.result)
}

fn exercise_timeline(source: &MemorySource) {
    let mapped = map_wip15(source, "t", BlobPolicy::Skip).unwrap();
    let timeline = &mapped.timeline;
    mapped.listing(source).unwrap();
    let mut sink = std::io::sink();
    for form in [DumpForm::Text, DumpForm::JsonLines] {
        write_events(timeline, &mut mapped.arguments(source), &Selection::default(), form, &mut sink).unwrap();
    }
    let placement = Placement::of_axis(&timeline.axis);
    let mut chrome = Vec::new();
    let mut arguments = mapped.arguments(source);
    let exported =
        Exported { timeline, arguments: &mut arguments, placement: &placement, shown: SelectedEvents::all() };
    write_chrome(&mut [exported], &mut chrome).unwrap();
    serde_json::from_slice::<serde::de::IgnoredAny>(&chrome).unwrap();
    let exported =
        Exported { timeline, arguments: &mut arguments, placement: &placement, shown: SelectedEvents::all() };
    write_perfetto(&mut [exported], &mut sink).unwrap();
}

fn small_fixtures() -> Vec<(String, Vec<u8>)> {
    let root = dev_trials::root().join("fixtures/wip15");
    let mut files = Vec::new();
    for folder in ["synth", "bad"] {
        for entry in std::fs::read_dir(root.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            let bytes = std::fs::read(&path).unwrap();
            if path.extension().is_some_and(|extension| extension == "trace") && bytes.len() < 4000 {
                files.push((path.file_name().unwrap().to_string_lossy().into_owned(), bytes));
            }
        }
    }
    assert!(files.len() >= 15, "only {} small fixtures", files.len());
    files
}

fn every_truncation_gives_what_came_before() {
    for (name, bytes) in small_fixtures() {
        let (whole, result) = exercise(&bytes);
        let mut before = 0;
        for length in 0..bytes.len() {
            let (calls, class) = exercise(&bytes[..length]);
            assert!(calls >= before && calls <= whole, "{name} cut at {length}: {calls} calls after {before}");
            before = calls;
            let is_cut = ["ok", "truncated", "truncated_header"].contains(&class);
            assert!(is_cut || class == result || result != "ok", "{name} cut at {length}: {class}");
        }
    }
}

fn every_single_byte_change_gives_a_value_or_an_error() {
    for (_, bytes) in small_fixtures() {
        let mut changed = bytes.clone();
        for at in 0..bytes.len() {
            // All values where that takes seconds; else those that turn counts, flags and codes over.
            let values: Vec<u8> = match bytes.len() {
                ..50 => (0..=255).collect(),
                50..200 => vec![0, 1, 2, 3, 8, 10, 0x7f, 0x80, 0xff, bytes[at] ^ 1, bytes[at] ^ 0x40],
                200..1000 => vec![0, 0xff, bytes[at] ^ 1],
                _ => vec![bytes[at] ^ 1],
            };
            for value in values {
                changed[at] = value;
                exercise(&changed);
            }
            changed[at] = bytes[at];
        }
    }
}

fn class_of(trace: Trace) -> (u64, &'static str) {
    exercise(&trace.bytes)
}

fn counts_of_everything_are_not_believed() {
    let huge = u32::MAX.to_le_bytes();
    for (kind, class) in
        [([1, 0, 1], "truncated"), ([7, 0, 0], "truncated"), ([0, 0, 1], "limit"), ([9, 1, 1], "limit")]
    {
        let mut trace = Trace::new();
        trace.declare(0, "f", [0, 0, 0], &[kind]);
        trace.raw_call(0, &huge);
        assert_eq!(class_of(trace), (0, class), "{kind:?}");
    }
    let mut extras = Trace::new();
    extras.call("f", &[], &void());
    let end = extras.bytes.len();
    extras.bytes[end - 4..].copy_from_slice(&huge);
    assert_eq!(class_of(extras), (0, "truncated"));
    let mut name = Trace::new();
    name.bytes.push(0);
    name.bytes.extend([0, 0, 0, 0]);
    name.bytes.extend(huge);
    assert_eq!(class_of(name), (0, "truncated"));
}

fn variants_nest_only_so_deep() {
    for (depth, result) in [(1, "ok"), (64, "ok"), (65, "limit"), (200_000, "limit")] {
        let mut trace = Trace::new();
        trace.declare(0, "f", [0, 0, 0], &[[10, 0, 0]]);
        let mut body = [10, 0, 0].repeat(depth - 1);
        body.extend([1, 0, 0, 5]);
        trace.raw_call(0, &body);
        assert_eq!(class_of(trace).1, result, "{depth}");
    }
    // A damaged blob before the deep value: what is whole is still counted, without following the nesting.
    let mut trace = Trace::new();
    trace.declare(0, "f", [0, 0, 0], &[[10, 0, 1], [10, 0, 0]]);
    let mut body = [[8, 0, 0].as_slice(), &data(1, 4, b"junk").bytes].concat();
    body.extend([10, 0, 0].repeat(200_000));
    trace.raw_call(0, &body);
    assert_eq!(class_of(trace).1, "data_corrupt");
}

fn numbers_longer_than_64_bits_are_refused() {
    for (bytes, class) in [
        (vec![0x80; 11], "leb128_overflow"),
        ([vec![0xff; 9], vec![2]].concat(), "leb128_overflow"),
        ([vec![0xff; 9], vec![1]].concat(), "ok"),
    ] {
        let mut trace = Trace::new();
        trace.declare(0, "f", [0, 0, 0], &[[1, 0, 0]]);
        trace.raw_call(0, &bytes);
        assert_eq!(class_of(trace).1, class, "{bytes:x?}");
    }
}

fn a_hole_of_zeros_is_named() {
    let mut trace = Trace::new();
    trace.bytes.extend([0; 16 * 1000]);
    let source = MemorySource::from(trace.bytes);
    let (summary, error) = summarize(&mut Reader::open(&source, BlobPolicy::Check).unwrap());
    assert!(error.is_none());
    assert_eq!(summary.warnings.get("zero_ops"), Some(&1000));
}

fn the_level_zero_bug_has_its_own_message() {
    let mut trace = Trace::new();
    trace.call("glBufferData", &[data(1, 16, &[0xaa; 16])], &void());
    let source = MemorySource::from(trace.bytes);
    let (_, error) = summarize(&mut Reader::open(&source, BlobPolicy::Check).unwrap());
    assert!(matches!(error, Some(Error::ZlibLevelZero { size: 16, .. })), "{error:?}");
    // Whoever doesn't ask for the data reads on.
    let (counts, error) = count_calls(&mut Reader::open(&source, BlobPolicy::Skip).unwrap());
    assert!(error.is_none() && counts.calls == 1);
}

fn an_operation_larger_than_the_window_is_read_whole() {
    let mut trace = Trace::new();
    let blob: Vec<u8> = (0..3_000_000u32).map(|i| i as u8).collect();
    for size in [1, 300_000, 3_000_000, 5] {
        trace.call("f", &[data(0, size, &blob[..size as usize]), uint(7)], &void());
    }
    let source = MemorySource::from(trace.bytes);
    let (summary, error) = summarize(&mut Reader::open(&source, BlobPolicy::Check).unwrap());
    assert!(error.is_none());
    assert_eq!((summary.calls, summary.blobs["none"].raw), (4, 3_300_006));
}

fn blobs_are_listed_with_their_place_and_unpacked_when_asked() {
    let bytes = std::fs::read(dev_trials::root().join("fixtures/wip15/synth/extras.trace")).unwrap();
    let source = MemorySource::from(bytes);
    let mut reader = Reader::open(&source, BlobPolicy::Skip).unwrap();
    let mut found = Vec::new();
    while let Some(op) = reader.next_op() {
        if let Op::Call(call) = op.unwrap() {
            call.blobs(|place, blob| found.push((place.to_string(), blob.unpack().unwrap().bytes.len())));
        }
    }
    assert_eq!(found.len(), 4);
    assert_eq!(found[0], ("extra0-replay-glXMakeCurrent-drawable-size".to_owned(), 8));
    assert_eq!(found.iter().map(|(_, size)| size).sum::<usize>(), 1009);
}

fn a_count_that_is_too_large_is_the_cause() {
    let mut trace = Trace::new();
    // An array of doubles.
    trace.declare(0, "call", [0, 0, 0], &[[6, 0, 1]]);
    let at = trace.bytes.len() + 5;
    trace.raw_call(0, &[&0x2000_0000u32.to_le_bytes()[..], &[0; 12]].concat());
    let source = MemorySource::from(trace.bytes.clone());
    let (_, error) = summarize(&mut Reader::open(&source, BlobPolicy::Check).unwrap());
    let error = error.unwrap();
    assert_eq!((error.class(), error.offset()), ("truncated", Some(trace.bytes.len() as u64)));
    let told = format!(
        "expected 8 more bytes inside an array that declares 536870912 elements at {at:#x}, found the end of \
            the file after 0, at {:#x}",
        trace.bytes.len()
    );
    assert_eq!(error.to_string(), told);
}
