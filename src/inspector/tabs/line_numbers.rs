//! The numbers of a text's lines, in the margin of the field that it is edited in.

use egui::text_edit::TextEditOutput;
use egui::{Align2, FontId, Margin, Ui};

/// Space between a number and the text, and around both, in points.
const GAP: f32 = 6.0;

/// The margin of a field with room for the numbers of all lines of `text`.
pub(super) fn number_margin(ui: &Ui, text: &str) -> Margin {
    let digits = (text.bytes().filter(|byte| *byte == b'\n').count() + 1).to_string().len();
    let digit_width = ui.fonts_mut(|fonts| fonts.glyph_width(&font(ui), '0'));
    Margin { left: (digits as f32 * digit_width + 2.0 * GAP).ceil() as i8, ..Margin::same(2) }
}

/// Paints the numbers beside the lines; none of the text is them, so that they are neither selected nor copied.
pub(super) fn paint_numbers(ui: &Ui, output: &TextEditOutput, row_height: f32) {
    let painter = ui.painter();
    let right = output.galley_pos.x - GAP;
    // No line is wrapped, so that each row is one.
    for (number, row) in (1..).zip(&output.galley.rows) {
        let top = output.galley_pos.y + row.rect().top();
        // Issues are told in the same row, under its text.
        let place = egui::pos2(right, top + row_height / 2.0);
        if ui.clip_rect().y_range().contains(place.y) {
            painter.text(place, Align2::RIGHT_CENTER, number, font(ui), ui.visuals().weak_text_color());
        }
    }
}

fn font(ui: &Ui) -> FontId {
    egui::TextStyle::Monospace.resolve(ui.style())
}
