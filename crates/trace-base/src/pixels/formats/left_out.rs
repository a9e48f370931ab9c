//! The formats that a build without the feature `pictures` knows by name alone.

pub(super) mod rgba8 {
    //! TIFF, WebP and QOI.

    use std::io::{BufRead, Seek, Write};

    use super::super::Rgba8Format;
    use crate::pixels::file::PictureFileError;
    use crate::pixels::picture::Picture;

    fn refusal(format: Rgba8Format) -> PictureFileError {
        PictureFileError::LeftOut { name: format.name() }
    }

    pub(in super::super) fn write(_: &Picture, format: Rgba8Format, _: &mut dyn Write) -> Result<(), PictureFileError> {
        Err(refusal(format))
    }

    pub(in super::super) fn read(_: impl BufRead + Seek, format: Rgba8Format) -> Result<Picture, PictureFileError> {
        Err(refusal(format))
    }
}

pub(super) mod exr {
    //! OpenEXR.

    use std::io::{BufRead, Seek, Write};

    use crate::pixels::file::PictureFileError;
    use crate::pixels::stored_picture::StoredPicture;
    use crate::pixels::surface::Surface;

    const REFUSAL: PictureFileError = PictureFileError::LeftOut { name: "OpenEXR" };

    pub(in super::super) fn write(_: &Surface, _: &mut dyn Write) -> Result<(), PictureFileError> {
        Err(REFUSAL)
    }

    pub(in super::super) fn read(_: impl BufRead + Seek) -> Result<Surface, PictureFileError> {
        Err(REFUSAL)
    }

    pub(in super::super) fn read_stored(_: impl BufRead + Seek) -> Result<StoredPicture, PictureFileError> {
        Err(REFUSAL)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use crate::error::{Classified as _, ErrorKind};
    use crate::pixels::{Picture, PictureFormat, Size, Surface, read_picture, read_stored};

    #[test]
    fn formats_that_are_left_out_are_told() {
        let picture = Picture::new(Size { width_px: 1, height_px: 1 }, vec![1, 2, 3, 4]).unwrap();
        for (format, name, begins) in [
            (PictureFormat::Tiff, "TIFF", b"II*\0".as_slice()),
            (PictureFormat::WebP, "WebP", b"RIFF\0\0\0\0WEBP"),
            (PictureFormat::Qoi, "QOI", b"qoif"),
            (PictureFormat::Exr, "OpenEXR", &[0x76, 0x2f, 0x31, 0x01]),
        ] {
            let mut bytes = Vec::new();
            let written = format.write(&Surface::Color(picture.clone()), &[], &mut bytes).unwrap_err();
            assert!(bytes.is_empty());
            let read = read_picture(Cursor::new(begins)).unwrap_err();
            let stored = read_stored(Cursor::new(begins)).err().unwrap();
            for error in [written, read, stored] {
                assert_eq!(error.kind(), ErrorKind::Unsupported);
                let expected = format!("{name} is not in this build: expected one with the feature `pictures`");
                assert_eq!(error.to_string(), expected);
            }
        }
    }
}
