//! How much more likely what two frames hold is if they are one frame than by chance, as logarithms.

use foldhash::{HashMap, HashSet};

use super::content::{ContentOfFrames, UploadedBytes};

/// How likely a count is told alike by both files.
const ALIKE: f64 = 0.9;
/// Most that one upload, and all uploads of a frame, can speak for a pair.
const MOST_BY_UPLOAD: f64 = 6.0;
const MOST_BY_UPLOADS: f64 = 18.0;
/// What it says if both upload something, and nothing in common.
const NOTHING_COMMON: f64 = -3.0;

/// Scores of draws: by how rare a number of them is.
pub(super) struct DrawScores<'d> {
    a: &'d [u64],
    b: &'d [u64],
    /// By number: which share of the second file's frames has it.
    shares: HashMap<u64, f64>,
}

impl<'d> DrawScores<'d> {
    pub(super) fn of(a: &'d [u64], b: &'d [u64]) -> Self {
        let mut shares: HashMap<u64, f64> = HashMap::default();
        b.iter().for_each(|draws| *shares.entry(*draws).or_default() += 1.0 / b.len() as f64);
        Self { a, b, shares }
    }

    pub(super) fn same(&self, row: usize, column: usize) -> Option<bool> {
        Some(self.a.get(row)? == self.b.get(column)?)
    }

    pub(super) fn score(&self, row: usize, column: usize) -> f64 {
        let Some((a, is_same)) = self.a.get(row).zip(self.same(row, column)) else { return 0.0 };
        let share = self.shares.get(a).copied().unwrap_or(0.0);
        match is_same {
            true => (ALIKE / share).ln(),
            false => ((1.0 - ALIKE) / (1.0 - share).max(1.0 - ALIKE)).ln(),
        }
    }
}

/// Scores of uploads: by how rare their bytes are.
pub(super) struct UploadScores {
    /// By frame of the first file: its uploads but for what most frames upload, and how often it has each.
    a: Vec<Vec<(UploadedBytes, u32)>>,
    /// By frame of the second: whether anything else than that is uploaded in it.
    b: Vec<bool>,
    /// Whether most uploads of the first are somewhere in the second: two frames without a common one differ then.
    are_alike: bool,
    /// The frames of the second that have an upload, how often each, and what it is worth.
    places: HashMap<UploadedBytes, (Vec<(usize, u32)>, f64)>,
    columns: usize,
}

/// What one frame of the first file has in common with one of the second: how many uploads, and what they are worth.
pub(super) type Common = (u32, f64);

impl UploadScores {
    pub(super) fn of(a: &ContentOfFrames, b: &ContentOfFrames) -> Self {
        let counted = |uploads: &Vec<UploadedBytes>| -> Vec<(UploadedBytes, u32)> {
            let mut counts: HashMap<UploadedBytes, u32> = HashMap::default();
            uploads.iter().for_each(|upload| *counts.entry(*upload).or_default() += 1);
            counts.into_iter().collect()
        };
        let columns = b.uploads.len();
        let mut places: HashMap<UploadedBytes, (Vec<(usize, u32)>, f64)> = HashMap::default();
        for (column, uploads) in b.uploads.iter().enumerate() {
            for (upload, count) in counted(uploads) {
                places.entry(upload).or_default().0.push((column, count));
            }
        }
        for (frames, worth) in places.values_mut() {
            *worth = (ALIKE * columns as f64 / frames.len() as f64).ln().clamp(0.0, MOST_BY_UPLOAD);
        }
        let (mut known, mut all) = (0, 0);
        for upload in a.uploads.iter().flatten() {
            all += 1;
            known += usize::from(places.contains_key(upload));
        }
        // What most frames upload tells none from another.
        let is_usual = |frames: usize| 2 * frames > columns.max(2);
        let usual: HashSet<UploadedBytes> =
            places.iter().filter(|(_, (frames, _))| is_usual(frames.len())).map(|(upload, _)| *upload).collect();
        places.retain(|upload, _| !usual.contains(upload));
        let b = b.uploads.iter().map(|uploads| uploads.iter().any(|upload| !usual.contains(upload))).collect();
        let mut a: Vec<Vec<(UploadedBytes, u32)>> = a.uploads.iter().map(counted).collect();
        a.iter_mut().for_each(|uploads| uploads.retain(|(upload, _)| !usual.contains(upload)));
        Self { a, b, are_alike: 2 * known > all, places, columns }
    }

    /// What a frame of the first file has in common with each of the second.
    pub(super) fn row(&self, row: usize) -> Vec<Common> {
        let mut common = vec![(0, 0.0); self.columns];
        let mut known = 0;
        for (upload, count) in self.a.get(row).into_iter().flatten() {
            let Some((frames, worth)) = self.places.get(upload) else { continue };
            known += count;
            for (column, others) in frames {
                if let Some((uploads, sum)) = common.get_mut(*column) {
                    let both = *count.min(others);
                    (*uploads, *sum) = (*uploads + both, *sum + f64::from(both) * worth);
                }
            }
        }
        let has_some = self.are_alike && self.a.get(row).is_some_and(|uploads| !uploads.is_empty());
        for ((uploads, sum), other_has_some) in common.iter_mut().zip(&self.b) {
            // Bytes that the second file has somewhere, and not here, speak against the pair.
            let missing = (known - *uploads).min(4);
            *sum = (*sum - 0.5 * f64::from(missing)).min(MOST_BY_UPLOADS);
            if *uploads == 0 && has_some && *other_has_some {
                *sum = sum.min(NOTHING_COMMON);
            }
        }
        common
    }
}
