//! The edges of triangles.

use super::{Overlay, Painter, draws_until, picture_under};
use crate::command::Place;
use crate::player::{AskedPicture, DrawSelection, Player, PlayerError};

const EDGE: [u8; 3] = [120, 255, 140];

pub(super) fn overlay(player: &mut Player, place: Place, draw: Option<u32>) -> Result<Overlay, PlayerError> {
    let asked = draw.map_or(AskedPicture::Shown, AskedPicture::OfDraw);
    let under = picture_under(player, place, asked)?;
    let (draws, meaning) = match draw {
        Some(draw) => (DrawSelection::one(draw), format!("edges of draw {draw}")),
        None => (draws_until(&player.index(), player.place_of_shown(place)?), "edges of all draws".to_owned()),
    };
    let edges = player.mask_edges_of(place, asked, &draws)?;
    Ok(Painter::new([(EDGE, meaning)]).paint(&edges, &under, |is_edge| is_edge.then_some(0)))
}
