//! `golden review`: tests, then asks about each frame whose picture has changed.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use super::super::args::CommonArgs;
use super::super::exit::{Exit, Failure};
use super::super::output::stdout;
use super::approve::print_approved;
use super::args::ReviewArgs;
use super::session::{root, worker_command};
use super::test::test;
use crate::error::ErrorKind;
use crate::golden::approve::{Approver, Chosen};
use crate::golden::case::Case;
use crate::golden::outcome::{CaseOutcome, FrameOutcome, Status};
use crate::golden::suite::find_cases;
use crate::golden::{SuiteLock, heal};
use crate::text::say;
use crate::worker::WorkerCommand;

/// How often Ctrl-C is looked for.
const POLL: Duration = Duration::from_millis(50);

/// What was said.
#[derive(Clone, Copy)]
enum Reply {
    Approve,
    Leave,
    Stop(Stop),
}

/// Why no more is asked.
#[derive(Clone, Copy)]
enum Stop {
    /// Somebody said so, or has nothing more to say.
    Quit,
    /// Ctrl-C.
    Interrupted,
}

pub(super) fn run(args: &ReviewArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let worker = worker_command(&args.test.process)?;
    let paths = &args.test.paths.paths;
    let cases = find_cases(paths)?;
    // From the test on: what was looked at is what is approved.
    let lock = SuiteLock::take(paths)?;
    cases.iter().try_for_each(|found| heal(&found.folder, &lock))?;
    let (outcomes, exit) = test(&args.test, common, &worker)?;
    if exit == Exit::Interrupted {
        return Ok(exit);
    }
    // Ctrl-C at a question ends the questions. What was answered by then is still to be carried out.
    let approving = worker.uninterrupted();
    let approver = Approver { worker: &approving, allowances: (&args.allow).into() };
    let review = Review { args, common, approver, lock, root: root(&args.test.paths)? };
    let mut left = outcomes.iter().filter(|outcome| !outcome.status.is_good()).count();
    let mut answers = Answers::new(worker.clone())?;
    for outcome in &outcomes {
        if outcome.is_trace_changed && !args.allow.allow_trace_change {
            say!("{}: skipped: {}", outcome.case, outcome.summary());
            continue;
        }
        let (is_settled, stop) = review.ask_about(outcome, &mut answers)?;
        left -= usize::from(is_settled);
        match stop {
            None => {}
            Some(Stop::Quit) => break,
            Some(Stop::Interrupted) => return Ok(Exit::Interrupted),
        }
    }
    Ok(if left == 0 { Exit::Done } else { exit })
}

struct Review<'a> {
    args: &'a ReviewArgs,
    common: &'a CommonArgs,
    approver: Approver<'a>,
    lock: SuiteLock,
    root: PathBuf,
}

impl Review<'_> {
    /// Asks about a case and carries out what was said, also if that is not all that there was to say. Whether nothing
    /// is left of it, and why no more is to be asked.
    fn ask_about(&self, outcome: &CaseOutcome, answers: &mut Answers) -> Result<(bool, Option<Stop>), Failure> {
        let (mut approved, mut stop) = (Vec::new(), None);
        for frame in outcome.frames.iter().filter(|frame| is_question(frame)) {
            match self.ask(outcome, frame, answers)? {
                Reply::Approve => approved.push(frame.of),
                Reply::Leave => {}
                Reply::Stop(why) => {
                    stop = Some(why);
                    break;
                }
            }
        }
        let is_same = outcome.frames.iter().all(|frame| frame.status.is_good());
        let mut takes_trace = false;
        if outcome.is_trace_changed && is_same {
            say!("");
            say!("{}: {}; its pictures are unchanged", outcome.case, outcome.summary());
            match answers.next()? {
                Reply::Approve => takes_trace = true,
                Reply::Leave => {}
                Reply::Stop(why) => stop = Some(why),
            }
        }
        if approved.is_empty() && !takes_trace {
            return Ok((false, stop));
        }
        let case = Case::read(Path::new(&outcome.folder), &self.root)?;
        let done = self.approver.approve(&self.lock, &case, Chosen::Only(&approved))?;
        print_approved(&case.folder, &done, self.common, &mut stdout())?;
        let is_settled = outcome.frames.iter().all(|frame| frame.status.is_good() || approved.contains(&frame.of));
        Ok((is_settled, stop))
    }

    fn ask(&self, outcome: &CaseOutcome, frame: &FrameOutcome, answers: &mut Answers) -> Result<Reply, Failure> {
        say!("");
        say!("{}, frame {}: {}: {}", outcome.case, frame.of, frame.status.word(), frame.message);
        for reason in [&frame.input_change, &frame.cause].into_iter().flatten() {
            say!("  {reason}");
        }
        say!("  golden: {}", frame.expected.as_deref().unwrap_or("none"));
        say!("  now:    {}", frame.found.as_deref().unwrap_or("none"));
        if let Some(folder) = &self.args.test.report {
            say!("  report: {}", folder.join("index.html").display());
        }
        answers.next()
    }
}

/// Whether there is a picture that could be approved.
fn is_question(frame: &FrameOutcome) -> bool {
    matches!(frame.status, Status::Different | Status::Missing) && frame.found.is_some()
}

/// The lines that people type, and Ctrl-C, of which reading a line knows nothing.
struct Answers {
    lines: mpsc::Receiver<String>,
    worker: WorkerCommand,
}

impl Answers {
    fn new(worker: WorkerCommand) -> Result<Self, Failure> {
        let (sender, lines) = mpsc::channel();
        let reader = std::thread::Builder::new().name("answers".to_owned());
        let started = reader.spawn(move || {
            // What can't be read is no answer, and nothing comes after it.
            for line in io::stdin().lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        match started {
            Ok(_) => Ok(Self { lines, worker }),
            Err(error) => {
                Err(Failure::new(ErrorKind::ReadFailed, error).context("cannot start the thread that reads answers"))
            }
        }
    }

    /// Asks until there is an answer.
    fn next(&mut self) -> Result<Reply, Failure> {
        loop {
            let mut stderr = io::stderr().lock();
            write!(stderr, "approve? [y]es, [n]o, [q]uit: ")?;
            stderr.flush()?;
            drop(stderr);
            match self.line() {
                Err(stop) => return Ok(Reply::Stop(stop)),
                Ok(line) => match line.trim() {
                    "y" | "yes" => return Ok(Reply::Approve),
                    "n" | "no" => return Ok(Reply::Leave),
                    "q" | "quit" => return Ok(Reply::Stop(Stop::Quit)),
                    _ => {}
                },
            }
        }
    }

    fn line(&mut self) -> Result<String, Stop> {
        loop {
            if self.worker.is_interrupted() {
                say!("");
                say!("interrupted: the decisions made so far are carried out");
                return Err(Stop::Interrupted);
            }
            match self.lines.recv_timeout(POLL) {
                Ok(line) => return Ok(line),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(Stop::Quit),
            }
        }
    }
}
