//! Draws the panel: header, sections, and what goes through all of them.

use std::collections::BTreeMap;

use egui::{Align2, FontId, Painter, Rect, Role, Sense, Stroke, Ui, WidgetInfo, pos2, vec2};

use super::cell_mesh::{CellMesh, LABEL_SIZE, LayoutBudget};
use super::colours::Colours;
use super::geometry::{Geometry, SCROLL_BAR_PX};
use super::hit::Target;
use super::lane::LaneState;
use super::layout::{LaneContent, LaneSection, ROW_PX, RULER_PX, seen};
use super::matches::partition;
use super::panel::{TimelineContext, TimelinePanel};
use super::seek::place_of_draw;
use super::track_painter::TrackPainter;
use crate::command::Point;
use crate::timeline::lod::{Extents, SpanExtents};
use crate::timeline::{TrackId, TrackKind};

impl TimelinePanel {
    pub(super) fn paint(
        &mut self,
        ui: &Ui,
        context: &TimelineContext,
        geometry: &Geometry,
        colours: &Colours,
        sections: &[LaneSection],
    ) {
        let whole = ui.painter_at(geometry.ruler.union(geometry.body).union(geometry.bar));
        whole.rect_filled(geometry.body, 0.0, colours.ground);
        let budget = std::mem::take(&mut self.labels).renewed();
        self.paint_header(ui, context, geometry, colours, &budget);
        let tracks = ui.painter_at(geometry.tracks);
        let tracks_painter = TrackPainter {
            painter: &tracks,
            colours,
            is_dimmed: self.find.is_active(),
            budget: &budget,
            frame_budget: self.budget,
        };
        let (from, until) = (self.scroll_px, self.scroll_px + f64::from(geometry.body.height()));
        let mut tops: BTreeMap<(usize, TrackId), f32> = BTreeMap::new();
        for section in seen(sections, from, until) {
            let Some(state) = self.lanes.get(section.lane) else { continue };
            let Some(axis) = self.axes.get(state.axis) else { continue };
            let top = geometry.body.top() + (section.top - self.scroll_px) as f32;
            let screen = geometry.on_screen(axis.view);
            if let LaneContent::Track(id) = section.what {
                tops.insert((section.lane, id), top);
            }
            let found = match section.what {
                LaneContent::Track(id) => self.find.on_track(section.lane, id),
                _ => None,
            };
            match section.what {
                LaneContent::Heading => {}
                LaneContent::Ruler => tracks_painter.ruler(axis, screen, top, RULER_PX),
                _ => tracks_painter.section(state, section, top, screen, found),
            }
            let line = top + section.height - 1.0;
            tracks.hline(geometry.tracks.x_range(), line, Stroke::new(1.0, colours.line));
        }
        self.paint_across(&tracks, &tracks_painter, geometry, sections, &tops);
        self.paint_marks(&whole, context, geometry, colours, self.axis_band(0, geometry, sections).1);
        self.paint_names(ui, geometry, colours, sections);
        if budget.is_used_up() {
            ui.ctx().request_repaint();
        }
        self.labels = budget;
    }

    fn paint_header(
        &self,
        ui: &Ui,
        context: &TimelineContext,
        geometry: &Geometry,
        colours: &Colours,
        budget: &LayoutBudget,
    ) {
        let header = geometry.ruler.union(geometry.frames);
        let all = Rect::from_min_max(pos2(geometry.body.left(), header.top()), header.max);
        let painter = ui.painter_at(all);
        painter.rect_filled(all, 0.0, colours.margin);
        let (Some(axis), Some(state)) = (self.axes.first(), self.lanes.first()) else { return };
        let screen = geometry.on_screen(axis.view);
        let clipped = ui.painter_at(header);
        let tracks_painter =
            TrackPainter { painter: &clipped, colours, is_dimmed: false, budget, frame_budget: self.budget };
        tracks_painter.ruler(axis, screen, geometry.ruler.top(), RULER_PX);
        if geometry.frames.height() > 0.0 {
            let frames = ui.painter_at(geometry.frames);
            let tracks_painter =
                TrackPainter { painter: &frames, colours, is_dimmed: false, budget, frame_budget: self.budget };
            let section = LaneSection { lane: 0, what: LaneContent::Frames, top: 0.0, height: ROW_PX, indent: 0 };
            tracks_painter.section(state, &section, geometry.frames.top() + 1.0, screen, None);
            let at = pos2(geometry.body.left() + 6.0, geometry.frames.top() + 3.0);
            painter.text(at, Align2::LEFT_TOP, "frames", FontId::proportional(LABEL_SIZE), colours.faint_text);
            if let Some((left, right)) = context.place.and_then(|place| self.frame_px(place.frame.as_usize())) {
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
        tracks_painter: &TrackPainter<'_>,
        geometry: &Geometry,
        sections: &[LaneSection],
        tops: &BTreeMap<(usize, TrackId), f32>,
    ) {
        for (index, axis) in self.axes.iter().enumerate() {
            let screen = geometry.on_screen(axis.view);
            let (top, bottom) = self.axis_band(index, geometry, sections);
            if index == 0 {
                tracks_painter.frame_lines(axis, screen, top, bottom);
            }
            if let Some(range) = self.range.as_ref().filter(|range| range.axis == index) {
                let (left, right) = (screen.x(range.begin), screen.x(range.end));
                let band = Rect::from_min_max(pos2(left, top), pos2(right.max(left + 1.0), bottom));
                painter.rect_filled(band, 0.0, tracks_painter.colours.selection);
                for x in [left, right] {
                    painter.vline(x, top..=bottom, Stroke::new(1.0, tracks_painter.colours.mark));
                }
            }
        }
        for (lane, state) in self.lanes.iter().enumerate() {
            let Some(axis) = self.axes.get(state.axis) else { continue };
            let tops: BTreeMap<TrackId, f32> =
                tops.iter().filter(|((of, _), _)| *of == lane).map(|((_, id), top)| (*id, *top)).collect();
            if !tracks_painter.flows(state, geometry.on_screen(axis.view), &tops) {
                let at = geometry.tracks.right_top() + vec2(-6.0, 4.0);
                let text = "too many flows to show: zoom in";
                painter.text(
                    at,
                    Align2::RIGHT_TOP,
                    text,
                    FontId::proportional(LABEL_SIZE),
                    tracks_painter.colours.flow,
                );
            }
        }
        self.outline_selected(painter, tracks_painter, geometry, tops);
    }

    /// Top and bottom of the lanes on an axis.
    fn axis_band(&self, axis: usize, geometry: &Geometry, sections: &[LaneSection]) -> (f32, f32) {
        let of_axis = || sections.iter().filter(|section| self.lanes.get(section.lane).is_some_and(|s| s.axis == axis));
        let y = |place: f64| {
            let y = place - self.scroll_px;
            geometry.body.top() + y.clamp(0.0, f64::from(geometry.body.height())) as f32
        };
        let top = of_axis().next().map_or(0.0, |section| section.top);
        let bottom = of_axis().next_back().map_or(0.0, |section| section.top + f64::from(section.height));
        (y(top), y(bottom))
    }

    fn outline_selected(
        &self,
        painter: &Painter,
        tracks_painter: &TrackPainter<'_>,
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
            Target::Span(index) => (parts.spans.unwrap_or(0.0) + ROW_PX * row_of(state, id, index) as f32, ROW_PX),
            Target::Instant(_) => (parts.instants.unwrap_or(0.0), super::layout::INSTANTS_PX),
            Target::Step(_) => (parts.steps.unwrap_or(0.0), ROW_PX),
            Target::Sample(_) => (parts.graph.unwrap_or(0.0), super::layout::GRAPH_PX),
            Target::Frame(_) | Target::Many { .. } => return,
        };
        let (left, right) = (screen.x(begin), screen.x(end));
        let (left, right) = if right - left < 3.0 { (left - 3.0, left + 3.0) } else { (left, right) };
        let rect = Rect::from_min_max(pos2(left, top + offset), pos2(right, top + offset + height - 1.0));
        painter.rect_stroke(rect, 1.0, Stroke::new(1.5, tracks_painter.colours.outline), egui::StrokeKind::Inside);
    }

    fn paint_marks(
        &mut self,
        painter: &Painter,
        context: &TimelineContext,
        geometry: &Geometry,
        colours: &Colours,
        bottom: f32,
    ) {
        let playhead = self.playhead_place(context);
        let Some(axis) = self.axes.first() else { return };
        let screen = geometry.on_screen(axis.view);
        let is_seen = |place: f64| (axis.view.begin..=axis.view.end).contains(&place);
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
            let mut cells = CellMesh::new(painter, colours);
            cells.rect(
                Rect::from_min_max(pos2(x - 0.75, geometry.ruler.bottom() - 4.0), pos2(x + 0.75, bottom)),
                colours.playhead,
            );
            let y = geometry.ruler.bottom();
            cells.triangle([pos2(x - 5.0, y - 8.0), pos2(x + 5.0, y - 8.0), pos2(x, y)], colours.playhead);
            cells.finish();
        }
    }

    /// Where the player stands; searched for once.
    fn playhead_place(&mut self, context: &TimelineContext) -> Option<f64> {
        let shown = context.place?;
        if let Some((known, place)) = self.playhead
            && known == shown
        {
            return place;
        }
        let (axis, state) = (self.axes.first()?, self.lanes.first()?);
        let frame = shown.frame.as_usize();
        let begin = axis.frames.get(frame).copied();
        let place = match shown.point {
            Point::Draw(draw) => place_of_draw(state, axis, frame, draw).or(begin),
            Point::Start | Point::Packet(_) | Point::End => begin,
        };
        self.playhead = Some((shown, place));
        place
    }

    pub(super) fn scroll_bar(&mut self, ui: &Ui, geometry: &Geometry, colours: &Colours, height: f64) {
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

/// The row of a span: by depth, or by search where spans overlap freely.
fn row_of(state: &LaneState, id: TrackId, index: u32) -> usize {
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
