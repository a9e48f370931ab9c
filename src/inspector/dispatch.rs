//! What becomes of what the user asks for.

use std::path::Path;

use egui::Ui;

use super::action::{Action, Tab};
use super::open_dialog::OpenDialog;
use super::unsaved::Leaving;
use super::{Inspector, Panels, events};
use crate::player::Until;
use crate::replay::ShaderOptions;
use crate::text::say;

impl Inspector {
    /// Does what the user asks for.
    pub fn act(&mut self, action: Action, ui: &Ui) {
        match action {
            Action::TogglePlay => self.toggle_play(),
            Action::Navigate(step) => self.step(step),
            Action::GoTo(place) => self.jump(place),
            Action::GoToOffset(offset) => self.go_to_offset(offset),
            Action::ToggleHidden | Action::ToggleAlone => {
                let Some(draw) = self.document.last_draw(self.place.frame, self.place.until) else { return };
                if matches!(action, Action::ToggleHidden) {
                    self.overlay.toggle_hidden(self.place, draw);
                } else {
                    self.overlay.toggle_alone(self.place, draw);
                }
            }
            Action::CancelIndex => self.document.cancel_index(),
            Action::ResetOverlay => self.overlay.reset(),
            Action::Back => self.go_back(),
            Action::Save => self.save(),
            Action::CopyCommandLine => self.copy_command_line(ui),
            Action::Compare(mode) => self.compare.mode = mode,
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
            Action::FocusFilter => {
                self.panels = Panels::Shown;
                events::focus_filter(ui);
            }
            Action::Find(direction) => {
                if let Err(message) = self.events.find(&self.document, self.place, direction) {
                    self.say(message);
                }
            }
            Action::SelectEvent(event) => self.select_event(event),
            Action::ShowTab(tab) => self.show_tab(tab),
            Action::ShowObject(_, creation) => {
                self.resources.select(creation);
                self.show_tab(Tab::Resources);
            }
            Action::SetShaders(options) => self.set_shaders(*options),
            Action::SelectPixel(pixel) => {
                self.picture_panel.selected = Some(pixel);
                self.show_tab(Tab::Pixel);
            }
            Action::ToggleGrid => self.picture_panel.toggle_grid(),
            Action::FitPicture => self.picture_panel.fit(),
            Action::ActualSize => self.picture_panel.actual_size(),
            Action::Zoom(direction) => self.picture_panel.zoom(direction),
            Action::ShowOpenDialog => {
                let folder = self.document.open.path.parent().unwrap_or(Path::new("."));
                self.dialog = Some(OpenDialog::new(folder));
            }
            Action::Open(path) => self.leave(Leaving::Open(path)),
            Action::Reload => self.leave(Leaving::Reload),
            Action::Escape => {
                let had_something_in_front = std::mem::take(&mut self.has_help) | self.dialog.take().is_some();
                if !had_something_in_front {
                    self.leave(Leaving::Quit);
                }
            }
            Action::Quit => self.leave(Leaving::Quit),
        }
    }

    /// Has everything drawn anew with shaders made in another way.
    fn set_shaders(&mut self, options: ShaderOptions) {
        self.document.set_shaders(options);
        self.shaders.options_changed();
        self.state.outdate();
        self.overlay.outdate();
        self.pixel.outdate();
        self.mesh.outdate();
        self.thumbnails.outdate();
        self.compare.clear();
        // The picture stays until there is a new one, but is not what is asked for any more.
        self.asked = None;
        self.shown = None;
    }

    fn show_tab(&mut self, tab: Tab) {
        self.tab = tab;
        self.panels = Panels::Shown;
    }

    /// Saves the picture of the place, as soon as it is there.
    pub(super) fn save(&mut self) {
        self.saves_next = self.asked.is_some() || self.shown.as_ref().is_none_or(|shown| shown.place != self.place);
        if self.saves_next {
            return;
        }
        let Some((place, picture)) = self.shown_picture() else { return };
        let draw = match place.until {
            Until::EndOfFrame => String::new(),
            Until::AfterDraw(draw) => format!(".draw{draw:04}"),
            Until::AfterPacket(packet) => format!(".packet{packet:05}"),
        };
        let name = format!("frame{:04}{draw}", place.frame.0);
        let saved = self.services.save_picture(&self.document.open.path, &name, picture);
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
        let draw = self.place_draw().map_or(String::new(), |draw| format!(" --draw {draw}"));
        let view = format!("--frame {}{draw} --out png", self.place.frame);
        let line = self.services.command_line(&self.document.open.path, &view);
        self.say(format!("copied: {line}"));
        ui.ctx().copy_text(line);
    }
}
