//! What is wrong with a text, at a byte position, before anybody asks where that is for the eye.

use std::borrow::Cow;
use std::ops::Range;

use super::error::{Fault, GlslError, TextLimit, Unsupported};
use super::source::{Expansion, Place};
use crate::limits::MAX_GLSL_ERRORS;
use trace_base::bytes::FindingKind;

/// Any of the kinds of refusal that concern one text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    /// Not GLSL ES 3.00.
    Fault(Fault),
    /// Can't be drawn.
    Unsupported(Unsupported),
    /// Over a cap.
    Limit(TextLimit),
    /// What should never be: the translator is at fault, not the text.
    Internal(&'static str),
    /// What follows from an error that was told already, and is not told.
    Consequence,
}

/// A [`Cause`] at a byte position of the spliced text. The door turns it into a [`GlslError`] with a [`Place`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    /// Byte position in the spliced text.
    pub position: u32,
    /// What is wrong.
    pub cause: Cause,
    /// What is wrong reaches from here to there, if that is known.
    pub extent: Option<Range<u32>>,
    /// The macro whose call stands there, if it comes out of one.
    pub expansion: Option<Expansion>,
}

/// Something that was noticed and passed over, at a byte position of the spliced text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Note {
    /// Byte position in the spliced text.
    pub position: u32,
    /// What.
    pub what: String,
    /// How much it matters.
    pub kind: FindingKind,
    /// It reaches from here to there, if that is known.
    pub extent: Option<Range<u32>>,
    /// The macro whose call stands there, if it comes out of one.
    pub expansion: Option<Expansion>,
}

impl Note {
    /// What the language leaves open, and how it was decided.
    pub(crate) fn remark(position: u32, what: impl Into<String>) -> Self {
        Self::new(position, what.into(), FindingKind::Remark)
    }

    /// What the language forbids, where its meaning is clear all the same.
    pub(crate) fn oddity(position: u32, what: impl Into<String>) -> Self {
        Self::new(position, what.into(), FindingKind::Oddity)
    }

    fn new(position: u32, what: String, kind: FindingKind) -> Self {
        Self { position, what, kind, extent: None, expansion: None }
    }
}

/// Result of everything that looks at one text.
pub(crate) type Result<T> = std::result::Result<T, Box<Problem>>;

impl Problem {
    /// What is wrong at `position`, in no macro.
    pub(crate) fn new(position: u32, cause: Cause) -> Box<Self> {
        Box::new(Self { position, cause, extent: None, expansion: None })
    }

    /// A [`Fault`] at `position`.
    pub(crate) fn fault(position: u32, fault: Fault) -> Box<Self> {
        Self::new(position, Cause::Fault(fault))
    }

    /// What follows from an error that was told already.
    pub(crate) fn consequence(position: u32) -> Box<Self> {
        Self::new(position, Cause::Consequence)
    }

    /// An [`Unsupported`] construct at `position`.
    pub(crate) fn unsupported(position: u32, what: impl Into<Cow<'static, str>>, why: &'static str) -> Box<Self> {
        let construct = Unsupported::Construct { what: what.into(), why };
        Self::new(position, Cause::Unsupported(construct))
    }

    /// What should never be, at `position`.
    pub(crate) fn internal(position: u32, what: &'static str) -> Box<Self> {
        Self::new(position, Cause::Internal(what))
    }

    /// A cap reached at `position`.
    pub(crate) fn limit(position: u32, what: &'static str, cap: u64) -> Box<Self> {
        Self::new(position, Cause::Limit(TextLimit::Count { what, cap }))
    }

    /// Too many levels at `position`.
    pub(crate) fn nesting(position: u32, what: &'static str, cap: usize) -> Box<Self> {
        Self::new(position, Cause::Limit(TextLimit::Nesting { what, cap }))
    }

    /// "expected …, found …" at `position`.
    pub(crate) fn expected(
        position: u32,
        expected: impl Into<Cow<'static, str>>,
        found: impl Into<String>,
    ) -> Box<Self> {
        Self::fault(position, Fault::Expected { expected: expected.into(), found: found.into() })
    }

    /// Whether a text nests too deep, which ends reading it.
    pub(crate) fn is_nesting(&self) -> bool {
        matches!(self.cause, Cause::Limit(TextLimit::Nesting { .. }))
    }

    /// Gives the problem its place in the file. What only follows from others is no error.
    pub(crate) fn into_error(self, place: Place) -> Option<GlslError> {
        let place = Box::new(place);
        Some(match self.cause {
            Cause::Fault(fault) => GlslError::Invalid { fault, place },
            Cause::Unsupported(construct) => GlslError::Unsupported { construct, place },
            Cause::Limit(limit) => GlslError::LimitExceeded { limit, place },
            Cause::Internal(what) => GlslError::Internal { what, place },
            Cause::Consequence => return None,
        })
    }
}

/// All that is wrong with one text.
#[derive(Debug, Default)]
pub(crate) struct Problems {
    found: Vec<Problem>,
}

impl Problems {
    /// Keeps a problem, unless it follows from one that is there.
    pub(crate) fn push(&mut self, problem: Problem) {
        let is_told = self.found.iter().any(|told| told.position == problem.position);
        let is_over = self.are_enough() || self.found.last().is_some_and(Problem::is_nesting);
        if problem.cause != Cause::Consequence && !is_told && !is_over {
            self.found.push(problem);
        }
    }

    /// Keeps the problem of what failed.
    pub(crate) fn keep<T>(&mut self, result: Result<T>) -> Option<T> {
        result.map_err(|problem| self.push(*problem)).ok()
    }

    /// Whether there are as many as are told.
    pub(crate) fn are_enough(&self) -> bool {
        self.found.len() >= MAX_GLSL_ERRORS
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// The problems.
    pub(crate) fn into_vec(self) -> Vec<Problem> {
        self.found
    }
}
