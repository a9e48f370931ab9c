//! The asking side: one worker that draws, started when it is first needed and whenever the last one has ended.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use thiserror::Error;

use super::super::command::WorkerCommand;
use super::super::error::WorkerError;
use super::super::process::Worker;
use super::error::Refusal;
use super::question::{Purpose, Question, Reply, Request, TraceToDraw};
use crate::error::{Classified, ErrorKind};

/// How much longer a question may take when a worker must be started for it, or has yet to open the trace.
const PREPARING: Duration = Duration::from_secs(3);

/// A question without an answer.
#[derive(Debug, Error)]
pub enum AskError {
    /// The worker says why.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The worker is no more.
    #[error(transparent)]
    Ended(#[from] WorkerError),
}

impl Classified for AskError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Refused(refusal) => refusal.kind,
            Self::Ended(error) => error.kind(),
        }
    }

    fn offset(&self) -> Option<u64> {
        match self {
            Self::Refused(refusal) => refusal.offset,
            Self::Ended(error) => error.offset(),
        }
    }
}

/// The process that draws, as whoever asks sees it.
pub struct DrawingProcess {
    command: WorkerCommand,
    purpose: Purpose,
    worker: Option<Worker>,
    /// What the worker was told about each trace.
    told: BTreeMap<u32, Arc<TraceToDraw>>,
    adapter: Option<String>,
}

impl DrawingProcess {
    /// No process yet.
    pub fn new(command: WorkerCommand, purpose: Purpose) -> Self {
        Self { command, purpose, worker: None, told: BTreeMap::new(), adapter: None }
    }

    /// The adapter that is drawn on, once there is one.
    pub fn adapter(&self) -> Option<&str> {
        self.adapter.as_deref()
    }

    /// The answer to a question about `trace`. One that takes too long, or is given up, ends the process.
    pub fn ask(
        &mut self,
        trace: &Arc<TraceToDraw>,
        question: &Question,
        is_given_up: &dyn Fn() -> bool,
    ) -> Result<Reply, AskError> {
        // One that has ended since the last question was nobody's answer.
        if self.worker.as_mut().is_some_and(Worker::has_ended) {
            self.let_go();
        }
        let latest = Instant::now() + self.command.timeout() + PREPARING;
        if !self.told.get(&trace.trace).is_some_and(|told| Arc::ptr_eq(told, trace)) {
            let request = Request::Prepare(TraceToDraw::clone(trace), self.purpose);
            if let Reply::Ready(adapter) = self.request(&request, latest, is_given_up)? {
                self.adapter = adapter;
            }
            self.told.insert(trace.trace, trace.clone());
        }
        let deadline = latest.min(Instant::now() + self.command.timeout());
        self.request(&Request::Ask(trace.trace, question.clone()), deadline, is_given_up)
    }

    /// Lets go of a trace that nobody will ask about again.
    pub fn forget(&mut self, trace: u32) {
        if self.told.remove(&trace).is_some() {
            // If that ends the process, the trace is forgotten as well.
            let _ = self.request(&Request::Forget(trace), Instant::now() + self.command.timeout(), &|| false);
        }
    }

    fn request(
        &mut self,
        request: &Request,
        deadline: Instant,
        is_given_up: &dyn Fn() -> bool,
    ) -> Result<Reply, AskError> {
        let worker = match &mut self.worker {
            Some(worker) => worker,
            None => self.worker.insert(self.command.start()?),
        };
        let answered = worker.ask(request, deadline, self.command.timeout(), is_given_up);
        if answered.as_ref().is_ok_and(|answered| !answered.ends) {
            return Ok(answered?.answer?);
        }
        self.let_go();
        Ok(answered?.answer?)
    }

    fn let_go(&mut self) {
        self.worker = None;
        self.told.clear();
    }
}
