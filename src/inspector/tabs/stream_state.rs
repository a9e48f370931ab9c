//! What submissions have bound and set: one section for each group of settings.

use egui::{CollapsingHeader, ComboBox, ScrollArea, Ui};

use super::packet_link;
use crate::analysis::{StateSetting, StreamStateAt, SubmittedDraw};
use crate::command::ResourceName;
use crate::inspector::action::Action;
use crate::inspector::viewed::picture_object;

/// Longer groups, banks of constants most of all, are closed at first.
const MOST_OPEN_ROWS: usize = 16;

/// Draws the state; `chosen` is the context that it is asked of.
pub(super) fn state_ui(ui: &mut Ui, state: &StreamStateAt, chosen: &mut Option<u32>, actions: &mut Vec<Action>) {
    ScrollArea::vertical().id_salt("stream state").auto_shrink(false).show(ui, |ui| {
        head_ui(ui, state, chosen, actions);
        for group in state.settings.chunk_by(|a, b| a.group == b.group) {
            group_ui(ui, state, group, actions);
        }
    });
}

/// Which draw it is, and whose state.
fn head_ui(ui: &mut Ui, state: &StreamStateAt, chosen: &mut Option<u32>, actions: &mut Vec<Action>) {
    ui.horizontal_wrapped(|ui| match &state.drawing {
        Some(SubmittedDraw { name, at }) => {
            ui.strong(*name);
            ui.weak(format!("packet {} of frame {}", at.packet, at.frame));
            packet_link(ui, *at, actions);
        }
        None => {
            ui.strong(state.place.in_words().to_string());
        }
    });
    ui.horizontal_wrapped(|ui| {
        ui.label("context");
        if state.contexts.len() == 1 {
            ui.label(state.context.to_string());
            return;
        }
        ComboBox::from_id_salt("context").selected_text(state.context.to_string()).show_ui(ui, |ui| {
            for context in &state.contexts {
                ui.selectable_value(chosen, Some(*context), context.to_string());
            }
        });
        if chosen.is_some() && ui.link("context of this place").clicked() {
            *chosen = None;
        }
    });
}

fn group_ui(ui: &mut Ui, state: &StreamStateAt, settings: &[StateSetting], actions: &mut Vec<Action>) {
    let Some(first) = settings.first() else { return };
    let title = match settings.len() {
        count if count > MOST_OPEN_ROWS => format!("{} ({count})", first.group),
        _ => first.group.clone(),
    };
    let header = CollapsingHeader::new(title).id_salt(("state group", &first.group));
    header.default_open(settings.len() <= MOST_OPEN_ROWS).show(ui, |ui| {
        for StateSetting { name, value, handle, set_at, .. } in settings {
            ui.horizontal_wrapped(|ui| {
                ui.weak(name);
                ui.label(value);
                if let Some(object) = handle.and_then(|handle| picture_object(state, handle))
                    && ui.small_button("show").on_hover_text("show it where the frame is").clicked()
                {
                    actions.push(Action::ShowTexture(ResourceName::of(object.handle)));
                }
                if let Some(at) = set_at {
                    packet_link(ui, *at, actions);
                }
            });
        }
    });
}
