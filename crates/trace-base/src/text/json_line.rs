//! Lines of JSON: one envelope for all of them.

use std::io::{self, Write};

use serde::Serialize;
use serde::ser::Error as _;
use serde_json::{Map, Value};

use super::{is_harmless, json_escape};

/// Number of the layout of all lines. Types and members may be added to it; none is changed or taken away.
pub const JSON_SCHEMA: u32 = 3;

/// One line: `schema` and `type` first, then what its type says.
#[derive(Clone, Debug, PartialEq)]
pub struct JsonLine(Map<String, Value>);

impl JsonLine {
    /// A line of this type with these members.
    pub fn new<'n>(of: &str, members: impl IntoIterator<Item = (&'n str, Value)>) -> Self {
        let mut line = Map::new();
        line.insert("schema".to_owned(), JSON_SCHEMA.into());
        line.insert("type".to_owned(), of.into());
        line.extend(members.into_iter().map(|(name, value)| (name.to_owned(), value)));
        Self(line)
    }

    /// A line of this type with the members of `value`. An error if that is no object.
    pub fn of(of: &str, value: &impl Serialize) -> serde_json::Result<Self> {
        match serde_json::to_value(value)? {
            Value::Object(members) => Ok(Self::new(of, []).and(members)),
            _ => Err(serde_json::Error::custom(format!("a line of type {of} is not an object"))),
        }
    }

    /// The line with further members.
    #[must_use]
    pub fn and(mut self, members: impl IntoIterator<Item = (String, Value)>) -> Self {
        self.0.extend(members);
        self
    }

    /// Its members.
    pub fn members(&self) -> &Map<String, Value> {
        &self.0
    }

    /// Its members.
    pub fn into_value(self) -> Value {
        Value::Object(self.0)
    }

    /// Writes it as a line.
    pub fn write(&self, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
        out.write_all(self.text().as_bytes())?;
        out.write_all(b"\n")
    }

    /// The line, without its end.
    pub fn text(&self) -> String {
        json_text(&Value::Object(self.0.clone()))
    }

    /// The beginning of a line of this type, for whoever writes the rest himself: a comma and members, and the brace.
    pub fn head(of: &str) -> String {
        let mut text = Self::new(of, []).text();
        text.pop();
        text
    }
}

/// A JSON value in one line that nothing obeys.
pub fn json_text(value: &Value) -> String {
    // Only a string can hold GitHub's old mark of a command.
    let text = value.to_string().replace("##[", "\\u0023#[");
    let mut harmless = String::with_capacity(text.len());
    // JSON lets most characters stand in strings that a terminal might obey.
    for character in text.chars() {
        if is_harmless(character) { harmless.push(character) } else { harmless.push_str(&json_escape(character)) }
    }
    harmless
}

/// A [`JsonLine`] of a type with members, written as `json!` would: `json_line!("draw", { "frame": 7 })`.
#[macro_export]
macro_rules! json_line {
    ($of:expr, { $($name:literal: $value:expr),* $(,)? }) => {
        $crate::text::JsonLine::new($of, [$(($name, $crate::serde_json::json!($value))),*])
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_begins_with_its_envelope() {
        let line = json_line!("draw", { "frame": 7, "at": [1, 2], "text": "##[a\u{202e}" });
        let expected = r#"{"schema":3,"type":"draw","frame":7,"at":[1,2],"text":"\u0023#[a\u202e"}"#;
        assert_eq!(line.text(), expected);
        assert_eq!(JsonLine::head("draw"), r#"{"schema":3,"type":"draw""#);
        assert_eq!(
            JsonLine::of("a", &serde_json::json!({ "b": 1 })).unwrap().text(),
            r#"{"schema":3,"type":"a","b":1}"#
        );
        assert!(JsonLine::of("a", &7).is_err());
    }
}
