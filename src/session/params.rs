//! The parameters of each method.

use std::ops::RangeInclusive;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use thiserror::Error;

use super::error::SessionError;
use crate::analysis::{Direction, OverlayName, RowId};
use crate::command::{Place, PlaceText, ResourceName, ResourceNameError, Shown};
use crate::error::{Classified, ErrorKind};
use crate::format::aerogpu::FrameIndex;
use crate::pixels::Size;
use crate::questions::PictureForm;
use crate::shader::LanguageChoice;
use crate::text::counted;

/// Reads the parameters of `method`.
pub(crate) fn read<T: DeserializeOwned>(method: &str, params: Value) -> Result<T, SessionError> {
    let is_given = |name| params.get(name).is_some_and(|value| !value.is_null());
    if is_given("draw") && is_given("packet") {
        return Err(wrong(method, "draw and packet are two places: expected one of them"));
    }
    if is_given("place") && ["frame", "draw", "packet"].into_iter().any(is_given) {
        return Err(wrong(method, "place includes frame, draw and packet: expected it without them"));
    }
    if is_given("target") && ["present", "scanout"].into_iter().any(is_given) {
        return Err(wrong(method, "a target is not presented: expected it without a present or a scanout"));
    }
    serde_json::from_value(params.clone()).map_err(|error| {
        let reason = error.to_string();
        match field_of::<T>(&params, &reason) {
            Some(field) => wrong(method, format!("{field}: {reason}")),
            None => wrong(method, reason),
        }
    })
}

/// The field that is wrong for a reason that does not name it: without it, there is no such reason.
fn field_of<T: DeserializeOwned>(params: &Value, reason: &str) -> Option<String> {
    let given = params.as_object().filter(|_| !reason.contains("field `"))?;
    let is_reason = |field: &&String| {
        let others: Map<String, Value> =
            given.iter().filter(|(name, _)| name != field).map(|(name, value)| (name.clone(), value.clone())).collect();
        serde_json::from_value::<T>(Value::Object(others)).map_or_else(|error| error.to_string() != reason, |_| true)
    };
    given.keys().find(is_reason).cloned()
}

pub(crate) fn wrong(method: &str, reason: impl ToString) -> SessionError {
    SessionError::Params { method: method.to_owned(), reason: reason.to_string() }
}

macro_rules! params {
    ($($(#[$doc:meta])* $name:ident { $($(#[$attribute:meta])* $field:ident: $type:ty),* $(,)? })*) => {$(
        $(#[$doc])*
        #[derive(Debug, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct $name { $($(#[$attribute])* pub $field: $type),* }
    )*};
}

params! {
    /// No parameters.
    Nothing {}
    Open {
        path: String,
        size: Option<String>,
        shaders: Option<LanguageChoice>,
        replace_shaders: Option<String>,
        keep_going: Option<bool>,
    }
    Handle { trace: u32 }
    /// Everything that needs nothing but a place.
    At { trace: u32, place: Option<PlaceText>, frame: Option<u32>, draw: Option<u32>, packet: Option<u32> }
    Hash {
        trace: u32,
        place: Option<PlaceText>,
        frame: Option<u32>,
        draw: Option<u32>,
        packet: Option<u32>,
        present: Option<u32>,
        scanout: Option<u32>,
        target: Option<TargetParameter>,
    }
    Image {
        trace: u32,
        place: Option<PlaceText>,
        frame: Option<u32>,
        draw: Option<u32>,
        packet: Option<u32>,
        present: Option<u32>,
        scanout: Option<u32>,
        target: Option<TargetParameter>,
        /// `out` is the command line's name for it.
        #[serde(alias = "out")]
        path: Option<String>,
        form: Option<FormParameter>,
    }
    Pixel {
        trace: u32,
        place: Option<PlaceText>,
        frame: Option<u32>,
        draw: Option<u32>,
        packet: Option<u32>,
        present: Option<u32>,
        scanout: Option<u32>,
        target: Option<TargetParameter>,
        x: u32,
        y: u32,
    }
    Overlay {
        trace: u32,
        place: Option<PlaceText>,
        frame: Option<u32>,
        draw: Option<u32>,
        packet: Option<u32>,
        present: Option<u32>,
        scanout: Option<u32>,
        target: Option<TargetParameter>,
        kind: OverlayName,
        form: Option<FormParameter>,
    }
    Draws { trace: u32, frame: Option<u32>, first: Option<u32>, count: Option<u32> }
    Passes { trace: u32, frame: Option<u32>, first: Option<u32>, count: Option<u32> }
    Lint { trace: u32, frame: Option<u32> }
    Compare { trace: u32, with: u32 }
    Annotations { path: String, trace: Option<u32>, align: Option<String>, start: Option<u64>, end: Option<u64>, count: Option<u32> }
    Trim { trace: u32, frames: FramesParameter }
    Events { trace: u32, frame: Option<u32>, filter: Option<String>, first: Option<u32>, count: Option<u32> }
    Find { trace: u32, filter: String, from: Option<RowId>, direction: Option<FindDirection> }
    Buffer {
        trace: u32,
        place: Option<PlaceText>,
        frame: Option<u32>,
        draw: Option<u32>,
        packet: Option<u32>,
        id: Option<u32>,
        start: Option<u64>,
        end: Option<u64>,
        vertices: Option<bool>,
    }
    Mesh {
        trace: u32,
        frame: Option<u32>,
        draw: u32,
        instance: Option<u32>,
        first: Option<u32>,
        count: Option<u32>,
    }
    Edit {
        trace: u32,
        place: Option<PlaceText>,
        frame: Option<u32>,
        draw: Option<u32>,
        packet: Option<u32>,
        record_offset: u64,
        text: Option<String>,
    }
    SaveEdits { trace: u32, folder: String }
}

macro_rules! places {
    ($($name:ident)*) => {$(
        impl $name {
            /// The place that is meant. What is not named is as at `current`, where the last `seek` went; of another frame
            /// it is the end.
            pub(crate) fn place_from(&self, current: Place) -> Place {
                let frame = self.frame.map_or(current.frame, FrameIndex);
                match (&self.place, self.draw, self.packet) {
                    (Some(place), ..) => place.0,
                    (None, Some(draw), _) => Place::at_draw(frame, draw),
                    (None, None, Some(packet)) => Place::after_packet(frame, packet),
                    (None, None, None) if self.frame.is_none() => current,
                    (None, None, None) => Place::end_of(frame),
                }
            }
        }
    )*};
}

places! { At Hash Image Pixel Overlay Buffer Edit }

macro_rules! shown {
    ($($name:ident)*) => {$(
        impl $name {
            /// Which picture of the place is meant.
            pub(crate) fn shown(&self) -> Shown {
                match self.target {
                    Some(TargetParameter(name)) => Shown::Target(name),
                    None => Shown::Screen { scanout: self.scanout, present: self.present },
                }
            }
        }
    )*};
}

shown! { Hash Image Pixel Overlay }

/// A target by its handle alone, a number, or by the text that names mip and layer too.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(try_from = "Value")]
pub(crate) struct TargetParameter(ResourceName);

impl TryFrom<Value> for TargetParameter {
    type Error = ResourceNameError;

    fn try_from(value: Value) -> Result<Self, ResourceNameError> {
        let name = match value {
            Value::String(text) => text.parse(),
            Value::Number(handle) => handle.to_string().parse(),
            _ => Err(ResourceNameError),
        };
        name.map(Self)
    }
}

/// Frames as a number, or as a text of numbers and ranges: `3`, `"3-5,9"`.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "Value")]
pub(crate) struct FramesParameter(Vec<RangeInclusive<u32>>);

/// A value that names no frames.
#[derive(Debug, Error)]
#[error("expected a frame, or frames such as \"3-5,9\"")]
pub(crate) struct FramesParameterError;

impl Classified for FramesParameterError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Usage
    }

    fn offset(&self) -> Option<u64> {
        None
    }
}

impl TryFrom<Value> for FramesParameter {
    type Error = FramesParameterError;

    fn try_from(value: Value) -> Result<Self, FramesParameterError> {
        let text = match value {
            Value::String(text) => text,
            Value::Number(frame) => frame.to_string(),
            _ => return Err(FramesParameterError),
        };
        let range = |item: &str| -> Option<RangeInclusive<u32>> {
            let (first, last) = item.split_once('-').unwrap_or((item, item));
            Some(first.trim().parse().ok()?..=last.trim().parse().ok()?).filter(|range| !range.is_empty())
        };
        text.split(',').map(range).collect::<Option<_>>().map(Self).ok_or(FramesParameterError)
    }
}

impl FramesParameter {
    /// The frames, ascending, in a trace of `count` frames.
    pub(crate) fn of(&self, count: u32) -> Result<Vec<FrameIndex>, SessionError> {
        if let Some(last) = self.0.iter().map(|range| *range.end()).max().filter(|last| *last >= count) {
            let frames = counted(count, "frame");
            return Err(wrong("trim", format!("frame {last} does not exist: the trace has {frames}, counted from 0")));
        }
        // However many ranges name a frame, it is one.
        let mut is_wanted = vec![false; count as usize];
        let mut ranges = self.0.clone();
        ranges.sort_unstable_by_key(|range| *range.start());
        let mut first_left = 0;
        for range in ranges {
            let wanted = (*range.start()).max(first_left) as usize..*range.end() as usize + 1;
            if let Some(wanted) = is_wanted.get_mut(wanted) {
                wanted.fill(true);
            }
            first_left = first_left.max(*range.end() + 1);
        }
        let frames = (0..).zip(is_wanted).filter(|(_, is_wanted)| *is_wanted);
        Ok(frames.map(|(frame, _)| FrameIndex(frame)).collect())
    }
}

/// Which way to look.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum FindDirection {
    #[default]
    Next,
    Previous,
}

impl From<FindDirection> for Direction {
    fn from(direction: FindDirection) -> Self {
        match direction {
            FindDirection::Next => Self::Forward,
            FindDirection::Previous => Self::Backward,
        }
    }
}

/// Form of a picture, as a parameter names it.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum FormParameter {
    #[default]
    Png,
    Pixels,
}

impl From<FormParameter> for PictureForm {
    fn from(form: FormParameter) -> Self {
        match form {
            FormParameter::Png => Self::Png,
            FormParameter::Pixels => Self::Pixels,
        }
    }
}

/// `640x480`; `auto` is `None`.
pub(crate) fn parse_size(text: &str) -> Result<Option<Size>, SessionError> {
    if text == "auto" {
        return Ok(None);
    }
    let sides = text.split_once('x').and_then(|(width, height)| Some((width.parse().ok()?, height.parse().ok()?)));
    match sides {
        Some((width_px, height_px)) if width_px > 0 && height_px > 0 => Ok(Some(Size { width_px, height_px })),
        _ => Err(wrong("open", format!("size is {text:?}: expected auto or WIDTHxHEIGHT"))),
    }
}
