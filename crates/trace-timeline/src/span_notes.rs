//! What every exporter says of a span beside its arguments.

use std::collections::BTreeMap;

use super::export::{Lengths, Placement};
use super::{Span, SpanIndex, Timeline, Timing, TrackId};

/// What there is to say about a timeline's spans.
#[derive(Debug, Default)]
pub(super) struct SpanNotes {
    measured: BTreeMap<(TrackId, SpanIndex), u64>,
}

/// What there is to say about one span.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SpanNote {
    /// Its length in ticks, where the viewer shows none and it has an end.
    pub length_ticks: Option<u64>,
    /// Whether it was never entered.
    pub has_open_start: bool,
    /// What was measured of it.
    pub measured_nanos: Option<u64>,
}

impl SpanNotes {
    pub(crate) fn of(timeline: &Timeline) -> Self {
        let measured = timeline.measurements.iter().map(|m| ((m.track, m.span), m.nanos));
        Self { measured: measured.collect() }
    }

    /// Those of a span at its place; one without a begin has no index.
    pub(crate) fn note(
        &self,
        placement: &Placement,
        (track, index): (TrackId, Option<SpanIndex>),
        span: &Span,
    ) -> SpanNote {
        let has_length = placement.lengths() == Lengths::Measured;
        SpanNote {
            length_ticks: (!has_length && span.timing() != Timing::OpenEnd).then(|| span.length_ticks()),
            has_open_start: span.timing() == Timing::OpenStart,
            measured_nanos: index.and_then(|index| self.measured.get(&(track, index)).copied()),
        }
    }
}
