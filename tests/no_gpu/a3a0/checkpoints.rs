//! Copies of parts on the way: where they are taken, and that no slice grows past them.

use std::sync::Arc;

use aerogpu_replay::abi::a3a0::resources::*;
use aerogpu_replay::abi::a3a0::state::*;
use aerogpu_replay::abi::a3a0::work::*;
use aerogpu_replay::abi::a3a0::{ABI_VERSION, Packet, StreamWriter};
use aerogpu_replay::bytes::{Diagnostics, MemorySource};
use aerogpu_replay::format::aerogpu::{FrameIndex, NewSubmission, Trace, TraceWriter};
use aerogpu_replay::replay::{AtHand, CheckpointPlan, PartCopies, TraceIndex, Wanted};

use crate::support::harness::{Trial, trials_of};

const SIDE_PX: u32 = 16;
const COPY_BYTES: u64 = 4 * (SIDE_PX as u64) * (SIDE_PX as u64);

pub fn trials() -> Vec<Trial> {
    trials_of![
        a_target_that_is_never_cleared_keeps_to_the_interval,
        two_textures_in_turn_keep_to_the_interval,
        a_budget_makes_the_interval_longer,
        a_target_that_is_cleared_needs_no_copies,
    ]
}

struct Stream(StreamWriter);

impl Stream {
    fn put<'a>(&mut self, packet: impl Into<Packet<'a>>) -> &mut Self {
        self.0.packet(&packet.into()).unwrap();
        self
    }

    fn texture(&mut self, handle: u32) -> &mut Self {
        self.put(CreateTexture2d {
            handle,
            usage: 0x10,
            format: 1,
            width: SIDE_PX,
            height: SIDE_PX,
            mip_levels: 1,
            array_layers: 1,
            row_pitch: 0,
            backing_alloc_id: 0,
            backing_offset: 0,
            reserved: 0,
        })
    }

    fn show(&mut self, handle: u32) -> &mut Self {
        let color = [handle, 0, 0, 0, 0, 0, 0, 0];
        self.put(SetRenderTargets { color_count: 1, depth_stencil: 0, color });
        self.put(Present { scanout_id: 0, flags: 0 })
    }

    /// A copy of half of a texture, which lets the other half through.
    fn copy_half(&mut self, dst: u32, src: u32) -> &mut Self {
        self.put(CopyTexture2d {
            dst,
            src,
            dst_mip: 0,
            dst_layer: 0,
            src_mip: 0,
            src_layer: 0,
            dst_x: 0,
            dst_y: 0,
            src_x: 0,
            src_y: 0,
            width: SIDE_PX / 2,
            height: SIDE_PX,
            flags: 0,
            reserved: 0,
        })
    }
}

/// An index of as many frames, each made by `frame`, and textures 1 to 3.
fn index(frames: u32, frame: impl Fn(&mut Stream, u32)) -> TraceIndex {
    let mut writer = TraceWriter::new_v2(Vec::new(), ABI_VERSION, r#"{"emulator_version":"test"}"#).unwrap();
    for number in 0..frames {
        let mut stream = Stream(StreamWriter::new(ABI_VERSION));
        if number == 0 {
            stream.texture(1).texture(2).texture(3);
        }
        frame(&mut stream, number);
        writer.begin_frame().unwrap();
        let cmd_stream = &stream.0.finish();
        writer.submit(&NewSubmission { submit_flags: 1, cmd_stream, ..Default::default() }).unwrap();
        writer.present().unwrap();
    }
    let source = Arc::new(MemorySource::from(writer.finish().unwrap()));
    let trace = Arc::new(Trace::from_source(source, &mut Diagnostics::new()).unwrap());
    let index = TraceIndex::build(&trace, |_| ());
    assert!(index.stop().is_none() && index.faults().0.is_empty(), "{:?}", index.faults());
    index
}

/// Commands and copies that a frame needs.
fn needs(index: &TraceIndex, frame: u32, plan: &CheckpointPlan) -> (usize, usize) {
    let end = index.commands_of(FrameIndex(frame)).unwrap().end;
    let copies = PartCopies { filled: plan, wanted: plan };
    let slice = index
        .slice_from(
            FrameIndex(frame),
            end,
            Wanted { scanout: index.lowest_scanout(), parts: None },
            &AtHand::default(),
            copies,
        )
        .unwrap()
        .unwrap();
    assert!(slice.restored.iter().all(|copy| copy.at.0 <= index.commands_of(FrameIndex(frame)).unwrap().start));
    (slice.slice.earlier.len(), slice.restored.len())
}

fn a_target_that_is_never_cleared_keeps_to_the_interval() {
    let index = index(2000, |stream, _| {
        stream.copy_half(1, 2).show(1);
    });
    let none = CheckpointPlan::default();
    assert_eq!(needs(&index, 1999, &none), (1999 + 2, 0), "without copies every half ever copied, and both textures");
    let plan = index.plan_checkpoints(u64::MAX).unwrap();
    assert_eq!(plan.interval(), 64);
    assert_eq!(plan.checkpoints().len(), (2000 - 1) / 64);
    assert_eq!(plan.size_bytes(), plan.checkpoints().len() as u64 * COPY_BYTES);
    for frame in 0..2000 {
        let (earlier, restored) = needs(&index, frame, &plan);
        assert!(earlier <= 64 + 2, "frame {frame} needs {earlier} commands");
        assert_eq!(restored, usize::from(frame >= 64), "frame {frame}");
    }
    // A copy that nobody has filled takes no write's place.
    let half = plan.filled(|copy| copy.at.0 < 1000);
    assert_eq!(needs(&index, 1999, &half).1, 1);
    assert!(needs(&index, 1999, &half).0 > 1600);
}

fn two_textures_in_turn_keep_to_the_interval() {
    let index = index(1000, |stream, number| {
        let (to, from) = if number % 2 == 0 { (1, 2) } else { (2, 1) };
        stream.copy_half(to, from).show(to);
    });
    assert!(needs(&index, 999, &CheckpointPlan::default()).0 > 990);
    let plan = index.plan_checkpoints(u64::MAX).unwrap();
    for frame in [0, 1, 150, 151, 500, 998, 999] {
        let (earlier, _) = needs(&index, frame, &plan);
        assert!(earlier <= 2 * 64 + 4, "frame {frame} needs {earlier} commands");
    }
}

fn a_budget_makes_the_interval_longer() {
    let index = index(2000, |stream, _| {
        stream.copy_half(1, 2).show(1);
    });
    let plan = index.plan_checkpoints(4 * COPY_BYTES).unwrap();
    assert_eq!((plan.interval(), plan.checkpoints().len()), (512, 3));
    assert!(plan.size_bytes() <= 4 * COPY_BYTES);
    assert!(index.plan_checkpoints(0).unwrap().checkpoints().is_empty());
}

fn a_target_that_is_cleared_needs_no_copies() {
    let index = index(500, |stream, _| {
        let color = [1, 0, 0, 0, 0, 0, 0, 0];
        stream.put(SetRenderTargets { color_count: 1, depth_stencil: 0, color });
        stream.put(Clear { flags: 1, r: 0.0, g: 0.0, b: 0.0, a: 1.0, depth: 1.0, stencil: 0 });
        stream.copy_half(1, 2).show(1);
    });
    let plan = index.plan_checkpoints(u64::MAX).unwrap();
    assert!(plan.checkpoints().is_empty(), "{:?}", plan.checkpoints());
    assert_eq!(needs(&index, 499, &plan), (2, 0), "the two textures");
}
