//! State that a player keeps from frame to frame: nothing of it is executed again, and no way to a frame is long.

use aerogpu_replay::format::aerogpu::FrameIndex;
use aerogpu_replay::replay::{
    AtHand, CheckpointPlan, CommandNumber, DeviceSlice, EffectKind, PartCheckpoint, PartCopies, ResolvedCommand,
    TraceIndex, Wanted,
};

use super::generator::random_scene;
use super::index_of;
use crate::support::harness::{Trial, trials_of};
use crate::support::random::Random;

const SCENES: u64 = 200;
/// Frames of each that are gone to.
const SEEKS: u32 = 20;

pub fn trials() -> Vec<Trial> {
    trials_of![a_walk_carries_out_less_than_each_frame_from_nothing, from_copies_no_way_is_longer_than_the_interval,]
}

/// A player without a GPU.
#[derive(Default)]
struct Walker {
    at_hand: AtHand,
    filled: Vec<PartCheckpoint>,
}

impl Walker {
    fn go(&mut self, index: &TraceIndex, plan: &CheckpointPlan, frame: FrameIndex) -> DeviceSlice {
        let filled = plan.filled(|copy| self.filled.contains(copy));
        let end = index.commands_of(frame).unwrap().end;
        let copies = PartCopies { filled: &filled, wanted: plan };
        let slice = index
            .slice_from(frame, end, Wanted { scanout: index.lowest_scanout(), parts: None }, &self.at_hand, copies)
            .unwrap()
            .unwrap();
        assert!(slice.restored.iter().all(|copy| self.filled.contains(copy)), "what is restored was taken before");
        self.filled.extend(slice.copied.iter().cloned());
        self.at_hand = slice.after.clone();
        slice
    }
}

/// Whether a command does something to parts, and not only means something.
fn works(index: &TraceIndex, number: CommandNumber) -> bool {
    use EffectKind::{Clear, Copy, Dispatch, Draw, Upload};
    matches!(
        index.command(number),
        Some(ResolvedCommand::Submitted { kind: Clear | Copy | Dispatch | Draw | Upload, .. })
    )
}

fn works_of(index: &TraceIndex, numbers: &[CommandNumber]) -> usize {
    numbers.iter().filter(|number| works(index, **number)).count()
}

fn a_walk_carries_out_less_than_each_frame_from_nothing() {
    let (mut held, mut from_nothing, mut restored) = (0, 0, 0);
    for seed in 0..SCENES {
        let index = index_of(&random_scene(seed));
        if !index.faults().0.is_empty() {
            continue;
        }
        let plan = index.plan_checkpoints(1 << 20).unwrap();
        let (mut walker, mut random) = (Walker::default(), Random::new(seed));
        for _ in 0..SEEKS {
            let frame = FrameIndex(random.below(index.frame_count() as u32));
            let slice = walker.go(&index, &plan, frame);
            held += works_of(&index, &slice.slice.earlier);
            restored += slice.restored.len();
            let whole = index.slice(frame, index.commands_of(frame).unwrap().end, None).unwrap().unwrap();
            from_nothing += works_of(&index, &whole.earlier);
        }
    }
    println!("{held} with what is held, {from_nothing} from nothing, {restored} copies restored");
    assert!(2 * held < from_nothing && restored > 0, "{held} with what is held, {from_nothing} from nothing");
}

fn from_copies_no_way_is_longer_than_the_interval() {
    let mut long = 0;
    for seed in 0..SCENES {
        let index = index_of(&random_scene(seed));
        if !index.faults().0.is_empty() {
            continue;
        }
        let plan = index.plan_checkpoints(u64::MAX).unwrap();
        for frame in (0..index.frame_count() as u32).map(FrameIndex) {
            let own = index.commands_of(frame).unwrap();
            let copies = PartCopies { filled: &plan, wanted: &plan };
            let slice = index
                .slice_from(
                    frame,
                    own.end,
                    Wanted { scanout: index.lowest_scanout(), parts: None },
                    &AtHand::default(),
                    copies,
                )
                .unwrap()
                .unwrap();
            let draws = |number: &&CommandNumber| {
                use EffectKind::{Copy, Dispatch, Draw};
                matches!(index.command(**number), Some(ResolvedCommand::Submitted { kind: Copy | Dispatch | Draw, .. }))
            };
            let count = slice.slice.earlier.iter().filter(draws).count();
            assert!(count <= plan.interval() as usize, "scene {seed}, {frame} carries out {count} commands again");
            long += 1;
        }
    }
    assert!(long > 500, "{long} frames");
}
