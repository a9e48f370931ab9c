//! Arguments of events, decoded when somebody asks.

use thiserror::Error;

use super::{Argument, RecordOffset};
use crate::bytes::ReadError;
use crate::error::{Classified, ErrorKind};
use crate::format::{wip15, wtf};

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
