//! One session: its threads, the open traces, and which method does what.

use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};
use std::path::Path;
use std::sync::PoisonError;
use std::sync::mpsc::{Sender, channel};
use std::thread;

use serde_json::{Value, json};

use super::checking::{CheckJob, check_all};
use super::drawing::{DrawingJob, DrawingQueue, KnownAdapter, drawing_queue};
use super::edits::{Edit, OpenFiles};
use super::error::ServeError;
use super::message::Request;
use super::methods::METHODS;
use super::params::{self, read};
use super::pending::{Cancel, End, PendingRequests, Responder};
use super::questions::State;
use super::queue::requests_of;
use super::reading::read_all;
use super::traces::OpenTrace;
use super::{pictures, questions};
use crate::bytes::FileIdentity;
use crate::error::ErrorKind;
use crate::limits::MAX_OPEN_TRACES;
use crate::worker::{Question, WorkerCommand};

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
    let (requests, queue) = requests_of(Session::new(adapter.clone(), to_draw, to_check));
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
pub(super) struct Session {
    adapter: KnownAdapter,
    to_draw: DrawingQueue,
    to_check: Sender<CheckJob>,
    traces: BTreeMap<u32, OpenTrace>,
    last_handle: u32,
}

/// What becomes of a request.
enum Dispatch {
    Answer(Value),
    /// The trace with this handle is to be asked this.
    Draw(u32, Question),
    /// What was edited of it is to be saved.
    Save(params::SaveEdits),
}

impl Session {
    fn new(adapter: KnownAdapter, to_draw: DrawingQueue, to_check: Sender<CheckJob>) -> Self {
        Self { adapter, to_draw, to_check, traces: BTreeMap::new(), last_handle: 0 }
    }

    /// Whether requests of this method are not answered here, but passed on.
    pub(crate) fn passes_on(method: &str) -> bool {
        matches!(method, "seek" | "hash" | "image" | "pixel" | "mesh" | "shaders" | "edit")
    }

    /// Answers a request, or passes it on.
    pub(crate) fn take(&mut self, request: Request, responder: Responder) {
        let Request { method, params, .. } = request;
        let step = if responder.cancel.is_set() {
            Err(ServeError::Cancelled)
        } else {
            self.run(&method, params, &responder.cancel)
        };
        match step {
            Ok(Dispatch::Answer(value)) => responder.answer(Ok(value)),
            Ok(Dispatch::Draw(handle, question)) => self.pass_on(responder, handle, question),
            Ok(Dispatch::Save(params)) => match self.traces.get(&params.trace) {
                Some(open) => self.check(CheckJob::Save(responder, open.version.clone(), params, self.open_files())),
                None => responder.answer(Err(ServeError::NotOpen(params.trace))),
            },
            Err(error) => responder.answer(Err(error)),
        }
    }

    /// Passes a question on to whoever draws, or to whoever compiles texts.
    fn pass_on(&mut self, responder: Responder, handle: u32, question: Question) {
        let Some(open) = self.traces.get_mut(&handle) else {
            return responder.answer(Err(ServeError::NotOpen(handle)));
        };
        if matches!(question, Question::Edit { .. }) {
            let edit = Edit::of(&mut open.version, question);
            return self.check(CheckJob::Edit(responder, edit));
        }
        let version = open.version.clone();
        match question {
            Question::Shaders(..) | Question::State(..) => self.check(CheckJob::Question(responder, version, question)),
            _ => self.to_draw.add(DrawingJob::Question(responder, version, question)),
        }
    }

    fn check(&self, to_check: CheckJob) {
        let _ = self.to_check.send(to_check);
    }

    fn run(&mut self, method: &str, params: Value, cancel: &Cancel) -> Result<Dispatch, ServeError> {
        let drawing = match method {
            "seek" => {
                let params: params::At = read(method, params)?;
                Dispatch::Draw(params.trace, pictures::seek(self.trace(params.trace)?, &params)?)
            }
            "hash" => {
                let params: params::Hash = read(method, params)?;
                Dispatch::Draw(params.trace, pictures::hash(self.trace(params.trace)?, &params)?)
            }
            "image" => {
                let params: params::Image = read(method, params)?;
                if let Some(path) = &params.path {
                    self.open_files().refuse(Path::new(path))?;
                }
                Dispatch::Draw(params.trace, pictures::image(self.trace(params.trace)?, params)?)
            }
            "pixel" => {
                let params: params::Pixel = read(method, params)?;
                Dispatch::Draw(params.trace, pictures::pixel(self.trace(params.trace)?, &params)?)
            }
            "mesh" => {
                let params: params::Mesh = read(method, params)?;
                Dispatch::Draw(params.trace, pictures::mesh(self.trace(params.trace)?, &params))
            }
            "shaders" => {
                let params: params::At = read(method, params)?;
                let open = self.trace(params.trace)?;
                Dispatch::Draw(params.trace, Question::Shaders(params.place_from(open.place)))
            }
            "state" => {
                let params: params::At = read(method, params)?;
                match questions::state(self.trace(params.trace)?, &params)? {
                    State::Known(state) => Dispatch::Answer(state),
                    State::TakesCompiling(question) => Dispatch::Draw(params.trace, question),
                }
            }
            "edit" => {
                let params: params::Edit = read(method, params)?;
                Dispatch::Draw(params.trace, pictures::edit(self.trace(params.trace)?, params))
            }
            "save_edits" => {
                let params: params::SaveEdits = read(method, params)?;
                self.trace(params.trace)?;
                Dispatch::Save(params)
            }
            _ => return self.answer(method, params, cancel).map(Dispatch::Answer),
        };
        Ok(drawing)
    }

    /// The methods that draw nothing.
    fn answer(&mut self, method: &str, params: Value, cancel: &Cancel) -> Result<Value, ServeError> {
        match method {
            "initialize" | "info" => read::<params::Nothing>(method, params).map(|_| self.info()),
            "open" => self.open(read(method, params)?, cancel),
            "close" => self.close(&read(method, params)?),
            "events" => {
                let params: params::Events = read(method, params)?;
                questions::events(self.trace(params.trace)?, &params)
            }
            "find" => {
                let params: params::Find = read(method, params)?;
                questions::find(self.trace(params.trace)?, &params, cancel)
            }
            "buffer" => {
                let params: params::Buffer = read(method, params)?;
                questions::buffer(self.trace(params.trace)?, &params)
            }
            _ => Err(ServeError::NoSuchMethod(method.chars().take(100).collect())),
        }
    }

    fn info(&self) -> Value {
        let adapter = self.adapter.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let parameters: BTreeMap<_, _> = METHODS.iter().map(|method| (method.name, method.parameters)).collect();
        json!({
            "name": env!("CARGO_PKG_NAME"), "version": env!("CARGO_PKG_VERSION"),
            "methods": METHODS.map(|method| method.name), "parameters": parameters,
            "adapter": adapter, "traces": self.traces.keys().collect::<Vec<_>>(),
        })
    }

    fn open(&mut self, params: params::Open, cancel: &Cancel) -> Result<Value, ServeError> {
        if self.traces.len() >= MAX_OPEN_TRACES {
            return Err(ServeError::TooManyTraces(MAX_OPEN_TRACES));
        }
        let handle = self.last_handle + 1;
        let open = OpenTrace::open(handle, params, cancel)?;
        self.last_handle = handle;
        let described = open.describe(handle);
        self.traces.insert(handle, open);
        Ok(described)
    }

    /// What was asked before is still answered.
    fn close(&mut self, params: &params::Handle) -> Result<Value, ServeError> {
        let params::Handle { trace } = *params;
        self.traces.remove(&trace).ok_or(ServeError::NotOpen(trace))?;
        self.to_draw.add(DrawingJob::Forget(trace));
        self.check(CheckJob::Forget(trace));
        Ok(Value::Null)
    }

    fn trace(&mut self, handle: u32) -> Result<&mut OpenTrace, ServeError> {
        self.traces.get_mut(&handle).ok_or(ServeError::NotOpen(handle))
    }

    fn open_files(&self) -> OpenFiles {
        let open = self.traces.values();
        OpenFiles(open.map(|open| (FileIdentity::clone(&open.file), open.path.clone())).collect())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};
    use std::time::Duration;

    use super::*;
    use crate::serve::methods::Method;
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
        let (requests, queue) = requests_of(Session::new(adapter.clone(), to_draw, to_check));
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
        for Method { name, parameters } in METHODS.into_iter().filter(|method| !method.parameters.is_empty()) {
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
