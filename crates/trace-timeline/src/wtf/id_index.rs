//! Looks up what an id of the file stands for: one array access for the ids that writers use.

use std::collections::HashMap;

/// Ids below this one have a place in the array, which then is 256 KiB at most. Writers count from 1.
const SMALL_IDS: u32 = 0x1_0000;
/// In the array: nothing.
const NONE: u32 = u32::MAX;

/// A map from the ids of a file to positions in a list.
#[derive(Clone, Debug, Default)]
pub(super) struct IdIndex {
    small: Vec<u32>,
    large: HashMap<u32, u32>,
}

impl IdIndex {
    /// The position of an id.
    #[inline]
    pub(crate) fn get(&self, id: u32) -> Option<u32> {
        match self.small.get(id as usize) {
            Some(&NONE) => None,
            Some(&position) => Some(position),
            None => self.large.get(&id).copied(),
        }
    }

    /// Gives an id its position.
    pub(crate) fn insert(&mut self, id: u32, position: u32) {
        if id >= SMALL_IDS {
            self.large.insert(id, position);
            return;
        }
        let needed = id as usize + 1;
        if self.small.len() < needed {
            self.small.resize(needed, NONE);
        }
        if let Some(slot) = self.small.get_mut(id as usize) {
            *slot = position;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_and_large_ids_are_found() {
        let mut index = IdIndex::default();
        for (position, id) in [7, 0, 0xffff, 0x1_0000, u32::MAX].into_iter().enumerate() {
            index.insert(id, position as u32);
        }
        assert_eq!([7, 0, 0xffff, 0x1_0000, u32::MAX].map(|id| index.get(id)), [0, 1, 2, 3, 4].map(Some));
        assert_eq!([1, 8, 0x1_0001].map(|id| index.get(id)), [None; 3]);
    }
}
