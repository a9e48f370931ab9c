//! Positional reads.

use std::fs::{File, Metadata};
use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use thiserror::Error;

#[cfg(feature = "files")]
use super::Compression;
use super::input_file::open_input;
use super::{DecodeWatch, DecodedFrom, OpenError, decode, decoded_limit};
use crate::error::{Classified, ErrorKind};
#[cfg(not(feature = "files"))]
use crate::limits::MAX_DECODED_IN_MEMORY_BYTES;
use crate::text::counted;

/// The operating system refused or cut short a read.
#[derive(Debug, Error)]
#[error("cannot read {length_bytes}: {source}, at {offset:#x}", length_bytes = counted(.length, "byte"))]
pub struct ReadError {
    /// How many bytes were asked for.
    pub length: u64,
    /// Absolute file offset of the read.
    pub offset: u64,
    /// What the operating system said.
    pub r#source: io::Error,
}

impl Classified for ReadError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::ReadFailed
    }

    fn offset(&self) -> Option<u64> {
        Some(self.offset)
    }
}

/// Bytes that can be read at any position by any number of readers.
///
/// There is deliberately no mmap behind this: a trace that shrinks while it is open must be an error, not a signal
/// that kills the process.
pub trait ByteSource: Send + Sync {
    /// Length in bytes when the source was opened.
    fn size_bytes(&self) -> u64;

    /// Fills `into` with the bytes at `offset`, or fails.
    fn read_at(&self, offset: u64, into: &mut [u8]) -> Result<(), ReadError>;
}

/// Reads `length` bytes at `offset` into a new vector. The caller has checked `length` against a limit or against the
/// source's length.
pub fn read_vec_at(source: &dyn ByteSource, offset: u64, length: usize) -> Result<Vec<u8>, ReadError> {
    let mut bytes = vec![0; length];
    source.read_at(offset, &mut bytes)?;
    Ok(bytes)
}

/// A file on disk. One that is compressed is decoded when it is opened, and read as what it holds.
#[derive(Debug)]
pub struct FileSource {
    bytes: FileBytes,
    length: u64,
    state: FileState,
    decoded_from: Option<DecodedFrom>,
}

/// Where the bytes are.
#[derive(Debug)]
enum FileBytes {
    File(File),
    /// Decoded, in a build that makes no files.
    #[cfg(not(feature = "files"))]
    Memory(MemorySource),
}

/// What tells an opened file from another of the same name, and from itself before it was last written to. Two
/// processes that find the same state under a path read the same bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileState {
    size_bytes: u64,
    modified: Option<SystemTime>,
    /// Device and inode, where there are such things.
    place: Option<(u64, u64)>,
}

impl FileState {
    pub(super) fn of(metadata: &Metadata) -> Self {
        #[cfg(unix)]
        let place = {
            use std::os::unix::fs::MetadataExt;
            Some((metadata.dev(), metadata.ino()))
        };
        #[cfg(not(unix))]
        let place = None;
        Self { size_bytes: metadata.len(), modified: metadata.modified().ok(), place }
    }

    /// Length of the file in bytes.
    pub fn size_bytes(&self) -> u64 {
        self.size_bytes
    }
}

impl FileSource {
    /// Opens a regular file for positional reads.
    ///
    /// # Errors
    ///
    /// The file cannot be opened, or it is compressed and cannot be decoded.
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        Self::open_watched(path, &mut |_| ControlFlow::Continue(()))
    }

    /// Opens a regular file as [`FileSource::open`] does; `watch` is told how much of a compressed file is decoded, of
    /// [`FileState::size_bytes`], and may stop that.
    ///
    /// # Errors
    ///
    /// As [`FileSource::open`]; the kind is [`ErrorKind::Interrupted`] where `watch` has stopped it.
    pub fn open_watched(path: &Path, watch: DecodeWatch<'_>) -> Result<Self, OpenError> {
        Self::of_file(open_input(path)?, watch)
    }

    /// Takes in all of what can be read only once, standard input say: into a file without a name, in the folder for those.
    /// `None` if it is longer than `limit` bytes.
    ///
    /// # Errors
    ///
    /// As [`FileSource::open_watched`].
    #[cfg(feature = "files")]
    pub fn spooled(from: impl io::Read, limit: u64, watch: DecodeWatch<'_>) -> Result<Option<Self>, OpenError> {
        let mut file = tempfile::tempfile()?;
        let length = io::copy(&mut io::Read::take(from, limit.saturating_add(1)), &mut file)?;
        if length > limit {
            return Ok(None);
        }
        Self::of_file(file, watch).map(Some)
    }

    fn of_file(file: File, watch: DecodeWatch<'_>) -> Result<Self, OpenError> {
        let metadata = file.metadata()?;
        let (length, state) = (metadata.len(), FileState::of(&metadata));
        let stored = Self { bytes: FileBytes::File(file), length, state, decoded_from: None };
        Ok(stored.decoded(watch)?.unwrap_or(stored))
    }

    /// The file's content, in a file without a name; `None` if it is not compressed.
    #[cfg(feature = "files")]
    fn decoded(&self, watch: DecodeWatch<'_>) -> Result<Option<Self>, OpenError> {
        // Most files are not, and need none.
        if Compression::of_source(self)?.is_none() {
            return Ok(None);
        }
        let mut file = tempfile::tempfile()?;
        let decoded_from = decode(self, decoded_limit(self.length), &mut file, watch)?;
        let length = file.metadata()?.len();
        Ok(Some(Self { bytes: FileBytes::File(file), length, state: self.state, decoded_from }))
    }

    /// The file's content, in memory; `None` if it is not compressed.
    #[cfg(not(feature = "files"))]
    fn decoded(&self, watch: DecodeWatch<'_>) -> Result<Option<Self>, OpenError> {
        let mut bytes = Vec::new();
        let limit = decoded_limit(self.length).min(MAX_DECODED_IN_MEMORY_BYTES);
        let Some(decoded_from) = decode(self, limit, &mut bytes, watch)? else { return Ok(None) };
        let length = bytes.len() as u64;
        let bytes = FileBytes::Memory(MemorySource::from(bytes));
        Ok(Some(Self { bytes, length, state: self.state, decoded_from: Some(decoded_from) }))
    }

    /// The state of the file on disk when it was opened: of the compressed file, if it is one.
    pub fn state(&self) -> FileState {
        self.state
    }

    /// The compressed file that the bytes come from; `None` for a file that is read as it is.
    pub fn decoded_from(&self) -> Option<DecodedFrom> {
        self.decoded_from
    }
}

impl ByteSource for FileSource {
    fn size_bytes(&self) -> u64 {
        self.length
    }

    fn read_at(&self, offset: u64, into: &mut [u8]) -> Result<(), ReadError> {
        match &self.bytes {
            FileBytes::File(file) => read_exact_at(file, offset, into).map_err(|source| ReadError {
                length: into.len() as u64,
                offset,
                source,
            }),
            #[cfg(not(feature = "files"))]
            FileBytes::Memory(bytes) => bytes.read_at(offset, into),
        }
    }
}

#[cfg(unix)]
fn read_exact_at(file: &File, offset: u64, into: &mut [u8]) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, into, offset)
}

#[cfg(windows)]
fn read_exact_at(file: &File, mut offset: u64, mut into: &mut [u8]) -> io::Result<()> {
    use std::os::windows::fs::FileExt;
    while !into.is_empty() {
        match file.seek_read(into, offset) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => {
                into = into.get_mut(count..).unwrap_or_default();
                offset += count as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(not(any(unix, windows)))]
use read_in_turns as read_exact_at;

/// Where the system reads only at a file's one position, readers take turns at it.
#[cfg(any(test, not(any(unix, windows))))]
fn read_in_turns(mut file: &File, offset: u64, into: &mut [u8]) -> io::Result<()> {
    use std::io::{Read, Seek, SeekFrom};
    use std::sync::{Mutex, PoisonError};

    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    file.seek(SeekFrom::Start(offset))?;
    file.read_exact(into)
}

/// Bytes in memory: tests, generated traces, fuzzing.
#[derive(Clone, Debug)]
pub struct MemorySource(pub Arc<[u8]>);

impl From<Vec<u8>> for MemorySource {
    fn from(bytes: Vec<u8>) -> Self {
        Self(bytes.into())
    }
}

impl ByteSource for MemorySource {
    fn size_bytes(&self) -> u64 {
        self.0.len() as u64
    }

    fn read_at(&self, offset: u64, into: &mut [u8]) -> Result<(), ReadError> {
        let bytes =
            usize::try_from(offset).ok().and_then(|start| self.0.get(start..)?.get(..into.len())).ok_or_else(|| {
                ReadError { length: into.len() as u64, offset, source: io::ErrorKind::UnexpectedEof.into() }
            })?;
        into.copy_from_slice(bytes);
        Ok(())
    }
}

/// Bytes in memory that count how often they are read.
#[cfg(any(test, feature = "testing"))]
pub struct CountedSource {
    bytes: MemorySource,
    reads: std::sync::atomic::AtomicU64,
}

#[cfg(any(test, feature = "testing"))]
impl CountedSource {
    /// A source of these bytes.
    pub fn of(bytes: Vec<u8>) -> Self {
        Self { bytes: MemorySource::from(bytes), reads: 0.into() }
    }

    /// The bytes.
    pub fn content(&self) -> &[u8] {
        &self.bytes.0
    }

    /// Number of reads so far.
    pub fn reads(&self) -> u64 {
        self.reads.load(std::sync::atomic::Ordering::Relaxed)
    }
}

#[cfg(any(test, feature = "testing"))]
impl ByteSource for CountedSource {
    fn size_bytes(&self) -> u64 {
        self.bytes.size_bytes()
    }

    fn read_at(&self, offset: u64, into: &mut [u8]) -> Result<(), ReadError> {
        self.reads.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        self.bytes.read_at(offset, into)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "files")]
    #[test]
    fn what_is_read_once_is_read_by_place() {
        let spool = |limit| FileSource::spooled(&b"0123456789"[..], limit, &mut |_| ControlFlow::Continue(())).unwrap();
        let spooled = spool(10).unwrap();
        assert_eq!((spooled.size_bytes(), read_vec_at(&spooled, 4, 3).unwrap()), (10, b"456".to_vec()));
        assert!(spool(9).is_none());
        assert!(read_vec_at(&spooled, 9, 2).is_err());
    }
    use std::io::Write;

    #[test]
    fn file_and_memory_read_the_same() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(b"0123456789").unwrap();
        let on_disk = FileSource::open(file.path()).unwrap();
        let in_memory = MemorySource::from(b"0123456789".to_vec());
        let sources: [&dyn ByteSource; 2] = [&on_disk, &in_memory];
        for source in sources {
            assert_eq!(source.size_bytes(), 10);
            assert_eq!(read_vec_at(source, 3, 4).unwrap(), b"3456");
            assert_eq!(read_vec_at(source, 10, 0).unwrap(), b"");
            let error = read_vec_at(source, 8, 3).unwrap_err();
            assert_eq!((error.offset, error.length), (8, 3));
            assert!(read_vec_at(source, u64::MAX, 1).is_err());
        }
    }

    #[test]
    fn readers_that_take_turns_read_what_is_there() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        let bytes: Vec<u8> = (0..100_000u32).flat_map(u32::to_le_bytes).collect();
        file.write_all(&bytes).unwrap();
        let opened = File::open(file.path()).unwrap();
        let read = |first: u64| {
            for number in (first..100_000).step_by(64) {
                let mut into = [0; 4];
                read_in_turns(&opened, number * 4, &mut into).unwrap();
                assert_eq!(u64::from(u32::from_le_bytes(into)), number);
            }
        };
        std::thread::scope(|scope| (0..4).for_each(|first| drop(scope.spawn(move || read(first)))));
        let end = bytes.len() as u64;
        let past_the_end = read_in_turns(&opened, end - 3, &mut [0; 4]).unwrap_err();
        assert_eq!(past_the_end.kind(), io::ErrorKind::UnexpectedEof);
    }
}
