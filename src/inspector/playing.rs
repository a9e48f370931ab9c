//! Playing, and the picture that follows the current place.

use std::time::Instant;

use egui::Ui;

use super::Inspector;
use super::session::Session;
use crate::command::Place;
use crate::error::Severity;
use crate::format::aerogpu::FrameIndex;
use crate::text::say;

impl Inspector {
    pub(super) fn toggle_play(&mut self) {
        if self.playback.is_playing() {
            self.playback.pause();
            return;
        }
        self.playback.play(Instant::now());
        let Session { document, place, thumbnails, .. } = &mut self.session;
        *place = thumbnails.first_played(document, *place);
    }

    /// Goes on to the next frame or draw if it is due and the one before has been shown, with what is laid over it or
    /// compared with it: pictures that take longer than a frame lasts would never be seen else.
    pub(super) fn play_on(&mut self, ui: &Ui) {
        let Some(next) = self.playback.next() else { return };
        let now = Instant::now();
        if !self.session.picture.is_asked() && !self.picture_waits && self.playback.take_due(now) {
            let Session { document, place, thumbnails, .. } = &mut self.session;
            match thumbnails.next_played(document, *place) {
                Some(next) => *place = next,
                None => self.playback.pause(),
            }
        }
        ui.ctx().request_repaint_after(next.saturating_duration_since(now));
    }

    /// Takes the picture that was asked for, if it is there.
    pub(super) fn take_picture(&mut self) {
        let session = &mut self.session;
        let Some(rendered) = session.picture.take_answer() else { return };
        let problems = &mut session.shared.problems;
        for (offset, finding) in &rendered.findings {
            log::warn!("{finding}");
            problems.add(Severity::Warning, finding, Some(*offset));
        }
        if !rendered.faults.is_empty() {
            problems.set_faults(&rendered.faults);
        }
        session.document.meet_faults(rendered.fault_places.clone());
        if let Err(error) = &rendered.picture {
            say!("error: {}", error.message);
            problems.add(Severity::Error, &error.message, error.offset);
            self.playback.pause();
            if self.first_error.is_none() {
                self.first_error.clone_from(&error.error);
            }
        }
        // A device that was lost on the way has a successor by now.
        let (devices, document) = (rendered.devices, &mut session.document);
        let before = document.gpu.get().map(|state| state.devices);
        document.gpu = document.player_worker.gpu();
        if before.is_some_and(|before| before != devices) {
            self.say("the GPU was lost and reopened: the place is unchanged");
        }
        if self.session.saves_next {
            self.save();
        }
    }

    /// Asks for the picture of the place, unless that is what is shown or being made.
    pub(super) fn ask_for_picture(&mut self) {
        let session = &mut self.session;
        let has_index = session.document.hand_over_index();
        session.tell_index();
        // The player would make an index of its own for any other place.
        let is_start = session.place == Place::end_of(FrameIndex(0));
        if has_index || is_start {
            session.picture.ask(&session.document, session.place);
        }
    }
}
