//! Questions about a frame's pixels, against traces written to answer them: a draw writes a pixel if the pixel comes out
//! the same over two different colours.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::gpu::kept::opened;
use crate::support;
use aerogpu_replay::abi::reference::Packet;
use aerogpu_replay::analysis::{Effect, Origin, OverlayKind, overlay, pixel_history};
use aerogpu_replay::command::{Place, Point};
use aerogpu_replay::format::aerogpu::{FrameIndex, Trace};
use aerogpu_replay::gpu::Gpu;
use aerogpu_replay::pixels::{Picture, Size};
use aerogpu_replay::player::{DrawSelection, DrawStyle, Miss, PixelMap, PixelWriteKind, Player, Variant, Writer};
use aerogpu_replay::replay::{CommandNumber, ResolvedCommand, ShaderOptions, TraceIndex};
use aerogpu_replay::shader::glsl::{GlslOptions, ProvokingVertex};
use support::harness::Trial;
use support::random::{Random, SIDE_PX, random_trace};
use support::rewrite::rewrite;
use support::scene::{BLACK, BLUE, FRAGMENT_WGSL, GREEN, RED, Scene, VERTEX_WGSL, rectangle, vertices};
use support::software;

const SEEDS: u64 = 20;
const SIDE: Size = Size { width_px: SIDE_PX, height_px: SIDE_PX };

/// Discards a checkerboard, by position, in a function of its own, and returns in two places.
const HOLED_WGSL: &str = "fn hole(at: vec2f) { if (u32(at.x) + u32(at.y)) % 2u == 0u { discard; } }
@fragment fn f(@builtin(position) at: vec4f, @location(0) tint: vec4f) -> @location(0) vec4f {
  hole(at.xy);
  if at.x > 8.0 { return tint; }
  return tint.bgra;
}";
const HOLED_PURPLE_WGSL: &str = "@fragment fn f(@builtin(position) at: vec4f) -> @location(0) vec4f {
  if at.y > 11.0 { discard; }
  return vec4f(0.5, 0.0, 0.75, 1.0);
}";

const MASKED_WGSL: &str = "struct Out { @location(0) color: vec4f, @builtin(sample_mask) mask: u32 }
@fragment fn f(@builtin(position) at: vec4f, @location(0) tint: vec4f) -> Out {
  return Out(tint, select(1u, 0u, at.x < 12.0));
}";

struct Case {
    bytes: Vec<u8>,
    trace: Arc<Trace>,
}

fn open(bytes: Vec<u8>) -> Case {
    let trace = opened(bytes.clone()).unwrap();
    Case { bytes, trace: Arc::new(trace) }
}

/// A random trace: every other one of large triangles with shaders of all kinds, the rest of odd commands.
fn random_case(seed: u64) -> Case {
    if seed.is_multiple_of(2) {
        return open(random_triangles(seed));
    }
    let case = open(random_trace(seed + 700_000));
    let holed = |_, text: &[u8]| match text {
        text if text == FRAGMENT_WGSL.as_bytes() => HOLED_WGSL.as_bytes().to_vec(),
        text if text.starts_with(b"@fragment fn f()") => HOLED_PURPLE_WGSL.as_bytes().to_vec(),
        text => text.to_vec(),
    };
    open(rewrite(&case.bytes, &case.trace, |_, _, packet| vec![packet], holed))
}

/// Frames of large triangles over each other, not all of which begin with a CLEAR.
fn random_triangles(seed: u64) -> Vec<u8> {
    let mut random = Random::new(seed);
    let mut scene = Scene::with_pipeline();
    let fragments = [HOLED_WGSL, HOLED_PURPLE_WGSL, MASKED_WGSL, "@fragment fn f() {}"];
    for (id, text) in (2..).zip(fragments) {
        scene.shader(id + 1, 1, text).pipeline(id, 1, id + 1);
    }
    let bytes = |random: &mut Random, triangles: u32| {
        let vertex = |_| {
            let [x, y, r, g, b, a] = [13, 13, 9, 9, 9, 9].map(|steps| random.below(steps));
            let [x, y] = [x, y].map(|step| step as f32 * 0.25 - 1.5);
            vertices(&[[x, y]], [r, g, b, a].map(|step| step as f32 / 8.0))
        };
        (0..triangles * 3).flat_map(vertex).collect::<Vec<u8>>()
    };
    scene.buffer(1, &bytes(&mut random, 12)).bind(1);
    for frame in 0..3 {
        if frame > 0 {
            scene.begin();
        }
        for _ in 0..7 {
            match random.below(8) {
                0 => scene.clear([random.below(5) as f32 * 0.25; 4]),
                1 => scene.upload(1, 72 * random.below(11), &bytes(&mut random, 1)),
                2 => scene.viewport(random.pick(&[0, 9, 16, 20]), random.pick(&[7, 16])),
                3 => scene.packet(Packet::SetPipeline { pipeline_id: 1 + random.below(5) }),
                _ => scene.draw(3 * random.below(8), random.pick(&[3, 3, 6, 12, 1])),
            };
        }
        scene.end();
    }
    scene.finish()
}

fn player_of(gpu: &Arc<Gpu>, trace: &Arc<Trace>) -> Player {
    Player::new(trace.clone(), gpu.clone(), SIDE).unwrap()
}

impl Case {
    fn player(&self, gpu: &Arc<Gpu>) -> Player {
        player_of(gpu, &self.trace)
    }

    fn index(&self) -> TraceIndex {
        TraceIndex::build(&self.trace, |_| ())
    }

    fn frames(&self) -> impl Iterator<Item = FrameIndex> + use<> {
        (0..self.trace.frames().len() as u32).map(FrameIndex)
    }

    fn with_packets(&self, packets: impl FnMut(u32, u32, Packet) -> Vec<Packet>) -> Case {
        open(rewrite(&self.bytes, &self.trace, packets, |_, bytes| bytes.to_vec()))
    }

    /// The trace without some draws of a frame.
    fn without_draws(&self, frame: FrameIndex, is_left_out: impl Fn(u32) -> bool) -> Case {
        let mut draws = 0;
        self.with_packets(|of, _, packet| {
            let is_draw = matches!(packet, Packet::Draw { .. }) && of == frame.0;
            draws += u32::from(is_draw);
            if is_draw && is_left_out(draws - 1) { Vec::new() } else { vec![packet] }
        })
    }

    /// The picture after one command, which is drawn over a colour.
    fn over(&self, gpu: &Arc<Gpu>, frame: FrameIndex, packet: u32, [r, g, b, a]: [f32; 4]) -> Picture {
        let case = self.with_packets(|of, number, own| match (of == frame.0).then_some(number) {
            Some(number) if number == packet => vec![Packet::Clear { r, g, b, a }, own],
            Some(number) if number > packet => match own {
                Packet::Clear { .. } | Packet::Draw { .. } => Vec::new(),
                other => vec![other],
            },
            _ => vec![own],
        });
        case.player(gpu).render(frame).unwrap()
    }

    /// Which pixels a command of a frame writes.
    fn written(&self, gpu: &Arc<Gpu>, frame: FrameIndex, packet: u32) -> Vec<bool> {
        let (a, b) = (self.over(gpu, frame, packet, [0.1, 0.9, 0.3, 0.2]), self.over(gpu, frame, packet, [0.8; 4]));
        a.rgba().as_chunks::<4>().0.iter().zip(b.rgba().as_chunks::<4>().0).map(|(a, b)| a == b).collect()
    }
}

/// Every CLEAR and DRAW of a trace, and the pixels that it writes.
fn all_strokes(gpu: &Arc<Gpu>, case: &Case, index: &TraceIndex) -> Vec<(CommandNumber, bool, Vec<bool>)> {
    let touches = |step: &ResolvedCommand| matches!(step, ResolvedCommand::Clear { .. } | ResolvedCommand::Draw { .. });
    let strokes = index.numbers_in(0..index.command_count(), touches).map(|number| {
        let is_clear = matches!(index.command(number), Some(ResolvedCommand::Clear { .. }));
        let at = index.location(number).unwrap();
        let written = if is_clear { vec![true; 256] } else { case.written(gpu, at.frame, at.packet) };
        (number, is_clear, written)
    });
    strokes.collect()
}

fn last_writers_are_the_last_that_write(gpu: Arc<Gpu>) {
    for seed in 0..SEEDS {
        let case = random_case(seed);
        let index = case.index();
        let strokes = all_strokes(&gpu, &case, &index);
        let mut player = case.player(&gpu);
        for frame in case.frames() {
            let end = index.commands_of(frame).unwrap().end;
            let writers = player.map_writers(frame).unwrap();
            for pixel in 0..256 {
                let last = strokes.iter().rfind(|(number, _, written)| number.0 < end && written[pixel]);
                let expected = last.map_or(Writer::Nothing, |(number, ..)| Writer::Command(*number));
                assert_eq!(writers.values()[pixel], expected, "seed {seed}, frame {frame}, pixel {pixel}");
            }
        }
    }
}

fn histories_are_what_films_show(gpu: Arc<Gpu>) {
    let (mut writes, mut misses) = (0, BTreeSet::new());
    for seed in 0..SEEDS {
        let case = random_case(seed);
        let index = case.index();
        let strokes = all_strokes(&gpu, &case, &index);
        let mut random = Random::new(seed);
        let (mut player, mut film) = (case.player(&gpu), case.player(&gpu));
        for frame in case.frames() {
            let draws = index.draws_of(frame).count() as u32;
            let before = frame.0.checked_sub(1).map(FrameIndex);
            let before = before.map(|before| film.render(before).unwrap());
            let points = (0..draws).map(Point::Draw).chain([Point::End]);
            let shots: Vec<Picture> = points.map(|point| film.render(Place { frame, point }).unwrap()).collect();
            for _ in 0..10 {
                let (x, y) = (random.below(SIDE_PX), random.below(SIDE_PX));
                let pixel = (y * SIDE_PX + x) as usize;
                let context = format!("seed {seed}, frame {frame}, pixel {x},{y}");
                let history = pixel_history(&mut player, Place::end_of(frame), x, y).unwrap();
                let own = index.commands_of(frame).unwrap();
                let expected: Vec<_> = strokes.iter().filter(|(number, ..)| own.contains(&number.0)).collect();
                assert_eq!(history.events.len(), expected.len(), "{context}");

                let start = before.as_ref().map_or([0; 4], |before| before.pixel(x, y).unwrap());
                assert_eq!(history.start.unwrap().0, start, "{context}");
                let origin = strokes.iter().rfind(|(number, _, written)| number.0 < own.start && written[pixel]);
                let found = match history.origin {
                    Origin::Nothing => None,
                    origin @ (Origin::Created { .. } | Origin::Unknown { .. }) => panic!("{context}: {origin}"),
                    Origin::Command { number, at, .. } => {
                        assert_eq!(Some(at), index.location(number), "{context}");
                        Some(number)
                    }
                };
                assert_eq!(found, origin.map(|(number, ..)| *number), "{context}");

                let mut color = start;
                for (event, (number, is_clear, written)) in history.events.iter().zip(expected) {
                    assert_eq!((event.number, event.kind == PixelWriteKind::Clear), (*number, *is_clear), "{context}");
                    match event.effect {
                        Effect::Wrote { before, after } => {
                            assert!(written[pixel], "{context}: {event}");
                            assert_eq!(before.unwrap().0, color, "{context}: {event}");
                            color = after.0;
                            writes += u32::from(!is_clear);
                        }
                        Effect::Missed(miss) => {
                            assert!(!written[pixel], "{context}: {event}");
                            misses.insert(format!("{miss:?}").split(' ').next().unwrap().to_owned());
                        }
                    }
                    if let PixelWriteKind::Draw(draw) = event.kind {
                        assert_eq!(shots[draw as usize].pixel(x, y), Some(color), "{context}: {event}");
                    }
                }
                let end = shots.last().unwrap().pixel(x, y);
                assert_eq!(end, Some(history.end.unwrap().0), "{context}");
            }
        }
    }
    assert!(writes > 100, "{writes} writes are no test");
    let expected = ["Discarded", "NoColor", "NoTriangle", "NotCovered", "OutsideViewport"].map(str::to_owned);
    assert_eq!(misses, BTreeSet::from(expected));
}

/// Each triangle a draw of its own, so that each can be asked.
fn split_into_triangles(case: &Case) -> Case {
    case.with_packets(|_, _, packet| match packet {
        Packet::Draw { vertex_count, first_vertex } => (0..vertex_count / 3)
            .map(|triangle| Packet::Draw { vertex_count: 3, first_vertex: first_vertex + triangle * 3 })
            .collect(),
        other => vec![other],
    })
}

fn the_triangle_found_is_the_last_that_writes(gpu: Arc<Gpu>) {
    let mut found = 0;
    for seed in 0..SEEDS / 2 {
        let case = random_case(seed);
        let split = split_into_triangles(&case);
        let (index, split_index) = (case.index(), split.index());
        let mut random = Random::new(seed);
        let mut player = case.player(&gpu);
        for frame in case.frames() {
            let mut triangles = split_index.draws_of(frame);
            for (draw, number) in (0..).zip(index.draws_of(frame)) {
                let Some(ResolvedCommand::Draw { vertex_count, .. }) = index.command(number) else { unreachable!() };
                let own: Vec<_> = triangles.by_ref().take(vertex_count as usize / 3).collect();
                let mask = player.mask_draws(frame, &DrawSelection::one(draw)).unwrap();
                let marked: Vec<u32> = (0..256).filter(|pixel| mask.values()[*pixel as usize]).collect();
                let pixel = if marked.is_empty() { random.below(256) } else { random.pick(&marked) };
                let (x, y) = (pixel % SIDE_PX, pixel / SIDE_PX);
                let writes = |number: &CommandNumber| {
                    let at = split_index.location(*number).unwrap();
                    split.written(&gpu, frame, at.packet)[pixel as usize]
                };
                let expected = own.iter().rposition(writes).map(|triangle| triangle as u32);
                let triangle = player.find_triangle(frame, draw, x, y).unwrap();
                assert_eq!(triangle, expected, "seed {seed}, frame {frame}, draw {draw}, pixel {x},{y}");
                found += u32::from(triangle.is_some());
            }
        }
    }
    assert!(found > 20, "{found} triangles are no test");
}

fn counts_are_the_sum_of_triangles(gpu: Arc<Gpu>) {
    for seed in 0..SEEDS / 2 {
        let case = random_case(seed);
        let split = split_into_triangles(&case);
        let index = split.index();
        let strokes = all_strokes(&gpu, &split, &index);
        let mut player = case.player(&gpu);
        for frame in case.frames() {
            let counts = player.count_writes(frame, &DrawSelection::All).unwrap();
            let own = index.commands_of(frame).unwrap();
            let draws = || strokes.iter().filter(|(number, is_clear, _)| own.contains(&number.0) && !is_clear);
            for pixel in 0..256 {
                let expected = draws().filter(|(_, _, written)| written[pixel]).count() as u32;
                assert_eq!(counts.values()[pixel], expected, "seed {seed}, frame {frame}, pixel {pixel}");
            }
        }
    }
}

/// A pixel written 5000 times by one draw is written 5000 times, and 2049 times is not 2048 times.
fn counts_do_not_saturate(gpu: Arc<Gpu>) {
    let mut scene = Scene::with_pipeline();
    let one = [[-1.0, -1.0], [3.0, -1.0], [-1.0, 3.0]];
    let many: Vec<[f32; 2]> = (0..5000).flat_map(|_| one).collect();
    scene.buffer(1, &vertices(&many, RED)).bind(1).draw(0, 5000 * 3).draw(0, 2049 * 3);
    scene.viewport(8, 8).draw(3, 7).end();
    let mut player = open(scene.finish()).player(&gpu);
    let count = |player: &mut Player, draws| {
        let counts = player.count_writes(FrameIndex(0), &draws).unwrap();
        (counts.at(0, 0).unwrap(), counts.at(15, 15).unwrap())
    };
    assert_eq!(count(&mut player, DrawSelection::All), (7051, 7049));
    assert_eq!(count(&mut player, DrawSelection::one(1)), (2049, 2049));
    assert_eq!(count(&mut player, DrawSelection::one(2)), (2, 0));
    let mut triangle = |draw, x_px| player.find_triangle(FrameIndex(0), draw, x_px, 0).unwrap();
    assert_eq!(
        (triangle(0, 5), triangle(1, 15), triangle(2, 3), triangle(2, 9)),
        (Some(4999), Some(2048), Some(1), None)
    );
}

fn variants_are_traces_without_the_draws(gpu: Arc<Gpu>) {
    for seed in 0..SEEDS {
        let case = random_case(seed);
        let index = case.index();
        let mut random = Random::new(seed);
        let mut player = case.player(&gpu);
        for frame in case.frames() {
            let draws = index.draws_of(frame).count() as u32;
            let some: BTreeSet<u32> = (0..draws).filter(|_| random.one_in(2)).collect();
            for selection in [DrawSelection::Without(some.clone()), DrawSelection::Only(some)] {
                let variant = Variant { draws: selection.clone(), ..Variant::default() };
                let picture = player.render_variant(frame, &variant).unwrap();
                let written = case.without_draws(frame, |draw| !selection.contains(draw));
                let expected = written.player(&gpu).render(frame).unwrap();
                assert_eq!(picture.hash(), expected.hash(), "seed {seed}, frame {frame}, {selection:?}");
            }
            if draws > 0 {
                let place = Place::at_draw(frame, random.below(draws));
                let picture = player.render_variant(place, &Variant::default()).unwrap();
                let expected = case.player(&gpu).render(place).unwrap();
                assert_eq!(picture.hash(), expected.hash(), "seed {seed}, {place}");
            }
        }
    }
}

/// A place between draws is a place like any other.
fn questions_end_where_they_are_told(gpu: Arc<Gpu>) {
    for seed in 0..SEEDS / 4 {
        let case = random_case(seed);
        let index = case.index();
        let (mut player, mut other) = (case.player(&gpu), case.player(&gpu));
        for frame in case.frames() {
            let own = index.commands_of(frame).unwrap();
            // As many packets as come before the place.
            for packets in 0..=own.len() as u32 {
                let place = Place { frame, point: Point::before_packet(packets) };
                let context = format!("seed {seed}, {place}");
                let expected = other.render(place).unwrap();
                let variant = player.render_variant(place, &Variant::default()).unwrap();
                assert_eq!(variant.hash(), expected.hash(), "{context}");
                let history = pixel_history(&mut player, place, 7, 8).unwrap();
                assert_eq!(history.end.unwrap().0, expected.pixel(7, 8).unwrap(), "{context}");
                let end = own.start + packets;
                let touches = |step: &ResolvedCommand| {
                    matches!(step, ResolvedCommand::Clear { .. } | ResolvedCommand::Draw { .. })
                };
                assert_eq!(history.events.len(), index.numbers_in(own.start..end, touches).count(), "{context}");
                let writers = player.map_writers(place).unwrap();
                let last = history.writers().next_back().map(|event| Writer::Command(event.number));
                let origin = match history.origin {
                    Origin::Command { number, .. } => Writer::Command(number),
                    _ => Writer::Nothing,
                };
                assert_eq!(writers.at(7, 8), Some(last.unwrap_or(origin)), "{context}");
            }
        }
    }
}

/// Every question leaves the player where it stands, wherever that is.
fn questions_leave_the_player_where_it_is(gpu: Arc<Gpu>) {
    for seed in 0..SEEDS {
        let case = random_case(seed);
        let index = case.index();
        let mut random = Random::new(seed);
        let frames = case.trace.frames().len() as u32;
        let mut player = case.player(&gpu);
        let black = player.read_back().unwrap();
        ask(&mut player, &mut random, &index);
        assert_eq!(player.read_back().unwrap().hash(), black.hash(), "seed {seed}: before the first frame");
        let mut place = Place::end_of(FrameIndex(0));
        for visit in 0..30 {
            let draws = index.draws_of(place.frame).count() as u32;
            place = match random.below(4) {
                0 if draws > 0 => Place::at_draw(place.frame, random.below(draws)),
                1 => Place::end_of(FrameIndex(random.below(frames))),
                _ => Place::end_of(FrameIndex((place.frame.0 + 1) % frames)),
            };
            let shown = player.render(place).unwrap();
            let expected = case.player(&gpu).render(place).unwrap();
            assert_eq!(shown.hash(), expected.hash(), "seed {seed}, visit {visit}, {place:?}");
            if random.one_in(2) {
                ask(&mut player, &mut random, &index);
                assert_eq!(player.read_back().unwrap().hash(), shown.hash(), "seed {seed}, visit {visit}");
            }
        }
    }
}

fn ask(player: &mut Player, random: &mut Random, index: &TraceIndex) {
    let frame = FrameIndex(random.below(index.frame_count() as u32));
    let draws = index.draws_of(frame).count() as u32;
    let (x, y) = (random.below(SIDE_PX), random.below(SIDE_PX));
    match random.below(6) {
        0 => drop(pixel_history(player, Place::end_of(frame), x, y).unwrap()),
        1 => drop(player.map_writers(frame).unwrap()),
        2 => drop(player.count_writes(frame, &DrawSelection::All).unwrap()),
        3 if draws > 0 => {
            let draw = random.below(draws);
            drop(overlay(player, Place::end_of(frame), OverlayKind::Highlight { draw }).unwrap());
        }
        4 => drop(player.render_variant(frame, &Variant::default()).unwrap()),
        // An error of the caller leaves it too.
        _ => drop(pixel_history(player, Place::at_draw(frame, draws), x, y).unwrap_err()),
    }
}

fn picture_of(map: &PixelMap<bool>) -> String {
    let rows = map.values().chunks(map.size().width_px as usize);
    rows.map(|row| row.iter().map(|is| if *is { '#' } else { '.' }).collect::<String>() + "\n").collect()
}

/// Two triangles of a square of 8 by 8 pixels: the frame and the diagonal.
fn edges_are_edges(gpu: Arc<Gpu>) {
    let mut scene = Scene::with_pipeline();
    scene.buffer(1, &vertices(&rectangle(-0.5, -0.5, 0.5, 0.5), RED)).bind(1).draw(0, 6).end();
    let mut player = open(scene.finish()).player(&gpu);
    let edges = player.mask_edges(FrameIndex(0), &DrawSelection::All).unwrap();
    let picture = picture_of(&edges);
    let marked = edges.values().iter().filter(|is| **is).count();
    assert!((30..=44).contains(&marked), "{picture}");
    assert_eq!((edges.at(8, 8), edges.at(5, 9), edges.at(9, 4)), (Some(true), Some(false), Some(false)), "{picture}");
    let style = DrawStyle::Wireframe([1, 2, 3, 4]);
    let variant = Variant { style, ..Variant::default() };
    let drawn = player.render_variant(FrameIndex(0), &variant).unwrap();
    for (pixel, is_edge) in drawn.rgba().as_chunks::<4>().0.iter().zip(edges.values()) {
        assert_eq!(*pixel, if *is_edge { [1, 2, 3, 4] } else { [0; 4] });
    }
}

fn styles_are_for_the_draws_they_are_for(gpu: Arc<Gpu>) {
    let mut scene = Scene::new();
    scene.begin().shaders(1, 2, VERTEX_WGSL, HOLED_WGSL).pipeline(1, 1, 2);
    scene.packet(Packet::SetPipeline { pipeline_id: 1 }).clear(BLACK);
    let left = vertices(&rectangle(-1.0, -1.0, 0.0, 1.0), RED);
    let right = vertices(&rectangle(0.0, -1.0, 1.0, 1.0), GREEN);
    scene.buffer(1, &[left, right].concat()).bind(1).draw(0, 6).draw(6, 6).end();
    let mut player = open(scene.finish()).player(&gpu);
    let pink = [250, 7, 130, 3];
    let variant = Variant { style: DrawStyle::Solid(pink), styled: DrawSelection::one(1), ..Variant::default() };
    let picture = player.render_variant(FrameIndex(0), &variant).unwrap();
    let at = |x, y| picture.pixel(x, y).unwrap();
    // Red comes out blue on the left; where the checkerboard has holes, the CLEAR shows.
    assert_eq!([at(1, 0), at(0, 0), at(9, 0), at(8, 0)], [[0, 0, 255, 255], [0, 0, 0, 255], pink, [0, 0, 0, 255]]);
}

fn every_miss_has_its_reason(gpu: Arc<Gpu>) {
    let mut scene = Scene::with_pipeline();
    let full = vertices(&rectangle(-1.0, -1.0, 1.0, 1.0), RED);
    let corner = vertices(&rectangle(-1.0, 0.5, -0.5, 1.0), BLUE);
    scene.buffer(1, &[full, corner].concat()).bind(1);
    scene.shader(3, 1, HOLED_WGSL).pipeline(2, 1, 3);
    scene.shader(4, 1, "@fragment fn f() {}").pipeline(3, 1, 4);
    scene.shader(5, 1, MASKED_WGSL).pipeline(4, 1, 5);
    let set = |scene: &mut Scene, pipeline_id| {
        scene.packet(Packet::SetPipeline { pipeline_id });
    };
    scene.draw(0, 6).draw(6, 6).draw(0, 0).draw(0, 2).viewport(4, 16).draw(0, 6).viewport(0, 0);
    set(&mut scene, 2);
    scene.draw(0, 6).draw(6, 6);
    set(&mut scene, 3);
    scene.draw(0, 6);
    set(&mut scene, 4);
    scene.draw(0, 6).clear(GREEN).end();
    let mut player = open(scene.finish()).player(&gpu);
    let history = pixel_history(&mut player, Place::end_of(FrameIndex(0)), 10, 10).unwrap();
    let effects: Vec<_> = history
        .events
        .iter()
        .map(|event| match event.effect {
            Effect::Wrote { after, .. } => Ok(after.0),
            Effect::Missed(miss) => Err(miss),
        })
        .collect();
    let expected = [
        Ok([255, 0, 0, 255]),
        Err(Miss::NotCovered),
        Err(Miss::NoTriangle { vertex_count: 0 }),
        Err(Miss::NoTriangle { vertex_count: 2 }),
        Err(Miss::OutsideViewport { viewport_px: [4, 16] }),
        Err(Miss::Discarded),
        Err(Miss::NotCovered),
        Err(Miss::NoColor),
        Err(Miss::Discarded),
        Ok([0, 255, 0, 255]),
    ];
    assert_eq!(effects, expected);
    let counts = player.count_writes(FrameIndex(0), &DrawSelection::All).unwrap();
    assert_eq!((counts.at(10, 10), counts.at(13, 10)), (Some(1), Some(3)));
}

/// Flat varyings from the last vertex decide what is discarded, in every question as in the picture.
fn the_provoking_vertex_is_kept(gpu: Arc<Gpu>) {
    let vertex = "#version 300 es
in vec2 position; in vec4 color; flat out vec4 tint;
void main() { tint = color; gl_Position = vec4(position, 0.0, 1.0); }";
    let fragment = "#version 300 es
precision highp float;
flat in vec4 tint; out vec4 color;
void main() { if (tint.r > 0.5) discard; color = tint; }";
    let mut scene = Scene::new();
    scene.begin().glsl_shader(1, 0, vertex).glsl_shader(2, 1, fragment).pipeline(1, 1, 2);
    scene.packet(Packet::SetPipeline { pipeline_id: 1 });
    let corners = [([-1.0, -1.0], RED), ([3.0, -1.0], GREEN), ([-1.0, 3.0], BLUE)];
    let bytes: Vec<u8> = corners.iter().flat_map(|(position, color)| vertices(&[*position], *color)).collect();
    scene.buffer(1, &bytes).bind(1).clear(BLACK).draw(0, 3).end();
    let case = open(scene.finish());
    for (provoking, color, miss) in [
        (ProvokingVertex::First, [0, 0, 0, 255], Some(Miss::Discarded)),
        (ProvokingVertex::Last, [0, 0, 255, 255], None),
    ] {
        let mut player = case.player(&gpu);
        let glsl = GlslOptions { provoking, ..GlslOptions::default() };
        player.set_shader_options(ShaderOptions { glsl, ..ShaderOptions::default() });
        let history = pixel_history(&mut player, Place::end_of(FrameIndex(0)), 4, 4).unwrap();
        let effect = history.events.last().unwrap().effect;
        assert_eq!(matches!(effect, Effect::Missed(Miss::Discarded)), miss.is_some(), "{effect:?}");
        assert_eq!(history.end.unwrap().0, color);
        let counts = player.count_writes(FrameIndex(0), &DrawSelection::All).unwrap();
        assert_eq!(counts.at(4, 4), Some(u32::from(miss.is_none())));
        assert_eq!(player.find_triangle(FrameIndex(0), 0, 4, 4).unwrap(), miss.is_none().then_some(0));
    }
}

/// Frames with errors have a history up to the error, and the player goes on as before.
fn errors_end_a_history(gpu: Arc<Gpu>) {
    let mut scene = Scene::with_pipeline();
    scene.buffer(1, &vertices(&rectangle(-1.0, -1.0, 1.0, 1.0), GREEN)).bind(1).clear(BLACK).draw(0, 6).end();
    // The bytes tell that this one is wrong, the index does not.
    scene.begin().clear(BLUE).draw(0, 6).draw(0, 60).draw(0, 6).end();
    scene.begin().clear(RED).draw(0, 6).upload(9, 0, &[0; 4]).draw(0, 6).end();
    scene.begin().clear(BLUE).end();
    let case = open(scene.finish());
    let mut player = case.player(&gpu);
    let first = player.render(FrameIndex(0)).unwrap();
    let mut history = |frame| pixel_history(&mut player, Place::end_of(FrameIndex(frame)), 3, 3);
    let second = history(1).unwrap();
    assert_eq!(second.events.len(), 2);
    assert!(second.error.unwrap().message.contains("(frame 1, packet 2): reads 1440 bytes of buffer 1"));
    // It begins with what cannot be drawn, and covers it with a CLEAR.
    let third = history(2).unwrap();
    assert!(matches!(&third.origin, Origin::Unknown { error } if error.contains("(frame 1, packet 2)")));
    assert_eq!((third.start, third.events.len(), third.end.unwrap().0), (None, 2, [0, 255, 0, 255]));
    assert!(third.error.unwrap().message.contains("(frame 2, packet 2): buffer 9 does not exist"));
    let error = history(3).unwrap_err().to_string();
    assert!(error.contains("(frame 2, packet 2): buffer 9 does not exist"), "{error}");
    let error = history(4).unwrap_err().to_string();
    assert_eq!(error, "frame 4 does not exist: the trace has 4 frames (0 to 3)");
    let error = pixel_history(&mut player, Place::end_of(FrameIndex(0)), 16, 0).unwrap_err().to_string();
    assert_eq!(error, "pixel 16,0 does not exist: the target is 16x16");
    let error = pixel_history(&mut player, Place::at_draw(FrameIndex(0), 1), 0, 0).unwrap_err().to_string();
    assert_eq!(error, "draw 1 does not exist: frame 0 has 1 draw (0)");
    let error = player.mask_draws(FrameIndex(0), &DrawSelection::one(7)).unwrap_err().to_string();
    assert_eq!(error, "draw 7 does not exist: frame 0 has 1 draw (0)");
    // A faulty draw that is left out is no fault.
    let variant = Variant { draws: DrawSelection::Without(BTreeSet::from([1])), ..Variant::default() };
    let without = player.render_variant(FrameIndex(1), &variant).unwrap();
    assert_eq!(without.pixel(0, 0), Some([0, 255, 0, 255]));
    assert_eq!(player.read_back().unwrap().hash(), first.hash());
}

fn overlays_tell_what_is_seen(gpu: Arc<Gpu>) {
    let mut scene = Scene::with_pipeline();
    let left = vertices(&rectangle(-1.0, -1.0, 0.0, 1.0), RED);
    let bottom = vertices(&rectangle(-1.0, -1.0, 1.0, 0.0), GREEN);
    scene.buffer(1, &[left, bottom].concat()).bind(1).clear(BLACK).draw(0, 6).end();
    scene.begin().draw(6, 6).end();
    let mut player = open(scene.finish()).player(&gpu);
    let legend = |player: &mut Player, frame, kind| {
        let made = overlay(player, Place::end_of(FrameIndex(frame)), kind).unwrap();
        made.legend.into_iter().map(|entry| (entry.meaning, entry.pixels)).collect::<Vec<_>>()
    };
    let line = |meaning: &str, pixels| (meaning.to_owned(), pixels);
    assert_eq!(
        legend(&mut player, 0, OverlayKind::Highlight { draw: 0 }),
        [line("written by draw 0, visible", 128), line("written by draw 0, then overwritten", 0)]
    );
    assert_eq!(legend(&mut player, 0, OverlayKind::Overdraw), [line("written once", 128)]);
    assert_eq!(
        legend(&mut player, 1, OverlayKind::Age),
        [line("the last draw", 128), line("1 frame ago", 64), line("a CLEAR", 64)]
    );
    assert_eq!(legend(&mut player, 1, OverlayKind::Wireframe { draw: Some(0) }).len(), 1);
    // Packets of Appendix A cull nothing, and have no depth.
    assert_eq!(legend(&mut player, 0, OverlayKind::Tests { draw: 0 }), [line("written by draw 0", 128)]);
    let sides = legend(&mut player, 0, OverlayKind::Sides { draw: 0 });
    assert!(
        sides == [line("draw 0 shows its front", 128)] || sides == [line("draw 0 shows its back", 128)],
        "{sides:?}"
    );
}

/// One triangle of each winding.
fn sides_of_triangles_are_told(gpu: Arc<Gpu>) {
    let mut scene = Scene::with_pipeline();
    let corners = |order: [usize; 3], left: f32| {
        let all = [[left, -1.0], [left + 1.0, -1.0], [left, 1.0]];
        order.map(|corner| all[corner])
    };
    let both = [corners([0, 1, 2], -1.0), corners([0, 2, 1], 0.0)].concat();
    scene.buffer(1, &vertices(&both, RED)).bind(1).clear(BLACK).draw(0, 6).end();
    let mut player = open(scene.finish()).player(&gpu);
    let sides = overlay(&mut player, FrameIndex(0), OverlayKind::Sides { draw: 0 }).unwrap().legend;
    let [front, back] = &sides[..] else { panic!("{sides:?}") };
    assert_eq!((front.meaning.as_str(), back.meaning.as_str()), ("draw 0 shows its front", "draw 0 shows its back"));
    assert!(front.pixels > 20 && front.pixels.abs_diff(back.pixels) < 12, "{sides:?}");
}

pub fn trials() -> Vec<Trial> {
    vec![
        software::trial("last_writers_are_the_last_that_write", last_writers_are_the_last_that_write),
        software::trial("histories_are_what_films_show", histories_are_what_films_show),
        software::trial("the_triangle_found_is_the_last_that_writes", the_triangle_found_is_the_last_that_writes),
        software::trial("counts_are_the_sum_of_triangles", counts_are_the_sum_of_triangles),
        software::trial("counts_do_not_saturate", counts_do_not_saturate),
        software::trial("variants_are_traces_without_the_draws", variants_are_traces_without_the_draws),
        software::trial("questions_end_where_they_are_told", questions_end_where_they_are_told),
        software::trial("questions_leave_the_player_where_it_is", questions_leave_the_player_where_it_is),
        software::trial("edges_are_edges", edges_are_edges),
        software::trial("styles_are_for_the_draws_they_are_for", styles_are_for_the_draws_they_are_for),
        software::trial("every_miss_has_its_reason", every_miss_has_its_reason),
        software::trial("the_provoking_vertex_is_kept", the_provoking_vertex_is_kept),
        software::trial("errors_end_a_history", errors_end_a_history),
        software::trial("overlays_tell_what_is_seen", overlays_tell_what_is_seen),
        software::trial("sides_of_triangles_are_told", sides_of_triangles_are_told),
    ]
}
