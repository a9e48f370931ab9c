//! `auto`: what is compared of two files, and what is proposed where the answer is not clear.

use std::collections::{BTreeMap, BTreeSet};

use super::content::ContentOfFrames;
use super::grid::{ContentMatch, MOST_PAIRS, match_contents};
use super::ties::{begins, shown_frames};
use super::{AlignError, FrameEvidence, UploadedBytes};
use crate::{Tick, Timeline};
use trace_base::text::counted;

pub(super) fn match_of(
    reference: &Timeline,
    reference_uploads: &[Vec<UploadedBytes>],
    annotation: &Timeline,
    uploads: &[Vec<UploadedBytes>],
) -> Result<ContentMatch, AlignError> {
    let (begins_a, begins_b) = (begins(reference), begins(annotation));
    let content = |timeline: &Timeline, begins: &[Tick], uploads: &[Vec<UploadedBytes>]| ContentOfFrames {
        uploads: uploads.to_vec(),
        ..ContentOfFrames::of_timeline(timeline, begins)
    };
    let a = content(reference, &begins_a, reference_uploads);
    let b = content(annotation, &begins_b, uploads);
    let [reference, annotated] = [&begins_a, &begins_b].map(|begins| begins.len().saturating_sub(1));
    let too_many = AlignError::TooManyFrames { reference, annotation: annotated, limit: MOST_PAIRS };
    let compare = |b: &ContentOfFrames, begins: Vec<Tick>, drawable| {
        let found = match_contents((&a, &begins_a), (b, &begins)).ok_or_else(|| too_many.clone())?;
        Ok(ContentMatch { drawable, ..found })
    };
    // Of a program with several windows one alone may be in the trace, or all.
    let drawables = drawables(annotation);
    let mut tried = vec![compare(&b, begins_b.clone(), None)?];
    for drawable in drawables.into_iter().take(MOST_DRAWABLES) {
        let shown = shown_frames(annotation);
        let ends: Vec<usize> =
            shown.iter().enumerate().filter(|(_, frame)| frame.drawable == drawable).map(|(at, _)| at).collect();
        let of_ends = ends.iter().filter_map(|end| begins_b.get(end + 1).copied());
        let begins = begins_b.first().copied().into_iter().chain(of_ends).collect();
        tried.push(compare(&b.merged(&ends), begins, drawable)?);
    }
    ContentMatch::best_of(tried).ok_or(too_many)
}

/// Drawables whose frames are compared by themselves.
const MOST_DRAWABLES: usize = 8;

/// The drawables of a file's frames, if it has several.
fn drawables(annotation: &Timeline) -> Vec<Option<u64>> {
    let shown = shown_frames(annotation);
    let all: BTreeSet<Option<u64>> = shown.iter().map(|frame| frame.drawable).collect();
    if all.len() > 1 { all.into_iter().filter(Option::is_some).collect() } else { Vec::new() }
}

/// What could be meant where what frames hold leaves it open: the shift that most of them speak for, and those by the ends.
pub(super) fn proposals(found: &ContentMatch, reference: usize, annotation: usize) -> String {
    let method = |first: (usize, usize)| format!("frames:{}={}", first.0, first.1);
    let mut shifts: BTreeMap<i64, (usize, (usize, usize))> = BTreeMap::new();
    let is_alike = |evidence: &FrameEvidence| evidence.same_draws == Some(true) || evidence.same_uploads > 0;
    for &(a, b, _) in found.pairs.iter().filter(|(_, _, evidence)| is_alike(evidence)) {
        let (count, _) = shifts.entry(b as i64 - a as i64).or_insert((0, (a, b)));
        *count += 1;
    }
    let mut told: Vec<(usize, String)> = shifts
        .into_values()
        .map(|(count, (a, b))| (count, (a - a.min(b), b - a.min(b))))
        .map(|(count, first)| {
            (count, format!("{} ({count_frames})", method(first), count_frames = counted(count, "identical frame")))
        })
        .collect();
    told.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    told.truncate(3);
    let mut texts: Vec<String> = told.into_iter().map(|(_, text)| text).collect();
    let last = (reference.saturating_sub(annotation), annotation.saturating_sub(reference));
    for (first, what) in [((0, 0), "from the first"), (last, "up to the last")] {
        if !texts.iter().any(|text| text.starts_with(&format!("{} ", method(first)))) {
            texts.push(format!("{} ({what})", method(first)));
        }
    }
    texts.join(", ")
}
