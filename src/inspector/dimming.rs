//! How an answer looks while the next one is worked out.

use std::fmt::Display;

use egui::{Id, Ui, UiBuilder};

use super::question::Answer;

/// An old answer is dimmed this long after it became old, not at once: most are replaced before one would see it.
const DIMMED_AFTER_SECONDS: f32 = 0.8;
/// Share of that time for which nothing is to be seen.
const UNSEEN: f32 = 0.4;
const OLD_OPACITY: f32 = 0.4;

/// Draws an answer. An old one is dimmed, and can't be clicked: it is about something else.
pub(super) fn answer_ui<T, R>(ui: &mut Ui, answer: &Answer<T>, add: impl FnOnce(&mut Ui) -> R) -> R {
    let opacity = opacity(ui, ui.next_auto_id().with("old"), answer.is_old);
    let scope = ui.scope_builder(UiBuilder::new(), |ui| {
        ui.multiply_opacity(opacity);
        if answer.is_old {
            // The dimming is ours.
            ui.visuals_mut().disabled_alpha = 1.0;
            ui.disable();
        }
        add(ui)
    });
    scope.inner
}

/// What is known. If there is nothing yet, or an error, draws that instead.
pub(super) fn known_ui<'a, T, E: Display>(
    ui: &mut Ui,
    answer: Option<Answer<&'a Result<T, E>>>,
) -> Option<Answer<&'a T>> {
    let Some(Answer { value, is_old }) = answer else {
        ui.weak("…");
        return None;
    };
    match value {
        Ok(value) => Some(Answer { value, is_old }),
        Err(error) => {
            let error = Answer { value: error, is_old };
            answer_ui(ui, &error, |ui| ui.colored_label(ui.visuals().error_fg_color, error.value.to_string()));
            None
        }
    }
}

/// How opaque to draw something that is old, or is not.
pub(super) fn opacity(ui: &Ui, id: Id, is_old: bool) -> f32 {
    let age = ui.ctx().animate_bool_with_time(id, is_old, if is_old { DIMMED_AFTER_SECONDS } else { 0.0 });
    let dimmed = ((age - UNSEEN) / (1.0 - UNSEEN)).max(0.0);
    1.0 - dimmed * (1.0 - OLD_OPACITY)
}
