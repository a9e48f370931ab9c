//! Writes the kept frames, whatever is in them.

use std::io::Write;
use std::sync::Arc;

use super::blobs::NewBlobs;
use super::error::TrimError;
use crate::abi;
use crate::bytes::Diagnostics;
use crate::error::Internal;
use crate::format::aerogpu::{FrameIndex, RecordBody, RecordReader, Trace, TraceWriter};
use crate::replay::command_reader::CommandReader;
use crate::replay::index::{CommandNumber, TraceIndex};

/// A trace being trimmed.
pub(super) struct Trim<'a, W: Write> {
    pub trace: &'a Arc<Trace>,
    pub index: &'a TraceIndex,
    pub writer: TraceWriter<W>,
    pub commands: CommandReader,
    pub records: RecordReader,
    pub blobs: NewBlobs<'a>,
}

impl<'a, W: Write> Trim<'a, W> {
    pub(super) fn new(trace: &'a Arc<Trace>, index: &'a TraceIndex, writer: TraceWriter<W>) -> Self {
        let (commands, records) = (CommandReader::new(trace.clone()), trace.records(trace.stream()));
        Self { trace, index, writer, commands, records, blobs: NewBlobs::new(trace, index.catalog()) }
    }

    /// Writes the commands of earlier frames, each submission's together.
    pub(super) fn write_earlier(&mut self, mut numbers: &[CommandNumber]) -> Result<(), TrimError> {
        while let Some(first) = numbers.first() {
            let Some(submission) = self.index.submission_of(*first) else {
                self.write_command(*first)?;
                numbers = numbers.get(1..).unwrap_or(&[]);
                continue;
            };
            let record = |number| self.index.submission_of(number).map(|submission| submission.record);
            let count = numbers.partition_point(|number| record(*number) == Some(submission.record));
            let (of_submission, rest) = numbers
                .split_at_checked(count.max(1))
                .ok_or(Internal::new("a submission has more commands than remain"))?;
            self.write_earlier_submission(submission.record, of_submission)?;
            numbers = rest;
        }
        Ok(())
    }

    /// Writes a frame's Packet records and submissions as they are.
    pub(super) fn write_frame(&mut self, frame: FrameIndex) -> Result<(), TrimError> {
        let span = self.trace.frame(frame).ok_or(Internal::new("a frame of the index is not in the trace"))?;
        let mut reader = self.trace.records(span.bytes.clone());
        let mut unnoted = Diagnostics::new();
        while let Some(record) = reader.next_record(&mut unnoted)? {
            match record.body {
                RecordBody::Packet(payload) if abi::runs_as_submission(payload) => self.writer.packet(payload)?,
                RecordBody::Packet(payload) => self.write_packets(payload, record.offset)?,
                RecordBody::Submission(submission) => self.write_own_submission(submission, record.offset)?,
                // Frames begin and end anew, and blobs are written where they are meant.
                RecordBody::BeginFrame { .. } | RecordBody::Present { .. } | RecordBody::Blob(_) => {}
            }
        }
        Ok(())
    }
}
