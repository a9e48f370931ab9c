//! What the user wants to keep in mind about a trace.

use egui::{Id, TextEdit, Ui};

use super::Inspector;
use super::action::Action;

impl Inspector {
    /// Bookmarks and notes.
    pub(super) fn notes_ui(&mut self, ui: &mut Ui, actions: &mut Vec<Action>) {
        ui.strong("Bookmarks");
        if self.bookmarks.is_empty() {
            ui.weak("Ctrl Shift 1 … 0 sets one here, Ctrl 1 … 0 goes back to it.");
        }
        let mut unwanted = None;
        for (number, bookmark) in &self.bookmarks {
            ui.horizontal(|ui| {
                let draw = bookmark.draw.map_or(String::new(), |draw| format!(", draw {draw}"));
                if ui.link(format!("{number}: frame {}{draw}", bookmark.frame)).clicked() {
                    actions.push(Action::GoToBookmark(*number));
                }
                if ui.small_button("✖").on_hover_text("forget it").clicked() {
                    unwanted = Some(*number);
                }
            });
        }
        if let Some(number) = unwanted {
            self.bookmarks.remove(&number);
        }
        ui.separator();
        ui.strong("Notes");
        let field = TextEdit::multiline(&mut self.notes).id(Id::unique("notes")).desired_width(f32::INFINITY);
        let is_unwanted = self.state_store.is_unwanted();
        let hint = if is_unwanted { "for this run only" } else { "kept for the next time this trace is opened" };
        let field = ui.add(field.desired_rows(12).hint_text(hint));
        if field.lost_focus() || unwanted.is_some() {
            self.save_state();
        }
        if let Some(reason) = self.not_saved.as_ref().filter(|_| !is_unwanted) {
            ui.colored_label(ui.visuals().error_fg_color, format!("This can't be kept: {reason}"));
        }
    }
}
