//! Named values, as every listing shows them.

use std::sync::Arc;

/// A decoded value, one shape for every format.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Nothing: a null string, the argument of type `void`.
    Null,
    /// A truth value.
    Bool(bool),
    /// An unsigned number.
    UInt(u64),
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
