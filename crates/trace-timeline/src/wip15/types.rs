//! Types of values and their codes on the wire (spec: *Type*, *BaseType*, *GroupType*, *CompressionMethod*).

use super::check::CheckTotals;
use super::{Error, Warning};
use trace_base::bytes::Cursor;

/// What an element is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BaseType {
    /// Nothing, no bytes.
    Void = 0,
    /// Unsigned LEB128.
    UnsignedInt = 1,
    /// LEB128 with the sign in the lowest bit.
    Int = 2,
    /// Address as unsigned LEB128.
    Ptr = 3,
    /// One byte, not 0 is true.
    Bool = 4,
    /// IEEE binary32 in the recording host's byte order.
    Float = 5,
    /// IEEE binary64 in the recording host's byte order.
    Double = 6,
    /// Length and bytes.
    String = 7,
    /// A blob.
    Data = 8,
    /// A function, of which nothing is recorded.
    FunctionPtr = 9,
    /// A type and a value of it (writers from 2017-06-17 on; not in the given text).
    Variant = 10,
}

impl BaseType {
    /// The type with the code `code`.
    pub fn from_code(code: u8) -> Option<Self> {
        use BaseType::*;
        let all = [Void, UnsignedInt, Int, Ptr, Bool, Float, Double, String, Data, FunctionPtr, Variant];
        all.get(usize::from(code)).copied()
    }

    /// Short lower-case name, as in the canonical dump.
    pub fn name(self) -> &'static str {
        match self {
            Self::Void => "void",
            Self::UnsignedInt => "uint",
            Self::Int => "int",
            Self::Ptr => "ptr",
            Self::Bool => "bool",
            Self::Float => "float",
            Self::Double => "double",
            Self::String => "string",
            Self::Data => "data",
            Self::FunctionPtr => "fptr",
            Self::Variant => "variant",
        }
    }

    /// Whether an element takes no bytes.
    pub fn is_empty(self) -> bool {
        matches!(self, Self::Void | Self::FunctionPtr)
    }
}

/// Type of an argument or a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Type {
    /// What each element is.
    pub base: BaseType,
    /// Whether the value ends with the index of a group.
    pub has_group: bool,
    /// Whether the value is a count and that many elements.
    pub is_array: bool,
}

impl Type {
    /// One element without bytes: a function that returns nothing.
    pub const VOID: Self = Self { base: BaseType::Void, has_group: false, is_array: false };
}

impl std::fmt::Display for Type {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let array = if self.is_array { "[]" } else { "" };
        let group = if self.has_group { "@" } else { "" };
        write!(f, "{}{array}{group}", self.base.name())
    }
}

/// Reads the three bytes of a type: base, has_group, is_array.
pub(super) fn parse_type(cursor: &mut Cursor<'_>, totals: &mut CheckTotals) -> Result<Type, Error> {
    let offset = cursor.offset();
    let [base, has_group, is_array] = match cursor.array::<3>() {
        Ok(bytes) => bytes,
        Err(end) => {
            // A wrong base is the better answer even if the flags are missing.
            let found = cursor.u8()?;
            BaseType::from_code(found).ok_or(Error::BadBaseType { found, offset })?;
            return Err(end.into());
        }
    };
    let base = BaseType::from_code(base).ok_or(Error::BadBaseType { found: base, offset })?;
    for (flag, at) in [(has_group, offset + 1), (is_array, offset + 2)] {
        if flag > 1 {
            totals.warn(Warning::NoncanonicalFlag, at);
        }
    }
    Ok(Type { base, has_group: has_group != 0, is_array: is_array != 0 })
}

/// How a blob is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Compression {
    /// As it is.
    None = 0,
    /// One zlib stream (RFC 1950).
    Zlib = 1,
    /// One raw LZ4 block, no frame.
    Lz4 = 2,
    /// One zstd frame (writers from 2017-09-06 on; not in the given text).
    Zstd = 3,
}

impl Compression {
    /// The method with the code `code`.
    pub fn from_code(code: u8) -> Option<Self> {
        [Self::None, Self::Zlib, Self::Lz4, Self::Zstd].get(usize::from(code)).copied()
    }

    /// Lower-case name.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Zlib => "zlib",
            Self::Lz4 => "lz4",
            Self::Zstd => "zstd",
        }
    }
}

/// Largest group type that the given text names (`GLXContexts`). Writers only ever wrote 0 (`Enum`).
pub const LAST_GROUP_TYPE: u8 = 16;
