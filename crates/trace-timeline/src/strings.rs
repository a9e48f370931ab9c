//! Interned byte strings.

use std::borrow::Cow;
use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

/// A string of a timeline's [`Strings`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StringId(u32);

impl StringId {
    /// The empty string, which every table holds.
    pub const EMPTY: Self = Self(0);
}

/// Every distinct string once, in one allocation. Strings are bytes: neither format promises an encoding.
#[derive(Clone, Debug)]
pub struct Strings {
    bytes: Vec<u8>,
    /// String `i` is `bytes[ends[i - 1]..ends[i]]`.
    ends: Vec<usize>,
    ids: HashTable<StringId>,
    hasher: RandomState,
}

impl Default for Strings {
    fn default() -> Self {
        Self { bytes: Vec::new(), ends: vec![0], ids: HashTable::new(), hasher: RandomState::default() }
    }
}

impl Strings {
    /// The id of `string`, new or old.
    ///
    /// After 2^32 − 1 distinct strings (a file of at least that many bytes) further ones become the empty string.
    pub fn intern(&mut self, string: &[u8]) -> StringId {
        if string.is_empty() {
            return StringId::EMPTY;
        }
        let hash = self.hasher.hash_one(string);
        let (bytes, ends) = (&self.bytes, &self.ends);
        if let Some(id) = self.ids.find(hash, |&id| slice(bytes, ends, id) == string) {
            return *id;
        }
        let Ok(index) = u32::try_from(self.ends.len()) else {
            return StringId::EMPTY;
        };
        self.bytes.extend_from_slice(string);
        self.ends.push(self.bytes.len());
        let (bytes, ends, hasher) = (&self.bytes, &self.ends, &self.hasher);
        self.ids.insert_unique(hash, StringId(index), |&id| hasher.hash_one(slice(bytes, ends, id)));
        StringId(index)
    }

    /// The id of `string` if it was interned.
    pub fn find(&self, string: &[u8]) -> Option<StringId> {
        if string.is_empty() {
            return Some(StringId::EMPTY);
        }
        let hash = self.hasher.hash_one(string);
        self.ids.find(hash, |&id| slice(&self.bytes, &self.ends, id) == string).copied()
    }

    /// The bytes of `id`; empty for an id of another table.
    pub fn bytes(&self, id: StringId) -> &[u8] {
        slice(&self.bytes, &self.ends, id)
    }

    /// `id` as text; bytes that are not UTF-8 show as U+FFFD.
    pub fn text(&self, id: StringId) -> Cow<'_, str> {
        String::from_utf8_lossy(self.bytes(id))
    }

    /// Number of distinct strings, the empty one included.
    pub fn count(&self) -> usize {
        self.ends.len()
    }

    /// Every id, in the order in which the strings were first seen.
    pub fn ids(&self) -> impl Iterator<Item = StringId> + use<> {
        (0..self.ends.len()).map(|index| StringId(index as u32))
    }
}

impl StringId {
    /// Position in the order of first sight, from 0: a key for tables beside the strings.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

fn slice<'a>(bytes: &'a [u8], ends: &[usize], id: StringId) -> &'a [u8] {
    let end = ends.get(id.index()).copied().unwrap_or(0);
    let begin = id.index().checked_sub(1).and_then(|before| ends.get(before)).copied().unwrap_or(0);
    bytes.get(begin..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_strings_share_an_id() {
        let mut strings = Strings::default();
        let names: Vec<StringId> = (0..1000).map(|i| strings.intern(format!("name {}", i % 100).as_bytes())).collect();
        assert_eq!(strings.count(), 101);
        assert_eq!(names[7], names[907]);
        assert_eq!(strings.text(names[42]), "name 42");
        assert_eq!(strings.intern(b""), StringId::EMPTY);
        assert_eq!(strings.find(b"name 3"), Some(names[3]));
        assert_eq!(strings.find(b"nobody"), None);
        let odd = strings.intern(&[0xff, 0]);
        assert_eq!((strings.bytes(odd), strings.text(odd).as_ref()), ([0xff, 0].as_slice(), "\u{fffd}\0"));
    }
}
