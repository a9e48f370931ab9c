//! Argument values, decoded when they are asked for.

use super::dialect::ByteOrder;
use super::layout::Form;
use super::measure::{Encoding, NULL_ARRAY, TABLE_MARK};
use super::signature::{Argument, ArgumentKind, Scalar};
use super::string_table::{self, StringTable};
use super::text::Text;

/// The value of one argument. Strings and arrays still lie in the file's bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    /// No value. Format 3 writes null and the empty string alike, and both are this; of null and empty arrays, which
    /// it writes alike too, it makes empty ones.
    Null,
    /// True or false.
    Bool(bool),
    /// Any of the integer types, flow ids, and times in microseconds.
    Integer(i64),
    /// A `float32`.
    Float(f32),
    /// Text; also characters and arrays of them.
    Text(Text<'a>),
    /// The text of an `any` argument: JSON, unless a warning says otherwise.
    Json(Text<'a>),
    /// Numbers.
    Array(Array<'a>),
}

impl<'a> Value<'a> {
    /// The number, if it is an integer.
    pub fn as_integer(self) -> Option<i64> {
        match self {
            Self::Integer(number) => Some(number),
            _ => None,
        }
    }

    /// The text, if it is text or JSON.
    pub fn as_text(self) -> Option<Text<'a>> {
        match self {
            Self::Text(text) | Self::Json(text) => Some(text),
            _ => None,
        }
    }
}

/// The numbers of an array argument.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Array<'a> {
    element: Scalar,
    order: ByteOrder,
    bytes: &'a [u8],
}

impl<'a> Array<'a> {
    /// The type of the elements.
    pub fn element(self) -> Scalar {
        self.element
    }

    /// How many elements there are.
    pub fn len(self) -> usize {
        self.bytes.len() / self.element.size_bytes()
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.bytes.is_empty()
    }

    /// The elements, each an integer or a float.
    pub fn values(self) -> impl Iterator<Item = Value<'a>> {
        let Self { element, order, bytes } = self;
        bytes.chunks_exact(element.size_bytes()).map(move |bytes| scalar(element, order, bytes))
    }
}

/// The arguments of one record in order, with their names.
#[derive(Clone, Debug)]
pub struct Arguments<'a> {
    pub(super) remaining: std::slice::Iter<'a, Argument>,
    pub(super) bytes: &'a [u8],
    pub(super) encoding: Encoding,
    pub(super) strings: Option<&'a StringTable>,
}

impl<'a> Iterator for Arguments<'a> {
    type Item = (&'a str, Value<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let argument = self.remaining.next()?;
        // The record was measured before, so nothing is short here; were it, the value would be null.
        Some((&argument.name, self.value(argument.kind).unwrap_or(Value::Null)))
    }
}

impl<'a> Arguments<'a> {
    fn value(&mut self, kind: ArgumentKind) -> Option<Value<'a>> {
        let order = self.encoding.order;
        Some(match kind {
            ArgumentKind::Bool => Value::Bool(*self.number(1)?.first()? != 0),
            ArgumentKind::Scalar(element) => scalar(element, order, self.number(element.size_bytes())?),
            ArgumentKind::FlowId | ArgumentKind::Time32 => scalar(Scalar::Uint32, order, self.number(4)?),
            ArgumentKind::Array(element) => self.array(element)?,
            ArgumentKind::Ascii => self.ascii()?.map_or(Value::Null, Value::Text),
            ArgumentKind::Utf8 => self.utf8()?.map_or(Value::Null, Value::Text),
            ArgumentKind::Any => self.utf8()?.map_or(Value::Null, Value::Json),
        })
    }

    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(length)?;
        self.bytes = rest;
        Some(taken)
    }

    /// The bytes of a number: in aligned form the first ones of a slot, wherever the number's own bytes stand.
    fn number(&mut self, size: usize) -> Option<&'a [u8]> {
        match (self.encoding.form, self.encoding.order) {
            (Form::Packed, _) => self.take(size),
            (Form::Aligned, ByteOrder::Little) => self.take(4)?.get(..size),
            (Form::Aligned, ByteOrder::Big) => self.take(4)?.get(4 - size..),
        }
    }

    fn u16(&mut self) -> Option<u16> {
        let order = self.encoding.order;
        self.take(2)?.first_chunk().map(|&bytes| order.u16(bytes))
    }

    fn u32(&mut self) -> Option<u32> {
        let order = self.encoding.order;
        self.take(4)?.first_chunk().map(|&bytes| order.u32(bytes))
    }

    fn ascii(&mut self) -> Option<Option<Text<'a>>> {
        if self.encoding.form == Form::Aligned {
            return self.table_text();
        }
        match self.u16()? {
            0 => Some(None),
            TABLE_MARK if self.strings.is_some() => self.table_text(),
            length => self.take(usize::from(length)).map(|bytes| Some(Text::Latin1(bytes))),
        }
    }

    fn utf8(&mut self) -> Option<Option<Text<'a>>> {
        if self.encoding.form == Form::Aligned {
            return self.table_text();
        }
        match self.u16()? {
            0 => Some(None),
            TABLE_MARK if self.strings.is_some() => self.table_text(),
            _units => {
                let length = self.u16()?;
                self.take(usize::from(length)).map(|bytes| Some(Text::Wide(bytes)))
            }
        }
    }

    fn table_text(&mut self) -> Option<Option<Text<'a>>> {
        let number = self.u32()?;
        Some(string_table::resolve(self.strings, number))
    }

    fn array(&mut self, element: Scalar) -> Option<Value<'a>> {
        let count = self.u32()?;
        let Encoding { order, form } = self.encoding;
        if form == Form::Aligned && count == NULL_ARRAY {
            return Some(Value::Null);
        }
        let length = (count as usize).checked_mul(element.size_bytes())?;
        let taken = if form == Form::Aligned { length.checked_next_multiple_of(4)? } else { length };
        let bytes = self.take(taken)?.get(..length)?;
        Some(match element {
            Scalar::Char => Value::Text(Text::Latin1(bytes)),
            Scalar::Wchar => Value::Text(Text::Utf16(bytes)),
            _ => Value::Array(Array { element, order, bytes }),
        })
    }
}

/// One number of exactly its size in bytes.
fn scalar(element: Scalar, order: ByteOrder, bytes: &[u8]) -> Value<'_> {
    let wide = |bytes: &[u8]| match *bytes {
        [a] => u32::from(a),
        [a, b] => u32::from(order.u16([a, b])),
        [a, b, c, d] => order.u32([a, b, c, d]),
        _ => 0,
    };
    let number = wide(bytes);
    match element {
        Scalar::Int8 => Value::Integer(i64::from(number as u8 as i8)),
        Scalar::Int16 => Value::Integer(i64::from(number as u16 as i16)),
        Scalar::Int32 => Value::Integer(i64::from(number as i32)),
        Scalar::Char => Value::Text(Text::Latin1(bytes)),
        Scalar::Wchar => Value::Text(Text::Utf16(bytes)),
        Scalar::Float32 => Value::Float(bytes.first_chunk().map_or(0.0, |&bytes| f32::from_le_bytes(bytes))),
        _ => Value::Integer(i64::from(number)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::signature::{TypeSet, parse_signature};
    use super::*;

    const PACKED: Encoding = Encoding { order: ByteOrder::Big, form: Form::Packed };
    const ALIGNED: Encoding = Encoding { order: ByteOrder::Little, form: Form::Aligned };

    fn check(signature: &str, bytes: &[u8], encoding: Encoding, expected: &[Value<'_>]) {
        let arguments = parse_signature(signature, TypeSet::Late).unwrap();
        let values = Arguments { remaining: arguments.iter(), bytes, encoding, strings: None };
        assert_eq!(values.map(|(_, value)| value).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn packed_integers_are_big_endian_and_floats_are_not() {
        let bytes = [0xfe, 0xff, 0xfd, 0, 0, 0x80, 0x3f, 0, 2, 0x63, 0xe9];
        let expected =
            [Value::Integer(-2), Value::Integer(-3), Value::Float(1.0), Value::Text(Text::Latin1(&[0x63, 0xe9]))];
        check("int8 a, int16 b, float32 c, ascii d", &bytes, PACKED, &expected);
    }

    #[test]
    fn aligned_numbers_are_the_low_bytes_of_a_slot() {
        let bytes = [0xfe, 9, 9, 9, 2, 0, 9, 9, 0xff, 0xff, 0xff, 0xff];
        check("int8 a, uint16 b, utf8 c", &bytes, ALIGNED, &[Value::Integer(-2), Value::Integer(2), Value::Null]);
    }

    #[test]
    fn arrays_are_padded_and_can_be_null() {
        let bytes = [1, 0, 0, 0, 5, 0, 9, 9, 0xff, 0xff, 0xff, 0xff];
        let array = Array { element: Scalar::Uint16, order: ByteOrder::Little, bytes: &[5, 0] };
        check("uint16[] a, int8[] b", &bytes, ALIGNED, &[Value::Array(array), Value::Null]);
        assert_eq!(array.values().collect::<Vec<_>>(), [Value::Integer(5)]);
    }
}
