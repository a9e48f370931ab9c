// Shows a texture texel by texel.

@group(0) @binding(0) var source: texture_2d<f32>;

@vertex
fn cover(@builtin(vertex_index) number: u32) -> @builtin(position) vec4<f32> {
    let corner = vec2<f32>(f32((number << 1u) & 2u), f32(number & 2u));
    return vec4<f32>(corner * 2.0 - 1.0, 0.0, 1.0);
}

@fragment
fn show(@builtin(position) at: vec4<f32>) -> @location(0) vec4<f32> {
    return textureLoad(source, vec2<i32>(at.xy), 0);
}
