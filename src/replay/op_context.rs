//! Ops and all that they need beside themselves.

use std::borrow::Cow;
use std::ops::Range;

use super::blob_store::BlobStore;
use super::d3d::{DeviceOp, Payloads};
use super::program_library::ProgramLibrary;
use crate::bytes::ReadError;
use crate::command::Location;

/// The command that ops are of, and where what they name lies: bytes of the file, and programs.
#[derive(Clone, Copy)]
pub struct OpContext<'a> {
    /// Where the command stands.
    pub at: Location,
    /// The file, of which writes have ranges.
    pub blobs: &'a BlobStore,
    /// Linked programs, which draws have keys of.
    pub programs: &'a ProgramLibrary,
    /// The stream of the command, if somebody has it in memory.
    stream: Option<&'a Payloads>,
}

impl<'a> OpContext<'a> {
    /// The context of ops whose command is in no stream.
    pub fn new(at: Location, blobs: &'a BlobStore, programs: &'a ProgramLibrary) -> Self {
        Self { at, blobs, programs, stream: None }
    }

    /// The context of ops whose command stands in a stream.
    pub(super) fn within(self, stream: &'a Payloads) -> Self {
        Self { stream: Some(stream), ..self }
    }

    /// Bytes of the file, from the stream where it has them.
    pub fn bytes(&self, range: Range<u64>) -> Result<Cow<'a, [u8]>, ReadError> {
        match self.stream {
            Some(stream) => stream.read_range(range, self.blobs),
            None => self.blobs.trace().read(range).map(Cow::Owned),
        }
    }
}

/// The ops of a command of a submission.
#[derive(Clone, Copy)]
pub struct DeviceOps<'a> {
    /// In their order.
    pub ops: &'a [DeviceOp],
    /// Their context.
    pub context: OpContext<'a>,
}
