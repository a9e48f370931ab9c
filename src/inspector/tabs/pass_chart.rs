//! A frame's passes from left to right, its resources below each other: who writes what, and who reads it after that.
//!
//! ```text
//!                0  1  2  3  4
//!  shadow map       ■──────□
//!  lit scene                 ■──□      ■ writes  □ reads  ◧ both
//! ```

use std::collections::BTreeMap;

use egui::{Align2, Color32, FontId, Rect, Sense, Ui, pos2, vec2};

use crate::analysis::{FramePass, PassResource, PassResourceKind};
use crate::text::{Harmless, counted};

const ROW_HEIGHT: f32 = 15.0;
const CELL_WIDTH: f32 = 15.0;
const LABEL_WIDTH: f32 = 150.0;
/// Characters of a label that fit.
const LABEL_LENGTH: usize = 24;
/// Resources and passes that are drawn; a frame with more is listed below.
const MOST_ROWS: usize = 24;
const MOST_PASSES: usize = 400;

const WRITES: Color32 = Color32::from_rgb(0xd9, 0x82, 0x2b);
const READS: Color32 = Color32::from_rgb(0x3b, 0x8e, 0xd0);

/// A resource's row: how each pass uses it.
struct ChartRow<'a> {
    resource: &'a PassResource,
    /// By pass: whether it reads, and whether it writes.
    uses: BTreeMap<u32, (bool, bool)>,
}

/// Draws the chart; gives the pass that was clicked.
pub(super) fn chart_ui<'a>(ui: &mut Ui, passes: &'a [FramePass], current: Option<u32>) -> Option<&'a FramePass> {
    let rows = rows_of(passes);
    let shown = rows.len().min(MOST_ROWS);
    let columns = passes.len().min(MOST_PASSES);
    if shown == 0 {
        return None;
    }
    let size = vec2(LABEL_WIDTH + columns as f32 * CELL_WIDTH, (shown + 1) as f32 * ROW_HEIGHT);
    let area = egui::ScrollArea::horizontal().id_salt("chart of passes").auto_shrink([false, true]);
    let clicked = area.show(ui, |ui| {
        let (rect, response) = ui.allocate_exact_size(size, Sense::click());
        let painter = ui.painter_at(rect);
        let font = FontId::proportional(11.0);
        let (text, weak) = (ui.visuals().text_color(), ui.visuals().weak_text_color());
        let cell = |column: usize, row: usize| {
            let min = pos2(LABEL_WIDTH + column as f32 * CELL_WIDTH, row as f32 * ROW_HEIGHT);
            Rect::from_min_size(rect.min + min.to_vec2(), vec2(CELL_WIDTH, ROW_HEIGHT))
        };
        for (column, pass) in passes.iter().take(columns).enumerate() {
            if current == Some(pass.pass) {
                let whole = cell(column, 0).union(cell(column, shown));
                painter.rect_filled(whole, 0.0, ui.visuals().selection.bg_fill.gamma_multiply(0.4));
            }
            let colour = if pass.is_for_nothing() { ui.visuals().warn_fg_color } else { weak };
            let number = (pass.pass % 100).to_string();
            painter.text(cell(column, 0).center(), Align2::CENTER_CENTER, number, font.clone(), colour);
        }
        for (number, row) in rows.iter().take(shown).enumerate() {
            let at = number + 1;
            let label = cell(0, at).left_center() - vec2(4.0, 0.0);
            painter.text(label, Align2::RIGHT_CENTER, short_name(row.resource), font.clone(), text);
            let (first, last) = (row.uses.keys().next(), row.uses.keys().next_back());
            if let Some((first, last)) = first.zip(last) {
                let [from, to] =
                    [first, last].map(|pass| cell((*pass as usize).min(columns.saturating_sub(1)), at).center());
                painter.line_segment([from, to], (1.0, weak));
            }
            for (pass, (reads, writes)) in row.uses.range(..columns as u32) {
                let square = cell(*pass as usize, at).shrink(2.5);
                let halves = [square.with_max_x(square.center().x), square.with_min_x(square.center().x)];
                let colours = match (reads, writes) {
                    (true, true) => [READS, WRITES],
                    (true, false) => [READS; 2],
                    _ => [WRITES; 2],
                };
                for (half, colour) in halves.into_iter().zip(colours) {
                    painter.rect_filled(half, 0.0, colour);
                }
            }
        }
        let pointed = response.hover_pos().map(|at| ((at - rect.min) - vec2(LABEL_WIDTH, 0.0)) / CELL_WIDTH);
        let pass = pointed.filter(|at| at.x >= 0.0).and_then(|at| passes.get(at.x as usize));
        if let (Some(pass), Some(at)) = (pass, response.hover_pos()) {
            let row = ((at.y - rect.min.y) / ROW_HEIGHT) as usize;
            let resource = row.checked_sub(1).and_then(|row| rows.get(row)).map(|row| row.resource.to_string());
            let hint = resource.map_or_else(|| pass.heading(), |resource| format!("{}\n{resource}", pass.heading()));
            response.clone().on_hover_text_at_pointer(hint);
        }
        pass.filter(|_| response.clicked())
    });
    ui.horizontal(|ui| {
        for (colour, word) in [(WRITES, "writes"), (READS, "reads")] {
            ui.colored_label(colour, "■");
            ui.weak(word);
        }
        if rows.len() > shown {
            ui.weak(format!("and {}, listed below", counted(rows.len() - shown, "more resource")));
        }
    });
    clicked.inner
}

/// The resources of a frame, textures first, each in the order of its first pass.
fn rows_of(passes: &[FramePass]) -> Vec<ChartRow<'_>> {
    let mut rows: Vec<ChartRow<'_>> = Vec::new();
    let mut known: BTreeMap<_, usize> = BTreeMap::new();
    for pass in passes {
        let reads = pass.reads.iter().map(|read| (&read.resource, true));
        let writes = pass.writes.iter().map(|write| (&write.resource, false));
        for (resource, is_read) in reads.chain(writes) {
            let at = *known.entry(resource.object).or_insert(rows.len());
            if at == rows.len() {
                rows.push(ChartRow { resource, uses: BTreeMap::new() });
            }
            if let Some(row) = rows.get_mut(at) {
                let (reads, writes) = row.uses.entry(pass.pass).or_default();
                *reads |= is_read;
                *writes |= !is_read;
            }
        }
    }
    let is_picture = |row: &ChartRow<'_>| {
        matches!(row.resource.kind, PassResourceKind::Texture { .. } | PassResourceKind::BackBuffer)
    };
    let is_written = |row: &ChartRow<'_>| row.uses.values().any(|(_, writes)| *writes);
    rows.sort_by_key(|row| (!is_picture(row), !is_written(row)));
    rows
}

/// As much of a resource's name as fits.
fn short_name(resource: &PassResource) -> String {
    let name = match (&resource.name, resource.handle, resource.kind) {
        (Some(name), ..) => Harmless(name).to_string(),
        (None, Some(handle), PassResourceKind::Buffer { .. }) => format!("buffer {handle}"),
        (None, Some(handle), _) => format!("texture {handle}"),
        (None, None, _) => resource.to_string(),
    };
    match name.char_indices().nth(LABEL_LENGTH) {
        Some((end, _)) => format!("{}…", name.get(..end).unwrap_or(&name)),
        None => name,
    }
}
