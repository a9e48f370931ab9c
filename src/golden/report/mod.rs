//! The report: one HTML file that needs nothing else, and loads nothing.
//!
//! The page's script and style are allowed by their hashes, everything else is forbidden by its content security
//! policy; outcomes and pictures are data in it, shown as text and on canvases. What a trace, a file name or a reason
//! says can't become markup. A picture that several frames show is in it once.
//!
//! What somebody decides on the page about changed pictures is a file for `golden approve --decisions`
//! ([`super::decisions`]); frames that changed for the same reason ([`FrameOutcome::cause_group`]) are decided at once.

mod page_link;

use std::collections::HashMap;
use std::io::Cursor;
use std::path::Path;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

pub use self::page_link::PageLinks;
use super::case::picture_stem;
use super::error::GoldenError;
use super::outcome::{CaseOutcome, FrameOutcome, OutcomeCounts, Status};
use super::pictures::write_text;
use super::results::Results;
use crate::bytes::{encode_base64, read_input};
use crate::command::{FramePicture, Shown};
use crate::limits::MAX_REPORT_PICTURES_BYTES;
use crate::pixels::{read_png, write_png};
use crate::text::is_harmless;

/// The report's file name in its folder.
pub const REPORT_FILE: &str = "index.html";

const PAGE: &str = include_str!("report.html");
const STYLE: &str = include_str!("report.css");
const SCRIPT: &str =
    concat!(include_str!("png.js"), include_str!("views.js"), include_str!("triage.js"), include_str!("report.js"));

/// Writes `results` as a page into `folder`.
pub fn write_report(results: &Results, links: &PageLinks, folder: &Path) -> Result<(), GoldenError> {
    write_text(&folder.join(REPORT_FILE), &page(results, links))
}

/// The page.
pub fn page(results: &Results, links: &PageLinks) -> String {
    let mut pictures = Pictures::within(MAX_REPORT_PICTURES_BYTES);
    let cases: Vec<Value> = results.cases.iter().map(|case| case_data(case, (results, links), &mut pictures)).collect();
    let data = json!({
        "id": id_of(results),
        "summary": OutcomeCounts::of(&results.cases).to_string(),
        "tool": results.tool,
        "shaders": results.shaders,
        "approve": approve_words(results),
        "cases": cases,
        "pictures": pictures.texts,
    });
    // Each of these marks stands in the page once, in this order; what takes its place is not looked at again.
    let mut page = String::new();
    let mut rest = PAGE;
    for (mark, text) in [
        ("@SCRIPT_HASH@", hash_source(SCRIPT)),
        ("@STYLE_HASH@", hash_source(STYLE)),
        ("@STYLE@", STYLE.to_owned()),
        ("@DATA@", inert_json(&visible(data))),
        ("@SCRIPT@", SCRIPT.to_owned()),
    ] {
        let (before, after) = rest.split_once(mark).unwrap_or((rest, ""));
        page.push_str(before);
        page.push_str(&text);
        rest = after;
    }
    page.push_str(rest);
    page
}

/// What decisions about these results are remembered under while the page is open elsewhere: no other results have it.
fn id_of(results: &Results) -> String {
    let mut hasher = Sha256::new();
    for case in &results.cases {
        hasher.update(case.folder.as_bytes());
        case.trace_sha256.iter().for_each(|hash| hasher.update(hash));
        case.frames.iter().filter_map(|frame| frame.sha256.as_ref()).for_each(|hash| hasher.update(hash));
    }
    hasher.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

fn hash_source(text: &str) -> String {
    format!("sha256-{}", encode_base64(&Sha256::digest(text.as_bytes())))
}

/// The same data with everything in its texts to be seen that would turn text round, or act in another way.
fn visible(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(show(&text)),
        Value::Array(values) => Value::Array(values.into_iter().map(visible).collect()),
        Value::Object(fields) => {
            Value::Object(fields.into_iter().map(|(name, value)| (name, visible(value))).collect())
        }
        other => other,
    }
}

fn show(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if character == '\n' || is_harmless(character) {
            shown.push(character);
        } else {
            shown.extend(character.escape_default());
        }
    }
    shown
}

/// JSON that can stand in a script element: nothing in it can end the element.
fn inert_json(value: &Value) -> String {
    value.to_string().replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

/// The pictures of a page, each once.
struct Pictures {
    /// As text, of the one kind of PNG that the page's script decodes.
    texts: Vec<String>,
    /// By the hash of that PNG: which of `texts` it is.
    known: HashMap<[u8; 32], usize>,
    bytes_left: u64,
}

impl Pictures {
    fn within(bytes_left: u64) -> Self {
        Self { texts: Vec::new(), known: HashMap::new(), bytes_left }
    }

    /// Which of the pictures the file at `path` is; nothing if it is none, or there is no more room.
    fn take(&mut self, path: &str) -> Option<usize> {
        // silent: the report names a picture that it cannot show
        let bytes = read_input(Path::new(path)).ok()?;
        // Bit depth, colour type and interlacing stand at fixed places in the header.
        let is_plain =
            bytes.get(12..16) == Some(b"IHDR") && bytes.get(24..26) == Some(&[8, 6]) && bytes.get(28) == Some(&0);
        let plain = if is_plain { bytes } else { rewritten(&bytes)? };
        let hash = Sha256::digest(&plain).into();
        if let Some(known) = self.known.get(&hash) {
            return Some(*known);
        }
        self.bytes_left = self.bytes_left.checked_sub(plain.len() as u64)?;
        self.texts.push(encode_base64(&plain));
        self.known.insert(hash, self.texts.len() - 1);
        Some(self.texts.len() - 1)
    }
}

fn case_data(case: &CaseOutcome, (results, links): (&Results, &PageLinks), pictures: &mut Pictures) -> Value {
    // The side of `bisect` that draws as the test did.
    let side = if results.shaders.is_empty() { "auto".to_owned() } else { quote(&results.shaders) };
    let approve = approve_words(results);
    let words = (side.as_str(), approve.as_str(), links);
    let frames: Vec<Value> = case.frames.iter().map(|frame| frame_data(case, frame, words, pictures)).collect();
    let mut data = json!(case);
    // silent: the JSON of a struct is an object
    if let Some(data) = data.as_object_mut() {
        data.insert("frames".to_owned(), frames.into());
        data.insert("reproduce".to_owned(), format!("{} {}", results.command, quote(&case.folder)).into());
    }
    data
}

fn frame_data(
    case: &CaseOutcome,
    frame: &FrameOutcome,
    (side, approve, links): (&str, &str, &PageLinks),
    all: &mut Pictures,
) -> Value {
    let mut data = json!(frame);
    let mut pictures = serde_json::Map::new();
    if frame.status != Status::Passed {
        for (side, path) in [("expected", &frame.expected), ("found", &frame.found)] {
            // silent: the report names a picture that it cannot show
            if let Some(number) = path.as_ref().and_then(|path| all.take(path)) {
                pictures.insert(side.to_owned(), number.into());
            }
        }
    }
    // silent: the JSON of a struct is an object
    if let Some(data) = data.as_object_mut() {
        data.insert("pictures".to_owned(), pictures.into());
        // silent: what is not looked at draw by draw has no command
        if let Some(command) = frame.expected.as_ref().and_then(|golden| bisect_command(case, frame.of, side, golden)) {
            data.insert("bisect".to_owned(), command.into());
        }
        data.insert("page".to_owned(), json!(links.of(case, frame.of)));
        data.insert("title".to_owned(), format!("frame {}", frame.of).into());
        // Its name in links.
        data.insert("key".to_owned(), picture_stem(frame.of).into());
        if is_decided_by_people(case, frame) {
            data.insert("approve".to_owned(), approve_command(case, frame.of, approve).into());
            data.insert("decision".to_owned(), decision(case, frame));
        }
    }
    data
}

/// Whether there is a picture that can become the golden.
fn is_decided_by_people(case: &CaseOutcome, frame: &FrameOutcome) -> bool {
    let is_open = matches!(frame.status, Status::Different | Status::Missing | Status::Flaky | Status::Error);
    is_open && frame.sha256.is_some() && case.trace_sha256.is_some()
}

/// What [`super::decisions`] reads of a picture, but for the decision itself.
fn decision(case: &CaseOutcome, frame: &FrameOutcome) -> Value {
    let mut data = json!(frame.of);
    // silent: the JSON of a struct is an object
    if let Some(data) = data.as_object_mut() {
        data.insert("folder".to_owned(), json!(case.folder));
        data.insert("trace_sha256".to_owned(), json!(case.trace_sha256));
        data.insert("sha256".to_owned(), json!(frame.sha256));
    }
    data
}

/// The verb that approves, on the device and from the shaders that the test drew with.
fn approve_words(results: &Results) -> String {
    results.command.replacen("golden test", "golden approve", 1)
}

fn approve_command(case: &CaseOutcome, FramePicture { frame, shown }: FramePicture, approve: &str) -> String {
    let which = match shown {
        Shown::Screen { scanout, present } => {
            let option = |name: &str, number: Option<u32>| number.map_or(String::new(), |n| format!(" --{name} {n}"));
            option("scanout", scanout) + &option("present", present)
        }
        Shown::Target(name) => format!(" --target {name}"),
    };
    let trace = if case.is_trace_changed { " --allow-trace-change" } else { "" };
    format!("{approve} {} --frames {frame}{which}{trace}", quote(&case.folder))
}

/// The command that finds the draw; nothing for a picture that is not looked at draw by draw.
fn bisect_command(case: &CaseOutcome, of: FramePicture, side: &str, golden: &str) -> Option<String> {
    let target = match of.shown {
        Shown::Screen { scanout: None, present: None } => String::new(),
        Shown::Screen { .. } => return None,
        Shown::Target(name) => format!(" --target {name}"),
    };
    let (trace, golden, frame) = (quote(&case.trace), quote(golden), of.frame);
    Some(format!("aerogpu-replay bisect {trace} --frame {frame}{target} --a {side} --b {golden}"))
}

/// A PNG of another kind as one that we write.
fn rewritten(png: &[u8]) -> Option<Vec<u8>> {
    // silent: the report names a picture that it cannot show
    let picture = read_png(Cursor::new(png)).ok()?;
    let mut plain = Vec::new();
    // silent: the report names a picture that it cannot show
    write_png(&picture, &[], &mut plain).ok()?;
    Some(plain)
}

/// A path as one word of a shell's command line.
fn quote(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+:,@=".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_text_stays_data() {
        let hostile = "</script><img src=x onerror=alert(1)>@SCRIPT@ '\u{2028}\u{202e}\u{9b}";
        let case = CaseOutcome::ended(hostile.into(), hostile.into(), Status::Error, hostile);
        let (tool, command) = (hostile.to_owned(), "aerogpu-replay golden test".to_owned());
        let shaders = hostile.to_owned();
        let results = Results { schema: 3, tool, shaders, shard: [1, 1], suite: 1, command, cases: vec![case] };
        let page = page(&results, &PageLinks::default());
        assert!(!page.contains("<img"), "markup came through");
        assert!(page.chars().all(|character| character == '\n' || is_harmless(character)), "something acts");
        assert!(page.contains(r"\\u{2028}\\u{202e}\\u{9b}"), "what would act is to be seen");
        assert_eq!(page.matches("</script>").count(), 2);
        assert_eq!(page.matches("'use strict'").count(), 1, "the page's own script is not filled in twice");
        assert!(!page.contains("http://") && !page.contains("https://"), "nothing is to be loaded");
    }

    #[test]
    fn paths_are_single_words() {
        assert_eq!(quote("golden/a-b_1"), "golden/a-b_1");
        assert_eq!(quote("it's $HOME"), "'it'\\''s $HOME'");
        assert_eq!(quote(""), "''");
    }
}
