//! The thread that has texts compiled, one after the other, by a process of its own, which opens no device.

use std::sync::Arc;
use std::sync::mpsc::Receiver;

use serde_json::Value;

use super::drawing::ask;
use super::error::ServeError;
use super::files::SystemFiles;
use super::pending::{Cancel, Responder};
use crate::questions::Question;
use crate::session::{Edit, OpenFiles, SaveEdits, Version};
use crate::worker::{DrawingProcess, Purpose, WorkerCommand};

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
                    .ok_or(ServeError::CANCELLED)
                    .and_then(|known| ask(&mut process, &known.to_draw, &question, &responder.cancel, command));
                responder.answer(result);
            }
            CheckJob::Save(responder, version, params, open) => {
                let known = version.wait(&|| responder.cancel.is_set() || command.is_interrupted());
                let known = known.ok_or(ServeError::CANCELLED);
                responder.answer(known.and_then(|known| Ok(known.save(&params, &open, &SystemFiles)?)));
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
    let known = edit.before.wait(&|| cancel.is_set() || command.is_interrupted()).ok_or(ServeError::CANCELLED)?;
    edit.carry_out(known, |known, question| {
        let answer = ask(process, &known.to_draw, question, cancel, command)?;
        if cancel.is_set() { Err(ServeError::CANCELLED) } else { Ok(answer) }
    })
}
