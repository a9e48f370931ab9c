//! `golden list`: the cases there are.

use std::collections::BTreeSet;
use std::io::Write;

use super::super::args::CommonArgs;
use super::super::exit::{Exit, Failure};
use super::super::output::{print_json, stdout};
use super::args::PathsArgs;
use super::session::root;
use crate::format::aerogpu::FrameIndex;
use crate::golden::case::Case;
use crate::golden::suite::find_cases;
use crate::text::counted;
use crate::text::json_line;

pub(super) fn run(args: &PathsArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let root = root(args)?;
    let mut out = stdout();
    let mut ended = Exit::Done;
    for found in find_cases(&args.paths)? {
        match Case::read(&found.folder, &root) {
            Ok(case) => print(&case, common, &mut out)?,
            // The others are listed all the same.
            Err(error) => ended = ended.worse(common.messages().failure(&error.into())),
        }
    }
    out.flush()?;
    Ok(ended)
}

fn print(case: &Case, common: &CommonArgs, out: &mut impl Write) -> Result<(), Failure> {
    let known = case.pictures.iter().filter(|golden| golden.known_failure.is_some()).count();
    let missing = case.pictures.iter().filter(|golden| !case.folder.join(&golden.picture).is_file()).count();
    let frames: BTreeSet<FrameIndex> = case.pictures.iter().map(|golden| golden.of.frame).collect();
    if common.json {
        let line = json_line!("golden-case", { "case": case.name(), "folder": case.folder.display().to_string(),
            "trace": case.trace.display().to_string(), "width": case.size.width_px, "height": case.size.height_px,
            "frames": frames, "pictures": case.pictures.iter().map(|golden| golden.of).collect::<Vec<_>>(),
            "known_failures": known, "missing_pictures": missing, "recorded": case.recorded,
        });
        return Ok(print_json(out, &line)?);
    }
    let (count, pictures) = (frames.len(), case.pictures.len());
    let pictures = if pictures == count { String::new() } else { format!(", {}", counted(pictures, "picture")) };
    let known = if known > 0 { format!(", {known} known to fail") } else { String::new() };
    let missing = if missing > 0 { format!(", {missing} without golden") } else { String::new() };
    let (folder, trace, size) = (case.folder.display(), case.trace.display(), case.size);
    Ok(writeln!(
        out,
        "{folder}: {frames} of {size}{pictures}{known}{missing}, of {trace}, on {}",
        case.recorded,
        frames = counted(count, "frame")
    )?)
}
