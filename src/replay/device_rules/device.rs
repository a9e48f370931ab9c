//! Record of a device: its limits, and the features of wgpu that Direct3D needs and not every device has.

/// Limits and features of a device, as far as they decide what can be drawn.
///
/// Rules take this record and no device, so that they can be tested without one, and so that two devices with the same
/// record decide alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Device {
    /// Longest side of a texture, and largest viewport, in pixels.
    pub max_texture_side_px: u32,
    /// Layers of a texture.
    pub max_texture_layers: u32,
    /// Bytes of a buffer.
    pub max_buffer_bytes: u64,
    /// Bytes of a storage buffer that are bound.
    pub max_storage_binding_bytes: u64,
    /// Bytes of a uniform buffer that are bound.
    pub max_uniform_binding_bytes: u64,
    /// Textures that a stage reads.
    pub max_textures_per_stage: u32,
    /// Samplers that a stage uses.
    pub max_samplers_per_stage: u32,
    /// Textures that both stages of a draw read: OpenGL numbers them through all stages.
    pub max_textures_per_draw: u32,
    /// Samplers that both stages of a draw use.
    pub max_samplers_per_draw: u32,
    /// Storage buffers that a stage reads or writes.
    pub max_storage_buffers_per_stage: u32,
    /// Uniform buffers that a stage reads.
    pub max_uniform_buffers_per_stage: u32,
    /// Vertex buffers of a pipeline.
    pub max_vertex_buffers: u32,
    /// Bind groups and vertex buffers of a pipeline together.
    pub max_groups_and_vertex_buffers: u32,
    /// Elements of a vertex, and the number behind the last location of one.
    pub max_vertex_elements: u32,
    /// Bytes from one vertex to the next.
    pub max_vertex_stride_bytes: u32,
    /// Values of four lanes between the stages.
    pub max_stage_values: u32,
    /// Colour targets.
    pub max_color_targets: u32,
    /// Bytes of a pixel in all colour targets together, as WebGPU counts them: eight for each format of streams.
    pub max_color_bytes: u32,
    /// Threads of a thread group along each axis.
    pub max_group_threads_by_axis: [u32; 3],
    /// Threads of a thread group.
    pub max_group_threads: u32,
    /// Bytes of group-shared memory.
    pub max_group_memory_bytes: u32,
    /// Thread groups of a dispatch along one axis.
    pub max_groups_per_axis: u32,
    /// Features.
    pub features: DeviceFeatures,
}

/// Features that not every device has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeviceFeatures {
    /// Blending with a second colour (`DUAL_SOURCE_BLENDING`).
    pub dual_source_blending: bool,
    /// Triangles as lines (`POLYGON_MODE_LINE`).
    pub wireframe: bool,
    /// Triangles as points (`POLYGON_MODE_POINT`).
    pub point_fill: bool,
    /// Depth that is clamped instead of cut off (`DEPTH_CLIP_CONTROL`).
    pub depth_clamp: bool,
    /// Clip distances (`CLIP_DISTANCES`).
    pub clip_distances: bool,
    /// Numbers of primitives (`PRIMITIVE_INDEX`).
    pub primitive_index: bool,
    /// Tests of depth and stencil before the pixel shader (`SHADER_EARLY_DEPTH_TEST`).
    pub early_tests: bool,
    /// Vertex shaders that write buffers (`VERTEX_WRITABLE_STORAGE`).
    pub vertex_writes: bool,
    /// Pixel shaders that write buffers (`FRAGMENT_WRITABLE_STORAGE`).
    pub pixel_writes: bool,
    /// Border colours of samplers (`ADDRESS_MODE_CLAMP_TO_BORDER`).
    pub borders: bool,
    /// A texture that is read through several samplers: OpenGL joins each texture with its sampler.
    pub samplers_apart: bool,
    /// Vertex buffers whose stride is 0: WebGL takes it for packed elements.
    pub zero_strides: bool,
    /// Viewports that begin or end within a pixel: OpenGL cuts them to whole pixels.
    pub fractional_viewports: bool,
    /// Views of some layers of a texture, and of cubes as arrays: wgpu shows a texture of OpenGL with all its layers, as one
    /// of two dimensions, an array or a cube by their number.
    pub layer_views: bool,
    /// Depth that is sampled without being compared: the shading language of OpenGL has no such samplers, and WebGPU's own
    /// rules, which browsers hold to, know none that filter.
    pub sampled_depth: bool,
    /// Copies of depth: wgpu copies colours alone on OpenGL.
    pub depth_copies: bool,
    /// Compute shaders (`COMPUTE_SHADERS`): WebGL2 has none, so that elements are gathered by the CPU there.
    pub compute: bool,
    /// Buffers of indices that hold something else too (`UNRESTRICTED_INDEX_BUFFER`): those of WebGL2 do not.
    pub shared_index_buffers: bool,
    /// Texels and vertices with blue before red: WebGL2 has neither, whatever wgpu says of it.
    pub blue_first: bool,
    /// Indices that something is added to (`BASE_VERTEX`).
    pub base_vertex: bool,
    /// Texels of depth that are loaded: WebGL2 gives zeros.
    pub loaded_depth: bool,
    /// Expressions that shaders have had since OpenGL ES 3.1: numbers of samples, gathered texels, reversed bits, and values that
    /// ignore perspective. WebGL2 is OpenGL ES 3.0.
    pub opengl_es_31: bool,
    /// Colour targets of one draw that are blended or masked differently (`INDEPENDENT_BLEND`).
    pub independent_blending: bool,
    /// Copies of texels between a texture of sRGB's curve and one without: on WebGL2, which has none, they go through a buffer.
    pub curve_copies: bool,
    /// Occlusion queries that are answered when the GPU is waited for: WebGL2 has no answers before its script has ended.
    pub occlusion_queries: bool,
}

impl DeviceFeatures {
    /// Every feature.
    pub const ALL: Self = Self {
        dual_source_blending: true,
        wireframe: true,
        point_fill: true,
        depth_clamp: true,
        clip_distances: true,
        primitive_index: true,
        early_tests: true,
        vertex_writes: true,
        pixel_writes: true,
        borders: true,
        samplers_apart: true,
        zero_strides: true,
        fractional_viewports: true,
        layer_views: true,
        sampled_depth: true,
        depth_copies: true,
        compute: true,
        shared_index_buffers: true,
        blue_first: true,
        base_vertex: true,
        loaded_depth: true,
        opengl_es_31: true,
        independent_blending: true,
        curve_copies: true,
        occlusion_queries: true,
    };
}

impl Device {
    /// Limits that WebGPU promises everywhere, with every feature.
    pub const WEBGPU: Self = Self {
        max_texture_side_px: 8192,
        max_texture_layers: 256,
        max_buffer_bytes: 256 << 20,
        max_storage_binding_bytes: 128 << 20,
        max_uniform_binding_bytes: 64 << 10,
        max_textures_per_stage: 16,
        max_samplers_per_stage: 16,
        max_textures_per_draw: 32,
        max_samplers_per_draw: 32,
        max_storage_buffers_per_stage: 8,
        max_uniform_buffers_per_stage: 12,
        max_vertex_buffers: 8,
        max_groups_and_vertex_buffers: 24,
        max_vertex_elements: 16,
        max_vertex_stride_bytes: 2048,
        max_stage_values: 16,
        max_color_targets: 8,
        max_color_bytes: 32,
        max_group_threads_by_axis: [256, 256, 64],
        max_group_threads: 256,
        max_group_memory_bytes: 16 << 10,
        max_groups_per_axis: 65535,
        features: DeviceFeatures::ALL,
    };
}
