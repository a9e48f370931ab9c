//! What the window waits for, and when it draws again without being told to.

use std::time::Duration;

use egui::Ui;

use super::worker::Busy;
use super::{Inspector, MESSAGE_STAYS};

/// What lasts no longer than this is not worth a word.
const WORTH_A_WORD: Duration = Duration::from_secs(1);

impl Inspector {
    /// What takes long, and for how long it has: "drawing frame 3, draw 7: 12 s".
    pub(super) fn waiting_for(&self) -> Option<String> {
        let longest = self.busy().min_by_key(|busy| busy.since)?;
        let lasts = longest.since.elapsed();
        (lasts >= WORTH_A_WORD).then(|| format!("{}: {} s", longest.what, lasts.as_secs()))
    }

    fn busy(&self) -> impl Iterator<Item = Busy> {
        self.session.document.busy().chain(self.compare.busy()).chain(self.timeline.busy())
    }

    /// The seconds go on while something takes long, and messages go after a while. At rest nothing is drawn.
    pub(super) fn draw_again_in_time(&mut self, ui: &Ui) {
        if self.busy().next().is_some() {
            ui.ctx().request_repaint_after(WORTH_A_WORD);
        }
        let Some((_, since)) = &self.message else { return };
        match MESSAGE_STAYS.checked_sub(since.elapsed()) {
            Some(left) => ui.ctx().request_repaint_after(left),
            None => {
                self.message = None;
                ui.ctx().request_repaint();
            }
        }
    }
}
