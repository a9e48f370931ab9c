//! The bytes that event buffers lie in, with small reads gathered into large ones.

use super::held_file::HeldFile;
use super::page_cache::PageCache;
use trace_base::bytes::{ByteSource, ReadError};

/// Bytes read at once for the sake of small reads. Writers leave chunks of a few kilobytes, each with a header, a part
/// table, a string table and an event buffer.
const AHEAD_BYTES: u64 = 256 << 10;
/// Reads from this size go past the gathered bytes, unless those are to be all of the file.
const LARGE_BYTES: usize = 64 << 10;

/// What the bytes lie in.
pub(super) enum Backing<'s> {
    /// In the file.
    File(&'s dyn ByteSource),
    /// In memory, as which the buffers of a `.wtf-json` file were laid out.
    Memory(Vec<u8>),
}

/// What the bytes lie in, and those around the last small read.
pub(super) struct Store<'s> {
    backing: Backing<'s>,
    gathered: Gathered,
}

/// What small reads are gathered into.
enum Gathered {
    /// The bytes from the last one on, for reads that go forward.
    Ahead { bytes: Vec<u8>, start: u64 },
    /// Everything, for reads that jump.
    Held(HeldFile),
    /// Pages, for reads that jump in a file too large to be held.
    Pages(PageCache),
}

impl ByteSource for Backing<'_> {
    fn size_bytes(&self) -> u64 {
        match self {
            Self::File(source) => source.size_bytes(),
            Self::Memory(bytes) => bytes.len() as u64,
        }
    }

    fn read_at(&self, offset: u64, into: &mut [u8]) -> Result<(), ReadError> {
        match self {
            Self::File(source) => source.read_at(offset, into),
            Self::Memory(bytes) => copy(bytes, 0, offset, into).ok_or_else(|| ReadError {
                length: into.len() as u64,
                offset,
                source: std::io::ErrorKind::UnexpectedEof.into(),
            }),
        }
    }
}

/// Copies what stands at `offset` from `bytes`, which stand at `start`.
fn copy(bytes: &[u8], start: u64, offset: u64, into: &mut [u8]) -> Option<()> {
    let from = usize::try_from(offset.checked_sub(start)?).ok()?;
    into.copy_from_slice(bytes.get(from..)?.get(..into.len())?);
    Some(())
}

impl<'s> Store<'s> {
    pub(crate) fn of_file(source: &'s dyn ByteSource) -> Self {
        Self { backing: Backing::File(source), gathered: Gathered::Ahead { bytes: Vec::new(), start: 0 } }
    }

    /// A file that is read here and there: it is held as far as it was read, or if it is too large, 64 MiB of it.
    pub(crate) fn of_jumps(source: &'s dyn ByteSource) -> Self {
        let held = HeldFile::of_size(source.size_bytes());
        let gathered = held.map_or_else(|| Gathered::Pages(PageCache::default()), Gathered::Held);
        Self { backing: Backing::File(source), gathered }
    }

    pub(crate) fn of_memory(bytes: Vec<u8>) -> Self {
        Self { backing: Backing::Memory(bytes), gathered: Gathered::Ahead { bytes: Vec::new(), start: 0 } }
    }

    pub(crate) fn backing(&self) -> &Backing<'s> {
        &self.backing
    }

    pub(crate) fn size_bytes(&self) -> u64 {
        self.backing.size_bytes()
    }

    /// The bytes in memory, to append to.
    pub(crate) fn memory(&mut self) -> Option<&mut Vec<u8>> {
        match &mut self.backing {
            Backing::File(_) => None,
            Backing::Memory(bytes) => Some(bytes),
        }
    }

    /// Fills `into` with the bytes at `offset`, or fails.
    pub(crate) fn read(&mut self, offset: u64, into: &mut [u8]) -> Result<(), ReadError> {
        let Self { backing, gathered } = self;
        let is_large = into.len() >= LARGE_BYTES;
        let (ahead, start) = match gathered {
            _ if matches!(backing, Backing::Memory(_)) => return backing.read_at(offset, into),
            // A large read is one of many where windows jump to and fro in a buffer as long as the file.
            Gathered::Held(held) => return held.read(backing, offset, into),
            _ if is_large => return backing.read_at(offset, into),
            Gathered::Pages(pages) => return pages.read(backing, offset, into),
            Gathered::Ahead { bytes, start } => (bytes, start),
        };
        if copy(ahead, *start, offset, into).is_some() {
            return Ok(());
        }
        let length = backing.size_bytes().saturating_sub(offset).min(AHEAD_BYTES);
        ahead.resize(length as usize, 0);
        *start = offset;
        if let Err(error) = backing.read_at(offset, ahead) {
            ahead.clear();
            return Err(error);
        }
        // What the file does not have is refused with the right words.
        copy(ahead, offset, offset, into).map_or_else(|| backing.read_at(offset, into), Ok)
    }

    /// The `length` bytes at `offset`, which lie within the store.
    pub(crate) fn read_vec(&mut self, offset: u64, length: usize) -> Result<Vec<u8>, ReadError> {
        let mut bytes = vec![0; length];
        self.read(offset, &mut bytes)?;
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trace_base::bytes::MemorySource;

    #[test]
    fn small_and_large_reads_give_the_same_bytes() {
        let content: Vec<u8> = (0..=250).cycle().take(600_000).collect();
        let source = MemorySource::from(content.clone());
        let mut store = Store::of_file(&source);
        for (offset, length) in [(0, 24), (20, 5), (300_000, 70_000), (299_990, 60_000), (10, 3), (599_999, 1)] {
            let found = store.read_vec(offset, length).unwrap();
            assert_eq!(found, content[offset as usize..][..length], "{length} at {offset}");
        }
        assert!(store.read_vec(599_999, 2).is_err());
        assert!(store.read_vec(u64::MAX, 1).is_err());
    }
}
