//! Pointer and keys → what changes on the panel, and what is asked of whoever shows it.

use egui::{CursorIcon, PointerButton, Pos2, Rect, Response, RichText, Role, Sense, Ui, WidgetInfo, pos2};

use super::axis_map::{OnScreen, TicksOnScreen};
use super::details::Selected;
use super::geometry::Geometry;
use super::hit::{Facts, Hit, extent_text, facts, hit, hit_frame_at};
use super::input::{KeyActions, Keys, key_actions};
use super::layout::{LaneContent, LaneSection, sections, seen};
use super::panel::{POLL, RangeChange, TimelineContext, TimelinePanel, TimelineResponse};
use super::range::Range;
use super::seek::{Seek, seek_to};
use crate::command::Place;
use crate::format::aerogpu::FrameIndex;

/// Marks nearer to the pointer than this are cleared instead of set beside.
const MARK_REACH_PX: f64 = 5.0;
/// Ends of ranges go to the begin of a frame that is nearer than this.
const SNAP_PX: f64 = 4.0;

/// A drag under way.
#[derive(Clone, Copy)]
pub(super) enum Drag {
    Range { axis: usize, from: f64 },
    Pan { axis: usize },
}

/// Where the pointer is, and what lies there.
#[derive(Clone, Copy)]
struct Pointed<'a> {
    at: Option<Pos2>,
    sections: &'a [LaneSection],
}

impl TimelinePanel {
    pub(super) fn input(
        &mut self,
        ui: &Ui,
        context: &TimelineContext,
        geometry: &Geometry,
        answer: &mut TimelineResponse,
    ) {
        let rect = geometry.ruler.union(geometry.tracks);
        let response = ui.interact(rect, ui.scope_id().with("timeline tracks"), Sense::click_and_drag());
        response.widget_info(|| WidgetInfo::labeled(Role::Canvas, true, "timeline"));
        let names = Rect::from_min_max(geometry.body.min, pos2(geometry.tracks.left(), geometry.body.bottom()));
        let names = ui.interact(names, ui.scope_id().with("timeline names"), Sense::click());
        names.widget_info(|| WidgetInfo::labeled(Role::List, true, "tracks"));
        let (sections, _) = sections(&self.lanes);
        self.click_names(&names, geometry, &sections);
        let pointer = response.hover_pos().or(response.interact_pointer_pos());
        let pointed = Pointed { at: pointer, sections: &sections };
        self.keys(ui, context.keys, geometry, pointed, answer);
        self.wheel(ui, geometry, pointed, &names);
        self.drags(&response, geometry, &sections, answer);
        self.clicks(&response, geometry, &sections, answer);
        self.tooltip(&response, geometry, &sections);
    }

    /// The section under a point of the body, and the point's distance from its top.
    fn section_at<'s>(
        &self,
        geometry: &Geometry,
        sections: &'s [LaneSection],
        at: Pos2,
    ) -> Option<(&'s LaneSection, f32)> {
        if !geometry.body.contains(at) {
            return None;
        }
        let y = f64::from(at.y - geometry.body.top()) + self.scroll_px;
        let section = seen(sections, y, y + 1e-3).first()?;
        Some((section, (y - section.top) as f32))
    }

    fn axis_at(&self, geometry: &Geometry, sections: &[LaneSection], at: Option<Pos2>) -> usize {
        let section = at.and_then(|at| self.section_at(geometry, sections, at));
        section.and_then(|(section, _)| self.lanes.get(section.lane)).map_or(0, |state| state.axis)
    }

    pub(super) fn screen(&self, geometry: &Geometry, axis: usize) -> Option<OnScreen> {
        Some(geometry.on_screen(self.axes.get(axis)?.view))
    }

    fn hit_at(&self, geometry: &Geometry, sections: &[LaneSection], at: Pos2) -> Option<Hit> {
        if geometry.frames.contains(at) || geometry.thumbnails.contains(at) {
            let state = self.lanes.first()?;
            let scale = TicksOnScreen::new(&state.axis_map, self.screen(geometry, state.axis)?);
            let target = hit_frame_at(state, &scale, f64::from(at.x))?;
            return Some(Hit { lane: 0, track: None, target });
        }
        let (section, y_px) = self.section_at(geometry, sections, at)?;
        let state = self.lanes.get(section.lane)?;
        let scale = TicksOnScreen::new(&state.axis_map, self.screen(geometry, state.axis)?);
        hit(state, section, &scale, f64::from(at.x), y_px)
    }

    fn click_names(&mut self, names: &Response, geometry: &Geometry, sections: &[LaneSection]) {
        if names.hovered() {
            names.ctx.set_cursor_icon(CursorIcon::PointingHand);
        }
        let Some(at) = names.interact_pointer_pos().filter(|_| names.clicked()) else { return };
        let Some((section, _)) = self.section_at(geometry, sections, at) else { return };
        let (what, lane) = (section.what, section.lane);
        let Some(state) = self.lanes.get_mut(lane) else { return };
        match what {
            LaneContent::Heading => state.is_open = !state.is_open,
            LaneContent::Track(id) => {
                if let Some(collapsed) = state.collapsed.get_mut(id.index()) {
                    *collapsed = !*collapsed;
                }
            }
            LaneContent::Ruler | LaneContent::Frames => {}
        }
    }

    fn keys(
        &mut self,
        ui: &Ui,
        listens_to: Keys,
        geometry: &Geometry,
        Pointed { at: pointer, sections }: Pointed<'_>,
        answer: &mut TimelineResponse,
    ) {
        answer.has_keys = match listens_to {
            Keys::Hovered => ui.rect_contains_pointer(ui.max_rect()),
            Keys::Always => true,
            Keys::Never => false,
        };
        if !answer.has_keys || ui.ctx().egui_wants_keyboard_input() {
            return;
        }
        let key_actions = key_actions(ui, self.range.is_some() || self.selected.is_some());
        if key_actions == KeyActions::default() {
            return;
        }
        ui.ctx().request_repaint();
        let axis = self.axis_at(geometry, sections, pointer);
        let around = match (self.screen(geometry, axis), pointer) {
            (Some(screen), Some(at)) => screen.place(f64::from(at.x)),
            (Some(screen), None) => (screen.view.begin + screen.view.end) * 0.5,
            (None, _) => return,
        };
        self.change_view(axis, |view| {
            let zoomed = view.zoomed(around, f64::from(key_actions.zoom).exp());
            zoomed.moved(f64::from(key_actions.pan) * zoomed.length())
        });
        if key_actions.fits {
            self.fit_selection();
        }
        if key_actions.marks && axis == 0 {
            self.toggle_mark(around, geometry);
            answer.has_new_marks = true;
        }
        if key_actions.finds {
            ui.ctx().memory_mut(|memory| memory.request_focus(Self::find_id()));
        }
        if key_actions.matches != 0 {
            self.next_match(key_actions.matches, geometry, answer);
        }
        if key_actions.clears {
            if self.range.is_some() {
                answer.range = Some(RangeChange::Cleared);
            }
            self.clear_selection();
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

    fn wheel(&mut self, ui: &Ui, geometry: &Geometry, pointed: Pointed<'_>, names: &Response) {
        let Pointed { at: pointer, sections } = pointed;
        let is_over = ui.rect_contains_pointer(geometry.ruler.union(geometry.body));
        if !is_over {
            return;
        }
        let (delta, pinch) = ui.input(|input| (input.smooth_scroll_delta(), input.zoom_delta()));
        self.scroll_px -= f64::from(delta.y);
        if names.contains_pointer() {
            return;
        }
        let axis = self.axis_at(geometry, sections, pointer);
        let (Some(screen), Some(at)) = (self.screen(geometry, axis), pointer) else { return };
        let around = screen.place(f64::from(at.x));
        let factor = 1.0 / f64::from(pinch);
        if factor != 1.0 || delta.x != 0.0 {
            self.change_view(axis, |view| {
                let zoomed = view.zoomed(around, factor);
                zoomed.moved(-f64::from(delta.x) / f64::from(screen.width) * zoomed.length())
            });
        }
    }

    fn drags(
        &mut self,
        response: &Response,
        geometry: &Geometry,
        sections: &[LaneSection],
        answer: &mut TimelineResponse,
    ) {
        if response.drag_started() {
            let origin = response.ctx.input(|input| input.pointer.press_origin());
            let axis = self.axis_at(geometry, sections, origin);
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
            range.count(&self.workers, &self.lanes);
            self.figures.forget_nodes();
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

    fn clicks(
        &mut self,
        response: &Response,
        geometry: &Geometry,
        sections: &[LaneSection],
        answer: &mut TimelineResponse,
    ) {
        let Some(at) = response.interact_pointer_pos().filter(|_| response.clicked() || response.double_clicked())
        else {
            return;
        };
        let Some(hit) = self.hit_at(geometry, sections, at) else {
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
        let frame = FrameIndex(self.axes.first()?.frame_index(place)? as u32);
        Some(Seek { place: Place::end_of(frame), record: None })
    }

    pub(super) fn select(&mut self, hit: Hit, answer: &mut TimelineResponse) {
        let (Some(state), Some(common)) = (self.lanes.get(hit.lane), self.axes.first()) else { return };
        let Some(facts) = facts(state, &hit) else { return };
        answer.seek = seek_to(state, common, &hit, &facts);
        answer.selected = Some(hit);
        self.selected = Some(Selected::new(state, hit, facts));
    }

    fn tooltip(&self, response: &Response, geometry: &Geometry, sections: &[LaneSection]) {
        let Some(at) = response.hover_pos().filter(|_| self.drag.is_none()) else { return };
        let Some((hit, facts)) = self.facts_at(geometry, sections, at) else { return };
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

    fn facts_at(&self, geometry: &Geometry, sections: &[LaneSection], at: Pos2) -> Option<(Hit, Facts)> {
        let hit = self.hit_at(geometry, sections, at)?;
        let facts = facts(self.lanes.get(hit.lane)?, &hit)?;
        Some((hit, facts))
    }
}
