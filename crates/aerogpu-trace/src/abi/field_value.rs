//! Values of packets' and records' fields, for listings.

use std::borrow::Cow;
use std::fmt;

#[cfg(feature = "reader")]
use serde::{Serialize, Serializer};

#[cfg(feature = "reader")]
use trace_base::listing::Value;
#[cfg(feature = "reader")]
use trace_base::text::Real;

/// A field's value, for listings.
#[derive(Clone, Debug, PartialEq)]
pub enum FieldValue {
    /// A number.
    Number(u64),
    /// A number with a sign.
    Signed(i32),
    /// Bits, which a text shows as hexadecimal digits.
    Hex(u64),
    /// A float.
    Float(f32),
    /// A number that is shown by its name.
    Named {
        /// The name.
        name: Cow<'static, str>,
        /// The number.
        number: u64,
    },
    /// Numbers.
    Numbers(Vec<u32>),
    /// Values of one kind.
    List(Vec<FieldValue>),
    /// A text, which listings put in quotes.
    Text(String),
}

/// Elements of one list, flags among them, that are shown in one line.
pub const LISTED_ELEMENTS: usize = 4096;

/// Values of a list that a text shows.
const SHOWN: usize = 16;

impl fmt::Display for FieldValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(value) => value.fmt(f),
            Self::Signed(value) => value.fmt(f),
            Self::Hex(value) => write!(f, "{value:#x}"),
            // Digits before or behind the point that say nothing.
            Self::Float(value) if *value != 0.0 && !(1e-5..1e9).contains(&value.abs()) => write!(f, "{value:e}"),
            Self::Float(value) => value.fmt(f),
            Self::Named { name, .. } => f.write_str(name),
            Self::Numbers(values) => f.debug_list().entries(values).finish(),
            Self::List(values) => {
                let shown = values.iter().take(SHOWN).map(ToString::to_string).collect::<Vec<_>>().join(", ");
                match values.len().checked_sub(SHOWN) {
                    Some(more @ 1..) => write!(f, "[{shown}, {more} more]"),
                    _ => write!(f, "[{shown}]"),
                }
            }
            Self::Text(text) => write!(f, "\"{text}\""),
        }
    }
}

#[cfg(feature = "reader")]
/// Numbers are numbers, named ones their name, and floats that JSON has no digits for a word.
impl Serialize for FieldValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Number(value) | Self::Hex(value) => serializer.serialize_u64(*value),
            Self::Signed(value) => serializer.serialize_i32(*value),
            Self::Float(value) => Real(*value).serialize(serializer),
            Self::Named { name, .. } => serializer.serialize_str(name),
            Self::Numbers(values) => values.serialize(serializer),
            Self::List(values) => values.serialize(serializer),
            Self::Text(text) => serializer.serialize_str(text),
        }
    }
}

#[cfg(feature = "reader")]
/// As filters and timelines see it.
impl From<FieldValue> for Value {
    fn from(value: FieldValue) -> Self {
        match value {
            FieldValue::Number(number) | FieldValue::Hex(number) => Self::UInt(number),
            FieldValue::Signed(number) => Self::Int(number.into()),
            FieldValue::Float(number) => Self::F32(number),
            FieldValue::Named { name, number } => Self::Named { name: name.into(), number },
            FieldValue::Numbers(numbers) => {
                Self::List(numbers.into_iter().map(|number| Self::UInt(number.into())).collect())
            }
            FieldValue::List(values) => Self::List(values.into_iter().map(Self::from).collect()),
            FieldValue::Text(text) => Self::Text(text),
        }
    }
}

/// A name and a value.
pub type ListedField = (&'static str, FieldValue);
