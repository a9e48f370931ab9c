//! Reads of a long trace: headers and streams, never the guest memory that was captured with them.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::sync::Arc;
use std::time::Instant;

use aerogpu_replay::abi::a3a0::resources::{CopyBuffer, CreateBuffer, UploadResource};
use aerogpu_replay::abi::a3a0::work::Draw;
use aerogpu_replay::abi::a3a0::{ABI_VERSION, Bytes, StreamWriter, TableEntry, TableWriter};
use aerogpu_replay::analysis::{FrameEvents, StreamShaders};
use aerogpu_replay::bytes::{Diagnostics, FileSource, MemorySource};
use aerogpu_replay::format::aerogpu::{BlobKind, MemoryRange, NewSubmission, Submission, Trace, TraceWriter};
use aerogpu_replay::replay::TraceIndex;
use aerogpu_replay::timeline::aerogpu::map_aerogpu;

use crate::support::counting::CountingSource;
use crate::support::harness::{Trial, trials_of};

pub fn trials() -> Vec<Trial> {
    trials_of![a_long_trace_is_read_without_its_memory, dead_writes_are_found_in_a_pass]
}

const META: &str = r#"{"emulator_version":"test","command_abi_version":65540}"#;
const FRAMES: u64 = 64;
/// Capture of one frame: the back buffer of a large screen.
const MEMORY_BYTES: usize = 8 << 20;
const PACKETS: u32 = 1000;
/// Reading goes on in steps of a few kilobytes behind what was passed over.
const STEPS_BYTES: u64 = 32 << 10;

/// A file in which long stretches of zeros take no room.
struct SparseFile<'f>(&'f File);

impl Write for SparseFile<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.len() < MEMORY_BYTES {
            return self.0.write(bytes);
        }
        assert!(bytes.iter().all(|byte| *byte == 0));
        self.0.seek(SeekFrom::Current(bytes.len() as i64))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// A frame is one submission with a snapshot of its memory. Tells how many bytes streams have.
fn write_long_trace(file: &File) -> u64 {
    let mut stream = StreamWriter::new(ABI_VERSION);
    for first_vertex in 0..PACKETS {
        let draw = Draw { vertex_count: 3, instance_count: 1, first_vertex, first_instance: 0 };
        stream.packet(&draw.into()).unwrap();
    }
    let stream = stream.finish();
    let mut table = TableWriter::new(ABI_VERSION);
    let entry = TableEntry { alloc_id: 1, flags: 0, gpa: 0x1000, size_bytes: MEMORY_BYTES as u64, reserved: 0 };
    table.entry(&entry, &[]).unwrap();
    let table = table.finish(&[]).unwrap();
    let memory = vec![0; MEMORY_BYTES];
    let mut writer = TraceWriter::new_v2(SparseFile(file), ABI_VERSION, META).unwrap();
    for signal_fence in 1..=FRAMES {
        writer.begin_frame().unwrap();
        let cmd_stream_blob_id = writer.blob(BlobKind::AerogpuCmdStream, &stream).unwrap();
        let alloc_table_blob_id = writer.blob(BlobKind::AerogpuAllocTable, &table).unwrap();
        let blob_id = writer.blob(BlobKind::AerogpuAllocMemory, &memory).unwrap();
        let range = MemoryRange { alloc_id: 1, flags: 0, gpa: 0x1000, size_bytes: MEMORY_BYTES as u64, blob_id };
        let submission = Submission {
            record_version: 1,
            submit_flags: 1,
            signal_fence,
            cmd_stream_blob_id,
            alloc_table_blob_id,
            memory_ranges: vec![range],
            ..Submission::default()
        };
        writer.submission(&submission).unwrap();
        writer.present().unwrap();
    }
    writer.finish().unwrap();
    stream.len() as u64 * FRAMES
}

fn a_long_trace_is_read_without_its_memory() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let streams_bytes = write_long_trace(file.as_file());
    let source = CountingSource::new(FileSource::open(file.path()).unwrap());
    let trace = Arc::new(Trace::from_source(source.clone(), &mut Diagnostics::new()).unwrap());
    let (size, toc) = (trace.size_bytes(), 16 + 32 * FRAMES);
    assert!(size > 500_000_000, "{size} bytes");
    assert_eq!(source.take_read(), 32 + META.len() as u64 + toc + 32, "opening");

    let allowed = 2 * streams_bytes + STEPS_BYTES * FRAMES;
    assert!(allowed < size / 100);
    let passes: [(&str, &dyn Fn()); 5] = [
        ("index", &|| drop(TraceIndex::build(&trace, |_| ()))),
        ("frames", &|| {
            let index = TraceIndex::build(&trace, |_| ());
            for frame in trace.frame_indices() {
                let contents = index.contents_of(frame).unwrap();
                assert_eq!((contents.submissions, contents.commands), (1, PACKETS));
            }
        }),
        ("timeline", &|| {
            let mapped = map_aerogpu(&trace, "long", &mut Diagnostics::new());
            let spans: usize = mapped.timeline.tracks.iter().map(|track| track.spans.len()).sum();
            assert!(spans as u64 > FRAMES * u64::from(PACKETS), "{spans} spans");
        }),
        ("events", &|| trace.frame_indices().for_each(|frame| drop(FrameEvents::read(&trace, frame).unwrap()))),
        ("shaders", &|| {
            let (mut shaders, mut reader) = (StreamShaders::new(&trace), trace.records(trace.stream()));
            while let Some(record) = reader.next_record(&mut Diagnostics::new()).unwrap() {
                shaders.visit(&record, |_| Ok::<(), ()>(())).unwrap();
            }
        }),
    ];
    for (name, pass) in passes {
        pass();
        let read = source.take_read();
        println!("{name}: {read} of {size} bytes");
        assert!(read <= allowed, "{name} read {read} bytes, allowed are {allowed}");
    }
}

/// A hundred thousand small writes of one buffer, each read with all before it, then again with nobody who reads any: what
/// looks at a write more than once, or at all of them for each, does not end in time.
fn dead_writes_are_found_in_a_pass() {
    const WRITES: u64 = 100_000;
    let create = |handle| CreateBuffer {
        handle,
        usage: 1,
        size_bytes: 4 * WRITES,
        backing_alloc_id: 0,
        backing_offset: 0,
        reserved: 0,
    };
    let mut writer = TraceWriter::new_v2(Vec::new(), ABI_VERSION, META).unwrap();
    for frame in 0..4u64 {
        let mut stream = StreamWriter::new(ABI_VERSION);
        if frame == 0 {
            (1..=2).for_each(|handle| stream.packet(&create(handle).into()).unwrap());
        }
        for write in (0..WRITES).filter(|write| write % 2 == frame % 2) {
            let data = Bytes::new(&[7; 4]);
            let upload = UploadResource { handle: 1, reserved: 0, offset: 4 * write, size_bytes: 4, data };
            stream.packet(&upload.into()).unwrap();
            if frame < 2 {
                let copy = CopyBuffer {
                    dst: 2,
                    src: 1,
                    dst_offset: 0,
                    src_offset: 0,
                    size_bytes: 4 * WRITES,
                    flags: 0,
                    reserved: 0,
                };
                stream.packet(&copy.into()).unwrap();
            }
        }
        writer.begin_frame().unwrap();
        writer.submit(&NewSubmission { cmd_stream: &stream.finish(), ..Default::default() }).unwrap();
        writer.present().unwrap();
    }
    let trace = MemorySource::from(writer.finish().unwrap());
    let trace = Arc::new(Trace::from_source(Arc::new(trace), &mut Diagnostics::new()).unwrap());
    let start = Instant::now();
    let index = TraceIndex::build(&trace, |_| ());
    let (made, start) = (start.elapsed(), Instant::now());
    let vain = index.written_in_vain().unwrap();
    let looked = start.elapsed();
    println!("index {made:?}, dead writes {looked:?} of {} commands", index.command_count());
    // All copies, and the uploads that no copy follows.
    assert_eq!(vain.writes.len() as u64, 2 * WRITES);
    assert!(looked <= 4 * made, "{looked:?} after {made:?}");
}
