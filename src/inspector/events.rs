//! The frame's packets as a tree: frames, draws, packets.
//!
//! Only what is on the screen is drawn, and arguments are decoded only there: a frame of 300,000 packets costs as much
//! as one of thirty.

use std::collections::BTreeSet;
use std::sync::Arc;

use egui::{Frame, Id, Panel, RichText, ScrollArea, TextEdit, TextStyle, Ui};

use super::action::{Action, Direction};
use super::dimming::answer_ui;
use super::document::{Document, QuestionKind};
use super::draw_costs::{TimedFrame, in_units};
use super::event_headings::{EventHeadings, Heading};
use super::event_texts::{EventTexts, Shown};
use super::finding::{Finding, target};
use super::packet_details::PacketDetails;
use super::question::{Answer, DependsOn, Question};
use super::thumbnails::ThumbnailStrip;
use crate::analysis::{Analysis, EventGroup, EventRow, FrameEvents, RowId};
use crate::bytes::FindingKind;
use crate::command::{Location, Place, Point};
use crate::format::aerogpu::FrameIndex;
use crate::listing::Filter;
use crate::text::counted;

/// Legend of a draw's line.
const LEGEND: &str =
    "6v: vertices, 6i: indices; p4: pipeline 4; → 2: drawn to texture 2; (5): packets since the draw before";

/// In a lower panel the tree has all of it, in points.
const LEAST_HEIGHT_WITH_DETAILS: f32 = 300.0;

/// The tree and the filter above it.
#[derive(Default)]
pub(super) struct EventsPanel {
    pub filter_text: String,
    filter: Option<Arc<Filter>>,
    filter_error: Option<String>,
    loaded: Question<(FrameIndex, String), Result<Arc<Loaded>, String>>,
    /// Draws whose packets are shown, of `open_frame`.
    open: BTreeSet<u32>,
    headings: EventHeadings,
    open_frame: Option<FrameIndex>,
    /// The row that was selected, and the place that this led to; elsewhere it means nothing.
    selected: Option<(RowId, Place)>,
    texts: EventTexts,
    details: PacketDetails,
    finding: Finding,
    scrolled_to: Option<Place>,
    /// Whether what is current is to be brought into sight.
    scrolls: bool,
}

/// A frame's events and which of them the filter picks.
struct Loaded {
    events: FrameEvents,
    /// `None`: no filter.
    picked: Option<Vec<u32>>,
}

/// A line of the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line {
    Frame(u32),
    /// A heading, and the number of draws below it.
    Heading(Heading, u32),
    /// A draw and the packets that lead to it, by the group's number.
    Group(u32),
    Row(u32),
    Error,
}

fn filter_id() -> Id {
    Id::unique("events filter")
}

/// The keyboard goes to the filter.
pub(super) fn focus_filter(ui: &Ui) {
    ui.memory_mut(|memory| memory.request_focus(filter_id()));
}

impl EventsPanel {
    /// Marks a row as long as one stays at `place`.
    pub(crate) fn select(&mut self, row: RowId, place: Place) {
        self.selected = Some((row, place));
    }

    /// Takes over a filter, if it is one.
    pub(crate) fn set_filter(&mut self, text: String) {
        (self.filter, self.filter_error) = (None, None);
        if !text.trim().is_empty() {
            let parsed = Filter::parse(&text).map_err(|error| error.to_string());
            let checked = parsed.and_then(|filter| {
                filter.check(Some(Analysis::event_length_unit())).map_err(|error| error.to_string())?;
                Ok(filter)
            });
            match checked {
                Ok(filter) => self.filter = Some(Arc::new(filter)),
                Err(message) => self.filter_error = Some(message),
            }
        }
        self.filter_text = text;
    }

    /// Looks for the next event that the filter picks.
    pub(crate) fn find_next(&mut self, document: &Document, place: Place, direction: Direction) -> Result<(), String> {
        let filter = self.filter.clone().ok_or("no filter is set: press / to type one")?;
        self.finding.next_match(document, filter, (self.selected, place), direction);
        Ok(())
    }

    /// Looks for the row of a command or record.
    pub(crate) fn go_to_row(&mut self, document: &Document, at: Location) {
        self.finding.row_at(document, at);
    }

    /// Looks for the row that is about the bytes at a file offset.
    pub(crate) fn go_to_offset(&mut self, document: &Document, offset: u64) {
        self.finding.row_about(document, offset);
    }

    /// Takes what was found; what to say if nothing was.
    pub(crate) fn take_found(&mut self, actions: &mut Vec<Action>) -> Option<String> {
        self.finding.take(actions)
    }

    /// Draws filter and tree.
    pub(crate) fn ui(
        &mut self,
        ui: &mut Ui,
        document: &Document,
        beside: BesideDraws<'_>,
        place: Place,
        actions: &mut Vec<Action>,
    ) {
        self.filter_ui(ui, actions);
        ui.separator();
        let loaded = match self.load(document, place.frame) {
            Some(Answer { value: Ok(loaded), is_old }) => Answer { value: loaded.clone(), is_old },
            Some(Answer { value: Err(message), .. }) => {
                let message = message.clone();
                ui.colored_label(ui.visuals().error_fg_color, message);
                return;
            }
            None => {
                ui.weak(match (document.index_progress(), document.analysis()) {
                    (Some(_), _) => "building the index…",
                    (None, None) => "indexing was cancelled: Ctrl R restarts it",
                    (None, Some(_)) => "reading…",
                });
                return;
            }
        };
        answer_ui(ui, &loaded, |ui| self.tree_ui(ui, (document, beside), &loaded, place, actions));
    }

    fn tree_ui(
        &mut self,
        ui: &mut Ui,
        (document, beside): (&Document, BesideDraws<'_>),
        Answer { value: loaded, is_old }: &Answer<Arc<Loaded>>,
        place: Place,
        actions: &mut Vec<Action>,
    ) {
        let is_of_place = loaded.events.frame == place.frame;
        let current = if is_of_place { marked_row(self.selected, &loaded.events, place) } else { None };
        self.open_around(&loaded.events, current, loaded.events.frame);
        self.scrolls |= self.headings.begin(document, &loaded.events);
        // The tree follows once it is that of the frame.
        if !is_old && self.scrolled_to != Some(place) {
            self.scrolled_to = Some(place);
            self.scrolls = true;
            let around = current.map(|row| self.headings_around(&loaded.events, row)).unwrap_or_default();
            self.headings.unfold(&around);
        }
        let lines = self.lines(loaded);
        if let Some(row) = current.filter(|_| ui.available_height() > LEAST_HEIGHT_WITH_DETAILS) {
            let details = Panel::bottom("packet details").resizable(true).default_size(120.0).frame(Frame::NONE);
            details.show(ui, |ui| self.details.ui(ui, document, &loaded.events, row));
        }
        EventTree { panel: self, document, beside, loaded, current, actions }.ui(ui, &lines);
    }

    fn filter_ui(&mut self, ui: &mut Ui, actions: &mut Vec<Action>) {
        let room = egui::vec2(ui.available_width(), ui.spacing().interact_size.y);
        ui.allocate_ui_with_layout(room, egui::Layout::right_to_left(egui::Align::Center), |ui| {
            for (text, hint, direction) in
                [("⏷", "n: next match", Direction::Forward), ("⏶", "Shift N: previous match", Direction::Backward)]
            {
                if ui.small_button(text).on_hover_text(hint).clicked() {
                    actions.push(Action::Find(direction));
                }
            }
            let mut text = self.filter_text.clone();
            let hint = "/ filter: DRAW(vertex_count > 100)";
            let field = TextEdit::singleline(&mut text).id(filter_id()).hint_text(hint);
            let field = ui.add(field.desired_width(ui.available_width()));
            if field.changed() {
                self.set_filter(text);
            }
            if field.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter)) {
                let is_shifted = ui.input(|input| input.modifiers.shift);
                actions.push(Action::Find(if is_shifted { Direction::Backward } else { Direction::Forward }));
            }
        });
        if let Some(message) = &self.filter_error {
            ui.colored_label(ui.visuals().error_fg_color, message);
        }
    }

    fn load(&mut self, document: &Document, frame: FrameIndex) -> Option<Answer<&Result<Arc<Loaded>, String>>> {
        let filter = self.filter.clone();
        let text = if filter.is_some() { self.filter_text.clone() } else { String::new() };
        self.loaded.get(document.epoch(DependsOn::Trace), (frame, text), || {
            document.ask(QuestionKind::Events, move |analysis, _| {
                let events = analysis.events(frame)?;
                let picked = filter.map(|filter| analysis.filter_events(&events, &filter)).transpose()?;
                Ok(Arc::new(Loaded { events, picked }))
            })
        })
    }

    /// Opens the current draw.
    fn open_around(&mut self, events: &FrameEvents, current: Option<u32>, frame: FrameIndex) {
        if self.open_frame != Some(frame) {
            self.open_frame = Some(frame);
            self.open.clear();
        }
        if let Some(row) = current {
            self.open.insert(group_of(events, row));
        }
    }

    /// The lines of the frame that is open.
    fn lines(&self, loaded: &Loaded) -> Vec<Line> {
        let mut lines = Vec::new();
        let mut headings = Vec::new();
        for (number, group) in (0..).zip(loaded.events.groups()) {
            let rows = match &loaded.picked {
                None if self.open.contains(&number) => group.rows.clone().collect(),
                None => Vec::new(),
                Some(picked) => {
                    let start = picked.partition_point(|row| *row < group.rows.start);
                    let end = picked.partition_point(|row| *row < group.rows.end);
                    picked.get(start..end).unwrap_or_default().to_vec()
                }
            };
            if loaded.picked.is_some() && rows.is_empty() {
                continue;
            }
            if self.heading_lines(loaded, &group, &mut headings, &mut lines) {
                lines.push(Line::Group(number));
                lines.extend(rows.into_iter().map(Line::Row));
            }
        }
        if loaded.events.error.is_some() {
            lines.push(Line::Error);
        }
        lines
    }

    /// Adds the headings that begin with a draw, and counts it in those above; `above` has them with their lines. Whether the
    /// draw is to be seen below them.
    fn heading_lines(
        &self,
        loaded: &Loaded,
        group: &EventGroup,
        above: &mut Vec<(Heading, Option<usize>)>,
        lines: &mut Vec<Line>,
    ) -> bool {
        let path = self.headings.of_group(&loaded.events, group);
        let known = path.iter().zip(above.iter()).take_while(|(one, (other, _))| *one == other).count();
        above.truncate(known);
        let mut is_seen = true;
        for (depth, heading) in path.into_iter().enumerate() {
            if depth >= known {
                let line = is_seen.then_some(lines.len());
                lines.extend(line.map(|_| Line::Heading(heading, 0)));
                above.push((heading, line));
            }
            is_seen &= loaded.picked.is_some() || !self.headings.is_folded(heading);
        }
        for line in above.iter().filter_map(|(_, line)| *line) {
            if let Some(Line::Heading(_, draws)) = lines.get_mut(line) {
                *draws += 1;
            }
        }
        is_seen
    }

    /// Headings above a row, which are those of the draw that it leads to.
    fn headings_around(&self, events: &FrameEvents, row: u32) -> Vec<Heading> {
        let group = events.group(group_of(events, row) as usize);
        group.map(|group| self.headings.of_group(events, &group)).unwrap_or_default()
    }

    fn text(&self, number: u32, row: &EventRow, depth: usize) -> String {
        let arguments = self.texts.row(number).unwrap_or_default();
        format!("{:indent$}    {:#08x} {}{arguments}", "", row.offset, row.kind.name(), indent = 2 * depth)
    }
}

/// What is shown with draws.
pub(super) struct BesideDraws<'a> {
    pub thumbnails: &'a mut ThumbnailStrip,
    /// What they cost, if that is known.
    pub timed: Option<&'a TimedFrame>,
}

/// Draws the tree of one frame.
struct EventTree<'a> {
    panel: &'a mut EventsPanel,
    document: &'a Document,
    beside: BesideDraws<'a>,
    loaded: &'a Loaded,
    /// The row that is marked.
    current: Option<u32>,
    actions: &'a mut Vec<Action>,
}

impl EventTree<'_> {
    /// Draws `own`, the lines of the frame, between those of the others.
    fn ui(&mut self, ui: &mut Ui, own: &[Line]) {
        let (frame, current) = (self.loaded.events.frame.0, self.current);
        let before = frame as usize + 1;
        let frame_count = self.document.frame_count() as usize;
        let line_at = |number: usize| {
            if number < before {
                Some(Line::Frame(number as u32))
            } else if let Some(line) = own.get(number - before) {
                Some(*line)
            } else {
                Some(Line::Frame((number - own.len()) as u32))
            }
        };
        let height = ui.text_style_height(&TextStyle::Monospace);
        let mut area = ScrollArea::both().id_salt("events").auto_shrink(false);
        if std::mem::take(&mut self.panel.scrolls) {
            let line = own.iter().position(|line| current.is_some_and(|row| *line == Line::Row(row))).unwrap_or(0);
            let spacing = height + ui.spacing().item_spacing.y;
            let top = (before + line) as f32 * spacing - ui.available_height() / 2.0;
            area = area.vertical_scroll_offset(top.max(0.0));
        }
        area.show_rows(ui, height, frame_count + own.len(), |ui, numbers| {
            ui.style_mut().wrap_mode = Some(egui::TextWrapMode::Extend);
            let lines: Vec<Line> = numbers.filter_map(line_at).collect();
            self.ask_for_texts(&lines);
            for line in lines {
                match line {
                    Line::Frame(number) => frame_ui(ui, self.document, number, number == frame, self.actions),
                    Line::Heading(heading, draws) => self.heading_ui(ui, heading, draws),
                    Line::Group(group) => self.group_ui(ui, group),
                    Line::Row(row) => self.row_ui(ui, row),
                    Line::Error => error_ui(ui, self.loaded),
                }
            }
        });
    }

    /// What the lines on the screen say is asked for where it is not known.
    fn ask_for_texts(&mut self, lines: &[Line]) {
        let events = &self.loaded.events;
        let mut shown = Shown::default();
        for line in lines {
            match line {
                Line::Row(number) => shown.rows.extend(events.rows.get(*number as usize).map(|row| (*number, *row))),
                Line::Group(group) => shown.draws.extend(events.group(*group as usize).and_then(|found| found.draw)),
                Line::Frame(_) | Line::Heading(..) | Line::Error => {}
            }
        }
        self.panel.texts.begin(events.frame);
        self.panel.texts.ask(self.document, shown);
    }

    fn heading_ui(&mut self, ui: &mut Ui, heading: Heading, draws: u32) {
        let (headings, events) = (&mut self.panel.headings, &self.loaded.events);
        let is_folded = self.loaded.picked.is_none() && headings.is_folded(heading);
        let mark = if is_folded { "⏵" } else { "⏷" };
        let (text, hint) = headings.text(events, heading, draws);
        let text = format!("{:indent$} {mark} {text}", "", indent = 2 * EventHeadings::depth(events, heading));
        if ui.selectable_label(false, RichText::new(text).monospace()).on_hover_text(hint).clicked() {
            headings.toggle(heading);
        }
    }

    fn group_ui(&mut self, ui: &mut Ui, group: u32) {
        let (panel, loaded, current) = (&mut *self.panel, self.loaded, self.current);
        let Some(found) = loaded.events.group(group as usize) else { return };
        let is_current = current.is_some_and(|row| found.rows.contains(&row));
        let is_open = panel.open.contains(&group) || loaded.picked.is_some();
        let name = match found.draw {
            None => "after the last draw".to_owned(),
            Some(draw) => match panel.texts.draw(draw) {
                None | Some("") => format!("{draw:>4}  draw"),
                Some(what) => format!("{draw:>4}  {what}"),
            },
        };
        let cost = self.beside.timed.filter(|timed| timed.times.frame == loaded.events.frame).map(|timed| {
            let nanos = found.draw.and_then(|draw| timed.of_draw(draw));
            format!("{:>8} ", nanos.map_or("–".to_owned(), in_units))
        });
        let (mark, cost) = (if is_open { "⏷" } else { "⏵" }, cost.unwrap_or_default());
        let depth = panel.headings.of_group(&loaded.events, &found).len();
        let text = format!("{:indent$} {mark} {cost}{name}  ({})", "", found.rows.len(), indent = 2 * depth);
        let text = RichText::new(text).monospace();
        let text = if is_current { text.strong() } else { text };
        let mut response = ui.selectable_label(false, text);
        if let Some(draw) = found.draw {
            let place = Place::at_draw(loaded.events.frame, draw);
            response = response.on_hover_ui(|ui| {
                ui.monospace(LEGEND);
                self.beside.thumbnails.preview_ui(ui, self.document, place);
            });
        }
        if !response.clicked() {
            return;
        }
        if !is_current && let Some(draw) = found.draw {
            self.actions.push(Action::GoTo(Place::at_draw(loaded.events.frame, draw)));
        } else if !panel.open.remove(&group) {
            panel.open.insert(group);
        }
    }

    fn row_ui(&mut self, ui: &mut Ui, number: u32) {
        let (loaded, current) = (self.loaded, self.current);
        let Some(row) = loaded.events.rows.get(number as usize) else { return };
        let depth = self.panel.headings_around(&loaded.events, number).len();
        let text = self.panel.text(number, row, depth);
        let notes = loaded.events.notes_of(number);
        let is_at_fault = loaded.events.errors().any(|error| error.row == Some(number))
            || (row.kind.is_packet() && self.document.is_refused(loaded.events.frame, row.packet));
        let is_odd = notes.iter().any(|note| note.kind == FindingKind::Oddity);
        let mut rich = RichText::new(text).monospace();
        if is_at_fault {
            rich = rich.color(ui.visuals().error_fg_color);
        } else if is_odd {
            rich = rich.color(ui.visuals().warn_fg_color);
        }
        let mut response = ui.selectable_label(current == Some(number), rich);
        if is_at_fault {
            response = response.on_hover_text("this packet is not executed: the Problems tab says why");
        }
        if !notes.is_empty() {
            let all: Vec<&str> = notes.iter().map(|note| note.message.as_str()).collect();
            response = response.on_hover_text(all.join("\n"));
        }
        if response.clicked() {
            self.actions.extend(target(&loaded.events, number).map(Action::SelectEvent));
        }
    }
}

/// The row that is marked at a place: the selected one, or that of the packet or draw which the place ends with.
pub(super) fn marked_row(selected: Option<(RowId, Place)>, events: &FrameEvents, place: Place) -> Option<u32> {
    match (selected, place.point) {
        (Some((selected, at)), _) if at == place && selected.frame == place.frame => Some(selected.row),
        (_, Point::Start) => None,
        (_, Point::Packet(packet)) => events.row_of_packet(packet),
        (_, Point::Draw(draw)) => events.draws.get(draw as usize).copied(),
        (_, Point::End) => events.draws.last().copied(),
    }
}

/// The number of the group that a row is in.
fn group_of(events: &FrameEvents, row: u32) -> u32 {
    events.draw_of(row).unwrap_or(events.draws.len() as u32)
}

fn frame_ui(ui: &mut Ui, document: &Document, frame: u32, is_current: bool, actions: &mut Vec<Action>) {
    let draws = match document.draw_count(FrameIndex(frame)) {
        Some(count) => counted(count, "draw"),
        None => "not readable".to_owned(),
    };
    let marker = if is_current { "⏷" } else { "⏵" };
    let text = RichText::new(format!("{marker} frame {frame}  {draws}")).monospace();
    let text = if is_current { text.strong() } else { text };
    if ui.selectable_label(false, text).clicked() {
        actions.push(Action::frame(frame));
    }
}

fn error_ui(ui: &mut Ui, loaded: &Loaded) {
    if let Some(error) = &loaded.events.error {
        ui.label(RichText::new(format!("  {}", error.message)).color(ui.visuals().error_fg_color));
    }
}
