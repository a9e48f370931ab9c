//! A running `serve --stdio`, as an editor or a script drives it: over pipes.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::program::program;

/// The longest that an answer is waited for: a test that hangs says where.
const PATIENCE: Duration = Duration::from_secs(60);

/// A message, and whether it came after a header.
type Message = (bool, Value);

pub struct Client {
    pub child: Child,
    input: Option<ChildStdin>,
    output: Receiver<Message>,
    last_id: u64,
}

impl Client {
    pub fn start(flags: &[&str]) -> Self {
        let mut command = program();
        command.args(["serve", "--stdio"]).args(flags).stderr(Stdio::inherit());
        Self::of(command)
    }

    pub fn of(mut command: Command) -> Self {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (input, stdout) = (child.stdin.take(), child.stdout.take().unwrap());
        let (sender, output) = channel();
        thread::spawn(move || read_messages(BufReader::new(stdout), &sender));
        Self { child, input, output, last_id: 0 }
    }

    pub fn write(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(bytes).unwrap();
        input.flush().unwrap();
    }

    fn read(&mut self, is_framed: bool) -> Value {
        let (was_framed, message) = self.output.recv_timeout(PATIENCE).expect("an answer");
        assert_eq!(was_framed, is_framed, "{message}");
        message
    }

    /// The next answer, on a line.
    pub fn read_line(&mut self) -> Value {
        self.read(false)
    }

    /// The next answer, after a header.
    pub fn read_framed(&mut self) -> Value {
        self.read(true)
    }

    /// Sends a request on a line; its id.
    pub fn send(&mut self, method: &str, params: &Value) -> u64 {
        self.last_id += 1;
        let request = json!({ "jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params });
        self.write(format!("{request}\n").as_bytes());
        self.last_id
    }

    /// Asks for the request with this id to be given up.
    pub fn cancel(&mut self, id: u64) {
        let request = json!({ "jsonrpc": "2.0", "method": "$/cancelRequest", "params": { "id": id } });
        self.write(format!("{request}\n").as_bytes());
    }

    /// The answer to a request on a line.
    pub fn ask(&mut self, method: &str, params: &Value) -> Value {
        let id = self.send(method, params);
        self.answer_to(id)
    }

    /// The next answer, which is that to the request with this id.
    pub fn answer_to(&mut self, id: u64) -> Value {
        let answer = self.read_line();
        assert_eq!((&answer["jsonrpc"], &answer["id"]), (&json!("2.0"), &json!(id)), "{answer}");
        answer
    }

    pub fn result(&mut self, method: &str, params: &Value) -> Value {
        let mut answer = self.ask(method, params);
        assert!(answer.get("error").is_none(), "{method} {params}: {answer}");
        answer["result"].take()
    }

    pub fn error(&mut self, method: &str, params: &Value) -> Value {
        let mut answer = self.ask(method, params);
        assert!(answer.get("result").is_none(), "{method} {params}: {answer}");
        answer["error"].take()
    }

    pub fn open(&mut self, path: &Path) -> u64 {
        self.result("open", &json!({ "path": path }))["trace"].as_u64().unwrap()
    }

    /// Ends the input; gives what was still to read, and the exit code.
    pub fn end(mut self) -> (String, i32) {
        drop(self.input.take());
        let mut rest = String::new();
        while let Ok((_, message)) = self.output.recv_timeout(PATIENCE) {
            rest += &message.to_string();
        }
        (rest, self.child.wait().unwrap().code().unwrap())
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // A test that failed leaves nothing running.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Passes on what is written until nothing more will be.
fn read_messages(mut output: BufReader<ChildStdout>, into: &Sender<Message>) {
    let mut line = String::new();
    while output.read_line(&mut line).is_ok_and(|length| length > 0) {
        let message = match line.trim_end().strip_prefix("Content-Length: ") {
            Some(length) => {
                let mut body = vec![0; length.parse::<usize>().unwrap() + 2];
                output.read_exact(&mut body).unwrap();
                assert_eq!(body[..2], *b"\r\n");
                (true, serde_json::from_slice(&body[2..]).unwrap())
            }
            None => (false, serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))),
        };
        if into.send(message).is_err() {
            return;
        }
        line.clear();
    }
}
