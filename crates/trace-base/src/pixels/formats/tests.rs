//! Every format gives back what it was given.

use super::*;
use crate::error::{Classified as _, ErrorKind};
use crate::pixels::picture::Size;
use crate::pixels::surface::DepthMap;

const SIZE: Size = Size { width_px: 16, height_px: 16 };

/// Every value of a byte, in each channel at another place.
fn picture() -> Picture {
    let rgba = (0..=255_u8).flat_map(|step| [step, step.wrapping_mul(3), 255 - step, step.wrapping_add(7)]);
    Picture::new(SIZE, rgba.collect()).unwrap()
}

fn written(format: PictureFormat, surface: &Surface) -> Vec<u8> {
    let mut bytes = Vec::new();
    format.write(surface, &[], &mut bytes).unwrap();
    bytes
}

#[test]
fn colours_come_back_from_every_format() {
    let mut beginnings = Vec::new();
    for (format, names) in FORMATS {
        let bytes = written(format, &Surface::Color(picture()));
        assert!(names.iter().all(|name| PictureFormat::of_extension(name) == Some(format)));
        if format == PictureFormat::Raw {
            assert_eq!(bytes, picture().rgba());
            continue;
        }
        assert_eq!(read_picture(Cursor::new(&bytes)).unwrap(), picture(), "{format:?}");
        beginnings.push(bytes[..4].to_vec());
    }
    beginnings.sort();
    beginnings.dedup();
    assert_eq!(beginnings.len(), FORMATS.len() - 1, "each format begins in a way of its own");
}

#[test]
fn depth_keeps_its_numbers_and_is_no_picture() {
    let depth: Vec<f32> = (0..256).map(|number| 1.0 - 1.0 / (number as f32 + 1.5)).collect();
    let stencil: Vec<u8> = (0..=255).collect();
    for stencil in [None, Some(stencil)] {
        let surface = Surface::Depth(DepthMap::new(SIZE, depth.clone(), stencil).unwrap());
        let bytes = written(PictureFormat::Exr, &surface);
        assert_eq!(exr::read(Cursor::new(&bytes)).unwrap(), surface);
        for format in [PictureFormat::Exr, PictureFormat::Npy] {
            let error = read_picture(Cursor::new(written(format, &surface))).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
        }
        let grey = read_picture(Cursor::new(written(PictureFormat::Tiff, &surface))).unwrap();
        assert_eq!(grey, surface.picture());
    }
}

#[test]
fn a_file_that_is_cut_or_changed_is_an_error_or_a_picture() {
    for (format, _) in FORMATS {
        let whole = written(format, &Surface::Color(picture()));
        for length in (0..whole.len()).step_by(whole.len() / 40) {
            if format != PictureFormat::Raw {
                assert!(read_picture(Cursor::new(&whole[..length])).is_err(), "{format:?} cut to {length} bytes");
            }
        }
        for at in 0..whole.len().min(400) {
            for bit in [0, 3, 7] {
                let mut changed = whole.clone();
                changed[at] ^= 1 << bit;
                // No change ends the process; a picture that is read has the size that its header says.
                if let Ok(read) = read_picture(Cursor::new(changed)) {
                    assert_eq!(
                        read.rgba().len() as u64,
                        read.size().rgba_bytes(),
                        "{format:?}, bit {bit} of byte {at}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_header_of_a_huge_picture_takes_no_memory() {
    let mut bytes = written(PictureFormat::Exr, &Surface::Color(picture()));
    let name = b"dataWindow\0box2i\0\x10\0\0\0";
    let at = bytes.windows(name.len()).position(|window| window == name).unwrap() + name.len();
    bytes[at + 8..at + 16].copy_from_slice(&[0xff, 0xff, 0, 0, 0xff, 0xff, 0, 0]);
    let error = read_picture(Cursor::new(bytes)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OverLimit, "{error}");
}
