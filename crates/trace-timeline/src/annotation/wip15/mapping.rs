//! The pass that builds the timeline.

use std::collections::BTreeMap;

use super::arguments::number;
use super::gpu_lane::add_gpu_lane;
use super::roles::{Role, SpanKind, role_of};
use crate::wip15::{BlobPolicy, BlobTotals, Call, Error, Header, Op, Reader, Tables, Warnings};
use crate::{Axis, AxisUnit, Builder, Frame, RecordOffset, SpanIndex, StringId, Tick, Timeline, TrackId, TrackKind};
use trace_base::bytes::ByteSource;

/// A track of spans, and what its spans are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lane {
    /// The track.
    pub track: TrackId,
    /// The context whose calls it shows; 0 if none was current.
    pub context: u64,
    /// What its spans are.
    pub kind: SpanKind,
}

/// A WIP15 trace as a timeline, with what the general model has no place for.
#[derive(Debug)]
pub struct Wip15Timeline {
    /// Tracks, frames and times.
    pub timeline: Timeline,
    /// The tracks of spans.
    pub lanes: Vec<Lane>,
    /// The track of messages, markers and sizes.
    pub messages: TrackId,
    /// The track of object labels.
    pub labels: TrackId,
    /// Ends of spans that were never begun.
    pub unmatched_pops: u64,
    /// Calls with a meaning whose arguments don't fit it; they are plain steps.
    pub odd_signatures: u64,
    /// The file's header.
    pub header: Header,
    /// What the file declares; the key to its arguments.
    pub tables: Tables,
    /// Warnings.
    pub warnings: Warnings,
    /// The error that ended the trace early; the timeline holds everything before it.
    pub error: Option<Error>,
    /// Absolute file offset of the operation read last, which is the one with the error.
    pub op_offset: u64,
}

/// Reads the whole trace into a timeline. Only a file without a readable header is an error; any later damage is part
/// of the result.
pub fn map_wip15(source: &dyn ByteSource, title: &str, blobs: BlobPolicy) -> Result<Wip15Timeline, Error> {
    Ok(map_ops(Reader::open(source, blobs)?, title))
}

/// Reads what is left of a trace into a timeline.
pub(super) fn map_ops(mut reader: Reader<'_>, title: &str) -> Wip15Timeline {
    let mut mapper = Mapper::new(title);
    let mut error = None;
    while let Some(op) = reader.next_op() {
        let ends_frame = match op {
            Ok(Op::Call(call)) => mapper.call(&call),
            Ok(_) => None,
            Err(damage) => {
                error = Some(damage);
                None
            }
        };
        if let Some(end) = ends_frame {
            mapper.end_frame(end, reader.blob_totals());
        }
    }
    mapper.finish(reader, error)
}

/// What is known of a frame when it ends.
#[derive(Clone, Copy, Default)]
struct FrameEnd {
    ended_by: Option<StringId>,
    drawable: Option<u64>,
    record: Option<RecordOffset>,
}

/// The counters of a frame.
#[derive(Clone, Copy, Default)]
pub(super) struct FrameCounts {
    begin: u64,
    pub calls: u64,
    draws: u64,
    blobs_before: BlobTotals,
}

/// A query whose result may still come.
#[derive(Clone, Copy)]
pub(super) enum Pending {
    Stamp(Tick),
    Elapsed(TrackId, SpanIndex),
}

/// Where a call stands.
#[derive(Clone, Copy)]
pub(super) struct CallPosition {
    pub begin: Tick,
    pub end: Tick,
    pub record: RecordOffset,
}

pub(super) struct Mapper {
    pub(super) builder: Builder,
    /// Role and name of each declared function.
    pub(super) roles: Vec<(Role, StringId)>,
    pub(super) steps: TrackId,
    pub(super) messages: TrackId,
    pub(super) labels: TrackId,
    pub(super) counters: [TrackId; 4],
    pub(super) lanes: Vec<Lane>,
    pub(super) lane_tracks: BTreeMap<(u64, SpanKind), TrackId>,
    pub(super) contexts: BTreeMap<u64, TrackId>,
    pub(super) context: u64,
    pub(super) frame: FrameCounts,
    pub(super) frames: u64,
    pub(super) next: u64,
    pub(super) open_queries: BTreeMap<(u64, u64), SpanIndex>,
    pub(super) pending: BTreeMap<u64, Pending>,
    pub(super) unmatched_pops: u64,
    pub(super) odd_signatures: u64,
}

impl Mapper {
    fn new(title: &str) -> Self {
        let mut builder = Builder::new(title, Axis::without_clock(AxisUnit::Calls));
        let mut track = |name: &str, kind| {
            let name = builder.intern(name.as_bytes());
            builder.track(name, kind, None)
        };
        let steps = track("calls", TrackKind::Steps);
        let messages = track("messages", TrackKind::Instants);
        let labels = track("object labels", TrackKind::Instants);
        let counters = [
            track("calls per frame", TrackKind::Counter { unit: "calls" }),
            track("draws per frame", TrackKind::Counter { unit: "draws" }),
            track("data per frame", TrackKind::Counter { unit: "bytes" }),
            track("stored data per frame", TrackKind::Counter { unit: "bytes" }),
        ];
        Self {
            builder,
            roles: Vec::new(),
            steps,
            messages,
            labels,
            counters,
            lanes: Vec::new(),
            lane_tracks: BTreeMap::new(),
            contexts: BTreeMap::new(),
            context: 0,
            frame: FrameCounts::default(),
            frames: 0,
            next: 0,
            open_queries: BTreeMap::new(),
            pending: BTreeMap::new(),
            unmatched_pops: 0,
            odd_signatures: 0,
        }
    }

    /// Adds a call; gives back how it ends a frame, if it does.
    #[inline]
    fn call(&mut self, call: &Call<'_>) -> Option<FrameEnd> {
        let (role, name) = match self.roles.get(call.id.0 as usize) {
            Some(known) => *known,
            None => self.learn(call),
        };
        let at = self.next;
        self.next += 1;
        let record = RecordOffset(call.offset);
        self.builder.step(self.steps, name, record);
        self.frame.calls += 1;
        match role {
            Role::Plain => None,
            Role::Draw => {
                self.frame.draws += 1;
                None
            }
            Role::Swap { drawable } => {
                let drawable = drawable.and_then(|index| number(call, index));
                Some(FrameEnd { ended_by: Some(name), drawable, record: Some(record) })
            }
            _ => {
                let place = CallPosition { begin: Tick(at), end: Tick(at + 1), record };
                if self.map_meaning(call, role, name, place).is_none() {
                    self.odd_signatures += 1;
                }
                None
            }
        }
    }

    /// Looks up the roles of functions declared since the last call.
    fn learn(&mut self, call: &Call<'_>) -> (Role, StringId) {
        for function in call.tables.functions().iter().skip(self.roles.len()) {
            let name = self.builder.intern(&function.name);
            self.roles.push((role_of(&function.name), name));
        }
        self.roles.get(call.id.0 as usize).copied().unwrap_or((Role::Plain, StringId::EMPTY))
    }

    fn end_frame(&mut self, end: FrameEnd, blobs: BlobTotals) {
        let counts = std::mem::replace(
            &mut self.frame,
            FrameCounts { begin: self.next, blobs_before: blobs, ..FrameCounts::default() },
        );
        self.builder.frame(Frame {
            begin: Tick(counts.begin),
            end: Tick(self.next),
            number: self.frames,
            ended_by: end.ended_by,
            drawable: end.drawable,
            track: None,
            record: end.record.unwrap_or(RecordOffset::NONE),
        });
        self.frames += 1;
        let values = [
            counts.calls,
            counts.draws,
            blobs.raw_bytes - counts.blobs_before.raw_bytes,
            blobs.stored_bytes - counts.blobs_before.stored_bytes,
        ];
        for (track, value) in self.counters.into_iter().zip(values) {
            self.builder.sample(track, Tick(counts.begin), value as f64);
        }
    }

    fn finish(mut self, reader: Reader<'_>, error: Option<Error>) -> Wip15Timeline {
        if self.next > self.frame.begin {
            self.end_frame(FrameEnd::default(), reader.blob_totals());
        }
        self.describe(&reader);
        let mut timeline = self.builder.finish(Tick(self.next));
        add_gpu_lane(&mut timeline);
        Wip15Timeline {
            timeline,
            lanes: self.lanes,
            messages: self.messages,
            labels: self.labels,
            unmatched_pops: self.unmatched_pops,
            odd_signatures: self.odd_signatures,
            header: reader.header(),
            warnings: *reader.warnings(),
            error,
            op_offset: reader.op_offset(),
            tables: reader.into_tables(),
        }
    }

    fn describe(&mut self, reader: &Reader<'_>) {
        let builder = &mut self.builder;
        builder.metadata("format", "WIP15 0.0");
        builder.metadata("byte order", reader.header().endian.name());
        if reader.has_variant() {
            builder.metadata("uses", "variants (writer of 2017-06-17 or later)");
        }
        if reader.has_zstd() {
            builder.metadata("uses", "zstd (writer of 2017-09-06 or later)");
        }
    }
}
