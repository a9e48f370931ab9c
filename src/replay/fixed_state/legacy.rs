//! What Direct3D 9 alone does around the shaders.

use trace_base::named;

use super::resolved::FloatBits;
use crate::command::Comparison;

named! {
    /// How fog grows with the distance.
    FogCurve {
        None = "NONE",
        Exp = "EXP",
        Exp2 = "EXP2",
        Linear = "LINEAR",
    }
}

named! {
    /// How a triangle's colours go from corner to corner.
    Shading {
        Flat = "FLAT",
        Gouraud = "GOURAUD",
    }
}

/// What makes fog.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fog {
    /// Once per pixel, by depth; with none, `vertex` counts, or what a vertex shader gives.
    pub table: FogCurve,
    /// Once per vertex.
    pub vertex: FogCurve,
    /// Whether fog once per vertex goes by the distance from the eye instead of by depth.
    pub is_by_range: bool,
}

/// How points are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PointRules {
    /// Whether texture coordinates go over a point.
    pub are_sprites: bool,
    /// Whether points whose vertex shader does not say how large they are have another size than one pixel.
    pub are_sized: bool,
}

/// What Direct3D 9 does around the shaders beside what every other one does too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LegacyRules {
    /// Which alpha, compared with the reference, lets a pixel through; all does without a test.
    pub alpha_test: Option<Comparison>,
    /// What makes fog, if there is fog.
    pub fog: Option<Fog>,
    /// Whether colours are written to their targets by the curve of sRGB.
    pub writes_srgb: bool,
    /// How colours go from corner to corner.
    pub shading: Shading,
    /// How points are drawn.
    pub points: PointRules,
}

impl LegacyRules {
    /// Those of Direct3D 10 and 11, which has none.
    pub const NONE: Self = Self {
        alpha_test: None,
        fog: None,
        writes_srgb: false,
        shading: Shading::Gouraud,
        points: PointRules { are_sprites: false, are_sized: false },
    };
}

/// The numbers of fog. Those of fog that is off are all 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FogNumbers {
    /// Red, green and blue.
    pub color: [u8; 3],
    /// Where linear fog starts.
    pub start: FloatBits,
    /// Where linear fog hides all.
    pub end: FloatBits,
    /// How dense exponential fog is.
    pub density: FloatBits,
}

/// The numbers of points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PointNumbers {
    /// The size in pixels where no vertex has its own.
    pub size_px: FloatBits,
    /// The smallest size in pixels.
    pub smallest_px: FloatBits,
    /// The largest size in pixels.
    pub largest_px: FloatBits,
}

impl Default for PointNumbers {
    fn default() -> Self {
        Self::ONE_PIXEL
    }
}

impl PointNumbers {
    /// Points of one pixel, which are all that Direct3D 10 and 11 has.
    pub const ONE_PIXEL: Self = {
        let one = FloatBits::new(1.0);
        Self { size_px: one, smallest_px: one, largest_px: one }
    };

    /// The size in pixels where no vertex has its own, within the smallest and largest.
    pub const fn held_size_px(&self) -> f32 {
        self.size_px.get().min(self.largest_px.get()).max(self.smallest_px.get())
    }
}
