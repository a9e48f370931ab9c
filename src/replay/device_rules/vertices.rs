//! Vertices: where WebGPU reads them as they lie in the guest's buffers, and where they are gathered first.
//!
//! WebGPU wants offsets and strides that are multiples of four, elements no longer than their stride, strides within the
//! device's limit, and steps of one instance. Direct3D wants none of it.

use super::device::Device;
use super::refusal::Refusal;
use crate::command::VertexStep;
use crate::replay::d3d::VertexInput;

/// Step of an input. With a stride of 0 all vertices have the first element, and so do all instances: a device that takes
/// such a stride for another reads the element once per draw instead.
pub fn step(device: &Device, input: &VertexInput) -> VertexStep {
    match input.stride_bytes == 0 && !device.features.zero_strides {
        true => VertexStep::Instances(u32::MAX),
        false => input.step,
    }
}

/// Whether every vertex has the first element, by a stride of 0 that the device has.
pub fn is_constant(device: &Device, input: &VertexInput) -> bool {
    input.stride_bytes == 0 && device.features.zero_strides && input.step == VertexStep::Vertex
}

/// Whether the device can step through an input where it lies, as long as it does not step past its end.
pub fn lies_plainly(device: &Device, input: &VertexInput) -> bool {
    let is_aligned = input.start_bytes.is_multiple_of(4) && input.stride_bytes.is_multiple_of(4);
    let has_room = input.stride_bytes >= input.size_bytes || is_constant(device, input);
    let steps_by_one = matches!(step(device, input), VertexStep::Vertex | VertexStep::Instances(1));
    is_aligned && has_room && steps_by_one && input.stride_bytes <= device.max_vertex_stride_bytes
}

/// Refuses vertices that are read in place, so many bytes from each other, where the device has no such stride.
pub fn check_stride(device: &Device, stride_bytes: u64) -> Result<(), Refusal> {
    Refusal::without(device.features.zero_strides || stride_bytes != 0, "one vertex for all", "strides of 0")?;
    let what = "the number of bytes from one vertex to the next";
    Refusal::above(what, stride_bytes, u64::from(device.max_vertex_stride_bytes))
}

/// Refuses a draw with more vertex buffers than a pipeline has. Each input that is gathered has a buffer of its own.
pub fn check_vertex_buffers(device: &Device, buffers: usize, groups: usize) -> Result<(), Refusal> {
    let what = "the number of vertex buffers that a draw's elements lie in";
    Refusal::above(what, buffers as u64, u64::from(device.max_vertex_buffers))?;
    let what = "the number of vertex buffers and bind groups of a draw";
    Refusal::above(what, (buffers + groups) as u64, u64::from(device.max_groups_and_vertex_buffers))
}
