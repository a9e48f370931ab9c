//! Questions, and what their answers are.

use std::path::PathBuf;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use crate::analysis::OverlayName;
use crate::bytes::{FileState, decode_base64, encode_base64};
use crate::command::{Place, Shown};
use crate::format::aerogpu::FrameIndex;
use crate::player::FaultPolicy;
use crate::replay::ShaderReplacements;
use crate::shader::{LanguageChoice, ShaderIssue};

/// Everything about a trace that decides what its pictures are.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TraceToDraw {
    /// Its number, by which questions name it.
    pub trace: u32,
    /// Its file.
    pub path: PathBuf,
    /// The file's state when it was opened by whoever asks, if it is one of this system: another file has other pictures.
    pub file: Option<FileState>,
    /// Width and height of the target.
    pub size_px: [u32; 2],
    /// Which texts to draw with.
    pub language: LanguageChoice,
    /// Whether playing goes on behind what cannot be carried out.
    pub faults: FaultPolicy,
    /// Texts to compile, and bytecode or assembly to draw with, instead of the trace's.
    pub replacements: ShaderReplacements,
}

/// A question about a picture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Question {
    /// To go there.
    Seek(Place),
    /// The picture's hash.
    Hash(Place, Shown),
    /// The picture.
    Image(Place, Shown, PictureForm),
    /// What happened to the pixel in this column of this row.
    Pixel(Place, Shown, [u32; 2]),
    /// A picture about the picture, and the meaning of its colours.
    Overlay(Place, Shown, OverlayName, PictureForm),
    /// Findings of one frame, or of the whole trace.
    Lint(Option<FrameIndex>),
    /// A trace of these frames alone, ascending, and what they depend on.
    Trim(Vec<FrameIndex>),
    /// What the vertex shader makes of a draw's vertices: so many triangles, from this one on.
    Mesh {
        /// The frame.
        frame: FrameIndex,
        /// Its draw.
        draw: u32,
        /// Which of the draw's instances, counted from 0.
        instance: u32,
        /// The first triangle.
        first: u32,
        /// How many there may be.
        count: u32,
    },
    /// The shaders that are bound there, compiled.
    Shaders(Place),
    /// What is bound there, the program compiled, and what is alive.
    State(Place),
    /// What is wrong with a text in place of one of the shaders that are bound somewhere.
    Edit {
        /// Where they are bound.
        place: Place,
        /// The Blob record of the text that it replaces, or where the bytecode lies that its assembly replaces.
        record_offset: u64,
        /// The text; `None` is the trace's own, with which nothing needs to be tried.
        text: Option<String>,
    },
}

/// Form of a picture in an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PictureForm {
    /// As PNG, in the answer.
    Png,
    /// As bytes in the answer, four a pixel.
    Pixels,
    /// In a file, whose name says whether as PNG or as NumPy's array.
    File(PathBuf),
}

/// The answer to a question that could be answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    /// It was done, and there is nothing to say.
    Done,
    /// A picture.
    Drawn(Drawn),
    /// An overlay, with its legend.
    Overlaid(Drawn, Vec<Value>),
    /// The history of a pixel, one object per line.
    History(Vec<Value>),
    /// A part of a mesh, shaders, or a state: the answer as it is given to whoever asked.
    Answer(Value),
    /// An answer that is given behind faults of the trace, with these: how many, and each kind.
    BehindFaults(Box<Reply>, Value),
    /// A text that was tried.
    Tried {
        /// Its fault.
        issues: Vec<ShaderIssue>,
        /// What was passed over in it, where nothing is wrong.
        remarks: Vec<ShaderIssue>,
        /// Whether the pipeline is drawn with the text's language, so that it shows.
        is_used: bool,
    },
}

impl Reply {
    /// Takes the bytes of the picture's pixels, where they were asked for.
    pub(crate) fn take_pixels(&mut self) -> Option<PixelBytes> {
        match self {
            Self::Drawn(drawn) | Self::Overlaid(drawn, _) => drawn.rgba.take(),
            Self::BehindFaults(reply, _) => reply.take_pixels(),
            _ => None,
        }
    }
}

/// A picture that was drawn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Drawn {
    /// Width and height.
    pub size_px: [u32; 2],
    /// Its hash.
    pub sha256: String,
    /// The picture as PNG in base64, where it was asked for so.
    pub png: Option<String>,
    /// Red, green, blue and alpha of each pixel, row by row from the top, where they were asked for.
    pub rgba: Option<PixelBytes>,
}

/// Bytes of pixels. In messages they are base64.
#[derive(Clone, Debug, PartialEq)]
pub struct PixelBytes(pub Vec<u8>);

impl Serialize for PixelBytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&encode_base64(&self.0))
    }
}

impl<'de> Deserialize<'de> for PixelBytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut bytes = Vec::new();
        decode_base64(String::deserialize(deserializer)?.as_bytes(), &mut bytes)
            .map_err(|byte| D::Error::custom(format_args!("expected base64, found byte {byte:#04x}")))?;
        Ok(Self(bytes))
    }
}

impl Question {
    /// Which picture of the place it is about.
    pub fn shown(&self) -> Shown {
        match self {
            Self::Hash(_, shown)
            | Self::Image(_, shown, _)
            | Self::Pixel(_, shown, _)
            | Self::Overlay(_, shown, ..) => *shown,
            _ => Shown::default(),
        }
    }

    /// True if it asks for the picture of a place, and for nothing else.
    pub fn is_picture(&self) -> bool {
        matches!(self, Self::Hash(..) | Self::Image(_, _, PictureForm::Png | PictureForm::Pixels))
    }

    /// Where the picture is.
    pub fn place(&self) -> Place {
        match self {
            Self::Seek(place)
            | Self::Hash(place, _)
            | Self::Image(place, ..)
            | Self::Pixel(place, ..)
            | Self::Overlay(place, ..)
            | Self::Shaders(place)
            | Self::State(place)
            | Self::Edit { place, .. } => *place,
            Self::Mesh { frame, draw, .. } => Place::at_draw(*frame, *draw),
            Self::Lint(frame) => Place::end_of(frame.unwrap_or(FrameIndex(0))),
            Self::Trim(frames) => Place::end_of(frames.last().copied().unwrap_or(FrameIndex(0))),
        }
    }
}
