//! The traces. The writer writes no such packets, so that they are made of dwords.

use aerogpu_replay::abi::a3a0::{ABI_VERSION, STREAM_MAGIC, TABLE_MAGIC};
use aerogpu_replay::format::aerogpu::{BlobId, BlobKind, MemoryRange, NewSubmission, Submission, TraceWriter};

/// Length of what each trace is about, in bytes.
pub const HOSTILE_BYTES: usize = 1 << 20;
/// Submissions of [`run_often`].
pub const RUNS: u32 = 2000;

const META: &str = r#"{"emulator_version":"test","command_abi_version":65540}"#;
const STREAM_HEADER_BYTES: usize = 24;

/// A trace's name, and how it is made.
pub type Made = (&'static str, fn() -> Vec<u8>);

/// Every trace.
pub const ALL: [Made; 10] = [
    ("shortest packets", || run(&shortest_packets(), 1)),
    ("shortest packets, run often", run_often),
    ("a stream in a Packet record", in_a_packet_record),
    ("unknown opcodes, no two alike", || run(&stream(&packets(2, |at| vec![0x10000 + at, 8])), 1)),
    ("packets without their fields", || run(&stream(&packets(2, |_| vec![0x601, 8])), 1)),
    ("small shaders", || run(&stream(&packets(7, |at| vec![0x200, 28, at, 0, 4, 0, 0xfffe_0200])), 1)),
    ("one packet of bindings with reserved words", || run(&one_packet_of_bindings(), 1)),
    ("one vertex declaration of bad elements", || run(&one_declaration(), 1)),
    ("one submission of ranges", one_submission_of_ranges),
    ("one table", one_table),
];

fn bytes_of(dwords: &[u32]) -> Vec<u8> {
    dwords.iter().flat_map(|dword| dword.to_le_bytes()).collect()
}

/// As many packets of `dwords` each as make up [`HOSTILE_BYTES`].
fn packets(dwords: usize, packet: impl Fn(u32) -> Vec<u32>) -> Vec<u8> {
    let count = (HOSTILE_BYTES - STREAM_HEADER_BYTES) / (4 * dwords);
    (0..count as u32).flat_map(|at| bytes_of(&packet(at))).collect()
}

/// A stream of these packets.
pub fn stream(packets: &[u8]) -> Vec<u8> {
    let size_bytes = (STREAM_HEADER_BYTES + packets.len()) as u32;
    [bytes_of(&[STREAM_MAGIC, ABI_VERSION, size_bytes, 0, 0, 0]), packets.to_vec()].concat()
}

/// NOPs.
pub fn shortest_packets() -> Vec<u8> {
    stream(&packets(2, |_| vec![0, 8]))
}

fn one_packet_of_bindings() -> Vec<u8> {
    let count = (HOSTILE_BYTES - 64) / 16;
    let values = bytes_of(&[1, 2, 3, 4]).repeat(count);
    stream(&[bytes_of(&[0x500, 16 + values.len() as u32, 0, count as u32]), values].concat())
}

/// Elements that are wrong in three ways, and the one that ends them.
fn one_declaration() -> Vec<u8> {
    let mut blob = [0x21, 0, 0, 0, 0x20, 0, 0x20, 0].repeat((HOSTILE_BYTES - 64) / 8);
    blob.extend([0xff, 0, 0, 0, 0x11, 0, 0, 0]);
    let size_bytes = blob.len() as u32;
    stream(&[bytes_of(&[0x204, 20 + size_bytes, 1, size_bytes, 0]), blob].concat())
}

/// A trace of one frame in which `runs` submissions name this stream.
pub fn run(stream: &[u8], runs: u32) -> Vec<u8> {
    of_one_frame(|writer| {
        let cmd_stream_blob_id = writer.blob(BlobKind::AerogpuCmdStream, stream).unwrap();
        for fence in 0..u64::from(runs) {
            let submission =
                Submission { record_version: 1, signal_fence: fence, cmd_stream_blob_id, ..Submission::default() };
            writer.submission(&submission).unwrap();
        }
    })
}

pub fn run_often() -> Vec<u8> {
    run(&shortest_packets(), RUNS)
}

fn of_one_frame(fill: impl FnOnce(&mut TraceWriter<Vec<u8>>)) -> Vec<u8> {
    let mut writer = TraceWriter::new_v2(Vec::new(), ABI_VERSION, META).unwrap();
    writer.begin_frame().unwrap();
    fill(&mut writer);
    writer.present().unwrap();
    writer.finish().unwrap()
}

fn in_a_packet_record() -> Vec<u8> {
    let mut writer = TraceWriter::new(Vec::new(), ABI_VERSION, META).unwrap();
    writer.begin_frame().unwrap();
    writer.packet(&shortest_packets()).unwrap();
    writer.present().unwrap();
    writer.finish().unwrap()
}

/// Ranges of one id that all overlap, wrap, and claim to be longer than their blob.
pub fn one_submission_of_ranges() -> Vec<u8> {
    of_one_frame(|writer| {
        let cmd_stream_blob_id = writer.blob(BlobKind::AerogpuCmdStream, &stream(&[])).unwrap();
        let blob_id = writer.blob(BlobKind::AerogpuAllocMemory, &[7; 4096]).unwrap();
        let range = MemoryRange { alloc_id: 5, flags: 0, gpa: u64::MAX, size_bytes: u64::MAX, blob_id };
        let memory_ranges = vec![range; HOSTILE_BYTES / 32];
        let submission = Submission { record_version: 1, cmd_stream_blob_id, memory_ranges, ..Submission::default() };
        writer.submission(&submission).unwrap();
        // A stream of another kind, and one that nobody wrote.
        for cmd_stream_blob_id in [blob_id, BlobId(99)] {
            writer.submission(&Submission { cmd_stream_blob_id, ..Submission::default() }).unwrap();
        }
    })
}

/// Entries of one id that all overlap and wrap.
fn one_table() -> Vec<u8> {
    let count = HOSTILE_BYTES / 32;
    let entry = bytes_of(&[5, 4, u32::MAX, u32::MAX, u32::MAX, u32::MAX, 7, 0]);
    let header = [TABLE_MAGIC, ABI_VERSION, 24 + 32 * count as u32, count as u32, 32, 0];
    with_table(&[bytes_of(&header), entry.repeat(count)].concat())
}

/// A trace of one submission with this table.
pub fn with_table(table: &[u8]) -> Vec<u8> {
    of_one_frame(|writer| {
        let submission = NewSubmission { cmd_stream: &stream(&[]), alloc_table: Some(table), ..Default::default() };
        writer.submit(&submission).unwrap();
    })
}

/// A table that claims these many entries of this length, and holds one.
pub fn table_that_claims(entry_count: u32, entry_stride: u32) -> Vec<u8> {
    let header = [TABLE_MAGIC, ABI_VERSION, 56, entry_count, entry_stride, 0];
    [bytes_of(&header), bytes_of(&[1, 0, 0, 0, 16, 0, 0, 0])].concat()
}
