//! The thread that has pictures drawn, one question after the other, by the process that draws.

use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

use super::edits::Version;
use super::error::ServeError;
use super::pictures::reply_json;
use super::unanswered::{Cancel, Ticket};
use crate::worker::{AskError, DrawingProcess, Purpose, Question, TraceToDraw, WorkerCommand, WorkerError};

/// What the thread is given.
pub(super) enum ToDraw {
    /// A question, and who asked it.
    Question(Ticket, Arc<Version>, Question),
    /// A trace was closed.
    Forget(u32),
}

/// The adapter that is drawn on, once there is one.
pub(super) type KnownAdapter = Arc<Mutex<Option<String>>>;

/// Answers questions until there will be no more, or the session is over.
pub(super) fn draw_all(queue: &Receiver<ToDraw>, command: &WorkerCommand, adapter: &KnownAdapter) {
    let mut process = DrawingProcess::new(command.clone(), Purpose::Drawing);
    for next in queue {
        match next {
            ToDraw::Forget(trace) => process.forget(trace),
            ToDraw::Question(ticket, trace, question) => {
                let known = trace.wait(&|| ticket.cancel.is_set() || command.is_interrupted());
                let result = known
                    .ok_or(ServeError::Cancelled)
                    .and_then(|known| ask(&mut process, &known.to_draw, &question, &ticket.cancel, command));
                *adapter.lock().unwrap_or_else(PoisonError::into_inner) = process.adapter().map(str::to_owned);
                ticket.answer(result);
            }
        }
        if command.is_interrupted() {
            return;
        }
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
        return Err(ServeError::Cancelled);
    }
    let reply = process.ask(trace, question, &|| cancel.is_set() || command.is_interrupted());
    match reply {
        Ok(reply) => reply_json(question, reply),
        Err(AskError::Refused(refusal)) => Err(ServeError::Refused(refusal)),
        Err(AskError::Ended(WorkerError::Interrupted)) => Err(ServeError::Cancelled),
        Err(AskError::Ended(error)) => {
            Err(ServeError::Worker { path: trace.path.clone(), question: Box::new(question.clone()), error })
        }
    }
}
