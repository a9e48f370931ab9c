//! Memory that the library takes, by the peak of this process's memory and the bytes that are read.

use std::sync::Arc;

use aerogpu_replay::abi::canonical::write_canonical;
use aerogpu_replay::bytes::{Diagnostics, MemorySource};
use aerogpu_replay::format::aerogpu::{BlobCatalog, BlobKind, Trace, TraceWriter};
use aerogpu_replay::timeline::aerogpu::map_aerogpu;

use super::traces::{self, HOSTILE_BYTES, RUNS};
use crate::memory::peak;
use crate::support::counting::CountingSource;
use crate::support::harness::{Trial, trials_of};

pub fn trials() -> Vec<Trial> {
    trials_of![
        the_text_of_a_trace_takes_what_its_longest_stream_takes,
        a_timeline_takes_its_rows,
        a_stream_that_runs_often_is_read_once,
        tables_that_claim_much_cost_nothing,
        a_blob_that_many_ranges_name_is_hashed_once,
        a_million_blobs_take_a_row_each,
    ]
}

/// Room for windows, names, tables of what was seen.
const SMALL_BYTES: usize = 1 << 20;

fn open(bytes: Vec<u8>) -> (Trace, Arc<CountingSource<MemorySource>>) {
    let source = CountingSource::new(MemorySource::from(bytes));
    (Trace::from_source(source.clone(), &mut Diagnostics::new()).unwrap(), source)
}

/// A sink that is as long as it likes.
fn text_bytes(trace: &Trace) -> u64 {
    struct Length(u64);
    impl std::io::Write for Length {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 += bytes.len() as u64;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut length = Length(0);
    write_canonical(trace, &mut length).unwrap();
    length.0
}

fn the_text_of_a_trace_takes_what_its_longest_stream_takes() {
    for (name, make) in traces::ALL.into_iter().filter(|(name, _)| !name.contains("often")) {
        let (trace, _) = open(make());
        let (written, used) = peak(|| text_bytes(&trace));
        assert!(written as usize > HOSTILE_BYTES, "{name}: {written} bytes of text");
        // A record is read through a window and parsed into a list.
        assert!(used <= 3 * HOSTILE_BYTES + SMALL_BYTES, "{name} took {used} bytes");
    }
}

fn a_timeline_takes_its_rows() {
    for (name, make) in traces::ALL {
        let (trace, _) = open(make());
        let (mapped, used) = peak(|| map_aerogpu(&trace, name, &mut Diagnostics::new()));
        let rows: usize = mapped.timeline.tracks.iter().map(|track| track.spans.len()).sum();
        // A row is 32 bytes, and is moved when the list grows.
        assert!(used <= 3 * HOSTILE_BYTES + 96 * rows + SMALL_BYTES, "{name} took {used} bytes for {rows} rows");
    }
}

fn a_stream_that_runs_often_is_read_once() {
    let (trace, source) = open(traces::run_often());
    source.take_read();
    let (mapped, used) = peak(|| map_aerogpu(&trace, "often", &mut Diagnostics::new()));
    let rows: usize = mapped.timeline.tracks.iter().map(|track| track.spans.len()).sum();
    assert!(rows > HOSTILE_BYTES / 8 && rows < HOSTILE_BYTES / 8 + 2 * RUNS as usize, "{rows} rows");
    let read = source.take_read();
    assert!(read <= 2 * trace.size_bytes(), "{read} bytes were read of a trace of {}", trace.size_bytes());
    assert!(used <= HOSTILE_BYTES + 96 * rows + SMALL_BYTES, "took {used} bytes");
}

/// 2^32 entries, and counts times lengths that are small again modulo 2^32 and 2^64.
fn tables_that_claim_much_cost_nothing() {
    for (count, stride) in
        [(u32::MAX, 32), (u32::MAX, u32::MAX), (0x8000_0000, 32), (0x1000_0000, 0x1000_0000), (2, 32)]
    {
        let (trace, _) = open(traces::with_table(&traces::table_that_claims(count, stride)));
        let mut text = Vec::new();
        let (summary, used) = peak(|| write_canonical(&trace, &mut text).unwrap());
        let text = String::from_utf8(text).unwrap();
        assert!(text.contains(" table_entries\n") && !text.contains("\nentry "), "{count} of {stride}: {text}");
        assert_eq!(summary.errors, 1);
        assert!(used <= SMALL_BYTES, "{count} of {stride} took {used} bytes");
    }
}

fn a_blob_that_many_ranges_name_is_hashed_once() {
    let (trace, source) = open(traces::one_submission_of_ranges());
    source.take_read();
    text_bytes(&trace);
    let read = source.take_read();
    // Headers are walked once for the blobs and once for the text.
    assert!(read <= 2 * trace.size_bytes() + SMALL_BYTES as u64, "{read} bytes were read of {}", trace.size_bytes());
}

fn a_million_blobs_take_a_row_each() {
    const BLOBS: usize = 1 << 20;
    let mut writer = TraceWriter::new_v2(Vec::new(), 0x0001_0004, "{}").unwrap();
    (0..BLOBS).for_each(|_| _ = writer.blob(BlobKind::AerogpuCmdStream, &[]).unwrap());
    let (trace, _) = open(writer.finish().unwrap());
    let (catalog, used) = peak(|| {
        let (mut catalog, mut reader) = (BlobCatalog::new(), trace.records(trace.stream()));
        while let Some(record) = reader.next_record(&mut Diagnostics::new()).unwrap() {
            catalog.observe(&record);
        }
        catalog
    });
    assert_eq!(catalog.definitions().len(), BLOBS);
    // A row is 40 bytes, of a table that is a quarter empty at least and is moved when it grows.
    assert!(used <= 160 * BLOBS + SMALL_BYTES, "{} bytes for each", used / BLOBS);
}
