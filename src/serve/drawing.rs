//! The thread that has pictures drawn, one question after the other, by the process that draws.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use super::error::ServeError;
use super::pending::{Cancel, Responder};
use crate::questions::{Question, Reply, TraceToDraw};
use crate::session::{SessionError, Version, reply_json};
use crate::worker::{AskError, DrawingProcess, Purpose, Ready, SentAhead, WorkerCommand, WorkerError};

/// Questions that the worker has at a time: the one that it draws, and the one that it draws next.
const MOST_SENT: usize = 2;

/// What the thread is given.
pub(super) enum DrawingJob {
    /// A question, and who asked it.
    Question(Responder, Arc<Version>, Question),
    /// A trace was closed.
    Forget(u32),
}

/// The adapter that is drawn on, once there is one.
pub(super) type KnownAdapter = Arc<Mutex<Option<String>>>;

/// The end of the queue that takes questions in, and sends them ahead where it can. Dropping it ends the queue.
pub(super) struct DrawingQueue {
    shared: Arc<SharedQueue>,
    ready: Ready,
}

/// The other end.
pub(super) struct DrawingThread {
    shared: Arc<SharedQueue>,
    process: DrawingProcess,
    command: WorkerCommand,
}

#[derive(Default)]
struct SharedQueue {
    queue: Mutex<Queue>,
    changed: Condvar,
}

#[derive(Default)]
struct Queue {
    /// Those that were sent ahead come first.
    waiting: VecDeque<(DrawingJob, Option<SentAhead>)>,
    /// What the thread is at.
    under_way: UnderWay,
    has_ended: bool,
}

#[derive(Default, PartialEq)]
enum UnderWay {
    #[default]
    Nothing,
    /// A question that was sent ahead: others may be sent behind it.
    SentAhead,
    /// Something that the thread sends itself: nothing else may come between.
    Other,
}

/// Both ends of the queue, for a process that `command` starts.
pub(super) fn drawing_queue(command: WorkerCommand) -> (DrawingQueue, DrawingThread) {
    let process = DrawingProcess::new(command.clone(), Purpose::Drawing);
    let shared = Arc::new(SharedQueue::default());
    (
        DrawingQueue { shared: shared.clone(), ready: process.ready().clone() },
        DrawingThread { shared, process, command },
    )
}

impl DrawingQueue {
    /// Has something done after all that came before.
    pub(crate) fn add(&self, to_draw: DrawingJob) {
        let mut queue = self.shared.lock();
        queue.waiting.push_back((to_draw, None));
        queue.send_ahead(&self.ready);
        drop(queue);
        self.shared.changed.notify_one();
    }
}

impl Drop for DrawingQueue {
    fn drop(&mut self) {
        self.shared.lock().has_ended = true;
        self.shared.changed.notify_one();
    }
}

impl SharedQueue {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Queue {
    /// Sends ahead what the worker may have next.
    fn send_ahead(&mut self, ready: &Ready) {
        let before = match self.under_way {
            UnderWay::Nothing => 0,
            UnderWay::SentAhead => 1,
            UnderWay::Other => return,
        };
        for (to_draw, sent) in self.waiting.iter_mut().take(MOST_SENT - before) {
            // What the last worker took with it has to be sent again.
            if sent.is_some_and(|sent| ready.holds(sent)) {
                continue;
            }
            let DrawingJob::Question(responder, version, question) = to_draw else { return };
            let known = version.get().filter(|_| !responder.cancel.is_set());
            *sent = known.and_then(|known| ready.send_ahead(&known.to_draw, question));
            if sent.is_none() {
                return;
            }
        }
    }
}

impl DrawingThread {
    /// Answers questions until there will be no more, or the session is over.
    pub(crate) fn answer_all(mut self, adapter: &KnownAdapter) {
        while let Some((next, sent)) = self.next() {
            match next {
                DrawingJob::Forget(trace) => self.process.forget(trace),
                DrawingJob::Question(responder, version, question) => {
                    let result = self.answer(&responder.cancel, &version, &question, sent);
                    *adapter.lock().unwrap_or_else(PoisonError::into_inner) = self.process.adapter().map(str::to_owned);
                    responder.answer(result);
                }
            }
            if self.command.is_interrupted() {
                return;
            }
        }
    }

    /// Waits for what is next.
    fn next(&mut self) -> Option<(DrawingJob, Option<SentAhead>)> {
        let mut queue = self.shared.lock();
        queue.under_way = UnderWay::Nothing;
        queue.send_ahead(self.process.ready());
        let is_idle = |queue: &mut Queue| queue.waiting.is_empty() && !queue.has_ended;
        let mut queue = self.shared.changed.wait_while(queue, is_idle).unwrap_or_else(PoisonError::into_inner);
        let (to_draw, sent) = queue.waiting.pop_front()?;
        queue.under_way = if sent.is_some() { UnderWay::SentAhead } else { UnderWay::Other };
        Some((to_draw, sent))
    }

    fn answer(
        &mut self,
        cancel: &Cancel,
        version: &Version,
        question: &Question,
        sent: Option<SentAhead>,
    ) -> Result<Value, ServeError> {
        let is_given_up = || cancel.is_set() || self.command.is_interrupted();
        let known = version.wait(&is_given_up).ok_or(ServeError::CANCELLED)?;
        if sent.is_none() {
            return ask(&mut self.process, &known.to_draw, question, cancel, &self.command);
        }
        let reply = self.process.next_answer(&is_given_up);
        if cancel.is_set() { Err(ServeError::CANCELLED) } else { result_of(reply, &known.to_draw, question) }
    }
}

/// Asks a process, unless the request was given up.
pub(super) fn ask(
    process: &mut DrawingProcess,
    trace: &Arc<TraceToDraw>,
    question: &Question,
    cancel: &Cancel,
    command: &WorkerCommand,
) -> Result<Value, ServeError> {
    if cancel.is_set() {
        return Err(ServeError::CANCELLED);
    }
    let reply = process.ask(trace, question, &|| cancel.is_set() || command.is_interrupted());
    result_of(reply, trace, question)
}

fn result_of(reply: Result<Reply, AskError>, trace: &TraceToDraw, question: &Question) -> Result<Value, ServeError> {
    match reply {
        Ok(reply) => Ok(reply_json(question, reply)?),
        Err(AskError::Refused(refusal)) => Err(refusal.into()),
        Err(AskError::Internal(error)) => Err(SessionError::from(error).into()),
        Err(AskError::Ended(WorkerError::Interrupted)) => Err(ServeError::CANCELLED),
        Err(AskError::Ended(error)) => {
            Err(ServeError::Worker { path: trace.path.clone(), question: Box::new(question.clone()), error })
        }
    }
}
