//! Live objects, and the bytes of a buffer as hex and as vertices.

use std::sync::Arc;

use egui::{Color32, RichText, ScrollArea, TextStyle, Ui};

use super::stream_resources::{AskedAt, StreamResources};
use super::{Tab, TabContext, TabName, packet_link};
use crate::analysis::{Analysis, BufferChoice, BufferView, ByteOrigin, LiveObject, ObjectKind, StateAt, TraceState};
use crate::command::{Place, VertexLayout};
use crate::inspector::action::Action;
use crate::inspector::dimming::{answer_ui, known_ui};
use crate::inspector::document::{Document, QuestionKind};
use crate::inspector::question::{Answer, DependsOn, Epoch, Question};
use crate::replay::CommandNumber;
use crate::text::counted;

pub(super) const NAME: TabName = TabName("Resources");

const HEX_COLUMNS: u64 = 16;
/// Uses of an object that are shown as links.
const SHOWN_USES: usize = 24;

/// How a buffer's bytes are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum BufferAs {
    #[default]
    Vertices,
    Hex,
}

/// The list of objects and the one that is looked at.
#[derive(Default)]
pub(super) struct ResourcesTab {
    shown_as: BufferAs,
    buffer: Question<(Place, CommandNumber), Result<Arc<BufferView>, String>>,
    streams: StreamResources,
}

impl Tab for ResourcesTab {
    fn name(&self) -> TabName {
        NAME
    }

    fn depends_on(&self) -> DependsOn {
        DependsOn::Trace
    }

    fn ui(&mut self, ui: &mut Ui, context: &mut TabContext<'_>) {
        let place = context.place();
        let (document, epoch) = (context.document, context.epoch);
        let (bound, selection) = (&mut context.shared.bound, &mut context.shared.selection);
        let Some(answer) = known_ui(ui, bound.at(document, place, selection.context)) else { return };
        let state = match answer.value {
            TraceState::Packets(state) => state,
            TraceState::Submissions(state) => {
                // Textures are drawn, and so depend on the shaders.
                let at = AskedAt { document, epoch: document.epoch(DependsOn::Shaders), place: state.place };
                answer_ui(ui, &answer, |ui| self.streams.ui(ui, at, state, context.actions));
                return;
            }
        };
        let mut list = ObjectList { state, selected: &mut selection.object, actions: context.actions };
        answer_ui(ui, &answer, |ui| {
            if let Some(buffer) = list.ui(ui) {
                self.buffer_ui(ui, document, epoch, state, buffer);
            }
        });
    }
}

/// The objects that live, and what is known of the selected one.
struct ObjectList<'a> {
    state: &'a StateAt,
    selected: &'a mut Option<CommandNumber>,
    actions: &'a mut Vec<Action>,
}

impl<'a> ObjectList<'a> {
    /// Draws it; the selected object if it is a buffer.
    fn ui(&mut self, ui: &mut Ui) -> Option<&'a LiveObject> {
        let height = ui.available_height();
        ScrollArea::vertical().id_salt("objects").auto_shrink([false, true]).max_height(height * 0.4).show(ui, |ui| {
            for (kind, name) in
                [(ObjectKind::Buffer, "Buffers"), (ObjectKind::Shader, "Shaders"), (ObjectKind::Pipeline, "Pipelines")]
            {
                self.kind_ui(ui, kind, name);
            }
        });
        ui.separator();
        let selected = self.state.objects.iter().find(|object| Some(object.creation) == *self.selected);
        let Some(object) = selected else {
            ui.weak("Select an object to see the commands that create, write and use it.");
            return None;
        };
        self.object_ui(ui, object);
        (object.kind == ObjectKind::Buffer).then_some(object)
    }

    fn kind_ui(&mut self, ui: &mut Ui, kind: ObjectKind, name: &str) {
        let state = self.state;
        let of_kind = || state.objects.iter().filter(move |object| object.kind == kind);
        let title = format!("{name} ({})", of_kind().count());
        egui::CollapsingHeader::new(title).id_salt(name).default_open(true).show(ui, |ui| {
            for object in of_kind() {
                ui.horizontal(|ui| {
                    let is_selected = *self.selected == Some(object.creation);
                    let text = RichText::new(summary(object));
                    let text = if object.is_named { text } else { text.weak() };
                    let label = ui.selectable_label(is_selected, text);
                    let label = if object.is_named {
                        label
                    } else {
                        label.on_hover_text("a newer object has this id; a binding or pipeline keeps this one alive")
                    };
                    if label.clicked() {
                        *self.selected = Some(object.creation);
                    }
                    packet_link(ui, object.created_at, self.actions);
                });
            }
        });
    }

    fn object_ui(&mut self, ui: &mut Ui, object: &LiveObject) {
        let (state, actions) = (self.state, &mut *self.actions);
        ui.horizontal_wrapped(|ui| {
            ui.strong(summary(object));
            ui.label("created at");
            packet_link(ui, object.created_at, actions);
            if let Some(at) = object.replaces {
                ui.label("replaces the object created at");
                packet_link(ui, at, actions);
            }
            if let Some(at) = object.replaced_by {
                ui.label("replaced at");
                packet_link(ui, at, actions);
            }
            if let Some(at) = object.last_writer {
                ui.label(format!("{}, the last at", counted(object.uploads, "upload")));
                packet_link(ui, at, actions);
            }
        });
        if let Some(shaders) = object.shaders {
            ui.horizontal_wrapped(|ui| {
                ui.label("made of");
                for creation in shaders {
                    let shader = state.objects.iter().find(|object| object.creation == creation);
                    let name = shader.map_or_else(|| "a shader".to_owned(), summary);
                    if ui.link(name).clicked() {
                        actions.push(Action::ShowObject(ObjectKind::Shader, creation));
                    }
                }
            });
        }
        ui.horizontal_wrapped(|ui| {
            ui.label(format!("used by {} of this frame:", counted(object.use_count, "packet")));
            for used in object.uses.iter().take(SHOWN_USES) {
                match used.draw {
                    Some(draw) if ui.link(format!("draw {draw}")).clicked() => {
                        actions.push(Action::GoToCommand(used.at));
                    }
                    Some(_) => {}
                    None => packet_link(ui, used.at, actions),
                }
            }
            if object.use_count > SHOWN_USES {
                ui.weak("…");
            }
        });
    }
}

impl ResourcesTab {
    fn buffer_ui(&mut self, ui: &mut Ui, document: &Document, epoch: Epoch, state: &StateAt, object: &LiveObject) {
        ui.horizontal(|ui| {
            ui.selectable_value(&mut self.shown_as, BufferAs::Vertices, "vertices");
            ui.selectable_value(&mut self.shown_as, BufferAs::Hex, "hex");
        });
        let (place, creation) = (state.place, object.creation);
        let answer = self.buffer.get(epoch, (place, creation), || {
            document.ask(QuestionKind::Buffer, move |analysis, _| {
                analysis.buffer(place, BufferChoice::Creation(creation)).map(Arc::new)
            })
        });
        let Some(view) = known_ui(ui, answer).map(Answer::cloned) else { return };
        // What is shown meanwhile may be another buffer's.
        let Some(analysis) = document.analysis().filter(|_| view.value.creation == creation) else { return };
        answer_ui(ui, &view, |ui| self.bytes_ui(ui, analysis, state, &view.value));
    }

    fn bytes_ui(&self, ui: &mut Ui, analysis: &Analysis, state: &StateAt, view: &BufferView) {
        match self.shown_as {
            BufferAs::Hex => hex_ui(ui, analysis, view),
            BufferAs::Vertices => {
                let bound = state.vertices.as_ref().filter(|vertices| vertices.creation == view.creation);
                // Any other buffer is read as the usual layout has it: position, then colour.
                let usual = VertexLayout::position_and_color(24, 0, 8);
                let layout = bound.map_or(usual, |vertices| vertices.layout);
                vertices_ui(ui, analysis, view, layout, bound.is_some());
            }
        }
    }
}

fn summary(object: &LiveObject) -> String {
    let id = object.id;
    match (object.kind, object.stage) {
        (ObjectKind::Buffer, _) => format!("buffer {id}, {}", counted(object.size_bytes, "byte")),
        (ObjectKind::Shader, Some(stage)) => format!("shader {id}, {stage}"),
        (ObjectKind::Shader, None) => format!("shader {id}"),
        (ObjectKind::Pipeline, _) => format!("pipeline {id}"),
    }
}

/// Rows of sixteen bytes, zeros that nobody wrote in grey.
fn hex_ui(ui: &mut Ui, analysis: &Analysis, view: &BufferView) {
    let size = u64::from(view.size_bytes);
    let height = ui.text_style_height(&TextStyle::Monospace);
    let count = size.div_ceil(HEX_COLUMNS) as usize;
    ScrollArea::both().id_salt("hex").auto_shrink(false).show_rows(ui, height, count, |ui, rows| {
        ui.style_mut().wrap_mode = Some(egui::TextWrapMode::Extend);
        for row in rows {
            let start = row as u64 * HEX_COLUMNS;
            let bytes = start..(start + HEX_COLUMNS).min(size);
            let Ok(read) = analysis.read_buffer(view, bytes.clone()) else { continue };
            let hex: Vec<String> = read.iter().map(|byte| format!("{byte:02x}")).collect();
            let printable = |byte: &u8| if byte.is_ascii_graphic() { char::from(*byte) } else { '.' };
            let text: String = read.iter().map(printable).collect();
            let line = RichText::new(format!("{start:08x}  {:<47}  {text}", hex.join(" "))).monospace();
            let stretches = view.stretches_in(bytes);
            let is_unwritten = stretches.iter().all(|stretch| stretch.origin == ByteOrigin::Zeros);
            let label = ui.label(if is_unwritten { line.weak() } else { line });
            label.on_hover_ui(|ui| {
                for stretch in stretches {
                    ui.label(match stretch.origin {
                        ByteOrigin::Zeros => format!("{:#x} to {:#x}: never written", stretch.start, stretch.end),
                        ByteOrigin::Upload { at, blob, .. } => {
                            format!("{:#x} to {:#x}: blob {blob}, uploaded {at}", stretch.start, stretch.end)
                        }
                    });
                }
            });
        }
    });
}

/// Position and colour of each vertex, the colour as a swatch too.
fn vertices_ui(ui: &mut Ui, analysis: &Analysis, view: &BufferView, layout: VertexLayout, is_bound: bool) {
    let table = analysis.vertices(view, layout, 0..0);
    let capacity = table.map_or(0, |table| table.capacity);
    let read_as = if is_bound { "as bound" } else { "not bound: read as stride 24, colour at 8" };
    ui.weak(format!("{}, {read_as}", counted(capacity, "vertex")));
    let height = ui.text_style_height(&TextStyle::Monospace);
    ScrollArea::both().id_salt("vertices").auto_shrink(false).show_rows(ui, height, capacity as usize, |ui, rows| {
        ui.style_mut().wrap_mode = Some(egui::TextWrapMode::Extend);
        let Ok(table) = analysis.vertices(view, layout, rows.start as u32..rows.end as u32) else { return };
        for row in &table.rows {
            ui.horizontal(|ui| {
                let position =
                    row.position.map_or("outside".to_owned(), |[x, y]| format!("{:>10.4} {:>10.4}", x.0, y.0));
                ui.monospace(format!("{:>6} {:#06x}  {position}", row.vertex, row.offset_bytes));
                let Some(color) = row.color else { return };
                let [r, g, b, a] = color.map(|channel| channel.0);
                let byte = |value: f32| (value.clamp(0.0, 1.0) * 255.0).round() as u8;
                let (place, _) = ui.allocate_exact_size(egui::vec2(height, height), egui::Sense::hover());
                ui.painter().rect_filled(place, 0.0, Color32::from_rgb(byte(r), byte(g), byte(b)));
                ui.monospace(format!("{r:.3} {g:.3} {b:.3} {a:.3}"));
            });
        }
    });
}
