//! The expression after `#if` and `#elif`: C's integer expressions, evaluated while they are parsed.

use super::super::error::{Fault, Problem, Result};
use super::super::lex::{Tok, Token};
use super::Preprocessor;
use super::expand::Context;
use crate::limits::MAX_GLSL_CONDITION_DEPTH;

impl<'a> Preprocessor<'a> {
    /// Whether the condition holds.
    pub(super) fn condition(&mut self, directive: &'static str, position: u32, line: &[Token<'a>]) -> Result<bool> {
        let mut tokens = Vec::new();
        self.macros.expand(line, &mut tokens, Context::new(&self.lines).in_condition(directive))?;
        let mut evaluator = Evaluator { directive, position, tokens: &tokens, depth: 0 };
        let value = evaluator.binary(0, true)?;
        match evaluator.tokens.first() {
            None => Ok(value != 0),
            Some(_) => Err(evaluator.expected("an operator")),
        }
    }
}

/// The values of constant expressions that follow each other.
pub(super) fn integers(directive: &'static str, position: u32, tokens: &[Token<'_>]) -> Result<Vec<i64>> {
    let mut evaluator = Evaluator { directive, position, tokens, depth: 0 };
    let mut values = Vec::new();
    while !evaluator.tokens.is_empty() {
        values.push(evaluator.binary(0, true)?);
    }
    Ok(values)
}

struct Evaluator<'a, 't> {
    directive: &'static str,
    position: u32,
    tokens: &'t [Token<'a>],
    depth: usize,
}

/// (rank, operators) from loosest to tightest.
const RANKS: [&[&str]; 10] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<", ">", "<=", ">="],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

impl Evaluator<'_, '_> {
    /// `live` is false where short-circuiting skips the value: `0 && 1/0` is no error.
    fn binary(&mut self, rank: usize, live: bool) -> Result<i64> {
        let Some(operators) = RANKS.get(rank) else { return self.unary(live) };
        let mut left = self.binary(rank + 1, live)?;
        while let Some(Token { tok: Tok::Punct(operator), .. }) = self.tokens.first() {
            if !operators.contains(operator) {
                break;
            }
            self.advance();
            let needed = match *operator {
                "||" => left == 0,
                "&&" => left != 0,
                _ => true,
            };
            let right = self.binary(rank + 1, live && needed)?;
            left = self.apply(operator, left, right, live && needed)?;
        }
        Ok(left)
    }

    fn apply(&self, operator: &str, left: i64, right: i64, live: bool) -> Result<i64> {
        if matches!(operator, "/" | "%") && right == 0 {
            return if live { Err(self.expected("a divisor other than 0")) } else { Ok(0) };
        }
        // As C's preprocessor, in the widest integers of the host; what overflows wraps.
        let shift = (right & 63) as u32;
        let value = match operator {
            "||" => i64::from(left != 0 || right != 0),
            "&&" => i64::from(left != 0 && right != 0),
            "|" => left | right,
            "^" => left ^ right,
            "&" => left & right,
            "==" => i64::from(left == right),
            "!=" => i64::from(left != right),
            "<" => i64::from(left < right),
            ">" => i64::from(left > right),
            "<=" => i64::from(left <= right),
            ">=" => i64::from(left >= right),
            "<<" => left << shift,
            ">>" => left >> shift,
            "+" => left.wrapping_add(right),
            "-" => left.wrapping_sub(right),
            "*" => left.wrapping_mul(right),
            "/" => left.wrapping_div(right),
            _ => left.wrapping_rem(right),
        };
        Ok(value)
    }

    fn unary(&mut self, live: bool) -> Result<i64> {
        self.depth += 1;
        if self.depth > MAX_GLSL_CONDITION_DEPTH {
            return Err(Problem::limit(self.position, "levels of nesting", MAX_GLSL_CONDITION_DEPTH as u64));
        }
        let tok = self.tokens.first().map_or(Tok::End, |token| token.tok);
        let value = match tok {
            Tok::Punct(operator @ ("!" | "~" | "-" | "+")) => {
                self.advance();
                let value = self.unary(live)?;
                match operator {
                    "!" => i64::from(value == 0),
                    "~" => !value,
                    "-" => value.wrapping_neg(),
                    _ => value,
                }
            }
            Tok::Punct("(") => {
                self.advance();
                let value = self.binary(0, live)?;
                if self.tokens.first().map(|token| token.tok) != Some(Tok::Punct(")")) {
                    return Err(self.expected("')'"));
                }
                self.advance();
                value
            }
            Tok::Number(text) => {
                let value = parse_integer(text).ok_or_else(|| self.expected("an integer"))?;
                self.advance();
                value
            }
            Tok::Line(line) => {
                self.advance();
                i64::from(line)
            }
            // In C it would count as 0, and a misspelt name would choose the wrong branch.
            Tok::Ident(_) if live => return Err(self.expected("a name that is defined")),
            Tok::Ident(_) => {
                self.advance();
                0
            }
            _ => return Err(self.expected("an integer, 'defined', '(' or a unary operator")),
        };
        self.depth -= 1;
        Ok(value)
    }

    fn advance(&mut self) {
        self.tokens = self.tokens.get(1..).unwrap_or_default();
    }

    fn expected(&self, expected: &'static str) -> Box<Problem> {
        let (position, found) = match self.tokens.first() {
            Some(token) => (token.position, token.tok.describe()),
            None => (self.position, "the end of the line".to_owned()),
        };
        Problem::fault(position, Fault::Directive { directive: self.directive, expected, found })
    }
}

/// Value of an integer literal: decimal, octal or hexadecimal, with or without `u`.
fn parse_integer(text: &str) -> Option<i64> {
    let digits = text.trim_end_matches(['u', 'U']);
    let value = if let Some(hex) = digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
        u64::from_str_radix(hex, 16).ok()?
    } else if digits.len() > 1 && digits.starts_with('0') {
        u64::from_str_radix(digits, 8).ok()?
    } else {
        digits.parse().ok()?
    };
    Some(value as i64)
}
