//! One draw's pixels.

use super::{Overlay, Painter, picture_under};
use crate::command::Place;
use crate::player::{AskedPicture, DrawSelection, PixelMap, Player, PlayerError, Writer};

const SEEN: [u8; 3] = [255, 64, 200];
const OVERWRITTEN: [u8; 3] = [60, 120, 255];

#[derive(Clone, Copy)]
enum Fact {
    Untouched,
    Seen,
    Overwritten,
}

pub(super) fn overlay(player: &mut Player, place: Place, draw: u32) -> Result<Overlay, PlayerError> {
    let asked = AskedPicture::OfDraw(draw);
    let under = picture_under(player, place, asked)?;
    let mask = player.mask_draws_of(place, asked, &DrawSelection::one(draw))?;
    let writers = player.map_writers_of(place, asked)?;
    let number = player.index().draws_of(place.frame).nth(draw as usize);
    let fact = |is_touched: bool, writer: Writer| match (is_touched, number) {
        (false, _) => Fact::Untouched,
        (true, Some(number)) if writer == Writer::Command(number) => Fact::Seen,
        (true, _) => Fact::Overwritten,
    };
    let facts: PixelMap<Fact> = mask.zip(&writers, fact);
    let entries = [
        (SEEN, format!("written by draw {draw}, visible")),
        (OVERWRITTEN, format!("written by draw {draw}, then overwritten")),
    ];
    Ok(Painter::new(entries).paint(&facts, &under, |fact| match fact {
        Fact::Untouched => None,
        Fact::Seen => Some(0),
        Fact::Overwritten => Some(1),
    }))
}
