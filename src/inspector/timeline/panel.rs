//! The panel itself: state, layout on the screen, and what the user asks of it.

use std::time::Duration;

use egui::{Id, Label, Rect, RichText, Sense, TextEdit, Ui};

use super::axis_map::{OnScreen, View};
use super::budget::FrameBudget;
use super::cell_mesh::LayoutBudget;
use super::colours::Colours;
use super::details::{self, Selected};
use super::find::Find;
use super::geometry::Geometry;
use super::hit::Hit;
use super::index::Indexer;
use super::input::Keys;
use super::interaction::Drag;
use super::jobs::{Workers, start_workers};
use super::lane::{AxisState, Lane, LaneAlignment, LaneState, place_lanes};
use super::layout::sections;
use super::range::Range;
use super::scopes::{FiguresAs, FiguresView};
use super::seek::Seek;
use crate::command::Place;
use crate::inspector::worker::Busy;

/// With less space than this nothing is said of the axis.
const LEAST_MEANING_PX: f32 = 60.0;

/// How often to look what the workers have done.
pub(super) const POLL: Duration = Duration::from_millis(30);

/// What the panel is told in each UI frame.
#[derive(Clone, Copy, Debug, Default)]
pub struct TimelineContext {
    /// The place that the player shows.
    pub place: Option<Place>,
    /// Space to leave below the ruler, for thumbnails. What fits there is asked of [`TimelinePanel::frame_px`].
    pub thumbnails_height_px: f32,
    /// When to listen to keys.
    pub keys: Keys,
}

/// A range of the common axis, in frames with fraction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SelectedRange {
    /// Where it begins.
    pub begin_frame: f64,
    /// Where it ends.
    pub end_frame: f64,
}

/// What happened to the selected range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RangeChange {
    /// It was selected.
    Selected(SelectedRange),
    /// It was cleared.
    Cleared,
}

/// What the user asked for in a UI frame.
#[derive(Clone, Debug)]
pub struct TimelineResponse {
    /// Where to seek to.
    pub seek: Option<Seek>,
    /// What was clicked.
    pub selected: Option<Hit>,
    /// What happened to the selected range.
    pub range: Option<RangeChange>,
    /// Whether [`TimelinePanel::marks`] changed.
    pub has_new_marks: bool,
    /// Whether keys are the panel's.
    pub has_keys: bool,
    /// The space left for thumbnails, as wide as the tracks.
    pub thumbnails: Rect,
}

/// The timeline of one or more files.
pub struct TimelinePanel {
    pub(super) lanes: Vec<LaneState>,
    pub(super) axes: Vec<AxisState>,
    pub(super) workers: Workers,
    indexer: Indexer,
    pub(super) find: Find,
    pub(super) selected: Option<Selected>,
    pub(super) range: Option<Range>,
    pub(super) figures: FiguresView,
    pub(super) budget: FrameBudget,
    /// AxisMap on the common axis, sorted.
    pub(super) marks: Vec<f64>,
    pub(super) scroll_px: f64,
    pub(super) drag: Option<Drag>,
    pub(super) tracks: Rect,
    pub(super) labels: LayoutBudget,
    /// Where on the axis the player was found to stand, and for which place.
    pub(super) playhead: Option<(Place, Option<f64>)>,
}

impl TimelinePanel {
    /// Shows `lanes`: the first [`LaneAlignment::Reference`] is the trace that is replayed. Starts threads that index them;
    /// an error if there are none to be had.
    pub fn new(mut lanes: Vec<Lane>) -> std::io::Result<Self> {
        lanes.sort_by_key(|lane| lane.alignment != LaneAlignment::Reference);
        let (lanes, axes) = place_lanes(lanes);
        let workers = start_workers()?;
        let indexer = Indexer::start(&workers, &lanes);
        Ok(Self {
            lanes,
            axes,
            workers,
            indexer,
            find: Find::default(),
            selected: None,
            range: None,
            figures: FiguresView::default(),
            budget: FrameBudget::default(),
            marks: Vec::new(),
            scroll_px: 0.0,
            drag: None,
            tracks: Rect::NOTHING,
            labels: LayoutBudget::default(),
            playhead: None,
        })
    }

    /// What its threads are at, if they are at anything.
    pub(in crate::inspector) fn busy(&self) -> Option<Busy> {
        self.workers.busy()
    }

    /// Ends the threads, waits for that as long as `patience` lasts, and says whether they are gone.
    pub(in crate::inspector) fn close(self, patience: Duration) -> bool {
        self.workers.close(patience)
    }

    /// Whether all lanes are indexed.
    pub fn is_indexed(&self) -> bool {
        self.indexer.is_done()
    }

    /// Whether a worker is indexing, searching or counting.
    pub fn is_busy(&self) -> bool {
        !self.indexer.is_done() || self.find.is_busy() || self.range.as_ref().is_some_and(Range::is_busy)
    }

    /// Bytes held beside the timelines themselves.
    pub fn memory_bytes(&self) -> usize {
        let of_lane = |state: &LaneState| {
            let tracks: usize = state.tracks.iter().flatten().map(|lod| lod.memory_bytes()).sum();
            tracks
                + state.frames.as_ref().map_or(0, |rows| rows.memory_bytes())
                + state.flows.as_ref().map_or(0, |links| links.memory_bytes())
        };
        self.lanes.iter().map(of_lane).sum()
    }

    /// What is seen of the common axis.
    pub fn view(&self) -> View {
        self.axes.first().map_or(View { begin: 0.0, end: 1.0 }, |axis| axis.view)
    }

    /// Shows a part of the common axis.
    pub fn set_view(&mut self, view: View) {
        self.change_view(0, |_| view);
    }

    /// Shows everything.
    pub fn fit_all(&mut self) {
        for axis in &mut self.axes {
            axis.view = axis.all;
        }
    }

    /// Shows the frames `first..=last`.
    pub fn fit_frames(&mut self, first: usize, last: usize) {
        if let Some(axis) = self.axes.first().filter(|axis| !axis.frames.is_empty()) {
            let (begin, end) = (axis.place_of(first as f64), axis.place_of(last as f64 + 1.0));
            self.fit(0, begin, end);
        }
    }

    /// Left and right edge of a frame on the screen, as of the last [`TimelinePanel::ui`]; `None` outside of it.
    pub fn frame_px(&self, frame: usize) -> Option<(f32, f32)> {
        let axis = self.axes.first()?;
        let (begin, end) = (*axis.frames.get(frame)?, *axis.frames.get(frame + 1)?);
        let screen = OnScreen { view: axis.view, left: self.tracks.left(), width: self.tracks.width() };
        let is_seen = begin < axis.view.end && end > axis.view.begin;
        is_seen.then(|| (screen.x(begin), screen.x(end)))
    }

    /// The frames at least partly on the screen.
    pub fn visible_frames(&self) -> std::ops::Range<usize> {
        let Some(axis) = self.axes.first().filter(|axis| axis.frames.len() > 1) else { return 0..0 };
        let first = axis.frames.partition_point(|begin| *begin <= axis.view.begin).saturating_sub(1);
        let last = axis.frames.partition_point(|begin| *begin < axis.view.end).min(axis.frames.len() - 1);
        first..last.max(first)
    }

    /// The place of the common axis at a point of the screen, as of the last [`TimelinePanel::ui`].
    pub fn place_at(&self, px: f32) -> f64 {
        let screen = OnScreen { view: self.view(), left: self.tracks.left(), width: self.tracks.width() };
        screen.place(f64::from(px))
    }

    /// Where the tracks were drawn last.
    pub fn tracks_rect(&self) -> Rect {
        self.tracks
    }

    /// The marks, in frames with fraction, sorted.
    pub fn marks(&self) -> Vec<f64> {
        let frame = |place: &f64| self.axes.first().map_or(0.0, |axis| axis.frame_at(*place));
        self.marks.iter().map(frame).collect()
    }

    /// Replaces the marks.
    pub fn set_marks(&mut self, frames: &[f64]) {
        let Some(axis) = self.axes.first() else { return };
        self.marks = frames.iter().filter(|frame| frame.is_finite()).map(|frame| axis.place_of(*frame)).collect();
        self.marks.sort_by(f64::total_cmp);
    }

    /// The text that is looked for.
    pub fn filter(&self) -> &str {
        &self.find.text
    }

    /// Looks for another text.
    pub fn set_filter(&mut self, text: &str) {
        self.find.set(text);
    }

    /// How many events were found so far, while something is looked for.
    pub fn match_count(&self) -> Option<u64> {
        self.find.is_active().then(|| self.find.count())
    }

    /// Selects neither an event nor a range any more; says whether there was one.
    pub fn clear_selection(&mut self) -> bool {
        self.selected.take().is_some() | self.range.take().is_some()
    }

    /// The selected range of the common axis.
    pub fn selected_range(&self) -> Option<SelectedRange> {
        let (range, axis) = (self.range.as_ref().filter(|range| range.axis == 0)?, self.axes.first()?);
        let (begin_frame, end_frame) = range.frames(axis);
        Some(SelectedRange { begin_frame, end_frame })
    }

    /// Draws the panel into all the space that `ui` has, and says what was asked for.
    pub fn ui(&mut self, ui: &mut Ui, context: &TimelineContext) -> TimelineResponse {
        self.advance(ui);
        let colours = Colours::of(ui.visuals());
        self.toolbar(ui, &colours);
        self.details(ui, &colours);
        let area = ui.available_rect_before_wrap();
        ui.allocate_rect(area, Sense::hover());
        let rows = self.lanes.first().map_or(0, |state| state.lane.timeline.frames.len());
        let geometry = Geometry::of(area, context.thumbnails_height_px.max(0.0), rows);
        self.tracks = geometry.tracks;
        let mut answer = TimelineResponse {
            seek: None,
            selected: None,
            range: None,
            has_new_marks: false,
            has_keys: false,
            thumbnails: geometry.thumbnails,
        };
        self.input(ui, context, &geometry, &mut answer);
        let (all, height) = sections(&self.lanes);
        self.scroll_px = self.scroll_px.clamp(0.0, (height - f64::from(geometry.body.height())).max(0.0));
        self.paint(ui, context, &geometry, &colours, &all);
        self.scroll_bar(ui, &geometry, &colours, height);
        answer
    }

    /// Takes what the workers have done.
    fn advance(&mut self, ui: &Ui) {
        self.indexer.collect(&mut self.lanes);
        let is_indexed = self.indexer.is_done();
        self.find.advance(&self.workers, &self.lanes, is_indexed);
        if let Some(range) = self.range.as_mut().filter(|_| self.figures.shown_as != FiguresAs::Names)
            && self.drag.is_none()
        {
            range.count_scopes(&self.workers, &self.lanes);
        }
        if self.is_busy() {
            ui.ctx().request_repaint_after(POLL);
        }
    }

    pub(super) fn find_id() -> Id {
        Id::unique("timeline find")
    }

    fn toolbar(&mut self, ui: &mut Ui, colours: &Colours) {
        ui.horizontal(|ui| {
            let mut text = self.find.text.clone();
            let width = (ui.available_width() * 0.35).min(240.0);
            let edit = TextEdit::singleline(&mut text)
                .id(Self::find_id())
                .desired_width(width)
                .hint_text("find: name, /regex/, @duration > 1ms");
            ui.add(edit);
            if text != self.find.text {
                self.find.set(&text);
            }
            if let Some(error) = &self.find.error {
                ui.label(RichText::new(error).color(colours.badge));
            } else if self.find.is_active() {
                let more = if self.find.is_busy() { "…" } else { "" };
                ui.label(format!("{}{more} found", self.find.count()));
            }
            if !self.indexer.is_done() {
                ui.spinner();
                ui.label(RichText::new("indexing…").weak());
            }
            if ui
                .small_button("statistics")
                .on_hover_text("of all events; drag over the tracks to select a range")
                .clicked()
            {
                self.select_everything();
            }
            self.budget.ui(ui, &self.lanes, colours);
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                if let Some(axis) = self.axes.first().filter(|_| ui.available_width() >= LEAST_MEANING_PX) {
                    ui.add(Label::new(RichText::new(format!("axis: {}", axis.meaning)).weak()).truncate());
                }
            });
        });
    }

    fn details(&mut self, ui: &mut Ui, colours: &Colours) {
        if self.selected.is_none() && self.range.is_none() {
            return;
        }
        let panel = egui::Panel::bottom("timeline details").resizable(true).default_size(150.0).min_size(60.0);
        panel.show(ui, |ui| {
            ui.columns(2, |columns| {
                let [left, right] = columns else { return };
                if let Some(selected) = &self.selected
                    && let Some(state) = self.lanes.get(selected.hit.lane)
                    && let Some(axis) = self.axes.get(state.axis)
                {
                    egui::ScrollArea::vertical()
                        .id_salt("selected")
                        .auto_shrink([false, false])
                        .show(left, |ui| details::event(ui, state, axis, selected));
                }
                if let Some(range) = &self.range
                    && let Some(axis) = self.axes.get(range.axis)
                {
                    details::range(right, &self.lanes, (axis, range), &mut self.figures, colours);
                }
            });
        });
    }

    /// Selects all of the common axis, and has it counted.
    fn select_everything(&mut self) {
        let Some(axis) = self.axes.first() else { return };
        let mut range = Range::new(0, axis.all.begin, axis.all.end);
        range.count(&self.workers, &self.lanes);
        self.figures.forget_nodes();
        self.range = Some(range);
    }

    pub(super) fn change_view(&mut self, axis: usize, change: impl FnOnce(View) -> View) {
        if let Some(axis) = self.axes.get_mut(axis) {
            let view = change(axis.view).within(axis.all);
            axis.view = if view.is_sound() { view } else { axis.all };
        }
    }

    pub(super) fn fit(&mut self, axis: usize, begin: f64, end: f64) {
        let margin = (end - begin) * 0.03;
        let view = View { begin: begin - margin, end: end + margin };
        if view.is_sound() {
            self.change_view(axis, |_| view);
        }
    }

    /// Fits the range, else the selected event, else everything.
    pub(super) fn fit_selection(&mut self) {
        if let Some((axis, begin, end)) = self.range.as_ref().map(|range| (range.axis, range.begin, range.end)) {
            self.fit(axis, begin, end);
        } else if let Some((axis, begin, end)) = self.selected_extent().filter(|(_, begin, end)| end > begin) {
            self.fit(axis, begin, end);
        } else {
            self.fit_all();
        }
    }

    pub(super) fn selected_extent(&self) -> Option<(usize, f64, f64)> {
        let selected = self.selected.as_ref()?;
        let state = self.lanes.get(selected.hit.lane)?;
        let place = |tick| state.axis_map.place(tick);
        Some((state.axis, place(selected.facts.begin), place(selected.facts.end)))
    }
}
