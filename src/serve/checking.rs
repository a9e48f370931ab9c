//! The thread that has texts compiled, one after the other, by a process of its own, which opens no device.

use std::sync::Arc;
use std::sync::mpsc::Receiver;

use serde_json::{Value, json};

use super::drawing::ask;
use super::edits::{Edit, OpenFiles, Version};
use super::error::ServeError;
use super::params::SaveEdits;
use super::pending::{Cancel, Responder};
use crate::worker::{DrawingProcess, Purpose, Question, WorkerCommand};

/// What the thread is given.
pub(super) enum CheckJob {
    /// A text to try.
    Edit(Responder, Edit),
    /// A question that is answered by compiling, and who asked it.
    Question(Responder, Arc<Version>, Question),
    /// What was edited is to be saved.
    Save(Responder, Arc<Version>, SaveEdits, OpenFiles),
    /// A trace was closed.
    Forget(u32),
}

/// Does what it is given until there will be no more, or the session is over.
pub(super) fn check_all(queue: &Receiver<CheckJob>, command: &WorkerCommand) {
    let mut process = DrawingProcess::new(command.clone(), Purpose::Checking);
    for next in queue {
        match next {
            CheckJob::Forget(trace) => process.forget(trace),
            CheckJob::Edit(responder, edit) => {
                let result = check(&mut process, edit, &responder.cancel, command);
                responder.answer(result);
            }
            CheckJob::Question(responder, version, question) => {
                let known = version.wait(&|| responder.cancel.is_set() || command.is_interrupted());
                let result = known
                    .ok_or(ServeError::Cancelled)
                    .and_then(|known| ask(&mut process, &known.to_draw, &question, &responder.cancel, command));
                responder.answer(result);
            }
            CheckJob::Save(responder, version, params, open) => {
                let known = version.wait(&|| responder.cancel.is_set() || command.is_interrupted());
                responder.answer(known.ok_or(ServeError::Cancelled).and_then(|known| known.save(&params, &open)));
            }
        }
        if command.is_interrupted() {
            return;
        }
    }
}

/// Tries a text, and has it drawn with if nothing is wrong with it. One that was given up in the meantime is not.
fn check(
    process: &mut DrawingProcess,
    edit: Edit,
    cancel: &Cancel,
    command: &WorkerCommand,
) -> Result<Value, ServeError> {
    let known = edit.before.wait(&|| cancel.is_set() || command.is_interrupted()).ok_or(ServeError::Cancelled)?;
    if let Question::Edit { text: None, .. } = edit.question {
        return Ok(json!({ "issues": [], "reverted": edit.apply(known) }));
    }
    let answer = ask(process, &known.to_draw, &edit.question, cancel, command)?;
    if cancel.is_set() {
        return Err(ServeError::Cancelled);
    }
    if answer.get("is_used").is_some() {
        edit.apply(known);
    }
    Ok(answer)
}
