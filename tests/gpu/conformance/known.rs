//! Rows that are known to fail, by API and reason.
//!
//! ```text
//! gl: why these rows fail
//!   texture/array-6/…/clamp: differs by 255
//! ```

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

use aerogpu_replay::conformance::ConformanceRow;

use crate::support::root;

/// Reason of rows that were written by `BLESS=1`: a test fails while one has it.
pub const UNEXPLAINED: &str = "?";

/// Outcomes of rows in words, by API, reason and name.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Known(pub BTreeMap<(String, String), BTreeMap<String, String>>);

fn path() -> PathBuf {
    root().join("tests/gpu/conformance/known_failures.txt")
}

impl Known {
    pub fn read() -> Self {
        let mut known = Self::default();
        let mut heading = None;
        for line in fs::read_to_string(path()).unwrap().lines() {
            if let Some(row) = line.strip_prefix("  ") {
                let (name, outcome) = row.split_once(": ").unwrap_or_else(|| panic!("{row}: expected ROW: OUTCOME"));
                let rows = known.0.entry(heading.clone().expect("a reason before rows")).or_default();
                rows.insert(name.to_owned(), outcome.to_owned());
            } else {
                let (api, reason) = line.split_once(": ").unwrap_or_else(|| panic!("{line}: expected API: REASON"));
                heading = Some((api.to_owned(), reason.to_owned()));
            }
        }
        known
    }

    pub fn write(&self) {
        let mut text = String::new();
        for ((api, reason), rows) in &self.0 {
            if !rows.is_empty() {
                writeln!(text, "{api}: {reason}").unwrap();
            }
            rows.iter().for_each(|(name, outcome)| writeln!(text, "  {name}: {outcome}").unwrap());
        }
        fs::write(path(), text).unwrap();
    }

    /// Outcomes in words of an API's rows, by name.
    pub fn of_api(&self, api: &str) -> BTreeMap<String, String> {
        let of_api = self.0.iter().filter(|((of, _), _)| of == api);
        of_api.flat_map(|(_, rows)| rows.clone()).collect()
    }

    pub fn remove(&mut self, api: &str, name: &str) {
        self.0.iter_mut().filter(|((of, _), _)| of == api).for_each(|(_, rows)| drop(rows.remove(name)));
    }

    /// Adds a row, under the reason that explains it.
    pub fn add(&mut self, api: &str, row: &ConformanceRow, words: String) {
        let explains = |reason: &&Reason| (reason.explains)(row, &words) && reason.api.is_none_or(|of| of == api);
        let reason = REASONS.iter().find(explains).map_or(UNEXPLAINED, |reason| reason.what);
        self.0.entry((api.to_owned(), reason.to_owned())).or_default().insert(row.name(), words);
    }

    /// Names of rows that nobody has explained.
    pub fn unexplained(&self) -> impl Iterator<Item = &str> {
        let unexplained = self.0.iter().filter(|((_, reason), _)| reason == UNEXPLAINED);
        unexplained.flat_map(|(_, rows)| rows.keys().map(String::as_str))
    }
}

/// A reason why rows fail.
struct Reason {
    /// The API, if it is one alone.
    api: Option<&'static str>,
    what: &'static str,
    explains: fn(&ConformanceRow, &str) -> bool,
}

/// Whether a row's value of an axis is one of these.
fn has(row: &ConformanceRow, axis: &str, values: &[&str]) -> bool {
    row.value(axis).is_some_and(|value| values.contains(&value))
}

/// The first that explains a row is its reason.
const REASONS: &[Reason] = &[
    Reason {
        api: None,
        what: "the device has fewer bindings than Direct3D",
        explains: |_, words| words.starts_with("refused: the number of "),
    },
    Reason {
        api: Some("gl"),
        what: "wgpu copies colours alone on OpenGL",
        explains: |row, words| {
            words.starts_with("refused: a copy of a depth surface") && has(row, "format", &["d24s8", "d32"])
        },
    },
    Reason {
        api: Some("vulkan"),
        what: "Vulkan draws lines as rectangles; it has Direct3D's rule in VK_EXT_line_rasterization, which wgpu has not",
        explains: |row, _| has(row, "topology", &LINES),
    },
    Reason {
        api: Some("gl"),
        what: "OpenGL takes flat values from the second end of a line, so that lines are drawn from end to start",
        explains: |row, _| has(row, "topology", &LINES) && has(row, "colors", &["flat-colors"]),
    },
];

const LINES: [&str; 4] = ["line-list", "line-list-of-5", "line-strip", "line-strip-restart"];
