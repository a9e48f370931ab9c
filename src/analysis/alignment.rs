//! What two sequences have in common, in the order of both.

use std::hash::Hash;

use foldhash::HashMap;

/// Equal items of the other sequence that are looked at, before an item's own place and from there on: of items that come
/// again and again a few are enough.
const NEAR: usize = 32;

/// The places of items that are equal in both, ascending on both sides: those that all begin and end with, and between
/// them the longest sequence that is in the same order. What is `None` equals nothing.
pub(super) fn equal_pairs<T: Copy + Eq + Hash>(a: &[Option<T>], b: &[Option<T>]) -> Vec<(usize, usize)> {
    let same = |(a, b): &(&Option<T>, &Option<T>)| a.is_some() && a == b;
    let start = a.iter().zip(b).take_while(same).count();
    let left = a.len().min(b.len()) - start;
    let end = a.iter().rev().zip(b.iter().rev()).take(left).take_while(same).count();
    let (end_a, end_b) = (a.len() - end, b.len() - end);
    let middle = |side: &[Option<T>], end: usize| side.get(start..end).unwrap_or_default().to_vec();
    let between = in_order(&middle(a, end_a), &middle(b, end_b));
    let between = between.into_iter().map(|(a, b)| (a + start, b + start));
    (0..start).map(|at| (at, at)).chain(between).chain((end_a..a.len()).zip(end_b..b.len())).collect()
}

/// The longest sequence of equal items that stand in the same order in both.
fn in_order<T: Copy + Eq + Hash>(a: &[Option<T>], b: &[Option<T>]) -> Vec<(usize, usize)> {
    let mut places: HashMap<T, Vec<usize>> = HashMap::default();
    for (place, item) in b.iter().enumerate() {
        if let Some(item) = item {
            places.entry(*item).or_default().push(place);
        }
    }
    // Pairs, each with the one before it in its sequence.
    let mut pairs: Vec<((usize, usize), Option<usize>)> = Vec::new();
    // By length of a sequence: the least place in `b` that one ends at, and the pair there.
    let mut ends: Vec<(usize, usize)> = Vec::new();
    for (at, item) in a.iter().enumerate() {
        let Some(found) = item.as_ref().and_then(|item| places.get(item)) else { continue };
        let first = found.partition_point(|place| *place < at).saturating_sub(NEAR);
        // Backwards, so that no two pairs of one item follow each other.
        for place in found.iter().skip(first).take(2 * NEAR).rev() {
            let length = ends.partition_point(|(end, _)| end < place);
            let earlier = length.checked_sub(1).and_then(|earlier| ends.get(earlier)).map(|(_, pair)| *pair);
            pairs.push(((at, *place), earlier));
            let sequence = (*place, pairs.len() - 1);
            match ends.get_mut(length) {
                Some(end) => *end = sequence,
                None => ends.push(sequence),
            }
        }
    }
    let mut sequence = Vec::new();
    let mut last = ends.last().map(|(_, pair)| *pair);
    while let Some((pair, earlier)) = last.and_then(|last| pairs.get(last)) {
        sequence.push(*pair);
        last = *earlier;
    }
    sequence.reverse();
    sequence
}
