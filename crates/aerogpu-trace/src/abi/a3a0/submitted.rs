//! The streams of a trace, where they run: what a record carries out.

use std::borrow::Cow;
use std::ops::Range;

use thiserror::Error;

use crate::container::{BlobCatalog, BlobId, BlobKind, FormatError, RECORD_HEADER_BYTES, Record, RecordBody, Trace};
use crate::limits::MAX_PACKET_BYTES;
use trace_base::bytes::Diagnostics;
use trace_base::error::{Classified, ErrorKind};

/// The context of a stream that stands in a Packet record.
pub const PACKET_RECORD_CONTEXT: u32 = 0;

/// Why a submission has no stream to carry out.
#[derive(Debug, Error)]
pub enum SubmissionError {
    /// It names a blob that the trace does not hold.
    #[error("the submission names blob {id} as its stream: expected a blob of the trace, at {offset:#x}")]
    BlobMissing {
        /// The blob's id.
        id: BlobId,
        /// Absolute file offset of the submission's record.
        offset: u64,
    },
    /// It names a blob of another kind.
    #[error(
        "the submission names blob {id} ({found}) as its stream: expected a blob of kind AerogpuCmdStream, at \
         {offset:#x}"
    )]
    BlobKind {
        /// The blob's id.
        id: BlobId,
        /// What the blob is.
        found: BlobKind,
        /// Absolute file offset of the submission's record.
        offset: u64,
    },
    /// The stream cannot be read, or is over a limit.
    #[error(transparent)]
    Format(#[from] FormatError),
}

impl Classified for SubmissionError {
    fn kind(&self) -> ErrorKind {
        match self {
            // The bytes are sound; what they say can't be carried out.
            Self::BlobMissing { .. } | Self::BlobKind { .. } => ErrorKind::ReplayFailed,
            Self::Format(error) => error.kind(),
        }
    }

    fn offset(&self) -> Option<u64> {
        match self {
            Self::BlobMissing { offset, .. } | Self::BlobKind { offset, .. } => Some(*offset),
            Self::Format(error) => error.offset(),
        }
    }
}

/// A stream, and what runs it.
#[derive(Clone, Debug)]
pub struct SubmittedStream<'r> {
    /// The context whose state it changes.
    pub context_id: u32,
    /// Absolute file offsets of all bytes of its blob or record. Any number of submissions may name one blob: whoever
    /// wants to know something of a stream once need not read it again.
    pub place: Range<u64>,
    /// The bytes, where the record itself holds them.
    pub payload: Option<&'r [u8]>,
}

/// Finds the streams of a trace's submissions.
pub struct SubmittedStreams<'t> {
    trace: &'t Trace,
    catalog: BlobCatalog,
}

impl<'t> SubmittedStreams<'t> {
    /// Reads nothing yet.
    pub fn new(trace: &'t Trace) -> Self {
        Self { trace, catalog: BlobCatalog::new() }
    }

    /// Reads nothing yet, and begins with the records at the absolute file offset `start`: of those before, nothing is
    /// read unless a submission names a blob that only they can have.
    pub fn from(trace: &'t Trace, start: u64) -> Self {
        let mut catalog = BlobCatalog::new();
        catalog.pass(start);
        Self { trace, catalog }
    }

    /// The stream that a record carries out; nothing if it carries out none. Blobs are learnt of as records come by in
    /// the order of the file; what was passed over, or follows its submission, costs a walk over headers.
    ///
    /// # Errors
    ///
    /// The submission names no stream, or one that is over the limit.
    pub fn of<'r>(&mut self, record: &Record<'r>) -> Result<Option<SubmittedStream<'r>>, SubmissionError> {
        self.learn_to(record.offset);
        self.catalog.observe(record);
        match &record.body {
            RecordBody::Packet(payload) if payload.starts_with(b"ACMD") => Ok(Some(SubmittedStream {
                context_id: PACKET_RECORD_CONTEXT,
                place: record.offset + RECORD_HEADER_BYTES..record.end,
                payload: Some(payload),
            })),
            RecordBody::Submission(submission) => {
                let place = self.blob(submission.cmd_stream_blob_id, record.offset)?;
                let (found, offset) = (place.end - place.start, place.start);
                if found > MAX_PACKET_BYTES {
                    let what = "a command stream's length";
                    return Err(FormatError::OverLimit { what, found, limit: MAX_PACKET_BYTES, offset }.into());
                }
                Ok(Some(SubmittedStream { context_id: submission.context_id, place, payload: None }))
            }
            _ => Ok(None),
        }
    }

    /// All bytes of the blob or record that holds a stream.
    pub fn read<'r>(&self, stream: &SubmittedStream<'r>) -> Result<Cow<'r, [u8]>, SubmissionError> {
        match stream.payload {
            Some(payload) => Ok(Cow::Borrowed(payload)),
            None => Ok(Cow::Owned(self.trace.read(stream.place.clone()).map_err(FormatError::from)?)),
        }
    }

    /// Reads the headers of the records up to the file offset `end`, as far as they are not known yet.
    fn learn_to(&mut self, end: u64) {
        let start = self.catalog.known_up_to().max(self.trace.stream().start);
        if start >= end {
            return;
        }
        let mut reader = self.trace.records(start..end);
        loop {
            let at = reader.offset();
            match reader.next_record(&mut Diagnostics::new()) {
                Ok(Some(record)) => self.catalog.observe(&record),
                Ok(None) => break,
                // Whoever asks for the streams walks the records as well, and meets the damage. The next frame is sound.
                Err(_) => {
                    let frames = self.trace.frames();
                    let next = frames.get(frames.partition_point(|frame| frame.bytes.start <= at));
                    let Some(next) = next.filter(|next| next.bytes.start < end) else { break };
                    reader.seek(next.bytes.start..end);
                }
            }
        }
        self.catalog.pass(end);
    }

    /// Where the bytes of a stream lie that the record at `offset` names.
    fn blob(&mut self, id: BlobId, offset: u64) -> Result<Range<u64>, SubmissionError> {
        if self.catalog.resolve(id, offset).is_none() {
            self.catalog = BlobCatalog::new();
            self.learn_to(self.trace.stream().end);
        }
        let blob = self.catalog.resolve(id, offset).ok_or(SubmissionError::BlobMissing { id, offset })?;
        match blob.kind {
            BlobKind::AerogpuCmdStream => Ok(blob.bytes.clone()),
            found => Err(SubmissionError::BlobKind { id, found, offset }),
        }
    }
}
