//! Which panel lies where.

use egui::{CentralPanel, Frame, Label, Panel, RichText, ScrollArea, Ui};

use super::action::{Action, Tab};
use super::available_size::{AvailableSize, tab_area_ui};
use super::compare::Around;
use super::dimming::opacity;
use super::overlay::legend_ui;
use super::picture::{AlphaView, Grid, MARGIN};
use super::player_worker::{GpuState, Place};
use super::problems::Severity;
use super::timeline::{TimelineContext, TimelinePanel};
use super::toolbar::Position;
use super::worker::Answer;
use super::{Inspector, Panels, help, state, toolbar};
use crate::format::aerogpu::FrameIndex;
use crate::player::Until;

/// What the timeline shows: it stays until the next one is there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum TimelineOf {
    #[default]
    ThisTrace,
    /// The trace as it was before it was read again.
    SameTraceBefore,
    AnotherTrace,
}

impl Inspector {
    /// Draws the panels.
    pub(super) fn layout(&mut self, ui: &mut Ui, actions: &mut Vec<Action>) {
        self.set_theme(ui);
        if self.panels == Panels::Shown {
            let room = AvailableSize::of(ui);
            Panel::top("toolbar").show(ui, |ui| toolbar::ui(ui, &self.position(), actions));
            if !room.is_low() {
                self.strip_ui(ui, actions);
            }
            Panel::bottom("status").show(ui, |ui| self.status_ui(ui));
            self.timeline_ui(ui, room, actions);
            // A panel's size is known by its name: a small window's is not that of a large one.
            let is_narrow = room.is_narrow();
            let events = Panel::left(("events", is_narrow)).default_size(self.sizes.events_width);
            let events = events.max_size(room.widest(700.0)).show(ui, |ui| {
                self.events.ui(ui, &self.document, self.place, actions);
            });
            let tabs = Panel::right(("tabs", is_narrow)).default_size(self.sizes.tabs_width);
            let tabs = tabs.max_size(room.widest(900.0)).show(ui, |ui| self.tabs_ui(ui, room, actions));
            if !is_narrow {
                self.sizes.events_width = events.response.rect.width();
                self.sizes.tabs_width = tabs.response.rect.width();
            }
            Panel::top("picture settings").show(ui, |ui| {
                if is_narrow || room.is_low() {
                    let row = ScrollArea::horizontal().id_salt("picture settings");
                    row.show(ui, |ui| ui.horizontal(|ui| self.picture_settings_ui(ui, actions)));
                } else {
                    ui.horizontal_wrapped(|ui| self.picture_settings_ui(ui, actions));
                }
            });
        }
        CentralPanel::no_frame().frame(Frame::NONE.fill(MARGIN)).show(ui, |ui| self.picture_ui(ui, actions));
        if self.has_help {
            help::ui(ui);
        }
        if let Some(mut dialog) = self.dialog.take()
            && dialog.ui(ui, &self.preferences.recent, actions)
        {
            self.dialog = Some(dialog);
        }
        self.unsaved_ui(ui);
    }

    fn set_theme(&self, ui: &Ui) {
        let theme = if self.preferences.is_light { egui::Theme::Light } else { egui::Theme::Dark };
        ui.ctx().set_theme(theme);
    }

    fn position(&self) -> Position {
        let (errors, warnings) = self.problems.counts();
        Position {
            place: self.place,
            frame_count: self.document.frame_count(),
            draw_count: self.document.draw_count(self.place.frame),
            last_draw: self.document.last_draw(self.place.frame, self.place.until),
            is_playing: self.playback.is_playing(),
            indexing: self.document.index_progress(),
            errors,
            warnings,
        }
    }

    fn strip_ui(&mut self, ui: &mut Ui, actions: &mut Vec<Action>) {
        let size = self.document.open.size;
        let aspect = size.width_px as f32 / size.height_px.max(1) as f32;
        let frames = (self.document.frame_count(), self.place.frame.0);
        Panel::top("strip")
            .show(ui, |ui| self.thumbnails.ui(ui, &self.document.player_worker, frames, aspect, actions));
    }

    fn timeline_ui(&mut self, ui: &mut Ui, room: AvailableSize, actions: &mut Vec<Action>) {
        if let Some(lanes) = self.document.take_lanes() {
            for problem in &lanes.problems {
                self.problems.add(Severity::Warning, problem, None);
            }
            let mut timeline = TimelinePanel::new(lanes.lanes);
            if self.timeline_is_of == TimelineOf::SameTraceBefore
                && let Some(before) = &self.timeline
            {
                timeline.set_filter(before.filter());
            }
            (self.timeline, self.timeline_is_of) = (Some(timeline), TimelineOf::ThisTrace);
        }
        let context = TimelineContext {
            frame: Some(self.place.frame.as_usize()),
            draw: match self.place.until {
                Until::AfterDraw(draw) => Some(draw),
                _ => None,
            },
            ..Default::default()
        };
        let panel = Panel::bottom(("timeline", room.is_low())).resizable(true);
        let panel = panel.default_size(self.sizes.timeline_height).max_size(room.highest(700.0));
        let shown = panel.show(ui, |ui| match &mut self.timeline {
            Some(timeline) => {
                let is_old = self.timeline_is_of != TimelineOf::ThisTrace;
                ui.multiply_opacity(opacity(ui, ui.scope_id().with("old"), is_old));
                let response = timeline.ui(ui, &context);
                if let Some(seek) = response.seek {
                    let frame = FrameIndex(seek.frame as u32);
                    actions.push(match (seek.draw, seek.record) {
                        (Some(draw), _) => Action::GoTo(Place { frame, until: Until::AfterDraw(draw) }),
                        (None, Some(record)) => Action::GoToOffset(record.0),
                        (None, None) => Action::GoTo(Place { frame, until: Until::EndOfFrame }),
                    });
                }
            }
            None => {
                ui.weak("reading …");
                // The room stays what it will be.
                ui.allocate_space(ui.available_size());
            }
        });
        if !room.is_low() {
            self.sizes.timeline_height = shown.response.rect.height();
        }
        let pointer = ui.input(|input| input.pointer.hover_pos());
        self.timeline_has_pointer = pointer.is_some_and(|pointer| shown.response.rect.contains(pointer));
    }

    fn tabs_ui(&mut self, ui: &mut Ui, room: AvailableSize, actions: &mut Vec<Action>) {
        if room.is_narrow() || room.is_low() {
            let chosen =
                egui::ComboBox::from_id_salt("tab in front").width(ui.available_width()).selected_text(self.tab.name());
            chosen.show_ui(ui, |ui| self.tab_names_ui(ui, actions));
        } else {
            ui.horizontal_wrapped(|ui| self.tab_names_ui(ui, actions));
        }
        ui.separator();
        tab_area_ui(ui, |ui| self.tab_ui(ui, actions));
    }

    fn tab_names_ui(&self, ui: &mut Ui, actions: &mut Vec<Action>) {
        for tab in Tab::ALL {
            if ui.selectable_label(self.tab == tab, tab.name()).clicked() {
                actions.push(Action::ShowTab(tab));
            }
        }
    }

    fn tab_ui(&mut self, ui: &mut Ui, actions: &mut Vec<Action>) {
        match self.tab {
            Tab::State | Tab::Resources => {
                let moment = self.document.moment(self.place.frame, self.place.until);
                let state = self.state.at(&self.document, moment);
                if self.tab == Tab::State {
                    state::ui(ui, state, actions);
                } else {
                    let state = state.and_then(|Answer { value, is_old }| {
                        let value = value.as_ref().ok()?;
                        Some(Answer { value, is_old })
                    });
                    self.resources.ui(ui, &self.document, state, actions);
                }
            }
            Tab::Shaders => {
                let moment = self.document.moment(self.place.frame, self.place.until);
                self.shaders.ui(ui, &self.document, moment, actions);
            }
            Tab::Mesh => {
                let moment = self.document.moment(self.place.frame, self.place.until);
                self.mesh.ui(ui, &self.document, moment);
            }
            Tab::Pixel => {
                self.pixel.ui(ui, &self.document, self.place, self.picture_panel.selected, actions);
            }
            Tab::Problems => self.problems.ui(ui, actions),
            Tab::Notes => {
                ScrollArea::vertical().auto_shrink(false).show(ui, |ui| self.notes_ui(ui, actions));
            }
        }
    }

    fn picture_settings_ui(&mut self, ui: &mut Ui, actions: &mut Vec<Action>) {
        let panel = &mut self.picture_panel;
        for (name, is_shown) in
            [("R", &mut panel.channels.red), ("G", &mut panel.channels.green), ("B", &mut panel.channels.blue)]
        {
            ui.toggle_value(is_shown, name).on_hover_text("show this channel; one alone is grey");
        }
        ui.separator();
        ui.label("alpha");
        let views =
            [(AlphaView::Ignored, "ignored"), (AlphaView::Checkerboard, "checker"), (AlphaView::Alone, "alone")];
        for (view, name) in views {
            ui.selectable_value(&mut panel.alpha, view, name);
        }
        let has_grid = panel.grid == Grid::WhenLarge;
        if ui.selectable_label(has_grid, "grid").on_hover_text("g: lines between enlarged pixels").clicked() {
            panel.toggle_grid();
        }
        ui.separator();
        ui.label("overlay");
        self.overlay.ui(ui, self.place, actions);
        ui.separator();
        ui.label("compare with");
        self.compare.ui(ui, actions);
    }

    fn picture_ui(&mut self, ui: &mut Ui, actions: &mut Vec<Action>) {
        // What surrounds the picture is dark in both themes.
        ui.visuals_mut().override_text_color = Some(egui::Color32::from_gray(210));
        let Some(own) = self.picture.clone() else {
            self.no_picture_ui(ui);
            return;
        };
        let mut picture = own.clone();
        let mut is_old = self.asked.is_some();
        if !self.compare.is_on()
            && let Some(looked) = self.overlay.show(&self.document, self.place)
        {
            is_old |= looked.is_old;
            match looked.value {
                Ok(looked) => {
                    legend_ui(ui, &looked.legend);
                    picture = looked.picture;
                }
                Err(trouble) => self.say(trouble.message),
            }
        }
        if self.compare.is_on() {
            let around =
                Around { document: &self.document, services: &self.services, choice: &self.choice, wake: &self.wake };
            let compared = self.compare.show(&own, self.place, &around);
            self.message = Some((compared.verdict, std::time::Instant::now()));
            picture = compared.picture.unwrap_or(own);
        }
        self.picture_panel.ui(ui, &picture, is_old, actions);
    }

    fn no_picture_ui(&self, ui: &mut Ui) {
        let text = match &self.shown {
            Some(shown) => match &shown.picture {
                Err(trouble) => trouble.message.clone(),
                Ok(_) => String::new(),
            },
            None if self.document.index_progress().is_some() => "making the index …".to_owned(),
            None => self.waiting_for().unwrap_or_else(|| "drawing …".to_owned()),
        };
        ui.centered_and_justified(|ui| ui.weak(text));
    }

    fn status_ui(&mut self, ui: &mut Ui) {
        let room = AvailableSize::of(ui);
        ui.horizontal(|ui| {
            let size = self.document.open.size;
            ui.monospace(format!("{size}"));
            ui.separator();
            ui.monospace(self.pixel_text(room));
            ui.separator();
            if let Some(waiting) = self.waiting_for() {
                ui.add(Label::new(waiting).truncate());
            } else if self.keyboard.goes_nowhere() {
                let hint = "the field is not there: a click or Esc gives the keyboard back";
                ui.add(Label::new(hint).truncate());
            }
            if let Some((message, _)) = &self.message {
                ui.add(Label::new(message).truncate());
            }
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                // A narrow window has its title for that.
                let is_shown = |state: &&GpuState| !room.is_narrow() || state.adapter.is_err();
                if let Some(state) = self.document.gpu.get().filter(is_shown) {
                    match &state.adapter {
                        Ok(adapter) => {
                            let objects = state.objects.map_or(String::new(), |objects| objects.to_string());
                            ui.weak(adapter.to_string()).on_hover_text(objects)
                        }
                        Err(trouble) => {
                            let text = RichText::new(&trouble.message).color(ui.visuals().error_fg_color);
                            ui.add(Label::new(text).truncate())
                        }
                    };
                }
            });
        });
    }

    /// The pixel under the pointer: place, bytes, and the numbers that a shader would have written; as much of it as
    /// leaves room for messages.
    fn pixel_text(&self, room: AvailableSize) -> String {
        let pixel = self.picture_panel.hovered.or(self.picture_panel.selected);
        let (Some([x, y]), Some(picture)) = (pixel, &self.picture) else { return "–".to_owned() };
        let Some([r, g, b, a]) = picture.pixel(x, y) else { return "–".to_owned() };
        if room.is_narrow() {
            return format!("{x},{y}  #{r:02x}{g:02x}{b:02x}{a:02x}");
        }
        let float = |value: u8| f32::from(value) / 255.0;
        format!(
            "{x},{y}  #{r:02x}{g:02x}{b:02x}{a:02x}  {r} {g} {b} {a}  {:.3} {:.3} {:.3} {:.3}",
            float(r),
            float(g),
            float(b),
            float(a)
        )
    }
}
