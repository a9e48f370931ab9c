//! Strings of a trace: Latin-1, or UTF-8 in which surrogates may stand alone.
//!
//! The JavaScript writers encode each UTF-16 unit on its own in one to three bytes (CESU-8), so a character outside the
//! basic plane is six bytes and half of one can occur. C++ and format 10 write real UTF-8. Both are accepted everywhere,
//! and nothing is lost: [`Text`] is read as UTF-16 units.

use std::borrow::Cow;
use std::fmt;

/// A string that still lies in the file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Text<'a> {
    /// One byte a character.
    Latin1(&'a [u8]),
    /// UTF-8, CESU-8, or a mixture; checked before it gets here.
    Wide(&'a [u8]),
    /// Little-endian UTF-16 units, two bytes each: `wchar` and its arrays.
    Utf16(&'a [u8]),
}

impl<'a> Text<'a> {
    /// The bytes as they stand in the file.
    pub fn bytes(self) -> &'a [u8] {
        match self {
            Self::Latin1(bytes) | Self::Wide(bytes) | Self::Utf16(bytes) => bytes,
        }
    }

    /// The characters; a surrogate that stands alone comes as its own number.
    pub fn code_points(self) -> CodePoints<'a> {
        CodePoints { rest: self }
    }

    /// As a string; what is no character becomes U+FFFD.
    pub fn to_str(self) -> Cow<'a, str> {
        match std::str::from_utf8(self.bytes()) {
            Ok(text) if matches!(self, Self::Wide(_)) => Cow::Borrowed(text),
            Ok(text) if matches!(self, Self::Latin1(_)) && text.is_ascii() => Cow::Borrowed(text),
            _ => {
                let units = self.code_points().flat_map(utf16);
                Cow::Owned(char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect())
            }
        }
    }
}

impl fmt::Debug for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_str().fmt(f)
    }
}

/// One or two UTF-16 units of a code point.
pub(super) fn utf16(code_point: u32) -> impl Iterator<Item = u16> {
    let (first, second) = if code_point >= 0x1_0000 {
        let above = code_point - 0x1_0000;
        (0xd800 | (above >> 10) as u16 & 0x3ff, Some(0xdc00 | (above & 0x3ff) as u16))
    } else {
        (code_point as u16, None)
    };
    std::iter::once(first).chain(second)
}

/// Iterates over the code points of a [`Text`].
#[derive(Clone, Debug)]
pub struct CodePoints<'a> {
    rest: Text<'a>,
}

impl Iterator for CodePoints<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        match &mut self.rest {
            Text::Latin1(bytes) => bytes.split_off_first().map(|&byte| u32::from(byte)),
            Text::Wide(bytes) => {
                let &first = bytes.first()?;
                // Validated before; should a byte be wrong all the same, it stands for itself.
                let alone = (u32::from(first), 1);
                let (code_point, length) = if first < 0x80 { alone } else { decode_char(bytes).unwrap_or(alone) };
                *bytes = bytes.get(length..).unwrap_or_default();
                Some(code_point)
            }
            Text::Utf16(bytes) => {
                let (&unit, rest) = bytes.split_first_chunk()?;
                *bytes = rest;
                Some(u32::from(u16::from_le_bytes(unit)))
            }
        }
    }
}

/// Checks UTF-8 that may hold surrogates and counts its UTF-16 units.
///
/// # Errors
///
/// The index of the first byte of a sequence that is overlong, cut, or no UTF-8 at all.
pub(super) fn validate(bytes: &[u8]) -> Result<usize, usize> {
    if bytes.is_ascii() {
        return Ok(bytes.len());
    }
    let (mut at, mut units) = (0, 0);
    while let Some(rest) = bytes.get(at..)
        && let Some(&first) = rest.first()
    {
        let (code_point, length) = if first < 0x80 { (0, 1) } else { decode_char(rest).ok_or(at)? };
        units += if code_point >= 0x1_0000 { 2 } else { 1 };
        at += length;
    }
    Ok(units)
}

/// One multi-byte sequence at the start of `bytes`: code point and length.
fn decode_char(bytes: &[u8]) -> Option<(u32, usize)> {
    let continuation = |index: usize| {
        bytes.get(index).and_then(|&byte| if byte & 0xc0 == 0x80 { Some(u32::from(byte & 0x3f)) } else { None })
    };
    let first = u32::from(*bytes.first()?);
    let (code_point, length, least) = match first {
        0xc2..=0xdf => ((first & 0x1f) << 6 | continuation(1)?, 2, 0x80),
        0xe0..=0xef => ((first & 0xf) << 12 | continuation(1)? << 6 | continuation(2)?, 3, 0x800),
        0xf0..=0xf4 => {
            let high = (first & 7) << 18 | continuation(1)? << 12;
            (high | continuation(2)? << 6 | continuation(3)?, 4, 0x1_0000)
        }
        _ => return None,
    };
    (code_point >= least && code_point <= 0x10_ffff).then_some((code_point, length))
}

/// Appends a code point as UTF-8, surrogates as three bytes.
pub(super) fn push_wide(bytes: &mut Vec<u8>, code_point: u32) {
    if let Some(character) = char::from_u32(code_point) {
        bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    } else {
        let low = |shift: u32| 0x80 | (code_point >> shift & 0x3f) as u8;
        bytes.extend_from_slice(&[0xe0 | (code_point >> 12 & 0xf) as u8, low(6), low(0)]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cesu_pairs_and_four_byte_forms_are_the_same_units() {
        let cesu: &[u8] = &[0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80];
        let utf8 = "😀".as_bytes();
        assert_eq!((validate(cesu), validate(utf8)), (Ok(2), Ok(2)));
        assert_eq!(Text::Wide(cesu).to_str(), "😀");
        let units = |bytes| Text::Wide(bytes).code_points().flat_map(utf16).collect::<Vec<_>>();
        assert_eq!(units(cesu), units(utf8));
    }

    #[test]
    fn overlong_and_cut_sequences_are_refused_at_their_first_byte() {
        assert_eq!(validate(&[b'a', 0xc0, 0x80]), Err(1));
        assert_eq!(validate(&[0xe0, 0x80, 0x80]), Err(0));
        assert_eq!(validate(&[b'a', b'b', 0xe4, 0xb8]), Err(2));
        assert_eq!(validate(&[0xf4, 0x90, 0x80, 0x80]), Err(0));
    }

    #[test]
    fn lone_surrogates_survive_as_units_and_show_as_replacements() {
        let mut bytes = b"x".to_vec();
        push_wide(&mut bytes, 0xd800);
        assert_eq!(validate(&bytes), Ok(2));
        assert_eq!(Text::Wide(&bytes).code_points().collect::<Vec<_>>(), [0x78, 0xd800]);
        assert_eq!(Text::Wide(&bytes).to_str(), "x\u{fffd}");
    }

    #[test]
    fn utf16_units_make_characters() {
        let text = Text::Utf16(&[0x16, 0x4e, 0x3d, 0xd8, 0x00, 0xde]);
        assert_eq!((text.to_str().as_ref(), text.code_points().count()), ("\u{4e16}😀", 3));
    }

    #[test]
    fn latin1_is_a_byte_a_character() {
        assert_eq!(Text::Latin1(&[0x63, 0xe9]).to_str(), "cé");
    }
}
