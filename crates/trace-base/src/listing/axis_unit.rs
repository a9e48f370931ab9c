//! The units of lengths.

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
