//! What can be wrong with a pair of texts. A variant a malformation; [`GlslError`] sorts them by what to do about them.

use std::borrow::Cow;

use thiserror::Error;

use super::hints;
use super::source::{Expansion, Place, Stage};
use crate::bytes::FindingKind;
use crate::error::{Classified, ErrorKind};

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

impl Classified for GlslError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Invalid { fault, .. } => fault.kind(),
            Self::Unsupported { construct, .. } => construct.kind(),
            Self::LimitExceeded { limit, .. } => limit.kind(),
            Self::Link(error) => error.kind(),
        }
    }

    fn offset(&self) -> Option<u64> {
        match self {
            Self::Invalid { place, .. } | Self::Unsupported { place, .. } | Self::LimitExceeded { place, .. } => {
                Some(place.offset())
            }
            Self::Link(error) => error.offset(),
        }
    }
}

impl Classified for LinkError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::ReplayFailed
    }

    fn offset(&self) -> Option<u64> {
        match self {
            Self::Mismatch { fragment_place: place, .. }
            | Self::MissingVarying { place, .. }
            | Self::TooManyVaryings { place, .. }
            | Self::LocationTaken { place, .. } => Some(place.offset()),
        }
    }
}

/// Parts of a [`GlslError`], which has the place.
macro_rules! parts {
    ($($part:ident = $kind:ident),*) => {$(
        impl Classified for $part {
            fn kind(&self) -> ErrorKind {
                ErrorKind::$kind
            }

            fn offset(&self) -> Option<u64> {
                None
            }
        }
    )*};
}

parts!(Fault = ReplayFailed, Unsupported = Unsupported, TextLimit = OverLimit);

/// Any of the three kinds of refusal that concern one text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    /// Not GLSL ES 3.00.
    Fault(Fault),
    /// Can't be drawn.
    Unsupported(Unsupported),
    /// Over a cap.
    Limit(TextLimit),
}

/// A [`Cause`] at a byte position of the spliced text. The door turns it into a [`GlslError`] with a [`Place`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    /// Byte position in the spliced text.
    pub position: u32,
    /// What is wrong.
    pub cause: Cause,
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
        Box::new(Self { position, cause, expansion: None })
    }

    /// A [`Fault`] at `position`.
    pub(crate) fn fault(position: u32, fault: Fault) -> Box<Self> {
        Self::new(position, Cause::Fault(fault))
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

    /// Gives the problem its place in the file.
    pub(crate) fn into_error(self, place: Place) -> GlslError {
        let place = Box::new(place);
        match self.cause {
            Cause::Fault(fault) => GlslError::Invalid { fault, place },
            Cause::Unsupported(construct) => GlslError::Unsupported { construct, place },
            Cause::Limit(limit) => GlslError::LimitExceeded { limit, place },
        }
    }
}
