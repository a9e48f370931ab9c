//! Frames of Zstandard files.

use std::io::Read;

use ruzstd::decoding::errors::FrameDecoderError;
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use super::compressed_input::CompressedInput;
use super::compression::{Compression, DecodeError, DecodeProblem, DecodedOutput};
use crate::limits::MAX_ZSTD_WINDOW_BYTES;

/// First bytes of a frame that holds data.
const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// First bytes of a frame that is passed over, but for the low half of the first.
const SKIPPABLE_MAGIC: [u8; 4] = [0x50, 0x2a, 0x4d, 0x18];
/// Bytes of a skippable frame before those that it skips.
const SKIPPABLE_HEAD_BYTES: usize = 8;

/// Bytes decoded at once: a block or two.
const CHUNK_BYTES: usize = 128 << 10;

/// Whether a frame, of either kind, begins with these bytes.
pub(super) fn is_frame(magic: [u8; 4]) -> bool {
    magic == MAGIC || is_skippable(magic)
}

fn is_skippable([first, rest @ ..]: [u8; 4]) -> bool {
    let [skippable_first, skippable_rest @ ..] = SKIPPABLE_MAGIC;
    first & 0xf0 == skippable_first && rest == skippable_rest
}

/// Whether a frame begins so whose file ends within its magic.
pub(super) fn is_frame_cut_short(end: &[u8]) -> bool {
    let mut skippable = end.to_vec();
    if let Some(first) = skippable.first_mut() {
        *first &= 0xf0;
    }
    MAGIC.starts_with(end) || SKIPPABLE_MAGIC.starts_with(&skippable)
}

/// Decodes frame after frame in the same memory.
pub(super) struct Frames {
    decoder: FrameDecoder,
    chunk: Vec<u8>,
}

impl Frames {
    pub(super) fn new() -> Self {
        let mut decoder = FrameDecoder::new();
        // Larger windows are refused before anything is allocated.
        decoder.set_max_window_size(MAX_ZSTD_WINDOW_BYTES);
        Self { decoder, chunk: Vec::new() }
    }

    /// Decodes the frame that begins at the input's position, or passes over it.
    pub(super) fn decode_next(
        &mut self,
        input: &mut CompressedInput<'_>,
        output: &mut DecodedOutput<'_>,
    ) -> Result<(), DecodeError> {
        let start = input.position();
        let magic = input.peek()?;
        if magic.first_chunk().is_some_and(|magic| is_skippable(*magic)) {
            return skip(input);
        }
        if let Err(error) = self.decoder.reset(&mut *input) {
            return Err(explain(error, start, input));
        }
        let declared = Some(self.decoder.content_size()).filter(|size| *size > 0);
        if let Some(declared) = declared {
            output.announce(declared, start)?;
        }
        self.chunk.resize(CHUNK_BYTES, 0);
        let mut written = 0;
        while !self.decoder.is_finished() {
            let decoded = self.decoder.decode_blocks(&mut *input, BlockDecodingStrategy::UptoBytes(CHUNK_BYTES));
            if let Err(error) = decoded {
                return Err(explain(error, start, input));
            }
            written += self.drain(input, output)?;
        }
        self.check(start, declared.is_some_and(|declared| declared != written))
    }

    /// Writes what is decoded and not needed any more.
    fn drain(&mut self, input: &CompressedInput<'_>, output: &mut DecodedOutput<'_>) -> Result<u64, DecodeError> {
        let mut written = 0;
        loop {
            let count =
                self.decoder.read(&mut self.chunk).map_err(|error| damaged(error.to_string(), input.position()))?;
            if count == 0 {
                return Ok(written);
            }
            output.write(self.chunk.get(..count).unwrap_or_default(), input.position())?;
            written += count as u64;
        }
    }

    /// Compares what was decoded with what the frame says of it.
    fn check(&self, start: u64, is_other_size: bool) -> Result<(), DecodeError> {
        if is_other_size {
            return Err(damaged("content of a different size than its header gives".to_owned(), start));
        }
        match (self.decoder.get_checksum_from_data(), self.decoder.get_calculated_checksum()) {
            (Some(expected), Some(found)) if expected != found => {
                let problem = DecodeProblem::CheckSum { compression: Compression::Zstd, expected, found };
                Err(DecodeError { offset: start, problem })
            }
            _ => Ok(()),
        }
    }
}

fn damaged(found: String, offset: u64) -> DecodeError {
    DecodeError { offset, problem: DecodeProblem::Damaged { compression: Compression::Zstd, found } }
}

fn skip(input: &mut CompressedInput<'_>) -> Result<(), DecodeError> {
    let mut head = [0; SKIPPABLE_HEAD_BYTES];
    let read = input.read_exact(&mut head);
    if let Some(failure) = input.take_failure() {
        return Err(failure.into());
    }
    let [.., a, b, c, d] = head;
    if read.is_err() || !input.skip(u64::from(u32::from_le_bytes([a, b, c, d]))) {
        return Err(DecodeError { offset: input.position(), problem: DecodeProblem::CutShort(Compression::Zstd) });
    }
    Ok(())
}

/// Why a frame that begins at `start` cannot be decoded.
fn explain(error: FrameDecoderError, start: u64, input: &mut CompressedInput<'_>) -> DecodeError {
    if let Some(failure) = input.take_failure() {
        return failure.into();
    }
    match error {
        FrameDecoderError::WindowSizeTooBig { requested, .. } => {
            DecodeError { offset: start, problem: DecodeProblem::Window { found: requested } }
        }
        FrameDecoderError::DictNotProvided { dict_id } => {
            DecodeError { offset: start, problem: DecodeProblem::Dictionary(dict_id) }
        }
        _ if input.is_short() => {
            DecodeError { offset: input.position(), problem: DecodeProblem::CutShort(Compression::Zstd) }
        }
        error => damaged(error.to_string(), input.position()),
    }
}
