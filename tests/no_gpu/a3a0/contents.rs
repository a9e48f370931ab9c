//! Where bytes come from: through copies, and through guest memory that copies have written back to.

use std::sync::Arc;

use aerogpu_replay::abi::a3a0::resources::{CopyBuffer, CopyTexture2d, CreateBuffer, CreateTexture2d};
use aerogpu_replay::abi::a3a0::resources::{ResourceDirtyRange, UploadResource};
use aerogpu_replay::abi::a3a0::{ABI_VERSION, Bytes};
use aerogpu_replay::bytes::{Diagnostics, MemorySource};
use aerogpu_replay::format::aerogpu::{CapturedMemory, NewSubmission, Trace, TraceWriter};
use aerogpu_replay::replay::{
    CommandNumber, CommandReader, ContentOrigin, ContentPlace, Named, ObjectKey, TraceIndex, device_at,
};

use crate::support::harness::{Trial, trials_of};
use crate::support::made::{Stream, StreamOfTests};

pub fn trials() -> Vec<Trial> {
    trials_of![memory_that_was_written_back_is_followed_to_its_source, rows_that_were_written_back_are_followed]
}

const ALLOCATION: u32 = 7;
const MEMORY: [u8; 4096] = [0xee; 4096];

fn trace(stream: Stream) -> (Arc<Trace>, TraceIndex) {
    let mut writer = TraceWriter::new_v2(Vec::new(), ABI_VERSION, r#"{"emulator_version":"test"}"#).unwrap();
    let memory = [CapturedMemory { alloc_id: ALLOCATION, flags: 0, gpa: 0x10_0000, bytes: &MEMORY }];
    let cmd_stream = &stream.finish();
    writer.begin_frame().unwrap();
    writer.submit(&NewSubmission { submit_flags: 1, cmd_stream, memory: &memory, ..Default::default() }).unwrap();
    writer.present().unwrap();
    let source = Arc::new(MemorySource::from(writer.finish().unwrap()));
    let trace = Arc::new(Trace::from_source(source, &mut Diagnostics::new()).unwrap());
    let index = TraceIndex::build(&trace, |_| ());
    assert!(index.faults().0.is_empty() && index.stop().is_none(), "{:?} {:?}", index.faults(), index.stop());
    (trace, index)
}

fn buffer(handle: u32, backing_alloc_id: u32, backing_offset: u32) -> CreateBuffer {
    CreateBuffer { handle, usage: 1, size_bytes: 16, backing_alloc_id, backing_offset, reserved: 0 }
}

/// Four by four texels of four bytes, in memory 32 bytes a row.
fn texture(handle: u32, backing_alloc_id: u32, backing_offset: u32) -> CreateTexture2d {
    CreateTexture2d {
        handle,
        usage: 8,
        format: 1,
        width: 4,
        height: 4,
        mip_levels: 1,
        array_layers: 1,
        row_pitch: if backing_alloc_id == 0 { 0 } else { 32 },
        backing_alloc_id,
        backing_offset,
        reserved: 0,
    }
}

/// The bytes of a place at the end of the trace, and by which commands they were brought and written there.
fn contents(trace: &Arc<Trace>, index: &TraceIndex, place: ContentPlace, size: u64) -> (Vec<u8>, Vec<[u32; 2]>) {
    let mut reader = CommandReader::new(trace.clone());
    let found = index.contents(place, 0..size, index.command_count(), &mut reader).unwrap();
    let (mut bytes, mut commands) = (Vec::new(), Vec::new());
    for stretch in found {
        assert_eq!(stretch.bytes.start, bytes.len() as u64, "in order and without gaps");
        let ContentOrigin::File { by, file } = stretch.origin else { panic!("{:?} is no place in the file", stretch) };
        bytes.extend(trace.read(file).unwrap());
        assert_eq!(stretch.bytes.end, bytes.len() as u64);
        commands.push([by.0, stretch.written_by.unwrap().0]);
    }
    commands.dedup();
    (bytes, commands)
}

/// Meaning of a handle at the end of the trace.
fn object(trace: &Arc<Trace>, index: &TraceIndex, handle: u32) -> ObjectKey {
    let executor = device_at(trace, index, CommandNumber(index.command_count())).unwrap();
    match executor.device().objects().named(handle) {
        Named::Resource(key) => key,
        other => panic!("{other:?}"),
    }
}

/// A buffer's bytes go to memory by a copy and come back in another buffer, four bytes further on; two of them were
/// written over in memory by a second copy.
fn memory_that_was_written_back_is_followed_to_its_source() {
    let mut stream = Stream::new();
    stream.put(buffer(1, 0, 0)).put(buffer(2, ALLOCATION, 64)).put(buffer(3, ALLOCATION, 60));
    let data = Bytes::new(b"0123456789abcdef");
    stream.put(UploadResource { handle: 1, reserved: 0, offset: 0, size_bytes: 16, data });
    let copy = |dst_offset, src_offset, size_bytes| CopyBuffer {
        dst: 2,
        src: 1,
        dst_offset,
        src_offset,
        size_bytes,
        flags: 1,
        reserved: 0,
    };
    stream.put(copy(2, 1, 8)).put(copy(4, 14, 2));
    stream.put(ResourceDirtyRange { handle: 3, reserved: 0, offset: 0, size_bytes: 16 });
    let (trace, index) = trace(stream);
    let place = ContentPlace::Buffer(object(&trace, &index, 3));
    let (bytes, commands) = contents(&trace, &index, place, 16);
    assert_eq!(bytes, b"\xee\xee\xee\xee\xee\xee12ef5678\xee\xee");
    assert_eq!(commands, [[6, 6], [3, 6], [6, 6]], "brought and written by");
}

/// A rectangle of a texture goes to memory by a copy and comes back in another texture, a row lower.
fn rows_that_were_written_back_are_followed() {
    let mut stream = Stream::new();
    stream.put(texture(1, 0, 0)).put(texture(2, ALLOCATION, 64)).put(texture(3, ALLOCATION, 32));
    let texels: Vec<u8> = (0..64).collect();
    let data = Bytes::new(&texels);
    stream.put(UploadResource { handle: 1, reserved: 0, offset: 0, size_bytes: 64, data });
    stream.put(CopyTexture2d {
        dst: 2,
        src: 1,
        dst_mip: 0,
        dst_layer: 0,
        src_mip: 0,
        src_layer: 0,
        dst_x: 1,
        dst_y: 0,
        src_x: 2,
        src_y: 1,
        width: 2,
        height: 3,
        flags: 1,
        reserved: 0,
    });
    stream.put(ResourceDirtyRange { handle: 3, reserved: 0, offset: 0, size_bytes: 128 });
    let (trace, index) = trace(stream);
    let place = ContentPlace::Subresource { texture: object(&trace, &index, 3), mip: 0, layer: 0 };
    let (bytes, commands) = contents(&trace, &index, place, 64);
    let mut expected = [0xee; 64];
    for row in 0..3 {
        let from = (row + 1) * 16 + 8;
        expected[(row + 1) * 16 + 4..][..8].copy_from_slice(&texels[from..from + 8]);
    }
    assert_eq!(bytes, expected);
    assert_eq!(commands.iter().filter(|[brought, _]| *brought == 3).count(), 3, "{commands:?}");
}
