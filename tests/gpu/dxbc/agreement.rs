//! When two results agree: the rules of the cases' README.

use serde_json::Value;

use super::case::{number, text};

/// Says what is different, if anything is.
pub fn check(what: &str, rule: &Value, expected: &[u8], found: &[u8]) -> Result<(), String> {
    if expected.len() != found.len() {
        return Err(format!("{what}: expected {} bytes, found {}", expected.len(), found.len()));
    }
    let skipped: Vec<u64> = rule["skip"].as_array().into_iter().flatten().map(|at| at.as_u64().unwrap()).collect();
    let pairs = words(expected).zip(words(found)).zip(0..);
    let sums = sums_of_terms(rule);
    let is_near = |at: u64, expected, found| {
        let sum = sums.get(at as usize).map(|word| f32::from_bits(*word));
        sum.is_some_and(|sum| is_near_sum(sum, f32::from_bits(expected), f32::from_bits(found)))
    };
    let wrong: Vec<(u64, u32, u32)> = pairs
        .filter(|((expected, found), at)| !skipped.contains(at) && !agree(rule, *expected, *found))
        .filter(|((expected, found), at)| !is_near(*at, *expected, *found))
        .map(|((expected, found), at)| (at, expected, found))
        .collect();
    if wrong.len() as u32 <= number(&rule["outliers"], 0) {
        return Ok(());
    }
    let (at, one, other) = wrong[0];
    let (one, other) = (show(rule, one), show(rule, other));
    let (count, all) = (wrong.len(), expected.len() / 4);
    Err(format!("{what}: {count} of {all} words differ, word {at} first: expected {one}, found {other}"))
}

/// Of each word that is a sum, the sum of its terms without their signs: what is rounded while they are summed up, in any
/// order, is in proportion to it.
fn sums_of_terms(rule: &Value) -> Vec<u32> {
    let sums = rule["sums"].as_array().into_iter().flatten();
    sums.map(|sum| u32::try_from(sum.as_u64().unwrap()).unwrap()).collect()
}

/// Whether two sums of no more than four products differ by no more than their eight roundings.
fn is_near_sum(sum: f32, expected: f32, found: f32) -> bool {
    const ROUNDING: f64 = 1.0 / (1 << 24) as f64;
    (f64::from(expected) - f64::from(found)).abs() <= f64::from(sum) * 8.0 * ROUNDING
}

fn words(bytes: &[u8]) -> impl Iterator<Item = u32> {
    let (words, rest) = bytes.as_chunks();
    assert!(rest.is_empty(), "{} bytes are no whole words", bytes.len());
    words.iter().map(|word| u32::from_le_bytes(*word))
}

fn agree(rule: &Value, expected: u32, found: u32) -> bool {
    match text(&rule["kind"]) {
        "exact" => expected == found,
        "unorm8" => {
            let most = number(&rule["max"], 0);
            let bytes = expected.to_le_bytes().into_iter().zip(found.to_le_bytes());
            bytes.into_iter().all(|(expected, found)| u32::from(expected.abs_diff(found)) <= most)
        }
        "float32" => floats_agree(rule, f32::from_bits(expected), f32::from_bits(found)),
        "float16" => {
            let halves = [expected, found].map(|word| half::f16::from_bits(word as u16));
            let is_none = halves.map(half::f16::is_nan);
            let steps = halves.map(|half| in_order(u32::from(half.to_bits()) << 16)).map(|step| step >> 16);
            is_none == [true; 2] || (is_none == [false; 2] && steps[0].abs_diff(steps[1]) <= steps_of(rule))
        }
        other => panic!("unknown rule {other}"),
    }
}

fn floats_agree(rule: &Value, expected: f32, found: f32) -> bool {
    if expected.is_nan() || found.is_nan() {
        return expected.is_nan() && found.is_nan();
    }
    let is_nothing = |value: f32| value == 0.0 || value.is_subnormal();
    let is_any_zero = rule["zero_sign"].as_str() == Some("any");
    if is_nothing(expected) && is_nothing(found) {
        return is_any_zero || expected.is_sign_negative() == found.is_sign_negative();
    }
    let within = |limit: &Value, scale: f64| {
        limit.as_f64().is_some_and(|limit| (f64::from(expected) - f64::from(found)).abs() <= limit * scale)
    };
    let steps = in_order(expected.to_bits()).abs_diff(in_order(found.to_bits()));
    steps <= steps_of(rule) || within(&rule["abs"], 1.0) || within(&rule["rel"], f64::from(expected).abs())
}

fn steps_of(rule: &Value) -> u64 {
    rule["ulp"].as_u64().unwrap_or(0)
}

/// Bits of a float as a number that grows with it.
fn in_order(bits: u32) -> i64 {
    let magnitude = i64::from(bits & 0x7fff_ffff);
    if bits >> 31 == 0 { magnitude } else { -magnitude }
}

fn show(rule: &Value, word: u32) -> String {
    match text(&rule["kind"]) {
        "float32" => format!("{:e} ({word:#010x})", f32::from_bits(word)),
        _ => format!("{word:#010x}"),
    }
}
