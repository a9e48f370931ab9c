//! One player, a random walk: to any place of any frame, back and forth, with questions, edits and errors on the way.
//!
//! The picture of a player must not depend on where it was before. So two players on one GPU walk through two traces at a
//! time. One is of rectangles on whole pixels, whose pictures a model on the CPU knows; the other is the same for other
//! rectangles, or of anything, and is judged by a fresh player that has played nothing but the frames before. Half of
//! the pairs are walked through with next to no memory for what waits for the GPU, so that frames are carried out in
//! pieces; the fresh players have as much as usual.
//!
//! `WALK_PICTURES=50000 cargo test --release --test gpu walk::` walks further than usual, and tells how far it is;
//! `WALK_SEED` begins elsewhere. A failure names the seed that walks there again at once.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use crate::gpu::kept::opened;
use crate::support;
use aerogpu_replay::analysis::{OverlayKind, overlay};
use aerogpu_replay::command::{Place, Point};
use aerogpu_replay::format::aerogpu::{BlobId, FrameIndex, Trace};
use aerogpu_replay::gpu::{Gpu, InFlightLimits};
use aerogpu_replay::pixels::{Picture, Size};
use aerogpu_replay::player::{Before, DrawSelection, PixelWrites, Player, PlayerError, Touch, Variant, Writer};
use aerogpu_replay::replay::{CommandNumber, ShaderOptions, ShaderReplacements, TraceIndex};
use support::harness::Trial;
use support::random::{Random, random_trace_of};
use support::rectangles::{CannotBeDrawn, End, HEIGHT_PX, Rectangles, WIDTH_PX, one_color_wgsl};
use support::software::{BACKENDS, Backend};

/// Pictures that are judged in a usual run on each of the two backends.
const PICTURES: u64 = 1000;
/// Pictures of one pair of traces.
const PICTURES_OF_PAIR: u64 = 50;
/// Pictures between two lines of progress.
const PICTURES_BETWEEN_LINES: u64 = 10_000;

const SIZE: Size = Size { width_px: WIDTH_PX, height_px: HEIGHT_PX };

fn setting(name: &str) -> Option<u64> {
    let value = std::env::var(name).ok()?;
    Some(value.parse().unwrap_or_else(|_| panic!("{name} is {value:?}: expected a number")))
}

fn walk(gpu: Arc<Gpu>) {
    let pictures = setting("WALK_PICTURES");
    let mut seed = setting("WALK_SEED").unwrap_or(1);
    let (mut judged, mut told) = (Judged::default(), 0);
    while judged.by_model + judged.by_fresh_player < pictures.unwrap_or(PICTURES) {
        walk_through_pair(&gpu, seed, &mut judged);
        seed += 1;
        let all = judged.by_model + judged.by_fresh_player;
        if pictures.is_some() && all / PICTURES_BETWEEN_LINES > told {
            told = all / PICTURES_BETWEEN_LINES;
            eprintln!("{} walked up to seed {seed}: {judged:?}", gpu.summary());
        }
    }
    assert!(judged.by_model >= judged.by_fresh_player, "at least half is judged by the model: {judged:?}");
    assert!(judged.went_back_past_clear > 0 && judged.errors > 0, "the hard places are gone to: {judged:?}");
    assert!(judged.in_pieces > judged.by_model, "half of the walk is in pieces: {judged:?}");
}

/// Number of answers that were found to be right.
#[derive(Debug, Default)]
struct Judged {
    by_model: u64,
    by_fresh_player: u64,
    answers: u64,
    errors: u64,
    /// Pictures before a CLEAR in mid-frame just after one behind it.
    went_back_past_clear: u64,
    /// Submissions of players that have next to no memory.
    in_pieces: u64,
}

/// Walks through two traces with two players.
fn walk_through_pair(gpu: &Arc<Gpu>, seed: u64, judged: &mut Judged) {
    let mut random = Random::new(seed);
    let with_bad_draws = random.one_in(3);
    let other = if random.one_in(4) {
        Walker::of_rectangles(gpu, seed + (1 << 40), false)
    } else {
        Walker::of_anything(gpu, seed)
    };
    let mut walkers = [Walker::of_rectangles(gpu, seed, with_bad_draws), other];
    let limits = [InFlightLimits::default(), limits_in_pieces(seed)][seed as usize % 2];
    walkers.iter_mut().for_each(|walker| walker.take_over(limits));
    let enough = judged.by_model + judged.by_fresh_player + PICTURES_OF_PAIR;
    let mut step = 0;
    while judged.by_model + judged.by_fresh_player < enough {
        step += 1;
        let walker = &mut walkers[usize::from(random.below(5) < 2)];
        walker.what = format!("WALK_SEED={seed}, step {step}");
        walker.step(&mut random, judged);
    }
    let submissions = walkers.iter().map(|walker| walker.player.renderer().submission_count()).sum::<u64>();
    judged.in_pieces += if limits == InFlightLimits::default() { 0 } else { submissions };
}

/// Frames end up in as many pieces as draws, uploads or dropped buffers make of them.
fn limits_in_pieces(seed: u64) -> InFlightLimits {
    let usual = InFlightLimits::default();
    match seed / 2 % 4 {
        0 => InFlightLimits { held_bytes: 0, ..usual },
        1 => InFlightLimits { staged_bytes: 4, ..usual },
        2 => InFlightLimits { draws: 1 + (seed / 8 % 3) as u32, ..usual },
        _ => InFlightLimits { held_bytes: 300, staged_bytes: 100, recorded_bytes: 20 << 10, draws: 5 },
    }
}

/// A player and what knows better.
struct Walker {
    gpu: Arc<Gpu>,
    trace: Arc<Trace>,
    index: Arc<TraceIndex>,
    options: ShaderOptions,
    limits: InFlightLimits,
    player: Player,
    knows: Knows,
    place: (u32, End),
    what: String,
}

/// Judge of the walk.
enum Knows {
    Model(Rectangles),
    /// Pictures of fresh players so far.
    FreshPlayer(HashMap<(u32, End), Picture>),
}

impl Walker {
    fn of_rectangles(gpu: &Arc<Gpu>, seed: u64, with_bad_draws: bool) -> Self {
        let mut rectangles = Rectangles::random(seed, with_bad_draws);
        let bytes = std::mem::take(&mut rectangles.bytes);
        Self::new(gpu, bytes, Knows::Model(rectangles))
    }

    fn of_anything(gpu: &Arc<Gpu>, seed: u64) -> Self {
        Self::new(gpu, random_trace_of(seed, 60), Knows::FreshPlayer(HashMap::new()))
    }

    fn new(gpu: &Arc<Gpu>, bytes: Vec<u8>, knows: Knows) -> Self {
        let trace = Arc::new(opened(bytes).unwrap());
        let index = Arc::new(TraceIndex::build(&trace, |_| ()));
        assert_eq!((index.frame_count(), index.stop()), (trace.frames().len(), None));
        let options = ShaderOptions::default();
        let player = fresh_player(gpu, &trace, &options);
        let (gpu, what) = (gpu.clone(), String::new());
        let limits = InFlightLimits::default();
        Self { gpu, trace, index, options, limits, player, knows, place: (0, End::Packet(0)), what }
    }

    /// A new player, with these limits, has its turn.
    fn take_over(&mut self, limits: InFlightLimits) {
        self.limits = limits;
        self.player = fresh_player(&self.gpu, &self.trace, &self.options);
        self.player.set_in_flight_limits(limits);
    }

    fn step(&mut self, random: &mut Random, judged: &mut Judged) {
        let went_past_clear = self.may_go_back_past_clear();
        let from = self.place;
        self.place = self.somewhere(random);
        match random.below(20) {
            0..=12 => {
                let is_back =
                    went_past_clear && from.0 == self.place.0 && self.command(self.place) < self.command(from);
                judged.went_back_past_clear += u64::from(is_back);
                self.look(random, judged);
            }
            13 | 14 => self.look_at_variant(random, judged),
            15 => self.ask_pixel(random, judged),
            16 => self.ask_maps(random, judged),
            17 => self.ask_overlay(random, judged),
            18 => self.edit_shader(random),
            _ => self.give_up_player(random),
        }
    }

    /// Mostly in the same frame or in one beside it.
    fn somewhere(&self, random: &mut Random) -> (u32, End) {
        let frames = self.trace.frames().len() as u32;
        let frame = match random.below(8) {
            0..=3 => self.place.0,
            4 => (self.place.0 + 1).min(frames - 1),
            5 => self.place.0.saturating_sub(1),
            _ => random.below(frames),
        };
        let own = self.index.commands_of(FrameIndex(frame)).unwrap();
        let draws = self.index.draws_of(FrameIndex(frame)).count() as u32;
        let end = match random.below(7) {
            0 => End::Frame,
            1 if !own.is_empty() => End::Packet(random.below(own.len() as u32)),
            2 => End::Nothing,
            _ if draws == 0 => End::Frame,
            _ => End::Draw(random.below(draws)),
        };
        (frame, end)
    }

    fn may_go_back_past_clear(&self) -> bool {
        match &self.knows {
            Knows::Model(model) => model.clears_between_draws(self.place.0, self.place.1),
            Knows::FreshPlayer(_) => false,
        }
    }

    /// The last command of a place.
    fn command(&self, (frame, end): (u32, End)) -> u32 {
        let own = self.index.commands_of(FrameIndex(frame)).unwrap();
        match end {
            End::Nothing => own.start,
            End::Frame => own.end,
            End::Packet(packet) => own.start + packet,
            End::Draw(draw) => self.index.draws_of(FrameIndex(frame)).nth(draw as usize).unwrap().0,
        }
    }

    /// Looks at a picture, in one of the ways there are.
    fn look(&mut self, random: &mut Random, judged: &mut Judged) {
        let place = self.asked();
        let found = if random.one_in(4) {
            self.player.start(place).and_then(|pending| self.player.finish(pending))
        } else {
            self.player.render(place)
        };
        let expected = self.expected_picture();
        self.judge(found, expected, judged);
    }

    /// Looks at the same place with draws left out, or with none, which leaves the player where it is.
    fn look_at_variant(&mut self, random: &mut Random, judged: &mut Judged) {
        let place = self.asked();
        let draws = self.index.draws_of(place.frame).count() as u32;
        let some: BTreeSet<u32> = (0..draws).filter(|_| random.one_in(2)).collect();
        let draws = match random.below(3) {
            0 => DrawSelection::All,
            1 => DrawSelection::Without(some),
            _ => DrawSelection::Only(some),
        };
        let variant = Variant { draws: draws.clone(), ..Variant::default() };
        let found = self.player.render_variant(place, &variant);
        let expected = match &self.knows {
            Knows::Model(model) => {
                model.picture(self.place.0, self.place.1, |draw| !draws.contains(draw)).map(picture_of)
            }
            Knows::FreshPlayer(_) => {
                let mut fresh = fresh_player(&self.gpu, &self.trace, &self.options);
                Ok(fresh.render_variant(place, &variant).unwrap())
            }
        };
        self.judge(found, expected, judged);
    }

    fn expected_picture(&mut self) -> Result<Picture, CannotBeDrawn> {
        let place = self.asked();
        match &mut self.knows {
            Knows::Model(model) => model.picture(self.place.0, self.place.1, |_| false).map(picture_of),
            Knows::FreshPlayer(pictures) => {
                let play = || {
                    let mut fresh = fresh_player(&self.gpu, &self.trace, &self.options);
                    for before in 0..place.frame.0 {
                        fresh.seek(FrameIndex(before)).unwrap();
                    }
                    fresh.render(place).unwrap()
                };
                Ok(pictures.entry(self.place).or_insert_with(play).clone())
            }
        }
    }

    fn judge(
        &self,
        found: Result<Picture, PlayerError>,
        expected: Result<Picture, CannotBeDrawn>,
        judged: &mut Judged,
    ) {
        let (what, place) = (&self.what, self.place);
        match (found, expected) {
            (Ok(found), Ok(expected)) => {
                assert!(found == expected, "{what}: {place:?}: {}", first_difference(&found, &expected));
                match &self.knows {
                    Knows::Model(_) => judged.by_model += 1,
                    Knows::FreshPlayer(_) => judged.by_fresh_player += 1,
                }
            }
            (Err(_), Err(CannotBeDrawn)) => judged.errors += 1,
            (Ok(_), Err(CannotBeDrawn)) => {
                panic!("{what}: {place:?}: a draw in it cannot be drawn, and it has a picture")
            }
            (Err(error), Ok(_)) => panic!("{what}: {place:?}: {error}"),
        }
    }

    fn ask_pixel(&mut self, random: &mut Random, judged: &mut Judged) {
        let place = self.asked();
        let at = [random.below(WIDTH_PX), random.below(HEIGHT_PX)];
        let what = format!("{}: {:?}, pixel {at:?}", self.what, self.place);
        let trail = self.player.follow_pixel(place, at[0], at[1]).unwrap_or_else(|error| panic!("{what}: {error}"));
        match &self.knows {
            Knows::Model(model) => match model.touches(self.place.0, self.place.1, at) {
                Ok(expected) => assert_eq!(colors_of(&trail), expected, "{what}"),
                Err(CannotBeDrawn) => {
                    let has_error = trail.error.is_some() || matches!(trail.before, Before::Unknown(_));
                    assert!(has_error, "{what}: {trail:?}");
                }
            },
            Knows::FreshPlayer(_) => {
                let mut fresh = fresh_player(&self.gpu, &self.trace, &self.options);
                let expected = fresh.follow_pixel(place, at[0], at[1]).unwrap();
                assert_eq!(format!("{trail:?}"), format!("{expected:?}"), "{what}");
            }
        }
        judged.answers += 1;
    }

    fn ask_maps(&mut self, random: &mut Random, judged: &mut Judged) {
        let place = self.asked();
        let Knows::Model(model) = &self.knows else { return };
        let what = format!("{}: {:?}", self.what, self.place);
        let (is_right, is_error) = if random.one_in(2) {
            let writers = self.player.map_writers(place);
            let writers = writers.map(|map| map.values().iter().map(|writer| number_of(*writer)).collect::<Vec<_>>());
            let expected = model.writers(self.place.0, self.place.1);
            (writers.as_ref().ok() == expected.as_ref().ok(), expected.is_err())
        } else {
            let counts = self.player.count_writes(place, &DrawSelection::All).map(|map| map.values().to_vec());
            let expected = model.counts(self.place.0, self.place.1);
            (counts.as_ref().ok() == expected.as_ref().ok(), expected.is_err())
        };
        assert!(is_right, "{what}: writers or counts differ");
        judged.answers += 1;
        judged.errors += u64::from(is_error);
    }

    fn ask_overlay(&mut self, random: &mut Random, judged: &mut Judged) {
        let place = self.asked();
        let draws = self.index.draws_of(place.frame).count() as u32;
        let kinds = [OverlayKind::Overdraw, OverlayKind::Age, OverlayKind::Wireframe { draw: None }];
        let kind = match random.below(4) {
            3 if draws > 0 => OverlayKind::Highlight { draw: random.below(draws) },
            other => kinds[other as usize % kinds.len()],
        };
        let found = overlay(&mut self.player, place, kind);
        let mut fresh = fresh_player(&self.gpu, &self.trace, &self.options);
        let expected = overlay(&mut fresh, place, kind);
        let is_same = match (&found, &expected) {
            (Ok(found), Ok(expected)) => found == expected,
            (Err(found), Err(expected)) => found.to_string() == expected.to_string(),
            _ => false,
        };
        assert!(is_same, "{}: {:?}: {kind:?}: {:?} {:?}", self.what, self.place, found.err(), expected.err());
        judged.answers += 1;
    }

    /// Draws on with another text of a shader, as an edit does: on the same GPU, with a new player.
    fn edit_shader(&mut self, random: &mut Random) {
        let Knows::Model(model) = &mut self.knows else { return };
        let shader = random.below(model.shader_count() as u32) as usize;
        let rgba = [0; 4].map(|_| random.below(256) as u8);
        model.edit_shader(shader, rgba);
        let id = BlobId(model.shader_blob(shader));
        let (_, blob) = self.index.catalog().definitions().into_iter().find(|(blob, _)| *blob == id).unwrap();
        let mut replacements = ShaderReplacements::clone(&self.options.replacements);
        replacements.insert(blob.record_offset, one_color_wgsl(rgba).into_bytes());
        self.options.replacements = Arc::new(replacements);
        self.take_over(self.limits);
    }

    /// Once in a while another player takes over, which may have the index from the start or make it.
    fn give_up_player(&mut self, random: &mut Random) {
        if random.one_in(4) {
            self.take_over(self.limits);
            if random.one_in(2) {
                self.player.set_index(self.index.clone());
            }
        }
    }

    /// The place as a player is asked for it.
    fn asked(&self) -> Place {
        let point = match self.place.1 {
            End::Nothing => Point::Start,
            End::Frame => Point::End,
            End::Draw(draw) => Point::Draw(draw),
            End::Packet(packet) => Point::Packet(packet),
        };
        Place { frame: FrameIndex(self.place.0), point }
    }
}

fn fresh_player(gpu: &Arc<Gpu>, trace: &Arc<Trace>, options: &ShaderOptions) -> Player {
    let mut player = Player::new(trace.clone(), gpu.clone(), SIZE).unwrap();
    player.set_shader_options(options.clone());
    player
}

fn picture_of(rgba: Vec<u8>) -> Picture {
    Picture::new(SIZE, rgba).unwrap()
}

fn first_difference(found: &Picture, expected: &Picture) -> String {
    let pixels = (0..HEIGHT_PX).flat_map(|y| (0..WIDTH_PX).map(move |x| (x, y)));
    let differing: Vec<_> = pixels.filter(|(x, y)| found.pixel(*x, *y) != expected.pixel(*x, *y)).collect();
    let (x, y) = differing[0];
    let (found, expected) = (found.pixel(x, y).unwrap(), expected.pixel(x, y).unwrap());
    format!("{} pixels differ, the first at {x},{y}: found {found:?}, expected {expected:?}", differing.len())
}

/// The colour that the pixel had before the frame, and what each CLEAR and DRAW of the frame made of it.
fn colors_of(trail: &PixelWrites) -> ([u8; 4], Vec<Option<[u8; 4]>>) {
    let color = |touch: Touch| match touch {
        Touch::Wrote(rgba) => Some(rgba),
        Touch::Missed(_) => None,
    };
    if let Before::Unknown(error) = &trail.before {
        panic!("{error}");
    }
    let before = trail.start.unwrap();
    (before, trail.writes.iter().map(|stroke| color(stroke.touch)).collect())
}

fn number_of(writer: Writer) -> Option<u32> {
    match writer {
        Writer::Nothing => None,
        Writer::Command(CommandNumber(number)) => Some(number),
    }
}

pub fn trials() -> Vec<Trial> {
    let name = |backend: Backend| format!("{}::a_player_forgets_where_it_was", backend.name());
    let trial = |backend: Backend| backend.trial(name(backend), move || walk(backend.open_fresh()));
    BACKENDS.map(trial).into()
}
