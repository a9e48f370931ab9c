//! Rows about viewports, scissors, depth and primitives.

use super::axes::{
    ColorsAxis, DepthBiasAxis, DepthFormatAxis, DepthRangeAxis, RasterRow, ScissorAxis, TopologyAxis, ViewportAxis,
};
use super::lines::Line;
use super::row::{RowVertex, SCREEN, SIDE, bind_shaders, bind_vertices, rectangle_of};
use super::shaders;
use super::stream::{Stream, WHOLE};
use crate::error::Internal;
use crate::pixels::Size;

const DEPTH: u32 = 20;
const INDICES: u32 = 21;
const DRAWN: [f32; 4] = [1.0, 1.0, 0.0, 1.0];
/// Colour of vertices that flat colours do not come from.
const NOT_DRAWN: [f32; 4] = [1.0, 0.0, 1.0, 1.0];
/// Depth of lines and points.
const LINE_DEPTH: f32 = 0.25;
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
    let places = [[-0.813, -0.571], [0.737, 0.493], [-0.473, 0.831], [0.593, -0.717], [0.139, 0.877], [0.913, 0.941]];
    let some = |count: usize| {
        places.into_iter().take(count).map(|[x, y]| [[x, y, LINE_DEPTH, 1.0], DRAWN, [0.0; 4]]).collect()
    };
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

/// Whether a vertex is the one that a primitive's flat values come from: the first, and a fan's first but the one that all of
/// its triangles share.
fn is_leading(of: TopologyAxis, number: usize, count: usize) -> bool {
    match of {
        TopologyAxis::Points => true,
        TopologyAxis::Lines | TopologyAxis::OddLines => number.is_multiple_of(2),
        TopologyAxis::Triangles | TopologyAxis::OddTriangles => number.is_multiple_of(3),
        TopologyAxis::LineStrip => number + 1 < count,
        // Two strips of three.
        TopologyAxis::LineStripRestart => number % 3 < 2,
        TopologyAxis::Strip => number + 2 < count,
        // Two strips of four.
        TopologyAxis::StripRestart => number % 4 < 2,
        TopologyAxis::Fan => (1..count - 1).contains(&number),
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
    let pixel = match row.colors {
        ColorsAxis::Smooth => shaders::pixel_of_color()?,
        ColorsAxis::Flat => shaders::pixel_of_flat_color()?,
    };
    bind_shaders(stream, &shaders::vertex(&[], &[])?, &pixel);
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
    let (topology, mut vertices, indices) = primitives(row.topology);
    if row.colors == ColorsAxis::Flat {
        let count = vertices.len();
        for (number, [_, color, _]) in vertices.iter_mut().enumerate() {
            if !is_leading(row.topology, number, count) {
                *color = NOT_DRAWN;
            }
        }
    }
    bind_vertices(stream, &vertices);
    stream.topology(topology);
    match indices {
        Some(indices) => stream.indices(INDICES, &indices).draw_indexed(indices.len() as u32),
        None => stream.draw(0, vertices.len() as u32),
    };
    Ok(())
}

/// Size and texels of the picture, where the rule is exact: of lines, and of rectangles without a bias.
pub(super) fn expected(row: &RasterRow) -> Option<(Size, Vec<u8>)> {
    // Direct3D 10 and later move no depths of lines.
    let is_exact = row.topology.is_lines() || row.topology.is_triangles() && row.bias == DepthBiasAxis::None;
    if !is_exact {
        return None;
    }
    let area @ [left, top, width, height] = match row.viewport {
        ViewportAxis::Zeros => viewport(ViewportAxis::Whole),
        of => viewport(of),
    };
    let lines = lines(row.topology, area);
    // A viewport of zeros sets none, and no range either.
    let depths = if row.viewport == ViewportAxis::Zeros { DepthRangeAxis::Full } else { row.range };
    let [nearest, farthest] = range(depths).map(|depth| depth.clamp(0.0, 1.0));
    let is_drawn = |column: u32, line: u32| {
        let (x, y) = (column as f32 + 0.5, line as f32 + 0.5);
        let in_viewport = x >= left && x < left + width && y >= top && y < top + height;
        let in_scissor = scissor(row.scissor).is_none_or(|scissor| {
            let [left, top, width, height] = scissor.map(|number| number as f32);
            x >= left && x < left + width && y >= top && y < top + height
        });
        let part = if row.topology.is_triangles() { (x - left) / width } else { LINE_DEPTH };
        let depth = nearest + (farthest - nearest) * part;
        let is_covered = row.topology.is_triangles() || lines.iter().any(|of| of.covers(column, line));
        in_viewport && in_scissor && is_covered && (row.depth == DepthFormatAxis::None || depth < CLEARED_DEPTH)
    };
    let pixels = (0..SIDE).flat_map(|y| (0..SIDE).map(move |x| (x, y)));
    let rgba = pixels.flat_map(|(x, y)| if is_drawn(x, y) { [255, 255, 0, 255] } else { [0, 0, 0, 255] });
    Some((Size { width_px: SIDE, height_px: SIDE }, rgba.collect()))
}

/// Lines of a topology in a viewport.
fn lines(of: TopologyAxis, [left, top, width, height]: [f32; 4]) -> Vec<Line> {
    let (_, vertices, _) = primitives(of);
    let place = |[[x, y, ..], ..]: &RowVertex| {
        let (x, y) = ((x + 1.0) / 2.0 * width + left, (1.0 - y) / 2.0 * height + top);
        [f64::from(x), f64::from(y)]
    };
    let strips: Vec<&[RowVertex]> = match of {
        TopologyAxis::Lines | TopologyAxis::OddLines => vertices.chunks_exact(2).collect(),
        TopologyAxis::LineStrip => vec![&vertices],
        TopologyAxis::LineStripRestart => vertices.chunks_exact(3).collect(),
        _ => Vec::new(),
    };
    let pairs = strips.iter().flat_map(|strip| strip.iter().zip(strip.iter().skip(1)));
    pairs.map(|(start, end)| Line::new(place(start), place(end))).collect()
}
