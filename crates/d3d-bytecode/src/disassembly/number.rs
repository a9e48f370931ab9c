//! Immediate values, whose bits nobody says the type of.

use std::fmt;

/// Integers beyond are more likely something else.
const LARGE_INTEGER: u32 = 1 << 20;

/// Writes 32 bits so that they can be read again: small numbers of either sign as integers, ordinary floats with a
/// point or an exponent, all else in hexadecimal.
pub(super) fn write_bits(f: &mut fmt::Formatter<'_>, bits: u32) -> fmt::Result {
    let (integer, float) = (bits as i32, f32::from_bits(bits));
    if integer.unsigned_abs() < LARGE_INTEGER {
        write!(f, "{integer}")
    } else if float.is_normal() {
        // Rust writes the shortest decimal that reads as these bits, and never without point or exponent.
        write!(f, "{float:?}")
    } else {
        write!(f, "{bits:#010x}")
    }
}

/// Writes 64 bits: a double if it is an ordinary one, else in hexadecimal.
pub(super) fn write_long_bits(f: &mut fmt::Formatter<'_>, bits: u64) -> fmt::Result {
    let double = f64::from_bits(bits);
    if double.is_normal() || bits == 0 { write!(f, "{double:?}") } else { write!(f, "{bits:#018x}") }
}

/// Writes numbers with commas between them.
pub(super) fn write_list(f: &mut fmt::Formatter<'_>, values: &[u32]) -> fmt::Result {
    for (number, bits) in values.iter().enumerate() {
        f.write_str(if number == 0 { "" } else { ", " })?;
        write_bits(f, *bits)?;
    }
    Ok(())
}
