//! Which characters are only shown, and how the others are escaped.

use std::fmt::{self, Display, Write};

/// Whether a character only stands there. The others move the cursor, change the terminal's state, turn text round,
/// can't be seen, or end a line: Unicode's categories Cc (control), Cf (format), Zl and Zp (line and paragraph
/// separators).
pub fn is_harmless(character: char) -> bool {
    !character.is_control()
        && !matches!(character,
            '\u{ad}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}' | '\u{890}'..='\u{891}' | '\u{8e2}'
            | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2064}'
            | '\u{2066}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{110bd}' | '\u{110cd}'
            | '\u{13430}'..='\u{1343f}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0001}'
            | '\u{e0020}'..='\u{e007f}')
}

/// Shows a text in one line that does nothing: `\n` for a line break, `\u{202e}` for a bidi override.
///
/// At its start GitHub's `::error` stands as `\u{3a}:error`, and `##[` as `\u{23}#[` anywhere: whoever names a file so
/// would give its CI commands.
#[derive(Clone, Copy, Debug)]
pub struct Harmless<T>(pub T);

impl<T: Display> Display for Harmless<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = self.0.to_string();
        if text.trim_start().starts_with("::") {
            text = text.replacen(':', "\\u{3a}", 1);
        }
        if text.contains("##[") {
            text = text.replace("##[", "\\u{23}#[");
        }
        escape(&text, |_| false, f)
    }
}

/// The character as JSON writes it where it is not to stand for itself: `\u202e`, and beyond 16 bits as two halves.
pub fn json_escape(character: char) -> String {
    character.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect()
}

/// Writes `text` with all characters escaped but the harmless ones and those to `keep`.
pub(super) fn escape(text: &str, keep: impl Fn(char) -> bool, into: &mut impl Write) -> fmt::Result {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return into.write_str(text);
    }
    let must_go = |character: char| !is_harmless(character) && !keep(character);
    for part in text.split_inclusive(must_go) {
        match part.chars().next_back().filter(|last| must_go(*last)) {
            Some(last) => {
                into.write_str(part.strip_suffix(last).unwrap_or_default())?;
                write!(into, "{}", last.escape_default())?;
            }
            None => into.write_str(part)?,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_acts_is_what_unicode_says() {
        let control = regex::Regex::new(r"^[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]$").unwrap();
        for character in '\0'..=char::MAX {
            let mut one = [0; 4];
            assert_eq!(is_harmless(character), !control.is_match(character.encode_utf8(&mut one)), "{character:?}");
        }
    }

    #[test]
    fn texts_are_one_line_that_does_nothing() {
        let shown = |text: &str| Harmless(text).to_string();
        assert_eq!(shown("a\r\n\tb\u{1b}[2J\u{9b}2J\u{7f}"), r"a\r\n\tb\u{1b}[2J\u{9b}2J\u{7f}");
        assert_eq!(shown("\u{202e}gnp.exe\u{2028}\u{feff}\u{e0041}"), r"\u{202e}gnp.exe\u{2028}\u{feff}\u{e0041}");
        assert_eq!(shown("\n\n"), r"\n\n");
        assert_eq!(shown("日本語, é, e\u{301}, C:\\x, 😀\u{fe0f}"), "日本語, é, e\u{301}, C:\\x, 😀\u{fe0f}");
    }

    #[test]
    fn json_reads_back() {
        for character in ['\u{202e}', '\u{9b}', '\u{e0041}'] {
            let text = format!("\"{}\"", json_escape(character));
            assert!(text.is_ascii());
            assert_eq!(serde_json::from_str::<String>(&text).unwrap(), character.to_string());
        }
    }

    #[test]
    fn lines_are_no_commands() {
        assert_eq!(Harmless("::error::a").to_string(), r"\u{3a}:error::a");
        assert_eq!(Harmless("  ::set-env::a").to_string(), r"  \u{3a}:set-env::a");
        assert_eq!(Harmless("a ##[error]b").to_string(), r"a \u{23}#[error]b");
        assert_eq!(Harmless("std::mem: a::b").to_string(), "std::mem: a::b");
    }
}
