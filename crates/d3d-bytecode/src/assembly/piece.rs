//! A part of a text that knows where it stands.

use super::error::AssemblyError;

/// A part of a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece<'a> {
    pub text: &'a str,
    /// The line, counted from 1.
    pub line: u32,
    /// The letter that it begins with, counted from 1.
    column: u32,
}

/// The lines that say something, without what stands around it.
pub(super) fn lines(text: &str) -> impl Iterator<Item = Piece<'_>> {
    let numbered = text.lines().zip(1..);
    numbered
        .map(|(text, line)| Piece { text, line, column: 1 }.without_comment().trim())
        .filter(|line| !line.is_empty())
}

impl<'a> Piece<'a> {
    /// Where a text begins.
    pub(super) fn start(text: &'a str) -> Self {
        Self { text: text.lines().next().unwrap_or_default(), line: 1, column: 1 }
    }

    pub(super) fn is_empty(self) -> bool {
        self.text.is_empty()
    }

    /// Something else should stand here.
    pub(super) fn expected(self, expected: &'static str) -> AssemblyError {
        const MOST_SHOWN: usize = 40;
        let mut found: String = self.text.chars().take(MOST_SHOWN).collect();
        if found.is_empty() {
            found.push_str("nothing");
        } else if found.len() < self.text.len() {
            found.push('…');
        }
        AssemblyError::Expected { expected, found, line: self.line, column: self.column }
    }

    /// Cut before the byte `at`, which has to begin a letter.
    pub(super) fn cut(self, at: usize) -> (Self, Self) {
        let (before, after) = self.text.split_at_checked(at).unwrap_or((self.text, ""));
        let column = self.column.saturating_add(before.chars().count() as u32);
        (Self { text: before, ..self }, Self { text: after, column, ..self })
    }

    pub(super) fn trim(self) -> Self {
        let text = self.text.trim_start();
        let (_, rest) = self.cut(self.text.len() - text.len());
        Self { text: text.trim_end(), ..rest }
    }

    /// The semantic of a signature may have anything in its name.
    fn without_comment(self) -> Self {
        if self.text.trim_start().starts_with(".param ") {
            return self;
        }
        self.text.find("//").map_or(self, |at| self.cut(at).0)
    }

    pub(super) fn strip_prefix(self, prefix: &str) -> Option<Self> {
        self.text.starts_with(prefix).then(|| self.cut(prefix.len()).1)
    }

    pub(super) fn strip_suffix(self, suffix: &str) -> Option<Self> {
        self.text.strip_suffix(suffix).map(|text| Self { text, ..self })
    }

    /// What stands between two marks, if they are its first and last.
    pub(super) fn within(self, first: &str, last: &str) -> Option<Self> {
        self.strip_prefix(first)?.strip_suffix(last)
    }

    /// What stands before a mark and behind it.
    pub(super) fn split_once(self, mark: &str) -> Option<(Self, Self)> {
        let (before, after) = self.cut(self.text.find(mark)?);
        Some((before, after.cut(mark.len()).1))
    }

    /// What stands before the last such mark and behind it.
    pub(super) fn rsplit_once(self, mark: &str) -> Option<(Self, Self)> {
        let (before, after) = self.cut(self.text.rfind(mark)?);
        Some((before, after.cut(mark.len()).1))
    }

    /// The first word, and what follows it.
    pub(super) fn word(self) -> (Self, Self) {
        let (word, rest) = self.cut(self.text.find(char::is_whitespace).unwrap_or(self.text.len()));
        (word, rest.trim())
    }

    /// The letters at the beginning that are like this, and what follows them.
    pub(super) fn span(self, is_like: impl Fn(char) -> bool) -> (Self, Self) {
        self.cut(self.text.find(|letter| !is_like(letter)).unwrap_or(self.text.len()))
    }

    /// What stands between commas outside of brackets; nothing of an empty text.
    pub(super) fn list(self) -> Vec<Self> {
        let (mut parts, mut depth, mut start, mut rest) = (Vec::new(), 0_i32, 0, self);
        if self.trim().is_empty() {
            return parts;
        }
        for (at, letter) in self.text.char_indices() {
            match letter {
                '[' | '(' | '{' => depth += 1,
                ']' | ')' | '}' => depth -= 1,
                ',' if depth == 0 => {
                    let (part, after) = rest.cut(at - start);
                    parts.push(part.trim());
                    (rest, start) = (after.cut(1).1, at + 1);
                }
                _ => {}
            }
        }
        parts.push(rest.trim());
        parts
    }

    /// The place of the bracket that ends the one which it begins with.
    pub(super) fn closing(self) -> Option<usize> {
        let mut depth = 0_i32;
        let mut letters = self.text.char_indices();
        let end = letters.find(|(_, letter)| {
            depth += i32::from(*letter == '[') - i32::from(*letter == ']');
            depth == 0
        });
        end.map(|(at, _)| at)
    }

    /// 32 bits: an integer of either sign, a float with a point or an exponent, or bits behind `0x`.
    pub(super) fn bits(self) -> Result<u32, AssemblyError> {
        let text = self.text;
        let bits = match text.strip_prefix("0x") {
            Some(digits) => u32::from_str_radix(digits, 16).ok(),
            None => match text.parse::<i64>() {
                Ok(integer) => u32::try_from(integer).ok().or(i32::try_from(integer).ok().map(i32::cast_unsigned)),
                Err(_) => text.parse::<f32>().ok().filter(|_| is_float(text)).map(f32::to_bits),
            },
        };
        bits.ok_or_else(|| self.expected("a number of 32 bits"))
    }

    /// 64 bits: a double, or bits behind `0x`.
    pub(super) fn long_bits(self) -> Result<u64, AssemblyError> {
        let bits = match self.text.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16).ok(),
            None => self.text.parse::<f64>().ok().map(f64::to_bits),
        };
        bits.ok_or_else(|| self.expected("a number of 64 bits"))
    }

    /// A number that counts something.
    pub(super) fn count(self) -> Result<u32, AssemblyError> {
        self.text.parse().map_err(|_| self.expected("an integer"))
    }
}

/// Names such as `inf` are no numbers of the text.
fn is_float(text: &str) -> bool {
    text.chars().all(|letter| letter.is_ascii_digit() || "+-.eE".contains(letter))
}
