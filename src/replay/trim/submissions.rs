//! Submissions: those of a kept frame as they are, and of earlier ones the commands that are needed.

use std::collections::BTreeSet;
use std::io::Write;
use std::ops::Range;

use super::error::TrimError;
use super::head::PRESENT;
use super::memory::{NeededMemory, read_table};
use super::writing::Trim;
use crate::abi::a3a0::{STREAM_HEADER_BYTES, StreamHeader, StreamWriter};
use crate::bytes::Diagnostics;
use crate::error::Internal;
use crate::format::aerogpu::{BlobId, RECORD_HEADER_BYTES, RecordBody, Submission};
use crate::replay::d3d::EffectKind;
use crate::replay::index::{CommandNumber, ResolvedCommand};

/// What an earlier submission is made of.
enum Carrier {
    Packet { stream: Range<u64> },
    Submission(Submission),
}

impl<W: Write> Trim<'_, W> {
    /// Writes a submission of a kept frame, whose record lies at `offset` of the old trace, with all that it names.
    pub(super) fn write_own_submission(&mut self, submission: Submission, offset: u64) -> Result<(), TrimError> {
        let mut submission = submission;
        let Self { blobs, writer, .. } = self;
        submission.cmd_stream_blob_id = blobs.share(writer, submission.cmd_stream_blob_id, offset)?;
        if submission.alloc_table_blob_id != BlobId(0) {
            submission.alloc_table_blob_id = blobs.share(writer, submission.alloc_table_blob_id, offset)?;
        }
        for range in &mut submission.memory_ranges {
            range.blob_id = blobs.share(writer, range.blob_id, offset)?;
        }
        Ok(writer.submission(&submission)?)
    }

    /// Writes what the commands `numbers` of the submission at `record` need of it.
    pub(super) fn write_earlier_submission(&mut self, record: u64, numbers: &[CommandNumber]) -> Result<(), TrimError> {
        match self.carrier(record)? {
            Carrier::Packet { stream } => {
                let shortened = self.shortened(stream, numbers)?;
                Ok(self.writer.packet(&shortened)?)
            }
            Carrier::Submission(submission) => self.write_shortened(submission, record, numbers),
        }
    }

    fn write_shortened(
        &mut self,
        mut submission: Submission,
        record: u64,
        numbers: &[CommandNumber],
    ) -> Result<(), TrimError> {
        let lost = Internal::at("a submission of the index has no stream", record);
        let blob = self.blobs.find(submission.cmd_stream_blob_id, record).ok_or(lost)?;
        let stream = self.shortened(blob.bytes.clone(), numbers)?;
        let needed = self.memory_of(&submission, record, numbers)?;
        let Self { blobs, writer, .. } = self;
        // Where nothing is left out it is the same blob.
        submission.cmd_stream_blob_id = blobs.write_or_keep(writer, submission.cmd_stream_blob_id, record, &stream)?;
        submission.alloc_table_blob_id = match needed.table {
            Some(table) => blobs.write_or_keep(writer, submission.alloc_table_blob_id, record, &table)?,
            None => BlobId(0),
        };
        submission.memory_ranges = needed.ranges;
        for range in &mut submission.memory_ranges {
            range.blob_id = blobs.share(writer, range.blob_id, record)?;
        }
        if !numbers.iter().any(|number| self.presents(*number)) {
            submission.submit_flags &= !PRESENT;
        }
        Ok(self.writer.submission(&submission)?)
    }

    fn presents(&self, number: CommandNumber) -> bool {
        let step = self.index.command(number);
        matches!(step, Some(ResolvedCommand::Submitted { kind: EffectKind::Present, .. }))
    }

    /// The record at `record`, which carries a submission.
    fn carrier(&mut self, record: u64) -> Result<Carrier, TrimError> {
        self.records.seek(record..self.trace.stream().end);
        let lost = Internal::at("no record lies where the index has seen a submission", record);
        let found = self.records.next_record(&mut Diagnostics::new())?.ok_or(lost)?;
        match found.body {
            RecordBody::Packet(_) => Ok(Carrier::Packet { stream: record + RECORD_HEADER_BYTES..found.end }),
            RecordBody::Submission(submission) => Ok(Carrier::Submission(submission)),
            _ => Err(lost.into()),
        }
    }

    /// The stream whose bytes lie at `stream` of the old trace, with no other commands than `numbers`.
    fn shortened(&mut self, stream: Range<u64>, numbers: &[CommandNumber]) -> Result<Vec<u8>, TrimError> {
        let end = stream.end.min(stream.start + u64::from(STREAM_HEADER_BYTES));
        let header = StreamHeader::read(&self.trace.read(stream.start..end)?);
        let header = header.ok_or(Internal::at("a stream of the index has no header", stream.start))?;
        let mut shortened = StreamWriter::with_header(&header);
        for number in numbers {
            let packet = self.commands.read_packet(self.index.require_location(*number)?)?;
            shortened.packet_as_it_is(packet.bytes)?;
        }
        Ok(shortened.finish())
    }

    /// The memory that `numbers` need of their submission.
    fn memory_of(
        &mut self,
        submission: &Submission,
        record: u64,
        numbers: &[CommandNumber],
    ) -> Result<NeededMemory, TrimError> {
        let allocations: BTreeSet<u32> =
            numbers.iter().filter_map(|number| self.index.allocation_of(*number)).collect();
        let table = match submission.alloc_table_blob_id {
            BlobId(0) => None,
            _ if allocations.is_empty() => None,
            id => {
                let lost = Internal::at("a submission of the index has no allocation table", record);
                Some(self.blobs.find(id, record).ok_or(lost)?)
            }
        };
        match table {
            Some(blob) => {
                let bytes = self.trace.read(blob.bytes.clone())?;
                let table = read_table(&bytes, blob.bytes.start)?;
                NeededMemory::by_table(&table, &submission.memory_ranges, &allocations)
            }
            None => Ok(NeededMemory::by_ranges(&submission.memory_ranges, &allocations)),
        }
    }
}
