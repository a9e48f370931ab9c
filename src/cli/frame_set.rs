//! The one grammar for sets of frames: `0,5`, `10-20/2`, `10-`, `last`, `-1`, `all`, `@file`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use thiserror::Error;

use crate::bytes::read_input_text;
use crate::error::{Classified, ErrorKind};
use crate::format::aerogpu::FrameIndex;
use crate::text::counted;

/// A set of frames as it was written; which frames it means depends on how many there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FrameSet {
    text: String,
    items: Vec<Item>,
    /// The files that items come from.
    files: Vec<PathBuf>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Item {
    All,
    One(Position),
    Range { text: String, first: Position, last: Position, step: u32 },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Position {
    FromStart(u32),
    /// 1 is the last one.
    FromEnd(u32),
}

/// A text that is no set of frames.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("\"{item}\" is not a set of frames: expected N, A-B, A-, A-B/STEP, last, -N, all or @FILE")]
pub(super) struct FrameSetError {
    pub(super) item: String,
}

impl Classified for FrameSetError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Usage
    }

    fn offset(&self) -> Option<u64> {
        None
    }
}

/// A set that cannot be meant of this trace.
#[derive(Debug, Error, PartialEq, Eq)]
pub(super) enum ResolveError {
    /// A frame that the trace does not have.
    #[error(
        "frame {wanted} does not exist: the trace has {count_frames}, counted from 0",
        count_frames = counted(.count, "frame")
    )]
    NoSuch { wanted: String, count: u32 },
    /// A range that holds nothing.
    #[error("\"{item}\" is empty: its first, {first}, comes after its last, {last}")]
    Empty { item: String, first: u32, last: u32 },
}

impl Classified for ResolveError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Usage
    }

    fn offset(&self) -> Option<u64> {
        None
    }
}

/// Files may name files, but not forever.
const DEEPEST_FILE: u32 = 8;

impl FromStr for FrameSet {
    type Err = FrameSetError;

    fn from_str(text: &str) -> Result<Self, FrameSetError> {
        let mut set = Self { text: text.to_owned(), items: Vec::new(), files: Vec::new() };
        set.parse_items(text, 0)?;
        Ok(set)
    }
}

impl FrameSet {
    fn parse_items(&mut self, text: &str, depth: u32) -> Result<(), FrameSetError> {
        for item in text.split(',').map(str::trim) {
            match item.strip_prefix('@') {
                Some(path) => {
                    let unreadable = |reason: String| FrameSetError { item: format!("{item} ({reason})") };
                    if depth >= DEEPEST_FILE {
                        return Err(unreadable("files are nested too deeply".to_owned()));
                    }
                    let lines = read_input_text(Path::new(path)).map_err(|error| unreadable(error.to_string()))?;
                    self.files.push(path.into());
                    let before = self.items.len();
                    for line in lines.lines().map(|line| line.split('#').next().unwrap_or("").trim()) {
                        if !line.is_empty() {
                            self.parse_items(line, depth + 1)?;
                        }
                    }
                    if self.items.len() == before {
                        return Err(unreadable("it is empty".to_owned()));
                    }
                }
                None => {
                    self.items.push(parse_item(item).ok_or_else(|| FrameSetError { item: item.to_owned() })?);
                }
            }
        }
        Ok(())
    }
}

fn parse_item(item: &str) -> Option<Item> {
    if item == "all" {
        return Some(Item::All);
    }
    if let Some(place) = Position::parse(item) {
        return Some(Item::One(place));
    }
    let (range, step) = match item.split_once('/') {
        Some((range, step)) => (range, step.parse().ok().filter(|step| *step > 0)?),
        None => (item, 1),
    };
    // The minus of a first place counted from the end is not the one between the places.
    let middle = range.char_indices().skip(1).find(|(_, character)| *character == '-')?.0;
    let (first, last) = range.split_at_checked(middle)?;
    let text = item.to_owned();
    let last = match last.strip_prefix('-')? {
        "" => Position::FromEnd(1),
        last => Position::parse(last)?,
    };
    Some(Item::Range { text, first: Position::parse(first)?, last, step })
}

impl Position {
    /// `N`, `-N` or `last`.
    pub(super) fn parse(text: &str) -> Option<Position> {
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten();
        match text.strip_prefix('-') {
            _ if text == "last" => Some(Position::FromEnd(1)),
            Some(number) => digits(number).filter(|number| *number > 0).map(Position::FromEnd),
            None => digits(text).map(Position::FromStart),
        }
    }
}

impl FrameSet {
    /// Every frame.
    pub(crate) fn all() -> Self {
        Self { text: "all".to_owned(), items: vec![Item::All], files: Vec::new() }
    }

    /// The files that were read for it.
    pub(crate) fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// The frames meant, ascending, each once, in a trace of `frame_count` frames.
    pub(crate) fn resolve(&self, frame_count: u32) -> Result<Vec<FrameIndex>, ResolveError> {
        Ok(self.numbers(frame_count)?.into_iter().map(FrameIndex).collect())
    }

    /// The numbers meant, where there are `count`.
    pub(crate) fn numbers(&self, count: u32) -> Result<BTreeSet<u32>, ResolveError> {
        let mut numbers = BTreeSet::new();
        for item in &self.items {
            match item {
                Item::All => numbers.extend(0..count),
                Item::One(place) => {
                    numbers.insert(place.resolve(count)?);
                }
                Item::Range { text, first, last, step } => {
                    let (first, last) = (first.resolve(count)?, last.resolve(count)?);
                    if first > last {
                        return Err(ResolveError::Empty { item: text.clone(), first, last });
                    }
                    numbers.extend((first..=last).step_by(*step as usize));
                }
            }
        }
        Ok(numbers)
    }

    /// The one frame meant, if it is one.
    pub(crate) fn resolve_one(&self, frame_count: u32) -> Result<Option<FrameIndex>, ResolveError> {
        let frames = self.resolve(frame_count)?;
        Ok(match frames.as_slice() {
            [frame] => Some(*frame),
            _ => None,
        })
    }
}

impl std::fmt::Display for FrameSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

impl Position {
    fn resolve(self, count: u32) -> Result<u32, ResolveError> {
        let (index, wanted) = match self {
            Self::FromStart(index) => (Some(index), index.to_string()),
            Self::FromEnd(back) => (count.checked_sub(back), format!("-{back}")),
        };
        index.filter(|index| *index < count).ok_or(ResolveError::NoSuch { wanted, count })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::io::Write;

    fn frames(text: &str) -> Vec<u32> {
        let set: FrameSet = text.parse().unwrap();
        set.resolve(30).unwrap().into_iter().map(|frame| frame.0).collect()
    }

    #[test]
    fn the_grammar() {
        assert_eq!(frames("5,0,5"), [0, 5]);
        assert_eq!(frames("10-20/4"), [10, 14, 18]);
        assert_eq!(frames("last"), [29]);
        assert_eq!(frames("-1, -2"), [28, 29]);
        assert_eq!(frames("27-last"), [27, 28, 29]);
        assert_eq!(frames("-3--2"), [27, 28]);
        assert_eq!(frames("27-"), [27, 28, 29]);
        assert_eq!(frames("-2-"), [28, 29]);
        assert_eq!(frames("20-/4"), [20, 24, 28]);
        assert_eq!(frames("all").len(), 30);
    }

    #[test]
    fn files_hold_sets_and_comments() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        writeln!(file, "# broken ones\n3\n\n7-9 # water\nlast").unwrap();
        assert_eq!(frames(&format!("0,@{}", file.path().display())), [0, 3, 7, 8, 9, 29]);
        let own = format!("@{}", file.path().display());
        fs::write(file.path(), &own).unwrap();
        assert!(own.parse::<FrameSet>().unwrap_err().to_string().contains("nested too deeply"));
        fs::write(file.path(), "\n # none\n").unwrap();
        assert!(own.parse::<FrameSet>().unwrap_err().to_string().contains("it is empty"));
    }

    #[test]
    fn what_is_no_set_is_named() {
        for text in ["", "x", "-", "1--", "-/2", "1-2/0", "1..2", "-0", "+1", "4294967296", "1,,2", "@Cargo.toml/none"]
        {
            let error = text.parse::<FrameSet>().unwrap_err().to_string();
            assert!(error.contains("is not a set of frames: expected N, A-B"), "{text}: {error}");
        }
    }

    #[test]
    fn frames_beyond_the_trace_are_named() {
        let error = |text: &str, count| text.parse::<FrameSet>().unwrap().resolve(count).unwrap_err().to_string();
        assert_eq!(error("3", 3), "frame 3 does not exist: the trace has 3 frames, counted from 0");
        assert_eq!(error("1-9", 3), "frame 9 does not exist: the trace has 3 frames, counted from 0");
        assert_eq!(error("-4", 3), "frame -4 does not exist: the trace has 3 frames, counted from 0");
        assert_eq!(error("last", 0), "frame -1 does not exist: the trace has 0 frames, counted from 0");
        assert_eq!(error("3-1", 4), "\"3-1\" is empty: its first, 3, comes after its last, 1");
        assert_eq!(error("0,last-1", 4), "\"last-1\" is empty: its first, 3, comes after its last, 1");
        assert_eq!("all".parse::<FrameSet>().unwrap().resolve(0).unwrap(), []);
    }
}
