//! Lists the packets of a trace's frames, with where they lie.
//!
//! ```sh
//! cargo run -p aerogpu-trace --example list_packets -- triangle.aerogputrace
//! ```

use std::error::Error;
use std::io::Write;
use std::path::Path;

use aerogpu_trace::abi::SubmittedCommands;
use aerogpu_trace::container::Trace;
use trace_base::bytes::Diagnostics;
use trace_base::text::Lines;

/// Writes a line for each packet of the trace at `path`.
pub fn list_trace(path: &Path, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let trace = Trace::open(path)?;
    let mut commands = SubmittedCommands::new(&trace);
    // What is odd in records, and no error.
    let mut diagnostics = Diagnostics::new();
    for (number, frame) in trace.frames().iter().enumerate() {
        writeln!(out, "frame {number}")?;
        let mut records = trace.records(frame.bytes.clone());
        while let Some(record) = records.next_record(&mut diagnostics)? {
            // Packets stand in a record of their own, or in a blob that a submission names.
            let Some(submitted) = commands.of(&record)? else { continue };
            let bytes = commands.read(&submitted)?;
            for packet in submitted.packets(&bytes) {
                let packet = packet?;
                writeln!(out, "  {:#x} {}", packet.offset, packet.kind.name())?;
            }
        }
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("expected a trace")?;
    let mut out = Lines::stdout();
    list_trace(Path::new(&path), &mut out)?;
    Ok(out.flush()?)
}
