//! From the target's bytes to what the screen gets.

use egui::{Color32, ColorImage, TextureHandle, TextureOptions, Ui};

use crate::pixels::Picture;

/// Side of a square of the checkerboard behind what is transparent, in pixels of the picture.
const CHECKER_PX: usize = 8;
const CHECKER: [u8; 2] = [102, 153];

/// Which channels are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::inspector) struct Channels {
    pub red: bool,
    pub green: bool,
    pub blue: bool,
}

impl Default for Channels {
    fn default() -> Self {
        Self { red: true, green: true, blue: true }
    }
}

/// What becomes of alpha.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::inspector) enum AlphaView {
    /// Colours as they are, as if everything were opaque: what the PNG's colour channels hold. A picture that is transparent
    /// black all over, as one is that nobody has written, is over a checkerboard all the same.
    #[default]
    Ignored,
    /// Over a checkerboard.
    Checkerboard,
    /// Alpha alone, as grey.
    Alone,
}

/// A texture of the screen with a picture. Of a picture larger than textures of the screen may be it has every second
/// pixel, or every third …
pub(in crate::inspector) fn to_texture(
    ui: &Ui,
    name: &str,
    picture: &Picture,
    channels: Channels,
    alpha: AlphaView,
) -> TextureHandle {
    let largest = ui.input(|input| input.max_texture_side).max(1);
    let image = thinned(to_image(picture, channels, alpha), largest);
    ui.ctx().load_texture(name, image, TextureOptions::NEAREST)
}

/// So many of an image's pixels that no side is longer than `largest`.
fn thinned(image: ColorImage, largest: usize) -> ColorImage {
    let [width, height] = image.size;
    let step = width.max(height).div_ceil(largest).max(1);
    if step == 1 {
        return image;
    }
    let rows = image.pixels.chunks(width.max(1)).step_by(step);
    let pixels = rows.flat_map(|row| row.iter().step_by(step)).copied().collect();
    ColorImage::new([width.div_ceil(step), height.div_ceil(step)], pixels)
}

/// The bytes for the screen. One channel alone is shown as grey.
fn to_image(picture: &Picture, channels: Channels, alpha: AlphaView) -> ColorImage {
    let size = picture.size();
    let width = size.width_px as usize;
    let shown = [channels.red, channels.green, channels.blue];
    let single = match shown {
        [true, false, false] => Some(0),
        [false, true, false] => Some(1),
        [false, false, true] => Some(2),
        _ => None,
    };
    // What nobody has written is transparent black all over, and not to be taken for black.
    let is_unwritten = picture.rgba().iter().all(|byte| *byte == 0);
    let alpha = if is_unwritten && alpha == AlphaView::Ignored { AlphaView::Checkerboard } else { alpha };
    let pixel = |(index, rgba): (usize, &[u8; 4])| {
        let [red, green, blue, opacity] = *rgba;
        if alpha == AlphaView::Alone {
            return Color32::from_gray(opacity);
        }
        let mut color = match single {
            Some(channel) => [rgba.get(channel).copied().unwrap_or(0); 3],
            None => [red, green, blue],
        };
        if single.is_none() {
            for (value, is_shown) in color.iter_mut().zip(shown) {
                *value *= u8::from(is_shown);
            }
        }
        if alpha == AlphaView::Checkerboard {
            let is_light = (index % width / CHECKER_PX + index / width / CHECKER_PX) % 2 == 1;
            let behind = if is_light { CHECKER[1] } else { CHECKER[0] };
            color = color.map(|value| over(value, behind, opacity));
        }
        Color32::from_rgb(color[0], color[1], color[2])
    };
    let pixels = picture.rgba().as_chunks::<4>().0.iter().enumerate().map(pixel).collect();
    ColorImage::new([width, size.height_px as usize], pixels)
}

/// Straight alpha over an opaque grey, rounded to nearest.
fn over(value: u8, behind: u8, opacity: u8) -> u8 {
    let opacity = u32::from(opacity);
    ((u32::from(value) * opacity + u32::from(behind) * (255 - opacity) + 127) / 255) as u8
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pixels::Size;

    fn one(rgba: [u8; 4], channels: Channels, alpha: AlphaView) -> [u8; 3] {
        let picture = Picture::new(Size { width_px: 1, height_px: 1 }, rgba.to_vec()).unwrap();
        let color = to_image(&picture, channels, alpha).pixels[0];
        assert_eq!(color.a(), 255);
        [color.r(), color.g(), color.b()]
    }

    #[test]
    fn pictures_too_large_for_the_screen_are_thinned() {
        let image = || ColorImage::new([5, 3], (0..15).map(Color32::from_gray).collect());
        assert_eq!(thinned(image(), 5).pixels, image().pixels);
        for (largest, size, expected) in [(4, [3, 2], vec![0, 2, 4, 10, 12, 14]), (1, [1, 1], vec![0])] {
            let found = thinned(image(), largest);
            assert_eq!((found.size, found.pixels), (size, expected.into_iter().map(Color32::from_gray).collect()));
        }
        assert_eq!(thinned(ColorImage::new([0, 0], Vec::new()), 4).size, [0, 0]);
    }

    #[test]
    fn every_way_to_look_at_a_pixel() {
        let all = Channels::default();
        let only_green = Channels { red: false, green: true, blue: false };
        let no_red = Channels { red: false, ..all };
        let pixel = [10, 200, 30, 128];
        assert_eq!(one(pixel, all, AlphaView::Ignored), [10, 200, 30]);
        assert_eq!(one(pixel, only_green, AlphaView::Ignored), [200, 200, 200]);
        assert_eq!(one(pixel, no_red, AlphaView::Ignored), [0, 200, 30]);
        assert_eq!(one(pixel, all, AlphaView::Alone), [128, 128, 128]);
        assert_eq!(one([10, 200, 30, 0], all, AlphaView::Checkerboard), [102, 102, 102]);
        assert_eq!(one([10, 200, 30, 255], all, AlphaView::Checkerboard), [10, 200, 30]);
        // Nothing at all is no black; black is.
        assert_eq!(one([0, 0, 0, 0], all, AlphaView::Ignored), [102, 102, 102]);
        assert_eq!(one([0, 0, 0, 255], all, AlphaView::Ignored), [0, 0, 0]);
        assert_eq!(one([0, 0, 0, 0], all, AlphaView::Alone), [0, 0, 0]);
    }
}
