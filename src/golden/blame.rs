//! Which draw is to blame, where only the finished picture is known to be wrong.
//!
//! ```text
//!  draws     0  1  2  3  4  5  6  7     a wrong pixel: x where it has the value already that it has in the end
//!  pixel p   .  .  .  x  .  x  x  x     draw 5 left it so; draw 3 gave it the value too, but not for good
//!  pixel q   .  .  .  .  .  .  x  x     draw 6 left it so
//! ```
//!
//! Halving finds the first draw after which some wrong pixel has its final value at every draw that was looked at; no
//! pixel can have been left by an earlier one, for each of those had another value at a later draw that was looked at.
//! It may only be too early, like draw 3 above, so the draws after it are looked at one by one, and if they change all
//! of its pixels the search goes on behind it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::format::aerogpu::{FrameIndex, Trace};
use crate::inquiry::{DrawRecord, list_draws};
use crate::pixels::Picture;
use crate::player::{Player, PlayerError, Until};

/// The first draw that left a differing pixel as it is in the end.
#[derive(Clone, Debug, PartialEq)]
pub struct Blame {
    /// The draw; `None`: what the frame started with, a CLEAR or an earlier frame, or else its first draw.
    pub draw: Option<DrawRecord>,
    /// How many differing pixels it left.
    pub pixels: u64,
    /// How many there are.
    pub differing: u64,
    /// The last draw up to which all were looked at, if later ones were not: one of those may have drawn the pixels
    /// anew, with the same value.
    pub looked_to: Option<u32>,
}

/// How long to look whether later draws change what was found.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// Draws looked at after the one that was found.
    pub draws: u32,
    /// Time to look at them.
    pub time: Duration,
}

impl Patience {
    /// To the frame's end.
    pub const UNLIMITED: Patience = Patience { draws: u32::MAX, time: Duration::MAX };
}

impl std::fmt::Display for Blame {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.draw {
            Some(draw) => write!(f, "{draw}")?,
            None => f.write_str("the first draw, or what was there before it")?,
        }
        write!(f, "; it left {} of {} differing pixels as they are", self.pixels, self.differing)?;
        match self.looked_to {
            Some(draw) => write!(f, " (draws after {draw} were looked at by halving)"),
            None => Ok(()),
        }
    }
}

/// Finds the first draw of `frame` that gave a pixel its final value where `found`, the frame's picture, differs from
/// `expected`. `None` if the pictures can't be compared, or the frame has no draws.
pub fn blame(
    player: &mut Player,
    trace: &Arc<Trace>,
    frame: FrameIndex,
    expected: &Picture,
    found: &Picture,
    patience: Patience,
) -> Result<Option<Blame>, PlayerError> {
    let draws = list_draws(player, trace, frame)?;
    let Some(last) = (draws.len() as u32).checked_sub(1) else { return Ok(None) };
    let differing = differing_places(expected, found);
    if differing.is_empty() || expected.size() != found.size() {
        return Ok(None);
    }
    let finished = player.render(frame, Until::AfterDraw(last))?;
    let mut search = Search { player, frame, finished, last, deadline: Instant::now().checked_add(patience.time) };
    let mut from = 0;
    loop {
        let (draw, settled) = search.halve(from, differing.clone())?;
        let (kept, looked_to) = search.keep_unchanged(draw, settled, patience.draws)?;
        if kept.is_empty() {
            from = draw + 1;
            continue;
        }
        return Ok(Some(Blame {
            draw: draws.get(draw as usize).filter(|_| draw > 0).cloned(),
            pixels: kept.len() as u64,
            differing: differing.len() as u64,
            looked_to: (looked_to < last).then_some(looked_to),
        }));
    }
}

struct Search<'a> {
    player: &'a mut Player,
    frame: FrameIndex,
    /// The picture after the last draw.
    finished: Picture,
    last: u32,
    /// When to stop looking one by one.
    deadline: Option<Instant>,
}

impl Search<'_> {
    /// The first draw from `from` on after which some of `places` are as they are in the end, and these.
    fn halve(&mut self, mut from: u32, mut places: Vec<u32>) -> Result<(u32, Vec<u32>), PlayerError> {
        let mut until = self.last;
        while from < until {
            let middle = from + (until - from) / 2;
            let settled = self.settled(middle, &places)?;
            if settled.is_empty() {
                from = middle + 1;
            } else {
                (places, until) = (settled, middle);
            }
        }
        Ok((until, places))
    }

    /// Looks at up to `count` draws after `draw`: those of `places` that none of them changes, and the last looked at.
    fn keep_unchanged(&mut self, draw: u32, mut places: Vec<u32>, count: u32) -> Result<(Vec<u32>, u32), PlayerError> {
        let mut looked_to = draw;
        while looked_to < self.last && looked_to - draw < count && !places.is_empty() {
            if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                break;
            }
            looked_to += 1;
            places = self.settled(looked_to, &places)?;
        }
        Ok((places, looked_to))
    }

    /// Those of `places` that are after `draw` as they are in the end.
    fn settled(&mut self, draw: u32, places: &[u32]) -> Result<Vec<u32>, PlayerError> {
        let picture = self.player.render(self.frame, Until::AfterDraw(draw))?;
        let (now, then) = (pixels(&picture), pixels(&self.finished));
        Ok(places.iter().copied().filter(|place| now.get(*place as usize) == then.get(*place as usize)).collect())
    }
}

fn differing_places(expected: &Picture, found: &Picture) -> Vec<u32> {
    let pairs = pixels(expected).iter().zip(pixels(found));
    (0..).zip(pairs).filter(|(_, (expected, found))| expected != found).map(|(place, _)| place).collect()
}

fn pixels(picture: &Picture) -> &[[u8; 4]] {
    picture.rgba().as_chunks::<4>().0
}
