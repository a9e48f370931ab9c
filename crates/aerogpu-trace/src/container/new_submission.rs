//! What an emulator has when it submits: written as blobs and a record that names them.

use std::hash::{BuildHasher, RandomState};
use std::io::Write;

use super::blob_id::BlobId;
use super::record::BlobKind;
use super::submission::{MemoryRange, Submission};
use super::writer::{TraceWriter, WriteError};

/// Version of the AerogpuSubmission record that is written.
const RECORD_VERSION: u32 = 1;

/// A submission with the bytes that it refers to.
#[derive(Clone, Copy, Debug, Default)]
pub struct NewSubmission<'a> {
    /// Bit 0: PRESENT, bit 1: NO_IRQ.
    pub submit_flags: u32,
    /// Which context's state the stream runs in.
    pub context_id: u32,
    /// Which engine runs it.
    pub engine_id: u32,
    /// Fence value signalled at its end.
    pub signal_fence: u64,
    /// The `ACMD` stream. It may be empty, where a descriptor was inconsistent.
    pub cmd_stream: &'a [u8],
    /// The `ALOC` table, if there is one.
    pub alloc_table: Option<&'a [u8]>,
    /// Guest memory as it is before the stream runs.
    pub memory: &'a [CapturedMemory<'a>],
}

/// One range of guest memory.
#[derive(Clone, Copy, Debug, Default)]
pub struct CapturedMemory<'a> {
    /// The allocation it belongs to.
    pub alloc_id: u32,
    /// Bit 0: READONLY.
    pub flags: u32,
    /// Guest physical address of its first byte.
    pub gpa: u64,
    /// Its bytes.
    pub bytes: &'a [u8],
}

/// A digest by which equal memory is found again, beside its length.
pub(super) type MemoryDigest = (usize, [u64; 2]);

/// Makes digests of memory: two keyed hashes, whose keys are this writer's own secret. A guest
/// that does not know them cannot aim at two memories that are taken for one.
#[derive(Default)]
pub(super) struct MemoryDigests([RandomState; 2]);

impl MemoryDigests {
    fn of(&self, bytes: &[u8]) -> MemoryDigest {
        (bytes.len(), self.0.each_ref().map(|keys| keys.hash_one(bytes)))
    }
}

impl<W: Write> TraceWriter<W> {
    /// Writes a submission into the open frame: its stream, table and memory as blobs, then the record that names them.
    /// Memory that was written before is named again, not written again.
    ///
    /// A recorder that is killed in between leaves blobs that nobody names, or half a record behind whole ones.
    pub fn submit(&mut self, submission: &NewSubmission<'_>) -> Result<(), WriteError> {
        self.check_submission()?;
        let cmd_stream_blob_id = self.blob(BlobKind::AerogpuCmdStream, submission.cmd_stream)?;
        let alloc_table_blob_id = match submission.alloc_table {
            Some(table) => self.blob(BlobKind::AerogpuAllocTable, table)?,
            None => BlobId(0),
        };
        let mut memory_ranges = Vec::with_capacity(submission.memory.len());
        for memory in submission.memory {
            memory_ranges.push(MemoryRange {
                alloc_id: memory.alloc_id,
                flags: memory.flags,
                gpa: memory.gpa,
                size_bytes: memory.bytes.len() as u64,
                blob_id: self.memory(memory.bytes)?,
            });
        }
        self.submission(&Submission {
            record_version: RECORD_VERSION,
            submit_flags: submission.submit_flags,
            context_id: submission.context_id,
            engine_id: submission.engine_id,
            signal_fence: submission.signal_fence,
            cmd_stream_blob_id,
            alloc_table_blob_id,
            memory_ranges,
            ..Submission::default()
        })
    }

    /// The blob that holds these bytes of guest memory, written unless it was before.
    fn memory(&mut self, bytes: &[u8]) -> Result<BlobId, WriteError> {
        let digest = self.memory_digests().of(bytes);
        if let Some(id) = self.memory_written(&digest) {
            return Ok(id);
        }
        let id = self.blob(BlobKind::AerogpuAllocMemory, bytes)?;
        self.note_memory(digest, id);
        Ok(id)
    }
}
