//! What the user wants to keep in mind about a trace.

use std::collections::BTreeMap;

use crate::command::Place;

/// Bookmarks and notes.
#[derive(Clone, Debug, Default)]
pub(super) struct Notes {
    pub bookmarks: BTreeMap<u8, Place>,
    pub text: String,
    /// The text as it is on the disk.
    pub saved_text: String,
    /// Whether the user wants nothing kept.
    pub is_unwanted: bool,
    /// Why nothing could be kept the last time.
    pub not_saved: Option<String>,
}

impl Notes {
    /// Why they can't be kept, if there are any that aren't. Those that the user wants kept nowhere are for now only.
    pub(crate) fn why_unsaved(&self) -> Option<&str> {
        let reason = self.why_unsavable()?;
        (self.text != self.saved_text).then_some(reason)
    }

    /// Why nothing can be kept, as of the last time that it was tried.
    pub(crate) fn why_unsavable(&self) -> Option<&str> {
        self.not_saved.as_deref().filter(|_| !self.is_unwanted)
    }
}
