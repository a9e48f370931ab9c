//! Timelines for people (text) and scripts (JSON lines): one line per event, by begin.

use std::collections::BTreeMap;
use std::io::Write;

use super::events::List;
use super::export::ExportError;
use super::health::health;
use super::{
    Argument, ArgumentSource, Event, EventKind, EventSubject, RecordOffset, SpanIndex, Tick, Timeline, Timing, TrackId,
    TrackKind,
};
use trace_base::listing::json_text::{push_members, push_string, push_value};
use trace_base::listing::{Filter, Length};
use trace_base::text::{Harmless, JsonLine, counted};

/// Which events to show.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Ticks to show, sorted and without overlaps; empty shows everything. See [`Selection::of_frames`].
    pub ticks: Vec<(Tick, Tick)>,
    /// What else has to hold.
    pub filter: Option<Filter>,
}

impl Selection {
    /// The ticks of the frames whose index `is_chosen`.
    pub fn of_frames(timeline: &Timeline, is_chosen: impl Fn(usize) -> bool) -> Vec<(Tick, Tick)> {
        let chosen = timeline.frames.iter().enumerate().filter(|(index, _)| is_chosen(*index));
        Self::join(chosen.map(|(_, frame)| (frame.begin, frame.end)).collect())
    }

    /// Sorts ranges of ticks and joins those that touch. No ranges select nothing.
    pub fn join(mut ticks: Vec<(Tick, Tick)>) -> Vec<(Tick, Tick)> {
        ticks.sort_unstable();
        ticks.dedup_by(|next, last| {
            let is_joined = next.0 <= last.1;
            last.1 = if is_joined { last.1.max(next.1) } else { last.1 };
            is_joined
        });
        // Nothing chosen shows nothing, which an empty list would not say.
        if ticks.is_empty() { vec![(Tick(u64::MAX), Tick(u64::MAX))] } else { ticks }
    }

    fn needs_arguments(&self) -> bool {
        self.filter.as_ref().is_some_and(Filter::needs_arguments)
    }

    /// Whether it shows everything.
    pub fn is_all(&self) -> bool {
        self.ticks.is_empty() && self.filter.is_none()
    }

    /// Whether something from `begin` to `end` touches the selected ticks.
    pub(super) fn shows_ticks(&self, begin: Tick, end: Tick) -> bool {
        let until = end.max(Tick(begin.0.saturating_add(1)));
        let before = self.ticks.partition_point(|(first, _)| *first < until).checked_sub(1);
        let last = before.and_then(|index| self.ticks.get(index));
        self.ticks.is_empty() || last.is_some_and(|(_, end)| *end > begin)
    }
}

/// How to write events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DumpForm {
    /// Columns: begin, length, track, name, arguments.
    Text,
    /// One JSON object per line.
    JsonLines,
}

/// Writes the selected events by begin and gives back how many there were.
pub fn write_events(
    timeline: &Timeline,
    source: &mut dyn ArgumentSource,
    selection: &Selection,
    form: DumpForm,
    out: &mut dyn Write,
) -> Result<u64, ExportError> {
    let head = JsonLine::head("timeline-event");
    let mut details = Details::new(timeline, source);
    let needs_arguments = selection.needs_arguments();
    let (mut line, mut shown) = (Vec::new(), 0);
    for event in timeline.events() {
        if !details.selects(selection, &event)? {
            continue;
        }
        if !needs_arguments {
            details.read(&event)?;
        }
        line.clear();
        match form {
            DumpForm::Text => text_line(&mut line, timeline, &event, &details.arguments),
            DumpForm::JsonLines => json_line(&mut line, &head, timeline, &event, &details.arguments),
        }
        out.write_all(&line)?;
        shown += 1;
    }
    Ok(shown)
}

/// Calls `each` with the selected events by begin, each with the list that it comes from and its index there.
pub(super) fn select_events(
    timeline: &Timeline,
    source: &mut dyn ArgumentSource,
    selection: &Selection,
    mut each: impl FnMut(List, usize, &Event),
) -> Result<(), ExportError> {
    let mut details = Details::new(timeline, source);
    let mut events = timeline.events();
    while let Some((list, index, event)) = events.next_place() {
        if details.selects(selection, &event)? {
            each(list, index, &event);
        }
    }
    Ok(())
}

/// Which of `stretches`, ascending and without overlaps where there are any, an event touches that `filter` accepts.
///
/// # Errors
/// The filter asks for arguments that can't be read again.
pub fn touched_stretches(
    timeline: &Timeline,
    source: &mut dyn ArgumentSource,
    filter: &Filter,
    stretches: &[Option<(Tick, Tick)>],
) -> Result<Vec<bool>, ExportError> {
    let mut ordered: Vec<(Tick, Tick, usize)> =
        stretches.iter().enumerate().filter_map(|(index, stretch)| stretch.map(|(a, b)| (a, b, index))).collect();
    ordered.sort_unstable();
    let ticks = Selection::join(ordered.iter().map(|(begin, end, _)| (*begin, *end)).collect());
    let mut touched = vec![false; stretches.len()];
    let selection = Selection { ticks, filter: Some(filter.clone()) };
    select_events(timeline, source, &selection, |_, _, event| {
        let until = event.end.max(Tick(event.begin.0.saturating_add(1)));
        let first = ordered.partition_point(|(_, end, _)| *end <= event.begin);
        for (.., index) in ordered.iter().skip(first).take_while(|(begin, ..)| *begin < until) {
            touched.get_mut(*index).into_iter().for_each(|touched| *touched = true);
        }
    })?;
    Ok(touched)
}

/// Arguments of events, those appended later included.
struct Details<'a> {
    timeline: &'a Timeline,
    source: &'a mut dyn ArgumentSource,
    appended: BTreeMap<(TrackId, SpanIndex), Vec<RecordOffset>>,
    /// Of the event that was read last.
    arguments: Vec<Argument>,
    more: Vec<Argument>,
}

impl<'a> Details<'a> {
    fn new(timeline: &'a Timeline, source: &'a mut dyn ArgumentSource) -> Self {
        let mut appended: BTreeMap<(TrackId, SpanIndex), Vec<RecordOffset>> = BTreeMap::new();
        for (id, track) in timeline.tracks() {
            for more in &track.appended {
                appended.entry((id, more.span)).or_default().push(more.record);
            }
        }
        Self { timeline, source, appended, arguments: Vec::new(), more: Vec::new() }
    }

    fn read(&mut self, event: &Event) -> Result<(), ExportError> {
        self.source.arguments(event.record, &mut self.arguments)?;
        let (Some(track), EventKind::Span(Some(span), _)) = (event.track, event.kind) else { return Ok(()) };
        for record in self.appended.get(&(track, span)).into_iter().flatten() {
            self.source.arguments(*record, &mut self.more)?;
            self.arguments.append(&mut self.more);
        }
        Ok(())
    }

    /// Whether `selection` shows `event`. Where that depends on the arguments, they have been read then.
    fn selects(&mut self, selection: &Selection, event: &Event) -> Result<bool, ExportError> {
        if !selection.shows_ticks(event.begin, event.end) {
            return Ok(false);
        }
        self.arguments.clear();
        if selection.needs_arguments() {
            self.read(event)?;
        }
        Ok(accepts(self.timeline, selection.filter.as_ref(), event, &self.arguments))
    }
}

fn accepts(timeline: &Timeline, filter: Option<&Filter>, event: &Event, arguments: &[Argument]) -> bool {
    filter.is_none_or(|filter| {
        let name = event_name(timeline, event);
        let length = Length { ticks: event.end.0 - event.begin.0, unit: timeline.axis.unit };
        filter.accepts(&EventSubject { name: &name, length, depth: event.depth, arguments })
    })
}

fn event_name(timeline: &Timeline, event: &Event) -> String {
    match event.kind {
        EventKind::Frame(number) => format!("frame {number}"),
        EventKind::Stamp(_) => "GPU time".into(),
        _ => timeline.text(event.name).into_owned(),
    }
}

/// `context 0x1 / debug groups` for a track below another.
pub(super) fn track_name(timeline: &Timeline, id: TrackId) -> String {
    let Some(track) = timeline.track(id) else { return String::new() };
    let own = timeline.text(track.name);
    match track.parent.and_then(|parent| timeline.track(parent)) {
        Some(parent) => format!("{} / {own}", timeline.text(parent.name)),
        None => own.into_owned(),
    }
}

fn text_line(line: &mut Vec<u8>, timeline: &Timeline, event: &Event, arguments: &[Argument]) {
    let length = match event.kind {
        EventKind::Span(_, Timing::OpenEnd) => "open".into(),
        _ if event.end == event.begin => "-".into(),
        _ => (event.end.0 - event.begin.0).to_string(),
    };
    let track = event.track.map(|id| escape(&track_name(timeline, id))).unwrap_or_default();
    let indent = "  ".repeat(event.depth.min(40) as usize);
    let name = escape(&event_name(timeline, event));
    let head = format!("{:>12} {length:>10}  {:<8} {track:<24} {indent}{name}", event.begin.0, event.kind.name());
    line.extend_from_slice(head.as_bytes());
    match event.kind {
        EventKind::Sample(value) => line.extend_from_slice(format!(" = {value}").as_bytes()),
        EventKind::Stamp(nanos) => line.extend_from_slice(format!(" = {nanos} ns").as_bytes()),
        EventKind::Flow(kind, flow) => line.extend_from_slice(format!(" {} of flow {flow}", kind.name()).as_bytes()),
        _ => {}
    }
    if !arguments.is_empty() {
        line.push(b'(');
        for (index, argument) in arguments.iter().enumerate() {
            line.extend_from_slice(if index == 0 { b"" } else { b", " });
            line.extend_from_slice(format!("{}=", escape(&argument.name)).as_bytes());
            push_value(line, &argument.value);
        }
        line.push(b')');
    }
    line.push(b'\n');
}

/// Names come from files.
pub(super) fn escape(text: &str) -> String {
    Harmless(text).to_string()
}

fn json_line(line: &mut Vec<u8>, head: &str, timeline: &Timeline, event: &Event, arguments: &[Argument]) {
    line.extend_from_slice(format!("{head},\"kind\":\"{}\",\"name\":", event.kind.name()).as_bytes());
    push_string(line, event_name(timeline, event).as_bytes());
    if let Some(id) = event.track {
        line.extend_from_slice(b",\"track\":");
        push_string(line, track_name(timeline, id).as_bytes());
    }
    line.extend_from_slice(format!(",\"begin\":{}", event.begin.0).as_bytes());
    let extra = match event.kind {
        EventKind::Span(_, timing) => {
            let closed = timing == Timing::Closed;
            format!(",\"end\":{},\"depth\":{},\"closed\":{closed}", event.end.0, event.depth)
        }
        EventKind::Frame(number) => format!(",\"end\":{},\"number\":{number}", event.end.0),
        EventKind::Step => format!(",\"end\":{}", event.end.0),
        EventKind::Sample(value) => format!(",\"value\":{value}"),
        EventKind::Stamp(nanos) => format!(",\"ns\":{nanos}"),
        EventKind::Flow(kind, flow) => format!(",\"flow\":{flow},\"step\":\"{}\"", kind.name()),
        EventKind::Instant(_) => format!(",\"depth\":{}", event.depth),
    };
    line.extend_from_slice(extra.as_bytes());
    if !arguments.is_empty() {
        line.extend_from_slice(b",\"args\":{");
        push_members(line, arguments, 0);
        line.push(b'}');
    }
    line.extend_from_slice(b"}\n");
}

/// Writes what there is: the axis, the tracks and how much lies on each.
pub fn write_overview(timeline: &Timeline, out: &mut dyn Write) -> std::io::Result<()> {
    let unit = timeline.axis.unit.name();
    let clock = if timeline.axis.unit.nanos_per_tick().is_some() { "" } else { " (the file records no time)" };
    writeln!(
        out,
        "{}: {} {unit}{clock}, {}",
        escape(&timeline.title),
        timeline.end.0,
        counted(timeline.frames.len(), "frame")
    )?;
    for (name, value) in &timeline.metadata {
        writeln!(out, "  {}: {}", escape(name), escape(value))?;
    }
    for (id, track) in timeline.tracks().filter(|(_, track)| !track.is_empty()) {
        let parts = [
            (track.spans.len() + track.without_begin.len(), "spans"),
            (track.instants.len(), "instants"),
            (track.steps.count(), "calls"),
            (track.samples.len(), "samples"),
        ];
        let parts: Vec<String> =
            parts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
        let unit = if let TrackKind::Counter { unit } = track.kind { format!(" in {unit}") } else { String::new() };
        writeln!(out, "  {:<40} {}{unit}", escape(&track_name(timeline, id)), parts.join(", "))?;
    }
    if !timeline.stamps.is_empty() {
        writeln!(
            out,
            "  {:<40} {}, {}",
            "GPU times",
            counted(timeline.stamps.len(), "stamp"),
            counted(timeline.measurements.len(), "measured span")
        )?;
    }
    let findings = health(timeline);
    if findings.is_empty() {
        writeln!(out, "  {:<40} sound: everything that begins also ends", "health")?;
    }
    for finding in findings {
        writeln!(out, "  {:<40} {}", "health", finding.in_words(timeline))?;
    }
    Ok(())
}
