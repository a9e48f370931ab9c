//! The desktop's own file dialog: of Windows, of macOS, or of the XDG portal elsewhere.
//!
//! The library opens the dialog, and does not say whether a portal is missing or the user has cancelled. So the portal is
//! asked first ([`super::portal`]).

use std::path::{Path, PathBuf};

/// Whether the desktop has a file dialog. Takes as long as a portal may take to answer, a second or two.
pub fn has_file_dialog() -> bool {
    #[cfg(all(unix, not(target_os = "macos")))]
    return super::portal::answers();
    #[cfg(not(all(unix, not(target_os = "macos"))))]
    return true;
}

/// Asks the user for a file, first in `folder`; `None` if the dialog was cancelled, or could not be shown. Returns when the
/// dialog is closed.
pub fn pick_file(title: &str, folder: &Path) -> Option<PathBuf> {
    rfd::FileDialog::new().set_title(title).set_directory(folder).pick_file()
}
