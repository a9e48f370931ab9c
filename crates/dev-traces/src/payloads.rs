//! The bytes that records carry.

use std::sync::Arc;

use aerogpu_trace::container::{BlobKind, RECORD_HEADER_BYTES, RecordBody, Trace};
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
