//! A buffer of submissions as vertices: what the slots that hold it read, row by row.

use std::sync::Arc;

use egui::{RichText, ScrollArea, TextStyle, Ui};

use super::stream_resources::AskedAt;
use crate::analysis::{Analysis, AnalysisError, StreamRow, VertexStream};
use crate::command::Place;
use crate::inspector::dimming::{answer_ui, known_ui};
use crate::inspector::document::QuestionKind;
use crate::inspector::question::{Answer, Question};
use crate::text::counted;

/// Rows of a stream that are read.
const MOST_ROWS: u32 = 4096;

/// Lines about a buffer, or why there are none.
type Lines = Result<Arc<Vec<String>>, String>;

/// The rows of all streams of a buffer.
#[derive(Default)]
pub(super) struct VertexRows {
    lines: Question<(Place, u32), Lines>,
}

impl VertexRows {
    /// Draws the rows of the streams that hold the buffer.
    pub(super) fn ui(&mut self, ui: &mut Ui, at: AskedAt<'_>, buffer: u32) {
        let place = at.place;
        let answer = self.lines.get(at.epoch, (place, buffer), || {
            at.document.ask(QuestionKind::Buffer, move |analysis, _| lines_of(analysis, place, buffer).map(Arc::new))
        });
        let Some(lines) = known_ui(ui, answer).map(Answer::cloned) else { return };
        answer_ui(ui, &lines, |ui| {
            let height = ui.text_style_height(&TextStyle::Monospace);
            let count = lines.value.len();
            ScrollArea::both().id_salt("vertex rows").auto_shrink(false).show_rows(ui, height, count, |ui, rows| {
                ui.style_mut().wrap_mode = Some(egui::TextWrapMode::Extend);
                for line in lines.value.get(rows).unwrap_or_default() {
                    ui.label(RichText::new(line).monospace());
                }
            });
        });
    }
}

fn lines_of(analysis: &Analysis, place: Place, buffer: u32) -> Result<Vec<String>, AnalysisError> {
    let mut lines = Vec::new();
    for stream in analysis.vertex_streams(place)?.iter().filter(|stream| stream.buffer == buffer) {
        lines.push(stream.to_string());
        let rows = analysis.stream_rows(stream, 0..MOST_ROWS)?;
        lines.extend(rows.iter().map(|row| row_line(stream, row)));
        let left = stream.row_count.saturating_sub(rows.len() as u32);
        if left > 0 {
            lines.push(counted(left, "more row"));
        }
    }
    if lines.is_empty() {
        lines.push(format!("buffer {buffer} is in no vertex stream here"));
    }
    Ok(lines)
}

fn row_line(stream: &VertexStream, row: &StreamRow) -> String {
    format!("  {}", stream.row_text(row))
}
