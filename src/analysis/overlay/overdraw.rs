//! How often each pixel was written.

use super::{Overlay, Painter, picture_under};
use crate::command::Place;
use crate::player::{AskedPicture, DrawSelection, Player, PlayerError};

/// From which count on a colour stands, coldest first. The steps grow: one more of a few matters, one more of a hundred
/// doesn't.
const STEPS: [(u32, [u8; 3]); 10] = [
    (1, [24, 32, 120]),
    (2, [32, 90, 200]),
    (3, [30, 160, 200]),
    (4, [40, 190, 110]),
    (6, [140, 210, 60]),
    (8, [235, 220, 50]),
    (16, [250, 160, 40]),
    (32, [240, 90, 40]),
    (64, [220, 30, 60]),
    (256, [255, 255, 255]),
];

pub(super) fn overlay(player: &mut Player, place: Place) -> Result<Overlay, PlayerError> {
    let under = picture_under(player, place, AskedPicture::Shown)?;
    let counts = player.count_writes(place, &DrawSelection::All)?;
    let most = counts.values().iter().copied().max().unwrap_or(0);
    let ends = STEPS.iter().skip(1).map(|(from, _)| from - 1).chain([u32::MAX]);
    let entries = STEPS.iter().zip(ends).map(|((from, rgb), to)| (*rgb, describe(*from, to.min(most))));
    let entries: Vec<_> = entries.collect();
    Ok(Painter::new(entries).paint(&counts, &under, |count| place_of(count).checked_sub(1)).without_empty())
}

/// How many steps begin at or below a count.
fn place_of(count: u32) -> usize {
    STEPS.partition_point(|(from, _)| *from <= count)
}

fn describe(from: u32, to: u32) -> String {
    match (from, to) {
        (1, _) => "written once".to_owned(),
        (from, to) if from >= to => format!("written {from} times"),
        (from, to) => format!("written {from} to {to} times"),
    }
}
