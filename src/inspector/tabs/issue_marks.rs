//! What is wrong or odd in a text: underlined where it is, and told under its line.

use std::ops::Range;
use std::sync::Arc;

use egui::emath::GuiRounding;
use egui::text::{ByteIndex, LayoutJob, LayoutSection};
use egui::text_edit::TextEditOutput;
use egui::{Align2, Color32, FontId, Galley, Stroke, Ui};

use crate::error::Severity;
use crate::inspector::problems::color_of;
use crate::shader::ShaderIssue;

/// Something to be said of one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    /// The line, from 0.
    line: usize,
    /// Where in the text it is, in bytes.
    bytes: Range<usize>,
    /// How many characters of the line stand before it.
    characters_before: usize,
    severity: Severity,
    message: String,
}

impl Mark {
    /// Whether it marks this issue.
    pub(super) fn is_of(&self, issue: &ShaderIssue) -> bool {
        issue.range.is_some_and(|range| range.line as usize == self.line) && issue.message == self.message
    }

    /// Where in the text it is.
    pub(super) fn bytes(&self) -> Range<usize> {
        self.bytes.clone()
    }
}

/// The issues of a text that say where they are.
pub(super) fn marks<'i>(text: &str, issues: impl Iterator<Item = &'i ShaderIssue>) -> Vec<Mark> {
    let lines = line_ranges(text);
    let mark = |issue: &ShaderIssue| {
        let range = issue.range?;
        let line = range.line as usize;
        let of_line = lines.get(line)?;
        let content = text.get(of_line.clone())?;
        let byte_at = |words: u32| {
            let mut passed = 0;
            let before = content.char_indices().find(|(_, c)| {
                let is_there = passed >= words;
                passed += c.len_utf16() as u32;
                is_there
            });
            before.map_or(content.len(), |(byte, _)| byte)
        };
        let (from, to) = (byte_at(range.from), byte_at(range.to));
        let characters_before = content.get(..from).map_or(0, |before| before.chars().count());
        let bytes = of_line.start + from..of_line.start + to.max(from);
        let (severity, message) = (issue.severity, issue.message.clone());
        Some(Mark { line, bytes, characters_before, severity, message })
    };
    issues.filter_map(mark).collect()
}

/// Bytes of each line, its end left out.
fn line_ranges(text: &str) -> Vec<Range<usize>> {
    let mut start = 0;
    text.split('\n')
        .map(|line| {
            let range = start..start + line.len();
            start = range.end + 1;
            range
        })
        .collect()
}

/// Underlines what is marked.
pub(super) fn underlined(job: LayoutJob, marks: &[Mark], color_of: impl Fn(Severity) -> Color32) -> LayoutJob {
    let mut cuts: Vec<usize> = marks.iter().flat_map(|mark| [mark.bytes.start, mark.bytes.end]).collect();
    cuts.sort_unstable();
    cuts.dedup();
    let mut sections = Vec::new();
    for section in &job.sections {
        let (mut from, end) = (section.byte_range.start.0, section.byte_range.end.0);
        let mut leading_space = section.leading_space;
        for to in cuts.iter().copied().filter(|cut| *cut > from && *cut < end).chain([end]).collect::<Vec<_>>() {
            let mut format = section.format.clone();
            let covering = marks.iter().filter(|mark| mark.bytes.start <= from && to <= mark.bytes.end);
            if let Some(worst) = covering.map(|mark| mark.severity).min() {
                format.underline = Stroke::new(1.5, color_of(worst));
            }
            sections.push(LayoutSection { leading_space, byte_range: ByteIndex(from)..ByteIndex(to), format });
            (from, leading_space) = (to, 0.0);
        }
    }
    LayoutJob { sections, ..job }
}

/// Moves rows apart, so that there is room under marked lines, `row_height` for each mark. No line may be wrapped.
///
/// A higher line would have its letters in its middle.
pub(super) fn spread(galley: Arc<Galley>, marks: &[Mark], row_height: f32) -> Arc<Galley> {
    if marks.is_empty() {
        return galley;
    }
    let mut spread = Galley::clone(&galley);
    let mut added = 0.0;
    for (line, row) in spread.rows.iter_mut().enumerate() {
        // Letters stand on whole pixels.
        row.pos.y = (row.pos.y + added).round_to_pixels(spread.pixels_per_point);
        added += row_height * marks.iter().filter(|mark| mark.line == line).count() as f32;
    }
    spread.rect.max.y += added;
    spread.mesh_bounds.max.y += added;
    Arc::new(spread)
}

/// Writes what is said under the lines.
pub(super) fn paint(ui: &Ui, output: &TextEditOutput, marks: &[Mark], row_height: f32) {
    let painter = ui.painter().with_clip_rect(output.text_clip_rect.intersect(ui.clip_rect()));
    for (number, mark) in marks.iter().enumerate() {
        let Some(row) = output.galley.rows.get(mark.line) else { continue };
        let before = marks.iter().take(number).filter(|other| other.line == mark.line).count();
        let x = row.row.glyphs.get(mark.characters_before).map_or(0.0, |glyph| glyph.pos.x);
        let below = row.rect().left_bottom().to_vec2() + egui::vec2(x, row_height * before as f32);
        let at = output.galley_pos + below;
        let font = FontId::proportional(row_height * 0.75);
        painter.text(at, Align2::LEFT_TOP, &mark.message, font, color_of(mark.severity, ui));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shader::IssueRange;
    use egui::TextFormat;

    fn issue(line: u32, from: u32, to: u32) -> ShaderIssue {
        let range = Some(IssueRange { line, from, to });
        ShaderIssue { range, ..ShaderIssue::without_place(None, format!("at {line}:{from}")) }
    }

    #[test]
    fn marks_stand_where_utf16_counts_to() {
        let text = "a\n/*\u{1f600}é*/ bad;\n";
        let found = marks(text, [issue(1, 8, 11), issue(9, 0, 1)].iter());
        assert_eq!(found.len(), 1, "there is no line 9");
        assert_eq!((&text[found[0].bytes.clone()], found[0].characters_before), ("bad", 7));
    }

    #[test]
    fn an_error_is_seen_where_it_meets_a_warning() {
        let text = "ab cd";
        let warning = ShaderIssue { severity: Severity::Warning, ..issue(0, 0, 5) };
        let found = marks(text, [warning, issue(0, 3, 5)].iter());
        let color = |severity| if severity == Severity::Error { Color32::RED } else { Color32::YELLOW };
        let job = LayoutJob::single_section(text.to_owned(), TextFormat::default());
        let job = underlined(job, &found, color);
        let colors: Vec<_> = job.sections.iter().map(|section| section.format.underline.color).collect();
        assert_eq!(colors, [Color32::YELLOW, Color32::RED]);
    }

    #[test]
    fn a_marked_line_has_room_under_it() {
        let text = "ab cd\nef\ngh";
        let found = marks(text, [issue(0, 3, 5), issue(0, 0, 1), issue(1, 0, 0)].iter());
        let context = egui::Context::default();
        let mut rows = Vec::new();
        let mut output = context.run_ui(egui::RawInput::default(), |ui| {
            let job = LayoutJob::single_section(text.to_owned(), TextFormat::default());
            let job = underlined(job, &found, |_| Color32::RED);
            let parts: Vec<_> = job.sections.iter().map(|section| section.byte_range.end.0).collect();
            assert_eq!(parts, [1, 3, 5, 6, text.len()]);
            let plain = ui.fonts_mut(|fonts| fonts.layout_job(job));
            let spread = spread(plain.clone(), &found, 10.0);
            rows = spread.rows.iter().zip(&plain.rows).map(|(row, plain)| row.pos.y - plain.pos.y).collect();
            rows.push(spread.rect.height() - plain.rect.height());
        });
        output.textures_delta.clear();
        assert_eq!(rows, [0.0, 20.0, 30.0, 30.0]);
    }
}
