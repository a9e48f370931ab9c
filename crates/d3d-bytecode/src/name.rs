//! Names in chunks and tables: text that a zero ends.

use super::error::BytecodeError;
use crate::limits::MAX_BYTECODE_NAME_BYTES;

/// What refers to a name.
#[derive(Clone, Copy)]
pub(super) struct NameReference {
    /// What it is the name of, in a word.
    pub what: &'static str,
    /// The number of the element that has it.
    pub element: u32,
    /// Absolute file offset of the reference.
    pub offset: u64,
}

/// The name at `at` of `bytes`.
pub(super) fn name_at(bytes: &[u8], at: u32, reference: NameReference) -> Result<&str, BytecodeError> {
    let NameReference { what, element, offset } = reference;
    let bad = BytecodeError::BadName { element, offset };
    let rest = bytes.get(at as usize..).ok_or(bad)?;
    let end = rest.iter().position(|byte| *byte == 0).ok_or(bad)?;
    if end > MAX_BYTECODE_NAME_BYTES {
        let (found, limit) = (end as u64, MAX_BYTECODE_NAME_BYTES as u64);
        return Err(BytecodeError::OverLimit { what, found, limit, offset });
    }
    rest.get(..end).and_then(|name| str::from_utf8(name).ok()).ok_or(bad)
}
