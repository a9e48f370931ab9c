//! The records of a trace, line by line.

use std::io::{self, Write};
use std::ops::Range;

use thiserror::Error;

use super::blobs::Blobs;
use super::value::Data;
use crate::abi::Abi;
use crate::abi::a3a0::{Class, Diagnostic, Severity};
use crate::container::{BlobHeader, FormatError, FrameSource, RECORD_HEADER_BYTES, Record, RecordBody, Trace};
use trace_base::bytes::{Diagnostics, ReadError};
use trace_base::error::{Classified, ErrorKind};

/// Why the text ends early.
#[derive(Debug, Error)]
pub enum CanonicalError {
    /// It cannot be written.
    #[error("cannot write the canonical text: {0}")]
    Write(io::Error),
    /// The trace cannot be read, or is over a limit.
    #[error(transparent)]
    Format(#[from] FormatError),
}

impl Classified for CanonicalError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Write(_) => ErrorKind::WriteFailed,
            Self::Format(error) => error.kind(),
        }
    }

    fn offset(&self) -> Option<u64> {
        match self {
            Self::Write(_) => None,
            Self::Format(error) => error.offset(),
        }
    }
}

impl From<io::Error> for CanonicalError {
    fn from(error: io::Error) -> Self {
        Self::Write(error)
    }
}

impl From<ReadError> for CanonicalError {
    fn from(error: ReadError) -> Self {
        Self::Format(error.into())
    }
}

/// What the text's last line counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CanonicalSummary {
    /// Records.
    pub records: u64,
    /// AerogpuSubmission records.
    pub submissions: u64,
    /// A3A0 streams; one that two submissions name counts twice.
    pub streams: u64,
    /// Packets of either ABI.
    pub packets: u64,
    /// Those of them that show something, and can be read.
    pub presents: u64,
    /// Notes, by [`Severity`].
    pub notes: u64,
    /// Faults.
    pub faults: u64,
    /// Errors.
    pub errors: u64,
    /// Those of the errors that are opcodes which Appendix A does not have.
    pub unknown_reference_opcodes: u64,
}

/// Writes the canonical text of `trace`.
pub fn write_canonical(trace: &Trace, out: &mut dyn Write) -> Result<CanonicalSummary, CanonicalError> {
    let mut writer =
        CanonicalWriter { out, blobs: Blobs::find(trace)?, found: Vec::new(), summary: CanonicalSummary::default() };
    writer.header(trace)?;
    writer.records(trace)?;
    if let FrameSource::Toc { footer, toc } = trace.frame_source() {
        let places = (footer.toc_offset + crate::container::TOC_HEADER_BYTES..)
            .step_by(crate::container::FRAME_ENTRY_BYTES as usize);
        for (entry, at) in toc.entries.iter().zip(places) {
            writeln!(
                writer.out,
                "toc @{at:#x} frame_index={} flags={:#x} start={:#x} present={:#x} end={:#x}",
                entry.frame_index, entry.flags, entry.start_offset, entry.present_offset, entry.end_offset
            )?;
        }
    }
    let CanonicalSummary { records, submissions, streams, packets, presents, notes, faults, errors, .. } =
        writer.summary;
    writeln!(
        writer.out,
        "end records={records} submissions={submissions} streams={streams} packets={packets} presents={presents} \
         notes={notes} faults={faults} errors={errors}"
    )?;
    Ok(writer.summary)
}

/// Writes lines, and what there is to say about each behind it.
pub(super) struct CanonicalWriter<'t, 'w> {
    pub out: &'w mut dyn Write,
    pub blobs: Blobs<'t>,
    /// What is odd or wrong about the line that is being written.
    pub found: Vec<Diagnostic>,
    pub summary: CanonicalSummary,
}

impl CanonicalWriter<'_, '_> {
    fn header(&mut self, trace: &Trace) -> Result<(), CanonicalError> {
        let header = trace.header();
        writeln!(
            self.out,
            "trace container_version={} command_abi_version={:#x} flags={:#x} reserved={:#x} meta={} frames={}",
            header.container_version,
            header.command_abi_version,
            header.flags,
            header.reserved,
            Data::of(&trace.meta().bytes),
            trace.frames().len()
        )?;
        Ok(())
    }

    fn records(&mut self, trace: &Trace) -> Result<(), CanonicalError> {
        let stream = trace.stream();
        let mut reader = trace.records(stream.clone());
        loop {
            let at = reader.offset();
            match reader.next_record(&mut Diagnostics::new()) {
                Ok(Some(record)) => self.record(&record)?,
                Ok(None) => return Ok(()),
                Err(error) => {
                    self.found.push(record_error(error)?);
                    return self.undecoded_file(at..stream.end);
                }
            }
        }
    }

    fn record(&mut self, record: &Record<'_>) -> Result<(), CanonicalError> {
        self.summary.records += 1;
        if record.flags != 0 || record.reserved != 0 {
            let found = u64::from(record.reserved) << 8 | u64::from(record.flags);
            self.note(Class::Reserved, record.offset + 1, "the record", "flags and reserved bytes", found);
        }
        let offset = record.offset;
        match &record.body {
            RecordBody::BeginFrame { frame_index } => {
                writeln!(self.out, "begin_frame @{offset:#x} frame_index={frame_index}")?;
                self.end_line()
            }
            RecordBody::Present { frame_index } => {
                writeln!(self.out, "present @{offset:#x} frame_index={frame_index}")?;
                self.end_line()
            }
            RecordBody::Blob(blob) => self.blob(offset, blob),
            RecordBody::Submission(submission) => self.submission(offset, submission),
            RecordBody::Packet(payload) => self.packet_record(offset, payload),
        }
    }

    fn blob(&mut self, offset: u64, blob: &BlobHeader) -> Result<(), CanonicalError> {
        let (id, kind, reserved) = (blob.id, blob.kind.number(), blob.reserved);
        let data = self.blobs.data(&blob.bytes)?;
        writeln!(self.out, "blob @{offset:#x} blob_id={id} kind={kind:#x} reserved={reserved:#x} data={data}")?;
        if reserved != 0 {
            let at = offset + RECORD_HEADER_BYTES + 12;
            self.note(Class::Reserved, at, "the blob", "reserved", u64::from(reserved));
        }
        self.end_line()
    }

    fn packet_record(&mut self, offset: u64, payload: &[u8]) -> Result<(), CanonicalError> {
        let abi = Abi::detect(payload);
        let name = match abi {
            Abi::A3a0 => "a3a0",
            Abi::Agpc => "agpc",
            Abi::Reference => "reference",
        };
        writeln!(self.out, "packet_record @{offset:#x} data={} abi={name}", Data::of(payload))?;
        self.end_line()?;
        let offset = offset + RECORD_HEADER_BYTES;
        match abi {
            Abi::A3a0 => self.stream(payload, offset),
            Abi::Reference => self.reference(payload, offset),
            Abi::Agpc => Ok(()),
        }
    }

    /// Says why bytes in memory can't be read on, and which.
    pub(crate) fn undecoded(&mut self, bytes: &[u8], offset: u64) -> Result<(), CanonicalError> {
        self.end_line()?;
        writeln!(self.out, "undecoded @{offset:#x} data={}", Data::of(bytes))?;
        Ok(())
    }

    fn undecoded_file(&mut self, range: Range<u64>) -> Result<(), CanonicalError> {
        self.end_line()?;
        let data = self.blobs.data_of_range(&range)?;
        writeln!(self.out, "undecoded @{:#x} data={data}", range.start)?;
        Ok(())
    }

    /// Notes something about the line that is being written.
    pub(crate) fn note(&mut self, class: Class, offset: u64, subject: &'static str, part: &'static str, found: u64) {
        self.found.push(Diagnostic { severity: Severity::Note, class, offset, subject, part, found });
    }

    /// Notes a contract that is broken in the line that is being written.
    pub(crate) fn fault(&mut self, class: Class, offset: u64, subject: &'static str, part: &'static str, found: u64) {
        self.found.push(Diagnostic { severity: Severity::Fault, class, offset, subject, part, found });
    }

    /// Notes what ends the line's packet, stream, table or records.
    pub(crate) fn error(&mut self, class: Class, offset: u64) {
        let (severity, subject, part, found) = (Severity::Error, "", "", 0);
        self.found.push(Diagnostic { severity, class, offset, subject, part, found });
    }

    /// Writes what was found about the line that was just written.
    pub(crate) fn end_line(&mut self) -> Result<(), CanonicalError> {
        if self.found.is_empty() {
            return Ok(());
        }
        self.found.sort_by_key(Diagnostic::order);
        self.found.dedup_by_key(|diagnostic| diagnostic.order());
        let mut found = std::mem::take(&mut self.found);
        self.diagnostics(found.drain(..))?;
        self.found = found;
        Ok(())
    }

    /// Writes things about the line that was just written, which come in order, each once.
    pub(crate) fn diagnostics(&mut self, found: impl Iterator<Item = Diagnostic>) -> Result<(), CanonicalError> {
        for Diagnostic { severity, class, offset, .. } in found {
            writeln!(self.out, "{} @{offset:#x} {}", severity.name(), class.name())?;
            let count = match severity {
                Severity::Note => &mut self.summary.notes,
                Severity::Fault => &mut self.summary.faults,
                Severity::Error => &mut self.summary.errors,
            };
            *count += 1;
            self.summary.unknown_reference_opcodes += u64::from(class == Class::ReferenceOpcode);
        }
        Ok(())
    }
}

/// What ends the records; limits and failed reads end the text.
fn record_error(error: FormatError) -> Result<Diagnostic, FormatError> {
    let class = match &error {
        FormatError::OutOfBounds { .. } => Class::RecordOverrun,
        FormatError::UnknownRecordType { .. } => Class::RecordType,
        FormatError::BadPayloadLength { .. } | FormatError::CutShort { .. } => Class::RecordLength,
        FormatError::UnknownBlobKind { .. } => Class::BlobKind,
        _ => return Err(error),
    };
    let Some(offset) = error.offset() else { return Err(error) };
    let (severity, subject, part, found) = (Severity::Error, "the record", "a payload", 0);
    Ok(Diagnostic { severity, class, offset, subject, part, found })
}
