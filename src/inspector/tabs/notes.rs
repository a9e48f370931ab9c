//! The user's bookmarks and notes.

use egui::{Id, ScrollArea, TextEdit, Ui};

use super::{Tab, TabContext, TabName};
use crate::inspector::action::Action;
use crate::inspector::question::DependsOn;

pub(super) const NAME: TabName = TabName("Notes");

/// Bookmarks to go to, and a text to write.
#[derive(Default)]
pub(super) struct NotesTab;

impl Tab for NotesTab {
    fn name(&self) -> TabName {
        NAME
    }

    fn depends_on(&self) -> DependsOn {
        DependsOn::Trace
    }

    fn ui(&mut self, ui: &mut Ui, context: &mut TabContext<'_>) {
        ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            bookmarks_ui(ui, context);
            ui.separator();
            text_ui(ui, context);
        });
    }
}

fn bookmarks_ui(ui: &mut Ui, context: &mut TabContext<'_>) {
    let bookmarks = &context.shared.notes.bookmarks;
    ui.horizontal(|ui| {
        ui.strong("Bookmarks");
        let is_here = bookmarks.values().any(|place| *place == context.place);
        let free = (1..=9).chain([0]).find(|number| !bookmarks.contains_key(number));
        let hint = match (is_here, free) {
            (true, _) => "this place has a bookmark".to_owned(),
            (_, Some(number)) => format!("Ctrl Shift {number}"),
            (_, None) => "all ten are set: Ctrl Shift and a digit moves one here".to_owned(),
        };
        let button = egui::Button::new("★ Bookmark this place").small();
        let button = ui.add_enabled(!is_here && free.is_some(), button);
        if button.on_hover_text(&hint).on_disabled_hover_text(&hint).clicked() {
            context.actions.extend(free.map(Action::SetBookmark));
        }
    });
    if bookmarks.is_empty() {
        ui.weak("Ctrl Shift 1 … 0 sets a bookmark here, Ctrl 1 … 0 goes back to it.");
    }
    for (number, place) in bookmarks {
        ui.horizontal(|ui| {
            let link = ui.link(format!("{number}: {}", place.in_words()));
            if link.on_hover_text(format!("{place} (--place)")).clicked() {
                context.actions.push(Action::GoToBookmark(*number));
            }
            if ui.small_button("✖").on_hover_text("delete").clicked() {
                context.actions.push(Action::ForgetBookmark(*number));
            }
        });
    }
}

fn text_ui(ui: &mut Ui, context: &mut TabContext<'_>) {
    let notes = &mut context.shared.notes;
    ui.strong("Notes");
    let field = TextEdit::multiline(&mut notes.text).id(Id::unique("notes")).desired_width(f32::INFINITY);
    let hint =
        if notes.is_unwanted { "not saved: for this run only" } else { "saved for the next time this trace is opened" };
    if ui.add(field.desired_rows(12).hint_text(hint)).lost_focus() {
        context.actions.push(Action::SaveState);
    }
    if let Some(reason) = notes.why_unsavable() {
        ui.colored_label(ui.visuals().error_fg_color, format!("The notes cannot be saved: {reason}"));
    }
}
