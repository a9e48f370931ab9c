//! Filters of Direct3D 9's samplers for cubes, by which stages are translated.

use std::collections::BTreeMap;

use crate::command::Filter;
use crate::replay::{Sampler, StageBindings};
use crate::shader::d3d::{CubeFilter, SlotSet};

/// By slot, the filters of those of a stage's cubes whose texels are joined.
pub(super) fn cube_filters(cubes: SlotSet, held: &StageBindings) -> BTreeMap<u32, CubeFilter> {
    let filters = held.samplers.iter().filter(|(slot, _)| cubes.contains(*slot)).map(|(slot, sampler)| {
        let Sampler { min, mag, mip, largest_mip, .. } = *sampler;
        (*slot, CubeFilter { min, mag, mip, largest_mip })
    });
    filters.filter(|(_, filter)| [filter.min, filter.mag].contains(&Filter::Linear)).collect()
}
