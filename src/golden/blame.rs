//! Which draw is to blame, where only the finished picture is known to be wrong.

use std::sync::Arc;

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
}

impl std::fmt::Display for Blame {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.draw {
            Some(draw) => write!(f, "{draw}")?,
            None => f.write_str("the first draw, or what was there before it")?,
        }
        write!(f, "; it left {} of {} differing pixels as they are", self.pixels, self.differing)
    }
}

/// Finds the first draw of `frame` that gave a pixel its final value where `found`, the frame's picture, differs from
/// `expected`. Plays the frame draw by draw; `None` if the pictures can't be compared or there are more than `max_draws` draws.
pub fn blame(
    player: &mut Player,
    trace: &Arc<Trace>,
    frame: FrameIndex,
    expected: &Picture,
    found: &Picture,
    max_draws: usize,
) -> Result<Option<Blame>, PlayerError> {
    if expected.size() != found.size() {
        return Ok(None);
    }
    let draws = list_draws(trace, frame)?;
    if draws.is_empty() || draws.len() > max_draws {
        return Ok(None);
    }
    let mut owners = Owners::new(expected, found);
    let mut before = player.render(frame, Until::AfterDraw(0))?;
    for draw in draws.iter().skip(1) {
        let after = player.render(frame, Until::AfterDraw(draw.draw))?;
        owners.note(draw.draw, &before, &after);
        before = after;
    }
    Ok(owners.first().map(|(owner, pixels)| Blame {
        draw: owner.and_then(|owner| draws.get(owner as usize).cloned()),
        pixels,
        differing: owners.0.len() as u64,
    }))
}

/// The differing pixels, by place, and the draw that last changed each.
struct Owners(Vec<(usize, Option<u32>)>);

impl Owners {
    fn new(expected: &Picture, found: &Picture) -> Self {
        let pairs = pixels(expected).iter().zip(pixels(found)).enumerate();
        Self(pairs.filter(|(_, (expected, found))| expected != found).map(|(place, _)| (place, None)).collect())
    }

    fn note(&mut self, draw: u32, before: &Picture, after: &Picture) {
        for (place, owner) in &mut self.0 {
            if pixels(before).get(*place) != pixels(after).get(*place) {
                *owner = Some(draw);
            }
        }
    }

    /// The first owner and how many pixels it has.
    fn first(&self) -> Option<(Option<u32>, u64)> {
        let first = self.0.iter().map(|(_, owner)| *owner).min()?;
        Some((first, self.0.iter().filter(|(_, owner)| *owner == first).count() as u64))
    }
}

fn pixels(picture: &Picture) -> &[[u8; 4]] {
    picture.rgba().as_chunks::<4>().0
}
