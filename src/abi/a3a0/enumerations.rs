//! The protocol's enumerations: which numbers exist, and what they are called.

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

/// Texture formats.
pub static FORMAT: Enumeration = Enumeration::new(
    "a texture format",
    &[
        (1, "B8G8R8A8_UNORM"),
        (2, "B8G8R8X8_UNORM"),
        (3, "R8G8B8A8_UNORM"),
        (4, "R8G8B8X8_UNORM"),
        (5, "B5G6R5_UNORM"),
        (6, "B5G5R5A1_UNORM"),
        (7, "B8G8R8A8_UNORM_SRGB"),
        (8, "B8G8R8X8_UNORM_SRGB"),
        (9, "R8G8B8A8_UNORM_SRGB"),
        (10, "R8G8B8X8_UNORM_SRGB"),
        (32, "D24_UNORM_S8_UINT"),
        (33, "D32_FLOAT"),
        (64, "BC1_RGBA_UNORM"),
        (65, "BC1_RGBA_UNORM_SRGB"),
        (66, "BC2_RGBA_UNORM"),
        (67, "BC2_RGBA_UNORM_SRGB"),
        (68, "BC3_RGBA_UNORM"),
        (69, "BC3_RGBA_UNORM_SRGB"),
        (70, "BC7_RGBA_UNORM"),
        (71, "BC7_RGBA_UNORM_SRGB"),
    ],
);

/// How many bytes a row of `width_px` texels takes when nothing lies between the rows: of texels, or of blocks of 4×4.
/// Nothing if the format is none that exists.
pub fn tight_row_bytes(format: u32, width_px: u32) -> Option<u64> {
    let width = u64::from(width_px);
    match format {
        1..=4 | 7..=10 | 32 | 33 => Some(width * 4),
        5 | 6 => Some(width * 2),
        64 | 65 => Some(width.div_ceil(4) * 8),
        66..=71 => Some(width.div_ceil(4) * 16),
        _ => None,
    }
}

/// Sizes of indices.
pub static INDEX_FORMAT: Enumeration = Enumeration::new("an index format", &[(0, "UINT16"), (1, "UINT32")]);

/// Filters of samplers, for magnification, minification and mips alike.
pub static FILTER: Enumeration = Enumeration::new("a filter", &[(0, "NEAREST"), (1, "LINEAR")]);

/// What a sampler reads outside of a texture.
pub static ADDRESS: Enumeration =
    Enumeration::new("an address mode", &[(0, "CLAMP_TO_EDGE"), (1, "REPEAT"), (2, "MIRROR_REPEAT")]);

/// What is drawn of a triangle.
pub static FILL: Enumeration = Enumeration::new("a fill mode", &[(0, "SOLID"), (1, "WIREFRAME")]);

/// Which triangles are not drawn.
pub static CULL: Enumeration = Enumeration::new("a cull mode", &[(0, "NONE"), (1, "FRONT"), (2, "BACK")]);

/// Comparisons of depth.
pub static COMPARE: Enumeration = Enumeration::new(
    "a comparison",
    &[
        (0, "NEVER"),
        (1, "LESS"),
        (2, "EQUAL"),
        (3, "LESS_EQUAL"),
        (4, "GREATER"),
        (5, "NOT_EQUAL"),
        (6, "GREATER_EQUAL"),
        (7, "ALWAYS"),
    ],
);

/// Factors of blending.
pub static BLEND_FACTOR: Enumeration = Enumeration::new(
    "a blend factor",
    &[
        (0, "ZERO"),
        (1, "ONE"),
        (2, "SRC_ALPHA"),
        (3, "INV_SRC_ALPHA"),
        (4, "DEST_ALPHA"),
        (5, "INV_DEST_ALPHA"),
        (6, "CONSTANT"),
        (7, "INV_CONSTANT"),
    ],
);

/// Operations of blending.
pub static BLEND_OP: Enumeration =
    Enumeration::new("a blend operation", &[(0, "ADD"), (1, "SUBTRACT"), (2, "REV_SUBTRACT"), (3, "MIN"), (4, "MAX")]);

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

#[cfg(test)]
mod tests {
    use super::*;

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
