//! Shader texts as files, as `extract --shaders` writes and `--replace-shaders` reads them.

#[cfg(feature = "files")]
use std::io;
use std::path::{Path, PathBuf};

use super::Analysis;
#[cfg(feature = "files")]
use crate::bytes::write_whole;
use crate::format::aerogpu::{BlobId, BlobKind};
use crate::replay::ShaderReplacements;
use crate::shader::ShaderLanguage;

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

/// The texts that replace some of the trace's as files of `folder`, named as `--replace-shaders` takes them.
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
    replaced.collect()
}

/// Writes those files; gives their paths.
#[cfg(feature = "files")]
pub fn write_replacements(folder: &Path, files: Vec<(PathBuf, &[u8])>) -> io::Result<Vec<PathBuf>> {
    std::fs::create_dir_all(folder)?;
    files
        .into_iter()
        .map(|(path, text)| {
            write_whole(&path, |into| -> io::Result<()> { into.write_all(text) })?;
            Ok(path)
        })
        .collect()
}
