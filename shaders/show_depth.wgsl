// Shows depth: as grey, 0 black and 1 white, or as the bits of the numbers. Stands behind depth_of_texture or depth_of_layer.

@vertex
fn cover(@builtin(vertex_index) number: u32) -> @builtin(position) vec4<f32> {
    let corner = vec2<f32>(f32((number << 1u) & 2u), f32(number & 2u));
    return vec4<f32>(corner * 2.0 - 1.0, 0.0, 1.0);
}

@fragment
fn grey(@builtin(position) at: vec4<f32>) -> @location(0) vec4<f32> {
    let value = clamp(depth_at(vec2<i32>(at.xy)), 0.0, 1.0);
    // Rounded here, since adapters round halves either way.
    return vec4<f32>(vec3<f32>(floor(value * 255.0 + 0.5) / 255.0), 1.0);
}

@fragment
fn depth_bits(@builtin(position) at: vec4<f32>) -> @location(0) vec4<f32> {
    let bits = vec4<u32>(bitcast<u32>(depth_at(vec2<i32>(at.xy))));
    return vec4<f32>((bits >> vec4<u32>(0u, 8u, 16u, 24u)) & vec4<u32>(255u)) / 255.0;
}
