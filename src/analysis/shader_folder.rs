//! A folder of edited shaders: which of them are other than the trace's, and whether they can stand in for those.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::shader_files::{ASSEMBLY_EXTENSION, each_stream_shader, stream_shader_file_name};
use super::stream_shaders::StreamShader;
use crate::bytes::read_input;
use crate::error::{Classified, ErrorKind};
use crate::format::aerogpu::Trace;
use crate::limits::MAX_SHADER_BYTES;
use crate::replay::{ReplacementError, ShaderReplacements, check_replacement};
use crate::shader::d3d::{decode, disassemble};
use crate::text::counted;

/// Why a folder's files don't stand in for the shaders of streams.
#[derive(Debug, Error)]
pub enum ShaderFolderError {
    /// A file could not be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        r#source: io::Error,
    },
    /// A file is too large.
    #[error(
        "{} has {found_bytes}: this build's limit for a shader is {limit}",
        path.display(),
        found_bytes = counted(.found, "byte")
    )]
    OverLimit {
        /// The file.
        path: PathBuf,
        /// Its size.
        found: u64,
        /// The limit.
        limit: u64,
    },
    /// Bytecode and its assembly have both been edited.
    #[error(
        "{} and {} both differ from the trace's shader: expected only one of them to be edited",
        code.display(),
        assembly.display()
    )]
    BothEdited {
        /// The bytecode.
        code: PathBuf,
        /// The assembly.
        assembly: PathBuf,
    },
    /// A shader cannot stand in for the trace's.
    #[error("{}: {error}", path.display())]
    Refused {
        /// The file.
        path: PathBuf,
        /// Why not.
        error: ReplacementError,
    },
}

impl Classified for ShaderFolderError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Read { .. } => ErrorKind::Usage,
            Self::OverLimit { .. } => ErrorKind::OverLimit,
            Self::BothEdited { .. } => ErrorKind::Usage,
            Self::Refused { error, .. } => error.kind(),
        }
    }

    /// No place of a folder is one in the trace.
    fn offset(&self) -> Option<u64> {
        None
    }
}

/// Adds the files of `folder` that are named as `extract --shaders` names shaders of streams, and are other than those. Says
/// how many files are named so.
pub fn read_stream_replacements(
    trace: &Trace,
    folder: &Path,
    replacements: &mut ShaderReplacements,
) -> Result<usize, ShaderFolderError> {
    let mut found = 0;
    each_stream_shader(trace, |shader| {
        let code_path = folder.join(stream_shader_file_name(shader));
        let assembly_path = code_path.with_extension(ASSEMBLY_EXTENSION);
        let (code, assembly) = (read_if_there(&code_path)?, read_if_there(&assembly_path)?);
        found += usize::from(code.is_some()) + usize::from(assembly.is_some());
        let code = code.filter(|code| code != shader.code).map(|code| (&code_path, code));
        let assembly = assembly.filter(|text| is_edited(text, shader)).map(|text| (&assembly_path, text));
        let (path, with) = match (code, assembly) {
            (Some(_), Some(_)) => {
                return Err(ShaderFolderError::BothEdited { code: code_path, assembly: assembly_path });
            }
            (Some(edited), None) | (None, Some(edited)) => edited,
            (None, None) => return Ok(()),
        };
        check_replacement(shader.code, shader.code_offset, &with)
            .map_err(|error| ShaderFolderError::Refused { path: path.clone(), error })?;
        replacements.insert(shader.code_offset, with);
        Ok(())
    })?;
    Ok(found)
}

/// The name that a replacement of the first shader in the trace's submissions has, as an example.
pub fn first_stream_shader_file(trace: &Trace) -> Option<PathBuf> {
    let first = each_stream_shader(trace, |shader| Err(PathBuf::from(stream_shader_file_name(shader))));
    first.err().map(|name| name.with_extension(ASSEMBLY_EXTENSION))
}

fn read_if_there(path: &Path) -> Result<Option<Vec<u8>>, ShaderFolderError> {
    let cannot = |source| ShaderFolderError::Read { path: path.to_owned(), source };
    match std::fs::metadata(path) {
        Ok(metadata) if metadata.len() > MAX_SHADER_BYTES => {
            let (path, found, limit) = (path.to_owned(), metadata.len(), MAX_SHADER_BYTES);
            Err(ShaderFolderError::OverLimit { path, found, limit })
        }
        Ok(_) => read_input(path).map(Some).map_err(cannot),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(cannot(error)),
    }
}

/// Whether a text says something else than the trace's shader does. Comments say nothing.
fn is_edited(text: &[u8], shader: &StreamShader<'_>) -> bool {
    let Ok(program) = decode(shader.code, shader.code_offset) else { return true };
    let lines = |text: &str| -> Vec<String> {
        let said = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//"));
        said.map(str::to_owned).collect()
    };
    lines(&String::from_utf8_lossy(text)) != lines(&disassemble(&program))
}
