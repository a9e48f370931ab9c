//! Measures how deep a shader's syntax tree will be, before a recursive compiler finds out.
//!
//! naga bounds how deep brackets nest, but a chain (`a+a+a+…`, `if … else if … else if …`, `x.y.y.y`) is parsed in a
//! loop into a tree as deep as the chain is long, and lowered by recursion. Nesting and chains are told from tokens
//! alone, so the measure works on any text, valid or not.

use super::Exceeded;
use super::tokens::{Bracket, Token, Tokens};
use crate::limits::{MAX_SHADER_CHAIN, MAX_SHADER_NESTING};

/// Checks a text against the caps on nesting and chains.
pub(super) fn check(text: &str) -> Result<(), Exceeded> {
    let mut chains: Vec<u32> = vec![0];
    let mut closed_a_block = false;
    for (offset, token) in Tokens::of(text) {
        let depth = chains.len();
        let Some(chain) = chains.last_mut() else { return Ok(()) };
        let is_else = token == Token::Word("else");
        // A `}` ends a statement, unless an `else` carries the chain on.
        if closed_a_block && !is_else {
            *chain = 0;
        }
        closed_a_block = false;
        match token {
            Token::Open(_) => {
                Exceeded::above("nesting of brackets", depth as u64, MAX_SHADER_NESTING as u64, Some(offset))?;
                *chain += 1;
                chains.push(0);
            }
            Token::Close(bracket) => {
                chains.pop();
                closed_a_block = bracket == Bracket::Brace;
                if chains.is_empty() {
                    chains.push(0);
                }
            }
            Token::Comma | Token::Semicolon => *chain = 0,
            Token::Link(_) => *chain += 1,
            Token::Word(_) if is_else => *chain += 1,
            Token::Word(_) | Token::Number => {}
        }
        let chain = chains.last().copied().unwrap_or(0);
        let what = "chain of operators or else branches";
        Exceeded::above(what, u64::from(chain), u64::from(MAX_SHADER_CHAIN), Some(offset))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(text: &str) -> Option<&'static str> {
        check(text).err().map(|exceeded| exceeded.what)
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

    #[test]
    fn a_comment_ends_where_a_line_does() {
        for end in ['\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}'] {
            assert_eq!(verdict(&format!("// {end} {}", "(".repeat(9999))), Some("nesting of brackets"), "{end:?}");
        }
    }
}
