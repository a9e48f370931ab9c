//! What is measured against the baseline: pictures in a row with their hashes, as `--frames SET --hash` makes them.

use std::collections::VecDeque;
use std::ops::RangeInclusive;

use aerogpu_replay::format::aerogpu::FrameIndex;
use aerogpu_replay::player::Player;
use anyhow::{Context, Result};

/// Plays `frames`; several pictures are on their way at a time.
pub(crate) fn play_in_a_row(player: &mut Player, frames: RangeInclusive<u32>) -> Result<()> {
    let mut pending = VecDeque::new();
    for frame in frames.map(FrameIndex) {
        pending.push_back(player.start(frame)?);
        if pending.len() >= player.most_pending() {
            let picture = pending.pop_front().context("nothing pending")?;
            std::hint::black_box(player.finish(picture)?.hash());
        }
    }
    for picture in pending {
        std::hint::black_box(player.finish(picture)?.hash());
    }
    Ok(())
}
