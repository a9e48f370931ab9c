//! Rows about textures: each fills a texture, uses a view of it in one way, and shows what came of it.

use super::axes::{FilterAxis, FormatAxis, TextureKind, TextureRow, TextureUse, TextureView};
use super::model::{
    Color, TexelAt, bytes_of, depth_of, direction_to, face_of, gathered, mip_size_of, mips_of, sampled, shown_texel,
    size_of, texel, to_bytes,
};
use super::row::{RowVertex, SCREEN, SIDE, bind_shaders, bind_vertices, rectangle_of};
use super::shaders;
use super::stream::{Stream, Texels, cell};
use crate::command::{ResourceName, Shown};
use crate::error::Internal;
use crate::pixels::Size;

const TEXTURE: u32 = 20;
const VIEW: u32 = 21;
const TARGET: u32 = 22;
const COPY: u32 = 23;
const SAMPLER: u32 = 30;
/// Handle of the first view that depth is cleared through.
const FIRST_PART: u32 = 100;
/// Cells of the target along each axis.
const CELLS: u32 = 2;
/// Comparison that every depth passes.
const ALWAYS: u32 = 7;
/// Colours that are drawn: they are the same in every format.
const CLEARED: [f32; 4] = [0.0, 0.0, 1.0, 1.0];
const DRAWN: [f32; 4] = [1.0, 1.0, 0.0, 1.0];

/// Mips and layers that are seen, each `[first, count]`.
#[derive(Clone, Copy, Debug)]
struct Seen {
    mips: [u32; 2],
    layers: [u32; 2],
}

fn seen(row: &TextureRow) -> Seen {
    let (mips, layers) = (mips_of(row), row.kind.layers());
    let (all_mips, all_layers, last) = ([0, mips], [0, layers], [layers - 1, 1]);
    let (mips, layers) = match row.view {
        TextureView::Direct | TextureView::Whole => (all_mips, all_layers),
        TextureView::OneLayer => (all_mips, last),
        TextureView::OneMip => ([1, 1], all_layers),
        TextureView::MipOfLayer => ([1, 1], last),
        TextureView::Layers if row.kind.is_cube() => (all_mips, [6, 6]),
        TextureView::Layers => (all_mips, [1, layers - 1]),
    };
    Seen { mips, layers }
}

fn format_number(format: FormatAxis) -> u32 {
    match format {
        FormatAxis::Bgra8 => 1,
        FormatAxis::Rgba8 => 3,
        FormatAxis::B5g6r5 => 5,
        FormatAxis::B5g5r5a1 => 6,
        FormatAxis::Rgba8Srgb => 9,
        FormatAxis::D24S8 => 32,
        FormatAxis::D32 => 33,
        FormatAxis::Bc1 => 64,
    }
}

/// The kind of texture that the shader declares.
fn dimension(row: &TextureRow) -> &'static str {
    match row.kind {
        TextureKind::Plane => "texture2d",
        TextureKind::Cube | TextureKind::CubeEdges => "texturecube",
        TextureKind::CubeArray2 => "texturecubearray",
        _ if row.view == TextureView::OneLayer => "texture2d",
        _ => "texture2darray",
    }
}

/// One of the parts that a row reads: a mip and a layer, or a cube's face, counted from the first that is seen.
#[derive(Clone, Copy, Debug)]
struct Part {
    mip: u32,
    layer: u32,
}

/// Parts that a row reads, one for each cell. Gathers and comparisons read the first mip.
fn parts(row: &TextureRow) -> [Part; 4] {
    let Seen { mips: [_, mips], layers: [_, layers] } = seen(row);
    let last_mip = if matches!(row.used, TextureUse::Gathered | TextureUse::Compared) { 0 } else { mips - 1 };
    // Of an array that is declared as one layer the first is read.
    let last_layer = if dimension(row) == "texture2d" { 0 } else { layers - 1 };
    let first_layer = u32::from(row.kind.is_cube());
    [(0, first_layer), (0, last_layer), (last_mip, first_layer), (last_mip, last_layer)]
        .map(|(mip, layer)| Part { mip, layer })
}

/// Places of a cell's edges on the texture, from 0 to 1: along the columns, and along the rows.
fn edges(row: &TextureRow) -> [[f64; 2]; 2] {
    match (row.used, row.kind) {
        (TextureUse::Loaded, _) => [[0.0, 1.0]; 2],
        // No tie between two faces.
        (_, TextureKind::CubeEdges) => [[-0.25, 1.25], [-0.125, 1.125]],
        // No texel of a neighbouring face.
        _ if row.kind.is_cube() => [[0.1875, 0.8125]; 2],
        _ => [[-0.25, 1.25]; 2],
    }
}

/// Floats of a corner: coordinates, and the mip.
fn corner(row: &TextureRow, Part { mip, layer }: Part, [u, v]: [f64; 2]) -> [[f32; 4]; 2] {
    let (lod, layer_at) = (f64::from(mip), f64::from(layer));
    let coordinates = match row.used {
        TextureUse::Loaded => {
            let [width, height] = mip_size_of(row, mip + seen(row).mips.into_iter().next().unwrap_or(0));
            // Integers are cut off.
            [u * f64::from(width), v * f64::from(height), layer_at + 0.25, lod + 0.25]
        }
        _ if row.kind.is_cube() => {
            let [x, y, z] = direction_to(layer % 6, [u, v]);
            [x, y, z, f64::from(layer / 6)]
        }
        _ => [u, v, layer_at, 0.0],
    };
    [coordinates.map(|number| number as f32), [lod as f32, 0.0, 0.0, 0.0]]
}

fn corners(row: &TextureRow, part: Part) -> [[[f32; 4]; 2]; 4] {
    let [[left, right], [top, bottom]] = edges(row);
    [[left, top], [right, top], [left, bottom], [right, bottom]].map(|place| corner(row, part, place))
}

/// The pixel shader that reads the texture.
fn reader(row: &TextureRow) -> Result<Vec<u8>, Internal> {
    let kind = dimension(row);
    let mut declarations = vec![format!("dcl_resource_{kind} (float,float,float,float) t0")];
    let mode = if row.used == TextureUse::Compared { "mode_comparison" } else { "mode_default" };
    if row.used != TextureUse::Loaded {
        declarations.push(format!("dcl_sampler s0, {mode}"));
    }
    let lines: &[&str] = match row.used {
        TextureUse::Loaded => &["ftoi r0.xyzw, v1.xyzw", "ld r0.xyzw, r0.xyzw, t0.xyzw"],
        TextureUse::Gathered => &["gather4 r0.xyzw, v1.xyzw, t0.xyzw, s0.x"],
        TextureUse::Compared => {
            &["mov r0.xyzw, l(0.0, 0.0, 0.0, 1.0)", "sample_c_lz r0.x, v1.xyzw, t0.xxxx, s0, l(0.5)"]
        }
        _ => &["sample_l r0.xyzw, v1.xyzw, t0.xyzw, s0, v2.x"],
    };
    let mut lines: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
    lines.push("mov o0.xyzw, r0.xyzw".to_owned());
    shaders::pixel(&declarations, &lines)
}

/// Fills all mips of all layers.
fn fill(row: &TextureRow, stream: &mut Stream) {
    let (mips, layers, format) = (mips_of(row), row.kind.layers(), format_number(row.format));
    stream.texture(TEXTURE, format, size_of(row), [mips, layers]);
    let parts = (0..layers).flat_map(|layer| (0..mips).map(move |mip| (layer, mip)));
    if row.format.is_depth() {
        for (number, (layer, mip)) in (FIRST_PART..).zip(parts) {
            stream.view(number, TEXTURE, format, [mip, 1], [layer, 1]);
            stream.targets(&[], number).clear(2, CLEARED, depth_of(mip, layer));
        }
        stream.targets(&[SCREEN], 0);
    } else {
        let bytes: Vec<u8> = parts.flat_map(|(layer, mip)| bytes_of(row, mip, layer)).collect();
        stream.upload(TEXTURE, 0, &bytes);
    }
}

/// Handle through which the texture is used.
fn used_handle(row: &TextureRow) -> u32 {
    if row.view == TextureView::Direct { TEXTURE } else { VIEW }
}

/// The first mip and layer that are seen.
fn first_part(row: &TextureRow) -> (u32, u32) {
    let Seen { mips: [mip, _], layers: [layer, _] } = seen(row);
    (mip, layer)
}

/// Writes the packets of a row; gives which picture is looked at.
pub(super) fn write(row: &TextureRow, stream: &mut Stream) -> Result<Shown, Internal> {
    fill(row, stream);
    let format = format_number(row.format);
    if row.view != TextureView::Direct {
        let Seen { mips, layers } = seen(row);
        stream.view(VIEW, TEXTURE, format, mips, layers);
    }
    let (mip, layer) = first_part(row);
    let part = Shown::Target(ResourceName { handle: TEXTURE, mip, layer });
    let [width, height] = mip_size_of(row, mip);
    match row.used {
        TextureUse::ReadBack => Ok(part),
        TextureUse::Copied => {
            let from = Texels { texture: TEXTURE, mip, layer, at: [0; 2] };
            let to = Texels { texture: COPY, mip: 0, layer: 0, at: [0; 2] };
            stream.texture(COPY, format, [width, height], [1, 1]).copy_texels(to, from, [width, height]);
            Ok(Shown::Target(ResourceName::of(COPY)))
        }
        TextureUse::DrawnTo => {
            bind_shaders(stream, &shaders::vertex(&[], &[])?, &shaders::pixel_of_color()?);
            bind_vertices(stream, &rectangle_of([-1.0, 1.0, 0.0, -1.0], 0.25, [[DRAWN, [0.0; 4]]; 4]));
            stream.viewport([0.0, 0.0, width as f32, height as f32]);
            let target = used_handle(row);
            match row.format.is_depth() {
                true => stream.targets(&[], target).depth_test(Some(ALWAYS)),
                false => stream.targets(&[target], 0),
            };
            stream.clear(3, CLEARED, 1.0).draw(0, 6);
            Ok(part)
        }
        TextureUse::AlsoTarget => {
            stream.view(TARGET, TEXTURE, format, [0, 1], [0, 1]).targets(&[TARGET], 0);
            let [width, height] = size_of(row);
            stream.viewport([0.0, 0.0, width as f32, height as f32]);
            let [part, ..] = parts(row);
            read(row, stream, &rectangle_of([-1.0, 1.0, 1.0, -1.0], 0.5, corners(row, part)))?;
            Ok(Shown::Target(ResourceName { handle: TEXTURE, mip: 0, layer: 0 }))
        }
        TextureUse::Sampled | TextureUse::Loaded | TextureUse::Gathered | TextureUse::Compared => {
            let cells = (0..).zip(parts(row)).flat_map(|(number, part)| {
                rectangle_of(cell([number % CELLS, number / CELLS], [CELLS; 2]), 0.5, corners(row, part))
            });
            read(row, stream, &cells.collect::<Vec<RowVertex>>())?;
            Ok(Shown::default())
        }
    }
}

/// Draws vertices with what is used of the texture.
fn read(row: &TextureRow, stream: &mut Stream, vertices: &[RowVertex]) -> Result<(), Internal> {
    bind_shaders(stream, &shaders::vertex(&[], &[])?, &reader(row)?);
    bind_vertices(stream, vertices);
    stream.read(0, used_handle(row));
    if row.used != TextureUse::Loaded {
        stream.sampler(0, SAMPLER, u32::from(row.filter == FilterAxis::Linear), row.address as u32);
    }
    stream.draw(0, vertices.len() as u32);
    Ok(())
}

/// Colour that the shader reads of a part, at a place on the texture from 0 to 1.
fn color_at(row: &TextureRow, Part { mip, layer }: Part, place: [f64; 2]) -> Color {
    let (first_mip, first_layer) = first_part(row);
    let (mip, layer) = (mip + first_mip, layer + first_layer);
    if row.used == TextureUse::Compared {
        // The protocol has no comparing samplers: none of them passes.
        return [0.0, 0.0, 0.0, 1.0];
    }
    if row.used == TextureUse::Loaded {
        let [width, height] = mip_size_of(row, mip);
        let [u, v] = place;
        let (x, y) = ((u * f64::from(width)) as u32, (v * f64::from(height)) as u32);
        return texel(row, TexelAt { mip, layer, x, y });
    }
    let (layer, place) = match row.kind.is_cube() {
        true => {
            let (face, place) = face_of(direction_to(layer % 6, place));
            (layer / 6 * 6 + face, place)
        }
        false => (layer, place),
    };
    match row.used {
        TextureUse::Gathered => gathered(row, (mip, layer), place),
        _ => sampled(row, (mip, layer), place),
    }
}

/// Colours of a cell of so many pixels.
fn cell_colors(row: &TextureRow, part: Part, [width, height]: [u32; 2]) -> Vec<Vec<Color>> {
    let [columns, rows] = edges(row);
    let place = |[from, to]: [f64; 2], number: u32, count: u32| {
        from + (to - from) * (f64::from(number) + 0.5) / f64::from(count)
    };
    let color = |x, y| color_at(row, part, [place(columns, x, width), place(rows, y, height)]);
    (0..height).map(|y| (0..width).map(|x| color(x, y)).collect()).collect()
}

/// Size and texels of the picture, where the rule is exact.
pub(super) fn expected(row: &TextureRow) -> Option<(Size, Vec<u8>)> {
    let (mip, layer) = first_part(row);
    let of = |[width_px, height_px]: [u32; 2], rgba: Vec<u8>| Some((Size { width_px, height_px }, rgba));
    let size = mip_size_of(row, mip);
    let [width, height] = size;
    let pixels = || (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    match row.used {
        // How a picture shows depth is left to Vulkan.
        TextureUse::ReadBack | TextureUse::Copied | TextureUse::DrawnTo if row.format.is_depth() => None,
        TextureUse::ReadBack | TextureUse::Copied => {
            of(size, pixels().flat_map(|(x, y)| shown_texel(row, TexelAt { mip, layer, x, y })).collect())
        }
        TextureUse::DrawnTo => {
            let color = |x| if x < width / 2 { DRAWN } else { CLEARED };
            of(size, pixels().flat_map(|(x, _)| to_bytes(color(x).map(f64::from))).collect())
        }
        TextureUse::AlsoTarget => {
            let [part, ..] = parts(row);
            let size = size_of(row);
            let rows = cell_colors(row, part, size);
            // Whoever draws to a format of sRGB encodes what was decoded.
            let encode = |color: &Color| match row.format {
                FormatAxis::Rgba8Srgb => {
                    let [red, green, blue, alpha] = *color;
                    to_bytes([encoded(red), encoded(green), encoded(blue), alpha])
                }
                _ => to_bytes(*color),
            };
            of(size, rows.iter().flatten().flat_map(encode).collect())
        }
        TextureUse::Sampled | TextureUse::Loaded | TextureUse::Gathered | TextureUse::Compared => {
            let crosses_faces = row.kind == TextureKind::CubeEdges || row.kind.is_cube() && seen(row).mips != [1, 1];
            if row.filter == FilterAxis::Linear && crosses_faces {
                return None;
            }
            let side = SIDE / CELLS;
            let cells = parts(row).map(|part| cell_colors(row, part, [side, side]));
            let [a, b, c, d] = &cells;
            let halves = [(a, b), (c, d)];
            let lines = halves.iter().flat_map(|(left, right)| left.iter().zip(right.iter()));
            let colors = lines.flat_map(|(left, right)| left.iter().chain(right));
            of([SIDE; 2], colors.flat_map(|color| to_bytes(*color)).collect())
        }
    }
}

fn encoded(linear: f64) -> f64 {
    if linear <= 0.003_130_8 { linear * 12.92 } else { 1.055 * linear.powf(1.0 / 2.4) - 0.055 }
}
