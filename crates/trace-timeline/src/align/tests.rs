//! Alignments of made timelines.

use super::*;
use crate::{Axis, AxisUnit, Builder, Frame, InstantKind, RecordOffset, SpanFlags, StringId, TrackKind};

fn timeline(unit: AxisUnit, ends: &[u64]) -> Timeline {
    let mut builder = Builder::new("file", Axis::without_clock(unit));
    let mut begin = 0;
    let (name, track) = (builder.intern(b"flip"), builder.track(StringId::EMPTY, TrackKind::Instants, None));
    for (number, &end) in ends.iter().enumerate() {
        let (number, record) = (number as u64, RecordOffset::NONE);
        let frame = Frame {
            begin: Tick(begin),
            end: Tick(end),
            number,
            ended_by: Some(name),
            drawable: None,
            track: None,
            record,
        };
        builder.frame(frame);
        builder.instant(track, Tick(begin + 1), name, record, InstantKind::Marker);
        begin = end;
    }
    builder.finish(Tick(begin))
}

#[test]
fn equal_counts_lie_frame_by_frame_and_others_are_refused() {
    let trace = timeline(AxisUnit::Bytes, &[100, 400, 500]);
    let calls = timeline(AxisUnit::Calls, &[10, 20, 40]);
    let alignment = align(&trace, &calls, &Method::default()).unwrap();
    let ticks: Vec<u64> = alignment.anchors.iter().map(|anchor| anchor.tick).collect();
    assert_eq!(ticks, [0, 10, 20, 40]);
    let axis = CommonAxis::new(&trace, &[(&calls, &alignment)]);
    let placement = axis.place(&calls, &alignment);
    assert_eq!((placement.nanos(Tick(15)), placement.nanos(Tick(30))), (1_500_000, 2_500_000));
    assert_eq!(axis.place_reference(&trace).nanos(Tick(250)), 1_500_000);
    assert!(!axis.has_time() && placement.unit().contains("no file records time"));
    assert_eq!(
        alignment.in_words("the trace"),
        "frame 0 is frame 0 of the trace (frames:0=0): 3 of 3 frames matched; second best: frames:0=1 matches 2"
    );
    let short = timeline(AxisUnit::Calls, &[10, 20]);
    let refused = align(&trace, &short, &Method::default()).unwrap_err();
    assert_eq!(refused, AlignError::CountsDisagree { reference: 3, annotation: 2 });
}

#[test]
fn methods_say_how_other_counts_belong_together() {
    let trace = timeline(AxisUnit::Bytes, &[100, 400, 500]);
    let time = timeline(AxisUnit::Microseconds, &[10, 30, 60, 100, 150]);
    let method = Method::parse("frames:1=2").unwrap();
    let alignment = align(&trace, &time, &method).unwrap();
    let frames: Vec<(u64, f64)> = alignment.anchors.iter().map(|anchor| (anchor.tick, anchor.frame)).collect();
    assert_eq!(frames, [(30, 1.0), (60, 2.0), (100, 3.0)]);
    let axis = CommonAxis::new(&trace, &[(&time, &alignment)]);
    assert!(axis.has_time());
    // The clock keeps its own time, and the trace's frames take theirs from it.
    assert_eq!(axis.place(&time, &alignment).nanos(Tick(45)), 45_000);
    assert_eq!(axis.place_reference(&trace).nanos(Tick(400)), 60_000);
    assert_eq!(axis.frame_ticks(&time, &alignment, 0), None);
    assert_eq!(axis.frame_ticks(&time, &alignment, 2), Some((Tick(60), Tick(100))));
    assert_eq!((axis.frame_ticks(&time, &alignment, 3), axis.frame_count()), (None, 3));
    let marks = align(&trace, &time, &Method::parse("mark:flip").unwrap()).unwrap();
    assert_eq!(marks.anchors[2..], [FrameAnchor { tick: 31, frame: 2.0 }, FrameAnchor { tick: 61, frame: 3.0 }]);
    assert_eq!((marks.matched_frames, marks.unmatched_annotation_frames, marks.open_frame), (3, 2, None));
    let late = align(&trace, &time, &Method::parse("mark:flip:1=3").unwrap()).unwrap();
    let frames: Vec<(u64, f64)> = late.anchors.iter().map(|anchor| (anchor.tick, anchor.frame)).collect();
    assert_eq!(frames, [(61, 1.0), (101, 2.0)]);
    assert_eq!((late.matched_frames, late.open_frame), (1, Some(2)), "nothing says when the last mark's frame ends");
    assert_eq!(
        late.in_words("t.bin"),
        "event 3 of the name \"flip\" begins frame 1 of t.bin (mark:flip:1=3): 1 of 3 frames matched; no match for 3 of \
            the annotation's 5 frames; the end of frame 2 is not recorded; mark:flip:1=2 would match 2 frames"
    );
    let offset = align(&trace, &time, &Method::parse("offset-us:-5").unwrap()).unwrap();
    assert_eq!(axis.frame_ticks(&time, &offset, 1), Some((Tick(30 + 5), Tick(60 + 5))));
    assert_eq!(axis.place(&time, &offset).nanos(Tick(7)), axis.place_reference(&trace).nanos(Tick(0)) + 2000);
    assert_eq!(axis.check_offsets(&[(&time, &alignment), (&time, &offset)]), Ok(()));
    let alone = [(&time, &offset)];
    let refused = CommonAxis::new(&trace, &alone).check_offsets(&alone);
    assert_eq!(refused, Err(AlignError::NoClock { micros: -5 }));
    assert_eq!(CommonAxis::new(&time, &alone).check_offsets(&alone), Ok(()));
}

#[test]
fn names_of_marks_may_have_colons_and_pairs_count_from_the_end() {
    let mark = |text: &str| match Method::parse(text).unwrap() {
        Method::Mark { name, reference, mark } => (name, reference, mark),
        other => panic!("{other:?}"),
    };
    assert_eq!(mark("mark:a:b"), ("a:b".to_owned(), 0, 0));
    assert_eq!(mark("mark:a:b:3=4"), ("a:b".to_owned(), 3, 4));
    assert_eq!(mark("mark:a=b"), ("a=b".to_owned(), 0, 0));
    for text in ["mark:a:3=4", "mark:a", "numbers", "frames:1=2", "offset-us:-3"] {
        assert_eq!(Method::parse(text).unwrap().to_string(), text);
    }
}

#[test]
fn a_mark_that_is_a_span_ends_its_frame_and_a_frame_is_found_by_its_number() {
    let trace = timeline(AxisUnit::Bytes, &[100, 400, 500, 700]);
    let mut builder = Builder::new("app", Axis::without_clock(AxisUnit::Microseconds));
    let (name, track) = (builder.intern(b"tick"), builder.track(StringId::EMPTY, TrackKind::Stack, None));
    // The application has dropped frame 1, and gone on after the trace.
    for (number, begin, end) in [(0, 10, 20), (2, 30, 38), (3, 40, 50), (4, 50, 60)] {
        let (ended_by, drawable, record) = (Some(name), None, RecordOffset::NONE);
        let (begin, end) = (Tick(begin), Tick(end));
        builder.frame(Frame { begin, end, number, ended_by, drawable, track: None, record });
        builder.open(track, begin, name, record, SpanFlags::default());
        builder.close(track, end).unwrap();
    }
    let app = builder.finish(Tick(60));
    let anchors = |alignment: &Alignment| -> Vec<(u64, f64)> {
        alignment.anchors.iter().map(|anchor| (anchor.tick, anchor.frame)).collect()
    };
    let by_number = align(&trace, &app, &Method::Numbers).unwrap();
    assert_eq!(anchors(&by_number), [(10, 0.0), (20, 1.0), (30, 2.0), (40, 3.0), (50, 4.0)]);
    // Frame 1 lies where the application drew nothing, between its neighbours.
    assert_eq!((by_number.matched_frames, by_number.unmatched_reference_frames), (3, 1));
    assert_eq!(by_number.unmatched_annotation_frames, 1);
    let axis = CommonAxis::new(&trace, &[(&app, &by_number)]);
    assert_eq!(axis.frame_ticks(&app, &by_number, 2), Some((Tick(30), Tick(40))));
    assert_eq!(axis.frame_ticks(&app, &by_number, 1), None, "the application has no frame 1");
    let by_mark = align(&trace, &app, &Method::parse("mark:tick").unwrap()).unwrap();
    assert_eq!(anchors(&by_mark), [(10, 0.0), (30, 1.0), (40, 2.0), (50, 3.0), (60, 4.0)]);
    assert_eq!((by_mark.matched_frames, by_mark.open_frame), (4, None));
    // Nor has frame 1 a length: the clock is the application's.
    let begins: Vec<u64> = trace.frames.iter().map(|frame| frame.begin.0).chain([700]).collect();
    let placement = axis.place_reference(&trace);
    let told: Vec<_> = begins
        .windows(2)
        .map(|frame| (Tick(frame[0]), Tick(frame[1])))
        .map(|(begin, end)| (placement.has_frame_length(begin, end), placement.certainty(begin, end).unwrap().name()))
        .collect();
    let (exact, between) = ((true, "exact"), (false, "interpolated"));
    assert_eq!(told, [exact, between, exact, exact]);
    let far = timeline(AxisUnit::Microseconds, &[5]);
    let mut other = far.clone();
    other.frames = Default::default();
    let refused = align(&trace, &other, &Method::Numbers).unwrap_err();
    assert_eq!(refused, AlignError::NoSameNumber { first: 0, last: 0, reference: 4 });
}

/// An application's frames by number, begin and end.
fn numbered(frames: &[(u64, u64, u64)]) -> Timeline {
    let mut builder = Builder::new("app", Axis::without_clock(AxisUnit::Microseconds));
    let name = builder.intern(b"tick");
    for &(number, begin, end) in frames {
        let (ended_by, drawable, record) = (Some(name), None, RecordOffset::NONE);
        let (begin, end) = (Tick(begin), Tick(end));
        builder.frame(Frame { begin, end, number, ended_by, drawable, track: None, record });
    }
    builder.finish(Tick(frames.iter().map(|frame| frame.2).max().unwrap_or(0)))
}

#[test]
fn numbers_tie_as_many_frames_as_rise_in_both_files() {
    let trace = timeline(AxisUnit::Bytes, &[100, 200, 300, 400, 500]);
    let matched = |app: &Timeline| -> Vec<(u64, u64, u64, u64)> {
        let alignment = align(&trace, app, &Method::Numbers).unwrap();
        assert_eq!(alignment.matched_frames, alignment.frames.len());
        assert_eq!(alignment.unmatched_annotation_frames, app.frames.len() - alignment.frames.len());
        let frames = alignment.frames.iter();
        frames.map(|one| (one.frame, one.annotation, one.begin, one.end.unwrap())).collect()
    };
    // Counting begins anew: frames of the second run are those that go on to the end.
    let restarted = numbered(&[(3, 0, 10), (4, 10, 20), (0, 20, 30), (1, 30, 40), (2, 40, 50)]);
    assert_eq!(matched(&restarted), [(0, 2, 20, 30), (1, 3, 30, 40), (2, 4, 40, 50)]);
    let twice = numbered(&[(0, 0, 10), (1, 10, 20), (1, 20, 30), (2, 30, 40), (9, 40, 50)]);
    assert_eq!(matched(&twice), [(0, 0, 0, 10), (1, 1, 10, 30), (2, 3, 30, 40)], "shown twice, and one frame");
    // Of frames that overlap, one ends where the next begins.
    let overlapping = numbered(&[(0, 0, 25), (2, 20, 40), (3, 40, 40), (4, 40, 50)]);
    assert_eq!(matched(&overlapping), [(0, 0, 0, 20), (2, 1, 20, 40), (3, 2, 40, 40)]);
}

#[test]
fn a_frame_that_is_left_out_in_no_time_has_its_place_and_no_length() {
    let trace = timeline(AxisUnit::Bytes, &[100, 400, 500, 700]);
    let app = numbered(&[(0, 10, 20), (2, 20, 30), (3, 30, 40)]);
    let alignment = align(&trace, &app, &Method::Numbers).unwrap();
    let axis = CommonAxis::new(&trace, &[(&app, &alignment)]);
    assert_eq!(axis.frame_nanos(), [10e3, 20e3, 20e3, 30e3, 40e3]);
    let here = axis.place_reference(&trace);
    assert_eq!([0, 100, 250, 400, 450].map(|at| here.nanos(Tick(at))), [10_000, 20_000, 20_000, 20_000, 25_000]);
    assert_eq!(here.certainty(Tick(100), Tick(400)), Some(crate::Certainty::Interpolated));
    let there = axis.place(&app, &alignment);
    assert_eq!([10, 15, 20, 25, 40].map(|at| there.nanos(Tick(at))), [10_000, 15_000, 20_000, 25_000, 40_000]);
    assert_eq!(there.other_frame(Tick(20), Tick(30)), Some(2));
    // Frames without a length at both ends of a file leave its axis a scale.
    let still = numbered(&[(0, 10, 10), (1, 10, 20), (2, 20, 20)]);
    let alignment = align(&trace, &still, &Method::parse("frames:0=0").unwrap()).unwrap();
    assert_eq!(alignment.matched_frames, 3);
    let there = CommonAxis::new(&trace, &[]).place(&still, &alignment);
    assert_eq!([0, 10, 20, 30].map(|at| there.nanos(Tick(at))), [0, 1_000_000, 2_000_000, 3_000_000]);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let trace = timeline(AxisUnit::Bytes, &[100]);
    let calls = timeline(AxisUnit::Calls, &[10]);
    for text in ["", "frames:1", "frames:a=b", "mark:", "offset-us:x", "time", "numbers:1=2"] {
        assert!(Method::parse(text).is_err(), "{text}");
    }
    let error = |method: &str| align(&trace, &calls, &Method::parse(method).unwrap()).unwrap_err();
    assert_eq!(error("frames:1=0"), AlignError::NoSuchFrame { file: "trace", wanted: 1, count: 1 });
    assert_eq!(error("mark:x"), AlignError::NoSuchMark { name: "x".into() });
    assert_eq!(error("offset-us:3"), AlignError::NoTime { unit: "calls" });
}
