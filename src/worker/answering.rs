//! The worker's side: takes jobs and answers them.

use std::io::{self, BufRead, Write};
use std::sync::mpsc;
use std::thread;

use serde_json::Value;

use super::group::end_here;
use super::message::{Answered, UnknownJob, WireJob};

/// Answers the jobs that `input` holds on `output`, by `run`, until a job ends the worker or the input ends.
///
/// When whoever asked is gone the input ends, and so does this process, in the middle of a job if need be.
pub fn answer_jobs(
    input: impl BufRead + Send + 'static,
    mut output: impl Write,
    mut run: impl FnMut(WireJob) -> Result<Answered<Value>, UnknownJob>,
) -> io::Result<()> {
    let (sender, jobs) = mpsc::channel();
    let read = move || {
        for line in input.lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
        end_here();
    };
    thread::Builder::new().name("jobs".to_owned()).spawn(read)?;
    for line in jobs {
        let job = serde_json::from_str(&line).map_err(|error| UnknownJob(error.to_string()));
        let answered = job.and_then(&mut run).map_err(io::Error::other)?;
        let mut line = serde_json::to_vec(&answered)?;
        line.push(b'\n');
        output.write_all(&line)?;
        output.flush()?;
        if answered.ends {
            break;
        }
    }
    Ok(())
}
