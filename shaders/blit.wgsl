// Shows the target in a window: nearest texel, straight colour, opaque.
//
// One triangle covers the viewport, which the caller has set to the picture's rectangle.

@group(0) @binding(0) var target_texture: texture_2d<f32>;

struct Corner {
    @builtin(position) position: vec4f,
    // 0 to 1 across the picture, origin at the top left.
    @location(0) at: vec2f,
}

@vertex
fn vs_main(@builtin(vertex_index) index: u32) -> Corner {
    let at = vec2f(f32(index & 1u), f32(index >> 1u)) * 2.0;
    return Corner(vec4f(at.x * 2.0 - 1.0, 1.0 - at.y * 2.0, 0.0, 1.0), at);
}

@fragment
fn fs_main(corner: Corner) -> @location(0) vec4f {
    let size = textureDimensions(target_texture);
    let texel = min(vec2u(corner.at * vec2f(size)), size - 1u);
    return vec4f(textureLoad(target_texture, texel, 0).rgb, 1.0);
}
