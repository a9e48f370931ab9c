//! `golden review`: tests, then asks about each frame whose picture has changed.

use std::io::{self, BufRead, Write};
use std::path::Path;

use super::super::args::CommonArgs;
use super::super::exit::{Exit, Failure};
use super::super::output::stdout;
use super::approve::print_approved;
use super::args::ReviewArgs;
use super::session::{root, worker_command};
use super::test::test;
use crate::format::aerogpu::FrameIndex;
use crate::golden::approve::Approver;
use crate::golden::case::Case;
use crate::golden::outcome::{CaseOutcome, FrameOutcome, Status};
use crate::say;

enum Reply {
    Approve,
    Leave,
    Stop,
}

pub(super) fn run(args: &ReviewArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let worker = worker_command(&args.test.process)?;
    let (outcomes, exit) = test(&args.test, common, &worker)?;
    if exit == Exit::Interrupted {
        return Ok(exit);
    }
    let root = root(&args.test.paths)?;
    let approver = Approver { worker: &worker, allowances: (&args.allow).into() };
    let mut left = outcomes.iter().filter(|outcome| !outcome.status.is_good()).count();
    let mut input = io::stdin().lock();
    for outcome in &outcomes {
        if outcome.is_trace_changed && !args.allow.allow_trace_change {
            say!("{}: not asked about: {}", outcome.case, outcome.summary());
            continue;
        }
        let mut approved = Vec::new();
        for frame in outcome.frames.iter().filter(|frame| is_question(frame)) {
            match ask(outcome, frame, args, &mut input)? {
                Reply::Approve => approved.push(FrameIndex(frame.frame)),
                Reply::Leave => {}
                Reply::Stop => return Ok(exit),
            }
        }
        let is_same = outcome.frames.iter().all(|frame| frame.status.is_good());
        let takes_trace = outcome.is_trace_changed && is_same;
        if takes_trace && !matches!(ask_about_trace(outcome, &mut input)?, Reply::Approve) {
            continue;
        }
        if approved.is_empty() && !takes_trace {
            continue;
        }
        let case = Case::read(Path::new(&outcome.folder), &root)?;
        let done = approver.approve(&case, Some(&approved))?;
        print_approved(&case.folder, &done, common, &mut stdout())?;
        let is_settled =
            outcome.frames.iter().all(|frame| frame.status.is_good() || approved.contains(&FrameIndex(frame.frame)));
        left -= usize::from(is_settled);
    }
    Ok(if left == 0 { Exit::Done } else { exit })
}

/// Whether there is a picture that could be approved.
fn is_question(frame: &FrameOutcome) -> bool {
    matches!(frame.status, Status::Different | Status::Missing) && frame.found.is_some()
}

fn ask(
    outcome: &CaseOutcome,
    frame: &FrameOutcome,
    args: &ReviewArgs,
    input: &mut impl BufRead,
) -> Result<Reply, Failure> {
    say!("");
    say!("{}, frame {}: {}: {}", outcome.case, frame.frame, frame.status.word(), frame.message);
    if let Some(draw) = &frame.first_draw {
        say!("  first draw: {draw}");
    }
    say!("  golden: {}", frame.expected.as_deref().unwrap_or("none"));
    say!("  now:    {}", frame.found.as_deref().unwrap_or("none"));
    if let Some(folder) = &args.test.report {
        say!("  report: {}", folder.join("index.html").display());
    }
    reply(input)
}

/// Asks about a trace that has changed without changing a picture.
fn ask_about_trace(outcome: &CaseOutcome, input: &mut impl BufRead) -> Result<Reply, Failure> {
    say!("");
    say!("{}: {}; its pictures are as they were", outcome.case, outcome.summary());
    reply(input)
}

fn reply(input: &mut impl BufRead) -> Result<Reply, Failure> {
    loop {
        let mut stderr = io::stderr().lock();
        write!(stderr, "approve? [y]es, [n]o, [q]uit: ")?;
        stderr.flush()?;
        drop(stderr);
        let mut line = String::new();
        if input.read_line(&mut line)? == 0 {
            return Ok(Reply::Stop);
        }
        match line.trim() {
            "y" | "yes" => return Ok(Reply::Approve),
            "n" | "no" => return Ok(Reply::Leave),
            "q" | "quit" => return Ok(Reply::Stop),
            _ => {}
        }
    }
}
