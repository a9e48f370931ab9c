//! `golden prune`: what lies in cases' folders and belongs to no golden.

use std::fs;
use std::io::Write;
use std::path::Path;

use super::super::args::CommonArgs;
use super::super::exit::{Exit, Failure};
use super::super::output::{print_json, stdout};
use super::args::PruneArgs;
use super::session::root;
use crate::golden::case::Case;
use crate::golden::fsck::strays;
use crate::golden::suite::find_cases;
use crate::golden::{SuiteLock, heal};
use crate::text::json_line;

pub(super) fn run(args: &PruneArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let root = root(&args.paths)?;
    let mut out = stdout();
    let mut ended = Exit::Done;
    let cases = find_cases(&args.paths.paths)?;
    let lock = if args.force { Some(SuiteLock::take(&args.paths.paths)?) } else { None };
    for found in cases {
        if let Some(lock) = &lock {
            heal(&found.folder, lock)?;
        }
        // What a broken golden.toml names is not known, so nothing of it is touched.
        let case = match Case::read(&found.folder, &root) {
            Ok(case) => case,
            Err(error) => {
                ended = ended.worse(common.messages().failure(&error.into()));
                continue;
            }
        };
        for path in strays(&case)?.iter().map(|name| case.folder.join(name)) {
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
        return Ok(print_json(out, &json_line!("unused-picture", { "path": path, "deleted": deleted }))?);
    }
    Ok(writeln!(out, "{} {}", if deleted { "deleted" } else { "would delete" }, path.display())?)
}
