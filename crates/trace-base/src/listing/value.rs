//! Named values, as every listing shows them.

use std::sync::Arc;

use serde_json::Value as Json;

/// A decoded value, one shape for every format.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Nothing: a null string, the argument of type `void`.
    Null,
    /// A truth value.
    Bool(bool),
    /// An unsigned number.
    UInt(u64),
    /// An unsigned number that is shown by its name. Filters know it by either.
    Named {
        /// The name.
        name: Arc<str>,
        /// The number.
        number: u64,
    },
    /// A signed number.
    Int(i64),
    /// A 32-bit float.
    F32(f32),
    /// A 64-bit float.
    F64(f64),
    /// An address.
    Address(u64),
    /// Text. Bytes that are not in the format's encoding show as U+FFFD.
    Text(String),
    /// JSON text as it stands in the file, valid or not.
    Json(String),
    /// A blob that stays in the file.
    Blob {
        /// Its length when decompressed.
        size_bytes: u64,
        /// Its length in the file.
        stored_bytes: u64,
    },
    /// A function, of which the file keeps nothing.
    Function,
    /// An array.
    List(Vec<Value>),
}

/// A named value.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    /// The argument's name, or `arg0`, `arg1`, … and `result` where the format records no names.
    pub name: Arc<str>,
    /// What was passed.
    pub value: Value,
}

/// A member of a JSON object as filters see it.
impl From<&Json> for Value {
    fn from(json: &Json) -> Self {
        match json {
            Json::Null => Self::Null,
            Json::Bool(value) => Self::Bool(*value),
            Json::Number(number) => match (number.as_u64(), number.as_i64()) {
                (Some(number), _) => Self::UInt(number),
                (None, Some(number)) => Self::Int(number),
                (None, None) => Self::F64(number.as_f64().unwrap_or(f64::NAN)),
            },
            Json::String(text) => Self::Text(text.clone()),
            Json::Array(values) => Self::List(values.iter().map(Self::from).collect()),
            Json::Object(_) => Self::Json(json.to_string()),
        }
    }
}
