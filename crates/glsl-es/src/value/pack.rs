//! Functions that put two numbers into one word, and take them out again.

use std::sync::Arc;

use half::f16;

use super::{Component, Value};

/// Folds a `pack…` or `unpack…` function.
pub(crate) fn fold(name: &str, arguments: &[Value]) -> Option<Value> {
    let [argument] = arguments else { return None };
    match (name, &**argument) {
        ("packSnorm2x16", [x, y]) => joined(*x, *y, |x| (x.clamp(-1.0, 1.0) * 32767.0).round_ties_even() as i16 as u16),
        ("packUnorm2x16", [x, y]) => joined(*x, *y, |x| (x.clamp(0.0, 1.0) * 65535.0).round_ties_even() as u16),
        ("packHalf2x16", [x, y]) => joined(*x, *y, |x| f16::from_f32(x).to_bits()),
        ("unpackSnorm2x16", [word]) => split(*word, |bits| (f32::from(bits as i16) / 32767.0).clamp(-1.0, 1.0)),
        ("unpackUnorm2x16", [word]) => split(*word, |bits| f32::from(bits) / 65535.0),
        ("unpackHalf2x16", [word]) => split(*word, |bits| f16::from_bits(bits).to_f32()),
        _ => None,
    }
}

/// The first is the lower half.
fn joined(x: Component, y: Component, bits: fn(f32) -> u16) -> Option<Value> {
    let word = u32::from(bits(x.float())) | u32::from(bits(y.float())) << 16;
    Some(Arc::new([Component::Uint(word)]))
}

fn split(word: Component, float: fn(u16) -> f32) -> Option<Value> {
    let word = word.integer();
    Some(Arc::new([word as u16, (word >> 16) as u16].map(|bits| Component::Float(float(bits)))))
}

#[cfg(test)]
mod tests {
    use super::super::super::types::{Scalar, Type};
    use super::*;

    /// 2^24: the smallest half is one part of so many.
    const SMALLEST_HALVES: f32 = 16_777_216.0;

    fn packed(name: &str, x: f32, y: f32) -> u32 {
        let value: Value = Arc::new([Component::Float(x), Component::Float(y)]);
        let folded = super::super::builtin(name, &[value], &Type::UINT).unwrap();
        folded[0].integer()
    }

    fn unpacked(name: &str, word: u32) -> [f32; 2] {
        let value: Value = Arc::new([Component::Uint(word)]);
        let folded = super::super::builtin(name, &[value], &Type::vector(Scalar::Float, 2)).unwrap();
        [folded[0].float(), folded[1].float()]
    }

    #[test]
    fn fixed_point_is_clamped_and_rounded() {
        assert_eq!(packed("packSnorm2x16", 1.0, -2.0), 0x8001_7fff);
        assert_eq!(packed("packSnorm2x16", 0.5, 0.0), 0x4000);
        assert_eq!(packed("packUnorm2x16", 0.5, 1.5), 0xffff_8000);
        assert_eq!(packed("packUnorm2x16", -1.0, 0.2), 0x3333_0000);
        assert_eq!(unpacked("unpackSnorm2x16", 0x8000_7fff), [1.0, -1.0]);
        assert_eq!(unpacked("unpackSnorm2x16", 0x8001_0000), [0.0, -1.0]);
        assert_eq!(unpacked("unpackUnorm2x16", 0x3333_ffff), [1.0, 0.2]);
    }

    #[test]
    fn halves_are_rounded_to_the_nearest() {
        assert_eq!(packed("packHalf2x16", 1.0, -2.0), 0xc000_3c00);
        assert_eq!(packed("packHalf2x16", 65519.0, 65520.0), 0x7c00_7bff);
        assert_eq!(packed("packHalf2x16", 1e9, f32::NEG_INFINITY), 0xfc00_7c00);
        // One and a half steps above 1 goes to the even second, half a step to 1 itself.
        assert_eq!(packed("packHalf2x16", 1.0 + 1.5 / 1024.0, 1.0 + 0.5 / 1024.0), 0x3c00_3c02);
        // Around the smallest normal number, and the smallest of all.
        assert_eq!(packed("packHalf2x16", 1023.4 / SMALLEST_HALVES, 1023.5 / SMALLEST_HALVES), 0x0400_03ff);
        assert_eq!(packed("packHalf2x16", -0.5 / SMALLEST_HALVES, 0.6 / SMALLEST_HALVES), 0x0001_8000);
        assert_eq!(unpacked("unpackHalf2x16", 0xfbff_3555), [0.333_251_95, -65504.0]);
        assert_eq!(unpacked("unpackHalf2x16", 0x8001_7c00), [f32::INFINITY, -1.0 / SMALLEST_HALVES]);
    }
}
