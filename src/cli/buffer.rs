//! `buffer TRACE --frame N`: what a buffer holds at a point of a trace, and who wrote it.

use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::args::CommonArgs;
use super::exit::{Exit, Failure};
use super::faults::end_of_reading;
use super::output::{print_json, stdout};
use super::place::PlaceArgs;
use super::resource::{ResourceOutput, Rows, list_live, write_hex};
use super::vertex_streams::write_streams;
use super::whole_file::{Inputs, write_file_or_stdout};
use crate::analysis::{Analysis, AnalysisError, BufferChoice, BufferView, ByteOrigin, VertexRow, VertexTable};
use crate::command::{Place, ResourceId, ResourceName, VertexLayout};
use crate::limits::MAX_ANSWERED_BYTES;
use crate::text::{counted, json_line};

/// Vertices that are in memory at a time.
const VERTICES_AT_ONCE: u32 = 4096;

#[derive(Debug, clap::Args)]
pub(super) struct BufferArgs {
    #[command(flatten)]
    pub place: PlaceArgs,
    /// The buffer with this id or handle [default: the bound vertex buffer; where submissions draw, a list of all buffers]
    #[arg(value_name = "ID", conflicts_with = "id")]
    pub buffer: Option<u32>,
    /// The same, as a flag
    #[arg(long, value_name = "ID")]
    pub id: Option<u32>,
    /// Only bytes from A up to but not including B (with --vertices: vertices), such as 0x10-0x20 or 16-
    #[arg(long, value_name = "A-B", allow_hyphen_values = true, value_parser = parse_range)]
    pub range: Option<ByteRange>,
    #[command(flatten)]
    pub form: FormArgs,
    /// File that --raw writes
    #[arg(long, value_name = "PATH", requires = "raw")]
    pub out: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, clap::Args)]
#[group(multiple = false)]
pub(super) struct FormArgs {
    /// Show bytes (the default)
    #[arg(long)]
    pub hex: bool,
    /// Show vertices, decoded by the current layout; for a command stream, those of every slot (with --id: of the slots
    /// with that buffer)
    #[arg(long)]
    pub vertices: bool,
    /// Write the bytes to the --out file
    #[arg(long, requires = "out")]
    pub raw: bool,
}

/// `A-B`, either of which may be missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ByteRange {
    start: u64,
    end: Option<u64>,
}

impl BufferArgs {
    /// The buffer that is named.
    pub(crate) fn named(&self) -> Option<u32> {
        self.buffer.or(self.id)
    }
}

pub(super) fn run(args: &BufferArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let (analysis, place) = args.place.open_whole(common)?;
    if analysis.is_submitted(place)? {
        return submitted(args, &analysis, place, common);
    }
    let choice = args.named().map_or(BufferChoice::Bound, |id| BufferChoice::Id(ResourceId::of_kind(id)));
    let buffer = analysis.buffer(place, choice)?;
    let asked = Asked { analysis: &analysis, buffer: &buffer, json: common.json };
    if args.form.vertices {
        asked.vertices(place, args.range)?;
    } else {
        let bytes = args.range.map_or(Ok(0..u64::from(buffer.size_bytes)), |range| range.within(buffer.size_bytes))?;
        match &args.out {
            Some(path) => asked.write_raw(bytes, path, &args.place.inputs())?,
            None => asked.hex(bytes)?,
        }
    }
    Ok(end_of_reading(analysis.index(), place.frame, (&args.place.trace, analysis.trace()), common))
}

/// A buffer of submissions.
fn submitted(args: &BufferArgs, analysis: &Analysis, place: Place, common: &CommonArgs) -> Result<Exit, Failure> {
    if args.form.vertices {
        write_streams(args, analysis, place, common)?;
        return Ok(end_of_reading(analysis.index(), place.frame, (&args.place.trace, analysis.trace()), common));
    }
    let Some(id) = args.named() else {
        if args.out.is_some() || args.range.is_some() || args.form.hex {
            return Err(Failure::usage("no buffer is given: expected its handle behind the trace, or --vertices"));
        }
        list_live(analysis, place, &["buffer"], common)?;
        return Ok(end_of_reading(analysis.index(), place.frame, (&args.place.trace, analysis.trace()), common));
    };
    let found = analysis.resource(place, ResourceName::of(id))?;
    let size = found.size_bytes();
    let range = args.range.map_or(Ok(0..size), |range| range.within(size as u32))?;
    let output = ResourceOutput { analysis, resource: &found, range, json: common.json };
    match &args.out {
        Some(path) => output.write_raw(path, &args.place.inputs())?,
        None => output.print(Rows::Hex)?,
    }
    Ok(end_of_reading(analysis.index(), place.frame, (&args.place.trace, analysis.trace()), common))
}

impl ByteRange {
    fn within(self, size: u32) -> Result<Range<u64>, Failure> {
        let end = self.end.unwrap_or(size.into());
        if self.start > end || end > u64::from(size) {
            let error = AnalysisError::OutsideBuffer { start: self.start, end, size_bytes: size };
            return Err(Failure::from(error));
        }
        self.refuse_empty(end)?;
        Ok(self.start..end)
    }

    /// The rows that it names of `count` rows.
    pub(super) fn rows_of(self, count: u32) -> Range<u32> {
        let clamp = |row: u64| u32::try_from(row).unwrap_or(u32::MAX).min(count);
        clamp(self.start)..self.end.map_or(count, clamp)
    }

    /// Fails if there is nothing from the start up to `end`.
    fn refuse_empty(self, end: u64) -> Result<(), Failure> {
        let start = self.start;
        if start < end {
            return Ok(());
        }
        Err(Failure::usage(format!("--range {start}-{end} is empty: expected an end after the start")))
    }
}

fn parse_range(text: &str) -> Result<ByteRange, String> {
    let number = |text: &str| match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    };
    let (start, end) = text.split_once('-').ok_or("expected A-B")?;
    let start = if start.is_empty() { Some(0) } else { number(start) };
    let end = if end.is_empty() { Some(None) } else { number(end).map(Some) };
    match (start, end) {
        (Some(start), Some(end)) => Ok(ByteRange { start, end }),
        _ => Err("expected A-B, two numbers, such as 16-32 or 0x10-0x20".to_owned()),
    }
}

struct Asked<'a> {
    analysis: &'a Analysis,
    buffer: &'a BufferView,
    json: bool,
}

impl Asked<'_> {
    fn hex(&self, bytes: Range<u64>) -> Result<(), Failure> {
        let mut out = stdout();
        if self.json {
            let read = self.analysis.read_buffer(self.buffer, bytes.clone())?;
            let hex: String = read.iter().map(|byte| format!("{byte:02x}")).collect();
            let line = json_line!("buffer", { "id": self.buffer.id,
                "created_at": self.buffer.created_at, "size_bytes": self.buffer.size_bytes, "start": bytes.start,
                "end": bytes.end, "ranges": self.buffer.stretches_in(bytes), "hex": hex,
            });
            print_json(&mut out, &line)?;
        } else {
            self.head(&mut out)?;
            for stretch in self.buffer.stretches_in(bytes.clone()) {
                let (from, to) = (bytes.start.max(stretch.start.into()), bytes.end.min(stretch.end.into()));
                match stretch.origin {
                    ByteOrigin::Zeros => writeln!(out, "{from:#x}..{to:#x}: zeros, never written")?,
                    ByteOrigin::Upload { at, blob, .. } => {
                        writeln!(out, "{from:#x}..{to:#x}: UPLOAD_BUFFER {at}, blob {blob}")?;
                    }
                }
                self.hex_rows(from..to, &mut out)?;
            }
        }
        Ok(out.flush()?)
    }

    fn head(&self, out: &mut impl Write) -> std::io::Result<()> {
        writeln!(
            out,
            "{}, {}, created {}",
            self.buffer.id,
            counted(self.buffer.size_bytes, "byte"),
            self.buffer.created_at
        )
    }

    fn hex_rows(&self, bytes: Range<u64>, out: &mut impl Write) -> Result<(), Failure> {
        self.each_part(bytes, |start, part| {
            write_hex(start, part, out)?;
            Ok(())
        })
    }

    fn write_raw(&self, bytes: Range<u64>, path: &Path, inputs: &Inputs) -> Result<(), Failure> {
        write_file_or_stdout(path, inputs, |into| {
            self.each_part(bytes, |_, part| Ok(into.write_all(part)?)).map_err(|failure| anyhow::anyhow!("{failure}"))
        })
    }

    fn each_part(
        &self,
        bytes: Range<u64>,
        mut each: impl FnMut(u64, &[u8]) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let mut at = bytes.start;
        while at < bytes.end {
            let end = bytes.end.min(at + MAX_ANSWERED_BYTES);
            each(at, &self.analysis.read_buffer(self.buffer, at..end)?)?;
            at = end;
        }
        Ok(())
    }

    fn vertices(&self, place: Place, range: Option<ByteRange>) -> Result<(), Failure> {
        let bound = self.analysis.state(place)?.vertices;
        let layout = bound.ok_or(AnalysisError::NothingBound { what: "vertex buffer" })?.layout;
        let capacity = VertexTable::capacity_of(self.buffer.size_bytes, layout);
        let (start, end) = range.map_or((0, None), |range| (range.start, range.end));
        let end = end.unwrap_or(capacity.into()).min(capacity.into()) as u32;
        range.map_or(Ok(()), |range| range.refuse_empty(end.into()))?;
        let mut out = stdout();
        if !self.json {
            self.head(&mut out)?;
        }
        let mut first = u32::try_from(start).unwrap_or(u32::MAX);
        while first < end {
            let last = end.min(first.saturating_add(VERTICES_AT_ONCE));
            for row in self.analysis.vertices(self.buffer, layout, first..last)?.rows {
                self.vertex(&row, layout, &mut out)?;
            }
            first = last;
        }
        Ok(out.flush()?)
    }

    fn vertex(&self, row: &VertexRow, layout: VertexLayout, out: &mut impl Write) -> Result<(), Failure> {
        let hex = |bytes: Option<&[u8]>| -> Option<String> {
            bytes.map(|bytes| bytes.iter().map(|byte| format!("{byte:02x}")).collect())
        };
        let position_hex = hex(row.position_bytes().as_ref().map(<[u8; 8]>::as_slice));
        let color_hex = hex(row.color_bytes().as_ref().map(<[u8; 16]>::as_slice));
        if self.json {
            let line = json_line!("buffer-vertex", { "vertex": row.vertex, "offset_bytes": row.offset_bytes,
                "layout": layout, "position": row.position, "color": row.color, "position_hex": position_hex,
                "color_hex": color_hex, "writers": row.writers,
            });
            return Ok(print_json(out, &line)?);
        }
        let mut line = format!("{:>6} at {:#x}", row.vertex, row.offset_bytes);
        if let (Some([x, y]), Some(hex)) = (row.position, position_hex) {
            line += &format!("  position {} {} ({hex})", x.0, y.0);
        }
        if let (Some([r, g, b, a]), Some(hex)) = (row.color, color_hex) {
            line += &format!("  colour {} {} {} {} ({hex})", r.0, g.0, b.0, a.0);
        }
        for writer in &row.writers {
            line += &format!("  written {writer}");
        }
        Ok(writeln!(out, "{line}")?)
    }
}
