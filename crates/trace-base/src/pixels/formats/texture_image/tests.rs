//! Files of textures: read back by others, read from bytes that were put together by hand, and damaged.

use std::io::Cursor;

use super::super::texel_format::TEXEL_FORMATS;
use super::super::{StoredFile, TextureFileFormat, read_stored};
use super::*;
use crate::error::{Classified as _, ErrorKind};
use crate::pixels::picture::Size;
use crate::pixels::stored_picture::StoredPicture;

const FILES: [TextureFileFormat; 2] = [TextureFileFormat::Dds, TextureFileFormat::Ktx2];

/// A number generator that needs no seed of time.
struct Random(u64);

impl Random {
    fn below(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % below
    }
}

/// A texture in which no two bytes nearby are equal.
fn texture(name: &str, [width_px, height_px]: [u32; 2], mips: u32, layers: u32, is_cube: bool) -> TextureImage {
    let format = TexelFormat::named(name).unwrap();
    let shape = TextureShape { format, size: Size { width_px, height_px }, mips, layers, is_cube };
    let bytes = (0..shape.total_bytes().unwrap()).map(|at| (at * 7 + at / 251) as u8).collect();
    TextureImage::new(shape, bytes).unwrap()
}

fn written(file: TextureFileFormat, image: &TextureImage) -> Vec<u8> {
    let mut bytes = Vec::new();
    file.write(image, &mut bytes).unwrap();
    bytes
}

fn read(bytes: &[u8]) -> Result<TextureImage, PictureFileError> {
    match read_stored(Cursor::new(bytes))? {
        StoredFile::Texture(image) => Ok(image),
        StoredFile::One(_) => panic!("a texture is read as one picture"),
    }
}

fn number(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

/// Formats that a trace has textures of.
const WRITTEN: [&str; 18] = [
    "R8G8B8A8_UNORM",
    "R8G8B8A8_UNORM_SRGB",
    "R8G8B8X8_UNORM",
    "R8G8B8X8_UNORM_SRGB",
    "B8G8R8A8_UNORM",
    "B8G8R8A8_UNORM_SRGB",
    "B8G8R8X8_UNORM",
    "B8G8R8X8_UNORM_SRGB",
    "B5G6R5_UNORM",
    "B5G5R5A1_UNORM",
    "D32_FLOAT",
    "BC1_UNORM",
    "BC1_UNORM_SRGB",
    "BC2_UNORM_SRGB",
    "BC3_UNORM",
    "BC3_UNORM_SRGB",
    "BC7_UNORM",
    "BC7_UNORM_SRGB",
];

#[test]
fn textures_come_back_with_all_mips_and_layers() {
    for name in WRITTEN {
        for (size, mips, layers, is_cube) in
            [([5, 3], 3, 1, false), ([16, 16], 5, 6, true), ([8, 4], 1, 7, false), ([4, 4], 2, 12, true)]
        {
            let image = texture(name, size, mips, layers, is_cube);
            for file in FILES {
                let back = read(&written(file, &image)).unwrap();
                // DXGI has no format with red first and an unused channel.
                let is_replaced = file == TextureFileFormat::Dds && name.starts_with("R8G8B8X8");
                let shape = if is_replaced { back.shape() } else { image.shape() };
                assert_eq!(back.shape(), shape, "{name} as {file:?}");
                for (mip, layer) in (0..mips).flat_map(|mip| (0..layers).map(move |layer| (mip, layer))) {
                    let same = back.picture(mip, layer).unwrap() == image.picture(mip, layer).unwrap();
                    let is_float = name == "D32_FLOAT";
                    assert!(same || is_float, "{name} as {file:?}, mip {mip} of layer {layer}");
                    assert!(is_replaced || back.part(mip, layer) == image.part(mip, layer), "{name} as {file:?}");
                }
            }
        }
    }
}

/// The header of a DDS, by the offsets that its documentation gives.
#[test]
fn a_dds_has_the_numbers_of_dxgi() {
    let bytes = written(TextureFileFormat::Dds, &texture("BC7_UNORM_SRGB", [16, 8], 5, 3, false));
    assert_eq!(&bytes[..4], b"DDS ");
    assert_eq!([4, 12, 16, 28].map(|at| number(&bytes, at)), [124, 8, 16, 5], "size, height, width, mips");
    assert_eq!(&bytes[84..88], b"DX10");
    let dxgi = |bytes: &[u8]| [128, 132, 136, 140, 144].map(|at| number(bytes, at));
    assert_eq!(dxgi(&bytes), [99, 3, 0, 3, 1], "format, dimension, flags, array, straight alpha");
    assert_eq!(bytes.len(), 148 + 3 * (8 * 16 + 2 * 16 + 3 * 16));
    let cube = written(TextureFileFormat::Dds, &texture("B8G8R8X8_UNORM", [4, 4], 1, 12, true));
    assert_eq!(dxgi(&cube), [88, 3, 4, 2, 3], "two cubes, opaque");
    assert_eq!(number(&cube, 112), 0xfe00, "all faces, for readers of Direct3D 9");
    let opaque = written(TextureFileFormat::Dds, &texture("R8G8B8X8_UNORM", [4, 4], 1, 1, false));
    assert!(opaque[148..].chunks(4).all(|texel| texel[3] == 255));
}

/// What another reader finds in a KTX2.
#[test]
fn a_ktx2_has_the_numbers_of_vulkan() {
    let image = texture("B8G8R8X8_UNORM_SRGB", [16, 16], 3, 12, true);
    let bytes = written(TextureFileFormat::Ktx2, &image);
    let reader = ktx2::Reader::new(&bytes).unwrap();
    let header = reader.header();
    assert_eq!(header.format, Some(ktx2::Format::B8G8R8A8_SRGB));
    assert_eq!([header.pixel_width, header.pixel_height, header.pixel_depth], [16, 16, 0]);
    assert_eq!([header.layer_count, header.face_count, header.level_count, header.type_size], [2, 6, 3, 1]);
    assert_eq!(reader.transfer_function(), Some(ktx2::TransferFunction::SRGB));
    assert_eq!(reader.color_model(), Some(ktx2::ColorModel::RGBSDA));
    let keys: Vec<_> = reader.key_value_data().collect();
    assert_eq!(keys[0], ("KTXswizzle", &b"rgb1\0"[..]));
    assert!(keys[1].0 == "KTXwriter" && keys[1].1.starts_with(b"trace-base "));
    let samples = &reader.basic_dfd().unwrap().sample_information;
    let channels: Vec<_> = samples.iter().map(|sample| (sample.bit_offset, sample.channel_type)).collect();
    assert_eq!(channels, [(0, 2), (8, 1), (16, 0), (24, 15)], "blue, green, red, alpha");
    // Layer after layer, and in each of them face after face.
    for (mip, level) in (0..).zip(reader.levels()) {
        let parts: Vec<u8> = (0..12).flat_map(|layer| image.part(mip, layer).to_vec()).collect();
        assert_eq!(level.data, parts, "mip {mip}");
    }
    let formats = [
        ("R8G8B8A8_UNORM", ktx2::Format::R8G8B8A8_UNORM, 1),
        ("B5G6R5_UNORM", ktx2::Format::R5G6B5_UNORM_PACK16, 2),
        ("B5G5R5A1_UNORM", ktx2::Format::A1R5G5B5_UNORM_PACK16, 2),
        ("D32_FLOAT", ktx2::Format::D32_SFLOAT, 4),
        ("BC1_UNORM", ktx2::Format::BC1_RGBA_UNORM_BLOCK, 1),
        ("BC2_UNORM_SRGB", ktx2::Format::BC2_SRGB_BLOCK, 1),
        ("BC3_UNORM", ktx2::Format::BC3_UNORM_BLOCK, 1),
        ("BC7_UNORM_SRGB", ktx2::Format::BC7_SRGB_BLOCK, 1),
    ];
    for (name, format, type_size) in formats {
        let bytes = written(TextureFileFormat::Ktx2, &texture(name, [8, 8], 2, 1, false));
        let reader = ktx2::Reader::new(&bytes).unwrap();
        assert_eq!((reader.header().format, reader.header().type_size), (Some(format), type_size), "{name}");
        assert_eq!(reader.header().layer_count, 0, "one layer is no array");
        let srgb = name.ends_with("SRGB");
        assert_eq!(reader.transfer_function() == Some(ktx2::TransferFunction::SRGB), srgb, "{name}");
        // The descriptor is the one that the reader's own table has for the number.
        let (expected, type_size) = ktx2::dfd::Basic::from_format_with(format, false, None, None, None).unwrap();
        assert_eq!(reader.header().type_size, type_size);
        assert_eq!(reader.basic_dfd().unwrap().to_vec(), expected.to_vec(), "{name}");
        // Each mip begins where its texels or blocks may.
        let alignment = image.shape().format.block().1.max(4) as usize;
        for (mip, _) in reader.levels().enumerate() {
            assert_eq!(number(&bytes, 80 + 24 * mip) as usize % alignment, 0, "{name}, mip {mip}");
        }
    }
}

/// A file of Direct3D 9, put together here: no header of DXGI, but masks or letters.
#[test]
fn older_dds_are_read() {
    let header = |flags: u32, letters: &[u8; 4], bits: u32, masks: [u32; 4], caps2: u32| {
        let mut bytes = b"DDS ".to_vec();
        let mut numbers = vec![124, 0x2_1007, 4, 4, 0, 0, 1];
        numbers.extend([0; 11]);
        numbers.extend([32, flags, u32::from_le_bytes(*letters), bits]);
        numbers.extend(masks);
        numbers.extend([0x1000, caps2, 0, 0, 0]);
        bytes.extend(numbers.into_iter().flat_map(u32::to_le_bytes));
        bytes
    };
    let masks = [0xff_0000, 0xff00, 0xff, 0xff00_0000];
    let mut bgra = header(0x41, &[0; 4], 32, masks, 0);
    bgra.extend([1, 2, 3, 4].repeat(16));
    let image = read(&bgra).unwrap();
    assert_eq!(image.shape().format.name, "B8G8R8A8_UNORM");
    let StoredPicture::Color(picture) = image.picture(0, 0).unwrap() else { panic!() };
    assert_eq!(picture.pixel(3, 3), Some([3, 2, 1, 4]));
    // A block of one red.
    let mut cube = header(4, b"DXT1", 0, [0; 4], 0xfe00);
    cube.extend([0x00, 0xf8, 0x00, 0x00, 0, 0, 0, 0].repeat(6));
    let image = read(&cube).unwrap();
    assert_eq!((image.shape().layers, image.shape().is_cube), (6, true));
    let StoredPicture::Color(picture) = image.picture(0, 5).unwrap() else { panic!() };
    assert_eq!(picture.pixel(2, 1), Some([255, 0, 0, 255]));
}

#[test]
fn what_is_wrong_with_a_file_is_one_sentence_with_its_place() {
    let image = texture("R8G8B8A8_UNORM", [8, 8], 4, 2, false);
    let (dds, ktx2) = (written(TextureFileFormat::Dds, &image), written(TextureFileFormat::Ktx2, &image));
    let told = |bytes: &[u8]| read(bytes).map(|_| ()).unwrap_err().to_string();
    assert_eq!(
        told(&dds[..400]),
        "cannot read the DDS: the file ends after 252 bytes of texels: expected 680, at offset 0x190"
    );
    assert!(told(&dds[..90]).ends_with(", at offset 0x0"), "{}", told(&dds[..90]));
    assert!(told(&ktx2[..ktx2.len() - 1]).ends_with(&format!(", at offset {:#x}", ktx2.len() - 1)));
    let changed = |bytes: &[u8], at: usize, value: u32| {
        let mut bytes = bytes.to_vec();
        bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
        read(&bytes).map(|_| ()).unwrap_err()
    };
    // Texels of more bytes than there can be take no memory.
    for (bytes, width, layers) in [(&dds, 16, 140), (&ktx2, 20, 32)] {
        assert_eq!(changed(bytes, layers, u32::MAX).kind(), ErrorKind::OverLimit);
        assert_eq!(changed(bytes, width, 0x7fff_ffff).kind(), ErrorKind::Malformed);
        assert_eq!(changed(bytes, width, 0).kind(), ErrorKind::Malformed);
    }
    assert_eq!(
        changed(&dds, 128, 2).to_string(),
        "the DDS is DXGI_FORMAT 2: expected a texture of 8 bits a channel, of 32-bit floats or of blocks of BC1 to BC7"
    );
    assert_eq!(changed(&ktx2, 12, 109).kind(), ErrorKind::Unsupported);
    assert_eq!(
        changed(&ktx2, 36, 5).to_string(),
        "cannot read the KTX2: the header names 5 faces: expected 1 or 6, at offset 0x24"
    );
    assert_eq!(changed(&ktx2, 44, 2).kind(), ErrorKind::Unsupported, "supercompressed");
    assert_eq!(changed(&ktx2, 88, 12).offset(), Some(80), "the length of the largest mip");
}

/// Nothing that is changed in a file ends the process, and what is read has the texels that its header says.
#[test]
fn mutants_are_errors_or_textures() {
    let mut random = Random(57);
    let sources: Vec<Vec<u8>> = ["BC1_UNORM", "BC2_UNORM_SRGB", "B5G6R5_UNORM", "D32_FLOAT", "BC7_UNORM"]
        .into_iter()
        .flat_map(|name| FILES.map(|file| written(file, &texture(name, [8, 8], 3, 6, true))))
        .collect();
    let mut read_count = 0;
    for round in 0..2_000 {
        let mut bytes = sources[round % sources.len()].clone();
        for _ in 0..1 + random.below(3) {
            // Most of the damage goes where the numbers are.
            let at = if random.below(4) == 0 { random.below(bytes.len()) } else { random.below(300) };
            match random.below(4) {
                0 => bytes[at] ^= 1 << random.below(8),
                1 => bytes[at] = [0, 1, 0x7f, 0x80, 0xff][random.below(5)],
                2 => {
                    let value = [0, 1, u32::MAX, 0x7fff_ffff, 0x1_0000, 6][random.below(6)];
                    let at = at.min(bytes.len() - 4) / 4 * 4;
                    bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
                }
                _ => bytes.truncate(at.max(305)),
            }
        }
        let Ok(image) = read_stored(Cursor::new(&bytes)) else { continue };
        read_count += 1;
        let [mips, layers] = image.extent();
        for (mip, layer) in (0..mips).flat_map(|mip| (0..layers.min(7)).map(move |layer| (mip, layer))) {
            let picture = image.picture(mip, layer).unwrap();
            assert!(picture.size().pixels() > 0);
        }
    }
    assert!((100..1_900).contains(&read_count), "{read_count} of 2000 were read");
}

/// Every kind of block decodes, whatever its bytes are.
#[test]
fn blocks_of_any_bytes_are_texels() {
    let mut random = Random(9);
    for format in TEXEL_FORMATS {
        let shape = TextureShape {
            format: *format,
            size: Size { width_px: 61, height_px: 47 },
            mips: 1,
            layers: 1,
            is_cube: false,
        };
        let bytes = (0..shape.total_bytes().unwrap()).map(|_| random.below(256) as u8).collect();
        let picture = TextureImage::new(shape, bytes).unwrap().picture(0, 0).unwrap();
        assert_eq!(picture.size(), shape.size, "{}", format.name);
    }
}
