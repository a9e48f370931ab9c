//! Bytes → a stream: what decodes is encoded to the same bytes, and the canonical text of a trace that holds it ends.
//!
//! The input is the body of a stream whose header is put before it, or a whole trace if it begins like one.

#![no_main]

use std::sync::Arc;

use aerogpu_trace::abi::a3a0::{ABI_VERSION, Stream, StreamHeader, StreamWriter};
use aerogpu_trace::abi::canonical::write_canonical;
use trace_base::bytes::{Diagnostics, MemorySource};
use aerogpu_trace::container::{DamageTolerance, NewSubmission, Trace, TraceWriter, is_aerogpu};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    if is_aerogpu(data) {
        return write_text(data.to_vec());
    }
    let mut bytes = StreamWriter::new(ABI_VERSION).finish();
    bytes.extend_from_slice(data);
    let size_bytes = (bytes.len() as u32) & !3;
    bytes[8..12].copy_from_slice(&size_bytes.to_le_bytes());
    come_back(&bytes);
    let mut writer = TraceWriter::new_v2(Vec::new(), ABI_VERSION, "{}").unwrap();
    writer.begin_frame().unwrap();
    writer.submit(&NewSubmission { cmd_stream: &bytes, alloc_table: Some(data), ..Default::default() }).unwrap();
    writer.present().unwrap();
    write_text(writer.finish().unwrap());
});

fn come_back(bytes: &[u8]) {
    let Ok(stream) = Stream::parse(bytes, 0) else { return };
    let header: StreamHeader = stream.header;
    let mut writer = StreamWriter::with_header(&header);
    for packet in stream.packets() {
        let Ok(Ok(packet)) = packet.map(|packet| packet.decode()) else { return };
        writer.packet(&packet).unwrap();
    }
    assert_eq!([&writer.finish(), stream.tail].concat(), bytes);
}

fn write_text(bytes: Vec<u8>) {
    let source = Arc::new(MemorySource::from(bytes));
    let opened = Trace::open_or_recover(source, DamageTolerance::AnyDamagedEnd, &mut Diagnostics::new());
    if let Ok(trace) = opened {
        let _ = write_canonical(&trace, &mut Vec::new());
    }
}
