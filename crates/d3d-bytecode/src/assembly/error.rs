//! What can be wrong with assembly.

use thiserror::Error;

use super::super::error::BytecodeError;
use trace_base::error::{Classified, ErrorKind};
use trace_base::text::counted;

/// Assembly that is no shader.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AssemblyError {
    /// Something else stands there than can.
    #[error("line {line}, column {column}: expected {expected}, found {found}")]
    Expected {
        /// What can stand there, in words.
        expected: &'static str,
        /// What does.
        found: String,
        /// Its line, counted from 1.
        line: u32,
        /// The letter in the line that it begins with, counted from 1.
        column: u32,
    },
    /// Our budget.
    #[error("the {what} has {found_bytes}: this build's limit is {limit}", found_bytes = counted(.found, "byte"))]
    TooLong {
        /// The text, or what comes of it.
        what: &'static str,
        /// Its size.
        found: u64,
        /// The limit.
        limit: u64,
    },
    /// The text has a shader's form, but no shader may say that. The offset in the message counts from the beginning of the
    /// bytecode.
    #[error("line {line}: {error}")]
    Refused {
        /// The line, counted from 1.
        line: u32,
        /// What is wrong with its bytecode.
        error: BytecodeError,
    },
}

impl AssemblyError {
    /// The place in the text: line, and column where that is known.
    pub fn place(&self) -> Option<(u32, Option<u32>)> {
        match self {
            Self::Expected { line, column, .. } => Some((*line, Some(*column))),
            Self::Refused { line, .. } => Some((*line, None)),
            Self::TooLong { .. } => None,
        }
    }

    /// One sentence, without the place.
    pub fn sentence(&self) -> String {
        match self {
            Self::Expected { expected, found, .. } => format!("expected {expected}, found {found}"),
            Self::Refused { error, .. } => error.to_string(),
            other => other.to_string(),
        }
    }
}

impl Classified for AssemblyError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Expected { .. } => ErrorKind::Malformed,
            Self::TooLong { .. } => ErrorKind::OverLimit,
            Self::Refused { error, .. } => error.kind(),
        }
    }

    /// None of its places is one in the trace.
    fn offset(&self) -> Option<u64> {
        None
    }
}
