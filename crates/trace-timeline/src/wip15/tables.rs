//! Declared functions and groups.

use std::collections::BTreeMap;

use super::{Error, Type};
use crate::limits::MAX_WIP15_DECLARATIONS;

/// A declared function (spec: *Function*).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its slot.
    pub index: u32,
    /// Its name; any bytes.
    pub name: Box<[u8]>,
    /// Type of its result.
    pub result: Type,
    /// Types of its arguments.
    pub arguments: Box<[Type]>,
    /// Absolute file offset of its declaration.
    pub offset: u64,
    /// The declaration that this one replaced.
    replaced: Option<FunctionId>,
}

impl Function {
    pub(super) fn new(index: u32, name: &[u8], result: Type, arguments: Vec<Type>, offset: u64) -> Self {
        Self { index, name: name.into(), result, arguments: arguments.into(), offset, replaced: None }
    }

    /// Its name as text.
    pub fn text(&self) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(&self.name)
    }

    fn says_the_same(&self, other: &Self) -> bool {
        self.name == other.name && self.result == other.result && self.arguments == other.arguments
    }
}

/// A declaration of a function, numbered in file order: unlike the slot it never changes its meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FunctionId(pub u32);

/// A sparse table of slots. Real indices are small; a hostile one must not make us allocate up to it.
#[derive(Clone, Debug)]
struct Slots<T> {
    low: Vec<Option<T>>,
    high: BTreeMap<u32, T>,
    used: usize,
}

const LOW_SLOTS: u32 = 1 << 16;

impl<T> Default for Slots<T> {
    fn default() -> Self {
        Self { low: Vec::new(), high: BTreeMap::new(), used: 0 }
    }
}

impl<T> Slots<T> {
    #[inline]
    fn get(&self, index: u32) -> Option<&T> {
        if index < LOW_SLOTS { self.low.get(index as usize)?.as_ref() } else { self.high.get(&index) }
    }

    /// Sets a slot and says whether it was set before.
    fn set(&mut self, index: u32, value: T) -> bool {
        let old = if index < LOW_SLOTS {
            if self.low.len() <= index as usize {
                self.low.resize_with(index as usize + 1, || None);
            }
            self.low.get_mut(index as usize).and_then(|slot| slot.replace(value))
        } else {
            self.high.insert(index, value)
        };
        self.used += usize::from(old.is_none());
        old.is_some()
    }
}

/// Everything declared so far.
#[derive(Clone, Debug, Default)]
pub struct Tables {
    functions: Vec<Function>,
    slots: Slots<FunctionId>,
    groups: Slots<Box<[u8]>>,
}

impl Tables {
    /// Every function declaration in file order; repeats that say the same are left out.
    pub fn functions(&self) -> &[Function] {
        &self.functions
    }

    /// The function with the number `id`.
    pub fn function(&self, id: FunctionId) -> Option<&Function> {
        self.functions.get(id.0 as usize)
    }

    /// The function in slot `index` as declared last.
    #[inline]
    pub fn latest(&self, index: u32) -> Option<FunctionId> {
        self.slots.get(index).copied()
    }

    /// The function that a call at absolute file offset `offset` means by `index`.
    pub fn in_force_at(&self, index: u32, offset: u64) -> Option<FunctionId> {
        let mut id = self.latest(index)?;
        while self.function(id)?.offset > offset {
            id = self.function(id)?.replaced?;
        }
        Some(id)
    }

    /// Name of the group in slot `index`, as declared last.
    pub fn group(&self, index: u32) -> Option<&[u8]> {
        Some(self.groups.get(index)?)
    }

    #[inline]
    pub(super) fn has_group(&self, index: u32) -> bool {
        self.groups.get(index).is_some()
    }

    /// Declares a function and says whether its slot was taken.
    pub(super) fn declare_function(&mut self, mut function: Function) -> Result<(FunctionId, bool), Error> {
        let replaced = self.latest(function.index);
        if let Some(old) = replaced
            && self.function(old).is_some_and(|old| old.says_the_same(&function))
        {
            return Ok((old, true));
        }
        if self.functions.len() >= MAX_WIP15_DECLARATIONS {
            return Err(Error::TooManyDeclarations { offset: function.offset });
        }
        let id = FunctionId(self.functions.len() as u32);
        function.replaced = replaced;
        self.slots.set(function.index, id);
        self.functions.push(function);
        Ok((id, replaced.is_some()))
    }

    /// Declares a group and says whether its slot was taken.
    pub(super) fn declare_group(&mut self, index: u32, name: &[u8], offset: u64) -> Result<bool, Error> {
        if self.groups.used >= MAX_WIP15_DECLARATIONS {
            return Err(Error::TooManyDeclarations { offset });
        }
        Ok(self.groups.set(index, name.into()))
    }
}
