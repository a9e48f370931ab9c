//! Live objects, and the bytes of a buffer as hex and as vertices.

use std::sync::Arc;

use egui::{Color32, RichText, ScrollArea, TextStyle, Ui};

use super::action::Action;
use super::dimming::answer_ui;
use super::document::{Document, Question};
use super::state::jump;
use super::worker::{Answer, Asked, Promise};
use crate::command::VertexLayout;
use crate::inquiry::{BufferChoice, BufferView, ByteOrigin, Inquiry, LiveObject, Moment, ObjectKind, StateAt};
use crate::replay::CommandNumber;

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
pub(super) struct ResourcesPanel {
    selected: Option<CommandNumber>,
    shown_as: BufferAs,
    buffer: Asked<(Moment, CommandNumber), Result<Arc<BufferView>, String>>,
}

impl ResourcesPanel {
    /// Looks at an object.
    pub(crate) fn select(&mut self, creation: CommandNumber) {
        self.selected = Some(creation);
    }

    /// Forgets everything: another trace.
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Draws the list, and below it the object that is selected.
    pub(crate) fn ui(
        &mut self,
        ui: &mut Ui,
        document: &Document,
        state: Option<Answer<&StateAt>>,
        actions: &mut Vec<Action>,
    ) {
        let Some(state) = state else {
            ui.weak("…");
            return;
        };
        answer_ui(ui, &state, |ui| self.objects_ui(ui, document, state.value, actions));
    }

    fn objects_ui(&mut self, ui: &mut Ui, document: &Document, state: &StateAt, actions: &mut Vec<Action>) {
        let height = ui.available_height();
        ScrollArea::vertical().id_salt("objects").auto_shrink([false, true]).max_height(height * 0.4).show(ui, |ui| {
            for (kind, name) in
                [(ObjectKind::Buffer, "Buffers"), (ObjectKind::Shader, "Shaders"), (ObjectKind::Pipeline, "Pipelines")]
            {
                self.kind_ui(ui, state, kind, name, actions);
            }
        });
        ui.separator();
        let selected = state.objects.iter().find(|object| Some(object.creation) == self.selected);
        match selected {
            None => {
                ui.weak("Select an object to see who made, wrote and uses it.");
            }
            Some(object) => {
                self.object_ui(ui, state, object, actions);
                if object.kind == ObjectKind::Buffer {
                    self.buffer_ui(ui, document, state, object);
                }
            }
        }
    }

    fn kind_ui(&mut self, ui: &mut Ui, state: &StateAt, kind: ObjectKind, name: &str, actions: &mut Vec<Action>) {
        let of_kind = || state.objects.iter().filter(move |object| object.kind == kind);
        let title = format!("{name} ({})", of_kind().count());
        egui::CollapsingHeader::new(title).id_salt(name).default_open(true).show(ui, |ui| {
            for object in of_kind() {
                ui.horizontal(|ui| {
                    let is_selected = self.selected == Some(object.creation);
                    let text = RichText::new(summary(object));
                    let text = if object.is_named { text } else { text.weak() };
                    let label = ui.selectable_label(is_selected, text);
                    let label = if object.is_named {
                        label
                    } else {
                        label.on_hover_text("no id means it any more; a binding or pipeline keeps it")
                    };
                    if label.clicked() {
                        self.selected = Some(object.creation);
                    }
                    jump(ui, object.created_at, actions);
                });
            }
        });
    }

    fn object_ui(&self, ui: &mut Ui, state: &StateAt, object: &LiveObject, actions: &mut Vec<Action>) {
        ui.horizontal_wrapped(|ui| {
            ui.strong(summary(object));
            ui.label("made at");
            jump(ui, object.created_at, actions);
            if let Some(at) = object.replaces {
                ui.label("in place of the one made at");
                jump(ui, at, actions);
            }
            if let Some(at) = object.replaced_by {
                ui.label("its id means another from");
                jump(ui, at, actions);
            }
            if let Some(at) = object.last_writer {
                ui.label(format!("{} uploads, the last at", object.uploads));
                jump(ui, at, actions);
            }
        });
        if let Some(shaders) = object.shaders {
            ui.horizontal_wrapped(|ui| {
                ui.label("of");
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
            ui.label(format!("used by {} packets of this frame:", object.use_count));
            for used in object.uses.iter().take(SHOWN_USES) {
                match used.draw {
                    Some(draw) if ui.link(format!("draw {draw}")).clicked() => {
                        actions.push(Action::GoToOffset(used.at.offset));
                    }
                    Some(_) => {}
                    None => jump(ui, used.at, actions),
                }
            }
            if object.use_count > SHOWN_USES {
                ui.weak("…");
            }
        });
    }

    fn buffer_ui(&mut self, ui: &mut Ui, document: &Document, state: &StateAt, object: &LiveObject) {
        ui.horizontal(|ui| {
            ui.selectable_value(&mut self.shown_as, BufferAs::Vertices, "vertices");
            ui.selectable_value(&mut self.shown_as, BufferAs::Hex, "hex");
        });
        let (moment, creation) = (state.moment, object.creation);
        let answer = self.buffer.get((moment, creation), || {
            let asked = document.ask(Question::Buffer, move |inquiry, _| {
                let view = inquiry.buffer(moment, BufferChoice::Creation(creation));
                view.map(Arc::new).map_err(|error| error.to_string())
            });
            asked.unwrap_or_else(|| Promise::ready(Err("the index is not there yet".to_owned())))
        });
        let (view, is_old) = match answer {
            None => {
                ui.weak("…");
                return;
            }
            Some(Answer { value: Err(message), .. }) => {
                ui.colored_label(ui.visuals().error_fg_color, message);
                return;
            }
            // What is shown meanwhile may be another buffer's.
            Some(Answer { value: Ok(view), .. }) if view.creation != creation => return,
            Some(Answer { value: Ok(view), is_old }) => (view.clone(), is_old),
        };
        let Some(inquiry) = document.inquiry() else { return };
        let answer = Answer { value: &view, is_old };
        answer_ui(ui, &answer, |ui| self.bytes_ui(ui, inquiry, state, &view));
    }

    fn bytes_ui(&self, ui: &mut Ui, inquiry: &Inquiry, state: &StateAt, view: &BufferView) {
        match self.shown_as {
            BufferAs::Hex => hex_ui(ui, inquiry, view),
            BufferAs::Vertices => {
                let bound = state.vertices.as_ref().filter(|vertices| vertices.creation == view.creation);
                // Any other buffer is read as the usual layout has it: position, then colour.
                let usual = VertexLayout { stride_bytes: 24, position_offset_bytes: 0, color_offset_bytes: 8 };
                let layout = bound.map_or(usual, |vertices| vertices.layout);
                vertices_ui(ui, inquiry, view, layout, bound.is_some());
            }
        }
    }
}

fn summary(object: &LiveObject) -> String {
    let id = object.id;
    match (object.kind, object.stage) {
        (ObjectKind::Buffer, _) => format!("buffer {id}, {} bytes", object.size_bytes),
        (ObjectKind::Shader, Some(stage)) => format!("shader {id}, {stage}"),
        (ObjectKind::Shader, None) => format!("shader {id}"),
        (ObjectKind::Pipeline, _) => format!("pipeline {id}"),
    }
}

/// Rows of sixteen bytes, zeros that nobody wrote in grey.
fn hex_ui(ui: &mut Ui, inquiry: &Inquiry, view: &BufferView) {
    let size = u64::from(view.size_bytes);
    let height = ui.text_style_height(&TextStyle::Monospace);
    let count = size.div_ceil(HEX_COLUMNS) as usize;
    ScrollArea::both().id_salt("hex").auto_shrink(false).show_rows(ui, height, count, |ui, rows| {
        ui.style_mut().wrap_mode = Some(egui::TextWrapMode::Extend);
        for row in rows {
            let start = row as u64 * HEX_COLUMNS;
            let bytes = start..(start + HEX_COLUMNS).min(size);
            let Ok(read) = inquiry.read_buffer(view, bytes.clone()) else { continue };
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
fn vertices_ui(ui: &mut Ui, inquiry: &Inquiry, view: &BufferView, layout: VertexLayout, is_bound: bool) {
    let table = inquiry.vertices(view, layout, 0..0);
    let capacity = table.map_or(0, |table| table.capacity);
    let read_as = if is_bound { "as it is bound" } else { "not bound: read as stride 24, colour at 8" };
    ui.weak(format!("{capacity} vertices, {read_as}"));
    let height = ui.text_style_height(&TextStyle::Monospace);
    ScrollArea::both().id_salt("vertices").auto_shrink(false).show_rows(ui, height, capacity as usize, |ui, rows| {
        ui.style_mut().wrap_mode = Some(egui::TextWrapMode::Extend);
        let Ok(table) = inquiry.vertices(view, layout, rows.start as u32..rows.end as u32) else { return };
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
