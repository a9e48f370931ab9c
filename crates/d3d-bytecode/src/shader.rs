//! Bytes → [`Program`], whatever encoding they are in.

use super::container::{CONTAINER_MAGIC, Container};
use super::emulator;
use super::error::BytecodeError;
use super::legacy;
use super::program::Program;
use super::signature::Signatures;
use super::signature_chunk::signatures;
use super::sm4;
use super::tokens::Tokens;
use super::version::{Dialect, Stage, Version};
use trace_base::bytes::{Cursor, Diagnostics, OutOfBytes};

/// Whether a file begins as a shader does: with a container's magic, or with a version token.
pub fn is_bytecode(start: &[u8]) -> bool {
    let Some(token) = start.first_chunk().map(|bytes| u32::from_le_bytes(*bytes)) else { return false };
    let is_d3d9 = token >> 17 == 0x7fff && matches!((token >> 8) & 0xff, 1..=3);
    start.starts_with(&CONTAINER_MAGIC) || is_d3d9 || version(token, 0).is_ok()
}

/// Remarks on the digest of a shader that is in a container, if it isn't of its bytes. [`decode`] does not look at it:
/// a digest takes longer than all the rest.
pub fn check_digest(bytes: &[u8], file_offset: u64, diagnostics: &mut Diagnostics) -> Result<(), BytecodeError> {
    if bytes.starts_with(&CONTAINER_MAGIC) {
        Container::parse(bytes, file_offset)?.check_digest(diagnostics);
    }
    Ok(())
}

/// Decodes a shader at an absolute file offset: a container, or the bare tokens of a program.
pub fn decode(bytes: &[u8], file_offset: u64) -> Result<Program, BytecodeError> {
    if !bytes.starts_with(&CONTAINER_MAGIC) {
        return decode_tokens(bytes, file_offset, Signatures::default());
    }
    let container = Container::parse(bytes, file_offset)?;
    let chunk = container.program()?;
    let program = decode_tokens(chunk.bytes, chunk.offset, signatures(&container)?)?;
    // Devices refuse a container whose program declares too few; the emulator's own dialect declares none.
    if program.dialect() == Dialect::Microsoft && !program.version().is_d3d9() {
        sm4::check_temps(&program)?;
    }
    Ok(program)
}

fn decode_tokens(bytes: &[u8], file_offset: u64, signatures: Signatures) -> Result<Program, BytecodeError> {
    let in_header = |cause: OutOfBytes| BytecodeError::OutOfBytes { what: "header of the program", cause };
    let mut cursor = Cursor::new(bytes, file_offset);
    let token = cursor.u32_le().map_err(in_header)?;
    let version = match token >> 16 {
        0xfffe | 0xffff => return legacy::decode(bytes, file_offset, &signatures),
        _ => version(token, file_offset)?,
    };
    let offset = cursor.offset();
    let length = cursor.u32_le().map_err(in_header)?;
    let size = (length as usize).checked_mul(4);
    let Some(tokens) = size.and_then(|size| bytes.get(..size)).filter(|tokens| tokens.len() >= 8) else {
        let (what, expected) = ("length of the program in dwords", "at least 2, and at most the dwords that follow");
        return Err(BytecodeError::BadSize { what, expected, found: u64::from(length), offset });
    };
    if is_of_emulator(tokens) {
        emulator::decode(version, tokens, file_offset, signatures)
    } else {
        sm4::decode(version, tokens, file_offset, signatures)
    }
}

/// The version token of SM4 and SM5: the stage in the upper half, major and minor number in the lowest byte.
fn version(token: u32, offset: u64) -> Result<Version, BytecodeError> {
    let (major, minor) = ((token >> 4) & 0xf, token & 0xf);
    match (Stage::from_number(token >> 16), (token >> 8) & 0xff, major, minor) {
        (Some(stage), 0, 4, 0 | 1) | (Some(stage), 0, 5, 0) => {
            Ok(Version { stage, major: major as u8, minor: minor as u8 })
        }
        (Some(_), 0, 5, 1) => Err(BytecodeError::UnknownVersion { found: token, offset }),
        _ => Err(BytecodeError::NotBytecode { found: token, offset }),
    }
}

/// Whose encoding it is: that whose lengths lead from instruction to instruction to the very end; where neither's do,
/// that whose lengths lead further. No instruction of either has a length in the other's bits by accident all the way.
fn is_of_emulator(bytes: &[u8]) -> bool {
    let microsoft = walk(bytes, |token, tokens| match token & 0x7ff {
        53 => tokens.peek_at(1).unwrap_or_default(),
        _ => (token >> 24) & 0x7f,
    });
    // Nearly every program is told after its first instruction.
    microsoft > 0 && {
        let emulator = walk(bytes, |token, _| (token >> 11) & 0x1fff);
        emulator < microsoft
    }
}

/// How many dwords are left where the lengths lead no further; 0 at the end.
fn walk(bytes: &[u8], length: impl Fn(u32, &Tokens<'_>) -> u32) -> usize {
    let mut tokens = Tokens::new(bytes);
    tokens.split(2);
    while let Some(token) = tokens.peek() {
        let length = length(token, &tokens) as usize;
        if length == 0 || tokens.split(length).is_none() {
            break;
        }
    }
    tokens.left()
}
