//! What lies under the pointer.

use super::axis_map::TicksOnScreen;
use super::lane::{AxisState, LaneState};
use super::layout::{GRAPH_PX, INSTANTS_PX, LaneContent, LaneSection, Parts, ROW_PX};
use super::ruler::PLACES_PER_FRAME;
use crate::timeline::lod::{Cell, FrameExtents, InstantExtents, Scale, SpanExtents, walk_steps};
use crate::timeline::{InstantKind, Measurement, RecordOffset, SpanIndex, StringId, Timeline, Timing, TrackId};

/// Something on the panel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Target {
    /// A frame, by index.
    Frame(u32),
    /// A span, by its index among those without a begin and then the others.
    Span(u32),
    /// An instant, by index.
    Instant(u32),
    /// A step, by tick.
    Step(u32),
    /// A sample of a counter, by index.
    Sample(u32),
    /// Several events too small to be told apart.
    Many {
        /// How many.
        count: u32,
        /// Their begin, in ticks.
        begin_tick: u64,
        /// Their end.
        end_tick: u64,
    },
}

/// Something on the panel, and where.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Index of the lane on the panel.
    pub lane: usize,
    /// Its track; none for frames.
    pub track: Option<TrackId>,
    /// What it is.
    pub target: Target,
}

/// Pixels beside the pointer that count as hit.
const REACH_PX: f64 = 3.0;

/// The surroundings of the pointer as a picture of their own, so that what is hit is what was drawn.
struct Near<'a> {
    scale: &'a TicksOnScreen<'a>,
    px: f64,
}

impl Scale for Near<'_> {
    fn px(&self, tick: u64) -> f64 {
        self.scale.px(tick)
    }

    fn px_per_tick(&self, begin: u64, end: u64) -> f64 {
        self.scale.px_per_tick(begin, end)
    }

    fn tick(&self, px: f64) -> u64 {
        self.scale.tick(px)
    }

    fn visible_px(&self) -> (f64, f64) {
        (self.px - REACH_PX, self.px + REACH_PX)
    }
}

/// What a cell stands for, if it is near enough: the nearest wins, the later of equals.
struct Nearest<'a> {
    near: &'a Near<'a>,
    distance: f64,
    found: Option<Cell>,
}

impl Nearest<'_> {
    fn offer(&mut self, cell: Cell) {
        let (Cell::One { left, right, .. } | Cell::Many { left, right, .. }) = cell;
        let distance = (left - self.near.px).max(self.near.px - right.max(left + 1.0)).max(0.0);
        if distance <= self.distance {
            (self.distance, self.found) = (distance, Some(cell));
        }
    }
}

fn nearest<'a>(near: &'a Near<'a>, walk: impl FnOnce(&mut dyn FnMut(Cell))) -> Option<Cell> {
    let mut nearest = Nearest { near, distance: REACH_PX, found: None };
    walk(&mut |cell| nearest.offer(cell));
    nearest.found
}

/// What lies at `px`, `y_px` below the top of `section`.
pub(super) fn hit(
    state: &LaneState,
    section: &LaneSection,
    scale: &TicksOnScreen<'_>,
    px: f64,
    y_px: f32,
) -> Option<Hit> {
    let near = Near { scale, px };
    let lane = section.lane;
    match section.what {
        LaneContent::Heading | LaneContent::Ruler => None,
        LaneContent::Frames => {
            let target = hit_frame(state, &near, (y_px / ROW_PX) as usize)?;
            Some(Hit { lane, track: None, target })
        }
        LaneContent::Track(id) => hit_track(state, id, &near, y_px).map(|target| Hit { lane, track: Some(id), target }),
    }
}

/// The frame at a place of a lane's frame row.
pub(super) fn hit_frame_at(state: &LaneState, scale: &TicksOnScreen<'_>, px: f64) -> Option<Target> {
    hit_frame(state, &Near { scale, px }, 0)
}

fn hit_frame(state: &LaneState, near: &Near<'_>, row: usize) -> Option<Target> {
    let (rows, frames) = (state.frames.as_ref()?, &state.lane.timeline.frames);
    let cell = nearest(near, |sink| rows.walk(row, &FrameExtents { frames }, near, sink))?;
    Some(one_or_many(cell, near, |position| rows.index(row, position).map(Target::Frame)))
}

fn one_or_many(cell: Cell, near: &Near<'_>, one: impl FnOnce(u32) -> Option<Target>) -> Target {
    let many = |count, left, right: f64| {
        let (begin_tick, end_tick) = (near.tick(left), near.tick(right) + 1);
        Target::Many { count, begin_tick, end_tick }
    };
    match cell {
        Cell::One { position, left, right } => one(position).unwrap_or_else(|| many(1, left, right)),
        Cell::Many { count, left, right, .. } => many(count, left, right),
    }
}

fn hit_track(state: &LaneState, id: TrackId, near: &Near<'_>, y_px: f32) -> Option<Target> {
    let timeline = &state.lane.timeline;
    let track = timeline.track(id)?;
    let parts = Parts::of(state, id, track);
    let lod = state.tracks.get(id.index())?.as_ref()?;
    let is_in = |top: Option<f32>, height: f32| top.filter(|top| (*top..top + height).contains(&y_px));
    let tints: &[u8] = &state.tints;
    if let Some(top) = is_in(parts.spans, ROW_PX * parts.rows as f32) {
        let row = ((y_px - top) / ROW_PX) as usize;
        let cell = nearest(near, |sink| lod.spans.walk(row, &SpanExtents { track, tints }, near, sink))?;
        return Some(one_or_many(cell, near, |position| lod.spans.index(row, position).map(Target::Span)));
    }
    if is_in(parts.instants, INSTANTS_PX).is_some() {
        let extents = InstantExtents { instants: &track.instants, tints };
        let cell = nearest(near, |sink| lod.instants.walk(&extents, near, sink))?;
        return Some(one_or_many(cell, near, |position| Some(Target::Instant(position))));
    }
    if is_in(parts.steps, ROW_PX).is_some() {
        let cell = nearest(near, |sink| walk_steps(track.steps.count(), near, sink))?;
        return Some(one_or_many(cell, near, |position| Some(Target::Step(position))));
    }
    is_in(parts.graph, GRAPH_PX)?;
    let tick = near.tick(near.px);
    let sample = track.samples.partition_point(|sample| sample.at.0 <= tick).checked_sub(1)?;
    Some(Target::Sample(sample as u32))
}

/// Facts about something, for tooltip and details.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Facts {
    pub name: String,
    pub begin: u64,
    pub end: u64,
    pub depth: Option<u32>,
    pub record: RecordOffset,
    /// Further records with arguments that came later.
    pub appended: Vec<RecordOffset>,
    /// What else is to be said, e.g. that an end was not recorded.
    pub note: Option<String>,
}

pub(super) fn facts(state: &LaneState, hit: &Hit) -> Option<Facts> {
    let timeline = &state.lane.timeline;
    let text = |name: StringId| timeline.text(name).into_owned();
    let none = Facts {
        name: String::new(),
        begin: 0,
        end: 0,
        depth: None,
        record: RecordOffset::NONE,
        appended: Vec::new(),
        note: None,
    };
    let track = hit.track.and_then(|id| timeline.track(id));
    Some(match hit.target {
        Target::Frame(index) => {
            let frame = timeline.frames.get(index as usize)?;
            let name = match frame.number == u64::from(index) {
                true => format!("frame {index}"),
                false => format!("frame {index} (number {})", frame.number),
            };
            let note = frame.ended_by.is_none().then(|| "the trace ends inside this frame".to_owned());
            Facts { name, begin: frame.begin.0, end: frame.end.0, record: frame.record, note, ..none }
        }
        Target::Span(index) => {
            let track = track?;
            let span = *SpanExtents { track, tints: &[] }.span(index)?;
            let note = match span.timing() {
                Timing::Closed => None,
                Timing::OpenEnd => Some("no end: the recording ended inside this event".to_owned()),
                Timing::OpenStart => Some("no beginning: the recording began inside this event".to_owned()),
            };
            let own = (index as usize).checked_sub(track.without_begin.len());
            let measured = own.and_then(|own| measured_nanos(timeline, hit.track?, own));
            let note = measured.map_or(note, |nanos| Some(format!("{:.3} ms by the GPU's query", nanos as f64 / 1e6)));
            let appended = track.appended.iter().filter(|more| Some(more.span.0 as usize) == own);
            Facts {
                name: text(span.name()),
                begin: span.begin().0,
                end: span.end().0,
                depth: Some(span.depth()),
                record: span.record(),
                appended: appended.map(|more| more.record).collect(),
                note,
            }
        }
        Target::Instant(index) => {
            let instant = track?.instants.get(index as usize)?;
            let note = match instant.kind() {
                InstantKind::Discontinuity => Some("records were dropped here".to_owned()),
                InstantKind::Event => None,
                kind => Some(kind.name().to_owned()),
            };
            let (at, depth) = (instant.at().0, Some(instant.depth()));
            Facts { name: text(instant.name()), begin: at, end: at, depth, record: instant.record(), note, ..none }
        }
        Target::Step(index) => {
            let (name, record) = track?.steps.get(crate::timeline::Tick(index.into()))?;
            Facts { name: text(name), begin: index.into(), end: u64::from(index) + 1, record, ..none }
        }
        Target::Sample(index) => {
            let track = track?;
            let sample = track.samples.get(index as usize)?;
            let end = track.samples.get(index as usize + 1).map_or(timeline.end.0, |next| next.at.0);
            let unit = match track.kind {
                crate::timeline::TrackKind::Counter { unit } => unit,
                _ => "",
            };
            let name = format!("{}: {} {unit}", text(track.name), sample.value);
            Facts { name, begin: sample.at.0, end, ..none }
        }
        Target::Many { count, begin_tick, end_tick } => {
            let note = Some("too small to show: zoom in".to_owned());
            let what = match track {
                Some(track) if track.steps.count() > 0 => "calls",
                Some(track) if track.spans.is_empty() => "events",
                Some(_) => "spans",
                None => "frames",
            };
            Facts { name: format!("{count} {what}"), begin: begin_tick, end: end_tick, note, ..none }
        }
    })
}

/// What was measured of a span of a track.
fn measured_nanos(timeline: &Timeline, track: TrackId, own: usize) -> Option<u64> {
    let is_meant = |measured: &&Measurement| (measured.track, measured.span) == (track, SpanIndex(own as u32));
    timeline.measurements.iter().find(is_meant).map(|measured| measured.nanos)
}

/// Begin and length in words: in the unit of the axis, and of the file where that is another. What a file without time says
/// has no milliseconds, whoever beside it has a clock: it is told by frames and in the file's own unit.
pub(super) fn extent_text(state: &LaneState, axis: &AxisState, facts: &Facts, precision: f64) -> (String, String) {
    let (begin, end) = (state.axis_map.place(facts.begin), state.axis_map.place(facts.end));
    let unit = state.lane.timeline.axis.unit;
    let precision = precision.min(PLACES_PER_FRAME / 100.0);
    let own = unit.nanos_per_tick().is_none().then(|| {
        let at = format!("{} {}", position_noun(unit.name()), facts.begin);
        (at, format!("{} {}", facts.end - facts.begin, unit.name()))
    });
    let is_in_frames = !axis.frames.is_empty() && axis.unit == super::ruler::Unit::Time;
    let in_frame = if is_in_frames { format!(" (frame {:.3})", axis.frame_at(begin)) } else { String::new() };
    match (own, axis.unit) {
        (Some((at, length)), super::ruler::Unit::Time) => (format!("{at}{in_frame}"), length),
        (Some((at, length)), super::ruler::Unit::Frames) => (
            format!("{}, {at}", axis.unit.position(begin, precision)),
            format!("{}, {length}", axis.unit.length(end - begin)),
        ),
        _ => (format!("{}{in_frame}", axis.unit.position(begin, precision)), axis.unit.length(end - begin)),
    }
}

fn position_noun(unit: &str) -> &str {
    unit.strip_suffix('s').unwrap_or(unit)
}
