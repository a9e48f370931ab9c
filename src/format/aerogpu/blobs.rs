//! Which bytes a blob id means, and where in the file.

use std::collections::HashMap;
use std::ops::Range;

use super::record::{BlobHeader, BlobId, BlobKind};

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
    /// Per id in file order.
    definitions: HashMap<BlobId, Vec<BlobDefinition>>,
    /// The catalog knows every definition up to this file offset.
    known_up_to: u64,
}

impl BlobCatalog {
    /// An empty catalog.
    pub fn new() -> Self {
        Self::default()
    }

    /// Notes the Blob record at `record_offset`. A record may be noted again; it counts once.
    pub fn note(&mut self, record_offset: u64, blob: &BlobHeader) {
        if record_offset < self.known_up_to {
            return;
        }
        self.known_up_to = record_offset.saturating_add(1);
        let definition = BlobDefinition { record_offset, kind: blob.kind, bytes: blob.bytes.clone() };
        self.definitions.entry(blob.id).or_default().push(definition);
    }

    /// Every definition before this file offset is in the catalog.
    pub fn known_up_to(&self) -> u64 {
        self.known_up_to
    }

    /// Notes that there is no further definition before `offset`.
    pub fn set_known_up_to(&mut self, offset: u64) {
        self.known_up_to = self.known_up_to.max(offset);
    }

    /// What a packet at the file offset `packet_offset` means by `id`.
    pub fn resolve(&self, id: BlobId, packet_offset: u64) -> Option<&BlobDefinition> {
        let definitions = self.definitions.get(&id)?;
        let preceding = definitions.partition_point(|definition| definition.record_offset < packet_offset);
        definitions.get(preceding.saturating_sub(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_sees_the_preceding_definition_else_the_following() {
        let mut catalog = BlobCatalog::new();
        for record_offset in [100, 200, 300] {
            let bytes = record_offset + 24..record_offset + 30;
            catalog.note(record_offset, &BlobHeader { id: BlobId(7), kind: BlobKind::BufferData, reserved: 0, bytes });
        }
        let seen_at = |packet_offset| catalog.resolve(BlobId(7), packet_offset).unwrap().record_offset;
        assert_eq!([seen_at(50), seen_at(150), seen_at(250), seen_at(350)], [100, 100, 200, 300]);
        assert_eq!(catalog.resolve(BlobId(8), 350), None);
    }

    #[test]
    fn reading_a_stretch_again_adds_nothing() {
        let mut catalog = BlobCatalog::new();
        let blob = BlobHeader { id: BlobId(7), kind: BlobKind::BufferData, reserved: 0, bytes: 124..130 };
        catalog.note(100, &blob);
        catalog.note(100, &blob);
        assert_eq!(catalog.definitions[&BlobId(7)].len(), 1);
    }
}
