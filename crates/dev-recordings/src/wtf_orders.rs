//! Long wtf-trace recordings made by repeating a short one, with times in every order that recordings have.

use trace_base::bytes::MemorySource;
use trace_timeline::wtf::Reader;

/// Order of the times in the generated file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// As in the original, each repetition after the one before.
    Rising,
    /// Every 64th event tells of something a little earlier.
    Late,
    /// Eight times from the start, like recordings written to one file.
    Restarting,
    /// By chance.
    Shuffled,
}

/// The file once, and then its events again and again: in a chunked file whole chunks, otherwise the stretch of
/// records after the definitions.
pub fn repeat(original: &[u8], order: Order, target_bytes: usize) -> Vec<u8> {
    let is_chunked = original[8..12].contains(&10);
    let (times, least, greatest) = event_times(original);
    let first = times.first().expect("events").0;
    let start = if is_chunked { chunk_around(original, first) } else { first - 2 };
    let times: Vec<_> = times.into_iter().filter(|&(at, _)| at >= start).collect();
    let mut generated = original.to_vec();
    let (mut shift, mut run, mut chance) = (0u32, 0, 1u64);
    while generated.len() < target_bytes {
        shift = shift.checked_add(greatest - least).expect("times fit 32 bits");
        if order == Order::Restarting && generated.len() / (target_bytes / 8) > run {
            (shift, run) = (0, run + 1);
        }
        let base = generated.len();
        generated.extend_from_slice(&original[start..]);
        for (number, &(at, time)) in times.iter().enumerate() {
            chance = chance.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let time = match order {
                Order::Late if number % 64 == 63 => (time + shift).saturating_sub((chance >> 54) as u32),
                Order::Shuffled => (chance >> 33) as u32,
                _ => time + shift,
            };
            let bytes = if is_chunked { time.to_le_bytes() } else { time.to_be_bytes() };
            generated[base + at - start..][..4].copy_from_slice(&bytes);
        }
    }
    generated
}

/// Where the times of all events stand that happen in a zone, and what they are; least and greatest.
fn event_times(original: &[u8]) -> (Vec<(usize, u32)>, u32, u32) {
    let source = MemorySource::from(original.to_vec());
    let wire_bytes = if original[8..12].contains(&10) { 4 } else { 2 };
    let mut reader = Reader::new(&source);
    let mut times = Vec::new();
    while let Some(event) = reader.next_event().expect("an undamaged trace") {
        if event.zone.is_some() {
            times.push((event.offset as usize + wire_bytes, event.time_micros));
        }
    }
    let least = times.iter().map(|&(_, time)| time).min().expect("events");
    let greatest = times.iter().map(|&(_, time)| time).max().expect("events");
    (times, least, greatest)
}

/// The start of the little-endian chunk that holds a byte.
fn chunk_around(original: &[u8], byte: usize) -> usize {
    let mut at = 12;
    loop {
        let length = u32::from_le_bytes(original[at + 8..][..4].try_into().expect("four bytes")) as usize;
        if byte < at + length {
            return at;
        }
        at += length;
    }
}
