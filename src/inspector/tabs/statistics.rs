//! The frame and the trace in numbers, how often pixels are written, and what looks like a mistake.

use std::sync::Arc;

use egui::{CollapsingHeader, Grid, ScrollArea, Ui};

use super::draw_costs::draw_costs_ui;
use super::findings::ListedFaults;
use super::{Tab, TabContext, TabName};
use crate::analysis::{AnalysisError, FrameStatistics, OverlayKind, TraceStatistics};
use crate::command::Place;
use crate::format::aerogpu::FrameIndex;
use crate::inspector::action::Action;
use crate::inspector::dimming::{answer_ui, known_ui};
use crate::inspector::document::QuestionKind;
use crate::inspector::overlay::{OverlayPicture, legend_entry_ui};
use crate::inspector::player_worker::InspectorError;
use crate::inspector::question::{Answer, DependsOn, Question};
use crate::text::grouped;

pub(super) const NAME: TabName = TabName("Stats");

/// Numbers and mistakes.
#[derive(Default)]
pub(super) struct StatisticsTab {
    frame: Question<FrameIndex, Result<Arc<FrameStatistics>, String>>,
    overdraw: Question<FrameIndex, Result<OverlayPicture, InspectorError>>,
    trace: Question<(), Result<Arc<TraceStatistics>, String>>,
}

impl Tab for StatisticsTab {
    fn name(&self) -> TabName {
        NAME
    }

    fn depends_on(&self) -> DependsOn {
        // How often pixels are written depends on the shaders.
        DependsOn::Shaders
    }

    fn ui(&mut self, ui: &mut Ui, context: &mut TabContext<'_>) {
        ScrollArea::vertical().id_salt("statistics").auto_shrink(false).show(ui, |ui| {
            self.frame_ui(ui, context, figures_of_frame_ui);
            ui.separator();
            draw_costs_ui(ui, context);
            ui.separator();
            self.overdraw_ui(ui, context);
            ui.separator();
            self.frame_ui(ui, context, packets_ui);
            ui.separator();
            self.trace_ui(ui, context);
        });
    }
}

impl StatisticsTab {
    /// Adds something of the frame, once it is known.
    fn frame_ui(&mut self, ui: &mut Ui, context: &TabContext<'_>, add: impl FnOnce(&mut Ui, &FrameStatistics)) {
        let (frame, document) = (context.place.frame, context.document);
        let answer = self.frame.get(document.epoch(DependsOn::Trace), frame, || {
            document
                .ask(QuestionKind::FrameStatistics, move |analysis, _| Ok(Arc::new(analysis.frame_statistics(frame)?)))
        });
        let Some(known) = known_ui(ui, answer).map(Answer::cloned) else { return };
        answer_ui(ui, &known, |ui| add(ui, &known.value));
    }

    fn overdraw_ui(&mut self, ui: &mut Ui, context: &TabContext<'_>) {
        let (frame, document) = (context.place.frame, context.document);
        ui.strong("Overdraw");
        let answer = self.overdraw.get(context.epoch, frame, || {
            let place = Place::end_of(frame);
            let overdraw = QuestionKind::Overdraw;
            Some(document.ask_player(overdraw, move |thread| thread.overlay(place, OverlayKind::Overdraw)))
        });
        let Some(known) = known_ui(ui, answer).map(Answer::cloned) else { return };
        answer_ui(ui, &known, |ui| {
            if known.value.legend.is_empty() {
                ui.weak("no draw writes a pixel");
            }
            for entry in &known.value.legend {
                ui.horizontal(|ui| legend_entry_ui(ui, entry));
            }
        });
    }

    fn trace_ui(&mut self, ui: &mut Ui, context: &mut TabContext<'_>) {
        let document = context.document;
        let answer = self.trace.get(document.epoch(DependsOn::Trace), (), || {
            document.ask_aside(QuestionKind::TraceStatistics, |analysis, _| {
                Ok::<_, AnalysisError>(Arc::new(analysis.trace_statistics()))
            })
        });
        ui.strong("the trace");
        let Some(known) = known_ui(ui, answer).map(Answer::cloned) else { return };
        answer_ui(ui, &known, |ui| {
            let statistics = &known.value;
            figures_ui(
                ui,
                "of the trace",
                &[
                    ("frames", statistics.frames.into()),
                    ("draws", statistics.draws),
                    ("commands", statistics.commands),
                    ("bytes", statistics.size_bytes),
                ],
            );
            if let Some((frame, draws)) = statistics.most_draws {
                let text = format!("most draws: frame {frame} has {draws}");
                if ui.link(text).on_hover_text("go to the frame").clicked() {
                    context.actions.push(Action::frame(frame.0));
                }
            }
        });
        ui.separator();
        context.shared.findings.ui(ui, document, ListedFaults::Here, context.actions);
    }
}

fn figures_of_frame_ui(ui: &mut Ui, of_frame: &FrameStatistics) {
    let FrameStatistics { frame, size_bytes, contents, vertices, .. } = of_frame;
    ui.strong(format!("frame {frame}"));
    figures_ui(
        ui,
        "of the frame",
        &[
            ("draws", contents.draws.into()),
            ("vertices", *vertices),
            ("dispatches", contents.dispatches.into()),
            ("uploads", contents.uploads.into()),
            ("presents", contents.presents.into()),
            ("submissions", contents.submissions.into()),
            ("commands", contents.commands.into()),
            ("bytes", *size_bytes),
        ],
    );
}

fn packets_ui(ui: &mut Ui, FrameStatistics { packets, .. }: &FrameStatistics) {
    CollapsingHeader::new("packets and records").id_salt("packets").default_open(true).show(ui, |ui| {
        let figures: Vec<_> = packets.iter().map(|(name, count)| (*name, u64::from(*count))).collect();
        figures_ui(ui, "packets", &figures);
    });
}

/// Names and numbers below each other. `id`: no other list of the tab has it.
fn figures_ui(ui: &mut Ui, id: &str, figures: &[(&str, u64)]) {
    Grid::new(id).num_columns(2).spacing([16.0, 2.0]).show(ui, |ui| {
        for (name, number) in figures.iter().filter(|(_, number)| *number > 0) {
            ui.weak(*name);
            ui.monospace(grouped(*number));
            ui.end_row();
        }
    });
}
