//! Operations: declarations and calls (spec: *Operation*).

use super::blob::parse_blob;
use super::value::decode_value;
use super::{Blob, Endian, Function, FunctionId, Tables, Type, Value};
use trace_base::bytes::Cursor;

/// One operation of a trace, borrowed from the reader.
#[derive(Clone, Copy, Debug)]
pub enum Op<'a> {
    /// A function is declared.
    Function(&'a Function),
    /// A group is declared.
    Group(Group<'a>),
    /// A function was called.
    Call(Call<'a>),
}

/// Declaration of a group of values: an enumeration, a kind of object.
#[derive(Clone, Copy, Debug)]
pub struct Group<'a> {
    /// Absolute file offset of the operation.
    pub offset: u64,
    /// Its type (0 enumeration, 1 bit mask, then kinds of objects); real writers only ever write 0.
    pub kind: u8,
    /// Its slot.
    pub index: u32,
    /// Its name; any bytes.
    pub name: &'a [u8],
}

/// Number of a call in its trace, from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallIndex(pub u64);

/// A recorded call. Its values were checked when it was read and are decoded when they are asked for.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// Absolute file offset of the operation.
    pub offset: u64,
    /// Which call it is.
    pub index: CallIndex,
    /// Which declaration it means.
    pub id: FunctionId,
    /// What was called.
    pub function: &'a Function,
    /// Everything declared so far (for the names of groups).
    pub tables: &'a Tables,
    pub(super) endian: Endian,
    /// The operation's bytes after the function index.
    pub(super) body: Cursor<'a>,
    /// The file from the number of extras on.
    pub(super) extras: Cursor<'a>,
}

impl<'a> Call<'a> {
    /// Its arguments in order.
    pub fn arguments(&self) -> Values<'a> {
        Values { cursor: self.body, kinds: self.function.arguments.iter(), endian: self.endian }
    }

    /// Argument `index`, if there is one.
    pub fn argument(&self, index: usize) -> Option<Value<'a>> {
        self.arguments().nth(index)
    }

    /// Its result; `None` if the function returns nothing.
    pub fn result(&self) -> Option<Value<'a>> {
        if self.function.result == Type::VOID {
            return None;
        }
        let mut values = self.arguments();
        values.by_ref().for_each(drop);
        decode_value(&mut values.cursor, self.function.result, self.endian).ok()
    }

    /// What the recorder added.
    pub fn extras(&self) -> Extras<'a> {
        let mut cursor = self.extras;
        let left = cursor.u32_le().unwrap_or(0);
        Extras { cursor, left }
    }
}

/// The arguments of a call.
#[derive(Clone, Debug)]
pub struct Values<'a> {
    cursor: Cursor<'a>,
    kinds: std::slice::Iter<'a, Type>,
    endian: Endian,
}

impl<'a> Iterator for Values<'a> {
    type Item = Value<'a>;

    fn next(&mut self) -> Option<Value<'a>> {
        decode_value(&mut self.cursor, *self.kinds.next()?, self.endian).ok()
    }
}

/// Something that the recorder added to a call.
#[derive(Clone, Copy, Debug)]
pub struct Extra<'a> {
    /// What it is, e.g. `replay/glUnmapBuffer/data`; not unique in its call.
    pub name: &'a [u8],
    /// Its content, whose layout only its name tells.
    pub data: Blob<'a>,
}

/// The extras of a call.
#[derive(Clone, Debug)]
pub struct Extras<'a> {
    cursor: Cursor<'a>,
    left: u32,
}

impl<'a> Iterator for Extras<'a> {
    type Item = Extra<'a>;

    fn next(&mut self) -> Option<Extra<'a>> {
        self.left = self.left.checked_sub(1)?;
        let length = self.cursor.u32_le().ok()?;
        let name = self.cursor.take(length as usize).ok()?;
        Some(Extra { name, data: parse_blob(&mut self.cursor).ok()? })
    }
}
