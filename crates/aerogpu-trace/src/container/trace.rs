//! An opened trace: header, meta JSON, frames; records on demand.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::error::FormatError;
use super::frames::{FrameIndex, FrameSpan};
use super::header::{FOOTER_BYTES, HEADER_BYTES, TraceFooter, TraceHeader};
use super::reader::RecordReader;
use super::record::{Record, RecordBody};
use super::scan::{ScannedFrames, UnfinishedFrame, scan_frames};
use super::toc::{FrameEntry, TraceToc, check_toc_len};
use crate::limits::MAX_META_BYTES;
use trace_base::bytes::{ByteSource, Diagnostics, FileSource, ReadError, read_vec_at};
use trace_base::text::counted;

/// A trace whose frames are known.
pub struct Trace {
    source: Arc<dyn ByteSource>,
    header: TraceHeader,
    meta: TraceMeta,
    stream: Range<u64>,
    frames: Vec<FrameSpan>,
    frame_source: FrameSource,
}

/// Where the list of frames came from.
#[derive(Debug)]
pub enum FrameSource {
    /// The file's own TOC.
    Toc {
        /// The footer that located it.
        footer: TraceFooter,
        /// The TOC itself.
        toc: TraceToc,
    },
    /// A scan of the records, because the file's end is damaged. The frames are those that were whole, and the
    /// unfinished one where it is to be kept.
    Scan {
        /// What was wrong with the file's end.
        cause: FormatError,
        /// What ended the scan, if it was not the end of the records.
        stopped_by: Option<FormatError>,
        /// The frame that the recorder had begun and not ended, if it has a command record. It is the last of the
        /// trace's frames only under [`DamageTolerance::KeepUnfinishedFrame`].
        unfinished: Option<UnfinishedFrame>,
    },
}

/// Which damage to the file's end is worth a scan of the records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DamageTolerance {
    /// A file that was cut: its recorder was killed, its copy not finished.
    Truncation,
    /// Any damage to TOC or footer: for looking at broken files.
    AnyDamagedEnd,
    /// The damage of [`Self::AnyDamagedEnd`], for mending files: the last frame counts also where it was not finished.
    /// The records that are whole are its contents.
    KeepUnfinishedFrame,
}

impl DamageTolerance {
    fn accepts(self, cause: &FormatError) -> bool {
        match self {
            Self::Truncation => cause.is_truncation(),
            Self::AnyDamagedEnd | Self::KeepUnfinishedFrame => cause.is_damaged_end(),
        }
    }
}

/// The meta JSON.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TraceMeta {
    /// The bytes as they stand in the file.
    pub bytes: Vec<u8>,
    /// The value, where the bytes are JSON.
    pub json: Option<serde_json::Value>,
}

impl Trace {
    /// Opens the file at `path` by its footer and TOC, without a word on what is odd in it. Whoever wants to hear that,
    /// or has bytes from elsewhere, takes [`Trace::from_source`].
    ///
    /// # Errors
    ///
    /// The file can't be opened, is no trace, or its end is damaged: [`Trace::open_or_recover`] reads it all the same.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, FormatError> {
        let path = path.as_ref();
        let source = FileSource::open(path);
        let source = source.map_err(|error| FormatError::CannotOpen { path: path.to_owned(), error })?;
        Self::from_source(Arc::new(source), &mut Diagnostics::new())
    }

    /// Opens a trace by its footer and TOC: four small reads, whatever the file's size, unless something lies between
    /// the last frame and the TOC.
    pub fn from_source(source: Arc<dyn ByteSource>, diagnostics: &mut Diagnostics) -> Result<Self, FormatError> {
        let (header, meta) = read_start(&*source, diagnostics)?;
        let stream_start = HEADER_BYTES + u64::from(header.meta_len);
        let (footer, toc) = read_end(&*source, &header, stream_start, diagnostics)?;
        let frames: Vec<FrameSpan> = toc.entries.iter().map(FrameEntry::span).collect();
        let stream = stream_start..footer.toc_offset;
        let trace = Self { source, header, meta, stream, frames, frame_source: FrameSource::Toc { footer, toc } };
        trace.note_what_is_never_shown(diagnostics);
        Ok(trace)
    }

    /// Notes what lies behind the last frame of the TOC. Records before and between frames are met on the way to a frame,
    /// and commands among them are an error there; nothing leads to these.
    fn note_what_is_never_shown(&self, diagnostics: &mut Diagnostics) {
        let mut reader =
            self.records(self.frames.last().map_or(self.stream.start, |last| last.bytes.end)..self.stream.end);
        loop {
            let offset = reader.offset();
            match reader.next_record(diagnostics) {
                Ok(None) => return,
                // What is drawn may refer to blobs anywhere.
                Ok(Some(Record { body: RecordBody::Blob(_), .. })) => {}
                Ok(Some(Record { body, .. })) => {
                    let name = body.name();
                    let what = format!("{name} record lies after the last frame of the TOC and is ignored");
                    return diagnostics.note(offset, what);
                }
                Err(error) => {
                    let what = format!("the records after the last frame of the TOC cannot be read ({error})");
                    return diagnostics.note(offset, what);
                }
            }
        }
    }

    /// Opens a trace by its footer and TOC, or by scanning its records where the damage is one that `tolerance`
    /// accepts. What was recovered, and why it had to be, is in [`Trace::frame_source`].
    pub fn open_or_recover(
        source: Arc<dyn ByteSource>,
        tolerance: DamageTolerance,
        diagnostics: &mut Diagnostics,
    ) -> Result<Self, FormatError> {
        match Self::from_source(source.clone(), diagnostics) {
            Err(cause) if tolerance.accepts(&cause) => Self::recover(source, cause, tolerance, diagnostics),
            opened => opened,
        }
    }

    /// Notes once more what opening the trace noted, for whoever was not there.
    pub fn note_opening(&self, diagnostics: &mut Diagnostics) {
        // It did open.
        let _ = Self::open_or_recover(self.source.clone(), DamageTolerance::Truncation, diagnostics);
    }

    fn recover(
        source: Arc<dyn ByteSource>,
        cause: FormatError,
        tolerance: DamageTolerance,
        diagnostics: &mut Diagnostics,
    ) -> Result<Self, FormatError> {
        // The first attempt has noted what is to note about the header.
        let (header, meta) = read_start(&*source, &mut Diagnostics::new())?;
        let stream = HEADER_BYTES + u64::from(header.meta_len)..source.size_bytes();
        let mut reader = RecordReader::new(source.clone(), header.container_version, stream.clone(), stream.end);
        let ScannedFrames { finished: mut frames, unfinished, stopped_by } = scan_frames(&mut reader, diagnostics);
        // A frame without a command shows nothing new.
        let unfinished = unfinished.filter(UnfinishedFrame::has_commands);
        // Nobody knows what else the frame held: only who asks for it gets it.
        if tolerance == DamageTolerance::KeepUnfinishedFrame {
            frames.extend(unfinished.iter().map(|frame| frame.span.clone()));
        }
        if frames.is_empty() {
            return Err(cause);
        }
        let end = frames.last().map_or(stream.start, |frame| frame.bytes.end);
        let frame_source = FrameSource::Scan { cause, stopped_by, unfinished };
        Ok(Self { source, header, meta, stream: stream.start..end, frames, frame_source })
    }

    /// The file's header.
    pub fn header(&self) -> &TraceHeader {
        &self.header
    }

    /// The meta JSON.
    pub fn meta(&self) -> &TraceMeta {
        &self.meta
    }

    /// Absolute file offsets of the record stream.
    pub fn stream(&self) -> Range<u64> {
        self.stream.clone()
    }

    /// The frames, in file order.
    pub fn frames(&self) -> &[FrameSpan] {
        &self.frames
    }

    /// The indices of the frames, in order.
    pub fn frame_indices(&self) -> impl ExactSizeIterator<Item = FrameIndex> + use<> {
        (0..self.frames.len()).map(|index| FrameIndex(index as u32))
    }

    /// One frame, if the trace has it.
    pub fn frame(&self, index: FrameIndex) -> Option<&FrameSpan> {
        self.frames.get(index.as_usize())
    }

    /// Where the list of frames came from.
    pub fn frame_source(&self) -> &FrameSource {
        &self.frame_source
    }

    /// Length of the file in bytes.
    pub fn size_bytes(&self) -> u64 {
        self.source.size_bytes()
    }

    /// A reader over a range of the record stream.
    pub fn records(&self, range: Range<u64>) -> RecordReader {
        RecordReader::new(self.source.clone(), self.header.container_version, range, self.stream.end)
    }

    /// Reads bytes of the file: the contents of a blob, say. The caller has checked the length against a limit.
    pub fn read(&self, range: Range<u64>) -> Result<Vec<u8>, ReadError> {
        read_vec_at(&*self.source, range.start, (range.end - range.start) as usize)
    }

    /// Reads bytes of the file into `into`.
    pub fn read_into(&self, offset: u64, into: &mut [u8]) -> Result<(), ReadError> {
        self.source.read_at(offset, into)
    }
}

impl FrameEntry {
    fn span(&self) -> FrameSpan {
        let present_offset = (self.present_offset != 0).then_some(self.present_offset);
        FrameSpan { bytes: self.start_offset..self.end_offset, present_offset }
    }
}

fn read_start(source: &dyn ByteSource, diagnostics: &mut Diagnostics) -> Result<(TraceHeader, TraceMeta), FormatError> {
    let size = source.size_bytes();
    if size < HEADER_BYTES {
        return Err(FormatError::FileTooShort { found: size, offset: size });
    }
    let mut bytes = [0; HEADER_BYTES as usize];
    source.read_at(0, &mut bytes)?;
    let header = TraceHeader::parse(&bytes, diagnostics)?;
    let meta_len = u64::from(header.meta_len);
    if HEADER_BYTES + meta_len > size {
        let (start, end, high) = (HEADER_BYTES, HEADER_BYTES + meta_len, size);
        return Err(FormatError::OutOfBounds { what: "meta JSON", start, end, low: start, high, offset: 24 });
    }
    if meta_len > MAX_META_BYTES {
        let (what, limit) = ("meta_len", MAX_META_BYTES);
        return Err(FormatError::OverLimit { what, found: meta_len, limit, offset: 24 });
    }
    let meta = TraceMeta::parse(read_vec_at(source, HEADER_BYTES, meta_len as usize)?, &header, diagnostics);
    Ok((header, meta))
}

fn read_end(
    source: &dyn ByteSource,
    header: &TraceHeader,
    stream_start: u64,
    diagnostics: &mut Diagnostics,
) -> Result<(TraceFooter, TraceToc), FormatError> {
    let size = source.size_bytes();
    if size < stream_start + FOOTER_BYTES {
        return Err(FormatError::FileTooShort { found: size, offset: size });
    }
    let footer_offset = size - FOOTER_BYTES;
    let mut bytes = [0; FOOTER_BYTES as usize];
    source.read_at(footer_offset, &mut bytes)?;
    let footer = TraceFooter::parse(&bytes, footer_offset, header)?;

    let (start, end) = (footer.toc_offset, footer.toc_offset.saturating_add(footer.toc_len));
    if start < stream_start || end > footer_offset {
        let (low, high, offset) = (stream_start, footer_offset, footer_offset + 16);
        return Err(FormatError::OutOfBounds { what: "TOC", start, end, low, high, offset });
    }
    check_toc_len(footer.toc_len, footer_offset + 24)?;
    if end < footer_offset {
        diagnostics
            .note(end, format!("{} lie between TOC and footer, expected none", counted(footer_offset - end, "byte")));
    }
    let toc_bytes = read_vec_at(source, start, footer.toc_len as usize)?;
    Ok((footer, TraceToc::parse(&toc_bytes, start, &(stream_start..start), diagnostics)?))
}

impl TraceMeta {
    /// Parses the meta JSON; what is wrong with it is a finding, since replay does not depend on it.
    fn parse(bytes: Vec<u8>, header: &TraceHeader, diagnostics: &mut Diagnostics) -> Self {
        let json = match serde_json::from_slice::<serde_json::Value>(&bytes) {
            Ok(json) => json,
            Err(error) => {
                diagnostics.note(HEADER_BYTES, format!("the meta JSON cannot be parsed ({error})"));
                return Self { bytes, json: None };
            }
        };
        if !json.get("emulator_version").is_some_and(serde_json::Value::is_string) {
            diagnostics.note(HEADER_BYTES, "the meta JSON has no string \"emulator_version\"");
        }
        let claimed = json.get("command_abi_version").and_then(serde_json::Value::as_u64);
        if claimed != Some(u64::from(header.command_abi_version)) {
            let header = header.command_abi_version;
            let found = claimed.map_or("missing or not a number".to_owned(), |claimed| claimed.to_string());
            diagnostics.note(
                HEADER_BYTES,
                format!("\"command_abi_version\" of the meta JSON is {found}, the header says {header}"),
            );
        }
        Self { bytes, json: Some(json) }
    }
}
