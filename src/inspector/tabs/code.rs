//! Shader texts: in a field, with colours, line numbers and what is wrong under its line; or, where they are long, line by
//! line. And what is looked for in them.

use std::hash::{BuildHasher, Hash};
use std::ops::Range;
use std::sync::Arc;

use egui::text::{ByteIndex, CCursor, CCursorRange, LayoutJob, LayoutSection};
use egui::text_edit::TextEditOutput;
use egui::{Color32, FontId, Id, Key, RichText, ScrollArea, TextEdit, TextFormat, TextStyle, Ui};
use foldhash::HashMap;

use super::issue_marks::{Mark, paint, spread, underlined};
use super::line_numbers::{number_margin, paint_numbers};
use crate::inspector::action::Direction;
use crate::inspector::problems::color_of;
use crate::shader::ShaderIssue;

/// Longer texts are shown line by line, without colours, and can't be edited here: laying them out takes longer than a
/// picture.
pub(super) const MAX_EDITED_BYTES: usize = 200_000;

/// Matches that are told apart; nobody steps through more.
const MOST_MATCHES: usize = 10_000;

/// What is looked for in the texts that a tab shows, and what of them is to be brought into sight.
#[derive(Default)]
pub(super) struct TextSearch {
    pattern: String,
    /// Which match is the current one, counted over all texts on the screen.
    current: usize,
    /// How many matches the texts had that were drawn last.
    found: usize,
    /// How many those have that were drawn since.
    counted: usize,
    target: Option<Target>,
    known: HashMap<Id, KnownMatches>,
}

/// Where the pattern stands in a text, in bytes.
struct KnownMatches {
    /// The hash of the pattern and the text.
    of: u64,
    places: Arc<[Range<usize>]>,
}

/// What is to be brought into sight when its text is drawn.
enum Target {
    CurrentMatch,
    Issue(ShaderIssue),
}

/// The matches of one text.
struct Matches {
    /// In bytes, ascending.
    places: Arc<[Range<usize>]>,
    current: Option<Range<usize>>,
}

impl TextSearch {
    /// Draws the field. To be called before the texts are drawn. `gets_keyboard`: whether it was asked for, which is then
    /// done.
    pub(super) fn ui(&mut self, ui: &mut Ui, gets_keyboard: &mut bool) {
        self.found = std::mem::take(&mut self.counted);
        let field =
            TextEdit::singleline(&mut self.pattern).id(Id::unique("find in shader texts")).hint_text("find: Ctrl F");
        let field = ui.add(field.desired_width(110.0));
        if std::mem::take(gets_keyboard) {
            field.request_focus();
        }
        if field.changed() {
            (self.current, self.target) = (0, Some(Target::CurrentMatch));
            self.known.clear();
        }
        if field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter)) {
            let is_backward = ui.input(|input| input.modifiers.shift);
            self.step(if is_backward { Direction::Backward } else { Direction::Forward });
            field.request_focus();
        }
        if self.pattern.is_empty() {
            return;
        }
        for (text, hint, direction) in
            [("⏶", "Shift Enter: previous match", Direction::Backward), ("⏷", "Enter: next match", Direction::Forward)]
        {
            if ui.small_button(text).on_hover_text(hint).clicked() {
                self.step(direction);
            }
        }
        ui.weak(match self.found {
            0 => "no match".to_owned(),
            found => format!("{} of {found}", self.current.min(found - 1) + 1),
        });
    }

    fn step(&mut self, direction: Direction) {
        let Some(last) = self.found.checked_sub(1) else { return };
        self.current = match direction {
            Direction::Forward if self.current < last => self.current + 1,
            Direction::Forward => 0,
            Direction::Backward => self.current.checked_sub(1).unwrap_or(last),
        };
        self.target = Some(Target::CurrentMatch);
    }

    /// Brings an issue into sight when its text is drawn.
    pub(super) fn go_to(&mut self, issue: &ShaderIssue) {
        self.target = Some(Target::Issue(issue.clone()));
    }

    /// The matches of a text, which is drawn now.
    fn matches_of(&mut self, id: Id, text: &str) -> Matches {
        if self.pattern.is_empty() {
            return Matches { places: Arc::default(), current: None };
        }
        let of = foldhash::fast::FixedState::default().hash_one((&self.pattern, text));
        let places = match self.known.get(&id).filter(|known| known.of == of) {
            Some(known) => known.places.clone(),
            None => {
                let places = matches(text, &self.pattern);
                self.known.insert(id, KnownMatches { of, places: places.clone() });
                places
            }
        };
        let current = self.current.checked_sub(self.counted).and_then(|at| places.get(at)).cloned();
        self.counted += places.len();
        Matches { places, current }
    }

    /// What of a text is to be brought into sight, in bytes; and whether it is to be typed at.
    fn take_target(&mut self, matches: &Matches, marks: &[Mark]) -> Option<(Range<usize>, bool)> {
        let found = match self.target.as_ref()? {
            Target::CurrentMatch => (matches.current.clone()?, false),
            Target::Issue(issue) => (marks.iter().find(|mark| mark.is_of(issue))?.bytes(), true),
        };
        self.target = None;
        Some(found)
    }
}

/// Where `pattern` stands in `text`, whatever the case of its ASCII letters.
fn matches(text: &str, pattern: &str) -> Arc<[Range<usize>]> {
    // Neither changes where anything stands.
    let (text, pattern) = (text.to_ascii_lowercase(), pattern.to_ascii_lowercase());
    text.match_indices(&pattern).take(MOST_MATCHES).map(|(at, found)| at..at + found.len()).collect()
}

/// Gives matches a background.
fn highlighted(job: LayoutJob, matches: &Matches, colour: Color32) -> LayoutJob {
    if matches.places.is_empty() {
        return job;
    }
    let mut sections = Vec::new();
    for section in &job.sections {
        let (mut from, end) = (section.byte_range.start.0, section.byte_range.end.0);
        let mut leading_space = section.leading_space;
        let first = matches.places.partition_point(|place| place.end <= from);
        let mut add = |to: usize, background: Option<Color32>| {
            if from < to {
                let mut format = section.format.clone();
                format.background = background.unwrap_or(format.background);
                sections.push(LayoutSection { leading_space, byte_range: ByteIndex(from)..ByteIndex(to), format });
                (from, leading_space) = (to, 0.0);
            }
        };
        for place in matches.places.iter().skip(first).take_while(|place| place.start < end) {
            let opacity = if Some(place) == matches.current.as_ref() { 0.4 } else { 0.2 };
            add(place.start.min(end), None);
            add(place.end.min(end), Some(colour.gamma_multiply(opacity)));
        }
        add(end, None);
    }
    LayoutJob { sections, ..job }
}

/// A text with colours, in a field.
pub(super) fn code_ui(
    ui: &mut Ui,
    id: impl Hash + std::fmt::Debug,
    text: &mut dyn egui::TextBuffer,
    marks: &[Mark],
    search: &mut TextSearch,
) -> egui::Response {
    let row_height = ui.text_style_height(&TextStyle::Monospace);
    let match_colour = ui.visuals().warn_fg_color;
    let theme = egui_extras::syntax_highlighting::CodeTheme::from_style(ui.style());
    // Errors come and go above the text; it is the same text all the same, and keeps the keyboard.
    let id = Id::unique(("code", id));
    let matches = search.matches_of(id, text.as_str());
    let mut layouter = |ui: &Ui, text: &dyn egui::TextBuffer, _width: f32| {
        let mut job = if text.as_str().len() <= MAX_EDITED_BYTES {
            // The languages read like Rust and C to a highlighter of words.
            egui_extras::syntax_highlighting::highlight(ui.ctx(), ui.style(), &theme, text.as_str(), "rs")
        } else {
            let format = TextFormat::simple(FontId::monospace(12.0), ui.visuals().text_color());
            LayoutJob::single_section(text.as_str().to_owned(), format)
        };
        job.wrap.max_width = f32::INFINITY;
        let color = |severity| color_of(severity, ui);
        let job = underlined(highlighted(job, &matches, match_colour), marks, color);
        spread(ui.fonts_mut(|fonts| fonts.layout_job(job)), marks, row_height)
    };
    let area = ScrollArea::both().id_salt(id).auto_shrink(false);
    let margin = number_margin(ui, text.as_str());
    let output = area.show(ui, |ui| {
        let field = TextEdit::multiline(text).id(id).code_editor().desired_width(f32::INFINITY);
        let output = field.margin(margin).layouter(&mut layouter).show(ui);
        paint(ui, &output, marks, row_height);
        paint_numbers(ui, &output, row_height);
        if let Some((bytes, is_typed_at)) = search.take_target(&matches, marks) {
            bring_into_sight(ui, id, &output, bytes);
            if is_typed_at {
                output.response.request_focus();
            }
        }
        output.response.response
    });
    output.inner
}

/// Selects some bytes of a field's text, and scrolls to them.
fn bring_into_sight(ui: &Ui, id: Id, output: &TextEditOutput, bytes: Range<usize>) {
    let text = output.galley.text();
    let cursor = |byte: usize| CCursor::new(text.get(..byte).map_or(0, |before| before.chars().count()));
    let [start, end] = [cursor(bytes.start), cursor(bytes.end)];
    let mut state = output.state.clone();
    state.cursor.set_char_range(Some(CCursorRange::two(start, end)));
    state.store(ui.ctx(), id);
    let place = output.galley.pos_from_cursor(start).union(output.galley.pos_from_cursor(end));
    // As little as it takes, with what is around it.
    let around = egui::vec2(place.height(), 3.0 * place.height());
    ui.scroll_to_rect(place.translate(output.galley_pos.to_vec2()).expand2(around), None);
}

/// A long text, of which only the lines on the screen are laid out.
pub(super) fn lines_ui(ui: &mut Ui, id: impl Hash + std::fmt::Debug, text: &str, search: &mut TextSearch) {
    let lines: Vec<&str> = text.lines().collect();
    let height = ui.text_style_height(&TextStyle::Monospace);
    let id = Id::unique(("lines", id));
    let matches = search.matches_of(id, text);
    let line_of = |byte: usize| text.get(..byte).map_or(0, |before| before.matches('\n').count());
    let mut area = ScrollArea::both().id_salt(id).auto_shrink(false);
    if let Some((bytes, _)) = search.take_target(&matches, &[]) {
        let top = line_of(bytes.start) as f32 * (height + ui.spacing().item_spacing.y);
        area = area.vertical_scroll_offset((top - ui.available_height() / 2.0).max(0.0));
    }
    let current = matches.current.as_ref().map(|bytes| line_of(bytes.start));
    let match_colour = ui.visuals().warn_fg_color.gamma_multiply(0.5);
    area.show_rows(ui, height, lines.len(), |ui, rows| {
        ui.style_mut().wrap_mode = Some(egui::TextWrapMode::Extend);
        let digits = lines.len().to_string().len();
        for (number, line) in (rows.start..).zip(lines.get(rows).unwrap_or_default()) {
            ui.horizontal(|ui| {
                ui.weak(RichText::new(format!("{:digits$}", number + 1)).monospace());
                let line = RichText::new(*line).monospace();
                ui.label(if current == Some(number) { line.background_color(match_colour) } else { line });
            });
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_are_counted_over_all_texts() {
        let mut search = TextSearch { pattern: "AB".to_owned(), ..TextSearch::default() };
        let [first, second] = [Id::unique(1), Id::unique(2)];
        let draw = |search: &mut TextSearch| {
            search.found = std::mem::take(&mut search.counted);
            [search.matches_of(first, "ab Ab"), search.matches_of(second, "é xaBab")].map(|matches| matches.current)
        };
        assert_eq!(draw(&mut search), [Some(0..2), None]);
        draw(&mut search);
        for expected in [[Some(3..5), None], [None, Some(4..6)], [None, Some(6..8)], [Some(0..2), None]] {
            search.step(Direction::Forward);
            assert_eq!(draw(&mut search), expected);
        }
        search.step(Direction::Backward);
        assert_eq!(draw(&mut search), [None, Some(6..8)]);
        assert_eq!((search.current, search.found), (3, 4));
    }

    #[test]
    fn matches_have_a_background_whatever_sections_they_cross() {
        let text = "one two";
        let section = |bytes: Range<usize>| LayoutSection {
            leading_space: 0.0,
            byte_range: ByteIndex(bytes.start)..ByteIndex(bytes.end),
            format: TextFormat::default(),
        };
        let job =
            LayoutJob { text: text.to_owned(), sections: vec![section(0..4), section(4..7)], ..LayoutJob::default() };
        let matches = Matches { places: [1..5, 6..7].into(), current: Some(6..7) };
        let found = highlighted(job, &matches, Color32::WHITE);
        let parts: Vec<_> = found
            .sections
            .iter()
            .map(|section| (&text[section.byte_range.start.0..section.byte_range.end.0], section.format.background.a()))
            .collect();
        assert_eq!(parts, [("o", 0), ("ne ", 51), ("t", 51), ("w", 0), ("o", 102)]);
    }
}
