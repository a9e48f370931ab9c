//! Draws what stands left of the tracks, and the headings of lanes.

use egui::{Align2, FontId, Painter, Pos2, Rect, Stroke, Ui, pos2, vec2};

use super::cell_mesh::{CellMesh, LABEL_SIZE};
use super::colours::Colours;
use super::geometry::Geometry;
use super::lane::{LaneAlignment, LaneState};
use super::layout::{HEADING_PX, LaneContent, LaneSection, ROW_PX, seen};
use super::panel::TimelinePanel;
use super::track_painter::{corner_of, name_of};
use crate::timeline::{TrackId, TrackKind};

impl TimelinePanel {
    pub(super) fn paint_names(&self, ui: &Ui, geometry: &Geometry, colours: &Colours, sections: &[LaneSection]) {
        let margin = Rect::from_min_max(geometry.body.min, pos2(geometry.tracks.left(), geometry.body.bottom()));
        let painter = ui.painter_at(geometry.body);
        let names = ui.painter_at(margin);
        names.rect_filled(margin, 0.0, colours.margin);
        let font = FontId::proportional(LABEL_SIZE + 0.5);
        let (from, until) = (self.scroll_px, self.scroll_px + f64::from(geometry.body.height()));
        for section in seen(sections, from, until) {
            let Some(state) = self.lanes.get(section.lane) else { continue };
            let top = geometry.body.top() + (section.top - self.scroll_px) as f32;
            if section.what == LaneContent::Heading {
                self.paint_heading(&painter, geometry, colours, state, top);
                continue;
            }
            names.hline(margin.x_range(), top + section.height - 1.0, Stroke::new(1.0, colours.line));
            let left = margin.left() + 8.0 + f32::from(section.indent.min(12)) * 10.0;
            if let LaneContent::Track(id) = section.what {
                let is_collapsed = state.collapsed.get(id.index()) == Some(&true);
                triangle(&names, pos2(left + 3.0, top + ROW_PX * 0.5), is_collapsed, colours);
            }
            let at = pos2(left + 11.0, top + 2.0);
            let colour = if matches!(section.what, LaneContent::Track(_)) { colours.text } else { colours.faint_text };
            names.text(at, Align2::LEFT_TOP, name_of(state, section.what), font.clone(), colour);
            if let LaneContent::Track(id) = section.what {
                counter_bounds(&names, state, id, pos2(margin.left() + 19.0, top + ROW_PX), colours);
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
        if matches!(state.lane.alignment, LaneAlignment::Unaligned(_)) {
            let font = FontId::proportional(LABEL_SIZE);
            let galley = painter.layout_no_wrap("unaligned".to_owned(), font, egui::Color32::WHITE);
            let badge = Rect::from_min_size(pos2(left, rect.top() + 3.0), galley.size() + vec2(10.0, 2.0));
            painter.rect_filled(badge, 3.0, colours.badge);
            painter.galley(badge.min + vec2(5.0, 1.0), galley, egui::Color32::WHITE);
            left = badge.right() + 8.0;
        }
        let font = FontId::proportional(LABEL_SIZE);
        let corner = painter.layout_no_wrap(corner_of(&state.lane.alignment), font, colours.faint_text);
        let x = (rect.right() - 6.0 - corner.size().x).max(left);
        painter.galley(pos2(x, rect.center().y - corner.size().y * 0.5), corner, colours.faint_text);
    }
}

fn triangle(painter: &Painter, at: Pos2, is_closed: bool, colours: &Colours) {
    let mut cells = CellMesh::new(painter, colours);
    let corners = match is_closed {
        true => [at + vec2(-2.5, -4.0), at + vec2(3.0, 0.0), at + vec2(-2.5, 4.0)],
        false => [at + vec2(-4.0, -2.5), at + vec2(4.0, -2.5), at + vec2(0.0, 3.0)],
    };
    cells.triangle(corners, colours.faint_text);
    cells.finish();
}

/// Between which values a counter is, below its name.
fn counter_bounds(painter: &Painter, state: &LaneState, id: TrackId, at: Pos2, colours: &Colours) {
    let lod = state.tracks.get(id.index()).and_then(Option::as_ref);
    let Some((least, greatest)) = lod.and_then(|lod| lod.samples.bounds()) else { return };
    let Some(TrackKind::Counter { unit }) = state.lane.timeline.track(id).map(|track| track.kind) else { return };
    if state.collapsed.get(id.index()) == Some(&true) {
        return;
    }
    // The unit is a plural, and either number may be one.
    let text = format!("{unit}: {} – {}", short_number(least), short_number(greatest));
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
