//! What `buffer` and `texture` print of a resource of submissions.

use std::io::Write;
use std::ops::Range;
use std::path::Path;

use serde_json::json;

use super::args::CommonArgs;
use super::columns::Columns;
use super::exit::Failure;
use super::output::{print_json, stdout};
use super::whole_file::{Inputs, write_file_or_stdout};
use crate::analysis::{Analysis, PartOrigin, PartStretch, ResourceAt, TraceState};
use crate::command::Place;
use crate::error::ErrorKind;
use crate::limits::MAX_ANSWERED_BYTES;
use crate::text::{JsonLine, json_line};

const HEX_ROW_BYTES: usize = 16;

/// Whether bytes are printed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Rows {
    /// As hex.
    Hex,
    /// Only where they come from.
    Origins,
}

/// Lists the live objects of some kinds, for whoever has named none of them.
pub(super) fn list_live(analysis: &Analysis, place: Place, kinds: &[&str], common: &CommonArgs) -> Result<(), Failure> {
    let TraceState::Submissions(state) = analysis.trace_state(place, None)? else {
        let message = format!("{}: packets of Appendix A make no {}", place.in_words(), kinds.join(" or "));
        return Err(Failure::usage(message));
    };
    let mut out = stdout();
    let mut rows = Columns::default();
    for object in state.objects.iter().filter(|object| kinds.contains(&object.kind)) {
        if common.json {
            print_json(&mut out, &JsonLine::of("live-object", object)?)?;
        } else {
            let made = object.created_at.map_or(String::new(), |at| format!("created {at}"));
            rows.row([object.title(), object.description.clone(), made]);
        }
    }
    rows.write(0, &mut out)?;
    Ok(out.flush()?)
}

/// Some bytes of a resource, to be printed or written.
pub(super) struct ResourceOutput<'a> {
    pub analysis: &'a Analysis,
    pub resource: &'a ResourceAt,
    pub range: Range<u64>,
    pub json: bool,
}

impl ResourceOutput<'_> {
    /// Prints where the bytes come from, and the bytes.
    pub(super) fn print(&self, rows: Rows) -> Result<(), Failure> {
        let contents = self.analysis.contents(self.resource, self.range.clone())?;
        let ResourceAt { name, label, description, created_at, .. } = self.resource;
        let mut out = stdout();
        if self.json {
            let line = json_line!("resource", { "resource": name.to_string(), "handle": name.handle, "mip": name.mip,
                "layer": name.layer, "description": description, "created_at": created_at,
                "size_bytes": self.resource.size_bytes(), "start": self.range.start, "end": self.range.end,
                "ranges": contents.ranges,
            })
            .and(label.iter().map(|label| ("name".to_owned(), json!(label))));
            print_json(&mut out, &line)?;
            return Ok(out.flush()?);
        }
        match created_at {
            Some(at) => writeln!(out, "resource {}: {description}, created {at}", self.resource.title())?,
            None => writeln!(out, "resource {}: {description}", self.resource.title())?,
        }
        for stretch in &contents.ranges {
            let (start, end) = (stretch.start, stretch.end);
            writeln!(out, "{start:#x}..{end:#x}: {}", in_words(stretch))?;
            if rows == Rows::Hex {
                self.each_part(stretch, |at, part| Ok(write_hex(at, part, &mut out)?))?;
            }
        }
        Ok(out.flush()?)
    }

    /// Writes the bytes into a file, if all of them are known.
    pub(super) fn write_raw(&self, path: &Path, inputs: &Inputs) -> Result<(), Failure> {
        let contents = self.analysis.contents(self.resource, self.range.clone())?;
        if let Some(unknown) = contents.ranges.iter().find(|stretch| !is_known(stretch)) {
            let (name, start, end) = (self.resource.name, unknown.start, unknown.end);
            let message = format!(
                "bytes {start:#x}..{end:#x} of resource {name} are not known without a GPU ({}): expected uploads, \
                 copies of them or guest memory",
                in_words(unknown)
            );
            return Err(Failure::say(ErrorKind::Unsupported, message));
        }
        write_file_or_stdout(path, inputs, |into| {
            contents
                .ranges
                .iter()
                .try_for_each(|stretch| self.each_part(stretch, |_, part| Ok(into.write_all(part)?)))
                .map_err(|failure| anyhow::anyhow!("{failure}"))
        })
    }

    /// Adds the bytes to `into`; nothing is added, and `false` given, if some are not known without a GPU.
    pub(super) fn read_known(&self, into: &mut Vec<u8>) -> Result<bool, Failure> {
        let contents = self.analysis.contents(self.resource, self.range.clone())?;
        if !contents.ranges.iter().all(is_known) {
            return Ok(false);
        }
        for stretch in &contents.ranges {
            self.each_part(stretch, |_, part| {
                into.extend_from_slice(part);
                Ok(())
            })?;
        }
        Ok(true)
    }

    /// Gives the bytes of a stretch, some at a time; none of what is not known.
    fn each_part(
        &self,
        stretch: &PartStretch,
        mut each: impl FnMut(u64, &[u8]) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let mut at = stretch.start;
        while at < stretch.end {
            let end = stretch.end.min(at + MAX_ANSWERED_BYTES);
            let mut part = PartStretch { start: at, end, ..stretch.clone() };
            if let PartOrigin::File { file_offset, .. } = &mut part.origin {
                *file_offset += at - stretch.start;
            }
            if let Some(bytes) = self.analysis.read_stretch(&part)? {
                each(at, &bytes)?;
            }
            at = end;
        }
        Ok(())
    }
}

fn is_known(stretch: &PartStretch) -> bool {
    matches!(stretch.origin, PartOrigin::Zeros | PartOrigin::File { .. })
}

fn in_words(stretch: &PartStretch) -> String {
    let origin = match stretch.origin {
        PartOrigin::Zeros => return "zeros, never written".to_owned(),
        PartOrigin::File { at, file_offset } => format!("from {file_offset:#x} of the file, loaded {at}"),
        PartOrigin::Cleared { at } => format!("cleared {at}"),
        PartOrigin::Drawn { at } => format!("drawn, last {at}"),
    };
    let (PartOrigin::File { at, .. } | PartOrigin::Cleared { at } | PartOrigin::Drawn { at }) = stretch.origin else {
        return origin;
    };
    match stretch.written_by {
        Some(written) if written != at => format!("{origin}, copied {written}"),
        _ => origin,
    }
}

/// Rows of 16 bytes, of which the first has the number `start`.
pub(super) fn write_hex(start: u64, bytes: &[u8], out: &mut impl Write) -> std::io::Result<()> {
    for (offset, row) in (start..).step_by(HEX_ROW_BYTES).zip(bytes.chunks(HEX_ROW_BYTES)) {
        let hex: String = row.iter().map(|byte| format!("{byte:02x} ")).collect();
        let text: String =
            row.iter().map(|byte| if (0x20..0x7f).contains(byte) { *byte as char } else { '.' }).collect();
        writeln!(out, "  {offset:#010x}  {hex:<48} {text}")?;
    }
    Ok(())
}
