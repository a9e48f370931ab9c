//! Folders of the user's in which the program keeps things of its own accord.

use std::path::PathBuf;

/// Where notes, bookmarks and the place in each trace are kept; `None` where no home folder is known.
pub(super) fn state_folder() -> Option<PathBuf> {
    let from = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let state = from("XDG_STATE_HOME").or_else(|| Some(from("HOME")?.join(".local/state")));
    Some(state?.join("aerogpu-replay"))
}
