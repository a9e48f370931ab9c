//! What somebody has decided about changed pictures: the file that the report's page gives, for `golden approve`.
//!
//! ```json
//! { "schema": 1,
//!   "decisions": [{ "folder": "golden/water", "frame": 3, "decision": "accept",
//!                   "trace_sha256": "…", "sha256": "…" }] }
//! ```
//!
//! `present`, `scanout` and `target` name another picture of the frame than the usual one. Both hashes are those of what
//! was looked at: of the trace's file, and of the picture.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use thiserror::Error;

use super::case::{Case, parse_hash, read_text_within};
use super::error::GoldenError;
use crate::command::FramePicture;
use crate::error::{Classified, ErrorKind};
use crate::limits::MAX_DECISIONS_BYTES;
use crate::pixels::PictureHash;

/// Number of the file's layout.
const DECISIONS_SCHEMA: u32 = 1;

/// A file of decisions that can't be followed.
#[derive(Debug, Error)]
pub enum DecisionsError {
    /// It can't be read.
    #[error(transparent)]
    Golden(#[from] GoldenError),
    /// It is no such file, or says something that it can't.
    #[error("{}: {message}", path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        message: String,
    },
    /// The trace is another one than the one whose pictures were looked at.
    #[error("{}: the trace has changed since frame {of} was reviewed: its SHA-256 is {found}, expected \
        {expected}", folder.display())]
    OtherTrace {
        /// The case.
        folder: PathBuf,
        /// The picture.
        of: FramePicture,
        /// The trace's hash now.
        found: String,
        /// Its hash then.
        expected: String,
    },
}

impl Classified for DecisionsError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Golden(error) => error.kind(),
            Self::Unusable { .. } => ErrorKind::Usage,
            Self::OtherTrace { .. } => ErrorKind::Different,
        }
    }

    fn offset(&self) -> Option<u64> {
        None
    }
}

/// What was decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decisions {
    /// The file.
    path: PathBuf,
    /// By the case's folder, whatever it was called; of each picture one.
    by_case: BTreeMap<PathBuf, BTreeMap<FramePicture, Decision>>,
}

/// What was decided about a picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The case's folder, from the folder that `golden test` ran in.
    pub folder: PathBuf,
    /// The picture.
    pub of: FramePicture,
    /// Whether it becomes the golden.
    pub is_accepted: bool,
    /// SHA-256 of the trace's file, as 64 hex digits.
    pub trace_sha256: String,
    /// The picture's hash.
    pub picture: PictureHash,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DecisionsFile {
    schema: u32,
    decisions: Vec<DecisionFields>,
}

#[derive(Deserialize)]
struct DecisionFields {
    folder: PathBuf,
    #[serde(flatten)]
    of: FramePicture,
    decision: Verdict,
    trace_sha256: String,
    sha256: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Verdict {
    Accept,
    Reject,
}

impl Decisions {
    /// Reads the file.
    pub fn read(path: &Path) -> Result<Self, DecisionsError> {
        let unusable = |message: String| DecisionsError::Unusable { path: path.to_owned(), message };
        let text = read_text_within(path, MAX_DECISIONS_BYTES)?;
        let file: DecisionsFile = serde_json::from_str(&text).map_err(|error| unusable(error.to_string()))?;
        if file.schema != DECISIONS_SCHEMA {
            return Err(unusable(format!("schema is {}: expected {DECISIONS_SCHEMA}", file.schema)));
        }
        let mut by_case: BTreeMap<PathBuf, BTreeMap<FramePicture, Decision>> = BTreeMap::new();
        for DecisionFields { folder, of, decision, trace_sha256, sha256 } in file.decisions {
            let about = format!("{}, frame {of}", folder.display());
            let hash = |field: &str, text: &str| {
                let expected = "64 lower-case hex digits";
                parse_hash(text).ok_or(unusable(format!("{about}: {field} is {text}: expected {expected}")))
            };
            hash("trace_sha256", &trace_sha256)?;
            let picture = hash("sha256", &sha256)?;
            let is_accepted = decision == Verdict::Accept;
            let of_case = by_case.entry(real(&folder)).or_default();
            if of_case.insert(of, Decision { folder, of, is_accepted, trace_sha256, picture }).is_some() {
                return Err(unusable(format!("{about} is decided twice")));
            }
        }
        if by_case.is_empty() {
            return Err(unusable("contains no decisions".to_owned()));
        }
        Ok(Self { path: path.to_owned(), by_case })
    }

    /// The folders of the cases that were decided about.
    pub fn folders(&self) -> Vec<PathBuf> {
        let first = |of_case: &BTreeMap<FramePicture, Decision>| of_case.values().next().map(|one| one.folder.clone());
        self.by_case.values().filter_map(first).collect()
    }

    /// The decisions about a case, whose trace has this hash by now. Refuses those about another trace, and about pictures
    /// that the case has not.
    pub fn about(&self, case: &Case, trace_sha256: &str) -> Result<Vec<&Decision>, DecisionsError> {
        let about: Vec<&Decision> =
            self.by_case.get(&real(&case.folder)).into_iter().flat_map(BTreeMap::values).collect();
        for decision in &about {
            if !case.pictures.iter().any(|golden| golden.of == decision.of) {
                let message = format!("{} has no golden of frame {}", case.folder.display(), decision.of);
                return Err(DecisionsError::Unusable { path: self.path.clone(), message });
            }
            if decision.trace_sha256 != trace_sha256 {
                let (folder, found) = (case.folder.clone(), trace_sha256.to_owned());
                let expected = decision.trace_sha256.clone();
                return Err(DecisionsError::OtherTrace { folder, of: decision.of, found, expected });
            }
        }
        Ok(about)
    }

    /// The first that is about none of `cases`.
    pub fn stray<'a>(&self, cases: impl Iterator<Item = &'a Path>) -> Option<DecisionsError> {
        let known: BTreeSet<PathBuf> = cases.map(real).collect();
        let stray = self.by_case.keys().find(|folder| !known.contains(*folder))?;
        let folder = self.by_case.get(stray)?.values().next()?.folder.display();
        let message = format!("{folder} is not a case: it has no golden.toml");
        Some(DecisionsError::Unusable { path: self.path.clone(), message })
    }
}

/// A folder by the one name that it has whatever it is called.
fn real(folder: &Path) -> PathBuf {
    folder.canonicalize().unwrap_or_else(|_| folder.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Decisions, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("decisions.json");
        std::fs::write(&path, text).unwrap();
        Decisions::read(&path).map_err(|error| error.to_string().split_once(": ").unwrap().1.to_owned())
    }

    fn decision(fields: &str, hash: &str) -> String {
        format!(r#"{{ "folder": "golden/a", {fields}, "trace_sha256": "{0}", "sha256": "{hash}" }}"#, "ab".repeat(32))
    }

    #[test]
    fn each_picture_is_decided_once() {
        let hash = "01".repeat(32);
        let file = |decisions: &[String]| format!(r#"{{ "schema": 1, "decisions": [{}] }}"#, decisions.join(","));
        let first = decision(r#""frame": 3, "decision": "accept""#, &hash);
        let present = decision(r#""frame": 3, "present": 1, "decision": "reject""#, &hash);
        let decisions = read(&file(&[first.clone(), present.clone()])).unwrap();
        let all = decisions.by_case.values().flat_map(BTreeMap::values);
        let told: BTreeMap<_, _> = all.map(|one| (one.of.to_string(), one.is_accepted)).collect();
        assert_eq!(told, BTreeMap::from([("3".to_owned(), true), ("3, present 1".to_owned(), false)]));
        for (text, words) in [
            (file(&[first.clone(), first.clone()]), "golden/a, frame 3 is decided twice"),
            (file(&[decision(r#""frame": 3, "decision": "accept""#, "01")]), "sha256 is 01: expected 64"),
            (file(&[decision(r#""frame": 3, "decision": "perhaps""#, &hash)]), "unknown variant `perhaps`"),
            (r#"{ "schema": 1, "decisions": [] }"#.to_owned(), "contains no decisions"),
            (r#"{ "schema": 2, "decisions": [] }"#.to_owned(), "schema is 2: expected 1"),
            ("[".to_owned(), "EOF"),
        ] {
            let error = read(&text).unwrap_err();
            assert!(error.contains(words), "{error}");
        }
    }
}
