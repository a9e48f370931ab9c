//! The lines of a dump, as text or as JSON, and the account of the bytes they cover.

use std::fmt::Display;
use std::io::{self, Write};
use std::ops::Range;

use serde_json::Value;

use super::LENGTH_UNIT;
use crate::abi::{Diagnostic, ExplainedField, Severity};
use crate::cli::filter::{FilterArgs, Row};
use crate::cli::output::{print_json, stdout};
use crate::format::aerogpu::Trace;
use crate::listing::Length;
use crate::text::{Lines, json_line};

const HEX_ROW_BYTES: u64 = 16;
/// How much of the file is read at a time for --hex.
const HEX_READ_BYTES: u64 = 64 << 10;

pub(super) struct DumpWriter<'a> {
    out: Lines,
    trace: &'a Trace,
    json: bool,
    hex: bool,
    filter: &'a FilterArgs,
    /// Bytes of the lines so far, none counted twice.
    accounted_bytes: u64,
    accounted_to: u64,
}

impl<'a> DumpWriter<'a> {
    pub(crate) fn new(trace: &'a Trace, json: bool, hex: bool, filter: &'a FilterArgs) -> Self {
        Self { out: stdout(), trace, json, hex, filter, accounted_bytes: 0, accounted_to: 0 }
    }

    /// Where the lines so far end.
    pub(crate) fn accounted_to(&self) -> u64 {
        self.accounted_to
    }

    /// A line about `range`, none of which any other line covers.
    pub(crate) fn line(
        &mut self,
        kind: &str,
        name: &str,
        range: Range<u64>,
        depth: usize,
        fields: &[ExplainedField],
    ) -> io::Result<()> {
        self.accounted_bytes += range.end - range.start;
        self.accounted_to = range.end;
        if !self.shows(kind, name, &range, depth, fields) {
            return Ok(());
        }
        if self.json {
            return self.json_line(kind, name, range, fields);
        }
        let size = range.end - range.start;
        let mut line = format!("{:#010x} {size:>8}  {:indent$}{name}", range.start, "", indent = depth * 2);
        for ExplainedField { name, value, .. } in fields {
            line += &match value {
                Value::String(text) => format!("  {name}={text}"),
                value => format!("  {name}={value}"),
            };
        }
        writeln!(self.out, "{line}")?;
        if self.hex { self.hex_rows(range) } else { Ok(()) }
    }

    /// Whether the filter accepts a line. Damage is never hidden.
    fn shows(&self, kind: &str, name: &str, range: &Range<u64>, depth: usize, fields: &[ExplainedField]) -> bool {
        let length = Some(Length { ticks: range.end - range.start, unit: LENGTH_UNIT });
        let argument = |wanted: &str| fields.iter().find(|field| field.name == wanted).map(ExplainedField::listed);
        kind == "undecoded"
            || self.filter.accepts(&Row { name, further_names: &[], length, depth: depth as u32, argument: &argument })
    }

    /// A line about damage near `offset`.
    pub(crate) fn error(&mut self, error: &dyn Display, offset: u64) -> io::Result<()> {
        if self.json {
            let line = json_line!("damage", { "offset": offset, "message": error.to_string() });
            return print_json(&mut self.out, &line);
        }
        writeln!(self.out, "error: {error}")
    }

    /// A line about something odd or wrong in the packet before it. A filter hides what is only odd.
    pub(super) fn diagnostic(&mut self, diagnostic: &Diagnostic) -> io::Result<()> {
        if self.filter.filter.is_some() && diagnostic.severity == Severity::Note {
            return Ok(());
        }
        let severity = diagnostic.severity.name();
        if self.json {
            let line = json_line!("diagnostic", {
                "severity": severity, "class": diagnostic.class.name(), "offset": diagnostic.offset,
                "message": diagnostic.to_string(),
            });
            return print_json(&mut self.out, &line);
        }
        writeln!(self.out, "{severity}: {diagnostic}")
    }

    /// The account: every byte of a file of `size` bytes is covered once. A filter leaves nothing to account for.
    pub(crate) fn total(&mut self, size: u64) -> io::Result<()> {
        if self.filter.filter.is_some() {
            return Ok(());
        }
        let accounted = self.accounted_bytes;
        if self.json {
            let line = json_line!("dump-total", { "size_bytes": size, "accounted_bytes": accounted });
            return print_json(&mut self.out, &line);
        }
        writeln!(self.out, "{accounted} of {size} bytes accounted for")
    }

    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.out.flush()
    }

    fn json_line(&mut self, kind: &str, name: &str, range: Range<u64>, fields: &[ExplainedField]) -> io::Result<()> {
        let fields = fields.iter().map(|field| (field.name.to_owned(), field.value.clone()));
        let line = json_line!("dump", {
            "kind": kind, "name": name, "offset": range.start, "size_bytes": range.end - range.start,
            "fields": Value::Object(fields.collect()),
        });
        if !self.hex {
            return line.write(&mut self.out);
        }
        // The bytes may be many: they are streamed into the end of the object.
        let mut text = line.text();
        text.pop();
        self.out.write_all(text.as_bytes())?;
        self.out.write_all(b",\"hex\":\"")?;
        self.for_each_read(range, |out, bytes, _| {
            let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            out.write_all(hex.as_bytes())
        })?;
        self.out.write_all(b"\"}\n")
    }

    fn hex_rows(&mut self, range: Range<u64>) -> io::Result<()> {
        self.for_each_read(range, |out, bytes, offset| {
            for (row, row_offset) in
                bytes.chunks(HEX_ROW_BYTES as usize).zip((offset..).step_by(HEX_ROW_BYTES as usize))
            {
                let hex: String = row.iter().map(|byte| format!("{byte:02x} ")).collect();
                let text: String =
                    row.iter().map(|byte| if (0x20..0x7f).contains(byte) { *byte as char } else { '.' }).collect();
                writeln!(out, "{row_offset:#010x}           {hex:<48} {text}")?;
            }
            Ok(())
        })
    }

    fn for_each_read(
        &mut self,
        range: Range<u64>,
        mut each: impl FnMut(&mut Lines, &[u8], u64) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut at = range.start;
        while at < range.end {
            let end = range.end.min(at + HEX_READ_BYTES);
            let bytes = self.trace.read(at..end).map_err(io::Error::other)?;
            each(&mut self.out, &bytes, at)?;
            at = end;
        }
        Ok(())
    }
}
