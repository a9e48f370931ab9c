//! Targets: the attachments of a draw's render pass.

use super::device::Device;
use super::refusal::Refusal;
use crate::replay::d3d::{DrawTargets, TargetView};
use crate::replay::fixed_state::FixedState;

/// Bytes that WebGPU counts for a pixel of each colour format of streams: all are stored in four channels of eight bits.
const COUNTED_COLOR_BYTES: u64 = 8;

/// Attachments of a draw's pass. A depth surface of another size than the colour targets is left out where the draw neither
/// tests nor writes it: Direct3D 9 lets it stay bound.
pub fn attachments(targets: &DrawTargets, fixed: &FixedState) -> DrawTargets {
    let [depth, stencil] = [fixed.depth_access(), fixed.stencil_access()];
    let is_used = depth.reads || depth.writes || stencil.reads || stencil.writes;
    let depth_stencil = targets.depth_stencil.filter(|depth| is_used || is_as_large(targets, depth));
    DrawTargets { depth_stencil, ..*targets }
}

fn is_as_large(targets: &DrawTargets, depth: &TargetView) -> bool {
    targets.colors.iter().flatten().all(|color| color.size_px == depth.size_px)
}

/// Width and height that all attachments of a pass need, where colour targets are smaller than the depth surface: WebGPU
/// wants one size, so that colours are drawn to textures of this size and copied back.
pub fn padded_size_px(targets: &DrawTargets) -> Option<[u32; 2]> {
    let depth = targets.depth_stencil.as_ref()?;
    if is_as_large(targets, depth) { None } else { depth.size_px }
}

/// Refuses attachments that a pass cannot have.
pub fn check_attachments(device: &Device, targets: &DrawTargets) -> Result<(), Refusal> {
    let bound = (0..).zip(&targets.colors).filter_map(|(slot, target)| Some((slot, target.as_ref()?)));
    let bound: Vec<(u32, &TargetView)> = bound.collect();
    let slots = bound.last().map_or(0, |(slot, _)| u64::from(*slot) + 1);
    Refusal::above("the number of colour targets", slots, u64::from(device.max_color_targets))?;
    let bytes = bound.len() as u64 * COUNTED_COLOR_BYTES;
    let what = "the size in bytes of a pixel in all colour targets";
    Refusal::above(what, bytes, u64::from(device.max_color_bytes))?;
    for (number, (slot, target)) in bound.iter().enumerate() {
        let is_same =
            |other: &&TargetView| (other.texture, other.mip, other.layer) == (target.texture, target.mip, target.layer);
        if let Some((other, _)) = bound.iter().take(number).find(|(_, other)| is_same(other)) {
            let what = format!("one mip of one layer as colour target {other} and as colour target {slot}");
            return Err(Refusal::unsupported(what));
        }
    }
    Ok(())
}
