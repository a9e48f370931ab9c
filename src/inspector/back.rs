//! Escape: one step back, of whatever was done last in front.

use super::Inspector;
use super::action::CompareMode;

impl Inspector {
    /// Closes what is in front; else leaves the texture, the comparison, the overlay, then what is selected; else goes to
    /// the place before. It never ends the program: whoever presses it once too often loses nothing.
    pub(super) fn step_back(&mut self) {
        let place = self.session.place;
        if std::mem::take(&mut self.has_help) || self.chooser.close() {
            return;
        }
        if self.session.viewed.is_some() {
            self.view(None);
        } else if self.compare.is_on() {
            self.compare.mode = CompareMode::A;
        } else if self.session.overlay.is_changed(place) {
            self.session.overlay.reset();
        } else if !self.timeline.clear_selection() && self.session.shared.selection.pixel.take().is_none() {
            self.session.go_back();
        }
    }
}
