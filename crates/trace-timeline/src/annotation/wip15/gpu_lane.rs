//! The lane of what queries measured: a program that asks the GPU for times has recorded them, in calls.

use crate::{GpuTimes, RecordOffset, Sample, Span, SpanFlags, StringId, Tick, Timeline, Track, TrackId, TrackKind};

/// Adds the GPU's lane, if there is anything to show on it.
pub(super) fn add_gpu_lane(timeline: &mut Timeline) {
    let times = GpuTimes::of(timeline);
    if times.is_empty() {
        return;
    }
    let group = add_track(timeline, "GPU, measured by queries", TrackKind::Group, None);
    add_elapsed(timeline, group);
    add_timestamps(timeline, group);
    let frames: Vec<Sample> = timeline
        .frames
        .iter()
        .filter_map(|frame| {
            let time = times.within(frame.begin, frame.end)?;
            Some(Sample { at: frame.begin, value: time.nanos() as f64 })
        })
        .collect();
    if !frames.is_empty() {
        let per_frame = add_track(timeline, "measured per frame", TrackKind::Counter { unit: "ns" }, Some(group));
        put(timeline, per_frame, |track| track.samples = frames);
    }
}

/// The queries of elapsed time, each over the calls that it measured.
fn add_elapsed(timeline: &mut Timeline, group: TrackId) {
    let measured = timeline.measurements.iter().filter_map(|measured| {
        let span = timeline.track(measured.track)?.span(measured.span)?;
        Some((span.begin(), span.end(), measured.nanos, span.record()))
    });
    let mut spans: Vec<_> = measured.collect();
    spans.sort_by_key(|(begin, ..)| *begin);
    add_spans(timeline, group, "TIME_ELAPSED", &spans);
}

/// From each timestamp to the next; what does not rise is told by no clock.
fn add_timestamps(timeline: &mut Timeline, group: TrackId) {
    let pairs = timeline.stamps.windows(2).filter_map(|pair| match pair {
        [a, b] => Some((a.at, b.at, b.nanos.checked_sub(a.nanos)?, RecordOffset::NONE)),
        _ => None,
    });
    let spans: Vec<_> = pairs.collect();
    add_spans(timeline, group, "between timestamps", &spans);
}

fn add_spans(timeline: &mut Timeline, group: TrackId, kind: &str, spans: &[(Tick, Tick, u64, RecordOffset)]) {
    if spans.is_empty() {
        return;
    }
    let track = add_track(timeline, kind, TrackKind::Ranges, Some(group));
    let kind_name = timeline.strings.intern(kind.as_bytes());
    let made: Vec<Span> = spans
        .iter()
        .map(|(begin, end, nanos, record)| {
            let name = timeline.strings.intern(format!("{kind} {:.3} ms", *nanos as f64 / 1e6).as_bytes());
            timeline.kinds.insert(name, kind_name);
            Span::new(*begin, *end, name, 0, *record, SpanFlags::default())
        })
        .collect();
    put(timeline, track, |track| track.spans = made);
}

fn add_track(timeline: &mut Timeline, name: &str, kind: TrackKind, parent: Option<TrackId>) -> TrackId {
    let name: StringId = timeline.strings.intern(name.as_bytes());
    let id = TrackId(timeline.tracks.len() as u32);
    timeline.tracks.push(Track::new(name, kind, parent));
    id
}

fn put(timeline: &mut Timeline, track: TrackId, fill: impl FnOnce(&mut Track)) {
    if let Some(track) = timeline.tracks.get_mut(track.index()) {
        fill(track);
    }
}
