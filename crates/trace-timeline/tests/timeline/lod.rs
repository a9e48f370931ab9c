//! Level of detail against the slow truth: every event of random timelines, one by one.

use std::cell::Cell as Counter;

use dev_trials::random::Random;
use dev_trials::{Trial, trials_of};
use trace_timeline::lod::{
    Cell, Extents, FlowLinks, Pyramid, Rows, SampleBlocks, Scale, SpanExtents, TrackLod, frame_rows, tints, walk_steps,
};
use trace_timeline::{
    Axis, AxisUnit, Builder, FlowKind, FlowPoint, Flows, Frame, RecordOffset, Sample, Span, SpanFlags, StringId, Tick,
    Timeline, TrackId, TrackKind,
};

pub fn trials() -> Vec<Trial> {
    trials_of![
        cells_are_what_a_slow_painter_would_paint,
        a_picture_looks_at_few_events_whatever_their_number,
        rows_remember_indices_that_are_far_apart,
        what_is_out_of_order_is_drawn_somewhere_and_ends,
        graphs_keep_every_peak,
        steps_lie_side_by_side,
        flows_link_each_point_to_the_one_before,
    ]
}

const WIDTH_PX: f64 = 300.0;

/// Linear between points; the last segment goes on.
struct Bent {
    points: Vec<(u64, f64)>,
}

impl Bent {
    /// `from..until` over the width, with a few bends.
    fn new(random: &mut Random, from: u64, until: u64) -> Self {
        let mut ticks = vec![from, until.max(from + 1)];
        for _ in 0..random.below(4) {
            ticks.push(from + u64::from(random.below((until - from).clamp(1, 1 << 30) as u32)));
        }
        ticks.sort_unstable();
        ticks.dedup();
        let mut places: Vec<f64> = ticks.iter().map(|_| f64::from(random.below(1000)) + 1.0).collect();
        places.sort_by(f64::total_cmp);
        let (first, last) = (places[0], places[places.len() - 1]);
        let spread = (last - first).max(1.0);
        let count = places.len();
        let points = ticks.into_iter().zip(places).enumerate().map(|(index, (tick, place))| {
            // Rising even where two places are equal.
            let place = 0.9 * (place - first) / spread + 0.1 * index as f64 / (count - 1) as f64;
            (tick, place * WIDTH_PX)
        });
        Self { points: points.collect() }
    }

    fn segment(&self, tick: f64) -> ((f64, f64), f64) {
        let after = self.points.partition_point(|(at, _)| *at as f64 <= tick);
        let first = after.saturating_sub(1).min(self.points.len() - 2);
        let ((a, p), (b, q)) = (self.points[first], self.points[first + 1]);
        ((a as f64, p), (q - p) / (b as f64 - a as f64))
    }
}

impl Scale for Bent {
    fn px(&self, tick: u64) -> f64 {
        let ((at, place), slope) = self.segment(tick as f64);
        place + (tick as f64 - at) * slope
    }

    fn px_per_tick(&self, _: u64, _: u64) -> f64 {
        self.points.windows(2).map(|pair| (pair[1].1 - pair[0].1) / (pair[1].0 - pair[0].0) as f64).fold(0.0, f64::max)
    }

    fn tick(&self, px: f64) -> u64 {
        let after = self.points.partition_point(|(_, place)| *place <= px);
        let first = after.saturating_sub(1).min(self.points.len() - 2);
        let ((a, p), (b, q)) = (self.points[first], self.points[first + 1]);
        (a as f64 + (px - p) / (q - p) * (b - a) as f64).max(0.0) as u64
    }

    fn visible_px(&self) -> (f64, f64) {
        (0.0, WIDTH_PX)
    }
}

/// A length that is small or large, by chance.
fn length(random: &mut Random) -> u64 {
    let most = random.pick(&[1, 3, 30, 1000, 100_000]);
    u64::from(random.below(most))
}

fn random_timeline(random: &mut Random) -> Timeline {
    let mut builder = Builder::new("random", Axis::without_clock(AxisUnit::Microseconds));
    let names: Vec<StringId> = (0..20).map(|name| builder.intern(format!("name {name}").as_bytes())).collect();
    let stack = builder.track(names[0], TrackKind::Stack, None);
    let ranges = builder.track(names[1], TrackKind::Ranges, None);
    let marks = builder.track(names[2], TrackKind::Marks, None);
    let (none, flags) = (RecordOffset::NONE, SpanFlags::default());
    let (mut at, mut frame) = (0, 0);
    let events = random.pick(&[0_u32, 1, 5, 17, 300, 3000]);
    for _ in 0..random.below(3) {
        builder.span_without_begin(stack, Tick(0), Tick(at), names[3], none);
        at += length(random);
    }
    for number in 0..events {
        at += length(random);
        let name = random.pick(&names);
        match random.below(6) {
            0 | 1 => builder.open(stack, Tick(at), name, none, flags),
            2 | 3 => drop(builder.close(stack, Tick(at))),
            4 => {
                let until = Tick(at + length(random));
                builder.span(ranges, Span::new(Tick(at), until, name, 0, none, flags));
            }
            _ => {
                let until = Tick(at + 1);
                builder.span(marks, Span::new(Tick(at), until, name, 0, none, flags));
                at += 1;
            }
        }
        if random.one_in(20) {
            let (begin, number, record) = (Tick(frame), u64::from(number), none);
            let end = Tick(at);
            builder.frame(Frame { begin, end, number, ended_by: None, drawable: None, track: None, record });
            frame = at;
        }
    }
    builder.finish(Tick(at + 1))
}

/// Everything that must hold of what is drawn of a row, whose events are `row`.
fn check_row(row: &[(u64, u64)], cells: &[Cell], scale: &Bent, seed: u64) {
    let px = |(begin, end): &(u64, u64)| (scale.px(*begin), scale.px(*end));
    let mut next = None;
    let mut ones = Vec::new();
    for cell in cells {
        let (first, count, left, right) = match *cell {
            Cell::One { position, left, right } => (position, 1, left, right),
            Cell::Many { first, count, left, right, .. } => (first, count, left, right),
        };
        // Cells follow each other without a gap in the events, so none is lost or drawn twice.
        assert!(next.is_none_or(|next| first >= next), "seed {seed}");
        let between = next.map_or(0..first, |next| next..first);
        for skipped in between {
            let (left, right) = px(&row[skipped as usize]);
            assert!(right < 1e-6 || left > WIDTH_PX - 1e-6, "seed {seed}: event {skipped} is not drawn");
        }
        next = Some(first + count);
        let events: Vec<(f64, f64)> = row[first as usize..(first + count) as usize].iter().map(px).collect();
        assert_eq!((left, right), (events[0].0, events.iter().map(|(_, right)| *right).fold(f64::MIN, f64::max)));
        if let Cell::Many { busy, .. } = *cell {
            let filled: f64 = events.iter().map(|(left, right)| right - left).sum();
            let truth = (filled / (right - left).max(1.0)).min(1.0);
            assert!((f64::from(busy) - truth).abs() < 0.02, "seed {seed}: busy {busy}, not {truth}");
            assert!(events.iter().all(|(left, right)| right - left < 1.0), "seed {seed}: a wide event was merged");
            let gap = events.windows(2).map(|pair| pair[1].0 - pair[0].1).fold(0.0, f64::max);
            assert!(gap < 1.0, "seed {seed}: a gap of {gap} px was painted over");
        } else {
            ones.push(first);
        }
    }
    let last = next.unwrap_or(0);
    for skipped in last..row.len() as u32 {
        let (left, right) = px(&row[skipped as usize]);
        assert!(right < 1e-6 || left > WIDTH_PX - 1e-6, "seed {seed}: event {skipped} is not drawn");
    }
    assert!(cells.len() as f64 <= 2.0 * WIDTH_PX + 16.0, "seed {seed}: {} cells", cells.len());
}

fn rows_of(rows: &Rows, extents: &impl Extents, scale: &Bent, seed: u64) -> usize {
    let mut total = 0;
    for row in 0..rows.count() {
        let indices: Vec<u32> = (0..rows.events_in(row)).map(|position| rows.index(row, position).unwrap()).collect();
        let events: Vec<(u64, u64)> = indices.iter().map(|index| extents.extent(*index)).collect();
        assert!(events.windows(2).all(|pair| pair[0].1 <= pair[1].0), "seed {seed}: events of a row overlap");
        assert_eq!(rows.index(row, rows.events_in(row) + 70), None);
        let mut cells = Vec::new();
        rows.walk(row, extents, scale, |cell| cells.push(cell));
        check_row(&events, &cells, scale, seed);
        total += events.len();
    }
    total
}

fn cells_are_what_a_slow_painter_would_paint() {
    for seed in 0..400 {
        let mut random = Random::new(seed);
        let timeline = random_timeline(&mut random);
        let tints = tints(&timeline.strings);
        let zooms = (0..5).map(|_| {
            let length = (timeline.end.0 >> (random.below(20))).max(1);
            let from = u64::from(random.below(timeline.end.0.min(1 << 30) as u32 + 1));
            Bent::new(&mut random, from, from + length)
        });
        let zooms: Vec<Bent> = zooms.collect();
        for track in &timeline.tracks {
            let lod = TrackLod::new(track, &tints);
            let extents = SpanExtents { track, tints: &tints };
            for scale in &zooms {
                let count = rows_of(&lod.spans, &extents, scale, seed);
                assert_eq!(count, track.spans.len() + track.without_begin.len());
            }
        }
        let frames = frame_rows(&timeline.frames);
        let extents = trace_timeline::lod::FrameExtents { frames: &timeline.frames };
        for scale in &zooms {
            assert_eq!(rows_of(&frames, &extents, scale, seed), timeline.frames.len());
        }
    }
}

/// Counts how often an event is looked at.
struct Counted<'a, E> {
    events: &'a E,
    looks: Counter<u64>,
}

impl<E: Extents> Extents for Counted<'_, E> {
    fn extent(&self, position: u32) -> (u64, u64) {
        self.looks.set(self.looks.get() + 1);
        self.events.extent(position)
    }

    fn tint(&self, position: u32) -> u8 {
        self.events.tint(position)
    }
}

/// Events with lengths and gaps that vary a thousandfold.
struct Uneven(Vec<(u64, u64)>);

impl Uneven {
    fn new(count: u32, seed: u64) -> Self {
        let (mut random, mut at) = (Random::new(seed), 0);
        let event = |_| {
            let begin = at + (1 << random.below(11));
            at = begin + (1 << random.below(11));
            (begin, at)
        };
        Self((0..count).map(event).collect())
    }
}

impl Extents for Uneven {
    fn extent(&self, position: u32) -> (u64, u64) {
        self.0[position as usize]
    }

    fn tint(&self, position: u32) -> u8 {
        position as u8
    }
}

fn a_picture_looks_at_few_events_whatever_their_number() {
    let uneven = Uneven::new(500_000, 1);
    let pyramid = Pyramid::new(500_000, &uneven);
    let end = uneven.0.last().unwrap().1;
    for shift in 0..28 {
        for part in [0, 1, 3] {
            let length = (end >> shift).max(1);
            let from = end / 4 * part;
            let scale = Bent { points: vec![(from, 0.0), (from + length, WIDTH_PX)] };
            let counted = Counted { events: &uneven, looks: Counter::new(0) };
            let mut cells = 0;
            pyramid.walk(&counted, &scale, |_| cells += 1);
            let looks = counted.looks.get();
            assert!(looks as f64 <= 24.0 * WIDTH_PX, "{looks} looks at shift {shift}");
            assert!(f64::from(cells) <= 2.0 * WIDTH_PX + 16.0, "{cells} cells at shift {shift}");
        }
    }
    // 24 bytes for each 16 events, and a third more for the levels above.
    assert!(pyramid.memory_bytes() as f64 <= 2.01 * 500_000.0 + 200.0);
}

fn rows_remember_indices_that_are_far_apart() {
    let uneven = Uneven::new(300_000, 2);
    // Row 1 gets every 5000th event, so that the distances in a group don't fit 16 bits.
    let row = |index: u32| u32::from(index % 5000 == 4999);
    let rows = Rows::new((0..300_000).map(|index| (row(index), index)), &uneven);
    assert_eq!((rows.events_in(0), rows.events_in(1)), (300_000 - 60, 60));
    for position in 0..60 {
        assert_eq!(rows.index(1, position), Some(position * 5000 + 4999));
    }
    let far: Vec<u32> = (0..rows.events_in(0)).map(|position| rows.index(0, position).unwrap()).collect();
    assert!(far.iter().copied().eq((0..300_000).filter(|index| row(*index) == 0)));
    assert!(rows.memory_bytes() as f64 / 300_000.0 < 4.3, "{} bytes per event", rows.memory_bytes() as f64 / 300_000.0);
}

fn what_is_out_of_order_is_drawn_somewhere_and_ends() {
    for seed in 0..50 {
        let mut random = Random::new(seed);
        let mut any = || (u64::from(random.below(1000)), u64::from(random.below(5)));
        let events = Uneven((0..500).map(|_| any()).map(|(begin, length)| (begin, begin + length)).collect());
        let rows = Rows::new((0..500).map(|index| (0, index)), &events);
        let scale = Bent { points: vec![(0, 0.0), (1010, WIDTH_PX)] };
        let mut count = 0;
        rows.walk(0, &events, &scale, |cell| {
            count += match cell {
                Cell::One { .. } => 1,
                Cell::Many { count, .. } => count,
            }
        });
        assert_eq!(count, 500);
    }
}

fn graphs_keep_every_peak() {
    for seed in 0..200 {
        let mut random = Random::new(seed);
        let mut at = u64::from(random.below(50));
        let count = random.pick(&[0, 1, 15, 16, 17, 400, 5000]);
        let samples: Vec<Sample> = (0..count)
            .map(|_| {
                at += 1 + length(&mut random);
                Sample { at: Tick(at), value: f64::from(random.below(1000)) - 300.0 }
            })
            .collect();
        let end = at + length(&mut random);
        let blocks = SampleBlocks::new(&samples);
        let (from, length) = (u64::from(random.below(end as u32 + 1)), (end >> random.below(14)).max(1));
        for scale in [Bent::new(&mut random, 0, end + 1), Bent::new(&mut random, from, from + length)] {
            let mut next = None;
            blocks.walk(&samples, end, &scale, |step| {
                assert!(next.is_none_or(|next| next == step.first), "seed {seed}: a sample is left out");
                next = Some(step.first + step.count);
                let shown = &samples[step.first as usize..(step.first + step.count) as usize];
                let (least, greatest) =
                    shown.iter().fold((f64::MAX, f64::MIN), |(a, b), s| (a.min(s.value), b.max(s.value)));
                assert_eq!((step.least, step.greatest), (least, greatest), "seed {seed}");
                let until = samples.get((step.first + step.count) as usize).map_or(end, |next| next.at.0);
                assert_eq!((step.left, step.right), (scale.px(shown[0].at.0), scale.px(until)));
                assert!(step.count == 1 || step.right - step.left < 2.0, "seed {seed}");
            });
            let seen = samples.iter().filter(|s| (0.0..WIDTH_PX).contains(&scale.px(s.at.0))).count();
            assert!(seen == 0 || next.is_some(), "seed {seed}");
        }
        let bounds = blocks.bounds();
        let least = samples.iter().map(|s| s.value).reduce(f64::min);
        assert_eq!(bounds.map(|(least, _)| least), least);
    }
    let odd = [f64::NAN, f64::INFINITY, 5.0].map(|value| Sample { at: Tick(0), value });
    assert_eq!(SampleBlocks::new(&odd).bounds(), Some((0.0, 5.0)));
}

fn steps_lie_side_by_side() {
    for seed in 0..100 {
        let mut random = Random::new(seed);
        let count = random.pick(&[0, 1, 100, 1_000_000]);
        let from = u64::from(random.below(count + 1));
        let length = u64::from(count >> random.below(18)).max(1);
        let scale = Bent::new(&mut random, from, from + length);
        let (mut next, mut cells) = (None, 0);
        walk_steps(count as usize, &scale, |cell| {
            let (first, count, left) = match cell {
                Cell::One { position, left, right } => {
                    assert!(right - left >= 1.0);
                    (position, 1, left)
                }
                Cell::Many { first, count, left, .. } => (first, count, left),
            };
            assert!(next.is_none_or(|next| next == first));
            assert_eq!(left, scale.px(first.into()));
            (next, cells) = (Some(first + count), cells + 1);
        });
        assert!(cells <= WIDTH_PX as usize + 4, "{cells}");
        assert!(next.is_some() || from >= u64::from(count), "seed {seed}");
    }
}

fn flows_link_each_point_to_the_one_before() {
    let point = |flow, parent, at, kind| FlowPoint {
        flow,
        parent,
        at: Tick(at),
        track: TrackId(0),
        depth: 0,
        kind,
        name: StringId::EMPTY,
        record: RecordOffset::NONE,
    };
    use FlowKind::{Branch, Extend, Terminate};
    let flows = |points: Vec<FlowPoint>| {
        let mut flows = Flows::default();
        points.into_iter().for_each(|point| flows.push(point));
        flows
    };
    let points = flows(vec![
        point(1, 0, 10, Branch),
        point(1, 0, 20, Extend),
        point(2, 1, 25, Branch),
        point(1, 0, 30, Terminate),
        point(2, 0, 90, Terminate),
        point(1, 0, 95, Extend),
        point(7, 0, 99, Terminate),
    ]);
    let links = FlowLinks::new(&points);
    let seen = |from, until| {
        let mut seen = Vec::new();
        let scale = Bent { points: vec![(from, 0.0), (until, WIDTH_PX)] };
        assert!(links.walk(&points, &scale, |link| seen.push((link.from, link.to))));
        seen.sort_unstable();
        seen
    };
    assert_eq!(seen(0, 100), [(0, 1), (1, 2), (1, 3), (2, 4)]);
    assert_eq!(seen(40, 50), [(2, 4)]);
    assert_eq!(seen(92, 99), []);
    let many = flows((0..20_000).map(|at| point(5, 0, at, Extend)).collect());
    let mut count = 0;
    let scale = Bent { points: vec![(0, 0.0), (20_000, WIDTH_PX)] };
    assert!(!FlowLinks::new(&many).walk(&many, &scale, |_| count += 1), "more than can be drawn");
    assert!(count < 5000);
}
