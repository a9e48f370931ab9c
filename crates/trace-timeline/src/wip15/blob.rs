//! Blobs: compressed bytes that are unpacked only when somebody asks (spec: *Data*).
//!
//! ```text
//!  0        1               5                  9
//!  ┌────────┬───────────────┬──────────────────┬──────────────────────────────┐
//!  │ method │ size (u32)    │ compressedSize   │ compressedSize bytes         │
//!  └────────┴───────────────┴──────────────────┴──────────────────────────────┘
//! ```

use std::borrow::Cow;

use flate2::{Decompress, FlushDecompress, Status};

use super::{Compression, Error, FoundSize};
use crate::limits::MAX_WIP15_BLOB_BYTES;
use trace_base::bytes::Cursor;

/// A blob as it lies in the file.
#[derive(Clone, Copy, Debug)]
pub struct Blob<'a> {
    /// Absolute file offset of its first byte, the method.
    pub offset: u64,
    /// How it is stored.
    pub method: Compression,
    /// Its length when decompressed, in bytes, as declared.
    pub size_bytes: u32,
    /// The stored bytes.
    pub stored: &'a [u8],
}

/// A decompressed blob.
#[derive(Clone, Debug)]
pub struct Unpacked<'a> {
    /// Its bytes, exactly as many as declared.
    pub bytes: Cow<'a, [u8]>,
    /// Whether stored bytes were left over after the end of the stream.
    pub has_trailing: bool,
}

/// Reads a blob's head and steps over its stored bytes.
pub(super) fn parse_blob<'a>(cursor: &mut Cursor<'a>) -> Result<Blob<'a>, Error> {
    let offset = cursor.offset();
    let found = cursor.u8()?;
    let method = Compression::from_code(found).ok_or(Error::BadCompression { found, offset })?;
    let (size_bytes, stored_bytes) = (cursor.u32_le()?, cursor.u32_le()?);
    if method == Compression::None && size_bytes != stored_bytes {
        let (expected, found) = (u64::from(size_bytes), FoundSize::Exactly(stored_bytes.into()));
        return Err(Error::DataSizeMismatch { method, expected, found, offset });
    }
    let stored = cursor.take(stored_bytes as usize)?;
    Ok(Blob { offset, method, size_bytes, stored })
}

impl<'a> Blob<'a> {
    /// Its bytes. Blobs that claim more than [`MAX_WIP15_BLOB_BYTES`], or more than their stored bytes could ever
    /// expand to, are refused before anything is allocated.
    pub fn unpack(&self) -> Result<Unpacked<'a>, Error> {
        if self.method == Compression::None {
            return Ok(Unpacked { bytes: self.stored.into(), has_trailing: false });
        }
        let mut bytes = Vec::new();
        let has_trailing = self.unpack_into(&mut bytes)?;
        bytes.truncate(self.size_bytes as usize);
        Ok(Unpacked { bytes: bytes.into(), has_trailing })
    }

    /// What [`unpack`](Self::unpack) says of it but for its bytes, which are left in `scratch`: some bytes of a file can
    /// stand for 256 MiB, and to ask for that much memory anew for every blob costs more than to unpack it.
    pub(super) fn check(&self, scratch: &mut Vec<u8>) -> Result<bool, Error> {
        if self.method == Compression::None { Ok(false) } else { self.unpack_into(scratch) }
    }

    /// Unpacks it to the front of `bytes`, which grow if they are too short. Whether stored bytes were left over.
    fn unpack_into(&self, bytes: &mut Vec<u8>) -> Result<bool, Error> {
        let limit = self.max_size_bytes();
        if u64::from(self.size_bytes) > limit {
            return Err(Error::BlobTooLarge { limit, size: self.size_bytes.into(), offset: self.offset });
        }
        let declared = self.size_bytes as usize;
        // One byte of room beyond the declared length shows streams that are longer.
        if bytes.len() <= declared {
            // What there was is not carried over, and memory that was never used is zero already.
            *bytes = Vec::new();
            *bytes = vec![0; declared + 1];
        }
        let room = bytes.get_mut(..=declared).unwrap_or_default();
        let (written, has_trailing) = match self.method {
            Compression::None => (0, false),
            Compression::Zlib => self.inflate(room)?,
            Compression::Lz4 => (self.unpack_lz4(room)?, false),
            Compression::Zstd => self.unpack_zstd(room)?,
        };
        if written != declared {
            let more = written > declared;
            return Err(self.mismatch(if more { FoundSize::More } else { FoundSize::Exactly(written as u64) }));
        }
        Ok(has_trailing)
    }

    /// The most bytes that its stored bytes can stand for: a zlib bit pair gives at most 258 bytes, an LZ4 byte 255.
    fn max_size_bytes(&self) -> u64 {
        let stored = self.stored.len() as u64;
        let expanded = match self.method {
            Compression::None => stored,
            Compression::Zlib => stored * 1032 + 1024,
            Compression::Lz4 => stored * 255 + 1024,
            Compression::Zstd => u64::MAX,
        };
        expanded.min(MAX_WIP15_BLOB_BYTES)
    }

    fn inflate(&self, into: &mut [u8]) -> Result<(usize, bool), Error> {
        let mut stream = Decompress::new(true);
        loop {
            let (read, written) = (stream.total_in() as usize, stream.total_out() as usize);
            let (input, output) = (self.stored.get(read..).unwrap_or_default(), into.get_mut(written..));
            let status = stream.decompress(input, output.unwrap_or_default(), FlushDecompress::Finish);
            let status = status.map_err(|_| self.corrupt())?;
            let (now_read, now_written) = (stream.total_in() as usize, stream.total_out() as usize);
            if status == Status::StreamEnd {
                return Ok((now_written, now_read < self.stored.len()));
            }
            if now_written == into.len() {
                return Err(self.mismatch(FoundSize::More));
            }
            if (now_read, now_written) == (read, written) {
                // The stream stops short of its end: no check sum vouches for what there is.
                return Err(self.corrupt());
            }
        }
    }

    fn unpack_lz4(&self, into: &mut [u8]) -> Result<usize, Error> {
        use lz4_flex::block::{DecompressError, decompress_into};
        decompress_into(self.stored, into).map_err(|error| match error {
            DecompressError::OutputTooSmall { .. } => self.mismatch(FoundSize::More),
            _ => self.corrupt(),
        })
    }

    fn unpack_zstd(&self, into: &mut [u8]) -> Result<(usize, bool), Error> {
        use std::io::Read;
        let mut rest = self.stored;
        let mut stream = ruzstd::decoding::StreamingDecoder::new(&mut rest).map_err(|_| self.corrupt())?;
        let mut written = 0;
        while let Some(room) = into.get_mut(written..).filter(|room| !room.is_empty()) {
            match stream.read(room).map_err(|_| self.corrupt())? {
                0 => break,
                count => written += count,
            }
        }
        drop(stream);
        Ok((written, !rest.is_empty()))
    }

    fn mismatch(&self, found: FoundSize) -> Error {
        Error::DataSizeMismatch { method: self.method, expected: self.size_bytes.into(), found, offset: self.offset }
    }

    fn corrupt(&self) -> Error {
        let size = u64::from(self.size_bytes);
        if self.method == Compression::Zlib && size == self.stored.len() as u64 {
            return Error::ZlibLevelZero { size, offset: self.offset };
        }
        Error::DataCorrupt { method: self.method, offset: self.offset }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn unpack(method: Compression, size_bytes: u32, stored: &[u8]) -> Result<(Vec<u8>, bool), &'static str> {
        let blob = Blob { offset: 0x20, method, size_bytes, stored };
        let unpacked = blob.unpack();
        // A check says the same, whatever was checked before.
        for before in [Vec::new(), vec![7; 10], vec![7; 1000]] {
            let checked = blob.check(&mut before.clone());
            assert_eq!(
                format!("{checked:?}"),
                format!("{:?}", unpacked.as_ref().map(|unpacked| unpacked.has_trailing))
            );
        }
        unpacked.map(|unpacked| (unpacked.bytes.into_owned(), unpacked.has_trailing)).map_err(|e| e.class())
    }

    fn zlib(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn every_method_unpacks_and_lengths_are_held_to_what_was_declared() {
        let text = b"aaaaaaaaaaaaaaaaaaaabbbbb".to_vec();
        let zstd = ruzstd::encoding::compress_to_vec(text.as_slice(), ruzstd::encoding::CompressionLevel::Fastest);
        // One literal, a match of 19 one byte back, five literals.
        let lz4 = b"\x1fa\x01\x00\x00\x50bbbbb".to_vec();
        for (method, stored) in [(Compression::Zlib, zlib(&text)), (Compression::Lz4, lz4), (Compression::Zstd, zstd)] {
            assert_eq!(unpack(method, 25, &stored), Ok((text.clone(), false)), "{method:?}");
            assert_eq!(unpack(method, 24, &stored), Err("data_size_mismatch"), "{method:?}");
            assert_eq!(unpack(method, 26, &stored), Err("data_size_mismatch"), "{method:?}");
            assert_eq!(unpack(method, u32::MAX, &stored), Err("limit"), "{method:?}");
            let mut cut = stored.clone();
            cut.truncate(stored.len() / 2);
            assert!(unpack(method, 25, &cut).is_err(), "{method:?}");
            assert!(unpack(method, 25, &[]).is_err(), "{method:?}");
        }
    }

    #[test]
    fn bytes_after_the_end_of_a_stream_are_noticed() {
        let text = b"some text".to_vec();
        let zstd = ruzstd::encoding::compress_to_vec(text.as_slice(), ruzstd::encoding::CompressionLevel::Fastest);
        for (method, mut stored) in [(Compression::Zlib, zlib(&text)), (Compression::Zstd, zstd)] {
            stored.extend(b"more");
            assert_eq!(unpack(method, 9, &stored), Ok((text.clone(), true)), "{method:?}");
        }
    }

    #[test]
    fn a_wrong_check_sum_is_damage() {
        let mut stored = zlib(b"some text");
        *stored.last_mut().unwrap() ^= 1;
        assert_eq!(unpack(Compression::Zlib, 9, &stored), Err("data_corrupt"));
    }
}
