//! `dump TRACE`: every byte of the file, what it is and what it says.

mod canonical;
mod writer;

use std::ops::Range;

use serde_json::json;

use self::writer::DumpWriter;
use super::args::{CommonArgs, DumpArgs, DumpText};
use super::exit::{Exit, Failure};
use super::open::{completeness, open_tolerantly, report};
use crate::abi::{
    ByteReader, Diagnostic, ExplainedField, LISTED_ELEMENTS, Severity, can_be_explained, explain_packets,
    explain_stream, explain_table, foreign_name,
};
use crate::bytes::Diagnostics;
use crate::error::{Classified, ErrorKind};
use crate::format::aerogpu::{
    BlobHeader, BlobKind, DamageTolerance, FOOTER_BYTES, FRAME_ENTRY_BYTES, FormatError, FrameSource, HEADER_BYTES,
    RECORD_HEADER_BYTES, Record, RecordBody, Submission, TOC_HEADER_BYTES, Trace,
};
use crate::limits::MAX_PACKET_BYTES;
use crate::timeline::AxisUnit;

pub(super) fn run(args: &DumpArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let trace = open_tolerantly(&args.trace, DamageTolerance::AnyDamagedEnd, common)?;
    if let Some(DumpText::Packets) = args.canonical {
        return canonical::run(&trace);
    }
    args.filter.check(Some(LENGTH_UNIT))?;
    let mut dump = Dump {
        writer: DumpWriter::new(&trace, common.json, args.hex, &args.filter),
        trace: &trace,
        exit: completeness(&trace),
        diagnostics: Diagnostics::new(),
    };
    match &args.frames {
        None => dump.whole_file()?,
        Some(set) => {
            for frame in set.resolve(trace.frames().len() as u32).map_err(Failure::usage)? {
                if let Some(span) = trace.frame(frame) {
                    dump.records(span.bytes.clone())?;
                }
            }
        }
    }
    let Dump { writer, exit, mut diagnostics, .. } = dump;
    writer.finish()?;
    report(&mut diagnostics, common)?;
    Ok(exit)
}

/// What `@duration` of a line is: a trace has no clock.
const LENGTH_UNIT: AxisUnit = AxisUnit::Bytes;

struct Dump<'a> {
    trace: &'a Trace,
    writer: DumpWriter<'a>,
    exit: Exit,
    diagnostics: Diagnostics,
}

impl Dump<'_> {
    fn whole_file(&mut self) -> Result<(), Failure> {
        let header = *self.trace.header();
        let fields = [
            ("container_version", json!(header.container_version)),
            ("command_abi_version", json!(header.command_abi_version)),
            ("flags", json!(header.flags)),
            ("meta_len", json!(header.meta_len)),
            ("reserved", json!(header.reserved)),
        ]
        .map(ExplainedField::from);
        self.writer.line("header", "TraceHeader", 0..HEADER_BYTES, 0, &fields)?;
        let stream = self.trace.stream();
        let meta = String::from_utf8_lossy(&self.trace.meta().bytes);
        self.writer.line("meta", "meta_json", HEADER_BYTES..stream.start, 0, &[("json", json!(meta)).into()])?;
        self.records(stream)?;
        match self.trace.frame_source() {
            FrameSource::Toc { .. } => self.end()?,
            FrameSource::Scan { .. } => {}
        }
        let size = self.trace.size_bytes();
        let accounted = self.writer.accounted_to();
        if accounted < size {
            // Only a damaged file has bytes after its last whole record.
            self.writer.line("undecoded", "undecoded bytes", accounted..size, 0, &[])?;
        }
        Ok(self.writer.total(size)?)
    }

    fn records(&mut self, range: Range<u64>) -> Result<(), Failure> {
        let mut reader = self.trace.records(range.clone());
        let mut at = range.start;
        loop {
            match reader.next_record(&mut self.diagnostics) {
                Ok(Some(record)) => {
                    at = record.end;
                    self.record(&record)?;
                }
                Ok(None) => return Ok(()),
                Err(error) => {
                    self.exit = Exit::Unreadable;
                    self.writer.error(&error, at)?;
                    self.writer.line("undecoded", "undecoded bytes", at..range.end, 0, &[])?;
                    return Ok(());
                }
            }
        }
    }

    fn record(&mut self, record: &Record<'_>) -> Result<(), Failure> {
        let range = record.offset..record.end;
        let name = record.body.name();
        let reserved = (record.flags != 0 || record.reserved != 0)
            .then(|| [("flags", json!(record.flags)), ("reserved", json!(record.reserved))].map(ExplainedField::from));
        let mut fields: Vec<ExplainedField> = reserved.into_iter().flatten().collect();
        match &record.body {
            RecordBody::BeginFrame { frame_index } | RecordBody::Present { frame_index } => {
                fields.push(("frame_index", json!(frame_index)).into());
                self.writer.line("record", name, range, 0, &fields)?;
            }
            RecordBody::Blob(blob) => {
                fields.push(("blob_id", json!(blob.id.0)).into());
                fields.push(("kind", json!(blob.kind.name())).into());
                fields.push(("size_bytes", json!(blob.bytes.end - blob.bytes.start)).into());
                self.blob(record, blob, &fields)?;
            }
            RecordBody::Submission(submission) => {
                fields.extend(submission_fields(submission));
                self.writer.line("record", name, range, 0, &fields)?;
            }
            RecordBody::Packet(payload) => self.packet_record(record, payload, fields)?,
        }
        Ok(())
    }

    /// A blob as one line; streams and tables as more.
    fn blob(&mut self, record: &Record<'_>, blob: &BlobHeader, fields: &[ExplainedField]) -> Result<(), Failure> {
        let size_bytes = blob.bytes.end - blob.bytes.start;
        let is_shown = matches!(blob.kind, BlobKind::AerogpuCmdStream | BlobKind::AerogpuAllocTable);
        if !is_shown {
            return Ok(self.writer.line("record", "Blob", record.offset..record.end, 0, fields)?);
        }
        if size_bytes > MAX_PACKET_BYTES {
            let what = "the length of a command stream or allocation table";
            let (found, limit, offset) = (size_bytes, MAX_PACKET_BYTES, blob.bytes.start);
            self.writer.line("record", "Blob", record.offset..record.end, 0, fields)?;
            self.exit = Exit::OverLimit;
            return Ok(self.writer.error(&FormatError::OverLimit { what, found, limit, offset }, offset)?);
        }
        self.writer.line("record", "Blob", record.offset..blob.bytes.start, 0, fields)?;
        let bytes = self.trace.read(blob.bytes.clone()).map_err(FormatError::from)?;
        match blob.kind {
            BlobKind::AerogpuCmdStream => explain_stream(&bytes, blob.bytes.start, self),
            _ => explain_table(&bytes, blob.bytes.start, self),
        }
    }

    fn packet_record(
        &mut self,
        record: &Record<'_>,
        payload: &[u8],
        mut fields: Vec<ExplainedField>,
    ) -> Result<(), Failure> {
        let payload_start = record.offset + RECORD_HEADER_BYTES;
        fields.extend(foreign_name(payload).map(|name| ("abi", json!(name)).into()));
        let is_read = can_be_explained(payload);
        let end = if is_read { payload_start } else { record.end };
        self.writer.line("record", "Packet", record.offset..end, 0, &fields)?;
        if is_read { explain_packets(payload, payload_start, self) } else { Ok(()) }
    }

    fn end(&mut self) -> Result<(), Failure> {
        let FrameSource::Toc { footer, toc } = self.trace.frame_source() else { return Ok(()) };
        let start = footer.toc_offset;
        let fields = [("frame_count", json!(toc.entries.len())).into()];
        self.writer.line("toc", "TraceToc", start..start + TOC_HEADER_BYTES, 0, &fields)?;
        let mut at = start + TOC_HEADER_BYTES;
        for entry in &toc.entries {
            let fields = [
                ("frame_index", json!(entry.frame_index)),
                ("flags", json!(entry.flags)),
                ("start_offset", json!(entry.start_offset)),
                ("present_offset", json!(entry.present_offset)),
                ("end_offset", json!(entry.end_offset)),
            ]
            .map(ExplainedField::from);
            self.writer.line("toc_entry", "FrameEntry", at..at + FRAME_ENTRY_BYTES, 1, &fields)?;
            at += FRAME_ENTRY_BYTES;
        }
        let footer_offset = self.trace.size_bytes() - FOOTER_BYTES;
        if at < footer_offset {
            self.writer.line("undecoded", "undecoded bytes", at..footer_offset, 0, &[])?;
        }
        let fields = [
            ("container_version", json!(footer.container_version)),
            ("toc_offset", json!(footer.toc_offset)),
            ("toc_len", json!(footer.toc_len)),
        ]
        .map(ExplainedField::from);
        Ok(self.writer.line("footer", "TraceFooter", footer_offset..footer_offset + FOOTER_BYTES, 0, &fields)?)
    }
}

impl ByteReader for Dump<'_> {
    type Error = Failure;

    fn part(
        &mut self,
        kind: &'static str,
        name: &str,
        range: Range<u64>,
        depth: usize,
        fields: &[ExplainedField],
    ) -> Result<(), Failure> {
        Ok(self.writer.line(kind, name, range, depth, fields)?)
    }

    fn broken(&mut self, error: &dyn Classified, kind: ErrorKind, offset: u64) -> Result<(), Failure> {
        self.exit = kind.into();
        Ok(self.writer.error(&error, offset)?)
    }

    fn diagnostic(&mut self, diagnostic: &Diagnostic) -> Result<(), Failure> {
        if diagnostic.severity == Severity::Error {
            self.exit = Exit::Unreadable;
        }
        Ok(self.writer.diagnostic(diagnostic)?)
    }
}

fn submission_fields(submission: &Submission) -> Vec<ExplainedField> {
    let range = |range: &crate::format::aerogpu::MemoryRange| {
        json!({
            "alloc_id": range.alloc_id, "flags": range.flags, "gpa": range.gpa,
            "size_bytes": range.size_bytes, "blob_id": range.blob_id.0,
        })
    };
    let memory = match submission.memory_ranges.len() {
        0..=LISTED_ELEMENTS => ("memory_ranges", submission.memory_ranges.iter().map(range).collect()),
        count => ("memory_range_count", json!(count)),
    };
    [
        ("record_version", json!(submission.record_version)),
        ("header_size", json!(submission.header_size())),
        ("submit_flags", json!(submission.submit_flags)),
        ("context_id", json!(submission.context_id)),
        ("engine_id", json!(submission.engine_id)),
        ("reserved0", json!(submission.reserved0)),
        ("signal_fence", json!(submission.signal_fence)),
        ("cmd_stream_blob_id", json!(submission.cmd_stream_blob_id.0)),
        ("alloc_table_blob_id", json!(submission.alloc_table_blob_id.0)),
        ("reserved1", json!(submission.reserved1)),
        memory,
    ]
    .map(Into::into)
    .into()
}
