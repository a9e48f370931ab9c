//! The built-in example: a trace that the program carries, as a file while the window shows it.

use std::path::PathBuf;
use std::sync::OnceLock;

use crate::bytes::output::{Access, ScratchFolder, SystemDisk, make_folders, write_output_on};
use crate::bytes::read_input;
use crate::inspector::StateFolder;

/// The trace.
const COURTYARD: &[u8] = include_bytes!("../../fixtures/examples/courtyard.aerogputrace");
/// Its name, as the tour has it.
const NAME: &str = "courtyard.aerogputrace";

/// The example. It is a file, so that it can be read again and a command line that is copied from the window works.
#[derive(Default)]
pub(super) struct Example {
    /// Where it lies if nothing is to be kept; it is gone with this.
    scratch: OnceLock<ScratchFolder>,
}

impl Example {
    /// The path of the file, which is made if it is not there: beside what is remembered, else in a folder for this run.
    pub(crate) fn path(&self, kept_in: StateFolder) -> Result<PathBuf, String> {
        let folder = match kept_in {
            StateFolder::Folder(folder) => folder,
            StateFolder::Unwanted | StateFolder::Missing => self.scratch_folder()?,
        };
        let path = folder.join(NAME);
        if read_input(&path).is_ok_and(|known| known == COURTYARD) {
            return Ok(path);
        }
        let written = make_folders(&SystemDisk, &folder)
            .and_then(|()| write_output_on(&SystemDisk, &path, Access::Owner, |out| out.write_all(COURTYARD)));
        written.map_err(|error: std::io::Error| format!("cannot write the example to {}: {error}", path.display()))?;
        Ok(path)
    }

    fn scratch_folder(&self) -> Result<PathBuf, String> {
        if let Some(folder) = self.scratch.get() {
            return Ok(folder.path().to_owned());
        }
        let made = ScratchFolder::new();
        let made = made.map_err(|error| format!("cannot make a folder for the example: {error}"))?;
        Ok(self.scratch.get_or_init(|| made).path().to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_written_once_and_mended() {
        let folder = tempfile::tempdir().unwrap();
        let kept = || StateFolder::Folder(folder.path().join("state"));
        let example = Example::default();
        let path = example.path(kept()).unwrap();
        assert_eq!(path, folder.path().join("state").join(NAME));
        let written = std::fs::metadata(&path).unwrap().modified().unwrap();
        assert_eq!(example.path(kept()).unwrap(), path);
        assert_eq!(std::fs::metadata(&path).unwrap().modified().unwrap(), written);
        std::fs::write(&path, "cut").unwrap();
        example.path(kept()).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), COURTYARD);
    }

    #[test]
    fn where_nothing_is_kept_it_is_gone_with_the_program() {
        let example = Example::default();
        let path = example.path(StateFolder::Unwanted).unwrap();
        assert_eq!(example.path(StateFolder::Missing).unwrap(), path);
        assert_eq!(std::fs::read(&path).unwrap(), COURTYARD);
        drop(example);
        assert!(!path.exists());
    }
}
