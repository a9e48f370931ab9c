//! wtf-trace as one of the formats of annotations.

use std::fmt;
use std::io::{self, Write};

use super::{WtfTimeline, describe_wtf, map_wtf, write_canonical};
use crate::annotation::digest::add_size;
use crate::annotation::{AnnotationError, AnnotationFormat, CanonicalText, Facts, FactsRequest, FormatNames};
use crate::wtf::{Dialect, Reader, WarningClass, WtfError, write_event_line, write_header_lines};
use crate::{ArgumentSource, ExportError, MappedFile, Timeline};
use trace_base::bytes::{ByteSource, ReadError};
use trace_base::error::Classified;
use trace_base::text::counted;

/// The format, in all its dialects.
#[derive(Clone, Copy, Debug)]
pub struct Wtf;

const NAMES: FormatNames = FormatNames {
    name: "wtf-trace",
    noun: "a wtf-trace",
    title: "a wtf-trace of scopes and marks",
    extensions: &["wtf-trace", "wtf-json"],
};

impl AnnotationFormat for Wtf {
    fn names(&self) -> &'static FormatNames {
        &NAMES
    }

    fn begins(&self, start: &[u8]) -> bool {
        Dialect::has_binary_magic(start) || Dialect::may_be_json(start)
    }

    fn map<'s>(&self, source: &'s dyn ByteSource, _: &str) -> Result<Box<dyn MappedFile + 's>, AnnotationError> {
        let mut mapped = map_wtf(source);
        match (&mapped.header, mapped.error.take()) {
            (None, Some(error)) => Err(AnnotationError::no_header(error)),
            (_, error) => {
                mapped.error = error;
                Ok(Box::new(mapped))
            }
        }
    }

    fn facts(&self, source: &dyn ByteSource, request: FactsRequest) -> Result<Facts, ReadError> {
        let info = describe_wtf(source, request.digests);
        let mut members = info.facts;
        members.insert("error_message".into(), info.error.as_ref().map(ToString::to_string).into());
        members.insert("anomalies".into(), info.health);
        add_size(&mut members, source, request.digests)?;
        let has_header = members.get("dialect").is_some_and(serde_json::Value::is_string);
        Ok(Facts { members, error: info.error.map(|error| annotation_error(error, has_header)) })
    }

    fn canonical_texts(&self) -> &'static [CanonicalText] {
        const {
            &[
                CanonicalText { name: "events", write: write_events },
                CanonicalText { name: "timeline", write: write_timeline },
            ]
        }
    }
}

fn annotation_error(error: WtfError, has_header: bool) -> AnnotationError {
    if has_header { AnnotationError::ends_early(error) } else { AnnotationError::no_header(error) }
}

fn write_events(source: &dyn ByteSource, out: &mut dyn Write) -> Result<Option<AnnotationError>, ExportError> {
    let mut out = TextOut { out, failed: None };
    let mut reader = Reader::new(source);
    // The header is known before the first record, or never.
    let mut next = reader.next_event().map(|event| event.is_some());
    if let Some(header) = reader.header() {
        let written = write_header_lines(&mut out, header);
        out.done(written)?;
    }
    // The first record was only looked at: it is read again, with the others.
    let mut reader = Reader::new(source);
    let mut sequence = 0;
    while let Ok(true) = next {
        next = match reader.next_event() {
            Ok(Some(event)) => {
                use fmt::Write;
                let written = write_event_line(&mut out, sequence, &event).and_then(|()| out.write_char('\n'));
                out.done(written)?;
                sequence += 1;
                Ok(true)
            }
            Ok(None) => Ok(false),
            Err(error) => Err(error),
        };
    }
    Ok(next.err().map(|error| annotation_error(error, reader.header().is_some())))
}

fn write_timeline(source: &dyn ByteSource, out: &mut dyn Write) -> Result<Option<AnnotationError>, ExportError> {
    let trace = map_wtf(source);
    let mut out = TextOut { out, failed: None };
    let written = match &trace.header {
        Some(header) => write_header_lines(&mut out, header).and_then(|()| write_canonical(&mut out, &trace)),
        None => Ok(()),
    };
    out.done(written)?;
    let has_header = trace.header.is_some();
    Ok(trace.error.map(|error| annotation_error(error, has_header)))
}

/// Text to bytes; what went wrong in writing is kept, since formatting can't tell.
struct TextOut<'o> {
    out: &'o mut dyn Write,
    failed: Option<io::Error>,
}

impl TextOut<'_> {
    /// The error behind `written`, if there is one.
    fn done(&mut self, written: fmt::Result) -> Result<(), ExportError> {
        match (self.failed.take(), written) {
            (Some(error), _) => Err(error.into()),
            (None, Ok(())) => Ok(()),
            (None, Err(fmt::Error)) => Err(ExportError::FileChanged),
        }
    }
}

impl fmt::Write for TextOut<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.out.write_all(text.as_bytes()).map_err(|error| {
            self.failed = Some(error);
            fmt::Error
        })
    }
}

impl MappedFile for WtfTimeline<'_> {
    fn timeline(&self) -> &Timeline {
        &self.timeline
    }

    fn timeline_mut(&mut self) -> &mut Timeline {
        &mut self.timeline
    }

    fn arguments(&self) -> Box<dyn ArgumentSource + '_> {
        Box::new(WtfTimeline::arguments(self))
    }

    fn warnings(&self) -> Vec<String> {
        let text = |(warning, count): (&WarningClass, &u64)| {
            let mut letters = warning.meaning().chars();
            let first = letters.next().map(|letter| letter.to_ascii_lowercase());
            let meaning: String = first.into_iter().chain(letters).collect();
            format!("{meaning} ({}, {})", warning.name(), counted(count, "time"))
        };
        self.warnings.counts().iter().map(text).collect()
    }

    fn damage(&self) -> Option<&dyn Classified> {
        self.error.as_ref().map(|error| error as &dyn Classified)
    }
}
