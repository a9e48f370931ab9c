//! What the numbers along a timeline mean.

use trace_base::listing::AxisUnit;

/// A position on a timeline's axis, in the unit of its [`Axis`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tick(pub u64);

/// The axis of one timeline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Axis {
    /// What one tick is.
    pub unit: AxisUnit,
    /// Wall-clock milliseconds since 1970 (or since the machine started, if its writer knew no better) of tick 0.
    /// `None` if the format records no time.
    pub origin_unix_ms: Option<f64>,
}

impl Axis {
    /// An axis without a clock.
    pub fn without_clock(unit: AxisUnit) -> Self {
        Self { unit, origin_unix_ms: None }
    }
}

/// A real time known for one tick of an axis that is no time itself, e.g. a GPU timestamp query in a WIP15 trace.
///
/// Between two stamps time may be interpolated; outside of them it is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// Where on the axis.
    pub at: Tick,
    /// Nanoseconds on the clock of the recorded program (its origin is arbitrary).
    pub nanos: u64,
}
