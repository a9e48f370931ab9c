//! Which frames to look at first: a row for each, the worst first, as `timeline blame` prints them. A click goes there.

use std::collections::BTreeMap;
use std::sync::Arc;

use egui::{Align, Layout, RichText, ScrollArea, Sense, TextEdit, TextStyle, TextWrapMode, Ui};
use egui_extras::{Column, TableBuilder, TableRow};

use super::{Tab, TabContext, TabName};
use crate::analysis::{FrameBeside, FrameBlame, TimeUnit};
use crate::command::Place;
use crate::format::aerogpu::FrameIndex;
use crate::inspector::action::Action;
use crate::inspector::dimming::{answer_ui, known_ui};
use crate::inspector::document::{Document, QuestionKind};
use crate::inspector::lanes::{Lanes, argument_source};
use crate::inspector::promise::Promise;
use crate::inspector::question::{Answer, DependsOn, Epoch, Question};
use crate::inspector::timeline::LaneAlignment;
use crate::listing::Filter;
use crate::timeline::{Alignment, Timeline};

pub(super) const NAME: TabName = TabName("Blame");

/// Unit of all times: a table that shows a few of its rows keeps one.
const UNIT: TimeUnit = TimeUnit::Milliseconds;

/// What rows are sorted by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum SortedBy {
    /// Longest first; without a clock, most draws first.
    #[default]
    Time,
    Frame,
    Draws,
    Uploads,
}

/// A column: its title, what it can be sorted by, and its width.
type NamedColumn = (&'static str, Option<SortedBy>, f32);

/// What comes first; behind it what took most of a frame, by annotation.
const FIRST_COLUMNS: [NamedColumn; 2] = [("frame", Some(SortedBy::Frame), 44.0), ("time", Some(SortedBy::Time), 80.0)];
/// And then these, and behind them the annotations' own frames.
const NEXT_COLUMNS: [NamedColumn; 4] = [
    ("draws", Some(SortedBy::Draws), 44.0),
    ("uploads", Some(SortedBy::Uploads), 54.0),
    ("inputs", None, 42.0),
    ("picture", None, 54.0),
];
/// Columns of texts are as wide as what is in them, and at least so wide.
const LEAST_TEXT_PX: f32 = 110.0;

/// The table.
#[derive(Default)]
pub(super) struct BlameTab {
    filter: FilterField,
    sorted_by: SortedBy,
    rows: Question<String, Result<Arc<Vec<FrameBlame>>, String>>,
    changes: Changes,
}

/// The filter above the table.
#[derive(Default)]
struct FilterField {
    text: String,
    filter: Option<Arc<Filter>>,
    error: Option<String>,
}

impl Tab for BlameTab {
    fn name(&self) -> TabName {
        NAME
    }

    fn depends_on(&self) -> DependsOn {
        DependsOn::Trace
    }

    fn ui(&mut self, ui: &mut Ui, context: &mut TabContext<'_>) {
        let document = context.document;
        self.filter.ui(ui);
        let Some(lanes) = document.lanes() else {
            ui.weak("reading the timelines…");
            return;
        };
        let annotations = aligned(lanes);
        lanes_ui(ui, lanes, &annotations);
        let filter = self.filter.filter.clone();
        let asked = if filter.is_some() { self.filter.text.clone() } else { String::new() };
        let answer = self.rows.get(context.epoch, asked, || ask(document, lanes, filter));
        let Some(rows) = known_ui(ui, answer).map(Answer::cloned) else { return };
        answer_ui(ui, &rows, |ui| self.table_ui(ui, &rows.value, &annotations, context));
    }
}

/// The annotations that lie beside the trace, by the names of their files.
fn aligned(lanes: &Lanes) -> Vec<(String, Arc<Timeline>, Alignment)> {
    let aligned = lanes.lanes.iter().filter_map(|lane| match &lane.alignment {
        LaneAlignment::Aligned(alignment) => Some((lane.title.clone(), lane.timeline.clone(), alignment.clone())),
        LaneAlignment::Reference | LaneAlignment::Unaligned(_) => None,
    });
    aligned.collect()
}

/// What the rows can't tell, and why.
fn lanes_ui(ui: &mut Ui, lanes: &Lanes, annotations: &[(String, Arc<Timeline>, Alignment)]) {
    for lane in &lanes.lanes {
        if let LaneAlignment::Unaligned(reason) = &lane.alignment {
            ui.colored_label(ui.visuals().warn_fg_color, format!("{} cannot be compared: {reason}", lane.title));
        }
    }
    let has_clock = annotations.iter().any(|(_, timeline, _)| timeline.axis.unit.nanos_per_tick().is_some());
    if !has_clock {
        ui.weak("No annotation (--annotate FILE) records time: frames with the most draws come first.");
    }
}

fn ask(
    document: &Document,
    lanes: &Lanes,
    filter: Option<Arc<Filter>>,
) -> Option<Promise<Result<Arc<Vec<FrameBlame>>, String>>> {
    let reference = lanes.lanes.iter().find(|lane| lane.alignment == LaneAlignment::Reference)?;
    let (own, annotations) = (reference.timeline.clone(), aligned(lanes));
    let of_annotations = lanes.lanes.iter().filter(|lane| matches!(lane.alignment, LaneAlignment::Aligned(_)));
    let arguments: Vec<_> =
        std::iter::once(reference).chain(of_annotations).map(|lane| lane.arguments.clone()).collect();
    document.ask(QuestionKind::Blame, move |analysis, _| {
        let pairs: Vec<_> = annotations.iter().map(|(_, timeline, alignment)| (&**timeline, alignment)).collect();
        let blame = analysis.blame(&own, &pairs);
        let mut frames: Vec<FrameIndex> = (0..blame.frame_count() as u32).map(FrameIndex).collect();
        if let Some(filter) = filter {
            let mut arguments: Vec<_> = arguments.into_iter().map(argument_source).collect();
            let touched = blame.touched(&filter, &mut arguments)?;
            frames.retain(|frame| touched.get(frame.as_usize()) == Some(&true));
        }
        blame.rows(&frames).map(Arc::new)
    })
}

impl FilterField {
    fn ui(&mut self, ui: &mut Ui) {
        let hint = "frames with: name, DRAW(vertex_count > 9), @duration > 5ms";
        let field = TextEdit::singleline(&mut self.text).hint_text(hint).desired_width(f32::INFINITY);
        if ui.add(field).changed() {
            (self.filter, self.error) = match Filter::parse(&self.text) {
                _ if self.text.trim().is_empty() => (None, None),
                Ok(filter) => (Some(Arc::new(filter)), None),
                Err(error) => (None, Some(error.to_string())),
            };
        }
        if let Some(error) = &self.error {
            ui.colored_label(ui.visuals().error_fg_color, error);
        }
    }
}

impl BlameTab {
    fn table_ui(
        &mut self,
        ui: &mut Ui,
        rows: &[FrameBlame],
        annotations: &[(String, Arc<Timeline>, Alignment)],
        context: &mut TabContext<'_>,
    ) {
        let mut order: Vec<&FrameBlame> = rows.iter().collect();
        match self.sorted_by {
            SortedBy::Time => {}
            SortedBy::Frame => order.sort_by_key(|row| row.frame),
            SortedBy::Draws => order.sort_by_key(|row| std::cmp::Reverse(row.contents.draws)),
            SortedBy::Uploads => order.sort_by_key(|row| std::cmp::Reverse(row.contents.uploads)),
        }
        self.changes.advance(context.document);
        let height = ui.text_style_height(&TextStyle::Body) + 2.0;
        let mut seen = Vec::new();
        ScrollArea::horizontal().id_salt("blame").auto_shrink(false).show(ui, |ui| {
            ui.style_mut().wrap_mode = Some(TextWrapMode::Extend);
            // A click goes to the frame, wherever in the row.
            ui.style_mut().interaction.selectable_labels = false;
            let mut table = TableBuilder::new(ui).id_salt("blame").striped(true).sense(Sense::click());
            let texts = Column::auto_with_initial_suggestion(LEAST_TEXT_PX).at_least(LEAST_TEXT_PX);
            for columns in [FIRST_COLUMNS.as_slice(), &NEXT_COLUMNS] {
                table = columns.iter().fold(table, |table, (.., width)| table.column(Column::exact(*width)));
                table = table.columns(texts, annotations.len());
            }
            let table = table.auto_shrink(false).header(height, |mut header| self.header_ui(&mut header, annotations));
            table.body(|body| {
                body.rows(height, order.len(), |mut row| {
                    let Some(of_frame) = order.get(row.index()) else { return };
                    seen.push(of_frame.frame);
                    row.set_selected(of_frame.frame == context.place.frame);
                    self.row_ui(&mut row, of_frame);
                    if row.response().on_hover_text(format!("go to frame {}", of_frame.frame)).clicked() {
                        context.actions.push(Action::GoTo(Place::end_of(of_frame.frame)));
                    }
                });
            });
        });
        self.changes.ask(context.document, &seen);
    }

    fn header_ui(&mut self, header: &mut TableRow<'_, '_>, annotations: &[(String, Arc<Timeline>, Alignment)]) {
        self.titles_ui(header, &FIRST_COLUMNS);
        for _ in annotations {
            header.col(|ui| {
                ui.weak("most time in");
            });
        }
        self.titles_ui(header, &NEXT_COLUMNS);
        for (title, ..) in annotations {
            header.col(|ui| {
                ui.weak(title);
            });
        }
    }

    fn titles_ui(&mut self, header: &mut TableRow<'_, '_>, columns: &[NamedColumn]) {
        for (title, sorted_by, _) in columns {
            header.col(|ui| {
                let Some(sorted_by) = *sorted_by else {
                    ui.weak(*title);
                    return;
                };
                let is_chosen = self.sorted_by == sorted_by;
                let text = if is_chosen { RichText::new(*title).strong() } else { RichText::new(*title).weak() };
                if ui.link(text).on_hover_text(format!("sort by {title}")).clicked() {
                    self.sorted_by = sorted_by;
                }
            });
        }
    }

    fn row_ui(&self, row: &mut TableRow<'_, '_>, of_frame: &FrameBlame) {
        let number = |row: &mut TableRow<'_, '_>, text: String| {
            row.col(|ui| {
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| ui.monospace(text));
            });
        };
        let text = |row: &mut TableRow<'_, '_>, text: &str| {
            row.col(|ui| {
                ui.label(text);
            });
        };
        let change = self.changes.of(of_frame.frame);
        number(row, of_frame.frame.to_string());
        number(row, of_frame.nanos().map_or("–".to_owned(), |nanos| UNIT.in_words(nanos)));
        for beside in &of_frame.beside {
            let longest = beside.as_ref().and_then(|beside| FrameBeside::longest_in_words(beside, UNIT));
            text(row, longest.as_deref().unwrap_or("–"));
        }
        number(row, of_frame.contents.draws.to_string());
        number(row, of_frame.contents.uploads.to_string());
        text(row, change.inputs_in_words());
        text(row, change.picture_in_words());
        for beside in &of_frame.beside {
            match beside {
                Some(beside) => text(row, &format!("{}, {}", beside.place_in_words(), beside.length_in_words(UNIT))),
                None => text(row, "no frame"),
            }
        }
    }
}

/// What is known of the frames on the screen: whether anything is another than in the frame before.
#[derive(Default)]
struct Changes {
    epoch: Option<Epoch>,
    known: BTreeMap<FrameIndex, FrameChange>,
    inputs: Option<Promise<Result<Vec<ToldInputs>, String>>>,
    picture: Option<(FrameIndex, Promise<Option<bool>>)>,
}

/// Whether a frame is drawn from what the one before is: nothing of the first, and nothing at all of one that cannot be
/// drawn.
type ToldInputs = (FrameIndex, Option<Option<bool>>);

/// What of a frame is another than in the one before; `None` of what is not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct FrameChange {
    inputs: Option<InputChange>,
    picture: Option<PictureChange>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum InputChange {
    First,
    Same,
    New,
    Unknown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PictureChange {
    Same,
    Changed,
    /// One of the frames can't be drawn.
    Unknown,
}

/// Frames that are remembered.
const KEPT: usize = 1 << 14;

impl FrameChange {
    fn inputs_in_words(self) -> &'static str {
        match self.inputs {
            Some(InputChange::First) => "first",
            Some(InputChange::Same) => "same",
            Some(InputChange::New) => "new",
            Some(InputChange::Unknown) => "–",
            None => "…",
        }
    }

    fn picture_in_words(self) -> &'static str {
        match (self.picture, self.inputs) {
            (Some(PictureChange::Same), _) => "same",
            (Some(PictureChange::Changed), _) => "changed",
            (Some(PictureChange::Unknown), _) | (None, Some(InputChange::First | InputChange::Unknown)) => "–",
            (None, _) => "…",
        }
    }

    /// Whether drawing both frames would tell something.
    fn wants_picture(self) -> bool {
        self.picture.is_none() && self.inputs == Some(InputChange::New)
    }
}

impl Changes {
    fn of(&self, frame: FrameIndex) -> FrameChange {
        self.known.get(&frame).copied().unwrap_or_default()
    }

    /// Takes the answers that are there. With other shaders all pictures are others.
    fn advance(&mut self, document: &Document) {
        let epoch = document.epoch(DependsOn::Shaders);
        if self.epoch != Some(epoch) || self.known.len() > KEPT {
            *self = Self { epoch: Some(epoch), ..Self::default() };
        }
        if let Some(answer) = self.inputs.as_ref().and_then(Promise::get) {
            for (frame, told) in answer.iter().flatten() {
                let (inputs, picture) = match told {
                    None => (InputChange::Unknown, None),
                    Some(None) => (InputChange::First, None),
                    Some(Some(true)) => (InputChange::Same, Some(PictureChange::Same)),
                    Some(Some(false)) => (InputChange::New, None),
                };
                self.known.insert(*frame, FrameChange { inputs: Some(inputs), picture });
            }
            self.inputs = None;
        }
        if let Some((frame, answer)) = self.picture.as_ref().and_then(|(frame, asked)| Some((*frame, *asked.get()?))) {
            let picture = match answer {
                Some(true) => PictureChange::Changed,
                Some(false) => PictureChange::Same,
                None => PictureChange::Unknown,
            };
            self.known.entry(frame).or_default().picture = Some(picture);
            self.picture = None;
        }
    }

    /// Asks about what is on the screen, one thing at a time.
    fn ask(&mut self, document: &Document, seen: &[FrameIndex]) {
        let unknown: Vec<FrameIndex> = seen.iter().copied().filter(|frame| self.of(*frame).inputs.is_none()).collect();
        if self.inputs.is_none() && !unknown.is_empty() {
            self.inputs = document.ask(QuestionKind::Inputs, move |analysis, _| {
                let mut inputs = analysis.inputs_of_frames();
                let of = |frame| (frame, inputs.of(frame).ok().map(|inputs| inputs.is_as_before));
                Ok(unknown.into_iter().map(of).collect())
            });
        }
        if self.picture.is_none()
            && let Some(frame) = seen.iter().find(|frame| self.of(**frame).wants_picture())
        {
            self.picture = Some((*frame, document.player_worker.picture_change(*frame)));
        }
    }
}
