//! Compressed files for the tests.

use std::io::Write;

use flate2::write::GzEncoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub fn zstd(bytes: &[u8]) -> Vec<u8> {
    compress_to_vec(bytes, CompressionLevel::Fastest)
}

/// Compresses bytes.
pub type Compress = fn(&[u8]) -> Vec<u8>;

/// Both compressions, by name.
pub const COMPRESSIONS: [(&str, Compress); 2] = [("gzip", gzip), ("zstd", zstd)];

/// Bytes of a zstd block, at most.
pub const BLOCK_BYTES: usize = 128 << 10;

/// A zstd frame of so many blocks that repeat a byte, 4 bytes for each [`BLOCK_BYTES`]; it asks for a window of 2^`window`
/// bytes and does not say how long it is.
pub fn zstd_bomb(window: u8, blocks: usize) -> Vec<u8> {
    let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0x00, (window - 10) << 3];
    for block in 0..blocks {
        let head = u32::from(block + 1 == blocks) | 1 << 1 | (BLOCK_BYTES as u32) << 3;
        frame.extend(&head.to_le_bytes()[..3]);
        frame.push(0);
    }
    frame
}

/// Gzip members of a mebibyte of zeros each.
pub fn gzip_bomb(members: usize) -> Vec<u8> {
    gzip(&vec![0; 1 << 20]).repeat(members)
}
