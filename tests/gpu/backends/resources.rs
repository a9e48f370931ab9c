//! Unbound slots and built-in values are the same on either backend.

/// A name, declarations at group 0, and a function's body as in the other table.
pub type Case = (&'static str, &'static str, &'static str);

/// Declarations: of a texture `t`, and of a sampler `s` or `c` for those that need it.
pub const CASES: &[Case] = &[
    ("1d of f32", "@group(0) @binding(0) var t: texture_1d<f32>;", "return pack4x8unorm(textureLoad(t, 0, 0));"),
    ("1d of i32", "@group(0) @binding(0) var t: texture_1d<i32>;", "return i4(textureLoad(t, 0, 0));"),
    ("1d of u32", "@group(0) @binding(0) var t: texture_1d<u32>;", "return u4(textureLoad(t, 0, 0));"),
    ("1d sampled", "@group(0) @binding(0) var t: texture_1d<f32>; SAMPLER", "return pack4x8unorm(textureSample(t, s, 0.5));"),
    ("1d dimensions", "@group(0) @binding(0) var t: texture_1d<f32>;", "return textureDimensions(t) + 16u * textureNumLevels(t);"),
    ("2d of f32", "@group(0) @binding(0) var t: texture_2d<f32>;", "return pack4x8unorm(textureLoad(t, vec2i(0), 0));"),
    ("2d of i32", "@group(0) @binding(0) var t: texture_2d<i32>;", "return i4(textureLoad(t, vec2i(0), 0));"),
    ("2d of u32", "@group(0) @binding(0) var t: texture_2d<u32>;", "return u4(textureLoad(t, vec2i(0), 0));"),
    ("2d past its edge", "@group(0) @binding(0) var t: texture_2d<f32>;", "return pack4x8unorm(textureLoad(t, q, 0));"),
    ("2d of u32 past its edge", "@group(0) @binding(0) var t: texture_2d<u32>;", "return u4(textureLoad(t, q, 0));"),
    ("2d past its levels", "@group(0) @binding(0) var t: texture_2d<f32>;", "return pack4x8unorm(textureLoad(t, vec2i(0), q.x));"),
    ("2d dimensions", "@group(0) @binding(0) var t: texture_2d<i32>;", "let d = textureDimensions(t); return d.x + 16u * d.y + 256u * textureNumLevels(t);"),
    ("2d sampled", "@group(0) @binding(0) var t: texture_2d<f32>; SAMPLER", "return pack4x8unorm(textureSample(t, s, vec2f(q) / 4.0));"),
    ("2d sampled in all ways", "@group(0) @binding(0) var t: texture_2d<f32>; SAMPLER", "let u = vec2f(p);
      return pack4x8unorm((textureSampleLevel(t, s, u, 1.0) + textureSampleBias(t, s, u, 1.0) + textureSampleGrad(t, s, u, u, u) + textureSample(t, s, u, vec2i(1, 2))) / 4.0);"),
    ("2d sampled at equal offsets", "@group(0) @binding(0) var t: texture_2d<f32>; SAMPLER", "return pack4x8unorm(textureSample(t, s, vec2f(p), vec2i(1)));"),
    ("2d gathered", "@group(0) @binding(0) var t: texture_2d<f32>; SAMPLER", "return pack4x8unorm(textureGather(3, t, s, vec2f(0.5)) / 2.0);"),
    ("2d of u32 gathered", "@group(0) @binding(0) var t: texture_2d<u32>; SAMPLER", "return u4(textureGather(3, t, s, vec2f(0.5)));"),
    ("2d array of f32", "@group(0) @binding(0) var t: texture_2d_array<f32>;", "return pack4x8unorm(textureLoad(t, vec2i(0), 0, 0));"),
    ("2d array of i32", "@group(0) @binding(0) var t: texture_2d_array<i32>;", "return i4(textureLoad(t, vec2i(0), 0, 0));"),
    ("2d array of u32", "@group(0) @binding(0) var t: texture_2d_array<u32>;", "return u4(textureLoad(t, vec2i(0), 0, 0));"),
    ("2d array's layers of f32", "@group(0) @binding(0) var t: texture_2d_array<f32>;", "return pack4x8unorm(textureLoad(t, vec2i(0), q.x, 0));"),
    ("2d array's layers of u32", "@group(0) @binding(0) var t: texture_2d_array<u32>;", "return u4(textureLoad(t, vec2i(0), p.x, 0));"),
    ("2d array sampled", "@group(0) @binding(0) var t: texture_2d_array<f32>; SAMPLER", "return pack4x8unorm(textureSample(t, s, vec2f(q), q.x));"),
    ("2d array's dimensions", "@group(0) @binding(0) var t: texture_2d_array<u32>;", "let d = textureDimensions(t); return d.x + 16u * d.y + 256u * textureNumLevels(t) + 4096u * textureNumLayers(t);"),
    ("2d array gathered", "@group(0) @binding(0) var t: texture_2d_array<i32>; SAMPLER", "return i4(textureGather(3, t, s, vec2f(0.5), 0));"),
    ("3d of f32", "@group(0) @binding(0) var t: texture_3d<f32>;", "return pack4x8unorm(textureLoad(t, vec3i(q, 0), 0));"),
    ("3d of i32", "@group(0) @binding(0) var t: texture_3d<i32>;", "return i4(textureLoad(t, vec3i(0), 0));"),
    ("3d of u32", "@group(0) @binding(0) var t: texture_3d<u32>;", "return u4(textureLoad(t, vec3i(0), 0));"),
    ("3d sampled", "@group(0) @binding(0) var t: texture_3d<f32>; SAMPLER", "return pack4x8unorm(textureSample(t, s, vec3f(vec2f(p), 0.5)));"),
    ("3d dimensions", "@group(0) @binding(0) var t: texture_3d<i32>;", "let d = textureDimensions(t); return d.x + 16u * d.y + 256u * d.z;"),
    ("cube", "@group(0) @binding(0) var t: texture_cube<f32>; SAMPLER", "return pack4x8unorm(textureSample(t, s, vec3f(vec2f(q), 1.5)));"),
    ("cube's dimensions", "@group(0) @binding(0) var t: texture_cube<f32>;", "let d = textureDimensions(t); return d.x + 16u * d.y + 256u * textureNumLevels(t);"),
    ("cube of u32 gathered", "@group(0) @binding(0) var t: texture_cube<u32>; SAMPLER", "return u4(textureGather(3, t, s, vec3f(vec2f(q), 1.5)));"),
    ("cube of i32 gathered", "@group(0) @binding(0) var t: texture_cube<i32>; SAMPLER", "return i4(textureGather(3, t, s, vec3f(vec2f(q), 1.5)));"),
    ("cube array", "@group(0) @binding(0) var t: texture_cube_array<f32>; SAMPLER", "return pack4x8unorm(textureSample(t, s, vec3f(vec2f(q), 1.5), p.x / 4));"),
    ("cube array's dimensions", "@group(0) @binding(0) var t: texture_cube_array<f32>;", "let d = textureDimensions(t); return d.x + 16u * d.y + 256u * textureNumLevels(t) + 4096u * textureNumLayers(t);"),
    ("cube array of u32 gathered", "@group(0) @binding(0) var t: texture_cube_array<u32>; SAMPLER", "return u4(textureGather(3, t, s, vec3f(vec2f(q), 1.5), 0));"),
    ("depth 2d loaded", "@group(0) @binding(0) var t: texture_depth_2d;", "return bitcast<u32>(textureLoad(t, vec2i(0), 0)) + 5u;"),
    ("depth 2d sampled", "@group(0) @binding(0) var t: texture_depth_2d; SAMPLER", "return bitcast<u32>(textureSample(t, s, vec2f(0.5))) + 5u;"),
    ("depth 2d compared", "@group(0) @binding(0) var t: texture_depth_2d; COMPARER", "return u32(255.0 * textureSampleCompare(t, c, vec2f(0.5), f32(q.x) / 4.0)) + 5u;"),
    ("depth 2d compared at a level", "@group(0) @binding(0) var t: texture_depth_2d; COMPARER", "return u32(255.0 * textureSampleCompareLevel(t, c, vec2f(0.5), f32(q.x) / 4.0)) + 5u;"),
    ("depth 2d gathered", "@group(0) @binding(0) var t: texture_depth_2d; COMPARER", "return pack4x8unorm(textureGatherCompare(t, c, vec2f(0.5), f32(q.x) / 4.0)) + 5u;"),
    ("depth 2d's dimensions", "@group(0) @binding(0) var t: texture_depth_2d;", "let d = textureDimensions(t); return d.x + 16u * d.y + 256u * textureNumLevels(t);"),
    ("depth 2d array compared", "@group(0) @binding(0) var t: texture_depth_2d_array; COMPARER", "return u32(255.0 * textureSampleCompare(t, c, vec2f(0.5), q.y, f32(q.x) / 4.0)) + 5u;"),
    ("depth 2d array loaded", "@group(0) @binding(0) var t: texture_depth_2d_array;", "return bitcast<u32>(textureLoad(t, vec2i(0), 0, 0)) + 5u;"),
    ("depth 2d array's dimensions", "@group(0) @binding(0) var t: texture_depth_2d_array;", "let d = textureDimensions(t); return d.x + 16u * d.y + 4096u * textureNumLayers(t);"),
    ("depth cube compared", "@group(0) @binding(0) var t: texture_depth_cube; COMPARER", "return u32(255.0 * textureSampleCompare(t, c, vec3f(vec2f(q), 1.5), f32(q.x) / 4.0)) + 5u;"),
    ("depth cube array compared", "@group(0) @binding(0) var t: texture_depth_cube_array; COMPARER", "return u32(255.0 * textureSampleCompare(t, c, vec3f(vec2f(q), 1.5), 0, f32(q.x) / 4.0)) + 5u;"),
    ("uniform", "struct U { a: vec3f, b: array<vec4i, 3>, m: mat3x3f } @group(0) @binding(0) var<uniform> u: U;", "return ib(u.b[q.x].y) + fb(u.m[q.y].z) + fb(u.a.x) + 7u;"),
    ("storage", "@group(0) @binding(0) var<storage> u: array<vec3u>;", "return u[p.x].y + arrayLength(&u) + 7u;"),
];

/// Shaders that GL can't draw, and the words of its error. Vulkan draws them.
pub const REFUSED_BY_GL: &[(&str, &str)] = &[
    ("1d of i32", "a 1D texture of integers, which can't be bound on GL"),
    ("1d of u32", "a 1D texture of integers, which can't be bound on GL"),
    ("depth 2d loaded", "`textureLoad` from depth textures is not supported in GLSL"),
    ("depth 2d array loaded", "`textureLoad` from depth textures is not supported in GLSL"),
    ("depth 2d sampled", "no matching function for call to `texture(sampler2DShadow, vec2)'"),
    ("the sample", "initializer of type int[1] cannot be assigned to variable of type uint"),
    ("a sample mask", "value of type uint cannot be assigned to variable of type int[1]"),
    ("fewer components", "declared as type `vec4', but fragment shader input declared as type `vec3'"),
];

/// Functions that cases use beside the other table's prelude.
pub const PRELUDE: &str = "
fn i4(v: vec4i) -> u32 { return u4(vec4u(v)); }
fn u4(v: vec4u) -> u32 { return v.x + v.y * 256u + v.z * 65536u + v.w * 16777216u + 3u; }
";
pub const SAMPLER: &str = "@group(0) @binding(1) var s: sampler;";
pub const COMPARER: &str = "@group(0) @binding(1) var c: sampler_comparison;";

/// Whole fragment stages, with varyings `tint` at location 0, whose four corners differ.
pub const STAGES: &[(&str, &str)] = &[
    (
        "the place",
        "@fragment fn f(@builtin(position) p: vec4f) -> @location(0) vec4f { return vec4f(p.xy / 64.0, p.z, p.w); }",
    ),
    (
        "front facing",
        "@fragment fn f(@builtin(front_facing) f: bool) -> @location(0) vec4f { return vec4f(f32(f), 0.5, 0.0, 1.0); }",
    ),
    (
        "the sample",
        "@fragment fn f(@builtin(sample_index) i: u32, @builtin(sample_mask) m: u32) -> @location(0) vec4f {
       return vec4f(vec2u(i, m).xyyy) / 255.0; }",
    ),
    (
        "a sample mask",
        "struct Out { @location(0) color: vec4f, @builtin(sample_mask) mask: u32 }
       @fragment fn f(@builtin(position) p: vec4f) -> Out { return Out(vec4f(1.0), u32(p.x) & 3u); }",
    ),
    (
        "discard",
        "@fragment fn f(@builtin(position) p: vec4f) -> @location(0) vec4f {
       if (u32(p.x) + u32(p.y)) % 3u == 0u { discard; } return vec4f(1.0); }",
    ),
    (
        "several outputs",
        "struct Out { @location(1) n: vec4u, @location(0) color: vec4f, @location(2) x: f32 }
       @fragment fn f(@location(0) tint: vec4f) -> Out { return Out(vec4u(7u), tint, 0.5); }",
    ),
    ("fewer components", "@fragment fn f(@location(0) tint: vec3f) -> @location(0) vec4f { return vec4f(tint, 1.0); }"),
    ("out of range", "@fragment fn f(@location(0) tint: vec4f) -> @location(0) vec4f { return tint * 3.0 - 1.0; }"),
];
