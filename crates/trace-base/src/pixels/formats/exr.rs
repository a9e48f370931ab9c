//! OpenEXR: colours as fractions of 255, depth and stencil as they are.

use std::io::{BufRead, Seek, Write};

use exr::meta::MetaData;
use exr::prelude::{
    AnyChannel, AnyChannels, Encoding, FlatSamples, Image, Layer, LayerAttributes, ReadChannels as _, ReadLayers as _,
    WritableImage as _, read as reader,
};

use super::write_seeking;
use crate::limits::MAX_PICTURE_BYTES;
use crate::pixels::file::PictureFileError;
use crate::pixels::float_image::FloatImage;
use crate::pixels::picture::{Picture, Size};
use crate::pixels::stored_picture::StoredPicture;
use crate::pixels::surface::{DepthMap, Surface};

/// Channels of a colour, in the order of RGBA8.
const COLOR: [&str; 4] = ["R", "G", "B", "A"];
const DEPTH: &str = "Z";
const STENCIL: &str = "stencil";

fn failed(action: &'static str) -> impl Fn(exr::error::Error) -> PictureFileError {
    move |error| PictureFileError::Format { name: "EXR", action, reason: error.to_string() }
}

/// Writes a surface.
pub(super) fn write(surface: &Surface, into: &mut dyn Write) -> Result<(), PictureFileError> {
    let Size { width_px, height_px } = surface.size();
    let channels = match surface {
        Surface::Color(picture) => {
            let of =
                |at: usize| picture.rgba().iter().skip(at).step_by(4).map(|step| f32::from(*step) / 255.0).collect();
            (0..).zip(COLOR).map(|(at, name)| AnyChannel::new(name, FlatSamples::F32(of(at)))).collect()
        }
        Surface::Depth(map) => {
            let stencil = map.stencil().map(|stencil| stencil.iter().map(|value| u32::from(*value)).collect());
            let depth = AnyChannel::new(DEPTH, FlatSamples::F32(map.depth().to_vec()));
            let stencil = stencil.map(|values| AnyChannel::new(STENCIL, FlatSamples::U32(values)));
            std::iter::once(depth).chain(stencil).collect()
        }
    };
    let size = (width_px as usize, height_px as usize);
    let layer = Layer::new(size, LayerAttributes::default(), Encoding::FAST_LOSSLESS, AnyChannels::sort(channels));
    write_seeking(into, |whole| {
        Image::from_layer(layer).write().non_parallel().to_buffered(whole).map_err(failed("write"))
    })
}

/// Reads a surface: the first layer, if it has the channels that [`write()`] writes and colours that are steps of 1/255.
pub(super) fn read(from: impl BufRead + Seek) -> Result<Surface, PictureFileError> {
    Ok(match read_channels(from)? {
        Channels::Depth(map) => Surface::Depth(map),
        Channels::Colors(size, colors) => Surface::Color(steps(size, &colors)?.ok_or(PictureFileError::SixteenBits)?),
    })
}

/// Reads a picture: the first layer, if it has the channels that [`write()`] writes. Colours that are no steps of 1/255 stay
/// floats.
pub(super) fn read_stored(from: impl BufRead + Seek) -> Result<StoredPicture, PictureFileError> {
    Ok(match read_channels(from)? {
        Channels::Depth(map) => StoredPicture::Floats(FloatImage::of_depth(&map)),
        Channels::Colors(size, colors) => match steps(size, &colors)? {
            Some(picture) => StoredPicture::Color(picture),
            None => {
                let named = COLOR.into_iter().zip(colors).map(|(name, values)| (name.to_owned(), values)).collect();
                StoredPicture::Floats(FloatImage::new(size, named)?)
            }
        },
    })
}

/// Channels of the first layer.
enum Channels {
    Depth(DepthMap),
    /// Red, green, blue and alpha.
    Colors(Size, [Vec<f32>; 4]),
}

fn malformed(reason: impl ToString) -> PictureFileError {
    PictureFileError::Format { name: "EXR", action: "read", reason: reason.to_string() }
}

fn read_channels(mut from: impl BufRead + Seek) -> Result<Channels, PictureFileError> {
    check_size(&mut from)?;
    from.rewind().map_err(PictureFileError::Read)?;
    let image = reader()
        .no_deep_data()
        .largest_resolution_level()
        .all_channels()
        .first_valid_layer()
        .all_attributes()
        .non_parallel()
        .from_buffered(from)
        .map_err(failed("read"))?;
    let layer = image.layer_data;
    let size = Size { width_px: layer.size.width() as u32, height_px: layer.size.height() as u32 };
    let mut channels = layer.channel_data.list;
    let mut take = |name: &str| {
        let found = channels.iter_mut().find(|channel| channel.name.eq(name))?;
        Some(std::mem::replace(&mut found.sample_data, FlatSamples::U32(Vec::new())))
    };
    if let Some(FlatSamples::F32(depth)) = take(DEPTH) {
        let stencil = take(STENCIL).map(stencil_of).transpose()?;
        return Ok(Channels::Depth(DepthMap::new(size, depth, stencil).map_err(malformed)?));
    }
    match COLOR.map(take) {
        [
            Some(FlatSamples::F32(red)),
            Some(FlatSamples::F32(green)),
            Some(FlatSamples::F32(blue)),
            Some(FlatSamples::F32(alpha)),
        ] => Ok(Channels::Colors(size, [red, green, blue, alpha])),
        _ => Err(malformed("expected channels R, G, B and A, or Z, of 32-bit floats")),
    }
}

fn stencil_of(samples: FlatSamples) -> Result<Vec<u8>, PictureFileError> {
    let FlatSamples::U32(values) = samples else {
        return Err(malformed("its stencil is not of 32-bit integers"));
    };
    let bytes: Result<Vec<u8>, _> = values.iter().map(|value| u8::try_from(*value)).collect();
    bytes.map_err(|_| malformed("its stencil has a value above 255"))
}

/// The picture that colours are, if all of them are steps of 1/255.
fn steps(size: Size, [red, green, blue, alpha]: &[Vec<f32>; 4]) -> Result<Option<Picture>, PictureFileError> {
    let mut rgba = Vec::with_capacity(red.len() * 4);
    for (((red, green), blue), alpha) in red.iter().zip(green).zip(blue).zip(alpha) {
        for part in [red, green, blue, alpha] {
            match step(*part) {
                Some(step) => rgba.push(step),
                None => return Ok(None),
            }
        }
    }
    Ok(Some(Picture::new(size, rgba)?))
}

/// The step of 255 that a fraction is, if it is one.
fn step(part: f32) -> Option<u8> {
    let step = (part * 255.0).round();
    // Not a NaN, nor anything between two steps.
    ((0.0..=255.0).contains(&step) && step / 255.0 == part).then_some(step as u8)
}

/// Refuses a picture that is larger than we hold, before anything of its size is allocated.
fn check_size(from: impl BufRead) -> Result<(), PictureFileError> {
    let meta = MetaData::read_from_buffered(from, false).map_err(failed("read"))?;
    for header in &meta.headers {
        let size = Size { width_px: header.layer_size.width() as u32, height_px: header.layer_size.height() as u32 };
        let channels = header.channels.list.len().max(1) as u64;
        if size.rgba_bytes().saturating_mul(channels) > MAX_PICTURE_BYTES.saturating_mul(4) {
            return Err(PictureFileError::TooLarge { size });
        }
    }
    Ok(())
}
