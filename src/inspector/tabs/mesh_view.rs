//! A mesh as it lies in the window: its triangles, shaded in one of several ways. A click chooses the one on top.

use egui::{Color32, Pos2, Rect, Response, Sense, Shape, Stroke, Ui, pos2, vec2};

use crate::analysis::{Facing, Mesh, MeshTriangle, MeshViewport, TriangleOutcome};

/// Triangles that are drawn in the view; of more, every n-th.
const MOST_TRIANGLES: usize = 20_000;
const SELECTED: Color32 = Color32::from_rgb(255, 190, 60);
const FRONT: Color32 = Color32::from_rgb(110, 170, 230);
const BACK: Color32 = Color32::from_rgb(230, 130, 110);
const NOT_DRAWN: Color32 = Color32::from_gray(120);
/// How bright what is farthest, or seen from the edge, still is.
const DARKEST: f32 = 0.2;

/// How triangles are filled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum MeshShading {
    /// They can be seen through: the front is blue, the back red.
    #[default]
    Sides,
    /// The nearest are the lightest, and lie on top.
    Depth,
    /// As if one light shone from where one looks from, and the nearest lie on top.
    Flat,
}

/// What is marked in the view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SelectedInMesh {
    /// A vertex, by its number.
    Vertex(u32),
    /// A triangle, by its number.
    Triangle(usize),
}

/// The view.
#[derive(Default)]
pub(super) struct MeshView {
    shading: MeshShading,
}

/// A triangle in the view.
struct Placed<'m> {
    number: usize,
    triangle: &'m MeshTriangle,
    corners: [Pos2; 3],
    /// Of each corner, from 0 for the nearest of the mesh to 1 for the farthest.
    depths: [f32; 3],
}

impl Placed<'_> {
    fn depth(&self) -> f32 {
        self.depths.iter().sum::<f32>() / 3.0
    }
}

impl MeshView {
    /// The triangles in the window, with the target's and the viewport's outlines. The one that is clicked, if one is.
    pub(super) fn ui(&mut self, ui: &mut Ui, mesh: &Mesh, selected: Option<SelectedInMesh>) -> Option<usize> {
        ui.horizontal_wrapped(|ui| {
            ui.weak("shaded by");
            for (shading, name, hint) in [
                (MeshShading::Sides, "side", "front faces blue, back faces red, both transparent"),
                (MeshShading::Depth, "depth", "nearer is lighter"),
                (MeshShading::Flat, "light", "lit by a light at the camera"),
            ] {
                ui.selectable_value(&mut self.shading, shading, name).on_hover_text(hint);
            }
        });
        let [width, height] = mesh.target_px.map(|side| side as f32);
        let room = vec2(ui.available_width(), (ui.available_height() * 0.4).clamp(80.0, 320.0));
        let (area, response) = ui.allocate_exact_size(room, Sense::click());
        let painter = ui.painter_at(area);
        painter.rect_filled(area, 0.0, ui.visuals().extreme_bg_color);
        // A margin shows what lies outside of the target.
        let scale = (room.x / (width * 1.3)).min(room.y / (height * 1.3));
        let origin = area.center() - vec2(width, height) * scale / 2.0;
        let place = |x: f32, y: f32| pos2(origin.x + x * scale, origin.y + y * scale);
        let outline = |[left, top]: [f32; 2], [width, height]: [f32; 2]| {
            Rect::from_min_max(place(left, top), place(left + width, top + height))
        };
        let target = outline([0.0; 2], [width, height]);
        painter.rect_filled(target, 0.0, Color32::from_gray(30));
        let stroke = |color| Stroke::new(1.0, color);
        let inside = egui::StrokeKind::Inside;
        painter.rect_stroke(target, 0.0, stroke(ui.visuals().weak_text_color()), inside);
        let MeshViewport { origin_px, size_px, .. } = mesh.viewport;
        let viewport = outline(origin_px.map(|at| at.0), size_px.map(|side| side.0));
        if viewport != target {
            painter.rect_stroke(viewport, 0.0, stroke(ui.visuals().warn_fg_color), inside);
        }
        let triangles = self.placed(mesh, place);
        let pointer = pointer_of(&response);
        let mut clicked = None;
        let mut shapes = Vec::new();
        for placed in &triangles {
            let (edge, fill) = match selected == Some(SelectedInMesh::Triangle(placed.number)) {
                true => (SELECTED, SELECTED.gamma_multiply(0.35)),
                false => self.colors_of(placed),
            };
            shapes.push(filled(placed.corners, fill));
            shapes.extend(outlined(placed.corners, stroke(edge)));
            if pointer.is_some_and(|pointer| is_inside(&placed.corners, pointer)) {
                clicked = Some(placed.number);
            }
        }
        // What lies below others is seen, too.
        if let Some(SelectedInMesh::Triangle(number)) = selected
            && let Some(placed) = triangles.iter().find(|placed| placed.number == number)
        {
            shapes.extend(outlined(placed.corners, Stroke::new(2.0, SELECTED)));
        }
        painter.extend(shapes);
        if let Some(SelectedInMesh::Vertex(number)) = selected
            && let Some((at, _)) = corner(mesh, number, place)
        {
            painter.circle(at, 4.0, SELECTED, stroke(Color32::BLACK));
        }
        clicked
    }

    /// The triangles that can be drawn, in the order in which they lie over each other.
    fn placed<'m>(&self, mesh: &'m Mesh, place: impl Fn(f32, f32) -> Pos2) -> Vec<Placed<'m>> {
        let step = mesh.triangles.len().div_ceil(MOST_TRIANGLES).max(1);
        let depths = mesh.vertices.iter().map(|vertex| vertex.window).map(|[_, _, z]| z.0).filter(|z| z.is_finite());
        let (near, far) = depths.fold((f32::MAX, f32::MIN), |(near, far), z| (near.min(z), far.max(z)));
        let range = (far - near).max(f32::MIN_POSITIVE);
        let mut placed: Vec<Placed<'_>> = Vec::new();
        for (number, triangle) in mesh.triangles.iter().enumerate().step_by(step) {
            let [a, b, c] = triangle.vertices.map(|vertex| corner(mesh, vertex, &place));
            let (Some(a), Some(b), Some(c)) = (a, b, c) else { continue };
            let corners = [a.0, b.0, c.0];
            placed.push(Placed { number, triangle, corners, depths: [a.1, b.1, c.1].map(|z| (z - near) / range) });
        }
        if self.shading != MeshShading::Sides {
            placed.sort_by(|a, b| b.depth().total_cmp(&a.depth()));
        }
        placed
    }

    /// Of edges and area; what is not drawn is an outline.
    fn colors_of(&self, placed: &Placed<'_>) -> (Color32, Color32) {
        if !matches!(placed.triangle.outcome, TriangleOutcome::Drawn | TriangleOutcome::Clipped) {
            return (NOT_DRAWN, Color32::TRANSPARENT);
        }
        let side = if placed.triangle.facing == Some(Facing::Back) { BACK } else { FRONT };
        let brightness = match self.shading {
            MeshShading::Sides => return (side, side.gamma_multiply(0.11)),
            MeshShading::Depth => 1.0 - placed.depth().clamp(0.0, 1.0),
            MeshShading::Flat => facing_viewer(placed),
        };
        let fill = darkened(side, DARKEST + (1.0 - DARKEST) * brightness);
        // Edges between triangles are to be seen on both.
        (darkened(fill, 0.75), fill)
    }
}

/// A triangle's area. A polygon's corners would be rounded outwards, and those of a needle would reach far.
fn filled(corners: [Pos2; 3], fill: Color32) -> Shape {
    let mut area = egui::Mesh::default();
    corners.into_iter().for_each(|corner| area.colored_vertex(corner, fill));
    area.add_triangle(0, 1, 2);
    Shape::mesh(area)
}

/// A triangle's edges, each on its own for the same reason.
fn outlined([a, b, c]: [Pos2; 3], stroke: Stroke) -> [Shape; 3] {
    [[a, b], [b, c], [c, a]].map(|edge| Shape::line_segment(edge, stroke))
}

fn darkened(color: Color32, brightness: f32) -> Color32 {
    let [r, g, b, _] = color.to_array().map(|channel| (f32::from(channel) * brightness) as u8);
    Color32::from_rgb(r, g, b)
}

/// Where a vertex lies in the view, and its depth in the window.
fn corner(mesh: &Mesh, number: u32, place: impl Fn(f32, f32) -> Pos2) -> Option<(Pos2, f32)> {
    let [x, y, z] = mesh.vertices.get(number as usize)?.window.map(|value| value.0);
    // Far outside is as good as at the edge of what can be drawn.
    let is_finite = x.is_finite() && y.is_finite() && z.is_finite();
    is_finite.then(|| (place(x.clamp(-1e5, 1e5), y.clamp(-1e5, 1e5)), z))
}

/// How much a triangle faces whoever looks, from 0 for one that is seen from its edge to 1. The mesh counts as deep as the
/// view is wide in triangles of this size: what its units were in space is not known any more.
fn facing_viewer(placed: &Placed<'_>) -> f32 {
    const DEPTH_POINTS: f32 = 200.0;
    let [a, b, c] = placed.corners;
    let [near, b_depth, c_depth] = placed.depths.map(|depth| depth * DEPTH_POINTS);
    let ([ux, uy, uz], [vx, vy, vz]) = ([b.x - a.x, b.y - a.y, b_depth - near], [c.x - a.x, c.y - a.y, c_depth - near]);
    let normal = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
    let length = normal.iter().map(|side| side * side).sum::<f32>().sqrt();
    let [_, _, z] = normal;
    if length > 0.0 { (z / length).abs() } else { 0.0 }
}

/// Where it was clicked.
fn pointer_of(response: &Response) -> Option<Pos2> {
    response.interact_pointer_pos().filter(|_| response.clicked())
}

/// Whether a point lies in a triangle, whichever way round its corners go.
fn is_inside(corners: &[Pos2], point: Pos2) -> bool {
    let behind = corners.iter().cycle().skip(1);
    let sides = corners.iter().zip(behind).map(|(from, to)| {
        let (edge, to_point) = (*to - *from, point - *from);
        edge.x * to_point.y - edge.y * to_point.x
    });
    let sides: Vec<f32> = sides.collect();
    sides.iter().all(|side| *side >= 0.0) || sides.iter().all(|side| *side <= 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_is_inside_whichever_way_round_corners_go() {
        let corners = [pos2(0.0, 0.0), pos2(8.0, 0.0), pos2(0.0, 8.0)];
        let turned = [corners[0], corners[2], corners[1]];
        for corners in [corners, turned] {
            assert!(is_inside(&corners, pos2(2.0, 2.0)) && is_inside(&corners, pos2(8.0, 0.0)));
            assert!(!is_inside(&corners, pos2(5.0, 5.0)) && !is_inside(&corners, pos2(-0.1, 1.0)));
        }
    }

    #[test]
    fn what_is_tilted_faces_the_viewer_less() {
        let (facing, outcome) = (Some(Facing::Front), TriangleOutcome::Drawn);
        let triangle = MeshTriangle { vertices: [0, 1, 2], area_px: None, facing, outcome };
        let corners = [pos2(0.0, 0.0), pos2(100.0, 0.0), pos2(0.0, 100.0)];
        let facing = |corners, depths| facing_viewer(&Placed { number: 0, triangle: &triangle, corners, depths });
        assert_eq!(facing(corners, [0.4; 3]), 1.0);
        let (tilted, steep) = (facing(corners, [0.0, 0.25, 0.0]), facing(corners, [0.0, 1.0, 0.0]));
        assert!(1.0 > tilted && tilted > steep && steep > 0.0, "{tilted} {steep}");
        let line = [pos2(0.0, 0.0), pos2(1.0, 1.0), pos2(2.0, 2.0)];
        assert_eq!(facing(line, [0.0; 3]), 0.0, "it has no side");
    }

    #[test]
    fn the_nearer_is_the_lighter() {
        let (facing, outcome) = (Some(Facing::Back), TriangleOutcome::Drawn);
        let triangle = MeshTriangle { vertices: [0, 1, 2], area_px: None, facing, outcome };
        let corners = [pos2(0.0, 0.0), pos2(8.0, 0.0), pos2(0.0, 8.0)];
        let view = MeshView { shading: MeshShading::Depth };
        let [near, middle, far] = [0.0, 0.5, 1.0].map(|depth| {
            let (_, fill) = view.colors_of(&Placed { number: 0, triangle: &triangle, corners, depths: [depth; 3] });
            fill
        });
        assert_eq!(near, BACK);
        assert!(near.r() > middle.r() && middle.r() > far.r() && far.r() > 0, "{near:?} {middle:?} {far:?}");
        assert!([near, middle, far].iter().all(|fill| fill.is_opaque()));
        let culled = MeshTriangle { outcome: TriangleOutcome::Culled, ..triangle };
        let (_, fill) = view.colors_of(&Placed { number: 0, triangle: &culled, corners, depths: [0.0; 3] });
        assert_eq!(fill, Color32::TRANSPARENT, "what is not drawn hides nothing");
    }
}
