//! Values of vertices: DXGI's formats and D3DDECLTYPE's types, as a GPU reads them.

use crate::replay::VertexValue;
use crate::replay::device_rules::Device;
use crate::shader::d3d::InputFeed;

/// How a GPU reads a value, and what reaches the shader; nothing for a format that it has no reading of.
pub(super) const fn vertex_format(device: &Device, value: VertexValue) -> Option<(wgpu::VertexFormat, InputFeed)> {
    use wgpu::VertexFormat as Format;
    let format = match value {
        VertexValue::Dxgi(format) => match format {
            2 => Format::Float32x4,
            3 => Format::Uint32x4,
            4 => Format::Sint32x4,
            6 => Format::Float32x3,
            7 => Format::Uint32x3,
            8 => Format::Sint32x3,
            10 => Format::Float16x4,
            11 => Format::Unorm16x4,
            12 => Format::Uint16x4,
            13 => Format::Snorm16x4,
            14 => Format::Sint16x4,
            16 => Format::Float32x2,
            17 => Format::Uint32x2,
            18 => Format::Sint32x2,
            24 => Format::Unorm10_10_10_2,
            28 => Format::Unorm8x4,
            30 => Format::Uint8x4,
            31 => Format::Snorm8x4,
            32 => Format::Sint8x4,
            34 => Format::Float16x2,
            35 => Format::Unorm16x2,
            36 => Format::Uint16x2,
            37 => Format::Snorm16x2,
            38 => Format::Sint16x2,
            41 => Format::Float32,
            42 => Format::Uint32,
            43 => Format::Sint32,
            49 => Format::Unorm8x2,
            50 => Format::Uint8x2,
            51 => Format::Snorm8x2,
            52 => Format::Sint8x2,
            54 => Format::Float16,
            56 => Format::Unorm16,
            57 => Format::Uint16,
            58 => Format::Snorm16,
            59 => Format::Sint16,
            87 => Format::Unorm8x4Bgra,
            _ => return None,
        },
        VertexValue::D3d9(kind) => match kind {
            0 => Format::Float32,
            1 => Format::Float32x2,
            2 => Format::Float32x3,
            3 => Format::Float32x4,
            4 => Format::Unorm8x4Bgra,
            5 => Format::Uint8x4,
            6 => Format::Sint16x2,
            7 => Format::Sint16x4,
            8 => Format::Unorm8x4,
            9 => Format::Snorm16x2,
            10 => Format::Snorm16x4,
            11 => Format::Unorm16x2,
            12 => Format::Unorm16x4,
            13 => return Some((Format::Uint32, InputFeed::Packed)),
            14 => return Some((Format::Uint32, InputFeed::PackedSnorm)),
            15 => Format::Float16x2,
            16 => Format::Float16x4,
            _ => return None,
        },
    };
    match format {
        Format::Unorm8x4Bgra if !device.features.blue_first => Some((Format::Unorm8x4, InputFeed::BlueFirst)),
        _ => Some((format, feed(format))),
    }
}

const fn feed(format: wgpu::VertexFormat) -> InputFeed {
    use wgpu::VertexFormat as Format;
    match format {
        Format::Uint8x2 | Format::Uint8x4 | Format::Uint16 | Format::Uint16x2 | Format::Uint16x4 => InputFeed::Uint,
        Format::Uint32 | Format::Uint32x2 | Format::Uint32x3 | Format::Uint32x4 => InputFeed::Uint,
        Format::Sint8x2 | Format::Sint8x4 | Format::Sint16 | Format::Sint16x2 | Format::Sint16x4 => InputFeed::Sint,
        Format::Sint32 | Format::Sint32x2 | Format::Sint32x3 | Format::Sint32x4 => InputFeed::Sint,
        _ => InputFeed::Float,
    }
}
