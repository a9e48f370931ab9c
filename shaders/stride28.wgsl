// Vertices of 28 bytes: a position of three floats, a colour of four.

struct Corner {
    @builtin(position) position: vec4<f32>,
    @location(0) color: vec4<f32>,
}

@vertex
fn vertex_main(@location(0) position: vec3<f32>, @location(1) color: vec4<f32>) -> Corner {
    return Corner(vec4<f32>(position, 1.0), color);
}

@fragment
fn pixel_main(corner: Corner) -> @location(0) vec4<f32> {
    return corner.color;
}
