//! Everything that is made once, in frame 0.

use std::error::Error;
use std::ops::Range;

use aerogpu_replay::abi::a3a0::bindings::{SetIndexBuffer, SetRenderState, SetSamplerState};
use aerogpu_replay::abi::a3a0::calls::{PIXEL, Stream, TRIANGLE_LIST, VERTEX};
use aerogpu_replay::abi::a3a0::resources::CreateTexture2d;
use aerogpu_replay::abi::a3a0::shaders::SetShaderConstantsF;
use aerogpu_replay::abi::a3a0::work::DebugMarker;
use aerogpu_replay::abi::a3a0::{Elements, Text};
use aerogpu_replay::shader::d3d::assemble;

use super::super::matrix::{Vector, unit};
use super::super::mesh::{Meshes, flat_rectangle};
use super::super::{font, texture};

/// Size of the picture.
pub(crate) const PICTURE: [u32; 2] = [640, 360];

macro_rules! handles {
    ($($name:ident = $handle:literal, $text:literal;)*) => {
        $(#[doc = $text] pub(crate) const $name: u32 = $handle;)*
        /// Handles of resources and what they are called.
        const NAMES: &[(u32, &str)] = &[$(($handle, $text)),*];
    };
}

handles! {
    SCREEN = 1, "back buffer";
    DEPTH = 2, "depth";
    HEATHER = 10, "heather";
    CRATE = 11, "crate";
    FIR = 12, "fir";
    FIREFLY = 13, "firefly";
    LETTERS = 14, "letters";
    VERTICES = 20, "vertices";
    INDICES = 21, "indices";
    TEXT = 22, "text vertices";
}

/// Shaders.
pub(crate) const LIT_VS: u32 = 30;
pub(crate) const FIREFLY_VS: u32 = 31;
pub(crate) const FLAT_VS: u32 = 32;
pub(crate) const TEXTURED_PS: u32 = 33;
pub(crate) const GLOW_PS: u32 = 34;
/// Vertex declaration.
const DECLARATION: u32 = 40;

const SHADERS: [(u32, u32, &str); 5] = [
    (LIT_VS, VERTEX, include_str!("shaders/lit.vs.asm")),
    (FIREFLY_VS, VERTEX, include_str!("shaders/firefly.vs.asm")),
    (FLAT_VS, VERTEX, include_str!("shaders/flat.vs.asm")),
    (TEXTURED_PS, PIXEL, include_str!("shaders/textured.ps.asm")),
    (GLOW_PS, PIXEL, include_str!("shaders/glow.ps.asm")),
];

/// Bytes of a vertex: position, normal, texture coordinates, all of them floats.
pub(crate) const VERTEX_BYTES: u32 = 32;

// Formats of textures.
const B8G8R8A8: u32 = 1;
const B8G8R8X8: u32 = 2;
const B5G5R5A1: u32 = 6;
const D24S8: u32 = 32;
const BC1: u32 = 64;

/// Render states of Direct3D 9, by their number.
pub(crate) mod state {
    pub(crate) const Z_ENABLE: u32 = 7;
    pub(crate) const Z_WRITE: u32 = 14;
    pub(crate) const ALPHA_TEST: u32 = 15;
    pub(crate) const SOURCE_BLEND: u32 = 19;
    pub(crate) const DESTINATION_BLEND: u32 = 20;
    pub(crate) const CULL: u32 = 22;
    pub(crate) const Z_FUNCTION: u32 = 23;
    pub(crate) const ALPHA_REFERENCE: u32 = 24;
    pub(crate) const ALPHA_FUNCTION: u32 = 25;
    pub(crate) const ALPHA_BLEND: u32 = 27;
    pub(crate) const FOG: u32 = 28;
    pub(crate) const FOG_COLOR: u32 = 34;
    pub(crate) const POINT_SIZE: u32 = 154;
    pub(crate) const POINT_SPRITE: u32 = 156;
    pub(crate) const POINT_SIZE_MAX: u32 = 166;
    pub(crate) const COLOR_WRITE: u32 = 168;
}

/// The fog's colour, as a CLEAR and as a render state have it.
pub(crate) const FOG: [f32; 4] = [178.0 / 255.0, 189.0 / 255.0, 204.0 / 255.0, 1.0];
const FOG_ARGB: u32 = 0xffb2_bdcc;

/// Fireflies, each a vertex.
pub(crate) const FIREFLIES: u32 = 40;
/// The text, without the digits behind it.
pub(crate) const TITLE: &str = "THE HEATH               FRAME ";

/// Objects as ranges of indices.
pub(crate) struct Objects {
    meshes: Meshes,
    pub(crate) ground: Range<u32>,
    pub(crate) firs: Range<u32>,
    pub(crate) crate_box: Range<u32>,
    pub(crate) letters: Range<u32>,
    /// The first vertex of the fireflies.
    pub(crate) first_firefly: u32,
    fireflies: Vec<u8>,
}

impl Objects {
    pub(crate) fn new() -> Self {
        let mut meshes = Meshes::default();
        let up = [0.0, 1.0, 0.0];
        let ground = meshes.object(|to| {
            // In tiles, since light and fog are those of the corners.
            for tile in 0..64 {
                let (x, z) = ((tile % 8) as f32 * 10.0 - 35.0, (tile / 8) as f32 * 10.0 - 35.0);
                to.rectangle([x, 0.0, z], [5.0, 0.0, 0.0], [0.0, 0.0, 5.0], up, [5.0; 2]);
            }
        });
        let firs = meshes.object(|to| {
            for number in 0..56 {
                let [x, z] = scattered(number, 34.0);
                // The way that the camera takes is free.
                let x = if x.abs() < 3.0 { x + 6.0 } else { x };
                let height = 2.0 + 0.9 * fraction(number * 7 + 3);
                for across in [[1.0, 0.0, 0.25], [-0.25, 0.0, 1.0]] {
                    let across = unit(across).map(|part| part * height * 0.5);
                    to.rectangle([x, height, z], across, [0.0, -height, 0.0], [0.0, 0.8, 0.0], [1.0; 2]);
                }
            }
        });
        let crate_box = meshes.object(|to| to.block([0.0, 0.5, 0.0], [0.5; 3], 1.0));
        let letters = meshes.object(|to| {
            let rectangles = 0..TITLE.len() as u16 + 2;
            to.indices.extend(rectangles.flat_map(|number| [0, 1, 2, 2, 1, 3].map(|corner| 4 * number + corner)));
        });
        let first_firefly = meshes.vertices.len() as u32 / super::super::mesh::VERTEX_BYTES;
        let fireflies = (0..FIREFLIES).flat_map(|number| {
            let [x, z] = scattered(number * 3 + 1, 12.0);
            super::super::mesh::vertex(
                [x, 0.8 + 1.4 * fraction(number + 5), z - 4.0],
                [fraction(number * 5), 0.0, 0.0],
                [0.0; 2],
            )
        });
        let fireflies = fireflies.collect();
        Self { meshes, ground, firs, crate_box, letters, first_firefly, fireflies }
    }

    /// Makes everything, and sets what stays as it is.
    pub(crate) fn load(&self, stream: &mut Stream) -> Result<(), Box<dyn Error>> {
        marker(stream, "{ load");
        textures(stream);
        let vertices = [widened(&self.meshes.vertices), widened(&self.fireflies)].concat();
        let mut indices: Vec<u8> = self.meshes.indices.iter().flat_map(|index| index.to_le_bytes()).collect();
        indices.resize(indices.len().next_multiple_of(4), 0);
        stream.buffer(VERTICES, &vertices).buffer(INDICES, &indices).buffer(TEXT, &text());
        stream.put(SetIndexBuffer { buffer: INDICES, format: 0, offset: 0, reserved: 0 });
        for (handle, stage, text) in SHADERS {
            let (code, _) = assemble(text)?;
            stream.container(handle, stage, &code);
        }
        // Stream, offset, type, method, usage, usage index: three floats, three floats, two floats.
        let elements = [
            [0, 0, 0, 0, 2, 0, 0, 0],
            [0, 0, 12, 0, 2, 0, 3, 0],
            [0, 0, 24, 0, 1, 0, 5, 0],
            [255, 0, 0, 0, 17, 0, 0, 0],
        ];
        stream.layout_of(DECLARATION, &elements.concat()).use_layout(DECLARATION);
        for (handle, name) in NAMES {
            marker(stream, &format!("name {handle} {name}"));
        }
        states(stream);
        stream.targets(&[SCREEN], DEPTH).viewport([0.0, 0.0, PICTURE[0] as f32, PICTURE[1] as f32]);
        stream.topology(TRIANGLE_LIST);
        marker(stream, "}");
        Ok(())
    }
}

fn states(stream: &mut Stream) {
    let states = [
        (state::Z_ENABLE, 1),
        (state::Z_WRITE, 1),
        // Less or equal.
        (state::Z_FUNCTION, 4),
        // None.
        (state::CULL, 1),
        (state::COLOR_WRITE, 0xf),
        (state::ALPHA_REFERENCE, 0x80),
        // Greater or equal.
        (state::ALPHA_FUNCTION, 7),
        (state::FOG_COLOR, FOG_ARGB),
        (state::POINT_SIZE_MAX, 64.0_f32.to_bits()),
        (state::POINT_SIZE, 1.0_f32.to_bits()),
    ];
    for (state, value) in states {
        set(stream, state, value);
    }
    // Linear filters, also between mips.
    for (state, value) in [(5, 2), (6, 2), (7, 2)] {
        stream.put(SetSamplerState { stage: PIXEL, slot: 0, state, value });
    }
    let sun = unit([0.5, 0.7, -0.4]).map(super::super::matrix::rounded);
    constants(stream, 4, &[[sun[0], sun[1], sun[2], 0.0], [0.75, 0.70, 0.60, 0.0], [0.38, 0.40, 0.45, 1.0]]);
    // Fog from 6 to 32 units away.
    constants(stream, 7, &[[-1.0 / 26.0, 32.0 / 26.0, 0.0, 0.0].map(super::super::matrix::rounded)]);
}

/// Sets a render state.
pub(crate) fn set(stream: &mut Stream, state: u32, value: u32) {
    stream.put(SetRenderState { state, value });
}

/// Sets registers of the vertex stage.
pub(crate) fn constants(stream: &mut Stream, start_register: u32, registers: &[[f32; 4]]) {
    let bytes = Elements::to_bytes(registers);
    if let Some(values) = Elements::new(&bytes) {
        let vec4_count = registers.len() as u32;
        stream.put(SetShaderConstantsF { stage: VERTEX, start_register, vec4_count, stage_ex: 0, values });
    }
}

/// A text for whoever reads the stream.
pub(crate) fn marker(stream: &mut Stream, text: &str) {
    let mut bytes = text.as_bytes().to_vec();
    // Packets end at a multiple of four.
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    stream.put(DebugMarker { text: Text(&bytes) });
}

fn textures(stream: &mut Stream) {
    let mut make = |handle, format, [width, height]: [u32; 2], mip_levels, usage| {
        let (array_layers, row_pitch, backing_alloc_id, backing_offset, reserved) = (1, 0, 0, 0, 0);
        stream.put(CreateTexture2d {
            handle,
            usage,
            format,
            width,
            height,
            mip_levels,
            array_layers,
            row_pitch,
            backing_alloc_id,
            backing_offset,
            reserved,
        });
    };
    make(SCREEN, B8G8R8X8, PICTURE, 1, 0x58);
    make(DEPTH, D24S8, PICTURE, 1, 0x20);
    make(HEATHER, BC1, [texture::SIDE; 2], texture::MIPS, 8);
    make(CRATE, BC1, [texture::SIDE; 2], texture::MIPS, 8);
    make(FIR, B8G8R8A8, [32, 64], 1, 8);
    make(FIREFLY, B8G8R8A8, [16, 16], 1, 8);
    make(LETTERS, B5G5R5A1, font::ATLAS, 1, 8);
    stream.upload(HEATHER, 0, &texture::compressed(heather)).upload(
        CRATE,
        0,
        &texture::compressed(texture::crate_side),
    );
    stream.upload(FIR, 0, &fir()).upload(FIREFLY, 0, &firefly()).upload(LETTERS, 0, &font::atlas());
}

/// Heather: green, with purple here and there.
fn heather(x: u32, y: u32) -> [f32; 3] {
    let shade = 0.55 + 0.35 * fraction(x * 57 + y * 131) + 0.1 * fraction(x / 8 * 7 + y / 8 * 29);
    if fraction(x / 3 * 17 + y / 2 * 71) > 0.72 {
        [0.55 * shade, 0.36 * shade, 0.56 * shade]
    } else {
        [0.36 * shade, 0.48 * shade, 0.22 * shade]
    }
}

/// A fir of four tiers on a trunk, in blue, green, red and alpha.
fn fir() -> Vec<u8> {
    let mut texels = Vec::new();
    for y in 0..64_u32 {
        for x in 0..32_u32 {
            let from_middle = (x as f32 - 15.5).abs();
            // A tier begins narrower than the one above ends.
            let wide = 1.0 + (y % 15) as f32 * 0.55 + (y / 15) as f32 * 2.1;
            let (is_green, is_trunk) = (y < 58 && from_middle < wide, y >= 56 && from_middle < 2.0);
            let shade = 0.45 + 0.35 * fraction(x * 31 + y * 17) + 0.2 * (y % 15) as f32 / 15.0;
            let [red, green, blue] = if is_green { [0.16, 0.40, 0.20] } else { [0.36, 0.26, 0.18] };
            texels.extend([blue, green, red].map(|part: f32| (part * shade * 255.0) as u8));
            texels.push(if is_green || is_trunk { 255 } else { 0 });
        }
    }
    texels
}

/// A round light that fades.
fn firefly() -> Vec<u8> {
    let texel = |number: u32| {
        let (x, y) = ((number % 16) as f32 - 7.5, (number / 16) as f32 - 7.5);
        let light = (1.0 - (x * x + y * y) / 60.0).max(0.0);
        [0.35, 0.95, 1.0].map(|part: f32| (part * light * light * 255.0) as u8)
    };
    (0..256).flat_map(|number| texel(number).into_iter().chain([255])).collect()
}

/// Vertices of the text and of room for two digits.
fn text() -> Vec<u8> {
    let vertices: Vec<u8> = (0..).zip(TITLE.chars()).flat_map(|(column, of)| letter(column, of)).collect();
    [widened(&vertices), vec![0; 2 * 4 * VERTEX_BYTES as usize]].concat()
}

/// Vertices of a letter in a column of the text.
pub(crate) fn letter(column: u32, letter: char) -> Vec<u8> {
    let x = |px: u32| px as f32 / PICTURE[0] as f32 * 2.0 - 1.0;
    let y = |px: u32| 1.0 - px as f32 / PICTURE[1] as f32 * 2.0;
    let left = 28 + 18 * column;
    let rectangle = if letter == ' ' { [0.0; 4] } else { [x(left), y(331), x(left + 15), y(352)] };
    flat_rectangle(rectangle, [0.0; 3], font::place(letter).unwrap_or_default())
}

/// Vertices whose normals are floats, as Direct3D 9 has no signed bytes.
pub(crate) fn widened(vertices: &[u8]) -> Vec<u8> {
    let widen = |vertex: &[u8]| {
        let normal = [12, 13, 14].map(|at| (f32::from(vertex[at] as i8) / 127.0).to_le_bytes()).concat();
        [&vertex[..12], &normal, &vertex[16..]].concat()
    };
    vertices.chunks_exact(super::super::mesh::VERTEX_BYTES as usize).flat_map(widen).collect()
}

/// A place for object `number`, up to `side` from the middle.
fn scattered(number: u32, side: f32) -> [f32; 2] {
    [fraction(number * 2), fraction(number * 2 + 1)].map(|part| (part * 2.0 - 1.0) * side)
}

/// A number from 0 to 1 that looks random.
fn fraction(number: u32) -> f32 {
    let mixed = number.wrapping_add(1).wrapping_mul(0x9e37_79b1);
    let mixed = (mixed ^ mixed >> 15).wrapping_mul(0x85eb_ca77);
    ((mixed ^ mixed >> 13) & 0xffff) as f32 / 65535.0
}

/// Where crates lie: place and size.
pub(crate) const CRATES: [(Vector, f32); 4] =
    [([-2.6, 0.0, 2.0], 1.4), ([-1.2, 0.0, 2.6], 1.0), ([-2.5, 1.4, 2.1], 0.9), ([3.2, 0.0, -3.0], 1.2)];
