//! The DXBC container: chunks behind a table of offsets.
//!
//! ```text
//!   0  "DXBC"
//!   4  digest, 16 bytes
//!  20  1
//!  24  size of it all
//!  28  number of chunks
//!  32  offset of each chunk, from the container's start
//!      chunk: 4 bytes of name, size of what follows, bytes
//! ```
//!
//! Nothing in it has to be aligned: the emulator's shaders have chunks at odd offsets.

use super::digest::digest;
use super::error::BytecodeError;
use crate::limits::MAX_BYTECODE_CHUNKS;
use trace_base::bytes::{Cursor, Diagnostics, OutOfBytes};

/// The first bytes of a container.
pub const CONTAINER_MAGIC: [u8; 4] = *b"DXBC";

const HEADER_BYTES: usize = 32;
const DIGEST_END: usize = 20;
const CHUNK_HEADER_BYTES: u64 = 8;

/// A container's chunks, as they lie in it.
#[derive(Clone, Debug)]
pub struct Container<'a> {
    bytes: &'a [u8],
    offset: u64,
    chunks: Vec<Chunk<'a>>,
}

/// One chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunk<'a> {
    /// Its name: `SHEX`, `ISGN` …
    pub tag: [u8; 4],
    /// What is in it.
    pub bytes: &'a [u8],
    /// Absolute file offset of that.
    pub offset: u64,
}

impl<'a> Container<'a> {
    /// Reads the header and the table of a container at an absolute file offset. What follows its size is not looked at.
    pub fn parse(bytes: &'a [u8], offset: u64) -> Result<Self, BytecodeError> {
        let mut cursor = Cursor::new(bytes, offset);
        let in_header = |cause: OutOfBytes| BytecodeError::OutOfBytes { what: "header of the container", cause };
        let magic: [u8; 4] = cursor.array().map_err(in_header)?;
        if magic != CONTAINER_MAGIC {
            return Err(BytecodeError::NotBytecode { found: u32::from_le_bytes(magic), offset });
        }
        cursor.take(DIGEST_END - 4 + 4).map_err(in_header)?;
        let size_offset = cursor.offset();
        let size = cursor.u32_le().map_err(in_header)?;
        let count_offset = cursor.offset();
        let count = cursor.u32_le().map_err(in_header)?;
        let (what, found) = ("size of the container", u64::from(size));
        let Some(bytes) = bytes.get(..size as usize).filter(|bytes| bytes.len() >= HEADER_BYTES) else {
            let expected = if size < HEADER_BYTES as u32 {
                "at least 32 bytes"
            } else {
                "at most the bytes \
                that follow"
            };
            return Err(BytecodeError::BadSize { what, expected, found, offset: size_offset });
        };
        if count > MAX_BYTECODE_CHUNKS {
            let (what, found, limit) = ("number of chunks", u64::from(count), u64::from(MAX_BYTECODE_CHUNKS));
            return Err(BytecodeError::OverLimit { what, found, limit, offset: count_offset });
        }
        let mut container = Self { bytes, offset, chunks: Vec::with_capacity(count as usize) };
        let mut table = Cursor::new(bytes.get(HEADER_BYTES..).unwrap_or_default(), offset + HEADER_BYTES as u64);
        for index in 0..count {
            let chunk = container.chunk(index, &mut table)?;
            container.chunks.push(chunk);
        }
        Ok(container)
    }

    fn chunk(&self, index: u32, table: &mut Cursor<'_>) -> Result<Chunk<'a>, BytecodeError> {
        let reference = table.offset();
        let in_table = |cause: OutOfBytes| BytecodeError::OutOfBytes { what: "table of chunks", cause };
        let start = table.u32_le().map_err(in_table)?;
        let container_bytes = self.bytes.len() as u64;
        let outside =
            |size_bytes| BytecodeError::ChunkOutside { index, start, size_bytes, container_bytes, offset: reference };
        let rest = self.bytes.get(start as usize..).ok_or(outside(CHUNK_HEADER_BYTES))?;
        let mut cursor = Cursor::new(rest, self.offset + u64::from(start));
        let tag = cursor.array().map_err(|_| outside(CHUNK_HEADER_BYTES))?;
        let size = cursor.u32_le().map_err(|_| outside(CHUNK_HEADER_BYTES))?;
        let offset = cursor.offset();
        let bytes = cursor.take(size as usize).map_err(|_| outside(CHUNK_HEADER_BYTES + u64::from(size)))?;
        Ok(Chunk { tag, bytes, offset })
    }

    /// All chunks, in the order of the table.
    pub fn chunks(&self) -> &[Chunk<'a>] {
        &self.chunks
    }

    /// The first chunk of this name.
    pub fn find(&self, tag: &[u8; 4]) -> Option<&Chunk<'a>> {
        self.chunks.iter().find(|chunk| chunk.tag == *tag)
    }

    /// The chunk with the program: SHEX before SHDR.
    pub fn program(&self) -> Result<&Chunk<'a>, BytecodeError> {
        let chunks = self.chunks.len() as u32;
        let no_program = BytecodeError::NoProgram { chunks, offset: self.offset };
        self.find(b"SHEX").or_else(|| self.find(b"SHDR")).ok_or(no_program)
    }

    /// The digest it has.
    pub fn digest(&self) -> [u8; 16] {
        self.bytes.get(4..DIGEST_END).and_then(|bytes| bytes.try_into().ok()).unwrap_or_default()
    }

    /// The digest it should have.
    pub fn computed_digest(&self) -> [u8; 16] {
        digest(self.bytes.get(DIGEST_END..).unwrap_or_default())
    }

    /// How many bytes it has, by its header.
    pub fn size_bytes(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// Remarks on a digest that isn't of these bytes. Drivers don't look at it, and the emulator writes zeros.
    pub fn check_digest(&self, diagnostics: &mut Diagnostics) {
        let (found, computed) = (self.digest(), self.computed_digest());
        if found == computed {
            return;
        }
        let found = if found == [0; 16] { "zeros".to_owned() } else { hex(&found) };
        diagnostics
            .remark(self.offset + 4, format!("digest of the container: expected {}, found {found}", hex(&computed)));
    }
}

/// Bytes as people write digests.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
