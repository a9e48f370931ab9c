// Depth of a texture of one layer.

@group(0) @binding(0) var depth: texture_2d<f32>;

fn depth_at(at: vec2<i32>) -> f32 {
    return textureLoad(depth, at, 0).x;
}
