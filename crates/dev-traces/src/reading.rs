//! Traces that tests read back: their text, their whole frames, and the bytes that records carry.

use std::sync::Arc;

use aerogpu_trace::abi::canonical::write_canonical;
use aerogpu_trace::container::{BlobKind, DamageTolerance, FrameSpan, RECORD_HEADER_BYTES, RecordBody, Trace};
use trace_base::bytes::{Diagnostics, MemorySource};

/// The streams and tables of a trace, with their offsets; those behind the first bad record are not looked for.
pub fn payloads(bytes: &[u8]) -> Vec<(u64, BlobKind, Vec<u8>)> {
    let source = Arc::new(MemorySource::from(bytes.to_vec()));
    let trace = Trace::from_source(source, &mut Diagnostics::new()).unwrap();
    let mut reader = trace.records(trace.stream());
    let mut found = Vec::new();
    while let Ok(Some(record)) = reader.next_record(&mut Diagnostics::new()) {
        match record.body {
            RecordBody::Packet(payload) if payload.starts_with(b"ACMD") => {
                found.push((record.offset + RECORD_HEADER_BYTES, BlobKind::AerogpuCmdStream, payload.to_vec()));
            }
            RecordBody::Blob(blob) => {
                found.push((blob.bytes.start, blob.kind, trace.read(blob.bytes.clone()).unwrap()));
            }
            _ => {}
        }
    }
    found
}

/// The canonical text of a trace.
pub fn canonical(bytes: &[u8]) -> String {
    let source = Arc::new(MemorySource::from(bytes.to_vec()));
    let trace = Trace::from_source(source, &mut Diagnostics::new()).unwrap();
    let mut text = Vec::new();
    write_canonical(&trace, &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

/// The frames of a recording that may be cut; none of one that has no whole frame.
pub fn recovered(bytes: &[u8]) -> Vec<FrameSpan> {
    let source = Arc::new(MemorySource::from(bytes.to_vec()));
    let trace = Trace::open_or_recover(source, DamageTolerance::Truncation, &mut Diagnostics::new());
    trace.map(|trace| trace.frames().to_vec()).unwrap_or_default()
}
