//! Tokens of WGSL, as far as they shape a syntax tree or name something.

/// A token.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'a> {
    Open(Bracket),
    Close(Bracket),
    /// A comma.
    Comma,
    Semicolon,
    /// An operator, a member access: whatever makes the expression so far an operand of the next.
    Link(u8),
    /// A name or a word of the language.
    Word(&'a str),
    Number,
}

/// A kind of brackets.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Bracket {
    /// `{}`.
    Brace,
    /// `()` and `[]`.
    Other,
}

/// The tokens of a text, with their byte offsets.
pub(super) struct Tokens<'a> {
    text: &'a str,
    offset: usize,
}

/// The characters that end a line in WGSL, and a comment with it.
const LINE_ENDS: [char; 7] = ['\n', '\u{b}', '\u{c}', '\r', '\u{85}', '\u{2028}', '\u{2029}'];

impl<'a> Tokens<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        Self { text, offset: 0 }
    }

    fn skip_while(&mut self, from: usize, wanted: impl Fn(u8) -> bool) {
        let rest = self.text.as_bytes().get(from..).unwrap_or_default();
        self.offset = from + rest.iter().position(|byte| !wanted(*byte)).unwrap_or(rest.len());
    }

    fn skip_line(&mut self) {
        let rest = self.text.get(self.offset..).unwrap_or_default();
        self.offset += rest.find(LINE_ENDS).unwrap_or(rest.len());
    }

    fn skip_block_comment(&mut self) {
        // WGSL's block comments nest.
        let mut depth = 0u32;
        loop {
            match self.text.as_bytes().get(self.offset..).unwrap_or_default() {
                [b'/', b'*', ..] => (depth, self.offset) = (depth + 1, self.offset + 2),
                [b'*', b'/', ..] => (depth, self.offset) = (depth - 1, self.offset + 2),
                [] => return,
                _ => self.offset += 1,
            }
            if depth == 0 {
                return;
            }
        }
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = (usize, Token<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let start = self.offset;
            let rest = self.text.as_bytes().get(start..)?;
            let (first, second) = (*rest.first()?, rest.get(1).copied().unwrap_or(0));
            let token = match first {
                b'/' if second == b'/' => {
                    self.skip_line();
                    continue;
                }
                b'/' if second == b'*' => {
                    self.skip_block_comment();
                    continue;
                }
                b'0'..=b'9' => {
                    self.skip_while(start, |byte| byte == b'.' || byte.is_ascii_alphanumeric());
                    return Some((start, Token::Number));
                }
                b'_' | b'a'..=b'z' | b'A'..=b'Z' | 0x80.. => {
                    self.skip_while(start, |byte| byte == b'_' || byte >= 0x80 || byte.is_ascii_alphanumeric());
                    return Some((start, Token::Word(self.text.get(start..self.offset)?)));
                }
                b'{' => Token::Open(Bracket::Brace),
                b'}' => Token::Close(Bracket::Brace),
                b'(' | b'[' => Token::Open(Bracket::Other),
                b')' | b']' => Token::Close(Bracket::Other),
                b',' => Token::Comma,
                b';' => Token::Semicolon,
                b'+' | b'-' | b'*' | b'/' | b'%' | b'&' | b'|' | b'^' | b'!' | b'~' | b'<' | b'>' | b'=' | b'.' => {
                    Token::Link(first)
                }
                _ => {
                    self.offset += 1;
                    continue;
                }
            };
            self.offset += 1;
            return Some((start, token));
        }
    }
}
