//! Values of packets' fields, for listings.

use std::fmt;

/// A field's value, for listings.
#[derive(Clone, Debug, PartialEq)]
pub enum FieldValue {
    /// A number.
    Number(u64),
    /// A number with a sign.
    Signed(i32),
    /// Bits.
    Hex(u64),
    /// A float.
    Float(f32),
    /// A value with a name.
    Named(String),
    /// Numbers.
    Numbers(Vec<u32>),
}

impl fmt::Display for FieldValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(value) => value.fmt(f),
            Self::Signed(value) => value.fmt(f),
            Self::Hex(value) => write!(f, "{value:#x}"),
            Self::Float(value) => value.fmt(f),
            Self::Named(name) => f.write_str(name),
            Self::Numbers(values) => f.debug_list().entries(values).finish(),
        }
    }
}

/// A name and a value.
pub type ListedField = (&'static str, FieldValue);
