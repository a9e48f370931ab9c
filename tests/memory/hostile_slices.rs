//! Memory that the index and its slices take for a hostile trace of a million commands: it grows with
//! its packets, and no more.
//!
//! Counted, not timed: the peak of memory, the lengths of slices.

use std::sync::Arc;

use crate::memory::peak;
use crate::support;
use aerogpu_replay::abi::reference::Packet;
use aerogpu_replay::bytes::{Diagnostics, MemorySource};
use aerogpu_replay::format::aerogpu::{BlobKind, FrameIndex, Trace, TraceWriter};
use aerogpu_replay::replay::{Slice, TraceIndex};
use support::harness::{Trial, trials_of};
use support::scene::{FRAGMENT_WGSL, META, VERTEX_WGSL};

pub fn trials() -> Vec<Trial> {
    trials_of![
        a_million_re_creations_of_an_id_leave_no_trace_in_a_slice,
        of_a_million_re_creations_and_bindings_the_last_counts,
        of_a_million_pipelines_the_last_counts,
        of_a_million_uploads_of_a_byte_those_that_nothing_overwrote_count,
        half_a_million_uploads_each_drawn_are_all_needed_once,
    ]
}

const COMMANDS: u32 = 1_000_000;
/// Commands of one Packet record.
const TOGETHER: u32 = 1 << 14;
/// Bytes of the buffer that is written and drawn from.
const BUFFER_BYTES: u32 = 1 << 16;
/// Bytes of the index for each command: its step, a buffer's history or an upload with its share of snapshots, and room
/// for growth.
const INDEX_BYTES: usize = 192;

/// Writes frame 0, which makes a pipeline and buffer 1, binds both, and defines a blob of one byte; frame 1 of
/// [`COMMANDS`] commands; and frame 2, which draws all that buffer 1 holds.
struct Hostile {
    writer: TraceWriter<Vec<u8>>,
    one_byte: u64,
}

impl Hostile {
    fn new() -> Self {
        let mut writer = TraceWriter::new(Vec::new(), 1, META).unwrap();
        writer.begin_frame().unwrap();
        let texts =
            [VERTEX_WGSL, FRAGMENT_WGSL].map(|text| writer.blob(BlobKind::ShaderWgsl, text.as_bytes()).unwrap().0);
        let one_byte = writer.blob(BlobKind::BufferData, &[1]).unwrap().0;
        let mut hostile = Self { writer, one_byte };
        let shader = |shader_id, stage: u32| Packet::CreateShader {
            shader_id,
            stage,
            glsl_blob_id: 0,
            wgsl_blob_id: texts[stage as usize],
            dxbc_blob_id: 0,
        };
        hostile.packets(&[shader(1, 0), shader(2, 1)]);
        hostile.packets(&[pipeline(1), Packet::SetPipeline { pipeline_id: 1 }, buffer(1, BUFFER_BYTES), bind(1)]);
        hostile.writer.present().unwrap();
        hostile
    }

    fn packets(&mut self, packets: &[Packet]) {
        let mut payload = Vec::new();
        packets.iter().for_each(|packet| packet.write(&mut payload));
        self.writer.packet(&payload).unwrap();
    }

    fn upload(&self, number: u32) -> Packet {
        let offset_bytes = number.wrapping_mul(7919) % BUFFER_BYTES;
        Packet::UploadBuffer { buffer_id: 1, offset_bytes, data_len_bytes: 1, blob_id: self.one_byte }
    }

    fn finish(mut self, mut each: impl FnMut(&Self, u32) -> Packet) -> Arc<Trace> {
        self.writer.begin_frame().unwrap();
        for start in (0..COMMANDS).step_by(TOGETHER as usize) {
            let packets: Vec<Packet> =
                (start..COMMANDS.min(start + TOGETHER)).map(|number| each(&self, number)).collect();
            self.packets(&packets);
        }
        self.writer.present().unwrap();
        self.writer.begin_frame().unwrap();
        self.packets(&[Packet::Draw { vertex_count: BUFFER_BYTES / 24, first_vertex: 0 }]);
        self.writer.present().unwrap();
        let source = Arc::new(MemorySource::from(self.writer.finish().unwrap()));
        Arc::new(Trace::from_source(source, &mut Diagnostics::new()).unwrap())
    }
}

fn buffer(buffer_id: u32, size_bytes: u32) -> Packet {
    Packet::CreateBuffer { buffer_id, size_bytes, usage: 0 }
}

fn bind(buffer_id: u32) -> Packet {
    Packet::SetVertexBuffer { buffer_id, stride_bytes: 24, position_offset_bytes: 0, color_offset_bytes: 8 }
}

fn pipeline(pipeline_id: u32) -> Packet {
    Packet::CreatePipeline { pipeline_id, vs_shader_id: 1, fs_shader_id: 2 }
}

/// Makes the index and the slice of the last frame within the budget.
fn slice_of_the_end(trace: &Arc<Trace>) -> (TraceIndex, Slice) {
    let commands = COMMANDS as usize;
    let (index, index_bytes) = peak(|| TraceIndex::build(trace, |_| ()));
    assert_eq!(index.stop(), None);
    assert!(index.command_count() > COMMANDS);
    assert!(index_bytes <= INDEX_BYTES * commands, "the index takes {} bytes per command", index_bytes / commands);

    let last = FrameIndex(2);
    let end = index.commands_of(last).unwrap().end;
    let (slice, slice_bytes) = peak(|| index.slice(last, end, None).unwrap().unwrap());
    assert!(slice.earlier.is_sorted_by(|a, b| a < b), "a command stands in a slice once");
    assert!(slice_bytes <= INDEX_BYTES * commands, "a slice takes {} bytes per command", slice_bytes / commands);
    (index, slice)
}

fn a_million_re_creations_of_an_id_leave_no_trace_in_a_slice() {
    let trace = Hostile::new().finish(|_, _| buffer(2, 4));
    assert!(slice_of_the_end(&trace).1.earlier.len() < 10);
}

fn of_a_million_re_creations_and_bindings_the_last_counts() {
    let trace = Hostile::new().finish(|_, number| if number % 2 == 0 { buffer(1, BUFFER_BYTES) } else { bind(1) });
    assert!(slice_of_the_end(&trace).1.earlier.len() < 10);
}

fn of_a_million_pipelines_the_last_counts() {
    let set = Packet::SetPipeline { pipeline_id: 1 };
    let trace = Hostile::new().finish(|_, number| if number % 2 == 0 { pipeline(1) } else { set });
    assert!(slice_of_the_end(&trace).1.earlier.len() < 10);
}

fn of_a_million_uploads_of_a_byte_those_that_nothing_overwrote_count() {
    let trace = Hostile::new().finish(Hostile::upload);
    let slice = slice_of_the_end(&trace).1;
    let uploads = slice.earlier.len();
    assert!(uploads <= BUFFER_BYTES as usize + 10, "{uploads} commands");
    // The draw reads whole vertices: all of the buffer but less than one.
    assert!(uploads >= BUFFER_BYTES as usize - 24, "{uploads} commands");
}

fn half_a_million_uploads_each_drawn_are_all_needed_once() {
    let draw = Packet::Draw { vertex_count: BUFFER_BYTES / 24, first_vertex: 0 };
    let trace = Hostile::new().finish(|hostile, number| if number % 2 == 0 { hostile.upload(number) } else { draw });
    let needed = slice_of_the_end(&trace).1.earlier.len();
    assert!(needed <= COMMANDS as usize + 10, "{needed} commands");
}
