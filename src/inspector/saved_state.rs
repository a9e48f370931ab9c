//! What is remembered from one run to the next: per trace, and over all.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::bytes::read_input;
use sha2::{Digest, Sha256};

use super::notes::Notes;
use super::services::StateFolder;
use super::tabs::{self, TabName};

/// Files opened lately that are offered again.
const RECENT: usize = 12;
/// A memory file larger than this is none of ours.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// What is remembered of one trace. Unknown or missing fields of other versions do no harm.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct TraceState {
    /// The trace, for people who look into the file.
    pub path: PathBuf,
    /// Where one was.
    pub frame: u32,
    /// The draw one was at; `None`: the end of the frame.
    pub draw: Option<u32>,
    /// How large the panels are.
    pub sizes: PanelSizes,
    /// The tab in front.
    pub tab: String,
    /// Places by their number.
    pub bookmarks: BTreeMap<u8, Bookmark>,
    /// Whatever the user has written.
    pub notes: String,
    /// The filter of the events.
    pub filter: String,
}

impl TraceState {
    /// The tab in front. One that is not known is another version's.
    pub(crate) fn tab_name(&self) -> TabName {
        tabs::named(&self.tab).unwrap_or_default()
    }

    /// What the user wants to keep in mind, as it is in `store`.
    pub(crate) fn notes(&self, store: &StateStore) -> Notes {
        Notes {
            bookmarks: self.bookmarks.clone(),
            text: self.notes.clone(),
            saved_text: self.notes.clone(),
            is_unwanted: store.is_unwanted(),
            not_saved: None,
        }
    }
}

/// Sizes of the panels that can be dragged, in points.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct PanelSizes {
    pub events_width: f32,
    pub tabs_width: f32,
    pub timeline_height: f32,
}

impl Default for PanelSizes {
    fn default() -> Self {
        Self { events_width: 340.0, tabs_width: 400.0, timeline_height: 190.0 }
    }
}

/// A place that was marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Bookmark {
    pub frame: u32,
    pub draw: Option<u32>,
}

/// What is remembered over all traces.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Preferences {
    /// Newest first.
    pub recent: Vec<PathBuf>,
    pub is_light: bool,
}

/// The place where things are remembered. Whatever can't be read is as if it had never been: a memory is a comfort
/// and no reason to fail. Only notes that can't be written are worth a word.
#[derive(Clone, Debug)]
pub(super) struct StateStore {
    place: StateFolder,
}

impl StateStore {
    pub(crate) fn new(place: StateFolder) -> Self {
        Self { place }
    }

    /// Whether the user wants nothing kept: then nothing is missed, either.
    pub(crate) fn is_unwanted(&self) -> bool {
        self.place == StateFolder::Unwanted
    }

    pub(crate) fn trace(&self, path: &Path) -> TraceState {
        self.read(&trace_file(path)).unwrap_or_default()
    }

    /// Says why it can't, if it can't: there are notes in it.
    pub(crate) fn save_trace(&self, path: &Path, memory: &TraceState) -> Result<(), String> {
        self.write(&trace_file(path), memory)
    }

    pub(crate) fn preferences(&self) -> Preferences {
        self.read("preferences.json").unwrap_or_default()
    }

    pub(crate) fn save_preferences(&self, preferences: &Preferences) {
        if let Err(message) = self.write("preferences.json", preferences) {
            log::info!("{message}");
        }
    }

    fn read<T: for<'a> Deserialize<'a>>(&self, name: &str) -> Option<T> {
        let StateFolder::Folder(folder) = &self.place else { return None };
        let path = folder.join(name);
        let size = std::fs::metadata(&path).ok()?.len();
        let text = (size <= MAX_FILE_BYTES).then(|| read_input(&path).ok()).flatten()?;
        serde_json::from_slice(&text).ok()
    }

    fn write(&self, name: &str, value: &impl Serialize) -> Result<(), String> {
        let folder = match &self.place {
            StateFolder::Folder(folder) => folder,
            StateFolder::Unwanted => return Err("nothing is kept in this run".to_owned()),
            StateFolder::Missing => return Err("neither XDG_STATE_HOME nor HOME names a folder".to_owned()),
        };
        let text = serde_json::to_vec_pretty(value).map_err(|error| error.to_string())?;
        if text.len() as u64 > MAX_FILE_BYTES {
            return Err(format!("{} bytes, expected at most {MAX_FILE_BYTES}", text.len()));
        }
        let written = std::fs::create_dir_all(folder).and_then(|()| -> std::io::Result<()> {
            let mut file = tempfile::NamedTempFile::new_in(folder)?;
            std::io::Write::write_all(&mut file, &text)?;
            file.persist(folder.join(name)).map_err(|error| error.error)?;
            Ok(())
        });
        written.map_err(|error| format!("{}: {error}", folder.join(name).display()))
    }
}

impl Preferences {
    /// Puts a file in front of the recent ones.
    pub(crate) fn remember(&mut self, path: &Path) {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        self.recent.retain(|known| *known != path);
        self.recent.insert(0, path);
        self.recent.truncate(RECENT);
    }
}

/// Name of a trace's file: traces of the same name in other folders have their own.
fn trace_file(path: &Path) -> String {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let hash = Sha256::digest(absolute.as_os_str().as_encoded_bytes());
    let hash: String = hash.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    format!("trace-{hash}.json")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_kept_comes_back_and_damage_does_no_harm() {
        let folder = tempfile::tempdir().unwrap();
        let memory = StateStore::new(StateFolder::Folder(folder.path().join("deep/inside")));
        let path = Path::new("some/trace.bin");
        assert_eq!(memory.trace(path), TraceState::default());
        let bookmarks = BTreeMap::from([(3, Bookmark { frame: 7, draw: Some(2) })]);
        let kept = TraceState { frame: 5, bookmarks, notes: "look here".into(), ..Default::default() };
        memory.save_trace(path, &kept).unwrap();
        assert_eq!(memory.trace(path), kept);
        assert_eq!(memory.trace(Path::new("other/trace.bin")), TraceState::default());
        let file = folder.path().join("deep/inside").join(trace_file(path));
        std::fs::write(&file, b"{\"frame\": \"no\"").unwrap();
        assert_eq!(memory.trace(path), TraceState::default());
        std::fs::write(&file, b"{\"frame\": 4, \"of a later version\": [1]}").unwrap();
        assert_eq!(memory.trace(path).frame, 4);
    }

    #[test]
    fn recent_files_are_few_and_each_once() {
        let mut preferences = Preferences::default();
        for number in (0..20).chain([3, 19]) {
            preferences.remember(Path::new(&format!("/{number}")));
        }
        assert_eq!(preferences.recent.len(), RECENT);
        assert_eq!(preferences.recent[..3], ["/19", "/3", "/18"].map(PathBuf::from));
    }
}
