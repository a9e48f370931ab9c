//! Covering arrays: few rows in which every pair, or every triple, of values occurs.

use std::collections::BTreeSet;

use super::axes::{BindingRow, RasterRow, SharedRow, TextureRow};
use super::row::ConformanceRow;

/// Seed of the choice among rows that cover equally much.
const SEED: u64 = 0x5eed_0fc0_4e72;
/// Rows that are compared with each other before one is taken.
const CANDIDATES: usize = 48;

/// Number of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Every pair of values of a group that go together.
    Usual,
    /// Every triple, the usual rows first.
    Full,
}

/// Rows of the table, group by group.
pub fn rows(extent: Extent) -> Vec<ConformanceRow> {
    let groups: [Vec<ConformanceRow>; 4] = [
        TextureRow::all().into_iter().map(ConformanceRow::Texture).collect(),
        RasterRow::all().into_iter().map(ConformanceRow::Raster).collect(),
        BindingRow::all().into_iter().map(ConformanceRow::Binding).collect(),
        SharedRow::all().into_iter().map(ConformanceRow::Shared).collect(),
    ];
    groups
        .iter()
        .flat_map(|all| {
            let pairs = Covering::of(all, 2).extend(Vec::new());
            match extent {
                Extent::Usual => pairs,
                Extent::Full => Covering::of(all, 3).extend(pairs),
            }
        })
        .collect()
}

/// Values at some axes: bytes of the axes' numbers and of the values' numbers.
type Combination = [u8; 6];

struct Covering<'a> {
    all: &'a [ConformanceRow],
    /// Numbers of the values of each of `all`.
    numbers: Vec<Vec<u8>>,
    /// Axes of which combinations are covered.
    axes: Vec<Vec<usize>>,
}

impl<'a> Covering<'a> {
    fn of(all: &'a [ConformanceRow], strength: usize) -> Self {
        let numbers: Vec<Vec<u8>> = all.iter().map(ConformanceRow::value_numbers).collect();
        let count = numbers.first().map_or(0, Vec::len);
        let mut axes = vec![Vec::new()];
        for _ in 0..strength {
            let longer = |chosen: Vec<usize>| {
                let next = chosen.last().map_or(0, |last| last + 1);
                (next..count).map(move |axis| [chosen.as_slice(), &[axis]].concat())
            };
            axes = axes.into_iter().flat_map(longer).collect();
        }
        Self { all, numbers, axes }
    }

    fn combinations<'s>(&'s self, numbers: &'s [u8]) -> impl Iterator<Item = Combination> + 's {
        self.axes.iter().map(move |axes| {
            let mut combination = [u8::MAX; 6];
            let places = axes.iter().map(|axis| (*axis as u8, numbers.get(*axis).copied().unwrap_or(u8::MAX)));
            for (place, (axis, value)) in combination.chunks_exact_mut(2).zip(places) {
                place.copy_from_slice(&[axis, value]);
            }
            combination
        })
    }

    /// Adds rows until every combination that some row has is covered.
    fn extend(&self, mut chosen: Vec<ConformanceRow>) -> Vec<ConformanceRow> {
        let mut open: BTreeSet<Combination> =
            self.numbers.iter().flat_map(|numbers| self.combinations(numbers)).collect();
        for row in &chosen {
            let numbers = row.value_numbers();
            self.combinations(&numbers).for_each(|combination| _ = open.remove(&combination));
        }
        let mut state = SEED;
        while let Some(wanted) = open.first().copied() {
            let has_wanted = |numbers: &&(usize, &Vec<u8>)| {
                let places = wanted.chunks_exact(2).filter_map(|place| place.first().zip(place.last()));
                let mut places = places.filter(|(axis, _)| **axis != u8::MAX);
                places.all(|(axis, value)| numbers.1.get(usize::from(*axis)) == Some(value))
            };
            let with_wanted: Vec<(usize, &Vec<u8>)> =
                self.numbers.iter().enumerate().filter(|numbers| has_wanted(&numbers)).collect();
            let covers = |numbers: &[u8]| self.combinations(numbers).filter(|found| open.contains(found)).count();
            let candidates = (0..CANDIDATES.min(with_wanted.len())).filter_map(|number| {
                let place = match with_wanted.len() <= CANDIDATES {
                    true => number,
                    false => next(&mut state) as usize % with_wanted.len(),
                };
                with_wanted.get(place)
            });
            // The first of those that cover most.
            let best = candidates.fold(None, |best: Option<(usize, usize)>, (place, numbers)| {
                let count = covers(numbers);
                if best.is_some_and(|(most, _)| most >= count) { best } else { Some((count, *place)) }
            });
            let Some((row, numbers)) = best.and_then(|(_, place)| self.all.get(place).zip(self.numbers.get(place)))
            else {
                // Every open combination is of a row.
                break;
            };
            self.combinations(numbers).for_each(|combination| _ = open.remove(&combination));
            chosen.push(*row);
        }
        chosen
    }
}

/// Next number of xorshift.
fn next(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state >> 20
}
