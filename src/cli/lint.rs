//! `lint TRACE`: what is legal in a trace and still looks like a mistake.

use std::io::Write;
use std::path::PathBuf;

use super::args::CommonArgs;
use super::conformance_file::{read_table, sentence, uses_that_fail};
use super::exit::{Exit, Failure};
use super::filter::FilterArgs;
use super::index::make_index;
use super::open::{OpenedFile, completeness, open_file};
use super::output::{print_json, stdout};
use super::progress::{Printing, Waiting};
use crate::bytes::Diagnostics;
use crate::error::ErrorKind;
use crate::format::aerogpu::{DamageTolerance, Trace};
use crate::replay::{LintFault, LintFinding, LintReport, lint_trace};
use crate::text::{JsonLine, json_line};

#[derive(Debug, clap::Args)]
pub(super) struct LintArgs {
    /// The trace
    #[arg(value_name = "TRACE")]
    pub trace: PathBuf,
    /// Also list commands like those that fail in this table of doctor --conformance
    #[arg(long, value_name = "TABLE")]
    pub conformance: Option<PathBuf>,
    #[command(flatten)]
    pub filter: FilterArgs,
}

pub(super) fn run(args: &LintArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    args.filter.check(None)?;
    let table = args.conformance.as_deref().map(read_table).transpose()?;
    let file = open_file(&args.trace, common)?;
    let trace = file.trace(common)?;
    let index = make_index(&trace, common);
    let waiting = Waiting::on("looking for mistakes", Printing::WhenDone, common);
    let LintReport { findings: mut found, damage } = lint_trace(&trace, &index, container_findings(&file))?;
    if let Some(table) = &table {
        let fails = uses_that_fail(&trace, table, None)?;
        found.extend(fails.iter().map(|fails| LintFinding {
            offset: fails.at.offset,
            rule: "conformance",
            what: format!("frame {}: {}", fails.at.frame, sentence(fails)),
            fault: None,
        }));
        found.sort_unstable();
    }
    drop(waiting);
    found.retain(|suspicion| args.filter.accepts_object(suspicion.rule, &as_json(suspicion)));
    let mut out = stdout();
    for suspicion in &found {
        if common.json {
            print_json(&mut out, &as_json(suspicion))?;
        } else {
            let LintFinding { offset, rule, what, fault } = suspicion;
            let end = match fault {
                None => "",
                Some(LintFault { ends_submission: true, .. }) => {
                    "; an error: the rest of the submission is not carried out"
                }
                Some(LintFault { ends_submission: false, .. }) => "; an error: it alone is not carried out",
            };
            writeln!(out, "{offset:#x}: {rule}: {what}{end}")?;
        }
    }
    out.flush()?;
    if common.strict && !found.is_empty() {
        let count = found.len();
        return Err(Failure::say(ErrorKind::Malformed, format!("{count} suspicions (--strict)")));
    }
    Ok(damage.map_or_else(|| completeness(&trace), Exit::from))
}

fn as_json(LintFinding { offset, rule, what, fault }: &LintFinding) -> JsonLine {
    json_line!("lint", {
        "rule": rule, "offset": offset, "what": what, "kind": fault.map(|fault| fault.kind),
        "ends_submission": fault.map(|fault| fault.ends_submission),
    })
}

/// What opening the trace notes; the first opening has told it to whoever reads stderr.
fn container_findings(file: &OpenedFile) -> Diagnostics {
    let mut diagnostics = Diagnostics::new();
    // It did open a moment ago.
    let _ = Trace::open_or_recover(file.source.clone(), DamageTolerance::Truncation, &mut diagnostics);
    diagnostics
}
