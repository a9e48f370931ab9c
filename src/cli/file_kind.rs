//! What a file is, by its first bytes.

use std::path::Path;

use super::exit::Failure;
use crate::bytes::{ByteSource, FileSource, read_vec_at};
use crate::error::ErrorKind;
use crate::format::aerogpu::is_aerogpu;
use crate::format::wip15::{self, is_wip15};
use crate::format::wtf::Dialect;

/// The files that we read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileKind {
    Aerogpu,
    Wip15,
    Wtf,
}

/// Bytes looked at: spaces before the JSON of a `.wtf-json` file count.
const SNIFFED_BYTES: u64 = 64;

impl FileKind {
    /// Stable name, as `timeline info` prints it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Aerogpu => "aerogpu",
            Self::Wip15 => "wip15",
            Self::Wtf => "wtf-trace",
        }
    }

    /// What people call it.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Aerogpu => "an AeroGPU trace",
            Self::Wip15 => "a WIP15 trace of OpenGL calls",
            Self::Wtf => "a wtf-trace of scopes and marks",
        }
    }

    /// The kind of file that begins so.
    pub(crate) fn of_start(start: &[u8]) -> Option<Self> {
        match start {
            _ if is_aerogpu(start) => Some(Self::Aerogpu),
            _ if is_wip15(start) => Some(Self::Wip15),
            _ if Dialect::has_binary_magic(start) || Dialect::may_be_json(start) => Some(Self::Wtf),
            _ => None,
        }
    }

    /// The kind that a damaged file was meant to be: what is left of its magic, or else its name.
    pub(crate) fn meant_by(start: &[u8], path: &Path) -> Option<Self> {
        let extension = path.extension().unwrap_or_default();
        match extension.to_str() {
            _ if !start.is_empty() && wip15::MAGIC.starts_with(start) => Some(Self::Wip15),
            Some("wtf-trace" | "wtf-json") => Some(Self::Wtf),
            Some("trace") => Some(Self::Wip15),
            Some("aerogputrace") => Some(Self::Aerogpu),
            _ => None,
        }
    }
}

/// Opens a file for reading, whatever it is.
pub(super) fn open_file(path: &Path) -> Result<(FileSource, Vec<u8>), Failure> {
    let cannot = |error: anyhow::Error| {
        Failure::new(ErrorKind::ReadFailed, error).context(format!("cannot open {}", path.display()))
    };
    let source = FileSource::open(path).map_err(|error| cannot(error.into()))?;
    let length = source.size_bytes().min(SNIFFED_BYTES) as usize;
    let start = read_vec_at(&source, 0, length).map_err(|error| cannot(error.into()))?;
    Ok((source, start))
}

/// Says what a file is that was given where only an AeroGPU trace will do.
pub(super) fn refuse_annotation(path: &Path, source: &dyn ByteSource) -> Result<(), Failure> {
    let length = source.size_bytes().min(SNIFFED_BYTES) as usize;
    let Ok(start) = read_vec_at(source, 0, length) else { return Ok(()) };
    match FileKind::of_start(&start) {
        None | Some(FileKind::Aerogpu) => Ok(()),
        Some(kind) => {
            let (name, title) = (path.display(), kind.title());
            let message = format!(
                "{name} is {title}, which annotates frames and has none to replay: expected an AeroGPU trace here; \
                 `timeline info {name}` reads it"
            );
            Err(Failure::new(ErrorKind::ReadFailed, anyhow::anyhow!(message)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_told_by_their_magic() {
        for (start, kind) in [
            (b"AEROGPUT\x01".as_slice(), Some(FileKind::Aerogpu)),
            (b"WIP15_\0\0", Some(FileKind::Wip15)),
            (b"WIP150.0a", Some(FileKind::Wip15)),
            (b"\xde\xad\xbe\xef\0", Some(FileKind::Wtf)),
            (b"\xef\xbe\xad\xde\0", Some(FileKind::Wtf)),
            (b" \n[{", Some(FileKind::Wtf)),
            (b"", None),
            (b"\x89PNG", None),
        ] {
            assert_eq!(FileKind::of_start(start), kind, "{start:?}");
        }
        assert_eq!(FileKind::meant_by(b"WIP", Path::new("a")), Some(FileKind::Wip15));
        assert_eq!(FileKind::meant_by(b"", Path::new("a.wtf-trace")), Some(FileKind::Wtf));
        assert_eq!(FileKind::meant_by(b"", Path::new("a")), None);
    }
}
