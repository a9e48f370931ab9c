//! What the inspector asks of the program around it: files, and what their names mean.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::player_worker::GpuChoice;
use super::timeline::LaneArguments;
use super::worker::Wake;
use crate::format::aerogpu::{FrameIndex, Trace};
use crate::pixels::{Picture, Size};
use crate::replay::{ShaderOptions, TraceIndex};
use crate::timeline::{Method, Timeline, UploadedBytes};

/// A trace with what the command line says about showing it.
#[derive(Clone)]
pub struct OpenTrace {
    /// Where it lies.
    pub path: PathBuf,
    /// The trace.
    pub trace: Arc<Trace>,
    /// Size of the target.
    pub size: Size,
    /// How shaders are made.
    pub shaders: ShaderOptions,
    /// What is odd or damaged about it, one sentence each.
    pub problems: Vec<String>,
}

/// An annotation file, read.
pub struct Annotation {
    /// What it says.
    pub timeline: Arc<Timeline>,
    /// What was uploaded in its frames, if the method compares it.
    pub uploads: Vec<Vec<UploadedBytes>>,
    /// Decodes arguments.
    pub arguments: Arc<dyn LaneArguments>,
    /// What ended it early.
    pub problem: Option<String>,
}

/// Where an inspector remembers bookmarks, notes and places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StateFolder {
    /// In this folder.
    Folder(PathBuf),
    /// Nowhere: the user wants nothing kept.
    Unwanted,
    /// Nowhere: there is no folder for it.
    Missing,
}

/// What an inspector works with, whatever trace is open.
#[derive(Clone)]
pub(super) struct Environment {
    pub services: Arc<dyn Services>,
    /// The GPU that pictures are made on.
    pub gpu: GpuChoice,
    /// Called from other threads when there is something new to show.
    pub wake: Wake,
}

/// The program around the inspector. Errors are sentences for the user.
pub trait Services: Send + Sync {
    /// Opens a trace.
    fn open_trace(&self, path: &Path) -> Result<OpenTrace, String>;

    /// Opens the example that the program carries.
    fn open_example(&self) -> Result<OpenTrace, String>;

    /// Whether the desktop has a file dialog. May take seconds: it is asked on a thread of its own.
    fn has_file_dialog(&self) -> bool {
        false
    }

    /// Shows the desktop's file dialog, first with the files of a folder, and returns when it is closed: on a thread of its
    /// own. `None` if nothing was chosen.
    fn pick_file(&self, _title: &str, _folder: &Path) -> Option<PathBuf> {
        None
    }

    /// Makes the index of a trace; `progress` is told how many frames are done and says whether to go on.
    fn index(&self, open: &OpenTrace, progress: &mut dyn FnMut(usize) -> bool) -> Option<Arc<TraceIndex>> {
        TraceIndex::build_while(&open.trace, progress).map(Arc::new)
    }

    /// Reads an annotation file, to be laid beside a trace by a method; may take long.
    fn annotation(&self, path: &Path, method: &Method) -> Result<Annotation, String>;

    /// Saves a picture that the user asked to keep; says where.
    fn save_picture(&self, trace: &Path, name: &str, picture: &Picture) -> Result<PathBuf, String>;

    /// Where edited shader texts of a trace are saved.
    fn replacements_folder(&self, trace: &Path) -> PathBuf;

    /// The golden picture of a frame, and the file it comes from.
    fn golden(&self, trace: &Path, frame: FrameIndex) -> Result<(PathBuf, Picture), String>;

    /// The command line that shows what the inspector shows, without the program's own flags for `view`.
    fn command_line(&self, trace: &Path, view: &str) -> String;

    /// The folder that shaders are taken from, if it is followed as it changes.
    fn followed_shaders(&self) -> Option<PathBuf> {
        None
    }

    /// How shaders are made by now: what lies in a folder that is followed may have changed.
    fn shaders(&self, open: &OpenTrace) -> Result<ShaderOptions, String> {
        Ok(open.shaders.clone())
    }

    /// Whether golden pictures are followed as they change.
    fn follows_goldens(&self) -> bool {
        false
    }

    /// Where the inspector remembers.
    fn state_folder(&self) -> StateFolder;
}
