//! Shader texts as files, as `extract --shaders` writes and `--replace-shaders` reads them.

use std::io;
use std::path::{Path, PathBuf};

use super::Inquiry;
use crate::bytes::write_whole;
use crate::format::aerogpu::{BlobId, BlobKind};
use crate::replay::ShaderReplacements;

/// `blob7-0x1a4.wgsl`: the id, and, since ids may mean several things, the place.
pub fn blob_file_name(id: BlobId, record_offset: u64, kind: BlobKind) -> String {
    let extension = match kind {
        BlobKind::ShaderWgsl => "wgsl",
        BlobKind::ShaderGlslEs300 => "glsl",
        BlobKind::ShaderDxbc => "dxbc",
        _ => "bin",
    };
    format!("blob{id}-{record_offset:#x}.{extension}")
}

/// Whether a blob is a shader's text or bytecode.
pub fn is_shader(kind: BlobKind) -> bool {
    matches!(kind, BlobKind::ShaderWgsl | BlobKind::ShaderGlslEs300 | BlobKind::ShaderDxbc)
}

/// Writes the texts that replace some of the trace's into `folder`, as `--replace-shaders` takes them; gives the paths.
pub fn write_replacements(
    inquiry: &Inquiry,
    replacements: &ShaderReplacements,
    folder: &Path,
) -> io::Result<Vec<PathBuf>> {
    std::fs::create_dir_all(folder)?;
    let mut paths = Vec::new();
    for (id, blob) in inquiry.index.catalog().definitions() {
        if let Some(text) = replacements.get(&blob.record_offset) {
            let path = folder.join(blob_file_name(id, blob.record_offset, blob.kind));
            write_whole(&path, |into| -> io::Result<()> { into.write_all(text) })?;
            paths.push(path);
        }
    }
    Ok(paths)
}
