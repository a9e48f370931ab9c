//! Opening traces, reading them again, and what is remembered of them.

use std::path::Path;

use super::Inspector;
use super::action::Action;
use super::document::Document;
use super::layout::TimelineOf;
use super::player_worker::Place;
use super::problems::Severity;
use super::saved_state::TraceState;
use super::services::OpenTrace;
use crate::format::aerogpu::FrameIndex;
use crate::player::Until;

impl Inspector {
    /// Opens another trace where it was left the last time; what is open stays, and where one is, if it can't be opened.
    pub(super) fn open(&mut self, path: &Path) {
        let opened = self.services.open_trace(path);
        if self.replace_document(opened) {
            self.remember_trace(true);
        }
    }

    /// Reads the trace again and stays where one is, as far as that place still exists.
    pub(super) fn reload(&mut self) {
        let path = self.document.open.path.clone();
        let place = self.place;
        let opened = self.services.open_trace(&path);
        if self.replace_document(opened) {
            self.say("the trace was read again");
            let frame = place.frame.min(self.document.last_frame());
            let until = if frame == place.frame { place.until } else { Until::EndOfFrame };
            self.place = Place { frame, until };
        }
    }

    /// The file is another one by now: it is read again, unless that would take away what is being written here.
    pub(super) fn file_changed(&mut self, actions: &mut Vec<Action>) {
        if self.has_unsaved() {
            let message = "the trace has changed on the disk: Ctrl R reads it again, and asks about your edits";
            self.problems.add(Severity::Warning, message, None);
            self.say(message);
        } else {
            actions.push(Action::Reload);
        }
    }

    /// Takes over another trace; what is open stays if it can't be opened.
    fn replace_document(&mut self, opened: Result<OpenTrace, String>) -> bool {
        let is_same = opened.as_ref().is_ok_and(|open| open.path == self.document.open.path);
        let made = opened.and_then(|open| {
            // Annotations are of one trace: another one has none, the same one read again keeps them.
            let annotations = if is_same { self.document.annotations.clone() } else { Vec::new() };
            let made = Document::new(open, annotations, self.choice.clone(), self.services.clone(), &self.wake);
            made.map_err(|error| error.to_string())
        });
        match made {
            Ok(document) => {
                self.save_state();
                self.document = document;
                self.asked = None;
                self.shown = None;
                self.picture = None;
                self.trail.clear();
                self.thumbnails.clear();
                self.timeline_is_of = if is_same { TimelineOf::SameTraceBefore } else { TimelineOf::AnotherTrace };
                self.events.clear();
                self.state.clear();
                (self.overlay, self.pixel, self.mesh) = Default::default();
                self.picture_panel.selected = None;
                self.resources.clear();
                self.shaders.clear();
                self.compare.clear();
                self.problems.clear();
                self.note_problems_of_file();
                true
            }
            Err(message) => {
                self.problems.add(Severity::Error, &message, None);
                self.say(message);
                false
            }
        }
    }

    fn note_problems_of_file(&mut self) {
        for problem in &self.document.open.problems {
            self.problems.add(Severity::Warning, problem, None);
        }
    }

    /// Takes up what was left the last time; the place only if `takes_place`.
    pub(super) fn remember_trace(&mut self, takes_place: bool) {
        self.note_problems_of_file();
        let path = self.document.open.path.clone();
        let TraceState { frame, draw, sizes, tab, bookmarks, notes, filter, .. } = self.state_store.trace(&path);
        if takes_place {
            let frame = FrameIndex(frame).min(self.document.last_frame());
            self.place = Place { frame, until: draw.map_or(Until::EndOfFrame, Until::AfterDraw) };
        }
        (self.sizes, self.tab, self.bookmarks) = (sizes, tab, bookmarks);
        self.kept_notes.clone_from(&notes);
        self.notes = notes;
        self.events.set_filter(filter);
        self.preferences.remember(&path);
        self.state_store.save_preferences(&self.preferences);
    }

    /// Keeps what is to be taken up the next time.
    pub fn save_state(&mut self) {
        let path = std::path::absolute(&self.document.open.path).unwrap_or_default();
        let draw = self.place_draw();
        let memory = TraceState {
            path,
            frame: self.place.frame.0,
            draw,
            sizes: self.sizes,
            tab: self.tab,
            bookmarks: self.bookmarks.clone(),
            notes: self.notes.clone(),
            filter: self.events.filter_text.clone(),
        };
        let kept = self.state_store.save_trace(&self.document.open.path, &memory);
        if kept.is_ok() {
            self.kept_notes = memory.notes;
        }
        self.not_saved = kept.err();
    }
}
