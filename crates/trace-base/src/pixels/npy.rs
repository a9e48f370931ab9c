//! NumPy's array files (`.npy`, version 1.0): what a texture holds, to the last bit.
//!
//! | what | dtype | shape | channels |
//! |---|---|---|---|
//! | colour | `\|u1` | (height, width, 4) | red, green, blue, alpha, as a picture has them |
//! | depth | `<f4` | (height, width, 1) | depth |
//! | depth and stencil | `<f4` | (height, width, 2) | depth; stencil, 0 to 255 |
//!
//! ```text
//!  0  93 4e 55 4d 50 59   "\x93NUMPY"
//!  6  01 00               version
//!  8  u16le               length of the header
//! 10  the header          a Python literal: {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3, 1), }
//!                         with spaces and a line feed, so that the array begins at a multiple of 64
//!     the array           in the order of the shape, the last index fastest
//! ```
//!
//! A crate for this would bring its own arrays with it; the format is this header and the bytes behind it.

use std::io::{Read, Write};

use super::file::PictureFileError;
use super::picture::{Picture, Size};
use super::surface::{DepthMap, Surface};
use crate::limits::MAX_PICTURE_BYTES;

const MAGIC: &[u8; 8] = b"\x93NUMPY\x01\x00";
/// The array begins at a multiple of this.
const ALIGNMENT: usize = 64;
const COLOR_TYPE: &str = "|u1";
const DEPTH_TYPE: &str = "<f4";
const ENDS_EARLY: &str = "it ends within its header";

/// Writes what a texture holds.
pub fn write_npy(surface: &Surface, out: &mut (impl Write + ?Sized)) -> Result<(), PictureFileError> {
    let size = surface.size();
    match surface {
        Surface::Color(picture) => {
            out.write_all(&header(COLOR_TYPE, size, 4))?;
            out.write_all(picture.rgba())?;
        }
        Surface::Depth(map) => match map.stencil() {
            None => {
                out.write_all(&header(DEPTH_TYPE, size, 1))?;
                out.write_all(&map.depth().iter().flat_map(|depth| depth.to_le_bytes()).collect::<Vec<_>>())?;
            }
            Some(stencil) => {
                out.write_all(&header(DEPTH_TYPE, size, 2))?;
                let pixels = map.depth().iter().zip(stencil).flat_map(|(depth, stencil)| [*depth, f32::from(*stencil)]);
                out.write_all(&pixels.flat_map(f32::to_le_bytes).collect::<Vec<_>>())?;
            }
        },
    }
    Ok(())
}

fn header(dtype: &str, Size { width_px, height_px }: Size, channels: u32) -> Vec<u8> {
    let shape = format!("({height_px}, {width_px}, {channels})");
    let text = format!("{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}");
    let end = (MAGIC.len() + 2 + text.len() + 1).next_multiple_of(ALIGNMENT);
    let length = end - MAGIC.len() - 2;
    let mut bytes = MAGIC.to_vec();
    // A few numbers, never more than 65,535 bytes.
    bytes.extend((length as u16).to_le_bytes());
    bytes.extend(text.bytes());
    bytes.resize(end - 1, b' ');
    bytes.push(b'\n');
    bytes
}

/// Reads what [`write_npy`] writes, and what NumPy saves of such an array.
pub fn read_npy(mut from: impl Read) -> Result<Surface, PictureFileError> {
    let malformed = |reason: &'static str| PictureFileError::Array { reason };
    let mut start = [0; 10];
    from.read_exact(&mut start).map_err(|_| malformed(ENDS_EARLY))?;
    let [magic @ .., low, high] = &start;
    if magic != MAGIC {
        return Err(malformed("it is not a .npy file of version 1.0"));
    }
    let mut text = vec![0; usize::from(u16::from_le_bytes([*low, *high]))];
    from.read_exact(&mut text).map_err(|_| malformed(ENDS_EARLY))?;
    let text = std::str::from_utf8(&text).map_err(|_| malformed("its header is not text"))?;
    if !text.contains("'fortran_order': False") {
        return Err(malformed("its header lacks 'fortran_order': False"));
    }
    let (size, channels) = shape_of(text).ok_or(malformed("its header gives no shape of height, width, channels"))?;
    let dtype = text.split("'descr': '").nth(1).and_then(|rest| rest.split('\'').next());
    let (is_depth, value_bytes) = match (dtype, channels) {
        (Some(COLOR_TYPE), 4) => (false, 1),
        (Some(DEPTH_TYPE), 1 | 2) => (true, 4),
        _ => return Err(malformed("expected |u1 with 4 channels, or <f4 with 1 or 2")),
    };
    let bytes = size.pixels().saturating_mul(channels * value_bytes);
    if bytes > MAX_PICTURE_BYTES {
        return Err(malformed("it is larger than a picture may be"));
    }
    let mut array = Vec::new();
    let read = from.by_ref().take(bytes + 1).read_to_end(&mut array);
    if read.map_err(|_| malformed("its array cannot be read"))? as u64 != bytes {
        return Err(malformed("the length of its array does not match its shape"));
    }
    if !is_depth {
        let picture = Picture::new(size, array).map_err(|_| malformed("its array does not fill its shape"))?;
        return Ok(Surface::Color(picture));
    }
    let values: Vec<f32> = array.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
    let (depth, stencil) = if channels == 1 { (values, None) } else { depth_and_stencil(&values)? };
    let map = DepthMap::new(size, depth, stencil).map_err(|_| malformed("its array does not fill its shape"))?;
    Ok(Surface::Depth(map))
}

fn depth_and_stencil(values: &[f32]) -> Result<(Vec<f32>, Option<Vec<u8>>), PictureFileError> {
    let byte = |value: f32| (value as u8 as f32 == value).then_some(value as u8);
    let pixels = values.as_chunks::<2>().0;
    let stencil: Option<Vec<u8>> = pixels.iter().map(|[_, stencil]| byte(*stencil)).collect();
    let stencil = stencil.ok_or(PictureFileError::Array { reason: "its stencil is not a number from 0 to 255" })?;
    Ok((pixels.iter().map(|[depth, _]| *depth).collect(), Some(stencil)))
}

fn shape_of(header: &str) -> Option<(Size, u64)> {
    let shape = header.split("'shape': (").nth(1)?.split(')').next()?;
    let numbers: Vec<u32> = shape.split(',').map(|number| number.trim().parse().ok()).collect::<Option<_>>()?;
    let [height_px, width_px, channels] = *numbers.as_slice() else { return None };
    Some((Size { width_px, height_px }, u64::from(channels)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: Size = Size { width_px: 3, height_px: 2 };

    fn surfaces() -> [Surface; 3] {
        let depth = vec![0.0, 0.25, 1.0, f32::MIN_POSITIVE, 0.5, 0.1];
        let map = |stencil| Surface::Depth(DepthMap::new(SIZE, depth.clone(), stencil).unwrap());
        let picture = Picture::new(SIZE, (0..24).collect()).unwrap();
        [Surface::Color(picture), map(None), map(Some(vec![0, 1, 2, 128, 254, 255]))]
    }

    fn written(surface: &Surface) -> Vec<u8> {
        let mut bytes = Vec::new();
        write_npy(surface, &mut bytes).unwrap();
        bytes
    }

    #[test]
    fn what_is_written_is_read_again() {
        for surface in surfaces() {
            let bytes = written(&surface);
            assert_eq!(read_npy(bytes.as_slice()).unwrap(), surface);
            for end in 0..bytes.len() {
                assert!(read_npy(&bytes[..end]).is_err(), "{end} bytes");
            }
            assert!(read_npy([bytes.as_slice(), &[0]].concat().as_slice()).is_err(), "a byte more");
        }
    }

    #[test]
    fn the_header_is_as_numpy_writes_it() {
        // python3 -c 'import numpy; numpy.save("x.npy", numpy.zeros((2, 3, 1), "<f4"))'
        let bytes = written(&surfaces()[1]);
        let expected = b"\x93NUMPY\x01\x00v\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3, 1), }";
        assert_eq!(&bytes[..expected.len()], expected);
        assert_eq!((bytes[127], bytes.len()), (b'\n', 128 + 6 * 4));
        assert!(bytes[expected.len()..127].iter().all(|byte| *byte == b' '));
    }

    #[test]
    fn other_arrays_are_refused_in_words() {
        let refusal = |text: &str| {
            let mut bytes = MAGIC.to_vec();
            bytes.extend((text.len() as u16).to_le_bytes());
            bytes.extend(text.bytes());
            read_npy(bytes.as_slice()).unwrap_err().to_string()
        };
        let header = |dtype: &str, order: &str, shape: &str| {
            refusal(&format!("{{'descr': '{dtype}', 'fortran_order': {order}, 'shape': {shape}, }}\n"))
        };
        assert!(header("<f8", "False", "(2, 3, 1)").contains("expected |u1 with 4 channels"));
        assert!(header("<f4", "True", "(2, 3, 1)").contains("fortran_order"));
        assert!(header("<f4", "False", "(2, 3)").contains("no shape"));
        assert!(header("<f4", "False", "(4294967295, 4294967295, 1)").contains("larger than a picture"));
        assert!(read_npy(&b"\x89PNG\r\n\x1a\n        "[..]).unwrap_err().to_string().contains("is not a .npy file"));
    }
}
