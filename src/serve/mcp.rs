//! The Model Context Protocol over the same session: its methods are tools.
//!
//! ```text
//!  client ─► McpReader: initialize, ping and tools/list are answered at once; tools/call becomes a request ─► session
//!         ◄─ ToolAnswers: an answer becomes a tool's result, its picture an image                          ◄─
//! ```
//!
//! Messages are lines, those of a batch are answered one by one. The session below reads from a pipe and writes to
//! [`ToolAnswers`].

use std::io::{self, BufRead, BufReader, PipeWriter, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use serde_json::{Map, Value, json};
use thiserror::Error;

use super::framing::{Input, Next, read_message};
use super::session::{ServeOptions, serve};
use crate::error::{Classified, ErrorKind};
use crate::limits::MAX_MESSAGE_BYTES;
use crate::session::{Item, METHODS, Method, Parsed, Request, parse_error, parse_message};

/// Versions of the protocol that are spoken, the newest last.
const VERSIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// Methods that are no tools: the client's own handshake and end, and a file of many megabytes in an answer.
const NO_TOOLS: [&str; 3] = ["initialize", "shutdown", "trim"];

/// Code of an answer to a request that was cancelled: such a one is not answered.
const CANCELLED: i64 = -32800;

/// Sentences for a client that has never heard of traces.
const INSTRUCTIONS: &str = "Replays AeroGPU traces: recordings of a guest's GPU commands. open gives a handle; draws, state, \
    shaders and image tell what a frame is drawn from and how it looks, pixel which draws made a pixel what it is, lint \
    what looks like a mistake, and edit draws with another shader. Frames and draws are counted from 0.";

/// A request that is not passed on.
#[derive(Debug, Error)]
enum McpError {
    #[error("there is no tool \"{0}\"")]
    NoTool(String),
    #[error("there is no method \"{0}\"")]
    NoMethod(String),
    #[error("the call is longer than {MAX_MESSAGE_BYTES} bytes, the limit")]
    TooLong,
}

impl McpError {
    /// Code of the JSON-RPC error.
    fn code(&self) -> i64 {
        match self {
            Self::NoTool(_) => -32602,
            Self::NoMethod(_) => -32601,
            Self::TooLong => -32600,
        }
    }
}

impl Classified for McpError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::NoTool(_) | Self::NoMethod(_) => ErrorKind::Usage,
            Self::TooLong => ErrorKind::OverLimit,
        }
    }

    fn offset(&self) -> Option<u64> {
        None
    }
}

/// The client's end of the output, which two threads write to, and the error that it ended in.
#[derive(Clone)]
struct Output(Arc<Mutex<ClientEnd>>);

struct ClientEnd {
    stream: Box<dyn Write + Send>,
    error: Option<io::Error>,
}

/// Answers a client of the Model Context Protocol until its input ends. `Err` only if `output` fails.
pub fn serve_mcp(
    input: impl BufRead + Send + 'static,
    output: impl Write + Send + 'static,
    options: ServeOptions,
) -> io::Result<()> {
    let output = Output(Arc::new(Mutex::new(ClientEnd { stream: Box::new(output), error: None })));
    let (requests, to_session) = io::pipe()?;
    let reader = McpReader { output: output.clone(), to_session };
    thread::Builder::new().name("mcp".to_owned()).spawn(move || reader.read_all(input))?;
    serve(BufReader::new(requests), ToolAnswers { output: output.clone(), line: Vec::new() }, options)?;
    // A reader that could not write is, to the session below, the end of its requests.
    output.lock().error.take().map_or(Ok(()), Err)
}

impl Output {
    fn lock(&self) -> MutexGuard<'_, ClientEnd> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_line(&self, message: &Value) -> io::Result<()> {
        let mut end = self.lock();
        writeln!(end.stream, "{message}")?;
        end.stream.flush()
    }
}

fn tools() -> impl Iterator<Item = Method> {
    METHODS.into_iter().filter(|method| !NO_TOOLS.contains(&method.name))
}

/// The thread that reads what the client says.
struct McpReader {
    output: Output,
    to_session: PipeWriter,
}

impl McpReader {
    /// Reads until the input ends, or nobody listens any more.
    fn read_all(mut self, input: impl BufRead) {
        let mut input = Input::new(input);
        loop {
            let taken = match read_message(&mut input) {
                Ok(Next::End) | Err(_) => return,
                Ok(Next::Broken(_, reason)) => self.output.write_line(&parse_error(&reason)),
                Ok(Next::Message(_, bytes)) => self.take(&bytes),
            };
            if let Err(error) = taken {
                self.output.lock().error = Some(error);
                return;
            }
        }
    }

    fn take(&mut self, bytes: &[u8]) -> io::Result<()> {
        let Parsed { items, .. } = parse_message(bytes);
        for item in items {
            match item {
                Item::Answered(answer) => self.output.write_line(&answer)?,
                Item::Request(request) => self.take_request(request)?,
            }
        }
        Ok(())
    }

    fn take_request(&mut self, request: Request) -> io::Result<()> {
        let Request { id, method, params } = request;
        let Some(id) = id else {
            let cancelled = params.get("requestId").filter(|_| method == "notifications/cancelled");
            return match cancelled {
                Some(id) => {
                    self.pass_on(&json!({ "jsonrpc": "2.0", "method": "$/cancelRequest", "params": { "id": id } }))
                }
                None => Ok(()),
            };
        };
        let result = match method.as_str() {
            "initialize" => Ok(initialized(&params)),
            "ping" => Ok(json!({})),
            "tools/list" => Ok(json!({ "tools": tools().map(|method| described(&method)).collect::<Vec<_>>() })),
            "tools/call" => {
                let name = params.get("name").and_then(Value::as_str).unwrap_or("");
                if tools().any(|tool| tool.name == name) {
                    let arguments = params.get("arguments").cloned().unwrap_or_else(|| json!({}));
                    let request = json!({ "jsonrpc": "2.0", "id": id, "method": name, "params": arguments });
                    return self.pass_on(&request);
                }
                Err(McpError::NoTool(name.to_owned()))
            }
            _ => Err(McpError::NoMethod(method)),
        };
        let answer = match result {
            Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
            Err(error) => {
                let message = error.to_string();
                json!({ "jsonrpc": "2.0", "id": id, "error": { "code": error.code(), "message": message } })
            }
        };
        self.output.write_line(&answer)
    }

    /// Passes a request on to the session. One that is longer there than the session takes is refused here, by its id.
    fn pass_on(&mut self, request: &Value) -> io::Result<()> {
        let text = request.to_string();
        if text.len() as u64 >= MAX_MESSAGE_BYTES {
            let error = McpError::TooLong;
            let error = json!({ "code": error.code(), "message": error.to_string() });
            return self.output.write_line(&json!({ "jsonrpc": "2.0", "id": request.get("id"), "error": error }));
        }
        writeln!(self.to_session, "{text}")
    }
}

/// The answer to `initialize`: the client's version of the protocol where it is spoken here, else the newest that is.
fn initialized(params: &Value) -> Value {
    let [.., newest] = VERSIONS;
    let asked = params.get("protocolVersion").and_then(Value::as_str);
    let version = asked.filter(|asked| VERSIONS.contains(asked)).unwrap_or(newest);
    json!({
        "protocolVersion": version, "capabilities": { "tools": {} }, "instructions": INSTRUCTIONS,
        "serverInfo": { "name": env!("CARGO_PKG_NAME"), "version": env!("CARGO_PKG_VERSION") },
    })
}

/// A tool as `tools/list` describes it.
fn described(method: &Method) -> Value {
    json!({
        "name": method.name, "description": method.summary, "inputSchema": method.schema(),
        "annotations": { "readOnlyHint": method.only_reads, "openWorldHint": false },
    })
}

/// Sink of the session's answers, each on a line.
struct ToolAnswers {
    output: Output,
    /// The beginning of an answer.
    line: Vec<u8>,
}

impl Write for ToolAnswers {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(part);
            if part.ends_with(b"\n") {
                let answer = std::mem::take(&mut self.line);
                if let Some(answer) = tool_answer(serde_json::from_slice(&answer)?) {
                    self.output.write_line(&answer)?;
                }
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.lock().stream.flush()
    }
}

/// An answer of the session as the result of a tool; none of a request that was cancelled. An answer without an id is to no
/// call, and stays an error.
fn tool_answer(mut answer: Value) -> Option<Value> {
    if answer.get("id").is_none_or(Value::is_null) {
        return Some(answer);
    }
    let members = answer.as_object_mut()?;
    let result = match (members.remove("result"), members.remove("error")) {
        (_, Some(error)) if error.get("code") == Some(&json!(CANCELLED)) => return None,
        (_, Some(error)) => failed(&error),
        (result, None) => succeeded(result.unwrap_or(Value::Null)),
    };
    Some(json!({ "jsonrpc": "2.0", "id": members.remove("id"), "result": result }))
}

/// An error is for the model to read: what it asked may be put right.
fn failed(error: &Value) -> Value {
    let message = error.get("message").and_then(Value::as_str).unwrap_or("");
    let text = match error.pointer("/data/offset").and_then(Value::as_u64) {
        Some(offset) => format!("{message} (file offset {offset:#x})"),
        None => message.to_owned(),
    };
    json!({ "content": [{ "type": "text", "text": text }], "structuredContent": error, "isError": true })
}

fn succeeded(result: Value) -> Value {
    let mut members = match result {
        Value::Object(members) => members,
        other => Map::from_iter([("result".to_owned(), other)]),
    };
    let png = members.remove("png").filter(|png| !png.is_null());
    let image = png.map(|png| json!({ "type": "image", "data": png, "mimeType": "image/png" }));
    let text = json!({ "type": "text", "text": Value::Object(members.clone()).to_string() });
    let content: Vec<Value> = image.into_iter().chain([text]).collect();
    json!({ "content": content, "structuredContent": members, "isError": false })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_become_images_and_errors_are_told_with_their_offset() {
        let drawn = json!({ "jsonrpc": "2.0", "id": "a", "result": { "width": 2, "png": "AAAA" } });
        let found = tool_answer(drawn).unwrap();
        assert_eq!(found["id"], "a");
        let image = json!({ "type": "image", "data": "AAAA", "mimeType": "image/png" });
        assert_eq!(found["result"]["content"][0], image);
        assert_eq!(found["result"]["content"][1]["text"], "{\"width\":2}");
        assert_eq!(found["result"]["structuredContent"], json!({ "width": 2 }));
        let error = json!({ "code": -32000, "message": "the frame is damaged", "data": { "offset": 31 } });
        let failed = tool_answer(json!({ "jsonrpc": "2.0", "id": 1, "error": error })).unwrap();
        assert_eq!(failed["result"]["isError"], true);
        assert_eq!(failed["result"]["content"][0]["text"], "the frame is damaged (file offset 0x1f)");
        let cancelled = json!({ "jsonrpc": "2.0", "id": 1, "error": { "code": CANCELLED, "message": "cancelled" } });
        assert_eq!(tool_answer(cancelled), None);
    }

    #[test]
    fn every_parameter_is_described() {
        for method in METHODS {
            let schema = method.schema();
            for (name, described) in schema["properties"].as_object().unwrap() {
                assert!(described.get("type").is_some(), "{}: {name} has no type", method.name);
            }
            assert!(method.summary.ends_with('.'), "{}", method.name);
        }
    }
}
