//! Questions about draws of submissions: what a frame looks like without some of them, and draw by draw.
//!
//! Most answers have an oracle in the file's bytes: a trace in which a draw draws nothing is one without it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use aerogpu_replay::bytes::{Diagnostics, MemorySource};
use aerogpu_replay::command::{Place, Point};
use aerogpu_replay::format::aerogpu::{FrameIndex, Trace};
use aerogpu_replay::golden::film::{Change, film};
use aerogpu_replay::gpu::Gpu;
use aerogpu_replay::pixels::{Picture, PictureHash};
use aerogpu_replay::player::{DrawSelection, Player, PlayerError, Variant};
use aerogpu_replay::replay::{DEFAULT_SIZE, largest_viewport};

use crate::support::harness::Trial;
use crate::support::random::Random;
use crate::support::root;
use crate::support::software::{BACKENDS, Backend};

/// Frames of a scene that are asked about.
const FRAMES: u32 = 4;

pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for backend in BACKENDS {
        for path in traces() {
            let name = path.file_stem().unwrap().display().to_string();
            let name = |question: &str| format!("{}::{question}::{name}", backend.name());
            let of = |ask: fn(&Asked)| {
                let path = path.clone();
                move || ask(&Asked::open(backend, &path))
            };
            trials.push(backend.trial(name("left_out"), of(leave_draws_out)));
            trials.push(backend.trial(name("film"), of(film_frames)));
            if backend != BACKENDS[0] {
                trials.push(backend.trial(name("draws_are_as_on_vulkan"), of(draw_as_on_vulkan)));
            }
        }
    }
    trials
}

/// Some scenes of each level of difficulty, and public traces.
fn traces() -> Vec<PathBuf> {
    let shared = root().join("../shared/data/a3a0/scenes");
    let levels = ["1-emulator-dialect", "2-real-dxbc", "3-with-d3d9", "4-views"];
    let mut traces = traces_in(&root().join("fixtures/aerogpu/scenes"), usize::MAX);
    traces.extend(levels.iter().flat_map(|level| traces_in(&shared.join(level), 2)));
    let public = ["depth_test", "copy_texture2d", "scissor_test", "indexed_triangle_base_vertex"];
    let public = public.map(|name| root().join(format!("fixtures/aerogpu/public/aerogpu_cmd_{name}.aerogputrace")));
    traces.extend(public);
    traces
}

fn traces_in(folder: &Path, most: usize) -> Vec<PathBuf> {
    let files = fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path());
    let mut traces: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|end| end == "aerogputrace")).collect();
    traces.sort();
    traces.truncate(most);
    traces
}

/// A trace that is asked about.
struct Asked {
    gpu: Arc<Gpu>,
    bytes: Vec<u8>,
    trace: Arc<Trace>,
}

impl Asked {
    fn open(backend: Backend, path: &Path) -> Self {
        let bytes = fs::read(path).unwrap();
        Self { gpu: backend.open_fresh(), trace: trace_of(bytes.clone()), bytes }
    }

    fn player(&self) -> Player {
        self.player_of(&self.trace)
    }

    fn player_of(&self, trace: &Arc<Trace>) -> Player {
        Player::new(trace.clone(), self.gpu.clone(), largest_viewport(trace).unwrap_or(DEFAULT_SIZE)).unwrap()
    }

    fn frames(&self) -> impl Iterator<Item = FrameIndex> {
        (0..(self.trace.frames().len() as u32).min(FRAMES)).map(FrameIndex)
    }

    /// The trace with draws of a frame that draw nothing: their first number says how many vertices or indices there are.
    fn without(&self, player: &mut Player, frame: FrameIndex, draws: &BTreeSet<u32>) -> Arc<Trace> {
        let (index, mut bytes) = (player.index(), self.bytes.clone());
        for (draw, number) in (0..).zip(index.draws_of(frame)) {
            if draws.contains(&draw) {
                let at = index.location(number).unwrap().offset as usize + 8;
                bytes[at..at + 4].fill(0);
            }
        }
        trace_of(bytes)
    }
}

fn trace_of(bytes: Vec<u8>) -> Arc<Trace> {
    Arc::new(Trace::from_source(Arc::new(MemorySource::from(bytes)), &mut Diagnostics::new()).unwrap())
}

/// A frame without draws is that of a trace in which they draw nothing, at its end and behind each of its draws; the player
/// that is asked stands where it stood.
fn leave_draws_out(asked: &Asked) {
    let (mut player, mut random) = (asked.player(), Random::new(7));
    let index = player.index();
    let mut differing = 0;
    for frame in asked.frames() {
        let shown = player.render(frame).unwrap().hash();
        let draw_count = index.draws_of(frame).count() as u32;
        let all = Variant::default();
        assert_eq!(player.render_variant(frame, &all).unwrap().hash(), shown, "{frame}: all draws");
        for round in 0..3 {
            let left_out: BTreeSet<u32> = (0..draw_count).filter(|_| round == 0 || random.below(2) == 0).collect();
            let point = match round {
                0 => Point::End,
                _ if draw_count == 0 => Point::End,
                _ => Point::Draw(random.below(draw_count)),
            };
            let (place, draws) = (Place { frame, point }, DrawSelection::Without(left_out.clone()));
            let variant = player.render_variant(place, &Variant { draws, ..Variant::default() }).unwrap();
            let patched = asked.without(&mut player, frame, &left_out);
            let expected = asked.player_of(&patched).render(place).unwrap();
            assert_eq!(variant.hash(), expected.hash(), "{place:?} without {left_out:?}");
            differing += u32::from(point == Point::End && variant.hash() != shown);
        }
        assert_eq!(player.read_back().unwrap().hash(), shown, "{frame}: the player stands where it stood");
    }
    assert!(differing > 0 || index.draws_of(FrameIndex(0)).count() == 0, "no draw that is left out is missed");
}

/// The picture behind each draw, of the first frames.
fn draw_by_draw(asked: &Asked) -> Vec<Vec<PictureHash>> {
    let mut playing = asked.player();
    let index = playing.index();
    let played = asked.frames().map(|frame| {
        let draws = (0..index.draws_of(frame).count() as u32).collect();
        playing.play_with_draws(frame, &draws).unwrap()
    });
    played.collect()
}

/// What is drawn to in the middle of a frame, some mip and layer of a texture, is the same on both.
fn draw_as_on_vulkan(asked: &Asked) {
    let vulkan = Asked { gpu: BACKENDS[0].open_fresh(), bytes: Vec::new(), trace: asked.trace.clone() };
    assert_eq!(draw_by_draw(asked), draw_by_draw(&vulkan));
}

/// Draw by draw, each picture is that which playing shows behind the draw, of the size of what it draws to.
fn film_frames(asked: &Asked) {
    let (mut player, mut playing) = (asked.player(), asked.player());
    for frame in asked.frames() {
        let draw_count = playing.index().draws_of(frame).count() as u32;
        let played = playing.play_with_draws(frame, &(0..draw_count).collect()).unwrap();
        let mut shots: Vec<(PictureHash, Picture)> = Vec::new();
        film(&mut player, &asked.trace, frame, |shot| -> Result<(), PlayerError> {
            if let Change::Compared(difference) = &shot.change {
                let before = &shots.last().unwrap().1;
                assert_eq!(before.size(), shot.picture.size());
                assert_eq!(difference.differing > 0, before.hash() != shot.picture.hash());
            }
            shots.push((shot.picture.hash(), shot.picture.clone()));
            Ok(())
        })
        .unwrap();
        assert_eq!(shots.into_iter().map(|(hash, _)| hash).collect::<Vec<_>>(), played, "{frame}");
    }
}
