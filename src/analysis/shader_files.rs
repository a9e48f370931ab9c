//! Shaders as files, as `extract --shaders` writes and `--replace-shaders` reads them.

use std::convert::Infallible;
#[cfg(feature = "files")]
use std::io;
use std::path::{Path, PathBuf};

use super::{Analysis, StreamShader, StreamShaders};
use crate::abi::{CodeKind, ShaderCode};
use crate::bytes::Diagnostics;
#[cfg(feature = "files")]
use crate::bytes::{make_output_folder, write_output};
use crate::format::aerogpu::{BlobId, BlobKind, Trace};
use crate::replay::ShaderReplacements;
use crate::shader::ShaderLanguage;
use crate::shader::d3d::is_bytecode;

/// `blob7-0x1a4.wgsl`: the id, and, since ids may mean several things, the place.
pub fn blob_file_name(id: BlobId, record_offset: u64, kind: BlobKind) -> String {
    let extension = match (ShaderLanguage::of_blob(kind), kind) {
        (Some(language), _) => language.name(),
        (None, BlobKind::ShaderDxbc) => "dxbc",
        (None, _) => "bin",
    };
    format!("blob{id}-{record_offset:#x}.{extension}")
}

/// Whether a blob is a shader's text or bytecode.
pub fn is_shader(kind: BlobKind) -> bool {
    ShaderLanguage::of_blob(kind).is_some() || kind == BlobKind::ShaderDxbc
}

/// `shader3-0x1a4.dxbc`: the handle, and, since handles may mean several things, the place of the packet. Its assembly is
/// called so too, but for the end, `.asm`.
pub fn stream_shader_file_name(shader: &StreamShader<'_>) -> String {
    let StreamShader { handle, packet_offset, code_offset, code, .. } = *shader;
    let extension = match ShaderCode::of(code, code_offset).kind {
        CodeKind::Unknown => "bin",
        kind => kind.name(),
    };
    format!("shader{handle}-{packet_offset:#x}.{extension}")
}

/// The end of the names of files with assembly.
pub const ASSEMBLY_EXTENSION: &str = "asm";

/// What replaces some of the trace's shaders as files of `folder`, named as `--replace-shaders` takes them.
pub fn replacement_files<'a>(
    analysis: &Analysis,
    replacements: &'a ShaderReplacements,
    folder: &Path,
) -> Vec<(PathBuf, &'a [u8])> {
    let definitions = analysis.index.catalog().definitions();
    let replaced = definitions.into_iter().filter_map(|(id, blob)| {
        let text = replacements.get(&blob.record_offset)?;
        Some((folder.join(blob_file_name(id, blob.record_offset, blob.kind)), text.as_slice()))
    });
    let mut files: Vec<(PathBuf, &[u8])> = replaced.collect();
    if files.len() < replacements.len() {
        each_stream_shader(&analysis.trace, |shader| {
            let Some(with) = replacements.get(&shader.code_offset) else { return Ok(()) };
            let mut path = folder.join(stream_shader_file_name(shader));
            if !is_bytecode(with) {
                path.set_extension(ASSEMBLY_EXTENSION);
            }
            files.push((path, with.as_slice()));
            Ok::<(), Infallible>(())
        })
        .unwrap_or_else(|never| match never {});
    }
    files
}

/// Hands on the shaders of the trace's streams, as far as they can be read: what is damaged makes none.
pub(super) fn each_stream_shader<E>(
    trace: &Trace,
    mut each: impl FnMut(&StreamShader<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let (mut streams, mut reader, mut unnoted) =
        (StreamShaders::new(trace), trace.records(trace.stream()), Diagnostics::new());
    while let Ok(Some(record)) = reader.next_record(&mut unnoted) {
        streams.visit(&record, |shader| shader.map_or(Ok(()), |shader| each(&shader)))?;
    }
    Ok(())
}

/// Writes those files; gives their paths.
#[cfg(feature = "files")]
pub fn write_replacements(folder: &Path, files: Vec<(PathBuf, &[u8])>) -> io::Result<Vec<PathBuf>> {
    make_output_folder(folder)?;
    files
        .into_iter()
        .map(|(path, text)| {
            write_output(&path, |into| -> io::Result<()> { into.write_all(text) })?;
            Ok(path)
        })
        .collect()
}
