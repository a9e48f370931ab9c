//! Two recordings of one program compared: name by name, and frame by frame.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::own_time::own_by_name;
use super::{Alignment, CommonAxis, NameFigures, Stats, Tick, Timeline};

/// A figure of a name's lengths that two recordings are judged by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JudgedLength {
    /// Their mean.
    Mean,
    /// Half are at most so long.
    P50,
    /// All but one in a hundred are at most so long.
    P99,
    /// The longest.
    Max,
}

impl JudgedLength {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Mean, Self::P50, Self::P99, Self::Max];

    /// Its name, as `--statistics` takes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Mean => "mean",
            Self::P50 => "p50",
            Self::P99 => "p99",
            Self::Max => "max",
        }
    }

    fn of(self, figures: &NameFigures) -> f64 {
        match self {
            Self::Mean => figures.mean_ticks,
            Self::P50 => figures.p50_ticks as f64,
            Self::P99 => figures.p99_ticks as f64,
            Self::Max => figures.max_ticks as f64,
        }
    }
}

/// What counts as another figure.
#[derive(Clone, Debug, PartialEq)]
pub struct DiffLimits {
    /// The figures of lengths that are judged; the number per frame always is.
    pub judged: Vec<JudgedLength>,
    /// How far figures may be apart, in percent of the first one's.
    pub threshold_percent: f64,
    /// Names with less than this share of all time of their own, in percent, are not judged.
    pub least_percent: f64,
}

impl DiffLimits {
    fn exceeds_threshold(&self, a: f64, b: f64) -> bool {
        (b - a).abs() > a * self.threshold_percent / 100.0
    }
}

/// Figures of one name in both.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NameDifference {
    /// The name.
    pub name: String,
    /// In the first; `None` if it has none of that name.
    pub a: Option<NameFigures>,
    /// In the second.
    pub b: Option<NameFigures>,
    /// Whether a length that is judged, or the number per frame, are further apart than they may be.
    pub exceeds_threshold: bool,
}

/// One frame in both.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FrameDifference {
    /// Which frame of the first, counted from 0.
    pub frame: u64,
    /// Which of the second.
    pub frame_b: u64,
    /// Its length in the first.
    pub a_ticks: u64,
    /// In the second.
    pub b_ticks: u64,
    /// The name whose own time differs most.
    pub largest_change: Option<OwnDifference>,
    /// Whether the lengths are further apart than they may be.
    pub exceeds_threshold: bool,
}

/// Ticks of its own that a name has in one frame of both.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OwnDifference {
    /// The name.
    pub name: String,
    /// In the first.
    pub a_ticks: u64,
    /// In the second.
    pub b_ticks: u64,
}

/// Names by how far their totals are apart.
pub fn name_differences(a: &Stats, b: &Stats, limits: &DiffLimits) -> Vec<NameDifference> {
    let by_name = |stats: &Stats| -> BTreeMap<String, NameFigures> {
        stats.names.iter().map(|figures| (figures.name.clone(), figures.clone())).collect()
    };
    let whole = |stats: &Stats| stats.names.iter().map(|figures| figures.own_ticks).sum::<u64>();
    let (whole_a, whole_b) = (whole(a), whole(b));
    let share = |figures: Option<&NameFigures>, whole: u64| {
        figures.map_or(0.0, |figures| 100.0 * figures.own_ticks as f64 / whole.max(1) as f64)
    };
    let (mut of_a, mut of_b) = (by_name(a), by_name(b));
    let names: BTreeSet<String> = of_a.keys().chain(of_b.keys()).cloned().collect();
    let compare = |name: String| {
        let (a, b) = (of_a.remove(&name), of_b.remove(&name));
        let is_judged = share(a.as_ref(), whole_a).max(share(b.as_ref(), whole_b)) >= limits.least_percent;
        let is_apart = match (&a, &b) {
            (Some(a), Some(b)) => {
                let frequency = |figures: &NameFigures| figures.per_frame.unwrap_or(figures.count as f64);
                let is_longer = |length: &JudgedLength| limits.exceeds_threshold(length.of(a), length.of(b));
                limits.judged.iter().any(is_longer) || limits.exceeds_threshold(frequency(a), frequency(b))
            }
            _ => true,
        };
        NameDifference { name, exceeds_threshold: is_judged && is_apart, a, b }
    };
    let mut differences: Vec<NameDifference> = names.into_iter().map(compare).collect();
    let total = |figures: &Option<NameFigures>| figures.as_ref().map_or(0, |figures| figures.total_ticks);
    differences.sort_by_key(|difference| Reverse(total(&difference.a).abs_diff(total(&difference.b))));
    differences
}

/// The frames that both have, in order. `alignment` is that of `b` beside `a`.
pub fn frame_differences(
    a: &Timeline,
    b: &Timeline,
    alignment: &Alignment,
    limits: &DiffLimits,
) -> Vec<FrameDifference> {
    let axis = CommonAxis::new(a, &[(b, alignment)]);
    let begins = axis.reference_ticks(a);
    let stretch = |frame: u64| -> Option<(Tick, Tick)> {
        let at = usize::try_from(frame).ok()?;
        Some((*begins.get(at)?, *begins.get(at + 1)?))
    };
    let pairs = alignment.frames.iter().filter_map(|matched| {
        let of_b = (Tick(matched.begin), Tick(matched.end?));
        Some((matched, stretch(matched.frame)?, of_b))
    });
    let pairs: Vec<_> = pairs.collect();
    let own = |timeline: &Timeline, stretches: Vec<Option<(Tick, Tick)>>| own_by_name(timeline, &stretches);
    let own_a = own(a, pairs.iter().map(|(_, of_a, _)| Some(*of_a)).collect());
    let own_b = own(b, pairs.iter().map(|(.., of_b)| Some(*of_b)).collect());
    let length = |(begin, end): (Tick, Tick)| end.0.saturating_sub(begin.0);
    let compare = |((matched, of_a, of_b), (own_a, own_b))| {
        let (matched, of_a, of_b): (&super::MatchedFrame, _, _) = (matched, of_a, of_b);
        let (a_ticks, b_ticks) = (length(of_a), length(of_b));
        FrameDifference {
            frame: matched.frame,
            frame_b: matched.annotation,
            a_ticks,
            b_ticks,
            largest_change: most((a, own_a), (b, own_b)),
            exceeds_threshold: limits.exceeds_threshold(a_ticks as f64, b_ticks as f64),
        }
    };
    pairs.into_iter().zip(own_a.into_iter().zip(own_b)).map(compare).collect()
}

type OwnTicks<'t> = (&'t Timeline, BTreeMap<super::StringId, u64>);

/// The first by name of those whose own time differs most; nothing where none does.
fn most((a, own_a): OwnTicks<'_>, (b, own_b): OwnTicks<'_>) -> Option<OwnDifference> {
    let mut by_name: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for (name, ticks) in own_a {
        by_name.entry(a.text(name).into_owned()).or_default().0 += ticks;
    }
    for (name, ticks) in own_b {
        by_name.entry(b.text(name).into_owned()).or_default().1 += ticks;
    }
    let apart = |(_, (a, b)): &(String, (u64, u64))| a.abs_diff(*b);
    let most = by_name.into_iter().reduce(|most, next| if apart(&next) > apart(&most) { next } else { most });
    let (name, (a_ticks, b_ticks)) = most.filter(|most| apart(most) > 0)?;
    Some(OwnDifference { name, a_ticks, b_ticks })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Axis, AxisUnit, Builder, Frame, Method, RecordOffset, SpanFlags, StringId, TrackKind, align, stats};

    /// Frames of 100 ticks, in each the scopes of these names and lengths, one after the other.
    fn recorded(frames: &[&[(&str, u64)]]) -> Timeline {
        let mut builder = Builder::new("app", Axis::without_clock(AxisUnit::Microseconds));
        let (swap, track) = (builder.intern(b"swap"), builder.track(StringId::EMPTY, TrackKind::Stack, None));
        let mut at = 0;
        for (number, scopes) in (0..).zip(frames) {
            let (begin, record) = (Tick(at), RecordOffset::NONE);
            for (name, length) in *scopes {
                let name = builder.intern(name.as_bytes());
                builder.open(track, Tick(at), name, record, SpanFlags::default());
                at += length;
                builder.close(track, Tick(at)).unwrap();
            }
            let (end, ended_by) = (Tick(at), Some(swap));
            builder.frame(Frame { begin, end, number, ended_by, drawable: None, track: None, record });
        }
        builder.finish(Tick(at))
    }

    fn limits(judged: &[JudgedLength]) -> DiffLimits {
        DiffLimits { judged: judged.to_vec(), threshold_percent: 10.0, least_percent: 1.0 }
    }

    #[test]
    fn what_is_rarely_long_shows_in_the_longest_alone() {
        let a = recorded(&[&[("draw", 50)]; 100].map(|frame| frame.as_slice()));
        let mut frames: Vec<&[(&str, u64)]> = vec![&[("draw", 50)]; 98];
        frames.extend([[("draw", 90)].as_slice(); 2]);
        let b = recorded(&frames);
        let exceeds_threshold = |judged: &[JudgedLength]| {
            let differences = name_differences(&stats(&a, 0), &stats(&b, 0), &limits(judged));
            differences.iter().any(|difference| difference.exceeds_threshold)
        };
        let found = JudgedLength::ALL.map(|judged| exceeds_threshold(&[judged]));
        assert_eq!(found, [false, false, true, true]);
        assert!(exceeds_threshold(&[JudgedLength::Mean, JudgedLength::P99]) && !exceeds_threshold(&[]));
    }

    #[test]
    fn names_are_judged_by_length_and_number() {
        let a = recorded(&[&[("physics", 50), ("draw", 50), ("tiny", 0)], &[("physics", 50), ("draw", 50)]]);
        let b = recorded(&[&[("physics", 58), ("draw", 50)], &[("physics", 58), ("draw", 25), ("draw", 26)]]);
        let told = |a: &Timeline, b: &Timeline| -> Vec<(String, bool)> {
            let differences = name_differences(&stats(a, 0), &stats(b, 0), &limits(&[JudgedLength::Mean]));
            differences.into_iter().map(|difference| (difference.name, difference.exceeds_threshold)).collect()
        };
        let row = |name: &str, exceeds_threshold| (name.to_owned(), exceeds_threshold);
        // A name with less than the least share is not judged, though the second has none of it.
        assert_eq!(told(&a, &b), [row("physics", true), row("draw", true), row("tiny", false)]);
        assert_eq!(told(&a, &a), [row("draw", false), row("physics", false), row("tiny", false)]);
    }

    #[test]
    fn frames_say_what_differs_most_in_them() {
        let a = recorded(&[&[("physics", 50), ("draw", 50)], &[("physics", 50), ("draw", 50)]]);
        let b = recorded(&[&[("load", 70)], &[("physics", 50), ("draw", 55)], &[("physics", 20), ("draw", 100)]]);
        let alignment = align(&a, &b, &Method::parse("frames:0=1").unwrap()).unwrap();
        let frames = frame_differences(&a, &b, &alignment, &limits(&[JudgedLength::Mean]));
        let told: Vec<_> = frames
            .iter()
            .map(|frame| (frame.frame, frame.frame_b, frame.a_ticks, frame.b_ticks, frame.exceeds_threshold))
            .collect();
        assert_eq!(told, [(0, 1, 100, 105, false), (1, 2, 100, 120, true)]);
        let most: Vec<_> = frames.into_iter().map(|frame| frame.largest_change.unwrap()).collect();
        let own = |name: &str, a_ticks, b_ticks| OwnDifference { name: name.to_owned(), a_ticks, b_ticks };
        assert_eq!(most, [own("draw", 50, 55), own("draw", 50, 100)]);
    }
}
