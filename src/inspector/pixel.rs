//! The history of the selected pixel: every CLEAR and draw of the frame, what it did there, or why it did nothing.

use std::sync::Arc;

use egui::{Color32, RichText, ScrollArea, TextStyle, Ui};

use super::action::Action;
use super::dimming::answer_ui;
use super::document::{Document, Question};
use super::player_worker::{Place, Trouble};
use super::state::jump;
use super::worker::{Answer, Asked};
use crate::inquiry::{Effect, Origin, PixelColor, PixelEvent, PixelHistory};
use crate::player::{StrokeKind, Until};

/// Which events are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Listed {
    /// Those that wrote the pixel.
    #[default]
    Writers,
    /// The others too, with the reason.
    All,
}

/// The panel.
#[derive(Default)]
pub(super) struct PixelTab {
    listed: Listed,
    history: Asked<(Place, [u32; 2]), Result<Arc<PixelHistory>, Trouble>>,
}

impl PixelTab {
    /// Pictures are made in another way: what happened to the pixel is asked for again.
    pub(crate) fn outdate(&mut self) {
        self.history.outdate();
    }

    /// Draws the history of `pixel` over the whole frame; the place is marked in it.
    pub(crate) fn ui(
        &mut self,
        ui: &mut Ui,
        document: &Document,
        place: Place,
        pixel: Option<[u32; 2]>,
        actions: &mut Vec<Action>,
    ) {
        let Some([x, y]) = pixel else {
            ui.weak("Click a pixel of the picture: every draw that touched it is listed here, and why others did not.");
            return;
        };
        let whole = Place { frame: place.frame, until: Until::EndOfFrame };
        let asked = self.history.get((whole, [x, y]), || {
            document.ask_player(Question::PixelHistory, move |thread| thread.pixel_history(whole, [x, y]))
        });
        let (history, is_old) = match asked {
            None => {
                ui.weak("…");
                return;
            }
            Some(Answer { value: Err(trouble), .. }) => {
                ui.colored_label(ui.visuals().error_fg_color, &trouble.message);
                return;
            }
            Some(Answer { value: Ok(history), is_old }) => (history.clone(), is_old),
        };
        let last = document.last_draw(place.frame, place.until);
        let answer = Answer { value: &history, is_old };
        answer_ui(ui, &answer, |ui| self.history_ui(ui, &history, last, actions));
    }

    fn history_ui(&mut self, ui: &mut Ui, history: &PixelHistory, last: Option<u32>, actions: &mut Vec<Action>) {
        ui.strong(format!("pixel {},{} in frame {}", history.x_px, history.y_px, history.frame));
        ui.horizontal(|ui| {
            ui.selectable_value(&mut self.listed, Listed::Writers, "what touched it");
            ui.selectable_value(&mut self.listed, Listed::All, "everything");
        });
        ui.separator();
        start_ui(ui, history, actions);
        let events: Vec<&PixelEvent> = match self.listed {
            Listed::Writers => history.writers().collect(),
            Listed::All => history.events.iter().collect(),
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
        match &history.origin {
            Origin::Nothing => {
                ui.weak("nothing has written it");
            }
            Origin::Command { at, kind, .. } => {
                ui.label(format!("from {} of frame {}", name(*kind), at.frame));
                jump(ui, *at, actions);
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
        let is_current = matches!(event.kind, StrokeKind::Draw(draw) if Some(draw) == last);
        let hint = format!("{:#x}: go to the packet", event.at.offset);
        if ui.selectable_label(is_current, name(event.kind)).on_hover_text(hint).clicked() {
            actions.push(Action::GoToOffset(event.at.offset));
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
            ui.colored_label(ui.visuals().error_fg_color, error);
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

fn name(kind: StrokeKind) -> String {
    match kind {
        StrokeKind::Clear => "CLEAR".to_owned(),
        StrokeKind::Draw(draw) => format!("draw {draw}"),
    }
}
