//! Values that are compared by a number.

use std::hash::Hash;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use foldhash::HashMap;

/// Values of one kind that are remembered at most: behind that many, equal values get other numbers.
pub(super) const MOST_KNOWN: usize = 1 << 12;

/// Values with the same number are equal, whoever has made them. Equal values may have different numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ValueNumber(u64);

impl ValueNumber {
    /// One that no value has.
    pub(super) fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// A value with its number.
#[derive(Clone, Debug)]
pub struct Interned<T> {
    number: ValueNumber,
    value: Arc<T>,
}

impl<T> Interned<T> {
    /// Its number.
    pub fn number(&self) -> ValueNumber {
        self.number
    }
}

impl<T> Deref for Interned<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

/// A value that changes in place, and has another number from then on.
#[derive(Clone, Debug)]
pub struct Numbered<T> {
    number: ValueNumber,
    value: T,
}

impl<T> Numbered<T> {
    pub(super) fn new(value: T) -> Self {
        Self { number: ValueNumber::new(), value }
    }

    /// Its number.
    pub fn number(&self) -> ValueNumber {
        self.number
    }

    /// Changes in place, to a value that may be the same.
    pub(super) fn change(&mut self, change: impl FnOnce(&mut T)) {
        change(&mut self.value);
        self.number = ValueNumber::new();
    }
}

impl<T> Deref for Numbered<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

/// The values that have numbers, each with what follows from it.
#[derive(Debug)]
pub(super) struct Interner<T, D = ()>(HashMap<Arc<T>, (ValueNumber, D)>);

impl<T, D> Default for Interner<T, D> {
    fn default() -> Self {
        Self(HashMap::default())
    }
}

impl<T: Clone + Eq + Hash> Interner<T> {
    /// The number of a value.
    pub(super) fn number(&mut self, value: &T) -> ValueNumber {
        match self.0.get(value) {
            Some((number, ())) => *number,
            None => self.get(value).number,
        }
    }

    /// The value with its number.
    pub(super) fn get(&mut self, value: &T) -> Interned<T> {
        self.get_with(value, |_| ()).0
    }
}

impl<T: Clone + Eq + Hash, D: Copy> Interner<T, D> {
    /// The value with its number, and what follows from it, which `derive` says of a new one.
    pub(super) fn get_with(&mut self, value: &T, derive: impl FnOnce(&T) -> D) -> (Interned<T>, D) {
        if let Some((value, (number, derived))) = self.0.get_key_value(value) {
            return (Interned { number: *number, value: value.clone() }, *derived);
        }
        if self.0.len() >= MOST_KNOWN {
            self.0.clear();
        }
        let (number, value) = (ValueNumber::new(), Arc::new(value.clone()));
        let derived = derive(&value);
        self.0.insert(value.clone(), (number, derived));
        (Interned { number, value }, derived)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_have_one_number_while_they_are_known() {
        let mut known = Interner::<u32>::default();
        let first = known.get(&7);
        assert_eq!(first.number(), known.get(&7).number());
        assert_ne!(first.number(), known.get(&8).number());
        assert_ne!(first.number(), Interner::<u32>::default().get(&7).number(), "another one knows nothing of it");
        for value in 0..=MOST_KNOWN as u32 {
            known.get(&value);
        }
        let again = known.get(&7);
        assert_ne!(first.number(), again.number(), "numbers are never given twice");
        assert_eq!((*first, *again), (7, 7));
    }

    #[test]
    fn a_value_that_changes_in_place_has_another_number() {
        let mut value = Numbered::new(1);
        let number = value.number();
        assert_eq!(value.clone().number(), number);
        value.change(|value| *value = 2);
        assert!(value.number() != number && *value == 2);
    }
}
