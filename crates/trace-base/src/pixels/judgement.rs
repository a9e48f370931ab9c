//! The definition of "the same picture": checks in a fixed order, of which the first that can decide does, and is named.
//!
//! ```text
//!  size ──differs──► different
//!   │ same
//!  hash ──accepted─► the same
//!   │ other                            what follows is done only where a `Check` asks for it
//!  tolerance ──within──► the same
//!   │ beyond
//!  perceptual ──similar enough──► the same
//!   └──────────► different
//! ```

use std::fmt;

use super::difference::{Difference, compare_beyond};
use super::perceptual::{Similarity, similarity};
use super::picture::{Picture, PictureHash, Size};
use super::tolerance::Tolerance;

/// What is allowed besides equality.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Check {
    /// How far channels may be apart.
    pub tolerance: Tolerance,
    /// How similar pictures must be that are beyond the tolerance, 0 to 1; `None`: they are different. What a number
    /// catches stands in `perceptual.rs`.
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
pub enum Criterion {
    /// The sizes differ.
    Size,
    /// The hash is an accepted one.
    Hash,
    /// The differences of channels.
    Tolerance,
    /// The perceptual metric.
    Perceptual,
}

impl Criterion {
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

/// How two pictures compare.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// Whether the pictures count as the same.
    pub is_same: bool,
    /// What decided.
    pub criterion: Criterion,
    /// Size of the first picture.
    pub expected: Size,
    /// Size of the second picture.
    pub found: Size,
    /// The differences, where the sizes agree.
    pub difference: Option<Difference>,
    /// What the perceptual metric says, where it was asked.
    pub similarity: Option<Similarity>,
    /// What was allowed.
    pub check: Check,
}

impl Judgement {
    /// The rule by which pictures of the same size are different.
    fn rule(&self, difference: &Difference) -> Option<String> {
        if self.is_same || difference.pixels == 0 {
            return None;
        }
        match self.criterion {
            Criterion::Size => None,
            Criterion::Hash => Some("only identical pictures pass".to_owned()),
            Criterion::Tolerance => {
                difference.excess(self.check.tolerance).map(|excess| format!("beyond the tolerance: {excess}"))
            }
            Criterion::Perceptual => self.check.min_similarity.map(|wanted| format!("at least {wanted} is required")),
        }
    }
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
        if let Some(Similarity { score, worst_tile: [x, y] }) = self.similarity {
            write!(f, "; similarity {score:.6}, of the tile at {x},{y}")?;
        }
        match self.difference.as_ref().and_then(|difference| self.rule(difference)) {
            Some(rule) => write!(f, "; {rule}"),
            None => Ok(()),
        }
    }
}

/// Decides whether `found` is the picture `expected`. `accepted` are further hashes that count as equal.
pub fn judge(expected: &Picture, found: &Picture, accepted: &[PictureHash], check: Check) -> Judgement {
    let mut judgement = Judgement {
        is_same: false,
        criterion: Criterion::Size,
        expected: expected.size(),
        found: found.size(),
        difference: None,
        similarity: None,
        check,
    };
    let Ok(difference) = compare_beyond(expected, found, check.tolerance.largest_step) else { return judgement };
    let is_equal = difference.pixels > 0 && difference.differing == 0;
    judgement.criterion = Criterion::Hash;
    judgement.is_same = is_equal || (difference.pixels > 0 && accepted.contains(&found.hash()));
    if !judgement.is_same && difference.pixels > 0 && check.tolerance != Tolerance::EXACT {
        judgement.criterion = Criterion::Tolerance;
        judgement.is_same = difference.is_within(check.tolerance);
    }
    let wanted = check.min_similarity.filter(|_| !judgement.is_same && difference.pixels > 0);
    judgement.difference = Some(difference);
    if let Some(wanted) = wanted {
        let similarity = similarity(expected, found);
        judgement.criterion = Criterion::Perceptual;
        judgement.similarity = Some(similarity);
        judgement.is_same = similarity.score >= wanted;
    }
    judgement
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
        let judgement = judge(&scene(0), found, accepted, check);
        (judgement.is_same, judgement.criterion.name())
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
    fn a_verdict_says_which_rule_decided() {
        let tolerance = Tolerance { share_of_pixels: 1.0, ..Tolerance::OTHER_MACHINE };
        let few = Tolerance { share_of_pixels: 0.25, ..tolerance };
        let similar = Check { tolerance, min_similarity: Some(0.99) };
        let wide = Tolerance { largest_step: 255, ..tolerance };
        let moved = Picture::new(SIZE, (0..64 * 64).flat_map(|n| [if n % 64 < 31 { 0 } else { 255 }; 4]).collect());
        let edge = Picture::new(SIZE, (0..64 * 64).flat_map(|n| [if n % 64 < 32 { 0 } else { 255 }; 4]).collect());
        let (moved, edge) = (moved.unwrap(), edge.unwrap());
        let cluster = Tolerance { outliers: 4096, cluster: 9, ..tolerance };
        let base = scene(0);
        let cases = [
            (&base, scene(1), Check::EXACT, "; only identical pictures pass"),
            (
                &base,
                scene(2),
                Check { tolerance, ..Check::EXACT },
                "; beyond the tolerance: 4096 pixels exceed 1 step, 0 allowed",
            ),
            (
                &base,
                scene(2),
                Check { tolerance: cluster, ..Check::EXACT },
                "; beyond the tolerance: 4096 pixels beyond 1 step touch each other, 9 allowed",
            ),
            (
                &base,
                scene(1),
                Check { tolerance: few, ..Check::EXACT },
                "; beyond the tolerance: 100.000 % of the pixels differ, 25 % allowed",
            ),
            (
                &edge,
                moved,
                Check { tolerance: wide, ..Check::EXACT },
                "; beyond the tolerance: an edge moved in 64 pixels, 0 allowed",
            ),
            (&base, scene(4), similar, "; similarity 0.984314, of the tile at 0,0; at least 0.99 is required"),
        ];
        for (a, b, check, words) in cases {
            let text = judge(a, &b, &[], check).to_string();
            assert!(text.ends_with(words), "{words}\n{text}");
        }
    }

    #[test]
    fn empty_pictures_are_never_the_same() {
        let empty = Picture::new(Size { width_px: 0, height_px: 0 }, Vec::new()).unwrap();
        let judgement = judge(&empty, &empty, &[empty.hash()], Check::OTHER_MACHINE);
        assert!(!judgement.is_same, "{judgement}");
        assert_eq!(judgement.to_string(), "nothing was compared: the pictures are empty");
    }
}
