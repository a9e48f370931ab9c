// Covers the pixels that pass the stencil test.

@vertex
fn cover(@builtin(vertex_index) number: u32) -> @builtin(position) vec4<f32> {
    let corner = vec2<f32>(f32((number << 1u) & 2u), f32(number & 2u));
    return vec4<f32>(corner * 2.0 - 1.0, 0.0, 1.0);
}

@fragment
fn pass_on() -> @location(0) vec4<f32> {
    return vec4<f32>(1.0);
}
