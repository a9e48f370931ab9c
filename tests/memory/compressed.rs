//! Memory that compressed files take which say much with few bytes.

use std::io::sink;
use std::ops::ControlFlow;

use aerogpu_replay::bytes::{DecodeProblem, DecodedFrom, MemorySource, decode, decoded_limit};
use aerogpu_replay::limits::{MAX_SMALL_DECODED_BYTES, MAX_ZSTD_WINDOW_BYTES};

use crate::memory::peak;
use crate::support::compress::{BLOCK_BYTES, gzip_bomb, zstd_bomb};
use crate::support::harness::{Trial, trials_of};

pub fn trials() -> Vec<Trial> {
    trials_of![
        bombs_end_at_their_budget_in_little_memory,
        a_window_takes_twice_its_size_and_a_larger_one_nothing,
        a_million_frames_take_the_memory_of_one,
    ]
}

/// Buffers of a decoder and of what it reads.
const BUFFERS_BYTES: usize = 2 << 20;

fn decoded(stored: Vec<u8>) -> (Result<Option<DecodedFrom>, DecodeProblem>, usize) {
    let source = MemorySource::from(stored);
    let limit = decoded_limit(aerogpu_replay::bytes::ByteSource::size_bytes(&source));
    peak(|| decode(&source, limit, &mut sink(), &mut |_| ControlFlow::Continue(())).map_err(|error| error.problem))
}

fn bombs_end_at_their_budget_in_little_memory() {
    // 1 GiB in 32 KiB, and 320 MiB in 320 KiB.
    for bomb in [zstd_bomb(20, 8192), gzip_bomb(320)] {
        let (end, peak) = decoded(bomb);
        assert!(matches!(end, Err(DecodeProblem::OverLimit { limit: MAX_SMALL_DECODED_BYTES, .. })), "{end:?}");
        assert!(peak < BUFFERS_BYTES + (2 << 20), "{peak} bytes");
    }
}

fn a_window_takes_twice_its_size_and_a_larger_one_nothing() {
    let blocks = MAX_SMALL_DECODED_BYTES as usize / BLOCK_BYTES;
    let (end, peak) = decoded(zstd_bomb(27, blocks));
    assert!(matches!(end, Ok(Some(_))), "{end:?}");
    println!("a window of 128 MiB: {peak} bytes");
    assert!(peak < 2 * MAX_ZSTD_WINDOW_BYTES as usize + BUFFERS_BYTES, "{peak} bytes");
    let (end, peak) = decoded(zstd_bomb(28, 1));
    assert!(matches!(end, Err(DecodeProblem::Window { found: 0x1000_0000 })), "{end:?}");
    assert!(peak < BUFFERS_BYTES, "{peak} bytes");
}

fn a_million_frames_take_the_memory_of_one() {
    // Each is an empty block.
    let frame = [0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x50, 0x01, 0x00, 0x00];
    let (end, peak) = decoded(frame.repeat(1_000_000));
    assert!(matches!(end, Ok(Some(_))), "{end:?}");
    assert!(peak < (1 << 20) + BUFFERS_BYTES, "{peak} bytes");
}
