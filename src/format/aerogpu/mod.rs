//! The AeroGPU trace container, versions 1 and 2.
//!
//! ```text
//! 0             TraceHeader   32 bytes
//! 32            meta JSON     meta_len bytes
//! 32+meta_len   record stream up to toc_offset: BeginFrame, Present, Packet, Blob (v2: AerogpuSubmission)
//! toc_offset    TraceToc      16 bytes + 32 per frame
//! end-32        TraceFooter   32 bytes
//! ```
//!
//! [`Trace::open`] reads both ends and the TOC, whatever the file's size. [`Trace::open_or_recover`] reads the
//! record headers instead, for files that lost their end. [`RecordReader`] walks records without reading blob contents, and
//! [`TraceWriter`] writes what the readers read.

mod blob_id;
mod blobs;
mod error;
mod frames;
mod header;
mod new_submission;
mod packet_run;
mod reader;
mod record;
mod scan;
mod submission;
mod toc;
mod trace;
mod writer;

pub use blob_id::BlobId;
pub use blobs::{BlobCatalog, BlobDefinition};
pub use error::FormatError;
pub use frames::{FrameIndex, FrameSpan};
pub use header::{FOOTER_BYTES, HEADER_BYTES, TraceFooter, TraceHeader, is_aerogpu};
pub use new_submission::{CapturedMemory, NewSubmission};
pub use packet_run::PacketRun;
pub use reader::RecordReader;
pub use record::{BLOB_HEADER_BYTES, BlobHeader, BlobKind, RECORD_HEADER_BYTES, Record, RecordBody};
pub use scan::{ScannedFrames, UnfinishedFrame, scan_frames};
pub use submission::{MEMORY_RANGE_BYTES, MemoryRange, SUBMISSION_BYTES, Submission};
pub use toc::{FRAME_ENTRY_BYTES, FrameEntry, TOC_HEADER_BYTES, TraceToc};
pub use trace::{DamageTolerance, FrameSource, Trace, TraceMeta};
pub use writer::{TraceWriter, WriteError};
