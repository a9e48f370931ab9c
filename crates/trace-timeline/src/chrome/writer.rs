//! The JSON of a Chrome trace, event by event.

use std::io::Write;

use crate::Argument;
use crate::export::{ExportError, Exported};
use trace_base::listing::json_text::{push_micros, push_number, push_string};

const BUFFER_BYTES: usize = 64 << 10;

/// Writes events one after the other into a buffer, and the buffer out when it is full.
pub(super) struct Writer<'o> {
    pub(super) out: &'o mut dyn Write,
    pub(super) buffer: Vec<u8>,
    pub(super) is_first: bool,
    pub(super) arguments: Vec<Argument>,
}

impl Writer<'_> {
    pub(super) fn flush(&mut self) -> Result<(), ExportError> {
        self.out.write_all(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }

    pub(super) fn text(&mut self, text: &str) {
        self.buffer.extend_from_slice(text.as_bytes());
    }

    /// Begins an event: phase, process, thread, name.
    pub(super) fn begin(&mut self, phase: char, pid: u64, tid: u64, name: &[u8]) -> Result<(), ExportError> {
        if self.buffer.len() >= BUFFER_BYTES {
            self.flush()?;
        }
        self.text(if self.is_first { "\n{\"ph\":\"" } else { ",\n{\"ph\":\"" });
        self.is_first = false;
        self.buffer.push(phase as u8);
        self.text("\",\"pid\":");
        push_number(&mut self.buffer, pid);
        self.text(",\"tid\":");
        push_number(&mut self.buffer, tid);
        self.text(",\"name\":");
        push_string(&mut self.buffer, name);
        Ok(())
    }

    pub(super) fn micros(&mut self, key: &str, nanos: i64) {
        self.text(key);
        push_micros(&mut self.buffer, nanos);
    }

    pub(super) fn category(&mut self, category: &[u8]) {
        self.text(",\"cat\":");
        push_string(&mut self.buffer, category);
    }

    pub(super) fn other_data(&mut self, index: usize, exported: &Exported<'_>) {
        self.text(if index == 0 { "" } else { "," });
        push_string(&mut self.buffer, format!("{}: {}", index + 1, exported.timeline.title).as_bytes());
        self.text(":{\"axis\":");
        push_string(&mut self.buffer, exported.placement.unit().as_bytes());
        if let Some(origin) = exported.timeline.axis.origin_unix_ms {
            self.text(&format!(",\"origin_unix_ms\":{origin:?}"));
        }
        self.text(",\"facts\":[");
        for (index, (name, value)) in exported.timeline.metadata.iter().enumerate() {
            self.text(if index == 0 { "" } else { "," });
            push_string(&mut self.buffer, format!("{name}: {value}").as_bytes());
        }
        self.text("]");
        if let Some(alignment) = exported.placement.alignment() {
            self.text(",\"alignment\":");
            self.text(&alignment.to_json_text());
        }
        self.text("}");
    }
}
