//! Damages files at random, reproducibly: the same seed changes the same bytes in the same way.

use super::random::Random;

/// Numbers that lengths, counts, ids and offsets go wrong at.
const TELLING: [u64; 14] = [
    0,
    1,
    2,
    3,
    7,
    0x7f,
    0xff,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_fffe,
    0xffff_ffff,
    0x1_0000_0000,
    i64::MAX as u64,
    u64::MAX,
];

/// `whole` with one to four changes.
pub fn mutant(whole: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = whole.to_vec();
    for _ in 0..1 + random.below(4) {
        change(&mut bytes, random);
    }
    bytes
}

fn change(bytes: &mut Vec<u8>, random: &mut Random) {
    let length = bytes.len() as u32;
    if length == 0 {
        bytes.push(random.below(256) as u8);
        return;
    }
    // Headers stand at the start and tables at the end; half of the changes go there.
    let at = match random.below(4) {
        0 => random.below(length.min(256)),
        1 => length - 1 - random.below(length.min(256)),
        _ => random.below(length),
    } as usize;
    match random.below(9) {
        0 => bytes[at] ^= 1 << random.below(8),
        1 => bytes[at] = random.below(256) as u8,
        2 => put(bytes, at, 4, u64::from(random.below(u32::MAX))),
        3 => put(bytes, at, random.pick(&[1, 2, 4, 8]), random.pick(&TELLING)),
        // Where most fields of our formats lie.
        4 => put(bytes, at & !3, 4, random.pick(&TELLING)),
        5 => bytes.truncate(at),
        6 => drop(bytes.drain(at..(at + 1 + random.below(32) as usize).min(length as usize))),
        7 => {
            let stretch: Vec<u8> = bytes[at..(at + 1 + random.below(64) as usize).min(length as usize)].to_vec();
            let into = random.below(length) as usize;
            drop(bytes.splice(into..into, stretch));
        }
        _ => {
            let (from, count) = (random.below(length) as usize, 1 + random.below(64) as usize);
            for step in 0..count {
                if from + step < bytes.len() && at + step < bytes.len() {
                    bytes[at + step] = bytes[from + step];
                }
            }
        }
    }
}

fn put(bytes: &mut [u8], at: usize, width: usize, value: u64) {
    for (place, byte) in bytes.iter_mut().skip(at).zip(value.to_le_bytes().into_iter().take(width)) {
        *place = byte;
    }
}
