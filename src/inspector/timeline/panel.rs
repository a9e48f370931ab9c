//! The panel itself: state, layout on the screen, and what the user asks of it.

use std::collections::BTreeMap;
use std::time::Duration;

use egui::{
    Align2, CursorIcon, FontId, Id, Painter, PointerButton, Pos2, Rect, Response, RichText, Role, Sense, Stroke,
    TextEdit, Ui, WidgetInfo, pos2, vec2,
};

use super::brush::{Brush, LABEL_SIZE};
use super::colours::Colours;
use super::details::{self, Selected};
use super::find::Find;
use super::hit::{Facts, Hit, Target, extent_text, facts, hit, hit_frame_at};
use super::index::Indexer;
use super::input::{Asked, Keys, asked};
use super::lane::{AxisState, Beside, Lane, LaneState, place_lanes};
use super::layout::{HEADING_PX, ROW_PX, RULER_PX, Strip, What, seen, strips};
use super::paint::{Easel, corner_of, name_of};
use super::places::{OnScreen, TicksOnScreen, View};
use super::range::Range;
use super::seek::{Seek, place_of_draw, seek_to};
use crate::timeline::lod::{Extents, InstantExtents, Rows, SpanExtents};
use crate::timeline::{TrackId, TrackKind};

const NAMES_PX: f32 = 190.0;
const SCROLL_BAR_PX: f32 = 9.0;
/// Marks nearer to the pointer than this are cleared instead of set beside.
const MARK_REACH_PX: f64 = 5.0;
/// Ends of ranges go to the begin of a frame that is nearer than this.
const SNAP_PX: f64 = 4.0;
/// How often to look what the workers have done.
const POLL: Duration = Duration::from_millis(30);

/// What the panel is told in each UI frame.
#[derive(Clone, Copy, Debug, Default)]
pub struct TimelineContext {
    /// The frame that the player shows.
    pub frame: Option<usize>,
    /// The draw of that frame that the player stopped at.
    pub draw: Option<u32>,
    /// Room to leave below the ruler, for thumbnails. What fits there is asked of [`TimelinePanel::frame_px`].
    pub strip_height_px: f32,
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
    /// The room left for thumbnails, as wide as the tracks.
    pub strip: Rect,
}

/// The timeline of one or more files.
pub struct TimelinePanel {
    lanes: Vec<LaneState>,
    axes: Vec<AxisState>,
    indexer: Indexer,
    find: Find,
    selected: Option<Selected>,
    range: Option<Range>,
    /// Places on the common axis, sorted.
    marks: Vec<f64>,
    scroll_px: f64,
    drag: Option<Drag>,
    tracks: Rect,
    /// Where the player was found to stand, for a frame and draw.
    playhead: Option<(Standing, Option<f64>)>,
}

/// Frame and draw of the player.
type Standing = (usize, Option<u32>);

/// A drag under way.
#[derive(Clone, Copy)]
enum Drag {
    Range { axis: usize, from: f64 },
    Pan { axis: usize },
}

/// Where the parts of the panel lie.
struct Geometry {
    ruler: Rect,
    strip: Rect,
    frames: Rect,
    /// Tracks with their names.
    body: Rect,
    /// Tracks without.
    tracks: Rect,
    bar: Rect,
}

impl Geometry {
    fn of(area: Rect, strip_height_px: f32, frame_rows: usize) -> Self {
        let left = area.left() + NAMES_PX.min(area.width() * 0.4);
        let right = (area.right() - SCROLL_BAR_PX).max(left + 1.0);
        let band = |top: f32, height: f32| Rect::from_min_max(pos2(left, top), pos2(right, top + height));
        let ruler = band(area.top(), RULER_PX);
        let strip = band(ruler.bottom(), strip_height_px);
        let frames = band(strip.bottom(), if frame_rows > 0 { ROW_PX + 2.0 } else { 0.0 });
        let bottom = area.bottom().max(frames.bottom());
        let body = Rect::from_min_max(pos2(area.left(), frames.bottom()), pos2(right, bottom));
        let tracks = Rect::from_min_max(pos2(left, frames.bottom()), pos2(right, bottom));
        let bar = Rect::from_min_max(pos2(right, frames.bottom()), pos2(area.right(), bottom));
        Self { ruler, strip, frames, body, tracks, bar }
    }

    fn on_screen(&self, view: View) -> OnScreen {
        OnScreen { view, left: self.tracks.left(), width: self.tracks.width() }
    }
}

impl TimelinePanel {
    /// Shows `lanes`: the first [`Beside::Reference`] is the trace that is replayed. Starts a worker that indexes them.
    pub fn new(mut lanes: Vec<Lane>) -> Self {
        lanes.sort_by_key(|lane| lane.beside != Beside::Reference);
        let (lanes, axes) = place_lanes(lanes);
        let indexer = Indexer::start(&lanes);
        Self {
            lanes,
            axes,
            indexer,
            find: Find::default(),
            selected: None,
            range: None,
            marks: Vec::new(),
            scroll_px: 0.0,
            drag: None,
            tracks: Rect::NOTHING,
            playhead: None,
        }
    }

    /// Whether all lanes are indexed.
    pub fn is_indexed(&self) -> bool {
        self.indexer.is_done()
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

    /// The selected range of the common axis.
    pub fn selected_range(&self) -> Option<SelectedRange> {
        let (range, axis) = (self.range.as_ref().filter(|range| range.axis == 0)?, self.axes.first()?);
        let (begin_frame, end_frame) = range.frames(axis);
        Some(SelectedRange { begin_frame, end_frame })
    }

    /// Draws the panel into all the room that `ui` has, and says what was asked for.
    pub fn ui(&mut self, ui: &mut Ui, context: &TimelineContext) -> TimelineResponse {
        self.advance(ui);
        let colours = Colours::of(ui.visuals());
        self.toolbar(ui, &colours);
        self.details(ui);
        let area = ui.available_rect_before_wrap();
        ui.allocate_rect(area, Sense::hover());
        let rows = self.lanes.first().map_or(0, |state| state.lane.timeline.frames.len());
        let geometry = Geometry::of(area, context.strip_height_px.max(0.0), rows);
        self.tracks = geometry.tracks;
        let mut answer =
            TimelineResponse { seek: None, selected: None, range: None, has_new_marks: false, strip: geometry.strip };
        self.input(ui, context, &geometry, &mut answer);
        let (all, height) = strips(&self.lanes);
        self.scroll_px = self.scroll_px.clamp(0.0, (height - f64::from(geometry.body.height())).max(0.0));
        self.paint(ui, context, &geometry, &colours, &all);
        self.scroll_bar(ui, &geometry, &colours, height);
        answer
    }

    /// Takes what the workers have done.
    fn advance(&mut self, ui: &Ui) {
        self.indexer.collect(&mut self.lanes);
        let is_indexed = self.indexer.is_done();
        self.find.advance(&self.lanes, is_indexed);
        if let Some(range) = &mut self.range {
            range.advance();
        }
        if !is_indexed || self.find.is_busy() || self.range.as_ref().is_some_and(Range::is_busy) {
            ui.ctx().request_repaint_after(POLL);
        }
    }

    fn find_id() -> Id {
        Id::unique("timeline find")
    }

    fn toolbar(&mut self, ui: &mut Ui, colours: &Colours) {
        ui.horizontal(|ui| {
            let mut text = self.find.text.clone();
            let edit = TextEdit::singleline(&mut text)
                .id(Self::find_id())
                .desired_width(240.0)
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
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                if let Some(axis) = self.axes.first() {
                    ui.label(RichText::new(format!("axis: {}", axis.meaning)).weak());
                }
            });
        });
    }

    fn details(&mut self, ui: &mut Ui) {
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
                    details::range(right, &self.lanes, axis, range);
                }
            });
        });
    }

    fn change_view(&mut self, axis: usize, change: impl FnOnce(View) -> View) {
        if let Some(axis) = self.axes.get_mut(axis) {
            let view = change(axis.view).within(axis.all);
            axis.view = if view.is_sound() { view } else { axis.all };
        }
    }

    fn fit(&mut self, axis: usize, begin: f64, end: f64) {
        let margin = (end - begin) * 0.03;
        let view = View { begin: begin - margin, end: end + margin };
        if view.is_sound() {
            self.change_view(axis, |_| view);
        }
    }

    /// Fits the range, else the selected event, else everything.
    fn fit_selection(&mut self) {
        if let Some((axis, begin, end)) = self.range.as_ref().map(|range| (range.axis, range.begin, range.end)) {
            self.fit(axis, begin, end);
        } else if let Some((axis, begin, end)) = self.selected_extent().filter(|(_, begin, end)| end > begin) {
            self.fit(axis, begin, end);
        } else {
            self.fit_all();
        }
    }

    fn selected_extent(&self) -> Option<(usize, f64, f64)> {
        let selected = self.selected.as_ref()?;
        let state = self.lanes.get(selected.hit.lane)?;
        let place = |tick| state.places.place(tick);
        Some((state.axis, place(selected.facts.begin), place(selected.facts.end)))
    }

    fn input(&mut self, ui: &Ui, context: &TimelineContext, geometry: &Geometry, answer: &mut TimelineResponse) {
        let rect = geometry.ruler.union(geometry.tracks);
        let response = ui.interact(rect, ui.scope_id().with("timeline tracks"), Sense::click_and_drag());
        response.widget_info(|| WidgetInfo::labeled(Role::Canvas, true, "timeline"));
        let names = Rect::from_min_max(geometry.body.min, pos2(geometry.tracks.left(), geometry.body.bottom()));
        let names = ui.interact(names, ui.scope_id().with("timeline names"), Sense::click());
        names.widget_info(|| WidgetInfo::labeled(Role::List, true, "tracks"));
        let (strips, _) = strips(&self.lanes);
        self.click_names(&names, geometry, &strips);
        let pointer = response.hover_pos().or(response.interact_pointer_pos());
        self.keys(ui, context, geometry, pointer, &strips, answer);
        self.wheel(ui, geometry, pointer, &names, &strips);
        self.drags(&response, geometry, &strips, answer);
        self.clicks(&response, geometry, &strips, answer);
        self.tooltip(&response, geometry, &strips);
    }

    /// The strip under a point of the body, and the point's distance from its top.
    fn strip_at<'s>(&self, geometry: &Geometry, strips: &'s [Strip], at: Pos2) -> Option<(&'s Strip, f32)> {
        if !geometry.body.contains(at) {
            return None;
        }
        let y = f64::from(at.y - geometry.body.top()) + self.scroll_px;
        let strip = seen(strips, y, y + 1e-3).first()?;
        Some((strip, (y - strip.top) as f32))
    }

    fn axis_at(&self, geometry: &Geometry, strips: &[Strip], at: Option<Pos2>) -> usize {
        let strip = at.and_then(|at| self.strip_at(geometry, strips, at));
        strip.and_then(|(strip, _)| self.lanes.get(strip.lane)).map_or(0, |state| state.axis)
    }

    fn screen(&self, geometry: &Geometry, axis: usize) -> Option<OnScreen> {
        Some(geometry.on_screen(self.axes.get(axis)?.view))
    }

    fn hit_at(&self, geometry: &Geometry, strips: &[Strip], at: Pos2) -> Option<Hit> {
        if geometry.frames.contains(at) || geometry.strip.contains(at) {
            let state = self.lanes.first()?;
            let scale = TicksOnScreen::new(&state.places, self.screen(geometry, state.axis)?);
            let target = hit_frame_at(state, &scale, f64::from(at.x))?;
            return Some(Hit { lane: 0, track: None, target });
        }
        let (strip, y_px) = self.strip_at(geometry, strips, at)?;
        let state = self.lanes.get(strip.lane)?;
        let scale = TicksOnScreen::new(&state.places, self.screen(geometry, state.axis)?);
        hit(state, strip, &scale, f64::from(at.x), y_px)
    }

    fn click_names(&mut self, names: &Response, geometry: &Geometry, strips: &[Strip]) {
        if names.hovered() {
            names.ctx.set_cursor_icon(CursorIcon::PointingHand);
        }
        let Some(at) = names.interact_pointer_pos().filter(|_| names.clicked()) else { return };
        let Some((strip, _)) = self.strip_at(geometry, strips, at) else { return };
        let (what, lane) = (strip.what, strip.lane);
        let Some(state) = self.lanes.get_mut(lane) else { return };
        match what {
            What::Heading => state.is_open = !state.is_open,
            What::Track(id) => {
                if let Some(collapsed) = state.collapsed.get_mut(id.index()) {
                    *collapsed = !*collapsed;
                }
            }
            What::Ruler | What::Frames => {}
        }
    }

    fn keys(
        &mut self,
        ui: &Ui,
        context: &TimelineContext,
        geometry: &Geometry,
        pointer: Option<Pos2>,
        strips: &[Strip],
        answer: &mut TimelineResponse,
    ) {
        let is_over = ui.rect_contains_pointer(geometry.ruler.union(geometry.body));
        let listens = match context.keys {
            Keys::Hovered => is_over,
            Keys::Always => true,
            Keys::Never => false,
        };
        if !listens || ui.ctx().egui_wants_keyboard_input() {
            return;
        }
        let asked = asked(ui, self.range.is_some() || self.selected.is_some());
        if asked == Asked::default() {
            return;
        }
        ui.ctx().request_repaint();
        let axis = self.axis_at(geometry, strips, pointer);
        let around = match (self.screen(geometry, axis), pointer) {
            (Some(screen), Some(at)) => screen.place(f64::from(at.x)),
            (Some(screen), None) => (screen.view.begin + screen.view.end) * 0.5,
            (None, _) => return,
        };
        self.change_view(axis, |view| {
            let zoomed = view.zoomed(around, f64::from(asked.zoom).exp());
            zoomed.moved(f64::from(asked.pan) * zoomed.length())
        });
        if asked.fits {
            self.fit_selection();
        }
        if asked.marks && axis == 0 {
            self.toggle_mark(around, geometry);
            answer.has_new_marks = true;
        }
        if asked.finds {
            ui.ctx().memory_mut(|memory| memory.request_focus(Self::find_id()));
        }
        if asked.matches != 0 {
            self.next_match(asked.matches, geometry, answer);
        }
        if asked.clears {
            self.selected = None;
            if self.range.take().is_some() {
                answer.range = Some(RangeChange::Cleared);
            }
        }
    }

    fn toggle_mark(&mut self, place: f64, geometry: &Geometry) {
        let Some(screen) = self.screen(geometry, 0) else { return };
        let reach = MARK_REACH_PX / screen.px_per_place();
        let before = self.marks.len();
        self.marks.retain(|mark| (mark - place).abs() > reach);
        if self.marks.len() == before {
            self.marks.push(place);
            self.marks.sort_by(f64::total_cmp);
        }
    }

    fn wheel(&mut self, ui: &Ui, geometry: &Geometry, pointer: Option<Pos2>, names: &Response, strips: &[Strip]) {
        let is_over = ui.rect_contains_pointer(geometry.ruler.union(geometry.body));
        if !is_over {
            return;
        }
        let (delta, pinch, is_vertical) =
            ui.input(|input| (input.smooth_scroll_delta(), input.zoom_delta(), input.modifiers.alt));
        if is_vertical || names.contains_pointer() {
            self.scroll_px -= f64::from(delta.y);
            return;
        }
        let axis = self.axis_at(geometry, strips, pointer);
        let (Some(screen), Some(at)) = (self.screen(geometry, axis), pointer) else { return };
        let around = screen.place(f64::from(at.x));
        let factor = (-f64::from(delta.y) * 0.005).exp() / f64::from(pinch);
        if factor != 1.0 || delta.x != 0.0 {
            self.change_view(axis, |view| {
                let zoomed = view.zoomed(around, factor);
                zoomed.moved(-f64::from(delta.x) / f64::from(screen.width) * zoomed.length())
            });
        }
    }

    fn drags(&mut self, response: &Response, geometry: &Geometry, strips: &[Strip], answer: &mut TimelineResponse) {
        if response.drag_started() {
            let origin = response.ctx.input(|input| input.pointer.press_origin());
            let axis = self.axis_at(geometry, strips, origin);
            let from = origin.zip(self.screen(geometry, axis)).map(|(at, screen)| screen.place(f64::from(at.x)));
            self.drag = match from {
                Some(from) if response.dragged_by(PointerButton::Primary) => Some(Drag::Range { axis, from }),
                Some(_) => Some(Drag::Pan { axis }),
                None => None,
            };
        }
        let pointer = response.interact_pointer_pos();
        match self.drag {
            Some(Drag::Range { axis, from }) => {
                if let Some((at, screen)) = pointer.zip(self.screen(geometry, axis)) {
                    let (from, until) = (self.snapped(axis, from, screen), screen.place(f64::from(at.x)));
                    self.range = Some(Range::new(axis, from, self.snapped(axis, until, screen)));
                }
            }
            Some(Drag::Pan { axis }) => {
                let (delta, width) = (response.drag_delta(), f64::from(geometry.tracks.width()));
                self.change_view(axis, |view| view.moved(-f64::from(delta.x) / width * view.length()));
                self.scroll_px -= f64::from(delta.y);
                response.ctx.set_cursor_icon(CursorIcon::Grabbing);
            }
            None => {}
        }
        if response.drag_stopped()
            && let Some(Drag::Range { .. }) = self.drag.take()
            && let Some(range) = &mut self.range
        {
            range.count(&self.lanes);
            answer.range = self.selected_range().map(RangeChange::Selected);
            response.ctx.request_repaint_after(POLL);
        }
        if !response.dragged() {
            self.drag = None;
        }
    }

    /// The begin of a frame, if one is near.
    fn snapped(&self, axis: usize, place: f64, screen: OnScreen) -> f64 {
        let Some(axis) = self.axes.get(axis) else { return place };
        let after = axis.frames.partition_point(|begin| *begin < place);
        let near = [after.checked_sub(1), Some(after)].into_iter().flatten().filter_map(|index| axis.frames.get(index));
        let distance = |begin: &f64| (begin - place).abs() * screen.px_per_place();
        let nearest = near.min_by(|a, b| distance(a).total_cmp(&distance(b)));
        nearest.copied().filter(|begin| distance(begin) < SNAP_PX).unwrap_or(place)
    }

    fn clicks(&mut self, response: &Response, geometry: &Geometry, strips: &[Strip], answer: &mut TimelineResponse) {
        let Some(at) = response.interact_pointer_pos().filter(|_| response.clicked() || response.double_clicked())
        else {
            return;
        };
        let Some(hit) = self.hit_at(geometry, strips, at) else {
            self.selected = None;
            if self.range.take().is_some() {
                answer.range = Some(RangeChange::Cleared);
            }
            if geometry.ruler.contains(at) {
                answer.seek = self.seek_at(geometry, at);
            }
            return;
        };
        self.select(hit, answer);
        if response.double_clicked()
            && let Some((axis, begin, end)) = self.selected_extent()
        {
            self.fit(axis, begin, end);
        }
    }

    fn seek_at(&self, geometry: &Geometry, at: Pos2) -> Option<Seek> {
        let place = self.screen(geometry, 0)?.place(f64::from(at.x));
        Some(Seek { frame: self.axes.first()?.frame_index(place)?, draw: None, record: None })
    }

    fn select(&mut self, hit: Hit, answer: &mut TimelineResponse) {
        let (Some(state), Some(common)) = (self.lanes.get(hit.lane), self.axes.first()) else { return };
        let Some(facts) = facts(state, &hit) else { return };
        answer.seek = seek_to(state, common, &hit, &facts);
        answer.selected = Some(hit);
        self.selected = Some(Selected::new(state, hit, facts));
    }

    fn tooltip(&self, response: &Response, geometry: &Geometry, strips: &[Strip]) {
        let Some(at) = response.hover_pos().filter(|_| self.drag.is_none()) else { return };
        let Some((hit, facts)) = self.facts_at(geometry, strips, at) else { return };
        let Some(state) = self.lanes.get(hit.lane) else { return };
        let Some(axis) = self.axes.get(state.axis) else { return };
        let precision = axis.view.length() / f64::from(geometry.tracks.width());
        let (begin, length) = extent_text(state, axis, &facts, precision);
        response.clone().on_hover_ui_at_pointer(|ui| {
            ui.label(RichText::new(&facts.name).strong());
            ui.label(begin);
            if facts.end > facts.begin {
                ui.label(format!("length {length}"));
            }
            if let Some(depth) = facts.depth {
                ui.label(RichText::new(format!("depth {depth}")).weak());
            }
            if let Some(note) = &facts.note {
                ui.label(RichText::new(note).weak());
            }
        });
    }

    fn facts_at(&self, geometry: &Geometry, strips: &[Strip], at: Pos2) -> Option<(Hit, Facts)> {
        let hit = self.hit_at(geometry, strips, at)?;
        let facts = facts(self.lanes.get(hit.lane)?, &hit)?;
        Some((hit, facts))
    }

    /// Selects the match that begins next after (or before) what is selected, or the middle of the view.
    fn next_match(&mut self, direction: i32, geometry: &Geometry, answer: &mut TimelineResponse) {
        let from = match (self.selected_extent(), self.axes.first()) {
            (Some((0, begin, _)), _) => begin,
            (_, Some(axis)) => (axis.view.begin + axis.view.end) * 0.5,
            _ => return,
        };
        let mut best: Option<(f64, Hit)> = None;
        for (lane, state) in self.lanes.iter().enumerate().filter(|(_, state)| state.axis == 0) {
            for (id, track) in state.lane.timeline.tracks() {
                let Some(found) = self.find.on_track(lane, id) else { continue };
                let (spans, instants) = (
                    SpanExtents { track, tints: &state.tints },
                    InstantExtents { instants: &track.instants, tints: &state.tints },
                );
                let mut offer = |found: Option<(u32, u64)>, target: fn(u32) -> Target| {
                    let Some((index, begin)) = found else { return };
                    let place = state.places.place(begin);
                    let is_better = best.is_none_or(|(best, _)| (place < best) == (direction > 0) && place != best);
                    if is_better {
                        best = Some((place, Hit { lane, track: Some(id), target: target(index) }));
                    }
                };
                let tick = state.places.tick(from);
                let is_beyond = |begin: u64| match direction > 0 {
                    true => state.places.place(begin) > from && begin as f64 > tick - 1.0,
                    false => state.places.place(begin) >= from,
                };
                offer(beside(&found.spans, &spans, direction, is_beyond), Target::Span);
                offer(beside(&found.instants, &instants, direction, is_beyond), Target::Instant);
                offer(beside(&found.steps, &super::find::StepExtents, direction, is_beyond), Target::Step);
            }
        }
        if let Some((_, hit)) = best {
            self.select(hit, answer);
            self.reveal(hit, geometry);
        }
    }

    /// Moves the view so that the selected event is in it.
    fn reveal(&mut self, hit: Hit, geometry: &Geometry) {
        if let Some((axis, begin, end)) = self.selected_extent() {
            self.change_view(axis, |view| {
                if begin >= view.begin && end <= view.end {
                    return view;
                }
                let length = view.length().max((end - begin) * 1.1);
                let middle = (begin + end) * 0.5;
                View { begin: middle - length * 0.5, end: middle + length * 0.5 }
            });
        }
        let (strips, _) = strips(&self.lanes);
        let strip = strips
            .iter()
            .find(|strip| strip.lane == hit.lane && hit.track.is_some_and(|id| strip.what == What::Track(id)));
        if let Some(strip) = strip {
            let height = f64::from(geometry.body.height());
            let is_seen = strip.top >= self.scroll_px && strip.top < self.scroll_px + height - f64::from(ROW_PX);
            self.scroll_px = if is_seen { self.scroll_px } else { (strip.top - height * 0.3).max(0.0) };
        }
    }

    fn paint(&mut self, ui: &Ui, context: &TimelineContext, geometry: &Geometry, colours: &Colours, strips: &[Strip]) {
        let whole = ui.painter_at(geometry.ruler.union(geometry.body).union(geometry.bar));
        whole.rect_filled(geometry.body, 0.0, colours.ground);
        self.paint_header(ui, context, geometry, colours);
        let tracks = ui.painter_at(geometry.tracks);
        let easel = Easel { painter: &tracks, colours, is_dimmed: self.find.is_active() };
        let (from, until) = (self.scroll_px, self.scroll_px + f64::from(geometry.body.height()));
        let mut tops: BTreeMap<(usize, TrackId), f32> = BTreeMap::new();
        for strip in seen(strips, from, until) {
            let Some(state) = self.lanes.get(strip.lane) else { continue };
            let Some(axis) = self.axes.get(state.axis) else { continue };
            let top = geometry.body.top() + (strip.top - self.scroll_px) as f32;
            let screen = geometry.on_screen(axis.view);
            if let What::Track(id) = strip.what {
                tops.insert((strip.lane, id), top);
            }
            let found = match strip.what {
                What::Track(id) => self.find.on_track(strip.lane, id),
                _ => None,
            };
            match strip.what {
                What::Heading => {}
                What::Ruler => easel.ruler(axis, screen, top, RULER_PX),
                _ => easel.strip(state, strip, top, screen, found),
            }
            let line = top + strip.height - 1.0;
            tracks.hline(geometry.tracks.x_range(), line, Stroke::new(1.0, colours.line));
        }
        self.paint_across(&tracks, &easel, geometry, strips, &tops);
        self.paint_names(ui, geometry, colours, strips);
        self.paint_marks(&whole, context, geometry, colours);
    }

    fn paint_header(&self, ui: &Ui, context: &TimelineContext, geometry: &Geometry, colours: &Colours) {
        let header = geometry.ruler.union(geometry.frames);
        let all = Rect::from_min_max(pos2(geometry.body.left(), header.top()), header.max);
        let painter = ui.painter_at(all);
        painter.rect_filled(all, 0.0, colours.margin);
        let (Some(axis), Some(state)) = (self.axes.first(), self.lanes.first()) else { return };
        let screen = geometry.on_screen(axis.view);
        let clipped = ui.painter_at(header);
        let easel = Easel { painter: &clipped, colours, is_dimmed: false };
        easel.ruler(axis, screen, geometry.ruler.top(), RULER_PX);
        if geometry.frames.height() > 0.0 {
            let frames = ui.painter_at(geometry.frames);
            let easel = Easel { painter: &frames, colours, is_dimmed: false };
            let strip = Strip { lane: 0, what: What::Frames, top: 0.0, height: ROW_PX, indent: 0 };
            easel.strip(state, &strip, geometry.frames.top() + 1.0, screen, None);
            let at = pos2(geometry.body.left() + 6.0, geometry.frames.top() + 3.0);
            painter.text(at, Align2::LEFT_TOP, "frames", FontId::proportional(LABEL_SIZE), colours.faint_text);
            if let Some((left, right)) = context.frame.and_then(|frame| self.frame_px(frame)) {
                let rect = geometry
                    .frames
                    .intersect(Rect::from_x_y_ranges(left..=right.max(left + 2.0), geometry.frames.y_range()));
                let stroke = Stroke::new(1.5, colours.playhead);
                frames.rect_stroke(rect.shrink(0.5), 1.0, stroke, egui::StrokeKind::Inside);
            }
        }
        painter.hline(all.x_range(), all.bottom() - 0.5, Stroke::new(1.0, colours.line));
    }

    /// What goes through all lanes: frame lines, flows, the selection, the outline of the selected event.
    fn paint_across(
        &self,
        painter: &Painter,
        easel: &Easel<'_>,
        geometry: &Geometry,
        strips: &[Strip],
        tops: &BTreeMap<(usize, TrackId), f32>,
    ) {
        for (index, axis) in self.axes.iter().enumerate() {
            let screen = geometry.on_screen(axis.view);
            let (top, bottom) = self.axis_band(index, geometry, strips);
            if index == 0 {
                easel.frame_lines(axis, screen, top, bottom);
            }
            if let Some(range) = self.range.as_ref().filter(|range| range.axis == index) {
                let (left, right) = (screen.x(range.begin), screen.x(range.end));
                let band = Rect::from_min_max(pos2(left, top), pos2(right.max(left + 1.0), bottom));
                painter.rect_filled(band, 0.0, easel.colours.selection);
                for x in [left, right] {
                    painter.vline(x, top..=bottom, Stroke::new(1.0, easel.colours.mark));
                }
            }
        }
        for (lane, state) in self.lanes.iter().enumerate() {
            let Some(axis) = self.axes.get(state.axis) else { continue };
            let tops: BTreeMap<TrackId, f32> =
                tops.iter().filter(|((of, _), _)| *of == lane).map(|((_, id), top)| (*id, *top)).collect();
            if !easel.flows(state, geometry.on_screen(axis.view), &tops) {
                let at = geometry.tracks.right_top() + vec2(-6.0, 4.0);
                let text = "more flows than can be shown: zoom in";
                painter.text(at, Align2::RIGHT_TOP, text, FontId::proportional(LABEL_SIZE), easel.colours.flow);
            }
        }
        self.outline_selected(painter, easel, geometry, tops);
    }

    /// Top and bottom of the lanes on an axis.
    fn axis_band(&self, axis: usize, geometry: &Geometry, strips: &[Strip]) -> (f32, f32) {
        let of_axis = || strips.iter().filter(|strip| self.lanes.get(strip.lane).is_some_and(|s| s.axis == axis));
        let y = |place: f64| {
            let y = place - self.scroll_px;
            geometry.body.top() + y.clamp(0.0, f64::from(geometry.body.height())) as f32
        };
        let top = of_axis().next().map_or(0.0, |strip| strip.top);
        let bottom = of_axis().next_back().map_or(0.0, |strip| strip.top + f64::from(strip.height));
        (y(top), y(bottom))
    }

    fn outline_selected(
        &self,
        painter: &Painter,
        easel: &Easel<'_>,
        geometry: &Geometry,
        tops: &BTreeMap<(usize, TrackId), f32>,
    ) {
        let Some(selected) = &self.selected else { return };
        let Some((axis, begin, end)) = self.selected_extent() else { return };
        let (Some(screen), Some(state)) = (self.screen(geometry, axis), self.lanes.get(selected.hit.lane)) else {
            return;
        };
        let Some(id) = selected.hit.track else { return };
        let (Some(top), Some(track)) = (tops.get(&(selected.hit.lane, id)), state.lane.timeline.track(id)) else {
            return;
        };
        let parts = super::layout::Parts::of(state, id, track);
        let (offset, height) = match selected.hit.target {
            Target::Span(index) => (parts.spans.unwrap_or(0.0) + ROW_PX * self.row_of(state, id, index) as f32, ROW_PX),
            Target::Instant(_) => (parts.instants.unwrap_or(0.0), super::layout::INSTANTS_PX),
            Target::Step(_) => (parts.steps.unwrap_or(0.0), ROW_PX),
            Target::Sample(_) => (parts.graph.unwrap_or(0.0), super::layout::GRAPH_PX),
            Target::Frame(_) | Target::Many { .. } => return,
        };
        let (left, right) = (screen.x(begin), screen.x(end));
        let (left, right) = if right - left < 3.0 { (left - 3.0, left + 3.0) } else { (left, right) };
        let rect = Rect::from_min_max(pos2(left, top + offset), pos2(right, top + offset + height - 1.0));
        painter.rect_stroke(rect, 1.0, Stroke::new(1.5, easel.colours.outline), egui::StrokeKind::Inside);
    }

    /// The row of a span: by depth, or by search where spans overlap freely.
    fn row_of(&self, state: &LaneState, id: TrackId, index: u32) -> usize {
        let Some(track) = state.lane.timeline.track(id) else { return 0 };
        let unbegun = track.without_begin.len();
        let extents = SpanExtents { track, tints: &state.tints };
        if track.kind != TrackKind::Ranges {
            return match (index as usize).checked_sub(unbegun) {
                Some(own) => unbegun + track.spans.get(own).map_or(0, |span| span.depth() as usize),
                None => unbegun - 1 - index as usize,
            };
        }
        let Some(lod) = state.tracks.get(id.index()).and_then(Option::as_ref) else { return 0 };
        let (begin, _) = extents.extent(index);
        let holds = |row: usize| {
            let place = |position: u32| lod.spans.index(row, position);
            let first = partition(lod.spans.events_in(row), |position| {
                place(position).is_some_and(|index| extents.extent(index).0 < begin)
            });
            place(first) == Some(index)
        };
        (0..lod.spans.count()).find(|row| holds(*row)).unwrap_or(0)
    }

    fn paint_names(&self, ui: &Ui, geometry: &Geometry, colours: &Colours, strips: &[Strip]) {
        let margin = Rect::from_min_max(geometry.body.min, pos2(geometry.tracks.left(), geometry.body.bottom()));
        let painter = ui.painter_at(geometry.body);
        let names = ui.painter_at(margin);
        names.rect_filled(margin, 0.0, colours.margin);
        let font = FontId::proportional(LABEL_SIZE + 0.5);
        let (from, until) = (self.scroll_px, self.scroll_px + f64::from(geometry.body.height()));
        for strip in seen(strips, from, until) {
            let Some(state) = self.lanes.get(strip.lane) else { continue };
            let top = geometry.body.top() + (strip.top - self.scroll_px) as f32;
            if strip.what == What::Heading {
                self.paint_heading(&painter, geometry, colours, state, top);
                continue;
            }
            names.hline(margin.x_range(), top + strip.height - 1.0, Stroke::new(1.0, colours.line));
            let left = margin.left() + 8.0 + f32::from(strip.indent.min(12)) * 10.0;
            if let What::Track(id) = strip.what {
                let is_collapsed = state.collapsed.get(id.index()) == Some(&true);
                triangle(&names, pos2(left + 3.0, top + ROW_PX * 0.5), is_collapsed, colours);
            }
            let at = pos2(left + 11.0, top + 2.0);
            let colour = if matches!(strip.what, What::Track(_)) { colours.text } else { colours.faint_text };
            names.text(at, Align2::LEFT_TOP, name_of(state, strip.what), font.clone(), colour);
            if let What::Track(id) = strip.what {
                counter_bounds(&names, state, id, margin, top, colours);
            }
        }
        painter.vline(margin.right(), geometry.body.y_range(), Stroke::new(1.0, colours.line));
    }

    fn paint_heading(&self, painter: &Painter, geometry: &Geometry, colours: &Colours, state: &LaneState, top: f32) {
        let rect = Rect::from_min_size(pos2(geometry.body.left(), top), vec2(geometry.body.width(), HEADING_PX));
        painter.rect_filled(rect, 0.0, colours.heading);
        triangle(painter, pos2(rect.left() + 9.0, rect.center().y), !state.is_open, colours);
        let at = pos2(rect.left() + 18.0, rect.center().y);
        let title = painter.text(at, Align2::LEFT_CENTER, &state.lane.title, FontId::proportional(12.0), colours.text);
        let mut left = title.right() + 10.0;
        if matches!(state.lane.beside, Beside::Unaligned(_)) {
            let font = FontId::proportional(LABEL_SIZE);
            let galley = painter.layout_no_wrap("unaligned".to_owned(), font, egui::Color32::WHITE);
            let badge = Rect::from_min_size(pos2(left, rect.top() + 3.0), galley.size() + vec2(10.0, 2.0));
            painter.rect_filled(badge, 3.0, colours.badge);
            painter.galley(badge.min + vec2(5.0, 1.0), galley, egui::Color32::WHITE);
            left = badge.right() + 8.0;
        }
        let font = FontId::proportional(LABEL_SIZE);
        let corner = painter.layout_no_wrap(corner_of(&state.lane.beside), font, colours.faint_text);
        let x = (rect.right() - 6.0 - corner.size().x).max(left);
        painter.galley(pos2(x, rect.center().y - corner.size().y * 0.5), corner, colours.faint_text);
    }

    fn paint_marks(&mut self, painter: &Painter, context: &TimelineContext, geometry: &Geometry, colours: &Colours) {
        let playhead = self.playhead_place(context);
        let Some(axis) = self.axes.first() else { return };
        let screen = geometry.on_screen(axis.view);
        let is_seen = |place: f64| (axis.view.begin..=axis.view.end).contains(&place);
        let bottom = geometry.body.bottom();
        for (index, mark) in self.marks.iter().enumerate() {
            if !is_seen(*mark) {
                continue;
            }
            let x = screen.x(*mark);
            painter.vline(x, geometry.ruler.top()..=bottom, Stroke::new(1.0, colours.mark));
            let before = index.checked_sub(1).and_then(|before| self.marks.get(before));
            let text = match before {
                Some(before) => format!("{} · +{}", index + 1, axis.unit.length(mark - before)),
                None => format!("{}", index + 1),
            };
            let font = FontId::proportional(LABEL_SIZE);
            let galley = painter.layout_no_wrap(text, font, colours.ground);
            let flag = Rect::from_min_size(pos2(x, geometry.ruler.top() + 1.0), galley.size() + vec2(8.0, 2.0));
            painter.rect_filled(flag, 2.0, colours.mark);
            painter.galley(flag.min + vec2(4.0, 1.0), galley, colours.ground);
        }
        if let Some(place) = playhead.filter(|place| is_seen(*place)) {
            let x = screen.x(place);
            let mut brush = Brush::new(painter, colours);
            brush.rect(
                Rect::from_min_max(pos2(x - 0.75, geometry.ruler.bottom() - 4.0), pos2(x + 0.75, bottom)),
                colours.playhead,
            );
            let y = geometry.ruler.bottom();
            brush.triangle([pos2(x - 5.0, y - 8.0), pos2(x + 5.0, y - 8.0), pos2(x, y)], colours.playhead);
            brush.finish();
        }
    }

    /// Where the player stands; searched for once.
    fn playhead_place(&mut self, context: &TimelineContext) -> Option<f64> {
        let key = (context.frame?, context.draw);
        if let Some((known, place)) = self.playhead
            && known == key
        {
            return place;
        }
        let (axis, state) = (self.axes.first()?, self.lanes.first()?);
        let (frame, draw) = key;
        let begin = axis.frames.get(frame).copied();
        let place = draw.and_then(|draw| place_of_draw(state, axis, frame, draw)).or(begin);
        self.playhead = Some((key, place));
        place
    }

    fn scroll_bar(&mut self, ui: &Ui, geometry: &Geometry, colours: &Colours, height: f64) {
        let shown = f64::from(geometry.body.height());
        ui.painter().rect_filled(geometry.bar, 0.0, colours.margin);
        if height <= shown {
            return;
        }
        let response = ui.interact(geometry.bar, ui.scope_id().with("timeline scroll bar"), Sense::click_and_drag());
        response.widget_info(|| WidgetInfo::labeled(Role::ScrollBar, true, "scroll tracks"));
        let thumb_px = (shown * shown / height).max(18.0);
        let room = (shown - thumb_px).max(1.0);
        if let Some(at) = response.interact_pointer_pos() {
            let top = f64::from(at.y - geometry.bar.top()) - thumb_px * 0.5;
            self.scroll_px = (top / room * (height - shown)).clamp(0.0, height - shown);
            ui.ctx().request_repaint();
        }
        let top = geometry.bar.top() + (self.scroll_px / (height - shown) * room) as f32;
        let thumb =
            Rect::from_min_size(pos2(geometry.bar.left() + 1.5, top), vec2(SCROLL_BAR_PX - 3.0, thumb_px as f32));
        ui.painter().rect_filled(thumb, 3.0, colours.faint_text.gamma_multiply(0.6));
    }
}

/// The event nearest beyond a place: the first that `is_beyond`, or (backwards) the last that isn't.
fn beside(rows: &Rows, events: &impl Extents, direction: i32, is_beyond: impl Fn(u64) -> bool) -> Option<(u32, u64)> {
    let of_row = |row: usize| {
        let begin = |position: u32| rows.index(row, position).map(|index| (index, events.extent(index).0));
        let count = rows.events_in(row);
        let first = partition(count, |position| begin(position).is_some_and(|(_, begin)| !is_beyond(begin)));
        let position = if direction > 0 { Some(first).filter(|first| *first < count) } else { first.checked_sub(1) };
        position.and_then(begin)
    };
    let candidates = (0..rows.count()).filter_map(of_row);
    if direction > 0 { candidates.min_by_key(|(_, begin)| *begin) } else { candidates.max_by_key(|(_, begin)| *begin) }
}

/// The first of `count` positions for which `is_before` no longer holds.
fn partition(count: u32, is_before: impl Fn(u32) -> bool) -> u32 {
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = low + (high - low) / 2;
        if is_before(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

fn triangle(painter: &Painter, at: Pos2, is_closed: bool, colours: &Colours) {
    let mut brush = Brush::new(painter, colours);
    let corners = match is_closed {
        true => [at + vec2(-2.5, -4.0), at + vec2(3.0, 0.0), at + vec2(-2.5, 4.0)],
        false => [at + vec2(-4.0, -2.5), at + vec2(4.0, -2.5), at + vec2(0.0, 3.0)],
    };
    brush.triangle(corners, colours.faint_text);
    brush.finish();
}

/// Greatest value of a counter, beside its name.
fn counter_bounds(painter: &Painter, state: &LaneState, id: TrackId, margin: Rect, top: f32, colours: &Colours) {
    let lod = state.tracks.get(id.index()).and_then(Option::as_ref);
    let Some((least, greatest)) = lod.and_then(|lod| lod.samples.bounds()) else { return };
    let Some(TrackKind::Counter { unit }) = state.lane.timeline.track(id).map(|track| track.kind) else { return };
    if state.collapsed.get(id.index()) == Some(&true) {
        return;
    }
    let text = format!("{} – {} {unit}", short_number(least), short_number(greatest));
    let at = pos2(margin.left() + 19.0, top + ROW_PX);
    painter.text(at, Align2::LEFT_TOP, text, FontId::proportional(LABEL_SIZE - 1.0), colours.faint_text);
}

fn short_number(value: f64) -> String {
    let scales = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e4, "k")];
    match scales.into_iter().find(|(scale, _)| value.abs() >= *scale) {
        Some((1e4, _)) => format!("{:.1}k", value / 1e3),
        Some((scale, letter)) => format!("{:.2}{letter}", value / scale),
        None if value == value.round() => format!("{value:.0}"),
        None => format!("{value:.2}"),
    }
}
