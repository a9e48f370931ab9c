//! A packet's arguments below each other, with what is odd about it: in its row there is no room for all of them.

use std::sync::Arc;

use egui::{Grid, Label, RichText, ScrollArea, Ui};

use super::dimming::{answer_ui, known_ui};
use super::document::{Document, QuestionKind};
use super::question::{Answer, DependsOn, Question};
use crate::analysis::{EventRow, FrameEvents, RowId};
use crate::bytes::FindingKind;
use crate::text::counted;

/// Names and values.
type Arguments = Arc<Vec<(&'static str, String)>>;

/// What is said of the packet that is selected.
#[derive(Default)]
pub(super) struct PacketDetails {
    arguments: Question<RowId, Result<Arguments, String>>,
}

impl PacketDetails {
    /// Draws what is known of a row of a frame's events.
    pub(crate) fn ui(&mut self, ui: &mut Ui, document: &Document, events: &FrameEvents, number: u32) {
        let Some(row) = events.rows.get(number as usize).copied() else { return };
        ScrollArea::vertical().id_salt("packet details").auto_shrink(false).show(ui, |ui| {
            ui.horizontal_wrapped(|ui| {
                ui.strong(row.kind.name());
                let (packet, offset, size) = (row.packet, row.offset, counted(row.size_bytes, "byte"));
                ui.weak(format!("packet {packet}, {size} at {offset:#x}"));
            });
            for note in events.notes_of(number) {
                let is_odd = note.kind == FindingKind::Oddity;
                let color = if is_odd { ui.visuals().warn_fg_color } else { ui.visuals().text_color() };
                ui.add(Label::new(RichText::new(&note.message).color(color)).wrap());
            }
            let frame = events.frame;
            let answer = self.arguments.get(document.epoch(DependsOn::Trace), events.id_of(number), || {
                document.ask(QuestionKind::Arguments, move |analysis, _| {
                    let arguments = analysis.arguments(&row)?;
                    let names = analysis.resource_names(frame, &row, &arguments);
                    let told = arguments.into_iter().map(|argument| {
                        let unit = argument.meaning.unit();
                        let space = if unit.is_empty() { "" } else { " " };
                        (argument.name, format!("{}{space}{unit}", argument.value_in_words(&names)))
                    });
                    Ok(Arc::new(told.collect::<Vec<_>>()))
                })
            });
            let Some(known) = known_ui(ui, answer).map(Answer::cloned) else { return };
            answer_ui(ui, &known, |ui| arguments_ui(ui, &row, &known.value));
        });
    }
}

fn arguments_ui(ui: &mut Ui, row: &EventRow, arguments: &[(&'static str, String)]) {
    if arguments.is_empty() {
        ui.weak("no arguments");
        return;
    }
    let width = (ui.available_width() * 0.6).max(80.0);
    Grid::new(("arguments", row.kind.name())).num_columns(2).spacing([12.0, 1.0]).show(ui, |ui| {
        for (name, value) in arguments {
            ui.weak(*name);
            ui.scope(|ui| {
                ui.set_max_width(width);
                ui.add(Label::new(RichText::new(value).monospace()).wrap());
            });
            ui.end_row();
        }
    });
}
