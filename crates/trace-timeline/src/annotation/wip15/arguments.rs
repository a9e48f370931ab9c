//! Arguments of WIP15 calls: by position for the mapping, all of them for whoever looks at an event.

use std::sync::Arc;

use crate::annotation::FileError;
use crate::wip15::{Call, CallReader, Element, Header, Tables, Value as WireValue};
use crate::{Argument, ArgumentError, ArgumentSource, RecordOffset, Value};
use trace_base::bytes::ByteSource;

/// Argument `index` of `call` as its only or first element, looking into a variant.
pub(super) fn element<'a>(call: &Call<'a>, index: usize) -> Option<Element<'a>> {
    inside(call.argument(index)?)
}

pub(super) fn inside(value: WireValue<'_>) -> Option<Element<'_>> {
    let mut value = value;
    loop {
        match value.first()? {
            Element::Variant(inner) => value = inner,
            element => return Some(element),
        }
    }
}

/// Argument `index` as a number that is not negative.
pub(super) fn number(call: &Call<'_>, index: usize) -> Option<u64> {
    match element(call, index)? {
        Element::UInt(number) | Element::Ptr(number) => Some(number),
        Element::Int(number) => u64::try_from(number).ok(),
        _ => None,
    }
}

/// Argument `index` as a number with a sign.
pub(super) fn signed(call: &Call<'_>, index: usize) -> Option<i64> {
    match element(call, index)? {
        Element::UInt(number) | Element::Ptr(number) => i64::try_from(number).ok(),
        Element::Int(number) => Some(number),
        _ => None,
    }
}

/// Argument `index` as text.
pub(super) fn text<'a>(call: &Call<'a>, index: usize) -> Option<&'a [u8]> {
    match element(call, index)? {
        Element::String(bytes) => Some(bytes),
        _ => None,
    }
}

/// Argument `index` as text, cut to the length in argument `length`: recorders keep the whole string.
pub(super) fn cut_text<'a>(call: &Call<'a>, length: usize, index: usize) -> Option<&'a [u8]> {
    let whole = text(call, index)?;
    let length = signed(call, length).and_then(|length| usize::try_from(length).ok());
    Some(length.and_then(|length| whole.get(..length)).unwrap_or(whole))
}

/// Decodes the arguments of WIP15 calls by the offset of their operation.
pub struct Wip15Arguments<'s, 't> {
    calls: CallReader<'s, 't>,
    names: Vec<Arc<str>>,
    result: Arc<str>,
}

impl<'s, 't> Wip15Arguments<'s, 't> {
    /// `header` and `tables` are those of the pass that made the timeline.
    pub fn new(source: &'s dyn ByteSource, header: Header, tables: &'t Tables) -> Self {
        Self { calls: CallReader::new(source, header, tables), names: Vec::new(), result: "result".into() }
    }

    /// The call whose operation begins at `record`.
    pub fn call_at(&mut self, record: RecordOffset) -> Result<Call<'_>, ArgumentError> {
        self.calls.call_at(record.0).map_err(|error| FileError::new(error).into())
    }
}

impl ArgumentSource for Wip15Arguments<'_, '_> {
    fn arguments(&mut self, record: RecordOffset, into: &mut Vec<Argument>) -> Result<(), ArgumentError> {
        into.clear();
        if record.is_none() {
            return Ok(());
        }
        let call = self.calls.call_at(record.0).map_err(FileError::new)?;
        for (index, value) in call.arguments().enumerate() {
            if self.names.len() == index {
                self.names.push(format!("arg{index}").into());
            }
            let name = self.names.get(index).unwrap_or(&self.result).clone();
            into.push(Argument { name, value: convert(&value) });
        }
        if let Some(value) = call.result() {
            into.push(Argument { name: self.result.clone(), value: convert(&value) });
        }
        for extra in call.extras() {
            let name = String::from_utf8_lossy(extra.name).into();
            into.push(Argument { name, value: convert_element(&Element::Data(extra.data)) });
        }
        Ok(())
    }
}

fn convert(value: &WireValue<'_>) -> Value {
    if let Some(Element::Variant(inner)) = value.first().filter(|_| !value.kind.is_array) {
        return convert(&inner);
    }
    if value.kind.is_array {
        return Value::List(value.elements.map(|element| convert_element(&element)).collect());
    }
    value.first().map_or(Value::Null, |element| convert_element(&element))
}

fn convert_element(element: &Element<'_>) -> Value {
    match element {
        Element::Void => Value::Null,
        Element::UInt(number) => Value::UInt(*number),
        Element::Int(number) => Value::Int(*number),
        Element::Ptr(address) => Value::Address(*address),
        Element::Bool(is_true) => Value::Bool(*is_true),
        Element::Float(number) => Value::F32(*number),
        Element::Double(number) => Value::F64(*number),
        Element::String(bytes) => Value::Text(String::from_utf8_lossy(bytes).into_owned()),
        Element::Data(blob) => {
            Value::Blob { size_bytes: blob.size_bytes.into(), stored_bytes: blob.stored.len() as u64 }
        }
        Element::FunctionPtr => Value::Function,
        Element::Variant(value) => convert(value),
    }
}
