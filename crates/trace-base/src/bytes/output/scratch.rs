//! Folders of files that one run needs and nobody else.

use std::io;
use std::path::Path;

use tempfile::TempDir;

use super::unfinished::Unfinished;

/// A folder that is removed with all that is in it when it is dropped, or when a signal ends the process.
#[derive(Debug)]
pub struct ScratchFolder {
    folder: Option<TempDir>,
    path: std::path::PathBuf,
    unfinished: Unfinished,
}

impl ScratchFolder {
    /// Makes a folder among the system's temporary files.
    pub fn new() -> io::Result<Self> {
        let (unfinished, folder) = Unfinished::begin(|| {
            let folder = tempfile::tempdir()?;
            Ok((folder.path().to_owned(), folder))
        })?;
        Ok(Self { path: folder.path().to_owned(), folder: Some(folder), unfinished })
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for ScratchFolder {
    fn drop(&mut self) {
        if let Some(folder) = self.folder.take() {
            // What stays there is the system's to clear.
            let _ = self.unfinished.end(|| folder.close());
        }
    }
}
