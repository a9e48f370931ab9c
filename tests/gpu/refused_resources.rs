//! Commands that the device refuses fail alone: their submission goes on, and what uses a resource that could not be made
//! is refused in its turn.

use std::collections::BTreeSet;
use std::sync::Arc;

use aerogpu_replay::error::{Classified, ErrorKind};
use aerogpu_replay::format::aerogpu::{FrameIndex, Trace};
use aerogpu_replay::gpu::Gpu;
use aerogpu_replay::pixels::{Picture, Size};
use aerogpu_replay::player::{FaultPolicy, Player};
use aerogpu_replay::replay::TraceIndex;

use crate::gpu::kept::opened;
use crate::support::harness::Trial;
use crate::support::software;
use crate::support::streams::*;

pub fn trials() -> Vec<Trial> {
    vec![software::trial("device_refusals_fail_alone", device_refusals_fail_alone)]
}

const TARGET: u32 = 1;
/// Two of these and anything else are over the budget of resources.
const LARGE: [u32; 2] = [16384, 16384];
const TOO_MUCH: u32 = 11;
const VIEW: u32 = 12;
const SMALL: u32 = 13;
const PICTURE: Size = Size { width_px: 8, height_px: 8 };
const FRAMES: [[f32; 4]; 3] = [[1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 1.0], [0.0, 0.0, 1.0, 1.0]];

const USES: &str = "the command uses a resource that could not be made at 0x122 (frame 0, ";

/// Words of what is refused in each frame, in order.
const REFUSED: [&[&str]; 3] = [
    &["the size in bytes of all resources at one time is 2147483904"],
    &[USES, USES, USES, USES, "the number of thread groups along one axis is 1048576"],
    &[USES],
];

/// Each frame fills the target, has commands that the device refuses, and shows the target.
fn trace() -> Arc<Trace> {
    let begin = |stream: &mut Stream, frame: usize| {
        stream.targets(&[TARGET], 0).clear(1, FRAMES[frame], 1.0);
    };
    let mut first = Stream::new();
    first.texture(TARGET, R8G8B8A8, [8, 8], [1, 1]);
    begin(&mut first, 0);
    first.texture(10, R8G8B8A8, LARGE, [1, 1]);
    first.texture(TOO_MUCH, R8G8B8A8, LARGE, [1, 1]).view(VIEW, TOO_MUCH, R8G8B8A8, [0, 1], [0, 1]);
    first.texture(SMALL, R8G8B8A8, [8, 8], [1, 1]).present();
    let mut second = Stream::new();
    begin(&mut second, 1);
    second.upload(TOO_MUCH, 0, &[1; 4]).targets(&[TOO_MUCH], 0).clear(1, [1.0; 4], 1.0);
    let part = |texture| Texels { texture, mip: 0, layer: 0, at: [0, 0] };
    second.copy_texels(part(SMALL), part(TOO_MUCH), [4, 4]);
    second.shader(3, VERTEX, "quad.vs").shader(4, PIXEL, "sample.ps").shaders(3, 4).read(0, VIEW);
    let layout = [Element("POSITION", FLOAT4, 0, APPENDED, 0), Element("TEXCOORD", FLOAT4, 0, APPENDED, 0)];
    let vertices = rectangle([0.0, 0.0, 8.0, 8.0], 0.5, [[1.0; 4]; 4]);
    second.layout(5, &layout).vertices(6, &vertices).topology(TRIANGLE_LIST).viewport([0.0, 0.0, 8.0, 8.0]);
    second.targets(&[TARGET], 0).draw(0, 6);
    second.shader(7, COMPUTE, "copy.cs").dispatch([0, 0, 7], [1 << 20, 1, 1]).present();
    let mut third = Stream::new();
    begin(&mut third, 2);
    third.targets(&[TOO_MUCH], 0).present().targets(&[TARGET], 0).present();
    let streams = [first, second, third].map(StreamOfTests::finish);
    Arc::new(opened(recording(streams.iter().map(Vec::as_slice))).unwrap())
}

fn device_refusals_fail_alone(gpu: Arc<Gpu>) {
    let trace = trace();
    let index = Arc::new(TraceIndex::build(&trace, |_| ()));
    assert_eq!(index.faults().0.iter().map(|fault| &fault.message).collect::<Vec<_>>(), Vec::<&String>::new());
    let new = || {
        let mut player = Player::new(trace.clone(), gpu.clone(), PICTURE).unwrap();
        player.set_fault_policy(FaultPolicy::KeepGoing);
        player
    };
    let mut played = new();
    let mut own = Vec::new();
    for (frame, color) in (0..).zip(FRAMES) {
        let picture = played.render(FrameIndex(frame)).unwrap();
        assert_filled(&picture, color, frame);
        let errors = played.take_faults().errors;
        let told: Vec<String> = errors.iter().map(ToString::to_string).collect();
        let expected = REFUSED[frame as usize];
        assert_eq!(told.len(), expected.len(), "frame {frame}: {told:#?}");
        for (told, words) in told.iter().zip(expected) {
            assert!(told.contains(words), "frame {frame}: {told} has not {words:?}");
        }
        assert!(errors.iter().all(|error| error.kind() == ErrorKind::OverLimit), "frame {frame}: {told:?}");
        own.push(told);
    }
    let places: BTreeSet<&String> = own.iter().flatten().collect();
    for (frame, color) in (0..).zip(FRAMES) {
        let mut sought = new();
        sought.set_index(index.clone());
        assert_filled(&sought.render(FrameIndex(frame)).unwrap(), color, frame);
        let told: Vec<String> = sought.take_faults().errors.iter().map(ToString::to_string).collect();
        // Alone, a frame has fewer resources, and what it uses of them may fit.
        assert!(frame != 1 || told.contains(own[1].last().unwrap()), "frame {frame}: {told:#?}");
        assert!(told.iter().all(|told| places.contains(told)), "frame {frame}: {told:#?}");
    }
}

fn assert_filled(picture: &Picture, color: [f32; 4], frame: u32) {
    let expected = color.map(|value| (value * 255.0) as u8);
    assert!(picture.rgba().as_chunks::<4>().0.iter().all(|pixel| *pixel == expected), "frame {frame}");
}
