//! Values of attributes of vertices: numbers, as Direct3D's formats have them in bytes.

use std::fmt;

use serde::Serialize;

use crate::replay::VertexValue;
use crate::text::Real;

/// The value of an input or output of a stage, or of an attribute in its buffer.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum OutputValue {
    /// Floats.
    Floats(Vec<Real>),
    /// Signed numbers.
    Signed(Vec<i32>),
    /// Unsigned numbers.
    Unsigned(Vec<u32>),
}

impl fmt::Display for OutputValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers: Vec<String> = match self {
            Self::Floats(floats) => floats.iter().map(|float| float.0.to_string()).collect(),
            Self::Signed(numbers) => numbers.iter().map(ToString::to_string).collect(),
            Self::Unsigned(numbers) => numbers.iter().map(ToString::to_string).collect(),
        };
        f.write_str(&numbers.join(" "))
    }
}

/// Meaning of the bits of one component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Component {
    Float32,
    Float16,
    Unorm,
    Snorm,
    Uint,
    Sint,
}

/// Meaning of a value's bytes: components of as many bits each, the first in the lowest bits.
#[derive(Clone, Copy, Debug)]
struct Reading {
    component: Component,
    /// Nothing of components that a value does not have.
    bits: [u32; 4],
    /// Whether the first and the third component change places.
    is_bgra: bool,
}

const fn of(component: Component, bits: u32, count: usize) -> Reading {
    let bits = match count {
        1 => [bits, 0, 0, 0],
        2 => [bits, bits, 0, 0],
        3 => [bits, bits, bits, 0],
        _ => [bits; 4],
    };
    Reading { component, bits, is_bgra: false }
}

const BGRA: Reading = Reading { is_bgra: true, ..of(Component::Unorm, 8, 4) };

/// The name of a format, and how its bytes are read; nothing for a number that vertices do not have.
fn reading(value: VertexValue) -> Option<(&'static str, Reading)> {
    use Component::{Float16, Float32, Sint, Snorm, Uint, Unorm};
    Some(match value {
        VertexValue::Dxgi(number) => match number {
            2 => ("R32G32B32A32_FLOAT", of(Float32, 32, 4)),
            3 => ("R32G32B32A32_UINT", of(Uint, 32, 4)),
            4 => ("R32G32B32A32_SINT", of(Sint, 32, 4)),
            6 => ("R32G32B32_FLOAT", of(Float32, 32, 3)),
            7 => ("R32G32B32_UINT", of(Uint, 32, 3)),
            8 => ("R32G32B32_SINT", of(Sint, 32, 3)),
            10 => ("R16G16B16A16_FLOAT", of(Float16, 16, 4)),
            11 => ("R16G16B16A16_UNORM", of(Unorm, 16, 4)),
            12 => ("R16G16B16A16_UINT", of(Uint, 16, 4)),
            13 => ("R16G16B16A16_SNORM", of(Snorm, 16, 4)),
            14 => ("R16G16B16A16_SINT", of(Sint, 16, 4)),
            16 => ("R32G32_FLOAT", of(Float32, 32, 2)),
            17 => ("R32G32_UINT", of(Uint, 32, 2)),
            18 => ("R32G32_SINT", of(Sint, 32, 2)),
            24 => ("R10G10B10A2_UNORM", Reading { bits: [10, 10, 10, 2], ..of(Unorm, 10, 4) }),
            28 => ("R8G8B8A8_UNORM", of(Unorm, 8, 4)),
            30 => ("R8G8B8A8_UINT", of(Uint, 8, 4)),
            31 => ("R8G8B8A8_SNORM", of(Snorm, 8, 4)),
            32 => ("R8G8B8A8_SINT", of(Sint, 8, 4)),
            34 => ("R16G16_FLOAT", of(Float16, 16, 2)),
            35 => ("R16G16_UNORM", of(Unorm, 16, 2)),
            36 => ("R16G16_UINT", of(Uint, 16, 2)),
            37 => ("R16G16_SNORM", of(Snorm, 16, 2)),
            38 => ("R16G16_SINT", of(Sint, 16, 2)),
            41 => ("R32_FLOAT", of(Float32, 32, 1)),
            42 => ("R32_UINT", of(Uint, 32, 1)),
            43 => ("R32_SINT", of(Sint, 32, 1)),
            49 => ("R8G8_UNORM", of(Unorm, 8, 2)),
            50 => ("R8G8_UINT", of(Uint, 8, 2)),
            51 => ("R8G8_SNORM", of(Snorm, 8, 2)),
            52 => ("R8G8_SINT", of(Sint, 8, 2)),
            54 => ("R16_FLOAT", of(Float16, 16, 1)),
            56 => ("R16_UNORM", of(Unorm, 16, 1)),
            57 => ("R16_UINT", of(Uint, 16, 1)),
            58 => ("R16_SNORM", of(Snorm, 16, 1)),
            59 => ("R16_SINT", of(Sint, 16, 1)),
            87 => ("B8G8R8A8_UNORM", BGRA),
            _ => return None,
        },
        VertexValue::D3d9(number) => match number {
            0 => ("FLOAT1", of(Float32, 32, 1)),
            1 => ("FLOAT2", of(Float32, 32, 2)),
            2 => ("FLOAT3", of(Float32, 32, 3)),
            3 => ("FLOAT4", of(Float32, 32, 4)),
            4 => ("D3DCOLOR", BGRA),
            5 => ("UBYTE4", of(Uint, 8, 4)),
            6 => ("SHORT2", of(Sint, 16, 2)),
            7 => ("SHORT4", of(Sint, 16, 4)),
            8 => ("UBYTE4N", of(Unorm, 8, 4)),
            9 => ("SHORT2N", of(Snorm, 16, 2)),
            10 => ("SHORT4N", of(Snorm, 16, 4)),
            11 => ("USHORT2N", of(Unorm, 16, 2)),
            12 => ("USHORT4N", of(Unorm, 16, 4)),
            13 => ("UDEC3", of(Uint, 10, 3)),
            14 => ("DEC3N", of(Snorm, 10, 3)),
            15 => ("FLOAT16_2", of(Float16, 16, 2)),
            16 => ("FLOAT16_4", of(Float16, 16, 4)),
            _ => return None,
        },
    })
}

/// The name of a format as Direct3D has it; its number where vertices do not have it.
pub(super) fn format_name(value: VertexValue) -> String {
    reading(value).map_or_else(|| value.to_string(), |(name, _)| name.to_owned())
}

impl OutputValue {
    /// The value that bytes hold; nothing if vertices do not have the format, or there are too few bytes.
    pub(super) fn read(value: VertexValue, bytes: &[u8]) -> Option<Self> {
        let (_, Reading { component, bits, is_bgra }) = reading(value)?;
        let mut padded = [0; 16];
        let size = bits.iter().sum::<u32>().div_ceil(8) as usize;
        padded.get_mut(..size)?.copy_from_slice(bytes.get(..size)?);
        let all = u128::from_le_bytes(padded);
        let mut start = 0;
        let mut words: Vec<(u32, u32)> = Vec::with_capacity(4);
        for width in bits.into_iter().filter(|width| *width > 0) {
            words.push((((all >> start) & ((1 << width) - 1)) as u32, width));
            start += width;
        }
        if let ([first, _, third, ..], true) = (&mut words[..], is_bgra) {
            std::mem::swap(first, third);
        }
        let signed = |word: u32, width: u32| (word << (32 - width)) as i32 >> (32 - width);
        let largest = |width: u32| ((1u64 << width) - 1) as f32;
        let words = words.into_iter();
        Some(match component {
            Component::Uint => Self::Unsigned(words.map(|(word, _)| word).collect()),
            Component::Sint => Self::Signed(words.map(|(word, width)| signed(word, width)).collect()),
            Component::Float32 => Self::Floats(words.map(|(word, _)| Real(f32::from_bits(word))).collect()),
            Component::Float16 => Self::Floats(words.map(|(word, _)| Real(half(word))).collect()),
            Component::Unorm => Self::Floats(words.map(|(word, width)| Real(word as f32 / largest(width))).collect()),
            Component::Snorm => Self::Floats(
                words.map(|(word, width)| Real((signed(word, width) as f32 / largest(width - 1)).max(-1.0))).collect(),
            ),
        })
    }
}

/// A float of 16 bits: a sign, five bits of exponent, ten of fraction.
fn half(bits: u32) -> f32 {
    let (exponent, fraction) = (bits >> 10 & 0x1f, (bits & 0x3ff) as f32);
    let size = match exponent {
        0 => fraction * (-24f32).exp2(),
        0x1f if fraction == 0.0 => f32::INFINITY,
        0x1f => f32::NAN,
        _ => (1.0 + fraction / 1024.0) * (exponent as f32 - 15.0).exp2(),
    };
    if bits & 0x8000 == 0 { size } else { -size }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn floats(value: VertexValue, bytes: &[u8]) -> Vec<f32> {
        match OutputValue::read(value, bytes) {
            Some(OutputValue::Floats(floats)) => floats.into_iter().map(|float| float.0).collect(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_value_has_the_numbers_of_its_format() {
        let dxgi = VertexValue::Dxgi;
        assert_eq!(floats(dxgi(16), &[0, 0, 128, 63, 0, 0, 0, 192]), [1.0, -2.0]);
        assert_eq!(floats(dxgi(34), &[0, 0x3c, 0, 0xc4]), [1.0, -4.0]);
        assert_eq!(floats(dxgi(34), &[1, 0, 0, 0x7c]), [2f32.powi(-24), f32::INFINITY]);
        assert_eq!(floats(dxgi(87), &[255, 0, 51, 255]), [0.2, 0.0, 1.0, 1.0]);
        assert_eq!(floats(dxgi(31), &[127, 0x80, 0x81, 0]), [1.0, -1.0, -1.0, 0.0]);
        assert_eq!(floats(dxgi(24), &0xc000_03ffu32.to_le_bytes()), [1.0, 0.0, 0.0, 1.0]);
        assert_eq!(OutputValue::read(dxgi(38), &[0xff, 0xff, 2, 0]), Some(OutputValue::Signed(vec![-1, 2])));
        assert_eq!(OutputValue::read(dxgi(42), &[1, 1, 0, 0]), Some(OutputValue::Unsigned(vec![257])));
        let d3d9 = VertexValue::D3d9;
        assert_eq!(floats(d3d9(4), &[0, 255, 255, 0]), [1.0, 1.0, 0.0, 0.0]);
        assert_eq!(floats(d3d9(14), &(511u32 | 512 << 10).to_le_bytes()), [1.0, -1.0, 0.0]);
        assert_eq!(
            OutputValue::read(d3d9(13), &(5u32 | 7 << 20).to_le_bytes()),
            Some(OutputValue::Unsigned(vec![5, 0, 7]))
        );
        assert_eq!(OutputValue::read(d3d9(5), &[1, 2, 3, 4]), Some(OutputValue::Unsigned(vec![1, 2, 3, 4])));
    }

    #[test]
    fn an_unknown_format_and_too_few_bytes_have_no_value() {
        assert_eq!(OutputValue::read(VertexValue::Dxgi(1), &[0; 16]), None);
        assert_eq!(OutputValue::read(VertexValue::D3d9(17), &[0; 16]), None);
        assert_eq!(OutputValue::read(VertexValue::Dxgi(2), &[0; 15]), None);
        assert_eq!(
            (format_name(VertexValue::D3d9(2)), format_name(VertexValue::Dxgi(1))),
            ("FLOAT3".to_owned(), "DXGI format 1".to_owned())
        );
    }
}
