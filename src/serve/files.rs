//! Traces and shaders in files of this system.

use std::fs;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::analysis::{blob_file_name, read_stream_replacements, write_replacements};
use crate::bytes::{DecodedFrom, FileIdentity, FileSource, read_input};
use crate::error::{Classified, ErrorKind};
use crate::format::aerogpu::Trace;
use crate::limits::MAX_SHADER_BYTES;
use crate::replay::{ShaderReplacements, TraceIndex};
use crate::session::{OpenedFile, SessionError, TraceFiles};

/// Files of this system, by their paths.
#[derive(Clone, Copy, Debug)]
pub(super) struct SystemFiles;

impl TraceFiles for SystemFiles {
    fn open(&self, name: &str, is_given_up: &dyn Fn() -> bool) -> Result<OpenedFile, SessionError> {
        let file = |source: io::Error| SessionError::File { path: name.to_owned(), source };
        let mut watch = |_| if is_given_up() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        let source = FileSource::open_watched(Path::new(name), &mut watch).map_err(|error| match error.kind() {
            ErrorKind::Interrupted => SessionError::Cancelled,
            _ => SessionError::Open { path: name.to_owned(), error },
        })?;
        let identity = FileIdentity::of(Path::new(name)).map_err(file)?;
        let (state, trailing) = (source.state(), source.decoded_from().and_then(DecodedFrom::trailing));
        let warnings = trailing.into_iter().collect();
        Ok(OpenedFile { source: Arc::new(source), identity: Some(identity), state: Some(state), warnings })
    }

    fn replacements(
        &self,
        folder: &str,
        trace: &Trace,
        index: &TraceIndex,
    ) -> Result<ShaderReplacements, SessionError> {
        read_replacements(folder, trace, index)
    }

    fn save(&self, folder: &str, files: Vec<(PathBuf, &[u8])>) -> Result<Vec<PathBuf>, SessionError> {
        let written = write_replacements(Path::new(folder), files);
        written.map_err(|source| SessionError::File { path: folder.to_owned(), source })
    }
}

/// The shaders of `folder` that have the name of one of the trace's.
fn read_replacements(folder: &str, trace: &Trace, index: &TraceIndex) -> Result<ShaderReplacements, SessionError> {
    let mut replacements = ShaderReplacements::new();
    for (id, blob) in index.catalog().definitions() {
        let path = Path::new(folder).join(blob_file_name(id, blob.record_offset, blob.kind));
        let file = |source| SessionError::File { path: path.display().to_string(), source };
        match fs::metadata(&path) {
            Ok(metadata) if metadata.len() > MAX_SHADER_BYTES => {
                let limit = MAX_SHADER_BYTES;
                let (what, instead) = ("a shader's text", "shorten it");
                return Err(SessionError::TooLarge { what, found: metadata.len(), limit, instead });
            }
            Ok(_) => {
                replacements.insert(blob.record_offset, read_input(&path).map_err(file)?);
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(file(error)),
        }
    }
    read_stream_replacements(trace, Path::new(folder), &mut replacements)?;
    Ok(replacements)
}
