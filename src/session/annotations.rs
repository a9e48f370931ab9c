//! `annotations`: a recording of another program as tracks, and its frames beside those of a trace.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use serde_json::{Value, json};

use super::error::SessionError;
use super::files::OpenedFile;
use super::params::{Annotations, wrong};
use crate::analysis::Analysis;
use crate::bytes::{Diagnostics, FileState, read_vec_at};
use crate::limits::MAX_SERVED_ROWS;
use crate::timeline::aerogpu::{MappedTrace, map_aerogpu};
use crate::timeline::annotation::{FORMATS, format_of};
use crate::timeline::{
    AlignError, Alignment, Instant, MappedFile, MatchedFrame, Method, Sample, Span, StringId, Tick, Timeline, Timing,
    Track, TrackKind, UploadedBytes, align_with,
};

/// Bytes that identify a format.
const START_BYTES: u64 = 64;

/// A recording that was read. One is kept, since its parts are asked for one after the other.
pub(super) struct ReadAnnotations {
    path: String,
    /// State of the file, if it is one of this system, and its size.
    state: (Option<FileState>, u64),
    format: &'static str,
    timeline: Timeline,
    uploads: Vec<Vec<UploadedBytes>>,
    warnings: Vec<String>,
    damage: Option<String>,
}

/// An event of a track.
#[derive(Clone, Copy)]
enum TrackEvent<'t> {
    Span(&'t Span),
    Instant(&'t Instant),
    Step(Tick, StringId),
    Sample(&'t Sample),
}

/// The longest of many events: those longer than a length, and so many of that length itself.
struct Longest {
    /// Nothing where there is room for all.
    shortest_ticks: Option<u64>,
    room: usize,
    left_out: usize,
}

impl Longest {
    /// Picks `count` of them, and keeps no more meanwhile.
    fn of(lengths: impl Iterator<Item = u64>, count: usize) -> Self {
        let (mut longest, mut found) = (BinaryHeap::new(), 0_usize);
        for length in lengths {
            found += 1;
            longest.push(Reverse(length));
            if longest.len() > count {
                longest.pop();
            }
        }
        let left_out = found - longest.len();
        let shortest = longest.peek().map_or(u64::MAX, |Reverse(shortest)| *shortest);
        let room = longest.iter().filter(|Reverse(length)| *length == shortest).count();
        Self { shortest_ticks: (left_out > 0).then_some(shortest), room, left_out }
    }

    fn takes(&mut self, length_ticks: u64) -> bool {
        match self.shortest_ticks {
            Some(shortest) if length_ticks < shortest => false,
            Some(shortest) if length_ticks == shortest => {
                let has_room = self.room > 0;
                self.room -= usize::from(has_room);
                has_room
            }
            _ => true,
        }
    }
}

impl ReadAnnotations {
    /// Reads a file. Damage leaves a part of it.
    pub(super) fn read(path: &str, opened: OpenedFile) -> Result<Self, SessionError> {
        let state = state_of(&opened);
        let OpenedFile { source, mut warnings, .. } = opened;
        let unreadable = |error| SessionError::Unreadable { path: path.to_owned(), error };
        let start = read_vec_at(&*source, 0, source.size_bytes().min(START_BYTES) as usize).map_err(unreadable)?;
        let format = format_of(&start).ok_or_else(|| SessionError::NoAnnotations {
            path: path.to_owned(),
            expected: FORMATS.iter().map(|format| format.names().noun).collect::<Vec<_>>().join(" or "),
            found: start.get(..8).unwrap_or(&start).escape_ascii().to_string(),
        })?;
        let title = path.rsplit('/').next().unwrap_or(path);
        let mut mapped = format
            .map(&*source, title)
            .map_err(|error| SessionError::Annotations { path: path.to_owned(), error: Box::new(error) })?;
        warnings.extend(mapped.warnings());
        let (damage, uploads) = (mapped.damage().map(ToString::to_string), mapped.uploads());
        let timeline = mapped.timeline_mut().take();
        let (path, format) = (path.to_owned(), format.names().name);
        Ok(Self { path, state, format, timeline, uploads, warnings, damage })
    }

    /// Says that it was read from this file, which has not changed since.
    pub(super) fn is_of(&self, path: &str, opened: &OpenedFile) -> bool {
        self.path == path && self.state == state_of(opened)
    }

    /// Frames of a trace that are frames of the recording, or the reason why that is not known.
    fn beside(&self, analysis: &Analysis, method: &Method) -> Result<Alignment, AlignError> {
        let trace = analysis.trace();
        let reference = MappedTrace { mapped: map_aerogpu(trace, "trace", &mut Diagnostics::new()), trace };
        let uploads = match method.compares_contents() {
            true => reference.uploads(),
            false => Vec::new(),
        };
        align_with((reference.timeline(), &uploads), (&self.timeline, &self.uploads), method)
    }

    /// Returns the longest events between two ticks, by track, and the frames there.
    pub(super) fn answer(
        &self,
        params: &Annotations,
        analysis: Option<&Analysis>,
        is_given_up: &dyn Fn() -> bool,
    ) -> Result<Value, SessionError> {
        let timeline = &self.timeline;
        let range = Tick(params.start.unwrap_or(0))..Tick(params.end.unwrap_or(u64::MAX));
        let method = params.align.as_deref().map_or(Ok(Method::default()), Method::parse);
        let method = method.map_err(|error: AlignError| wrong("annotations", format!("align: {error}")))?;
        let (alignment, not_aligned) = match analysis.map(|analysis| self.beside(analysis, &method)) {
            None => (None, None),
            Some(Ok(alignment)) => (Some(alignment), None),
            Some(Err(error)) => (None, Some(error.to_string())),
        };
        if is_given_up() {
            return Err(SessionError::Cancelled);
        }
        let matched = alignment.iter().flat_map(|alignment| &alignment.frames);
        let is_in_range = |matched: &&MatchedFrame| {
            let end = matched.end.unwrap_or(matched.begin);
            matched.begin < range.end.0 && end >= range.start.0
        };
        let matched = matched.filter(is_in_range).take(MAX_SERVED_ROWS as usize);
        let matched: Vec<Value> = matched
            .map(|matched| {
                let MatchedFrame { frame, annotation, begin, end, .. } = matched;
                json!({ "frame": frame, "note_frame": annotation, "start": begin, "end": end })
            })
            .collect();
        let count = params.count.unwrap_or(MAX_SERVED_ROWS).min(MAX_SERVED_ROWS) as usize;
        let lengths = timeline.tracks.iter().flat_map(|track| events_of(track, &range));
        let mut longest = Longest::of(lengths.map(TrackEvent::length_ticks), count);
        let mut tracks = Vec::new();
        for track in &timeline.tracks {
            let [mut spans, mut instants, mut samples] = [const { Vec::new() }; 3];
            for event in events_of(track, &range).filter(|event| longest.takes(event.length_ticks())) {
                let into = match event {
                    TrackEvent::Span(_) | TrackEvent::Step(..) => &mut spans,
                    TrackEvent::Instant(_) => &mut instants,
                    TrackEvent::Sample(_) => &mut samples,
                };
                into.push(event.to_json(timeline));
            }
            tracks.push(json!({
                "name": timeline.text(track.name), "kind": kind_name(track.kind),
                "parent": track.parent.map(|parent| parent.0), "spans": spans, "instants": instants, "samples": samples,
            }));
        }
        let in_range = |begin: Tick, end: Tick| begin < range.end && end >= range.start;
        let frames = timeline.frames.iter().filter(|frame| in_range(frame.begin, frame.end));
        let frames: Vec<Value> = frames
            .take(MAX_SERVED_ROWS as usize)
            .map(|frame| json!({ "number": frame.number, "start": frame.begin.0, "end": frame.end.0 }))
            .collect();
        Ok(json!({
            "format": self.format, "title": timeline.title, "unit": timeline.axis.unit.name(),
            "start": 0, "end": timeline.end.0, "frame_count": timeline.frames.len(), "frames": frames, "tracks": tracks,
            "left_out": longest.left_out, "warnings": self.warnings, "error": self.damage, "matched": matched,
            "alignment": alignment.map(|alignment| alignment.in_words("the trace")), "not_aligned": not_aligned,
        }))
    }
}

fn state_of(opened: &OpenedFile) -> (Option<FileState>, u64) {
    (opened.state, opened.source.size_bytes())
}

fn kind_name(kind: TrackKind) -> &'static str {
    match kind {
        TrackKind::Group => "group",
        TrackKind::Stack => "stack",
        TrackKind::Ranges => "ranges",
        TrackKind::Marks => "marks",
        TrackKind::Steps => "steps",
        TrackKind::Instants => "instants",
        TrackKind::Counter { .. } => "counter",
    }
}

/// Events of a track that reach into a range.
fn events_of<'t>(track: &'t Track, range: &Range<Tick>) -> impl Iterator<Item = TrackEvent<'t>> {
    let Range { start, end } = *range;
    let reaches = move |from: Tick, to: Tick| from < end && to >= start;
    let spans = track.spans.iter().chain(&track.without_begin);
    let spans = spans.filter(move |span| reaches(span.begin(), span.end())).map(TrackEvent::Span);
    let instants = track.instants.iter().filter(move |instant| reaches(instant.at(), instant.at()));
    let steps = track.steps.iter().filter(move |(at, ..)| reaches(*at, *at));
    let samples = track.samples.iter().filter(move |sample| reaches(sample.at, sample.at));
    spans
        .chain(instants.map(TrackEvent::Instant))
        .chain(steps.map(|(at, name, _)| TrackEvent::Step(at, name)))
        .chain(samples.map(TrackEvent::Sample))
}

impl TrackEvent<'_> {
    fn length_ticks(self) -> u64 {
        match self {
            Self::Span(span) => span.length_ticks(),
            Self::Step(..) => 1,
            Self::Instant(_) | Self::Sample(_) => 0,
        }
    }

    fn to_json(self, timeline: &Timeline) -> Value {
        match self {
            Self::Span(span) => {
                let end = (span.timing() != Timing::OpenEnd).then_some(span.end().0);
                let name = timeline.text(span.name());
                json!({ "name": name, "start": span.begin().0, "end": end, "depth": span.depth() })
            }
            Self::Step(at, name) => {
                json!({ "name": timeline.text(name), "start": at.0, "end": at.0 + 1, "depth": 0 })
            }
            Self::Instant(instant) => json!({ "name": timeline.text(instant.name()), "at": instant.at().0 }),
            Self::Sample(sample) => json!({ "value": sample.value, "at": sample.at.0 }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_are_taken_and_of_equal_ones_the_first() {
        let taken = |lengths: &[u64], count: usize| -> (Vec<usize>, usize) {
            let mut longest = Longest::of(lengths.iter().copied(), count);
            let taken = (0..lengths.len()).filter(|place| longest.takes(lengths[*place])).collect();
            (taken, longest.left_out)
        };
        assert_eq!(taken(&[5, 1, 5, 3], 9), (vec![0, 1, 2, 3], 0));
        assert_eq!(taken(&[5, 1, 5, 3], 3), (vec![0, 2, 3], 1));
        assert_eq!(taken(&[2, 2, 2, 7], 2), (vec![0, 3], 2));
        assert_eq!(taken(&[0, 0, 0], 0), (vec![], 3));
        assert_eq!(taken(&[], 3), (vec![], 0));
    }
}
