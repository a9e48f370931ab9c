//! The digest of a container: MD5 with an end of its own.
//!
//! ```text
//!  MD5:   … rest, 0x80, zeros, length in bits (64)
//!  here:  … length in bits (32), rest, 0x80, zeros, (length in bits >> 2) | 1        where the rest takes < 56 bytes
//!         … rest, 0x80, zeros │ length in bits (32), zeros, (length in bits >> 2) | 1    else
//! ```

const BLOCK_BYTES: usize = 64;

/// ⌊|sin(i + 1)| · 2³²⌋.
#[rustfmt::skip]
const SINES: [u32; 64] = [
    0xd76a_a478, 0xe8c7_b756, 0x2420_70db, 0xc1bd_ceee, 0xf57c_0faf, 0x4787_c62a, 0xa830_4613, 0xfd46_9501,
    0x6980_98d8, 0x8b44_f7af, 0xffff_5bb1, 0x895c_d7be, 0x6b90_1122, 0xfd98_7193, 0xa679_438e, 0x49b4_0821,
    0xf61e_2562, 0xc040_b340, 0x265e_5a51, 0xe9b6_c7aa, 0xd62f_105d, 0x0244_1453, 0xd8a1_e681, 0xe7d3_fbc8,
    0x21e1_cde6, 0xc337_07d6, 0xf4d5_0d87, 0x455a_14ed, 0xa9e3_e905, 0xfcef_a3f8, 0x676f_02d9, 0x8d2a_4c8a,
    0xfffa_3942, 0x8771_f681, 0x6d9d_6122, 0xfde5_380c, 0xa4be_ea44, 0x4bde_cfa9, 0xf6bb_4b60, 0xbebf_bc70,
    0x289b_7ec6, 0xeaa1_27fa, 0xd4ef_3085, 0x0488_1d05, 0xd9d4_d039, 0xe6db_99e5, 0x1fa2_7cf8, 0xc4ac_5665,
    0xf429_2244, 0x432a_ff97, 0xab94_23a7, 0xfc93_a039, 0x655b_59c3, 0x8f0c_cc92, 0xffef_f47d, 0x8584_5dd1,
    0x6fa8_7e4f, 0xfe2c_e6e0, 0xa301_4314, 0x4e08_11a1, 0xf753_7e82, 0xbd3a_f235, 0x2ad7_d2bb, 0xeb86_d391,
];

const ROTATIONS: [[u32; 4]; 4] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];

/// The digest of a container, from its bytes behind the digest.
pub(super) fn digest(bytes: &[u8]) -> [u8; 16] {
    let mut state = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];
    let (blocks, rest) = bytes.as_chunks::<BLOCK_BYTES>();
    for block in blocks {
        mix(&mut state, block);
    }
    // Both counts are of 32 bits, whatever the length.
    let bits = (bytes.len() as u32).wrapping_mul(8);
    let count = bits.to_le_bytes();
    let end = ((bits >> 2) | 1).to_le_bytes();
    if rest.len() >= BLOCK_BYTES - 8 {
        mix(&mut state, &block(rest.iter().chain(&[0x80]), [0; 4]));
        mix(&mut state, &block(count.iter(), end));
    } else {
        mix(&mut state, &block(count.iter().chain(rest).chain(&[0x80]), end));
    }
    let mut digest = [0; 16];
    for (bytes, word) in digest.as_chunks_mut().0.iter_mut().zip(state) {
        *bytes = word.to_le_bytes();
    }
    digest
}

/// A block that begins with some bytes and ends with others, zeros between them.
fn block<'a>(begin: impl Iterator<Item = &'a u8>, end: [u8; 4]) -> [u8; BLOCK_BYTES] {
    let mut block = [0; BLOCK_BYTES];
    block.iter_mut().rev().zip(end.iter().rev()).for_each(|(to, from)| *to = *from);
    block.iter_mut().zip(begin).for_each(|(to, from)| *to = *from);
    block
}

/// One round of MD5 (RFC 1321).
fn mix(state: &mut [u32; 4], block: &[u8; BLOCK_BYTES]) {
    let mut words = [0; 16];
    for (word, bytes) in words.iter_mut().zip(block.as_chunks().0) {
        *word = u32::from_le_bytes(*bytes);
    }
    let [mut a, mut b, mut c, mut d] = *state;
    for ((step, sine), rotations) in SINES.iter().enumerate().zip(ROTATIONS.iter().flat_map(|four| [four; 16])) {
        let (mixed, place) = match step / 16 {
            0 => ((b & c) | (!b & d), step),
            1 => ((d & b) | (!d & c), 5 * step + 1),
            2 => (b ^ c ^ d, 3 * step + 5),
            _ => (c ^ (b | !d), 7 * step),
        };
        let word = words.get(place % 16).copied().unwrap_or_default();
        let rotation = rotations.get(step % 4).copied().unwrap_or_default();
        let sum = mixed.wrapping_add(a).wrapping_add(*sine).wrapping_add(word);
        (a, d, c, b) = (d, c, b, b.wrapping_add(sum.rotate_left(rotation)));
    }
    for (word, mixed) in state.iter_mut().zip([a, b, c, d]) {
        *word = word.wrapping_add(mixed);
    }
}
