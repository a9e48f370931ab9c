//! What becomes of what the user asks for.

use std::path::{Path, PathBuf};

use egui::Ui;

use super::action::Action;
use super::open_dialog::OpenPurpose;
use super::session::Session;
use super::tabs::{self, TabName};
use super::unsaved::CloseReason;
use super::viewed::ViewedTexture;
use super::{Inspector, Panels, events};
use crate::command::{Place, Point, ResourceName, Shown};
use crate::text::say;

impl Inspector {
    /// Does what the user asks for.
    pub fn act(&mut self, action: Action, ui: &Ui) {
        match action {
            Action::TogglePlay => self.toggle_play(),
            Action::Navigate(to) => self.session.navigate(to),
            Action::GoTo(place) => self.session.jump(place),
            Action::GoToCommand(at) => self.session.go_to_command(at),
            Action::GoToRow(at) => self.session.events.go_to_row(&self.session.document, at),
            Action::GoToOffset(offset) => self.session.events.go_to_offset(&self.session.document, offset),
            Action::ToggleHidden | Action::ToggleAlone => {
                // Draws are left out of the frame.
                self.view(None);
                let Session { document, place, overlay, .. } = &mut self.session;
                let Some(draw) = document.last_draw(*place) else { return };
                if matches!(action, Action::ToggleHidden) {
                    overlay.toggle_hidden(*place, draw);
                } else {
                    overlay.toggle_alone(*place, draw);
                }
            }
            Action::CancelIndex => self.session.document.cancel_index(),
            Action::ToggleStrip => self.session.thumbnails.toggle_steps(),
            Action::ShowTexture(name) => self.view(Some(name)),
            Action::ShowFrame => self.view(None),
            Action::ToggleOverlay(choice) => {
                // It lies over the frame.
                self.view(None);
                self.session.overlay.toggle_overlay(choice);
            }
            Action::ResetOverlay => self.session.overlay.reset(),
            Action::Back => self.session.go_back(),
            Action::Save => self.save(),
            Action::CopyCommandLine => self.copy_command_line(ui),
            Action::Compare(mode) => {
                self.view(None);
                self.compare.mode = mode;
            }
            Action::TogglePanels => {
                self.panels = if self.panels == Panels::Shown { Panels::Hidden } else { Panels::Shown };
            }
            Action::ToggleHelp => self.has_help = !self.has_help,
            Action::ToggleTheme => {
                self.preferences.is_light = !self.preferences.is_light;
                self.state_store.save_preferences(&self.preferences);
            }
            Action::GoToBookmark(number) => self.go_to_bookmark(number),
            Action::SetBookmark(number) => self.set_bookmark(number),
            Action::ForgetBookmark(number) => {
                self.session.shared.notes.bookmarks.remove(&number);
                self.save_state();
            }
            Action::SaveState => self.save_state(),
            Action::FocusFilter => {
                self.panels = Panels::Shown;
                events::focus_filter(ui);
            }
            Action::FindInTexts => {
                self.show_tab(tabs::SHADERS);
                self.session.shared.searches_texts = true;
            }
            Action::Find(direction) => {
                let Session { document, place, events, .. } = &mut self.session;
                if let Err(message) = events.find_next(document, *place, direction) {
                    self.say(message);
                }
            }
            Action::SelectEvent(event) => self.session.select_event(event),
            Action::ShowTab(tab) => self.show_tab(tab),
            Action::ShowObject(_, creation) => {
                self.session.shared.selection.object = Some(creation);
                self.show_tab(tabs::RESOURCES);
            }
            Action::SetShaders(options) => self.session.document.set_shaders(*options),
            Action::SelectPixel(pixel) => {
                self.session.shared.selection.pixel = Some(pixel);
                self.show_tab(tabs::PIXEL);
            }
            Action::ToggleGrid => self.picture_panel.toggle_grid(),
            Action::FitPicture => self.picture_panel.fit(),
            Action::ActualSize => self.picture_panel.actual_size(),
            Action::Zoom(direction) => self.picture_panel.zoom(direction),
            Action::ShowOpenDialog => self.show_dialog(OpenPurpose::Show),
            Action::ShowCompareDialog => self.show_dialog(OpenPurpose::Compare),
            Action::CompareWith(path) => {
                let (document, services) = (&self.session.document, &self.environment.services);
                if let Err(message) = self.compare.compare_with(&path, document, services) {
                    self.say(message);
                }
            }
            Action::Open(path) => self.leave(CloseReason::Open(path)),
            Action::Reload => self.leave(CloseReason::Reload),
            Action::Escape => self.step_back(),
            Action::Quit => self.leave(CloseReason::Quit),
        }
    }

    /// Shows part of a texture, or the frame; another one as large as fits.
    pub(super) fn view(&mut self, name: Option<ResourceName>) {
        let before = self.session.viewed.as_ref().map(ViewedTexture::name);
        if before.map(|name| name.handle) != name.map(|name| name.handle) {
            self.picture_panel.fit();
        }
        self.session.view(name);
    }

    fn show_dialog(&mut self, purpose: OpenPurpose) {
        let folder = self.session.document.open.path.parent().unwrap_or(Path::new("."));
        self.chooser.show(folder, purpose);
    }

    fn show_tab(&mut self, tab: TabName) {
        self.tab = tab;
        self.panels = Panels::Shown;
    }

    fn go_to_bookmark(&mut self, number: u8) {
        match self.session.shared.notes.bookmarks.get(&number) {
            Some(&place) => self.session.jump(place),
            None => self.say(format!("bookmark {number} is not set: Ctrl Shift {number} sets it")),
        }
    }

    fn set_bookmark(&mut self, number: u8) {
        let place = self.session.place;
        self.session.shared.notes.bookmarks.insert(number, place);
        self.say(format!("bookmark {number} is set here"));
        self.save_state();
    }

    /// Saves the picture of the place, as soon as it is there.
    pub(super) fn save(&mut self) {
        if self.session.viewed.is_some() {
            return self.save_texture();
        }
        let Session { document, place, picture, saves_next, .. } = &mut self.session;
        *saves_next = picture.is_asked() || picture.answer(document).is_none_or(|answer| answer.place != *place);
        if *saves_next {
            return;
        }
        let Some((place, picture)) = self.shown_picture() else { return };
        let saved = self.environment.services.save_picture(self.trace_path(), &file_name(place), picture);
        self.tell_saved(saved);
    }

    fn save_texture(&mut self) {
        let Some((name, place, surface)) = self.shown_texture() else {
            return self.say("the texture is not drawn yet: nothing is saved");
        };
        let part = Shown::Target(name).file_part().unwrap_or_default();
        let name = format!("{}.{part}", file_name(place));
        let saved = self.environment.services.save_picture(self.trace_path(), &name, &surface.picture());
        self.tell_saved(saved);
    }

    fn trace_path(&self) -> &Path {
        &self.session.document.open.path
    }

    fn tell_saved(&mut self, saved: Result<PathBuf, String>) {
        match saved {
            Ok(path) => {
                say!("saved {}", path.display());
                self.say(format!("saved {}", path.display()));
            }
            Err(error) => {
                say!("error: {error}");
                self.say(error);
            }
        }
    }

    fn copy_command_line(&mut self, ui: &Ui) {
        let Session { place, viewed, .. } = &self.session;
        let view = match viewed {
            Some(viewed) => format!("--place {} --target {} --out png", viewed.place(*place), viewed.name()),
            None => format!("--place {place} --out png"),
        };
        let line = self.environment.services.command_line(self.trace_path(), &view);
        self.say(format!("copied: {line}"));
        ui.ctx().copy_text(line);
    }
}

/// Name of the file for the picture of a place.
fn file_name(place: Place) -> String {
    let point = match place.point {
        Point::Start => ".start".to_owned(),
        Point::End => String::new(),
        Point::Draw(draw) => format!(".draw{draw:04}"),
        Point::Packet(packet) => format!(".packet{packet:05}"),
    };
    format!("frame{:04}{point}", place.frame.0)
}
