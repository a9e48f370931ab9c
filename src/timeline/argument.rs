//! Arguments of events, decoded when somebody asks.

use std::sync::Arc;

use thiserror::Error;

use super::RecordOffset;
use crate::bytes::ReadError;
use crate::error::{Classified, ErrorKind};
use crate::format::{wip15, wtf};

/// A decoded value, one shape for every format.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Nothing: a null string, the argument of type `void`.
    Null,
    /// A truth value.
    Bool(bool),
    /// An unsigned number.
    UInt(u64),
    /// A signed number.
    Int(i64),
    /// A 32-bit float.
    F32(f32),
    /// A 64-bit float.
    F64(f64),
    /// An address.
    Address(u64),
    /// Text. Bytes that are not in the format's encoding show as U+FFFD.
    Text(String),
    /// JSON text as it stands in the file, valid or not.
    Json(String),
    /// A blob that stays in the file.
    Blob {
        /// Its length when decompressed.
        size_bytes: u64,
        /// Its length in the file.
        stored_bytes: u64,
    },
    /// A function, of which the file keeps nothing.
    Function,
    /// An array.
    List(Vec<Value>),
}

/// A named value.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    /// The argument's name, or `arg0`, `arg1`, … and `result` where the format records no names.
    pub name: Arc<str>,
    /// What was passed.
    pub value: Value,
}

/// The arguments of a record could not be decoded.
#[derive(Debug, Error)]
pub enum ArgumentError {
    /// The file could not be read again.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The record of a WIP15 trace is not what it was when the timeline was made.
    #[error(transparent)]
    Wip15(#[from] wip15::Error),
    /// The record of a wtf-trace is not what it was when the timeline was made.
    #[error(transparent)]
    Wtf(#[from] wtf::WtfError),
}

impl Classified for ArgumentError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Read(error) => error.kind(),
            Self::Wip15(error) => error.kind(),
            Self::Wtf(error) => error.kind(),
        }
    }

    fn offset(&self) -> Option<u64> {
        match self {
            Self::Read(error) => error.offset(),
            Self::Wip15(error) => error.offset(),
            Self::Wtf(error) => error.offset(),
        }
    }
}

/// Decodes the arguments of single records of one file. Asking in file order is fast, any order works.
pub trait ArgumentSource {
    /// Replaces `into` by the arguments of the record at `record`; empty for [`RecordOffset::NONE`].
    fn arguments(&mut self, record: RecordOffset, into: &mut Vec<Argument>) -> Result<(), ArgumentError>;
}

/// The source of a timeline whose events have no arguments.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoArguments;

impl ArgumentSource for NoArguments {
    fn arguments(&mut self, _: RecordOffset, into: &mut Vec<Argument>) -> Result<(), ArgumentError> {
        into.clear();
        Ok(())
    }
}
