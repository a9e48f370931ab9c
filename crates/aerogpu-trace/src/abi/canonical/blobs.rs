//! The blobs of a trace: which bytes an id means, and their digests.

use std::ops::Range;

use foldhash::HashMap;
use sha2::{Digest, Sha256};

use super::value::Data;
use super::writer::CanonicalError;
use crate::container::{BlobCatalog, BlobDefinition, BlobId, BlobKind, FormatError, Trace};
use crate::limits::MAX_PACKET_BYTES;
use trace_base::bytes::{Diagnostics, ReadError};

/// Bytes that are read at a time.
const READ_BYTES: u64 = 64 << 10;
/// The first container version that has submissions, and hence looks for blobs.
const FIRST_VERSION_WITH_SUBMISSIONS: u32 = 2;

/// Every blob of a trace.
pub(super) struct Blobs<'t> {
    trace: &'t Trace,
    catalog: BlobCatalog,
    /// What was hashed already, by the place of its first byte: any number of ranges may name one blob.
    hashed: HashMap<u64, Data>,
}

/// What a submission means by a blob id.
pub(super) enum ResolvedBlob<'b> {
    /// Nothing: no blob has the id.
    Missing,
    /// A blob of another kind.
    OtherKind(BlobKind),
    /// A blob of the right kind.
    Blob(&'b BlobDefinition),
}

impl<'t> Blobs<'t> {
    /// Reads the headers of all records, as far as they can be read.
    pub(crate) fn find(trace: &'t Trace) -> Result<Self, CanonicalError> {
        let mut catalog = BlobCatalog::new();
        if trace.header().container_version >= FIRST_VERSION_WITH_SUBMISSIONS {
            let mut reader = trace.records(trace.stream());
            loop {
                match reader.next_record(&mut Diagnostics::new()) {
                    Ok(Some(record)) => catalog.observe(&record),
                    Ok(None) => break,
                    Err(FormatError::Read(error)) => return Err(error.into()),
                    // The record's own line will say so.
                    Err(_) => break,
                }
            }
        }
        Ok(Self { trace, catalog, hashed: HashMap::default() })
    }

    /// What a submission at the file offset `at` means by `id`.
    pub(crate) fn resolve(&self, id: BlobId, at: u64, kind: BlobKind) -> ResolvedBlob<'_> {
        match self.catalog.resolve(id, at) {
            None => ResolvedBlob::Missing,
            Some(blob) if blob.kind != kind => ResolvedBlob::OtherKind(blob.kind),
            Some(blob) => ResolvedBlob::Blob(blob),
        }
    }

    /// Reads a stream or a table whole.
    pub(crate) fn read(&self, what: &'static str, bytes: &Range<u64>) -> Result<Vec<u8>, CanonicalError> {
        let found = bytes.end - bytes.start;
        if found > MAX_PACKET_BYTES {
            return Err(FormatError::OverLimit { what, found, limit: MAX_PACKET_BYTES, offset: bytes.start }.into());
        }
        Ok(self.trace.read(bytes.clone())?)
    }

    /// Length and digest of a blob's bytes.
    pub(crate) fn data(&mut self, bytes: &Range<u64>) -> Result<Data, ReadError> {
        match self.hashed.get(&bytes.start) {
            // Blobs don't overlap: of those that begin at one place only the last has bytes.
            Some(data) if data.size_bytes == bytes.end - bytes.start => Ok(*data),
            _ => {
                let data = self.data_of_range(bytes)?;
                self.hashed.insert(bytes.start, data);
                Ok(data)
            }
        }
    }

    /// Length and digest of any bytes of the file.
    pub(crate) fn data_of_range(&self, bytes: &Range<u64>) -> Result<Data, ReadError> {
        let mut hash = Sha256::new();
        let mut buffer = vec![0; READ_BYTES.min(bytes.end - bytes.start) as usize];
        let mut at = bytes.start;
        while at < bytes.end {
            let length = READ_BYTES.min(bytes.end - at);
            let part = buffer.get_mut(..length as usize).unwrap_or_default();
            self.trace.read_into(at, part)?;
            hash.update(part);
            at += length;
        }
        Ok(Data::of_hash(bytes.end - bytes.start, hash))
    }
}
