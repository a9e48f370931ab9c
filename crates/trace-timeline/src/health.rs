//! How sound a recording is: what in it begins and never ends, ends and never began, or is missing.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{InstantKind, RecordOffset, Tick, Timeline, Timing, TrackId, TrackKind};
use trace_base::text::Harmless;

/// Something that a sound recording does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Oddity {
    /// Scopes, ranges or queries that were begun and never ended.
    NeverLeft,
    /// Scopes that were ended and never begun.
    NeverEntered,
    /// Ends of which nobody can say what they end.
    UnmatchedEnd,
    /// Frames that were begun and never ended.
    OpenFrame,
    /// The recorder dropped records.
    Discontinuity,
    /// Records that tell of something earlier than the ones before them.
    TimeWentBack,
}

/// An oddity of one track: how often, and where first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HealthFinding {
    /// What.
    pub oddity: Oddity,
    /// On which track; `None` for frames of the whole file.
    pub track: Option<TrackId>,
    /// How often.
    pub count: u64,
    /// The tick of the first.
    pub first_tick: Tick,
    /// The record of the first.
    pub first_record: RecordOffset,
}

impl Oddity {
    /// Its name for programs.
    pub fn name(self) -> &'static str {
        match self {
            Self::NeverLeft => "never-left",
            Self::NeverEntered => "never-entered",
            Self::UnmatchedEnd => "unmatched-end",
            Self::OpenFrame => "open-frame",
            Self::Discontinuity => "discontinuity",
            Self::TimeWentBack => "time-went-back",
        }
    }

    /// So many of them, in words.
    fn in_words(self, count: u64) -> String {
        let (one, several) = match self {
            Self::NeverLeft => ("scope is never left", "scopes are never left"),
            Self::NeverEntered => ("scope is left but never entered", "scopes are left but never entered"),
            Self::UnmatchedEnd => ("end has no beginning", "ends have no beginning"),
            Self::OpenFrame => ("frame never ends", "frames never end"),
            Self::Discontinuity => ("place where records were dropped", "places where records were dropped"),
            Self::TimeWentBack => ("record goes back in time", "records go back in time"),
        };
        format!("{count} {}", if count == 1 { one } else { several })
    }
}

impl HealthFinding {
    /// It in a sentence, with the file offset of the first.
    pub fn in_words(&self, timeline: &Timeline) -> String {
        let track = self.track.and_then(|track| timeline.track(track)).map(|track| timeline.text(track.name));
        let on = track.filter(|name| !name.is_empty()).map_or(String::new(), |name| format!("{}: ", Harmless(&name)));
        let unit = timeline.axis.unit.name();
        let at = if self.first_record.is_none() { String::new() } else { format!(", at {:#x}", self.first_record.0) };
        format!("{on}{}, first after {} {unit}{at}", self.oddity.in_words(self.count), self.first_tick.0)
    }

    /// It as a JSON object.
    fn to_json(self, timeline: &Timeline) -> Value {
        let track = self.track.and_then(|track| timeline.track(track)).map(|track| timeline.text(track.name));
        json!({
            "kind": self.oddity.name(), "track": track, "count": self.count, "first_tick": self.first_tick.0,
            "first_offset": (!self.first_record.is_none()).then_some(self.first_record.0),
        })
    }
}

/// Everything odd about a recording, kind by kind; empty if it is sound.
pub fn health(timeline: &Timeline) -> Vec<HealthFinding> {
    let mut found = timeline.oddities.clone();
    let mut add = |oddity, track, place| count_oddities(&mut found, (oddity, track), (1, place));
    for (id, track) in timeline.tracks() {
        // The last mark lasts to the end.
        let spans = track.spans.iter().filter(|_| track.kind != TrackKind::Marks);
        for span in spans.filter(|span| span.timing() == Timing::OpenEnd) {
            add(Oddity::NeverLeft, Some(id), (span.begin(), span.record()));
        }
        for span in &track.without_begin {
            add(Oddity::NeverEntered, Some(id), (span.end(), span.record()));
        }
        for instant in track.instants.iter().filter(|instant| instant.kind() == InstantKind::Discontinuity) {
            add(Oddity::Discontinuity, Some(id), (instant.at(), instant.record()));
        }
    }
    for frame in timeline.frames.iter().filter(|frame| frame.ended_by.is_none()) {
        add(Oddity::OpenFrame, frame.track, (frame.begin, frame.record));
    }
    let finding = |((oddity, track), (count, (first_tick, first_record)))| HealthFinding {
        oddity,
        track,
        count,
        first_tick,
        first_record,
    };
    found.into_iter().map(finding).collect()
}

/// All of it as a JSON array.
pub fn health_to_json(timeline: &Timeline) -> Value {
    health(timeline).into_iter().map(|finding| finding.to_json(timeline)).collect()
}

/// By kind and track: how many, and where the first is.
pub(super) type OddityCounts = BTreeMap<(Oddity, Option<TrackId>), (u64, (Tick, RecordOffset))>;

/// So many more; the first place stays.
pub(super) fn count_oddities(
    counts: &mut OddityCounts,
    key: (Oddity, Option<TrackId>),
    (count, place): (u64, (Tick, RecordOffset)),
) {
    counts.entry(key).or_insert((0, place)).0 += count;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Axis, AxisUnit, Builder, Frame, SpanFlags, StringId};

    #[test]
    fn what_is_odd_is_counted_with_its_first_place() {
        let mut builder = Builder::new("t", Axis::without_clock(AxisUnit::Microseconds));
        let name = builder.intern(b"main");
        let track = builder.track(name, TrackKind::Stack, None);
        let marks = builder.track(StringId::EMPTY, TrackKind::Marks, Some(track));
        let flags = SpanFlags::default();
        builder.span_without_begin(track, Tick(0), Tick(5), name, RecordOffset(0x10));
        for (at, record) in [(10, 0x20), (20, 0x30)] {
            builder.open(track, Tick(at), name, RecordOffset(record), flags);
        }
        builder.open(track, Tick(30), name, RecordOffset(0x40), flags);
        builder.close(track, Tick(31)).unwrap();
        builder.open(marks, Tick(30), name, RecordOffset(0x50), flags);
        builder.instant(track, Tick(32), name, RecordOffset(0x60), InstantKind::Discontinuity);
        builder.oddity(Oddity::UnmatchedEnd, track, Tick(33), RecordOffset(0x70));
        builder.oddity(Oddity::UnmatchedEnd, track, Tick(34), RecordOffset(0x80));
        let (begin, end, record) = (Tick(35), Tick(40), RecordOffset(0x90));
        builder.frame(Frame { begin, end, number: 0, ended_by: None, drawable: None, track: None, record });
        let timeline = builder.finish(Tick(40));
        let told: Vec<String> = health(&timeline).iter().map(|finding| finding.in_words(&timeline)).collect();
        let expected = [
            "main: 2 scopes are never left, first after 10 µs, at 0x20",
            "main: 1 scope is left but never entered, first after 5 µs, at 0x10",
            "main: 2 ends have no beginning, first after 33 µs, at 0x70",
            "1 frame never ends, first after 35 µs, at 0x90",
            "main: 1 place where records were dropped, first after 32 µs, at 0x60",
        ];
        assert_eq!(told, expected);
        assert_eq!(health_to_json(&timeline)[0]["first_offset"], 0x20);
        assert!(health(&Builder::new("t", Axis::without_clock(AxisUnit::Calls)).finish(Tick(9))).is_empty());
    }
}
