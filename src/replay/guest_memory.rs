//! stub
use super::blob_store::BlobStore;
use crate::error::{Classified, ErrorKind};
use crate::format::aerogpu::Submission;
#[derive(Debug, thiserror::Error)]
#[error("x")]
pub struct MemoryError;
impl Classified for MemoryError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::ReplayFailed
    }
    fn offset(&self) -> Option<u64> {
        None
    }
}
#[derive(Default)]
pub struct SubmissionMemory;
pub enum MemoryPiece {
    File(std::ops::Range<u64>),
    WrittenBack { by: u32, bytes: std::ops::Range<u64> },
}
impl SubmissionMemory {
    pub fn of(_: &Submission, _: u64) -> Self {
        Self
    }
    pub fn check_backing(&mut self, _: u32, _: u64, _: u64, _: &mut BlobStore) -> Result<(), MemoryError> {
        Ok(())
    }
    pub fn pieces(&mut self, _: u32, _: u64, _: u64, _: &mut BlobStore) -> Result<Vec<MemoryPiece>, MemoryError> {
        Ok(Vec::new())
    }
    pub fn write_back(&mut self, _: u32, _: u64, _: u64, _: u32, _: &mut BlobStore) -> Result<(), MemoryError> {
        Ok(())
    }
}
