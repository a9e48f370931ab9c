//! How an answer looks while the next one is worked out.

use egui::{Id, Ui, UiBuilder};

use super::worker::Answer;

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

/// How opaque to draw something that is old, or is not.
pub(super) fn opacity(ui: &Ui, id: Id, is_old: bool) -> f32 {
    let age = ui.ctx().animate_bool_with_time(id, is_old, if is_old { DIMMED_AFTER_SECONDS } else { 0.0 });
    let dimmed = ((age - UNSEEN) / (1.0 - UNSEEN)).max(0.0);
    1.0 - dimmed * (1.0 - OLD_OPACITY)
}
