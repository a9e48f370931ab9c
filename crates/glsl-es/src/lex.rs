//! Characters to preprocessing tokens. Every token is a slice of the text and knows where it stands.

use super::error::{Fault, Problem, Result};
use crate::limits::MAX_GLSL_TOKENS;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Tok<'a> {
    /// Identifier or keyword.
    Ident(&'a str),
    /// Anything that begins like a number, unchecked.
    Number(&'a str),
    /// A number made by `__LINE__` or `__FILE__`.
    Line(u32),
    /// Operator or punctuation.
    Punct(&'static str),
    /// A character that GLSL has no use for; fatal only where it isn't skipped.
    Other(char),
    /// End of the text.
    End,
}

impl Tok<'_> {
    /// The token as a message shows it.
    pub(crate) fn describe(&self) -> String {
        match self {
            Tok::Ident(text) | Tok::Number(text) => format!("'{}'", shorten(text)),
            Tok::Line(line) => format!("'{line}'"),
            Tok::Punct(text) => format!("'{text}'"),
            Tok::Other(character) => format!("{character:?}"),
            Tok::End => "the end of the text".to_owned(),
        }
    }
}

/// Cuts an identifier to what fits in a message.
pub(crate) fn shorten(text: &str) -> String {
    match text.char_indices().nth(64) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// A token and its surroundings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Token<'a> {
    /// What it is.
    pub tok: Tok<'a>,
    /// Byte position in the spliced text; for a token out of a macro, that of the macro's call.
    pub position: u32,
    /// Where `__LINE__` counts: for a token out of a macro, where the macro's call ends.
    pub counted_at: u32,
    /// Whether it is the first of its line.
    pub starts_line: bool,
    /// Whether white space or a comment stands before it: `#define f (x)` is not `#define f(x)`.
    pub spaced: bool,
    /// Whether it comes out of a macro.
    pub is_expanded: bool,
    /// Whether macro expansion has passed it over for good.
    pub painted: bool,
}

const PUNCTUATION: [&str; 48] = [
    "<<=", ">>=", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "^^", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=",
    "|=", "^=", "##", "+", "-", "*", "/", "%", "<", ">", "=", "!", "~", "&", "|", "^", "?", ":", ";", ",", ".", "(",
    ")", "[", "]", "{", "}", "#", "\\",
];

/// Splits a text into tokens.
pub(crate) fn lex(text: &str) -> Result<Vec<Token<'_>>> {
    let mut lexer = Lexer { text, at: 0, starts_line: true, spaced: false };
    let mut tokens = Vec::with_capacity(text.len() / 4);
    while let Some(token) = lexer.next_token()? {
        if tokens.len() >= MAX_GLSL_TOKENS {
            return Err(Problem::limit(token.position, "tokens", MAX_GLSL_TOKENS as u64));
        }
        tokens.push(token);
    }
    Ok(tokens)
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    starts_line: bool,
    spaced: bool,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn next_token(&mut self) -> Result<Option<Token<'a>>> {
        self.skip_space()?;
        let rest = self.rest();
        let Some(first) = rest.chars().next() else { return Ok(None) };
        let second = rest.as_bytes().get(1).copied().unwrap_or_default();
        let (tok, length) = if first.is_ascii_alphabetic() || first == '_' {
            let length = length_while(rest, |c| c.is_ascii_alphanumeric() || c == b'_');
            (Tok::Ident(rest.get(..length).unwrap_or_default()), length)
        } else if first.is_ascii_digit() || (first == '.' && second.is_ascii_digit()) {
            let length = number_length(rest.as_bytes());
            (Tok::Number(rest.get(..length).unwrap_or_default()), length)
        } else if let Some(punct) = punctuation(rest) {
            (Tok::Punct(punct), punct.len())
        } else {
            (Tok::Other(first), first.len_utf8())
        };
        let position = self.at as u32;
        let (starts_line, spaced) = (self.starts_line, self.spaced);
        let token =
            Token { tok, position, counted_at: position, starts_line, spaced, is_expanded: false, painted: false };
        self.at += length;
        self.starts_line = false;
        self.spaced = false;
        Ok(Some(token))
    }

    fn skip_space(&mut self) -> Result<()> {
        loop {
            let rest = self.rest();
            let bytes = rest.as_bytes();
            match (bytes.first(), bytes.get(1)) {
                (Some(b'\n' | b'\r'), _) => {
                    self.starts_line = true;
                    self.at += 1;
                }
                (Some(b' ' | b'\t' | 0x0b | 0x0c), _) => self.at += 1,
                (Some(b'/'), Some(b'/')) => self.at += length_while(rest, |c| c != b'\n' && c != b'\r'),
                (Some(b'/'), Some(b'*')) => {
                    let body = rest.get(2..).unwrap_or_default();
                    let Some(end) = body.find("*/") else {
                        return Err(Problem::fault(self.at as u32, Fault::UnterminatedComment));
                    };
                    self.at += end + 4;
                }
                _ => return Ok(()),
            }
            self.spaced = true;
        }
    }
}

fn length_while(text: &str, keep: impl Fn(u8) -> bool) -> usize {
    text.bytes().position(|byte| !keep(byte)).unwrap_or(text.len())
}

/// A preprocessing number: digits, letters and dots, and a sign after `e` (but not in hexadecimal, where `e` is a digit).
fn number_length(bytes: &[u8]) -> usize {
    let hexadecimal = matches!(bytes.get(1), Some(b'x' | b'X'));
    let mut previous = 0;
    for (at, &byte) in bytes.iter().enumerate() {
        let sign = matches!(byte, b'+' | b'-') && matches!(previous, b'e' | b'E') && !hexadecimal;
        if !(byte.is_ascii_alphanumeric() || byte == b'.' || byte == b'_' || sign) {
            return at;
        }
        previous = byte;
    }
    bytes.len()
}

fn punctuation(rest: &str) -> Option<&'static str> {
    let first = rest.as_bytes().first();
    PUNCTUATION.iter().find(|punct| punct.as_bytes().first() == first && rest.starts_with(**punct)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        lex(text).unwrap().iter().map(|token| token.tok.describe().replace('\'', "")).collect()
    }

    #[test]
    fn splits_operators_numbers_and_names() {
        assert_eq!(words("a<<=b.x+.5e-3f"), ["a", "<<=", "b", ".", "x", "+", ".5e-3f"]);
        assert_eq!(words("0x1e+2 1.-x"), ["0x1e", "+", "2", "1.", "-", "x"]);
        assert_eq!(words("a /* é */ // ü\nb"), ["a", "b"]);
    }

    #[test]
    fn knows_lines_spaces_and_open_comments() {
        let tokens = lex("#a /*\n*/ b\n c").unwrap();
        let flags: Vec<_> = tokens.iter().map(|t| (t.starts_line, t.spaced)).collect();
        assert_eq!(flags, [(true, false), (false, false), (false, true), (true, true)]);
        assert_eq!(lex("ab /* c").unwrap_err().position, 3);
    }
}
