//! Measures how deep a shader's syntax tree will be, before a recursive compiler finds out.
//!
//! naga bounds how deep brackets nest, but a chain (`a+a+a+…`, `if … else if … else if …`, `x.y.y.y`) is parsed in a
//! loop into a tree as deep as the chain is long, and lowered by recursion. Nesting and chains are told from tokens
//! alone, so the measure works on any text, valid or not.

use crate::bytes::limits::{MAX_SHADER_CHAIN, MAX_SHADER_NESTING};

/// The first place that is too deep: what, how deep, and its byte offset in the text.
pub(super) struct TooDeep {
    pub what: &'static str,
    pub limit: u64,
    pub offset: usize,
}

/// Checks `text` against the caps on nesting and chains.
pub(super) fn check_depth(text: &str) -> Result<(), TooDeep> {
    let mut chains: Vec<u32> = vec![0];
    let mut closed_a_block = false;
    for (offset, token) in (Tokens { text, offset: 0 }) {
        let depth = chains.len();
        let Some(chain) = chains.last_mut() else { return Ok(()) };
        // A `}` ends a statement, unless an `else` carries the chain on.
        if closed_a_block && token != Token::Else {
            *chain = 0;
        }
        closed_a_block = false;
        match token {
            Token::Open if depth > MAX_SHADER_NESTING => {
                return Err(TooDeep { what: "nesting of brackets", limit: MAX_SHADER_NESTING as u64, offset });
            }
            Token::Open => {
                *chain += 1;
                chains.push(0);
            }
            Token::Close { block } => {
                chains.pop();
                closed_a_block = block;
                if chains.is_empty() {
                    chains.push(0);
                }
            }
            Token::Separator => *chain = 0,
            Token::Link | Token::Else => *chain += 1,
        }
        if chains.last().is_some_and(|chain| *chain > MAX_SHADER_CHAIN) {
            let what = "chain of operators or else branches";
            return Err(TooDeep { what, limit: u64::from(MAX_SHADER_CHAIN), offset });
        }
    }
    Ok(())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Token {
    Open,
    Close {
        block: bool,
    },
    Separator,
    /// An operator, a member access: whatever makes the expression so far an operand of the next.
    Link,
    Else,
}

/// The tokens that shape the tree, with their byte offsets.
struct Tokens<'a> {
    text: &'a str,
    offset: usize,
}

impl Tokens<'_> {
    fn skip_while(&mut self, from: usize, wanted: impl Fn(u8) -> bool) {
        let rest = self.text.as_bytes().get(from..).unwrap_or_default();
        self.offset = from + rest.iter().position(|byte| !wanted(*byte)).unwrap_or(rest.len());
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

impl Iterator for Tokens<'_> {
    type Item = (usize, Token);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let start = self.offset;
            let rest = self.text.as_bytes().get(start..)?;
            let (first, second) = (*rest.first()?, rest.get(1).copied().unwrap_or(0));
            let token = match first {
                b'/' if second == b'/' => {
                    self.skip_while(start, |byte| byte != b'\n');
                    continue;
                }
                b'/' if second == b'*' => {
                    self.skip_block_comment();
                    continue;
                }
                b'0'..=b'9' => {
                    self.skip_while(start, |byte| byte == b'.' || byte.is_ascii_alphanumeric());
                    continue;
                }
                b'_' | b'a'..=b'z' | b'A'..=b'Z' | 0x80.. => {
                    self.skip_while(start, |byte| byte == b'_' || byte >= 0x80 || byte.is_ascii_alphanumeric());
                    if rest.get(..self.offset - start) != Some(b"else") {
                        continue;
                    }
                    return Some((start, Token::Else));
                }
                b'(' | b'[' | b'{' => Token::Open,
                b')' | b']' => Token::Close { block: false },
                b'}' => Token::Close { block: true },
                b',' | b';' => Token::Separator,
                b'+' | b'-' | b'*' | b'/' | b'%' | b'&' | b'|' | b'^' | b'!' | b'~' | b'<' | b'>' | b'=' | b'.' => {
                    Token::Link
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

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(text: &str) -> Option<&'static str> {
        check_depth(text).err().map(|too_deep| too_deep.what)
    }

    #[test]
    fn long_is_fine_and_deep_is_not() {
        let long = "fn f() { let a = 1.0 + 2.0; if (a < 1.0) { return; } else { a.x = 3; } }\n".repeat(10_000);
        assert_eq!(verdict(&long), None);
        assert_eq!(verdict(&format!("const a = array({});", "-1.0,".repeat(100_000))), None);
        assert_eq!(verdict(&"(".repeat(100_000)), Some("nesting of brackets"));
        let chain = Some("chain of operators or else branches");
        assert_eq!(verdict(&format!("const a = 1{};", "+1".repeat(100_000))), chain);
        assert_eq!(verdict(&format!("const a = {}1;", "-".repeat(100_000))), chain);
        assert_eq!(verdict(&format!("if (a) {{ b; }} {}", "else if (a) { b; }".repeat(100_000))), chain);
        assert_eq!(verdict(&format!("a{} = 1;", "[0]".repeat(100_000))), chain);
    }

    #[test]
    fn comments_and_strange_text_do_not_count() {
        assert_eq!(verdict(&format!("/* /* {} */ */ // {}", "(".repeat(9999), "(".repeat(9999))), None);
        assert_eq!(verdict("/* open"), None);
        assert_eq!(verdict(&"}".repeat(100_000)), None);
        assert_eq!(verdict("λ → 1.0e5.x"), None);
    }
}
