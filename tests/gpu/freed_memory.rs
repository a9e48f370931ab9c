//! What a software driver frees after a frame is there for the next one.

use std::hint::black_box;

use aerogpu_replay::gpu::{FreedMemory, freed_memory};

use crate::support::harness::Trial;
use crate::support::software;

/// As much as a frame of a few hundred draws takes.
const BLOCK_BYTES: usize = 8 << 20;
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

/// Pages that a block costs which is written and freed.
fn pages_of_a_block() -> usize {
    let before = pages_given();
    drop(black_box(vec![1_u8; BLOCK_BYTES]));
    pages_given() - before
}

fn blocks_are_not_given_back() {
    let first = pages_of_a_block();
    let later: usize = (0..10).map(|_| pages_of_a_block()).sum();
    // Where huge pages are given, the first block is a few of them, and ten given anew would be ten times as many.
    assert!(
        later <= (BLOCK_BYTES / PAGE_BYTES / 8).min(first),
        "ten later blocks took {later} pages, the first one {first}"
    );
}
