//! Values as borrowed data: a value is a view of bytes that were checked when its call was read.

use super::blob::parse_blob;
use super::check::CheckTotals;
use super::types::parse_type;
use super::{BaseType, Blob, Endian, Error, Type};
use crate::limits::MAX_WIP15_VARIANT_DEPTH;
use trace_base::bytes::Cursor;

/// An argument, a result, or the inside of a variant (spec: *Value*).
#[derive(Clone, Copy, Debug)]
pub struct Value<'a> {
    /// Its type. For a variant this is [`BaseType::Variant`]; the type inside is that of its only element.
    pub kind: Type,
    /// Its elements: one, or any number in an array.
    pub elements: Elements<'a>,
    /// The group that it belongs to, if its type has one.
    pub group: Option<u32>,
}

impl<'a> Value<'a> {
    /// Its first element.
    pub fn first(&self) -> Option<Element<'a>> {
        self.elements.clone().next()
    }
}

/// One element of a value (spec: *ValueElement*).
#[derive(Clone, Copy, Debug)]
pub enum Element<'a> {
    /// Nothing.
    Void,
    /// Unsigned number.
    UInt(u64),
    /// Signed number; its magnitude has 63 bits.
    Int(i64),
    /// Address.
    Ptr(u64),
    /// Truth value.
    Bool(bool),
    /// 32-bit float.
    Float(f32),
    /// 64-bit float.
    Double(f64),
    /// Bytes of a string.
    String(&'a [u8]),
    /// A blob.
    Data(Blob<'a>),
    /// A function, of which nothing is recorded.
    FunctionPtr,
    /// A value with its own type.
    Variant(Value<'a>),
}

/// The elements of a value, decoded one by one.
#[derive(Clone, Copy, Debug)]
pub struct Elements<'a> {
    cursor: Cursor<'a>,
    base: BaseType,
    endian: Endian,
    left: u32,
    depth: u32,
}

impl<'a> Iterator for Elements<'a> {
    type Item = Element<'a>;

    fn next(&mut self) -> Option<Element<'a>> {
        self.left = self.left.checked_sub(1)?;
        // The bytes were checked when the call was read, so this does not fail.
        decode_element(&mut self.cursor, self.base, self.endian, self.depth).ok()
    }
}

/// Decodes the value of type `kind` that begins at `cursor`.
pub(super) fn decode_value<'a>(cursor: &mut Cursor<'a>, kind: Type, endian: Endian) -> Result<Value<'a>, Error> {
    decode_nested(cursor, kind, endian, 0)
}

fn decode_nested<'a>(cursor: &mut Cursor<'a>, kind: Type, endian: Endian, depth: u32) -> Result<Value<'a>, Error> {
    let is_variant = kind.base == BaseType::Variant;
    let left = if kind.is_array && !is_variant { cursor.u32_le()? } else { 1 };
    let elements = Elements { cursor: *cursor, base: kind.base, endian, left, depth };
    if !kind.base.is_empty() {
        for _ in 0..left {
            decode_element(cursor, kind.base, endian, depth)?;
        }
    }
    let group = if kind.has_group && !is_variant { Some(cursor.u32_le()?) } else { None };
    Ok(Value { kind, elements, group })
}

fn decode_element<'a>(
    cursor: &mut Cursor<'a>,
    base: BaseType,
    endian: Endian,
    depth: u32,
) -> Result<Element<'a>, Error> {
    Ok(match base {
        BaseType::Void => Element::Void,
        BaseType::UnsignedInt => Element::UInt(cursor.leb128_u64()?.value),
        BaseType::Int => {
            let number = cursor.leb128_u64()?.value;
            let magnitude = (number >> 1) as i64;
            Element::Int(if number & 1 == 0 { magnitude } else { -magnitude })
        }
        BaseType::Ptr => Element::Ptr(cursor.leb128_u64()?.value),
        BaseType::Bool => Element::Bool(cursor.u8()? != 0),
        BaseType::Float => {
            let bytes = cursor.array()?;
            Element::Float(match endian {
                Endian::Little => f32::from_le_bytes(bytes),
                Endian::Big => f32::from_be_bytes(bytes),
            })
        }
        BaseType::Double => {
            let bytes = cursor.array()?;
            Element::Double(match endian {
                Endian::Little => f64::from_le_bytes(bytes),
                Endian::Big => f64::from_be_bytes(bytes),
            })
        }
        BaseType::String => {
            let length = cursor.u32_le()?;
            Element::String(cursor.take(length as usize)?)
        }
        BaseType::Data => Element::Data(parse_blob(cursor)?),
        BaseType::FunctionPtr => Element::FunctionPtr,
        BaseType::Variant => {
            if depth >= MAX_WIP15_VARIANT_DEPTH {
                return Err(Error::VariantTooDeep { offset: cursor.offset() });
            }
            let kind = parse_type(cursor, &mut CheckTotals::default())?;
            Element::Variant(decode_nested(cursor, kind, endian, depth + 1)?)
        }
    })
}
