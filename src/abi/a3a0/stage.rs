//! Shader stages, of which the protocol tells six in two fields.

use std::fmt;

/// A shader's place in the pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// Runs once per vertex.
    Vertex,
    /// Runs once per covered pixel.
    Pixel,
    /// Runs outside of draws.
    Compute,
    /// Runs once per primitive.
    Geometry,
    /// Runs once per control point of a patch, and once per patch.
    Hull,
    /// Runs once per vertex that tessellation makes.
    Domain,
}

/// The first minor version in which `stage_ex` means something.
const STAGE_EX_MINOR: u16 = 3;

impl Stage {
    /// The stage that `stage` and `stage_ex` mean together, in a stream of ABI version 1.`minor`; nothing if they mean
    /// none.
    ///
    /// | `stage` | stage | `stage_ex` behind `stage` 2, from 1.3 on | stage |
    /// |---|---|---|---|
    /// | 0 | vertex | 0, 5 | compute |
    /// | 1 | pixel | 2 | geometry |
    /// | 2 | compute | 3 | hull |
    /// | 3 | geometry | 4 | domain |
    /// | 4, 5 before 1.3 | hull, domain | 1 and others | none |
    pub fn of(stage: u32, stage_ex: u32, minor: u16) -> Option<Self> {
        let is_extended = Self::consults_stage_ex(Some(stage), minor);
        Some(match (stage, stage_ex) {
            (0, _) => Self::Vertex,
            (1, _) => Self::Pixel,
            (2, 0 | 5) => Self::Compute,
            (2, 2) if is_extended => Self::Geometry,
            (2, 3) if is_extended => Self::Hull,
            (2, 4) if is_extended => Self::Domain,
            (2, _) if !is_extended => Self::Compute,
            (3, _) => Self::Geometry,
            (4, _) if minor < STAGE_EX_MINOR => Self::Hull,
            (5, _) if minor < STAGE_EX_MINOR => Self::Domain,
            _ => return None,
        })
    }

    /// Whether `stage_ex` counts, in a packet with this `stage` or in one that has none.
    pub fn consults_stage_ex(stage: Option<u32>, minor: u16) -> bool {
        minor >= STAGE_EX_MINOR && stage.is_none_or(|stage| stage == 2)
    }

    /// The letters that shader models of this stage begin with.
    pub fn short_name(self) -> &'static str {
        match self {
            Self::Vertex => "vs",
            Self::Pixel => "ps",
            Self::Compute => "cs",
            Self::Geometry => "gs",
            Self::Hull => "hs",
            Self::Domain => "ds",
        }
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Vertex => "vertex",
            Self::Pixel => "pixel",
            Self::Compute => "compute",
            Self::Geometry => "geometry",
            Self::Hull => "hull",
            Self::Domain => "domain",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn six_stages_are_told_from_two_fields() {
        let row = |stage, minor| (0..7).map(|stage_ex| Stage::of(stage, stage_ex, minor)).collect::<Vec<_>>();
        let all = |stage| vec![Some(stage); 7];
        assert_eq!(row(0, 4), all(Stage::Vertex));
        assert_eq!(row(1, 0), all(Stage::Pixel));
        assert_eq!(row(3, 3), all(Stage::Geometry));
        use Stage::{Compute, Domain, Geometry, Hull};
        let extended = [Some(Compute), None, Some(Geometry), Some(Hull), Some(Domain), Some(Compute), None];
        assert_eq!([row(2, 3), row(2, 9)], [extended; 2]);
        assert_eq!(row(2, 2), all(Compute), "before 1.3 the second field is nothing");
        assert_eq!([row(4, 2), row(5, 0)], [all(Hull), all(Domain)]);
        assert_eq!([row(4, 3), row(5, 3), row(6, 0)], [vec![None; 7], vec![None; 7], vec![None; 7]]);
    }
}
