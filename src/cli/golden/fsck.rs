//! `golden fsck`: what is wrong with cases' files.

use std::io::Write;
use std::path::Path;

use super::super::args::CommonArgs;
use super::super::exit::{Exit, Failure};
use super::super::output::{print_json, stdout};
use super::args::FsckArgs;
use super::session::root;
use crate::golden::SuiteLock;
use crate::golden::fsck::{Problem, check, mend};
use crate::golden::suite::find_cases;
use crate::text::json_line;

pub(super) fn run(args: &FsckArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let root = root(&args.paths)?;
    let cases = find_cases(&args.paths.paths)?;
    // Looking needs no lock, and must not be kept from it.
    let lock = if args.force { Some(SuiteLock::take(&args.paths.paths)?) } else { None };
    let mut out = stdout();
    let mut ended = Exit::Done;
    let (mut found, mut left) = (0, 0);
    for case in &cases {
        let problems = match &lock {
            Some(lock) => mend(&case.folder, &root, lock),
            None => check(&case.folder, &root),
        };
        match problems {
            Ok(problems) => {
                for problem in &problems {
                    let is_mended = args.force && problem.is_mendable();
                    found += 1;
                    left += usize::from(!is_mended);
                    print(&case.folder, problem, is_mended, common, &mut out)?;
                }
            }
            Err(error) => ended = ended.worse(common.messages().failure(&error.into())),
        }
    }
    if !common.json {
        let (cases, problems) = (count(cases.len(), "case"), count(found, "problem"));
        writeln!(out, "{cases}, {problems}{}", if args.force { format!(", {left} left") } else { String::new() })?;
    }
    out.flush()?;
    Ok(if left > 0 { ended.worse(Exit::Different) } else { ended })
}

fn count(number: usize, name: &str) -> String {
    format!("{number} {name}{}", if number == 1 { "" } else { "s" })
}

fn print(
    folder: &Path,
    problem: &Problem,
    is_mended: bool,
    common: &CommonArgs,
    out: &mut impl Write,
) -> Result<(), Failure> {
    if common.json {
        let line = json_line!("problem", { "folder": folder.display().to_string(),
            "kind": problem.name(), "message": problem.to_string(), "repaired": is_mended,
        });
        return Ok(print_json(out, &line)?);
    }
    Ok(writeln!(out, "{}: {}: {problem}", if is_mended { "repaired" } else { "found" }, folder.display())?)
}
