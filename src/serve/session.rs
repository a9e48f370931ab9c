//! One session: the device, the open traces, and which method does what.

use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

use serde_json::{Value, json};

use super::error::ServeError;
use super::framing::write_message;
use super::message::{Request, answer};
use super::params::{self, read};
use super::reading::{Cancel, Entry, Queued, Waiting, read_all};
use super::traces::OpenTrace;
use super::{pictures, questions};
use crate::bytes::limits::{MAX_OPEN_TRACES, MAX_QUEUED_MESSAGES};
use crate::gpu::{Gpu, GpuError};

const METHODS: [&str; 17] = [
    "initialize",
    "info",
    "open",
    "close",
    "seek",
    "hash",
    "image",
    "pixel",
    "state",
    "events",
    "find",
    "buffer",
    "mesh",
    "shaders",
    "edit",
    "save_edits",
    "shutdown",
];

/// What a session needs of its surroundings.
pub struct ServeOptions {
    /// Opens the device; called when one is first needed, and again if it was lost.
    pub open_gpu: Box<dyn Fn() -> Result<Gpu, GpuError>>,
    /// The exit code that the program would end in with an error.
    pub exit_code: fn(ServeError) -> u8,
}

/// Answers the requests that `input` holds on `output`, until the input ends or `shutdown`. `Err` only if `output`
/// fails.
pub fn serve(input: impl BufRead + Send + 'static, output: &mut impl Write, options: ServeOptions) -> io::Result<()> {
    let waiting = Waiting::default();
    let (sender, receiver) = sync_channel(MAX_QUEUED_MESSAGES);
    let for_reading = waiting.clone();
    // Not joined: after `shutdown` it may wait for input that never comes.
    thread::Builder::new().name("requests".to_owned()).spawn(move || read_all(input, &sender, &for_reading))?;
    let mut session = Session { options, gpu: None, traces: BTreeMap::new(), last_handle: 0, is_over: false };
    session.answer_all(&receiver, &waiting, output)
}

struct Session {
    options: ServeOptions,
    gpu: Option<Arc<Gpu>>,
    traces: BTreeMap<u32, OpenTrace>,
    last_handle: u32,
    is_over: bool,
}

impl Session {
    fn answer_all(&mut self, queue: &Receiver<Queued>, waiting: &Waiting, output: &mut impl Write) -> io::Result<()> {
        while !self.is_over
            && let Ok(Queued { framing, entries, is_batch }) = queue.recv()
        {
            let mut answers = Vec::new();
            for entry in entries {
                match entry {
                    Entry::Answered(answer) => answers.push(answer),
                    Entry::Request(request, cancel) => answers.extend(self.respond(request, &cancel, waiting)),
                }
                if self.is_over {
                    break;
                }
            }
            if is_batch && !answers.is_empty() {
                write_message(output, framing, &Value::Array(answers).to_string())?;
            } else if let Some(answer) = answers.first() {
                write_message(output, framing, &answer.to_string())?;
            }
        }
        Ok(())
    }

    /// The answer to a request; notifications have none.
    fn respond(&mut self, request: Request, cancel: &Cancel, waiting: &Waiting) -> Option<Value> {
        let Request { id, method, params } = request;
        let result = if cancel.is_set() { Err(ServeError::Cancelled) } else { self.run(&method, params, cancel) };
        if result.as_ref().is_err_and(ServeError::loses_device) {
            self.lose_device();
        }
        let id = id?;
        waiting.remove(&id);
        Some(answer(id, result, self.options.exit_code))
    }

    fn run(&mut self, method: &str, params: Value, cancel: &Cancel) -> Result<Value, ServeError> {
        match method {
            "initialize" | "info" => read::<params::Nothing>(method, params).map(|_| self.info()),
            "open" => self.open(read(method, params)?, cancel),
            "close" => {
                let params::Handle { trace } = read(method, params)?;
                self.traces.remove(&trace).map(|_| Value::Null).ok_or(ServeError::NotOpen(trace))
            }
            "seek" => {
                let params: params::Place = read(method, params)?;
                let (open, gpu) = self.drawing(params.trace)?;
                pictures::seek(open, &gpu, &params)
            }
            "hash" => {
                let params: params::Place = read(method, params)?;
                let (open, gpu) = self.drawing(params.trace)?;
                pictures::hash(open, &gpu, &params)
            }
            "image" => {
                let params: params::Image = read(method, params)?;
                let (open, gpu) = self.drawing(params.trace)?;
                pictures::image(open, &gpu, params)
            }
            "pixel" => {
                let params: params::Pixel = read(method, params)?;
                let (open, gpu) = self.drawing(params.trace)?;
                pictures::pixel(open, &gpu, &params)
            }
            "mesh" => {
                let params: params::Mesh = read(method, params)?;
                let (open, gpu) = self.drawing(params.trace)?;
                questions::mesh(open, &gpu, &params)
            }
            "state" => {
                let params: params::Place = read(method, params)?;
                questions::state(self.trace(params.trace)?, &params)
            }
            "shaders" => {
                let params: params::Place = read(method, params)?;
                questions::shaders(self.trace(params.trace)?, &params)
            }
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
            "edit" => {
                let params: params::Edit = read(method, params)?;
                questions::edit(self.trace(params.trace)?, params)
            }
            "save_edits" => {
                let params: params::SaveEdits = read(method, params)?;
                questions::save_edits(self.trace(params.trace)?, &params)
            }
            "shutdown" | "exit" => {
                self.is_over = true;
                Ok(Value::Null)
            }
            _ => Err(ServeError::NoSuchMethod(method.chars().take(100).collect())),
        }
    }

    fn info(&self) -> Value {
        json!({
            "name": env!("CARGO_PKG_NAME"), "version": env!("CARGO_PKG_VERSION"), "methods": METHODS,
            "adapter": self.gpu.as_ref().map(|gpu| gpu.summary().to_string()), "traces": self.traces.keys().collect::<Vec<_>>(),
        })
    }

    fn open(&mut self, params: params::Open, cancel: &Cancel) -> Result<Value, ServeError> {
        if self.traces.len() >= MAX_OPEN_TRACES {
            return Err(ServeError::TooManyTraces(MAX_OPEN_TRACES));
        }
        let open = OpenTrace::open(params, cancel)?;
        self.last_handle += 1;
        let described = open.describe(self.last_handle);
        self.traces.insert(self.last_handle, open);
        Ok(described)
    }

    fn trace(&mut self, handle: u32) -> Result<&mut OpenTrace, ServeError> {
        self.traces.get_mut(&handle).ok_or(ServeError::NotOpen(handle))
    }

    /// A trace and the device to draw it on.
    fn drawing(&mut self, handle: u32) -> Result<(&mut OpenTrace, Arc<Gpu>), ServeError> {
        let open = self.traces.get_mut(&handle).ok_or(ServeError::NotOpen(handle))?;
        let gpu = match &self.gpu {
            Some(gpu) => gpu.clone(),
            None => self.gpu.insert(Arc::new((self.options.open_gpu)()?)).clone(),
        };
        Ok((open, gpu))
    }

    /// The next request that draws opens a new device.
    fn lose_device(&mut self) {
        for player in self.traces.values_mut().filter_map(OpenTrace::take_player) {
            // Letting go of a device waits for it, and this one does not answer.
            std::mem::forget(player);
        }
        std::mem::forget(self.gpu.take());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Everything is read before anything is answered, as when the first request takes long.
    fn answers(input: &str) -> Vec<Value> {
        let (sender, receiver) = sync_channel(MAX_QUEUED_MESSAGES);
        let waiting = Waiting::default();
        read_all(input.as_bytes(), &sender, &waiting);
        drop(sender);
        let no_gpu = || Err(GpuError::NoAdapter { wanted: "one".to_owned(), found: "none".to_owned() });
        let options = ServeOptions { open_gpu: Box::new(no_gpu), exit_code: |_| 7 };
        let mut session = Session { options, gpu: None, traces: BTreeMap::new(), last_handle: 0, is_over: false };
        let mut output = Vec::new();
        session.answer_all(&receiver, &waiting, &mut output).unwrap();
        String::from_utf8(output).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
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
        for method in METHODS {
            let found = answers(&format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"{method}\"}}\n"));
            assert_ne!(found[0]["error"]["code"], -32601, "{method}");
        }
    }
}
