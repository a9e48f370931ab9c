//! `lint TRACE`: what is legal in a trace and still looks like a mistake.
//!
//! A person reads a line for each rule and thing, with a count and the first place. `--json` has every finding.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::args::CommonArgs;
use super::conformance_file::{read_table, uses_that_fail, verdict};
use super::exit::{Exit, Failure};
use super::filter::{FilterArgs, ROW_FILTER_GRAMMAR};
use super::frame_set::FrameSet;
use super::index::make_index;
use super::open::{completeness, open_file};
use super::output::{print_json, stdout};
use super::progress::{Printing, Waiting};
use crate::conformance::FailingUse;
use crate::error::ErrorKind;
use crate::replay::{LintFault, LintFinding, LintGroup, LintReport, LintRule, LintSite, LintSites, lint_opened};
use crate::text::{JsonLine, counted};

/// Every rule, among the names that `--deny` takes.
const ALL: &str = "all";

#[derive(Debug, clap::Args)]
pub(super) struct LintArgs {
    /// The trace
    #[arg(value_name = "TRACE")]
    pub trace: PathBuf,
    /// Also list commands with a condition that fails in this table of doctor --conformance
    #[arg(long, value_name = "TABLE")]
    pub conformance: Option<PathBuf>,
    /// Exit with code 1 if RULE finds anything; all means every rule
    #[arg(long, value_name = "RULE", value_parser = denied(), hide_possible_values = true)]
    pub deny: Vec<DeniedRule>,
    /// Leave out findings of RULE
    #[arg(long, value_name = "RULE", value_parser = allowed(), hide_possible_values = true)]
    pub allow: Vec<LintRule>,
    /// Only findings in these frames
    #[arg(long, visible_alias = "frame", value_name = "SET", allow_hyphen_values = true)]
    pub frames: Option<FrameSet>,
    #[command(flatten)]
    pub filter: FilterArgs,
}

/// Value of `--deny`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DeniedRule {
    All,
    One(LintRule),
}

fn names() -> impl Iterator<Item = &'static str> {
    LintRule::ALL.iter().map(|rule| rule.name())
}

fn denied() -> impl TypedValueParser<Value = DeniedRule> {
    let parser = PossibleValuesParser::new(names().chain([ALL]));
    // No other name than that of all is none of a rule.
    parser.map(|name| LintRule::from_name(&name).map_or(DeniedRule::All, DeniedRule::One))
}

fn allowed() -> impl TypedValueParser<Value = LintRule> {
    PossibleValuesParser::new(names()).try_map(|name| LintRule::from_name(&name).ok_or("there is no such rule"))
}

/// Said below the help.
pub(super) fn after_help() -> String {
    format!("Rules: {}.\n\n{ROW_FILTER_GRAMMAR}", names().collect::<Vec<_>>().join(", "))
}

pub(super) fn run(args: &LintArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    args.check()?;
    let table = args.conformance.as_deref().map(read_table).transpose()?;
    let file = open_file(&args.trace, common)?;
    let trace = file.trace(common)?;
    let index = make_index(&trace, common);
    let waiting = Waiting::on("looking for mistakes", Printing::WhenDone, common);
    let LintReport { findings: mut found, damage } = lint_opened(&trace, &index)?;
    if let Some(table) = &table {
        found.extend(uses_that_fail(&trace, table, None)?.iter().map(of_table));
        found.sort_unstable();
    }
    found.retain(|finding| !args.allow.contains(&finding.rule));
    let frame_count = trace.frames().len() as u32;
    let frames = args.frames.as_ref().map(|set| set.numbers(frame_count)).transpose().map_err(Failure::usage)?;
    let sites = LintSites::of(&trace, &index, &found)?;
    if let Some(frames) = &frames {
        found.retain(|finding| sites.of_finding(finding).frame().is_some_and(|frame| frames.contains(&frame.0)));
    }
    let is_clean = found.is_empty();
    drop(waiting);
    let accepts = |finding: &LintFinding| {
        args.filter.accepts_object(finding.rule.name(), &as_json(finding, sites.of_finding(finding)))
    };
    found.retain(accepts);
    print(&found, &sites, common)?;
    args.filter.note_if_nothing_matched(common);
    if is_clean && !common.json {
        let commands = counted(index.command_count(), "command");
        let where_asked = if frames.is_some() { " in these frames" } else { "" };
        common
            .messages()
            .note(format!("no findings{where_asked}: {commands} checked by {} rules", LintRule::ALL.len()), None);
    }
    if common.strict && !found.is_empty() {
        let count = counted(found.len(), "finding");
        return Err(Failure::say(ErrorKind::Malformed, format!("{count} (--strict)")));
    }
    let exit = match damage {
        Some(_) if common.keep_going => Exit::Partial,
        Some(kind) => kind.into(),
        None => completeness(&trace),
    };
    let denied = args.denied(&found);
    if denied.is_empty() {
        return Ok(exit);
    }
    let counts = denied.iter().map(|(rule, count)| format!("{rule}: {count}"));
    let message = format!("findings that --deny forbids: {}", counts.collect::<Vec<_>>().join(", "));
    common.messages().error(ErrorKind::Malformed, Exit::Different, message, None);
    Ok(exit.worse(Exit::Different))
}

impl LintArgs {
    fn check(&self) -> Result<(), Failure> {
        self.filter.check(None)?;
        let both = self.allow.iter().find(|rule| self.deny.contains(&DeniedRule::One(**rule)));
        both.map_or(Ok(()), |rule| Err(Failure::usage(format!("{rule} is both in --allow and in --deny"))))
    }

    /// Number of findings of each rule that is denied.
    fn denied(&self, found: &[LintFinding]) -> BTreeMap<LintRule, u64> {
        let is_denied = |rule| self.deny.iter().any(|denied| [DeniedRule::All, DeniedRule::One(rule)].contains(denied));
        let mut counts = BTreeMap::new();
        for finding in found.iter().filter(|finding| is_denied(finding.rule)) {
            let count: &mut u64 = counts.entry(finding.rule).or_default();
            *count = count.saturating_add(finding.count);
        }
        counts
    }
}

fn print(found: &[LintFinding], sites: &LintSites<'_>, common: &CommonArgs) -> Result<(), Failure> {
    let mut out = stdout();
    if common.json {
        for finding in found {
            print_json(&mut out, &as_json(finding, sites.of_finding(finding)))?;
        }
    } else {
        let groups = LintGroup::of(found);
        for group in &groups {
            writeln!(out, "{}", line(group, sites.of_finding(group.first)))?;
        }
        if found.len() > groups.len() {
            let (findings, lines) = (counted(found.len(), "finding"), counted(groups.len(), "line"));
            writeln!(out, "{findings} in {lines}: --json lists each")?;
        }
    }
    Ok(out.flush()?)
}

/// A group in a line.
fn line(group: &LintGroup<'_>, site: LintSite) -> String {
    let end = match group.first.fault {
        None => "",
        Some(LintFault { ends_submission: true, .. }) => "; an error: the replay skips the rest of the submission",
        Some(LintFault { ends_submission: false, .. }) => "; an error: the replay skips this command",
    };
    let at = if group.count == 1 { "at" } else { "first at" };
    format!("{group}, {at} {site}{end}")
}

fn of_table(fails: &FailingUse) -> LintFinding {
    let what = format!("{}: {}", fails.condition, verdict(fails));
    LintFinding::new(fails.at.offset, LintRule::Conformance, what).times(fails.commands)
}

fn as_json(finding: &LintFinding, site: LintSite) -> JsonLine {
    JsonLine::new("lint", []).and(finding.members(site))
}
