//! What is remembered from one run to the next: per trace, and over all.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::bytes::output::{Access, Disk, SystemDisk, make_folders, write_output_on};
use crate::bytes::read_input;
use crate::command::{Place, PlaceText, Point};
use crate::format::aerogpu::FrameIndex;
use crate::text::counted;
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
    /// Where one was; `None`: in a file of an earlier version.
    pub place: Option<PlaceText>,
    /// How large the panels are.
    pub sizes: PanelSizes,
    /// The tab in front.
    pub tab: String,
    /// Bookmarks by their number.
    pub places: BTreeMap<u8, PlaceText>,
    /// Whatever the user has written.
    pub notes: String,
    /// The filter of the events.
    pub filter: String,
    /// Places as earlier versions wrote them, which are taken up and not written again.
    #[serde(flatten, skip_serializing)]
    pub earlier: EarlierPlaces,
}

impl TraceState {
    /// Where one was.
    pub(crate) fn place(&self) -> Place {
        self.place.map_or_else(|| self.earlier.place(), |place| place.0)
    }

    /// Bookmarks as they are written.
    pub(crate) fn written(bookmarks: &BTreeMap<u8, Place>) -> BTreeMap<u8, PlaceText> {
        bookmarks.iter().map(|(number, place)| (*number, PlaceText(*place))).collect()
    }

    /// The tab in front. One that is not known is another version's.
    pub(crate) fn tab_name(&self) -> TabName {
        tabs::named(&self.tab).unwrap_or_default()
    }

    /// What the user wants to keep in mind, as it is in `store`.
    pub(crate) fn notes(&self, store: &StateStore) -> Notes {
        let own = self.places.iter().map(|(number, place)| (*number, place.0));
        Notes {
            bookmarks: self.earlier.bookmarks().chain(own).collect(),
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
        Self { events_width: 340.0, tabs_width: 440.0, timeline_height: 190.0 }
    }
}

/// Places as earlier versions wrote them.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(super) struct EarlierPlaces {
    frame: u32,
    draw: Option<u32>,
    // Keys that are read through `flatten` are texts.
    bookmarks: BTreeMap<String, EarlierBookmark>,
}

/// A bookmark as earlier versions wrote it; without a draw it is the frame's end.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
struct EarlierBookmark {
    frame: u32,
    draw: Option<u32>,
}

impl EarlierPlaces {
    fn place(&self) -> Place {
        Place { frame: FrameIndex(self.frame), point: Point::after_draw(self.draw) }
    }

    fn bookmarks(&self) -> impl Iterator<Item = (u8, Place)> {
        self.bookmarks.iter().filter_map(|(number, EarlierBookmark { frame, draw })| {
            Some((number.parse().ok()?, Place { frame: FrameIndex(*frame), point: Point::after_draw(*draw) }))
        })
    }
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
        self.write_on(&SystemDisk, name, value)
    }

    fn write_on(&self, disk: &impl Disk, name: &str, value: &impl Serialize) -> Result<(), String> {
        let folder = match &self.place {
            StateFolder::Folder(folder) => folder,
            StateFolder::Unwanted => return Err("nothing is saved in this run".to_owned()),
            StateFolder::Missing => return Err("neither XDG_STATE_HOME nor HOME is a folder".to_owned()),
        };
        let text = serde_json::to_vec_pretty(value).map_err(|error| error.to_string())?;
        if text.len() as u64 > MAX_FILE_BYTES {
            return Err(format!("{}, expected at most {MAX_FILE_BYTES}", counted(text.len(), "byte")));
        }
        let path = folder.join(name);
        let written = make_folders(disk, folder)
            .and_then(|()| write_output_on(disk, &path, Access::Owner, |out| out.write_all(&text)));
        written.map_err(|error: std::io::Error| format!("{}: {error}", path.display()))
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
    use crate::bytes::output::lossy::{LossyDisk, cut_at_random};

    #[test]
    fn what_was_kept_comes_back_and_damage_does_no_harm() {
        let folder = tempfile::tempdir().unwrap();
        let memory = StateStore::new(StateFolder::Folder(folder.path().join("deep/inside")));
        let path = Path::new("some/trace.bin");
        assert_eq!(memory.trace(path), TraceState::default());
        let bookmarks = [(3, Place::at_draw(FrameIndex(7), 2)), (4, Place::start_of(FrameIndex(1)))].into();
        let place = Place::after_packet(FrameIndex(5), 9);
        let (places, notes) = (TraceState::written(&bookmarks), "look here".into());
        let kept = TraceState { place: Some(PlaceText(place)), places, notes, ..Default::default() };
        memory.save_trace(path, &kept).unwrap();
        assert_eq!(memory.trace(path), kept);
        assert_eq!((kept.place(), kept.notes(&memory).bookmarks), (place, bookmarks));
        assert_eq!(memory.trace(Path::new("other/trace.bin")), TraceState::default());
        let file = folder.path().join("deep/inside").join(trace_file(path));
        std::fs::write(&file, b"{\"frame\": \"no\"").unwrap();
        assert_eq!(memory.trace(path), TraceState::default());
        std::fs::write(&file, b"{\"frame\": 4, \"of a later version\": [1]}").unwrap();
        assert_eq!(memory.trace(path).place(), Place::end_of(FrameIndex(4)));
    }

    #[test]
    fn notes_are_the_old_or_the_new_ones_after_a_power_cut() {
        let store = |folder: &Path| StateStore::new(StateFolder::Folder(folder.join("deep/inside")));
        let path = Path::new("/some/trace.bin");
        let of = |notes: &str| TraceState { notes: notes.repeat(1000), ..Default::default() };
        let act = |disk: &LossyDisk, folder: &Path| {
            store(folder).write_on(disk, &trace_file(path), &of("what I found since then")).is_ok()
        };
        let read = |folder: &Path| store(folder).trace(path);
        cut_at_random(1000, |folder| store(folder).save_trace(path, &of("what I found")).unwrap(), act, read);
        cut_at_random(200, |_| (), act, read);
    }

    #[cfg(unix)]
    #[test]
    fn notes_are_their_owners() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let store = StateStore::new(StateFolder::Folder(folder.path().to_owned()));
        let path = Path::new("/some/trace.bin");
        for _ in 0..2 {
            store.save_trace(path, &TraceState::default()).unwrap();
            let mode = std::fs::metadata(folder.path().join(trace_file(path))).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
    }

    #[test]
    fn places_of_earlier_versions_are_taken_up() {
        let earlier =
            r#"{"frame": 5, "draw": 1, "bookmarks": {"3": {"frame": 7, "draw": 2}, "4": {"frame": 8, "draw": null}}}"#;
        let state: TraceState = serde_json::from_str(earlier).unwrap();
        assert_eq!(state.place(), Place::at_draw(FrameIndex(5), 1));
        let bookmarks = [(3, Place::at_draw(FrameIndex(7), 2)), (4, Place::end_of(FrameIndex(8)))].into();
        assert_eq!(state.notes(&StateStore::new(StateFolder::Unwanted)).bookmarks, bookmarks);
        let place = Some(PlaceText(state.place()));
        let state = TraceState { place, places: TraceState::written(&bookmarks), ..state };
        let written = serde_json::to_value(state).unwrap();
        assert_eq!((&written["place"], &written["places"]["3"]), (&"5/draw=1".into(), &"7/draw=2".into()));
        assert!(written.get("bookmarks").is_none() && written.get("frame").is_none());
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
