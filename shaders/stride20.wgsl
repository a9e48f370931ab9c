// Vertices of 20 bytes: a position of three floats, and where the first texture is read.

@group(1) @binding(0) var first_texture: texture_2d<f32>;
@group(1) @binding(1) var first_sampler: sampler;

struct Corner {
    @builtin(position) position: vec4<f32>,
    @location(0) place: vec2<f32>,
}

@vertex
fn vertex_main(@location(0) position: vec3<f32>, @location(1) place: vec2<f32>) -> Corner {
    return Corner(vec4<f32>(position, 1.0), place);
}

@fragment
fn pixel_main(corner: Corner) -> @location(0) vec4<f32> {
    return textureSample(first_texture, first_sampler, corner.place);
}
