//! What is bound at the selected draw.

use egui::{Grid, ScrollArea, Ui};

use super::action::{Action, Tab};
use super::dimming::answer_ui;
use super::document::{Document, Question};
use super::worker::{Answer, Asked, Promise};
use crate::command::Location;
use crate::inquiry::{BoundPipeline, BoundShader, Moment, ObjectKind, StateAt};

/// The state that was asked for last; resources are drawn from it too.
#[derive(Default)]
pub(super) struct StateModel {
    state: Asked<Moment, Result<StateAt, String>>,
}

impl StateModel {
    pub(crate) fn clear(&mut self) {
        self.state.clear();
    }

    pub(crate) fn outdate(&mut self) {
        self.state.outdate();
    }

    /// The state at a moment, or the one before it while it is worked out.
    pub(crate) fn at(&mut self, document: &Document, moment: Moment) -> Option<Answer<&Result<StateAt, String>>> {
        document.inquiry()?;
        self.state.get(moment, || {
            let asked = document
                .ask(Question::State, move |inquiry, _| inquiry.state(moment).map_err(|error| error.to_string()));
            asked.unwrap_or_else(|| Promise::ready(Err("the index is not there yet".to_owned())))
        })
    }
}

/// Draws the state, or why there is none.
pub(super) fn ui(ui: &mut Ui, state: Option<Answer<&Result<StateAt, String>>>, actions: &mut Vec<Action>) {
    let Some(answer) = state else {
        ui.weak("…");
        return;
    };
    answer_ui(ui, &answer, |ui| match answer.value {
        Err(message) => {
            ui.colored_label(ui.visuals().error_fg_color, message);
        }
        Ok(state) => state_ui(ui, state, actions),
    });
}

fn state_ui(ui: &mut Ui, state: &StateAt, actions: &mut Vec<Action>) {
    ScrollArea::vertical().id_salt("state").auto_shrink(false).show(ui, |ui| {
        match &state.drawing {
            Some(drawing) => {
                ui.horizontal(|ui| {
                    ui.strong(format!("draw {}", drawing.draw));
                    ui.weak(format!("of frame {}", drawing.at.frame));
                    jump(ui, drawing.at, actions);
                });
                let (first, count) = (drawing.first_vertex, drawing.vertex_count);
                ui.label(format!("{count} vertices from {first}: {} triangles", count / 3));
            }
            None => {
                ui.strong(state.moment.to_string());
            }
        }
        ui.separator();
        pipeline_ui(ui, state.pipeline.as_ref(), actions);
        ui.separator();
        vertices_ui(ui, state, actions);
        ui.separator();
        viewport_ui(ui, state, actions);
    });
}

fn pipeline_ui(ui: &mut Ui, pipeline: Option<&BoundPipeline>, actions: &mut Vec<Action>) {
    ui.strong("Pipeline");
    let Some(pipeline) = pipeline else {
        ui.weak("none is set");
        return;
    };
    Grid::new("pipeline").num_columns(3).show(ui, |ui| {
        ui.label(pipeline.id.to_string());
        if ui.link("texts").on_hover_text("the shaders' texts").clicked() {
            actions.push(Action::ShowTab(Tab::Shaders));
        }
        ui.end_row();
        place_row(ui, "made", pipeline.created_at, actions);
        place_row(ui, "set", pipeline.set_at, actions);
        shader_row(ui, "vertex", &pipeline.vertex, actions);
        shader_row(ui, "fragment", &pipeline.fragment, actions);
        ui.label("texts used");
        ui.label(pipeline.language.unwrap_or("none"));
        ui.end_row();
    });
    if let Some(problem) = &pipeline.problem {
        ui.colored_label(ui.visuals().error_fg_color, problem);
    }
    ui.weak("triangle list, no culling, no blending, no depth");
}

fn shader_row(ui: &mut Ui, stage: &str, shader: &BoundShader, actions: &mut Vec<Action>) {
    ui.label(stage);
    let entry_point = shader.entry_point.as_deref().unwrap_or("?");
    ui.label(format!("{}, entry point {entry_point}", shader.id));
    jump(ui, shader.created_at, actions);
    ui.end_row();
}

fn vertices_ui(ui: &mut Ui, state: &StateAt, actions: &mut Vec<Action>) {
    ui.strong("Vertex buffer");
    let Some(vertices) = &state.vertices else {
        ui.weak("none is set");
        return;
    };
    Grid::new("vertices").num_columns(3).show(ui, |ui| {
        ui.label(vertices.id.to_string());
        ui.label(format!("{} bytes", vertices.size_bytes));
        if ui.link("contents").clicked() {
            actions.push(Action::ShowObject(ObjectKind::Buffer, vertices.creation));
        }
        ui.end_row();
        ui.label("layout");
        let layout = vertices.layout;
        ui.label(format!(
            "stride {}, position at {}, colour at {}",
            layout.stride_bytes, layout.position_offset_bytes, layout.color_offset_bytes
        ));
        ui.end_row();
        place_row(ui, "made", vertices.created_at, actions);
        place_row(ui, "set", vertices.set_at, actions);
    });
    if vertices.is_replaced {
        ui.label("its id means another buffer by now; what is bound stays bound");
    }
}

fn viewport_ui(ui: &mut Ui, state: &StateAt, actions: &mut Vec<Action>) {
    ui.strong("Viewport");
    match &state.viewport {
        None => {
            ui.weak("the whole target: none is set");
        }
        Some(viewport) => {
            ui.horizontal(|ui| {
                match viewport.size_px {
                    Some([width, height]) => ui.label(format!("{width}×{height} from the top left")),
                    None => ui.label("the whole target (0×0)"),
                };
                jump(ui, viewport.set_at, actions);
            });
        }
    }
}

fn place_row(ui: &mut Ui, name: &str, at: Location, actions: &mut Vec<Action>) {
    ui.label(name);
    ui.label(format!("frame {}, packet {}", at.frame, at.packet));
    jump(ui, at, actions);
    ui.end_row();
}

/// A link to a packet.
pub(super) fn jump(ui: &mut Ui, at: Location, actions: &mut Vec<Action>) {
    let hint = format!("frame {}, packet {}", at.frame, at.packet);
    if ui.link(format!("{:#x}", at.offset)).on_hover_text(hint).clicked() {
        actions.push(Action::GoToOffset(at.offset));
    }
}
