//! The bar at the top: the current place, and buttons that change it.

use egui::{Button, DragValue, RichText, Ui};

use super::action::{Action, Navigation};
use super::available_size::AvailableSize;
use crate::command::{Place, Point};
use crate::format::aerogpu::FrameIndex;

/// What the bar shows.
pub(super) struct Position {
    pub place: Place,
    pub frame_count: u32,
    /// If it is known yet.
    pub draw_count: Option<u32>,
    /// The draw that the place ends with.
    pub last_draw: Option<u32>,
    pub is_playing: bool,
    /// Frames indexed so far, while the index is being made.
    pub indexing: Option<usize>,
    pub errors: usize,
    pub warnings: usize,
}

/// Draws the bar.
pub(super) fn ui(ui: &mut Ui, position: &Position, actions: &mut Vec<Action>) {
    let room = AvailableSize::of(ui);
    ui.horizontal(|ui| {
        let mut button = |ui: &mut Ui, text: &str, hint: &str, action: Action| {
            if ui.add(Button::new(text).frame(false)).on_hover_text(hint).clicked() {
                actions.push(action);
            }
        };
        button(ui, "Open…", "Ctrl O; or drop a file on the window", Action::ShowOpenDialog);
        // Their keys do in a narrow window.
        if !room.is_narrow() {
            button(ui, "Save picture", "s", Action::Save);
            button(ui, "Copy command", "y: the command line for this view", Action::CopyCommandLine);
        }
        ui.separator();
        button(ui, "⏮", "Home: first frame", Action::Navigate(Navigation::FirstFrame));
        button(ui, "◀", "⬅: previous frame", Action::Navigate(Navigation::PreviousFrame));
        let (play, hint) = if position.is_playing { ("⏸", "Space: pause") } else { ("▶▶", "Space: play") };
        button(ui, play, hint, Action::TogglePlay);
        button(ui, "▶", "➡: next frame", Action::Navigate(Navigation::NextFrame));
        button(ui, "⏭", "End: last frame", Action::Navigate(Navigation::LastFrame));
        frame_ui(ui, position, actions);
        ui.separator();
        draw_ui(ui, position, room, actions);
        if let Some(frames) = position.indexing {
            ui.separator();
            ui.spinner();
            ui.weak(format!("indexing: frame {frames} of {}", position.frame_count));
            if ui.small_button("✖").on_hover_text("cancel indexing: the trace can then only be played").clicked() {
                actions.push(Action::CancelIndex);
            }
        }
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            if ui.add(Button::new("?").frame(false)).on_hover_text("?: all keys").clicked() {
                actions.push(Action::ToggleHelp);
            }
            problems_ui(ui, position, actions);
        });
    });
}

fn frame_ui(ui: &mut Ui, position: &Position, actions: &mut Vec<Action>) {
    ui.label("frame");
    let mut frame = position.place.frame.0;
    let last = position.frame_count.saturating_sub(1);
    if ui.add(DragValue::new(&mut frame).range(0..=last).speed(0.25)).on_hover_text("drag, or click to type").changed()
    {
        actions.push(Action::frame(frame));
    }
    ui.weak(format!("≤ {last}"));
}

fn draw_ui(ui: &mut Ui, position: &Position, room: AvailableSize, actions: &mut Vec<Action>) {
    ui.label("draw");
    let Some(count) = position.draw_count else {
        ui.weak("…");
        return;
    };
    if count == 0 {
        ui.weak("none");
        return;
    }
    let FrameIndex(frame) = position.place.frame;
    let mut draw = match position.place.point {
        Point::Draw(draw) => draw,
        Point::End => count - 1,
        Point::Start | Point::Packet(_) => position.last_draw.unwrap_or(0),
    };
    let last = count - 1;
    let changed = if room.is_very_narrow() {
        ui.add(DragValue::new(&mut draw).range(0..=last).speed(0.25))
    } else {
        ui.spacing_mut().slider_width = if room.is_narrow() { 60.0 } else { 160.0 };
        ui.add(egui::Slider::new(&mut draw, 0..=last).integer())
    };
    if changed.on_hover_text("⬆ ⬇: draw by draw").changed() {
        let place = Place::at_draw(FrameIndex(frame), draw);
        actions.push(Action::GoTo(place));
    }
    ui.weak(format!("≤ {last}"));
    if room.is_very_narrow() {
        return;
    }
    let is_at_end = position.place.point == Point::End;
    if ui.add_enabled(!is_at_end, Button::new("whole frame").frame(false)).clicked() {
        actions.push(Action::frame(frame));
    }
}

fn problems_ui(ui: &mut Ui, position: &Position, actions: &mut Vec<Action>) {
    let (errors, warnings) = (position.errors, position.warnings);
    let text = match (errors, warnings) {
        (0, 0) => return,
        (0, warnings) => RichText::new(format!("⚠ {warnings}")).color(ui.visuals().warn_fg_color),
        (errors, 0) => RichText::new(format!("⛔ {errors}")).color(ui.visuals().error_fg_color),
        (errors, warnings) => RichText::new(format!("⛔ {errors}  ⚠ {warnings}")).color(ui.visuals().error_fg_color),
    };
    if ui.add(Button::new(text).frame(false)).on_hover_text("errors and warnings").clicked() {
        actions.push(Action::ShowTab(super::tabs::PROBLEMS));
    }
}
