//! What can be wrong with a pair of texts. A variant a malformation; [`GlslError`] sorts them by what to do about them.

use std::borrow::Cow;
use std::fmt;

use thiserror::Error;

pub(crate) use super::problem::{Cause, Note, Problem, Problems, Result};

use super::hints;
use super::source::{Place, Stage};

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
    /// Something that should never be: the translator is at fault, not the text.
    #[error("this is a bug of the GLSL translator: {what}, in the {place}")]
    Internal {
        /// What should never be.
        what: &'static str,
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
        Self::from(GlslError::Internal { what: "a text is rejected without an error", place: Box::new(place) })
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
    #[error("expected '#version {expected} es', found '#version {found}': {reason}")]
    Version { expected: &'static str, found: String, reason: &'static str },
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
    #[error("wrong number of arguments of macro '{name}': expected {expected}, found {found}")]
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
            Self::Invalid { place, .. }
            | Self::Unsupported { place, .. }
            | Self::LimitExceeded { place, .. }
            | Self::Internal { place, .. } => place,
            Self::Link(error) => error.place(),
        }
    }

    /// What to write instead, if that is known.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Invalid { fault, .. } => fault.hint(),
            Self::Unsupported { .. } | Self::LimitExceeded { .. } | Self::Internal { .. } | Self::Link(_) => None,
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
