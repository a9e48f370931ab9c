//! What the front end of a language says of a pair: what is wrong with one that it refuses, and what it passes over in another.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::error::ShaderError;
use crate::bytes::{Finding, FindingKind};
use crate::command::ShaderStage;
use crate::error::{Classified, ErrorKind, Severity};

/// Something that is to be said of a pair of shaders.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShaderIssue {
    /// An error where nothing is drawn with the pair.
    pub severity: Severity,
    /// The shader at fault, if it is one of them.
    pub stage: Option<ShaderStage>,
    /// Line, counted from 1.
    pub line: Option<u32>,
    /// Column, counted from 1.
    pub column: Option<u32>,
    /// What is wrong, within a line, if that is known.
    pub range: Option<IssueRange>,
    /// One sentence, without the place.
    pub message: String,
    /// What to write instead, if that is known; the message ends with it.
    pub hint: Option<String>,
    /// Other places that it is about.
    pub related: Vec<RelatedIssue>,
}

/// A part of a line, as the Language Server Protocol counts: lines from 0, and in them UTF-16 words from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IssueRange {
    /// The line.
    pub line: u32,
    /// Where it begins.
    pub from: u32,
    /// Where it ends, behind its last character.
    pub to: u32,
}

impl IssueRange {
    /// The beginning of a line that is counted from 1.
    pub fn of_line(line: u32) -> Self {
        Self { line: line.saturating_sub(1), from: 0, to: 0 }
    }

    /// These bytes of a text, as far as they lie in one line; at least a character, if the line goes on there.
    pub fn of_bytes(text: &str, bytes: Range<usize>) -> Self {
        let (before, behind) = text.split_at_checked(bytes.start).unwrap_or((text, ""));
        let line_start = before.rfind('\n').map_or(0, |end| end + 1);
        let words = |text: &str| text.encode_utf16().count() as u32;
        let from = words(before.get(line_start..).unwrap_or_default());
        let line = behind.split(['\r', '\n']).next().unwrap_or_default();
        let length = line.get(..bytes.len()).unwrap_or(line);
        let at_least = line.chars().next().map_or(0, |first| first.len_utf16() as u32);
        Self { line: before.matches('\n').count() as u32, from, to: from + words(length).max(at_least) }
    }
}

/// Another place that something wrong is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RelatedIssue {
    /// The shader.
    pub stage: ShaderStage,
    /// Where in it.
    pub range: IssueRange,
    /// What is there.
    pub message: String,
}

impl ShaderIssue {
    /// One whose place is not known, or said in the message.
    pub fn without_place(stage: Option<ShaderStage>, message: String) -> Self {
        let severity = Severity::Error;
        Self { severity, stage, line: None, column: None, range: None, message, hint: None, related: Vec::new() }
    }
}

/// Something that was noticed in shaders that are sound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShaderRemark {
    /// Absolute file offset of what it is about.
    pub offset: u64,
    /// An oddity is a warning, other things are information.
    pub issue: ShaderIssue,
}

impl ShaderRemark {
    /// How it was decided what the shaders leave open.
    pub fn without_place(offset: u64, message: String) -> Self {
        let issue = ShaderIssue::without_place(None, message);
        Self { offset, issue: ShaderIssue { severity: Severity::Information, ..issue } }
    }
}

impl From<&ShaderRemark> for Finding {
    fn from(ShaderRemark { offset, issue }: &ShaderRemark) -> Self {
        let what = match issue.stage.zip(issue.line) {
            Some((stage, line)) => format!("{stage} shader, line {line}: {}", issue.message),
            None => issue.message.clone(),
        };
        let kind = match issue.severity {
            Severity::Error | Severity::Warning => FindingKind::Oddity,
            Severity::Information => FindingKind::Remark,
        };
        Self { offset: *offset, what: what.into(), kind }
    }
}

/// An error of a language's own front end.
pub trait FrontEnd: Classified + Send + Sync {
    /// What is wrong, each with its place in its text.
    fn issues(&self) -> Vec<ShaderIssue>;
}

/// Any front end's error.
#[derive(Clone, Debug)]
pub struct FrontEndError(Arc<dyn FrontEnd>);

impl FrontEndError {
    /// What is wrong, each with its place in its text.
    pub fn issues(&self) -> Vec<ShaderIssue> {
        self.0.issues()
    }
}

impl<E: FrontEnd + 'static> From<E> for FrontEndError {
    fn from(error: E) -> Self {
        Self(Arc::new(error))
    }
}

impl fmt::Display for FrontEndError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for FrontEndError {}

impl Classified for FrontEndError {
    fn kind(&self) -> ErrorKind {
        self.0.kind()
    }

    fn offset(&self) -> Option<u64> {
        self.0.offset()
    }
}

impl ShaderError {
    /// What is wrong, each with its place in its text.
    pub fn issues(&self) -> Vec<ShaderIssue> {
        let of = |stage| vec![ShaderIssue::without_place(Some(stage), self.to_string())];
        match self {
            Self::DoesNotCompile { stage, message, range, .. } => vec![ShaderIssue {
                severity: Severity::Error,
                stage: Some(*stage),
                line: Some(range.line + 1),
                column: Some(range.from + 1),
                range: Some(*range),
                message: message.clone(),
                hint: None,
                related: Vec::new(),
            }],
            Self::NotUtf8 { stage, .. }
            | Self::NoEntryPoint { stage, .. }
            | Self::OverLimit { stage, .. }
            | Self::CompilerBroke { stage, .. }
            | Self::NoMemory { stage, .. }
            | Self::UnsupportedBinding { stage, .. } => of(*stage),
            Self::StagesDisagree { .. } => of(ShaderStage::Fragment),
            Self::UnknownAttribute { .. } => of(ShaderStage::Vertex),
            Self::FrontEnd { error, .. } => error.issues(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_of_one_line_and_counts_in_utf16() {
        let text = "a\n\u{1f600}é bad\r\nnext";
        let bad = text.find("bad").unwrap();
        let range = |bytes: Range<usize>| {
            let IssueRange { line, from, to } = IssueRange::of_bytes(text, bytes);
            (line, from, to)
        };
        assert_eq!(range(bad..bad + 3), (1, 4, 7));
        assert_eq!(range(bad..text.len()), (1, 4, 7), "not over the end of its line");
        assert_eq!(range(2..2), (1, 0, 2), "a character, which has two words");
        assert_eq!(range(1..1), (0, 1, 1), "at the end of a line there is none");
        assert_eq!(range(text.len()..text.len() + 5), (2, 4, 4));
    }
}
