//! The generated fixtures, one a semantic. `BLESS=1 cargo test` writes them to `fixtures/aerogpu`.

use aerogpu_trace::abi::reference::Packet;

use super::raw::RawTrace;
use super::scene::{BLACK, BLUE, FRAGMENT_WGSL, GREEN, RED, Scene, VERTEX_WGSL, rectangle, vertices};

/// A fixture's name and the function that makes its bytes.
pub type Fixture = (&'static str, fn() -> Vec<u8>);

/// Every generated fixture that replays.
pub const REPLAYABLE: &[Fixture] = &[
    ("interpolated", interpolated),
    ("frames", frames),
    ("layouts", layouts),
    ("clears", clears),
    ("upload_between_draws", upload_between_draws),
    ("redefinition", redefinition),
    ("viewport", viewport),
    ("loose_records", loose_records),
    ("entry_points", entry_points),
    ("vertex_index", vertex_index),
    ("neutral_resources", neutral_resources),
    ("glsl_only", glsl_only),
];

/// Every generated fixture, also those that this build only lists.
pub fn all() -> Vec<Fixture> {
    let mut all = REPLAYABLE.to_vec();
    all.push(("container_v2", container_v2));
    all
}

/// One triangle whose corners are red, green and blue.
pub fn interpolated() -> Vec<u8> {
    let mut scene = Scene::with_pipeline();
    let corners = [([-0.9, -0.9], RED), ([0.9, -0.9], GREEN), ([0.0, 0.9], BLUE)];
    let bytes: Vec<u8> = corners.iter().flat_map(|(position, color)| vertices(&[*position], *color)).collect();
    scene.viewport(96, 96).buffer(1, &bytes).bind(1).clear([0.25, 0.5, 0.75, 0.5]).draw(0, 3).end();
    scene.finish()
}

/// Four frames that live on what the first one made: the second draws over the first, the third changes a vertex
/// range, the fourth clears and draws nothing.
pub fn frames() -> Vec<u8> {
    let mut scene = Scene::with_pipeline();
    let left = vertices(&rectangle(-1.0, -1.0, 0.0, 1.0), RED);
    let right = vertices(&rectangle(0.0, -1.0, 1.0, 0.0), GREEN);
    scene.buffer(1, &[left, right].concat()).bind(1).clear(BLACK).draw(0, 6).end();
    scene.begin().draw(6, 6).end();
    let moved = vertices(&rectangle(0.0, 0.0, 1.0, 1.0), BLUE);
    scene.begin().upload(1, 144, &moved).draw(6, 6).end();
    scene.begin().clear([1.0, 1.0, 1.0, 0.0]).end();
    scene.finish()
}

/// Four quarters of the target, each from a vertex layout of its own.
pub fn layouts() -> Vec<u8> {
    let mut scene = Scene::with_pipeline();
    scene.clear(BLACK);
    // Top left: colour before position, stride 32 with a gap, vertices from 2 on.
    let padded = |position: &[f32; 2]| {
        let mut vertex = floats(&RED);
        vertex.extend(floats(&[9.0; 2]));
        vertex.extend(floats(position));
        vertex
    };
    let top_left: Vec<u8> = rectangle(-1.0, 0.0, 0.0, 1.0).iter().flat_map(padded).collect();
    scene.buffer(1, &[vec![0; 64], top_left].concat()).bind_layout(1, 32, 24, 0).draw(2, 6);
    // Top right: stride 27, which no GPU API takes, from an odd offset.
    let odd = |position: &[f32; 2]| {
        let mut vertex = floats(position);
        vertex.extend([7; 3]);
        vertex.extend(floats(&GREEN));
        vertex
    };
    let top_right: Vec<u8> = rectangle(0.0, 0.0, 1.0, 1.0).iter().flat_map(odd).collect();
    scene.buffer(2, &[vec![7; 5], top_right].concat()).bind_layout(2, 27, 5, 16).draw(0, 6);
    // Bottom left: positions tight at stride 8, the colour overlapping the positions of later vertices.
    let bottom_left = [floats(rectangle(-1.0, -1.0, 0.0, 0.0).as_flattened()), floats(&[0.0; 12])].concat();
    scene.buffer(3, &bottom_left).bind_layout(3, 8, 0, 16).draw(0, 6);
    // Bottom right: stride 0 gives every vertex the first colour; the positions are the shader's own.
    let corner = "struct Out { @builtin(position) at: vec4f, @location(0) color: vec4f }
    @vertex fn v(@builtin(vertex_index) n: u32, @location(1) color: vec4f) -> Out {
      let right = f32(n == 1u || n >= 4u);
      let bottom = f32(n >= 2u && n <= 4u);
      return Out(vec4f(right, -bottom, 0.0, 1.0), color);
    }";
    scene.shader(3, 0, corner).pipeline(2, 3, 2).packet(Packet::SetPipeline { pipeline_id: 2 });
    scene.buffer(4, &[vec![0; 4], floats(&BLUE)].concat()).bind_layout(4, 0, 0, 4).draw(0, 6);
    scene.end();
    scene.finish()
}

/// CLEAR covers the whole target at once, wherever it stands and whatever the viewport; the last one counts.
pub fn clears() -> Vec<u8> {
    let mut scene = Scene::with_pipeline();
    scene.buffer(1, &vertices(&rectangle(-1.0, -1.0, 1.0, 0.0), GREEN)).bind(1);
    scene.viewport(64, 64).clear(RED).draw(0, 6).end();
    scene.begin().viewport(16, 16).draw(0, 6).clear([0.0, 0.0, 1.0, 0.25]).draw(0, 6).end();
    scene.begin().draw(0, 6).clear([2.0, -1.0, 0.5, 1.0]).end();
    scene.finish()
}

/// One buffer drawn, overwritten in part, drawn again: each draw sees what was there in its turn.
pub fn upload_between_draws() -> Vec<u8> {
    let mut scene = Scene::with_pipeline();
    scene.buffer(1, &vertices(&rectangle(-1.0, -1.0, 0.0, 1.0), RED)).bind(1).clear(BLACK).draw(0, 6);
    scene.upload(1, 0, &vertices(&rectangle(0.0, 0.0, 1.0, 1.0), GREEN)).draw(0, 6);
    scene.upload(1, 0, &vertices(&rectangle(0.0, -1.0, 1.0, 0.0), BLUE));
    // Unaligned uploads of two bytes turn the blue of every vertex from 1.0 (00 00 80 3f) into 0.25 (00 00 80 3e).
    for vertex in 0..6 {
        scene.upload(1, vertex * 24 + 17, &[0, 0]).upload(1, vertex * 24 + 18, &[0x80, 0x3e]);
    }
    scene.draw(0, 6).end();
    scene.finish()
}

/// Ids made anew: what is bound stays, what is named from then on is the new object.
pub fn redefinition() -> Vec<u8> {
    let mut scene = Scene::with_pipeline();
    scene.clear(BLACK);
    scene.buffer(1, &vertices(&rectangle(-1.0, 0.0, 0.0, 1.0), RED)).bind(1);
    // Buffer 1 is another buffer now, but the old one is still bound: top left, red.
    scene.buffer(1, &vertices(&rectangle(0.0, 0.0, 1.0, 1.0), GREEN)).draw(0, 6);
    // Bound anew: top right, green.
    scene.bind(1).draw(0, 6);
    // Shader 2 is another shader now, but pipeline 1 was made of the old one: bottom left, blue.
    let white = "@fragment fn fs_main() -> @location(0) vec4<f32> { return vec4<f32>(1.0); }";
    scene.shader(2, 1, white);
    scene.buffer(2, &vertices(&rectangle(-1.0, -1.0, 0.0, 0.0), BLUE)).bind(2).draw(0, 6);
    // Pipeline 1 made anew and set: bottom right, white.
    scene.pipeline(1, 1, 2).packet(Packet::SetPipeline { pipeline_id: 1 });
    scene.buffer(3, &vertices(&rectangle(0.0, -1.0, 1.0, 0.0), RED)).bind(3).draw(0, 6).end();
    scene.finish()
}

/// The largest viewport is the target's size; a smaller one lies at its top left; 0×0 is all of it.
pub fn viewport() -> Vec<u8> {
    let mut scene = Scene::with_pipeline();
    scene.buffer(1, &vertices(&rectangle(-1.0, -1.0, 1.0, 1.0), RED));
    scene.buffer(2, &vertices(&rectangle(-1.0, -1.0, 1.0, 1.0), GREEN));
    scene.buffer(3, &vertices(&rectangle(-1.0, -1.0, 0.0, 0.0), BLUE));
    scene.viewport(96, 48).clear(BLACK).bind(1).draw(0, 6).viewport(32, 16).bind(2).draw(0, 6);
    scene.viewport(0, 0).bind(3).draw(0, 6).end();
    scene.finish()
}

/// Everything that may be loose: blobs before, between and after the frames that use them, packets with several
/// commands, frames without BeginFrame, without Present, with neither, and one with a Present record alone.
pub fn loose_records() -> Vec<u8> {
    let mut trace = RawTrace::new();
    trace.blob(1, 1, &vertices(&rectangle(-1.0, 0.0, 0.0, 1.0), RED));
    trace.blob(4, 4, VERTEX_WGSL.as_bytes());
    // Frame 0, without Present: references blob 5, which comes after it.
    let start = trace.offset();
    trace.begin(0);
    trace.packet(&[3, 10, 1, 0, 0, 0, 4, 0, 0, 0, 3, 10, 2, 1, 0, 0, 5, 0, 0, 0, 4, 5, 1, 1, 2]);
    trace.packet(&[1, 5, 1, 144, 0, 2, 7, 1, 0, 144, 1, 0, 5, 3, 1, 6, 6, 1, 24, 0, 8]);
    trace.packet(&[8, 6, 0, 0, 0, 1.0f32.to_bits(), 9, 4, 6, 0]);
    trace.frame_since(start);
    // Between frames: blob 1 is defined anew.
    trace.blob(1, 1, &vertices(&rectangle(0.0, 0.0, 1.0, 1.0), GREEN));
    trace.blob(5, 4, FRAGMENT_WGSL.as_bytes());
    // Frame 1, without BeginFrame, and an empty packet.
    let start = trace.offset();
    trace.packet(&[2, 7, 1, 0, 144, 1, 0]).packet(&[]).packet(&[9, 4, 6, 0]);
    let present = trace.offset();
    trace.present(1);
    let end = trace.offset();
    trace.entry(start, present, end);
    // Frame 2: a Present record alone.
    let start = trace.offset();
    trace.present(2);
    let end = trace.offset();
    trace.entry(start, start, end);
    // Frame 3: neither record, and a blob first.
    let start = trace.offset();
    trace.blob(9, 1, &vertices(&rectangle(0.0, -1.0, 1.0, 0.0), BLUE));
    trace.packet(&[2, 7, 1, 0, 144, 9, 0, 9, 4, 6, 0]);
    trace.frame_since(start);
    trace.blob(10, 2, b"nobody asks for this texture");
    trace.finish()
}

/// Entry points of other names, both stages in one text, and all commands in one Packet record.
pub fn entry_points() -> Vec<u8> {
    let both = "\
struct Corner { @builtin(position) at: vec4f, @location(3) tint: vec3f }
@fragment fn paint(@location(3) tint: vec3f) -> @location(0) vec4f { return vec4f(tint, 1.0); }
@vertex fn place(@location(1) color: vec4f, @location(0) position: vec4f) -> Corner {
  return Corner(position, color.gbr);
}
@compute @workgroup_size(1) fn unused() {}
";
    let mut scene = Scene::new();
    let blob_id = scene.blob(aerogpu_trace::container::BlobKind::ShaderWgsl, both.as_bytes());
    let shader = |shader_id, stage| Packet::CreateShader {
        shader_id,
        stage,
        glsl_blob_id: 0,
        wgsl_blob_id: blob_id,
        dxbc_blob_id: 0,
    };
    scene.begin();
    scene.packets(&[
        shader(7, 0),
        shader(8, 1),
        Packet::CreatePipeline { pipeline_id: 9, vs_shader_id: 7, fs_shader_id: 8 },
        Packet::SetPipeline { pipeline_id: 9 },
        Packet::Clear { r: 0.0, g: 0.0, b: 0.0, a: 1.0 },
    ]);
    scene.buffer(1, &vertices(&rectangle(-0.5, -0.5, 0.5, 0.5), RED)).bind(1).draw(0, 6).end();
    scene.finish()
}

/// A vertex shader that makes its own positions, without a buffer; and one that wants numbers as well as gathered
/// vertices, which must still be the guest's.
pub fn vertex_index() -> Vec<u8> {
    let own = "@vertex fn v(@builtin(vertex_index) n: u32) -> @builtin(position) vec4f {
      return vec4f(f32(n & 1u) * 2.0 - 1.0, f32((n >> 1u) & 1u), 0.0, 1.0);
    }";
    let green = "@fragment fn f() -> @location(0) vec4f { return vec4f(0.0, 1.0, 0.0, 1.0); }";
    let numbered = "struct Out { @builtin(position) at: vec4f, @location(0) tint: vec4f }
    @vertex fn v(@builtin(vertex_index) n: u32, @location(0) at: vec2f) -> Out {
      return Out(vec4f(at, 0.0, 1.0), select(vec4f(1.0, 0.0, 0.0, 1.0), vec4f(0.0, 0.0, 1.0, 1.0), n >= 3u));
    }";
    let mut scene = Scene::new();
    scene.begin().clear(BLACK).shaders(1, 2, own, green).pipeline(1, 1, 2);
    scene.packet(Packet::SetPipeline { pipeline_id: 1 }).draw(0, 3);
    scene.shaders(3, 4, numbered, FRAGMENT_WGSL).pipeline(2, 3, 4);
    let positions: Vec<u8> =
        rectangle(-1.0, -1.0, 1.0, 0.0).iter().flat_map(|at| [floats(at), vec![0]].concat()).collect();
    let blank = vec![0; 27];
    scene.buffer(1, &[blank, positions].concat()).bind_layout(1, 9, 0, 0);
    scene.packet(Packet::SetPipeline { pipeline_id: 2 }).draw(3, 6).end();
    scene.finish()
}

/// Resources to which the ABI binds nothing: uniforms are zero, textures (0, 0, 0, 1).
pub fn neutral_resources() -> Vec<u8> {
    let vertex = "struct Shift { by: vec2f, times: array<vec4f, 3> }
    @group(0) @binding(0) var<uniform> shift: Shift;
    @vertex fn v(@location(0) at: vec2f) -> @builtin(position) vec4f {
      return vec4f(at + shift.by + shift.times[2].xy, 0.0, 1.0);
    }";
    let fragment = "@group(0) @binding(1) var image: texture_2d<f32>;
    @group(2) @binding(0) var pick: sampler;
    @group(2) @binding(1) var<storage, read> weights: array<f32>;
    @group(2) @binding(2) var cube: texture_cube<f32>;
    @group(2) @binding(3) var layers: texture_2d_array<u32>;
    @fragment fn f() -> @location(0) vec4f {
      let texel = textureSampleLevel(image, pick, vec2f(0.5), 0.0);
      let cubic = textureSampleLevel(cube, pick, vec3f(0.0, 0.0, 1.0), 0.0);
      let layer = textureLoad(layers, vec2u(0u), 0, 0);
      return vec4f(cubic.a, f32(layer.a) * 0.5, weights[0] + texel.r, texel.a);
    }";
    let mut scene = Scene::new();
    scene.begin().clear(BLACK).shaders(1, 2, vertex, fragment).pipeline(1, 1, 2);
    scene.packet(Packet::SetPipeline { pipeline_id: 1 });
    scene.buffer(1, &vertices(&rectangle(-0.5, -0.5, 0.5, 0.5), RED)).bind(1).draw(0, 6).end();
    scene.finish()
}

/// Shaders in GLSL ES 3.00 alone: attributes without locations, a flat varying, GL's depth range and lower left
/// origin, a uniform and a texture to which nothing is bound.
pub fn glsl_only() -> Vec<u8> {
    let vertex = "#version 300 es
in vec4 tint_color;
in vec2 vertex_position;
flat out vec4 tint;
void main() {
  tint = tint_color;
  gl_Position = vec4(vertex_position, -0.5, 1.0);
}
";
    let fragment = "#version 300 es
precision mediump float;
flat in vec4 tint;
uniform vec4 shift;
uniform sampler2D image;
out vec4 color;
void main() {
  color = gl_FragCoord.y < 16.0 ? vec4(0.0, texture(image, vec2(0.5)).a, 0.0, 1.0) : tint + shift;
}
";
    let mut scene = Scene::new();
    scene.begin().glsl_shader(1, 0, vertex).glsl_shader(2, 1, fragment).pipeline(1, 1, 2);
    scene.packet(Packet::SetPipeline { pipeline_id: 1 });
    let corners = [([-1.0, -1.0], RED), ([3.0, -1.0], GREEN), ([-1.0, 3.0], BLUE)];
    let bytes: Vec<u8> = corners.iter().flat_map(|(position, color)| vertices(&[*position], *color)).collect();
    scene.viewport(64, 64).buffer(1, &bytes).bind(1).clear(BLACK).draw(0, 3).end();
    scene.finish()
}

/// Container version 2: a ring submission with an A3A0 stream, an allocation table and a memory range.
pub fn container_v2() -> Vec<u8> {
    let mut trace = RawTrace::new();
    (trace.version, trace.abi) = (2, 0x0001_0004);
    trace.meta = br#"{"emulator_version":"test","command_abi_version":65540}"#.to_vec();
    let start = trace.offset();
    trace.begin(0);
    trace.blob(1, 0x100, b"ACMD\x04\x00\x01\x00\x18\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00");
    trace.blob(2, 0x101, b"ALOC\x04\x00\x01\x00\x18\x00\x00\x00\x00\x00\x00\x00\x20\x00\x00\x00\x00\x00\x00\x00");
    trace.blob(3, 0x102, &[0xab; 16]);
    let mut submission = Vec::new();
    for field in [1u32, 56, 1, 7, 0, 0] {
        submission.extend_from_slice(&field.to_le_bytes());
    }
    for field in [42u64, 1, 2, 1, 5, 0x1000, 16, 3] {
        submission.extend_from_slice(&field.to_le_bytes());
    }
    trace.record(5, &submission);
    let present = trace.offset();
    trace.present(0);
    let end = trace.offset();
    trace.entry(start, present, end);
    trace.finish()
}

fn floats(floats: &[f32]) -> Vec<u8> {
    floats.iter().flat_map(|float| float.to_le_bytes()).collect()
}
