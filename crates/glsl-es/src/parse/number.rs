//! Number tokens to values.

use super::super::ast::ExprKind;
use super::super::error::{Fault, Problem, Result};
use super::super::lex::shorten;

/// The value of a number token.
pub(crate) fn number<'a>(text: &str, position: u32) -> Result<ExprKind<'a>> {
    let bad = |expected| Problem::fault(position, Fault::Number { expected, found: shorten(text) });
    let hexadecimal = text.strip_prefix("0x").or(text.strip_prefix("0X"));
    let is_float = hexadecimal.is_none() && text.contains(['.', 'e', 'E', 'f', 'F']);
    if is_float {
        return float(text).map(ExprKind::Float).ok_or_else(|| bad("a float such as 1.0, .5 or 1e3"));
    }
    let (digits, unsigned) = match hexadecimal.unwrap_or(text).strip_suffix(['u', 'U']) {
        Some(digits) => (digits, true),
        None => (hexadecimal.unwrap_or(text), false),
    };
    let radix = match hexadecimal {
        Some(_) => 16,
        None if digits.len() > 1 && digits.starts_with('0') => 8,
        None => 10,
    };
    if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) {
        return Err(bad("an integer"));
    }
    let value = u32::from_str_radix(digits, radix).map_err(|_| bad("an integer that fits in 32 bits"))?;
    Ok(if unsigned { ExprKind::Uint(value) } else { ExprKind::Int(value as i32) })
}

fn float(text: &str) -> Option<f32> {
    let digits = text.strip_suffix(['f', 'F']).unwrap_or(text);
    // Rust takes more than GLSL does: "inf", "1_0". Only digits, one dot and one exponent are left here.
    let plain = digits.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '+' | '-'));
    let needs = digits.contains(['.', 'e', 'E']);
    (plain && needs).then(|| digits.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values() {
        let float = |text| match number(text, 0) {
            Ok(ExprKind::Float(value)) => Some(value),
            _ => None,
        };
        let int = |text| match number(text, 0) {
            Ok(ExprKind::Int(value)) => Some(i64::from(value)),
            Ok(ExprKind::Uint(value)) => Some(i64::from(value) + (1 << 40)),
            _ => None,
        };
        assert_eq!(
            [float("1."), float(".5"), float("1e3"), float("2.5E-1F"), float("1.f")].map(Option::unwrap),
            [1.0, 0.5, 1000.0, 0.25, 1.0]
        );
        assert_eq!(float("1e99"), Some(f32::INFINITY));
        assert_eq!([int("0"), int("017"), int("0x1F"), int("4294967295")].map(Option::unwrap), [0, 15, 31, -1]);
        assert_eq!(int("7u"), Some(7 + (1 << 40)));
        for bad in ["1f", "09", "0x", "1.2.3", "4294967296", "1e", "12ab", "1__0", "0xg"] {
            assert!(number(bad, 0).is_err(), "{bad}");
        }
    }
}
