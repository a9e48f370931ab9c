//! How old each pixel is.

use std::collections::HashMap;

use super::{Overlay, Painter, drawn_until, picture_under};
use crate::command::Place;
use crate::player::{AskedPicture, PixelMap, Player, PlayerError, Writer};
use crate::replay::{EffectKind, ResolvedCommand, TraceIndex};

/// Draws of the frame, by how many draws ago they were: warm.
const DRAWS: [(u32, [u8; 3]); 6] = [
    (0, [255, 244, 190]),
    (1, [255, 205, 90]),
    (4, [245, 140, 50]),
    (16, [215, 75, 45]),
    (64, [150, 35, 60]),
    (256, [90, 20, 70]),
];
/// Draws of earlier frames, by how many frames ago: cold.
const FRAMES: [(u32, [u8; 3]); 4] = [(1, [90, 220, 220]), (2, [50, 150, 230]), (4, [50, 80, 200]), (16, [60, 40, 130])];
const CLEARED: [u8; 3] = [70, 70, 70];
const BROUGHT: [u8; 3] = [110, 110, 60];
const NOTHING: [u8; 3] = [0, 0, 0];

pub(super) fn overlay(player: &mut Player, place: Place) -> Result<Overlay, PlayerError> {
    let under = picture_under(player, place, AskedPicture::Shown)?;
    let writers = player.map_writers(place)?;
    let place = player.place_of_shown(place)?;
    let places = places(&player.index(), place, &writers);
    let overlay = Painter::new(entries()).paint(&writers, &under, |writer| places.get(&writer).copied());
    Ok(overlay.without_empty())
}

/// By writer: the place in the legend.
fn places(index: &TraceIndex, place: Place, writers: &PixelMap<Writer>) -> HashMap<Writer, usize> {
    let frame = place.frame;
    let draws: Vec<_> = index.draws_of(frame).collect();
    let drawn = drawn_until(index, place) as usize;
    let mut places = HashMap::new();
    for writer in writers.values() {
        places.entry(*writer).or_insert_with(|| {
            let Writer::Command(number) = *writer else { return DRAWS.len() + FRAMES.len() + 2 };
            match index.command(number) {
                Some(ResolvedCommand::Clear { .. } | ResolvedCommand::Submitted { kind: EffectKind::Clear, .. }) => {
                    return DRAWS.len() + FRAMES.len();
                }
                Some(step) if !step.is_draw() => return DRAWS.len() + FRAMES.len() + 1,
                _ => {}
            }
            match index.location(number).map(|at| frame.0 - at.frame.0.min(frame.0)) {
                Some(frames @ 1..) => DRAWS.len() + step_of(&FRAMES, frames),
                _ => {
                    let draw = draws.partition_point(|draw| *draw < number);
                    step_of(&DRAWS, drawn.saturating_sub(draw + 1) as u32)
                }
            }
        });
    }
    places
}

fn step_of(steps: &[(u32, [u8; 3])], value: u32) -> usize {
    steps.partition_point(|(from, _)| *from <= value).saturating_sub(1)
}

fn entries() -> Vec<([u8; 3], String)> {
    let describe = |steps: &'static [(u32, [u8; 3])], noun: &'static str| {
        let ends = steps.iter().skip(1).map(|(from, _)| Some(from - 1)).chain([None]);
        steps.iter().zip(ends).map(move |((from, rgb), to)| {
            let meaning = match to {
                _ if noun == "draw" && *from == 0 => "the last draw".to_owned(),
                Some(to) if to == *from => format!("{from} {noun}{} ago", if *from == 1 { "" } else { "s" }),
                Some(to) => format!("{from} to {to} {noun}s ago"),
                None => format!("{from} or more {noun}s ago"),
            };
            (*rgb, meaning)
        })
    };
    let mut entries: Vec<_> = describe(&DRAWS, "draw").chain(describe(&FRAMES, "frame")).collect();
    entries.push((CLEARED, "a CLEAR".to_owned()));
    entries.push((BROUGHT, "a copy or an upload".to_owned()));
    entries.push((NOTHING, "never written".to_owned()));
    entries
}
