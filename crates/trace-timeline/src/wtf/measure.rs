//! Finds the end of an argument list, and checks what later readers rely on.

use std::num::NonZeroU64;

use super::dialect::ByteOrder;
use super::error::{Problem, WtfError};
use super::event_type::EventType;
use super::layout::{Form, LayoutStep, number_bytes};
use super::string_table::{self, StringTable};
use super::text::{self, Text};

/// In a packed string of a chunk that has a string table: the text is in the table.
pub(super) const TABLE_MARK: u16 = 0xffff;
/// Element count of an array that is null.
pub(super) const NULL_ARRAY: u32 = 0xffff_ffff;

/// How the records of one event buffer are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Encoding {
    /// Byte order of the integers.
    pub order: ByteOrder,
    /// Packed or aligned.
    pub form: Form,
}

/// An argument list whose end was found.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Measured {
    pub length: usize,
    /// Where the first JSON argument stands that is no JSON. No argument stands at 0.
    pub bad_json: Option<NonZeroU64>,
}

/// Why the end was not found. Boxed, so that the result of finding it is small enough for registers.
#[derive(Debug)]
pub(super) enum Stop {
    /// The bytes that are there end too early; perhaps there are more in the file.
    Short(Short),
    /// Whatever follows, this is wrong.
    Fault(WtfError),
}

impl Stop {
    pub(crate) fn fault(error: WtfError) -> Box<Self> {
        Box::new(Self::Fault(error))
    }
}

/// What was being read when the bytes ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Short {
    pub what: MissingPart,
    /// Absolute offset of what was being read.
    pub offset: u64,
    /// How long it is, or says it is.
    pub wanted: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MissingPart {
    EventHeader,
    Arguments,
    String,
    Array,
}

impl Short {
    pub(crate) fn stop(what: MissingPart, offset: u64, wanted: u64) -> Box<Stop> {
        Box::new(Stop::Short(Self { what, offset, wanted }))
    }

    /// Absolute offset at which what was being read would end.
    pub(crate) fn end(&self) -> u64 {
        self.offset.saturating_add(self.wanted)
    }

    /// The error, for bytes that end for good at `end`.
    pub(crate) fn into_error(self, end: u64) -> WtfError {
        let (wanted, left) = (self.wanted, end.saturating_sub(self.offset));
        let problem = match self.what {
            MissingPart::EventHeader => Problem::TruncatedEventHeader { wanted, left },
            MissingPart::Arguments => Problem::TruncatedArgs { wanted, left },
            MissingPart::String => Problem::StringOverrun { wanted, left },
            MissingPart::Array => Problem::ArrayOverrun { wanted, left },
        };
        WtfError::new(self.offset, problem)
    }
}

/// Finds the end of the arguments of `event_type` in `bytes`, which begin at the absolute offset `offset`.
pub(super) fn measure(
    event_type: &EventType,
    encoding: Encoding,
    strings: Option<&StringTable>,
    bytes: &[u8],
    offset: u64,
) -> Result<Measured, Box<Stop>> {
    Measurer { event_type, encoding, strings, bytes, offset, at: 0, bad_json: None }.run()
}

struct Measurer<'a> {
    event_type: &'a EventType,
    encoding: Encoding,
    strings: Option<&'a StringTable>,
    bytes: &'a [u8],
    offset: u64,
    at: usize,
    bad_json: Option<NonZeroU64>,
}

impl Measurer<'_> {
    fn run(mut self) -> Result<Measured, Box<Stop>> {
        for &step in self.event_type.layout(self.encoding.form).steps() {
            match step {
                LayoutStep::Skip { bytes, first } => self.skip(bytes, first)?,
                LayoutStep::Ascii => self.ascii()?,
                LayoutStep::Utf8 => self.utf8(false)?,
                LayoutStep::Json => self.utf8(true)?,
                LayoutStep::StringNumber => self.string_number(false)?,
                LayoutStep::JsonNumber => self.string_number(true)?,
                LayoutStep::Array { element_bytes } => self.array(element_bytes)?,
            }
        }
        Ok(Measured { length: self.at, bad_json: self.bad_json })
    }

    fn here(&self) -> u64 {
        self.offset + self.at as u64
    }

    fn take(&mut self, length: u64, what: MissingPart) -> Result<&[u8], Box<Stop>> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let Some(taken) = usize::try_from(length).ok().and_then(|length| rest.get(..length)) else {
            return Err(Short::stop(what, self.here(), length));
        };
        self.at += taken.len();
        Ok(taken)
    }

    fn u16(&mut self) -> Result<u16, Box<Stop>> {
        let order = self.encoding.order;
        let bytes = self.take(2, MissingPart::Arguments)?;
        Ok(bytes.first_chunk().map_or(0, |&bytes| order.u16(bytes)))
    }

    fn u32(&mut self) -> Result<u32, Box<Stop>> {
        let order = self.encoding.order;
        let bytes = self.take(4, MissingPart::Arguments)?;
        Ok(bytes.first_chunk().map_or(0, |&bytes| order.u32(bytes)))
    }

    /// A run of numbers. When it is cut, the error stands at the number that is cut.
    fn skip(&mut self, bytes: usize, first: usize) -> Result<(), Box<Stop>> {
        if self.bytes.len().saturating_sub(self.at) >= bytes {
            self.at += bytes;
            return Ok(());
        }
        for argument in self.event_type.arguments.iter().skip(first) {
            self.take(number_bytes(argument.kind, self.encoding.form) as u64, MissingPart::Arguments)?;
        }
        Ok(())
    }

    fn ascii(&mut self) -> Result<(), Box<Stop>> {
        let length = self.u16()?;
        if length == TABLE_MARK && self.strings.is_some() {
            return self.string_number(false);
        }
        self.take(u64::from(length), MissingPart::String).map(drop)
    }

    fn utf8(&mut self, is_json: bool) -> Result<(), Box<Stop>> {
        let start = self.here();
        let units = self.u16()?;
        if units == 0 {
            return Ok(());
        }
        if units == TABLE_MARK && self.strings.is_some() {
            return self.string_number(is_json);
        }
        let length = self.u16()?;
        let data = self.here();
        let bytes = self.take(u64::from(length), MissingPart::String)?;
        check_units(bytes, usize::from(units), data).map_err(Stop::fault)?;
        if is_json && !is_json_text(bytes) {
            self.bad_json = self.bad_json.or(NonZeroU64::new(start));
        }
        Ok(())
    }

    fn string_number(&mut self, is_json: bool) -> Result<(), Box<Stop>> {
        let start = self.here();
        let number = self.u32()?;
        string_table::check(self.strings, number, start).map_err(Stop::fault)?;
        if is_json && string_table::resolve(self.strings, number).is_some_and(|text| !is_json_text(text.bytes())) {
            self.bad_json = self.bad_json.or(NonZeroU64::new(start));
        }
        Ok(())
    }

    fn array(&mut self, element_bytes: usize) -> Result<(), Box<Stop>> {
        let count = self.u32()?;
        if count == NULL_ARRAY && self.encoding.form == Form::Aligned {
            return Ok(());
        }
        let length = u64::from(count) * element_bytes as u64;
        let padded = match self.encoding.form {
            Form::Packed => length,
            Form::Aligned => length.next_multiple_of(4),
        };
        self.take(padded, MissingPart::Array).map(drop)
    }
}

/// Whether a string is well-formed and has as many UTF-16 units as it says.
pub(super) fn check_units(bytes: &[u8], expected: usize, offset: u64) -> Result<(), WtfError> {
    match text::validate(bytes) {
        Ok(found) if found == expected => Ok(()),
        Ok(found) => Err(WtfError::new(offset, Problem::Utf8CountMismatch { expected, found })),
        Err(index) => {
            let found = bytes.get(index).copied().unwrap_or_default();
            Err(WtfError::new(offset + index as u64, Problem::InvalidUtf8 { found }))
        }
    }
}

/// Whether text is JSON, or one of the three words that the writers put for numbers that JSON can't tell.
pub(super) fn is_json_text(bytes: &[u8]) -> bool {
    // Counters are what is passed most.
    let is_count = matches!(bytes, [b'1'..=b'9', ..] | b"0") && bytes.iter().all(u8::is_ascii_digit);
    is_count
        || matches!(bytes, b"NaN" | b"Infinity" | b"-Infinity" | b"null" | b"true" | b"false")
        || serde_json::from_slice::<serde::de::IgnoredAny>(bytes).is_ok()
        || serde_json::from_str::<serde::de::IgnoredAny>(&Text::Wide(bytes).to_str()).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_text_is_json_or_a_number_word() {
        for good in ["1", " [1, {\"a\": null}] ", "NaN", "-Infinity", "\"é\"", "1e999"] {
            assert!(is_json_text(good.as_bytes()), "{good}");
        }
        for bad in ["", "{\"a\":", "nan", "[1,]", "undefined"] {
            assert!(!is_json_text(bad.as_bytes()), "{bad}");
        }
        assert!(is_json_text(b"\"\xed\xa0\xbd\xed\xb8\x80\""), "a CESU-8 pair within a string");
    }
}
