//! Shader stages, of which the protocol tells six in two fields.

use crate::command::ShaderStage;

/// The first minor version in which `stage_ex` means something.
const STAGE_EX_MINOR: u16 = 3;

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
pub fn stage_of(stage: u32, stage_ex: u32, minor: u16) -> Option<ShaderStage> {
    let is_extended = consults_stage_ex(Some(stage), minor);
    Some(match (stage, stage_ex) {
        (0, _) => ShaderStage::Vertex,
        (1, _) => ShaderStage::Fragment,
        (2, 0 | 5) => ShaderStage::Compute,
        (2, 2) if is_extended => ShaderStage::Geometry,
        (2, 3) if is_extended => ShaderStage::Hull,
        (2, 4) if is_extended => ShaderStage::Domain,
        (2, _) if !is_extended => ShaderStage::Compute,
        (3, _) => ShaderStage::Geometry,
        (4, _) if minor < STAGE_EX_MINOR => ShaderStage::Hull,
        (5, _) if minor < STAGE_EX_MINOR => ShaderStage::Domain,
        _ => return None,
    })
}

/// Whether `stage_ex` counts, in a packet with this `stage` or in one that has none.
pub fn consults_stage_ex(stage: Option<u32>, minor: u16) -> bool {
    minor >= STAGE_EX_MINOR && stage.is_none_or(|stage| stage == 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn six_stages_are_told_from_two_fields() {
        let row = |stage, minor| (0..7).map(|stage_ex| stage_of(stage, stage_ex, minor)).collect::<Vec<_>>();
        let all = |stage| vec![Some(stage); 7];
        assert_eq!(row(0, 4), all(ShaderStage::Vertex));
        assert_eq!(row(1, 0), all(ShaderStage::Fragment));
        assert_eq!(row(3, 3), all(ShaderStage::Geometry));
        use ShaderStage::{Compute, Domain, Geometry, Hull};
        let extended = [Some(Compute), None, Some(Geometry), Some(Hull), Some(Domain), Some(Compute), None];
        assert_eq!([row(2, 3), row(2, 9)], [extended; 2]);
        assert_eq!(row(2, 2), all(Compute), "before 1.3 the second field is nothing");
        assert_eq!([row(4, 2), row(5, 0)], [all(Hull), all(Domain)]);
        assert_eq!([row(4, 3), row(5, 3), row(6, 0)], [vec![None; 7], vec![None; 7], vec![None; 7]]);
    }
}
