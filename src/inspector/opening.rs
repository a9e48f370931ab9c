//! Opening traces, reading them again, and what is remembered of them.

use std::path::Path;

use super::Inspector;
use super::action::Action;
use super::document::Document;
use super::saved_state::{EarlierPlaces, TraceState};
use super::services::OpenTrace;
use super::session::Session;
use crate::command::{PlaceText, Point};
use crate::error::Severity;

impl Inspector {
    /// Opens another trace where it was left the last time; what is open stays, and the current place, if it can't be
    /// opened.
    pub(super) fn open(&mut self, path: &Path) {
        let opened = self.environment.services.open_trace(path).and_then(|open| self.open_document(open));
        match opened {
            Ok(document) => {
                self.save_state();
                let state = self.state_store.trace(&document.open.path);
                let notes = state.notes(&self.state_store);
                (self.sizes, self.tab) = (state.sizes, state.tab_name());
                self.preferences.remember(&document.open.path);
                self.state_store.save_preferences(&self.preferences);
                self.session = Session::new(document, state, notes);
            }
            Err(message) => self.not_opened(message),
        }
    }

    /// Reads the trace again and keeps the current place, if it still exists.
    pub(super) fn reload(&mut self) {
        let opened = self.environment.services.open_trace(&self.session.document.open.path);
        match opened.and_then(|open| self.open_document(open)) {
            Ok(document) => {
                self.save_state();
                let (place, notes) = (self.session.place, self.session.shared.notes.clone());
                self.session = Session::new(document, self.trace_state(), notes);
                if self.session.document.last_frame() >= place.frame {
                    self.session.place = place;
                } else {
                    self.session.place.point = Point::End;
                }
                self.say("the trace was reloaded");
            }
            Err(message) => self.not_opened(message),
        }
    }

    /// The file is another one by now: it is read again, unless that would take away what is being written here.
    pub(super) fn file_changed(&mut self, actions: &mut Vec<Action>) {
        if self.has_unsaved() {
            let message = "the trace has changed on disk: Ctrl R reloads it, and asks about your edits";
            self.session.shared.problems.add(Severity::Warning, message, None);
            self.say(message);
        } else {
            actions.push(Action::Reload);
        }
    }

    fn open_document(&mut self, open: OpenTrace) -> Result<Document, String> {
        // Annotations are of one trace: another one has none, the same one read again keeps them.
        let current = &self.session.document;
        let annotations = if open.path == current.open.path { current.annotations.clone() } else { Vec::new() };
        self.opened += 1;
        Document::new(self.opened, open, annotations, &self.environment).map_err(|error| error.to_string())
    }

    fn not_opened(&mut self, message: String) {
        self.session.shared.problems.add(Severity::Error, &message, None);
        self.say(message);
    }

    /// What is to be taken up the next time.
    fn trace_state(&self) -> TraceState {
        let Session { document, place, events, shared, .. } = &self.session;
        TraceState {
            path: std::path::absolute(&document.open.path).unwrap_or_default(),
            place: Some(PlaceText(*place)),
            sizes: self.sizes,
            tab: self.tab.as_str().to_owned(),
            places: TraceState::written(&shared.notes.bookmarks),
            notes: shared.notes.text.clone(),
            filter: events.filter_text.clone(),
            earlier: EarlierPlaces::default(),
        }
    }

    /// Keeps what is to be taken up the next time.
    pub fn save_state(&mut self) {
        let state = self.trace_state();
        let saved = self.state_store.save_trace(&self.session.document.open.path, &state);
        let notes = &mut self.session.shared.notes;
        if saved.is_ok() {
            notes.saved_text = state.notes;
        }
        notes.not_saved = saved.err();
    }
}
