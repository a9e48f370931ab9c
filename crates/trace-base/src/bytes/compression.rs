//! Compressed files, which people send: told by their first bytes, decoded once, within a budget.
//!
//! A file may be several gzip members or zstd frames, one after another; their contents are joined. Every check sum that it
//! holds is compared. A file that is compressed twice is refused: nested compression has no use, and is how bombs are built.

use std::io::{self, Write};
use std::ops::ControlFlow;

use thiserror::Error;

use super::compressed_input::CompressedInput;
use super::{ByteSource, ReadError, gzip, zstd};
use crate::error::{Classified, ErrorKind};
use crate::limits::{MAX_DECODED_BYTES, MAX_DECODED_RATIO, MAX_SMALL_DECODED_BYTES, MAX_ZSTD_WINDOW_BYTES};
use crate::text::counted;

/// A compression that files are read in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// gzip (RFC 1952).
    Gzip,
    /// Zstandard (RFC 8878).
    Zstd,
}

impl Compression {
    /// The compression of a file that begins so; its name does not matter.
    ///
    /// ```
    /// use trace_base::bytes::Compression;
    ///
    /// assert_eq!(Compression::of_start(b"\x28\xb5\x2f\xfd\x04"), Some(Compression::Zstd));
    /// assert_eq!(Compression::of_start(b"AEROGPUT"), None);
    /// ```
    pub fn of_start(start: &[u8]) -> Option<Self> {
        if start.starts_with(&gzip::MAGIC) {
            return Some(Self::Gzip);
        }
        start.first_chunk().is_some_and(|magic| zstd::is_frame(*magic)).then_some(Self::Zstd)
    }

    /// The compression of a source, by its first bytes.
    pub fn of_source(source: &dyn ByteSource) -> Result<Option<Self>, ReadError> {
        Ok(Self::of_start(&CompressedInput::new(source).peek()?))
    }

    /// Lower-case name, as `info` prints it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
        }
    }

    /// Whether the few bytes at the end of a file are the beginning of another member or frame.
    fn begins_with(self, end: &[u8]) -> bool {
        match self {
            Self::Gzip => gzip::MAGIC.starts_with(end),
            Self::Zstd => zstd::is_frame_cut_short(end),
        }
    }
}

/// Facts about the compressed file that decoded bytes come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecodedFrom {
    /// Compression format of the file.
    pub compression: Compression,
    /// Its length in bytes.
    pub stored_bytes: u64,
    /// Offset in it of bytes behind the last member or frame, which belong to none; they are not decoded.
    pub trailing_offset: Option<u64>,
}

impl DecodedFrom {
    /// Warning about the compressed file, as a sentence.
    pub fn trailing(self) -> Option<String> {
        let at = self.trailing_offset?;
        let (length, name) = (self.stored_bytes - at, self.compression.name());
        Some(format!(
            "ignored {length_bytes} after the {name} data of the compressed file, at {at:#x}",
            length_bytes = counted(length, "byte")
        ))
    }
}

/// A compressed file that cannot be decoded.
#[derive(Debug, Error)]
#[error("{problem}, at {offset:#x}")]
pub struct DecodeError {
    /// Offset in the compressed file.
    pub offset: u64,
    /// Description of the trouble.
    pub problem: DecodeProblem,
}

/// Why a compressed file cannot be decoded.
#[derive(Debug, Error)]
pub enum DecodeProblem {
    /// The file ends within a member or frame.
    #[error("compressed file is cut short: expected more {} data, found its end", .0.name())]
    CutShort(Compression),
    /// Bytes that are not what the compression says.
    #[error("compressed file is damaged: expected {} data, found: {found}", .compression.name())]
    Damaged {
        /// Compression format of the file.
        compression: Compression,
        /// Words of the decoder.
        found: String,
    },
    /// The content is another one than was compressed.
    #[error(
        "compressed file is damaged: expected check sum {expected:#010x} of its {} data, found {found:#010x}",
        .compression.name()
    )]
    CheckSum {
        /// Compression format of the file.
        compression: Compression,
        /// Stored check sum.
        expected: u32,
        /// Check sum of the decoded bytes.
        found: u32,
    },
    /// The frame needs more memory than a decoder may take.
    #[error(
        "zstd frame needs a window of {found_bytes}: this build's limit is {MAX_ZSTD_WINDOW_BYTES}",
        found_bytes = counted(.found, "byte")
    )]
    Window {
        /// Window size in bytes.
        found: u64,
    },
    /// The frame was compressed with a dictionary.
    #[error("zstd frame needs dictionary {0}: expected a frame without a dictionary")]
    Dictionary(u32),
    /// More bytes than a file of this length may decode to.
    #[error(
        "compressed file decodes to more than {limit} bytes, this build's limit for {stored}",
        stored = counted(.stored_bytes, "compressed byte")
    )]
    OverLimit {
        /// Bytes that it may decode to.
        limit: u64,
        /// Length of the file in bytes.
        stored_bytes: u64,
    },
    /// The content is compressed again.
    #[error("compressed file contains another compressed file ({}): expected one layer of compression", .0.name())]
    Nested(Compression),
    /// Somebody stopped it.
    #[error("decoding was cancelled")]
    Stopped,
    /// The operating system refused a read.
    #[error("{0}")]
    Read(io::Error),
    /// The decoded bytes cannot be kept.
    #[error("cannot store the decoded bytes: {0}")]
    Keep(io::Error),
}

impl Classified for DecodeProblem {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::CutShort(_) => ErrorKind::CutShort,
            Self::Damaged { .. } | Self::CheckSum { .. } | Self::Dictionary(_) | Self::Nested(_) => {
                ErrorKind::Malformed
            }
            Self::Window { .. } | Self::OverLimit { .. } => ErrorKind::OverLimit,
            Self::Stopped => ErrorKind::Interrupted,
            Self::Read(_) | Self::Keep(_) => ErrorKind::ReadFailed,
        }
    }

    /// The place is with the error that has it.
    fn offset(&self) -> Option<u64> {
        None
    }
}

impl Classified for DecodeError {
    fn kind(&self) -> ErrorKind {
        self.problem.kind()
    }

    fn offset(&self) -> Option<u64> {
        Some(self.offset)
    }
}

impl From<ReadError> for DecodeError {
    fn from(error: ReadError) -> Self {
        Self { offset: error.offset, problem: DecodeProblem::Read(error.source) }
    }
}

/// Told how far decoding is: bytes read of the compressed file. It may stop it.
pub type DecodeWatch<'w> = &'w mut dyn FnMut(u64) -> ControlFlow<()>;

/// Bytes that a compressed file of `stored_bytes` may decode to.
pub fn decoded_limit(stored_bytes: u64) -> u64 {
    stored_bytes.saturating_mul(MAX_DECODED_RATIO).clamp(MAX_SMALL_DECODED_BYTES, MAX_DECODED_BYTES)
}

/// Writes what a compressed source holds, `limit` bytes at most. `None`, with nothing written, if it is not compressed.
///
/// # Errors
///
/// The source is damaged, cut short, compressed twice or over a limit, or it can't be read, or its content not be written.
pub fn decode(
    source: &dyn ByteSource,
    limit: u64,
    into: &mut dyn Write,
    watch: DecodeWatch<'_>,
) -> Result<Option<DecodedFrom>, DecodeError> {
    let mut input = CompressedInput::new(source);
    let Some(compression) = Compression::of_start(&input.peek()?) else { return Ok(None) };
    let mut output =
        DecodedOutput { limit, stored_bytes: source.size_bytes(), start: Vec::new(), written: 0, into, watch };
    let mut frames = zstd::Frames::new();
    let trailing_offset = loop {
        let at = input.position();
        // Frames may hold nothing, however many there are.
        output.tell(at)?;
        let next = input.peek()?;
        match compression {
            _ if next.is_empty() => break None,
            Compression::Gzip if next.starts_with(&gzip::MAGIC) => gzip::decode_member(&mut input, &mut output)?,
            Compression::Zstd if Compression::of_start(&next) == Some(Compression::Zstd) => {
                frames.decode_next(&mut input, &mut output)?;
            }
            _ if compression.begins_with(&next) => {
                return Err(DecodeError {
                    offset: at + next.len() as u64,
                    problem: DecodeProblem::CutShort(compression),
                });
            }
            _ => break Some(at),
        }
    };
    Ok(Some(DecodedFrom { compression, stored_bytes: source.size_bytes(), trailing_offset }))
}

/// Where decoded bytes go.
pub(super) struct DecodedOutput<'o> {
    limit: u64,
    stored_bytes: u64,
    /// The first bytes, until there are enough to tell whether they are compressed again.
    start: Vec<u8>,
    written: u64,
    into: &'o mut dyn Write,
    watch: DecodeWatch<'o>,
}

/// Bytes that tell a compression.
pub(super) const MAGIC_BYTES: usize = 4;

impl DecodedOutput<'_> {
    /// Writes bytes that were decoded of the compressed file up to `offset`.
    pub(super) fn write(&mut self, bytes: &[u8], offset: u64) -> Result<(), DecodeError> {
        let fail = |problem| Err(DecodeError { offset, problem });
        self.announce(bytes.len() as u64, offset)?;
        self.written += bytes.len() as u64;
        if self.start.len() < MAGIC_BYTES {
            self.start.extend(bytes.iter().take(MAGIC_BYTES - self.start.len()));
            if let Some(compression) = Compression::of_start(&self.start) {
                return fail(DecodeProblem::Nested(compression));
            }
        }
        self.tell(offset)?;
        self.into.write_all(bytes).or_else(|error| fail(DecodeProblem::Keep(error)))
    }

    /// Tells how far it is, and fails if it is to stop.
    fn tell(&mut self, offset: u64) -> Result<(), DecodeError> {
        match (self.watch)(offset) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(DecodeError { offset, problem: DecodeProblem::Stopped }),
        }
    }

    /// Fails if `length` bytes more are too many.
    pub(super) fn announce(&self, length: u64, offset: u64) -> Result<(), DecodeError> {
        if length > self.limit.saturating_sub(self.written) {
            let Self { limit, stored_bytes, .. } = *self;
            return Err(DecodeError { offset, problem: DecodeProblem::OverLimit { limit, stored_bytes } });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::MemorySource;

    fn decoded(stored: &[u8], limit: u64) -> Result<(Vec<u8>, Option<DecodedFrom>), DecodeError> {
        let mut bytes = Vec::new();
        let from = decode(&MemorySource::from(stored.to_vec()), limit, &mut bytes, &mut |_| ControlFlow::Continue(()))?;
        Ok((bytes, from))
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn zstd(bytes: &[u8]) -> Vec<u8> {
        ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
    }

    fn text() -> Vec<u8> {
        (0..90_000u32).flat_map(|number| (number / 7).to_le_bytes()).collect()
    }

    type Compress = fn(&[u8]) -> Vec<u8>;

    const BOTH: [(Compression, Compress); 2] = [(Compression::Gzip, gzip), (Compression::Zstd, zstd)];

    #[test]
    fn members_and_frames_are_joined_and_what_follows_them_is_told() {
        let text = text();
        assert_eq!(decoded(&text, 1 << 20).unwrap(), (Vec::new(), None));
        for (compression, compress) in BOTH {
            let (first, second) = text.split_at(70_001);
            let mut stored = compress(first);
            if compression == Compression::Zstd {
                stored.extend([0x5e, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]);
            }
            stored.extend(compress(second));
            let (bytes, from) = decoded(&stored, 1 << 20).unwrap();
            assert!(bytes == text);
            let whole = DecodedFrom { compression, stored_bytes: stored.len() as u64, trailing_offset: None };
            assert_eq!(from, Some(whole));
            let end = stored.len() as u64;
            stored.extend(b"garbage");
            let (bytes, from) = decoded(&stored, 1 << 20).unwrap();
            assert!(bytes == text);
            assert_eq!(from.unwrap().trailing_offset, Some(end));
        }
    }

    #[test]
    fn every_cut_and_every_flipped_bit_is_one_error_with_its_place() {
        let text = &text()[..3000];
        for (compression, compress) in BOTH {
            let mut stored = compress(&text[..1000]);
            let border = stored.len();
            stored.extend(compress(&text[1000..]));
            for length in MAGIC_BYTES..stored.len() {
                if length == border {
                    continue;
                }
                let error = decoded(&stored[..length], 1 << 20).unwrap_err();
                assert_eq!(
                    (error.kind(), error.offset),
                    (ErrorKind::CutShort, length as u64),
                    "{compression:?}: {error}"
                );
            }
            let mut harmless = 0;
            for at in MAGIC_BYTES..stored.len() {
                let mut flipped = stored.clone();
                flipped[at] ^= 0x10;
                match decoded(&flipped, 1 << 20) {
                    Ok((bytes, from)) => {
                        // A file's time, its system; a magic that is none ends the file.
                        let is_cut = from.unwrap().trailing_offset == Some(border as u64);
                        assert!(bytes == text || is_cut && bytes == text[..1000], "{compression:?}, byte {at}");
                        harmless += 1;
                    }
                    Err(error) => assert!(error.offset <= stored.len() as u64),
                }
            }
            assert!(harmless < 30, "{compression:?}: {harmless} bytes mean nothing");
        }
    }

    #[test]
    fn budgets_nesting_and_whoever_stops_it_end_it() {
        let text = text();
        for (_, compress) in BOTH {
            let stored = compress(&text);
            let size = text.len() as u64;
            assert!(decoded(&stored, size).is_ok());
            assert_eq!(decoded(&stored, size - 1).unwrap_err().kind(), ErrorKind::OverLimit);
            for (inner, again) in BOTH {
                let error = decoded(&compress(&again(&text)), 1 << 20).unwrap_err();
                assert!(matches!(error.problem, DecodeProblem::Nested(found) if found == inner), "{error}");
            }
            let source = MemorySource::from(stored);
            let stopped = decode(&source, size, &mut io::sink(), &mut |_| ControlFlow::Break(())).unwrap_err();
            assert_eq!(stopped.kind(), ErrorKind::Interrupted);
        }
        assert_eq!(decoded_limit(20), MAX_SMALL_DECODED_BYTES);
        assert_eq!(decoded_limit(u64::MAX), MAX_DECODED_BYTES);
    }

    #[test]
    fn windows_and_dictionaries_that_a_frame_asks_for_are_refused() {
        // A window descriptor of 1 GiB, and a dictionary of number 7.
        let window = decoded(b"\x28\xb5\x2f\xfd\x00\xa0\x01\x00\x00", 1 << 20).unwrap_err();
        assert!(matches!(window.problem, DecodeProblem::Window { found: 0x4000_0000 }), "{window}");
        assert_eq!((window.kind(), window.offset), (ErrorKind::OverLimit, 0));
        let dictionary = decoded(b"\x28\xb5\x2f\xfd\x01\x00\x07\x01\x00\x00", 1 << 20).unwrap_err();
        assert!(matches!(dictionary.problem, DecodeProblem::Dictionary(7)), "{dictionary}");
    }

    #[test]
    fn a_wrong_check_sum_is_told() {
        for (compression, compress) in BOTH {
            let mut stored = compress(b"some text");
            let at = match compression {
                Compression::Gzip => stored.len() - 8,
                Compression::Zstd => stored.len() - 4,
            };
            stored[at] ^= 1;
            let error = decoded(&stored, 1 << 20).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Malformed, "{error}");
            assert!(error.to_string().contains("check"), "{error}");
        }
    }
}
