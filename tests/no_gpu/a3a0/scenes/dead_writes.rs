//! Dead writes that the program reports, held against the model: without them everything else answers as before.

use std::collections::BTreeSet;

use super::generator::random_scene;
use super::index_of;
use super::model::Play;
use crate::support::a3a0::Numbered;
use crate::support::harness::{Trial, trials_of};
use crate::support::random::Random;
use aerogpu_replay::replay::{CommandNumber, EffectKind, ResolvedCommand, TraceIndex};

/// Scenes that every run looks at.
const SCENES: u64 = 120;
/// Commands of a scene that are left out, one at a time.
const LEFT_OUT: u32 = 6;

pub fn trials() -> Vec<Trial> {
    trials_of![what_is_written_for_nothing_can_be_left_out, nothing_that_slices_have_is_written_for_nothing]
}

#[derive(Debug, Default)]
struct Seen {
    dead: u32,
    live: u32,
    /// Live ones without which nothing answers otherwise: they are only tested, or read by what is for nothing itself.
    live_in_vain: u32,
}

fn what_is_written_for_nothing_can_be_left_out() {
    let mut seen = Seen::default();
    for seed in 0..SCENES {
        let scene = random_scene(seed);
        let (index, commands) = (index_of(&scene), scene.numbered());
        let scanout = Play::of(commands.iter().copied()).lowest_scanout();
        let own = scene.own();
        let answers = |left_out: Option<u32>| -> Vec<Vec<u64>> {
            let is_played = |numbered: &&Numbered<'_>| Some(numbered.number) != left_out;
            let play = Play::of(commands.iter().filter(is_played).copied());
            own.iter().map(|own| play.answers(own.clone(), scanout)).collect()
        };
        let whole = answers(None);
        let changes = |number: u32| {
            let mut without = answers(Some(number));
            for ((without, whole), own) in without.iter_mut().zip(&whole).zip(&own) {
                if own.contains(&number) {
                    let at = (number - own.start) as usize;
                    without[at] = whole[at];
                }
            }
            without != whole
        };
        let vain = index.written_in_vain().unwrap();
        let dead: BTreeSet<u32> = vain.writes.iter().map(|write| write.command.0).collect();
        let mut random = Random::new(seed ^ 0xdead);
        let listed: Vec<u32> = dead.iter().copied().collect();
        for _ in 0..LEFT_OUT.min(listed.len() as u32) {
            let number = random.pick(&listed);
            let command = commands[number as usize].command;
            assert!(!changes(number), "scene {seed}: without {number} something answers otherwise: {command:?}");
            seen.dead += 1;
        }
        let live: Vec<u32> = uploads(&index).filter(|number| !dead.contains(number)).collect();
        for _ in 0..LEFT_OUT.min(live.len() as u32) {
            seen.live += 1;
            seen.live_in_vain += u32::from(!changes(random.pick(&live)));
        }
    }
    println!("{seen:?}");
    assert!(seen.dead > 300 && seen.live > 150, "{seen:?}");
    // The program counts what is exported, tested, or partly written over by others as read.
    assert!(seen.live_in_vain * 5 < seen.live, "{seen:?}");
}

fn uploads(index: &TraceIndex) -> impl Iterator<Item = u32> {
    let is_upload =
        |step: &ResolvedCommand| matches!(step, ResolvedCommand::Submitted { kind: EffectKind::Upload, .. });
    index.numbers_in(0..index.command_count(), is_upload).map(|CommandNumber(number)| number)
}

fn nothing_that_slices_have_is_written_for_nothing() {
    let (mut sliced, mut shown) = (0, 0);
    for seed in 1000..1000 + 2 * SCENES {
        let scene = random_scene(seed);
        let index = index_of(&scene);
        let dead: BTreeSet<CommandNumber> =
            index.written_in_vain().unwrap().writes.iter().map(|write| write.command).collect();
        for frame in (0..index.frame_count() as u32).map(aerogpu_replay::format::aerogpu::FrameIndex) {
            let end = index.commands_of(frame).unwrap().end;
            let slice = index.slice(frame, end, None).unwrap().unwrap();
            let found: Vec<_> = slice.earlier.iter().filter(|number| dead.contains(number)).collect();
            assert!(found.is_empty(), "scene {seed}, frame {frame}: {found:?}");
            sliced += slice.earlier.len();
        }
        for present in presents(&index) {
            let inputs = index.inputs_of_present(present).unwrap();
            let found: Vec<_> = inputs.iter().filter(|number| dead.contains(number)).collect();
            assert!(found.is_empty(), "scene {seed}, what {present} shows: {found:?}");
            shown += inputs.len();
        }
    }
    assert!(sliced > 1000 && shown > 1000, "{sliced} {shown}");
}

fn presents(index: &TraceIndex) -> Vec<CommandNumber> {
    let shows = |step: &ResolvedCommand| matches!(step, ResolvedCommand::Submitted { kind: EffectKind::Present, .. });
    index.numbers_in(0..index.command_count(), shows).collect()
}
