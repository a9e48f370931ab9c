//! Pictures at the start of a frame, of what later commands of the frame draw to.
//!
//! A frame that clears its target needs nothing of what was there before, so the slice of the start is another than that of
//! the frame.

use super::pixel_writes::unless_gpu;
use super::submitted_maps::carry_out;
use super::submitted_query::AskedPicture;
use super::{Player, PlayerError, Variant};
use crate::command::{Place, Point, Shown};
use crate::pixels::Picture;
use crate::replay::WatchedSince;

/// A picture as it is when a frame begins.
#[derive(Debug)]
pub enum StartPicture {
    /// It is known.
    Known(Picture),
    /// The frame creates its texture.
    Created,
    /// Something before the frame cannot be drawn.
    Unknown(PlayerError),
}

impl Player {
    /// What the picture asked about at a place holds when the place's frame begins.
    pub fn render_start(&mut self, place: Place, asked: AskedPicture) -> Result<StartPicture, PlayerError> {
        let rendered = match self.is_about_submissions(place, asked)? {
            // Where submissions present, the picture may be theirs.
            false if self.index().first_submission().is_some() => {
                self.render_packets_variant(Place { point: Point::Start, ..place }, &Variant::default()).map(Some)
            }
            false => self.render(Place { point: Point::Start, ..place }).map(Some),
            true => self.render_submitted_start(place, asked),
        };
        Ok(match unless_gpu(rendered)? {
            Ok(Some(picture)) => StartPicture::Known(picture),
            Ok(None) => StartPicture::Created,
            Err(error) => StartPicture::Unknown(error),
        })
    }

    /// The same behind submissions; nothing of a texture that is created later.
    fn render_submitted_start(&mut self, place: Place, asked: AskedPicture) -> Result<Option<Picture>, PlayerError> {
        let rendered = self.query_submitted(place, asked, |player, question| {
            let (plan, shown) = player.plan_all(question, WatchedSince::FrameStart)?;
            // silent: nothing is shown, so it has no start
            let Some(shown) = shown else { return Ok(None) };
            player.run_earlier(&plan, |_, executor, gpu| carry_out(executor, gpu))?;
            let renderer = &mut player.gpu.renderer;
            if !renderer.has_target(&shown.view) {
                return Ok(None);
            }
            renderer.show_target(&shown.view)?;
            Ok(Some(renderer.read_back()?))
        });
        match rendered {
            // A texture of depth has the name that it is asked for by.
            Err(PlayerError::NotOfColor { .. }) if matches!(self.shown(), Shown::Target(_)) => {
                match self.render(Place { point: Point::Start, ..place }) {
                    Err(PlayerError::NoTarget { .. }) => Ok(None),
                    rendered => rendered.map(Some),
                }
            }
            rendered => rendered,
        }
    }
}
