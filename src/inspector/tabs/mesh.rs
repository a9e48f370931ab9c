//! The selected draw's vertices as its vertex shader leaves them, and its triangles in the window: a click there chooses one.

use std::sync::Arc;

use egui::{
    Align2, Color32, DragValue, FontSelection, Pos2, Rect, Response, RichText, ScrollArea, Sense, Shape, Stroke,
    TextStyle, Ui, pos2, vec2,
};

use super::{Tab, TabContext, TabName};
use crate::analysis::{
    ClipPlane, Facing, Mesh, MeshTriangle, MeshValue, MeshVertex, MeshViewport, OutputValue, TriangleFate,
};
use crate::command::Place;
use crate::inspector::dimming::{answer_ui, known_ui};
use crate::inspector::document::QuestionKind;
use crate::inspector::player_worker::{InspectorError, PlayerThread};
use crate::inspector::question::{Answer, DependsOn, Question};
use crate::text::Real;

pub(super) const NAME: TabName = TabName("Mesh");

/// Triangles that are drawn in the view; of more, every n-th.
const MOST_TRIANGLES: usize = 20_000;

/// What is listed below the view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum MeshRows {
    #[default]
    Vertices,
    Triangles,
}

/// The panel.
#[derive(Default)]
pub(super) struct MeshTab {
    rows: MeshRows,
    mesh: Question<(Place, u32), Result<Arc<Mesh>, InspectorError>>,
    /// Of draws of several instances, the one that is shown.
    instance: u32,
    selected: Option<usize>,
    /// The row that is to be brought into view.
    wanted_row: Option<usize>,
}

/// A column of what is listed.
struct Column {
    title: String,
    characters: usize,
}

impl Column {
    /// One of so many numbers.
    fn of_numbers(title: impl Into<String>, count: usize) -> Self {
        let title = title.into();
        Self { characters: (count * NUMBER_CHARACTERS).max(title.chars().count() + COLUMN_GAP), title }
    }
}

const NUMBER_CHARACTERS: usize = 9;
const COLUMN_GAP: usize = 2;

impl Tab for MeshTab {
    fn name(&self) -> TabName {
        NAME
    }

    fn depends_on(&self) -> DependsOn {
        DependsOn::Shaders
    }

    fn ui(&mut self, ui: &mut Ui, context: &mut TabContext<'_>) {
        let (place, instance) = (context.place(), self.instance);
        let answer = self.mesh.get(context.epoch, (place, instance), || {
            let analysis = context.document.analysis()?.clone();
            let ask = move |thread: &mut PlayerThread| thread.mesh(&analysis, place, instance);
            Some(context.document.ask_player(QuestionKind::Mesh, ask))
        });
        let Some(mesh) = known_ui(ui, answer).map(Answer::cloned) else {
            // Another draw may have fewer instances.
            self.instance = 0;
            return;
        };
        answer_ui(ui, &mesh, |ui| self.mesh_ui(ui, &mesh.value));
    }
}

impl MeshTab {
    fn mesh_ui(&mut self, ui: &mut Ui, mesh: &Mesh) {
        let (vertices, triangles) = (mesh.vertices.len(), mesh.triangles.len());
        ui.strong(format!("draw {}: {vertices} vertices, {triangles} triangles", mesh.drawing.draw));
        if mesh.vertices_left_out > 0 {
            ui.weak(format!("and {} vertices more, which are left out here", mesh.vertices_left_out));
        }
        if mesh.instance_count > 1 {
            ui.horizontal(|ui| {
                ui.label("instance");
                ui.add(DragValue::new(&mut self.instance).range(0..=mesh.instance_count - 1));
                ui.weak(format!("≤ {}", mesh.instance_count.saturating_sub(1)));
            });
        }
        fates_ui(ui, mesh);
        if let Some(triangle) = self.view_ui(ui, mesh) {
            (self.rows, self.selected, self.wanted_row) = (MeshRows::Triangles, Some(triangle), Some(triangle));
        }
        ui.horizontal(|ui| {
            for (rows, name) in [(MeshRows::Vertices, "vertices"), (MeshRows::Triangles, "triangles")] {
                if ui.selectable_value(&mut self.rows, rows, name).changed() {
                    self.selected = None;
                }
            }
        });
        ui.separator();
        let count = if self.rows == MeshRows::Vertices { vertices } else { triangles };
        let height = ui.text_style_height(&TextStyle::Monospace);
        let columns = columns_of(mesh);
        let (header, _) = ui.allocate_exact_size(vec2(ui.available_width(), height), Sense::hover());
        let mut area = ScrollArea::both().id_salt(("mesh", self.rows == MeshRows::Vertices)).auto_shrink(false);
        if let Some(row) = self.wanted_row.take() {
            area = area.vertical_scroll_offset(row as f32 * (height + ui.spacing().item_spacing.y));
        }
        let shown = area.show_rows(ui, height, count, |ui, rows| {
            ui.style_mut().wrap_mode = Some(egui::TextWrapMode::Extend);
            for row in rows {
                let text = match self.rows {
                    MeshRows::Vertices => mesh.vertices.get(row).map(|vertex| vertex_text(vertex, &columns)),
                    MeshRows::Triangles => mesh.triangles.get(row).map(triangle_text),
                };
                let text = RichText::new(text.unwrap_or_default()).monospace();
                if ui.selectable_label(self.selected == Some(row), text).clicked() {
                    self.selected = Some(row);
                }
            }
        });
        let titles = match self.rows {
            MeshRows::Vertices => {
                columns.iter().map(|Column { title, characters }| format!("{title:>characters$}")).collect()
            }
            MeshRows::Triangles => {
                format!("{:>6} {:>6} {:>6}  {:>14}  {:<5}  fate", "corner", "corner", "corner", "area", "side")
            }
        };
        // It goes sideways with the rows, and stays above them.
        let at = header.left_top() + vec2(ui.spacing().button_padding.x - shown.state.clamped_offset().x, 0.0);
        let font = FontSelection::from(TextStyle::Monospace).resolve(ui.style());
        ui.painter_at(header).text(at, Align2::LEFT_TOP, titles, font, ui.visuals().weak_text_color());
    }

    /// The triangles in the window, with the target's and the viewport's outlines. The one that is clicked, if one is.
    fn view_ui(&self, ui: &mut Ui, mesh: &Mesh) -> Option<usize> {
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
        let step = mesh.triangles.len().div_ceil(MOST_TRIANGLES).max(1);
        let pointer = pointer_of(&response);
        let mut clicked = None;
        let corner = |number: u32| {
            let [x, y, _] = mesh.vertices.get(number as usize)?.window.map(|value| value.0);
            // Far outside is as good as at the edge of what can be drawn.
            (x.is_finite() && y.is_finite()).then(|| place(x.clamp(-1e5, 1e5), y.clamp(-1e5, 1e5)))
        };
        let mut shapes = Vec::new();
        for (number, triangle) in mesh.triangles.iter().enumerate().step_by(step) {
            let Some(corners) = triangle.vertices.map(corner).into_iter().collect::<Option<Vec<_>>>() else { continue };
            let is_selected = self.rows == MeshRows::Triangles && self.selected == Some(number);
            if is_selected {
                let fill = Color32::from_rgba_unmultiplied(255, 190, 60, 90);
                shapes.push(Shape::convex_polygon(corners.clone(), fill, stroke(Color32::from_rgb(255, 190, 60))));
            } else {
                let (edge, fill) = colors_of(triangle);
                shapes.push(Shape::convex_polygon(corners.clone(), fill, stroke(edge)));
            }
            if pointer.is_some_and(|pointer| is_inside(&corners, pointer)) {
                clicked = Some(number);
            }
        }
        painter.extend(shapes);
        if self.rows == MeshRows::Vertices
            && let Some(at) = self.selected.and_then(|vertex| corner(vertex as u32))
        {
            painter.circle(at, 4.0, Color32::from_rgb(255, 190, 60), stroke(Color32::BLACK));
        }
        clicked
    }
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

/// Of edges and area: the front is blue, the back red; what is not drawn is an outline.
fn colors_of(triangle: &MeshTriangle) -> (Color32, Color32) {
    let is_drawn = matches!(triangle.fate, TriangleFate::Drawn | TriangleFate::Clipped);
    match (is_drawn, triangle.facing) {
        (false, _) => (Color32::from_gray(120), Color32::TRANSPARENT),
        (true, Some(Facing::Back)) => {
            (Color32::from_rgb(230, 130, 110), Color32::from_rgba_unmultiplied(230, 130, 110, 28))
        }
        (true, _) => (Color32::from_rgb(110, 170, 230), Color32::from_rgba_unmultiplied(110, 170, 230, 28)),
    }
}

/// What is listed of vertices.
fn columns_of(mesh: &Mesh) -> Vec<Column> {
    let mut columns = vec![Column { title: "vertex".to_owned(), characters: 6 }];
    if mesh.vertices.first().is_some_and(|vertex| vertex.position.is_some()) {
        columns.push(Column::of_numbers("position", 2));
    }
    if mesh.vertices.first().is_some_and(|vertex| vertex.color.is_some()) {
        columns.push(Column::of_numbers("colour", 4));
    }
    let named = |direction: &str, value: &MeshValue| {
        let name = value.name.clone().unwrap_or_else(|| format!("location {}", value.location));
        Column::of_numbers(format!("{direction} {name}"), value.components())
    };
    columns.extend(mesh.inputs.iter().map(|value| named("in", value)));
    columns.extend([Column::of_numbers("clip", 4), Column::of_numbers("window", 3)]);
    columns.extend(mesh.outputs.iter().map(|value| named("out", value)));
    columns
}

/// How many triangles end how.
fn fates_ui(ui: &mut Ui, mesh: &Mesh) {
    let mut counts = std::collections::BTreeMap::new();
    for triangle in &mesh.triangles {
        *counts.entry(fate_text(triangle.fate)).or_insert(0) += 1;
    }
    if mesh.triangles.iter().all(|triangle| triangle.fate == TriangleFate::Drawn) {
        return;
    }
    let counts: Vec<String> = counts.into_iter().map(|(fate, count)| format!("{count} {fate}")).collect();
    ui.label(counts.join(", "));
}

/// The values of a vertex in its columns.
fn vertex_text(vertex: &MeshVertex, columns: &[Column]) -> String {
    let floats =
        |values: &[Real]| values.iter().map(|value| number_text(&format!("{:.3}", value.0))).collect::<String>();
    let value = |value: &OutputValue| match value {
        OutputValue::Floats(values) => floats(values),
        OutputValue::Signed(values) => values.iter().map(|value| number_text(&value.to_string())).collect(),
        OutputValue::Unsigned(values) => values.iter().map(|value| number_text(&value.to_string())).collect(),
    };
    let given = vertex.position.iter().map(|position| floats(position));
    let given = given.chain(vertex.color.iter().map(|color| floats(color))).chain(vertex.inputs.iter().map(value));
    let placed = [floats(&vertex.clip), floats(&vertex.window)];
    let cells = [vertex.index.to_string()].into_iter().chain(given).chain(placed);
    let cells = cells.chain(vertex.outputs.iter().map(value));
    cells.zip(columns).map(|(cell, Column { characters, .. })| format!("{cell:>characters$}")).collect()
}

fn number_text(number: &str) -> String {
    format!("{number:>NUMBER_CHARACTERS$}")
}

fn triangle_text(triangle: &MeshTriangle) -> String {
    let [a, b, c] = triangle.vertices;
    let area = triangle.area_px.map_or("-".to_owned(), |area| format!("{area:.2} px²"));
    let facing = triangle.facing.map_or("", |facing| match facing {
        Facing::Front => "front",
        Facing::Back => "back",
    });
    format!("{a:>6} {b:>6} {c:>6}  {area:>14}  {facing:<5}  {}", fate_text(triangle.fate))
}

fn fate_text(fate: TriangleFate) -> &'static str {
    match fate {
        TriangleFate::Drawn => "drawn",
        TriangleFate::Clipped => "clipped",
        TriangleFate::Outside(plane) => match plane {
            ClipPlane::Left => "left of the viewport",
            ClipPlane::Right => "right of the viewport",
            ClipPlane::Bottom => "below the viewport",
            ClipPlane::Top => "above the viewport",
            ClipPlane::Near => "before the near plane",
            ClipPlane::Far => "behind the far plane",
        },
        TriangleFate::OutsideTarget => "outside of the target",
        TriangleFate::OutsideScissor => "outside of the scissor",
        TriangleFate::Culled => "culled",
        TriangleFate::Masked => "outside of the sample mask",
        TriangleFate::Degenerate => "without area",
        TriangleFate::BetweenPixels => "between pixels' centres",
        TriangleFate::NotFinite => "not finite",
    }
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
}
