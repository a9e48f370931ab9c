//! Submissions: their fields, memory ranges, table and stream.

use foldhash::{HashSet, HashSetExt};

use super::blobs::ResolvedBlob;
use super::value::Data;
use super::writer::{CanonicalError, CanonicalWriter};
use crate::abi::a3a0::Class;
use crate::container::{
    BlobId, BlobKind, MEMORY_RANGE_BYTES, MemoryRange, RECORD_HEADER_BYTES, SUBMISSION_BYTES, Submission,
};

/// Bits of `submit_flags` that are defined.
const SUBMIT_FLAGS: u32 = 3;
/// Bits of a range's and an entry's flags that are defined.
pub(super) const ALLOC_FLAGS: u32 = 1;

impl CanonicalWriter<'_, '_> {
    /// A submission whose record lies at the absolute file offset `record`.
    pub(crate) fn submission(&mut self, record: u64, submission: &Submission) -> Result<(), CanonicalError> {
        self.summary.submissions += 1;
        let payload = record + RECORD_HEADER_BYTES;
        self.submission_line(record, submission)?;
        self.check_submission(payload, submission);
        let (stream_id, table_id) = (submission.cmd_stream_blob_id, submission.alloc_table_blob_id);
        let stream = self.blob_of(stream_id, record, BlobKind::AerogpuCmdStream, payload + 32);
        let table = match table_id {
            BlobId(0) => None,
            id => self.blob_of(id, record, BlobKind::AerogpuAllocTable, payload + 40),
        };
        self.end_line()?;

        let mut ids = HashSet::new();
        let first = payload + submission.header_size();
        for (range, at) in submission.memory_ranges.iter().zip((first..).step_by(MEMORY_RANGE_BYTES as usize)) {
            self.range(record, at, range, &mut ids)?;
        }
        if let Some(bytes) = table {
            let table = self.blobs.read("an allocation table's length", &bytes)?;
            self.table(&table, bytes.start)?;
        }
        if let Some(bytes) = stream {
            let stream = self.blobs.read("a command stream's length", &bytes)?;
            self.stream(&stream, bytes.start)?;
        }
        Ok(())
    }

    fn submission_line(&mut self, record: u64, submission: &Submission) -> Result<(), CanonicalError> {
        writeln!(
            self.out,
            "submission @{record:#x} record_version={} header_size={} submit_flags={:#x} context_id={} engine_id={} \
             reserved0={:#x} signal_fence={} cmd_stream_blob_id={} alloc_table_blob_id={} memory_range_count={} \
             reserved1={:#x}",
            submission.record_version,
            submission.header_size(),
            submission.submit_flags,
            submission.context_id,
            submission.engine_id,
            submission.reserved0,
            submission.signal_fence,
            submission.cmd_stream_blob_id,
            submission.alloc_table_blob_id,
            submission.memory_ranges.len(),
            submission.reserved1
        )?;
        Ok(())
    }

    fn check_submission(&mut self, payload: u64, submission: &Submission) {
        let subject = "the submission";
        let mut note_if = |is_odd: bool, class, at, part, found| {
            if is_odd {
                self.note(class, at, subject, part, found);
            }
        };
        let (version, flags) = (submission.record_version, submission.submit_flags);
        note_if(version != 1, Class::RecordVersion, payload, "record_version", u64::from(version));
        note_if(flags & !SUBMIT_FLAGS != 0, Class::UnknownBits, payload + 8, "submit_flags", u64::from(flags));
        for (reserved, at) in [(submission.reserved0, 20), (submission.reserved1, 52)] {
            note_if(reserved != 0, Class::Reserved, payload + at, "reserved", u64::from(reserved));
        }
        let ranges_bytes = submission.memory_ranges.len() as u64 * MEMORY_RANGE_BYTES;
        let (in_header, behind) = (submission.header_tail.len() as u64, submission.tail.len() as u64);
        note_if(in_header > 0, Class::Tail, payload + u64::from(SUBMISSION_BYTES), "a tail, in bytes, of", in_header);
        let end = payload + submission.header_size() + ranges_bytes;
        note_if(behind > 0, Class::Tail, end, "a tail, in bytes, of", behind);
    }

    /// Where the bytes of a blob lie that a submission names at the file offset `field`.
    fn blob_of(&mut self, id: BlobId, record: u64, kind: BlobKind, field: u64) -> Option<std::ops::Range<u64>> {
        let (class, found) = match self.blobs.resolve(id, record, kind) {
            ResolvedBlob::Blob(blob) => return Some(blob.bytes.clone()),
            ResolvedBlob::Missing => (Class::BlobMissing, id.0),
            ResolvedBlob::OtherKind(kind) => (Class::BlobKind, u64::from(kind.number())),
        };
        self.fault(class, field, "the submission", "a blob", found);
        None
    }

    fn range(
        &mut self,
        record: u64,
        at: u64,
        range: &MemoryRange,
        ids: &mut HashSet<u32>,
    ) -> Result<(), CanonicalError> {
        let MemoryRange { alloc_id, flags, gpa, size_bytes, blob_id } = *range;
        let subject = "the memory range";
        let bytes = self.blob_of(blob_id, record, BlobKind::AerogpuAllocMemory, at + 24);
        write!(
            self.out,
            "range @{at:#x} alloc_id={alloc_id} flags={flags:#x} gpa={gpa:#x} size_bytes={size_bytes} blob_id={blob_id}"
        )?;
        match bytes {
            None => writeln!(self.out, " data=-")?,
            Some(bytes) => {
                let data: Data = self.blobs.data(&bytes)?;
                writeln!(self.out, " data={data}")?;
                if data.size_bytes < size_bytes {
                    self.fault(Class::BlobShorter, at + 24, subject, "a blob, in bytes, of", data.size_bytes);
                } else if data.size_bytes > size_bytes {
                    self.note(Class::BlobLonger, at + 24, subject, "a blob, in bytes, of", data.size_bytes);
                }
            }
        }
        if flags & !ALLOC_FLAGS != 0 {
            self.note(Class::UnknownBits, at + 4, subject, "flags", u64::from(flags));
        }
        for (class, offset) in wrong_allocation(alloc_id, gpa, size_bytes, ids) {
            self.fault(class, at + offset, subject, "an allocation", u64::from(alloc_id));
        }
        self.end_line()
    }
}

/// What is wrong with an allocation, in a range or in a table, with the place of the field that is.
pub(super) fn wrong_allocation(
    alloc_id: u32,
    gpa: u64,
    size_bytes: u64,
    ids: &mut HashSet<u32>,
) -> impl Iterator<Item = (Class, u64)> {
    let is_zero = alloc_id == 0;
    let is_known = !is_zero && !ids.insert(alloc_id);
    [
        (is_zero, Class::Zero, 0),
        (is_known, Class::Duplicate, 0),
        (gpa.checked_add(size_bytes).is_none(), Class::AddressWraps, 8),
        (size_bytes == 0, Class::Zero, 16),
    ]
    .into_iter()
    .filter_map(|(is_wrong, class, offset)| is_wrong.then_some((class, offset)))
}
