//! What is bound at the selected draw.

use egui::{Grid, ScrollArea, Ui};

use super::{Tab, TabContext, TabName, packet_link, shaders, stream_state};
use crate::analysis::{BoundPipeline, BoundShader, ObjectKind, StateAt, TraceState};
use crate::command::Location;
use crate::inspector::action::Action;
use crate::inspector::dimming::{answer_ui, known_ui};
use crate::inspector::question::DependsOn;
use crate::text::counted;

pub(super) const NAME: TabName = TabName("State");

/// The state, or why there is none.
#[derive(Default)]
pub(super) struct StateTab;

impl Tab for StateTab {
    fn name(&self) -> TabName {
        NAME
    }

    fn depends_on(&self) -> DependsOn {
        DependsOn::Shaders
    }

    fn ui(&mut self, ui: &mut Ui, context: &mut TabContext<'_>) {
        let place = context.place();
        let (bound, chosen) = (&mut context.shared.bound, &mut context.shared.selection.context);
        let Some(state) = known_ui(ui, bound.at(context.document, place, *chosen)) else { return };
        answer_ui(ui, &state, |ui| match state.value {
            TraceState::Packets(state) => state_ui(ui, state, context.actions),
            TraceState::Submissions(state) => stream_state::state_ui(ui, state, chosen, context.actions),
        });
    }
}

fn state_ui(ui: &mut Ui, state: &StateAt, actions: &mut Vec<Action>) {
    ScrollArea::vertical().id_salt("state").auto_shrink(false).show(ui, |ui| {
        match &state.drawing {
            Some(drawing) => {
                ui.horizontal(|ui| {
                    ui.strong(format!("draw {}", drawing.draw));
                    ui.weak(format!("of frame {}", drawing.at.frame));
                    packet_link(ui, drawing.at, actions);
                });
                let (first, count) = (drawing.first_vertex, drawing.vertex_count);
                ui.label(format!(
                    "{count_vertices} from {first}: {}",
                    counted(count / 3, "triangle"),
                    count_vertices = counted(count, "vertex")
                ));
            }
            None => {
                ui.strong(state.place.in_words().to_string());
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
        ui.weak("none set");
        return;
    };
    Grid::new("pipeline").num_columns(3).show(ui, |ui| {
        ui.label(pipeline.id.to_string());
        if ui.link("texts").on_hover_text("the shaders' texts").clicked() {
            actions.push(Action::ShowTab(shaders::NAME));
        }
        ui.end_row();
        place_row(ui, "created", pipeline.created_at, actions);
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
    packet_link(ui, shader.created_at, actions);
    ui.end_row();
}

fn vertices_ui(ui: &mut Ui, state: &StateAt, actions: &mut Vec<Action>) {
    ui.strong("Vertex buffer");
    let Some(vertices) = &state.vertices else {
        ui.weak("none set");
        return;
    };
    Grid::new("vertices").num_columns(3).show(ui, |ui| {
        ui.label(vertices.id.to_string());
        ui.label(counted(vertices.size_bytes, "byte"));
        if ui.link("contents").clicked() {
            actions.push(Action::ShowObject(ObjectKind::Buffer, vertices.creation));
        }
        ui.end_row();
        ui.label("layout");
        let layout = vertices.layout;
        ui.label(format!(
            "stride {}, position at {}, colour at {}",
            layout.stride_bytes,
            layout.position().offset_bytes,
            layout.color().offset_bytes
        ));
        ui.end_row();
        place_row(ui, "created", vertices.created_at, actions);
        place_row(ui, "set", vertices.set_at, actions);
    });
    if vertices.is_replaced {
        ui.label("the id now names another buffer; the binding is unchanged");
    }
}

fn viewport_ui(ui: &mut Ui, state: &StateAt, actions: &mut Vec<Action>) {
    ui.strong("Viewport");
    match &state.viewport {
        None => {
            ui.weak("the whole target (none set)");
        }
        Some(viewport) => {
            ui.horizontal(|ui| {
                match viewport.size_px {
                    Some([width, height]) => ui.label(format!("{width}×{height} from the top left")),
                    None => ui.label("the whole target (0×0)"),
                };
                packet_link(ui, viewport.set_at, actions);
            });
        }
    }
}

fn place_row(ui: &mut Ui, name: &str, at: Location, actions: &mut Vec<Action>) {
    ui.label(name);
    ui.label(format!("frame {}, packet {}", at.frame, at.packet));
    packet_link(ui, at, actions);
    ui.end_row();
}
