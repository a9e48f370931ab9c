//! What lies on a track: spans, instants, samples.
//!
//! These are the rows that exist by the million, so they are packed: a record's file offset shares its eight bytes with
//! eight flag bits (no file has 2^56 bytes).

use super::{StringId, Tick};

/// Absolute file offset of the record that an event came from; the key for its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RecordOffset(pub u64);

impl RecordOffset {
    /// The event was not read from any one record (e.g. a frame that the mapping inferred): it has no arguments.
    pub const NONE: Self = Self(OFFSET_MASK);

    /// Whether this is [`RecordOffset::NONE`].
    pub fn is_none(self) -> bool {
        self.0 >= OFFSET_MASK
    }
}

const OFFSET_MASK: u64 = (1 << 56) - 1;

/// A record offset (low 56 bits) and eight flag bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Packed(u64);

impl Packed {
    pub(super) fn new(record: RecordOffset, flags: u8) -> Self {
        Self(record.0.min(OFFSET_MASK) | u64::from(flags) << 56)
    }

    pub(super) fn record(self) -> RecordOffset {
        RecordOffset(self.0 & OFFSET_MASK)
    }

    pub(super) fn flags(self) -> u8 {
        (self.0 >> 56) as u8
    }
}

/// Index of a span in its track.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SpanIndex(pub u32);

/// Which ends of a span were recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timing {
    /// Both.
    Closed,
    /// It was never left: its end is the end of the trace.
    OpenEnd,
    /// It was left but never entered (the recording began inside it): its begin is the begin of the track.
    OpenStart,
}

/// Facts about a span, one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SpanFlags(u8);

impl SpanFlags {
    const TIMING: u8 = 0b11;
    /// Work of the recorder or the system, not of the program; subtracted to get the program's own time.
    pub const SYSTEM: Self = Self(1 << 2);
    /// Bookkeeping of the recorder, hidden unless asked for.
    pub const INTERNAL: Self = Self(1 << 3);

    /// Both sets of flags together.
    pub fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether all flags of `other` are set.
    pub fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

/// Something with a length. 32 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    begin: Tick,
    end: Tick,
    packed: Packed,
    name: StringId,
    depth: u32,
}

const _: () = assert!(size_of::<Span>() == 32 && size_of::<Instant>() == 24 && size_of::<Sample>() == 16);

impl Span {
    /// A span over `begin..end`; an `end` before `begin` is moved to `begin`.
    pub fn new(begin: Tick, end: Tick, name: StringId, depth: u32, record: RecordOffset, flags: SpanFlags) -> Self {
        Self { begin, end: end.max(begin), packed: Packed::new(record, flags.0), name, depth }
    }

    /// The same span, ending at `end` and with other [`Timing`].
    #[must_use]
    pub fn ending(self, end: Tick, timing: Timing) -> Self {
        let flags = self.packed.flags() & !SpanFlags::TIMING | timing as u8;
        Self { end: end.max(self.begin), packed: Packed::new(self.packed.record(), flags), ..self }
    }

    /// First tick.
    pub fn begin(&self) -> Tick {
        self.begin
    }

    /// Tick after the last one, never before [`Span::begin`].
    pub fn end(&self) -> Tick {
        self.end
    }

    /// Length in ticks.
    pub fn length_ticks(&self) -> u64 {
        self.end.0 - self.begin.0
    }

    /// What it is called.
    pub fn name(&self) -> StringId {
        self.name
    }

    /// How many spans of the same track enclose it.
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// The record that opened it.
    pub fn record(&self) -> RecordOffset {
        self.packed.record()
    }

    /// Which ends were recorded.
    pub fn timing(&self) -> Timing {
        match self.packed.flags() & SpanFlags::TIMING {
            1 => Timing::OpenEnd,
            2 => Timing::OpenStart,
            _ => Timing::Closed,
        }
    }

    /// Its flags.
    pub fn flags(&self) -> SpanFlags {
        SpanFlags(self.packed.flags() & !SpanFlags::TIMING)
    }
}

/// What an instant stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstantKind {
    /// An event of the program.
    Event,
    /// A message with source, type and severity.
    Message,
    /// A marker or time stamp that the program set by hand.
    Marker,
    /// The drawable changed its size.
    Size,
    /// An object got a name.
    Label,
    /// Records were dropped here: what lies before and after may not fit together.
    Discontinuity,
    /// Bookkeeping of the recorder, hidden unless asked for.
    Internal,
}

impl InstantKind {
    /// A word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Event => "event",
            Self::Message => "message",
            Self::Marker => "marker",
            Self::Size => "size",
            Self::Label => "label",
            Self::Discontinuity => "discontinuity",
            Self::Internal => "internal",
        }
    }
}

/// Something without a length. 24 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instant {
    at: Tick,
    packed: Packed,
    name: StringId,
    depth: u32,
}

impl Instant {
    /// An instant inside `depth` open spans of its track.
    pub fn new(at: Tick, name: StringId, depth: u32, record: RecordOffset, kind: InstantKind) -> Self {
        Self { at, packed: Packed::new(record, kind as u8), name, depth }
    }

    /// Where it is.
    pub fn at(&self) -> Tick {
        self.at
    }

    /// What it is called.
    pub fn name(&self) -> StringId {
        self.name
    }

    /// How many spans of the same track are open around it.
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// The record that it came from.
    pub fn record(&self) -> RecordOffset {
        self.packed.record()
    }

    /// What it stands for.
    pub fn kind(&self) -> InstantKind {
        match self.packed.flags() {
            1 => InstantKind::Message,
            2 => InstantKind::Marker,
            3 => InstantKind::Size,
            4 => InstantKind::Label,
            5 => InstantKind::Discontinuity,
            6 => InstantKind::Internal,
            _ => InstantKind::Event,
        }
    }
}

/// The value of a counter from `at` until its next sample. 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// From where on.
    pub at: Tick,
    /// The value, in the unit of its [`super::TrackKind::Counter`].
    pub value: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packing_keeps_offset_timing_and_flags_apart() {
        let flags = SpanFlags::SYSTEM.with(SpanFlags::INTERNAL);
        let span = Span::new(Tick(5), Tick(3), StringId::EMPTY, 1_000_000, RecordOffset(0x12_3456_789a), flags);
        assert_eq!((span.end(), span.length_ticks(), span.timing()), (Tick(5), 0, Timing::Closed));
        for timing in [Timing::OpenEnd, Timing::OpenStart, Timing::Closed] {
            let ended = span.ending(Tick(9), timing);
            assert_eq!((ended.timing(), ended.flags(), ended.record()), (timing, flags, RecordOffset(0x12_3456_789a)));
        }
        let none = Span::new(Tick(0), Tick(0), StringId::EMPTY, 0, RecordOffset::NONE, SpanFlags::default());
        assert!(none.record().is_none() && !span.record().is_none());
    }

    #[test]
    fn every_instant_kind_survives_packing() {
        use InstantKind::*;
        for kind in [Event, Message, Marker, Size, Label, Discontinuity, Internal] {
            assert_eq!(Instant::new(Tick(1), StringId::EMPTY, 0, RecordOffset(7), kind).kind(), kind);
        }
    }
}
