//! Which panel lies where.

use egui::{CentralPanel, Color32, Context, Frame, Label, Panel, RichText, ScrollArea, Theme, Ui};

use super::action::Action;
use super::available_size::AvailableSize;
use super::dimming::known_ui;
use super::events::BesideDraws;
use super::overlay::legend_ui;
use super::picture::{Content, MARGIN, ShownPicture};
use super::player_worker::GpuState;
use super::question::{Answer, DependsOn};
use super::session::Session;
use super::tabs::TabContext;
use super::timeline::Keys;
use super::toolbar::Position;
use super::viewed::ViewedTexture;
use super::{Inspector, Panels, help, toolbar, viewed};

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
        let Session { document, place, viewed, tabs, shared, .. } = &mut self.session;
        let epoch = document.epoch(DependsOn::Trace);
        let viewed = viewed.as_ref().map(|viewed| (viewed.name(), viewed.place(*place)));
        let mut context = TabContext { document, epoch, place: *place, viewed, shared, actions };
        tabs.ui(ui, available, self.tab, &mut context);
    }

    fn picture_settings_ui(&mut self, ui: &mut Ui, actions: &mut Vec<Action>) {
        // All choices in one row, if nothing is chosen.
        ui.spacing_mut().item_spacing.x = 5.0;
        self.picture_choice_ui(ui, actions);
        self.picture_panel.settings_ui(ui);
        let overlay = self.session.overlay.choice;
        self.session.overlay.ui(ui, self.session.place, actions);
        if self.session.overlay.choice != overlay {
            // It lies over the frame.
            actions.push(Action::ShowFrame);
        }
        self.compare.ui(ui, &self.session.document, actions);
    }

    /// The choice between the frame and the textures of submissions, where there are some.
    fn picture_choice_ui(&mut self, ui: &mut Ui, actions: &mut Vec<Action>) {
        let Session { document, place, viewed, shared, .. } = &mut self.session;
        if document.index().is_none_or(|index| index.first_submission().is_none()) {
            return;
        }
        let viewed = viewed.as_ref().map(ViewedTexture::name);
        viewed::choice_ui(ui, viewed, || shared.submitted_state(document, *place), actions);
    }

    fn picture_ui(&mut self, ui: &mut Ui, actions: &mut Vec<Action>) {
        // What surrounds the picture is dark in both themes.
        *ui.visuals_mut() = ui.ctx().style_of(egui::Theme::Dark).visuals.clone();
        ui.visuals_mut().override_text_color = Some(egui::Color32::from_gray(210));
        if self.session.viewed.is_some() {
            return self.texture_ui(ui, actions);
        }
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
        let content = Content::Picture(shown);
        let shown = ShownPicture { content: &content, is_old, selected: shared.selection.pixel };
        self.picture_panel.ui(ui, &shown, actions);
        self.picture_waits = is_waiting;
        if let Some(message) = message {
            // The bar at the bottom is drawn already.
            if self.message() != Some(message.as_str()) {
                ui.ctx().request_repaint();
            }
            self.say(message);
        }
    }

    /// The texture that is looked at instead of the frame.
    fn texture_ui(&mut self, ui: &mut Ui, actions: &mut Vec<Action>) {
        let Session { document, place, viewed, shared, .. } = &mut self.session;
        let Some(viewed) = viewed else { return };
        let pixel = shared.selection.pixel;
        let state = shared.submitted_state(document, *place);
        let object = state.and_then(|state| viewed::picture_object(state, viewed.name().handle));
        viewed.ui(ui, object, *place, actions);
        let answer = viewed.show(document, *place);
        self.picture_waits = answer.as_ref().is_none_or(|answer| answer.is_old);
        match known_ui(ui, answer.as_ref().map(Answer::by_ref)) {
            Some(Answer { value, is_old }) => {
                let content = Content::Texture(value.clone());
                self.picture_panel.ui(ui, &ShownPicture { content: &content, is_old, selected: pixel }, actions);
            }
            None => self.picture_panel.show_nothing(),
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
            let size = self.picture_panel.shown().map_or(self.session.document.open.size, Content::size);
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

    /// The picture whose values are told: the texture that is looked at, or the frame's own beneath an overlay.
    fn stored_picture(&self) -> Option<Content> {
        match self.session.viewed {
            Some(_) => self.picture_panel.shown().cloned(),
            None => self.session.picture.newest().cloned().map(Content::Picture),
        }
    }

    /// The pixel under the pointer: place, bytes, and the numbers that a shader would have written; as much of it as
    /// leaves space for messages.
    fn pixel_text(&self, available: AvailableSize) -> String {
        let pixel = self.picture_panel.hovered.or(self.session.shared.selection.pixel);
        let text =
            pixel.zip(self.stored_picture()).and_then(|(at, content)| content.pixel_text(at, available.is_narrow()));
        text.unwrap_or_else(|| "–".to_owned())
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
