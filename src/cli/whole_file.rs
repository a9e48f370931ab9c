//! Results as files: they appear whole or not at all, and never in the place of what they were made from.

use std::collections::BTreeMap;
use std::io::{Seek as _, Write};
use std::path::{Path, PathBuf};

use super::exit::Failure;
use super::frame_set::FrameSet;
use super::output::stdout;
use crate::bytes::{FileIdentity, ReadError, write_whole};
use crate::error::ErrorKind;

/// The files that a verb reads. Writing asks for them, so that no verb can forget that a result may have the name of one.
#[derive(Clone, Debug, Default)]
pub(super) struct Inputs(BTreeMap<FileIdentity, PathBuf>);

impl Inputs {
    /// These files.
    pub(crate) fn of(paths: impl IntoIterator<Item = impl AsRef<Path>>) -> Self {
        Self::default().and(paths)
    }

    /// These files too.
    pub(crate) fn and(mut self, paths: impl IntoIterator<Item = impl AsRef<Path>>) -> Self {
        for path in paths {
            // What is not there is not read either.
            if let Ok(identity) = FileIdentity::of(path.as_ref()) {
                self.0.insert(identity, path.as_ref().to_owned());
            }
        }
        self
    }

    /// The files that a set of frames was read from, too.
    pub(crate) fn and_set(self, set: &FrameSet) -> Self {
        self.and(set.files())
    }

    /// The files of a folder too.
    #[cfg(feature = "gpu")]
    pub(crate) fn and_folder(self, folder: &Path) -> Self {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        self.and(entries.map(|entry| entry.path()))
    }

    /// Fails if one of them lies in a folder that is to be filled.
    #[cfg(feature = "gpu")]
    pub(crate) fn refuse_folder(&self, folder: &Path) -> Result<(), Failure> {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).try_for_each(|path| self.refuse(&path))
    }

    /// Fails if `output` is one of them, by whatever name.
    pub(crate) fn refuse(&self, output: &Path) -> Result<(), Failure> {
        let Some(input) = FileIdentity::of(output).ok().and_then(|identity| self.0.get(&identity)) else {
            return Ok(());
        };
        let (output, input) = (output.display(), input.display());
        let message = format!("{output} is the same file as {input}, which is read: expected another file to write");
        Err(Failure::usage(message))
    }
}

/// What stands for stdin or stdout where a file is named.
pub(super) const STDIO: &str = "-";

/// Writes to stdout if that is named, once all of it is there, else a file as [`write_file`] does.
pub(super) fn write_file_or_stdout(
    path: &Path,
    inputs: &Inputs,
    write: impl FnOnce(&mut dyn Write) -> Result<(), anyhow::Error>,
) -> Result<(), Failure> {
    if path != Path::new(STDIO) {
        return write_file(path, inputs, write);
    }
    let failed = |error: anyhow::Error| {
        let kind = if error.is::<ReadError>() { ErrorKind::ReadFailed } else { ErrorKind::WriteFailed };
        Failure::new(kind, error).context("cannot write to stdout")
    };
    let spool = || -> Result<std::fs::File, anyhow::Error> {
        let mut whole = tempfile::tempfile()?;
        write(&mut whole)?;
        whole.rewind()?;
        Ok(whole)
    };
    let mut whole = spool().map_err(failed)?;
    let mut out = stdout();
    std::io::copy(&mut whole, &mut out).and_then(|_| out.flush()).map_err(|error| failed(error.into()))
}

/// Writes a file under a temporary name beside it and renames it when it is whole; refuses to replace one of `inputs`.
pub(super) fn write_file(
    path: &Path,
    inputs: &Inputs,
    write: impl FnOnce(&mut dyn Write) -> Result<(), anyhow::Error>,
) -> Result<(), Failure> {
    if path == Path::new(STDIO) {
        return Err(Failure::usage("this is not written to stdout: expected a file, or ./- for one of that name"));
    }
    inputs.refuse(path)?;
    write_whole(path, write).map_err(|error: anyhow::Error| {
        // What is copied may be what can't be read.
        let kind = if error.is::<ReadError>() { ErrorKind::ReadFailed } else { ErrorKind::WriteFailed };
        Failure::new(kind, error).context(format!("cannot write {}", path.display()))
    })
}

/// Where a verb writes that makes a trace of a trace.
#[derive(Debug, clap::Args)]
pub(super) struct NewTraceArgs {
    /// The trace to write; - for stdout
    #[arg(value_name = "OUT", required_unless_present = "in_place", conflicts_with = "in_place")]
    pub output: Option<PathBuf>,
    /// Replace IN itself
    #[arg(long)]
    pub in_place: bool,
}

impl NewTraceArgs {
    /// Whether stdout is where it goes, so that nothing else may.
    pub(crate) fn is_stdout(&self) -> bool {
        self.output.as_deref() == Some(Path::new(STDIO))
    }

    /// Writes the file made of `input`; gives its path.
    pub(crate) fn write(
        &self,
        input: &Path,
        inputs: &Inputs,
        write: impl FnOnce(&mut dyn Write) -> Result<(), anyhow::Error>,
    ) -> Result<PathBuf, Failure> {
        match &self.output {
            Some(output) => write_file_or_stdout(output, inputs, write).map(|()| output.clone()),
            None if input == Path::new(STDIO) => Err(Failure::usage("stdin cannot be replaced: expected OUT")),
            None => {
                // A link stays one: what it leads to is replaced.
                let cannot = |error| Failure::new(ErrorKind::ReadFailed, error).context(input.display().to_string());
                let itself = std::fs::canonicalize(input).map_err(cannot)?;
                write_file(&itself, &Inputs::default(), write).map(|()| input.to_owned())
            }
        }
    }
}
