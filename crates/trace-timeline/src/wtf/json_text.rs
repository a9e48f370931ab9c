//! JSON with positions and with every string that JavaScript can write.
//!
//! `serde_json` refuses lone surrogates, which `.wtf-json` files are there to keep, knows no file offsets, and reads
//! neither the trailing comma nor the missing bracket of the hand-written lists. So the text of a `.wtf-json` file goes
//! through this reader; the JSON inside binary files, which has none of that, goes through `serde_json`.

use serde_json::{Map, Number, Value as JsonValue};

use crate::limits::{MAX_WTF_JSON_DEPTH, MAX_WTF_JSON_VALUES};

use super::error::{Problem, WtfError};
use super::text::{self, Text};

/// A JSON value, and where it stands in the file.
#[derive(Clone, Debug)]
pub(super) struct Json {
    pub offset: u64,
    /// Offset after the last byte.
    pub end: u64,
    pub shape: Shape,
}

#[derive(Clone, Debug)]
pub(super) enum Shape {
    Null,
    Bool(bool),
    Number(Number),
    /// UTF-8 in which surrogates may stand alone.
    String(Vec<u8>),
    Array(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    /// The value of a key; of the last one, if there are several; none if it is null.
    pub(crate) fn get(&self, key: &str) -> Option<&Json> {
        let Shape::Object(fields) = &self.shape else { return None };
        let (_, value) = fields.iter().rev().find(|(name, _)| name == key)?;
        (!matches!(value.shape, Shape::Null)).then_some(value)
    }

    /// The text, if it is a string.
    pub(crate) fn as_text(&self) -> Option<Text<'_>> {
        match &self.shape {
            Shape::String(bytes) => Some(Text::Wide(bytes)),
            _ => None,
        }
    }

    /// The number, if it is one.
    pub(crate) fn as_number(&self) -> Option<&Number> {
        match &self.shape {
            Shape::Number(number) => Some(number),
            _ => None,
        }
    }

    /// The elements, if it is a list.
    pub(crate) fn as_array(&self) -> Option<&[Json]> {
        match &self.shape {
            Shape::Array(elements) => Some(elements),
            _ => None,
        }
    }

    /// What it is, for messages.
    pub(crate) fn kind_name(&self) -> &'static str {
        match self.shape {
            Shape::Null => "null",
            Shape::Bool(_) => "a boolean",
            Shape::Number(_) => "a number",
            Shape::String(_) => "a string",
            Shape::Array(_) => "a list",
            Shape::Object(_) => "an object",
        }
    }

    /// As `serde_json` has it; lone surrogates become U+FFFD.
    pub(crate) fn to_value(&self) -> JsonValue {
        match &self.shape {
            Shape::Null => JsonValue::Null,
            Shape::Bool(value) => JsonValue::Bool(*value),
            Shape::Number(number) => JsonValue::Number(number.clone()),
            Shape::String(bytes) => JsonValue::String(Text::Wide(bytes).to_str().into_owned()),
            Shape::Array(elements) => elements.iter().map(Json::to_value).collect(),
            Shape::Object(fields) => JsonValue::Object(
                fields.iter().map(|(name, value)| (name.clone(), value.to_value())).collect::<Map<_, _>>(),
            ),
        }
    }
}

/// The text of a file, and how far it is read.
#[derive(Debug)]
pub(super) struct JsonText {
    bytes: Vec<u8>,
    at: usize,
    depth: u32,
    values: u32,
}

impl JsonText {
    pub(crate) fn new(bytes: Vec<u8>) -> Self {
        let at = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        Self { bytes, at, depth: 0, values: 0 }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The next of the JSON texts that stand one after another in the file; `None` at its end.
    pub(crate) fn parse_document(&mut self) -> Result<Option<Json>, WtfError> {
        self.skip_space();
        self.values = 0;
        if self.peek().is_none() { Ok(None) } else { self.parse_value().map(Some) }
    }

    /// Refuses anything but white space.
    pub(crate) fn expect_end(&mut self) -> Result<(), WtfError> {
        self.skip_space();
        if self.peek().is_none() { Ok(()) } else { Err(self.unexpected("the end of the file")) }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// Skips space, then `byte` if it is there.
    fn skip(&mut self, byte: u8) -> bool {
        self.skip_space();
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn unexpected(&self, expected: &'static str) -> WtfError {
        let found = match self.peek() {
            None => "the end of the file".into(),
            Some(byte) if byte.is_ascii_graphic() => format!("{:?}", char::from(byte)),
            Some(byte) => format!("byte {byte:#04x}"),
        };
        WtfError::new(self.at as u64, Problem::JsonSyntax { expected, found })
    }

    fn parse_value(&mut self) -> Result<Json, WtfError> {
        self.skip_space();
        let offset = self.at as u64;
        self.values += 1;
        if self.values > MAX_WTF_JSON_VALUES {
            return Err(WtfError::new(offset, Problem::JsonTooMany { limit: MAX_WTF_JSON_VALUES }));
        }
        let shape = match self.peek() {
            Some(b'{') => self.nested(Self::parse_object)?,
            Some(b'[') => self.nested(Self::parse_array)?,
            Some(b'"') => Shape::String(self.parse_string()?),
            Some(b't') => self.parse_word(b"true", Shape::Bool(true))?,
            Some(b'f') => self.parse_word(b"false", Shape::Bool(false))?,
            Some(b'n') => self.parse_word(b"null", Shape::Null)?,
            Some(b'-' | b'0'..=b'9') => self.parse_number()?,
            _ => return Err(self.unexpected("a JSON value")),
        };
        Ok(Json { offset, end: self.at as u64, shape })
    }

    fn nested(&mut self, parse: fn(&mut Self) -> Result<Shape, WtfError>) -> Result<Shape, WtfError> {
        if self.depth >= MAX_WTF_JSON_DEPTH {
            return Err(WtfError::new(self.at as u64, Problem::JsonTooDeep { limit: MAX_WTF_JSON_DEPTH }));
        }
        self.depth += 1;
        self.at += 1;
        let shape = parse(self);
        self.depth -= 1;
        shape
    }

    fn parse_word(&mut self, word: &[u8], shape: Shape) -> Result<Shape, WtfError> {
        if !self.bytes.get(self.at..).is_some_and(|rest| rest.starts_with(word)) {
            return Err(self.unexpected("true, false or null"));
        }
        self.at += word.len();
        Ok(shape)
    }

    fn parse_number(&mut self) -> Result<Shape, WtfError> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let is_part = |byte: &u8| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
        let length = rest.iter().position(|byte| !is_part(byte)).unwrap_or(rest.len());
        let digits = rest.get(..length).unwrap_or_default();
        let number = serde_json::from_slice(digits).map_err(|_| self.unexpected("a number"))?;
        self.at += length;
        Ok(Shape::Number(number))
    }

    /// A list; a comma before the bracket is let pass, and so is a missing bracket at the end of the file.
    fn parse_array(&mut self) -> Result<Shape, WtfError> {
        let mut elements = Vec::new();
        loop {
            self.skip_space();
            if self.skip(b']') || (self.peek().is_none() && self.depth == 1) {
                return Ok(Shape::Array(elements));
            }
            elements.push(self.parse_value()?);
            self.skip_space();
            if !self.skip(b',') && !matches!(self.peek(), Some(b']') | None) {
                return Err(self.unexpected("\",\" or \"]\""));
            }
        }
    }

    fn parse_object(&mut self) -> Result<Shape, WtfError> {
        let mut fields = Vec::new();
        if self.skip(b'}') {
            return Ok(Shape::Object(fields));
        }
        loop {
            self.skip_space();
            if self.peek() != Some(b'"') {
                return Err(self.unexpected("a key"));
            }
            let name = Text::Wide(&self.parse_string()?).to_str().into_owned();
            if !self.skip(b':') {
                return Err(self.unexpected("\":\""));
            }
            fields.push((name, self.parse_value()?));
            if self.skip(b'}') {
                return Ok(Shape::Object(fields));
            }
            if !self.skip(b',') {
                return Err(self.unexpected("\",\" or \"}\""));
            }
        }
    }

    fn parse_string(&mut self) -> Result<Vec<u8>, WtfError> {
        self.at += 1;
        let mut string = Vec::new();
        loop {
            let rest = self.bytes.get(self.at..).unwrap_or_default();
            let plain = rest.iter().position(|&byte| matches!(byte, b'"' | b'\\' | 0..0x20)).unwrap_or(rest.len());
            let plain = rest.get(..plain).unwrap_or_default();
            if let Err(index) = text::validate(plain) {
                let found = plain.get(index).copied().unwrap_or_default();
                let problem = Problem::JsonSyntax { expected: "UTF-8", found: format!("byte {found:#04x}") };
                return Err(WtfError::new((self.at + index) as u64, problem));
            }
            string.extend_from_slice(plain);
            self.at += plain.len();
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(string);
                }
                Some(b'\\') => self.parse_escape(&mut string)?,
                _ => return Err(self.unexpected("the end of a string")),
            }
        }
    }

    fn parse_escape(&mut self, string: &mut Vec<u8>) -> Result<(), WtfError> {
        self.at += 1;
        let plain = match self.next() {
            Some(byte @ (b'"' | b'\\' | b'/')) => byte,
            Some(b'b') => 0x08,
            Some(b'f') => 0x0c,
            Some(b'n') => b'\n',
            Some(b'r') => b'\r',
            Some(b't') => b'\t',
            Some(b'u') => {
                let unit = self.parse_unit()?;
                text::push_wide(string, u32::from(unit));
                return Ok(());
            }
            _ => {
                self.at -= 1;
                return Err(self.unexpected("an escape"));
            }
        };
        string.push(plain);
        Ok(())
    }

    /// Four hexadecimal digits.
    fn parse_unit(&mut self) -> Result<u16, WtfError> {
        let mut unit = 0;
        for _ in 0..4 {
            let digit = self.peek().and_then(|byte| char::from(byte).to_digit(16));
            unit = unit << 4 | digit.ok_or_else(|| self.unexpected("a hexadecimal digit"))? as u16;
            self.at += 1;
        }
        Ok(unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Json, WtfError> {
        let mut text = JsonText::new(text.as_bytes().to_vec());
        let value = text.parse_document()?.expect("a value");
        text.expect_end().map(|()| value)
    }

    #[test]
    fn it_reads_what_serde_json_reads() {
        let text = "{\"a\": [1, -2.5e3, true, null], \"b\": {\"c\": \"x\\n\\u00e9é\\ud83d\\ude00\"}}";
        let expected: JsonValue = serde_json::from_str(text).unwrap();
        assert_eq!(parse(text).unwrap().to_value(), expected);
    }

    #[test]
    fn lone_surrogates_are_kept() {
        let json = parse("\"a\\ud800\"").unwrap();
        assert_eq!(json.as_text().unwrap().code_points().collect::<Vec<_>>(), [0x61, 0xd800]);
    }

    #[test]
    fn lists_may_end_in_a_comma_or_not_at_all() {
        assert_eq!(parse("[1,2,]").unwrap().as_array().unwrap().len(), 2);
        assert_eq!(parse("[1,2\n").unwrap().as_array().unwrap().len(), 2);
        assert!(parse("{\"a\": [1").is_err());
    }

    #[test]
    fn faults_tell_where() {
        for (text, offset) in [("[1 2]", 3), ("{\"a\" 1}", 5), ("[\"a\\x\"]", 4), ("[01]", 1), ("[1] x", 4), ("\"a", 2)]
        {
            let error = parse(text).unwrap_err();
            assert_eq!((error.class(), error.offset), ("json_syntax", offset), "{text}: {error}");
        }
        assert_eq!(parse(&"[".repeat(1000)).unwrap_err().class(), "json_too_deep");
    }
}
