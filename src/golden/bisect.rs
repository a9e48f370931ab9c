//! The first draw of a frame after which two sides differ.
//!
//! ```text
//!  draws    0   1   2   3   4   5   6   7
//!  a = b?   =   =   ≠   =   =   ≠   ≠   ≠        a difference can heal: draw 2's did
//!                       └ binary search ends here, between a = and a ≠
//! ```
//!
//! The binary search finds *a* draw with which pictures begin to differ; that none before it did is known only of the
//! draws that were looked at. So the window before it is scanned forward for an earlier one, and the window after it
//! for a draw that heals the difference, in which case the search goes on for the draw that brings it back.
//!
//! Where nothing differs after the last draw there is nothing to halve: the draws are looked at one by one for a
//! difference that a later one covers, of many draws a sample.

use std::ops::Range;
use std::path::PathBuf;

use thiserror::Error;

use super::blame::{Blame, SearchBudget, blame};
use crate::analysis::{DrawRecord, list_draws};
use crate::command::{Place, Point};
use crate::error::{Classified, ErrorKind, Internal};
use crate::format::aerogpu::FrameIndex;
use crate::pixels::{Difference, DifferenceError, Picture, Tolerance, compare_beyond};
use crate::player::{Player, PlayerError};
use crate::replay::FaultSummary;

/// How many draws before and after the one that was found are looked at one by one, for differences that go away again.
pub const SCAN_DRAWS: u32 = 64;

/// How many draws are looked at where the last shows no difference.
pub const SAMPLED_DRAWS: u32 = 1000;

/// One of two sides that are compared.
///
/// A further kind of side, the same trace with another choice of shaders say, is another way to make a `Player`:
/// this module needs no change for it.
pub enum Side {
    /// A trace on a device.
    Played {
        /// What plays it.
        player: Box<Player>,
    },
    /// A picture of the finished frame.
    Picture {
        /// Its file.
        path: PathBuf,
        /// The picture.
        picture: Picture,
    },
}

/// Sides that can't be compared.
#[derive(Debug, Error)]
pub enum BisectError {
    /// A side can't be rendered.
    #[error("side {side}: {source}")]
    Player {
        /// `a` or `b`.
        side: char,
        /// Why.
        r#source: PlayerError,
    },
    /// Different sizes.
    #[error(transparent)]
    Difference(#[from] DifferenceError),
    /// Pictures know no draws.
    #[error("both sides are pictures: expected at least one trace")]
    TwoPictures,
}

impl Classified for BisectError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Player { source, .. } => source.kind(),
            Self::Difference(error) => error.kind(),
            Self::TwoPictures => ErrorKind::Usage,
        }
    }

    fn offset(&self) -> Option<u64> {
        match self {
            Self::Player { source, .. } => source.offset(),
            Self::Difference(error) => error.offset(),
            Self::TwoPictures => None,
        }
    }
}

/// What was found.
#[derive(Debug)]
pub enum Found {
    /// The frames end in the same picture, and so did all prefixes that were looked at.
    Same {
        /// How many prefixes were looked at, the finished frame included.
        compared: u32,
    },
    /// A draw.
    Draw(Box<FirstDraw>),
    /// One side has draws that the other has not, and up to there nothing differs.
    MoreDraws {
        /// Draws of `a`.
        a: u32,
        /// Draws of `b`.
        b: u32,
        /// The first draw that the other side has not.
        draw: Option<DrawRecord>,
    },
    /// The pictures are not of the same size: after a draw, or, without one, those of the finished frames.
    OtherSizes {
        /// The draw on side a.
        draw: Option<DrawRecord>,
        /// The sizes.
        sizes: DifferenceError,
    },
    /// The finished frames differ, and one has no draws to look between.
    NoDraws {
        /// The difference.
        difference: Difference,
    },
    /// Against a picture, of which only the end is known: what first left a differing pixel as it is.
    AgainstPicture {
        /// The difference of the finished frame.
        difference: Difference,
        /// What that was.
        blame: Option<Blame>,
    },
}

/// The first draw after which the sides differ.
#[derive(Debug)]
pub struct FirstDraw {
    /// The draw on side a.
    pub draw: DrawRecord,
    /// The same number's draw on side b, if it stands elsewhere or draws otherwise.
    pub draw_b: Option<DrawRecord>,
    /// What differs after it.
    pub difference: Difference,
    /// Where the sides are the same again, and from where on they differ once more.
    pub same_again: Option<SameAgain>,
    /// The first draw from which on every one up to the found one was looked at.
    pub scanned_from: u32,
    /// Whether the frames differ at the end.
    pub differs_at_end: bool,
    /// Whether the sides differ before the frame's first draw already: then an earlier frame is to blame.
    pub previous_frame_differs: bool,
}

/// A difference that went away and came back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SameAgain {
    /// The draw after which the sides are the same again.
    pub after: u32,
    /// A later draw with which they begin to differ again; `None` if they don't after the last.
    pub differs_again_at: Option<u32>,
}

/// Finds the first draw of `frame` after which `a` and `b` are more than `tolerance` apart.
pub fn bisect(a: &mut Side, b: &mut Side, frame: FrameIndex, tolerance: Tolerance) -> Result<Found, BisectError> {
    match (a, b) {
        (Side::Picture { .. }, Side::Picture { .. }) => Err(BisectError::TwoPictures),
        (Side::Played { player }, Side::Picture { picture, .. }) => {
            against_picture(player, 'a', picture, frame, tolerance)
        }
        (Side::Picture { picture, .. }, Side::Played { player }) => {
            against_picture(player, 'b', picture, frame, tolerance)
        }
        (Side::Played { player: a }, Side::Played { player: b }) => bisect_played(a, b, [frame; 2], tolerance),
    }
}

impl Side {
    /// Faults that its player went on behind up to the end of a frame.
    pub fn faults_until(&self, last: FrameIndex) -> FaultSummary {
        match self {
            Self::Played { player } => player.faults_until(last),
            Self::Picture { .. } => FaultSummary::default(),
        }
    }
}

/// The same for two players, which can be played on afterwards, and a frame of each.
pub fn bisect_played(
    a: &mut Player,
    b: &mut Player,
    frames: [FrameIndex; 2],
    tolerance: Tolerance,
) -> Result<Found, BisectError> {
    let draws = |side, player: &mut Player, frame| {
        list_draws(player, frame).map_err(|source| BisectError::Player { side, source })
    };
    let [frame_a, frame_b] = frames;
    let (draws_a, draws_b) = (draws('a', a, frame_a)?, draws('b', b, frame_b)?);
    Search { a, b, frames, tolerance, compared: 0 }.run(&draws_a, &draws_b)
}

/// Two frames that belong together and do not look the same.
#[derive(Debug)]
pub struct PictureDifference {
    /// One of each side.
    pub frames: [FrameIndex; 2],
    /// Where in them the pictures begin to differ.
    pub found: Found,
}

/// The first of `pairs` of frames whose pictures are more than `tolerance` apart.
pub fn first_picture_difference(
    a: &mut Player,
    b: &mut Player,
    pairs: impl IntoIterator<Item = [FrameIndex; 2]>,
    tolerance: Tolerance,
) -> Result<Option<PictureDifference>, BisectError> {
    for frames in pairs {
        if (Search { a, b, frames, tolerance, compared: 0 }).differs_at(Point::End)? {
            let found = bisect_played(a, b, frames, tolerance)?;
            return Ok(Some(PictureDifference { frames, found }));
        }
    }
    Ok(None)
}

fn against_picture(
    player: &mut Player,
    side: char,
    expected: &Picture,
    frame: FrameIndex,
    tolerance: Tolerance,
) -> Result<Found, BisectError> {
    let failed = |source| BisectError::Player { side, source };
    let found = player.render(frame).map_err(failed)?;
    let difference = compare_beyond(expected, &found, tolerance.largest_step)?;
    if difference.is_within(tolerance) {
        return Ok(Found::Same { compared: 1 });
    }
    let blame = blame(player, frame, expected, &found, SearchBudget::UNLIMITED).map_err(failed)?;
    Ok(Found::AgainstPicture { difference, blame })
}

struct Search<'p> {
    a: &'p mut Player,
    b: &'p mut Player,
    /// That of each side.
    frames: [FrameIndex; 2],
    tolerance: Tolerance,
    compared: u32,
}

impl Search<'_> {
    fn run(mut self, draws_a: &[DrawRecord], draws_b: &[DrawRecord]) -> Result<Found, BisectError> {
        let count = draws_a.len().min(draws_b.len()) as u32;
        let at_end = match self.difference(Point::End) {
            Err(BisectError::Difference(sizes)) => return Ok(Found::OtherSizes { draw: None, sizes }),
            difference => difference?,
        };
        // silent: without draws nothing is searched
        let Some(last) = count.checked_sub(1) else {
            return Ok(if self.is_same(&at_end) { self.same() } else { Found::NoDraws { difference: at_end } });
        };
        let differs_in_the_end = self.differs(last)?;
        let begins = if differs_in_the_end { Some(self.search(0, last)?) } else { self.sample(last)? };
        // silent: nothing differs after any draw looked at
        let Some(begins) = begins else { return self.nothing_at_the_end(at_end, draws_a, draws_b) };
        let scanned_from = begins.saturating_sub(SCAN_DRAWS);
        let first = self.find(scanned_from..begins, |differs| differs)?.unwrap_or(begins);
        let end = if differs_in_the_end { last } else { last + 1 };
        let after = first + 1..end.min(first + SCAN_DRAWS);
        let same_again = match self.find(after, |differs| !differs)? {
            Some(after) if differs_in_the_end => {
                Some(SameAgain { after, differs_again_at: Some(self.search(after + 1, last)?) })
            }
            Some(after) => Some(SameAgain { after, differs_again_at: None }),
            None => None,
        };
        let difference = match self.difference(Point::Draw(first)) {
            Err(BisectError::Difference(sizes)) => {
                return Ok(Found::OtherSizes { draw: draws_a.get(first as usize).cloned(), sizes });
            }
            difference => difference?,
        };
        let previous_frame_differs = first == 0 && self.differs_before()?;
        let differs_at_end = !self.is_same(&at_end);
        let lost = || Internal::new("a draw that makes a difference is not in the frame");
        let draw = draws_a.get(first as usize).cloned();
        let draw = draw.ok_or_else(|| BisectError::Player { side: 'a', source: lost().into() })?;
        let draw_b = draws_b.get(first as usize).filter(|draw_b| **draw_b != draw).cloned();
        let first =
            FirstDraw { draw, draw_b, difference, same_again, scanned_from, differs_at_end, previous_frame_differs };
        Ok(Found::Draw(Box::new(first)))
    }

    /// A draw after which the sides differ, although they don't after `last`.
    fn sample(&mut self, last: u32) -> Result<Option<u32>, BisectError> {
        let step = last.div_ceil(SAMPLED_DRAWS).max(1);
        for draw in (0..last).step_by(step as usize) {
            if self.differs(draw)? {
                return Ok(Some(draw));
            }
        }
        Ok(None)
    }

    /// After no common draw looked at does anything differ; the sides differ in their number, or in nothing.
    fn nothing_at_the_end(
        &self,
        at_end: Difference,
        draws_a: &[DrawRecord],
        draws_b: &[DrawRecord],
    ) -> Result<Found, BisectError> {
        let (a, b) = (draws_a.len(), draws_b.len());
        if a != b {
            let longer = if a > b { draws_a } else { draws_b };
            let draw = longer.get(a.min(b)).cloned();
            return Ok(Found::MoreDraws { a: a as u32, b: b as u32, draw });
        }
        // What differs although no draw does was cleared after the last one.
        Ok(if self.is_same(&at_end) { self.same() } else { Found::NoDraws { difference: at_end } })
    }

    fn same(&self) -> Found {
        Found::Same { compared: self.compared }
    }

    /// A draw after which the sides differ and before which they don't, given that they don't before `first` and do
    /// after `bad`.
    fn search(&mut self, mut first: u32, mut bad: u32) -> Result<u32, BisectError> {
        while first < bad {
            let middle = first + (bad - first) / 2;
            if self.differs(middle)? {
                bad = middle;
            } else {
                first = middle + 1;
            }
        }
        Ok(bad)
    }

    /// The first of `draws` after which the sides are as wanted.
    fn find(&mut self, draws: Range<u32>, wanted: fn(bool) -> bool) -> Result<Option<u32>, BisectError> {
        for draw in draws {
            if wanted(self.differs(draw)?) {
                return Ok(Some(draw));
            }
        }
        Ok(None)
    }

    fn differs(&mut self, draw: u32) -> Result<bool, BisectError> {
        self.differs_at(Point::Draw(draw))
    }

    /// A texture that neither side has there makes no difference; another size does.
    fn differs_at(&mut self, point: Point) -> Result<bool, BisectError> {
        match self.difference(point) {
            Err(BisectError::Player { source: PlayerError::NoTarget { .. }, .. }) if self.neither_has_it(point) => {
                Ok(false)
            }
            Err(BisectError::Difference(_)) => Ok(true),
            difference => Ok(!self.is_same(&difference?)),
        }
    }

    fn neither_has_it(&mut self, point: Point) -> bool {
        let lacks = |player: &mut Player, frame| {
            matches!(player.render(Place { frame, point }), Err(PlayerError::NoTarget { .. }))
        };
        let [frame_a, frame_b] = self.frames;
        lacks(self.a, frame_a) && lacks(self.b, frame_b)
    }

    /// Whether the frames before end differently.
    fn differs_before(&mut self) -> Result<bool, BisectError> {
        if self.frames == [FrameIndex(0); 2] {
            return Ok(false);
        }
        self.differs_at(Point::Start)
    }

    fn is_same(&self, difference: &Difference) -> bool {
        difference.is_within(self.tolerance)
    }

    fn difference(&mut self, point: Point) -> Result<Difference, BisectError> {
        self.compared += 1;
        let [frame_a, frame_b] = self.frames;
        let failed = |side| move |source| BisectError::Player { side, source };
        let a = self.a.render(Place { frame: frame_a, point }).map_err(failed('a'))?;
        let b = self.b.render(Place { frame: frame_b, point }).map_err(failed('b'))?;
        Ok(compare_beyond(&a, &b, self.tolerance.largest_step)?)
    }
}
