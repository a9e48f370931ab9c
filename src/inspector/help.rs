//! The sheet of keys.

use egui::{Align2, Grid, RichText, Ui, Vec2, Window, vec2};

use super::keys::sections;

/// What panels do with pointer and keys of their own.
const POINTER: [(&str, &str); 6] = [
    ("wheel on the picture", "zoom around the pointer"),
    ("drag the picture", "pan; double click fits the picture"),
    ("click a pixel", "pixel history: the draws that wrote it"),
    ("W A S D on the timeline", "zoom and pan; the wheel scrolls, with Ctrl it zooms"),
    ("f, m on the timeline", "fit the selection, set a mark"),
    ("drag on the timeline", "select a range and show its statistics"),
];

/// Space that the sheet takes with two columns.
const TWO_COLUMNS: Vec2 = vec2(900.0, 760.0);

/// Draws the sheet.
pub(super) fn ui(ui: &Ui) {
    let window = Window::new("Keys").anchor(Align2::CENTER_CENTER, [0.0, 0.0]).collapsible(false).resizable(false);
    let room = ui.ctx().content_rect().size();
    if room.x < TWO_COLUMNS.x || room.y < TWO_COLUMNS.y {
        window.scroll(true).max_width(room.x - 40.0).max_height(room.y - 60.0).show(ui.ctx(), |ui| {
            sections().iter().for_each(|section| draw(ui, section.title, &lines(&section.bindings)));
            draw(ui, "Pointer", &POINTER);
        });
        return;
    }
    window.show(ui.ctx(), |ui| {
        ui.columns(2, |columns| {
            let mut all = sections();
            let right = all.split_off(2);
            if let [one, other] = columns {
                all.iter().for_each(|section| draw(one, section.title, &lines(&section.bindings)));
                draw(one, "Pointer", &POINTER);
                right.iter().for_each(|section| draw(other, section.title, &lines(&section.bindings)));
            }
        });
    });
}

fn lines(bindings: &[super::keys::Binding]) -> Vec<(&str, &str)> {
    bindings
        .iter()
        .filter(|binding| !binding.label.is_empty())
        .map(|binding| (binding.label.as_str(), binding.meaning))
        .collect()
}

fn draw(ui: &mut Ui, title: &str, lines: &[(&str, &str)]) {
    ui.add_space(6.0);
    ui.label(RichText::new(title).strong());
    Grid::new(title).num_columns(2).spacing([14.0, 3.0]).show(ui, |ui| {
        for (label, meaning) in lines {
            ui.label(RichText::new(*label).monospace());
            ui.label(*meaning);
            ui.end_row();
        }
    });
}
