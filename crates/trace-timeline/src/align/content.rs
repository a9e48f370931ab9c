//! What a file says of each of its frames: how much was drawn, which bytes were uploaded, how often events come.

use std::hash::{DefaultHasher, Hasher};

use foldhash::{HashMap, HashSet};

use crate::{EventKind, StringId, Tick, Timeline, TrackKind};

/// What a file says of its frames, in the order in which they were shown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContentOfFrames {
    /// Draws of each frame; empty if the file does not say.
    pub draws: Vec<u64>,
    /// What was uploaded in each frame; empty if the file does not say.
    pub uploads: Vec<Vec<UploadedBytes>>,
    /// By name: how often it comes in each frame.
    pub names: Vec<(StringId, Vec<u64>)>,
}

/// Bytes that were uploaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct UploadedBytes {
    /// How many.
    pub size_bytes: u64,
    /// A hash of them.
    pub hash: u64,
}

impl UploadedBytes {
    /// Of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        let mut hasher = DefaultHasher::new();
        hasher.write(bytes);
        Self { size_bytes: bytes.len() as u64, hash: hasher.finish() }
    }
}

/// Most uploads of a file that are compared: what is kept of each takes 16 bytes.
pub const MOST_UPLOADS: usize = 1 << 20;

/// Names whose events are counted by frame, and those of them that are tried in place of draws.
const MOST_COUNTED_NAMES: usize = 64;
const MOST_NAMES: usize = 8;

impl ContentOfFrames {
    /// What the events of a timeline say of the frames between `begins`, of which the last is an end.
    pub fn of_timeline(timeline: &Timeline, begins: &[Tick]) -> Self {
        let count = begins.len().saturating_sub(1);
        let frame_at = |at: Tick| begins.partition_point(|begin| *begin <= at).checked_sub(1).filter(|at| *at < count);
        let mut content = Self::default();
        for track in &timeline.tracks {
            if track.kind == (TrackKind::Counter { unit: "draws" }) {
                // A sample stands where the value changes.
                let mut samples = track.samples.iter().peekable();
                let mut value = 0.0;
                content.draws = begins
                    .iter()
                    .take(count)
                    .map(|begin| {
                        while let Some(sample) = samples.next_if(|sample| sample.at <= *begin) {
                            value = sample.value;
                        }
                        value as u64
                    })
                    .collect();
            }
        }
        if content.draws.is_empty() {
            let is_counted = |kind| !matches!(kind, EventKind::Frame(_) | EventKind::Sample(_));
            let mut totals: HashMap<StringId, u64> = HashMap::default();
            for event in timeline.events().filter(|event| is_counted(event.kind)) {
                *totals.entry(event.name).or_default() += 1;
            }
            // Names may be as many as events; what stands for draws comes often.
            let mut often: Vec<(StringId, u64)> = totals.into_iter().collect();
            often.sort_by_key(|(name, total)| (std::cmp::Reverse(*total), *name));
            often.truncate(MOST_COUNTED_NAMES);
            let mut names: HashMap<StringId, Vec<u64>> =
                often.into_iter().map(|(name, _)| (name, vec![0; count])).collect();
            for event in timeline.events().filter(|event| is_counted(event.kind)) {
                let counts = names.get_mut(&event.name);
                if let Some((counts, frame)) = counts.zip(frame_at(event.begin))
                    && let Some(in_frame) = counts.get_mut(frame)
                {
                    *in_frame += 1;
                }
            }
            // A name that comes as often in each frame says nothing.
            content.names = names
                .into_iter()
                .filter(|(_, counts)| counts.windows(2).any(|pair| pair.first() != pair.last()))
                .collect();
            content.names.sort_by_key(|(name, counts)| {
                let distinct: HashSet<u64> = counts.iter().copied().collect();
                (std::cmp::Reverse(distinct.len()), *name)
            });
            content.names.truncate(MOST_NAMES);
        }
        content
    }

    /// The same of frames that each end with one of these, which `ends` names by place: what lies in between belongs to
    /// the next.
    pub(super) fn merged(&self, ends: &[usize]) -> Self {
        let mut firsts = std::iter::once(0).chain(ends.iter().map(|end| end + 1));
        let ranges: Vec<_> = ends.iter().filter_map(|end| Some(firsts.next()?..end + 1)).collect();
        let sum = |counts: &[u64]| -> Vec<u64> {
            ranges.iter().map(|range| counts.get(range.clone()).into_iter().flatten().sum()).collect()
        };
        let some = |counts: &[u64]| if counts.is_empty() { Vec::new() } else { sum(counts) };
        let uploads = match self.uploads.as_slice() {
            [] => Vec::new(),
            uploads => {
                let of = |range: &std::ops::Range<usize>| uploads.get(range.clone()).unwrap_or_default().concat();
                ranges.iter().map(of).collect()
            }
        };
        let names = self.names.iter().map(|(name, counts)| (*name, some(counts))).collect();
        Self { draws: some(&self.draws), uploads, names }
    }
}
