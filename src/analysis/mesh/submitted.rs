//! The mesh of a draw of a submission.

use super::triangle::{Facing, TriangleRules, triangles_of};
use super::{Mesh, MeshValue, MeshVertex, MeshViewport, PlacedVertex, value_of};
use crate::analysis::{Analysis, AnalysisError, Drawing};
use crate::command::{Command, Draw, DrawIndexed, Place, Point, Topology};
use crate::command::{CullMode, FillMode};
use crate::error::Internal;
use crate::gpu::VertexValues;
use crate::player::Player;
use crate::replay::{ClipRange, CommandReader, Raster, Winding};
use crate::shader::{StageValue, Varying};
use crate::text::Real;

/// What the vertex shader of the draw at `place` makes of its vertices, drawn by `player`, which stays where it is. Of a
/// draw of a submission, those of one `instance`, counted from 0.
pub fn draw_mesh(analysis: &Analysis, player: &mut Player, place: Place, instance: u32) -> Result<Mesh, AnalysisError> {
    let resolved = analysis.resolve_any(place)?;
    let number = resolved.draw.ok_or(AnalysisError::NotADraw { found: "no draw at this point" })?;
    if analysis.index.submission_of(number).is_none() {
        return match instance {
            0 => analysis.mesh(place, &player.renderer().gpu().clone(), player.renderer().canvas_size()),
            _ => Err(AnalysisError::NoSuchInstance { instance, instance_count: 1 }),
        };
    }
    let draw = match place.point {
        Point::Draw(draw) => draw,
        // The last one up to there.
        _ => analysis.index.draws_of(place.frame).take_while(|draw| *draw <= number).count().saturating_sub(1) as u32,
    };
    let at = analysis.location(number);
    let command = CommandReader::new(analysis.trace().clone()).read(at)?;
    let (vertex_count, first_vertex) = match command.value {
        Command::Draw(Draw { vertex_count, first_vertex, .. }) => (vertex_count, first_vertex),
        Command::DrawIndexed(DrawIndexed { index_count, first_index, .. }) => (index_count, first_index),
        _ => return Err(Internal::new("a draw of the index is not a draw in the trace").into()),
    };
    let drawing = Drawing { draw, at, vertex_count, first_vertex };
    let values = player.read_vertex_values(place.frame, draw, instance)?;
    if instance >= values.instance_count {
        return Err(AnalysisError::NoSuchInstance { instance, instance_count: values.instance_count });
    }
    mesh_of(drawing, instance, &values)
}

fn mesh_of(drawing: Drawing, instance: u32, values: &VertexValues) -> Result<Mesh, AnalysisError> {
    let [left, top, width, height] = values.viewport_px;
    let viewport = MeshViewport {
        origin_px: [left, top].map(Real),
        size_px: [width, height].map(Real),
        depth_range: values.depth_range.map(Real),
    };
    let lost = Internal::new("a vertex of a mesh was not run");
    let read = |number, varyings: &[Varying], value: fn(u32) -> StageValue| {
        let read = varyings.iter().map(|varying| {
            let words = values.words(number, value(varying.location)).ok_or(lost)?;
            Ok(value_of(varying.io_type, words.get(..usize::from(varying.io_type.components)).unwrap_or(&words)))
        });
        read.collect::<Result<Vec<_>, Internal>>()
    };
    let mut vertices = Vec::new();
    for number in values.order.iter().copied().flatten() {
        let clip = values.words(number, StageValue::Position).ok_or(lost)?.map(f32::from_bits);
        let PlacedVertex { clip, ndc, window } = viewport.place(clip);
        vertices.push(MeshVertex {
            index: number,
            position: None,
            color: None,
            inputs: read(number, &values.interface.inputs, StageValue::Input)?,
            clip,
            ndc,
            window,
            outputs: read(number, &values.interface.outputs, StageValue::Output)?,
        });
    }
    let corners = corners_of(values.topology, &values.order);
    let rules = rules_of(&values.raster, &viewport, values);
    let told = |varyings: &[Varying]| varyings.iter().map(MeshValue::of).collect();
    Ok(Mesh {
        drawing,
        topology: values.topology,
        instance,
        instance_count: values.instance_count,
        target_px: values.target_px,
        viewport,
        scissor_px: values.scissor_px,
        inputs: told(&values.interface.inputs),
        outputs: told(&values.interface.outputs),
        triangles: triangles_of(&vertices, corners, &rules)?,
        vertices,
        vertices_omitted: values.left_out,
    })
}

fn rules_of(raster: &Raster, viewport: &MeshViewport, values: &VertexValues) -> TriangleRules {
    TriangleRules {
        is_front_clockwise: raster.front == Winding::Clockwise,
        culled: match raster.cull {
            CullMode::None => None,
            CullMode::Front => Some(Facing::Front),
            CullMode::Back => Some(Facing::Back),
        },
        clips_depth: raster.depth_range == ClipRange::Clip,
        is_filled: raster.fill == FillMode::Solid,
        is_masked: values.is_masked,
        ..TriangleRules::within(viewport, values.target_px, values.scissor_px)
    }
}

/// The corners of triangles as places among the vertices, which `order` has without what ends strips.
fn corners_of(topology: Topology, order: &[Option<u32>]) -> Vec<[u32; 3]> {
    let mut corners = Vec::new();
    let mut first = 0;
    for run in order.split(Option::is_none) {
        let count = run.len() as u32;
        let triangles = count.saturating_sub(2);
        match topology {
            Topology::TriangleList => {
                corners.extend((0..count / 3).map(|triangle| [0, 1, 2].map(|corner| first + triangle * 3 + corner)));
            }
            // Every second one of a strip turns the other way.
            Topology::TriangleStrip => corners.extend((0..triangles).map(|triangle| match triangle % 2 {
                0 => [0, 1, 2].map(|corner| first + triangle + corner),
                _ => [0, 2, 1].map(|corner| first + triangle + corner),
            })),
            Topology::TriangleFan => {
                corners.extend((0..triangles).map(|triangle| [first + triangle + 1, first + triangle + 2, first]));
            }
            _ => {}
        }
        first += count;
    }
    corners
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_are_in_the_order_of_their_topology() {
        let order: Vec<Option<u32>> = [Some(9), Some(8), Some(7), Some(6), None, Some(5), Some(4), Some(3)].into();
        assert_eq!(corners_of(Topology::TriangleStrip, &order), [[0, 1, 2], [1, 3, 2], [4, 5, 6]]);
        let whole: Vec<Option<u32>> = (0..5).map(Some).collect();
        assert_eq!(corners_of(Topology::TriangleList, &whole), [[0, 1, 2]]);
        assert_eq!(corners_of(Topology::TriangleFan, &whole), [[1, 2, 0], [2, 3, 0], [3, 4, 0]]);
        assert_eq!(corners_of(Topology::LineStrip, &whole), [[0; 3]; 0]);
        assert_eq!(corners_of(Topology::TriangleStrip, &[]), [[0; 3]; 0]);
    }
}
