//! `golden test`: renders, compares, reports.

use std::io::Write;
use std::path::PathBuf;

use super::super::args::CommonArgs;
use super::super::exit::{Exit, Failure};
use super::super::output::stdout;
use super::super::progress::{Printing, Progress};
use super::super::whole_file::{Inputs, make_folder};
use super::args::TestArgs;
use super::session::{root, worker_command};
use super::verdict::{bisect_code, exit_code, print_case, print_summary, write_results};
use crate::bytes::read_input;
use crate::golden::GoldenError;
use crate::golden::case::Case;
use crate::golden::outcome::{CaseOutcome, FrameOutcome};
use crate::golden::report::{PageLinks, REPORT_FILE};
use crate::golden::results::{RESULTS_SCHEMA, Results};
use crate::golden::shard::Shard;
use crate::golden::suite::{SuiteOptions, WarningPolicy, find_cases, test_cases};
use crate::gpu::{NAGA_VERSION, WGPU_VERSION};
use crate::text::counted;
use crate::worker::WorkerCommand;

pub(super) fn run(args: &TestArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let tested = (|| {
        let worker = worker_command(&args.process)?;
        test(args, common, &worker)
    })();
    match tested {
        Ok(_) if args.git_bisect => tested.map(|(outcomes, exit)| match exit {
            Exit::Interrupted => Exit::Interrupted,
            _ => bisect_code(&outcomes),
        }),
        Ok((outcomes, exit)) => {
            note_new_pictures(&outcomes, args, common);
            Ok(exit)
        }
        Err(failure) if args.git_bisect => {
            common.messages().failure(&failure);
            Ok(Exit::CannotTest)
        }
        Err(failure) => Err(failure),
    }
}

/// Says where new pictures are, and how they become the goldens.
fn note_new_pictures(outcomes: &[CaseOutcome], args: &TestArgs, common: &CommonArgs) {
    let has_pictures = outcomes.iter().any(|outcome| !outcome.frames.is_empty());
    if let (Some(folder), true) = (&args.report, has_pictures && !common.json) {
        let page = folder.join(REPORT_FILE);
        common.messages().note(format!("{} can be sent alone: its pictures are in it", page.display()), None);
    }
    let is_new = |frame: &FrameOutcome| !frame.status.is_good() && frame.sha256.is_some();
    let changed: Vec<&CaseOutcome> = outcomes.iter().filter(|outcome| outcome.frames.iter().any(is_new)).collect();
    if changed.is_empty() || common.json {
        return;
    }
    let mut command = "golden review".to_owned();
    for path in &args.paths.paths {
        command += &format!(" {}", path.display());
    }
    if changed.iter().any(|outcome| outcome.is_trace_changed) {
        command += " --allow-trace-change";
    }
    let message = format!("new pictures are beside the goldens (*.new.png); `{command}` accepts or rejects them");
    common.messages().note(message, None);
}

/// Tests, prints and writes; also for `review`.
pub(super) fn test(
    args: &TestArgs,
    common: &CommonArgs,
    worker: &WorkerCommand,
) -> Result<(Vec<CaseOutcome>, Exit), Failure> {
    let read = |page: &PathBuf| read_input(page).map_err(|source| GoldenError::Read { path: page.clone(), source });
    let page = args.page.as_ref().map(read).transpose()?;
    let all = find_cases(&args.paths.paths)?;
    let suite = all.len();
    let shard = args.shard.unwrap_or(Shard { index: 1, count: 1 });
    let cases = shard.of(all);
    let keep = args.report.as_ref().map(|folder| folder.join("pictures"));
    if let Some(keep) = &keep {
        make_folder(keep)?;
    }
    let cpus = || std::thread::available_parallelism().map_or(1, usize::from);
    let options = SuiteOptions {
        worker: worker.clone(),
        jobs: args.jobs.map_or_else(cpus, usize::from),
        retries: args.retries,
        root: root(&args.paths)?,
        warning_policy: if common.strict { WarningPolicy::Refused } else { WarningPolicy::Reported },
        keep,
    };
    let mut out = stdout();
    let mut printed: Result<(), Failure> = Ok(());
    let mut progress = Progress::of("testing cases", cases.len(), Printing::AsItGoes, common);
    let outcomes = test_cases(&cases, &options, |outcome| {
        progress.step();
        if printed.is_ok() {
            printed = print_case(outcome, common, &mut out);
        }
    });
    drop(progress);
    printed?;
    print_summary(&outcomes, common, &mut out)?;
    let results = Results {
        schema: RESULTS_SCHEMA,
        tool: versions(),
        shaders: args.process.shaders.shaders.to_string(),
        shard: [shard.index, shard.count],
        suite,
        command: reproduce(args),
        cases: outcomes,
    };
    let inputs = cases.iter().fold(Inputs::default(), |inputs, found| {
        let trace = Case::read(&found.folder, &options.root).ok().map(|case| case.trace);
        inputs.and_folder(&found.folder).and(trace)
    });
    let inputs = inputs.and(&args.page);
    let none = PageLinks::default();
    let report = args.report.as_deref().map(|folder| (folder, &none));
    write_results(&results, report, args.junit.as_deref(), &inputs)?;
    // Nothing of the results is lost if the links fail.
    if let (Some(folder), Some(page), false) = (&args.report, &page, worker.is_interrupted()) {
        let links = PageLinks::write(&results, folder, page, |path| inputs.refuse(path))?;
        if let Some(first) = links.unlinked.first() {
            let pictures = counted(links.unlinked.len(), "picture");
            common.messages().note(format!("{pictures} without a link to the page; the first is {first}"), None);
        }
        write_results(&results, Some((folder, &links)), None, &inputs)?;
    }
    out.flush()?;
    let outcomes = results.cases;
    if worker.is_interrupted() {
        common.messages().say(format!("interrupted: {} of {} cases finished", outcomes.len(), cases.len()));
        return Ok((outcomes, Exit::Interrupted));
    }
    if cases.is_empty() {
        // The suite is not: other shards hold its cases, and `merge` sees to it that they all have results.
        common
            .messages()
            .say(format!("shard {shard} holds none of {suite_cases}", suite_cases = counted(suite, "case")));
        return Ok((outcomes, Exit::Done));
    }
    let exit = exit_code(&outcomes);
    Ok((outcomes, exit))
}

/// The program, and what of others decides about pictures.
fn versions() -> String {
    let (name, version) = (env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
    format!("{name} {version}, wgpu {WGPU_VERSION}, naga {NAGA_VERSION}")
}

/// The command that tests one case again, without its folder.
fn reproduce(args: &TestArgs) -> String {
    let mut words = vec!["aerogpu-replay golden test".to_owned()];
    words.extend(args.process.arguments().into_iter().map(|word| {
        if word.contains(|c: char| !c.is_ascii_alphanumeric() && c != '-') { format!("{word:?}") } else { word }
    }));
    words.join(" ")
}
