//! A frame draw by draw: the picture after each, and what it changed.

use crate::analysis::{DrawRecord, list_draws};
use crate::command::{Place, Shown};
use crate::format::aerogpu::FrameIndex;
use crate::pixels::{Difference, Picture, PictureError, Size, compare};
use crate::player::{AskedPicture, Player, PlayerError, StartPicture};
use crate::replay::DrawnTo;

/// The picture after a draw.
#[derive(Clone, Debug)]
pub struct Shot {
    /// The draw.
    pub draw: DrawRecord,
    /// Picture that it draws to, after it.
    pub picture: Picture,
    /// Change of that since the last draw to it; by its first draw, since the frame's start.
    pub change: Change,
}

/// Change from one draw to the next of the same target.
#[derive(Clone, Debug)]
pub enum Change {
    /// It is the first draw to its target: this differs from what the target holds when the frame begins.
    SinceStart(Box<Difference>),
    /// It is the first draw, to a target that the frame creates.
    OfCreated,
    /// It is the first draw to its target, and what that holds when the frame begins cannot be drawn.
    StartUnknown {
        /// Why.
        error: String,
    },
    /// The picture before it that could be compared has another size.
    OtherTarget,
    /// This differs from the last draw to its target.
    SinceDraw {
        /// That draw.
        draw: u32,
        /// Whether draws to other targets stand between.
        is_interrupted: bool,
        /// The difference.
        difference: Box<Difference>,
    },
}

impl Change {
    /// The draw that it is a change since.
    pub fn since(&self) -> Option<u32> {
        match self {
            Self::SinceDraw { draw, .. } => Some(*draw),
            Self::SinceStart(_) | Self::OfCreated | Self::StartUnknown { .. } | Self::OtherTarget => None,
        }
    }
}

/// Targets whose last pictures are kept.
const KEPT_TARGETS: usize = 8;

/// The last draw to a target, and its picture.
struct LastShot {
    target: Option<DrawnTo>,
    draw: u32,
    picture: Picture,
}

/// Plays `frame` draw by draw; each shot goes to `each`. Returns their number. A frame that may not be drawn as a whole is
/// refused before its first draw. Where the player shows a texture, draws before there is one have no shot.
pub fn film<E: From<PlayerError>>(
    player: &mut Player,
    frame: FrameIndex,
    mut each: impl FnMut(&Shot) -> Result<(), E>,
) -> Result<usize, E> {
    player.check_vertices(frame)?;
    let draws = list_draws(player, frame)?;
    let is_of_target = matches!(player.shown(), Shown::Target(_));
    let (mut count, mut missing) = (0, None);
    // Those drawn to last come last.
    let mut lasts: Vec<LastShot> = Vec::new();
    for draw in draws {
        let picture = match player.render(Place::at_draw(frame, draw.draw)) {
            Err(error @ PlayerError::NoTarget { .. }) => {
                missing = Some(error);
                continue;
            }
            rendered => rendered?,
        };
        count += 1;
        let target = draw.first_target().copied().filter(|_| !is_of_target);
        let before = lasts.last().map(|last| last.draw);
        let own = lasts.iter().position(|last| last.target == target).map(|own| lasts.remove(own));
        let change = match own {
            None => change_since_start(player, &draw, &picture)?,
            // A handle may be given to another texture in the middle of a frame.
            Some(last) => match compare(&last.picture, &picture).map(Box::new) {
                Err(_) => Change::OtherTarget,
                Ok(difference) => {
                    Change::SinceDraw { draw: last.draw, is_interrupted: before != Some(last.draw), difference }
                }
            },
        };
        let shot = Shot { draw, picture, change };
        each(&shot)?;
        lasts.push(LastShot { target, draw: shot.draw.draw, picture: shot.picture });
        if lasts.len() > KEPT_TARGETS {
            lasts.remove(0);
        }
    }
    if let Some(error) = missing.filter(|_| count == 0) {
        return Err(error.into());
    }
    Ok(count)
}

/// Change by the first draw to a target and the frame's commands before it.
fn change_since_start(player: &mut Player, draw: &DrawRecord, picture: &Picture) -> Result<Change, PlayerError> {
    let place = Place::at_draw(draw.at.frame, draw.draw);
    let asked = match player.shown() {
        Shown::Target(_) => AskedPicture::Shown,
        Shown::Screen { .. } => AskedPicture::OfDraw(draw.draw),
    };
    Ok(match player.render_start(place, asked)? {
        StartPicture::Created => Change::OfCreated,
        StartPicture::Unknown(error) => Change::StartUnknown { error: error.to_string() },
        StartPicture::Known(start) => match compare(&start, picture) {
            Ok(difference) => Change::SinceStart(Box::new(difference)),
            Err(_) => Change::OtherTarget,
        },
    })
}

/// Pictures side by side, in rows of about as many as there are rows. Each has a place of the size of the largest, at its top
/// left; what is left over is transparent.
pub fn film_strip(pictures: &[Picture]) -> Result<Picture, PictureError> {
    let longest = |side: fn(Size) -> u32| pictures.iter().map(|picture| side(picture.size())).max().unwrap_or(0);
    let (width_px, height_px) = (longest(|size| size.width_px), longest(|size| size.height_px));
    let columns = (1..=pictures.len()).find(|columns| columns * columns >= pictures.len()).unwrap_or(1);
    let rows = pictures.len().div_ceil(columns);
    let size = Size { width_px: width_px * columns as u32, height_px: height_px * rows as u32 };
    let place_bytes = width_px as usize * 4;
    let mut rgba = Vec::with_capacity(size.rgba_bytes() as usize);
    for row in pictures.chunks(columns) {
        for y in 0..height_px {
            for column in 0..columns {
                // silent: what the last row, or a smaller picture, leaves over is transparent
                let line = row.get(column).and_then(|picture| line_of(picture, y)).unwrap_or_default();
                rgba.extend_from_slice(line);
                rgba.resize(rgba.len() + place_bytes - line.len(), 0);
            }
        }
    }
    Picture::new(size, rgba)
}

/// The bytes of a row of a picture, if it has the row.
fn line_of(picture: &Picture, y: u32) -> Option<&[u8]> {
    let row_bytes = picture.size().width_px as usize * 4;
    picture.rgba().chunks_exact(row_bytes.max(1)).nth(y as usize)
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

    #[test]
    fn each_picture_has_room_for_the_largest() {
        let picture = |shade: u8, width_px, height_px| {
            let size = Size { width_px, height_px };
            Picture::new(size, vec![shade; size.rgba_bytes() as usize]).unwrap()
        };
        let strip = film_strip(&[picture(1, 1, 2), picture(2, 3, 1)]).unwrap();
        assert_eq!(strip.size(), Size { width_px: 6, height_px: 2 });
        let shades = |y| (0..6).map(|x| strip.pixel(x, y).unwrap()[0]).collect::<Vec<_>>();
        assert_eq!([shades(0), shades(1)], [[1, 0, 0, 2, 2, 2], [1, 0, 0, 0, 0, 0]]);
    }
}
