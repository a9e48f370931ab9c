//! Finds what a blob id means to a packet, and reads blob bytes.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::buffer_contents::Piece;
use super::error::Problem;
use crate::bytes::{Diagnostics, ReadError};
use crate::error::{Classified, ErrorKind};
use crate::format::aerogpu::{BlobCatalog, BlobDefinition, BlobId, BlobKind, FormatError, Record, Trace};

/// The blobs of one trace. Definitions are taken in as replay walks past them; only a reference to a blob that has
/// not come yet makes it look through the rest of the stream.
pub struct BlobStore {
    trace: Arc<Trace>,
    catalog: BlobCatalog,
    /// Where the first damaged record of the trace starts, once that was asked.
    damaged_at: Option<Option<u64>>,
}

impl BlobStore {
    /// A store that has seen nothing of the trace yet.
    pub fn new(trace: Arc<Trace>) -> Self {
        Self { trace, catalog: BlobCatalog::new(), damaged_at: None }
    }

    /// A store that knows the blobs of `catalog` already.
    pub fn with_catalog(trace: Arc<Trace>, catalog: BlobCatalog) -> Self {
        Self { trace, catalog, damaged_at: None }
    }

    /// The trace that the blobs are of.
    pub fn trace(&self) -> &Arc<Trace> {
        &self.trace
    }

    /// The blobs seen so far.
    pub fn into_catalog(self) -> BlobCatalog {
        self.catalog
    }

    /// Takes in the next record of the stream.
    #[inline]
    pub fn observe(&mut self, record: &Record<'_>) {
        self.catalog.observe(record);
    }

    /// Takes note that no blob lies between the last record taken in and the file offset `end`.
    #[inline]
    pub fn pass(&mut self, end: u64) {
        self.catalog.pass(end);
    }

    /// What a packet at the file offset `packet_offset` means by `id`, which must be of the kind `expected`.
    pub fn resolve(&mut self, id: BlobId, expected: BlobKind, packet_offset: u64) -> Result<BlobDefinition, Problem> {
        let definition = self.find(id, packet_offset)?.ok_or(Problem::MissingBlob(id))?;
        if definition.kind != expected {
            return Err(Problem::WrongBlobKind { blob: id, found: definition.kind, expected });
        }
        Ok(definition)
    }

    /// The same, of any kind; nothing if no blob of the trace has the id.
    pub fn find(&mut self, id: BlobId, packet_offset: u64) -> Result<Option<BlobDefinition>, Problem> {
        if self.catalog.resolve(id, packet_offset).is_none() {
            self.search_ahead(id)?;
        }
        Ok(self.catalog.resolve(id, packet_offset).cloned())
    }

    /// The bytes of a blob, which the caller has checked against a limit.
    pub fn read(&self, blob: &BlobDefinition) -> Result<Vec<u8>, ReadError> {
        self.trace.read(blob.bytes.clone())
    }

    /// Makes `into` hold the bytes of `pieces`, whose lengths the caller has checked against a limit.
    pub fn read_pieces(&self, pieces: &[Piece], into: &mut Vec<u8>) -> Result<(), ReadError> {
        let length: u64 = pieces.iter().map(Piece::size_bytes).sum();
        into.resize(length as usize, 0);
        let mut into = into.as_mut_slice();
        for piece in pieces {
            // All pieces together are as long as `into`.
            let (head, tail) = into.split_at_mut(piece.size_bytes().min(into.len() as u64) as usize);
            match piece {
                Piece::Zeros(_) => head.fill(0),
                Piece::File(range) => self.trace.read_into(range.start, head)?,
            }
            into = tail;
        }
        Ok(())
    }

    /// Walks the rest of the stream until `id` is defined. Behind a damaged record the next frame is looked through.
    ///
    /// The blob that no record defines may stand in a damaged one, wherever that is: the error says so, however much of the
    /// trace was read before.
    fn search_ahead(&mut self, id: BlobId) -> Result<(), Problem> {
        let stream = self.trace.stream();
        let start = self.catalog.known_up_to().max(stream.start);
        let trace = self.trace.clone();
        walk(&trace, start, |record| {
            self.catalog.observe(record);
            if self.catalog.resolve(id, 0).is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
        .map_err(|source| Problem::BlobSearch { blob: id, source: Box::new(source) })?;
        if self.catalog.resolve(id, 0).is_some() {
            return Ok(());
        }
        self.first_damage().map_err(|source| Problem::BlobSearch { blob: id, source: Box::new(source) })
    }

    /// Reads the first damaged record of the trace again, if there is one.
    fn first_damage(&mut self) -> Result<(), FormatError> {
        let stream = self.trace.stream();
        if self.damaged_at.is_none() {
            self.damaged_at = Some(walk(&self.trace, stream.start, |_| ControlFlow::Continue(()))?);
        }
        match self.damaged_at.flatten() {
            Some(at) => self.trace.records(at..stream.end).next_record(&mut Diagnostics::new()).map(|_| ()),
            None => Ok(()),
        }
    }
}

/// Walks the records from `start` on, beyond damaged ones, until `each` breaks; gives the start of the first damaged one.
fn walk(
    trace: &Trace,
    start: u64,
    mut each: impl FnMut(&Record<'_>) -> ControlFlow<()>,
) -> Result<Option<u64>, FormatError> {
    let end = trace.stream().end;
    let mut reader = trace.records(start..end).without_lists();
    // Oddities of these records are noted when replay comes to them.
    let mut unnoted = Diagnostics::new();
    let mut damaged_at = None;
    loop {
        let at = reader.offset();
        match reader.next_record(&mut unnoted) {
            Ok(Some(record)) if each(&record).is_continue() => {}
            Ok(_) => return Ok(damaged_at),
            Err(error) if error.kind() == ErrorKind::ReadFailed => return Err(error),
            Err(_) => {
                damaged_at.get_or_insert(at);
                let next = trace.frames().partition_point(|frame| frame.bytes.start <= at);
                // silent: behind the last frame no record follows that is sound
                let Some(next) = trace.frames().get(next) else { return Ok(damaged_at) };
                reader.seek(next.bytes.start..end);
            }
        }
    }
}
