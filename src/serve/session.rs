//! One session: its threads, and who answers what.

use std::io::{self, BufRead, Write};
use std::sync::PoisonError;
use std::sync::mpsc::{Sender, channel};
use std::thread;

use serde_json::Value;

use super::checking::{CheckJob, check_all};
use super::drawing::{DrawingJob, DrawingQueue, KnownAdapter, drawing_queue};
use super::error::ServeError;
use super::files::SystemFiles;
use super::pending::{End, PendingRequests, Responder};
use super::queue::requests_of;
use super::reading::read_all;
use crate::error::ErrorKind;
use crate::questions::Question;
use crate::session::{Around, Dispatch, Edit, Request, Session, SessionError};
use crate::worker::WorkerCommand;

/// What a session needs of its surroundings.
pub struct ServeOptions {
    /// How the process that draws is started, and how long a picture may take.
    pub worker: WorkerCommand,
    /// The exit code that the program would end in with an error of a kind.
    pub exit_code: fn(ErrorKind) -> u8,
}

/// Answers the requests that `input` holds on `output`, until the input ends or `shutdown`. `Err` only if `output`
/// fails.
pub fn serve(
    input: impl BufRead + Send + 'static,
    output: impl Write + Send + 'static,
    options: ServeOptions,
) -> io::Result<()> {
    let ServeOptions { worker, exit_code } = options;
    let (ended, ending) = channel();
    let pending = PendingRequests::new(Box::new(output), ended, exit_code);
    let (to_draw, drawings) = drawing_queue(worker.clone());
    let (to_check, texts) = channel();
    let adapter = KnownAdapter::default();
    let (requests, queue) = requests_of(ServedSession::new(adapter.clone(), to_draw, to_check));
    // None of them is joined: the session may be over while one waits for input, and another is in the middle of a
    // question. Each ends when the one before it does, and the last one ends the session.
    let (for_reading, stopped) = (pending.clone(), worker.clone());
    spawn("requests", move || {
        read_all(input, &requests, &for_reading, || {
            stopped.interrupt();
            stopped.end_all();
        });
    })?;
    spawn("questions", move || queue.answer_all())?;
    let command = worker.clone();
    spawn("edits", move || check_all(&texts, &command))?;
    spawn("drawing", move || {
        drawings.answer_all(&adapter);
        pending.wait_for_all();
        pending.end(End::Over);
    })?;
    let end = ending.recv();
    worker.interrupt();
    worker.end_all();
    match end {
        Ok(End::OutputFailed(error)) => Err(error),
        // Without anybody to say so it is over, too.
        Ok(End::Over) | Err(_) => Ok(()),
    }
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    thread::Builder::new().name(name.to_owned()).spawn(work).map(drop)
}

/// The open traces. Questions that draw nothing are answered here, in the order in which they come; the others are
/// passed on, with all that they depend on.
pub(super) struct ServedSession {
    session: Session,
    adapter: KnownAdapter,
    to_draw: DrawingQueue,
    to_check: Sender<CheckJob>,
}

impl ServedSession {
    fn new(adapter: KnownAdapter, to_draw: DrawingQueue, to_check: Sender<CheckJob>) -> Self {
        Self { session: Session::new(SystemFiles), adapter, to_draw, to_check }
    }

    /// Says whether requests of this method are questions to whoever draws.
    pub(crate) fn passes_on(method: &str) -> bool {
        matches!(
            method,
            "seek" | "hash" | "image" | "pixel" | "overlay" | "mesh" | "shaders" | "edit" | "lint" | "trim"
        )
    }

    /// Answers a request, or passes it on.
    pub(crate) fn take(&mut self, request: Request, responder: Responder) {
        let Request { method, params, .. } = request;
        let adapter = self.adapter.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let cancel = responder.cancel.clone();
        let around = Around { adapter: adapter.as_deref(), is_given_up: &|| cancel.is_set() };
        let step = match cancel.is_set() {
            true => Err(SessionError::Cancelled),
            false => self.session.dispatch(&method, params, &around),
        };
        match step.map_err(ServeError::from) {
            Ok(Dispatch::Answer(value)) => responder.answer(Ok(value)),
            Ok(Dispatch::Ask(handle, question)) => self.pass_on(responder, handle, question),
            Ok(Dispatch::Closed(handle)) => {
                // What was asked before is still answered.
                self.to_draw.add(DrawingJob::Forget(handle));
                self.check(CheckJob::Forget(handle));
                responder.answer(Ok(Value::Null));
            }
            Ok(Dispatch::Save(params)) => match self.session.version(params.trace).cloned() {
                Ok(version) => self.check(CheckJob::Save(responder, version, params, self.session.open_files())),
                Err(error) => responder.answer(Err(error.into())),
            },
            Err(error) => responder.answer(Err(error)),
        }
    }

    /// Passes a question on to whoever draws, or to whoever compiles texts.
    fn pass_on(&mut self, responder: Responder, handle: u32, question: Question) {
        let current = match self.session.version(handle) {
            Ok(current) => current,
            Err(error) => return responder.answer(Err(error.into())),
        };
        if matches!(question, Question::Edit { .. }) {
            let edit = Edit::of(current, question);
            return self.check(CheckJob::Edit(responder, edit));
        }
        let version = current.clone();
        match question {
            Question::Shaders(..) | Question::State(..) | Question::Lint(_) | Question::Trim(_) => {
                self.check(CheckJob::Question(responder, version, question));
            }
            _ => self.to_draw.add(DrawingJob::Question(responder, version, question)),
        }
    }

    fn check(&self, to_check: CheckJob) {
        let _ = self.to_check.send(to_check);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};
    use std::time::Duration;

    use serde_json::json;

    use super::*;
    use crate::session::{METHODS, Method};
    use crate::worker::Program;

    #[derive(Clone, Default)]
    struct Written(Arc<Mutex<Vec<u8>>>);

    impl Write for Written {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Everything is read before anything is answered, as when the first request takes long.
    fn answers(input: &str) -> Vec<Value> {
        let output = Written::default();
        let (ended, _ending) = channel();
        let pending = PendingRequests::new(Box::new(output.clone()), ended, |_| 7);
        let program = Program::Other("nothing".into());
        let command = WorkerCommand::new(program, Vec::new(), Duration::from_secs(1));
        let (to_draw, drawings) = drawing_queue(command.clone());
        let adapter = KnownAdapter::default();
        let (to_check, texts) = channel();
        let (requests, queue) = requests_of(ServedSession::new(adapter.clone(), to_draw, to_check));
        read_all(input.as_bytes(), &requests, &pending, || ());
        drop(requests);
        queue.answer_all();
        check_all(&texts, &command);
        drawings.answer_all(&adapter);
        // `shutdown` is answered by a thread of its own.
        pending.wait_for_all();
        let written = output.0.lock().unwrap().clone();
        String::from_utf8(written).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    #[test]
    fn a_request_that_waits_can_be_cancelled() {
        let request = |id: &str| format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"info\"}}\n");
        let cancel =
            |id: &str| format!("{{\"jsonrpc\":\"2.0\",\"method\":\"$/cancelRequest\",\"params\":{{\"id\":{id}}}}}\n");
        let input = [request("1"), request("\"1\""), cancel("\"1\""), cancel("9"), cancel("null")].concat();
        let found = answers(&input);
        assert_eq!(found.len(), 2, "{found:?}");
        assert_eq!((&found[0]["id"], found[0].get("error")), (&json!(1), None));
        let error = &found[1]["error"];
        assert_eq!(
            (&found[1]["id"], &error["code"], &error["data"]["exit_code"]),
            (&json!("1"), &json!(-32800), &json!(7))
        );
    }

    #[test]
    fn every_method_that_is_listed_exists() {
        for Method { name, .. } in METHODS {
            let found = answers(&format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"{name}\"}}\n"));
            assert_ne!(found[0]["error"]["code"], -32601, "{name}");
        }
    }

    #[test]
    fn parameters_that_are_listed_are_those_that_are_read() {
        let message = |name: &str, params: Value| -> String {
            let request = json!({ "jsonrpc": "2.0", "id": 1, "method": name, "params": params });
            answers(&format!("{request}\n"))[0]["error"]["message"].as_str().unwrap_or_default().to_owned()
        };
        for Method { name, parameters, .. } in METHODS.into_iter().filter(|method| !method.parameters.is_empty()) {
            let unknown = message(name, json!({ "nonsense": 1 }));
            let (_, known) = unknown.split_once("expected").unwrap_or_else(|| panic!("{name}: {unknown}"));
            let known: Vec<&str> = known.split('`').skip(1).step_by(2).filter(|known| *known != "out").collect();
            let listed: Vec<&str> = parameters.iter().map(|parameter| parameter.trim_end_matches('?')).collect();
            assert_eq!(known, listed, "{name}");
            // Nothing that may be left out is missed, and all else is.
            let given: serde_json::Map<String, Value> = serde_json::Map::new();
            let first = parameters.iter().find(|parameter| !parameter.ends_with('?')).unwrap();
            assert!(message(name, Value::Object(given)).contains(&format!("missing field `{first}`")), "{name}");
        }
    }

    #[test]
    fn errors_of_parameters_name_the_field() {
        let message = |name: &str, params: Value| -> String {
            let request = json!({ "jsonrpc": "2.0", "id": 1, "method": name, "params": params });
            answers(&format!("{request}\n"))[0]["error"]["message"].as_str().unwrap_or_default().to_owned()
        };
        let wrong = message("image", json!({ "trace": 1, "draw": "last" }));
        assert!(wrong.starts_with("parameters of image: draw: invalid type: string"), "{wrong}");
        let wrong = message("hash", json!({ "trace": 1, "target": "x" }));
        assert!(wrong.starts_with("parameters of hash: target: expected HANDLE"), "{wrong}");
        // A handle may be a number, and the picture's file has the command line's name too.
        for params in [json!({ "trace": 1, "target": 7 }), json!({ "trace": 1, "target": "7:1", "out": "a.png" })] {
            assert_eq!(message("image", params), "trace 1 is not open");
        }
        let twice = message("image", json!({ "trace": 1, "path": "a.png", "out": "a.png" }));
        assert!(twice.contains("`path`"), "{twice}");
    }
}
