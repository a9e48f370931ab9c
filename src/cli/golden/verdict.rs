//! How outcomes are printed, written and turned into an exit code.

use std::io::{self, Write};
use std::path::Path;

use super::super::args::CommonArgs;
use super::super::exit::{Exit, Failure};
use super::super::output::print_json;
use super::super::tone::Tone;
use super::super::whole_file::{Inputs, make_folder, write_file};
use crate::error::ErrorKind;
use crate::golden::junit::junit;
use crate::golden::outcome::{CaseOutcome, FrameOutcome, OutcomeCounts, Status};
use crate::golden::report::{PageLinks, REPORT_FILE, write_report};
use crate::golden::results::{RESULTS_FILE, Results};
use crate::text::{Harmless, JsonLine, Lines, json_line};

/// Prints a case: one line, or one JSON object, and what CI services want to see.
pub(crate) fn print_case(outcome: &CaseOutcome, common: &CommonArgs, out: &mut Lines) -> Result<(), Failure> {
    let messages = common.messages();
    outcome.warnings.iter().for_each(|warning| messages.warning(format!("{}: {warning}", outcome.trace), None));
    if common.json {
        print_json(out, &JsonLine::of("case", outcome)?)?;
    } else {
        let (word, case, seconds) = (outcome.status.word(), &outcome.case, outcome.seconds);
        let summary = one_line(&outcome.summary());
        out.marked(&tone_of(outcome.status).on_stdout(word), format_args!(": {case}: {summary} ({seconds:.2} s)"))?;
        print_causes(outcome, out)?;
    }
    if !outcome.status.is_good() && std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true") {
        // Commands are read from both streams; stdout may hold JSON. This one is ours, so it stays one.
        writeln!(io::stderr(), "{}", annotation(outcome))?;
    }
    // A line is there when its case is done, whoever is reading.
    Ok(out.flush()?)
}

/// Prints why pictures differ. Pictures in a row that differ for the same reason are told of once.
fn print_causes(outcome: &CaseOutcome, out: &mut Lines) -> Result<(), Failure> {
    let reason = |frame: &FrameOutcome| (frame.cause_group.clone(), frame.input_change.clone());
    for alike in outcome.frames.chunk_by(|a, b| a.cause_group.is_some() && reason(a) == reason(b)) {
        let [first, rest @ ..] = alike else { continue };
        for reason in [&first.input_change, &first.cause].into_iter().flatten() {
            writeln!(out, "  frame {}: {reason}", first.of)?;
        }
        if let [next, .., last] = rest {
            writeln!(out, "  frames {} to {}: the same draw, for the same reason", next.of, last.of)?;
        } else if let [next] = rest {
            writeln!(out, "  frame {}: the same draw, for the same reason", next.of)?;
        }
    }
    match (&outcome.recorded, &outcome.machine) {
        (Some(recorded), Some(now)) if !outcome.status.is_good() && !recorded.draws_like(now) => {
            writeln!(out, "  recorded on {recorded}")?;
            writeln!(out, "  drawn on {now}")?;
        }
        _ => {}
    }
    Ok(())
}

fn tone_of(status: Status) -> Tone {
    match status {
        Status::Passed => Tone::Good,
        Status::KnownFailure | Status::Flaky => Tone::Odd,
        _ => Tone::Bad,
    }
}

/// The line that makes GitHub show a failure at its golden.toml.
fn annotation(outcome: &CaseOutcome) -> String {
    let data = |text: &str| Harmless(text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")).to_string();
    let property = |text: &str| data(text).replace(':', "%3A").replace(',', "%2C");
    let file = property(&format!("{}/golden.toml", outcome.folder));
    let title = property(&format!("golden {}: {}", outcome.case, outcome.status.word()));
    format!("::error file={file},title={title}::{}", data(&outcome.summary()))
}

fn one_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}

/// Prints the last line.
pub(crate) fn print_summary(
    outcomes: &[CaseOutcome],
    common: &CommonArgs,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let counts = OutcomeCounts::of(outcomes);
    if common.json {
        let line = json_line!("summary", { "text": counts.to_string() });
        print_json(out, &line)?;
    } else {
        writeln!(out, "{counts}")?;
    }
    Ok(out.flush()?)
}

/// Writes report and JUnit, where they are wanted.
pub(crate) fn write_results(
    results: &Results,
    report: Option<(&Path, &PageLinks)>,
    junit_path: Option<&Path>,
    inputs: &Inputs,
) -> Result<(), Failure> {
    if let Some((folder, links)) = report {
        [RESULTS_FILE, REPORT_FILE].iter().try_for_each(|name| inputs.refuse(&folder.join(name)))?;
        make_folder(folder)?;
        results.write(folder)?;
        write_report(results, links, folder)?;
    }
    if let Some(path) = junit_path {
        let xml = junit(&results.cases);
        write_file(path, inputs, |out| Ok(out.write_all(xml.as_bytes())?))?;
    }
    Ok(())
}

/// The most severe of all cases and frames. Nothing compared is no success.
pub(crate) fn exit_code(outcomes: &[CaseOutcome]) -> Exit {
    let worst = outcomes.iter().map(exit_of_case).reduce(Exit::worse);
    worst.unwrap_or(Exit::GoldenMissing)
}

fn exit_of_case(outcome: &CaseOutcome) -> Exit {
    match outcome.status {
        // What failed has passed when repeated.
        Status::Flaky => Exit::Nondeterministic,
        status => {
            let frames = outcome.frames.iter().map(|frame| exit_of(frame.status, frame.kind));
            // Without frames, or with an error of its own, the case says more than that it has bad frames.
            let own = (outcome.frames.is_empty() || outcome.kind.is_some()).then(|| exit_of(status, outcome.kind));
            frames.chain(own).reduce(Exit::worse).unwrap_or(Exit::GoldenMissing)
        }
    }
}

fn exit_of(status: Status, kind: Option<ErrorKind>) -> Exit {
    match status {
        Status::Passed | Status::KnownFailure => Exit::Done,
        Status::Flaky => Exit::Nondeterministic,
        Status::Missing => Exit::GoldenMissing,
        Status::NoAdapter => Exit::NoAdapter,
        Status::TimedOut => Exit::Timeout,
        Status::Crashed => Exit::ReplayFailed,
        Status::UnexpectedPass | Status::Different => Exit::Different,
        Status::Error => kind.unwrap_or(ErrorKind::ReplayFailed).into(),
    }
}

/// The code for `git bisect run`: bad only if this commit's rendering is to blame, for certain.
pub(crate) fn bisect_code(outcomes: &[CaseOutcome]) -> Exit {
    let is_bad = |outcome: &CaseOutcome| match outcome.status {
        // Of another trace other pictures are expected.
        _ if outcome.is_trace_changed => false,
        Status::Different | Status::UnexpectedPass | Status::Crashed | Status::TimedOut => true,
        // Frames were rendered, or tried; without any it is a file that is at fault.
        Status::Error => !outcome.frames.is_empty(),
        _ => false,
    };
    match outcomes {
        _ if outcomes.iter().any(is_bad) => Exit::Different,
        [_, ..] if outcomes.iter().all(|outcome| outcome.status.is_good()) => Exit::Done,
        _ => Exit::CannotTest,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(status: Status) -> CaseOutcome {
        CaseOutcome::ended("a,b".into(), "golden/a:b".into(), status, "50 %\nof it")
    }

    #[test]
    fn annotations_are_escaped() {
        assert_eq!(
            annotation(&ended(Status::Different)),
            "::error file=golden/a%3Ab/golden.toml,title=golden a%2Cb%3A different::50 %25%0Aof it"
        );
    }

    #[test]
    fn the_most_severe_end_decides() {
        let code = |statuses: &[Status]| {
            let outcomes: Vec<CaseOutcome> = statuses.iter().map(|status| ended(*status)).collect();
            (exit_code(&outcomes) as u8, bisect_code(&outcomes) as u8)
        };
        assert_eq!(code(&[]), (7, 125));
        assert_eq!(code(&[Status::Passed, Status::KnownFailure]), (0, 0));
        assert_eq!(code(&[Status::Passed, Status::Flaky]), (9, 125));
        assert_eq!(code(&[Status::Missing, Status::Flaky]), (7, 125));
        assert_eq!(code(&[Status::TimedOut, Status::Missing]), (124, 1));
        assert_eq!(code(&[Status::NoAdapter]), (5, 125));
        assert_eq!(code(&[Status::Error]), (6, 125));
        assert_eq!(code(&[Status::Different, Status::TimedOut]), (124, 1));
        assert_eq!(code(&[Status::Crashed, Status::Different]), (6, 1));
        assert_eq!(code(&[Status::UnexpectedPass]), (1, 1));
    }
}
