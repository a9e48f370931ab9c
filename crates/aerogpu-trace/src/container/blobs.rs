//! Which bytes a blob id means, and where in the file.

use std::collections::hash_map::Entry;
use std::ops::Range;
use std::sync::Arc;

use foldhash::HashMap;

use super::blob_id::BlobId;
use super::record::{BlobKind, Record, RecordBody};

/// One Blob record.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BlobDefinition {
    /// Absolute file offset of the record.
    pub record_offset: u64,
    /// What the bytes are.
    pub kind: BlobKind,
    /// Absolute file offsets of the bytes.
    pub bytes: Range<u64>,
}

impl BlobDefinition {
    /// Length of the blob in bytes.
    pub fn size_bytes(&self) -> u64 {
        self.bytes.end - self.bytes.start
    }
}

/// Every definition of every blob id seen so far.
///
/// An id may be defined more than once. A packet sees the definition that precedes it in the file; if there is none,
/// the first one that follows.
#[derive(Clone, Debug, Default)]
pub struct BlobCatalog {
    /// Shared by the copies of a catalog until one of them takes in more.
    definitions: Arc<HashMap<BlobId, Definitions>>,
    /// Every definition before this file offset is in the catalog.
    known_up_to: u64,
}

/// The definitions of one id, in file order. Nearly all ids have one, and there can be millions of them.
#[derive(Clone, Debug)]
enum Definitions {
    One(BlobDefinition),
    Several(Vec<BlobDefinition>),
}

impl Definitions {
    fn as_slice(&self) -> &[BlobDefinition] {
        match self {
            Self::One(definition) => std::slice::from_ref(definition),
            Self::Several(definitions) => definitions,
        }
    }

    fn push(&mut self, definition: BlobDefinition) {
        match self {
            Self::One(first) => *self = Self::Several(vec![first.clone(), definition]),
            Self::Several(definitions) => definitions.push(definition),
        }
    }
}

impl BlobCatalog {
    /// An empty catalog.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes in the next record of the stream. Records already taken in change nothing.
    #[inline]
    pub fn observe(&mut self, record: &Record<'_>) {
        if record.offset < self.known_up_to {
            return;
        }
        self.known_up_to = record.end;
        if let RecordBody::Blob(blob) = &record.body {
            let definition =
                BlobDefinition { record_offset: record.offset, kind: blob.kind, bytes: blob.bytes.clone() };
            match Arc::make_mut(&mut self.definitions).entry(blob.id) {
                Entry::Occupied(mut known) => known.get_mut().push(definition),
                Entry::Vacant(new) => _ = new.insert(Definitions::One(definition)),
            }
        }
    }

    /// Takes note that no blob lies between the last record taken in and the record at the file offset `end`.
    #[inline]
    pub fn pass(&mut self, end: u64) {
        self.known_up_to = self.known_up_to.max(end);
    }

    /// Absolute file offset of the first record not taken in, 0 before the first.
    pub fn known_up_to(&self) -> u64 {
        self.known_up_to
    }

    /// Every definition, in file order.
    pub fn definitions(&self) -> Vec<(BlobId, &BlobDefinition)> {
        let all = self.definitions.iter();
        let all = all.flat_map(|(id, definitions)| definitions.as_slice().iter().map(move |blob| (*id, blob)));
        let mut all: Vec<_> = all.collect();
        all.sort_unstable_by_key(|(_, blob)| blob.record_offset);
        all
    }

    /// What a packet at the file offset `packet_offset` means by `id`.
    pub fn resolve(&self, id: BlobId, packet_offset: u64) -> Option<&BlobDefinition> {
        let definitions = self.definitions.get(&id)?.as_slice();
        let preceding = definitions.partition_point(|definition| definition.record_offset < packet_offset);
        definitions.get(preceding.saturating_sub(1))
    }
}

#[cfg(test)]
mod tests {
    use super::super::record::BlobHeader;
    use super::*;

    fn blob(offset: u64) -> Record<'static> {
        let bytes = offset + 24..offset + 30;
        let header = BlobHeader { id: BlobId(7), kind: BlobKind::BufferData, reserved: 0, bytes };
        Record { offset, end: offset + 30, flags: 0, reserved: 0, body: RecordBody::Blob(header) }
    }

    #[test]
    fn a_packet_sees_the_preceding_definition_else_the_following() {
        let mut catalog = BlobCatalog::new();
        for offset in [100, 200, 300] {
            catalog.observe(&blob(offset));
        }
        let seen_at = |packet_offset| catalog.resolve(BlobId(7), packet_offset).unwrap().record_offset;
        assert_eq!([seen_at(50), seen_at(150), seen_at(250), seen_at(350)], [100, 100, 200, 300]);
        assert_eq!(catalog.resolve(BlobId(8), 350), None);
    }

    #[test]
    fn a_copy_knows_what_was_known_when_it_was_made() {
        let mut catalog = BlobCatalog::new();
        catalog.observe(&blob(100));
        let copy = catalog.clone();
        catalog.observe(&blob(200));
        assert_eq!((copy.definitions().len(), copy.known_up_to()), (1, 130));
        assert_eq!((catalog.definitions().len(), catalog.known_up_to()), (2, 230));
    }

    #[test]
    fn reading_a_stretch_again_adds_nothing() {
        let mut catalog = BlobCatalog::new();
        catalog.observe(&blob(100));
        catalog.observe(&blob(100));
        assert_eq!(catalog.definitions().len(), 1);
        assert_eq!(catalog.known_up_to(), 130);
    }
}
