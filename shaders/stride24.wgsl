// Vertices of 24 bytes: a position of two floats, a colour of four.

struct Corner {
    @builtin(position) position: vec4<f32>,
    @location(0) color: vec4<f32>,
}

@vertex
fn vertex_main(@location(0) position: vec2<f32>, @location(1) color: vec4<f32>) -> Corner {
    return Corner(vec4<f32>(position, 0.0, 1.0), color);
}

@fragment
fn pixel_main(corner: Corner) -> @location(0) vec4<f32> {
    return corner.color;
}
