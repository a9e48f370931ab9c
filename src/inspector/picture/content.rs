//! Content of the picture panel: colours, or depth with its stencil.

use std::sync::Arc;

use crate::pixels::{DepthMap, Picture, Size, Surface};

/// A picture or texture to be looked at. Its clones are one.
#[derive(Clone)]
pub(in crate::inspector) enum Content {
    /// A frame's picture, or one that is made of it.
    Picture(Arc<Picture>),
    /// Part of a texture.
    Texture(Arc<Surface>),
}

/// Content by its kind of values.
#[derive(Clone, Copy)]
pub(in crate::inspector) enum View<'a> {
    Color(&'a Picture),
    Depth(&'a DepthMap),
}

impl PartialEq for Content {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Picture(own), Self::Picture(other)) => Arc::ptr_eq(own, other),
            (Self::Texture(own), Self::Texture(other)) => Arc::ptr_eq(own, other),
            _ => false,
        }
    }
}

impl Content {
    /// Its values.
    pub(crate) fn view(&self) -> View<'_> {
        match self {
            Self::Picture(picture) => View::Color(picture),
            Self::Texture(surface) => match &**surface {
                Surface::Color(picture) => View::Color(picture),
                Surface::Depth(map) => View::Depth(map),
            },
        }
    }

    /// Width and height.
    pub(crate) fn size(&self) -> Size {
        match self.view() {
            View::Color(picture) => picture.size(),
            View::Depth(map) => map.size(),
        }
    }

    /// The values of a pixel as it is stored: bytes and fractions of a colour, the number and the bits of a depth. Less of
    /// it where there is little space.
    pub(crate) fn pixel_text(&self, [x, y]: [u32; 2], is_short: bool) -> Option<String> {
        match self.view() {
            View::Color(picture) => {
                let [r, g, b, a] = picture.pixel(x, y)?;
                let hex = format!("{x},{y}  #{r:02x}{g:02x}{b:02x}{a:02x}");
                if is_short {
                    return Some(hex);
                }
                let [red, green, blue, alpha] = [r, g, b, a].map(|value| f32::from(value) / 255.0);
                Some(format!("{hex}  {r} {g} {b} {a}  {red:.3} {green:.3} {blue:.3} {alpha:.3}"))
            }
            View::Depth(map) => {
                let Size { width_px, height_px } = map.size();
                let at = (x < width_px && y < height_px).then(|| (y as usize) * (width_px as usize) + x as usize)?;
                let depth = map.depth().get(at)?;
                let stencil = map.stencil().and_then(|stencil| stencil.get(at));
                let stencil = stencil.map_or_else(String::new, |stencil| format!("  stencil {stencil}"));
                let bits = if is_short { String::new() } else { format!(" ({:#010x})", depth.to_bits()) };
                Some(format!("{x},{y}  depth {depth}{bits}{stencil}"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: Size = Size { width_px: 2, height_px: 1 };

    #[test]
    fn a_pixel_tells_what_is_stored() {
        let picture = Picture::new(SIZE, vec![0, 51, 255, 128, 1, 2, 3, 4]).unwrap();
        let color = Content::Picture(Arc::new(picture));
        let told = color.pixel_text([0, 0], false).unwrap();
        assert_eq!(told, "0,0  #0033ff80  0 51 255 128  0.000 0.200 1.000 0.502");
        assert_eq!(color.pixel_text([1, 0], true).unwrap(), "1,0  #01020304");
        assert_eq!(color.pixel_text([2, 0], true), None);
        let map = DepthMap::new(SIZE, vec![0.25, f32::NAN], Some(vec![7, 9])).unwrap();
        let depth = Content::Texture(Arc::new(Surface::Depth(map)));
        assert_eq!(depth.pixel_text([0, 0], false).unwrap(), "0,0  depth 0.25 (0x3e800000)  stencil 7");
        assert_eq!(depth.pixel_text([1, 0], true).unwrap(), "1,0  depth NaN  stencil 9");
        assert_eq!(depth.pixel_text([0, 1], true), None);
    }

    #[test]
    fn clones_are_one_and_equal_pixels_are_not() {
        let picture = || Content::Picture(Arc::new(Picture::new(SIZE, vec![0; 8]).unwrap()));
        let one = picture();
        assert!(one == one.clone());
        assert!(one != picture());
    }
}
