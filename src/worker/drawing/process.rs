//! The asking side: one worker that draws, started when it is first needed and whenever the last one has ended.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use thiserror::Error;

use super::super::command::WorkerCommand;
use super::super::error::WorkerError;
use super::super::message::Answered;
use super::super::process::{Worker, WorkerInput};
use super::request::{DrawingAnswer, Purpose, Request};
use crate::error::{Classified, ErrorKind, Internal};
use crate::questions::{Question, Refusal, Reply, TraceToDraw};

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
    /// A bug of ours.
    #[error(transparent)]
    Internal(#[from] Internal),
}

impl Classified for AskError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Refused(refusal) => refusal.kind,
            Self::Ended(error) => error.kind(),
            Self::Internal(error) => error.kind(),
        }
    }

    fn offset(&self) -> Option<u64> {
        match self {
            Self::Refused(refusal) => refusal.offset,
            Self::Ended(error) => error.offset(),
            Self::Internal(error) => error.offset(),
        }
    }
}

/// The process that draws, as whoever asks sees it.
pub struct DrawingProcess {
    command: WorkerCommand,
    purpose: Purpose,
    worker: Option<Worker>,
    ready: Ready,
    adapter: Option<String>,
}

/// The worker that is ready for questions, shared with whoever sends them ahead.
///
/// The thread that waits for answers need not be the one that reads questions, and waking it takes as long as drawing a
/// small picture does. So a question about what the worker knows is sent by the thread that has it, and while one is
/// under way the next is in the pipe already. Its time begins when it is its turn.
#[derive(Clone, Default)]
pub struct Ready(Arc<Mutex<ReadyWorker>>);

#[derive(Default)]
struct ReadyWorker {
    input: Option<WorkerInput>,
    /// What the worker was told about each trace.
    told: BTreeMap<u32, Arc<TraceToDraw>>,
    /// How many workers there were before it.
    workers_before: u64,
}

/// A question that was sent ahead to the worker with this number.
#[derive(Clone, Copy, Debug)]
pub struct SentAhead(u64);

impl Ready {
    /// Sends a question behind all that were sent, if there is a worker that knows the trace as it is.
    pub fn send_ahead(&self, trace: &Arc<TraceToDraw>, question: &Question) -> Option<SentAhead> {
        let ready = self.lock();
        let input = ready.input.as_ref().filter(|_| ready.knows(trace))?;
        let request = Request::Ask(trace.trace, question.clone());
        input.send_ahead(&request).then_some(SentAhead(ready.workers_before))
    }

    /// Whether the worker that a question was sent to is still the one that answers.
    pub fn holds(&self, sent: SentAhead) -> bool {
        self.lock().workers_before == sent.0
    }

    fn lock(&self) -> MutexGuard<'_, ReadyWorker> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ReadyWorker {
    fn knows(&self, trace: &Arc<TraceToDraw>) -> bool {
        self.told.get(&trace.trace).is_some_and(|told| Arc::ptr_eq(told, trace))
    }
}

impl DrawingProcess {
    /// No process yet.
    pub fn new(command: WorkerCommand, purpose: Purpose) -> Self {
        Self { command, purpose, worker: None, ready: Ready::default(), adapter: None }
    }

    /// The adapter that is drawn on, once there is one.
    pub fn adapter(&self) -> Option<&str> {
        self.adapter.as_deref()
    }

    /// Where questions can be sent ahead.
    pub fn ready(&self) -> &Ready {
        &self.ready
    }

    /// The answer to the first question that was sent ahead and has none. One that takes too long, or is given up, ends the
    /// process.
    pub fn next_answer(&mut self, is_given_up: &dyn Fn() -> bool) -> Result<Reply, AskError> {
        let limit = self.command.timeout();
        let worker = self.worker.as_mut().ok_or(Internal::new("a question was queued without a worker"))?;
        let answered = worker.receive::<Request>(Instant::now() + limit, limit, is_given_up);
        replied(self.answer(answered)?)
    }

    /// The answer to a question about `trace`, when none that was sent ahead is left. One that takes too long, or is given
    /// up, ends the process.
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
        let is_known = self.ready.lock().knows(trace);
        if !is_known {
            let request = Request::Prepare(TraceToDraw::clone(trace), self.purpose);
            if let DrawingAnswer::Ready(adapter) = self.request(&request, latest, is_given_up)? {
                self.adapter = adapter;
            }
            self.ready.lock().told.insert(trace.trace, trace.clone());
        }
        let deadline = latest.min(Instant::now() + self.command.timeout());
        replied(self.request(&Request::Ask(trace.trace, question.clone()), deadline, is_given_up)?)
    }

    /// Lets go of a trace that nobody will ask about again.
    pub fn forget(&mut self, trace: u32) {
        let was_told = self.ready.lock().told.remove(&trace).is_some();
        if was_told {
            // If that ends the process, the trace is forgotten as well.
            let _ = self.request(&Request::Forget(trace), Instant::now() + self.command.timeout(), &|| false);
        }
    }

    fn request(
        &mut self,
        request: &Request,
        deadline: Instant,
        is_given_up: &dyn Fn() -> bool,
    ) -> Result<DrawingAnswer, AskError> {
        let worker = match &mut self.worker {
            Some(worker) => worker,
            None => {
                let worker = self.worker.insert(self.command.start()?);
                self.ready.lock().input = Some(worker.input().clone());
                worker
            }
        };
        let answered = worker.ask(request, deadline, self.command.timeout(), is_given_up);
        self.answer(answered)
    }

    fn answer(
        &mut self,
        answered: Result<Answered<Result<DrawingAnswer, Refusal>>, WorkerError>,
    ) -> Result<DrawingAnswer, AskError> {
        if answered.as_ref().is_ok_and(|answered| !answered.ends) {
            return Ok(answered?.answer?);
        }
        self.let_go();
        Ok(answered?.answer?)
    }

    fn let_go(&mut self) {
        let mut ready = self.ready.lock();
        *ready = ReadyWorker { workers_before: ready.workers_before + 1, ..ReadyWorker::default() };
        drop(ready);
        self.worker = None;
    }
}

fn replied(answer: DrawingAnswer) -> Result<Reply, AskError> {
    match answer {
        DrawingAnswer::Replied(reply) => Ok(reply),
        _ => Err(Internal::new("a worker answered a question with something that is no reply").into()),
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::bytes::FileSource;
    use crate::command::{Place, Shown};
    use crate::format::aerogpu::FrameIndex;
    use crate::player::FaultPolicy;
    use crate::worker::Program;

    fn trace() -> Arc<TraceToDraw> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
        let file = Some(FileSource::open(&path).unwrap().state());
        let (language, replacements) = Default::default();
        Arc::new(TraceToDraw {
            trace: 1,
            path,
            file,
            size_px: [1, 1],
            language,
            faults: FaultPolicy::Stop,
            replacements,
        })
    }

    /// A process for a worker that takes a second for anything, and may take two.
    fn slow_process() -> DrawingProcess {
        let script = r#"while read job; do sleep 1; echo '{"answer":{"Ok":{"replied":"done"}},"ends":false}'; done"#;
        let arguments = ["-c", script].map(str::to_owned).to_vec();
        let command = WorkerCommand::new(Program::Other("/bin/sh".into()), arguments, Duration::from_secs(2));
        DrawingProcess::new(command, Purpose::Drawing)
    }

    #[test]
    fn the_time_of_what_was_sent_ahead_begins_at_its_turn() {
        let (mut process, trace) = (slow_process(), trace());
        let question = Question::Hash(Place::end_of(FrameIndex(0)), Shown::default());
        let ready = process.ready().clone();
        assert!(ready.send_ahead(&trace, &question).is_none(), "there is no worker yet");
        process.ask(&trace, &question, &|| false).unwrap();
        let sent: Vec<SentAhead> = (0..4).map(|_| ready.send_ahead(&trace, &question).unwrap()).collect();
        for sent in sent {
            assert!(ready.holds(sent));
            assert_eq!(process.next_answer(&|| false).unwrap(), Reply::Done);
        }
    }

    #[test]
    fn what_a_worker_takes_with_it_is_known() {
        let (mut process, trace) = (slow_process(), trace());
        let question = Question::Hash(Place::end_of(FrameIndex(0)), Shown::default());
        let ready = process.ready().clone();
        process.ask(&trace, &question, &|| false).unwrap();
        let sent = [(); 2].map(|()| ready.send_ahead(&trace, &question).unwrap());
        let given_up = process.next_answer(&|| true);
        assert!(matches!(given_up, Err(AskError::Ended(WorkerError::Interrupted))), "it was given up");
        assert!(!sent.iter().any(|sent| ready.holds(*sent)));
        assert!(ready.send_ahead(&trace, &question).is_none(), "that worker is no more");
        assert!(matches!(process.next_answer(&|| false), Err(AskError::Internal(_))), "nobody will answer");
        process.ask(&trace, &question, &|| false).unwrap();
        let edited = Arc::new(TraceToDraw::clone(&trace));
        assert!(ready.send_ahead(&edited, &question).is_none(), "the worker knows another version");
    }
}
