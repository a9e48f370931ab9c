//! Which panel lies where.

use egui::{CentralPanel, Color32, Context, Frame, Label, Panel, RichText, ScrollArea, Theme, Ui};

use super::action::Action;
use super::available_size::AvailableSize;
use super::events::BesideDraws;
use super::overlay::legend_ui;
use super::picture::{AlphaView, Grid, MARGIN, ShownPicture};
use super::player_worker::GpuState;
use super::question::DependsOn;
use super::session::Session;
use super::tabs::TabContext;
use super::timeline::Keys;
use super::toolbar::Position;
use super::{Inspector, Panels, help, toolbar};

impl Inspector {
    /// Draws the panels.
    pub(super) fn layout(&mut self, ui: &mut Ui, actions: &mut Vec<Action>) {
        set_theme(ui.ctx(), self.preferences.is_light);
        if self.panels == Panels::Shown {
            let available = AvailableSize::of(ui);
            Panel::top("toolbar").show(ui, |ui| toolbar::ui(ui, &self.position(), actions));
            if !available.is_low() {
                self.thumbnails_ui(ui, actions);
            }
            Panel::bottom("status").show(ui, |ui| self.status_ui(ui));
            self.timeline_ui(ui, available, actions);
            // A panel's size is known by its name: a small window's is not that of a large one.
            let is_narrow = available.is_narrow();
            let events = Panel::left(("events", is_narrow)).default_size(self.sizes.events_width);
            let events = events.max_size(available.widest(700.0)).show(ui, |ui| {
                let Session { document, place, events, thumbnails, shared, .. } = &mut self.session;
                let timed = shared.costs.of_frame(document, place.frame);
                events.ui(ui, document, BesideDraws { thumbnails, timed }, *place, actions);
            });
            let tabs = Panel::right(("tabs", is_narrow)).default_size(self.sizes.tabs_width);
            let tabs = tabs.max_size(available.widest(900.0)).show(ui, |ui| self.tabs_ui(ui, available, actions));
            if !is_narrow {
                self.sizes.events_width = events.response.rect.width();
                self.sizes.tabs_width = tabs.response.rect.width();
            }
            Panel::top("picture settings").show(ui, |ui| {
                if is_narrow || available.is_low() {
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
        self.chooser.ui(ui, &self.preferences.recent, actions);
        self.unsaved_ui(ui);
    }

    fn position(&self) -> Position {
        let Session { document, place, shared, .. } = &self.session;
        let (errors, warnings) = shared.problems.counts();
        Position {
            place: *place,
            frame_count: document.frame_count(),
            draw_count: document.draw_count(place.frame),
            last_draw: document.last_draw(*place),
            is_playing: self.playback.is_playing(),
            indexing: document.index_progress(),
            errors,
            warnings,
        }
    }

    fn thumbnails_ui(&mut self, ui: &mut Ui, actions: &mut Vec<Action>) {
        let Session { document, place, thumbnails, shared, .. } = &mut self.session;
        let timed = shared.costs.of_frame(document, place.frame);
        Panel::top("thumbnails").show(ui, |ui| thumbnails.ui(ui, (document, timed), *place, actions));
    }

    fn timeline_ui(&mut self, ui: &mut Ui, available: AvailableSize, actions: &mut Vec<Action>) {
        // What lies in front has the keys, Escape before all.
        let keys = if self.has_help || self.chooser.is_open() { Keys::Never } else { Keys::Hovered };
        let Session { document, place, shared, .. } = &mut self.session;
        self.timeline.advance(document, &mut shared.problems);
        let panel = Panel::bottom(("timeline", available.is_low())).resizable(true);
        let panel = panel.default_size(self.sizes.timeline_height).max_size(available.highest(700.0));
        let shown = panel.show(ui, |ui| self.timeline.ui(ui, document, (*place, keys), actions));
        if !available.is_low() {
            self.sizes.timeline_height = shown.response.rect.height();
        }
        self.timeline_has_keys = shown.inner;
    }

    fn tabs_ui(&mut self, ui: &mut Ui, available: AvailableSize, actions: &mut Vec<Action>) {
        let Session { document, place, tabs, shared, .. } = &mut self.session;
        let epoch = document.epoch(DependsOn::Trace);
        let mut context = TabContext { document, epoch, place: *place, shared, actions };
        tabs.ui(ui, available, self.tab, &mut context);
    }

    fn picture_settings_ui(&mut self, ui: &mut Ui, actions: &mut Vec<Action>) {
        let panel = &mut self.picture_panel;
        for (name, is_shown) in
            [("R", &mut panel.channels.red), ("G", &mut panel.channels.green), ("B", &mut panel.channels.blue)]
        {
            ui.toggle_value(is_shown, name).on_hover_text("show this channel; a single channel is shown in grey");
        }
        ui.separator();
        ui.label("alpha");
        let views =
            [(AlphaView::Ignored, "ignored"), (AlphaView::Checkerboard, "checker"), (AlphaView::Alone, "alone")];
        for (view, name) in views {
            ui.selectable_value(&mut panel.alpha, view, name);
        }
        let has_grid = panel.grid == Grid::WhenLarge;
        if ui.selectable_label(has_grid, "grid").on_hover_text("g: pixel grid, when zoomed in").clicked() {
            panel.toggle_grid();
        }
        ui.separator();
        self.session.overlay.ui(ui, self.session.place, actions);
        ui.separator();
        self.compare.ui(ui, &self.session.document, actions);
    }

    fn picture_ui(&mut self, ui: &mut Ui, actions: &mut Vec<Action>) {
        // What surrounds the picture is dark in both themes.
        *ui.visuals_mut() = ui.ctx().style_of(egui::Theme::Dark).visuals.clone();
        ui.visuals_mut().override_text_color = Some(egui::Color32::from_gray(210));
        let Session { document, place, picture, overlay, shared, .. } = &mut self.session;
        let Some(own) = picture.newest().cloned() else {
            self.picture_waits = false;
            self.no_picture_ui(ui);
            return;
        };
        let mut shown = own.clone();
        let mut is_old = picture.is_asked();
        let mut is_waiting = is_old;
        let mut message = None;
        if !self.compare.is_on() && overlay.is_on(document, *place) {
            let answer = overlay.show(document, *place);
            is_waiting |= answer.as_ref().is_none_or(|answer| answer.is_old);
            is_old |= answer.as_ref().is_some_and(|answer| answer.is_old);
            match answer.map(|answer| answer.value) {
                None => {}
                Some(Ok(overlay)) => {
                    legend_ui(ui, &overlay.legend);
                    shown = overlay.picture;
                }
                Some(Err(error)) => message = Some(error.message),
            }
        }
        if self.compare.is_on() {
            let compared = self.compare.show(&own, *place, document, &self.environment);
            is_waiting |= compared.is_waiting;
            self.compare.caption_ui(ui, &compared, document, *place, actions);
            message = Some(compared.verdict);
            shown = compared.picture.unwrap_or(own);
        }
        self.picture_panel.ui(ui, &ShownPicture { picture: &shown, is_old, selected: shared.selection.pixel }, actions);
        self.picture_waits = is_waiting;
        if let Some(message) = message {
            // The bar at the bottom is drawn already.
            if self.message() != Some(message.as_str()) {
                ui.ctx().request_repaint();
            }
            self.say(message);
        }
    }

    fn no_picture_ui(&self, ui: &mut Ui) {
        let document = &self.session.document;
        let text = match self.session.picture.answer(document) {
            Some(answer) => match &answer.picture {
                Err(error) => error.message.clone(),
                Ok(_) => String::new(),
            },
            None if document.index_progress().is_some() => "building the index…".to_owned(),
            None => self.waiting_for().unwrap_or_else(|| "drawing…".to_owned()),
        };
        ui.centered_and_justified(|ui| ui.weak(text));
    }

    fn status_ui(&mut self, ui: &mut Ui) {
        let available = AvailableSize::of(ui);
        ui.horizontal(|ui| {
            // Pictures of a trace may differ in size.
            let size = self.session.picture.newest().map_or(self.session.document.open.size, |picture| picture.size());
            ui.monospace(format!("{size}"));
            ui.separator();
            ui.monospace(self.pixel_text(available));
            ui.separator();
            if let Some(waiting) = self.waiting_for() {
                ui.add(Label::new(waiting).truncate());
            } else if self.keyboard.goes_nowhere() {
                let hint = "a hidden field has the keyboard: click or press Esc to leave the field";
                ui.add(Label::new(hint).truncate());
            }
            if let Some((message, _)) = &self.message {
                ui.add(Label::new(message).truncate());
            }
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                // A narrow window has its title for that.
                let is_shown = |state: &&GpuState| !available.is_narrow() || state.adapter.is_err();
                if let Some(state) = self.session.document.gpu.get().filter(is_shown) {
                    match &state.adapter {
                        Ok(adapter) => {
                            let objects = state.objects.map_or(String::new(), |objects| objects.to_string());
                            let text = RichText::new(adapter.to_string()).weak();
                            ui.add(Label::new(text).truncate()).on_hover_text(objects)
                        }
                        Err(error) => {
                            let text = RichText::new(&error.message).color(ui.visuals().error_fg_color);
                            ui.add(Label::new(text).truncate())
                        }
                    };
                }
            });
        });
    }

    /// The pixel under the pointer: place, bytes, and the numbers that a shader would have written; as much of it as
    /// leaves space for messages.
    fn pixel_text(&self, available: AvailableSize) -> String {
        let pixel = self.picture_panel.hovered.or(self.session.shared.selection.pixel);
        let (Some([x, y]), Some(picture)) = (pixel, self.session.picture.newest()) else { return "–".to_owned() };
        let Some([r, g, b, a]) = picture.pixel(x, y) else { return "–".to_owned() };
        if available.is_narrow() {
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

/// Takes the theme that the user prefers.
pub(super) fn set_theme(ctx: &Context, is_light: bool) {
    let theme = if is_light { Theme::Light } else { Theme::Dark };
    ctx.set_theme(theme);
    if ctx.style_of(theme).visuals.weak_text_color.is_none() {
        set_readable_colors(ctx);
    }
}

/// egui's own colours of what is said beside the point, of links and of trouble are too pale to be read.
fn set_readable_colors(ctx: &Context) {
    ctx.style_mut_of(Theme::Dark, |style| {
        style.visuals.weak_text_color = Some(Color32::from_gray(146));
        style.visuals.error_fg_color = Color32::from_rgb(255, 96, 96);
    });
    ctx.style_mut_of(Theme::Light, |style| {
        style.visuals.weak_text_color = Some(Color32::from_gray(106));
        style.visuals.hyperlink_color = Color32::from_rgb(0, 98, 190);
        style.visuals.error_fg_color = Color32::from_rgb(200, 0, 0);
        style.visuals.warn_fg_color = Color32::from_rgb(160, 78, 0);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn luminance(color: Color32) -> f32 {
        let [red, green, blue, _] = egui::Rgba::from(color).to_array();
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }

    #[test]
    fn trouble_and_what_is_beside_the_point_can_be_read_on_panels() {
        let ctx = Context::default();
        set_readable_colors(&ctx);
        for theme in [Theme::Dark, Theme::Light] {
            let visuals = &ctx.style_of(theme).visuals;
            let colors =
                [visuals.weak_text_color(), visuals.hyperlink_color, visuals.error_fg_color, visuals.warn_fg_color];
            for color in colors {
                let (ink, ground) = (luminance(color), luminance(visuals.panel_fill));
                let contrast = (ink.max(ground) + 0.05) / (ink.min(ground) + 0.05);
                // What WCAG 2 asks for.
                assert!(contrast >= 4.5, "{color:?} in {theme:?}: {contrast}");
            }
        }
    }
}
