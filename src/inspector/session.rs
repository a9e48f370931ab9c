//! Everything about the trace that is open. It is replaced whole when another one is opened.

use super::current_picture::CurrentPicture;
use super::document::Document;
use super::events::EventsPanel;
use super::notes::Notes;
use super::overlay::OverlaySettings;
use super::saved_state::TraceState;
use super::tabs::{TabState, Tabs};
use super::thumbnails::ThumbnailStrip;
use super::viewed::ViewedTexture;
use crate::command::{Place, ResourceName};
use crate::error::Severity;

/// The trace that is open: the current place in it, what is known and what was selected.
pub(super) struct Session {
    pub document: Document,
    pub place: Place,
    /// Places before jumps.
    pub trail: Vec<Place>,
    pub picture: CurrentPicture,
    /// The texture that is looked at instead.
    pub viewed: Option<ViewedTexture>,
    pub overlay: OverlaySettings,
    pub thumbnails: ThumbnailStrip,
    pub events: EventsPanel,
    pub tabs: Tabs,
    /// What tabs show that others have a part in, too.
    pub shared: TabState,
    /// Whether to save the picture that is being made.
    pub saves_next: bool,
    /// Whether what the index has found wrong was told.
    index_is_told: bool,
}

impl Session {
    /// A trace where it was left the last time; `notes` as they are.
    pub(crate) fn new(document: Document, state: TraceState, notes: Notes) -> Self {
        let place = state.place();
        let mut session = Self {
            place: Place { frame: place.frame.min(document.last_frame()), ..place },
            document,
            trail: Vec::new(),
            picture: CurrentPicture::default(),
            viewed: None,
            overlay: OverlaySettings::default(),
            thumbnails: ThumbnailStrip::default(),
            events: EventsPanel::default(),
            tabs: Tabs::default(),
            shared: TabState { notes, ..TabState::default() },
            saves_next: false,
            index_is_told: false,
        };
        session.events.set_filter(state.filter);
        for problem in &session.document.open.problems {
            session.shared.problems.add(Severity::Warning, problem, None);
        }
        session
    }

    /// Shows part of a texture, or the frame. A pixel that is selected is one of the picture before.
    pub(crate) fn view(&mut self, name: Option<ResourceName>) {
        let is_another = self.viewed.as_ref().map(ViewedTexture::name) != name;
        match (&mut self.viewed, name) {
            (Some(viewed), Some(name)) => viewed.change_to(name),
            (viewed, name) => *viewed = name.map(ViewedTexture::new),
        }
        if is_another {
            self.shared.selection.pixel = None;
        }
    }

    /// Tells what the index has found wrong, once it is there.
    pub(crate) fn tell_index(&mut self) {
        if let Some(index) = self.document.index().filter(|_| !self.index_is_told) {
            let (problems, missing) = (&mut self.shared.problems, index.missing_objects());
            problems.set_faults(index.fault_summary());
            if missing.starts_in_the_middle() {
                problems.add(Severity::Warning, &missing.to_string(), None);
            }
            self.index_is_told = true;
        }
    }
}
