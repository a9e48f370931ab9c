//! Rows about viewports, scissors, depth and primitives.

use super::axes::{DepthBiasAxis, DepthFormatAxis, DepthRangeAxis, RasterRow, ScissorAxis, TopologyAxis, ViewportAxis};
use super::row::{RowVertex, SCREEN, SIDE, bind_shaders, bind_vertices, rectangle_of};
use super::shaders;
use super::stream::{Stream, WHOLE};
use crate::error::Internal;
use crate::pixels::Size;

const DEPTH: u32 = 20;
const INDICES: u32 = 21;
const DRAWN: [f32; 4] = [1.0, 1.0, 0.0, 1.0];
/// Depth that the surface is cleared to, and the comparison against it.
const CLEARED_DEPTH: f32 = 0.5;
const LESS: u32 = 1;
/// Index that ends a strip.
const RESTART: u16 = u16::MAX;

/// X, y, width and height of a viewport.
fn viewport(of: ViewportAxis) -> [f32; 4] {
    match of {
        ViewportAxis::Whole => [0.0, 0.0, 16.0, 16.0],
        ViewportAxis::Inner => [2.0, 3.0, 9.0, 10.0],
        ViewportAxis::Fractional => [2.25, 3.75, 9.0, 10.0],
        ViewportAxis::FractionalSize => [2.0, 3.0, 9.25, 10.75],
        ViewportAxis::Beyond => [-4.0, -6.0, 30.0, 40.0],
        ViewportAxis::Huge => [-9000.0, -9000.0, 20_000.0, 20_000.0],
        ViewportAxis::Zeros => [0.0; 4],
        ViewportAxis::Empty => [2.0, 3.0, 0.0, 5.0],
    }
}

/// X, y, width and height of a scissor.
fn scissor(of: ScissorAxis) -> Option<[i32; 4]> {
    match of {
        ScissorAxis::Off => None,
        ScissorAxis::Inner => Some([1, 2, 10, 9]),
        ScissorAxis::Beyond => Some([5, 6, 100, 100]),
        ScissorAxis::Empty => Some([4, 4, 0, 0]),
    }
}

fn range(of: DepthRangeAxis) -> [f32; 2] {
    match of {
        DepthRangeAxis::Full => [0.0, 1.0],
        DepthRangeAxis::Part => [0.2, 0.9],
        DepthRangeAxis::Flat => [0.3, 0.3],
        DepthRangeAxis::Outside => [-1.0, 2.0],
    }
}

fn bias(of: DepthBiasAxis) -> i32 {
    match of {
        DepthBiasAxis::None => 0,
        DepthBiasAxis::Nearer => -2_000_000,
        DepthBiasAxis::Farther => 2_000_000,
    }
}

/// Number of a topology, its vertices, and indices where it is drawn by those.
fn primitives(of: TopologyAxis) -> (u32, Vec<RowVertex>, Option<Vec<u16>>) {
    let [left_top, right_top, left_bottom, _, _, right_bottom] = slope(WHOLE, [0.0, 1.0]);
    let triangles = [left_top, right_top, left_bottom, left_bottom, right_top, right_bottom];
    let strip = |rectangle: [RowVertex; 6]| {
        let [left_top, right_top, left_bottom, _, _, right_bottom] = rectangle;
        [left_top, right_top, left_bottom, right_bottom]
    };
    let places = [[-0.8, -0.6], [0.7, 0.5], [-0.5, 0.8], [0.6, -0.7], [0.1, 0.9], [0.9, 0.95]];
    let some =
        |count: usize| places.into_iter().take(count).map(|[x, y]| [[x, y, 0.25, 1.0], DRAWN, [0.0; 4]]).collect();
    match of {
        TopologyAxis::Points => (1, some(5), None),
        TopologyAxis::Lines => (2, some(4), None),
        TopologyAxis::OddLines => (2, some(5), None),
        TopologyAxis::LineStrip => (3, some(4), None),
        TopologyAxis::LineStripRestart => (3, some(6), Some(vec![0, 1, 2, RESTART, 3, 4, 5])),
        TopologyAxis::Triangles => (4, triangles.to_vec(), None),
        TopologyAxis::OddTriangles => (4, [triangles.as_slice(), &[right_bottom]].concat(), None),
        TopologyAxis::Strip => (5, strip(triangles).to_vec(), None),
        TopologyAxis::StripRestart => {
            let left = slope([-1.0, 1.0, 0.0, -1.0], [0.0, 0.5]);
            let right = slope([0.0, 1.0, 1.0, -1.0], [0.5, 1.0]);
            (5, [strip(left), strip(right)].concat(), Some(vec![0, 1, 2, 3, RESTART, 4, 5, 6, 7]))
        }
        TopologyAxis::Fan => (6, vec![left_top, right_top, right_bottom, left_bottom], None),
    }
}

/// A rectangle whose depth goes from left to right.
fn slope(rectangle: [f32; 4], [left, right]: [f32; 2]) -> [RowVertex; 6] {
    let corners = rectangle_of(rectangle, 0.0, [[DRAWN, [0.0; 4]]; 4]);
    let [left_x, ..] = rectangle;
    corners.map(|[[x, y, _, w], color, rest]| [[x, y, if x == left_x { left } else { right }, w], color, rest])
}

/// Writes the packets of a row.
pub(super) fn write(row: &RasterRow, stream: &mut Stream) -> Result<(), Internal> {
    bind_shaders(stream, &shaders::vertex(&[], &[])?, &shaders::pixel_of_color()?);
    let format = match row.depth {
        DepthFormatAxis::None => None,
        DepthFormatAxis::D24S8 => Some(32),
        DepthFormatAxis::D32 => Some(33),
    };
    if let Some(format) = format {
        stream.texture(DEPTH, format, [SIDE; 2], [1, 1]).targets(&[SCREEN], DEPTH);
        stream.clear(2, [0.0; 4], CLEARED_DEPTH).depth_test(Some(LESS));
    }
    stream.viewport_of_depths(viewport(row.viewport), range(row.range));
    let scissor = scissor(row.scissor);
    stream.rasterizer(u32::from(scissor.is_some()), bias(row.bias));
    if let Some(scissor) = scissor {
        stream.scissor(scissor);
    }
    let (topology, vertices, indices) = primitives(row.topology);
    bind_vertices(stream, &vertices);
    stream.topology(topology);
    match indices {
        Some(indices) => stream.indices(INDICES, &indices).draw_indexed(indices.len() as u32),
        None => stream.draw(0, vertices.len() as u32),
    };
    Ok(())
}

/// Size and texels of the picture, where the rule is exact: whole rectangles without a bias.
pub(super) fn expected(row: &RasterRow) -> Option<(Size, Vec<u8>)> {
    if !row.topology.is_triangles() || row.bias != DepthBiasAxis::None {
        return None;
    }
    let [left, top, width, height] = match row.viewport {
        ViewportAxis::Zeros => viewport(ViewportAxis::Whole),
        of => viewport(of),
    };
    // A viewport of zeros sets none, and no range either.
    let depths = if row.viewport == ViewportAxis::Zeros { DepthRangeAxis::Full } else { row.range };
    let [nearest, farthest] = range(depths).map(|depth| depth.clamp(0.0, 1.0));
    let is_drawn = |x: u32, y: u32| {
        let (x, y) = (x as f32 + 0.5, y as f32 + 0.5);
        let in_viewport = x >= left && x < left + width && y >= top && y < top + height;
        let in_scissor = scissor(row.scissor).is_none_or(|scissor| {
            let [left, top, width, height] = scissor.map(|number| number as f32);
            x >= left && x < left + width && y >= top && y < top + height
        });
        let depth = nearest + (farthest - nearest) * (x - left) / width;
        in_viewport && in_scissor && (row.depth == DepthFormatAxis::None || depth < CLEARED_DEPTH)
    };
    let pixels = (0..SIDE).flat_map(|y| (0..SIDE).map(move |x| (x, y)));
    let rgba = pixels.flat_map(|(x, y)| if is_drawn(x, y) { [255, 255, 0, 255] } else { [0, 0, 0, 255] });
    Some((Size { width_px: SIDE, height_px: SIDE }, rgba.collect()))
}
