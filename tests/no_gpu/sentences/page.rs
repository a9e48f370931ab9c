//! Cuts the sentences out of what is no Rust: HTML, JavaScript, and the descriptions of a JSON schema.

use std::collections::BTreeSet;

use serde_json::Value;

use super::cut::{as_line, is_sentence};

/// The sentences of a file, by what its name ends with.
pub fn sentences(file: &str, text: &str) -> BTreeSet<String> {
    let found = match file.rsplit_once('.') {
        Some((_, "html")) => of_html(text),
        Some((_, "js")) => of_script(text).into_iter().filter(|text| is_sentence(text)).collect(),
        Some((_, "json")) => of_schema(&serde_json::from_str(text).unwrap()),
        _ => panic!("{file}: nothing is known about such files"),
    };
    found.iter().map(|text| as_line(text)).collect()
}

/// The text between tags, and attributes that are shown.
fn of_html(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((shown, after)) = rest.split_once('<') {
        found.push(shown.trim().to_owned());
        let ends = [("!--", "-->"), ("style", "</style>"), ("script", "</script>")];
        let end = ends.iter().find(|(start, _)| after.starts_with(start)).map_or(">", |(_, end)| end);
        let (tag, next) = after.split_once(end).unwrap();
        for name in ["title=", "aria-label=", "placeholder=", "alt="] {
            let value = tag.split(name).nth(1).map(|value| value.trim_start_matches(['"', '\'']));
            found.extend(value.and_then(|value| value.split(['"', '\'']).next()).map(str::to_owned));
        }
        rest = next;
    }
    found.retain(|text| text.chars().filter(|c| c.is_alphabetic()).count() > 1 && !text.starts_with("{{"));
    found
}

/// String literals; of a template the text, with `{}` for each value.
fn of_script(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['\'', '"', '`', '/']) {
        let (mark, after) = (rest.as_bytes()[at], &rest[at + 1..]);
        rest = match (mark, after.as_bytes().first()) {
            (b'/', Some(b'/')) => after.find('\n').map_or("", |end| &after[end..]),
            (b'/', Some(b'*')) => after.find("*/").map_or("", |end| &after[end + 2..]),
            (b'/', _) => after,
            _ => {
                let (literal, next) = literal(after, char::from(mark));
                found.push(literal);
                next
            }
        };
    }
    found
}

/// A literal's text up to its closing mark, and what follows.
fn literal(text: &str, mark: char) -> (String, &str) {
    let (mut shown, mut depth, mut escaped) = (String::new(), 0, false);
    for (at, character) in text.char_indices() {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '{' if mark == '`' && (depth > 0 || text[..at].ends_with('$')) => depth += 1,
            '}' if depth == 1 => {
                depth = 0;
                shown.pop();
                shown.push_str("{}");
                continue;
            }
            '}' if depth > 1 => depth -= 1,
            _ if character == mark && depth == 0 => return (shown, &text[at + character.len_utf8()..]),
            _ => {}
        }
        if depth == 0 {
            shown.push(character);
        }
    }
    (shown, "")
}

fn of_schema(value: &Value) -> Vec<String> {
    match value {
        Value::Object(members) => {
            let own = members.get("description").and_then(Value::as_str).map(str::to_owned);
            own.into_iter().chain(members.values().flat_map(of_schema)).collect()
        }
        Value::Array(values) => values.iter().flat_map(of_schema).collect(),
        _ => Vec::new(),
    }
}
