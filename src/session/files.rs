//! The place that traces are opened from.

use std::path::PathBuf;
use std::sync::Arc;

use super::error::SessionError;
use crate::bytes::{ByteSource, FileIdentity, FileState};
use crate::format::aerogpu::Trace;
use crate::replay::{ShaderReplacements, TraceIndex};

/// The place that a session's traces are opened from.
pub trait TraceFiles {
    /// Opens the file of this name. `is_given_up` is asked while that takes long.
    fn open(&self, name: &str, is_given_up: &dyn Fn() -> bool) -> Result<OpenedFile, SessionError>;

    /// The shaders of `folder` that stand in for the trace's.
    fn replacements(
        &self,
        folder: &str,
        trace: &Trace,
        index: &TraceIndex,
    ) -> Result<ShaderReplacements, SessionError> {
        let _ = (trace, index);
        Err(SessionError::NoFolders { folder: folder.to_owned() })
    }

    /// Writes shaders to files of `folder`; gives their paths.
    fn save(&self, folder: &str, files: Vec<(PathBuf, &[u8])>) -> Result<Vec<PathBuf>, SessionError> {
        let _ = files;
        Err(SessionError::NoFolders { folder: folder.to_owned() })
    }
}

/// A file that is open.
pub struct OpenedFile {
    /// Its bytes, decoded.
    pub source: Arc<dyn ByteSource>,
    /// Identity of a file of this system: it is not written over.
    pub identity: Option<FileIdentity>,
    /// State of a file of this system, which changes when it is written to.
    pub state: Option<FileState>,
    /// Sentences about what is odd.
    pub warnings: Vec<String>,
}
