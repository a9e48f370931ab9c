//! Rebuilds the frames of a stream from its records alone, without the TOC.

use super::error::FormatError;
use super::frames::FrameSpan;
use super::reader::RecordReader;
use super::record::RecordBody;
use crate::bytes::Diagnostics;
use crate::bytes::limits::MAX_FRAMES;

/// Finds the frames among the records that `reader` yields.
///
/// ```text
///             BeginFrame, or a command record           Present: the frame ends after it
///  outside ──────────────────────────────────► inside ──────────────────────────────────► outside
///     ▲ └─ Present alone: an empty frame          │ └─ BeginFrame: the frame ends before it, the next begins
///     └──────────────── end of stream ◄───────────┘
/// ```
///
/// Blobs outside a frame stay outside. The error, if any, comes with the frames that were whole before it.
pub fn scan_frames(
    reader: &mut RecordReader,
    diagnostics: &mut Diagnostics,
) -> (Vec<FrameSpan>, Result<(), FormatError>) {
    let mut frames = Vec::new();
    let mut open: Option<u64> = None;
    loop {
        let (offset, end, body) = match reader.next_record(diagnostics) {
            Ok(Some(record)) => (record.offset, record.end, record.body),
            Ok(None) => break,
            Err(error) => return (frames, Err(error)),
        };
        let over_limit = frames.len() as u64 >= MAX_FRAMES;
        match body {
            RecordBody::BeginFrame { .. } => {
                if let Some(start) = open.replace(offset) {
                    frames.push(FrameSpan { bytes: start..offset, present_offset: None });
                }
            }
            RecordBody::Present { .. } => {
                let start = open.take().unwrap_or(offset);
                frames.push(FrameSpan { bytes: start..end, present_offset: Some(offset) });
            }
            RecordBody::Packet(_) | RecordBody::Submission(_) => {
                open.get_or_insert(offset);
            }
            RecordBody::Blob(_) => {}
        }
        if over_limit {
            let (what, found) = ("the number of frames", frames.len() as u64);
            return (frames, Err(FormatError::OverLimit { what, found, limit: MAX_FRAMES, offset }));
        }
    }
    if let Some(start) = open {
        frames.push(FrameSpan { bytes: start..reader.offset(), present_offset: None });
    }
    (frames, Ok(()))
}
