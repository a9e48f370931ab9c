//! Everything that is made once, in frame 0.

use std::error::Error;
use std::ops::Range;

use aerogpu_replay::abi::a3a0::BufferBinding;
use aerogpu_replay::abi::a3a0::Text;
use aerogpu_replay::abi::a3a0::bindings::SetIndexBuffer;
use aerogpu_replay::abi::a3a0::calls::{COMPUTE, Element, PIXEL, R8G8B8A8, Stream, TRIANGLE_LIST, VERTEX};
use aerogpu_replay::abi::a3a0::resources::CreateTexture2d;
use aerogpu_replay::abi::a3a0::work::DebugMarker;
use aerogpu_replay::shader::d3d::assemble;

use super::super::matrix::{Vector, View, along, bytes, rounded, turned, unit};
use super::super::mesh::{Meshes, VERTEX_BYTES, flat_rectangle};
use super::super::{font, texture};

/// Size of the picture.
pub(crate) const PICTURE: [u32; 2] = [640, 360];
/// Size of the bloom: a quarter.
pub(crate) const BLOOM: [u32; 2] = [160, 90];
/// Side of the shadow map.
pub(crate) const SHADOW_SIDE: u32 = 1024;
/// Bytes from the matrix of one object to that of the next: constants begin at multiples of 256.
pub(crate) const OBJECT_BYTES: u32 = 256;

macro_rules! handles {
    ($($name:ident = $handle:literal, $text:literal;)*) => {
        $(#[doc = $text] pub(crate) const $name: u32 = $handle;)*
        /// Handles of resources and what they are called.
        const NAMES: &[(u32, &str)] = &[$(($handle, $text)),*];
    };
}

handles! {
    SCREEN = 1, "screen";
    SCENE = 2, "lit scene";
    DEPTH = 3, "scene depth";
    SHADOW = 4, "shadow map";
    BRIGHT = 5, "bright parts";
    PAVING = 10, "paving";
    BRICK = 11, "brick";
    MARBLE = 12, "marble";
    CRATE = 13, "crate";
    BARK = 14, "bark";
    LEAVES = 15, "leaves";
    LETTERS = 16, "letters";
    VERTICES = 20, "vertices";
    INDICES = 21, "indices";
    OFFSETS = 22, "offsets of instances";
    CAMERA = 23, "camera and light";
    OBJECTS = 24, "matrices of objects";
    SUN = 25, "direction to the sun";
    ROWS = 26, "bloom, rows blurred";
    BLURRED = 27, "bloom";
    OVERLAY = 28, "overlay vertices";
    HALO_VERTICES = 29, "halo vertices";
}

/// Layouts.
pub(crate) const MESH_LAYOUT: u32 = 40;
pub(crate) const FLAT_LAYOUT: u32 = 41;
/// Samplers.
pub(crate) const REPEATED: u32 = 45;
pub(crate) const POINT: u32 = 46;
/// Shaders.
pub(crate) const SCENE_VS: u32 = 50;
pub(crate) const SHADOW_VS: u32 = 51;
pub(crate) const FLAT_VS: u32 = 52;
pub(crate) const SHADOW_PS: u32 = 53;
pub(crate) const SCENE_PS: u32 = 54;
pub(crate) const SKY_PS: u32 = 55;
pub(crate) const LAMP_PS: u32 = 56;
pub(crate) const HALO_PS: u32 = 57;
pub(crate) const BRIGHT_PS: u32 = 58;
pub(crate) const COMPOSE_PS: u32 = 59;
pub(crate) const TEXT_PS: u32 = 60;
pub(crate) const ROWS_CS: u32 = 61;
pub(crate) const COLUMNS_CS: u32 = 62;

const SHADERS: [(u32, u32, &str); 13] = [
    (SCENE_VS, VERTEX, include_str!("shaders/scene.vs.asm")),
    (SHADOW_VS, VERTEX, include_str!("shaders/shadow.vs.asm")),
    (FLAT_VS, VERTEX, include_str!("shaders/flat.vs.asm")),
    (SHADOW_PS, PIXEL, include_str!("shaders/shadow.ps.asm")),
    (SCENE_PS, PIXEL, include_str!("shaders/scene.ps.asm")),
    (SKY_PS, PIXEL, include_str!("shaders/sky.ps.asm")),
    (LAMP_PS, PIXEL, include_str!("shaders/lamp.ps.asm")),
    (HALO_PS, PIXEL, include_str!("shaders/halo.ps.asm")),
    (BRIGHT_PS, PIXEL, include_str!("shaders/bright.ps.asm")),
    (COMPOSE_PS, PIXEL, include_str!("shaders/compose.ps.asm")),
    (TEXT_PS, PIXEL, include_str!("shaders/text.ps.asm")),
    (ROWS_CS, COMPUTE, include_str!("shaders/blur_rows.cs.asm")),
    (COLUMNS_CS, COMPUTE, include_str!("shaders/blur_columns.cs.asm")),
];

// DXGI formats of vertices.
const FLOAT3: u32 = 6;
const SNORM8X4: u32 = 31;
const FLOAT2: u32 = 16;
/// Slot of what is read for each instance.
const INSTANCES: u32 = 1;

const B5G5R5A1: u32 = 6;
const D32_FLOAT: u32 = 33;
const BC1: u32 = 64;

/// Direction to the sun.
const SUN_AT: Vector = [0.55, 0.75, 0.30];
/// Pillars of the courtyard, in a ring.
pub(crate) const PILLARS: u32 = 8;
const RING: f32 = 6.2;

/// Objects as ranges of indices.
pub(crate) struct Assets {
    meshes: Meshes,
    pub(crate) ground: Range<u32>,
    pub(crate) masonry: Range<u32>,
    pub(crate) pillar: Range<u32>,
    pub(crate) trunk: Range<u32>,
    pub(crate) crown: Range<u32>,
    pub(crate) crate_box: Range<u32>,
    pub(crate) lamp: Range<u32>,
    /// A triangle that covers a target.
    pub(crate) whole: Range<u32>,
    /// Rectangles of the overlay and the halo, as many as there may be.
    pub(crate) rectangles: Range<u32>,
}

/// Rectangles that the indices of [`Assets::rectangles`] are enough for.
pub(crate) const RECTANGLES: u16 = 40;

impl Assets {
    pub(crate) fn new() -> Self {
        let mut meshes = Meshes::default();
        let up = [0.0, 1.0, 0.0];
        let ground = meshes.object(|to| to.rectangle([0.0; 3], [13.0, 0.0, 0.0], [0.0, 0.0, 13.0], up, [13.0; 2]));
        let masonry = meshes.object(|to| {
            for (x, z) in [(0.0, 9.5), (0.0, -9.5), (9.5, 0.0), (-9.5, 0.0)] {
                let half = if x == 0.0 { [6.5, 0.45, 0.35] } else { [0.35, 0.45, 6.5] };
                to.block([x, 0.45, z], half, 2.0);
            }
            to.block([0.0, 0.3, 0.0], [1.6, 0.3, 1.6], 2.0);
        });
        let pillar = meshes.object(|to| {
            to.block([0.0, 0.2, 0.0], [0.65, 0.2, 0.65], 2.0);
            to.column([0.0, 0.4, 0.0], 3.4, [0.42, 0.36], 14);
            to.block([0.0, 3.95, 0.0], [0.6, 0.16, 0.6], 2.0);
        });
        let trunk = meshes.object(|to| to.column([0.0, 0.5, 0.0], 2.9, [0.34, 0.2], 9));
        let crown = meshes.object(|to| to.crown([0.0, 4.3, 0.0], 1.9, 56));
        let crate_box = meshes.object(|to| to.block([0.0, 0.75, 0.0], [0.75; 3], 1.5));
        let lamp = meshes.object(|to| to.ball(0.42, 8, 12));
        let whole = meshes.object(|to| {
            // Twice as wide and high as the target.
            to.rectangle([1.0, -1.0, 0.5], [2.0, 0.0, 0.0], [0.0, -2.0, 0.0], up, [2.0; 2]);
            to.indices.truncate(to.indices.len() - 3);
        });
        let rectangles = meshes.object(|to| {
            let corners = (0..RECTANGLES).flat_map(|number| [0, 1, 2, 2, 1, 3].map(|corner| 4 * number + corner));
            to.indices.extend(corners);
        });
        Self { meshes, ground, masonry, pillar, trunk, crown, crate_box, lamp, whole, rectangles }
    }

    /// The packets that make everything.
    pub(crate) fn load(&self) -> Result<Stream, Box<dyn Error>> {
        let mut stream = Stream::new();
        marker(&mut stream, "{ load");
        targets(&mut stream);
        textures(&mut stream);
        self.buffers(&mut stream);
        for (handle, stage, text) in SHADERS {
            let (code, _) = assemble(text)?;
            stream.container(handle, stage, &code);
        }
        for (handle, name) in NAMES {
            marker(&mut stream, &format!("name {handle} {name}"));
        }
        marker(&mut stream, "}");
        Ok(stream)
    }

    fn buffers(&self, stream: &mut Stream) {
        let mut indices: Vec<u8> = self.meshes.indices.iter().flat_map(|index| index.to_le_bytes()).collect();
        indices.resize(indices.len().next_multiple_of(4), 0);
        let mut offsets = vec![[0.0; 4]];
        for pillar in 0..PILLARS {
            let angle = std::f32::consts::TAU * (pillar as f32 + 0.5) / PILLARS as f32;
            let [[.., x], _, [.., z], _] = turned(0.0, [RING * angle.cos(), 0.0, RING * angle.sin()]);
            offsets.push([x, 0.0, z, 0.0]);
        }
        stream.buffer(VERTICES, &self.meshes.vertices).buffer(INDICES, &indices).buffer(OFFSETS, &bytes(&offsets));
        stream.empty_buffer(CAMERA, 128).empty_buffer(OBJECTS, 3 * u64::from(OBJECT_BYTES));
        stream.upload(OBJECTS, 0, &bytes(&turned(0.0, [0.0; 3])));
        let sun = unit(SUN_AT);
        let light = View::new(along([0.0, 1.0, 0.0], sun, 20.0), [0.0, 1.0, 0.0]).parallel(11.5, 40.0);
        stream.upload(CAMERA, 64, &bytes(&light));
        stream.buffer(SUN, &bytes(&[[sun[0], sun[1], sun[2], 0.0].map(rounded)]));
        let bloom_bytes = u64::from(BLOOM[0] * BLOOM[1] * 16);
        stream.empty_buffer(ROWS, bloom_bytes).empty_buffer(BLURRED, bloom_bytes);
        stream.buffer(OVERLAY, &overlay()).empty_buffer(HALO_VERTICES, 96);
        let mesh = [
            Element("POSITION", FLOAT3, 0, 0, 0),
            Element("NORMAL", SNORM8X4, 0, 12, 0),
            Element("TEXCOORD", FLOAT2, 0, 16, 0),
            Element("OFFSET", FLOAT3, INSTANCES, 0, 1),
        ];
        stream.layout(MESH_LAYOUT, &mesh).layout(FLAT_LAYOUT, &mesh[..3]);
        stream.sampler(0, REPEATED, 1, 1).sampler(1, POINT, 0, 0);
        // Bound for good.
        stream.topology(TRIANGLE_LIST).rasterizer(0, 0).vertex_buffer(INSTANCES, OFFSETS, 16, 0);
        stream.put(SetIndexBuffer { buffer: INDICES, format: 0, offset: 0, reserved: 0 });
        let camera = BufferBinding { buffer: CAMERA, offset_bytes: 0, size_bytes: 128, reserved: 0 };
        stream.constants_in(VERTEX, 0, camera).constants(SUN, 0, 16);
        stream.vertex_buffer(0, VERTICES, VERTEX_BYTES, 0);
        let at_rest = BufferBinding { buffer: OBJECTS, offset_bytes: 0, size_bytes: 64, reserved: 0 };
        stream.constants_in(VERTEX, 1, at_rest);
    }
}

fn targets(stream: &mut Stream) {
    stream.put(texture_of(SCREEN, R8G8B8A8, PICTURE, 1, 0x50)).put(texture_of(SCENE, R8G8B8A8, PICTURE, 1, 0x18));
    stream.put(texture_of(DEPTH, D32_FLOAT, PICTURE, 1, 0x20)).put(texture_of(BRIGHT, R8G8B8A8, BLOOM, 1, 0x18));
    stream.put(texture_of(SHADOW, D32_FLOAT, [SHADOW_SIDE; 2], 1, 0x28));
}

fn textures(stream: &mut Stream) {
    let stones: [(u32, texture::Pattern); 5] = [
        (PAVING, texture::paving),
        (BRICK, texture::brick),
        (MARBLE, texture::marble),
        (CRATE, texture::crate_side),
        (BARK, texture::bark),
    ];
    for (handle, color) in stones {
        stream.put(texture_of(handle, BC1, [texture::SIDE; 2], texture::MIPS, 8));
        stream.upload(handle, 0, &texture::compressed(color));
    }
    stream.put(texture_of(LEAVES, R8G8B8A8, [32; 2], 1, 8)).upload(LEAVES, 0, &texture::leaves());
    stream.put(texture_of(LETTERS, B5G5R5A1, font::ATLAS, 1, 8)).upload(LETTERS, 0, &font::atlas());
}

fn texture_of(handle: u32, format: u32, [width, height]: [u32; 2], mip_levels: u32, usage: u32) -> CreateTexture2d {
    CreateTexture2d {
        handle,
        usage,
        format,
        width,
        height,
        mip_levels,
        array_layers: 1,
        row_pitch: 0,
        backing_alloc_id: 0,
        backing_offset: 0,
        reserved: 0,
    }
}

/// A text for whoever reads the stream.
pub(crate) fn marker(stream: &mut Stream, text: &str) {
    let mut bytes = text.as_bytes().to_vec();
    // Packets end at a multiple of four.
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    stream.put(DebugMarker { text: Text(&bytes) });
}

/// The overlay's text, without the digits behind it.
pub(crate) const TITLE: &str = "THE COURTYARD           FRAME ";
/// Vertices of the overlay's strip, of its text and of room for two digits.
fn overlay() -> Vec<u8> {
    let strip = flat_rectangle([-1.0, -0.80, 1.0, -1.0], [0.06, 0.07, 0.09], font::place('█').unwrap_or_default());
    let title = (0..).zip(TITLE.chars()).flat_map(|(column, of)| letter(column, of));
    strip.into_iter().chain(title).chain([0; 2 * RECTANGLE_BYTES as usize]).collect()
}

/// Bytes of the vertices of a rectangle.
pub(crate) const RECTANGLE_BYTES: u32 = 4 * VERTEX_BYTES;

/// Vertices of a letter in a column of the overlay.
pub(crate) fn letter(column: u32, letter: char) -> Vec<u8> {
    let x = |px: u32| px as f32 / PICTURE[0] as f32 * 2.0 - 1.0;
    let y = |px: u32| 1.0 - px as f32 / PICTURE[1] as f32 * 2.0;
    let left = 28 + 18 * column;
    let rectangle = if letter == ' ' { [0.0; 4] } else { [x(left), y(331), x(left + 15), y(352)] };
    flat_rectangle(rectangle, [1.0, 0.93, 0.72], font::place(letter).unwrap_or_default())
}
