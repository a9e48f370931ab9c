//! WIP15 as one of the formats of annotations.

use std::io::{self, Write};

use serde_json::{Map, Value, json};

use super::blobs::CallBlobs;
use super::{Wip15Timeline, info_wip15, map_wip15};
use crate::annotation::digest::{TextDigest, add_size};
use crate::annotation::{
    AnnotationError, AnnotationFormat, BlobFormat, Blobs, CanonicalText, Dialects, Digests, Facts, FactsRequest,
    FormatNames,
};
use crate::wip15::{self, BlobPolicy, Damage, Error, Layouts, Reader, is_wip15, write_canonical};
use crate::{ArgumentSource, ExportError, MappedFile, Timeline, UploadedBytes};
use trace_base::bytes::{ByteSource, ReadError};
use trace_base::error::Classified;
use trace_base::text::counted;
use trace_base::text::json_text;

/// The format.
#[derive(Clone, Copy, Debug)]
pub struct Wip15;

const NAMES: FormatNames = FormatNames {
    name: "wip15",
    noun: "a WIP15 trace",
    title: "a WIP15 trace of OpenGL calls",
    extensions: &["trace"],
};

impl AnnotationFormat for Wip15 {
    fn names(&self) -> &'static FormatNames {
        &NAMES
    }

    fn begins(&self, start: &[u8]) -> bool {
        is_wip15(start)
    }

    fn begins_cut_short(&self, start: &[u8]) -> bool {
        wip15::MAGIC.starts_with(start)
    }

    fn map<'s>(&self, source: &'s dyn ByteSource, title: &str) -> Result<Box<dyn MappedFile + 's>, AnnotationError> {
        let mapped = map_wip15(source, title, BlobPolicy::Skip).map_err(AnnotationError::no_header)?;
        Ok(Box::new(Mapped { mapped, source }))
    }

    fn facts(&self, source: &dyn ByteSource, request: FactsRequest) -> Result<Facts, ReadError> {
        let layouts = match request.dialects {
            Dialects::All => Layouts::All,
            Dialects::Original => Layouts::SeedOnly,
        };
        let (mut members, error) = match info_wip15(source, layouts) {
            Ok((members, error)) => (members, error.map(AnnotationError::ends_early)),
            Err(error) => (headless(&error), Some(AnnotationError::no_header(error))),
        };
        // The names that the references use for made files beside those for recorded ones.
        for (alias, name) in [("functions", "functions_declared"), ("groups", "groups_declared")] {
            let value = members.get(name).cloned().unwrap_or_else(|| json!(0));
            members.insert(alias.into(), value);
        }
        add_size(&mut members, source, request.digests)?;
        if request.digests == Digests::Taken {
            let text = canonical_digest(source, layouts);
            members.insert("canonical_lines".into(), text.lines().into());
            members.insert("canonical_sha256".into(), text.hex().into());
        }
        Ok(Facts { members, error })
    }

    fn canonical_texts(&self) -> &'static [CanonicalText] {
        const { &[CanonicalText { name: "ops", write: write_ops }, CanonicalText { name: "timeline", write: write_listing }] }
    }

    fn blobs(&self) -> Option<&'static dyn BlobFormat> {
        Some(&Wip15)
    }
}

impl BlobFormat for Wip15 {
    fn open<'s>(&self, source: &'s dyn ByteSource) -> Result<Box<dyn Blobs + 's>, AnnotationError> {
        let reader = Reader::open(source, BlobPolicy::Skip).map_err(AnnotationError::no_header)?;
        Ok(Box::new(CallBlobs::new(reader)))
    }
}

/// The facts about a trace whose header can't be read.
fn headless(error: &Error) -> Map<String, Value> {
    let facts = [
        ("calls", json!(0)),
        ("warnings", json!({})),
        ("result", json!(error.class())),
        ("error", json!(Damage::new(error, 0))),
        ("error_offset", json!(error.offset())),
        ("timeline", Value::Null),
    ];
    facts.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// The digest of the lines of all operations that can be read: of none without a header.
fn canonical_digest(source: &dyn ByteSource, layouts: Layouts) -> TextDigest {
    let digest_of = |mut reader: Reader<'_>| -> io::Result<TextDigest> {
        let mut text = TextDigest::default();
        write_canonical(&mut reader, &mut text)?;
        Ok(text)
    };
    let reader = Reader::open(source, BlobPolicy::Check).ok();
    // Writing to a digest can't fail.
    reader.and_then(|reader| digest_of(reader.with_layouts(layouts)).ok()).unwrap_or_default()
}

fn write_ops(source: &dyn ByteSource, mut out: &mut dyn Write) -> Result<Option<AnnotationError>, ExportError> {
    let mut reader = match Reader::open(source, BlobPolicy::Check) {
        Ok(reader) => reader,
        Err(error) => return Ok(Some(AnnotationError::no_header(error))),
    };
    Ok(write_canonical(&mut reader, &mut out)?.map(AnnotationError::ends_early))
}

/// The reference has no text for the timeline of a WIP15 trace, but a JSON object.
fn write_listing(source: &dyn ByteSource, out: &mut dyn Write) -> Result<Option<AnnotationError>, ExportError> {
    let mapped = match map_wip15(source, "", BlobPolicy::Check) {
        Ok(mapped) => mapped,
        Err(error) => return Ok(Some(AnnotationError::no_header(error))),
    };
    writeln!(out, "{}", json_text(&mapped.listing(source)?))?;
    Ok(mapped.error.map(AnnotationError::ends_early))
}

struct Mapped<'s> {
    mapped: Wip15Timeline,
    source: &'s dyn ByteSource,
}

impl MappedFile for Mapped<'_> {
    fn timeline(&self) -> &Timeline {
        &self.mapped.timeline
    }

    fn timeline_mut(&mut self) -> &mut Timeline {
        &mut self.mapped.timeline
    }

    fn arguments(&self) -> Box<dyn ArgumentSource + '_> {
        Box::new(self.mapped.arguments(self.source))
    }

    fn uploads(&self) -> Vec<Vec<UploadedBytes>> {
        super::blobs::uploads_of_frames(&self.mapped.timeline, self.source)
    }

    fn warnings(&self) -> Vec<String> {
        let text = |(warning, count, first): (wip15::Warning, u64, u64)| {
            format!("{} ({}, {}), first at {first:#x}", warning.meaning(), warning.name(), counted(count, "time"))
        };
        self.mapped.warnings.iter().map(text).collect()
    }

    fn damage(&self) -> Option<&dyn Classified> {
        self.mapped.error.as_ref().map(|error| error as &dyn Classified)
    }
}
