//! Members of gzip files.

use std::io::{BufRead, Read};

use flate2::bufread::GzDecoder;

use super::compressed_input::CompressedInput;
use super::compression::{Compression, DecodeError, DecodeProblem, DecodedOutput};

/// First bytes of every member.
pub(super) const MAGIC: [u8; 2] = [0x1f, 0x8b];

/// Bytes decoded at once.
const CHUNK_BYTES: usize = 64 << 10;

/// Decodes the member that begins at the input's position, and compares its length and check sum.
pub(super) fn decode_member(
    input: &mut CompressedInput<'_>,
    output: &mut DecodedOutput<'_>,
) -> Result<(), DecodeError> {
    let mut chunk = vec![0; CHUNK_BYTES];
    let mut decoder = GzDecoder::new(input);
    loop {
        match decoder.read(&mut chunk) {
            Ok(0) => return Ok(()),
            Ok(count) => output.write(chunk.get(..count).unwrap_or_default(), decoder.get_ref().position())?,
            Err(error) => {
                let input = decoder.get_mut();
                let offset = input.position();
                if let Some(failure) = input.take_failure() {
                    return Err(failure.into());
                }
                // A decoder may want more without asking for it again.
                let is_short = input.is_short() || input.fill_buf().is_ok_and(<[u8]>::is_empty);
                let problem = match is_short && error.kind() == std::io::ErrorKind::UnexpectedEof {
                    true => DecodeProblem::CutShort(Compression::Gzip),
                    false => DecodeProblem::Damaged { compression: Compression::Gzip, found: error.to_string() },
                };
                return Err(DecodeError { offset, problem });
            }
        }
    }
}
