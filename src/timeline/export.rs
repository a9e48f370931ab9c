//! What all exporters share: where ticks lie on the viewer's axis, and what can go wrong.

use std::io;

use thiserror::Error;

use super::{ArgumentError, ArgumentSource, Axis, SelectedEvents, Tick, Timeline};
use crate::error::{Classified, ErrorKind};

/// An export stopped.
#[derive(Debug, Error)]
pub enum ExportError {
    /// The output could not be written.
    #[error(transparent)]
    Write(#[from] io::Error),
    /// The arguments of an event could not be read again.
    #[error(transparent)]
    Argument(#[from] ArgumentError),
    /// A second reading found other bytes than the first.
    #[error("the file changed while it was read")]
    FileChanged,
}

impl Classified for ExportError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Write(_) => ErrorKind::WriteFailed,
            Self::Argument(error) => error.kind(),
            Self::FileChanged => ErrorKind::Malformed,
        }
    }

    fn offset(&self) -> Option<u64> {
        match self {
            Self::Write(_) | Self::FileChanged => None,
            Self::Argument(error) => error.offset(),
        }
    }
}

/// One timeline of an export.
pub struct Exported<'a> {
    /// What to write.
    pub timeline: &'a Timeline,
    /// Where its events' arguments come from.
    pub arguments: &'a mut dyn ArgumentSource,
    /// Where its ticks lie.
    pub placement: &'a Placement,
    /// Which of its events to write.
    pub shown: SelectedEvents,
}

/// Where the ticks of a timeline lie on a viewer's axis, which is nanoseconds in every viewer.
///
/// Between two anchors the axis is linear; outside of them the nearest segment goes on. Viewers know no other unit than
/// time, so ticks that are no time are given a length, and [`Placement::unit`] says which: nothing pretends that it was
/// measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Placement {
    anchors: Vec<Anchor>,
    unit: String,
}

/// A tick whose place is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Anchor {
    /// The tick.
    pub at: Tick,
    /// Its place on the viewer's axis.
    pub nanos: f64,
}

/// Length on the viewer's axis of a tick that is no time: one microsecond, the finest that all viewers show.
pub const NANOS_PER_UNTIMED_TICK: u64 = 1000;

impl Placement {
    /// Ticks one after the other from 0, as long as they are, or a microsecond if they are no time.
    pub fn of_axis(axis: &Axis) -> Self {
        let nanos = axis.unit.nanos_per_tick();
        let unit = match nanos {
            Some(_) => "time as recorded".to_owned(),
            None => format!("1 µs shown = 1 of {}; the trace records no time", axis.unit.name()),
        };
        let length = nanos.unwrap_or(NANOS_PER_UNTIMED_TICK) as f64;
        let anchors = vec![Anchor { at: Tick(0), nanos: 0.0 }, Anchor { at: Tick(1), nanos: length }];
        Self { anchors, unit }
    }

    /// Ticks between `anchors`, which lie by tick without repeats; `unit` says what is shown. At least two are needed
    /// for a scale: with one, ticks are as long as in [`Placement::of_axis`], with none it is that.
    pub fn between(axis: &Axis, mut anchors: Vec<Anchor>, unit: impl Into<String>) -> Self {
        let natural = Self::of_axis(axis);
        if let [only] = *anchors.as_slice() {
            let next = Tick(only.at.0.saturating_add(1));
            anchors.push(Anchor { at: next, nanos: only.nanos + natural.nanos(Tick(1)) as f64 });
        }
        if anchors.is_empty() { natural } else { Self { anchors, unit: unit.into() } }
    }

    /// The places that are known, at least two.
    pub fn anchors(&self) -> &[Anchor] {
        &self.anchors
    }

    /// What a length on the viewer's axis means.
    pub fn unit(&self) -> &str {
        &self.unit
    }

    /// Place of `at` in nanoseconds.
    pub fn nanos(&self, at: Tick) -> i64 {
        let after = self.anchors.partition_point(|anchor| anchor.at <= at);
        let first = after.saturating_sub(1).min(self.anchors.len().saturating_sub(2));
        let (Some(a), Some(b)) = (self.anchors.get(first), self.anchors.get(first + 1)) else { return 0 };
        let scale = (b.nanos - a.nanos) / (b.at.0 as f64 - a.at.0 as f64);
        // Whole differences are exact in f64 up to 2^53 ticks.
        let distance = at.0.abs_diff(a.at.0) as f64;
        let place = if at < a.at { a.nanos - distance * scale } else { a.nanos + distance * scale };
        place.round() as i64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timeline::AxisUnit;

    #[test]
    fn ticks_lie_between_their_anchors_and_go_on_beyond_them() {
        let axis = Axis::without_clock(AxisUnit::Calls);
        let anchor = |at, nanos| Anchor { at: Tick(at), nanos };
        let placement = Placement::between(&axis, vec![anchor(10, 100.0), anchor(20, 200.0), anchor(21, 1200.0)], "x");
        let places = [0, 10, 15, 20, 21, 22].map(|at| placement.nanos(Tick(at)));
        assert_eq!(places, [0, 100, 150, 200, 1200, 2200]);
        assert_eq!(Placement::of_axis(&axis).nanos(Tick(7)), 7000);
        assert_eq!(Placement::between(&axis, vec![anchor(3, 5e6)], "x").nanos(Tick(5)), 5_002_000);
        let time = Axis { unit: AxisUnit::Nanoseconds, origin_unix_ms: None };
        assert_eq!(Placement::between(&time, Vec::new(), "x").nanos(Tick(7)), 7);
    }
}
