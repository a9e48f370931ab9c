//! Formats of storage textures, by naga's names and by wgpu's.

use naga::StorageFormat as Named;
use wgpu::TextureFormat as Stored;

/// What wgpu calls a format.
pub(super) const fn storage_format(format: Named) -> Stored {
    match format {
        Named::R8Unorm => Stored::R8Unorm,
        Named::R8Snorm => Stored::R8Snorm,
        Named::R8Uint => Stored::R8Uint,
        Named::R8Sint => Stored::R8Sint,
        Named::R16Uint => Stored::R16Uint,
        Named::R16Sint => Stored::R16Sint,
        Named::R16Float => Stored::R16Float,
        Named::Rg8Unorm => Stored::Rg8Unorm,
        Named::Rg8Snorm => Stored::Rg8Snorm,
        Named::Rg8Uint => Stored::Rg8Uint,
        Named::Rg8Sint => Stored::Rg8Sint,
        Named::R32Uint => Stored::R32Uint,
        Named::R32Sint => Stored::R32Sint,
        Named::R32Float => Stored::R32Float,
        Named::Rg16Uint => Stored::Rg16Uint,
        Named::Rg16Sint => Stored::Rg16Sint,
        Named::Rg16Float => Stored::Rg16Float,
        Named::Rgba8Unorm => Stored::Rgba8Unorm,
        Named::Rgba8Snorm => Stored::Rgba8Snorm,
        Named::Rgba8Uint => Stored::Rgba8Uint,
        Named::Rgba8Sint => Stored::Rgba8Sint,
        Named::Bgra8Unorm => Stored::Bgra8Unorm,
        Named::Rgb10a2Uint => Stored::Rgb10a2Uint,
        Named::Rgb10a2Unorm => Stored::Rgb10a2Unorm,
        Named::Rg11b10Ufloat => Stored::Rg11b10Ufloat,
        Named::R64Uint => Stored::R64Uint,
        Named::Rg32Uint => Stored::Rg32Uint,
        Named::Rg32Sint => Stored::Rg32Sint,
        Named::Rg32Float => Stored::Rg32Float,
        Named::Rgba16Uint => Stored::Rgba16Uint,
        Named::Rgba16Sint => Stored::Rgba16Sint,
        Named::Rgba16Float => Stored::Rgba16Float,
        Named::Rgba32Uint => Stored::Rgba32Uint,
        Named::Rgba32Sint => Stored::Rgba32Sint,
        Named::Rgba32Float => Stored::Rgba32Float,
        Named::R16Unorm => Stored::R16Unorm,
        Named::R16Snorm => Stored::R16Snorm,
        Named::Rg16Unorm => Stored::Rg16Unorm,
        Named::Rg16Snorm => Stored::Rg16Snorm,
        Named::Rgba16Unorm => Stored::Rgba16Unorm,
        Named::Rgba16Snorm => Stored::Rgba16Snorm,
    }
}
