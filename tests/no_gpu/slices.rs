//! A slice shows what playing everything shows, found by thousands of random traces, without a GPU.
//!
//! A picture is compared before it is one: as the draws since the last CLEAR, each with the texts of its shaders, its
//! rectangle and the bytes of its vertices. Equal lists give equal pictures on any GPU.

use std::sync::Arc;

use crate::support;
use aerogpu_replay::bytes::{Diagnostics, MemorySource};
use aerogpu_replay::command::{Command, Located, Shown};
use aerogpu_replay::format::aerogpu::{FrameIndex, Trace};
use aerogpu_replay::replay::{
    BufferKey, CommandNumber, CommandReader, CommandStream, DirectFetch, Executor, Flow, InputHasher, Op, ReplayError,
    ResolvedCommand, SliceTarget, TraceIndex, VertexFetch, largest_viewport, write_trimmed,
};
use support::fixtures;
use support::growth::{chained_packets, chained_submissions};
use support::harness::{Trial, trials_of};
use support::random::{Random, random_trace};

pub fn trials() -> Vec<Trial> {
    trials_of![
        trimming_random_traces_keeps_frames,
        trimming_the_fixtures_keeps_frames,
        seeking_random_traces_is_playing_them,
        seeking_the_fixtures_is_playing_them,
        hashes_are_the_same_in_any_order,
    ]
}

const TRACES: u64 = 1500;

fn open(bytes: Vec<u8>) -> Arc<Trace> {
    Arc::new(Trace::from_source(Arc::new(MemorySource::from(bytes)), &mut Diagnostics::new()).unwrap())
}

/// Everything that decides one draw's pixels.
#[derive(Clone, Debug, PartialEq)]
enum Mark {
    Fill([f32; 4]),
    Draw { texts: [Vec<u8>; 2], viewport_px: Option<[u32; 2]>, vertices: Vec<Vec<u8>>, numbers_from: Option<u32> },
}

/// Draws into a list instead of a target.
struct Canvas {
    trace: Arc<Trace>,
    marks: Vec<Mark>,
}

impl Canvas {
    fn new(trace: &Arc<Trace>) -> Self {
        let marks = vec![Mark::Fill([0.0; 4])];
        Self { trace: trace.clone(), marks }
    }

    fn apply(&mut self, command: &Located<Command>, executor: &mut Executor) {
        executor.apply(command).unwrap();
        for op in executor.ops() {
            match op {
                Op::Clear { rgba } => self.marks = vec![Mark::Fill(*rgba)],
                Op::Draw(draw) => {
                    let program = executor.programs().get(draw.program).unwrap();
                    let text = |offset: u64| self.trace.read(offset..offset + 60).unwrap();
                    let range = draw.first_vertex..draw.first_vertex + draw.vertex_count;
                    let vertices = match &draw.vertices {
                        VertexFetch::None => Vec::new(),
                        VertexFetch::Direct(DirectFetch { buffer, start_bytes, layout }) => range
                            .clone()
                            .flat_map(|vertex| {
                                let start =
                                    u64::from(*start_bytes) + u64::from(vertex) * u64::from(layout.stride_bytes);
                                let slots = [(layout.position.offset_bytes(), 8), (layout.color.offset_bytes(), 16)];
                                slots.into_iter().filter_map(move |(at, size)| Some((start + u64::from(at?), size)))
                            })
                            .map(|(start, size)| bytes_of(executor, *buffer, start, size))
                            .collect(),
                        VertexFetch::Gathered { bytes } => {
                            let size = bytes.len() / range.end as usize;
                            let first = if program.vertex.uses_vertex_index { range.start as usize } else { 0 };
                            let size = if first == 0 { bytes.len() / range.len() } else { size };
                            bytes.chunks(size.max(1)).skip(first).map(<[u8]>::to_vec).collect()
                        }
                    };
                    let numbers_from = program.vertex.uses_vertex_index.then_some(range.start);
                    let texts = [text(program.vertex.text_offset), text(program.fragment.text_offset)];
                    self.marks.push(Mark::Draw { texts, viewport_px: draw.viewport_px, vertices, numbers_from });
                }
                _ => {}
            }
        }
    }
}

fn bytes_of(executor: &Executor, key: BufferKey, start: u64, size: u64) -> Vec<u8> {
    let (_, contents) = executor.state().bound_contents(key).unwrap();
    let mut bytes = Vec::new();
    executor.blobs().read_pieces(&contents.pieces(start..start + size), &mut bytes).unwrap();
    bytes
}

/// The marks after each command, by playing everything.
fn play(trace: &Arc<Trace>) -> Vec<Vec<Mark>> {
    let mut canvas = Canvas::new(trace);
    let mut after = Vec::new();
    let (mut stream, mut executor) = (CommandStream::new(trace.clone()), Executor::new(trace.clone()));
    for frame in trace.frame_indices() {
        let read = stream.read_frame(frame, &mut executor, |command, executor| {
            canvas.apply(command, executor);
            after.push(canvas.marks.clone());
            Ok::<Flow, ReplayError>(Flow::Continue)
        });
        read.unwrap();
    }
    after
}

/// The marks after command `end` of a frame, by its slice; `at_hand` is a picture to start from.
fn seek(
    trace: &Arc<Trace>,
    index: &TraceIndex,
    frame: FrameIndex,
    end: u32,
    at_hand: Option<(CommandNumber, Vec<Mark>)>,
    played: &[Vec<Mark>],
) -> Vec<Mark> {
    let mut canvas = Canvas::new(trace);
    let slice = index.slice(frame, end, at_hand.as_ref().map(|(at, _)| *at)).unwrap().unwrap();
    let shown = match slice.target {
        SliceTarget::PictureBefore(at) => {
            let (from, marks) = at_hand.unwrap();
            assert_eq!(at, from);
            canvas.marks = marks;
            at
        }
        SliceTarget::ClearedBy(_) => {
            canvas.marks = vec![Mark::Fill([9.0; 4])];
            CommandNumber(0)
        }
        SliceTarget::Black => CommandNumber(0),
    };
    let mut reader = CommandReader::new(trace.clone());
    let mut executor = Executor::new(trace.clone());
    executor.set_index(index);
    assert!(slice.earlier.is_sorted() && slice.earlier.iter().all(|number| number.0 < slice.own.start));
    for number in slice.earlier.iter().copied().chain(slice.own.clone().map(CommandNumber)) {
        let command = reader.read(index.location(number).unwrap()).unwrap();
        let before = canvas.marks.clone();
        canvas.apply(&command, &mut executor);
        if number < shown {
            canvas.marks = before;
        }
        // Whoever keeps a picture on the way keeps a true one.
        if number >= slice.target.known_from() {
            let (found, expected) = (&canvas.marks, &played[number.0 as usize]);
            let is_same = found.len() == expected.len() && found.last() == expected.last();
            assert!(is_same, "frame {frame}, to command {end}, at {number}");
        }
    }
    canvas.marks
}

fn seeking_is_playing(trace: &Arc<Trace>, random: &mut Random, what: &str) {
    let index = TraceIndex::build(trace, |_| ());
    assert_eq!((index.frame_count(), index.stop()), (trace.frames().len(), None), "{what}");
    let played = play(trace);
    assert_eq!(played.len() as u32, index.command_count());
    let picture_before = |number: u32| match number.checked_sub(1) {
        Some(last) => played[last as usize].clone(),
        None => vec![Mark::Fill([0.0; 4])],
    };
    for frame in (0..index.frame_count() as u32).map(FrameIndex) {
        let own = index.commands_of(frame).unwrap();
        let somewhere = own.start + random.below(own.len() as u32 + 1);
        for end in [own.end, somewhere] {
            let at = random.below(end + 1);
            for at_hand in [None, Some((CommandNumber(at), picture_before(at)))] {
                let marks = seek(trace, &index, frame, end, at_hand, &played);
                assert_eq!(marks, picture_before(end), "{what}, frame {frame}, to command {end}, from {at}");
            }
        }
    }
}

/// The pictures and input hashes of a trimmed trace are those of the frames that it was made of.
fn trimming_keeps_frames(trace: &Arc<Trace>, random: &mut Random, what: &str) {
    let index = Arc::new(TraceIndex::build(trace, |_| ()));
    let kept: Vec<FrameIndex> = (0..index.frame_count() as u32).filter(|_| random.one_in(2)).map(FrameIndex).collect();
    let trimmed = open(write_trimmed(trace, &index, &kept, Shown::default(), Vec::new()).unwrap().sink);
    let trimmed_index = Arc::new(TraceIndex::build(&trimmed, |_| ()));
    assert_eq!((trimmed.frames().len(), trimmed_index.stop()), (kept.len(), None), "{what}");
    assert_eq!(largest_viewport(&trimmed), largest_viewport(trace).filter(|_| !kept.is_empty()), "{what}");
    let (played, replayed) = (play(trace), play(&trimmed));
    let after = |index: &TraceIndex, marks: &[Vec<Mark>], frame: u32| match index.commands_of(FrameIndex(frame)) {
        Some(range) if range.end > 0 => marks[range.end as usize - 1].clone(),
        _ => vec![Mark::Fill([0.0; 4])],
    };
    let mut hasher = InputHasher::new(trace.clone(), index.clone());
    let mut trimmed_hasher = InputHasher::new(trimmed.clone(), trimmed_index.clone());
    for (place, frame) in (0..).zip(&kept) {
        let expected = after(&index, &played, frame.0);
        assert_eq!(after(&trimmed_index, &replayed, place), expected, "{what}, frame {frame} of {kept:?}");
        let hash = hasher.frame(*frame).unwrap();
        assert_eq!(trimmed_hasher.frame(FrameIndex(place)).unwrap(), hash, "{what}, frame {frame} of {kept:?}");
        let draws = hasher.draws(*frame).unwrap();
        assert_eq!(draws.len(), index.draws_of(*frame).count());
        let trimmed_draws = trimmed_hasher.draws(FrameIndex(place)).unwrap();
        // What is drawn before a CLEAR is drawn over the frame before, which is not kept for it.
        let own = index.commands_of(*frame).unwrap();
        let is_clear = |step: &ResolvedCommand| matches!(step, ResolvedCommand::Clear { .. });
        let lost = index.numbers_in(own.clone(), is_clear).next().map_or(own.start, |clear| clear.0);
        let lost = index.draws_of(*frame).filter(|draw| draw.0 < lost).count();
        assert!(trimmed_draws.ends_with(&draws[lost..]), "{what}, frame {frame} of {kept:?}");
        // A draw's own parts know nothing of what it is drawn over.
        let parts = hasher.draw_parts(*frame).unwrap();
        assert_eq!(parts.len(), draws.len());
        let trimmed_parts = trimmed_hasher.draw_parts(FrameIndex(place)).unwrap();
        assert!(trimmed_parts.ends_with(&parts[lost..]), "{what}, frame {frame} of {kept:?}");
    }
}

fn trimming_random_traces_keeps_frames() {
    for seed in 0..TRACES {
        let trace = open(random_trace(seed));
        trimming_keeps_frames(&trace, &mut Random::new(seed ^ 0xdef), &format!("seed {seed}"));
    }
}

fn trimming_the_fixtures_keeps_frames() {
    for (name, make) in fixtures::REPLAYABLE {
        for seed in 0..4 {
            trimming_keeps_frames(&open(make()), &mut Random::new(seed), name);
        }
    }
}

fn seeking_random_traces_is_playing_them() {
    for seed in 0..TRACES {
        let trace = open(random_trace(seed));
        seeking_is_playing(&trace, &mut Random::new(seed ^ 0xabc), &format!("seed {seed}"));
    }
}

fn seeking_the_fixtures_is_playing_them() {
    for (name, make) in fixtures::REPLAYABLE {
        seeking_is_playing(&open(make()), &mut Random::new(1), name);
    }
}

/// Frames are hashed by what is known of those before; it makes no difference which were asked about.
fn hashes_are_the_same_in_any_order() {
    let of_fixtures = fixtures::REPLAYABLE.iter().map(|(name, make)| ((*name).to_owned(), make()));
    let chains = [("packets", chained_packets(40)), ("submissions", chained_submissions(40))];
    let chains = chains.map(|(name, bytes)| (format!("a chain of {name}"), bytes));
    let random = (0..200).map(|seed| (format!("seed {seed}"), random_trace(seed)));
    for (what, bytes) in of_fixtures.chain(chains).chain(random) {
        let trace = open(bytes);
        let index = Arc::new(TraceIndex::build(&trace, |_| ()));
        let frames: Vec<FrameIndex> = (0..index.frame_count() as u32).map(FrameIndex).collect();
        let new = || InputHasher::new(trace.clone(), index.clone());
        let hash = |hasher: &mut InputHasher, frame: FrameIndex| {
            (hasher.frame(frame).unwrap().unwrap(), hasher.draws(frame).unwrap(), hasher.draw_parts(frame).unwrap())
        };
        let alone: Vec<_> = frames.iter().map(|frame| hash(&mut new(), *frame)).collect();
        let mut hasher = new();
        let in_order: Vec<_> = frames.iter().map(|frame| hash(&mut hasher, *frame)).collect();
        assert_eq!(in_order, alone, "{what}");
        let (mut hasher, mut random) = (new(), Random::new(7));
        for _ in 0..2 * frames.len() {
            let frame = random.pick(&frames);
            assert_eq!(hash(&mut hasher, frame), alone[frame.as_usize()], "{what}, frame {frame}");
        }
        for frame in frames {
            let slice = index.slice(frame, index.commands_of(frame).unwrap().end, None).unwrap().unwrap();
            let count = slice.earlier.len();
            assert_eq!(index.count_earlier(frame, usize::MAX).unwrap(), Some(count), "{what}, frame {frame}");
            assert_eq!(index.count_earlier(frame, count).unwrap(), Some(count), "{what}, frame {frame}");
            let too_few = count.checked_sub(1).map(|most| index.count_earlier(frame, most).unwrap());
            assert_eq!(too_few.flatten(), None, "{what}, frame {frame}");
        }
    }
}
