// Fills what the scissor lets through.

struct Fill {
    color: vec4<f32>,
    depth: vec4<f32>,
}

@group(0) @binding(0) var<uniform> fill: Fill;

@vertex
fn cover(@builtin(vertex_index) number: u32) -> @builtin(position) vec4<f32> {
    let corner = vec2<f32>(f32((number << 1u) & 2u), f32(number & 2u));
    return vec4<f32>(corner * 2.0 - 1.0, fill.depth.x, 1.0);
}

@fragment
fn fill_color() -> @location(0) vec4<f32> {
    return fill.color;
}

@fragment
fn fill_depth() {
}
