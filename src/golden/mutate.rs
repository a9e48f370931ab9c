//! Which faults a case would not notice: its pictures with something wrong in them, judged as a test would.
//!
//! | mutant | stands for |
//! |---|---|
//! | a draw left out, each in turn | state, visibility and shaders gone wrong |
//! | the picture a pixel further right, or down | half-pixel offsets, viewports |
//! | red and blue swapped, red and green swapped | formats, swizzles |
//! | one pixel inverted, in the middle of what is not one colour | a hole, a stray pixel |
//!
//! A mutant that is no other picture (a draw behind others, a swap of equal channels) tells nothing, and is counted apart.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::case::{Case, GoldenPicture};
use super::machine::Machine;
use super::outcome::Status;
use super::pictures::{Golden, read_golden};
use super::run_case::{ReadCase, choose_check, in_playing_order};
use crate::command::FramePicture;
use crate::error::{Classified, ErrorKind, Internal};
use crate::gpu::Gpu;
use crate::pixels::{Check, Picture, PictureHash, Size, compare, judge};
use crate::player::{DrawSelection, Player, PlayerError, Variant};
use crate::replay::ShaderOptions;

/// What a case was found to notice.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CaseMutants {
    /// The case's name.
    pub case: String,
    /// Its folder.
    pub folder: String,
    /// Its pictures.
    pub pictures: Vec<PictureMutants>,
}

/// What the check of a picture notices.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PictureMutants {
    /// Which picture of which frame.
    #[serde(flatten)]
    pub of: FramePicture,
    /// How many mutants are other pictures.
    pub mutants: usize,
    /// Those of them that the check lets pass.
    pub survived: Vec<SurvivingMutant>,
    /// Mutants that are no other picture, in words.
    pub equivalent: Vec<String>,
    /// Draws that were not left out, since there are more than were asked for.
    pub untested_draws: usize,
}

/// A mutant that passes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SurvivingMutant {
    /// What is wrong in it.
    pub mutant: String,
    /// Pixels that differ.
    pub differing: u64,
    /// The largest step of a channel.
    pub largest_step: u8,
    /// What lets it pass.
    pub criterion: String,
}

/// Why nothing can be said of a case.
pub(super) type NoMutants = (Status, Option<ErrorKind>, String);

/// Makes mutants of every picture of a case, of at most `draws` of a frame's draws, evenly spread, and judges them.
pub(super) fn mutate(
    ReadCase { case, trace, change, .. }: &ReadCase,
    gpu: Arc<Gpu>,
    shaders: &ShaderOptions,
    draws: usize,
) -> Result<CaseMutants, NoMutants> {
    if let Some(change) = change {
        return Err((Status::Error, Some(ErrorKind::Different), change.clone()));
    }
    let machine = Machine::of(gpu.summary());
    let of_player = |error: PlayerError| (Status::Error, Some(error.kind()), error.to_string());
    let mut player = Player::new(trace.clone(), gpu, case.size).map_err(of_player)?;
    player.set_shader_options(shaders.clone());
    let mut pictures = Vec::new();
    for golden in in_playing_order(&case.pictures, |golden| golden.of) {
        player.set_shown(golden.of.shown);
        let found = player.render(golden.of.frame).map_err(of_player)?;
        let test = PictureTest::of(case, golden, &machine, shaders, &found)?;
        pictures.push(test.mutate(&mut player, &found, draws).map_err(of_player)?);
    }
    pictures.sort_by_key(|picture| picture.of);
    Ok(CaseMutants { case: case.name(), folder: case.folder.display().to_string(), pictures })
}

/// How a picture is judged.
struct PictureTest {
    of: FramePicture,
    expected: Picture,
    accepted: Vec<PictureHash>,
    check: Check,
}

impl PictureTest {
    /// The test of a picture that passes: mutants of another one say nothing.
    fn of(
        case: &Case,
        golden: &GoldenPicture,
        machine: &Machine,
        shaders: &ShaderOptions,
        found: &Picture,
    ) -> Result<Self, NoMutants> {
        let path = case.folder.join(&golden.picture);
        let unusable = |message: String| (Status::Error, Some(ErrorKind::GoldenUnusable), message);
        let expected = match read_golden(&path) {
            Golden::Found(expected) => expected,
            Golden::Missing => return Err(unusable(format!("{} is missing", path.display()))),
            Golden::Unusable(message) => return Err(unusable(format!("{}: {message}", path.display()))),
        };
        let check = choose_check(case, golden, machine, shaders.language);
        let test = Self { of: golden.of, expected, accepted: golden.accepted(), check };
        let judgement = judge(&test.expected, found, &test.accepted, check);
        match judgement.is_same {
            true => Ok(test),
            false => {
                let message = format!("frame {} does not pass without a mutation: {judgement}", golden.of);
                Err((Status::Different, Some(ErrorKind::Different), message))
            }
        }
    }

    fn mutate(&self, player: &mut Player, found: &Picture, most_draws: usize) -> Result<PictureMutants, PlayerError> {
        let frame = self.of.frame;
        let count = player.index().draws_of(frame).count() as u32;
        let tried = spread(count, most_draws);
        let mut result = PictureMutants {
            of: self.of,
            mutants: 0,
            survived: Vec::new(),
            equivalent: Vec::new(),
            untested_draws: count as usize - tried.len(),
        };
        for draw in tried {
            let draws = DrawSelection::Without(BTreeSet::from([draw]));
            let name = format!("draw {draw} left out");
            match player.render_variant(frame, &Variant { draws, ..Variant::default() }) {
                Ok(mutant) => self.judge(&name, found, &mutant, &mut result),
                // A mutant that can't be drawn is noticed.
                Err(error) if matches!(error.kind(), ErrorKind::ReplayFailed | ErrorKind::Malformed) => {
                    result.mutants += 1;
                }
                Err(error) => return Err(error),
            }
        }
        for (name, mutant) in altered(found)? {
            self.judge(name, found, &mutant, &mut result);
        }
        Ok(result)
    }

    fn judge(&self, name: &str, found: &Picture, mutant: &Picture, result: &mut PictureMutants) {
        let change = match compare(found, mutant) {
            Ok(change) if change.differing == 0 => return result.equivalent.push(name.to_owned()),
            Ok(change) => Some((change.differing, change.largest_step())),
            // Of another size.
            Err(_) => None,
        };
        result.mutants += 1;
        let judgement = judge(&self.expected, mutant, &self.accepted, self.check);
        if let (true, Some((differing, largest_step))) = (judgement.is_same, change) {
            let criterion = judgement.criterion.name().to_owned();
            result.survived.push(SurvivingMutant { mutant: name.to_owned(), differing, largest_step, criterion });
        }
    }
}

/// At most `most` of `count` numbers, the first and the last among them.
fn spread(count: u32, most: usize) -> Vec<u32> {
    let most = u32::try_from(most).unwrap_or(u32::MAX);
    match (count, most) {
        (0, _) | (_, 0) => Vec::new(),
        _ if count <= most => (0..count).collect(),
        (_, 1) => vec![0],
        _ => (0..most).map(|n| (u64::from(n) * u64::from(count - 1) / u64::from(most - 1)) as u32).collect(),
    }
}

/// What can be done to a finished picture.
fn altered(picture: &Picture) -> Result<Vec<(&'static str, Picture)>, Internal> {
    let size @ Size { width_px, height_px } = picture.size();
    // silent: no place outside of the picture is asked about
    let at = |x: u32, y: u32| picture.pixel(x, y).unwrap_or_default();
    let made = |pixel: &dyn Fn(u32, u32) -> [u8; 4]| {
        let rgba = (0..height_px).flat_map(|y| (0..width_px).flat_map(move |x| pixel(x, y))).collect();
        Picture::new(size, rgba).map_err(|_| Internal::new("a mutant differs in size from its picture"))
    };
    let chosen = notable_pixel(picture);
    Ok(vec![
        ("the picture moved right by one pixel", made(&|x, y| at(x.saturating_sub(1), y))?),
        ("the picture moved down by one pixel", made(&|x, y| at(x, y.saturating_sub(1)))?),
        (
            "red and blue swapped",
            made(&|x, y| {
                let [r, g, b, a] = at(x, y);
                [b, g, r, a]
            })?,
        ),
        (
            "red and green swapped",
            made(&|x, y| {
                let [r, g, b, a] = at(x, y);
                [g, r, b, a]
            })?,
        ),
        (
            "one pixel inverted",
            made(&|x, y| {
                let [r, g, b, a] = at(x, y);
                if Some([x, y]) == chosen { [255 - r, 255 - g, 255 - b, a] } else { [r, g, b, a] }
            })?,
        ),
    ])
}

/// The middle one of those that have another colour than the first; else the first.
fn notable_pixel(picture: &Picture) -> Option<[u32; 2]> {
    let pixels = picture.rgba().as_chunks::<4>().0;
    let first = pixels.first()?;
    let others = || pixels.iter().enumerate().filter(|(_, pixel)| *pixel != first).map(|(place, _)| place);
    let place = others().nth(others().count() / 2).unwrap_or(0) as u32;
    let width = picture.size().width_px;
    Some([place % width, place / width])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_are_spread_evenly() {
        assert_eq!(spread(4, 10), [0, 1, 2, 3]);
        assert_eq!(spread(100, 3), [0, 49, 99]);
        assert_eq!(spread(5, 1), [0]);
        assert_eq!((spread(5, 0), spread(0, 5)), (vec![], vec![]));
        let many = spread(u32::MAX, 7);
        assert_eq!((many.len(), many[0], many[6]), (7, 0, u32::MAX - 1));
    }

    #[test]
    fn each_alteration_is_another_picture() {
        let size = Size { width_px: 3, height_px: 2 };
        let rgba = (0..6u8).flat_map(|n| [n, 40 + n, 200, 255]).collect();
        let picture = Picture::new(size, rgba).unwrap();
        let altered = altered(&picture).unwrap();
        assert_eq!(altered.len(), 5);
        for (name, mutant) in &altered {
            assert_ne!(mutant, &picture, "{name}");
        }
        assert_eq!(altered[0].1.pixel(1, 1), picture.pixel(0, 1));
        assert_eq!(altered[1].1.pixel(1, 1), picture.pixel(1, 0));
        assert_eq!(altered[2].1.pixel(2, 0), Some([200, 42, 2, 255]));
        assert_eq!(altered[3].1.pixel(2, 0), Some([42, 2, 200, 255]));
        let inverted = (0..6u32).filter(|n| altered[4].1.pixel(n % 3, n / 3) != picture.pixel(n % 3, n / 3));
        assert_eq!(inverted.collect::<Vec<_>>(), [3], "one, in the middle of those that are not as the first");
        assert_eq!(altered[4].1.pixel(0, 1), Some([252, 212, 55, 255]));
    }
}
