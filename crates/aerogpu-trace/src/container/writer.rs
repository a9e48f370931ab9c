//! Writes traces: recordings, fixtures, generated traces, trimmed ones.
//!
//! Nothing that was written is ever changed, and each frame is handed to the sink as a whole when it ends: what a recorder
//! that was killed leaves behind can be read as far as its last whole frame, and repaired ([`super::scan_frames`]). After a
//! write that failed nothing more is written: it would lie behind half a record, where nobody finds it.

use std::io::{self, Write};

use foldhash::HashMap;
use thiserror::Error;

use super::blob_id::BlobId;
use super::header::{HEADER_BYTES, TraceFooter, TraceHeader};
use super::new_submission::{MemoryDigest, MemoryDigests};
use super::record::{BLOB_HEADER_BYTES, BlobKind, RECORD_HEADER_BYTES};
use super::submission::Submission;
use super::toc::{FrameEntry, TraceToc};
use crate::limits::MAX_PACKET_BYTES;
use trace_base::error::{Classified, ErrorKind};

/// Why a trace could not be written.
#[derive(Debug, Error)]
pub enum WriteError {
    /// The sink failed.
    #[error("cannot write the trace: {0}")]
    Io(io::Error),
    /// A payload, the meta JSON or the number of frames does not fit its field, or is longer than readers take.
    #[error("{what} is {found}: expected at most {limit}")]
    TooLarge {
        /// What does not fit.
        what: &'static str,
        /// Its length or count.
        found: u64,
        /// What the field can hold, or readers take.
        limit: u64,
    },
    /// The calls came in an order that the format cannot express.
    #[error("{found}: expected {expected}")]
    OutOfOrder {
        /// What was called.
        found: &'static str,
        /// What should have come first.
        expected: &'static str,
    },
}

impl Classified for WriteError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Io(_) => ErrorKind::WriteFailed,
            Self::TooLarge { .. } => ErrorKind::OverLimit,
            Self::OutOfOrder { .. } => ErrorKind::Usage,
        }
    }

    fn offset(&self) -> Option<u64> {
        None
    }
}

impl From<io::Error> for WriteError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Writes a trace front to back; nothing is kept in memory but the TOC, and a digest for each piece of guest memory.
pub struct TraceWriter<W: Write> {
    sink: W,
    container_version: u32,
    offset: u64,
    next_blob_id: u64,
    toc: TraceToc,
    open_frame: Option<FrameEntry>,
    memory: HashMap<MemoryDigest, BlobId>,
    digests: MemoryDigests,
    /// Whether a record was written in part.
    is_torn: bool,
}

impl<W: Write> TraceWriter<W> {
    /// Writes header and meta JSON of a version 1 container, which holds no submissions.
    pub fn new(sink: W, command_abi_version: u32, meta_json: &str) -> Result<Self, WriteError> {
        Self::of_version(1, sink, command_abi_version, meta_json)
    }

    /// Writes header and meta JSON of a version 2 container, which holds submissions too.
    pub fn new_v2(sink: W, command_abi_version: u32, meta_json: &str) -> Result<Self, WriteError> {
        Self::of_version(2, sink, command_abi_version, meta_json)
    }

    fn of_version(
        container_version: u32,
        mut sink: W,
        command_abi_version: u32,
        meta_json: &str,
    ) -> Result<Self, WriteError> {
        let meta_len = fit("meta JSON", meta_json.len() as u64)?;
        let header = TraceHeader { container_version, command_abi_version, flags: 0, meta_len, reserved: 0 };
        sink.write_all(&header.to_bytes())?;
        sink.write_all(meta_json.as_bytes())?;
        let offset = HEADER_BYTES + u64::from(meta_len);
        let (toc, memory, digests) = (TraceToc::default(), HashMap::default(), MemoryDigests::default());
        let (next_blob_id, open_frame, is_torn) = (1, None, false);
        Ok(Self { sink, container_version, offset, next_blob_id, toc, open_frame, memory, digests, is_torn })
    }

    /// Writes a blob under the next free id. Blobs may lie inside frames and outside.
    pub fn blob(&mut self, kind: BlobKind, bytes: &[u8]) -> Result<BlobId, WriteError> {
        let id = BlobId(self.next_blob_id);
        if id.0 == u64::MAX {
            return Err(WriteError::TooLarge { what: "blob id", found: id.0, limit: u64::MAX - 1 });
        }
        self.blob_with_id(id, kind, bytes)?;
        Ok(id)
    }

    /// Writes a blob under an id of the caller's choice; later automatic ids are larger.
    pub fn blob_with_id(&mut self, id: BlobId, kind: BlobKind, bytes: &[u8]) -> Result<(), WriteError> {
        let mut header = [0; BLOB_HEADER_BYTES as usize];
        let fields = id.0.to_le_bytes().into_iter().chain(kind.number().to_le_bytes());
        header.iter_mut().zip(fields).for_each(|(to, byte)| *to = byte);
        if matches!(kind, BlobKind::AerogpuCmdStream | BlobKind::AerogpuAllocTable) {
            check_packet_bytes("length of a stream or table", bytes.len() as u64)?;
        }
        self.record(4, &[&header, bytes])?;
        if id.0 < self.next_blob_id {
            // Whoever names the id from here on means these bytes.
            self.memory.retain(|_, known| *known != id);
        }
        self.next_blob_id = self.next_blob_id.max(id.0.saturating_add(1));
        Ok(())
    }

    /// Opens the next frame.
    pub fn begin_frame(&mut self) -> Result<(), WriteError> {
        if self.open_frame.is_some() {
            return Err(WriteError::OutOfOrder { found: "begin_frame in a frame", expected: "present" });
        }
        let frame_index = fit("number of frames", self.toc.entries.len() as u64)?;
        let start_offset = self.offset;
        self.record(1, &[&frame_index.to_le_bytes()])?;
        self.open_frame = Some(FrameEntry { frame_index, flags: 0, start_offset, present_offset: 0, end_offset: 0 });
        Ok(())
    }

    /// Writes one Packet record into the open frame.
    pub fn packet(&mut self, bytes: &[u8]) -> Result<(), WriteError> {
        if self.open_frame.is_none() {
            return Err(WriteError::OutOfOrder { found: "packet outside a frame", expected: "begin_frame" });
        }
        check_packet_bytes("length of a Packet record", bytes.len() as u64)?;
        self.record(3, &[bytes])
    }

    /// Writes one AerogpuSubmission record into the open frame; [`Self::submit`] writes what it refers to as well.
    pub fn submission(&mut self, submission: &Submission) -> Result<(), WriteError> {
        self.check_submission()?;
        let payload = submission.to_bytes().ok_or(WriteError::TooLarge {
            what: "header or number of memory ranges of a submission",
            found: submission.header_size().max(submission.memory_ranges.len() as u64),
            limit: u64::from(u32::MAX),
        })?;
        check_packet_bytes("length of an AerogpuSubmission record", payload.len() as u64)?;
        self.record(5, &[&payload])
    }

    /// Whether a submission may be written now.
    pub(super) fn check_submission(&self) -> Result<(), WriteError> {
        if self.container_version < 2 {
            let found = "submission in a version 1 container";
            return Err(WriteError::OutOfOrder { found, expected: "a version 2 container" });
        }
        if self.open_frame.is_none() {
            return Err(WriteError::OutOfOrder { found: "submission outside a frame", expected: "begin_frame" });
        }
        Ok(())
    }

    /// The blob that already holds guest memory of this digest.
    pub(super) fn memory_written(&self, digest: &MemoryDigest) -> Option<BlobId> {
        self.memory.get(digest).copied()
    }

    /// Makes digests of guest memory.
    pub(super) fn memory_digests(&self) -> &MemoryDigests {
        &self.digests
    }

    /// Remembers which blob holds guest memory of this digest.
    pub(super) fn note_memory(&mut self, digest: MemoryDigest, id: BlobId) {
        self.memory.insert(digest, id);
    }

    /// Closes the open frame with a Present record, and hands it to the sink.
    pub fn present(&mut self) -> Result<(), WriteError> {
        let Some(mut entry) = self.open_frame.take() else {
            return Err(WriteError::OutOfOrder { found: "present outside a frame", expected: "begin_frame" });
        };
        entry.present_offset = self.offset;
        self.record(2, &[&entry.frame_index.to_le_bytes()])?;
        entry.end_offset = self.offset;
        self.toc.entries.push(entry);
        Ok(self.sink.flush()?)
    }

    /// Writes TOC and footer and gives the sink back.
    pub fn finish(mut self) -> Result<W, WriteError> {
        if self.open_frame.is_some() {
            return Err(WriteError::OutOfOrder { found: "finish in a frame", expected: "present" });
        }
        self.check_whole()?;
        let toc = self.toc.to_bytes();
        self.sink.write_all(&toc)?;
        let footer = TraceFooter {
            container_version: self.container_version,
            toc_offset: self.offset,
            toc_len: toc.len() as u64,
        };
        self.sink.write_all(&footer.to_bytes())?;
        self.sink.flush()?;
        Ok(self.sink)
    }

    fn record(&mut self, record_type: u8, parts: &[&[u8]]) -> Result<(), WriteError> {
        self.check_whole()?;
        let length: u64 = parts.iter().map(|part| part.len() as u64).sum();
        let payload_len = fit("record payload", length)?;
        self.is_torn = true;
        self.sink.write_all(&[record_type, 0, 0, 0])?;
        self.sink.write_all(&payload_len.to_le_bytes())?;
        for part in parts {
            self.sink.write_all(part)?;
        }
        self.is_torn = false;
        self.offset += RECORD_HEADER_BYTES + length;
        Ok(())
    }

    fn check_whole(&self) -> Result<(), WriteError> {
        if self.is_torn {
            let found = "a write after a record that was only partly written";
            return Err(WriteError::OutOfOrder { found, expected: "no further writes (`repair` recovers the file)" });
        }
        Ok(())
    }
}

/// What is longer is never read.
fn check_packet_bytes(what: &'static str, found: u64) -> Result<(), WriteError> {
    if found > MAX_PACKET_BYTES {
        return Err(WriteError::TooLarge { what, found, limit: MAX_PACKET_BYTES });
    }
    Ok(())
}

fn fit(what: &'static str, found: u64) -> Result<u32, WriteError> {
    u32::try_from(found).map_err(|_| WriteError::TooLarge { what, found, limit: u64::from(u32::MAX) })
}
