//! Which frames of two files are the same, by what the files say of each: how much was drawn, and which bytes were uploaded.
//!
//! ```text
//!  trace       0  1  2  3  4        each pair of frames has a score: how much more likely what both say is if they are
//!              │  │     │  │        one frame than by chance
//!  annotation  0  1  2  3           a way through all pairs in order leaves out frames of either file, each at a price
//! ```
//!
//! The best way is taken if it is clearly best: for nearly each frame every other way must be far behind. How far is the
//! frame's confidence. A file that says nothing of draws (wtf-trace) is compared by how often an event of a name comes in a
//! frame; that name is sought too.

use foldhash::HashSet;
use serde::Serialize;

use super::MatchedFrame;
use super::content::ContentOfFrames;
use super::scores::{DrawScores, UploadScores};
use crate::{StringId, Tick};

/// What speaks for a frame of one file to be one of the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FrameEvidence {
    /// How sure it is, in percent.
    pub confidence_percent: u8,
    /// Whether both draw as often; `None` if one does not say.
    pub same_draws: Option<bool>,
    /// Uploads of the same bytes.
    pub same_uploads: u32,
}

/// Frames that are the same in both files, as pairs of their places.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ContentMatch {
    pub pairs: Vec<(usize, usize, FrameEvidence)>,
    /// How much better it is than chance.
    pub score: f64,
    /// Whether no other way is nearly as good.
    pub is_clear: bool,
    /// The name whose events were counted in place of draws.
    pub counted: Option<StringId>,
    /// The drawable whose frames these are, if the annotation has several.
    pub drawable: Option<u64>,
    /// Where the frames that were compared begin in the annotation, and where the last one ends.
    pub begins: Vec<Tick>,
    /// The shift in which most frames are alike, if any are, of those in which all lie elsewhere.
    pub shifted: Option<Shifted>,
}

/// All frames of one file beside those of the other from one on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Shifted {
    /// The first frames that lie beside each other.
    pub first: (usize, usize),
    /// How many are more alike than by chance.
    pub alike: usize,
    /// How much speaks for a pair on average.
    mean: f64,
}

/// Most pairs of frames that are compared, 2,896 x 2,896: what is kept of each takes 12 bytes.
pub(super) const MOST_PAIRS: usize = 1 << 23;

/// Score of a pair beside which nothing speaks: frames are rather in both files than not.
const PRIOR: f64 = 0.7;
/// Price of a frame that one file does not have.
const LEFT_OUT: f64 = -2.0;
/// Price for beginning, or ending, at another frame than the first, or last.
const OTHER_END: f64 = -1.0;
/// How far behind every other way has to be for a frame to be sure: one in twenty.
const CLEAR: f64 = 3.0;
/// The share of frames that have to be sure.
const SURE_SHARE: f64 = 0.8;
/// How much of what speaks for the best way may speak for frames that are shifted against it.
const RECURRING: f64 = 0.5;

/// The best way to lay frames of `b` beside those of `a`; `None` if there are too many to compare.
pub(super) fn match_contents(
    (a, begins_a): (&ContentOfFrames, &[Tick]),
    (b, begins_b): (&ContentOfFrames, &[Tick]),
) -> Option<ContentMatch> {
    let (rows, columns) = (begins_a.len().saturating_sub(1), begins_b.len().saturating_sub(1));
    if (rows + 1).checked_mul(columns + 1)? > MOST_PAIRS {
        return None;
    }
    let uploads = (!a.uploads.is_empty() && !b.uploads.is_empty()).then(|| UploadScores::of(a, b));
    let run = |draws_b: &[u64]| {
        let draws = DrawScores::of(&a.draws, draws_b);
        let best = Grid { rows, columns, draws, uploads: uploads.as_ref() }.best();
        ContentMatch { begins: begins_b.to_vec(), ..best }
    };
    if !b.draws.is_empty() || b.names.is_empty() {
        return Some(run(&b.draws));
    }
    let by_name = |(name, counts): &(StringId, Vec<u64>)| ContentMatch { counted: Some(*name), ..run(counts) };
    ContentMatch::best_of(b.names.iter().map(by_name).collect())
}

/// All pairs of frames.
struct Grid<'g> {
    rows: usize,
    columns: usize,
    draws: DrawScores<'g>,
    uploads: Option<&'g UploadScores>,
}

impl Grid<'_> {
    /// The scores of a frame of the first file with each of the second.
    fn row_scores(&self, row: usize) -> Vec<f32> {
        let uploads = self.uploads.map(|uploads| uploads.row(row));
        let of_uploads =
            |column: usize| uploads.as_ref().and_then(|row| row.get(column)).map_or(0.0, |common| common.1);
        (0..self.columns).map(|column| (PRIOR + self.draws.score(row, column) + of_uploads(column)) as f32).collect()
    }

    /// What it costs to leave out a frame of one file where `other` frames of the other are passed: at the ends the price
    /// is one for all.
    fn left_out(other: usize, others: usize) -> f32 {
        if other == 0 || other == others { 0.0 } else { LEFT_OUT as f32 }
    }

    fn best(&self) -> ContentMatch {
        let width = self.columns + 1;
        let scores: Vec<f32> = (0..self.rows).flat_map(|row| self.row_scores(row)).collect();
        let score = |row: usize, column: usize| scores.get(row * self.columns + column).copied().unwrap_or(0.0);
        // What it takes to begin, and to end, away from the corner.
        let end = |row: usize, column: usize| if row > 0 || column > 0 { OTHER_END as f32 } else { 0.0 };
        // Best ways to each place, and from each place.
        let mut to = vec![f32::NEG_INFINITY; (self.rows + 1) * width];
        let mut from = to.clone();
        let get = |list: &[f32], row: usize, column: usize| {
            list.get(row * width + column).copied().unwrap_or(f32::NEG_INFINITY)
        };
        for row in 0..=self.rows {
            for column in 0..=self.columns {
                let mut most = if row == 0 || column == 0 { end(row, column) } else { f32::NEG_INFINITY };
                if row > 0 && column > 0 {
                    most = most.max(get(&to, row - 1, column - 1) + score(row - 1, column - 1));
                    most = most.max(get(&to, row - 1, column) + Self::left_out(column, self.columns));
                    most = most.max(get(&to, row, column - 1) + Self::left_out(row, self.rows));
                }
                if let Some(place) = to.get_mut(row * width + column) {
                    *place = most;
                }
            }
        }
        for row in (0..=self.rows).rev() {
            for column in (0..=self.columns).rev() {
                let is_end = row == self.rows || column == self.columns;
                let mut most = if is_end { end(self.rows - row, self.columns - column) } else { f32::NEG_INFINITY };
                if !is_end {
                    most = most.max(get(&from, row + 1, column + 1) + score(row, column));
                    most = most.max(get(&from, row + 1, column) + Self::left_out(column, self.columns));
                    most = most.max(get(&from, row, column + 1) + Self::left_out(row, self.rows));
                }
                if let Some(place) = from.get_mut(row * width + column) {
                    *place = most;
                }
            }
        }
        let best = get(&from, 0, 0);
        let pairs = self.follow(&from, width, &score);
        let mut matched = Vec::new();
        let mut sure = 0;
        for &(row, column) in &pairs {
            let through = |at: usize| get(&to, row, at) + score(row, at) + get(&from, row + 1, at + 1);
            let others = (0..self.columns).filter(|at| *at != column).map(through);
            let without = (0..=self.columns).map(|at| {
                let is_corner = (row == 0 && at == 0) || (row + 1 == self.rows && at == self.columns);
                let price = if is_corner { OTHER_END as f32 } else { Self::left_out(at, self.columns) };
                get(&to, row, at) + price + get(&from, row + 1, at)
            });
            let other = others.chain(without).fold(f32::NEG_INFINITY, f32::max);
            let margin = f64::from(best - other).max(0.0);
            sure += usize::from(margin >= CLEAR);
            let common = self.uploads.and_then(|uploads| uploads.row(row).get(column).copied());
            let same_uploads = common.map_or(0, |(uploads, _)| uploads);
            let evidence = FrameEvidence {
                confidence_percent: (100.0 * (1.0 - (-margin).exp())).floor() as u8,
                same_draws: self.draws.same(row, column),
                same_uploads,
            };
            matched.push((row, column, evidence));
        }
        let is_enough = 2 * matched.len() >= self.rows.min(self.columns);
        let is_sure = !matched.is_empty() && is_enough && sure as f64 >= SURE_SHARE * matched.len() as f64;
        let alike = |row: usize, column: usize| f64::from(score(row, column)) - PRIOR;
        let mean = pairs.iter().map(|(row, column)| alike(*row, *column)).sum::<f64>() / pairs.len().max(1) as f64;
        let shifts = self.shifts(&pairs, &alike);
        // What comes again and again can be laid beside itself in several ways, of which the one with most frames is not the
        // more likely for that.
        let recurs = shifts.iter().any(|shifted| shifted.mean >= mean * RECURRING);
        let is_clear = is_sure && mean > 0.0 && !recurs;
        let with_some = shifts.into_iter().filter(|shifted| shifted.alike > 0);
        let shifted = with_some.max_by(|a, b| a.alike.cmp(&b.alike).then(a.mean.total_cmp(&b.mean)));
        ContentMatch { pairs: matched, score: best.into(), is_clear, shifted, ..ContentMatch::default() }
    }

    /// The ways in which no frame lies beside that of `pairs`, but all as far further on or back; at least half as many
    /// frames have to lie beside each other.
    fn shifts(&self, pairs: &[(usize, usize)], alike: &dyn Fn(usize, usize) -> f64) -> Vec<Shifted> {
        let used: HashSet<i64> = pairs.iter().map(|(row, column)| *column as i64 - *row as i64).collect();
        let (rows, columns) = (self.rows as i64, self.columns as i64);
        let shifts = (1 - rows..columns).filter(|shift| !used.contains(shift));
        let shifted = shifts.filter_map(|shift| {
            let (first, last) = (0.max(-shift), rows.min(columns - shift));
            let count = (last - first).max(0) as usize;
            let each = || (first..last).map(|row| alike(row as usize, (row + shift) as usize));
            (2 * count >= pairs.len().max(1)).then(|| Shifted {
                first: (first as usize, (first + shift) as usize),
                alike: each().filter(|alike| *alike > 0.0).count(),
                mean: each().sum::<f64>() / count.max(1) as f64,
            })
        });
        shifted.collect()
    }

    /// The pairs on the best way. Of frames that are shown twice the first counts.
    fn follow(&self, from: &[f32], width: usize, score: &dyn Fn(usize, usize) -> f32) -> Vec<(usize, usize)> {
        let get = |row: usize, column: usize| from.get(row * width + column).copied().unwrap_or(f32::NEG_INFINITY);
        let (mut row, mut column) = (0, 0);
        let mut pairs = Vec::new();
        while row < self.rows && column < self.columns {
            let pair = get(row + 1, column + 1) + score(row, column);
            let without_row = get(row + 1, column) + Self::left_out(column, self.columns);
            let without_column = get(row, column + 1) + Self::left_out(row, self.rows);
            if pair >= without_row && pair >= without_column {
                pairs.push((row, column));
                (row, column) = (row + 1, column + 1);
            } else if without_row >= without_column {
                row += 1;
            } else {
                column += 1;
            }
        }
        pairs
    }
}

impl ContentMatch {
    /// The best of these, which is clear only if no other that says something else is nearly as good.
    pub(super) fn best_of(mut tried: Vec<Self>) -> Option<Self> {
        tried.sort_by(|x, y| y.score.total_cmp(&x.score));
        let mut tried = tried.into_iter();
        let mut best = tried.next()?;
        let is_behind = |other: Self| other.score + CLEAR < best.score || best.agrees(&other);
        best.is_clear &= tried.all(is_behind);
        Some(best)
    }

    /// Whether both can be true: frames that both match end at the same ticks, and those that one alone matches in between
    /// them. They may begin at others: between two frames of one drawable lie those of the others.
    fn agrees(&self, other: &Self) -> bool {
        let ends = |found: &Self| -> Vec<(usize, Option<Tick>)> {
            found.pairs.iter().map(|(row, column, _)| (*row, found.begins.get(column + 1).copied())).collect()
        };
        let mut both = [ends(self), ends(other)].concat();
        both.sort_unstable();
        both.dedup();
        both.is_sorted_by(|(row, end), (next_row, next_end)| row < next_row && end <= next_end)
    }

    /// The frames, with where they begin and end in the annotation.
    pub(super) fn frames(&self) -> Vec<MatchedFrame> {
        let begins = &self.begins;
        let frame = |&(frame, annotation, evidence): &(usize, usize, FrameEvidence)| {
            let (begin, end) = (begins.get(annotation)?, begins.get(annotation + 1)?);
            let (frame, annotation) = (frame as u64, annotation as u64);
            Some(MatchedFrame { frame, annotation, begin: begin.0, end: Some(end.0), evidence: Some(evidence) })
        };
        self.pairs.iter().filter_map(frame).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::UploadedBytes;

    struct Random(u64);

    impl Random {
        fn below(&mut self, limit: u64) -> u64 {
            self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (self.0 >> 33) % limit
        }
    }

    /// What a frame of an application holds.
    #[derive(Clone, Default)]
    struct Made {
        draws: u64,
        uploads: Vec<u64>,
    }

    /// What two recordings of one application hold, and which frame of the first is which of the second.
    struct Pair {
        a: Vec<Made>,
        b: Vec<Made>,
        truth: Vec<(usize, usize)>,
    }

    /// The second begins later or earlier, and each has lost some frames and has some twice.
    fn pair(seed: u64) -> Pair {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) + 1);
        let count = 20 + random.below(60);
        let kinds = 3 + random.below(10);
        let frames: Vec<Made> = (0..count)
            .map(|_| {
                let own = (0..random.below(4)).map(|_| random.below(200));
                // Now and then something comes in every frame.
                let uploads = own.chain(seed.is_multiple_of(3).then_some(1000)).collect();
                Made { draws: random.below(kinds), uploads }
            })
            .collect();
        let (skip_a, skip_b) = (random.below(6), random.below(6));
        let mut pair = Pair { a: Vec::new(), b: Vec::new(), truth: Vec::new() };
        for (number, frame) in (0..).zip(frames) {
            let event = random.below(30);
            // Shown again: the trace has it twice, and the first is the application's frame.
            let places = (pair.a.len(), pair.b.len());
            let (is_in_a, is_in_b) = (number >= skip_a && event != 0, number >= skip_b && event != 1);
            for _ in 0..if event == 2 && is_in_a { 2 } else { usize::from(is_in_a) } {
                pair.a.push(frame.clone());
            }
            for _ in 0..usize::from(is_in_b) {
                // Now and then the two do not agree.
                let draws = if random.below(25) == 0 { random.below(kinds) } else { frame.draws };
                pair.b.push(Made { draws, uploads: frame.uploads.clone() });
            }
            if is_in_a && is_in_b {
                pair.truth.push(places);
            }
        }
        pair
    }

    fn content(frames: &[Made], has_uploads: bool) -> (ContentOfFrames, Vec<Tick>) {
        let upload = |number: &u64| UploadedBytes { size_bytes: 64, hash: *number };
        let uploads = frames.iter().map(|frame| frame.uploads.iter().map(upload).collect()).collect();
        let content = ContentOfFrames {
            draws: frames.iter().map(|frame| frame.draws).collect(),
            uploads: if has_uploads { uploads } else { Vec::new() },
            names: Vec::new(),
        };
        (content, (0..=frames.len() as u64).map(Tick).collect())
    }

    fn found(pair: &Pair, has_uploads: bool) -> ContentMatch {
        let ((a, begins_a), (b, begins_b)) = (content(&pair.a, has_uploads), content(&pair.b, has_uploads));
        match_contents((&a, &begins_a), (&b, &begins_b)).unwrap()
    }

    #[test]
    fn frames_are_found_again_though_some_are_lost_or_doubled() {
        for (has_uploads, least_clear) in [(true, 95), (false, 80)] {
            let (mut right, mut told, mut clear) = (0, 0, 0);
            for seed in 0..100 {
                let pair = pair(seed);
                let found = found(&pair, has_uploads);
                if found.is_clear {
                    clear += 1;
                    told += found.pairs.len().max(pair.truth.len());
                    right += found.pairs.iter().filter(|(a, b, _)| pair.truth.contains(&(*a, *b))).count();
                }
            }
            assert!(
                clear >= least_clear && right * 100 >= told * 95,
                "{has_uploads}: {clear} clear, {right} of {told}"
            );
        }
    }

    #[test]
    fn what_could_be_several_ways_is_left_open() {
        for seed in 0..40 {
            let mut random = Random(seed + 7);
            let (count_a, count_b) = (10 + random.below(30) as usize, 10 + random.below(30) as usize);
            let period = 1 + random.below(3);
            // Frames that are all alike, or come again and again.
            let frames = |count: usize| -> Vec<Made> {
                (0..count as u64).map(|at| Made { draws: at % period, uploads: vec![at % period] }).collect()
            };
            let pair = Pair { a: frames(count_a), b: frames(count_b), truth: Vec::new() };
            let found = found(&pair, seed % 2 == 0);
            assert!(!found.is_clear, "{seed}: {count_a} and {count_b} frames of period {period}");
        }
        // Frames of two different programs.
        for seed in 0..40 {
            let strange = Pair { a: pair(seed).a, b: pair(seed + 1000).b, truth: Vec::new() };
            assert!(!found(&strange, true).is_clear, "{seed}");
        }
    }

    #[test]
    fn a_name_that_comes_as_often_as_draws_stands_for_them() {
        let pair = pair(3);
        let (a, begins_a) = content(&pair.a, false);
        let (mut b, begins_b) = content(&pair.b, false);
        let draws = std::mem::take(&mut b.draws);
        let name = crate::Strings::default().intern(b"draw");
        let noise = draws.iter().enumerate().map(|(at, _)| at as u64 * 7 % 5).collect();
        b.names = vec![(StringId::EMPTY, noise), (name, draws)];
        let by_name = match_contents((&a, &begins_a), (&b, &begins_b)).unwrap();
        let by_draws = found(&pair, false);
        assert_eq!((by_name.pairs, by_name.is_clear, by_name.counted), (by_draws.pairs, by_draws.is_clear, Some(name)));
    }

    #[test]
    fn ways_conflict_where_both_cannot_be_true() {
        let way = |score: f64, pairs: &[(usize, usize)]| ContentMatch {
            pairs: pairs.iter().map(|&(row, column)| (row, column, FrameEvidence::default())).collect(),
            score,
            is_clear: true,
            begins: (0..=9).map(Tick).collect(),
            ..ContentMatch::default()
        };
        let best = [(2, 2), (3, 3), (5, 5)];
        let is_clear = |score: f64, other: &[(usize, usize)]| {
            let tried = vec![way(score, other), way(20.0, &best)];
            ContentMatch::best_of(tried).unwrap().is_clear
        };
        // The same frames, others in between, none at all.
        assert!(is_clear(19.0, &best[..2]) && is_clear(19.0, &[(1, 1), (4, 4)]) && is_clear(19.0, &[]));
        // Another frame for one of them; frames in another order than theirs, though none is matched by both.
        assert!(!is_clear(19.0, &[(3, 4)]) && !is_clear(19.0, &[(4, 1)]) && !is_clear(19.0, &[(6, 4), (7, 8)]));
        // Far behind it does not matter.
        assert!(is_clear(20.0 - CLEAR - 0.1, &[(3, 4)]));
    }
}
