//! Counts over one zone.

use crate::{Timing, Track};

/// What a zone holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct ZoneFigures {
    /// Records that happened in it: all but definitions and zone records.
    pub events: u64,
    /// Scopes entered.
    pub scopes: u64,
    /// Instants.
    pub instants: u64,
    /// Marks.
    pub marks: u64,
    /// Frames that began.
    pub frames: u64,
    /// Frames that began and ended.
    pub complete_frames: u64,
    /// Time ranges that began.
    pub ranges: u64,
    /// Records that touch a flow.
    pub flow_records: u64,
    /// Most scopes that were open at once.
    pub max_depth: u32,
    /// Scopes that were never left.
    pub open_scopes: u64,
    /// Leaves where no scope was open.
    pub underflow: u64,
    /// Time in all scopes that were left, nested ones counted again, in microseconds.
    pub total_scope_micros: u64,
    /// Whether times never went back.
    pub is_monotonic: bool,
    /// Appended data where no scope was open.
    pub(super) homeless_data: u64,
    /// Ends of ranges that had not begun.
    pub(super) unmatched_range_ends: u64,
}

impl ZoneFigures {
    /// Adds what the finished track tells.
    pub(super) fn with_track(self, track: &Track) -> Self {
        let closed = track.spans.iter().filter(|span| span.timing() == Timing::Closed);
        let (closed_count, total) =
            closed.fold((0, 0), |(count, total), span| (count + 1, total + span.length_ticks()));
        let scopes = track.spans.len() as u64;
        Self {
            scopes,
            instants: track.instants.len() as u64,
            max_depth: track.spans.iter().map(|span| span.depth() + 1).max().unwrap_or(0),
            open_scopes: scopes - closed_count,
            underflow: track.without_begin.len() as u64,
            total_scope_micros: total,
            ..self
        }
    }
}
