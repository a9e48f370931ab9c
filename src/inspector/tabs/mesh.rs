//! The selected draw's vertices as its vertex shader leaves them, and its triangles in the window: a click there chooses one.

use std::sync::Arc;

use egui::{Align2, DragValue, FontSelection, RichText, ScrollArea, Sense, TextStyle, Ui, vec2};

use super::mesh_view::{MeshView, SelectedInMesh};
use super::{Tab, TabContext, TabName};
use crate::analysis::{ClipPlane, Facing, Mesh, MeshTriangle, MeshValue, MeshVertex, OutputValue, TriangleOutcome};
use crate::command::Place;
use crate::inspector::dimming::{answer_ui, known_ui};
use crate::inspector::document::QuestionKind;
use crate::inspector::player_worker::{InspectorError, PlayerThread};
use crate::inspector::question::{Answer, DependsOn, Question};
use crate::text::{Real, counted};

pub(super) const NAME: TabName = TabName("Mesh");

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
    view: MeshView,
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
        ui.strong(format!(
            "draw {}: {vertices}, {triangles}",
            mesh.drawing.draw,
            vertices = counted(vertices, "vertex"),
            triangles = counted(triangles, "triangle")
        ));
        if mesh.vertices_omitted > 0 {
            ui.weak(format!("{} not shown here", counted(mesh.vertices_omitted, "more vertex")));
        }
        if mesh.instance_count > 1 {
            ui.horizontal(|ui| {
                ui.label("instance");
                ui.add(DragValue::new(&mut self.instance).range(0..=mesh.instance_count - 1));
                ui.weak(format!("≤ {}", mesh.instance_count.saturating_sub(1)));
            });
        }
        fates_ui(ui, mesh);
        let selected = self.selected.map(|row| match self.rows {
            MeshRows::Vertices => SelectedInMesh::Vertex(row as u32),
            MeshRows::Triangles => SelectedInMesh::Triangle(row),
        });
        if let Some(triangle) = self.view.ui(ui, mesh, selected) {
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
                format!("{:>6} {:>6} {:>6}  {:>14}  {:<5}  result", "corner", "corner", "corner", "area", "side")
            }
        };
        // It goes sideways with the rows, and stays above them.
        let at = header.left_top() + vec2(ui.spacing().button_padding.x - shown.state.clamped_offset().x, 0.0);
        let font = FontSelection::from(TextStyle::Monospace).resolve(ui.style());
        ui.painter_at(header).text(at, Align2::LEFT_TOP, titles, font, ui.visuals().weak_text_color());
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
        *counts.entry(outcome_text(triangle.outcome)).or_insert(0) += 1;
    }
    if mesh.triangles.iter().all(|triangle| triangle.outcome == TriangleOutcome::Drawn) {
        return;
    }
    let counts: Vec<String> = counts.into_iter().map(|(outcome, count)| format!("{count} {outcome}")).collect();
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
    format!("{a:>6} {b:>6} {c:>6}  {area:>14}  {facing:<5}  {}", outcome_text(triangle.outcome))
}

fn outcome_text(outcome: TriangleOutcome) -> &'static str {
    match outcome {
        TriangleOutcome::Drawn => "drawn",
        TriangleOutcome::Clipped => "clipped",
        TriangleOutcome::Outside(plane) => match plane {
            ClipPlane::Left => "left of the viewport",
            ClipPlane::Right => "right of the viewport",
            ClipPlane::Bottom => "below the viewport",
            ClipPlane::Top => "above the viewport",
            ClipPlane::Near => "before the near plane",
            ClipPlane::Far => "behind the far plane",
        },
        TriangleOutcome::OutsideTarget => "outside the target",
        TriangleOutcome::OutsideScissor => "outside the scissor",
        TriangleOutcome::Culled => "culled",
        TriangleOutcome::Masked => "outside the sample mask",
        TriangleOutcome::Degenerate => "degenerate",
        TriangleOutcome::BetweenPixels => "between pixel centres",
        TriangleOutcome::NotFinite => "not finite",
    }
}
