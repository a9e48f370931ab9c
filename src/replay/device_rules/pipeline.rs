//! Fixed state: what a pipeline of WebGPU cannot have.

use super::device::Device;
use super::refusal::Refusal;
use crate::command::{BlendFactor, FillMode, Topology};
use crate::replay::d3d::DrawTargets;
use crate::replay::fixed_state::{BlendEquations, ClipRange, FixedState};

/// Refuses fixed state that the device has no way to draw.
pub fn check_fixed_state(device: &Device, fixed: &FixedState, targets: &DrawTargets) -> Result<(), Refusal> {
    let features = &device.features;
    let has_second_color = fixed.blend.is_some_and(reads_second_color);
    Refusal::without(
        features.dual_source_blending || !has_second_color,
        "blending with a second colour",
        "DUAL_SOURCE_BLENDING",
    )?;
    if has_second_color && targets.colors.iter().skip(1).any(Option::is_some) {
        return Err(Refusal::unsupported("blending with a second colour in several targets"));
    }
    let fill = fixed.raster.fill;
    Refusal::without(features.wireframe || fill != FillMode::Wireframe, "a wireframe", "POLYGON_MODE_LINE")?;
    Refusal::without(features.point_fill || fill != FillMode::Point, "triangles as points", "POLYGON_MODE_POINT")?;
    let clamps = fixed.raster.depth_range == ClipRange::Clamp;
    Refusal::without(features.depth_clamp || !clamps, "depth that is clamped", "DEPTH_CLIP_CONTROL")
}

/// Refuses targets that are not blended and masked alike, where the device has them only so.
pub fn check_blending(device: &Device, is_alike: bool) -> Result<(), Refusal> {
    let what = "a draw to targets that are blended or masked differently";
    Refusal::without(device.features.independent_blending || is_alike, what, "INDEPENDENT_BLEND")
}

/// Fixed state that decides about a draw of these vertices: WebGPU has no bias of depth for lines and points, to which
/// Direct3D adds none either.
pub fn state_of(fixed: &FixedState, topology: Topology) -> FixedState {
    match topology {
        Topology::PointList
        | Topology::LineList
        | Topology::LineStrip
        | Topology::LineListAdjacency
        | Topology::LineStripAdjacency => fixed.without_polygon_rules(),
        _ => *fixed,
    }
}

/// Whether a factor is a second colour of the pixel shader's.
pub fn reads_second_color(blend: BlendEquations) -> bool {
    let reads = |factor| {
        use BlendFactor::{InvSrc1Alpha, InvSrc1Color, Src1Alpha, Src1Color};
        matches!(factor, Src1Color | InvSrc1Color | Src1Alpha | InvSrc1Alpha)
    };
    [blend.color, blend.alpha].iter().any(|equation| reads(equation.src) || reads(equation.dst))
}
