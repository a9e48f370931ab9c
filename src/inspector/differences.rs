//! What two places differ in: a table of settings, and lines of texts.

use egui::{Grid, Label, RichText, ScrollArea, Ui};

use crate::analysis::{ComparedLine, LineSide, PlaceDifferences, RowDifference, TextDifference};

/// Rows, and lines of a text, that are shown: more say no more.
const SHOWN: usize = 400;

/// Draws them; `names` are those of the two sides.
pub(super) fn differences_ui(ui: &mut Ui, differences: &PlaceDifferences, names: [&str; 2]) {
    let PlaceDifferences { rows, texts } = differences;
    // Both sides are to be seen; names are short.
    let value_width = (ui.available_width() * 0.3).max(120.0);
    ScrollArea::both().auto_shrink(false).show(ui, |ui| {
        ui.style_mut().wrap_mode = Some(egui::TextWrapMode::Extend);
        if rows.is_empty() {
            ui.weak("Bindings and state are identical.");
        } else {
            rows_ui(ui, rows, names, value_width);
        }
        ui.separator();
        if texts.is_empty() {
            ui.weak("The shaders are identical.");
        }
        texts.iter().for_each(|text| text_ui(ui, text, names));
    });
}

fn rows_ui(ui: &mut Ui, rows: &[RowDifference], [ours, theirs]: [&str; 2], value_width: f32) {
    Grid::new("rows").num_columns(4).spacing([16.0, 2.0]).striped(true).show(ui, |ui| {
        ui.label("");
        ui.label("");
        ui.strong(ours);
        ui.strong(theirs);
        ui.end_row();
        let mut group = None;
        for RowDifference { group: of, name, values } in rows.iter().take(SHOWN) {
            ui.weak(if group.replace(of) == Some(of) { "" } else { of.as_str() });
            ui.label(name);
            for value in values {
                ui.scope(|ui| {
                    ui.set_max_width(value_width);
                    match value {
                        Some(value) => ui.add(Label::new(RichText::new(value).monospace()).wrap()),
                        None => ui.weak("–"),
                    }
                });
            }
            ui.end_row();
        }
    });
    if let Some(more @ 1..) = rows.len().checked_sub(SHOWN) {
        ui.weak(format!("and {more} more"));
    }
}

fn text_ui(ui: &mut Ui, TextDifference { name, groups }: &TextDifference, [ours, theirs]: [&str; 2]) {
    ui.strong(format!("{name} shader"));
    ui.horizontal(|ui| {
        ui.colored_label(ui.visuals().warn_fg_color, format!("− {ours}"));
        ui.colored_label(ui.visuals().hyperlink_color, format!("+ {theirs}"));
    });
    let mut left = SHOWN;
    for (number, group) in groups.iter().enumerate() {
        if number > 0 {
            ui.weak("…");
        }
        for ComparedLine { side, number, text } in group.iter().take(left) {
            let (mark, color) = match side {
                LineSide::First => ('−', ui.visuals().warn_fg_color),
                LineSide::Second => ('+', ui.visuals().hyperlink_color),
                LineSide::Both => (' ', ui.visuals().weak_text_color()),
            };
            ui.label(RichText::new(format!("{mark} {number:>4}  {text}")).monospace().color(color));
        }
        left = left.saturating_sub(group.len());
    }
    if left == 0 {
        ui.weak("and more");
    }
}
