//! Properties of the slices of any scene.

use std::collections::BTreeSet;
use std::ops::Range;

use super::generator::random_scene;
use super::model::Play;
use super::{index_of, slice_of};
use crate::support::a3a0::{Numbered, Scene};
use crate::support::harness::{Trial, trials_of};
use crate::support::random::Random;
use aerogpu_replay::replay::TraceIndex;

/// Scenes that every run looks at. `SCENES=10000` looks at as many, `FIRST_SCENE` says where to begin.
const SCENES: u64 = 300;
/// Frames of a scene that are looked at, if it has more.
const FRAMES: u32 = 6;
/// Commands of a slice that are left out, one at a time.
const LEFT_OUT: usize = 8;

pub fn trials() -> Vec<Trial> {
    trials_of![slices_are_sufficient_and_minimal]
}

fn number_of(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().map_or(default, |text| text.parse().unwrap())
}

/// A scene played as a whole.
struct Whole<'a> {
    seed: u64,
    commands: Vec<Numbered<'a>>,
    played: Play,
    scanout: Option<u32>,
}

/// Scenes and slices that were looked at.
#[derive(Debug, Default)]
struct Seen {
    frames: usize,
    needed: usize,
    left_out: usize,
    self_contained: usize,
}

fn slices_are_sufficient_and_minimal() {
    let first = number_of("FIRST_SCENE", 0);
    let (mut seen, mut wrong) = (Seen::default(), Vec::new());
    for seed in first..first + number_of("SCENES", SCENES) {
        let scene = random_scene(seed);
        let index = index_of(&scene);
        scene_holds(&scene, &index, seed, &mut seen, &mut wrong);
    }
    println!("{seen:?}");
    assert!(
        wrong.is_empty(),
        "{} frames are wrong, among them\n{}",
        wrong.len(),
        wrong[..wrong.len().min(3)].join("\n")
    );
    assert!(seen.needed > 3 * seen.frames && seen.left_out > seen.frames, "{seen:?}");
}

fn scene_holds(scene: &Scene, index: &TraceIndex, seed: u64, seen: &mut Seen, wrong: &mut Vec<String>) {
    let commands = scene.numbered();
    let played = Play::of(commands.iter().copied());
    let scanout = played.lowest_scanout();
    let whole = Whole { seed, commands, played, scanout };
    let (faults, dropped) = index.faults();
    if faults.len() as u64 + dropped != whole.played.refused() {
        let messages: Vec<&str> = faults.iter().map(|fault| fault.message.as_str()).collect();
        let refused = whole.played.refused();
        wrong.push(format!(
            "scene {seed}: the contract refuses {refused} commands, the program\n  {}",
            messages.join("\n  ")
        ));
        return;
    }
    let mut random = Random::new(seed ^ 0x51ce);
    for (frame, own) in scene.own().into_iter().enumerate() {
        if scene.frames.len() as u32 > FRAMES && random.below(scene.frames.len() as u32) >= FRAMES {
            continue;
        }
        let slice = slice_of(index, frame, &own);
        wrong.extend(whole.holds(frame, &own, &slice, &mut random, seen).err());
    }
}

impl Whole<'_> {
    fn holds(
        &self,
        frame: usize,
        own: &Range<u32>,
        slice: &[u32],
        random: &mut Random,
        seen: &mut Seen,
    ) -> Result<(), String> {
        let what = format!("scene {}, frame {frame}, own commands {own:?}", self.seed);
        assert!(slice.is_sorted_by(|one, next| one < next), "{what}: {slice:?}");
        assert!(slice.iter().all(|number| *number < own.start), "{what}: {slice:?}");
        let expected = self.played.slice(own.clone(), self.scanout);
        let found: BTreeSet<u32> = slice.iter().copied().collect();
        let listed = |numbers: &mut dyn Iterator<Item = &u32>| {
            let line = |number: &u32| {
                let Numbered { within, submission, command, .. } = self.commands[*number as usize];
                format!("\n  {number} (context {}, submission {submission}) {command:?}", within.context)
            };
            numbers.map(line).collect::<String>()
        };
        let missing = listed(&mut expected.difference(&found));
        let lost = expected.difference(&found).last();
        let way = lost.map(|lost| self.played.way_to(*lost, own.clone(), self.scanout));
        let way = listed(&mut way.iter().flatten());
        let needless = listed(&mut found.difference(&expected));
        if found != expected {
            return Err(format!(
                "{what}: the slice lacks{missing}\nthe last by this way:{way}\nand has for nothing{needless}"
            ));
        }
        // The slice played by itself answers as all of it.
        let answers = self.played.answers(own.clone(), self.scanout);
        let of_slice = self.answers_without(&found, own, None);
        let other = answers.iter().zip(&of_slice).position(|(whole, slice)| whole != slice);
        let other = other.map(|at| own.start + at as u32);
        if let Some(other) = other {
            let all = found.iter().copied().chain(own.clone()).collect::<Vec<u32>>();
            let all = listed(&mut all.iter());
            return Err(format!("{what}: played by itself, {other} refers to something else or reads it{all}"));
        }
        for _ in 0..LEFT_OUT.min(slice.len()) {
            let left_out = random.pick(slice);
            let answers_without = self.answers_without(&found, own, Some(left_out));
            let is_excused = self.played.may_change_nothing(left_out, own.clone(), self.scanout);
            if !is_excused && answers_without == answers {
                let way = self.played.way_to(left_out, own.clone(), self.scanout);
                return Err(format!("{what}: nothing needs the last of{}", listed(&mut way.iter())));
            }
            seen.left_out += 1;
        }
        seen.frames += 1;
        seen.needed += slice.len();
        seen.self_contained += usize::from(slice.is_empty());
        Ok(())
    }

    /// The frame's answers when only these of the commands before it are played.
    fn answers_without(&self, earlier: &BTreeSet<u32>, own: &Range<u32>, left_out: Option<u32>) -> Vec<u64> {
        let is_played = |numbered: &&Numbered<'_>| {
            let number = numbered.number;
            own.contains(&number) || earlier.contains(&number) && Some(number) != left_out
        };
        Play::of(self.commands.iter().filter(is_played).copied()).answers(own.clone(), self.scanout)
    }
}
