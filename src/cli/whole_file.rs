//! Results as files: they appear whole or not at all, and never in the place of what they were made from.

use std::collections::BTreeMap;
use std::io::{Read as _, Seek as _, Write};
use std::path::{Path, PathBuf};

use super::exit::Failure;
use super::frame_set::FrameSet;
use super::output::stdout;
use crate::bytes::output::{Access, Disk, SystemDisk, write_output_on};
use crate::bytes::{Compression, FileIdentity, ReadError, make_output_folder, open_input};
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
        let message = format!("{output} is the same file as {input}, which is being read: write to another file");
        Err(Failure::usage(message))
    }
}

/// Word for stdin or stdout where a file is named.
pub(super) const STDIO: &str = "-";

/// Whether a path is stdout by the name `-`, or by one of the system's such as `/dev/stdout`.
pub(super) fn is_stdout(path: &Path) -> bool {
    path == Path::new(STDIO) || crate::bytes::is_stdout(path)
}

/// Whether a path is that of a pipe, device or terminal, which is written into whatever its name.
#[cfg(feature = "gpu")]
pub(super) fn is_written_into(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir())
}

/// Writes to stdout if that is named, once all of it is there, else a file as [`write_file`] does.
pub(super) fn write_file_or_stdout(
    path: &Path,
    inputs: &Inputs,
    write: impl FnOnce(&mut dyn Write) -> Result<(), anyhow::Error>,
) -> Result<(), Failure> {
    if path != Path::new(STDIO) {
        return write_file(path, inputs, write);
    }
    let failed = |error: anyhow::Error| failure_of(error).context("cannot write to stdout");
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

/// Writes a file as every output is made; refuses to replace one of `inputs`.
pub(super) fn write_file(
    path: &Path,
    inputs: &Inputs,
    write: impl FnOnce(&mut dyn Write) -> Result<(), anyhow::Error>,
) -> Result<(), Failure> {
    write_file_on(&SystemDisk, path, inputs, write)
}

fn write_file_on(
    disk: &impl Disk,
    path: &Path,
    inputs: &Inputs,
    write: impl FnOnce(&mut dyn Write) -> Result<(), anyhow::Error>,
) -> Result<(), Failure> {
    if path == Path::new(STDIO) {
        return Err(Failure::usage("stdout is not supported: expected a file, or ./- for a file of that name"));
    }
    inputs.refuse(path)?;
    let written = write_output_on(disk, path, Access::Everyone, write);
    written.map_err(|error| {
        let missing = path.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.exists());
        let why = missing.map(|folder| format!(" (the directory {} does not exist)", folder.display()));
        failure_of(error).context(format!("cannot write {}{}", path.display(), why.unwrap_or_default()))
    })
}

fn failure_of(error: anyhow::Error) -> Failure {
    // What is copied may be what can't be read.
    let kind = if error.is::<ReadError>() { ErrorKind::ReadFailed } else { ErrorKind::WriteFailed };
    Failure::new(kind, error)
}

/// Makes a folder for files, and those above it that are missing.
pub(super) fn make_folder(folder: &Path) -> Result<(), Failure> {
    make_output_folder(folder).map_err(|error| {
        Failure::new(ErrorKind::WriteFailed, error).context(format!("cannot create {}", folder.display()))
    })
}

/// Output of a verb that writes a trace.
#[derive(Debug, clap::Args)]
pub(super) struct NewTraceArgs {
    /// The trace to write; - for stdout
    #[arg(value_name = "OUT", required_unless_present_any = ["in_place", "out"], conflicts_with = "in_place")]
    pub output: Option<PathBuf>,
    // What every other verb calls it.
    #[arg(long, value_name = "OUT", hide = true, conflicts_with_all = ["output", "in_place"])]
    pub out: Option<PathBuf>,
    /// Replace IN itself
    #[arg(long)]
    pub in_place: bool,
}

/// A file that was made.
#[derive(Debug)]
pub(super) struct Written {
    pub path: PathBuf,
    pub size_bytes: u64,
}

impl NewTraceArgs {
    /// Whether stdout is where it goes, so that nothing else may.
    pub(crate) fn is_stdout(&self) -> bool {
        self.path().is_some_and(is_stdout)
    }

    /// Where the trace goes, unless it replaces its input.
    fn path(&self) -> Option<&Path> {
        self.output.as_deref().or(self.out.as_deref())
    }

    /// Writes the file made of `input`.
    pub(crate) fn write_on(
        &self,
        disk: &impl Disk,
        input: &Path,
        inputs: &Inputs,
        write: impl FnOnce(&mut dyn Write) -> Result<(), anyhow::Error>,
    ) -> Result<Written, Failure> {
        let mut size_bytes = 0;
        let write = |into: &mut dyn Write| {
            let mut counting = Counting { into, size_bytes: 0 };
            write(&mut counting)?;
            size_bytes = counting.size_bytes;
            Ok(())
        };
        let path = match self.path() {
            Some(output) => {
                write_file_or_stdout(output, inputs, write)?;
                output
            }
            None if input == Path::new(STDIO) => return Err(Failure::usage("stdin cannot be replaced: expected OUT")),
            None => {
                // The file itself, by whatever name it was read: a name of an open file would be written into.
                let cannot = |error| Failure::new(ErrorKind::ReadFailed, error).context(input.display().to_string());
                let itself = std::fs::canonicalize(input).map_err(cannot)?;
                refuse_compressed(&itself, input)?;
                write_file_on(disk, &itself, &Inputs::default(), write)?;
                input
            }
        };
        Ok(Written { path: path.to_owned(), size_bytes })
    }
}

/// Counts what is written.
struct Counting<'a> {
    into: &'a mut dyn Write,
    size_bytes: u64,
}

impl Write for Counting<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let written = self.into.write(bytes)?;
        self.size_bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.into.flush()
    }
}

/// Refuses to replace a compressed file by one that is not.
fn refuse_compressed(itself: &Path, input: &Path) -> Result<(), Failure> {
    let cannot = |error| Failure::new(ErrorKind::ReadFailed, error).context(input.display().to_string());
    let mut start = Vec::new();
    open_input(itself).and_then(|file| file.take(4).read_to_end(&mut start)).map_err(cannot)?;
    match Compression::of_start(&start) {
        Some(compression) => {
            let (input, name) = (input.display(), compression.name());
            Err(Failure::usage(format!("{input} is compressed ({name}) and cannot be replaced: expected OUT")))
        }
        None => Ok(()),
    }
}
