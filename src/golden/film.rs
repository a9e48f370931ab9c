//! A frame draw by draw: the picture after each, and what it changed.

use std::sync::Arc;

use crate::analysis::{DrawRecord, list_draws};
use crate::command::Place;
use crate::error::Internal;
use crate::format::aerogpu::{FrameIndex, Trace};
use crate::pixels::{Difference, Picture, PictureError, Size, compare};
use crate::player::{Player, PlayerError};

/// The picture after a draw.
#[derive(Clone, Debug)]
pub struct Shot {
    /// The draw.
    pub draw: DrawRecord,
    /// The target after it.
    pub picture: Picture,
    /// What changed since the draw before; `None` for the first, which has none before it.
    pub change: Option<Difference>,
}

/// Plays `frame` draw by draw; each shot goes to `each`. Returns their number. A frame that may not be drawn as a whole is
/// refused before its first draw.
pub fn film<E: From<PlayerError>>(
    player: &mut Player,
    trace: &Arc<Trace>,
    frame: FrameIndex,
    mut each: impl FnMut(&Shot) -> Result<(), E>,
) -> Result<usize, E> {
    player.check_vertices(frame)?;
    let draws = list_draws(player, trace, frame)?;
    let count = draws.len();
    let mut before: Option<Picture> = None;
    for draw in draws {
        let picture = player.render(Place::at_draw(frame, draw.draw))?;
        let change = before.as_ref().map(|before| compare(before, &picture)).transpose();
        let other_size = Internal::new("two pictures of one player are not of one size");
        let change = change.map_err(|_| PlayerError::from(other_size))?;
        let shot = Shot { draw, picture, change };
        each(&shot)?;
        before = Some(shot.picture);
    }
    Ok(count)
}

/// Pictures of one size side by side, in rows of about as many as there are rows; what is left of the last row is
/// transparent.
pub fn film_strip(pictures: &[Picture]) -> Result<Picture, PictureError> {
    let one = pictures.first().map_or(Size { width_px: 0, height_px: 0 }, Picture::size);
    let columns = (1..=pictures.len()).find(|columns| columns * columns >= pictures.len()).unwrap_or(1);
    let rows = pictures.len().div_ceil(columns);
    let size = Size { width_px: one.width_px * columns as u32, height_px: one.height_px * rows as u32 };
    let row_bytes = one.width_px as usize * 4;
    let mut rgba = Vec::with_capacity(size.rgba_bytes() as usize);
    for row in pictures.chunks(columns) {
        for y in 0..one.height_px as usize {
            for column in 0..columns {
                let line = row.get(column).and_then(|picture| picture.rgba().get(y * row_bytes..(y + 1) * row_bytes));
                match line {
                    Some(line) => rgba.extend_from_slice(line),
                    None => rgba.resize(rgba.len() + row_bytes, 0),
                }
            }
        }
    }
    Picture::new(size, rgba)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_strip_holds_every_picture() {
        let size = Size { width_px: 2, height_px: 1 };
        let picture = |shade: u8| Picture::new(size, vec![shade; 8]).unwrap();
        let strip = film_strip(&[picture(1), picture(2), picture(3)]).unwrap();
        assert_eq!(strip.size(), Size { width_px: 4, height_px: 2 });
        assert_eq!([(0, 0), (2, 0), (1, 1), (3, 1)].map(|(x, y)| strip.pixel(x, y).unwrap()[0]), [1, 2, 3, 0]);
    }
}
