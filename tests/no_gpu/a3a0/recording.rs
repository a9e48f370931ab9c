//! What a recorder writes: read by whoever reads traces, and not lost when the recorder is killed.

use std::fs;
use std::sync::Arc;

use aerogpu_replay::abi::canonical::write_canonical;
use aerogpu_replay::bytes::{Diagnostics, MemorySource};
use aerogpu_replay::format::aerogpu::{
    BlobKind, DamageTolerance, FrameSpan, NewSubmission, RecordBody, Submission, Trace, TraceWriter, WriteError,
};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::made;
use super::round_trip::payloads;
use crate::support::harness::{Trial, trials_of};
use crate::support::program::program;
use crate::support::{fixture, is_blessing, root};

pub fn trials() -> Vec<Trial> {
    trials_of![
        fixtures_on_disk_are_what_the_writer_makes,
        whole_frames_survive_at_every_place_of_a_crash,
        a_cut_recording_is_repaired,
        equal_memory_is_written_once,
        submissions_come_back,
        calls_out_of_order_are_refused,
    ]
}

fn canonical(bytes: &[u8]) -> String {
    let source = Arc::new(MemorySource::from(bytes.to_vec()));
    let trace = Trace::from_source(source, &mut Diagnostics::new()).unwrap();
    let mut text = Vec::new();
    write_canonical(&trace, &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

/// The files, and the digests of their texts; `BLESS=1` writes both.
fn fixtures_on_disk_are_what_the_writer_makes() {
    let digests = made::ALL.map(|(name, make)| (name, make())).map(|(name, bytes)| {
        let path = fixture(&format!("a3a0/{name}"));
        if is_blessing() {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, &bytes).unwrap();
        }
        assert!(fs::read(&path).unwrap() == bytes, "{name} is stale; BLESS=1 cargo test --test no_gpu a3a0 writes it");
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

fn recovered(bytes: &[u8]) -> Vec<FrameSpan> {
    let source = Arc::new(MemorySource::from(bytes.to_vec()));
    let trace = Trace::open_or_recover(source, DamageTolerance::Truncation, &mut Diagnostics::new());
    trace.map(|trace| trace.frames().to_vec()).unwrap_or_default()
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

fn a_cut_recording_is_repaired() {
    let bytes = made::contexts();
    let frames = recovered(&bytes);
    let folder = tempfile::tempdir().unwrap();
    let (cut, mended) = (folder.path().join("cut.aerogputrace"), folder.path().join("mended.aerogputrace"));
    // In the middle of the last frame.
    fs::write(&cut, &bytes[..(frames[1].bytes.end as usize + 100)]).unwrap();
    let output = program().arg("repair").args([&cut, &mended]).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let mended = fs::read(&mended).unwrap();
    assert_eq!(recovered(&mended), frames[..2]);
    let lines =
        |text: &str| text.lines().filter(|line| line.starts_with("cmd ")).map(str::to_owned).collect::<Vec<_>>();
    let (whole, kept) = (lines(&canonical(&bytes)), lines(&canonical(&mended)));
    assert!(!kept.is_empty() && whole.starts_with(&kept));
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
