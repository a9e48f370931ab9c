//! Arguments of events, decoded when somebody asks.

use thiserror::Error;

use super::annotation::FileError;
use super::{Argument, RecordOffset};
use trace_base::bytes::ReadError;
use trace_base::error::{Classified, ErrorKind};

/// The arguments of a record could not be decoded.
#[derive(Debug, Error)]
pub enum ArgumentError {
    /// The file could not be read again.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The record is not what it was when the timeline was made.
    #[error(transparent)]
    Record(#[from] FileError),
}

impl Classified for ArgumentError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Read(error) => error.kind(),
            Self::Record(error) => error.kind(),
        }
    }

    fn offset(&self) -> Option<u64> {
        match self {
            Self::Read(error) => error.offset(),
            Self::Record(error) => error.offset(),
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
