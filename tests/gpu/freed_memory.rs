//! Memory that software Vulkan frees after a frame is there for the next one.

use std::hint::black_box;

use aerogpu_replay::gpu::{FreedMemory, freed_memory};

use crate::support::harness::Trial;
use crate::support::software;

/// Together as much as a frame of some hundred draws takes. A single large block would prove nothing: glibc keeps as much as it
/// has seen freed at once, whatever it was told.
const BLOCK_BYTES: usize = 1 << 20;
const BLOCKS: usize = 40;
const PAGE_BYTES: usize = 4096;

pub fn trials() -> Vec<Trial> {
    let is_kept = freed_memory() == FreedMemory::Kept;
    let trial = software::trial("blocks_are_not_given_back_to_the_system", |_| blocks_are_not_given_back());
    // Another allocator, and settings of the user's own, are let alone: there is nothing to see.
    vec![if is_kept { trial } else { trial.with_ignored_flag(true) }]
}

/// Pages that this thread has been given since it began: the tenth field behind the name, which ends with the last parenthesis.
fn pages_given() -> usize {
    let text = std::fs::read_to_string("/proc/thread-self/stat").unwrap();
    let (_, fields) = text.rsplit_once(')').unwrap();
    fields.split_whitespace().nth(7).unwrap().parse().unwrap()
}

/// Pages that it costs to write all blocks and free them.
fn pages_of_a_round() -> usize {
    let before = pages_given();
    drop(black_box((0..BLOCKS).map(|_| vec![1_u8; BLOCK_BYTES]).collect::<Vec<_>>()));
    pages_given() - before
}

fn blocks_are_not_given_back() {
    let first = pages_of_a_round();
    let later: usize = (0..10).map(|_| pages_of_a_round()).sum();
    // Where huge pages are given, the first round is a few of them, and ten given anew would be ten times as many.
    let most = (BLOCKS * BLOCK_BYTES / PAGE_BYTES / 8).min(first.max(16));
    assert!(later <= most, "ten later rounds took {later} pages, the first one {first}");
}
