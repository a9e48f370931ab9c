//! Reads KTX2. The descriptor is passed over: the format's number says what the texels are.

use super::{FACES, HEADER_BYTES, LEVEL_BYTES, OPAQUE, SWIZZLE, TexelFormat, TextureImage, TextureShape};
use crate::pixels::file::PictureFileError;
use crate::pixels::picture::Size;
use crate::text::counted;

/// Offsets of the header's numbers.
const FORMAT: u64 = 12;
const WIDTH: u64 = 20;
const HEIGHT: u64 = 24;
const DEPTH: u64 = 28;
const LAYERS: u64 = 32;
const FACE_COUNT: u64 = 36;
const LEVELS: u64 = 40;
const COMPRESSION: u64 = 44;
const KEYS: u64 = 56;

fn damaged(offset: u64, reason: String) -> PictureFileError {
    PictureFileError::Texture { name: "KTX2", offset, reason }
}

fn unsupported(format: String) -> PictureFileError {
    PictureFileError::TexelFormat { name: "KTX2", format }
}

/// Bytes of a file.
#[derive(Clone, Copy)]
struct File<'a>(&'a [u8]);

impl<'a> File<'a> {
    fn bytes(self, start: u64, length: u64, what: &str) -> Result<&'a [u8], PictureFileError> {
        let end = start.checked_add(length).and_then(|end| usize::try_from(end).ok());
        let found = usize::try_from(start).ok().and_then(|start| self.0.get(start..end?));
        let cut = || {
            let expected = counted(length, "byte");
            damaged(self.0.len() as u64, format!("the file ends before {what}: expected {expected} at {start:#x}"))
        };
        found.ok_or_else(cut)
    }

    fn number(self, at: u64) -> Result<u32, PictureFileError> {
        let bytes = self.bytes(at, 4, "the end of its header")?;
        Ok(bytes.as_chunks().0.first().map_or(0, |bytes| u32::from_le_bytes(*bytes)))
    }

    fn long_number(self, at: u64) -> Result<u64, PictureFileError> {
        Ok(u64::from(self.number(at)?) | u64::from(self.number(at.saturating_add(4))?) << 32)
    }

    /// The value of a key, without the zero behind it.
    fn value(self, wanted: &str) -> Result<Option<&'a [u8]>, PictureFileError> {
        let [at, length] = [self.number(KEYS)?, self.number(KEYS + 4)?].map(u64::from);
        let mut left = self.bytes(at, length, "the end of its keys")?;
        while let Some((length, rest)) = left.split_first_chunk::<4>() {
            let length = u32::from_le_bytes(*length) as usize;
            let offset = at + u64::from(self.number(KEYS + 4)?) - rest.len() as u64;
            let entry = rest.get(..length);
            let found = || format!("a key has {}: expected fewer", counted(length, "byte"));
            let entry = entry.ok_or_else(|| damaged(offset, found()))?;
            let mut parts = entry.splitn(2, |byte| *byte == 0);
            if parts.next() == Some(wanted.as_bytes()) {
                return Ok(parts.next().map(|value| value.strip_suffix(b"\0").unwrap_or(value)));
            }
            left = rest.get(length.next_multiple_of(4)..).unwrap_or_default();
        }
        Ok(None)
    }
}

/// Reads a texture.
pub(in crate::pixels::formats) fn read(file: &[u8]) -> Result<TextureImage, PictureFileError> {
    let file = File(file);
    let shape = shape_of(file)?;
    let total = shape.total_bytes()?;
    let mut levels = Vec::new();
    for mip in 0..shape.mips {
        let at = HEADER_BYTES + LEVEL_BYTES * u64::from(mip);
        let [start, length] = [file.long_number(at)?, file.long_number(at + 8)?];
        let expected = shape.part_bytes(mip).saturating_mul(u64::from(shape.layers));
        if length != expected {
            return Err(damaged(at, format!("mip {mip} has {}: expected {expected}", counted(length, "byte"))));
        }
        levels.push(file.bytes(start, length, "the end of a mip")?);
    }
    // As many as the levels have together. Those may lie over each other, so that they are more than the file's own.
    let mut bytes = Vec::with_capacity(total as usize);
    for layer in 0..shape.layers as usize {
        for (mip, level) in (0..).zip(&levels) {
            let part = shape.part_bytes(mip) as usize;
            bytes.extend_from_slice(level.chunks_exact(part.max(1)).nth(layer).unwrap_or_default());
        }
    }
    TextureImage::new(shape, bytes)
}

/// Format and extent, as the header and the keys say.
fn shape_of(file: File<'_>) -> Result<TextureShape, PictureFileError> {
    match file.number(COMPRESSION)? {
        0 => {}
        1 => return Err(unsupported("compressed as BasisLZ".to_owned())),
        2 => return Err(unsupported("compressed with Zstandard".to_owned())),
        other => return Err(unsupported(format!("compressed by scheme {other}"))),
    }
    let [width_px, height_px] = [file.number(WIDTH)?, file.number(HEIGHT)?];
    if file.number(DEPTH)? > 0 || height_px == 0 {
        return Err(unsupported("a 3D or 1D texture".to_owned()));
    }
    let faces = file.number(FACE_COUNT)?;
    if !matches!(faces, 1 | FACES) {
        return Err(damaged(FACE_COUNT, format!("the header names {faces} faces: expected 1 or 6")));
    }
    Ok(TextureShape {
        format: format_of(file)?,
        size: Size { width_px, height_px },
        mips: file.number(LEVELS)?.max(1),
        layers: file.number(LAYERS)?.max(1).saturating_mul(faces),
        is_cube: faces == FACES,
    })
}

fn format_of(file: File<'_>) -> Result<TexelFormat, PictureFileError> {
    let is_opaque = match file.value(SWIZZLE)? {
        None | Some(b"rgba") => false,
        Some(order) if order == OPAQUE.as_bytes() => true,
        Some(other) => return Err(unsupported(format!("channels in the order {}", String::from_utf8_lossy(other)))),
    };
    let vulkan = file.number(FORMAT)?;
    // Formats without alpha need no swizzle.
    let format = TexelFormat::of_vulkan(vulkan, is_opaque).or_else(|| TexelFormat::of_vulkan(vulkan, false));
    format.ok_or_else(|| unsupported(format!("VkFormat {vulkan}")))
}
