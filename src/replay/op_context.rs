//! Ops and all that they need beside themselves.

use super::blob_store::BlobStore;
use super::d3d::DeviceOp;
use super::program_library::ProgramLibrary;
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
}

/// The ops of a command of a submission.
#[derive(Clone, Copy)]
pub struct DeviceOps<'a> {
    /// In their order.
    pub ops: &'a [DeviceOp],
    /// Their context.
    pub context: OpContext<'a>,
}
