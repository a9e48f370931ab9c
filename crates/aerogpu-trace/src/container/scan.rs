//! Rebuilds the frames of a stream from its records alone, without the TOC.

use super::error::FormatError;
use super::frames::FrameSpan;
use super::reader::RecordReader;
use super::record::RecordBody;
use crate::limits::MAX_FRAMES;
use trace_base::bytes::Diagnostics;

/// Frames that the records of a stream make up.
#[derive(Debug)]
pub struct ScannedFrames {
    /// The frames that end: with a Present record, or where the next one begins.
    pub finished: Vec<FrameSpan>,
    /// The frame that is open where the records end, if there is one.
    pub unfinished: Option<UnfinishedFrame>,
    /// The error that ended the scan, if it was not the end of the records.
    pub stopped_by: Option<FormatError>,
}

/// Frame that its recorder began and did not end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnfinishedFrame {
    /// Its bytes, up to the end of the last record that is whole.
    pub span: FrameSpan,
    /// Number of its whole Packet records.
    pub packets: usize,
    /// Number of its whole AerogpuSubmission records.
    pub submissions: usize,
}

impl ScannedFrames {
    /// All frames, for streams that are known to be whole.
    pub fn into_all(self) -> Vec<FrameSpan> {
        self.finished.into_iter().chain(self.unfinished.map(|frame| frame.span)).collect()
    }
}

impl UnfinishedFrame {
    fn starting_at(offset: u64) -> Self {
        Self { span: FrameSpan { bytes: offset..offset, present_offset: None }, packets: 0, submissions: 0 }
    }

    /// Whether anything could be drawn of it.
    pub(super) fn has_commands(&self) -> bool {
        self.packets + self.submissions > 0
    }
}

/// Finds the frames among the records that `reader` yields.
///
/// ```text
///             BeginFrame, or a command record           Present: the frame ends after it
///  outside ──────────────────────────────────► inside ──────────────────────────────────► outside
///     ▲ └─ Present alone: an empty frame          │ └─ BeginFrame: the frame ends before it, the next begins
///     └── end of stream, or an error: unfinished ◄┘
/// ```
///
/// Blobs outside a frame stay outside.
pub fn scan_frames(reader: &mut RecordReader, diagnostics: &mut Diagnostics) -> ScannedFrames {
    let mut finished = Vec::new();
    let mut open: Option<UnfinishedFrame> = None;
    let mut whole_to = reader.offset();
    let stopped_by = loop {
        let (offset, end, body) = match reader.next_record(diagnostics) {
            Ok(Some(record)) => (record.offset, record.end, record.body),
            Ok(None) => break None,
            Err(error) => break Some(error),
        };
        whole_to = end;
        let over_limit = finished.len() as u64 >= MAX_FRAMES;
        match body {
            RecordBody::BeginFrame { .. } => {
                if let Some(before) = open.replace(UnfinishedFrame::starting_at(offset)) {
                    finished.push(FrameSpan { bytes: before.span.bytes.start..offset, present_offset: None });
                }
            }
            RecordBody::Present { .. } => {
                let start = open.take().map_or(offset, |frame| frame.span.bytes.start);
                finished.push(FrameSpan { bytes: start..end, present_offset: Some(offset) });
            }
            RecordBody::Packet(_) => open.get_or_insert(UnfinishedFrame::starting_at(offset)).packets += 1,
            RecordBody::Submission(_) => open.get_or_insert(UnfinishedFrame::starting_at(offset)).submissions += 1,
            RecordBody::Blob(_) => {}
        }
        if over_limit {
            let (what, found) = ("the number of frames", finished.len() as u64);
            // A frame over the limit is none that could be kept.
            open = None;
            break Some(FormatError::OverLimit { what, found, limit: MAX_FRAMES, offset });
        }
    };
    if let Some(frame) = &mut open {
        frame.span.bytes.end = whole_to;
    }
    ScannedFrames { finished, unfinished: open, stopped_by }
}
