//! `golden prune`: what lies in cases' folders and belongs to no golden.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::super::args::CommonArgs;
use super::super::exit::{Exit, Failure};
use super::super::output::{JSON_SCHEMA, print_json, stdout};
use super::args::PruneArgs;
use super::session::root;
use crate::golden::case::Case;
use crate::golden::suite::find_cases;
use crate::say;

pub(super) fn run(args: &PruneArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let root = root(&args.paths)?;
    let mut out = stdout();
    let mut ended = Exit::Done;
    for found in find_cases(&args.paths.paths)? {
        // What a broken golden.toml names is not known, so nothing of it is touched.
        let case = match Case::read(&found.folder, &root) {
            Ok(case) => case,
            Err(error) => {
                say!("error: {error}");
                ended = Exit::Usage;
                continue;
            }
        };
        for path in strays(&case)? {
            if args.force {
                fs::remove_file(&path)?;
            }
            print(&path, args.force, common, &mut out)?;
        }
    }
    out.flush()?;
    Ok(ended)
}

fn print(path: &Path, deleted: bool, common: &CommonArgs, out: &mut impl Write) -> Result<(), Failure> {
    if common.json {
        let path = path.display().to_string();
        return Ok(print_json(
            out,
            &json!({ "schema": JSON_SCHEMA, "type": "stray", "path": path, "deleted": deleted }),
        )?);
    }
    Ok(writeln!(out, "{} {}", if deleted { "deleted" } else { "would delete" }, path.display())?)
}

/// Pictures in the case's folder that no frame names, and new pictures that nobody approved. Nothing else is ours.
fn strays(case: &Case) -> Result<BTreeSet<PathBuf>, Failure> {
    let named: BTreeSet<&str> = case.frames.iter().map(|frame| frame.picture.as_str()).collect();
    let mut strays = BTreeSet::new();
    for entry in fs::read_dir(&case.folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let Some(name) = name.to_str() else { continue };
        let is_ours = name.starts_with("frame") && name.ends_with(".png") || name.ends_with(".new.png");
        if is_ours && !named.contains(name) && entry.file_type()?.is_file() {
            strays.insert(case.folder.join(name));
        }
    }
    Ok(strays)
}
