//! Traces that a recorder writes: any reader of traces reads them, and they are not lost when the recorder is killed.

use std::fs;
use std::io::{self, Write};
use std::sync::Arc;

use aerogpu_trace::container::{
    BlobId, BlobKind, CapturedMemory, FrameSpan, NewSubmission, RecordBody, Submission, Trace, TraceWriter, WriteError,
};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use trace_base::bytes::{Diagnostics, MemorySource};

use dev_traces::reading::{canonical, payloads, recovered};
use dev_traces::{fixture, made};
use dev_trials::{Trial, is_blessing, root, trials_of};

pub fn trials() -> Vec<Trial> {
    trials_of![
        fixtures_on_disk_are_what_the_writer_makes,
        whole_frames_survive_at_every_place_of_a_crash,
        nothing_is_written_behind_half_a_record,
        equal_memory_is_written_once,
        memory_whose_id_was_taken_is_written_again,
        what_no_reader_takes_is_not_written,
        submissions_come_back,
        calls_out_of_order_are_refused,
    ]
}

/// The files, and the digests of their texts; `BLESS=1` writes both.
fn fixtures_on_disk_are_what_the_writer_makes() {
    let digests = made::ALL.map(|(name, make)| (name, make())).map(|(name, bytes)| {
        let path = fixture(&format!("a3a0/{name}"));
        if is_blessing() {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, &bytes).unwrap();
        }
        assert!(fs::read(&path).unwrap() == bytes, "{name} is stale; BLESS=1 cargo test --test traces writes it");
        (name, format!("{:x}", Sha256::digest(canonical(&bytes))))
    });
    let found = Value::Object(digests.into_iter().map(|(name, digest)| (name.to_owned(), json!(digest))).collect());
    let path = root().join("fixtures/aerogpu/a3a0/canonical.json");
    if is_blessing() {
        fs::write(&path, format!("{found:#}\n")).unwrap();
    }
    let expected: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    assert_eq!(found, expected);
}

fn whole_frames_survive_at_every_place_of_a_crash() {
    for make in [made::scene, made::contexts] {
        let bytes = make();
        let whole = recovered(&bytes);
        assert!(whole.len() >= 2);
        for end in 64..bytes.len() {
            let expected: Vec<FrameSpan> =
                whole.iter().filter(|frame| frame.bytes.end <= end as u64).cloned().collect();
            assert_eq!(recovered(&bytes[..end]), expected, "cut at {end:#x}");
        }
    }
}

/// A disk that is full once, and has room again.
struct FullOnce<'d> {
    written: &'d mut Vec<u8>,
    room: usize,
}

impl Write for FullOnce<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.room == 0 {
            self.room = usize::MAX;
            return Err(io::ErrorKind::StorageFull.into());
        }
        let length = bytes.len().min(self.room);
        self.written.extend_from_slice(&bytes[..length]);
        self.room -= length;
        Ok(length)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// After a write that failed, records that were whole stay whole, whatever the recorder does.
fn nothing_is_written_behind_half_a_record() {
    let record = |room: usize, written: &mut Vec<u8>| -> Vec<Result<(), WriteError>> {
        let mut writer = TraceWriter::new_v2(FullOnce { written, room }, 0x0001_0004, "{}").unwrap();
        let mut done = Vec::new();
        for fence in 0..3 {
            let submission = NewSubmission { signal_fence: fence, cmd_stream: b"ACMD", ..Default::default() };
            done.push(writer.begin_frame());
            done.push(writer.submit(&submission));
            done.push(writer.present());
        }
        done.push(writer.finish().map(|_| ()));
        done
    };
    let mut whole = Vec::new();
    assert!(record(usize::MAX, &mut whole).iter().all(Result::is_ok));
    let frames = recovered(&whole);
    let records_end = frames[2].bytes.end as usize;
    for room in 64..records_end {
        let mut written = Vec::new();
        let done = record(room, &mut written);
        let first = done.iter().position(Result::is_err).unwrap();
        assert!(matches!(done[first], Err(WriteError::Io(_))), "{room}: {done:?}");
        assert!(done[first..].iter().all(Result::is_err), "{room}: {done:?}");
        assert!(written == whole[..room], "{room}: {} bytes", written.len());
        let expected: Vec<FrameSpan> = frames.iter().filter(|frame| frame.bytes.end <= room as u64).cloned().collect();
        assert_eq!(recovered(&written), expected, "{room}");
    }
}

/// An id that gets other bytes names these from there on: memory that had it is written anew.
fn memory_whose_id_was_taken_is_written_again() {
    let memory = [CapturedMemory { alloc_id: 1, flags: 0, gpa: 0x1000, bytes: b"memory" }];
    let submission = NewSubmission { memory: &memory, ..Default::default() };
    let mut writer = TraceWriter::new_v2(Vec::new(), 0x0001_0004, "{}").unwrap();
    writer.begin_frame().unwrap();
    writer.submit(&submission).unwrap();
    writer.blob_with_id(BlobId(2), BlobKind::AerogpuAllocMemory, b"others").unwrap();
    writer.submit(&submission).unwrap();
    writer.present().unwrap();
    let text = canonical(&writer.finish().unwrap());
    let data: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("range "))
        .map(|line| line.rsplit_once(" data=").unwrap().1)
        .collect();
    assert_eq!(data.len(), 2);
    assert_eq!(data[0], data[1], "{text}");
}

fn what_no_reader_takes_is_not_written() {
    let long = vec![0; (64 << 20) + 4];
    let mut writer = TraceWriter::new_v2(io::sink(), 0x0001_0004, "{}").unwrap();
    writer.begin_frame().unwrap();
    let refused = |written: Result<(), WriteError>| written.unwrap_err().to_string();
    assert_eq!(refused(writer.packet(&long)), "length of a Packet record is 67108868: expected at most 67108864");
    let streams = [
        NewSubmission { cmd_stream: &long, ..Default::default() },
        NewSubmission { alloc_table: Some(&long), ..Default::default() },
    ];
    for submission in streams {
        let found = refused(writer.submit(&submission));
        assert_eq!(found, "length of a stream or table is 67108868: expected at most 67108864");
    }
    writer.blob_with_id(BlobId(u64::MAX - 1), BlobKind::BufferData, &[]).unwrap();
    let found = refused(writer.blob(BlobKind::BufferData, &[]).map(|_| ()));
    assert_eq!(found, "blob id is 18446744073709551615: expected at most 18446744073709551614");
    writer.present().unwrap();
    writer.finish().unwrap();
}

fn equal_memory_is_written_once() {
    let bytes = made::contexts();
    let memory: Vec<Vec<u8>> = payloads(&bytes)
        .into_iter()
        .filter(|(_, kind, _)| *kind == BlobKind::AerogpuAllocMemory)
        .map(|blob| blob.2)
        .collect();
    assert_eq!(memory, [vec![0x11; 64], vec![0x22; 64]], "of three ranges two are equal");
    let text = canonical(&bytes);
    let blobs: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("range "))
        .map(|line| line.split(' ').find_map(|token| token.strip_prefix("blob_id=")).unwrap())
        .collect();
    assert_eq!(blobs.len(), 3);
    assert!(blobs[0] == blobs[1] && blobs[1] != blobs[2], "{blobs:?}");
    assert!(text.lines().last().unwrap().ends_with("notes=0 faults=0 errors=0"), "{text}");
}

/// Every field of a submission record, those included that no recorder sets.
fn submissions_come_back() {
    let submission = Submission {
        record_version: 2,
        submit_flags: 3,
        context_id: 4,
        engine_id: 5,
        reserved0: 6,
        signal_fence: 0x0102_0304_0506_0708,
        reserved1: 7,
        header_tail: vec![1, 2, 3],
        memory_ranges: Vec::new(),
        tail: vec![4, 5],
        ..Submission::default()
    };
    let mut writer = TraceWriter::new_v2(Vec::new(), 0x0001_0004, "{}").unwrap();
    writer.begin_frame().unwrap();
    writer.submission(&submission).unwrap();
    writer.present().unwrap();
    let source = Arc::new(MemorySource::from(writer.finish().unwrap()));
    let trace = Trace::from_source(source, &mut Diagnostics::new()).unwrap();
    let mut reader = trace.records(trace.stream());
    let mut found = Vec::new();
    while let Some(record) = reader.next_record(&mut Diagnostics::new()).unwrap() {
        if let RecordBody::Submission(submission) = record.body {
            found.push(submission);
        }
    }
    assert_eq!(found, [submission]);
}

fn calls_out_of_order_are_refused() {
    let refused = |found: Result<(), WriteError>| found.unwrap_err().to_string();
    let mut first_version = TraceWriter::new(Vec::new(), 1, "{}").unwrap();
    first_version.begin_frame().unwrap();
    let submission = NewSubmission::default();
    let found = refused(first_version.submit(&submission));
    assert_eq!(found, "submission in a version 1 container: expected a version 2 container");
    let mut no_frame = TraceWriter::new_v2(Vec::new(), 1, "{}").unwrap();
    assert_eq!(refused(no_frame.submit(&submission)), "submission outside a frame: expected begin_frame");
}
