//! Tests of one submission's memory.

use std::sync::Arc;

use super::*;
use crate::abi::a3a0::{ABI_VERSION, TableEntry, TableWriter};
use crate::bytes::{Diagnostics, MemorySource};
use crate::error::{Classified, ErrorKind};
use crate::format::aerogpu::{RecordBody, Trace, TraceWriter};
use crate::limits::MAX_ALLOCATION_TABLE_BYTES;

/// A range of guest memory and the bytes of its blob.
#[derive(Clone, Copy)]
struct Captured<'a> {
    alloc_id: u32,
    flags: u32,
    gpa: u64,
    size_bytes: u64,
    /// Nothing if the trace lacks the blob.
    blob: Option<(BlobKind, &'a [u8])>,
}

fn captured(alloc_id: u32, gpa: u64, bytes: &[u8]) -> Captured<'_> {
    let blob = Some((BlobKind::AerogpuAllocMemory, bytes));
    Captured { alloc_id, flags: 0, gpa, size_bytes: bytes.len() as u64, blob }
}

/// One submission in a trace of its own.
struct Made {
    memory: SubmissionMemory,
    blobs: BlobStore,
    file: Vec<u8>,
}

fn made(ranges: &[Captured<'_>], table: Option<&[u8]>) -> Made {
    let mut writer = TraceWriter::new_v2(Vec::new(), ABI_VERSION, "{}").unwrap();
    writer.begin_frame().unwrap();
    let alloc_table_blob_id = table.map_or(BlobId(0), |table| writer.blob(BlobKind::AerogpuAllocTable, table).unwrap());
    let mut memory_ranges = Vec::new();
    for &Captured { alloc_id, flags, gpa, size_bytes, blob } in ranges {
        let blob_id = blob.map_or(BlobId(999), |(kind, bytes)| writer.blob(kind, bytes).unwrap());
        memory_ranges.push(MemoryRange { alloc_id, flags, gpa, size_bytes, blob_id });
    }
    // A longer header: ranges begin behind it.
    let header_tail = vec![0; 8];
    writer.submission(&Submission { alloc_table_blob_id, memory_ranges, header_tail, ..Default::default() }).unwrap();
    writer.present().unwrap();
    let file = writer.finish().unwrap();
    let trace = Trace::from_source(Arc::new(MemorySource::from(file.clone())), &mut Diagnostics::new()).unwrap();
    let trace = Arc::new(trace);
    let mut records = trace.records(trace.stream());
    let memory = loop {
        let record = records.next_record(&mut Diagnostics::new()).unwrap().unwrap();
        if let RecordBody::Submission(submission) = &record.body {
            break SubmissionMemory::of(submission, record.offset);
        }
    };
    Made { memory, blobs: BlobStore::new(trace), file }
}

fn table(entries: &[(u32, u32, u64, u64)]) -> Vec<u8> {
    let mut writer = TableWriter::new(ABI_VERSION);
    for &(alloc_id, flags, gpa, size_bytes) in entries {
        writer.entry(&TableEntry { alloc_id, flags, gpa, size_bytes, reserved: 0 }, &[]).unwrap();
    }
    writer.finish(&[]).unwrap()
}

/// A byte of memory: one of the file, or one that a command has written back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Byte {
    File(u8),
    WrittenBack(u32),
}

impl Made {
    fn pieces(&mut self, allocation: u32, start: u64, count: u64) -> Result<Vec<MemoryPiece>, Problem> {
        self.memory.pieces(allocation, start, count, &mut self.blobs)
    }

    fn bytes(&mut self, allocation: u32, start: u64, count: u64) -> Result<Vec<Byte>, Problem> {
        let pieces = self.pieces(allocation, start, count)?;
        assert_eq!(pieces.iter().map(MemoryPiece::size_bytes).sum::<u64>(), count);
        let bytes = pieces.iter().flat_map(|piece| match piece {
            MemoryPiece::File(range) => {
                self.file[range.start as usize..range.end as usize].iter().map(|byte| Byte::File(*byte)).collect()
            }
            MemoryPiece::WrittenBack { by, size_bytes, .. } => vec![Byte::WrittenBack(*by); *size_bytes as usize],
        });
        Ok(bytes.collect())
    }

    fn write_back(&mut self, allocation: u32, start: u64, count: u64, by: u32) -> Result<(), Problem> {
        self.write_back_all(allocation, &[[start, count]], by)
    }

    fn write_back_all(&mut self, allocation: u32, ranges: &[[u64; 2]], by: u32) -> Result<(), Problem> {
        self.memory.write_back(allocation, ranges, by, &mut self.blobs)
    }
}

fn file(bytes: &[u8]) -> Vec<Byte> {
    bytes.iter().map(|byte| Byte::File(*byte)).collect()
}

/// What is wrong, the kind of trouble and whether it has a place of its own.
fn told<T: std::fmt::Debug>(result: Result<T, Problem>) -> (String, ErrorKind, bool) {
    let problem = result.unwrap_err();
    (problem.to_string(), problem.kind(), problem.offset().is_some())
}

#[test]
fn an_allocation_lies_where_the_table_says() {
    // The ranges give the ids other addresses, which count for nothing.
    let ranges = [captured(8, 0x1000, b"abcd"), captured(7, 0x2000, b"efgh")];
    let mut made = made(&ranges, Some(&table(&[(7, 0, 0x1000, 4), (8, 0, 0x2002, 2), (9, 0, 0x1001, 3)])));
    assert_eq!(made.bytes(7, 0, 4).unwrap(), file(b"abcd"));
    assert_eq!(made.bytes(8, 0, 2).unwrap(), file(b"gh"));
    assert_eq!(made.bytes(9, 1, 2).unwrap(), file(b"cd"));
    assert_eq!(made.bytes(9, 3, 0).unwrap(), []);
}

#[test]
fn without_a_table_an_allocation_lies_where_its_last_range_says() {
    let ranges = [captured(7, 0x1000, b"abcd"), captured(7, 0x2000, b"efgh"), captured(0, 0, b"ij")];
    let mut made = made(&ranges, None);
    assert_eq!(made.bytes(7, 1, 3).unwrap(), file(b"fgh"));
    assert_eq!(made.bytes(0, 0, 2).unwrap(), file(b"ij"));
    let (message, kind, _) = told(made.bytes(1, 0, 1));
    assert_eq!(message, "allocation 1 is missing from the submission's memory ranges");
    assert_eq!(kind, ErrorKind::ReplayFailed);
}

#[test]
fn the_last_of_overlapping_ranges_counts() {
    let ranges = [captured(1, 0x10, b"aaaaaaaa"), captured(2, 0x12, b"bbbb"), captured(3, 0x13, b"cc")];
    let mut made = made(&ranges, None);
    assert_eq!(made.bytes(1, 0, 8).unwrap(), file(b"aabccbaa"));
    assert_eq!(made.bytes(2, 0, 4).unwrap(), file(b"bccb"));
}

#[test]
fn what_is_written_back_is_seen_through_every_name_of_the_address() {
    let ranges = [captured(1, 0x10, b"aaaaaaaa")];
    let aliases = table(&[(1, 0, 0x10, 8), (2, 0, 0x12, 6), (3, 1, 0x10, 8)]);
    let mut made = made(&ranges, Some(&aliases));
    made.write_back(2, 1, 2, 40).unwrap();
    made.write_back(1, 4, 1, 41).unwrap();
    let (a, by) = (Byte::File(b'a'), Byte::WrittenBack);
    assert_eq!(made.bytes(3, 0, 8).unwrap(), [a, a, a, by(40), by(41), a, a, a]);
    let (message, kind, _) = told(made.write_back(3, 0, 8, 42));
    assert_eq!(message, "writes back to allocation 3, which is READONLY: expected a writable allocation");
    assert_eq!(kind, ErrorKind::ReplayFailed);
    assert_eq!(made.bytes(1, 0, 1).unwrap(), [a], "a write-back that is refused writes nothing");
}

#[test]
fn pieces_that_go_on_are_one() {
    let mut made = made(&[captured(1, 0, b"aaaaaaaa")], None);
    made.write_back_all(1, &[[2, 2], [4, 2]], 5).unwrap();
    let pieces = made.pieces(1, 0, 8).unwrap();
    assert_eq!(pieces.len(), 3);
    assert_eq!(pieces[1], MemoryPiece::WrittenBack { by: 5, start_bytes: 0, size_bytes: 4 });
}

#[test]
fn of_ranges_that_are_refused_none_is_written() {
    let mut made = made(&[captured(1, 0, b"abcdefgh")], None);
    let (message, ..) = told(made.write_back_all(1, &[[2, 2], [6, 4]], 5));
    assert!(message.contains("allocation 1"), "{message}");
    assert_eq!(made.bytes(1, 0, 8).unwrap(), file(b"abcdefgh"));
}

#[test]
fn memory_without_a_snapshot_is_written_back_and_then_read() {
    let mut made = made(&[], Some(&table(&[(1, 0, 0x10, 8)])));
    let (message, kind, _) = told(made.bytes(1, 2, 2));
    assert_eq!(
        message,
        "the trace has no snapshot of byte 2 of allocation 1: expected a memory range that \
        contains it"
    );
    assert_eq!(kind, ErrorKind::ReplayFailed);
    made.write_back(1, 2, 2, 5).unwrap();
    assert_eq!(made.bytes(1, 2, 2).unwrap(), [Byte::WrittenBack(5); 2]);
    assert_eq!(
        told(made.bytes(1, 2, 3)).0.split(':').next().unwrap(),
        "the trace has no snapshot of byte 4 of allocation 1"
    );
}

#[test]
fn a_bad_range_matters_only_where_its_bytes_are_needed() {
    let kind = BlobKind::BufferData;
    let ranges = [
        captured(1, 0x100, b"good"),
        Captured { blob: None, ..captured(2, 0x200, b"gone") },
        Captured { blob: Some((kind, b"kind")), ..captured(3, 0x300, b"kind") },
        Captured { size_bytes: 8, ..captured(4, 0x400, b"five5") },
        Captured { size_bytes: u64::MAX, ..captured(5, 0x8000_0000_0000_0000, b"wrap") },
    ];
    let entries = [(1, 0, 0x100, 4), (2, 0, 0x200, 4), (3, 0, 0x300, 4), (4, 0, 0x400, 8), (5, 0, 1 << 63, 8)];
    let mut made = made(&ranges, Some(&table(&entries)));
    assert_eq!(made.bytes(1, 0, 4).unwrap(), file(b"good"));
    assert_eq!(made.bytes(4, 1, 4).unwrap(), file(b"ive5"));
    assert_eq!(made.bytes(5, 0, 4).unwrap(), file(b"wrap"));
    assert_eq!(
        told(made.bytes(2, 0, 1)).0,
        "blob 999 does not exist: expected a Blob record with that id in the trace"
    );
    assert!(told(made.bytes(3, 0, 1)).0.contains("BufferData: expected AerogpuAllocMemory"));
    let (message, kind, has_offset) = told(made.bytes(4, 2, 6));
    assert!(
        message.starts_with("blob 4 has 5 of the 8 bytes of its memory range: expected byte 5 as well, at 0x"),
        "{message}"
    );
    assert!(has_offset && kind == ErrorKind::ReplayFailed);
    // What is written over is not needed.
    made.write_back(2, 0, 4, 9).unwrap();
    assert_eq!(made.bytes(2, 0, 4).unwrap(), [Byte::WrittenBack(9); 4]);
}

#[test]
fn the_offset_of_a_range_is_its_own() {
    let ranges = [captured(1, 0, b"abcd"), Captured { size_bytes: 5, ..captured(2, 0x7777, b"abcd") }];
    let mut made = made(&ranges, None);
    let offset = made.bytes(2, 4, 1).unwrap_err().offset().unwrap() as usize;
    assert_eq!(made.file[offset..offset + 4], 2u32.to_le_bytes());
    assert_eq!(made.file[offset + 8..offset + 16], 0x7777u64.to_le_bytes());
}

#[test]
fn a_table_is_judged_before_anything_runs() {
    let good = table(&[(1, 0, 0x10, 8)]);
    assert!(made(&[], Some(&good)).check().is_ok());
    assert!(made(&[], None).check().is_ok());
    let cases: [(&str, Vec<u8>); 6] = [
        ("magic", {
            let mut bytes = good.clone();
            bytes[0] = 0;
            bytes
        }),
        ("at least 24 bytes", good[..20].to_vec()),
        ("an entry whose id or size is 0", table(&[(0, 0, 0x10, 8)])),
        ("an entry whose id or size is 0", table(&[(1, 0, 0x10, 0)])),
        ("end of the address space", table(&[(1, 0, u64::MAX, 8)])),
        ("a second entry for allocation 1", table(&[(1, 0, 0x10, 8), (2, 0, 0, 8), (1, 0, 0x20, 8)])),
    ];
    for (expected, bytes) in cases {
        let (message, kind, has_offset) = told(made(&[], Some(&bytes)).check());
        assert!(message.contains(expected), "{message}: expected {expected}");
        assert!(kind == ErrorKind::Malformed && has_offset, "{message}");
    }
    let mut long = vec![0; MAX_ALLOCATION_TABLE_BYTES as usize + 1];
    long[..good.len()].copy_from_slice(&good);
    assert_eq!(told(made(&[], Some(&long)).check()).1, ErrorKind::OverLimit);
}

impl Made {
    fn check(&mut self) -> Result<(), Problem> {
        self.memory.check(&mut self.blobs)
    }
}

#[test]
fn nothing_lies_past_an_allocation() {
    let end = u64::MAX - 8;
    let mut made = made(&[captured(1, 0x10, b"abcdefgh")], Some(&table(&[(1, 0, 0x10, 6), (2, 0, end, 8)])));
    for (start, count) in [(0, 7), (6, 1), (7, 0), (u64::MAX, 1), (1, u64::MAX), (u64::MAX, u64::MAX)] {
        let (message, kind, _) = told(made.memory.check_backing(1, start, count, &mut made.blobs));
        assert!(message.starts_with("allocation 1 has 6 bytes: expected the "), "{message}");
        assert_eq!(kind, ErrorKind::ReplayFailed);
        assert!(made.bytes(1, start, count).is_err() && made.write_back(1, start, count, 1).is_err());
    }
    made.memory.check_backing(1, 6, 0, &mut made.blobs).unwrap();
    made.memory.check_backing(2, 0, 8, &mut made.blobs).unwrap();
    assert!(made.bytes(2, 0, 8).is_err(), "that memory has no snapshot");
}

/// Many ranges over each other, write-backs and questions cost about as much as there are of them.
#[test]
fn ranges_over_each_other_are_found_at_once() {
    const COUNT: u64 = 40_000;
    let bytes = vec![7; COUNT as usize];
    let ranges: Vec<Captured<'_>> = (0..COUNT).map(|at| captured(at as u32 + 1, at, &bytes[..1])).collect();
    let entries: Vec<_> = (0..COUNT).map(|at| (at as u32 + 1, 0, at, COUNT - at)).collect();
    let mut made = made(&ranges, Some(&table(&entries)));
    let started = std::time::Instant::now();
    for at in 0..COUNT {
        if at % 2 == 0 {
            made.write_back(at as u32 + 1, 0, 1, at as u32).unwrap();
        }
        assert_eq!(
            made.bytes(at as u32 + 1, 0, 2.min(COUNT - at)).unwrap()[0],
            match at % 2 {
                0 => Byte::WrittenBack(at as u32),
                _ => Byte::File(7),
            }
        );
    }
    // A walk over all ranges for each question takes more than a minute here.
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
}

#[test]
fn a_submission_takes_so_many_stretches_and_no_more() {
    let mut made = made(&[captured(1, 0, b"ab")], None);
    made.memory.stretches = MAX_MEMORY_STRETCHES - 1;
    made.write_back(1, 0, 1, 3).unwrap();
    assert_eq!(told(made.write_back(1, 0, 1, 3)).1, ErrorKind::OverLimit);
    assert_eq!(told(made.bytes(1, 0, 1)).1, ErrorKind::OverLimit);
}

/// Memory agrees with plain bytes, whatever lies over what and whoever writes back where.
#[test]
fn memory_agrees_with_plain_bytes() {
    const SIZE: u64 = 96;
    let mut seed = 11u64;
    let mut random = |below: u64| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) % below
    };
    let (mut answers, mut refusals) = (0, 0);
    for trial in 0..150 {
        let contents: Vec<Vec<u8>> =
            (0..1 + random(6)).map(|_| (0..1 + random(40)).map(|_| random(256) as u8).collect()).collect();
        let base = if trial % 2 == 0 { 0 } else { u64::MAX - SIZE };
        let mut plain: Vec<Option<Byte>> = vec![None; SIZE as usize];
        let mut ranges = Vec::new();
        for bytes in &contents {
            let at = random(SIZE - bytes.len() as u64 + 1);
            ranges.push(captured(ranges.len() as u32 + 1, base + at, bytes));
            for (place, byte) in (at..).zip(bytes) {
                plain[place as usize] = Some(Byte::File(*byte));
            }
        }
        let entries: Vec<(u32, u32, u64, u64)> = (1..=5)
            .map(|id| {
                let at = random(SIZE);
                (id, u32::from(random(4) == 0), base + at, 1 + random(SIZE - at))
            })
            .collect();
        let mut made = made(&ranges, Some(&table(&entries)));
        for by in 0..60 {
            let (id, flags, gpa, size) = entries[random(5) as usize];
            let (start, count) = (random(size + 2), random(size + 2));
            let is_inside = start + count <= size;
            let from = (gpa - base + start) as usize;
            if random(3) == 0 {
                let is_written = is_inside && flags == 0;
                assert_eq!(made.write_back(id, start, count, by).is_ok(), is_written);
                if is_written {
                    plain[from..from + count as usize].fill(Some(Byte::WrittenBack(by)));
                }
                continue;
            }
            let expected: Option<Vec<Byte>> =
                if is_inside { plain[from..from + count as usize].iter().copied().collect() } else { None };
            answers += u32::from(expected.is_some());
            refusals += u32::from(expected.is_none());
            assert_eq!(made.bytes(id, start, count).ok(), expected, "trial {trial}, allocation {id}, {start}+{count}");
        }
    }
    assert!(answers > 500 && refusals > 500, "{answers} answers, {refusals} refusals");
}
