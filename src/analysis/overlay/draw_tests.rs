//! Tests that the pixels of one draw pass, and the one that stops them.

use super::{Overlay, Painter, picture_under};
use crate::command::Place;
use crate::gpu::DrawTest;
use crate::player::{AskedPicture, Player, PlayerError};

const WRITTEN: [u8; 3] = [70, 220, 110];
const DEPTH_FAILS: [u8; 3] = [235, 60, 60];
const STENCIL_FAILS: [u8; 3] = [250, 150, 40];
const DISCARDED: [u8; 3] = [240, 220, 70];
const CULLED: [u8; 3] = [80, 120, 255];

pub(super) fn overlay(player: &mut Player, place: Place, draw: u32) -> Result<Overlay, PlayerError> {
    let asked = AskedPicture::OfDraw(draw);
    let under = picture_under(player, place, asked)?;
    let tests = player.map_tests_of(place, asked, draw)?;
    let entries = [
        (WRITTEN, format!("written by draw {draw}")),
        (DEPTH_FAILS, "behind what is there: the depth test fails".to_owned()),
        (STENCIL_FAILS, "the stencil test fails".to_owned()),
        (DISCARDED, "discarded by the shader or the alpha test".to_owned()),
        (CULLED, "culled".to_owned()),
    ];
    let overlay = Painter::new(entries).paint(&tests, &under, |last| {
        Some(match last? {
            DrawTest::Depth => 0,
            DrawTest::Stencil => 1,
            DrawTest::Discard => 2,
            DrawTest::Culling | DrawTest::ShaderDiscard => 3,
            DrawTest::Coverage => 4,
        })
    });
    Ok(overlay.without_empty())
}
