//! The definition of "the same picture", a ladder: the first rung that can decide does, and says so.
//!
//! ```text
//!  size ──differs──► different
//!   │ same
//!  hash ──accepted─► the same
//!   │ other                            every rung below is climbed only where a check asks for it
//!  tolerance ──within──► the same
//!   │ beyond
//!  perceptual ──similar enough──► the same
//!   └──────────► different
//! ```

use std::fmt;

use thiserror::Error;

use super::difference::{Difference, compare_beyond};
use super::perceptual::similarity;
use super::picture::{Picture, PictureHash, Size};
use super::tolerance::Tolerance;

/// What is allowed besides equality.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Check {
    /// How far channels may be apart.
    pub tolerance: Tolerance,
    /// How similar pictures must be that are beyond the tolerance, 0 to 1; `None`: they are different.
    pub min_similarity: Option<f64>,
}

impl Check {
    /// Nothing but equality.
    pub const EXACT: Check = Check { tolerance: Tolerance::EXACT, min_similarity: None };

    /// The shipped default where hashes can't decide.
    pub const OTHER_MACHINE: Check = Check { tolerance: Tolerance::OTHER_MACHINE, min_similarity: None };
}

/// A way to decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rung {
    /// The sizes differ.
    Size,
    /// The hash is an accepted one.
    Hash,
    /// The differences of channels.
    Tolerance,
    /// The perceptual metric.
    Perceptual,
}

impl Rung {
    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Size => "size",
            Self::Hash => "hash",
            Self::Tolerance => "tolerance",
            Self::Perceptual => "perceptual",
        }
    }
}

/// What the ladder found.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// Whether the pictures count as the same.
    pub is_same: bool,
    /// What decided.
    pub rung: Rung,
    /// Size of the first picture.
    pub expected: Size,
    /// Size of the second picture.
    pub found: Size,
    /// The differences, where the sizes agree.
    pub difference: Option<Difference>,
    /// What the perceptual metric says, where it was asked.
    pub similarity: Option<f64>,
}

impl fmt::Display for Judgement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.difference {
            None => write!(f, "the sizes differ: expected {}, found {}", self.expected, self.found)?,
            Some(difference) if difference.pixels == 0 => {
                f.write_str("nothing was compared: the pictures are empty")?
            }
            Some(difference) => difference.fmt(f)?,
        }
        match self.similarity {
            Some(similarity) => write!(f, "; similarity {similarity:.6}"),
            None => Ok(()),
        }
    }
}

/// Pictures that the metric cannot take.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the perceptual metric refuses the pictures: {message}")]
pub struct LadderError {
    /// What it said.
    pub message: String,
}

/// Decides whether `found` is the picture `expected`. `accepted` are further hashes that count as equal.
pub fn judge(
    expected: &Picture,
    found: &Picture,
    accepted: &[PictureHash],
    check: Check,
) -> Result<Judgement, LadderError> {
    let mut judgement = Judgement {
        is_same: false,
        rung: Rung::Size,
        expected: expected.size(),
        found: found.size(),
        difference: None,
        similarity: None,
    };
    let Ok(difference) = compare_beyond(expected, found, check.tolerance.largest_step) else { return Ok(judgement) };
    let is_equal = difference.pixels > 0 && difference.differing == 0;
    judgement.rung = Rung::Hash;
    judgement.is_same = is_equal || (difference.pixels > 0 && accepted.contains(&found.hash()));
    if !judgement.is_same && difference.pixels > 0 && check.tolerance != Tolerance::EXACT {
        judgement.rung = Rung::Tolerance;
        judgement.is_same = difference.is_within(check.tolerance);
    }
    let wanted = check.min_similarity.filter(|_| !judgement.is_same && difference.pixels > 0);
    judgement.difference = Some(difference);
    if let Some(wanted) = wanted {
        let similarity = similarity(expected, found).map_err(|message| LadderError { message })?;
        judgement.rung = Rung::Perceptual;
        judgement.similarity = Some(similarity);
        judgement.is_same = similarity >= wanted;
    }
    Ok(judgement)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: Size = Size { width_px: 64, height_px: 64 };

    fn scene(step: u8) -> Picture {
        let rgba = (0..64u8).flat_map(|y| (0..64u8).flat_map(move |x| [x * 2 + step, y * 2, x ^ y, 255]));
        Picture::new(SIZE, rgba.collect()).unwrap()
    }

    fn verdict(found: &Picture, check: Check, accepted: &[PictureHash]) -> (bool, &'static str) {
        let judgement = judge(&scene(0), found, accepted, check).unwrap();
        (judgement.is_same, judgement.rung.name())
    }

    #[test]
    fn the_rung_that_decided_is_reported() {
        let wide = Check { tolerance: Tolerance { share_of_pixels: 1.0, ..Tolerance::OTHER_MACHINE }, ..Check::EXACT };
        assert_eq!(verdict(&scene(0), Check::EXACT, &[]), (true, "hash"));
        assert_eq!(verdict(&scene(1), Check::EXACT, &[]), (false, "hash"));
        assert_eq!(verdict(&scene(1), Check::EXACT, &[scene(1).hash()]), (true, "hash"));
        assert_eq!(verdict(&scene(1), Check::OTHER_MACHINE, &[]), (false, "tolerance"));
        assert_eq!(verdict(&scene(1), wide, &[]), (true, "tolerance"));
        let flat = Picture::new(Size { width_px: 128, height_px: 32 }, scene(0).rgba().to_vec()).unwrap();
        assert_eq!(verdict(&flat, wide, &[]), (false, "size"));
    }

    #[test]
    fn the_metric_decides_only_where_it_is_asked() {
        let similar = |min_similarity| Check { min_similarity: Some(min_similarity), ..Check::EXACT };
        assert_eq!(verdict(&scene(3), similar(0.9), &[]), (true, "perceptual"));
        assert_eq!(verdict(&scene(3), similar(1.0), &[]), (false, "perceptual"));
        let black = Picture::new(SIZE, vec![0; 64 * 64 * 4]).unwrap();
        assert_eq!(verdict(&black, similar(0.9), &[]), (false, "perceptual"));
        let mut no_alpha = scene(0).rgba().to_vec();
        no_alpha.as_chunks_mut::<4>().0.iter_mut().for_each(|pixel| pixel[3] = 0);
        let no_alpha = Picture::new(SIZE, no_alpha).unwrap();
        assert_eq!(verdict(&no_alpha, similar(0.9), &[]), (false, "perceptual"), "alpha counts");
    }

    #[test]
    fn empty_pictures_are_never_the_same() {
        let empty = Picture::new(Size { width_px: 0, height_px: 0 }, Vec::new()).unwrap();
        let judgement = judge(&empty, &empty, &[empty.hash()], Check::OTHER_MACHINE).unwrap();
        assert!(!judgement.is_same, "{judgement}");
        assert_eq!(judgement.to_string(), "nothing was compared: the pictures are empty");
    }
}
