//! What the numbers along a timeline mean.

/// A position on a timeline's axis, in the unit of its [`Axis`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tick(pub u64);

/// What one tick is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AxisUnit {
    /// One recorded call: the file has an order but no clock (WIP15).
    Calls,
    /// One microsecond (wtf-trace).
    Microseconds,
    /// One nanosecond.
    Nanoseconds,
    /// One byte of the file: neither clock nor calls (AeroGPU traces).
    Bytes,
}

impl AxisUnit {
    /// The unit's plural, as shown beside numbers.
    pub fn name(self) -> &'static str {
        match self {
            Self::Calls => "calls",
            Self::Microseconds => "µs",
            Self::Nanoseconds => "ns",
            Self::Bytes => "bytes",
        }
    }

    /// Length of one tick in nanoseconds, or `None` if ticks are no time.
    pub fn nanos_per_tick(self) -> Option<u64> {
        match self {
            Self::Calls | Self::Bytes => None,
            Self::Microseconds => Some(1000),
            Self::Nanoseconds => Some(1),
        }
    }
}

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
