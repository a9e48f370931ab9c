//! `golden merge`: the results of all shards as one.

use std::path::PathBuf;

use super::super::args::CommonArgs;
use super::super::exit::{Exit, Failure};
use super::super::output::stdout;
use super::super::whole_file::Inputs;
use super::args::MergeArgs;
use super::verdict::{exit_code, print_case, print_summary, write_results};
use crate::golden::report::PageLinks;
use crate::golden::results::{RESULTS_FILE, Results, merge};

pub(super) fn run(args: &MergeArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let read = |folder: &PathBuf| Results::read(folder).map(|results| (folder.clone(), results));
    let files = args.folders.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    let merged = merge(files)?;
    let mut out = stdout();
    for outcome in &merged.cases {
        print_case(outcome, common, &mut out)?;
    }
    print_summary(&merged.cases, common, &mut out)?;
    let inputs = Inputs::of(args.folders.iter().map(|folder| folder.join(RESULTS_FILE)));
    let links = PageLinks::default();
    let report = args.report.as_deref().map(|folder| (folder, &links));
    write_results(&merged, report, args.junit.as_deref(), &inputs)?;
    Ok(exit_code(&merged.cases))
}
