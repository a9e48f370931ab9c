//! Floats in JSON: the shortest digits that mean the same float, and words for what JSON has no digits for.

use serde::{Serialize, Serializer};
use serde_json::{Value, json};

/// A float that becomes JSON without losing what it is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Real(pub f32);

impl Serialize for Real {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        real_to_json(self.0).serialize(serializer)
    }
}

impl From<f32> for Real {
    fn from(value: f32) -> Self {
        Self(value)
    }
}

/// The value as JSON; NaN and infinities are texts.
pub fn real_to_json(value: f32) -> Value {
    if !value.is_finite() {
        return json!(value.to_string());
    }
    // As f64 digit for digit: 0.1 stays 0.1 and does not become 0.10000000149011612.
    value.to_string().parse::<f64>().map_or(Value::Null, |value| json!(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_float_keeps_its_digits_and_comes_back() {
        for (value, text) in [(0.1, "0.1"), (-2.5, "-2.5"), (f32::NAN, "\"NaN\""), (f32::NEG_INFINITY, "\"-inf\"")] {
            assert_eq!(serde_json::to_string(&Real(value)).unwrap(), text);
        }
        for value in [f32::MIN_POSITIVE, f32::MAX, 1.0e-45, 16_777_217.0, -0.0] {
            let text = serde_json::to_string(&Real(value)).unwrap();
            let back: f64 = serde_json::from_str(&text).unwrap();
            assert_eq!((back as f32).to_bits(), value.to_bits(), "{text}");
        }
    }
}
