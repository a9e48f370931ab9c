//! The history of the selected pixel: every CLEAR and draw of the frame, what it did there, or why it did nothing.

use std::sync::Arc;

use egui::{Color32, RichText, ScrollArea, TextStyle, Ui};

use super::{Tab, TabContext, TabName, packet_link};
use crate::analysis::{Effect, Origin, PixelColor, PixelEvent, PixelHistory};
use crate::command::{Place, ResourceName};
use crate::inspector::action::Action;
use crate::inspector::dimming::{answer_ui, known_ui};
use crate::inspector::document::QuestionKind;
use crate::inspector::player_worker::InspectorError;
use crate::inspector::question::{Answer, DependsOn, Question};
use crate::player::PixelWriteKind;

pub(super) const NAME: TabName = TabName("Pixel");

/// Which events are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum EventSelection {
    /// Those that wrote the pixel.
    #[default]
    Writers,
    /// The others too, with the reason.
    All,
}

/// A pixel of a frame's picture, or of part of a texture, up to a place.
type Asked = (Place, Option<ResourceName>, [u32; 2]);

/// The panel.
#[derive(Default)]
pub(super) struct PixelTab {
    selection: EventSelection,
    history: Question<Asked, Result<Arc<PixelHistory>, InspectorError>>,
}

impl Tab for PixelTab {
    fn name(&self) -> TabName {
        NAME
    }

    fn depends_on(&self) -> DependsOn {
        DependsOn::Shaders
    }

    fn ui(&mut self, ui: &mut Ui, context: &mut TabContext<'_>) {
        let Some([x, y]) = context.shared.selection.pixel else {
            ui.weak("Click a pixel in the picture to list the draws that wrote it, and why other draws did not.");
            return;
        };
        // Over the whole frame; the place is marked in it.
        let (texture, place) = match context.viewed {
            Some((name, place)) => (Some(name), place),
            None => (None, context.place),
        };
        let whole = Place::end_of(place.frame);
        let answer = self.history.get(context.epoch, (whole, texture, [x, y]), || {
            let kind = QuestionKind::PixelHistory;
            Some(context.document.ask_player(kind, move |thread| thread.pixel_history(whole, texture, [x, y])))
        });
        let Some(history) = known_ui(ui, answer).map(Answer::cloned) else { return };
        let last = context.document.last_draw(place);
        answer_ui(ui, &history, |ui| {
            if let Some(name) = texture {
                ui.weak(format!("texture {name}"));
            }
            self.history_ui(ui, &history.value, last, context.actions);
        });
    }
}

impl PixelTab {
    fn history_ui(&mut self, ui: &mut Ui, history: &PixelHistory, last: Option<u32>, actions: &mut Vec<Action>) {
        ui.strong(format!("pixel {},{} in frame {}", history.x_px, history.y_px, history.frame));
        ui.horizontal(|ui| {
            ui.selectable_value(&mut self.selection, EventSelection::Writers, "writes");
            ui.selectable_value(&mut self.selection, EventSelection::All, "all events");
        });
        ui.separator();
        start_ui(ui, history, actions);
        let events: Vec<&PixelEvent> = match self.selection {
            EventSelection::Writers => history.writers().collect(),
            EventSelection::All => history.events.iter().collect(),
        };
        let height = ui.text_style_height(&TextStyle::Body).max(ui.spacing().interact_size.y);
        ScrollArea::both().id_salt("pixel history").auto_shrink(false).show_rows(
            ui,
            height,
            events.len() + 1,
            |ui, rows| {
                for row in rows {
                    match events.get(row) {
                        Some(event) => event_ui(ui, event, last, actions),
                        None => end_ui(ui, history),
                    }
                }
            },
        );
    }
}

fn start_ui(ui: &mut Ui, history: &PixelHistory, actions: &mut Vec<Action>) {
    ui.horizontal_wrapped(|ui| {
        ui.label("the frame begins with");
        color_ui(ui, history.start);
        if let Some(part) = history.part_in_words() {
            ui.label(format!("in {part}"));
        }
        match &history.origin {
            Origin::Nothing => {
                ui.weak("never written");
            }
            Origin::Command { at, kind, .. } => {
                ui.label(format!("from {} of frame {}", kind, at.frame));
                packet_link(ui, *at, actions);
            }
            Origin::Created { at } => {
                ui.label("as created at");
                packet_link(ui, *at, actions);
            }
            Origin::Unknown { error } => {
                ui.colored_label(ui.visuals().error_fg_color, error);
            }
        }
    });
}

fn event_ui(ui: &mut Ui, event: &PixelEvent, last: Option<u32>, actions: &mut Vec<Action>) {
    ui.horizontal(|ui| {
        ui.style_mut().wrap_mode = Some(egui::TextWrapMode::Extend);
        let is_current = matches!(event.kind, PixelWriteKind::Draw(draw) if Some(draw) == last);
        let hint = format!("{:#x}: go to the packet", event.at.offset);
        if ui.selectable_label(is_current, event.kind.to_string()).on_hover_text(hint).clicked() {
            actions.push(Action::GoToCommand(event.at));
        }
        match event.effect {
            Effect::Wrote { before, after } => {
                color_ui(ui, before);
                ui.label("➡");
                color_ui(ui, Some(after));
            }
            Effect::Missed(miss) => {
                ui.weak(miss.to_string());
            }
        }
    });
}

fn end_ui(ui: &mut Ui, history: &PixelHistory) {
    ui.horizontal(|ui| {
        ui.label("the frame ends with");
        color_ui(ui, history.end);
        if let Some(error) = &history.error {
            ui.colored_label(ui.visuals().error_fg_color, &error.message);
        }
    });
}

/// A swatch and the bytes.
fn color_ui(ui: &mut Ui, color: Option<PixelColor>) {
    let Some(PixelColor([r, g, b, a])) = color else {
        ui.weak("unknown");
        return;
    };
    let side = ui.text_style_height(&TextStyle::Body);
    let (place, _) = ui.allocate_exact_size(egui::vec2(side, side), egui::Sense::hover());
    ui.painter().rect_filled(place, 2.0, Color32::from_rgb(r, g, b));
    let float = |value: u8| f32::from(value) / 255.0;
    let text = RichText::new(format!("#{r:02x}{g:02x}{b:02x}{a:02x}")).monospace();
    ui.label(text).on_hover_text(format!(
        "{r} {g} {b} {a}\n{:.4} {:.4} {:.4} {:.4}",
        float(r),
        float(g),
        float(b),
        float(a)
    ));
}
