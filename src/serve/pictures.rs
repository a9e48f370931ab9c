//! The methods that draw.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};

use super::error::ServeError;
use super::params::{Image, Picture as PictureParams, Pixel};
use super::traces::OpenTrace;
use crate::bytes::limits::MAX_SERVED_PICTURE_BYTES;
use crate::bytes::{encode_base64, write_whole};
use crate::format::aerogpu::FrameIndex;
use crate::gpu::Gpu;
use crate::inquiry::pixel_history;
use crate::pixels::{Picture, PictureFileError, write_png};
use crate::player::Until;

/// `seek`
pub(super) fn seek(open: &mut OpenTrace, gpu: &Arc<Gpu>, params: &PictureParams) -> Result<Value, ServeError> {
    let place = open.until(params.frame, params.draw);
    open.player(gpu)?.seek(place.0, place.1)?;
    open.place = place;
    Ok(place_json(place))
}

/// `hash`
pub(super) fn hash(open: &mut OpenTrace, gpu: &Arc<Gpu>, params: &PictureParams) -> Result<Value, ServeError> {
    let place = open.until(params.frame, params.draw);
    let picture = render(open, gpu, place)?;
    Ok(describe(&picture, place))
}

/// `image`
pub(super) fn image(open: &mut OpenTrace, gpu: &Arc<Gpu>, params: Image) -> Result<Value, ServeError> {
    let place = open.until(params.frame, params.draw);
    let picture = render(open, gpu, place)?;
    let mut answer = describe(&picture, place);
    let Value::Object(fields) = &mut answer else { return Ok(answer) };
    match params.path {
        Some(path) => {
            let written = write_whole(Path::new(&path), |into| -> Result<(), PictureFileError> {
                write_png(&picture, &[], into)
            });
            written.map_err(|source| ServeError::Picture { path: path.clone(), source })?;
            fields.insert("path".to_owned(), json!(path));
        }
        None => {
            let found = picture.size().rgba_bytes();
            if found > MAX_SERVED_PICTURE_BYTES {
                let (what, limit, instead) = ("the picture", MAX_SERVED_PICTURE_BYTES, "ask for it with a path");
                return Err(ServeError::TooLarge { what, found, limit, instead });
            }
            let mut png = Vec::new();
            let encoded = write_png(&picture, &[], &mut png);
            encoded.map_err(|source| ServeError::Picture { path: "the picture".to_owned(), source })?;
            fields.insert("png".to_owned(), json!(encode_base64(&png)));
        }
    }
    Ok(answer)
}

/// `pixel`
pub(super) fn pixel(open: &mut OpenTrace, gpu: &Arc<Gpu>, params: &Pixel) -> Result<Value, ServeError> {
    let (frame, until) = open.until(params.frame, params.draw);
    let history = pixel_history(open.player(gpu)?, frame, until, params.x, params.y)?;
    Ok(json!({ "events": history.to_json() }))
}

fn render(open: &mut OpenTrace, gpu: &Arc<Gpu>, place: (FrameIndex, Until)) -> Result<Picture, ServeError> {
    let picture = open.player(gpu)?.render(place.0, place.1)?;
    open.place = place;
    Ok(picture)
}

fn describe(picture: &Picture, place: (FrameIndex, Until)) -> Value {
    let mut answer = place_json(place);
    if let Value::Object(fields) = &mut answer {
        fields.insert("width".to_owned(), json!(picture.size().width_px));
        fields.insert("height".to_owned(), json!(picture.size().height_px));
        fields.insert("sha256".to_owned(), json!(picture.hash().to_string()));
    }
    answer
}

fn place_json((frame, until): (FrameIndex, Until)) -> Value {
    let (draw, packet) = match until {
        Until::AfterDraw(draw) => (Some(draw), None),
        Until::AfterPacket(packet) => (None, Some(packet)),
        Until::EndOfFrame => (None, None),
    };
    json!({ "frame": frame, "draw": draw, "packet": packet })
}
