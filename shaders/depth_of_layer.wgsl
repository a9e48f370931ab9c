// Depth of one layer of an array, whose number is the first of the four.

@group(0) @binding(0) var depth: texture_2d_array<f32>;
@group(0) @binding(1) var<uniform> layer: vec4<u32>;

fn depth_at(at: vec2<i32>) -> f32 {
    return textureLoad(depth, at, layer.x, 0).x;
}
