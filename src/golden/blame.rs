//! What is to blame, where only the finished picture is known to be wrong: a draw, a CLEAR, or an earlier frame.
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
//!
//! In a frame of submissions pictures between draws are of whatever is drawn to, so there the commands that wrote the
//! differing pixels last are asked for at once, and the first of them is named.
//!
//! Between draws there may be a CLEAR, and before them an earlier frame. So the history of one of the pixels is asked
//! last, which knows all that wrote it: it names what is no draw, and sends the search on where a CLEAR came between.

use std::fmt;
use std::time::{Duration, Instant};

use crate::analysis::{DrawRecord, Effect, Origin, PixelEvent, PixelHistory, list_draws, pixel_history};
use crate::command::{Location, Place, Point};
use crate::error::Internal;
use crate::format::aerogpu::FrameIndex;
use crate::pixels::{Picture, Size};
use crate::player::{PixelWriteKind, Player, PlayerError, Writer};
use crate::replay::{CommandNumber, EffectKind, ResolvedCommand, TraceIndex};
use crate::text::counted;

/// What first left a differing pixel as it is in the end.
#[derive(Clone, Debug, PartialEq)]
pub struct Blame {
    /// What it was.
    pub cause: Cause,
    /// How many differing pixels it left.
    pub pixels: u64,
    /// How many there are.
    pub differing: u64,
    /// The last draw up to which all were looked at, if later ones were not: one of those may have drawn the pixels
    /// anew, with the same value.
    pub looked_to: Option<u32>,
}

/// What can leave a pixel as it is.
#[derive(Clone, Debug, PartialEq)]
pub enum Cause {
    /// A draw of the frame.
    Draw(Box<DrawRecord>),
    /// A CLEAR of the frame.
    Clear(Location),
    /// A copy or an upload of the frame.
    Brought(Location),
    /// A command of an earlier frame, that left the first of the pixels.
    Earlier(PixelWriteKind, Location),
    /// Nothing has written the first of the pixels.
    Nothing,
    /// An earlier frame that can't be drawn, and why.
    Unknown(String),
}

/// How long to look whether later draws change what was found.
#[derive(Clone, Copy, Debug)]
pub struct SearchBudget {
    /// Draws looked at after the one that was found.
    pub draws: u32,
    /// Time to look at them.
    pub time: Duration,
}

impl SearchBudget {
    /// To the frame's end.
    pub const UNLIMITED: SearchBudget = SearchBudget { draws: u32::MAX, time: Duration::MAX };
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Draw(draw) => draw.fmt(f),
            Self::Clear(at) => write!(f, "the CLEAR {at}"),
            Self::Brought(at) => write!(f, "the copy or upload {at}"),
            Self::Earlier(kind @ PixelWriteKind::Draw(_), at) => write!(f, "an earlier frame, with {kind} {at}"),
            Self::Earlier(kind, at) => write!(f, "an earlier frame, with the {kind} {at}"),
            Self::Nothing => f.write_str("no command, so it is transparent black"),
            Self::Unknown(error) => write!(f, "an earlier frame, which cannot be rendered: {error}"),
        }
    }
}

impl Blame {
    /// The draw, if it was one of the frame's.
    pub fn draw(&self) -> Option<&DrawRecord> {
        match &self.cause {
            Cause::Draw(draw) => Some(draw),
            Cause::Clear(_) | Cause::Brought(_) | Cause::Earlier(..) | Cause::Nothing | Cause::Unknown(_) => None,
        }
    }
}

impl fmt::Display for Blame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let differing = counted(self.differing, "differing pixel");
        write!(f, "last writer of {} of {differing}: {}", self.pixels, self.cause)?;
        match self.looked_to {
            Some(draw) => write!(f, " (draws after {draw} were searched by bisection)"),
            None => Ok(()),
        }
    }
}

/// Finds what first gave a pixel its final value where `found`, the picture of `frame`, differs from `expected`. `None` if
/// the pictures can't be compared, or are of depth, of which no pixel can be asked about.
pub fn blame(
    player: &mut Player,
    frame: FrameIndex,
    expected: &Picture,
    found: &Picture,
    budget: SearchBudget,
) -> Result<Option<Blame>, PlayerError> {
    let draws = list_draws(player, frame)?;
    let differing = differing_places(expected, found);
    if differing.is_empty() || expected.size() != found.size() {
        return Ok(None);
    }
    if draws.iter().any(|draw| draw.at.submission.is_some()) || player.index().is_submitted(frame) {
        return match blame_last_writer(player, frame, &draws, &differing) {
            Err(PlayerError::NotOfColor { .. }) => Ok(None),
            blamed => blamed.map(Some),
        };
    }
    let count = differing.len() as u64;
    let deadline = Instant::now().checked_add(budget.time);
    let mut search = Search { player, frame, finished: found, deadline };
    let settled = match draws.last() {
        Some(last) => search.settled(Point::Draw(last.draw), &differing)?,
        None => Vec::new(),
    };
    let (Some(last), false) = (draws.last(), settled.is_empty()) else {
        // No draw is the last to write these, so a CLEAR is, or what was there before.
        let cause = search.history(&differing)?.and_then(|history| settling_cause(&history).err());
        return Ok(cause.map(|cause| Blame { cause, pixels: count, differing: count, looked_to: None }));
    };
    let mut from = 0;
    while from <= last.draw {
        let (number, candidates) = search.halve(from, last.draw, settled.clone())?;
        let (kept, looked_to) = search.keep_unchanged(number, last.draw, candidates, budget.draws)?;
        from = number + 1;
        // silent: no pixel is left that settles here
        let Some(history) = search.history(&kept)? else { continue };
        let draw = draws.get(number as usize);
        let draw = draw.ok_or(Internal::new("a draw that wrote final pixels is not in the frame"))?;
        let (cause, pixels, looked_to) = match settling_cause(&history) {
            // silent: the pixel settles later: the search goes on there
            Ok(settling) if settling > number => continue,
            Ok(_) => (
                Cause::Draw(Box::new(draw.clone())),
                kept.len(),
                Some(looked_to).filter(|looked_to| *looked_to < last.draw),
            ),
            Err(Cause::Clear(at)) if at.packet > draw.at.packet => (Cause::Clear(at), kept.len(), None),
            Err(cause) => (cause, search.settled_before(draw, &kept)?.len(), None),
        };
        return Ok(Some(Blame { cause, pixels: pixels as u64, differing: count, looked_to }));
    }
    Ok(None)
}

/// The same in a frame of submissions, where pictures between draws are of whatever is drawn to: of the commands that wrote a
/// differing pixel last, the first.
fn blame_last_writer(
    player: &mut Player,
    frame: FrameIndex,
    draws: &[DrawRecord],
    differing: &[u32],
) -> Result<Blame, PlayerError> {
    let writers = player.map_writers(frame)?;
    let of = |position: &u32| writers.values().get(*position as usize).copied();
    let last: Option<Vec<Writer>> = differing.iter().map(of).collect();
    let last = last.ok_or(Internal::new("a pixel of the picture has no known writer"))?;
    let first = last.iter().copied().min().unwrap_or(Writer::Nothing);
    let pixels = last.iter().filter(|writer| **writer == first).count() as u64;
    let cause = match first {
        Writer::Nothing => Cause::Nothing,
        Writer::Command(number) => cause_of(&player.index(), frame, draws, number)?,
    };
    Ok(Blame { cause, pixels, differing: differing.len() as u64, looked_to: None })
}

/// A command of a submission as a cause.
fn cause_of(
    index: &TraceIndex,
    frame: FrameIndex,
    draws: &[DrawRecord],
    number: CommandNumber,
) -> Result<Cause, PlayerError> {
    let at = index.require_location(number)?;
    let kind = match index.require_step(number)? {
        ResolvedCommand::Submitted { kind: EffectKind::Clear, .. } => PixelWriteKind::Clear,
        step if step.is_draw() => {
            let before = index.draws_of(at.frame).take_while(|draw| *draw < number).count();
            PixelWriteKind::Draw(before as u32)
        }
        // Whether it is a copy does not matter to who reads its place.
        _ => PixelWriteKind::Upload,
    };
    Ok(match kind {
        _ if at.frame != frame => Cause::Earlier(kind, at),
        PixelWriteKind::Clear => Cause::Clear(at),
        PixelWriteKind::Draw(draw) => {
            let record = draws.get(draw as usize).cloned();
            Cause::Draw(Box::new(record.ok_or(Internal::new("a draw that wrote a pixel is not in the frame"))?))
        }
        PixelWriteKind::Copy(_) | PixelWriteKind::Upload => Cause::Brought(at),
    })
}

struct Search<'a> {
    player: &'a mut Player,
    frame: FrameIndex,
    /// The picture at the frame's end.
    finished: &'a Picture,
    /// When to stop looking one by one.
    deadline: Option<Instant>,
}

impl Search<'_> {
    /// The first draw from `from` on after which some of `positions` are as they are in the end, and these.
    fn halve(
        &mut self,
        mut from: u32,
        mut until: u32,
        mut positions: Vec<u32>,
    ) -> Result<(u32, Vec<u32>), PlayerError> {
        while from < until {
            let middle = from + (until - from) / 2;
            let settled = self.settled(Point::Draw(middle), &positions)?;
            if settled.is_empty() {
                from = middle + 1;
            } else {
                (positions, until) = (settled, middle);
            }
        }
        Ok((until, positions))
    }

    /// Looks at up to `count` draws after `draw`: those of `positions` that none of them changes, and the last looked at.
    fn keep_unchanged(
        &mut self,
        draw: u32,
        last: u32,
        mut positions: Vec<u32>,
        count: u32,
    ) -> Result<(Vec<u32>, u32), PlayerError> {
        let mut looked_to = draw;
        while looked_to < last && looked_to - draw < count && !positions.is_empty() {
            if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                break;
            }
            looked_to += 1;
            positions = self.settled(Point::Draw(looked_to), &positions)?;
        }
        Ok((positions, looked_to))
    }

    /// Those of `positions` that are after so much of the frame as they are in the end.
    fn settled(&mut self, point: Point, positions: &[u32]) -> Result<Vec<u32>, PlayerError> {
        let picture = self.player.render(Place { frame: self.frame, point })?;
        Ok(self.as_in_the_end(&picture, positions))
    }

    /// Those of `positions` that are as they are in the end just before a draw.
    fn settled_before(&mut self, draw: &DrawRecord, positions: &[u32]) -> Result<Vec<u32>, PlayerError> {
        self.settled(Point::before_packet(draw.at.packet), positions)
    }

    fn as_in_the_end(&self, picture: &Picture, positions: &[u32]) -> Vec<u32> {
        let (now, then) = (pixels(picture), pixels(self.finished));
        positions
            .iter()
            .copied()
            .filter(|position| now.get(*position as usize) == then.get(*position as usize))
            .collect()
    }

    /// What became of the first of `positions`.
    fn history(&mut self, positions: &[u32]) -> Result<Option<PixelHistory>, PlayerError> {
        let Size { width_px, .. } = self.finished.size();
        // silent: no pixel is asked about
        let Some(position) = positions.first().filter(|_| width_px > 0) else { return Ok(None) };
        let (x, y) = (position % width_px, position / width_px);
        pixel_history(self.player, self.frame, x, y).map(Some)
    }
}

/// The draw of the frame after which the pixel is as it is in the end, or else what it was. What was there before a
/// CLEAR or a draw that wrote it does not matter, even if it looked the same.
fn settling_cause(history: &PixelHistory) -> Result<u32, Cause> {
    let writes_end =
        |event: &&PixelEvent| matches!(event.effect, Effect::Wrote { after, .. } if Some(after) == history.end);
    match history.writers().rev().take_while(writes_end).last() {
        Some(PixelEvent { kind: PixelWriteKind::Draw(draw), .. }) => Ok(*draw),
        Some(PixelEvent { kind: PixelWriteKind::Clear, at, .. }) => Err(Cause::Clear(*at)),
        Some(PixelEvent { kind: PixelWriteKind::Copy(_) | PixelWriteKind::Upload, at, .. }) => Err(Cause::Brought(*at)),
        None => Err(match &history.origin {
            Origin::Nothing | Origin::Created { .. } => Cause::Nothing,
            Origin::Command { at, kind, .. } => Cause::Earlier(*kind, *at),
            Origin::Unknown { error } => Cause::Unknown(error.clone()),
        }),
    }
}

fn differing_places(expected: &Picture, found: &Picture) -> Vec<u32> {
    let pairs = pixels(expected).iter().zip(pixels(found));
    (0..).zip(pairs).filter(|(_, (expected, found))| expected != found).map(|(position, _)| position).collect()
}

fn pixels(picture: &Picture) -> &[[u8; 4]] {
    picture.rgba().as_chunks::<4>().0
}
