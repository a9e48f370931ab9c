//! The AeroGPU trace container, versions 1 and 2.
//!
//! ```
//! use aerogpu_trace::container::{Trace, TraceWriter};
//! use trace_base::bytes::{Diagnostics, MemorySource};
//!
//! let mut writer = TraceWriter::new(Vec::new(), 1, "{}")?;
//! writer.begin_frame()?;
//! writer.present()?;
//! let source = MemorySource::from(writer.finish()?);
//! let trace = Trace::from_source(std::sync::Arc::new(source), &mut Diagnostics::new())?;
//! assert_eq!(trace.frames().len(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
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
#[cfg(feature = "reader")]
mod packet_run;
#[cfg(feature = "reader")]
mod reader;
mod record;
#[cfg(feature = "reader")]
mod scan;
mod submission;
mod toc;
#[cfg(feature = "reader")]
mod trace;
mod writer;

pub use blob_id::BlobId;
pub use blobs::{BlobCatalog, BlobDefinition};
pub use error::FormatError;
pub use frames::{FrameIndex, FrameSpan};
pub use header::{FOOTER_BYTES, HEADER_BYTES, TraceFooter, TraceHeader, is_aerogpu};
pub use new_submission::{CapturedMemory, NewSubmission};
#[cfg(feature = "reader")]
pub use packet_run::PacketRun;
#[cfg(feature = "reader")]
pub use reader::RecordReader;
pub use record::{BLOB_HEADER_BYTES, BlobHeader, BlobKind, RECORD_HEADER_BYTES, Record, RecordBody};
#[cfg(feature = "reader")]
pub use scan::{ScannedFrames, UnfinishedFrame, scan_frames};
pub use submission::{MEMORY_RANGE_BYTES, MemoryRange, SUBMISSION_BYTES, Submission};
pub use toc::{FRAME_ENTRY_BYTES, FrameEntry, TOC_HEADER_BYTES, TraceToc};
#[cfg(feature = "reader")]
pub use trace::{DamageTolerance, FrameSource, Trace, TraceMeta};
pub use writer::{TraceWriter, WriteError};
