//! The figures of a WIP15 timeline and their JSON form.

use serde_json::{Map, Value, json};

use super::arguments::{number, signed};
use super::mapping::map_ops;
use super::{SpanKind, Wip15Arguments, Wip15Timeline};
use crate::wip15::{BlobPolicy, Call, Error, Layouts, Reader, summarize};
use crate::{ArgumentError, Instant, InstantKind, Span, Timing, health_to_json};
use trace_base::bytes::ByteSource;

/// Everything that `info` says about a trace, as members of one JSON object: the figures of
/// [`summarize`], and those of the timeline under `timeline`. Every blob is checked.
/// Beside it the error that ended the trace early, if one did.
pub fn info_wip15(source: &dyn ByteSource, layouts: Layouts) -> Result<(Map<String, Value>, Option<Error>), Error> {
    let (summary, error) = summarize(&mut Reader::open(source, BlobPolicy::Check)?.with_layouts(layouts));
    // The first pass has checked the blobs, and the second stops where the first stopped.
    let blobs = if error.is_some() { BlobPolicy::Check } else { BlobPolicy::Skip };
    let mapped = map_ops(Reader::open(source, blobs)?.with_layouts(layouts), "");
    let mut info = Map::from_iter([("format".to_owned(), "wip15".into()), ("size".into(), source.size_bytes().into())]);
    if let Ok(Value::Object(figures)) = serde_json::to_value(summary) {
        info.extend(figures);
        // What is laid beside the frames of a trace: calls after the last swap are a frame that was never shown.
        let shown = mapped.timeline.frames.iter().filter(|frame| frame.ended_by.is_some()).count();
        info.insert("frames_shown".into(), shown.into());
        info.insert("timeline".into(), mapped.figures());
        info.insert("anomalies".into(), health_to_json(&mapped.timeline));
    }
    Ok((info, error))
}

impl Wip15Timeline {
    /// A source for the arguments of this timeline's events; `source` is the file that it was made from.
    pub fn arguments<'s>(&self, source: &'s dyn ByteSource) -> Wip15Arguments<'s, '_> {
        Wip15Arguments::new(source, self.header, &self.tables)
    }

    /// `ok`, or the class of the error that ended the trace.
    pub fn result(&self) -> &'static str {
        self.error.as_ref().map_or("ok", |error| error.class())
    }

    /// The counts of `timeline info`: frames, spans, open_spans, max_depth, unmatched_pops, instants, labels, times,
    /// elapsed, result.
    pub fn figures(&self) -> Value {
        let count = |is: fn(&Span) -> bool| self.spans().filter(|(_, span)| is(span)).count();
        let max_depth = self.spans().map(|(_, span)| u64::from(span.depth()) + 1).max();
        json!({
            "result": self.result(),
            "frames": self.timeline.frames.len(),
            "spans": count(|_| true),
            "open_spans": count(|span| span.timing() == Timing::OpenEnd),
            "max_depth": max_depth.unwrap_or(0),
            "unmatched_pops": self.unmatched_pops,
            "instants": self.listed_instants().count(),
            "labels": self.label_instants().len(),
            "times": self.timeline.stamps.len(),
            "elapsed": self.timeline.measurements.len(),
        })
    }

    /// Everything on the timeline but the calls, in the form of the reference's expected results.
    pub fn listing(&self, source: &dyn ByteSource) -> Result<Value, ArgumentError> {
        let mut arguments = self.arguments(source);
        let mut instants = Vec::new();
        for instant in self.listed_instants() {
            instants.push(self.list_instant(instant, &arguments.call_at(instant.record())?));
        }
        let mut labels = Vec::new();
        for label in self.label_instants() {
            labels.push(self.list_label(label, &arguments.call_at(label.record())?));
        }
        Ok(json!({
            "result": self.result(),
            "calls": self.timeline.end.0,
            "frames": self.list_frames(),
            "spans": self.list_spans(&mut arguments)?,
            "instants": instants,
            "labels": labels,
            "times": self.list_times(),
            "elapsed": self.list_elapsed(),
            "unmatched_pops": self.unmatched_pops,
            "odd_signature": self.odd_signatures,
        }))
    }

    fn spans(&self) -> impl Iterator<Item = (SpanKind, &Span)> {
        self.lanes.iter().flat_map(|lane| {
            let spans = self.timeline.track(lane.track).map_or([].as_slice(), |row| &row.spans);
            spans.iter().map(move |span| (lane.kind, span))
        })
    }

    fn listed_instants(&self) -> impl Iterator<Item = &Instant> {
        let all = self.timeline.track(self.messages).map_or([].as_slice(), |track| &track.instants);
        all.iter().filter(|instant| instant.kind() != InstantKind::Internal)
    }

    fn label_instants(&self) -> &[Instant] {
        self.timeline.track(self.labels).map_or(&[], |track| &track.instants)
    }

    fn list_frames(&self) -> Vec<Value> {
        let list = |frame: crate::Frame| {
            json!({
                "begin": frame.begin.0,
                "end": frame.end.0,
                "swap": frame.ended_by.map(|name| self.timeline.text(name)),
                "drawable": frame.drawable,
            })
        };
        self.timeline.frames.iter().map(list).collect()
    }

    fn list_spans(&self, arguments: &mut Wip15Arguments<'_, '_>) -> Result<Vec<Value>, ArgumentError> {
        let mut spans = Vec::new();
        for lane in &self.lanes {
            for span in self.timeline.track(lane.track).iter().flat_map(|track| &track.spans) {
                let mut entry = json!({
                    "kind": lane.kind.name(),
                    "ctx": lane.context,
                    "begin": span.begin().0,
                    "end": span.end().0,
                    "depth": span.depth(),
                    "closed": span.timing() == Timing::Closed,
                    "text": self.timeline.text(span.name()),
                });
                let fields: &[(&str, usize)] = match lane.kind {
                    SpanKind::Group => &[("source", 0), ("id", 1)],
                    SpanKind::Query => &[("id", 1)],
                    SpanKind::Marker | SpanKind::Feedback | SpanKind::Test => &[],
                };
                let call = arguments.call_at(span.record())?;
                add_numbers(&mut entry, &call, fields);
                spans.push(((span.begin(), spans.len()), entry));
            }
        }
        spans.sort_by_key(|(place, _)| *place);
        Ok(spans.into_iter().map(|(_, entry)| entry).collect())
    }

    fn list_instant(&self, instant: &Instant, call: &Call<'_>) -> Value {
        let text = self.timeline.text(instant.name());
        let mut entry = json!({"call": instant.at().0, "text": text});
        let kind = match (instant.kind(), &*call.function.name) {
            (InstantKind::Size, _) => "size",
            (_, b"glInsertEventMarkerEXT") => "event_marker",
            (_, b"glStringMarkerGREMEDY") => "string_marker",
            _ => "message",
        };
        set(&mut entry, "kind", kind.into());
        if kind == "message" {
            add_numbers(&mut entry, call, &[("source", 0), ("type", 1), ("id", 2), ("severity", 3)]);
        }
        entry
    }

    fn list_label(&self, label: &Instant, call: &Call<'_>) -> Value {
        let mut entry = json!({"call": label.at().0, "text": self.timeline.text(label.name())});
        let is_pointer = call.function.arguments.len() == 3;
        let fields: &[(&str, usize)] = if is_pointer { &[("ptr", 0)] } else { &[("identifier", 0), ("name", 1)] };
        add_numbers(&mut entry, call, fields);
        entry
    }

    fn list_times(&self) -> Vec<Value> {
        self.timeline.stamps.iter().map(|stamp| json!({"call": stamp.at.0, "ns": stamp.nanos})).collect()
    }

    fn list_elapsed(&self) -> Vec<Value> {
        let measured = self.timeline.measurements.iter().filter_map(|measured| {
            let span = self.timeline.track(measured.track)?.span(measured.span)?;
            Some((span.begin().0, measured.nanos))
        });
        measured.map(|(call, nanos)| json!({"call": call, "ns": nanos})).collect()
    }
}

fn add_numbers(entry: &mut Value, call: &Call<'_>, fields: &[(&str, usize)]) {
    for &(name, index) in fields {
        let value = number(call, index).map(Value::from).or_else(|| signed(call, index).map(Value::from));
        set(entry, name, value.unwrap_or_default());
    }
}

fn set(entry: &mut Value, name: &str, value: Value) {
    entry.as_object_mut().unwrap_or(&mut Map::new()).insert(name.into(), value);
}
