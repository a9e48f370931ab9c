//! From the target's values to what the screen gets.

use egui::{Color32, ColorImage, TextureHandle, TextureOptions, Ui};

use super::content::View;
use super::range::{INFINITE, NEGATIVE, NOT_A_NUMBER, ValueRange};
use crate::pixels::{DepthMap, Picture, Size};

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

impl Channels {
    /// Whether red, green and blue are shown.
    pub(super) fn shown(self) -> [bool; 3] {
        [self.red, self.green, self.blue]
    }
}

/// Kind of the values that are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Plane {
    /// Colours, or depth.
    Whole,
    Alpha,
    Stencil,
}

/// Curve by which values become light.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Curve {
    /// As they are stored: a screen takes them by the curve of sRGB.
    #[default]
    Stored,
    /// As linear light, which the curve of sRGB is applied to first.
    Linear,
}

/// The way from values to the screen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::inspector) struct Look {
    pub channels: Channels,
    pub alpha: AlphaView,
    /// Of a texture with both, whether stencil is shown instead of depth.
    pub(super) is_stencil: bool,
    pub(super) range: ValueRange,
    pub(super) curve: Curve,
}

impl Default for Look {
    fn default() -> Self {
        Self {
            channels: Channels::default(),
            alpha: AlphaView::default(),
            is_stencil: false,
            range: ValueRange::WHOLE,
            curve: Curve::default(),
        }
    }
}

impl Look {
    /// The values that are looked at.
    pub(super) fn plane(&self, view: View<'_>) -> Plane {
        match view {
            View::Color(_) if self.alpha == AlphaView::Alone => Plane::Alpha,
            View::Depth(map) if self.is_stencil && map.stencil().is_some() => Plane::Stencil,
            _ => Plane::Whole,
        }
    }

    /// The shade of a value.
    fn shade(&self, value: f32) -> u8 {
        let shade = self.range.shade(value);
        let shade = match self.curve {
            Curve::Stored => shade,
            Curve::Linear if shade <= 0.003_130_8 => shade * 12.92,
            Curve::Linear => 1.055 * shade.powf(1.0 / 2.4) - 0.055,
        };
        (shade * 255.0).round() as u8
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
pub(in crate::inspector) fn to_texture(ui: &Ui, name: &str, view: View<'_>, look: &Look) -> TextureHandle {
    let largest = ui.input(|input| input.max_texture_side).max(1);
    let image = match view {
        View::Color(picture) => color_image(picture, look),
        View::Depth(map) => depth_image(map, look),
    };
    let image = thinned(image, largest);
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

/// Depth as grey, and in colours of their own the values that are no depth; or stencil as grey.
fn depth_image(map: &DepthMap, look: &Look) -> ColorImage {
    let Size { width_px, height_px } = map.size();
    let grey = |value| Color32::from_gray(look.shade(value));
    let pixels = match map.stencil().filter(|_| look.is_stencil) {
        Some(stencil) => stencil.iter().map(|value| grey(f32::from(*value) / 255.0)).collect(),
        None => {
            let color = |value: &f32| match *value {
                value if value.is_nan() => NOT_A_NUMBER,
                value if value.is_infinite() => INFINITE,
                value if value < 0.0 => NEGATIVE,
                value => grey(value),
            };
            map.depth().iter().map(color).collect()
        }
    };
    ColorImage::new([width_px as usize, height_px as usize], pixels)
}

/// The bytes for the screen. One channel alone is shown as grey.
fn color_image(picture: &Picture, look: &Look) -> ColorImage {
    let size = picture.size();
    let width = size.width_px as usize;
    let alpha = look.alpha;
    let shades: [u8; 256] = std::array::from_fn(|step| look.shade(step as f32 / 255.0));
    // Most pictures are shown as they are, and a large one has millions of values to look up.
    let is_plain = shades.iter().zip(0..=u8::MAX).all(|(shade, value)| *shade == value);
    let shade = |value: u8| if is_plain { value } else { shades.get(usize::from(value)).copied().unwrap_or(value) };
    let shown = look.channels.shown();
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
            return Color32::from_gray(shade(opacity));
        }
        let mut color = match single {
            Some(channel) => [shade(rgba.get(channel).copied().unwrap_or(0)); 3],
            None => [red, green, blue].map(shade),
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

    const ONE: Size = Size { width_px: 1, height_px: 1 };

    fn one(rgba: [u8; 4], channels: Channels, alpha: AlphaView) -> [u8; 3] {
        by(rgba, &Look { channels, alpha, ..Look::default() })
    }

    fn by(rgba: [u8; 4], look: &Look) -> [u8; 3] {
        let picture = Picture::new(ONE, rgba.to_vec()).unwrap();
        let color = color_image(&picture, look).pixels[0];
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

    #[test]
    fn values_are_shown_by_their_range_and_curve() {
        let narrow = Look { range: ValueRange { black: 0.2, white: 0.4 }, ..Look::default() };
        assert_eq!(by([51, 102, 255, 255], &narrow), [0, 255, 255]);
        let linear = Look { curve: Curve::Linear, ..Look::default() };
        // Of the curve's straight part, of its other part, and its ends.
        assert_eq!(by([0, 55, 255, 255], &linear), [0, 128, 255]);
        assert_eq!(linear.shade(0.001), 3);
        let shaded: Vec<u8> = (0..=255).map(|step| Look::default().shade(step as f32 / 255.0)).collect();
        assert_eq!(shaded, (0..=255).collect::<Vec<u8>>(), "without a range bytes stay as they are");
    }

    #[test]
    fn depth_is_grey_and_what_is_no_depth_is_not() {
        let size = Size { width_px: 3, height_px: 2 };
        let depth = vec![0.5, 0.75, 2.0, f32::NAN, f32::INFINITY, -1.0];
        let map = DepthMap::new(size, depth, Some(vec![0, 1, 2, 255, 0, 0])).unwrap();
        let look = Look { range: ValueRange { black: 0.5, white: 1.0 }, ..Look::default() };
        let grey = Color32::from_gray;
        let expected = vec![grey(0), grey(128), grey(255), NOT_A_NUMBER, INFINITE, NEGATIVE];
        assert_eq!(depth_image(&map, &look).pixels, expected);
        let stencil = Look { is_stencil: true, range: ValueRange { black: 0.0, white: 2.0 / 255.0 }, ..look };
        assert_eq!(depth_image(&map, &stencil).pixels, [0, 128, 255, 255, 0, 0].map(grey));
        let without = DepthMap::new(ONE, vec![1.0], None).unwrap();
        assert_eq!(depth_image(&without, &stencil).pixels, [grey(255)], "a format without stencil");
    }
}
