//! Where the ticks go: figures by name, and the longest frames.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::dump::select_events;
use super::{ArgumentSource, EventKind, ExportError, Selection, SpanIndex, StringId, Tick, Timeline, Track, TrackKind};

/// Figures of all spans and instants of one name, in ticks. Steps count as spans of one tick, instants as ones of none.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NameFigures {
    /// The name.
    pub name: String,
    /// How many.
    pub count: u64,
    /// Sum of their lengths.
    pub total_ticks: u64,
    /// The same without what nests inside of them.
    pub own_ticks: u64,
    /// Mean length.
    pub mean_ticks: f64,
    /// Half are at most so long.
    pub p50_ticks: u64,
    /// All but one in a hundred are at most so long.
    pub p99_ticks: u64,
    /// The longest.
    pub max_ticks: u64,
    /// How many there are for each frame, on average; `None` without frames.
    pub per_frame: Option<f64>,
}

/// A long frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct FrameFigures {
    /// Which frame, counted from 0.
    pub frame: usize,
    /// The program's number for it.
    pub number: u64,
    /// First tick.
    pub begin_tick: u64,
    /// Length.
    pub length_ticks: u64,
}

/// Figures over a timeline.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Stats {
    /// Unit of every `_ticks`.
    pub unit: &'static str,
    /// By name, most total ticks first.
    pub names: Vec<NameFigures>,
    /// The longest frames, longest first.
    pub longest_frames: Vec<FrameFigures>,
}

#[derive(Default)]
struct Lengths {
    lengths: Vec<u64>,
    own: u64,
    /// Steps, which are all one tick long and need no list.
    steps: u64,
    /// Instants, which have no length.
    instants: u64,
}

/// Computes figures over `timeline`, with the `longest` longest frames.
pub fn stats(timeline: &Timeline, longest: usize) -> Stats {
    let mut by_name: BTreeMap<StringId, Lengths> = BTreeMap::new();
    for track in &timeline.tracks {
        add_spans(&mut by_name, (timeline, track), |_| true);
        for instant in &track.instants {
            by_name.entry(timeline.kind_of(instant.name())).or_default().instants += 1;
        }
        for (_, name, _) in track.steps.iter() {
            by_name.entry(timeline.kind_of(name)).or_default().steps += 1;
        }
    }
    finish(timeline, by_name, longest)
}

/// The same over the events that `selection` shows. Own time is still without everything that nests inside.
pub fn stats_of(
    timeline: &Timeline,
    source: &mut dyn ArgumentSource,
    selection: &Selection,
    longest: usize,
) -> Result<Stats, ExportError> {
    if selection.is_all() {
        return Ok(stats(timeline, longest));
    }
    let (mut by_name, mut shown) = (BTreeMap::<StringId, Lengths>::new(), BTreeSet::new());
    select_events(timeline, source, selection, |_, _, event| match (event.kind, event.track) {
        (EventKind::Instant(_), _) => by_name.entry(timeline.kind_of(event.name)).or_default().instants += 1,
        (EventKind::Step, _) => by_name.entry(timeline.kind_of(event.name)).or_default().steps += 1,
        (EventKind::Span(Some(span), _), Some(track)) => {
            shown.insert((track, span));
        }
        _ => {}
    })?;
    for (id, track) in timeline.tracks() {
        add_spans(&mut by_name, (timeline, track), |index| shown.contains(&(id, SpanIndex(index as u32))));
    }
    Ok(finish(timeline, by_name, longest))
}

/// The same over the events that lie at least partly in `begin..end`, whole lengths counted; `None` if `is_cancelled`.
/// It asks no [`ArgumentSource`] and makes no list of events, so it is quick over many of them.
pub fn stats_between(
    timeline: &Timeline,
    (begin, end): (Tick, Tick),
    longest: usize,
    is_cancelled: &dyn Fn() -> bool,
) -> Option<Stats> {
    let mut by_name: BTreeMap<StringId, Lengths> = BTreeMap::new();
    let is_in = |from: Tick, until: Tick| from < end && until.max(Tick(from.0.saturating_add(1))) > begin;
    for track in &timeline.tracks {
        if is_cancelled() {
            return None;
        }
        add_spans(&mut by_name, (timeline, track), |index| {
            track.spans.get(index).is_some_and(|s| is_in(s.begin(), s.end()))
        });
        for instant in track.instants.iter().filter(|instant| is_in(instant.at(), instant.at())) {
            by_name.entry(timeline.kind_of(instant.name())).or_default().instants += 1;
        }
        for at in begin.0..end.0.min(track.steps.count() as u64) {
            if let Some((name, _)) = track.steps.get(Tick(at)) {
                by_name.entry(timeline.kind_of(name)).or_default().steps += 1;
            }
        }
    }
    Some(finish(timeline, by_name, longest))
}

fn finish(timeline: &Timeline, by_name: BTreeMap<StringId, Lengths>, longest: usize) -> Stats {
    let frames = timeline.frames.len();
    let mut names: Vec<NameFigures> =
        by_name.into_iter().map(|(name, lengths)| figures(timeline.text(name).into_owned(), lengths, frames)).collect();
    names.sort_by(|a, b| b.total_ticks.cmp(&a.total_ticks).then_with(|| a.name.cmp(&b.name)));
    Stats { unit: timeline.axis.unit.name(), names, longest_frames: longest_frames(timeline, longest) }
}

fn add_spans(
    by_name: &mut BTreeMap<StringId, Lengths>,
    (timeline, track): (&Timeline, &Track),
    is_counted: impl Fn(usize) -> bool,
) {
    for (_, span) in track.spans.iter().enumerate().filter(|(index, _)| is_counted(*index)) {
        let lengths = by_name.entry(timeline.kind_of(span.name())).or_default();
        lengths.lengths.push(span.length_ticks());
        lengths.own += span.length_ticks();
    }
    if track.kind != TrackKind::Stack {
        return;
    }
    // A span's length is not its parent's own: the parent is the last span seen that is one less deep.
    let mut parents: Vec<Option<StringId>> = Vec::new();
    for (index, span) in track.spans.iter().enumerate() {
        parents.truncate(span.depth() as usize);
        if let Some(parent) = parents.last().and_then(|name| by_name.get_mut(&(*name)?)) {
            parent.own = parent.own.saturating_sub(span.length_ticks());
        }
        parents.push(is_counted(index).then(|| timeline.kind_of(span.name())));
    }
}

fn figures(name: String, mut lengths: Lengths, frames: usize) -> NameFigures {
    lengths.lengths.sort_unstable();
    let spans = lengths.lengths.len() as u64;
    let count = spans + lengths.steps + lengths.instants;
    let total_ticks = lengths.lengths.iter().sum::<u64>() + lengths.steps;
    // Nearest rank; steps are one tick each, so they stand where 1 would stand, and instants before everything.
    let shorter = lengths.lengths.partition_point(|length| *length < 1) as u64;
    let rank = |share: f64| {
        let rank = ((count as f64 * share).ceil() as u64).clamp(1, count.max(1)) - 1;
        let Some(rank) = rank.checked_sub(lengths.instants) else { return 0 };
        let index = if rank < shorter { rank } else { rank.saturating_sub(lengths.steps).max(shorter) };
        let is_step = rank >= shorter && rank < shorter + lengths.steps;
        if is_step { 1 } else { lengths.lengths.get(index as usize).copied().unwrap_or(0) }
    };
    NameFigures {
        count,
        total_ticks,
        own_ticks: lengths.own + lengths.steps,
        mean_ticks: total_ticks as f64 / count.max(1) as f64,
        p50_ticks: rank(0.5),
        p99_ticks: rank(0.99),
        max_ticks: lengths.lengths.last().copied().unwrap_or(0).max(lengths.steps.min(1)),
        per_frame: (frames > 0).then(|| count as f64 / frames as f64),
        name,
    }
}

fn longest_frames(timeline: &Timeline, longest: usize) -> Vec<FrameFigures> {
    let figures = timeline.frames.iter().enumerate().map(|(index, frame)| FrameFigures {
        frame: index,
        number: frame.number,
        begin_tick: frame.begin.0,
        length_ticks: frame.end.0.saturating_sub(frame.begin.0),
    });
    let mut frames: Vec<FrameFigures> = figures.collect();
    frames.sort_by_key(|frame| (std::cmp::Reverse(frame.length_ticks), frame.frame));
    frames.truncate(longest);
    frames
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Axis, AxisUnit, Builder, InstantKind, NoArguments, RecordOffset, SpanFlags};

    #[test]
    fn own_time_is_without_children() {
        let mut builder = Builder::new("t", Axis::without_clock(AxisUnit::Microseconds));
        let [outer, inner] = [b"outer", b"inner"].map(|name| builder.intern(name));
        let track = builder.track(StringId::EMPTY, TrackKind::Stack, None);
        let (none, flags) = (RecordOffset::NONE, SpanFlags::default());
        builder.open(track, Tick(0), outer, none, flags);
        for at in [10, 20, 30] {
            builder.open(track, Tick(at), inner, none, flags);
            builder.open(track, Tick(at + 1), inner, none, flags);
            builder.close(track, Tick(at + 2)).unwrap();
            builder.close(track, Tick(at + at / 10)).unwrap();
        }
        builder.close(track, Tick(100)).unwrap();
        let stats = stats(&builder.finish(Tick(100)), 3);
        let by_name = |name: &str| stats.names.iter().find(|figures| figures.name == name).unwrap().clone();
        let (outer, inner) = (by_name("outer"), by_name("inner"));
        assert_eq!((outer.total_ticks, outer.own_ticks, outer.count), (100, 94, 1));
        assert_eq!((inner.count, inner.p50_ticks, inner.p99_ticks, inner.max_ticks), (6, 1, 3, 3));
    }

    #[test]
    fn single_things_of_a_kind_are_counted_together() {
        let mut builder = Builder::new("t", Axis::without_clock(AxisUnit::Bytes));
        let track = builder.track(StringId::EMPTY, TrackKind::Stack, None);
        let kind = builder.intern(b"BufferData");
        for number in 0..4 {
            let name = builder.intern(format!("BufferData {number}").as_bytes());
            builder.kind(name, kind);
            builder.open(track, Tick(number * 10), name, RecordOffset::NONE, SpanFlags::default());
            builder.close(track, Tick(number * 10 + number)).unwrap();
        }
        let timeline = builder.finish(Tick(100));
        let between = stats_between(&timeline, (Tick(10), Tick(25)), 0, &|| false).unwrap();
        let told = |stats: &Stats| -> Vec<(String, u64, u64, u64)> {
            let figures = stats.names.iter();
            figures.map(|name| (name.name.clone(), name.count, name.total_ticks, name.own_ticks)).collect()
        };
        assert_eq!(told(&stats(&timeline, 0)), [("BufferData".to_owned(), 4, 6, 6)]);
        assert_eq!(told(&between), [("BufferData".to_owned(), 2, 3, 3)]);
    }

    #[test]
    fn a_range_counts_what_a_selection_of_it_counts() {
        let mut builder = Builder::new("t", Axis::without_clock(AxisUnit::Calls));
        let names = [b"a", b"b", b"c"].map(|name| builder.intern(name));
        let stack = builder.track(StringId::EMPTY, TrackKind::Stack, None);
        let steps = builder.track(StringId::EMPTY, TrackKind::Steps, None);
        let none = RecordOffset::NONE;
        for at in 0..300_u64 {
            builder.step(steps, names[(at % 3) as usize], none);
            match (at * 7) % 5 {
                0 | 1 => builder.open(stack, Tick(at), names[(at % 2) as usize], none, SpanFlags::default()),
                2 => builder.instant(stack, Tick(at), names[2], none, InstantKind::Event),
                _ => drop(builder.close(stack, Tick(at))),
            }
        }
        let timeline = builder.finish(Tick(300));
        for range in [(0, 300), (10, 11), (17, 140), (299, 300), (50, 50)] {
            let ticks = (Tick(range.0), Tick(range.1));
            let selection = Selection { ticks: vec![ticks], filter: None };
            let expected = stats_of(&timeline, &mut NoArguments, &selection, 2).unwrap();
            let found = stats_between(&timeline, ticks, 2, &|| false).unwrap();
            assert_eq!(found, expected, "{range:?}");
        }
        assert_eq!(stats_between(&timeline, (Tick(0), Tick(9)), 2, &|| true), None);
    }
}
