//! What a file is, by its first bytes.

use std::path::Path;

use super::exit::Failure;
use super::timeline::is_named_as_export;
use crate::bytes::{ByteSource, ReadError, read_vec_at};
use crate::error::ErrorKind;
use crate::format::aerogpu::is_aerogpu;
use crate::timeline::annotation::{AnnotationFormat, format_meant_by, format_of};

/// The files that we read.
#[derive(Clone, Copy)]
pub(super) enum FileKind {
    Aerogpu,
    Annotation(&'static dyn AnnotationFormat),
}

impl FileKind {
    /// Stable name, as `timeline info` prints it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Aerogpu => "aerogpu",
            Self::Annotation(format) => format.names().name,
        }
    }

    /// What people call it.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Aerogpu => "an AeroGPU trace",
            Self::Annotation(format) => format.names().title,
        }
    }

    /// The kind of file that begins so.
    pub(crate) fn of_start(start: &[u8]) -> Option<Self> {
        if is_aerogpu(start) { Some(Self::Aerogpu) } else { format_of(start).map(Self::Annotation) }
    }

    /// The kind that a damaged file was meant to be: what is left of its magic, or else its name.
    pub(crate) fn meant_by(start: &[u8], path: &Path) -> Option<Self> {
        let is_named_trace = path.extension().is_some_and(|extension| extension == "aerogputrace");
        let annotation = format_meant_by(start, path).map(Self::Annotation);
        annotation.or(is_named_trace.then_some(Self::Aerogpu))
    }
}

/// The bytes that a file is told by: spaces before the JSON of a `.wtf-json` file count.
pub(super) fn start_of(source: &dyn ByteSource) -> Result<Vec<u8>, ReadError> {
    read_vec_at(source, 0, source.size_bytes().min(64) as usize)
}

/// The first bytes of every PNG.
const PNG_SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";

/// Refuses a file that no reader knows and whose name is that of an export.
pub(super) fn refuse_export(name: &str) -> Result<(), Failure> {
    if !is_named_as_export(Path::new(name)) {
        return Ok(());
    }
    let message = format!(
        "{name} is named as an export for other viewers: expected a recording or an AeroGPU trace; \
         `timeline verify-export {name} TRACE RECORDING` checks it, given the files and options that it was made with"
    );
    Err(Failure::new(ErrorKind::ReadFailed, anyhow::anyhow!(message)))
}

/// Says what a file is that was given where only an AeroGPU trace will do.
pub(super) fn refuse_other_kind(name: &str, start: &[u8]) -> Result<(), Failure> {
    if start.starts_with(PNG_SIGNATURE) {
        let message =
            format!("{name} is a picture (PNG): expected an AeroGPU trace here; for two pictures use `diff A B`");
        return Err(Failure::new(ErrorKind::ReadFailed, anyhow::anyhow!(message)));
    }
    match FileKind::of_start(start) {
        None => refuse_export(name),
        Some(FileKind::Aerogpu) => Ok(()),
        Some(kind) => {
            let title = kind.title();
            let message = format!(
                "{name} is {title}, which annotates frames but cannot be replayed: expected an AeroGPU trace \
                    here; `timeline info {name}` reads it"
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
            (b"AEROGPUT\x01".as_slice(), Some("aerogpu")),
            (b"WIP15_\0\0", Some("wip15")),
            (b"WIP150.0a", Some("wip15")),
            (b"\xde\xad\xbe\xef\0", Some("wtf-trace")),
            (b"\xef\xbe\xad\xde\0", Some("wtf-trace")),
            (b" \n[{", Some("wtf-trace")),
            (b"", None),
            (b"\x89PNG", None),
        ] {
            assert_eq!(FileKind::of_start(start).map(FileKind::name), kind, "{start:?}");
        }
        let meant_by = |start, name| FileKind::meant_by(start, Path::new(name)).map(FileKind::name);
        assert_eq!(meant_by(b"WIP", "a"), Some("wip15"));
        assert_eq!(meant_by(b"WIP", "a.wtf-json"), Some("wip15"));
        assert_eq!(meant_by(b"", "a.wtf-trace"), Some("wtf-trace"));
        assert_eq!(meant_by(b"", "a.aerogputrace"), Some("aerogpu"));
        assert_eq!(meant_by(b"", "a"), None);
    }
}
