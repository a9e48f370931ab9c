//! Choosing a file: by the desktop's dialog where there is one, else by our own.
//!
//! ```text
//!  start ──► thread: has the desktop a dialog? ──► known some time later
//!  show ───► known, and it has one ──► thread: the desktop's dialog ──► a path, or nothing
//!       └──► it has none, or nobody knows yet ──► our own, at once
//! ```
//!
//! The window never waits for the desktop: a portal that does not answer leaves our own dialog.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use egui::Ui;

use super::action::Action;
use super::open_dialog::{OpenDialog, OpenPurpose};
use super::promise::Promise;
use super::services::Services;
use super::worker::{Topic, Wake, Worker};

/// Nobody reads a dialog and closes it within this time; a desktop that cannot show one gives up sooner.
const SOONEST_CANCEL: Duration = Duration::from_millis(300);

/// Outcome of the desktop's dialog, and how long it took.
type Answer = (Option<PathBuf>, Duration);

/// The dialog that is open, if one is.
pub(super) struct FileChooser {
    services: Arc<dyn Services>,
    /// Talks with the desktop, which may never answer: nobody waits for it.
    worker: Worker<()>,
    has_native: Promise<bool>,
    native: Option<NativeDialog>,
    own: Option<OpenDialog>,
}

struct NativeDialog {
    purpose: OpenPurpose,
    folder: PathBuf,
    answer: Promise<Answer>,
}

impl FileChooser {
    /// Begins to ask whether the desktop has a dialog.
    pub(crate) fn new(services: &Arc<dyn Services>, wake: &Wake) -> std::io::Result<Self> {
        let worker = Worker::start("file dialog", || (), wake.clone())?;
        let theirs = services.clone();
        let has_native = worker.ask(Topic::File, "asking the desktop", move |(), _| theirs.has_file_dialog());
        Ok(Self { services: services.clone(), worker, has_native, native: None, own: None })
    }

    /// Asks for a file, first in `folder`.
    pub(crate) fn show(&mut self, folder: &Path, purpose: OpenPurpose) {
        // The one that is open is in front.
        if self.native.is_some() {
            return;
        }
        let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
        if self.has_native.get() == Some(&true) {
            let (services, start) = (self.services.clone(), folder.clone());
            let answer = self.worker.ask(Topic::File, "choosing a file", move |(), _| {
                let since = Instant::now();
                (services.pick_file(purpose.title(), &start), since.elapsed())
            });
            self.native = Some(NativeDialog { purpose, folder, answer });
        } else {
            self.own = Some(OpenDialog::new(&folder, purpose));
        }
    }

    /// Whether our own dialog is in front of everything.
    pub(crate) fn is_open(&self) -> bool {
        self.own.is_some()
    }

    /// Closes our own dialog; says whether it was open.
    pub(crate) fn close(&mut self) -> bool {
        self.own.take().is_some()
    }

    /// Draws our own dialog, and takes what was chosen in either.
    pub(crate) fn ui(&mut self, ui: &Ui, recent: &[PathBuf], actions: &mut Vec<Action>) {
        if let Some(NativeDialog { purpose, folder, answer }) =
            self.native.take_if(|native| native.answer.get().is_some())
        {
            match answer.get() {
                Some((Some(path), _)) => actions.push(purpose.action(path.clone())),
                Some((None, lasted)) if *lasted < SOONEST_CANCEL => self.own = Some(OpenDialog::new(&folder, purpose)),
                // It was cancelled.
                Some((None, _)) | None => {}
            }
        }
        if let Some(mut dialog) = self.own.take()
            && dialog.ui(ui, recent, actions)
        {
            self.own = Some(dialog);
        }
    }
}
