//! Options by which the shaders of a draw are translated: what its state, its bindings and the device say.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::formats::is_depth;
use super::outline::{area, written_targets};
use super::vertex_format::vertex_format;
use crate::command::{AddressMode, Filter, Topology};
use crate::replay::device_rules::{Device, loads_texels, reads_second_color, stored_layers};
use crate::replay::{
    DrawState, Fog, FogCurve, PointRules, ResourceBinding, Sampler, Shader, ShaderSlots, StageBindings, World,
};
use crate::shader::d3d::{
    BorderRule, Clipping, CubeFilter, DrawOptions, FogRule, InputFeed, PixelCenters, SamplerRule, SizedPoints, SlotSet,
    StageResources, TextureShapes, Usage,
};

/// Options of both stages of a draw, by which their shaders are translated.
pub(super) fn options(state: &DrawState, device: &Device) -> DrawOptions {
    let registers = state.inputs.iter().map(|input| input.register + 1).max().unwrap_or(0);
    let mut inputs = vec![InputFeed::Missing; registers as usize];
    for (register, into) in (0..).zip(&mut inputs) {
        let fed = state.inputs.iter().find(|input| input.register == register);
        // A value that is not drawn is refused with its draw, if its shader reads it.
        let format = fed.and_then(|input| vertex_format(device, input.value));
        *into = format.map_or(InputFeed::Missing, |(_, feed)| feed);
    }
    let legacy = state.fixed.legacy;
    let is_legacy = state.world == World::Direct3d9;
    let rules = SamplerRules::of(state, device);
    let [vertex, pixel] = rules.resources([&state.vertex_bindings, &state.pixel_bindings], device);
    let is_shifted = program_of(state.vertex.as_ref()).is_some_and(|slots| slots.is_shifted);
    DrawOptions {
        inputs,
        pixel_centers: if is_legacy && !is_shifted { PixelCenters::Direct3d9 } else { PixelCenters::Direct3d10 },
        alpha_test: legacy.alpha_test,
        vertex_resources: vertex,
        pixel_resources: StageResources { cubes: if is_legacy { cubes(state) } else { SlotSet::default() }, ..pixel },
        is_flat: is_legacy && legacy.shading == crate::replay::Shading::Flat,
        fog: legacy.fog.map(fog_rule),
        points: sized_points(state),
        has_second_color: state.fixed.blend.is_some_and(reads_second_color),
        clipping: if device.features.clip_distances { Clipping::ByPipeline } else { Clipping::ByPixel },
        drops_depth: written_targets(state).depth_stencil.is_none(),
        moves_viewport: moves_viewport(state, device),
    }
}

/// Rules of both stages' samplers that stages are translated by.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct SamplerRules {
    /// By stage and axis, the slots whose samplers mirror textures once.
    mirrored_once: [[SlotSet; 3]; 2],
    /// By stage, the slots whose samplers have a colour outside of textures.
    borders: [BTreeMap<u32, BorderRule>; 2],
    /// By stage, the slots whose cubes have joined texels.
    cube_filters: [BTreeMap<u32, CubeFilter>; 2],
    /// By stage, the samplers that stages carry out themselves.
    samplers: [BTreeMap<u32, SamplerRule>; 2],
}

impl SamplerRules {
    /// The rules of a draw's samplers.
    pub(super) fn of(state: &DrawState, device: &Device) -> Self {
        let stages = [&state.vertex_bindings, &state.pixel_bindings];
        let samplers = stages.map(|held| sampler_rules(held, device));
        match state.world {
            World::Direct3d9 => Self {
                mirrored_once: stages.map(mirrored_once),
                borders: stages.map(borders),
                cube_filters: stage_cube_filters(state),
                samplers,
            },
            // The other samplers of Direct3D 10 and 11 are as the API has them.
            World::Direct3d11 => Self { samplers, ..Self::default() },
        }
    }
    /// Resources of both stages, with these rules.
    fn resources(self, held: [&StageBindings; 2], device: &Device) -> [StageResources; 2] {
        let Self { mirrored_once, borders, cube_filters, samplers } = self;
        let [vertex_mirrors, pixel_mirrors] = mirrored_once;
        let [vertex_borders, pixel_borders] = borders;
        let [vertex_filters, pixel_filters] = cube_filters;
        let [vertex_samplers, pixel_samplers] = samplers;
        let [vertex, pixel] = held.map(|held| bound_resources(held, device));
        [
            StageResources {
                mirrored_once: vertex_mirrors,
                borders: vertex_borders,
                cube_filters: vertex_filters,
                samplers: vertex_samplers,
                ..vertex
            },
            StageResources {
                mirrored_once: pixel_mirrors,
                borders: pixel_borders,
                cube_filters: pixel_filters,
                samplers: pixel_samplers,
                ..pixel
            },
        ]
    }
}

/// The slots of a stage whose textures hold depth.
fn depth_textures(held: &StageBindings) -> SlotSet {
    let depth = held.slots.resources.iter().filter_map(|(slot, bound)| match bound {
        ResourceBinding::Texture(texture) if is_depth(texture.format) => Some(*slot),
        _ => None,
    });
    depth.collect()
}

/// By axis, the slots of a stage whose samplers mirror textures once.
fn mirrored_once(held: &StageBindings) -> [SlotSet; 3] {
    let mut slots = [SlotSet::default(); 3];
    for (slot, sampler) in held.samplers.iter() {
        for (mode, slots) in sampler.address.iter().zip(&mut slots) {
            if *mode == AddressMode::MirrorOnce {
                slots.insert(*slot);
            }
        }
    }
    slots
}

/// By slot, the rules of a stage's samplers that have a colour outside of textures.
fn borders(held: &StageBindings) -> BTreeMap<u32, BorderRule> {
    let bordered = held.samplers.iter().filter_map(|(slot, sampler)| {
        let Sampler { address: [u, v, _], min, mag, mip, largest_mip, .. } = *sampler;
        let axes = [u, v].map(|mode| mode == AddressMode::Border);
        axes.contains(&true).then_some((*slot, BorderRule { axes, min, mag, mip, largest_mip }))
    });
    bordered.collect()
}

/// The slots of a pixel shader of SM1, which does not say what it reads, whose textures are cubes.
fn cubes(state: &DrawState) -> SlotSet {
    if program_of(state.pixel.as_ref()).is_none_or(|program| program.decoded.version().major > 1) {
        return SlotSet::default();
    }
    let cubes = state.pixel_bindings.slots.resources.iter().filter_map(|(slot, bound)| match bound {
        ResourceBinding::Texture(texture) if texture.layers.count == 6 => Some(*slot),
        _ => None,
    });
    cubes.collect()
}

/// By slot, the filters of those of a stage's cubes whose texels are joined.
fn cube_filters(cubes: SlotSet, held: &StageBindings) -> BTreeMap<u32, CubeFilter> {
    let filters = held.samplers.iter().filter(|(slot, _)| cubes.contains(*slot)).map(|(slot, sampler)| {
        let Sampler { min, mag, mip, largest_mip, .. } = *sampler;
        (*slot, CubeFilter { min, mag, mip, largest_mip })
    });
    filters.filter(|(_, filter)| [filter.min, filter.mag].contains(&Filter::Linear)).collect()
}

/// A shader that is bound, decoded.
fn program_of(shader: Option<&Arc<Shader>>) -> Option<&ShaderSlots> {
    // silent: nothing is bound there
    shader.and_then(|shader| shader.program.as_ref().ok())
}

/// Texture coordinates on a draw's points, where they are drawn as two triangles each: as sprites, or because the state or
/// their vertex shader may give them another size than a pixel.
fn sized_points(state: &DrawState) -> Option<SizedPoints> {
    if state.topology != Topology::PointList || state.world != World::Direct3d9 {
        return None;
    }
    let PointRules { are_sprites, are_sized } = state.fixed.legacy.points;
    let says_size = || {
        let outputs = |slots: &ShaderSlots| crate::shader::d3d::legacy::outputs(&slots.decoded);
        let has_size = |slots| outputs(slots).iter().any(|output| output.usage == Some((Usage::PointSize, 0)));
        program_of(state.vertex.as_ref()).is_some_and(has_size)
    };
    match (are_sprites, are_sized) {
        (true, _) => Some(SizedPoints::Sprites),
        (false, true) => Some(SizedPoints::Plain),
        (false, false) => says_size().then_some(SizedPoints::Plain),
    }
}

/// With a vertex shader the curve of fog once per vertex says nothing: what the shader gives is how much is left.
const fn fog_rule(fog: Fog) -> FogRule {
    match fog.table {
        FogCurve::None => FogRule::Vertex,
        FogCurve::Linear => FogRule::Linear,
        FogCurve::Exp => FogRule::Exp,
        FogCurve::Exp2 => FogRule::Exp2,
    }
}

/// Whether the viewport is one that the device cannot set.
fn moves_viewport(state: &DrawState, device: &Device) -> bool {
    // The whole target can be set, whatever its size.
    area(state.viewport, [1, 1]).is_some_and(|area| !area.fits(device))
}

/// By stage, the filters of cubes: those that shaders declare, and those that are bound where one declares nothing.
fn stage_cube_filters(state: &DrawState) -> [BTreeMap<u32, CubeFilter>; 2] {
    let [vertex, pixel] = [&state.vertex, &state.pixel]
        .map(|shader| program_of(shader.as_ref()).map_or(SlotSet::default(), |program| program.layered));
    [cube_filters(vertex, &state.vertex_bindings), cube_filters(pixel.union(cubes(state)), &state.pixel_bindings)]
}

/// Resources of a stage, as far as its bindings alone decide about them.
pub(super) fn bound_resources(held: &StageBindings, device: &Device) -> StageResources {
    StageResources {
        depth_textures: depth_textures(held),
        shapes: TextureShapes::TwoDimensional,
        stored_layers: stored_layers(held, device),
        loads_depth: !device.features.sampled_depth,
        counted_mips: !device.features.opengl_es_31,
        joins_samplers: !device.features.samplers_apart,
        samplers: sampler_rules(held, device),
        ..StageResources::default()
    }
}

/// By slot, the samplers of a stage that it carries out itself.
fn sampler_rules(held: &StageBindings, device: &Device) -> BTreeMap<u32, SamplerRule> {
    let loads = || loads_texels(&depth_textures(held), stored_layers(held, device).as_ref(), device);
    if device.features.sampled_depth && device.features.layer_views || !loads() {
        return BTreeMap::new();
    }
    let rule = |sampler: &Sampler| {
        let Sampler { address: [u, v, _], min, mag, mip, largest_mip, .. } = *sampler;
        SamplerRule { address: [u, v], min, mag, mip, largest_mip }
    };
    held.samplers.iter().map(|(slot, sampler)| (*slot, rule(sampler))).collect()
}
