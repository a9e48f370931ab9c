//! The blobs of a trimmed trace: each once, equal memory too, under the id that it had where that can mean it.

use std::io::Write;
use std::sync::Arc;

use foldhash::{HashMap, HashSet};
use sha2::{Digest, Sha256};

use super::error::TrimError;
use crate::error::Internal;
use crate::format::aerogpu::{BlobCatalog, BlobDefinition, BlobId, BlobKind, Trace, TraceWriter};
use crate::replay::blob_store::BlobStore;

/// What is written of the blobs of a trace.
pub(super) struct NewBlobs<'a> {
    trace: &'a Trace,
    /// The blobs that Appendix A's packets can mean.
    catalog: &'a BlobCatalog,
    /// Those that submissions can mean, whichever come after them.
    store: BlobStore,
    /// By content: its number, and the id that it was first written under.
    contents: HashMap<Content, (u32, BlobId)>,
    /// By file offset of a Blob record of the old trace: its content, which need not be read again.
    known: HashMap<u64, Content>,
    /// By id: the number of the content that it means from here on.
    meant: HashMap<BlobId, u32>,
    /// Ids that mean nothing, and must go on to.
    dangling: HashSet<BlobId>,
    next_free: u64,
}

/// What two blobs have in common of which one is enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Content {
    /// Guest memory, or a table: equal bytes are the same, by kind, length and SHA-256.
    Bytes(BlobKind, u64, [u8; 32]),
    /// Anything else: the Blob record of the old trace, by its file offset. Equal streams are no one stream: how often one
    /// may run is limited.
    Record(u64),
    /// A blob that the old trace does not have, by a number of its own.
    New(u32),
}

impl Content {
    fn of(blob: &BlobDefinition, bytes: &[u8]) -> Self {
        Self::of_memory(blob.kind, bytes).unwrap_or(Self::Record(blob.record_offset))
    }

    fn of_memory(kind: BlobKind, bytes: &[u8]) -> Option<Self> {
        let is_memory = matches!(kind, BlobKind::AerogpuAllocMemory | BlobKind::AerogpuAllocTable);
        is_memory.then(|| Self::Bytes(kind, bytes.len() as u64, Sha256::digest(bytes).into()))
    }
}

impl<'a> NewBlobs<'a> {
    pub(super) fn new(trace: &'a Arc<Trace>, catalog: &'a BlobCatalog) -> Self {
        Self {
            trace,
            catalog,
            store: BlobStore::with_catalog(trace.clone(), catalog.clone()),
            contents: HashMap::default(),
            known: HashMap::default(),
            meant: HashMap::default(),
            dangling: HashSet::default(),
            next_free: 1,
        }
    }

    /// Whether `id` means something to a packet at `offset` of the old trace.
    pub(super) fn is_known(&self, id: BlobId, offset: u64) -> bool {
        self.catalog.resolve(id, offset).is_some()
    }

    /// Makes `id` mean what it means to a packet at `offset` of the old trace.
    pub(super) fn write_as<W: Write>(
        &mut self,
        writer: &mut TraceWriter<W>,
        id: BlobId,
        offset: u64,
    ) -> Result<(), TrimError> {
        let blob = self.catalog.resolve(id, offset);
        let blob = blob.ok_or(Internal::at("a packet's blob is not among those of the index", offset))?;
        let known = self.known.get(&blob.record_offset).and_then(|content| self.contents.get(content));
        if known.is_some_and(|(number, _)| self.meant.get(&id) == Some(number)) {
            return Ok(());
        }
        let bytes = self.trace.read(blob.bytes.clone())?;
        let (kind, content) = (blob.kind, Content::of(blob, &bytes));
        self.known.insert(blob.record_offset, content);
        self.put(writer, kind, content, id, &bytes)
    }

    /// The id that what `id` means to a submission at `offset` of the old trace has in the new one. One that means nothing
    /// goes on to.
    pub(super) fn share<W: Write>(
        &mut self,
        writer: &mut TraceWriter<W>,
        id: BlobId,
        offset: u64,
    ) -> Result<BlobId, TrimError> {
        // silent: an id that means nothing goes on to mean nothing
        let Some(blob) = self.find(id, offset) else { return self.dangle(id) };
        if let Some(known) = self.known.get(&blob.record_offset).and_then(|content| self.written(content)) {
            return Ok(known);
        }
        let bytes = self.trace.read(blob.bytes.clone())?;
        let content = Content::of(&blob, &bytes);
        self.known.insert(blob.record_offset, content);
        match self.written(&content) {
            Some(known) => Ok(known),
            None => {
                let id = if self.dangling.contains(&id) { self.free_id()? } else { id };
                self.put(writer, blob.kind, content, id, &bytes)?;
                Ok(id)
            }
        }
    }

    /// The id of bytes that are no blob of the old trace, unless one of the new has them.
    pub(super) fn write<W: Write>(
        &mut self,
        writer: &mut TraceWriter<W>,
        kind: BlobKind,
        bytes: &[u8],
    ) -> Result<BlobId, TrimError> {
        let content = Content::of_memory(kind, bytes).unwrap_or(Content::New(self.contents.len() as u32));
        if let Some(known) = self.written(&content) {
            return Ok(known);
        }
        let id = self.free_id()?;
        self.put(writer, kind, content, id, bytes)?;
        Ok(id)
    }

    /// The same, for bytes that may be what `id` means to a submission at `offset` of the old trace, whose id they then have.
    pub(super) fn write_or_keep<W: Write>(
        &mut self,
        writer: &mut TraceWriter<W>,
        id: BlobId,
        offset: u64,
        bytes: &[u8],
    ) -> Result<BlobId, TrimError> {
        match self.find(id, offset) {
            Some(blob) if blob.size_bytes() == bytes.len() as u64 => self.share(writer, id, offset),
            Some(blob) => self.write(writer, blob.kind, bytes),
            None => Err(Internal::at("a blob of the index is missing from the trace", offset).into()),
        }
    }

    /// What `id` means to a submission at `offset` of the old trace; nothing where the search for it meets damage, as whoever
    /// carries it out finds too.
    pub(super) fn find(&mut self, id: BlobId, offset: u64) -> Option<BlobDefinition> {
        self.store.find(id, offset).unwrap_or(None)
    }

    /// The id that means a content now.
    fn written(&self, content: &Content) -> Option<BlobId> {
        let (number, id) = self.contents.get(content)?;
        (self.meant.get(id) == Some(number)).then_some(*id)
    }

    fn put<W: Write>(
        &mut self,
        writer: &mut TraceWriter<W>,
        kind: BlobKind,
        content: Content,
        id: BlobId,
        bytes: &[u8],
    ) -> Result<(), TrimError> {
        writer.blob_with_id(id, kind, bytes)?;
        let (number, first) = self.contents.get(&content).copied().unwrap_or((self.contents.len() as u32, id));
        let first = if self.meant.get(&first) == Some(&number) { first } else { id };
        self.contents.insert(content, (number, first));
        self.meant.insert(id, number);
        Ok(())
    }

    fn dangle(&mut self, id: BlobId) -> Result<BlobId, TrimError> {
        // An id that a blob of the new trace has by chance would mean that.
        let kept = if self.meant.contains_key(&id) { self.free_id()? } else { id };
        self.dangling.insert(kept);
        Ok(kept)
    }

    /// The lowest id that nothing has, in either trace.
    fn free_id(&mut self) -> Result<BlobId, Internal> {
        loop {
            let id = BlobId(self.next_free);
            self.next_free = self.next_free.checked_add(1).ok_or(Internal::new("a trace uses every blob id"))?;
            let is_known = self.catalog.resolve(id, 0).is_some() || self.meant.contains_key(&id);
            if !is_known && !self.dangling.contains(&id) {
                return Ok(id);
            }
        }
    }
}
