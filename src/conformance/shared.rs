//! Rows about compute shaders: threads leave numbers in shared memory, wait for each other, and take others' out.

use super::axes::{SharedForm, SharedRow};
use super::row::{PIXEL_SHADER, SIDE, VERTEX_SHADER, bind_shaders, bind_vertices, rectangle_of};
use super::shaders;
use super::stream::{COMPUTE, PIXEL, Stream, WHOLE};
use crate::error::Internal;
use crate::pixels::Size;

const COMPUTE_SHADER: u32 = 20;
const RESULTS: u32 = 21;
/// Numbers that a group has room for, and groups.
const GROUP_WORDS: u32 = 1024;
const GROUPS: u32 = 8;
/// Of a group's numbers so many are shown: each of two rows shows half of them.
const SHOWN: u32 = 2 * SIDE;

/// Threads that take part: each has a word of its own.
fn threads(row: &SharedRow) -> u32 {
    row.threads.by_axis().iter().product::<u32>().min(row.bytes.number() / 4)
}

/// Writes the packets of a row.
pub(super) fn write(row: &SharedRow, stream: &mut Stream) -> Result<(), Internal> {
    let (words, count) = (row.bytes.number() / 4, threads(row));
    let (last, last_thread) = (words - 1, count - 1);
    let (declaration, store, load) = match row.form {
        SharedForm::Raw => (
            format!("dcl_tgsm_raw g0, {}", words * 4),
            ["ishl r1.x, r1.x, l(2)", "store_raw g0.x, r1.x, r2.x"],
            ["ishl r1.x, r1.x, l(2)", "ld_raw r2.x, r1.x, g0.xxxx"],
        ),
        SharedForm::Structured => (
            format!("dcl_tgsm_structured g0, 4, {words}"),
            ["nop", "store_structured g0.x, r1.x, l(0), r2.x"],
            ["nop", "ld_structured r2.x, r1.x, l(0), g0.xxxx"],
        ),
    };
    let declarations = [
        "dcl_input vThreadIDInGroupFlattened".to_owned(),
        "dcl_input vThreadGroupID.xyz".to_owned(),
        "dcl_uav_raw u0".to_owned(),
        declaration,
    ];
    let mut lines = vec![
        // Thread n leaves n + 1 in the last word but n.
        "mov r0.x, vThreadIDInGroupFlattened.x".to_owned(),
        format!("ult r0.y, r0.x, l({count})"),
        "if_nz r0.y".to_owned(),
        format!("iadd r1.x, l({last}), -r0.x"),
        "iadd r2.x, r0.x, l(1)".to_owned(),
    ];
    lines.extend(store.map(str::to_owned));
    lines.extend([
        "endif".to_owned(),
        "sync_g_t".to_owned(),
        "if_nz r0.y".to_owned(),
        // It takes what the last thread but n left.
        format!("iadd r1.x, l({}), r0.x", last - last_thread),
    ]);
    lines.extend(load.map(str::to_owned));
    lines.extend([
        "imad r1.x, vThreadGroupID.y, l(2), vThreadGroupID.x".to_owned(),
        "imad r1.x, vThreadGroupID.z, l(4), r1.x".to_owned(),
        format!("imad r1.x, r1.x, l({GROUP_WORDS}), r0.x"),
        "ishl r1.x, r1.x, l(2)".to_owned(),
        "store_raw u0.x, r1.x, r2.x".to_owned(),
        "endif".to_owned(),
    ]);
    let compute = shaders::compute(row.threads.by_axis(), &declarations, &lines)?;
    bind_shaders(stream, &shaders::vertex(&[], &[])?, &shower()?);
    stream.container(COMPUTE_SHADER, COMPUTE, &compute);
    stream.empty_buffer(RESULTS, u64::from(GROUPS * GROUP_WORDS * 4)).writes(COMPUTE, 0, RESULTS);
    stream.dispatch([VERTEX_SHADER, PIXEL_SHADER, COMPUTE_SHADER], row.groups.by_axis());
    stream.writes(COMPUTE, 0, 0).read_buffer(PIXEL, 0, (RESULTS, false));
    bind_vertices(stream, &rectangle_of(WHOLE, 0.5, [[[0.0; 4]; 2]; 4]));
    stream.draw(0, 6);
    Ok(())
}

/// The pixel shader that shows the numbers: red is their low byte, green the high one.
fn shower() -> Result<Vec<u8>, Internal> {
    let lines = [
        "ftou r0.xy, v0.xyxx".to_owned(),
        // Two rows a group; every 32nd number.
        "ushr r0.z, r0.y, l(1)".to_owned(),
        "and r0.w, r0.y, l(1)".to_owned(),
        format!("imad r0.x, r0.w, l({SIDE}), r0.x"),
        format!("imad r0.x, r0.x, l({}), l(0)", GROUP_WORDS / SHOWN),
        format!("imad r0.x, r0.z, l({GROUP_WORDS}), r0.x"),
        "ishl r0.x, r0.x, l(2)".to_owned(),
        "ld_raw r1.x, r0.x, t0.xxxx".to_owned(),
        "ushr r1.y, r1.x, l(8)".to_owned(),
        "and r1.x, r1.x, l(255)".to_owned(),
        "utof r1.xy, r1.xyxx".to_owned(),
        "mov r2.xyzw, l(0.0, 0.0, 0.0, 1.0)".to_owned(),
        "mul r2.xy, r1.xyxx, l(0.003921569, 0.003921569, 0.0, 0.0)".to_owned(),
        "mov o0.xyzw, r2.xyzw".to_owned(),
    ];
    shaders::pixel(&["dcl_resource_raw t0".to_owned()], &lines)
}

/// Size and texels of the picture.
pub(super) fn expected(row: &SharedRow) -> (Size, Vec<u8>) {
    let (count, groups) = (threads(row), row.groups.by_axis().iter().product::<u32>());
    let pixels = (0..SIDE).flat_map(|y| (0..SIDE).map(move |x| (x, y)));
    let rgba = pixels.flat_map(|(x, y)| {
        let number = (y % 2 * SIDE + x) * (GROUP_WORDS / SHOWN);
        let value = if y / 2 < groups && number < count { count - number } else { 0 };
        [(value & 255) as u8, (value >> 8) as u8, 0, 255]
    });
    (Size { width_px: SIDE, height_px: SIDE }, rgba.collect())
}
