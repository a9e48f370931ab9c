//! What can be wrong with a pair of texts. A variant a malformation; [`GlslError`] sorts them by what to do about them.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use thiserror::Error;

use super::hints;
use super::source::{Expansion, Place, Stage};
use crate::bytes::FindingKind;
use crate::bytes::limits::MAX_GLSL_ERRORS;

/// Why a pair of GLSL texts gave no program.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum GlslError {
    /// The text is not GLSL ES 3.00.
    #[error("{fault}, in the {place}")]
    Invalid {
        /// What is wrong.
        fault: Fault,
        /// Where.
        place: Box<Place>,
    },
    /// The text may be right, but this construct can't be drawn.
    #[error("{construct}, in the {place}")]
    Unsupported {
        /// What can't be drawn.
        construct: Unsupported,
        /// Where.
        place: Box<Place>,
    },
    /// A cap of `bytes/limits.rs` was reached.
    #[error("{limit}, in the {place}")]
    LimitExceeded {
        /// Which cap.
        limit: TextLimit,
        /// Where.
        place: Box<Place>,
    },
    /// Each text may be right, but they don't fit together.
    #[error(transparent)]
    Link(#[from] Box<LinkError>),
}

/// Every error of a pair that was found: at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GlslErrors {
    first: Box<GlslError>,
    rest: Vec<GlslError>,
}

impl GlslErrors {
    /// One or several; none is `None`.
    pub(crate) fn new(errors: Vec<GlslError>) -> Option<Self> {
        let mut errors = errors.into_iter();
        let first = Box::new(errors.next()?);
        Some(Self { first, rest: errors.collect() })
    }

    /// These, and those of the other text.
    pub(crate) fn and(mut self, other: Self) -> Self {
        self.rest.push(*other.first);
        self.rest.extend(other.rest);
        self
    }

    /// Of a text that is refused for nothing that is told, which never happens.
    pub(crate) fn unknown(place: Place) -> Self {
        let fault =
            Fault::Expected { expected: "a text without errors".into(), found: "one that is refused".to_owned() };
        Self::from(GlslError::Invalid { fault, place: Box::new(place) })
    }

    /// The first, in the order of the texts.
    pub fn first(&self) -> &GlslError {
        &self.first
    }

    /// The first, alone.
    pub fn into_first(self) -> GlslError {
        *self.first
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &GlslError> {
        std::iter::once(&*self.first).chain(&self.rest)
    }
}

impl From<GlslError> for GlslErrors {
    fn from(error: GlslError) -> Self {
        Self { first: Box::new(error), rest: Vec::new() }
    }
}

impl fmt::Display for GlslErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.first)?;
        self.rest.iter().try_for_each(|error| write!(f, "\n{error}"))
    }
}

impl std::error::Error for GlslErrors {}

/// A mismatch between the two stages, or a program that has too much to pass.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LinkError {
    /// The fragment stage reads what the vertex stage does not write.
    #[error("fragment input '{name}' ({declared}) has no vertex output of that name\n read: {place}")]
    MissingVarying {
        /// Name of the varying.
        name: String,
        /// Its declaration in the fragment text.
        declared: String,
        /// Where the fragment text declares it.
        place: Box<Place>,
    },
    /// The same name stands for two different things in the two stages.
    #[error(
        "{what} '{name}' is {vertex} in the vertex shader but {fragment} in the fragment shader\n \
         {vertex_place}\n {fragment_place}"
    )]
    Mismatch {
        /// `varying`, `uniform` or `uniform block`.
        what: &'static str,
        /// The name.
        name: String,
        /// The declaration in the vertex text.
        vertex: String,
        /// The declaration in the fragment text.
        fragment: String,
        /// Where the vertex text declares it.
        vertex_place: Box<Place>,
        /// Where the fragment text declares it.
        fragment_place: Box<Place>,
    },
    /// More varyings than an adapter passes.
    #[error("varyings need {found} locations, expected at most {cap}\n {place}")]
    TooManyVaryings {
        /// Locations needed.
        found: u32,
        /// Locations there are.
        cap: u32,
        /// The first varying that does not fit.
        place: Box<Place>,
    },
    /// Two attributes or outputs at one location.
    #[error("'{name}' is at location {location}, which '{other}' has\n {place}")]
    LocationTaken {
        /// The later of the two.
        name: String,
        /// The location.
        location: u32,
        /// The earlier of the two.
        other: String,
        /// Where the later one is declared.
        place: Box<Place>,
    },
}

/// A text that breaks the rules of GLSL ES 3.00.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum Fault {
    #[error("expected UTF-8, found byte {byte:#04x}")]
    NotUtf8 { byte: u8 },
    #[error("expected text, found a NUL byte")]
    Nul,
    #[error("expected a character of GLSL, found {found:?}")]
    StrayCharacter { found: char },
    #[error("the comment that begins here has no end, expected '*/'")]
    UnterminatedComment,
    #[error("expected '#version 300 es' before anything else, found {found}")]
    VersionMissing { found: String },
    #[error("expected '#version 300 es', found '#version {found}': {reason}")]
    Version { found: String, reason: &'static str },
    #[error("{what} is not in GLSL ES 1.00: expected {instead}, or '#version 300 es' as the text's first line")]
    LaterVersion { what: Cow<'static, str>, instead: Cow<'static, str> },
    #[error("#{directive}: expected {expected}, found {found}")]
    Directive { directive: &'static str, expected: &'static str, found: String },
    #[error("unknown directive '#{found}'")]
    UnknownDirective { found: String },
    #[error("#{found} without #if")]
    StrayConditional { found: &'static str },
    #[error("this #if has no #endif")]
    UnterminatedConditional,
    #[error("#error {message}")]
    ErrorDirective { message: String },
    #[error("macro '{name}' is already defined differently, expected #undef first")]
    MacroRedefined { name: String },
    #[error("macro name '{name}' is reserved")]
    MacroReserved { name: String },
    #[error("call of macro '{name}' has no closing ')'")]
    UnterminatedMacro { name: String },
    #[error("macro '{name}' takes {expected} arguments, found {found}")]
    MacroArguments { name: String, expected: usize, found: usize },
    #[error("expected {expected}, found the number '{found}'")]
    Number { expected: &'static str, found: String },
    #[error("'{word}' is a reserved word{}", hints::instead_of(word))]
    ReservedWord { word: String },
    #[error("expected {expected}, found {found}")]
    Expected { expected: Cow<'static, str>, found: String },
    #[error("{what} '{name}' is not declared{}", hints::instead_of_name(name, near.as_deref()))]
    Undeclared { what: &'static str, name: String, near: Option<String> },
    #[error("'{name}' is already declared, at line {line}")]
    Redeclared { name: String, line: u32 },
    #[error("{what}: expected {expected}, found {found}{}", hints::about_conversions([&**expected, found].into_iter()))]
    Type { what: Cow<'static, str>, expected: Cow<'static, str>, found: String },
    #[error("'{operator}' can't take {left} and {right}{}", hints::about_conversions([&**left, right].into_iter()))]
    Operands { operator: &'static str, left: String, right: String },
    #[error("no overload of '{name}' takes ({found}){expected}{}", hints::about_conversions(found.split(", ")))]
    NoOverload { name: String, found: String, expected: String },
    #[error("{what} can't be assigned: {why}")]
    NotAssignable { what: String, why: &'static str },
    #[error("{what} must be a constant expression")]
    NotConstant { what: &'static str },
    #[error("{what} is {found}, expected {expected}")]
    OutOfRange { what: &'static str, found: String, expected: String },
    #[error("{of} has no member '{member}'")]
    NoMember { of: String, member: String },
    #[error("{what} is not allowed {place}")]
    Misplaced { what: Cow<'static, str>, place: &'static str },
    #[error("the {stage} shader has no 'void main()'")]
    MissingMain { stage: Stage },
    #[error("function '{name}' calls itself, directly or through others: GLSL has no recursion")]
    Recursion { name: String },
    #[error("function '{name}' is called but has no body")]
    NoBody { name: String },
    #[error("'{name}' belongs to a {belongs} shader; is this {belongs} text in the {stage} slot?")]
    WrongStage { name: String, belongs: Stage, stage: Stage },
    #[error("constructor of {of}: expected {expected}, found {found}")]
    Constructor { of: String, expected: &'static str, found: String },
}

/// Constructs that can't be drawn here.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Unsupported {
    /// `#extension NAME : require` of something that changes the language.
    #[error("extension '{name}' is required but not supported")]
    Extension {
        /// The extension.
        name: String,
    },
    /// A construct that has no counterpart, and why.
    #[error("{what} is not supported: {why}")]
    Construct {
        /// What it is.
        what: Cow<'static, str>,
        /// Why it can't be drawn.
        why: &'static str,
    },
}

/// A cap that a text went over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum TextLimit {
    /// Size of the text.
    #[error("the text has {found} bytes, the limit is {cap}")]
    Bytes {
        /// Its size.
        found: usize,
        /// The cap.
        cap: usize,
    },
    /// Levels within each other.
    #[error("{what} exceed the limit of {cap}")]
    Nesting {
        /// Of what.
        what: &'static str,
        /// The cap.
        cap: usize,
    },
    /// Something counted.
    #[error("{what} exceed the limit of {cap}")]
    Count {
        /// What was counted.
        what: &'static str,
        /// The cap.
        cap: u64,
    },
}

impl GlslError {
    /// Where it is; of a mismatch between the stages, the place in the fragment shader.
    pub fn place(&self) -> &Place {
        match self {
            Self::Invalid { place, .. } | Self::Unsupported { place, .. } | Self::LimitExceeded { place, .. } => place,
            Self::Link(error) => error.place(),
        }
    }

    /// What to write instead, if that is known.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Invalid { fault, .. } => fault.hint(),
            Self::Unsupported { .. } | Self::LimitExceeded { .. } | Self::Link(_) => None,
        }
    }
}

impl LinkError {
    /// Where it is, in the fragment shader if it is in both.
    pub fn place(&self) -> &Place {
        match self {
            Self::Mismatch { fragment_place: place, .. }
            | Self::MissingVarying { place, .. }
            | Self::TooManyVaryings { place, .. }
            | Self::LocationTaken { place, .. } => place,
        }
    }
}

impl Fault {
    /// What to write instead, if that is known: the end of the message.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::ReservedWord { word } => hints::instead_of(word),
            Self::Undeclared { name, near, .. } => hints::instead_of_name(name, near.as_deref()),
            Self::Type { expected, found, .. } => hints::about_conversions([&**expected, found].into_iter()).to_owned(),
            Self::Operands { left, right, .. } => hints::about_conversions([&**left, right].into_iter()).to_owned(),
            Self::NoOverload { found, .. } => hints::about_conversions(found.split(", ")).to_owned(),
            Self::LaterVersion { instead, .. } => format!("expected {instead}"),
            _ => String::new(),
        };
        let hint = hint.trim_start_matches(": ");
        (!hint.is_empty()).then(|| hint.to_owned())
    }

    /// The line of what it contradicts.
    pub fn related_line(&self) -> Option<u32> {
        match self {
            Self::Redeclared { line, .. } => Some(*line),
            _ => None,
        }
    }
}

/// Any of the three kinds of refusal that concern one text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    /// Not GLSL ES 3.00.
    Fault(Fault),
    /// Can't be drawn.
    Unsupported(Unsupported),
    /// Over a cap.
    Limit(TextLimit),
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
}

impl Note {
    /// What the language leaves open, and how it was decided.
    pub(crate) fn remark(position: u32, what: impl Into<String>) -> Self {
        Self { position, what: what.into(), kind: FindingKind::Remark }
    }

    /// What the language forbids, where its meaning is clear all the same.
    pub(crate) fn oddity(position: u32, what: impl Into<String>) -> Self {
        Self { position, what: what.into(), kind: FindingKind::Oddity }
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
