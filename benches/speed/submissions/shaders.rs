//! The scene's shaders: bytecode of both worlds, and what it says in WGSL.
//!
//! Vertices are handed on as they are; a pixel is a texel and the draw's tint, joined by one operation.

/// How texel and tint are joined, by the number of the shader.
pub(super) const OPERATIONS: [Operation; 4] = [
    Operation { sm2: 5, sm4: 0x38, wgsl: "texel * tint" },
    Operation { sm2: 2, sm4: 0x00, wgsl: "texel + tint" },
    Operation { sm2: 10, sm4: 0x33, wgsl: "min(texel, tint)" },
    Operation { sm2: 11, sm4: 0x34, wgsl: "max(texel, tint)" },
];

/// One operation, in three languages.
pub(super) struct Operation {
    sm2: u32,
    sm4: u32,
    wgsl: &'static str,
}

/// `vs_2_0` without declarations, which draws are not shifted for: `mov oPos, v0`, `mov oT0, v1`.
const SM2_VERTEX: [u32; 8] =
    [0xfffe_0200, 0x0200_0001, 0xc00f_0000, 0x90e4_0000, 0x0200_0001, 0xe00f_0000, 0x90e4_0001, 0xffff];

/// Elements of Direct3D 9: four floats of position, then two of texture coordinates.
pub(super) const DECLARATION: [u8; 24] = [0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 16, 0, 1, 0, 5, 0, 0xff, 0, 0, 0, 17, 0, 0, 0];

pub(super) fn sm2_vertex() -> Vec<u8> {
    bytes_of(&SM2_VERTEX)
}

/// `ps_2_0`: `dcl t0.xy`, `dcl_2d s0`, `texld r0, t0, s0`, the operation of r0 and c0, `mov oC0, r0`.
pub(super) fn sm2_pixel(operation: &Operation) -> Vec<u8> {
    let declared = [0xffff_0200, 0x0200_001f, 0x8000_0000, 0xb003_0000, 0x0200_001f, 0x9000_0000, 0xa00f_0800];
    let sampled = [0x0300_0042, 0x800f_0000, 0xb0e4_0000, 0xa0e4_0800];
    let joined = [0x0300_0000 | operation.sm2, 0x800f_0000, 0x80e4_0000, 0xa0e4_0000];
    let end = [0x0200_0001, 0x800f_0800, 0x80e4_0000, 0xffff];
    bytes_of(&[declared.as_slice(), &sampled, &joined, &end].concat())
}

/// The layout of the same vertices in Direct3D 10 and 11: POSITION, TEXCOORD.
pub(super) fn ilay() -> Vec<u8> {
    let hash = |name: &str| {
        name.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
    };
    let header = [0x5941_4c49, 1, 2, 0];
    let position = [hash("POSITION"), 0, 2, 0, 0, 0, 0];
    let coordinates = [hash("TEXCOORD"), 0, 16, 0, 16, 0, 0];
    bytes_of(&[header.as_slice(), &position, &coordinates].concat())
}

/// `vs_4_0`: `mov o0, v0`, `mov o1.xy, v1.xyxx`.
pub(super) fn sm4_vertex() -> Vec<u8> {
    let declared = [
        [0x0300_005f, 0x0010_10f2, 0].as_slice(),
        &[0x0300_005f, 0x0010_1032, 1],
        &[0x0400_0067, 0x0010_20f2, 0, 1],
        &[0x0300_0065, 0x0010_2032, 1],
    ];
    let code = [
        [0x0500_0036, 0x0010_20f2, 0, 0x0010_1e46, 0].as_slice(),
        &[0x0500_0036, 0x0010_2032, 1, 0x0010_1046, 1],
        &[0x0100_003e],
    ];
    let inputs = [("POSITION", 0, 0xf), ("TEXCOORD", 0, 3)];
    let outputs = [("SV_Position", 1, 0xf), ("TEXCOORD", 0, 3)];
    container([&inputs, &outputs], 0x0001_0040, &[declared.concat(), code.concat()].concat())
}

/// `ps_4_0`: `sample r0, v1.xyxx, t0, s0`, the operation of r0 and cb0\[0\] into o0.
pub(super) fn sm4_pixel(operation: &Operation) -> Vec<u8> {
    let declared = [
        [0x0400_0059, 0x0020_8e46, 0, 1].as_slice(),
        &[0x0300_005a, 0x0010_6000, 0],
        &[0x0400_1858, 0x0010_7000, 0, 0x5555],
        &[0x0300_1062, 0x0010_1032, 1],
        &[0x0300_0065, 0x0010_20f2, 0],
        &[0x0200_0068, 1],
    ];
    let code = [
        [0x0900_0045, 0x0010_00f2, 0, 0x0010_1046, 1, 0x0010_7e46, 0, 0x0010_6000, 0].as_slice(),
        &[0x0800_0000 | operation.sm4, 0x0010_20f2, 0, 0x0010_0e46, 0, 0x0020_8e46, 0, 0],
        &[0x0100_003e],
    ];
    let inputs = [("SV_Position", 1, 0xf), ("TEXCOORD", 0, 3)];
    let outputs = [("SV_Target", 64, 0xf)];
    container([&inputs, &outputs], 0x40, &[declared.concat(), code.concat()].concat())
}

/// Name, system value and mask of what is in a register of its own.
type Element = (&'static str, u32, u32);

/// A DXBC container of two signatures and a program; its digest is 0.
fn container([inputs, outputs]: [&[Element]; 2], version: u32, program: &[u32]) -> Vec<u8> {
    let length = program.len() as u32 + 2;
    let code = bytes_of(&[[version, length].as_slice(), program].concat());
    let chunks = [(*b"ISGN", signature(inputs)), (*b"OSGN", signature(outputs)), (*b"SHDR", code)];
    let mut body = Vec::new();
    let mut offsets = Vec::new();
    for (name, bytes) in &chunks {
        offsets.push(44 + body.len() as u32);
        body.extend(name);
        body.extend((bytes.len() as u32).to_le_bytes());
        body.extend(bytes);
    }
    let size = 44 + body.len() as u32;
    let head = [[0x4342_5844, 0, 0, 0, 0, 1, size, chunks.len() as u32].as_slice(), &offsets].concat();
    [bytes_of(&head), body].concat()
}

fn signature(elements: &[Element]) -> Vec<u8> {
    let mut words = vec![elements.len() as u32, 8];
    let mut names = Vec::new();
    for (register, (name, system_value, mask)) in (0..).zip(elements) {
        let name_at = 8 + elements.len() as u32 * 24 + names.len() as u32;
        // The component type is float.
        words.extend([name_at, 0, *system_value, 3, register, *mask]);
        names.extend(name.bytes().chain([0]));
    }
    names.resize(names.len().next_multiple_of(4), 0xab);
    [bytes_of(&words), names].concat()
}

/// The same in WGSL: texture, sampler and tint in one group.
pub(super) fn wgsl(operation: &Operation) -> String {
    format!(
        "struct Vertex {{ @builtin(position) position: vec4f, @location(0) at: vec2f }}
@group(0) @binding(0) var image: texture_2d<f32>;
@group(0) @binding(1) var nearest: sampler;
@group(0) @binding(2) var<uniform> tint: vec4f;
@vertex fn vs(@location(0) position: vec4f, @location(1) at: vec2f) -> Vertex {{
    return Vertex(position, at);
}}
@fragment fn fs(@location(0) at: vec2f) -> @location(0) vec4f {{
    let texel = textureSample(image, nearest, at);
    return {};
}}
",
        operation.wgsl
    )
}

fn bytes_of(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}
