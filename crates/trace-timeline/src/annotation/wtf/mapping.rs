//! Reads a trace into a [`Timeline`].

use crate::wtf::{Event, Reader, RecordIndex, TraceHeader, WarningClass, Warnings, WtfError, Zone};
use crate::{Axis, AxisUnit, Builder, RecordOffset, StringId, Tick, Timeline, Timing, TrackId, TrackKind};
use trace_base::bytes::ByteSource;

use super::arguments::WtfArguments;
use super::figures::ZoneFigures;
use super::plan::{Key, Plan};
use super::reorder_buffer::{ReorderBuffer, ZoneEvent};
use super::zone::{ZoneNames, ZoneState};

/// A trace as a timeline, and everything that `timeline info` says about it.
pub struct WtfTimeline<'s> {
    /// Tracks, frames, flows.
    pub timeline: Timeline,
    /// What the file says about itself; none if it is damaged before that.
    pub header: Option<TraceHeader>,
    /// The zones, in the order of their creation.
    pub zones: Vec<Zone>,
    /// The track of each zone.
    pub zone_tracks: Vec<TrackId>,
    /// Counts per zone.
    pub figures: Vec<ZoneFigures>,
    /// What was survived, in reading and in nesting.
    pub warnings: Warnings,
    /// What ended the trace early; everything before it is in the timeline.
    pub error: Option<WtfError>,
    /// Records read.
    pub record_count: u64,
    /// Chunks met; 0 in forms without chunks.
    pub chunk_count: u64,
    index: RecordIndex<'s>,
}

impl WtfTimeline<'_> {
    /// Decodes arguments of the events of the timeline.
    pub fn arguments(&self) -> WtfArguments<'_> {
        WtfArguments::new(&self.index)
    }
}

/// Reads a trace to its end or to the damage.
pub fn map_wtf(source: &dyn ByteSource) -> WtfTimeline<'_> {
    let mut pass = Pass::new(source, Order::Arrival);
    let mut end = pass.run();
    if matches!(end, End::TimeWentBack) {
        drop(pass);
        pass = Pass::new(source, Order::Time);
        end = pass.run();
    }
    match end {
        End::Damage(error) => pass.finish(Some(error)),
        End::Whole | End::TimeWentBack => pass.finish(None),
    }
}

/// When the events of a zone are nested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    /// As they come.
    Arrival,
    /// When all are there, by time.
    Time,
}

/// Why a pass ended.
enum End {
    Whole,
    Damage(WtfError),
    /// Nesting in order of arrival is of no use.
    TimeWentBack,
}

struct Pass<'s> {
    reader: Reader<'s>,
    builder: Builder,
    order: Order,
    /// By type; none as long as no event of the type was met.
    plans: Vec<Option<Plan>>,
    zones: Vec<ZoneState>,
    /// By zone, in order of time.
    reorder_buffers: Vec<ReorderBuffer>,
    names: ZoneNames,
    last_micros: u32,
}

impl<'s> Pass<'s> {
    fn new(source: &'s dyn ByteSource, order: Order) -> Self {
        let reader = Reader::new(source);
        let origin_unix_ms = reader.header().and_then(|header| header.timebase_millis.as_f64());
        let title = reader.header().map(title).unwrap_or_default();
        let mut builder = Builder::new(title, Axis { unit: AxisUnit::Microseconds, origin_unix_ms });
        let [marks, ranges, frames, frame_end] =
            ["Marks", "Time ranges", "Frames", "wtf.timing#frameEnd"].map(|name| builder.intern(name.as_bytes()));
        Self {
            reader,
            builder,
            order,
            plans: Vec::new(),
            zones: Vec::new(),
            reorder_buffers: Vec::new(),
            names: ZoneNames { marks, ranges, frames, frame_end },
            last_micros: 0,
        }
    }

    /// Takes in all events.
    fn run(&mut self) -> End {
        loop {
            let event = match self.reader.next_event() {
                Ok(Some(event)) => event,
                Ok(None) => return End::Whole,
                Err(error) => return End::Damage(error),
            };
            let Some(zone) = event.zone else { continue };
            let zone = zone.0 as usize;
            while zone >= self.zones.len() {
                add_zone(&mut self.zones, &mut self.reorder_buffers, &mut self.builder);
            }
            let (Some(state), Some(reorder_buffer)) = (self.zones.get_mut(zone), self.reorder_buffers.get_mut(zone))
            else {
                continue;
            };
            state.arrive(event.time_micros, event.offset);
            if self.order == Order::Arrival && !state.figures.is_monotonic {
                return End::TimeWentBack;
            }
            self.last_micros = self.last_micros.max(event.time_micros);
            let planned = plan_event(&event, &mut self.plans, &mut self.builder);
            match self.order {
                Order::Arrival => state.apply(&planned, &self.names, &mut self.builder),
                Order::Time => reorder_buffer.push(planned),
            }
        }
    }

    fn finish(mut self, error: Option<WtfError>) -> WtfTimeline<'s> {
        let end = Tick(u64::from(self.last_micros));
        let zones = self.reader.zones().zones().to_vec();
        while self.zones.len() < zones.len() {
            add_zone(&mut self.zones, &mut self.reorder_buffers, &mut self.builder);
        }
        for (state, reorder_buffer) in self.zones.iter_mut().zip(self.reorder_buffers) {
            reorder_buffer.drain_in_order(|planned| state.apply(&planned, &self.names, &mut self.builder));
        }
        for state in &mut self.zones {
            state.finish(end, &mut self.builder);
        }
        note_header(self.reader.header(), &mut self.builder);
        let mut timeline = self.builder.finish(end);
        end_open_rows(&mut timeline, end);
        name_zones(&mut timeline, &self.zones, &zones);
        let figures: Vec<ZoneFigures> = self
            .zones
            .iter()
            .map(|state| timeline.track(state.track).map_or(state.figures, |track| state.figures.with_track(track)))
            .collect();
        let mut warnings = self.reader.warnings().clone();
        add_warnings(&figures, &mut warnings);
        WtfTimeline {
            timeline,
            header: self.reader.header().cloned(),
            zones,
            zone_tracks: self.zones.iter().map(|state| state.track).collect(),
            figures,
            warnings,
            error,
            record_count: self.reader.record_count(),
            chunk_count: self.reader.chunk_count(),
            index: self.reader.into_index(),
        }
    }
}

/// Makes the track of the next zone; its name comes at the end, when it is known for sure.
#[cold]
fn add_zone(zones: &mut Vec<ZoneState>, reorder_buffers: &mut Vec<ReorderBuffer>, builder: &mut Builder) {
    reorder_buffers.push(ReorderBuffer::default());
    zones.push(ZoneState::new(builder.track(StringId::EMPTY, TrackKind::Stack, None)));
}

#[inline]
fn plan_event(event: &Event<'_>, plans: &mut Vec<Option<Plan>>, builder: &mut Builder) -> ZoneEvent {
    let plan = match plans.get(event.type_index.0 as usize) {
        Some(&Some(plan)) => plan,
        _ => add_plan(event, plans, builder),
    };
    let key = if plan.action.has_key() { Key::of(plan.action, event) } else { Key::default() };
    let name = plan.name_of(event, builder);
    ZoneEvent { time_micros: event.time_micros, action: plan.action, name, record: event.offset, key }
}

#[cold]
fn add_plan(event: &Event<'_>, plans: &mut Vec<Option<Plan>>, builder: &mut Builder) -> Plan {
    let plan = Plan::new(event.event_type, builder);
    let index = event.type_index.0 as usize;
    if plans.len() <= index {
        plans.resize(index + 1, None);
    }
    if let Some(slot) = plans.get_mut(index) {
        *slot = Some(plan);
    }
    plan
}

/// Lets marks and ranges that were never ended last to the end of the trace.
fn end_open_rows(timeline: &mut Timeline, end: Tick) {
    let rows = timeline.tracks.iter_mut().filter(|track| matches!(track.kind, TrackKind::Marks | TrackKind::Ranges));
    for span in rows.flat_map(|track| &mut track.spans).filter(|span| span.timing() == Timing::OpenEnd) {
        *span = span.ending(end, Timing::OpenEnd);
    }
}

fn name_zones(timeline: &mut Timeline, states: &[ZoneState], zones: &[Zone]) {
    for (state, zone) in states.iter().zip(zones) {
        let mut intern = |text: &str| timeline.strings.intern(text.as_bytes());
        let name = zone.name.as_deref().map_or(StringId::EMPTY, &mut intern);
        let facts = [("type", &zone.kind), ("location", &zone.location)];
        let facts = facts.into_iter().filter_map(|(key, value)| Some((intern(key), intern(value.as_deref()?))));
        let facts: Vec<_> = facts.collect();
        if let Some(track) = timeline.tracks.get_mut(state.track.index()) {
            track.name = name;
            track.attributes = facts;
        }
    }
}

fn title(header: &TraceHeader) -> String {
    let context = header.context.as_ref();
    let field = |name: &str| context.and_then(|context| context.get(name)?.as_str()).filter(|text| !text.is_empty());
    field("title").or_else(|| field("uri")).unwrap_or("wtf-trace").to_owned()
}

fn note_header(header: Option<&TraceHeader>, builder: &mut Builder) {
    let Some(header) = header else { return };
    builder.metadata("dialect", header.dialect.name());
    builder.metadata("format version", header.format_version.to_string());
    builder.metadata("timebase ms", header.timebase_millis.to_string());
    builder.metadata("flags", header.flags.names().join(" "));
    if let Some(context) = &header.context {
        builder.metadata("context", context.to_string());
    }
    for (name, value) in &header.metadata {
        builder.metadata(name.clone(), value.to_string());
    }
}

fn add_warnings(figures: &[ZoneFigures], warnings: &mut Warnings) {
    let sum = |count: fn(&ZoneFigures) -> u64| figures.iter().map(count).sum();
    warnings.add_counts(WarningClass::AppendOutsideScope, sum(|zone| zone.homeless_data));
    warnings.add_counts(WarningClass::RangeEndUnmatched, sum(|zone| zone.unmatched_range_ends));
    warnings.add_counts(WarningClass::ScopeUnclosed, sum(|zone| zone.open_scopes));
    warnings.add_counts(WarningClass::ScopeUnderflow, sum(|zone| zone.underflow));
    warnings.add_counts(WarningClass::TimeNonmonotonic, sum(|zone| u64::from(!zone.is_monotonic)));
}

impl WtfTimeline<'_> {
    /// The record of an event of the timeline, as the format has it.
    pub(super) fn index(&self) -> &RecordIndex<'_> {
        &self.index
    }
}

impl From<RecordOffset> for crate::wtf::RecordOffset {
    fn from(offset: RecordOffset) -> Self {
        Self(offset.0)
    }
}
