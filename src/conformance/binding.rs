//! Rows about numbers of bindings: a shader adds up what it finds in each slot.

use super::axes::{BindingRow, BoundKind, BoundStage, BoundState};
use super::row::{LAYOUT, RowVertex, SCREEN, SIDE, VERTICES, bind_shaders, bind_vertices, rectangle_of};
use super::shaders;
use super::stream::{Element, FLOAT4, PIXEL, R8G8B8A8, Stream, VERTEX, WHOLE, floats, layout_of};
use crate::error::Internal;
use crate::pixels::Size;

/// Handle of what slot 0 holds; the next slots hold the next ones.
const FIRST: u32 = 200;
const SAMPLER: u32 = 30;
const COMPARING: u32 = 31;
const D32: u32 = 33;
const ELEMENT_LAYOUT: u32 = 40;
/// Step of a channel.
const STEP: f32 = 1.0 / 255.0;
/// Names of vertex elements behind the position.
const NAMES: [&str; 31] = [
    "EA", "EB", "EC", "ED", "EE", "EF", "EG", "EH", "EI", "EJ", "EK", "EL", "EM", "EN", "EO", "EP", "EQ", "ER", "ES",
    "ET", "EU", "EV", "EW", "EX", "EY", "EZ", "FA", "FB", "FC", "FD", "FE",
];

/// Steps of red, green and blue that a slot adds.
fn steps(row: &BindingRow, slot: u32) -> [u8; 3] {
    if row.state == BoundState::Unbound {
        return [0; 3];
    }
    match row.kind {
        // Every other one repeats the texture, where it reads nothing.
        BoundKind::Samplers => [u8::from(slot.is_multiple_of(2)), 0, 0],
        // The first element is the position.
        BoundKind::Elements if slot == 0 => [0; 3],
        BoundKind::DepthTextures => [1, 0, 0],
        _ => [1, u8::from(slot.is_multiple_of(2)), u8::from(slot == row.count.number() - 1)],
    }
}

/// Declaration of a slot, and the lines that read it into `r1`.
fn slot_text(row: &BindingRow, slot: u32) -> (String, String) {
    let texture = |kind: &str| format!("dcl_resource_{kind} (float,float,float,float) t{slot}");
    match row.kind {
        BoundKind::Textures => (texture("texture2d"), format!("ld r1.xyzw, l(0, 0, 0, 0), t{slot}.xyzw")),
        BoundKind::ArrayTextures => (texture("texture2darray"), format!("ld r1.xyzw, l(0, 0, 1, 0), t{slot}.xyzw")),
        BoundKind::Cubes => {
            (texture("texturecube"), format!("sample_l r1.xyzw, l(0.0, -1.0, 0.0, 0.0), t{slot}.xyzw, s0, l(0.0)"))
        }
        BoundKind::DepthTextures if row.state == BoundState::Unbound => {
            (texture("texture2d"), format!("sample_c_lz r1.x, l(0.5, 0.5, 0.0, 0.0), t{slot}.xxxx, s1, l(0.5)"))
        }
        BoundKind::DepthTextures => (texture("texture2d"), format!("ld r1.xyzw, l(0, 0, 0, 0), t{slot}.xyzw")),
        BoundKind::Samplers => (
            format!("dcl_sampler s{slot}, mode_default"),
            format!("sample_l r1.xyzw, l(1.25, 0.5, 0.0, 0.0), t0.xyzw, s{slot}, l(0.0)"),
        ),
        BoundKind::Constants => {
            (format!("dcl_constantbuffer cb{slot}[1], immediateIndexed"), format!("mov r1.xyzw, cb{slot}[0].xyzw"))
        }
        BoundKind::Buffers => (format!("dcl_resource_raw t{slot}"), format!("ld_raw r1.xyzw, l(0), t{slot}.xyzw")),
        BoundKind::Elements => (String::new(), String::new()),
    }
}

/// Declarations and lines of a shader that adds up all slots.
fn text(row: &BindingRow, output: &str) -> (Vec<String>, Vec<String>) {
    let mut declarations = Vec::new();
    match row.kind {
        BoundKind::Cubes => declarations.push("dcl_sampler s0, mode_default".to_owned()),
        BoundKind::DepthTextures if row.state == BoundState::Unbound => {
            declarations.push("dcl_sampler s1, mode_comparison".to_owned());
        }
        BoundKind::Samplers => declarations.push("dcl_resource_texture2d (float,float,float,float) t0".to_owned()),
        _ => {}
    }
    let mut lines =
        vec!["mov r0.xyzw, l(0.0, 0.0, 0.0, 1.0)".to_owned(), "mov r1.xyzw, l(0.0, 0.0, 0.0, 0.0)".to_owned()];
    for slot in 0..row.count.number() {
        let (declaration, line) = slot_text(row, slot);
        declarations.push(declaration);
        lines.extend([line, "add r0.xyz, r0.xyzx, r1.xyzx".to_owned()]);
    }
    lines.push(format!("mov {output}.xyzw, r0.xyzw"));
    (declarations, lines)
}

/// Makes and binds what a slot holds.
fn bind(row: &BindingRow, stream: &mut Stream, slot: u32, stage: u32) {
    let handle = FIRST + slot;
    let [red, green, blue] = steps(row, slot);
    let texel = [red, green, blue, 255];
    match row.kind {
        BoundKind::Textures => {
            stream.texture(handle, R8G8B8A8, [1, 1], [1, 1]).upload(handle, 0, &texel).read_in(stage, slot, handle);
        }
        BoundKind::ArrayTextures => {
            stream.texture(handle, R8G8B8A8, [1, 1], [1, 2]).upload(handle, 4, &texel).read_in(stage, slot, handle);
        }
        BoundKind::Cubes => {
            // Down is the fourth face.
            stream.texture(handle, R8G8B8A8, [1, 1], [1, 6]).upload(handle, 12, &texel).read_in(stage, slot, handle);
        }
        BoundKind::DepthTextures => {
            stream.texture(handle, D32, [1, 1], [1, 1]).targets(&[], handle).clear(2, [0.0; 4], STEP);
            stream.read_in(stage, slot, handle);
        }
        BoundKind::Samplers => {
            let address = slot % 2;
            stream.sampler(slot, SAMPLER + slot, 0, address).use_sampler(stage, slot, SAMPLER + slot);
        }
        BoundKind::Constants | BoundKind::Buffers => {
            let values = [red, green, blue, 255].map(|steps| f32::from(steps) * STEP);
            let is_constant = row.kind == BoundKind::Constants;
            stream.buffer(handle, &floats(&values)).read_buffer(stage, slot, (handle, is_constant));
        }
        BoundKind::Elements => {}
    }
}

/// Writes the packets of a row.
pub(super) fn write(row: &BindingRow, stream: &mut Stream) -> Result<(), Internal> {
    if row.kind == BoundKind::Elements {
        return write_elements(row, stream);
    }
    let stage = if row.stage == BoundStage::Vertex { VERTEX } else { PIXEL };
    let (vertex, pixel) = match row.stage {
        BoundStage::Vertex => {
            let (declarations, lines) = text(row, "o1");
            (shaders::vertex(&declarations, &lines)?, shaders::pixel_of_color()?)
        }
        BoundStage::Pixel => {
            let (declarations, lines) = text(row, "o0");
            (shaders::vertex(&[], &[])?, shaders::pixel(&declarations, &lines)?)
        }
    };
    if row.kind == BoundKind::Samplers {
        // The first texel is zeros.
        let texels = [0, 0, 0, 255, 1, 0, 0, 255];
        stream.texture(FIRST, R8G8B8A8, [2, 1], [1, 1]).upload(FIRST, 0, &texels).read_in(stage, 0, FIRST);
    }
    if row.kind == BoundKind::Cubes {
        stream.sampler(0, SAMPLER, 0, 0).use_sampler(stage, 0, SAMPLER);
    }
    if row.kind == BoundKind::DepthTextures {
        stream.sampler(1, COMPARING, 0, 0).use_sampler(stage, 1, COMPARING);
    }
    if row.state == BoundState::Bound {
        (0..row.count.number()).for_each(|slot| bind(row, stream, slot, stage));
    }
    stream.targets(&[SCREEN], 0);
    bind_shaders(stream, &vertex, &pixel);
    let vertices: [RowVertex; 6] = rectangle_of(WHOLE, 0.5, [[[0.0; 4]; 2]; 4]);
    bind_vertices(stream, &vertices);
    stream.draw(0, 6);
    Ok(())
}

fn write_elements(row: &BindingRow, stream: &mut Stream) -> Result<(), Internal> {
    let count = row.count.number();
    let names: Vec<&'static str> = NAMES.into_iter().take(count as usize - 1).collect();
    let mut elements = vec![Element("POSITION", FLOAT4, 0, 0, 0)];
    elements.extend((1..).zip(&names).map(|(number, name)| Element(name, FLOAT4, 0, number * 16, 0)));
    let values = (1..count).flat_map(|slot| {
        let [red, green, blue] = steps(row, slot).map(|steps| f32::from(steps) * STEP);
        [red, green, blue, 1.0]
    });
    let values: Vec<f32> = values.collect();
    let vertices = rectangle_of(WHOLE, 0.5, [[[0.0; 4]; 2]; 4]);
    let bytes = vertices.iter().flat_map(|[position, ..]| floats(&[position.as_slice(), &values].concat()));
    stream.buffer(VERTICES, &bytes.collect::<Vec<u8>>()).vertex_buffer(0, VERTICES, count * 16, 0);
    stream.layout_of(ELEMENT_LAYOUT, &layout_of(&elements)).use_layout(ELEMENT_LAYOUT);
    bind_shaders(stream, &shaders::vertex_of_sum(&names)?, &shaders::pixel_of_color()?);
    stream.draw(0, 6).use_layout(LAYOUT);
    Ok(())
}

/// Size and texels of the picture: the sum of all slots.
pub(super) fn expected(row: &BindingRow) -> (Size, Vec<u8>) {
    let mut sum = [0_u8, 0, 0, 255];
    for slot in 0..row.count.number() {
        for (sum, steps) in sum.iter_mut().zip(steps(row, slot)) {
            *sum = sum.saturating_add(steps);
        }
    }
    (Size { width_px: SIDE, height_px: SIDE }, sum.repeat((SIDE * SIDE) as usize))
}
