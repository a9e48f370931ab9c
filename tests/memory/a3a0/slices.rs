//! Memory that slices leave behind.

use std::sync::Arc;

use aerogpu_replay::abi::a3a0::resources::{CopyTexture2d, CreateTexture2d};
use aerogpu_replay::abi::a3a0::state::SetRenderTargets;
use aerogpu_replay::abi::a3a0::work::{Clear, Present};
use aerogpu_replay::abi::a3a0::{ABI_VERSION, Packet, StreamWriter};
use aerogpu_replay::bytes::{Diagnostics, MemorySource};
use aerogpu_replay::format::aerogpu::{FrameIndex, NewSubmission, Trace, TraceWriter};
use aerogpu_replay::replay::TraceIndex;

use crate::memory::kept;
use crate::support::harness::{Trial, trials_of};
use crate::support::random::Random;

const FRAMES: u32 = 60;
const SLICES: u32 = 10_000;

pub fn trials() -> Vec<Trial> {
    trials_of![ten_thousand_random_slices_keep_nothing]
}

fn put<'a>(stream: &mut StreamWriter, packet: impl Into<Packet<'a>>) {
    stream.packet(&packet.into()).unwrap();
}

fn texture(stream: &mut StreamWriter, handle: u32) {
    put(
        stream,
        CreateTexture2d {
            handle,
            usage: 0x18,
            format: 3,
            width: 16,
            height: 16,
            mip_levels: 1,
            array_layers: 1,
            row_pitch: 0,
            backing_alloc_id: 0,
            backing_offset: 0,
            reserved: 0,
        },
    );
}

/// Every frame clears a texture, copies part of it to one that is never cleared, and shows that one.
fn index() -> TraceIndex {
    let mut writer = TraceWriter::new_v2(Vec::new(), ABI_VERSION, r#"{"emulator_version":"test"}"#).unwrap();
    for frame in 0..FRAMES {
        let mut stream = StreamWriter::new(ABI_VERSION);
        if frame == 0 {
            [1, 2].into_iter().for_each(|handle| texture(&mut stream, handle));
        }
        let targets =
            |color| SetRenderTargets { color_count: 1, depth_stencil: 0, color: [color, 0, 0, 0, 0, 0, 0, 0] };
        put(&mut stream, targets(1));
        put(&mut stream, Clear { flags: 1, r: 0.0, g: 1.0, b: 0.0, a: 1.0, depth: 1.0, stencil: 0 });
        put(
            &mut stream,
            CopyTexture2d {
                dst: 2,
                src: 1,
                dst_mip: 0,
                dst_layer: 0,
                src_mip: 0,
                src_layer: 0,
                dst_x: frame % 8,
                dst_y: 0,
                src_x: 0,
                src_y: 0,
                width: 4,
                height: 4,
                flags: 0,
                reserved: 0,
            },
        );
        put(&mut stream, targets(2));
        put(&mut stream, Present { scanout_id: 0, flags: 0 });
        writer.begin_frame().unwrap();
        let cmd_stream = &stream.finish();
        writer.submit(&NewSubmission { submit_flags: 1, cmd_stream, ..Default::default() }).unwrap();
        writer.present().unwrap();
    }
    let source = Arc::new(MemorySource::from(writer.finish().unwrap()));
    let trace = Trace::from_source(source, &mut Diagnostics::new()).unwrap();
    let index = TraceIndex::build(&Arc::new(trace), |_| ());
    assert!(index.stop().is_none() && index.faults().0.is_empty(), "{:?}", index.faults());
    index
}

fn ten_thousand_random_slices_keep_nothing() {
    let index = index();
    let mut random = Random::new(7);
    let mut slices = |count: u32| -> usize {
        let slice = |_| {
            let frame = FrameIndex(random.below(FRAMES));
            let end = index.commands_of(frame).unwrap().end;
            index.slice(frame, end, None).unwrap().unwrap().earlier.len()
        };
        (0..count).map(slice).sum()
    };
    // Whatever is made once is made by the first.
    slices(10);
    let (needed, kept_bytes) = kept(|| slices(SLICES));
    assert!(needed > 20 * SLICES as usize, "{needed}");
    assert_eq!(kept_bytes, 0, "bytes kept by {SLICES} slices");
}
