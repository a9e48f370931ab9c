//! What goes through the pipes: one JSON object per line in either direction.
//!
//! ```text
//!  {"kind":"drawing","job":{…}}   to the worker's stdin
//!  {"doing":"DRAW at 0x583 (…)"}  from its stdout, while a job lasts long
//!  {"answer":{…},"ends":false}    from its stdout
//! ```
//!
//! Jobs are answered in the order in which they are sent, so nothing needs a number.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use crate::error::{Classified, ErrorKind};

/// Something that a worker can be asked to do.
pub trait Job: Serialize + DeserializeOwned {
    /// The word that tells it from other kinds of jobs.
    const KIND: &'static str;
    /// What it comes to.
    type Answer: Serialize + DeserializeOwned;
}

/// A job as it is sent.
#[derive(Serialize)]
pub(super) struct SentJob<'a, J> {
    pub kind: &'static str,
    pub job: &'a J,
}

/// A job as it arrives: of which kind it is decides how the rest is read.
#[derive(Debug, Deserialize)]
pub struct WireJob {
    /// Its kind.
    pub kind: String,
    /// The job.
    pub job: Value,
}

/// An answer.
#[derive(Debug, Serialize, Deserialize)]
pub struct Answered<A> {
    /// What the job came to.
    pub answer: A,
    /// Whether the worker ends now, since its device cannot be trusted any more.
    pub ends: bool,
}

/// What a long job is at.
#[derive(Deserialize)]
pub(super) struct Progress {
    pub doing: String,
}

/// A line that is no job of this program: whoever wrote it is another version, or no program of ours.
#[derive(Debug, Error)]
#[error("not a job for this version: {0}")]
pub struct UnknownJob(pub String);

impl Classified for UnknownJob {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Usage
    }

    fn offset(&self) -> Option<u64> {
        None
    }
}

/// An answer, ready to be sent.
#[derive(Debug)]
pub struct Response {
    pub(super) line: Vec<u8>,
    pub(super) ends: bool,
}

/// Reads a job of the kind `J`, does it, and makes its answer ready to be sent.
pub fn respond<J: Job>(job: Value, run: impl FnOnce(J) -> Answered<J::Answer>) -> Result<Response, UnknownJob> {
    let unknown = |error: serde_json::Error| UnknownJob(error.to_string());
    let answered = run(serde_json::from_value(job).map_err(unknown)?);
    let mut line = serde_json::to_vec(&answered).map_err(unknown)?;
    line.push(b'\n');
    Ok(Response { line, ends: answered.ends })
}
