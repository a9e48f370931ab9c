//! The outcomes of one run as a file, and the files of several shards joined.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::error::GoldenError;
use super::outcome::CaseOutcome;
use super::pictures::write_text;
use crate::bytes::read_input_text;
use crate::error::{Classified, ErrorKind};
use crate::text::counted;

/// The name of the results file in a report's folder.
pub const RESULTS_FILE: &str = "results.json";

/// Number of the file's layout.
pub const RESULTS_SCHEMA: u32 = 3;

/// The oldest layout that is still read: its names are aliases of today's.
const OLDEST_RESULTS_SCHEMA: u32 = 2;

/// The outcomes of one run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Results {
    /// Layout of this file: [`RESULTS_SCHEMA`].
    pub schema: u32,
    /// The program with its version, and those of wgpu and naga.
    pub tool: String,
    /// Which shader texts were drawn with: `auto`, `wgsl` or `glsl`.
    pub shaders: String,
    /// Which shard this is, from 1, and of how many.
    pub shard: [u32; 2],
    /// How many cases the whole suite has.
    pub suite: usize,
    /// What was run to get them, for people.
    pub command: String,
    /// The outcomes.
    pub cases: Vec<CaseOutcome>,
}

/// Results that don't fit together.
#[derive(Debug, Error)]
pub enum MergeError {
    /// A results file is unreadable.
    #[error(transparent)]
    Golden(#[from] GoldenError),
    /// A results file is no results file.
    #[error("{}: {message}", path.display())]
    NoResults {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        message: String,
    },
    /// Results of different suites.
    #[error("{} is of {found}: expected {expected}, like the others", path.display())]
    OtherSuite {
        /// The file.
        path: PathBuf,
        /// Its suite.
        found: String,
        /// The suite of the others.
        expected: String,
    },
    /// A shard came twice.
    #[error("shard {shard} appears twice: {} and {}", first.display(), second.display())]
    Twice {
        /// The shard.
        shard: u32,
        /// Its file.
        first: PathBuf,
        /// Its other file.
        second: PathBuf,
    },
    /// A shard is not there.
    #[error("shards {missing} of {count} are missing: their results are unknown")]
    Missing {
        /// Which.
        missing: String,
        /// Of how many.
        count: u32,
    },
    /// The shards are there, but cases are not.
    #[error(
        "{found} of the suite's {expected_cases} have results: a run was interrupted",
        expected_cases = counted(.expected, "case")
    )]
    Incomplete {
        /// Cases with results.
        found: usize,
        /// Cases of the suite.
        expected: usize,
    },
}

impl Classified for MergeError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Golden(error) => error.kind(),
            // What is not known to have passed has not.
            Self::Missing { .. } | Self::Incomplete { .. } => ErrorKind::GoldenUnusable,
            Self::NoResults { .. } | Self::OtherSuite { .. } | Self::Twice { .. } => ErrorKind::Usage,
        }
    }

    fn offset(&self) -> Option<u64> {
        None
    }
}

impl Results {
    /// Writes the file into `folder`.
    pub fn write(&self, folder: &Path) -> Result<(), GoldenError> {
        let path = folder.join(RESULTS_FILE);
        let text = serde_json::to_string_pretty(self)
            .map_err(|error| GoldenError::Write { path: path.clone(), source: std::io::Error::other(error).into() })?;
        write_text(&path, &text)
    }

    /// Reads the file in `folder`, or at `folder` if that is a file.
    pub fn read(folder: &Path) -> Result<Self, MergeError> {
        let path = if folder.is_dir() { folder.join(RESULTS_FILE) } else { folder.to_owned() };
        let text = read_input_text(&path).map_err(|source| GoldenError::Read { path: path.clone(), source })?;
        let results: Self = serde_json::from_str(&text)
            .map_err(|error| MergeError::NoResults { path: path.clone(), message: error.to_string() })?;
        match results.schema {
            OLDEST_RESULTS_SCHEMA..=RESULTS_SCHEMA => {
                Ok(Self { schema: RESULTS_SCHEMA, ..results }.with_pictures_of(&path))
            }
            found => {
                Err(MergeError::NoResults { path, message: format!("schema is {found}: expected {RESULTS_SCHEMA}") })
            }
        }
    }

    /// Pictures were kept beside the file, wherever that was then and is now.
    fn with_pictures_of(mut self, path: &Path) -> Self {
        let folder = path.parent().unwrap_or(Path::new("."));
        for frame in self.cases.iter_mut().flat_map(|case| &mut case.frames) {
            for picture in [&mut frame.expected, &mut frame.found].into_iter().flatten() {
                let here = Path::new(picture).file_name().map(|name| folder.join("pictures").join(name));
                if let Some(here) = here.filter(|here| here.is_file()) {
                    *picture = here.display().to_string();
                }
            }
        }
        self
    }
}

/// Joins the results of all shards of one suite.
pub fn merge(files: Vec<(PathBuf, Results)>) -> Result<Results, MergeError> {
    let mut files = files.into_iter();
    let Some((first_path, first)) = files.next() else {
        return Err(MergeError::Missing { missing: "all".to_owned(), count: 0 });
    };
    let [_, count] = first.shard;
    let suite =
        |results: &Results| format!("{} in {}", counted(results.suite, "case"), counted(results.shard[1], "shard"));
    let mut merged = Results { shard: [1, 1], cases: Vec::new(), ..first.clone() };
    let mut seen: BTreeMap<u32, PathBuf> = BTreeMap::new();
    for (path, results) in std::iter::once((first_path, first)).chain(files) {
        let [shard, of] = results.shard;
        if (of, results.suite) != (count, merged.suite) {
            let expected =
                format!("{} in {count_shards}", counted(merged.suite, "case"), count_shards = counted(count, "shard"));
            return Err(MergeError::OtherSuite { path, found: suite(&results), expected });
        }
        if let Some(first) = seen.insert(shard, path.clone()) {
            return Err(MergeError::Twice { shard, first, second: path });
        }
        if !merged.tool.split("; ").any(|tool| tool == results.tool) {
            merged.tool = format!("{}; {}", merged.tool, results.tool);
        }
        merged.cases.extend(results.cases);
    }
    let missing: Vec<String> = (1..=count).filter(|shard| !seen.contains_key(shard)).map(|n| n.to_string()).collect();
    if !missing.is_empty() {
        return Err(MergeError::Missing { missing: missing.join(", "), count });
    }
    merged.cases.sort_by_key(|case| case.number);
    merged.cases.dedup_by_key(|case| case.number);
    if merged.cases.len() != merged.suite {
        return Err(MergeError::Incomplete { found: merged.cases.len(), expected: merged.suite });
    }
    Ok(merged)
}

#[cfg(test)]
mod tests {
    use super::super::outcome::Status;
    use super::*;

    fn shard(index: u32, count: u32, numbers: &[usize]) -> (PathBuf, Results) {
        let case = |number: &usize| CaseOutcome {
            number: *number,
            ..CaseOutcome::ended(format!("{number}"), String::new(), Status::Passed, "")
        };
        let cases = numbers.iter().map(case).collect();
        let (tool, shaders, command) = (format!("tool {}", index.min(2)), String::new(), String::new());
        let results =
            Results { schema: RESULTS_SCHEMA, tool, shaders, shard: [index, count], suite: 3, command, cases };
        (PathBuf::from(format!("s{index}")), results)
    }

    #[test]
    fn all_shards_make_one_suite_in_its_order() {
        let merged = merge(vec![shard(2, 3, &[1]), shard(1, 3, &[0]), shard(3, 3, &[2])]).unwrap();
        assert_eq!(merged.tool, "tool 2; tool 1", "versions that differ are all told");
        assert_eq!(merged.cases.iter().map(|case| case.number).collect::<Vec<_>>(), [0, 1, 2]);
    }

    #[test]
    fn results_of_the_layout_before_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let text = r#"{"schema":2,"tool":"a","shaders":"auto","shard":[1,1],"suite":1,"command":"b","cases":[{"number":0,
            "case":"c","folder":"d","trace":"e","status":"different","message":null,"is_trace_changed":false,"frames":[
            {"frame":3,"target":"2:0:0","status":"different","rung":"tolerance","message":"f","sha256":null,
            "known_failure":null,"expected":null,"found":null,"difference":null,"cause":null,
            "since_recorded":"its state"}],"recorded":null,"machine":null,"seconds":0.5,"earlier_attempts":[]}]}"#;
        std::fs::write(folder.path().join(RESULTS_FILE), text).unwrap();
        let read = Results::read(folder.path()).unwrap();
        let frame = &read.cases[0].frames[0];
        assert_eq!((read.schema, frame.of.frame.0), (RESULTS_SCHEMA, 3));
        assert_eq!((frame.criterion.as_deref(), frame.input_change.as_deref()), (Some("tolerance"), Some("its state")));
        read.write(folder.path()).unwrap();
        assert_eq!(Results::read(folder.path()).unwrap(), read);
        let later = text.replace("\"schema\":2", "\"schema\":4");
        std::fs::write(folder.path().join(RESULTS_FILE), later).unwrap();
        assert!(Results::read(folder.path()).unwrap_err().to_string().ends_with("schema is 4: expected 3"));
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let error = |files| merge(files).unwrap_err().to_string();
        assert!(error(vec![shard(1, 2, &[0, 2])]).starts_with("shards 2 of 2 are missing"));
        assert_eq!(error(vec![shard(1, 2, &[0]), shard(1, 2, &[0])]), "shard 1 appears twice: s1 and s1");
        assert!(error(vec![shard(1, 2, &[0]), shard(2, 2, &[1])]).starts_with("2 of the suite's 3 cases have results"));
        assert!(
            error(vec![shard(1, 2, &[0]), shard(2, 3, &[1])]).starts_with("s2 is of 3 cases in 3 shards: expected")
        );
    }
}
