//! A trace with three annotations: one on a clock, one in calls, one that doesn't fit.

use std::sync::Arc;

use aerogpu_replay::inspector::timeline::{Lane, LaneAlignment, LaneArguments};
use aerogpu_replay::timeline::{
    Argument, Axis, AxisUnit, Builder, FlowKind, FlowPoint, Frame, InstantKind, Method, RecordOffset, Span, SpanFlags,
    StringId, Tick, Timeline, TrackId, TrackKind, Value, align,
};

/// Frames of the trace.
pub const FRAMES: u64 = 6;
/// Draws of each frame.
pub const DRAWS: u64 = 4;

fn end_frame(builder: &mut Builder, begin: u64, end: u64, number: u64) {
    let by = builder.intern(b"Present");
    builder.frame(Frame {
        begin: Tick(begin),
        end: Tick(end),
        number,
        ended_by: Some(by),
        drawable: None,
        track: None,
        record: RecordOffset::NONE,
    });
}

fn track(builder: &mut Builder, name: &str, kind: TrackKind, parent: Option<TrackId>) -> TrackId {
    let name = builder.intern(name.as_bytes());
    builder.track(name, kind, parent)
}

/// Frames of different lengths: uploads, then draws.
pub fn trace() -> Timeline {
    let mut builder = Builder::new("triangle.aerogputrace", Axis::without_clock(AxisUnit::Bytes));
    let packets = track(&mut builder, "packets", TrackKind::Stack, None);
    let draws = track(&mut builder, "draws per frame", TrackKind::Counter { unit: "draws" }, None);
    let uploads = track(&mut builder, "uploads per frame", TrackKind::Counter { unit: "bytes" }, None);
    let mut at = 88;
    for frame in 0..FRAMES {
        let begin = at;
        let mut packet = |name: &str, length: u64| {
            let name = builder.intern(name.as_bytes());
            let span = Span::new(Tick(at), Tick(at + length), name, 0, RecordOffset(at), SpanFlags::default());
            builder.span(packets, span);
            at += length;
        };
        packet("CLEAR", 24);
        packet("UPLOAD_BUFFER", 200 + 150 * (frame % 3));
        for _ in 0..DRAWS {
            packet("SET_PIPELINE", 40);
            packet("DRAW", 64);
        }
        packet("PRESENT", 32);
        end_frame(&mut builder, begin, at, frame);
        builder.sample(draws, Tick(begin), (DRAWS + frame % 2) as f64);
        builder.sample(uploads, Tick(begin), (200 + 150 * (frame % 3)) as f64);
    }
    builder.finish(Tick(at))
}

/// Scopes of two threads on a clock, with everything that a track can hold.
pub fn clock() -> Timeline {
    let axis = Axis { unit: AxisUnit::Microseconds, origin_unix_ms: None };
    let mut builder = Builder::new("game.wtf-trace", axis);
    let main = track(&mut builder, "main thread", TrackKind::Stack, None);
    let worker = track(&mut builder, "worker", TrackKind::Stack, None);
    let ranges = track(&mut builder, "requests", TrackKind::Ranges, Some(worker));
    let marks = track(&mut builder, "levels", TrackKind::Marks, Some(main));
    let memory = track(&mut builder, "memory", TrackKind::Counter { unit: "bytes" }, None);
    let (none, flags) = (RecordOffset::NONE, SpanFlags::default());
    let name = builder.intern(b"boot");
    builder.span_without_begin(main, Tick(0), Tick(2_500), name, none);
    let open = |builder: &mut Builder, track, at, name: &str| {
        let name = builder.intern(name.as_bytes());
        builder.open(track, Tick(at), name, none, flags);
    };
    for frame in 0..FRAMES {
        let at = frame * 16_667;
        open(&mut builder, main, at + 100, "frame");
        open(&mut builder, main, at + 200, "update");
        for step in 0..6 {
            open(&mut builder, main, at + 300 + step * 1000, ["physics", "ai", "scripts"][(step % 3) as usize]);
            for inner in 0..40 {
                open(&mut builder, main, at + 310 + step * 1000 + inner * 20, "step");
                builder.close(main, Tick(at + 322 + step * 1000 + inner * 20)).unwrap();
            }
            builder.close(main, Tick(at + 1200 + step * 1000)).unwrap();
        }
        builder.close(main, Tick(at + 6_500)).unwrap();
        open(&mut builder, main, at + 6_600, "render");
        open(&mut builder, main, at + 6_800, "submit draws");
        builder.close(main, Tick(at + 11_000 + frame * 300)).unwrap();
        builder.close(main, Tick(at + 13_000 + frame * 300)).unwrap();
        let ping = builder.intern(b"vsync");
        builder.instant(main, Tick(at + 13_500), ping, none, InstantKind::Marker);
        builder.close(main, Tick(at + 15_000)).unwrap();
        open(&mut builder, worker, at + 6_900, "stream textures");
        builder.close(worker, Tick(at + 14_000)).unwrap();
        for (flow_track, offset, kind) in [(main, 6_700, FlowKind::Branch), (worker, 7_000, FlowKind::Terminate)] {
            let name = builder.intern(b"job");
            builder.flow(FlowPoint {
                flow: frame + 1,
                parent: 0,
                at: Tick(at + offset),
                track: flow_track,
                depth: 2,
                kind,
                name,
                record: none,
            });
        }
        for request in 0..3 {
            let name = builder.intern(format!("GET /{request}").as_bytes());
            let begin = at + request * 2500;
            builder.span(ranges, Span::new(Tick(begin), Tick(begin + 7_000), name, 0, none, flags));
        }
        if frame % 2 == 0 {
            let name = builder.intern(format!("level {}", frame / 2).as_bytes());
            builder.span(marks, Span::new(Tick(at), Tick(at + 2 * 16_667), name, 0, none, flags));
        }
        for sample in 0..8 {
            let value = 1e6 * (3.0 + frame as f64 + (sample as f64 * 0.8).sin());
            builder.sample(memory, Tick(at + sample * 2000), value);
        }
        end_frame(&mut builder, at, at + 16_667, frame);
    }
    open(&mut builder, worker, FRAMES * 16_667 - 2_600, "save game");
    builder.finish(Tick(FRAMES * 16_667))
}

/// Calls without a clock.
pub fn calls(frames: u64) -> Timeline {
    let mut builder = Builder::new("glcalls.wip15", Axis::without_clock(AxisUnit::Calls));
    let context = track(&mut builder, "context 0x1", TrackKind::Group, None);
    let steps = track(&mut builder, "calls", TrackKind::Steps, Some(context));
    let groups = track(&mut builder, "debug groups", TrackKind::Stack, Some(context));
    let mut at = 0;
    for frame in 0..frames {
        let begin = at;
        let group = builder.intern(format!("pass {}", frame % 2).as_bytes());
        builder.open(groups, Tick(at), group, RecordOffset::NONE, SpanFlags::default());
        for call in 0..20 + frame * 5 {
            let name = ["glBindTexture", "glUniform4fv", "glDrawElements"][(call % 3) as usize];
            let name = builder.intern(name.as_bytes());
            builder.step(steps, name, RecordOffset(1000 + at * 16));
            at += 1;
        }
        builder.close(groups, Tick(at - 2)).unwrap();
        end_frame(&mut builder, begin, at, frame);
    }
    builder.finish(Tick(at))
}

/// Says of each record where it lies.
pub struct Offsets;

impl LaneArguments for Offsets {
    fn arguments(&self, record: RecordOffset) -> Result<Vec<Argument>, String> {
        Ok(vec![Argument { name: "offset".into(), value: Value::UInt(record.0) }])
    }
}

fn lane(title: &str, timeline: Timeline, alignment: LaneAlignment) -> Lane {
    let arguments: Option<Arc<dyn LaneArguments>> = Some(Arc::new(Offsets));
    Lane { title: title.to_owned(), timeline: Arc::new(timeline), alignment, arguments, draw_name: None }
}

/// A lane aligned to `reference`, or not, as the alignment says.
pub fn beside(title: &str, reference: &Timeline, annotation: Timeline) -> Lane {
    let alignment = match align(reference, &annotation, &Method::default()) {
        Ok(alignment) => LaneAlignment::Aligned(alignment),
        Err(error) => LaneAlignment::Unaligned(error.to_string()),
    };
    lane(title, annotation, alignment)
}

/// The trace as the reference.
pub fn reference() -> Lane {
    Lane { draw_name: Some("DRAW"), ..lane("triangle.aerogputrace", trace(), LaneAlignment::Reference) }
}

/// All of them.
pub fn lanes() -> Vec<Lane> {
    let reference = reference();
    let timeline = reference.timeline.clone();
    vec![
        reference,
        beside("game.wtf-trace", &timeline, clock()),
        beside("glcalls.wip15", &timeline, calls(FRAMES)),
        beside("other.wip15", &timeline, calls(3)),
    ]
}

/// A trace, and beside it frames of these lengths in microseconds.
pub fn lanes_of_lengths(micros: &[u64]) -> Vec<Lane> {
    let mut trace = Builder::new("trace", Axis::without_clock(AxisUnit::Bytes));
    let mut clock = Builder::new("clock", Axis { unit: AxisUnit::Microseconds, origin_unix_ms: None });
    let mut at = 0;
    for (frame, length) in (0..).zip(micros) {
        end_frame(&mut trace, frame * 10, frame * 10 + 10, frame);
        end_frame(&mut clock, at, at + length, frame);
        at += length;
    }
    let trace = trace.finish(Tick(10 * micros.len() as u64));
    let clock = beside("clock", &trace, clock.finish(Tick(at)));
    vec![lane("trace", trace, LaneAlignment::Reference), clock]
}

/// A trace, and calls beside it.
pub fn lanes_without_clock() -> Vec<Lane> {
    let reference = reference();
    let calls = beside("glcalls.wip15", &reference.timeline, calls(FRAMES));
    vec![reference, calls]
}

/// A timeline of one track with nothing on it but a scope that was never left.
pub fn endless() -> Timeline {
    let mut builder = Builder::new("endless", Axis::without_clock(AxisUnit::Calls));
    let stack = builder.track(StringId::EMPTY, TrackKind::Stack, None);
    for at in 0..100_000 {
        builder.open(stack, Tick(at), StringId::EMPTY, RecordOffset::NONE, SpanFlags::default());
    }
    builder.finish(Tick(100_000))
}

/// Scopes of all lengths, far more than there are pixels.
pub fn many() -> Timeline {
    let axis = Axis { unit: AxisUnit::Nanoseconds, origin_unix_ms: None };
    let mut builder = Builder::new("many", axis);
    let names = ["frame", "scene", "job", "task", "item", "leaf"].map(|name| builder.intern(name.as_bytes()));
    let stack = track(&mut builder, "thread", TrackKind::Stack, None);
    let events = track(&mut builder, "events", TrackKind::Instants, None);
    let load = track(&mut builder, "load", TrackKind::Counter { unit: "percent" }, None);
    let (none, mut at, mut state) = (RecordOffset::NONE, 0_u64, 1_u32);
    let mut frames = vec![0];
    for index in 0..200_000_u32 {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let depth = builder.depth(stack);
        // Long pauses now and then, so that there are gaps of every width.
        at += u64::from(state >> 24) << if state >> 8 & 0x3ff == 0 { 10 } else { 0 };
        if depth < 6 && (depth == 0 || state >> 20 & 1 == 0) {
            builder.open(stack, Tick(at), names[depth as usize], none, SpanFlags::default());
        } else {
            builder.close(stack, Tick(at)).unwrap();
        }
        if index % 37 == 0 {
            builder.instant(events, Tick(at), names[3], none, InstantKind::Event);
        }
        if index % 11 == 0 {
            builder.sample(load, Tick(at), f64::from(state >> 25) + f64::from(index / 2000));
        }
        if index % 33_334 == 33_333 {
            frames.push(at);
        }
    }
    frames.push(at + 1);
    for (number, pair) in frames.windows(2).enumerate() {
        end_frame(&mut builder, pair[0], pair[1], number as u64);
    }
    builder.finish(Tick(at + 1))
}
