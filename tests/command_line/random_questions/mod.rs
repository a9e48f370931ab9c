//! A thousand random questions to a driver's trace, to the same with faults, and to one of both ABIs.
//!
//! Each goes to one long session of `serve`, and one in [`ALSO_OF_THE_PROGRAM`] to a process of its own as well. Answers
//! are judged by a decoder of the tests' own, and by the pictures that playing the whole trace gives.
//!
//! `QUESTIONS=20000 cargo test --test gpu random_questions::` asks more of them, `QUESTIONS_SEED` others.

mod contents;

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use crate::support;
use aerogpu_replay::pixels::{Picture, read_png};
use serde_json::{Value, json};
use support::harness::Trial;
use support::plain_subjects::{PlainSubject, plain_subjects};
use support::plain_trace::{PlainRow, PlainTrace};
use support::program::run;
use support::random::Random;
use support::serve_client::Client;
use support::software;

/// Questions of a usual run.
const QUESTIONS: u32 = 1000;
/// One question in so many is asked of the program, too.
const ALSO_OF_THE_PROGRAM: u32 = 20;
const ADAPTER: [&str; 4] = ["--backend", "vulkan", "--adapter", "llvmpipe"];

/// A trace, and what is known of it.
struct Subject {
    path: PathBuf,
    plain: PlainTrace,
    /// The picture of each frame, from playing all of them in order.
    pictures: Vec<Picture>,
    /// Faults that `--keep-going` finds.
    planted: usize,
}

impl Subject {
    fn new(folder: &Path, PlainSubject { name, bytes, planted }: PlainSubject) -> Self {
        let path = folder.join(format!("{name}.aerogputrace"));
        std::fs::write(&path, &bytes).unwrap();
        let plain = PlainTrace::read(bytes);
        let out = folder.join(name);
        let mut arguments = vec![path.to_str().unwrap(), "--frames", "all", "--keep-going", "--out"];
        arguments.push(out.to_str().unwrap());
        arguments.extend(ADAPTER);
        let played = run(&arguments, folder);
        assert_eq!(played.code, if planted == 0 { 0 } else { 8 }, "{}", played.stderr);
        let mut written: Vec<PathBuf> = out.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
        written.sort();
        assert_eq!(written.len(), plain.frames.len());
        let picture = |path: &PathBuf| read_png(BufReader::new(File::open(path).unwrap())).unwrap();
        Self { pictures: written.iter().map(picture).collect(), path, plain, planted }
    }

    fn frame_count(&self) -> u32 {
        self.plain.frames.len() as u32
    }

    fn row(&self, frame: u32, row: u32) -> &PlainRow {
        &self.plain.frames[frame as usize].rows[row as usize]
    }

    fn row_count(&self, frame: u32) -> u32 {
        self.plain.frames[frame as usize].rows.len() as u32
    }

    /// A name that some row of the trace has.
    fn name(&self, random: &mut Random) -> &'static str {
        loop {
            let frame = random.below(self.frame_count());
            if let Some(name) = self.row(frame, random.below(self.row_count(frame))).name {
                return name;
            }
        }
    }
}

fn subjects(folder: &Path) -> Vec<Subject> {
    let subjects: Vec<Subject> = plain_subjects().into_iter().map(|subject| Subject::new(folder, subject)).collect();
    // The faults change nothing.
    let pairs = subjects[0].pictures.iter().zip(&subjects[1].pictures);
    let differ: Vec<usize> =
        pairs.enumerate().filter(|(_, (one, other))| one != other).map(|(frame, _)| frame).collect();
    assert!(differ.is_empty(), "frames {differ:?} differ by faults that change nothing");
    subjects
}

/// Somebody to ask.
struct Asked<'a> {
    subject: &'a Subject,
    client: &'a mut Client,
    handle: u64,
    /// Whether the program is asked as well.
    of_the_program: bool,
    /// The question, for a failure.
    what: String,
}

impl Asked<'_> {
    fn result(&mut self, method: &str, mut params: Value) -> Value {
        params["trace"] = json!(self.handle);
        self.what = format!("{} {method} {params}", self.subject.path.display());
        self.client.result(method, &params)
    }

    /// The JSON lines that the program prints for `line`.
    fn lines(&mut self, verb: &str, line: &str) -> Vec<Value> {
        let mut arguments: Vec<&str> = verb.split_whitespace().collect();
        arguments.push(self.subject.path.to_str().unwrap());
        arguments.extend(line.split_whitespace());
        arguments.extend(["--keep-going", "--json"]);
        self.what = format!("{arguments:?}");
        let done = run(&arguments, Path::new("."));
        assert!(done.code == 0 || (done.code == 8 && self.subject.planted > 0), "{}: {}", self.what, done.stderr);
        done.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// The program has no answer to `line`.
    fn refuses(&mut self, verb: &str, line: &str) {
        let mut arguments = vec![verb, self.subject.path.to_str().unwrap()];
        arguments.extend(line.split_whitespace());
        let done = run(&arguments, Path::new("."));
        let told = done.stderr.starts_with("error: ") && done.stdout.is_empty();
        assert!(told && ![0, 8].contains(&done.code), "{arguments:?}: {done:?}");
    }

    fn drawn(&mut self, verb: &str, line: &str) -> Vec<Value> {
        self.lines(verb, &format!("{line} {}", ADAPTER.join(" ")))
    }

    /// The picture of a frame is that of playing all.
    fn hash(&mut self, random: &mut Random) {
        let frame = random.below(self.subject.frame_count());
        let expected = json!(self.subject.pictures[frame as usize].hash().to_string());
        assert_eq!(self.result("hash", json!({ "frame": frame }))["sha256"], expected, "{}", self.what);
        if self.of_the_program {
            let lines = self.drawn("", &format!("--frame {frame} --hash"));
            let picture = lines.iter().find(|line| line["type"] == "picture").unwrap();
            assert_eq!(picture["sha256"], expected, "{}", self.what);
        }
    }

    /// A picture in mid-frame is the same, whoever is asked.
    fn hash_at_draw(&mut self, random: &mut Random) {
        let frame = random.below(self.subject.frame_count());
        let draws = self.subject.plain.draws(frame as usize).len() as u32;
        if draws == 0 {
            return;
        }
        let draw = random.below(draws);
        let expected = self.result("hash", json!({ "frame": frame, "draw": draw }))["sha256"].clone();
        if self.of_the_program {
            let lines = self.drawn("", &format!("--frame {frame} --draw {draw} --hash"));
            let picture = lines.iter().find(|line| line["type"] == "picture").unwrap();
            assert_eq!(picture["sha256"], expected, "{}", self.what);
        }
    }

    /// A pixel begins as the frame before left its texture, ends as the frame's picture has it, and each write begins where
    /// the last one ended.
    fn pixel(&mut self, random: &mut Random) {
        let frame = random.below(self.subject.frame_count());
        let size = self.subject.pictures[frame as usize].size();
        let (x, y) = (random.below(size.width_px), random.below(size.height_px));
        let answer = self.result("pixel", json!({ "frame": frame, "x": x, "y": y }));
        let lines = answer["events"].as_array().unwrap().clone();
        self.check_pixel(frame, [x, y], &lines);
        self.check_start(frame, [x, y], &lines[0]);
        if self.of_the_program {
            let of_the_program = self.drawn("pixel", &format!("--frame {frame} --at {x},{y}"));
            assert_eq!(without_faults(&of_the_program), without_faults(&lines), "{}", self.what);
        }
    }

    fn check_pixel(&self, frame: u32, [x, y]: [u32; 2], lines: &[Value]) {
        let color = json!(self.subject.pictures[frame as usize].pixel(x, y).unwrap());
        let of = |kind: &'static str| lines.iter().filter(move |line| line["type"] == kind);
        let (start, end) = (of("pixel-start").next().unwrap(), of("pixel-end").next().unwrap());
        let mut now = &start["rgba"];
        for write in of("pixel-event").filter(|event| event["wrote"] == true) {
            assert!(write["before"] == *now || now.is_null(), "{}: {write} after {now}", self.what);
            now = &write["after"];
        }
        assert_eq!((now, &end["rgba"], &end["error"]), (&color, &color, &Value::Null), "{}: end", self.what);
    }

    /// The texture that a history follows begins as the frame before left it.
    fn check_start(&mut self, frame: u32, [x, y]: [u32; 2], start: &Value) {
        let what = self.what.clone();
        if frame == 0 {
            let nothing = [json!("nothing"), json!("creation")].contains(&start["origin"]);
            assert!(nothing, "{what}: {start}");
            return;
        }
        if start["origin"] == "creation" || start["texture"].is_null() {
            return;
        }
        let target = format!("{}:{}:{}", start["texture"], start["mip"], start["layer"]);
        let path = self.subject.path.with_extension("start.png");
        self.result("image", json!({ "frame": frame - 1, "target": target, "path": path }));
        let left = read_png(BufReader::new(File::open(path).unwrap())).unwrap();
        assert_eq!(start["rgba"], json!(left.pixel(x, y).unwrap()), "{what}: {start}");
        self.what = what;
    }

    /// All rows of a frame.
    fn rows(&mut self, random: &mut Random) {
        let subject = self.subject;
        let frame = random.below(subject.frame_count());
        let answer = self.result("events", json!({ "frame": frame }));
        let rows = answer["rows"].as_array().unwrap().clone();
        self.check_rows(frame, &rows);
        if self.of_the_program {
            let mut lines = self.lines("events", &format!("--frame {frame}"));
            lines.retain(|line| line["type"] == "event");
            self.check_rows(frame, &lines);
        }
    }

    fn check_rows(&self, frame: u32, rows: &[Value]) {
        let expected = &self.subject.plain.frames[frame as usize].rows;
        assert_eq!(rows.len(), expected.len(), "{}", self.what);
        for (row, expected) in rows.iter().zip(expected) {
            self.check_row(row, expected);
        }
    }

    fn check_row(&self, row: &Value, expected: &PlainRow) {
        let is = (&row["offset"], &row["size_bytes"], &row["packet"]);
        let should_be = (&json!(expected.offset), &json!(expected.size), &json!(expected.packet));
        assert_eq!(is, should_be, "{}: {row} for {expected:?}", self.what);
        if let Some(name) = expected.name {
            assert_eq!(row["name"], name, "{}: {row}", self.what);
        }
    }

    /// The next row, or the one before, of a name.
    fn find(&mut self, random: &mut Random) {
        let subject = self.subject;
        let frame = random.below(subject.frame_count());
        let from = random.below(subject.row_count(frame));
        let name = subject.name(random);
        let forward = random.one_in(2);
        let (direction, filter) = (if forward { "next" } else { "previous" }, format!("/^{name}$/"));
        let all = (0..subject.frame_count()).flat_map(|of| (0..subject.row_count(of)).map(move |row| (of, row)));
        let mut matches = all.filter(|(of, row)| subject.row(*of, *row).name == Some(name));
        let expected = match forward {
            true => matches.find(|at| *at > (frame, from)),
            false => matches.take_while(|at| *at < (frame, from)).last(),
        };
        let params = json!({ "filter": filter, "direction": direction, "from": { "frame": frame, "row": from } });
        let found = self.result("find", params);
        match expected {
            None => assert_eq!(found, Value::Null, "{}", self.what),
            Some((of, row)) => {
                assert_eq!((&found["frame"], &found["row"]), (&json!(of), &json!(row)), "{}: {found}", self.what);
                self.check_row(&found, subject.row(of, row));
            }
        }
    }

    /// Who bound the vertex shader of a draw.
    fn state(&mut self, random: &mut Random) {
        let subject = self.subject;
        let frame = random.below(subject.frame_count());
        let draws = subject.plain.draws(frame as usize);
        if draws.is_empty() {
            return;
        }
        let draw = random.below(draws.len() as u32);
        let drawn = draws[draw as usize];
        let context = drawn.submission.map(|(_, context)| context);
        let binds = if context.is_some() { "BIND_SHADERS" } else { "SET_PIPELINE" };
        let before = subject.plain.rows_to(frame as usize, drawn.packet.unwrap());
        let mut before =
            before.filter(|(_, row)| row.name == Some(binds) && row.submission.map(|(_, of)| of) == context);
        let (of, bound) = before.next_back().expect("shaders are bound for every draw");
        let expected = json!([of, bound.packet, bound.offset]);
        let answer = self.result("state", json!({ "frame": frame, "draw": draw }));
        assert_eq!(set_at(&answer), expected, "{}: {answer}", self.what);
        if self.of_the_program {
            let lines = self.lines("state", &format!("--frame {frame} --draw {draw}"));
            assert_eq!(set_at(&lines[0]), expected, "{}", self.what);
        }
    }
}

/// Lines but those of faults, which `serve` tells in a member of their own.
fn without_faults(lines: &[Value]) -> Vec<&Value> {
    lines.iter().filter(|line| line["type"].as_str().unwrap().starts_with("pixel-")).collect()
}

/// Frame, packet and offset of what set the vertex shader.
fn set_at(state: &Value) -> Value {
    let settings = state["settings"].as_array().cloned().unwrap_or_default();
    let vertex = settings.iter().find(|setting| setting["group"] == "shaders" && setting["name"] == "vertex");
    let at = vertex.map_or(&state["pipeline"]["set_at"], |vertex| &vertex["set_at"]);
    json!([at["frame"], at["packet"], at["offset"]])
}

/// Opens a trace to go on behind its faults, which are those that were planted.
fn open(client: &mut Client, subject: &Subject) -> u64 {
    let opened = client.result("open", &json!({ "path": subject.path, "keep_going": true }));
    assert_eq!(opened["faults"]["count"].as_u64().unwrap_or(0), subject.planted as u64, "{opened}");
    opened["trace"].as_u64().unwrap()
}

fn setting(name: &str) -> Option<u32> {
    let value = std::env::var(name).ok()?;
    Some(value.parse().unwrap_or_else(|_| panic!("{name} is {value:?}: expected a number")))
}

fn answers_agree_with_a_plain_decoder_and_with_playing() {
    let folder = tempfile::tempdir().unwrap();
    let subjects = subjects(folder.path());
    let mut client = Client::start(&ADAPTER);
    let handles: Vec<u64> = subjects.iter().map(|subject| open(&mut client, subject)).collect();
    let mut random = Random::new(u64::from(setting("QUESTIONS_SEED").unwrap_or(1)));
    for number in 0..setting("QUESTIONS").unwrap_or(QUESTIONS) {
        let which = random.below(subjects.len() as u32) as usize;
        let mut asked = Asked {
            subject: &subjects[which],
            client: &mut client,
            handle: handles[which],
            of_the_program: number % ALSO_OF_THE_PROGRAM == 0,
            what: String::new(),
        };
        match random.below(9) {
            0 => asked.hash(&mut random),
            1 => asked.hash_at_draw(&mut random),
            2 => asked.pixel(&mut random),
            3 => asked.rows(&mut random),
            4 => asked.find(&mut random),
            5 => asked.buffer(&mut random),
            6 => asked.texture(&mut random),
            7 => asked.mesh(&mut random),
            _ => asked.state(&mut random),
        }
    }
    assert_eq!(client.end(), (String::new(), 0));
}

pub fn trials() -> Vec<Trial> {
    vec![software::trial("answers_agree_with_a_plain_decoder_and_with_playing", |_| {
        answers_agree_with_a_plain_decoder_and_with_playing();
    })]
}
