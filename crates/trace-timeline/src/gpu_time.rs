//! GPU time that the recorded program measured itself: results of its queries, on an axis that has no clock.
//!
//! ```text
//!  calls       ……BeginQuery……EndQuery……          ……QueryCounter(a)……………QueryCounter(b)……
//!  GPU time      ├── TIME_ELAPSED ─┤               ├── from a timestamp to the next ──┤
//! ```
//!
//! The two are different things and never added up: work between two timestamps may wait for the processor, while a query
//! of elapsed time counts the GPU's work alone.

use super::{Certainty, Stamp, Tick, Timeline};

/// What queries say about a stretch of calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum GpuTime {
    /// The sum of its queries of elapsed time.
    Elapsed(u64),
    /// From its first timestamp to its last.
    BetweenTimestamps(u64),
}

impl GpuTime {
    /// How long it took, in nanoseconds.
    pub fn nanos(self) -> u64 {
        match self {
            Self::Elapsed(nanos) | Self::BetweenTimestamps(nanos) => nanos,
        }
    }

    /// What was measured, in words.
    pub fn source(self) -> &'static str {
        match self {
            Self::Elapsed(_) => "TIME_ELAPSED",
            Self::BetweenTimestamps(_) => "timestamps",
        }
    }
}

/// The results of a timeline's queries, in order of its axis.
#[derive(Clone, Debug, Default)]
pub struct GpuTimes {
    /// Where queries of elapsed time begin, and what they measured, all before them added up.
    elapsed: Vec<(Tick, u64)>,
    stamps: Vec<Stamp>,
}

impl GpuTimes {
    /// Those of a timeline.
    pub fn of(timeline: &Timeline) -> Self {
        let measured = timeline.measurements.iter().filter_map(|measured| {
            let span = timeline.track(measured.track)?.span(measured.span)?;
            Some((span.begin(), measured.nanos))
        });
        let mut elapsed: Vec<(Tick, u64)> = measured.collect();
        elapsed.sort_unstable();
        let mut sum = 0_u64;
        for (_, nanos) in &mut elapsed {
            sum = sum.saturating_add(*nanos);
            *nanos = sum;
        }
        Self { elapsed, stamps: rising(&timeline.stamps) }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.elapsed.is_empty() && self.stamps.len() < 2
    }

    /// What was measured of the calls from `begin` to `end`: queries of elapsed time, or without one timestamps.
    pub fn within(&self, begin: Tick, end: Tick) -> Option<GpuTime> {
        let before = |tick: Tick| self.elapsed.partition_point(|(at, _)| *at < tick);
        let sum =
            |count: usize| count.checked_sub(1).and_then(|last| self.elapsed.get(last)).map_or(0, |(_, sum)| *sum);
        let (first, last) = (before(begin), before(end));
        if first < last {
            return Some(GpuTime::Elapsed(sum(last).saturating_sub(sum(first))));
        }
        let from = self.stamps.partition_point(|stamp| stamp.at < begin);
        let until = self.stamps.partition_point(|stamp| stamp.at < end);
        let inside = self.stamps.get(from..until).filter(|stamps| stamps.len() > 1)?;
        let (first, last) = (inside.first()?, inside.last()?);
        Some(GpuTime::BetweenTimestamps(last.nanos.saturating_sub(first.nanos)))
    }

    /// How well the clock is known from one tick to another: where both are timestamps, between timestamps, or beyond them.
    pub fn certainty(&self, begin: f64, end: f64) -> Certainty {
        let is_stamp = |tick: f64| self.stamps.binary_search_by(|stamp| (stamp.at.0 as f64).total_cmp(&tick)).is_ok();
        let ends = self.stamps.first().zip(self.stamps.last());
        match ends {
            Some((first, last)) if begin >= first.at.0 as f64 && end <= last.at.0 as f64 => {
                if is_stamp(begin) && is_stamp(end) { Certainty::Exact } else { Certainty::Interpolated }
            }
            _ => Certainty::Extrapolated,
        }
    }

    /// The GPU's clock at a tick, between two timestamps as if it ran evenly, and beyond them as between the nearest two;
    /// `None` with fewer than two.
    pub fn clock_at(&self, tick: f64) -> Option<f64> {
        let after = self.stamps.partition_point(|stamp| stamp.at.0 as f64 <= tick);
        let first = after.saturating_sub(1).min(self.stamps.len().checked_sub(2)?);
        let (a, b) = (self.stamps.get(first)?, self.stamps.get(first + 1)?);
        let per_tick = (b.nanos - a.nanos) as f64 / (b.at.0 - a.at.0) as f64;
        Some(a.nanos as f64 + (tick - a.at.0 as f64) * per_tick)
    }
}

/// The timestamps that rise in both: a clock that was set anew is none from there on.
fn rising(stamps: &[Stamp]) -> Vec<Stamp> {
    let mut rising: Vec<Stamp> = Vec::new();
    for stamp in stamps {
        if rising.last().is_none_or(|last| last.at < stamp.at && last.nanos <= stamp.nanos) {
            rising.push(*stamp);
        }
    }
    rising
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Axis, AxisUnit, Builder, Measurement, RecordOffset, SpanFlags, StringId, Timing, TrackKind};

    fn times() -> GpuTimes {
        let mut builder = Builder::new("t", Axis::without_clock(AxisUnit::Calls));
        let track = builder.track(StringId::EMPTY, TrackKind::Ranges, None);
        for (at, nanos) in [(10, 100), (15, 50), (30, 7)] {
            let span = builder.open_beside(track, Tick(at), StringId::EMPTY, RecordOffset(at), SpanFlags::default());
            builder.end_span(track, span, Tick(at + 2), Timing::Closed);
            builder.measurement(Measurement { track, span, nanos });
        }
        for (at, nanos) in [(40, 1000), (44, 1400), (46, 900), (50, 2000)] {
            builder.stamp(Tick(at), nanos);
        }
        GpuTimes::of(&builder.finish(Tick(60)))
    }

    #[test]
    fn queries_are_added_up_and_timestamps_are_not() {
        let times = times();
        let within = |begin, end| times.within(Tick(begin), Tick(end));
        assert_eq!(within(0, 20), Some(GpuTime::Elapsed(150)));
        assert_eq!(within(11, 60), Some(GpuTime::Elapsed(57)));
        assert_eq!(within(40, 51), Some(GpuTime::BetweenTimestamps(1000)));
        assert_eq!(within(40, 44), None, "one timestamp tells no length");
        assert_eq!(within(31, 39), None);
        assert!(GpuTimes::default().is_empty() && !times.is_empty());
    }

    #[test]
    fn the_clock_runs_evenly_between_timestamps_that_rise() {
        let times = times();
        let clock = [36.0, 40.0, 42.0, 47.0, 52.0].map(|tick| times.clock_at(tick).unwrap());
        assert_eq!(clock, [600.0, 1000.0, 1200.0, 1700.0, 2200.0]);
        assert_eq!(GpuTimes::default().clock_at(1.0), None);
        let certain = [(40.0, 44.0), (41.0, 44.0), (40.0, 50.0), (44.0, 51.0), (39.5, 44.0)];
        let certain = certain.map(|(begin, end)| times.certainty(begin, end).name());
        assert_eq!(certain, ["exact", "interpolated", "exact", "extrapolated", "extrapolated"]);
        assert_eq!(GpuTimes::default().certainty(0.0, 1.0), Certainty::Extrapolated);
    }
}
