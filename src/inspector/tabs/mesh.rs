//! The selected draw's vertices as its vertex shader leaves them, and its triangles in the window.

use std::sync::Arc;

use egui::{Color32, Rect, RichText, ScrollArea, Sense, Shape, Stroke, TextStyle, Ui, pos2, vec2};

use super::{Tab, TabContext, TabName};
use crate::analysis::{ClipPlane, Facing, Mesh, MeshTriangle, MeshVertex, MeshViewport, OutputValue, TriangleFate};
use crate::command::Place;
use crate::inspector::dimming::{answer_ui, known_ui};
use crate::inspector::document::QuestionKind;
use crate::inspector::player_worker::InspectorError;
use crate::inspector::question::{Answer, DependsOn, Question};

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
    mesh: Question<Place, Result<Arc<Mesh>, InspectorError>>,
    selected: Option<usize>,
}

impl Tab for MeshTab {
    fn name(&self) -> TabName {
        NAME
    }

    fn depends_on(&self) -> DependsOn {
        DependsOn::Shaders
    }

    fn ui(&mut self, ui: &mut Ui, context: &mut TabContext<'_>) {
        let place = context.place();
        let answer = self.mesh.get(context.epoch, place, || {
            let analysis = context.document.analysis()?.clone();
            Some(context.document.ask_player(QuestionKind::Mesh, move |thread| thread.mesh(&analysis, place)))
        });
        let Some(mesh) = known_ui(ui, answer).map(Answer::cloned) else { return };
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
        fates_ui(ui, mesh);
        self.view_ui(ui, mesh);
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
        let area = ScrollArea::both().id_salt(("mesh", self.rows == MeshRows::Vertices)).auto_shrink(false);
        area.show_rows(ui, height, count, |ui, rows| {
            ui.style_mut().wrap_mode = Some(egui::TextWrapMode::Extend);
            for row in rows {
                let text = match self.rows {
                    MeshRows::Vertices => mesh.vertices.get(row).map(vertex_text),
                    MeshRows::Triangles => mesh.triangles.get(row).map(triangle_text),
                };
                let text = RichText::new(text.unwrap_or_default()).monospace();
                if ui.selectable_label(self.selected == Some(row), text).clicked() {
                    self.selected = Some(row);
                }
            }
        });
    }

    /// The triangles in the window, with the target's and the viewport's outlines.
    fn view_ui(&self, ui: &mut Ui, mesh: &Mesh) {
        let [width, height] = mesh.target_px.map(|side| side as f32);
        let room = vec2(ui.available_width(), (ui.available_height() * 0.4).clamp(80.0, 320.0));
        let (area, _) = ui.allocate_exact_size(room, Sense::hover());
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
        let edge = Color32::from_rgb(110, 170, 230);
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
                shapes.push(Shape::convex_polygon(corners, fill, stroke(Color32::from_rgb(255, 190, 60))));
            } else {
                shapes.push(Shape::closed_line(corners, stroke(edge)));
            }
        }
        painter.extend(shapes);
        if self.rows == MeshRows::Vertices
            && let Some(at) = self.selected.and_then(|vertex| corner(vertex as u32))
        {
            painter.circle(at, 4.0, Color32::from_rgb(255, 190, 60), stroke(Color32::BLACK));
        }
    }
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

fn vertex_text(vertex: &MeshVertex) -> String {
    let floats = |values: &[f32]| values.iter().map(|value| format!("{value:>9.3}")).collect::<String>();
    let window = vertex.window.map(|value| value.0);
    let clip = vertex.clip.map(|value| value.0);
    let position = vertex.position.map(|position| floats(&position.map(|value| value.0)));
    let position = position.map_or(String::new(), |position| format!("  in{position}"));
    let mut text = format!("{:>6}{position}  clip{}  window{}", vertex.index, floats(&clip), floats(&window));
    for (direction, values) in [("in", &vertex.inputs), ("out", &vertex.outputs)] {
        for value in values {
            let values = match value {
                OutputValue::Floats(values) => floats(&values.iter().map(|value| value.0).collect::<Vec<_>>()),
                OutputValue::Signed(values) => values.iter().map(|value| format!(" {value}")).collect(),
                OutputValue::Unsigned(values) => values.iter().map(|value| format!(" {value}")).collect(),
            };
            text.push_str(&format!("  {direction}{values}"));
        }
    }
    text
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
