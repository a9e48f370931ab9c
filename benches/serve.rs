//! Measures what a question costs `serve` beside the picture: warm hashes of a small trace, one by one and sixteen at a time.
//!
//! `cargo bench --bench serve -- OTHER…` measures other builds of the program in turns with this one, and gives the ratios
//! to the first of them: a claim like "at most 1.2 times what it was" needs both on one machine at one time.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "a bench panics")]

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

const TRACE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/aerogpu/frames.aerogputrace");
const FRAMES: u32 = 4;
/// Hashes of each size and way.
const HASHES: u32 = 320;
/// Questions that are asked before the first of them is answered.
const AT_A_TIME: u32 = 16;

/// A warm session.
struct Session {
    program: String,
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    next_frame: u32,
}

impl Session {
    fn start(program: &str, size: &str) -> Self {
        let mut command = Command::new(program);
        command.args(["serve", "--stdio", "--backend", "vulkan"]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap_or_else(|error| panic!("{program}: {error}"));
        let (input, output) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        let mut session = Self { program: program.to_owned(), child, input, output, next_frame: 0 };
        session.send("open", &json!({ "path": TRACE, "size": size }));
        assert_eq!(session.receive()["trace"], 1);
        session.ask(AT_A_TIME);
        session
    }

    fn send(&mut self, method: &str, params: &Value) {
        let request = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        self.input.write_all(format!("{request}\n").as_bytes()).unwrap();
    }

    fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        let mut answer: Value = serde_json::from_str(&line).unwrap();
        assert!(answer.get("error").is_none(), "{}: {answer}", self.program);
        answer["result"].take()
    }

    /// The time that so many questions take, each.
    fn ask(&mut self, count: u32) -> Duration {
        let started = Instant::now();
        for _ in 0..count {
            self.next_frame = (self.next_frame + 1) % FRAMES;
            self.send("hash", &json!({ "trace": 1, "frame": self.next_frame }));
        }
        (0..count).for_each(|_| assert!(self.receive()["sha256"].is_string()));
        started.elapsed() / count
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn main() {
    // Cargo passes flags of its own.
    let mut programs: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    programs.push(env!("CARGO_BIN_EXE_aerogpu-replay").to_owned());
    for size in ["64x64", "640x480"] {
        let mut sessions: Vec<Session> = programs.iter().map(|program| Session::start(program, size)).collect();
        for (way, at_a_time) in [("one by one", 1), ("sixteen at a time", AT_A_TIME)] {
            let mut times = vec![Vec::new(); sessions.len()];
            for _ in 0..HASHES / at_a_time {
                sessions.iter_mut().zip(&mut times).for_each(|(session, times)| times.push(session.ask(at_a_time)));
            }
            let medians: Vec<Duration> = times.into_iter().map(median).collect();
            for (program, time) in programs.iter().zip(&medians) {
                let ratio = time.as_secs_f64() / medians[0].as_secs_f64();
                println!("hash of {size}, {way}: {} µs, {ratio:.2} of the first, {program}", time.as_micros());
            }
        }
    }
}
