//! DDS, through `ddsfile`: written with the header of DXGI, read with that of Direct3D 9 too.

use std::io::{Cursor, Write};

use ddsfile::{AlphaMode, Caps2, D3D10ResourceDimension, D3DFormat, Dds, DxgiFormat, NewDxgiParams};

use super::texel_format::TexelFormat;
use super::texture_image::{TextureImage, TextureShape};
use crate::pixels::file::PictureFileError;
use crate::pixels::picture::Size;
use crate::text::counted;

/// Bytes of the magic number and the header.
const HEADER_BYTES: u64 = 128;

/// Bytes of the header of DXGI behind it.
const DXGI_HEADER_BYTES: u64 = 20;

/// DXGI formats that texels are written in.
const WRITTEN: [DxgiFormat; 17] = [
    DxgiFormat::R8G8B8A8_UNorm,
    DxgiFormat::R8G8B8A8_UNorm_sRGB,
    DxgiFormat::B8G8R8A8_UNorm,
    DxgiFormat::B8G8R8A8_UNorm_sRGB,
    DxgiFormat::B8G8R8X8_UNorm,
    DxgiFormat::B8G8R8X8_UNorm_sRGB,
    DxgiFormat::B5G6R5_UNorm,
    DxgiFormat::B5G5R5A1_UNorm,
    DxgiFormat::D32_Float,
    DxgiFormat::BC1_UNorm,
    DxgiFormat::BC1_UNorm_sRGB,
    DxgiFormat::BC2_UNorm,
    DxgiFormat::BC2_UNorm_sRGB,
    DxgiFormat::BC3_UNorm,
    DxgiFormat::BC3_UNorm_sRGB,
    DxgiFormat::BC7_UNorm,
    DxgiFormat::BC7_UNorm_sRGB,
];

fn failed(action: &'static str) -> impl Fn(ddsfile::Error) -> PictureFileError {
    move |error| PictureFileError::Format { name: "DDS", action, reason: error.to_string() }
}

fn damaged(offset: u64, reason: String) -> PictureFileError {
    PictureFileError::Texture { name: "DDS", offset, reason }
}

/// Writes a texture. Of a format that DXGI lacks, alpha is written as 1.
pub(super) fn write(image: &TextureImage, into: &mut dyn Write) -> Result<(), PictureFileError> {
    let TextureShape { format, size, mips, layers, is_cube } = image.shape();
    let known = WRITTEN.into_iter().find(|known| *known as u32 == format.dxgi);
    let dxgi = known.ok_or_else(|| PictureFileError::TexelFormat { name: "DDS", format: format.name.to_owned() })?;
    let mut dds = Dds::new_dxgi(NewDxgiParams {
        height: size.height_px,
        width: size.width_px,
        depth: None,
        format: dxgi,
        mipmap_levels: Some(mips),
        array_layers: Some(layers),
        // `new_dxgi` makes cubes known in the header of DXGI alone.
        caps2: is_cube.then_some(Caps2::CUBEMAP | Caps2::CUBEMAP_ALLFACES),
        is_cubemap: is_cube,
        resource_dimension: D3D10ResourceDimension::Texture2D,
        alpha_mode: if format.is_opaque { AlphaMode::Opaque } else { AlphaMode::Straight },
    })
    .map_err(failed("write"))?;
    dds.data = image.bytes().to_vec();
    if format.lacks_dxgi() {
        dds.data.as_chunks_mut::<4>().0.iter_mut().for_each(|[.., alpha]| *alpha = 255);
    }
    dds.write(&mut &mut *into).map_err(|error| match error {
        ddsfile::Error::Io(error) => PictureFileError::Io(error),
        error => failed("write")(error),
    })
}

/// Reads a texture.
pub(super) fn read(file: &[u8]) -> Result<TextureImage, PictureFileError> {
    let dds = Dds::read(Cursor::new(file)).map_err(|error| {
        let header = if file.len() as u64 <= HEADER_BYTES { 0 } else { HEADER_BYTES };
        damaged(header, format!("the header is damaged: {error}"))
    })?;
    let start = HEADER_BYTES + dds.header10.as_ref().map_or(0, |_| DXGI_HEADER_BYTES);
    let is_volume = match &dds.header10 {
        Some(header) => header.resource_dimension != D3D10ResourceDimension::Texture2D,
        None => dds.header.caps2.contains(Caps2::VOLUME),
    };
    if is_volume || dds.header.depth.is_some_and(|depth| depth > 1) {
        return Err(PictureFileError::TexelFormat { name: "DDS", format: "a 3D or 1D texture".to_owned() });
    }
    let format = format_of(&dds)?;
    let (layers, is_cube) = layers_of(&dds);
    let size = Size { width_px: dds.header.width, height_px: dds.header.height };
    let mips = dds.header.mip_map_count.unwrap_or(1).max(1);
    let shape = TextureShape { format, size, mips, layers, is_cube };
    let expected = shape.total_bytes()?;
    let mut bytes = dds.data;
    if (bytes.len() as u64) < expected {
        let end = start + bytes.len() as u64;
        let found = counted(bytes.len(), "byte");
        return Err(damaged(end, format!("the file ends after {found} of texels: expected {expected}")));
    }
    // Some programs append something.
    bytes.truncate(expected as usize);
    TextureImage::new(shape, bytes)
}

/// Layers, faces of cubes among them, and whether there are any.
fn layers_of(dds: &Dds) -> (u32, bool) {
    match &dds.header10 {
        Some(header) => {
            let is_cube = header.misc_flag.contains(ddsfile::MiscFlag::TEXTURECUBE);
            (header.array_size.max(1).saturating_mul(if is_cube { 6 } else { 1 }), is_cube)
        }
        None if dds.header.caps2.contains(Caps2::CUBEMAP) => (6, true),
        None => (1, false),
    }
}

fn format_of(dds: &Dds) -> Result<TexelFormat, PictureFileError> {
    let unknown = |name: String| PictureFileError::TexelFormat { name: "DDS", format: name };
    if let Some(header) = &dds.header10 {
        let known = TexelFormat::of_dxgi(header.dxgi_format as u32);
        return known.ok_or_else(|| unknown(format!("DXGI_FORMAT {}", header.dxgi_format as u32)));
    }
    let name = match dds.get_d3d_format() {
        Some(D3DFormat::A8R8G8B8) => "B8G8R8A8_UNORM",
        Some(D3DFormat::X8R8G8B8) => "B8G8R8X8_UNORM",
        Some(D3DFormat::A8B8G8R8) => "R8G8B8A8_UNORM",
        Some(D3DFormat::X8B8G8R8) => "R8G8B8X8_UNORM",
        Some(D3DFormat::R5G6B5) => "B5G6R5_UNORM",
        Some(D3DFormat::A1R5G5B5) => "B5G5R5A1_UNORM",
        Some(D3DFormat::DXT1) => "BC1_UNORM",
        Some(D3DFormat::DXT2 | D3DFormat::DXT3) => "BC2_UNORM",
        Some(D3DFormat::DXT4 | D3DFormat::DXT5) => "BC3_UNORM",
        Some(D3DFormat::R32F) => "R32_FLOAT",
        Some(_) => return Err(unknown("another format of Direct3D 9".to_owned())),
        None => match dds.get_dxgi_format() {
            Some(DxgiFormat::BC4_UNorm) => "BC4_UNORM",
            Some(DxgiFormat::BC5_UNorm) => "BC5_UNORM",
            _ => return Err(unknown("of a format that its header does not name".to_owned())),
        },
    };
    TexelFormat::named(name).ok_or_else(|| unknown(name.to_owned()))
}
