//! What each draw of a frame costs, replayed here: a lane of them in order, and the costliest.

use std::sync::Arc;

use egui::{Rect, Sense, Ui, pos2, vec2};

use super::TabContext;
use crate::command::{Place, Point};
use crate::inspector::action::Action;
use crate::inspector::dimming::{answer_ui, known_ui};
use crate::inspector::draw_costs::{TimedFrame, heat, in_units};
use crate::inspector::question::Answer;
use crate::text::counted;

const LANE_HEIGHT: f32 = 22.0;
/// Draws that are listed, the costliest first.
const LISTED: usize = 12;

/// The button that has them timed, and what has come of it.
pub(super) fn draw_costs_ui(ui: &mut Ui, context: &mut TabContext<'_>) {
    let (frame, document) = (context.place.frame, context.document);
    ui.strong("GPU time of each draw in this replay");
    let text = if context.shared.costs.has_asked(frame) { "again" } else { "measure" };
    let hint = "replays the frame several times and reads the GPU's clock before and after each draw";
    if ui.button(text).on_hover_text(hint).clicked() {
        context.shared.costs.measure(document, frame);
    }
    if !context.shared.costs.has_asked(frame) {
        return;
    }
    let answer = context.shared.costs.get(document);
    let Some(known) = known_ui(ui, answer).map(Answer::cloned) else { return };
    answer_ui(ui, &known, |ui| match &known.value {
        None => {
            ui.weak("this device has no timestamp queries");
        }
        Some(timed) if timed.times.by_packet.is_empty() => {
            ui.weak("this frame has no draws");
        }
        Some(timed) => {
            summary_ui(ui, timed);
            lane_ui(ui, timed, context.actions);
            list_ui(ui, timed, context.actions);
        }
    });
}

fn summary_ui(ui: &mut Ui, timed: &TimedFrame) {
    let times = &timed.times;
    let runs = if times.runs == 1 { "1 run".to_owned() } else { format!("median of {}", counted(times.runs, "run")) };
    let [sum, timed_whole, untimed] = [times.sum_nanos(), times.timed_nanos, times.untimed_nanos].map(in_units);
    ui.label(format!("draws {sum}, frame {timed_whole}; {untimed} without timing ({runs})"));
    if !times.are_reliable() {
        let text = "Not reliable: timing each draw changes the frame's duration by more than a fifth.";
        let hint = "a timed draw waits for the previous draw, and drivers on the CPU run each draw alone";
        ui.colored_label(ui.visuals().warn_fg_color, text).on_hover_text(hint);
    }
}

/// The place after a draw, or after the packet of something else.
fn place_of(timed: &TimedFrame, packet: u32) -> Place {
    let point = timed.draw_of_packet(packet).map_or(Point::Packet(packet), Point::Draw);
    Place { frame: timed.times.frame, point }
}

fn name_of(timed: &TimedFrame, packet: u32) -> String {
    match timed.draw_of_packet(packet) {
        Some(draw) => format!("draw {draw}"),
        None => format!("packet {packet}"),
    }
}

/// Draws from left to right, each as wide as it is long.
fn lane_ui(ui: &mut Ui, timed: &Arc<TimedFrame>, actions: &mut Vec<Action>) {
    let sum = timed.times.sum_nanos().max(1);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), LANE_HEIGHT), Sense::click());
    let painter = ui.painter_at(rect);
    painter.rect_filled(rect, 2.0, ui.visuals().extreme_bg_color);
    let most = timed.most_nanos().max(1);
    let x = |nanos: u64| rect.left() + rect.width() * (nanos as f64 / sum as f64) as f32;
    let pointer = response.hover_pos();
    let (mut begin, mut pointed) = (0u64, None);
    for (packet, nanos) in &timed.times.by_packet {
        let end = begin.saturating_add(*nanos);
        let place = Rect::from_min_max(pos2(x(begin), rect.top()), pos2(x(end), rect.bottom()));
        let is_pointed = pointer.is_some_and(|pointer| (place.left()..place.right()).contains(&pointer.x));
        if is_pointed {
            pointed = Some((*packet, *nanos));
        }
        let fill = if is_pointed { ui.visuals().selection.bg_fill } else { heat(*nanos as f32 / most as f32) };
        // Next to each other they can be told apart, as long as there is room for a line.
        let gap = if place.width() > 3.0 { 1.0 } else { 0.0 };
        painter.rect_filled(place.with_max_x(place.right() - gap), 0.0, fill);
        begin = end;
    }
    if let Some((packet, nanos)) = pointed {
        let text =
            format!("{}: {} of {}, {}", name_of(timed, packet), in_units(nanos), in_units(sum), share(nanos, sum));
        let response = response.on_hover_text_at_pointer(text);
        if response.clicked() {
            actions.push(Action::GoTo(place_of(timed, packet)));
        }
    }
}

fn list_ui(ui: &mut Ui, timed: &TimedFrame, actions: &mut Vec<Action>) {
    let sum = timed.times.sum_nanos().max(1);
    let mut costliest: Vec<_> = timed.times.by_packet.iter().map(|(packet, nanos)| (*packet, *nanos)).collect();
    costliest.sort_by_key(|(packet, nanos)| (std::cmp::Reverse(*nanos), *packet));
    egui::Grid::new("costliest draws").num_columns(3).spacing([16.0, 2.0]).show(ui, |ui| {
        for (packet, nanos) in costliest.iter().take(LISTED) {
            if ui.link(name_of(timed, *packet)).on_hover_text("go to this place").clicked() {
                actions.push(Action::GoTo(place_of(timed, *packet)));
            }
            ui.monospace(in_units(*nanos));
            ui.monospace(share(*nanos, sum));
            ui.end_row();
        }
    });
}

fn share(nanos: u64, sum: u64) -> String {
    format!("{:.1} %", nanos as f64 / sum as f64 * 100.0)
}
