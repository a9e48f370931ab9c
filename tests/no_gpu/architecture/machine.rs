//! A renderer in parts, told by ops alone.

use super::{code, parsed, rust_files, source_root};
use std::path::PathBuf;

/// Ops have all that they need, or say where it lies: whoever draws them need not have carried out commands.
pub fn gpu_draws_from_ops_alone() {
    let files = rust_files(&source_root().join("gpu"));
    assert!(files.len() > 60, "found only {} files", files.len());
    let wrong: Vec<PathBuf> = files.into_iter().filter(|file| code(file).contains("Executor")).collect();
    assert!(wrong.is_empty(), "expected ops and an OpContext in {wrong:#?}");
}

/// Each field of a renderer is a part with an owner of its own.
pub fn a_renderer_has_few_parts() {
    const MOST: usize = 10;
    let file = parsed(&source_root().join("gpu/renderer.rs"));
    let fields = file.items.iter().find_map(|item| match item {
        syn::Item::Struct(item) if item.ident == "Renderer" => Some(item.fields.len()),
        _ => None,
    });
    let fields = fields.unwrap();
    assert!((2..=MOST).contains(&fields), "a renderer has {fields} fields, expected at most {MOST}");
}
