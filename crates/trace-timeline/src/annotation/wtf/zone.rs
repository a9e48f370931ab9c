//! One zone while its events are taken in.

use foldhash::{HashMap, HashMapExt};

use crate::{
    Builder, FlowKind, FlowPoint, Frame, InstantKind, Oddity, RecordOffset, Span, SpanFlags, SpanIndex, StringId, Tick,
    Timing, TrackId, TrackKind,
};

use super::figures::ZoneFigures;
use super::plan::Action;
use super::reorder_buffer::ZoneEvent;

/// Names of the tracks below a zone, and of what is known only by its end.
#[derive(Clone, Copy, Debug)]
pub(super) struct ZoneNames {
    pub marks: StringId,
    pub ranges: StringId,
    pub frames: StringId,
    pub frame_end: StringId,
}

/// A frame that began.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct OpenFrame {
    begin: Tick,
    record: RecordOffset,
    number: u32,
}

/// A zone's open ends.
#[derive(Debug)]
pub(super) struct ZoneState {
    pub track: TrackId,
    pub figures: ZoneFigures,
    last_micros: u32,
    first_micros: Option<u32>,
    marks: Option<TrackId>,
    open_mark: Option<SpanIndex>,
    ranges: Option<TrackId>,
    open_ranges: HashMap<u32, SpanIndex>,
    frames: Option<TrackId>,
    /// The frame that began last, if it is open: mostly the only one.
    last_frame: Option<OpenFrame>,
    /// The open frames before it. With one number open several times, the last one ends first.
    open_frames: HashMap<u32, Vec<OpenFrame>>,
    /// How often a record told of something earlier than the one before, and the first of them.
    went_back: Option<(u64, Tick, RecordOffset)>,
}

impl ZoneState {
    pub(crate) fn new(track: TrackId) -> Self {
        Self {
            track,
            figures: ZoneFigures { is_monotonic: true, ..ZoneFigures::default() },
            last_micros: 0,
            first_micros: None,
            marks: None,
            open_mark: None,
            ranges: None,
            open_ranges: HashMap::new(),
            frames: None,
            last_frame: None,
            open_frames: HashMap::new(),
            went_back: None,
        }
    }

    /// Notes that a record arrived, and whether its time went back.
    #[inline]
    pub(crate) fn arrive(&mut self, time_micros: u32, record: u64) {
        self.figures.events += 1;
        self.first_micros = Some(self.first_micros.unwrap_or(time_micros));
        if time_micros < self.last_micros {
            self.figures.is_monotonic = false;
            let (count, ..) = self.went_back.get_or_insert((0, Tick(u64::from(time_micros)), RecordOffset(record)));
            *count += 1;
        }
        self.last_micros = time_micros;
    }

    /// Takes in the next event in order of time.
    #[inline]
    pub(crate) fn apply(&mut self, event: &ZoneEvent, names: &ZoneNames, builder: &mut Builder) {
        let at = Tick(u64::from(event.time_micros));
        let record = RecordOffset(event.record);
        match event.action {
            Action::Enter => self.enter(event, SpanFlags::default(), builder),
            Action::EnterSystem => self.enter(event, SpanFlags::SYSTEM, builder),
            Action::EnterInternal => self.enter(event, SpanFlags::INTERNAL, builder),
            Action::EnterSystemInternal => self.enter(event, SpanFlags::SYSTEM.with(SpanFlags::INTERNAL), builder),
            Action::Leave => self.leave(event, builder),
            Action::Append => {
                if !builder.append(self.track, record) {
                    self.figures.homeless_data += 1;
                }
            }
            Action::Instant => self.instant(event, InstantKind::Event, builder),
            Action::InternalInstant => self.instant(event, InstantKind::Internal, builder),
            Action::TimeStamp => self.instant(event, InstantKind::Marker, builder),
            Action::Discontinuity => self.instant(event, InstantKind::Discontinuity, builder),
            Action::Mark => self.mark(at, event, names, builder),
            Action::RangeBegin => self.begin_range(at, event, names, builder),
            Action::RangeEnd => self.end_range(at, event, builder),
            Action::FrameStart => {
                self.figures.frames += 1;
                let frame = OpenFrame { begin: at, record, number: event.key.id };
                if let Some(before) = self.last_frame.replace(frame) {
                    self.open_frames.entry(before.number).or_default().push(before);
                }
            }
            Action::FrameEnd => self.end_frame(at, event, names, builder),
            Action::FlowBranch => self.flow(at, event, FlowKind::Branch, builder),
            Action::FlowExtend => self.flow(at, event, FlowKind::Extend, builder),
            Action::FlowTerminate => self.flow(at, event, FlowKind::Terminate, builder),
        }
    }

    #[inline]
    fn enter(&mut self, event: &ZoneEvent, flags: SpanFlags, builder: &mut Builder) {
        let at = Tick(u64::from(event.time_micros));
        builder.open(self.track, at, event.name, RecordOffset(event.record), flags);
    }

    #[inline]
    fn leave(&mut self, event: &ZoneEvent, builder: &mut Builder) {
        let at = Tick(u64::from(event.time_micros));
        if builder.close(self.track, at).is_err() {
            let from = Tick(u64::from(self.first_micros.unwrap_or(event.time_micros)));
            builder.span_without_begin(self.track, from.min(at), at, event.name, RecordOffset(event.record));
        }
    }

    #[inline]
    fn instant(&mut self, event: &ZoneEvent, kind: InstantKind, builder: &mut Builder) {
        let at = Tick(u64::from(event.time_micros));
        builder.instant(self.track, at, event.name, RecordOffset(event.record), kind);
    }

    /// A mark ends the one before it.
    fn mark(&mut self, at: Tick, event: &ZoneEvent, names: &ZoneNames, builder: &mut Builder) {
        self.figures.marks += 1;
        let parent = self.track;
        let track = *self.marks.get_or_insert_with(|| builder.track(names.marks, TrackKind::Marks, Some(parent)));
        if let Some(before) = self.open_mark.take() {
            builder.end_span(track, before, at, Timing::Closed);
        }
        self.open_mark = Some(builder.span(track, open_span(at, event)));
    }

    fn begin_range(&mut self, at: Tick, event: &ZoneEvent, names: &ZoneNames, builder: &mut Builder) {
        self.figures.ranges += 1;
        let parent = self.track;
        let track = *self.ranges.get_or_insert_with(|| builder.track(names.ranges, TrackKind::Ranges, Some(parent)));
        let span = builder.span(track, open_span(at, event));
        self.open_ranges.insert(event.key.id, span);
    }

    fn end_range(&mut self, at: Tick, event: &ZoneEvent, builder: &mut Builder) {
        match (self.open_ranges.remove(&event.key.id), self.ranges) {
            (Some(span), Some(track)) => builder.end_span(track, span, at, Timing::Closed),
            _ => {
                self.figures.unmatched_range_ends += 1;
                builder.oddity(Oddity::UnmatchedEnd, self.track, at, RecordOffset(event.record));
            }
        }
    }

    /// Ends the frame of a number. An end without a start is an instant beside the frames: nothing says when it began.
    fn end_frame(&mut self, at: Tick, event: &ZoneEvent, names: &ZoneNames, builder: &mut Builder) {
        let (number, record, parent) = (event.key.id, RecordOffset(event.record), self.track);
        let open = match self.last_frame.take_if(|last| last.number == number) {
            None => self.open_frames.get_mut(&number).and_then(Vec::pop),
            last => last,
        };
        let Some(OpenFrame { begin, .. }) = open else {
            let make = || builder.track(names.frames, TrackKind::Instants, Some(parent));
            let track = *self.frames.get_or_insert_with(make);
            builder.oddity(Oddity::UnmatchedEnd, parent, at, record);
            builder.instant(track, at, names.frame_end, record, InstantKind::Event);
            return;
        };
        self.figures.complete_frames += 1;
        let number = u64::from(number);
        let ended_by = Some(names.frame_end);
        builder.frame(Frame { begin, end: at, number, ended_by, drawable: None, track: Some(parent), record });
    }

    fn flow(&mut self, at: Tick, event: &ZoneEvent, kind: FlowKind, builder: &mut Builder) {
        self.figures.flow_records += 1;
        let (track, record) = (self.track, RecordOffset(event.record));
        let depth = builder.depth(track);
        let (flow, parent) = (u64::from(event.key.id), u64::from(event.key.parent));
        builder.flow(FlowPoint { flow, parent, at, track, depth, kind, name: event.name, record });
    }

    /// Keeps the frames that are open at the end of the trace, without an end.
    pub(crate) fn finish(&mut self, end: Tick, builder: &mut Builder) {
        if let Some(went_back) = self.went_back {
            builder.oddities(Oddity::TimeWentBack, self.track, went_back);
        }
        let mut open: Vec<_> = self.open_frames.drain().flat_map(|(_, frames)| frames).collect();
        open.extend(self.last_frame.take());
        open.sort_unstable();
        for OpenFrame { begin, record, number } in open {
            let (number, track) = (u64::from(number), Some(self.track));
            builder.frame(Frame { begin, end, number, ended_by: None, drawable: None, track, record });
        }
    }
}

/// A span of which only the begin is known so far. Its end is never before its begin, so until then it has no length.
fn open_span(at: Tick, event: &ZoneEvent) -> Span {
    Span::new(at, at, event.name, 0, RecordOffset(event.record), SpanFlags::default()).ending(at, Timing::OpenEnd)
}
