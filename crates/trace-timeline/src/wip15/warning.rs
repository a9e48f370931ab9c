//! Things that are not as the format says, but don't stop a reader.

/// A kind of damage that a reader goes on from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Warning {
    /// A value names a group slot that was not declared before.
    UndeclaredGroup,
    /// A group's type is not one of the 17 known ones.
    BadGroupType,
    /// A number takes more bytes than it needs, or is minus zero.
    NoncanonicalLeb,
    /// A truth value is neither 0 nor 1.
    BoolNot01,
    /// A function slot was declared before.
    RedeclaredFunc,
    /// A group slot was declared before.
    RedeclaredGroup,
    /// A compressed blob has bytes after the end of its stream.
    DataTrailing,
    /// `has_group` or `is_array` is neither 0 nor 1.
    NoncanonicalFlag,
    /// Sixteen zero bytes, which read as the declaration of a nameless function: the mark of a hole in the file.
    ZeroOps,
}

impl Warning {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::UndeclaredGroup,
        Self::BadGroupType,
        Self::NoncanonicalLeb,
        Self::BoolNot01,
        Self::RedeclaredFunc,
        Self::RedeclaredGroup,
        Self::DataTrailing,
        Self::NoncanonicalFlag,
        Self::ZeroOps,
    ];

    /// Name for programs.
    pub fn name(self) -> &'static str {
        match self {
            Self::UndeclaredGroup => "undeclared_group",
            Self::BadGroupType => "bad_group_type",
            Self::NoncanonicalLeb => "noncanonical_leb",
            Self::BoolNot01 => "bool_not_01",
            Self::RedeclaredFunc => "redeclared_func",
            Self::RedeclaredGroup => "redeclared_group",
            Self::DataTrailing => "data_trailing",
            Self::NoncanonicalFlag => "noncanonical_flag",
            Self::ZeroOps => "zero_ops",
        }
    }

    /// Meaning, for people.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::UndeclaredGroup => "a value names a group that is not declared yet",
            Self::BadGroupType => "a group's type is unknown",
            Self::NoncanonicalLeb => "a number has more bytes than it needs, or is minus zero",
            Self::BoolNot01 => "a boolean is neither 0 nor 1",
            Self::RedeclaredFunc => "a function is declared again",
            Self::RedeclaredGroup => "a group is declared again",
            Self::DataTrailing => "a blob has bytes after the end of its stream",
            Self::NoncanonicalFlag => "a type's flag is neither 0 nor 1",
            Self::ZeroOps => "sixteen zero bytes in place of an operation: the file has a hole",
        }
    }
}

/// Counts warnings and remembers where each kind was first seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Warnings {
    counts: [u64; Warning::ALL.len()],
    first: [u64; Warning::ALL.len()],
}

impl Warnings {
    pub(super) fn count(&mut self, warning: Warning, offset: u64) {
        let index = warning as usize;
        if let (Some(count), Some(first)) = (self.counts.get_mut(index), self.first.get_mut(index)) {
            if *count == 0 {
                *first = offset;
            }
            *count += 1;
        }
    }

    pub(super) fn add(&mut self, other: &Self) {
        let ours = self.counts.iter_mut().zip(&mut self.first);
        for ((count, first), (more, their_first)) in ours.zip(other.counts.iter().zip(&other.first)) {
            if *count == 0 {
                *first = *their_first;
            }
            *count += more;
        }
    }

    /// Every kind that occurred: kind, count, absolute file offset of the first.
    pub fn iter(&self) -> impl Iterator<Item = (Warning, u64, u64)> + '_ {
        let both = Warning::ALL.into_iter().zip(self.counts).zip(self.first);
        both.filter(|((_, count), _)| *count > 0).map(|((warning, count), first)| (warning, count, first))
    }
}
