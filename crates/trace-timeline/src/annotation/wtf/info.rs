//! The facts about a trace that `timeline info` gives, under the names that the reference uses.

use std::fmt::Write;

use serde_json::{Map, Value as JsonValue, json};

use crate::annotation::Digests;
use crate::annotation::digest::TextDigest;
use crate::health_to_json;
use crate::wtf::{Reader, Summary, WtfError, Zone, count, write_event_line};
use trace_base::bytes::ByteSource;

use super::{WtfTimeline, ZoneFigures, map_wtf, write_canonical};

/// What there is to say about a trace.
#[derive(Debug)]
pub struct WtfInfo {
    /// One object: `dialect`, `records`, `type_counts`, `zones`, `warnings`, `error`, …
    pub facts: Map<String, JsonValue>,
    /// What ended the trace early; its class and offset are among the facts.
    pub error: Option<WtfError>,
    /// How sound it is, as a JSON array: nothing that the references tell.
    pub health: JsonValue,
}

/// Reads a trace and tells what is in it.
pub fn describe_wtf(source: &dyn ByteSource, digests: Digests) -> WtfInfo {
    let summary = count(&mut Reader::new(source));
    let trace = map_wtf(source);
    let mut facts = Map::new();
    add_header(&trace, &mut facts);
    add_counts(&summary, &trace, &mut facts);
    if digests == Digests::Taken {
        facts.insert("events_sha256".into(), events_digest(source).into());
        let mut digest = TextDigest::default();
        // Writing to a digest can't fail; decoding can, if the file changed meanwhile: then there is no digest.
        let written = write_canonical(&mut digest, &trace);
        facts.insert("timeline_sha256".into(), written.ok().map(|()| digest.hex()).into());
    }
    let zones = trace.zones.iter().zip(&trace.figures).enumerate();
    let zones = zones.map(|(index, (zone, figures))| zone_facts(index, zone, figures)).collect();
    facts.insert("zones".into(), JsonValue::Array(zones));
    let health = health_to_json(&trace.timeline);
    WtfInfo { facts, error: trace.error, health }
}

fn add_header(trace: &WtfTimeline<'_>, facts: &mut Map<String, JsonValue>) {
    let header = trace.header.as_ref();
    let mut add = |name: &str, value: Option<JsonValue>| {
        facts.insert(name.into(), value.unwrap_or_default());
    };
    add("dialect", header.map(|header| header.dialect.name().into()));
    add("format_version", header.map(|header| header.format_version.into()));
    add("wtf_version", header.map(|header| header.wtf_version.into()));
    add("flags", header.map(|header| header.flags.names().into()));
    add("timebase", header.map(|header| JsonValue::Number(header.timebase_millis.clone())));
    add("context", header.and_then(|header| header.context.clone()));
    add("metadata", header.map(|header| JsonValue::Object(header.metadata.clone())));
}

fn add_counts(summary: &Summary, trace: &WtfTimeline<'_>, facts: &mut Map<String, JsonValue>) {
    let mut add = |name: &str, value: JsonValue| {
        facts.insert(name.into(), value);
    };
    add("chunks", trace.chunk_count.into());
    add("records", trace.record_count.into());
    add("event_types", summary.event_types.into());
    add("type_counts", summary.type_counts.iter().map(|(name, &count)| (name.clone(), count)).collect());
    add("time_min_us", summary.time_min_micros.into());
    add("time_max_us", summary.time_max_micros.into());
    add("discontinuities", summary.discontinuities.into());
    add("warnings", trace.warnings.names().into());
    add("error", trace.error.as_ref().map(WtfError::class).into());
    add("error_offset", trace.error.as_ref().map(|error| error.offset).into());
}

fn zone_facts(index: usize, zone: &Zone, figures: &ZoneFigures) -> JsonValue {
    json!({
        "index": index,
        "wire": zone.wire,
        "name": zone.name.as_deref(),
        "type": zone.kind.as_deref(),
        "location": zone.location.as_deref(),
        "events": figures.events,
        "scopes": figures.scopes,
        "instants": figures.instants,
        "marks": figures.marks,
        "frames": figures.frames,
        "complete_frames": figures.complete_frames,
        "ranges": figures.ranges,
        "flow_records": figures.flow_records,
        "max_depth": figures.max_depth,
        "open_scopes": figures.open_scopes,
        "underflow": figures.underflow,
        "total_scope_us": figures.total_scope_micros,
        "monotonic": figures.is_monotonic,
    })
}

/// The digest over the lines of all records that can be read.
fn events_digest(source: &dyn ByteSource) -> Option<String> {
    let mut digest = TextDigest::default();
    let mut reader = Reader::new(source);
    let mut sequence = 0;
    while let Ok(Some(event)) = reader.next_event() {
        write_event_line(&mut digest, sequence, &event).ok()?;
        digest.write_char('\n').ok()?;
        sequence += 1;
    }
    Some(digest.hex())
}
