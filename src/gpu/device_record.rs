//! Records of devices: made from what the library says of one, and turned back into limits to open one with.

use crate::replay::device_rules::{Device, DeviceFeatures};

/// Bytes of the largest stride that WebGL takes, which wgpu does not know.
const WEBGL_STRIDE: u32 = 255;

/// The record of a device.
pub(super) fn record_of(
    device: &wgpu::Device,
    downlevel: wgpu::DownlevelFlags,
    (is_gl, is_browsers_own): (bool, bool),
) -> Device {
    let (limits, features) = (device.limits(), device.features());
    let is_webgl = is_gl && cfg!(target_arch = "wasm32");
    let has = |feature| features.contains(feature);
    // wgpu gives OpenGL one row of places for the textures of all stages, which is as long as a stage's limit.
    let stages = if is_gl { 1 } else { 2 };
    Device {
        max_texture_side_px: limits.max_texture_dimension_2d,
        max_texture_layers: limits.max_texture_array_layers,
        max_buffer_bytes: limits.max_buffer_size,
        max_storage_binding_bytes: limits.max_storage_buffer_binding_size,
        max_uniform_binding_bytes: limits.max_uniform_buffer_binding_size,
        max_textures_per_stage: limits.max_sampled_textures_per_shader_stage,
        max_samplers_per_stage: limits.max_samplers_per_shader_stage,
        max_textures_per_draw: limits.max_sampled_textures_per_shader_stage.saturating_mul(stages),
        max_samplers_per_draw: limits.max_samplers_per_shader_stage.saturating_mul(stages),
        max_storage_buffers_per_stage: limits.max_storage_buffers_per_shader_stage,
        max_uniform_buffers_per_stage: limits.max_uniform_buffers_per_shader_stage,
        max_vertex_buffers: limits.max_vertex_buffers,
        max_groups_and_vertex_buffers: limits.max_bind_groups_plus_vertex_buffers,
        max_vertex_elements: limits.max_vertex_attributes,
        max_vertex_stride_bytes: limits.max_vertex_buffer_array_stride.min(if is_webgl {
            WEBGL_STRIDE
        } else {
            u32::MAX
        }),
        max_stage_values: limits.max_inter_stage_shader_variables,
        max_color_targets: limits.max_color_attachments,
        max_color_bytes: limits.max_color_attachment_bytes_per_sample,
        max_group_threads_by_axis: [
            limits.max_compute_workgroup_size_x,
            limits.max_compute_workgroup_size_y,
            limits.max_compute_workgroup_size_z,
        ],
        max_group_threads: limits.max_compute_invocations_per_workgroup,
        max_group_memory_bytes: limits.max_compute_workgroup_storage_size,
        max_groups_per_axis: limits.max_compute_workgroups_per_dimension,
        features: DeviceFeatures {
            dual_source_blending: has(wgpu::Features::DUAL_SOURCE_BLENDING),
            wireframe: has(wgpu::Features::POLYGON_MODE_LINE),
            point_fill: has(wgpu::Features::POLYGON_MODE_POINT),
            depth_clamp: has(wgpu::Features::DEPTH_CLIP_CONTROL),
            clip_distances: has(wgpu::Features::CLIP_DISTANCES),
            primitive_index: has(wgpu::Features::PRIMITIVE_INDEX),
            early_tests: has(wgpu::Features::SHADER_EARLY_DEPTH_TEST),
            vertex_writes: has(wgpu::Features::VERTEX_WRITABLE_STORAGE),
            pixel_writes: downlevel.contains(wgpu::DownlevelFlags::FRAGMENT_WRITABLE_STORAGE),
            borders: has(wgpu::Features::ADDRESS_MODE_CLAMP_TO_BORDER),
            samplers_apart: !is_gl,
            zero_strides: !is_webgl,
            fractional_viewports: !is_gl,
            layer_views: !is_gl,
            sampled_depth: !is_gl && !is_browsers_own,
            depth_copies: !is_gl,
            compute: downlevel.contains(wgpu::DownlevelFlags::COMPUTE_SHADERS),
            shared_index_buffers: downlevel.contains(wgpu::DownlevelFlags::UNRESTRICTED_INDEX_BUFFER),
            blue_first: !is_webgl,
            base_vertex: downlevel.contains(wgpu::DownlevelFlags::BASE_VERTEX),
            loaded_depth: !is_webgl,
            opengl_es_31: !is_webgl,
            curve_copies: !is_webgl,
            occlusion_queries: !is_webgl,
            independent_blending: downlevel.contains(wgpu::DownlevelFlags::INDEPENDENT_BLEND),
        },
    }
}

/// The limits that a record tells of.
pub(super) fn limits_of(record: &Device) -> wgpu::Limits {
    let [max_compute_workgroup_size_x, max_compute_workgroup_size_y, max_compute_workgroup_size_z] =
        record.max_group_threads_by_axis;
    wgpu::Limits {
        max_texture_dimension_2d: record.max_texture_side_px,
        max_texture_array_layers: record.max_texture_layers,
        max_buffer_size: record.max_buffer_bytes,
        max_storage_buffer_binding_size: record.max_storage_binding_bytes,
        max_uniform_buffer_binding_size: record.max_uniform_binding_bytes,
        max_sampled_textures_per_shader_stage: record.max_textures_per_stage,
        max_samplers_per_shader_stage: record.max_samplers_per_stage,
        max_storage_buffers_per_shader_stage: record.max_storage_buffers_per_stage,
        max_uniform_buffers_per_shader_stage: record.max_uniform_buffers_per_stage,
        max_vertex_buffers: record.max_vertex_buffers,
        max_bind_groups_plus_vertex_buffers: record.max_groups_and_vertex_buffers,
        max_vertex_attributes: record.max_vertex_elements,
        max_vertex_buffer_array_stride: record.max_vertex_stride_bytes,
        max_inter_stage_shader_variables: record.max_stage_values,
        max_color_attachments: record.max_color_targets,
        max_color_attachment_bytes_per_sample: record.max_color_bytes,
        max_compute_workgroup_size_x,
        max_compute_workgroup_size_y,
        max_compute_workgroup_size_z,
        max_compute_invocations_per_workgroup: record.max_group_threads,
        max_compute_workgroup_storage_size: record.max_group_memory_bytes,
        max_compute_workgroups_per_dimension: record.max_groups_per_axis,
        ..wgpu::Limits::default()
    }
}
