//! Side of one draw's triangles that is seen.

use super::{Overlay, Painter, picture_under};
use crate::command::Place;
use crate::gpu::TriangleSide;
use crate::player::{AskedPicture, Player, PlayerError};

const FRONT: [u8; 3] = [70, 200, 120];
const BACK: [u8; 3] = [230, 70, 90];

pub(super) fn overlay(player: &mut Player, place: Place, draw: u32) -> Result<Overlay, PlayerError> {
    let asked = AskedPicture::OfDraw(draw);
    let under = picture_under(player, place, asked)?;
    let sides = player.map_sides_of(place, asked, draw)?;
    let entries = [(FRONT, format!("draw {draw} shows its front")), (BACK, format!("draw {draw} shows its back"))];
    let overlay = Painter::new(entries).paint(&sides, &under, |side| {
        Some(match side? {
            TriangleSide::Front => 0,
            TriangleSide::Back => 1,
        })
    });
    Ok(overlay.without_empty())
}
