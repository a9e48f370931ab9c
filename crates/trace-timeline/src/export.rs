//! What all exporters share: where ticks lie on the viewer's axis, and what can go wrong.

use std::collections::BTreeMap;
use std::io;

use thiserror::Error;

use super::{Alignment, ArgumentError, ArgumentSource, Axis, SelectedEvents, Tick, Timeline};
use trace_base::error::{Classified, ErrorKind};

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

/// What lengths on a viewer's axis are worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lengths {
    /// They were measured: the file records time.
    Measured,
    /// Those of frames are another file's that measured them; within frames there is an order, and no length.
    OfFrames,
    /// There is an order, and no length.
    Order,
}

/// How well a stretch is known to lie where it is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Certainty {
    /// It is one in both files.
    Exact,
    /// It lies between such stretches, or within one.
    Interpolated,
    /// It lies, in part, before the first or behind the last of them.
    Extrapolated,
}

impl Certainty {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Interpolated => "interpolated",
            Self::Extrapolated => "extrapolated",
        }
    }
}

/// Where the ticks of a timeline lie on a viewer's axis, which is nanoseconds in every viewer.
///
/// Between two anchors the axis is linear; outside of them the nearest segment goes on. Viewers know no other unit than
/// time, so what is no time is written without lengths ([`Placement::lengths`]), in its order, and [`Placement::unit`] says
/// so: nothing pretends that it was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Placement {
    anchors: Vec<Anchor>,
    unit: String,
    lengths: Lengths,
    /// The unit of the ticks.
    tick: &'static str,
    is_tied: bool,
    /// The stretches both ends of which are one in both files, ascending.
    exact: Vec<(Tick, Tick)>,
    /// From where to where the other file tells anything.
    covered: Option<(Tick, Tick)>,
    alignment: Option<Box<Alignment>>,
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
            None => format!("no times recorded; lengths are {}", axis.unit.name()),
        };
        let length = nanos.unwrap_or(NANOS_PER_UNTIMED_TICK) as f64;
        let anchors = vec![Anchor { at: Tick(0), nanos: 0.0 }, Anchor { at: Tick(1), nanos: length }];
        let lengths = if nanos.is_some() { Lengths::Measured } else { Lengths::Order };
        let (exact, covered, alignment) = (Vec::new(), None, None);
        Self { anchors, unit, lengths, tick: axis.unit.name(), is_tied: false, exact, covered, alignment }
    }

    /// Ticks between `anchors`, which lie by tick; of several at one tick the last says where it lies. `unit` says what is
    /// shown, and whether that is time. At least two are needed for a scale: with one, ticks are as long as in
    /// [`Placement::of_axis`], with none it is that. What lies between two that follow each other is exact, until
    /// [`Placement::certain_at`] says otherwise.
    pub fn between(axis: &Axis, mut anchors: Vec<Anchor>, (unit, is_time): (&str, bool)) -> Self {
        let natural = Self::of_axis(axis);
        // Beyond the first and the last there is no scale without a length.
        while let [first, second, ..] = *anchors.as_slice()
            && first.at == second.at
        {
            anchors.remove(0);
        }
        while let [.., before, last] = *anchors.as_slice()
            && before.at == last.at
        {
            anchors.pop();
        }
        if let [only] = *anchors.as_slice() {
            let next = Tick(only.at.0.saturating_add(1));
            anchors.push(Anchor { at: next, nanos: only.nanos + natural.nanos(Tick(1)) as f64 });
        }
        if anchors.is_empty() {
            return natural;
        }
        let (unit, lengths) = match (natural.lengths, is_time) {
            (Lengths::Measured, _) => (unit.to_owned(), Lengths::Measured),
            (_, true) => (format!("{}; frames: {unit}", natural.unit), Lengths::OfFrames),
            (_, false) => (format!("{}; {unit}", natural.unit), Lengths::Order),
        };
        let exact = anchors.windows(2).filter_map(|pair| match pair {
            [a, b] => Some((a.at, b.at)),
            _ => None,
        });
        let exact: Vec<(Tick, Tick)> = exact.collect();
        let covered = exact.first().zip(exact.last()).map(|((first, _), (_, last))| (*first, *last));
        Self { exact, covered, anchors, unit, lengths, is_tied: true, ..natural }
    }

    /// The same, since it was laid beside another timeline like this.
    pub fn aligned(self, alignment: &Alignment) -> Self {
        Self { alignment: Some(Box::new(alignment.clone())), ..self }
    }

    /// How it was laid beside another timeline, if it was.
    pub fn alignment(&self) -> Option<&Alignment> {
        self.alignment.as_deref()
    }

    /// The same, of which only the stretches `exact`, ascending, are known to be one in both files, and nothing is known outside
    /// of `covered`. That both ends of a stretch are tied is not enough: a frame that the other file does not have lies between
    /// two that it has.
    pub fn certain_at(self, exact: Vec<(Tick, Tick)>, covered: Option<(Tick, Tick)>) -> Self {
        Self { exact, covered, ..self }
    }

    /// What lengths are worth.
    pub fn lengths(&self) -> Lengths {
        self.lengths
    }

    /// The unit of the ticks.
    pub fn tick(&self) -> &'static str {
        self.tick
    }

    /// Whether a frame has a length that somebody has measured.
    pub fn has_frame_length(&self, begin: Tick, end: Tick) -> bool {
        match self.lengths {
            Lengths::Measured => true,
            Lengths::OfFrames => self.certainty(begin, end) == Some(Certainty::Exact),
            Lengths::Order => false,
        }
    }

    /// How well it is known where a stretch lies; nothing if no other file decides that.
    pub fn certainty(&self, begin: Tick, end: Tick) -> Option<Certainty> {
        let is_exact = self.exact.binary_search(&(begin, end)).is_ok();
        self.is_tied.then(|| match (is_exact, self.is_beyond(begin, end)) {
            (true, _) => Certainty::Exact,
            (false, true) => Certainty::Extrapolated,
            (false, false) => Certainty::Interpolated,
        })
    }

    /// Whether another file decides where things lie, and says nothing of this stretch or of a part of it.
    pub fn is_extrapolated(&self, begin: Tick, end: Tick) -> bool {
        self.is_tied && self.is_beyond(begin, end)
    }

    fn is_beyond(&self, begin: Tick, end: Tick) -> bool {
        self.covered.is_none_or(|(first, last)| begin < first || end > last)
    }

    /// The frame of the other file that a frame is, if it is one there.
    pub fn other_frame(&self, begin: Tick, end: Tick) -> Option<u64> {
        self.alignment.as_ref()?.reference_frame(begin, end)
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
        // Two at one tick are never the nearest two on one side of it.
        let scale = (b.nanos - a.nanos) / (b.at.0 as f64 - a.at.0 as f64);
        // Whole differences are exact in f64 up to 2^53 ticks.
        let distance = at.0.abs_diff(a.at.0) as f64;
        let place = if at < a.at { a.nanos - distance * scale } else { a.nanos + distance * scale };
        place.round() as i64
    }
}

/// A row's name; the last one tells that what lies in it may overlap.
pub(super) fn row_name(row: usize) -> String {
    let more = if row + 1 == MAX_ROWS { " and beyond, may overlap" } else { "" };
    format!("row {}{more}", row + 1)
}

/// Rows for what may overlap: viewers show slices of one row that neither nest nor follow each other wrong.
#[derive(Debug, Default)]
pub(super) struct Rows {
    /// By owner and row: where the last one there ends.
    until: BTreeMap<(u64, usize), Tick>,
}

/// More rows than a viewer can show share the last one.
pub(super) const MAX_ROWS: usize = 64;

impl Rows {
    /// The first row of `owner` that is free from `begin` on, taken until `end`.
    pub(super) fn take(&mut self, owner: u64, begin: Tick, end: Tick) -> usize {
        let is_free = |row: &usize| self.until.get(&(owner, *row)).is_none_or(|until| *until <= begin);
        let row = (0..MAX_ROWS).find(is_free).unwrap_or(MAX_ROWS - 1);
        let until = self.until.entry((owner, row)).or_insert(end);
        *until = end.max(*until);
        row
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AxisUnit;

    #[test]
    fn ticks_lie_between_their_anchors_and_go_on_beyond_them() {
        let axis = Axis::without_clock(AxisUnit::Calls);
        let anchor = |at, nanos| Anchor { at: Tick(at), nanos };
        let anchors = vec![anchor(10, 100.0), anchor(20, 200.0), anchor(21, 1200.0)];
        let placement = Placement::between(&axis, anchors, ("x", true));
        let places = [0, 10, 15, 20, 21, 22].map(|at| placement.nanos(Tick(at)));
        assert_eq!(places, [0, 100, 150, 200, 1200, 2200]);
        assert_eq!(Placement::of_axis(&axis).nanos(Tick(7)), 7000);
        assert_eq!(Placement::between(&axis, vec![anchor(3, 5e6)], ("x", true)).nanos(Tick(5)), 5_002_000);
        let time = Axis { unit: AxisUnit::Nanoseconds, origin_unix_ms: None };
        assert_eq!(Placement::between(&time, Vec::new(), ("x", true)).nanos(Tick(7)), 7);
    }

    #[test]
    fn only_what_was_measured_has_a_length() {
        let axis = Axis::without_clock(AxisUnit::Bytes);
        let time = Axis { unit: AxisUnit::Nanoseconds, origin_unix_ms: None };
        let anchors = || [(10, 100.0), (20, 200.0)].map(|(at, nanos)| Anchor { at: Tick(at), nanos }).to_vec();
        let alone = Placement::of_axis(&axis);
        assert_eq!((alone.unit(), alone.lengths()), ("no times recorded; lengths are bytes", Lengths::Order));
        assert_eq!((alone.has_frame_length(Tick(0), Tick(1)), alone.certainty(Tick(0), Tick(1))), (false, None));
        let tied = Placement::between(&axis, anchors(), ("time as recorded in x", true));
        assert_eq!(tied.unit(), "no times recorded; lengths are bytes; frames: time as recorded in x");
        let places = [(10, 20), (12, 20), (5, 20), (10, 21)];
        let certain = places.map(|(begin, end)| tied.certainty(Tick(begin), Tick(end)).unwrap().name());
        assert_eq!(certain, ["exact", "interpolated", "extrapolated", "extrapolated"]);
        assert_eq!(
            places.map(|(begin, end)| tied.has_frame_length(Tick(begin), Tick(end))),
            [true, false, false, false]
        );
        let untimed = Placement::between(&axis, anchors(), ("1 ms shown = 1 frame; no file records time", false));
        assert_eq!((untimed.lengths(), untimed.has_frame_length(Tick(10), Tick(20))), (Lengths::Order, false));
        let measured = Placement::between(&time, anchors(), ("time as recorded in x", true));
        assert_eq!((measured.lengths(), measured.has_frame_length(Tick(3), Tick(4))), (Lengths::Measured, true));
    }
}
