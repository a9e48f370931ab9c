//! A broken invariant is an error, never a `continue`, a default or an empty answer, wherever it could lead to a wrong
//! picture, hash, trace or verdict. Where it is right to do nothing, a comment above the branch says why:
//! `// silent: a draw of no vertices writes nothing`.

use super::{FROM_COMMANDS_TO_PICTURES, module_of, name_of, source_files, uncommented};
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

/// Files beside [`FROM_COMMANDS_TO_PICTURES`] that write traces.
const TRACE_WRITERS: &[&str] = &["aerogpu-trace/container/writer.rs", "cli/trim.rs", "cli/repair.rs"];

/// Begins the comment that excuses the next line with a silent branch.
const EXCUSE: &str = "// silent: ";

/// A branch stands at most so many lines below its excuse, so that no forgotten one excuses something else.
const FARTHEST_BRANCH: usize = 8;

/// More excuses than this are a habit. Raise it for a good reason only.
const MOST_EXCUSES: usize = 205;

/// Branches that go on, or leave, without a word.
const BRANCHES: &[&str] = &[
    " else { continue",
    " else { break",
    " else { return",
    " => continue",
    " => return Ok(()",
    " => return Ok(None",
    ".unwrap_or_default()",
    ".ok()",
];

/// Lookups: where a thing is not there, `if let` without `else` passes over what should be done with it.
const LOOKUPS: &[&str] = &[
    ".get(",
    ".get_mut(",
    ".find(",
    ".first(",
    ".last(",
    ".first_mut(",
    ".last_mut(",
    ".position(",
    ".remove(",
    ".pop(",
    ".take(",
    ".command(",
    ".table(",
    ".nth(",
    ".and_then(",
    ".as_object_mut(",
    ".as_array_mut(",
    ".as_table_mut(",
];

/// A code in one line with single spaces, so that it is found however it is broken.
struct OneLine {
    text: String,
    /// The number of the line that each byte comes from, counted from 0.
    lines: Vec<usize>,
}

impl OneLine {
    fn of(code: &str) -> Self {
        let mut one = Self { text: String::new(), lines: Vec::new() };
        for (number, line) in code.lines().enumerate() {
            for word in line.split_whitespace() {
                one.text.push_str(if one.text.is_empty() { "" } else { " " });
                one.text.push_str(word);
                one.lines.resize(one.text.len(), number);
            }
        }
        one
    }

    /// The lines with a branch that goes on, or leaves, without a word. One that leaves with an error is none.
    fn branches(&self) -> Vec<usize> {
        let marks = BRANCHES.iter().flat_map(|mark| self.text.match_indices(mark));
        let silent = marks.filter(|(at, mark)| !self.text[at + mark.len()..].starts_with(" Err("));
        // A mark may begin with the space before it, which counts to the word that it leads to.
        silent.map(|(at, _)| self.lines[at]).collect()
    }

    /// The lines with a lookup whose `if let` has no `else`: what it finds is dealt with, and what it does not find is passed
    /// over. A block that leaves is a short cut, after which the long way follows; whatever else is tested by `if let` (a
    /// variant, an option that is data) says by itself that there may be none.
    fn lookups(&self) -> Vec<usize> {
        let passes_over = |(at, mark): &(usize, &str)| {
            let condition = &self.text[at + mark.len()..];
            let mut depth = 0;
            let pattern = condition.find(" = ").unwrap() + 3;
            let brace = condition[pattern..].char_indices().find(|(_, character)| {
                depth += i32::from("([".contains(*character)) - i32::from(")]".contains(*character));
                depth == 0 && *character == '{'
            });
            let (test, rest) = condition[pattern..].split_at(brace.unwrap().0);
            let block = block(rest);
            let leaves = ["return", "continue", "break"].iter().any(|word| block.contains(word));
            let has_else = rest[block.len()..].starts_with(" else");
            LOOKUPS.iter().any(|lookup| test.contains(lookup)) && !leaves && !has_else
        };
        self.text.match_indices("if let ").filter(passes_over).map(|(at, _)| self.lines[at]).collect()
    }
}

/// The text from the opening brace that `text` begins with to the closing one.
fn block(text: &str) -> &str {
    let mut depth = 0;
    let end = text.char_indices().find(|(_, character)| {
        depth += i32::from(*character == '{') - i32::from(*character == '}');
        depth == 0
    });
    &text[..=end.unwrap().0]
}

#[derive(Clone, Copy, PartialEq)]
enum Silence {
    Branch,
    Lookup,
}

/// Lines of a text that pass something over without an excuse, and the lines of its excuses, used and unused.
#[derive(Default)]
struct Excuses {
    missing: BTreeMap<usize, Silence>,
    used: Vec<usize>,
    unused: Vec<usize>,
}

impl Excuses {
    fn of(text: &str) -> Self {
        let one = OneLine::of(&uncommented(text));
        let lookups = one.lookups().into_iter().map(|line| (line, Silence::Lookup));
        let silences: BTreeMap<_, _> =
            lookups.chain(one.branches().into_iter().map(|line| (line, Silence::Branch))).collect();
        let mut found = Self::default();
        // Those of the excuses above that no branch has used yet.
        let mut open = Vec::new();
        for (line, text) in text.lines().enumerate() {
            if text.trim_start().strip_prefix(EXCUSE).is_some_and(|reason| !reason.trim().is_empty()) {
                open.push(line);
            }
            let Some(silence) = silences.get(&line) else { continue };
            let near = open.iter().position(|excuse| line - excuse <= FARTHEST_BRANCH);
            match near {
                Some(near) => found.used.push(open.remove(near)),
                None => drop(found.missing.insert(line, *silence)),
            }
        }
        found.unused = open;
        found
    }
}

/// The files from commands to pictures, hashes, traces and verdicts, with their excuses.
fn excuses() -> Vec<(PathBuf, Excuses)> {
    let is_watched = |file: &PathBuf| {
        FROM_COMMANDS_TO_PICTURES.contains(&module_of(file).as_str()) || TRACE_WRITERS.contains(&name_of(file).as_str())
    };
    let watched: Vec<PathBuf> = source_files().into_iter().filter(is_watched).collect();
    assert!(watched.len() > 200, "found only {} files", watched.len());
    watched.into_iter().map(|file| (file.clone(), Excuses::of(&fs::read_to_string(file).unwrap()))).collect()
}

/// The places of all that is passed over in one way without an excuse.
fn passed_over(how: Silence) -> Vec<String> {
    let place = |file: &PathBuf, line: usize| format!("{}:{}", name_of(file), line + 1);
    let of_file = |(file, excuses): &(PathBuf, Excuses)| -> Vec<String> {
        let missing = excuses.missing.iter().filter(|(_, silence)| **silence == how);
        missing.map(|(line, _)| place(file, *line)).collect()
    };
    excuses().iter().flat_map(of_file).collect()
}

pub(super) fn no_lookup_is_passed_over_in_silence() {
    let wrong = passed_over(Silence::Lookup);
    assert!(wrong.is_empty(), "make it an error, or say above it why that is right, after {EXCUSE:?}: {wrong:#?}");
    let code =
        "if let Some(a) = b.get(&c) { d(a) }\nif let Some(a) = b.get(&c) { return a; }\nif let Some(a) = b { c(a) }";
    assert_eq!(OneLine::of(code).lookups(), [0]);
    assert!(OneLine::of("if let Some(a) = b.iter().find(|b| { b.c }) { d(a) } else { e() }").lookups().is_empty());
}

pub(super) fn nothing_is_passed_over_in_silence() {
    let wrong = passed_over(Silence::Branch);
    assert!(wrong.is_empty(), "make it an error, or say above it why that is right, after {EXCUSE:?}: {wrong:#?}");
    let code = "let Some(a) = b else {\n return Ok(())\n};\nc.ok();\nlet d = e else { return Err(f) };";
    assert_eq!(OneLine::of(code).branches(), [0, 3]);
}

pub(super) fn every_excuse_for_silence_is_needed() {
    let all = excuses();
    let count: usize = all.iter().map(|(_, excuses)| excuses.used.len()).sum();
    assert!((150..=MOST_EXCUSES).contains(&count), "{count} excuses");
    let place = |file: &PathBuf, line: &usize| format!("{}:{}", name_of(file), line + 1);
    let unused: Vec<String> =
        all.iter().flat_map(|(file, excuses)| excuses.unused.iter().map(|line| place(file, line))).collect();
    assert!(unused.is_empty(), "nothing is passed over below: {unused:#?}");
    // An excuse is for one line, which is near, and has a reason.
    let lines = |excuses: Excuses| (excuses.missing.into_keys().collect(), excuses.used, excuses.unused);
    let of = |text: &str| -> (Vec<usize>, Vec<usize>, Vec<usize>) { lines(Excuses::of(text)) };
    assert_eq!(of("// silent: a\nb.ok();\nc.ok();"), (vec![2], vec![0], vec![]));
    assert_eq!(of("// silent: a\nlet b = c;"), (vec![], vec![], vec![0]));
    assert_eq!(
        of(&format!("// silent: a\n{}b.ok();", "let c = d;\n".repeat(FARTHEST_BRANCH))),
        (vec![9], vec![], vec![0])
    );
    assert_eq!(of("// silent: \nb.ok();"), (vec![1], vec![], vec![]));
}
