//! The protocol's enumerations: which numbers exist, what they stand for, and what they are called.

use crate::command::{
    AddressMode, BlendFactor, BlendOp, Comparison, CullMode, FillMode, Filter, IndexFormat, TextureFormat, Topology,
};

/// The values that a field may have.
#[derive(Debug, PartialEq, Eq)]
pub struct Enumeration {
    /// What it enumerates, in words.
    pub what: &'static str,
    /// Each value with its name, in the order of the values.
    pub values: &'static [(u32, &'static str)],
    /// Further values that are named by their distance from the first, if there are any.
    pub run: Option<Run>,
}

/// Values in a row that mean a number.
#[derive(Debug, PartialEq, Eq)]
pub struct Run {
    /// The first value.
    pub first: u32,
    /// The last value.
    pub last: u32,
    /// The number that the first value means.
    pub meaning: u32,
    /// What is counted.
    pub name: &'static str,
}

impl Enumeration {
    const fn new(what: &'static str, values: &'static [(u32, &'static str)]) -> Self {
        Self { what, values, run: None }
    }

    /// The value's name, if it is one of the enumeration.
    pub fn name(&self, value: u32) -> Option<String> {
        let named = self.values.iter().find(|(known, _)| *known == value).map(|(_, name)| (*name).to_owned());
        named.or_else(|| {
            let run = self.run.as_ref().filter(|run| (run.first..=run.last).contains(&value))?;
            Some(format!("{} of {}", run.name, value - run.first + run.meaning))
        })
    }

    /// Whether the value is one of the enumeration.
    pub fn contains(&self, value: u32) -> bool {
        self.values.iter().any(|(known, _)| *known == value)
            || self.run.as_ref().is_some_and(|run| (run.first..=run.last).contains(&value))
    }
}

/// A value that the protocol has a number for.
pub(super) trait Coded: Sized {
    /// The numbers that there are.
    const CODES: &'static Enumeration;

    /// What a number stands for, if it is one of the enumeration.
    fn from_code(code: u32) -> Option<Self>;
}

/// Makes an enumeration and what its numbers stand for from one table.
macro_rules! codes {
    ($($(#[$doc:meta])* $table:ident = $what:literal, $type:ident { $($code:literal $value:ident),* $(,)? })*) => {$(
        $(#[$doc])*
        pub static $table: Enumeration = Enumeration::new($what, &[$(($code, $type::$value.name())),*]);

        impl Coded for $type {
            const CODES: &'static Enumeration = &$table;

            #[inline]
            fn from_code(code: u32) -> Option<Self> {
                match code {
                    $($code => Some(Self::$value),)*
                    _ => None,
                }
            }
        }
    )*};
}

codes! {
    /// Texture formats.
    FORMAT = "a texture format", TextureFormat {
        1 B8g8r8a8Unorm, 2 B8g8r8x8Unorm, 3 R8g8b8a8Unorm, 4 R8g8b8x8Unorm, 5 B5g6r5Unorm, 6 B5g5r5a1Unorm,
        7 B8g8r8a8UnormSrgb, 8 B8g8r8x8UnormSrgb, 9 R8g8b8a8UnormSrgb, 10 R8g8b8x8UnormSrgb, 32 D24UnormS8Uint,
        33 D32Float, 64 Bc1Unorm, 65 Bc1UnormSrgb, 66 Bc2Unorm, 67 Bc2UnormSrgb, 68 Bc3Unorm, 69 Bc3UnormSrgb,
        70 Bc7Unorm, 71 Bc7UnormSrgb,
    }
    /// Sizes of indices.
    INDEX_FORMAT = "an index format", IndexFormat { 0 Uint16, 1 Uint32 }
    /// Filters of samplers, for magnification, minification and mips alike.
    FILTER = "a filter", Filter { 0 Nearest, 1 Linear }
    /// What a sampler reads outside of a texture.
    ADDRESS = "an address mode", AddressMode { 0 ClampToEdge, 1 Repeat, 2 MirrorRepeat }
    /// What is drawn of a triangle.
    FILL = "a fill mode", FillMode { 0 Solid, 1 Wireframe }
    /// Which triangles are not drawn.
    CULL = "a cull mode", CullMode { 0 None, 1 Front, 2 Back }
    /// Comparisons of depth.
    COMPARE = "a comparison", Comparison { 0 Never, 1 Less, 2 Equal, 3 LessEqual, 4 Greater, 5 NotEqual, 6 GreaterEqual, 7 Always }
    /// Factors of blending.
    BLEND_FACTOR = "a blend factor", BlendFactor {
        0 Zero, 1 One, 2 SrcAlpha, 3 InvSrcAlpha, 4 DestAlpha, 5 InvDestAlpha, 6 Constant, 7 InvConstant,
    }
    /// Operations of blending.
    BLEND_OP = "a blend operation", BlendOp { 0 Add, 1 Subtract, 2 RevSubtract, 3 Min, 4 Max }
}

/// How many bytes a row of `width_px` texels takes when nothing lies between the rows: of texels, or of blocks of 4×4.
/// Nothing if the format is none that exists.
pub fn tight_row_bytes(format: u32, width_px: u32) -> Option<u64> {
    TextureFormat::from_code(format).map(|format| format.tight_row_bytes(width_px))
}

/// What vertices form.
pub static TOPOLOGY: Enumeration = Enumeration {
    what: "a primitive topology",
    values: &[
        (1, "POINTLIST"),
        (2, "LINELIST"),
        (3, "LINESTRIP"),
        (4, "TRIANGLELIST"),
        (5, "TRIANGLESTRIP"),
        (6, "TRIANGLEFAN"),
        (10, "LINELIST_ADJ"),
        (11, "LINESTRIP_ADJ"),
        (12, "TRIANGLELIST_ADJ"),
        (13, "TRIANGLESTRIP_ADJ"),
    ],
    run: Some(Run { first: 33, last: 64, meaning: 1, name: "PATCHLIST" }),
};

impl Coded for Topology {
    const CODES: &'static Enumeration = &TOPOLOGY;

    fn from_code(code: u32) -> Option<Self> {
        Some(match code {
            1 => Self::PointList,
            2 => Self::LineList,
            3 => Self::LineStrip,
            4 => Self::TriangleList,
            5 => Self::TriangleStrip,
            6 => Self::TriangleFan,
            10 => Self::LineListAdjacency,
            11 => Self::LineStripAdjacency,
            12 => Self::TriangleListAdjacency,
            13 => Self::TriangleStripAdjacency,
            33..=64 => Self::PatchList((code - 32) as u8),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn topologies_are_called_what_the_table_says() {
        for code in 0..100 {
            assert_eq!(Topology::from_code(code).map(|topology| topology.to_string()), TOPOLOGY.name(code), "{code}");
        }
    }

    #[test]
    fn patches_are_named_by_their_control_points() {
        assert_eq!(TOPOLOGY.name(33).unwrap(), "PATCHLIST of 1");
        assert_eq!(TOPOLOGY.name(64).unwrap(), "PATCHLIST of 32");
        assert_eq!([TOPOLOGY.name(32), TOPOLOGY.name(65), TOPOLOGY.name(0)], [None, None, None]);
    }

    #[test]
    fn every_format_and_no_other_has_a_row() {
        let with_row: Vec<u32> = (0..100).filter(|format| tight_row_bytes(*format, 5).is_some()).collect();
        let known: Vec<u32> = FORMAT.values.iter().map(|(value, _)| *value).collect();
        assert_eq!(with_row, known);
        assert_eq!([1, 5, 64, 70].map(|format| tight_row_bytes(format, 5).unwrap()), [20, 10, 16, 32]);
        assert_eq!(tight_row_bytes(1, u32::MAX), Some(17_179_869_180));
    }
}
