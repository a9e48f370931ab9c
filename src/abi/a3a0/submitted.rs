//! The streams of a trace, where they run: what a record carries out.

use std::borrow::Cow;

use thiserror::Error;

use crate::bytes::Diagnostics;
use crate::bytes::limits::MAX_PACKET_BYTES;
use crate::error::{Classified, ErrorKind};
use crate::format::aerogpu::{
    BlobCatalog, BlobDefinition, BlobId, BlobKind, FormatError, RECORD_HEADER_BYTES, Record, RecordBody, Trace,
};

/// The first container version that has submissions.
const FIRST_VERSION_WITH_SUBMISSIONS: u32 = 2;

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
        "the submission names blob {id} ({found}) as its stream: expected a blob of kind AerogpuCmdStream, at {offset:#x}"
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
            Self::BlobMissing { .. } | Self::BlobKind { .. } => ErrorKind::Malformed,
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
    /// All bytes of its blob or record.
    pub bytes: Cow<'r, [u8]>,
    /// Absolute file offset of the first.
    pub offset: u64,
}

/// Finds the streams of a trace's submissions.
pub struct SubmittedStreams<'t> {
    trace: &'t Trace,
    catalog: BlobCatalog,
}

impl<'t> SubmittedStreams<'t> {
    /// Reads the headers of all records, up to the first that is damaged: a stream may follow its submission.
    pub fn find(trace: &'t Trace) -> Self {
        let mut catalog = BlobCatalog::new();
        if trace.header().container_version >= FIRST_VERSION_WITH_SUBMISSIONS {
            let mut reader = trace.records(trace.stream());
            // Whoever asks for the streams walks the records as well, and meets the damage.
            while let Ok(Some(record)) = reader.next_record(&mut Diagnostics::new()) {
                catalog.observe(&record);
            }
        }
        Self { trace, catalog }
    }

    /// The stream that a record carries out; nothing if it carries out none.
    pub fn of<'r>(&self, record: &Record<'r>) -> Result<Option<SubmittedStream<'r>>, SubmissionError> {
        match &record.body {
            RecordBody::Packet(payload) if payload.starts_with(b"ACMD") => Ok(Some(SubmittedStream {
                context_id: PACKET_RECORD_CONTEXT,
                bytes: Cow::Borrowed(payload),
                offset: record.offset + RECORD_HEADER_BYTES,
            })),
            RecordBody::Submission(submission) => {
                let blob = self.blob(submission.cmd_stream_blob_id, record.offset)?;
                let (found, offset) = (blob.size_bytes(), blob.bytes.start);
                if found > MAX_PACKET_BYTES {
                    let what = "a command stream's length";
                    return Err(FormatError::OverLimit { what, found, limit: MAX_PACKET_BYTES, offset }.into());
                }
                let bytes = self.trace.read(blob.bytes.clone()).map_err(FormatError::from)?;
                Ok(Some(SubmittedStream { context_id: submission.context_id, bytes: Cow::Owned(bytes), offset }))
            }
            _ => Ok(None),
        }
    }

    fn blob(&self, id: BlobId, offset: u64) -> Result<&BlobDefinition, SubmissionError> {
        let blob = self.catalog.resolve(id, offset).ok_or(SubmissionError::BlobMissing { id, offset })?;
        match blob.kind {
            BlobKind::AerogpuCmdStream => Ok(blob),
            found => Err(SubmissionError::BlobKind { id, found, offset }),
        }
    }
}
