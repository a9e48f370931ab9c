//! The worker's side: takes jobs and answers them.

use std::io::{self, BufRead, Write, stdin, stdout};
use std::thread;

use super::group::end_here;
use super::message::{Response, UnknownJob, WireJob};
use super::progress::ProgressReporter;

/// Answers the jobs that stdin holds on stdout, by `run`, until a job ends the worker or the input ends.
///
/// When whoever asked is gone the input ends, and so does this process, in the middle of a job if need be. What a long job
/// is at, by `doing`, is told meanwhile.
pub fn answer_jobs(
    doing: impl Fn() -> Option<String> + Send + 'static,
    mut run: impl FnMut(WireJob) -> Result<Response, UnknownJob>,
) -> io::Result<()> {
    let reporter = ProgressReporter::new(doing)?;
    for line in job_lines()? {
        let job = serde_json::from_str(&line).map_err(|error| UnknownJob(error.to_string()));
        let on_job = reporter.job();
        let response = job.and_then(&mut run).map_err(io::Error::other)?;
        drop(on_job);
        let mut output = stdout().lock();
        output.write_all(&response.line)?;
        output.flush()?;
        if response.ends {
            break;
        }
    }
    Ok(())
}

/// The lines of stdin. A thread sees its end also in the middle of a job.
#[cfg(unix)]
fn job_lines() -> io::Result<impl Iterator<Item = String>> {
    let watch = || {
        use rustix::event::{PollFd, PollFlags, poll};
        let stdin = stdin();
        // Nothing is waited for but what is always told: that nobody has the other end any more.
        let mut ends = [PollFd::new(&stdin, PollFlags::empty())];
        while let Err(rustix::io::Errno::INTR) | Ok(0) = poll(&mut ends, None) {}
        if ends.iter().any(|end| end.revents().contains(PollFlags::HUP)) {
            end_here();
        }
    };
    thread::Builder::new().name("end of jobs".to_owned()).spawn(watch)?;
    Ok(stdin().lock().lines().map_while(Result::ok))
}

/// The lines of stdin. A thread reads them, and so sees its end also in the middle of a job.
#[cfg(not(unix))]
fn job_lines() -> io::Result<impl Iterator<Item = String>> {
    let (sender, lines) = std::sync::mpsc::channel();
    let read = move || {
        for line in stdin().lock().lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
        end_here();
    };
    thread::Builder::new().name("jobs".to_owned()).spawn(read)?;
    Ok(lines.into_iter())
}
