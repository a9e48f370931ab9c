//! The canonical text of a timeline, over which the digests of the reference are taken.
//!
//! ```text
//! Z zone "name" "type" "location"                    per zone, then what is in it:
//! S zone start end|- depth "name" {arguments}        scopes by start, with appended arguments
//! I zone time depth "name" {arguments}               instants
//! M zone time "name" value                           marks
//! F zone number start|- end|-                        frames
//! R zone id "name" start end|- value                 time ranges
//! W zone time depth "type" {arguments}               flow records
//! ```
//!
//! An event that is called what its argument `name` says does not show that argument again. Where that is null, which an
//! empty one in version 3 is too, it is called as its type. Frames come by start, of those that start together by end, the
//! open ones last; an end without a start is no frame and has no line.

use std::fmt::{self, Write};

use crate::wtf::{Event, RecordCursor, Role, Value, write_quoted, write_value};
use crate::{RecordOffset, SpanIndex, Timing, Track, TrackId, TrackKind};

use super::WtfTimeline;

/// Writes the lines, each with its line feed. The header lines come from
/// [`write_header_lines`](crate::wtf::write_header_lines).
pub fn write_canonical(out: &mut impl Write, trace: &WtfTimeline<'_>) -> fmt::Result {
    for (zone, (facts, &id)) in trace.zones.iter().zip(&trace.zone_tracks).enumerate() {
        write!(out, "Z {zone}")?;
        for fact in [&facts.name, &facts.kind, &facts.location] {
            out.write_char(' ')?;
            match fact {
                Some(text) => write_quoted(out, text)?,
                None => out.write_str("null")?,
            }
        }
        out.write_char('\n')?;
        let Some(track) = trace.timeline.track(id) else { continue };
        let mut lines = LineWriter { out: &mut *out, trace, zone, id, records: trace.index().cursor() };
        lines.write_scopes(track)?;
        lines.write_instants(track)?;
        lines.write_marks()?;
        lines.write_frames()?;
        lines.write_ranges()?;
        lines.write_flows()?;
    }
    Ok(())
}

struct LineWriter<'a, W> {
    out: &'a mut W,
    trace: &'a WtfTimeline<'a>,
    zone: usize,
    id: TrackId,
    records: RecordCursor<'a>,
}

impl<W: Write> LineWriter<'_, W> {
    fn write_scopes(&mut self, track: &Track) -> fmt::Result {
        let mut appended: Vec<(SpanIndex, RecordOffset)> = track.appended.iter().map(|a| (a.span, a.record)).collect();
        // Stable: what was appended to one span stays in order.
        appended.sort_by_key(|&(span, _)| span);
        let mut rest = appended.as_slice();
        for (index, span) in track.spans.iter().enumerate() {
            write!(self.out, "S {} {} ", self.zone, span.begin().0)?;
            match span.timing() {
                Timing::OpenEnd => self.out.write_char('-')?,
                _ => write!(self.out, "{}", span.end().0)?,
            }
            write!(self.out, " {} ", span.depth())?;
            write_quoted(self.out, &self.trace.timeline.text(span.name()))?;
            let count = rest.iter().take_while(|(span, _)| span.0 as usize == index).count();
            let (own, others) = rest.split_at(count);
            rest = others;
            self.write_fields(span.record(), own)?;
        }
        Ok(())
    }

    /// Writes the arguments of a record and those appended to it, later ones in place of earlier ones of that name.
    fn write_fields(&mut self, record: RecordOffset, appended: &[(SpanIndex, RecordOffset)]) -> fmt::Result {
        let mut fields: Vec<(String, String)> = Vec::new();
        for record in std::iter::once(record).chain(appended.iter().map(|&(_, record)| record)) {
            let event = self.records.event_at(record.into()).map_err(|_| fmt::Error)?;
            // A record may have two arguments of one name, and both are its own.
            let before = fields.len();
            for (name, value) in own_fields(&event)? {
                match fields.iter_mut().take(before).find(|(known, _)| *known == name) {
                    Some((_, known)) => *known = value,
                    None => fields.push((name, value)),
                }
            }
        }
        self.out.write_str(" {")?;
        for (index, (name, value)) in fields.iter().enumerate() {
            self.out.write_str(if index > 0 { "," } else { "" })?;
            write_quoted(self.out, name)?;
            write!(self.out, ":{value}")?;
        }
        self.out.write_str("}\n")
    }

    fn write_instants(&mut self, track: &Track) -> fmt::Result {
        for instant in &track.instants {
            write!(self.out, "I {} {} {} ", self.zone, instant.at().0, instant.depth())?;
            write_quoted(self.out, &self.trace.timeline.text(instant.name()))?;
            self.write_fields(instant.record(), &[])?;
        }
        Ok(())
    }

    fn children(&self, kind: TrackKind) -> impl Iterator<Item = &Track> {
        self.trace.timeline.tracks.iter().filter(move |track| track.parent == Some(self.id) && track.kind == kind)
    }

    fn write_marks(&mut self) -> fmt::Result {
        let marks: Vec<_> = self.children(TrackKind::Marks).flat_map(|track| track.spans.clone()).collect();
        for mark in marks {
            write!(self.out, "M {} {} ", self.zone, mark.begin().0)?;
            self.write_name_and(mark.record(), "", "value")?;
        }
        Ok(())
    }

    fn write_frames(&mut self) -> fmt::Result {
        let frames = self.trace.timeline.frames.iter().filter(|frame| frame.track == Some(self.id));
        let mut frames: Vec<_> = frames.collect();
        frames.sort_by_key(|frame| frame.begin);
        for frame in frames {
            write!(self.out, "F {} {} {} ", self.zone, frame.number, frame.begin.0)?;
            match frame.ended_by {
                Some(_) => writeln!(self.out, "{}", frame.end.0)?,
                None => writeln!(self.out, "-")?,
            }
        }
        Ok(())
    }

    fn write_ranges(&mut self) -> fmt::Result {
        let ranges: Vec<_> = self.children(TrackKind::Ranges).flat_map(|track| track.spans.clone()).collect();
        for range in ranges {
            let id = {
                let event = self.records.event_at(range.record().into()).map_err(|_| fmt::Error)?;
                event.argument("id").as_integer().unwrap_or_default()
            };
            write!(self.out, "R {} {id} ", self.zone)?;
            let end = match range.timing() {
                Timing::OpenEnd => "-".into(),
                _ => range.end().0.to_string(),
            };
            self.write_name_and(range.record(), &format!("{} {end} ", range.begin().0), "value")?;
        }
        Ok(())
    }

    /// Writes the argument `name`, some text, and another argument.
    fn write_name_and(&mut self, record: RecordOffset, between: &str, last: &str) -> fmt::Result {
        let event = self.records.event_at(record.into()).map_err(|_| fmt::Error)?;
        write_value(self.out, event.argument("name"))?;
        write!(self.out, " {between}")?;
        write_value(self.out, event.argument(last))?;
        self.out.write_char('\n')
    }

    fn write_flows(&mut self) -> fmt::Result {
        let trace = self.trace;
        for point in trace.timeline.flows.iter().filter(|point| point.track == self.id) {
            write!(self.out, "W {} {} {} ", self.zone, point.at.0, point.depth)?;
            let event = self.records.event_at(point.record.into()).map_err(|_| fmt::Error)?;
            write_quoted(self.out, &event.event_type.name)?;
            self.out.write_char(' ')?;
            crate::wtf::write_arguments(self.out, event.arguments())?;
            self.out.write_char('\n')?;
        }
        Ok(())
    }
}

/// The arguments that a scope or instant shows. Appended data of the generic kind shows its value under its name.
fn own_fields(event: &Event<'_>) -> Result<Vec<(String, String)>, fmt::Error> {
    let text = |value: Value<'_>| {
        let mut text = String::new();
        write_value(&mut text, value).map(|()| text)
    };
    let role = event.event_type.role;
    if role == Role::ScopeAppend {
        let name = event.argument("name").as_text().map(|name| name.to_str().into_owned()).unwrap_or_default();
        return Ok(vec![(name, text(event.argument("value"))?)]);
    }
    let hides_name = matches!(role, Role::ScopeEnter | Role::TimeStamp);
    let shown = event.arguments().filter(|&(name, _)| !(hides_name && name == "name"));
    shown.map(|(name, value)| Ok((name.to_owned(), text(value)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::annotation::wtf::map_wtf;
    use trace_base::bytes::MemorySource;

    #[test]
    fn two_arguments_of_one_name_are_both_there() {
        let entries = serde_json::json!([
            {"type": "wtf.json#header", "format_version": 2, "timebase": 0},
            {"type": "wtf.event#define", "signature": "my#scope(int32 a, int32 a)", "event_id": 1, "event_class": "scope"},
            {"event": "wtf.zone#create", "time": 0, "args": [7, "zone", "type", ""]},
            {"event": "wtf.zone#set", "time": 0, "args": [7]},
            {"event": 1, "time": 1, "args": [2, 3]},
            {"event": "wtf.scope#leave", "time": 2},
        ]);
        let source = MemorySource::from(entries.to_string().into_bytes());
        let mut text = String::new();
        write_canonical(&mut text, &map_wtf(&source)).unwrap();
        let scope = text.lines().find(|line| line.starts_with('S')).unwrap();
        assert!(scope.ends_with(r#""my#scope" {"a":2,"a":3}"#), "{text}");
    }

    #[test]
    fn a_header_that_is_no_text_is_told_as_that() {
        let mut bytes = include_bytes!("../../../../../fixtures/wtf/cff/cffle0_basic.wtf-trace").to_vec();
        let at = bytes.windows(4).position(|word| word == b"Demo").unwrap();
        bytes[at] = 0xff;
        let error = map_wtf(&MemorySource::from(bytes)).error.unwrap();
        assert_eq!(error.class(), "header_json");
        let found = format!("found byte 0xff, which is not UTF-8, at {at:#x} in it, at 0x30");
        assert!(error.to_string().ends_with(&found), "{error}");
    }
}
