//! Every command of a frame that could have changed a pixel: what it did, or why it did nothing.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde_json::{Value, json};

use super::shader_purposes::{PurposeReader, ShaderPurposes};
use crate::command::{BlendEquation, Location, Place};
use crate::error::{Classified as _, ErrorKind};
use crate::format::aerogpu::{FrameIndex, Trace};
use crate::player::{
    Before, ColorSteps, CopySource, Miss, PixelWrite, PixelWriteKind, PixelWrites, Player, PlayerError, TexturePart,
    Touch,
};
use crate::replay::{CommandNumber, CommandReader, DrawnTo, NamedTarget, ReadTarget, ReplayError, TraceIndex};
use crate::text::{Harmless, JsonLine, counted, json_line};

/// The history of a pixel in a frame.
#[derive(Clone, Debug, PartialEq)]
pub struct PixelHistory {
    /// The frame.
    pub frame: FrameIndex,
    /// Column of the pixel.
    pub x_px: u32,
    /// Row of the pixel, from the top.
    pub y_px: u32,
    /// The part of a texture that has the pixel; nothing of the target of Appendix A, and of a context's own back buffer.
    pub part: Option<TexturePart>,
    /// Name that a marker gives the texture.
    pub part_name: Option<String>,
    /// The colour of the pixel when the frame begins, in the trace as played from its first command, if it is known: of a
    /// texture that the frame creates, the colour that it is created with.
    pub start: Option<PixelColor>,
    /// Where that came from.
    pub origin: Origin,
    /// Every CLEAR and DRAW of the frame, in order.
    pub events: Vec<PixelEvent>,
    /// The purposes of shaders of draws that wrote the pixel, by number in the trace.
    pub purposes: BTreeMap<CommandNumber, ShaderPurposes>,
    /// The colour after the last of them, if it is known.
    pub end: Option<PixelColor>,
    /// Textures as large as the target that the last draw to write the pixel reads, and that the frame has drawn to: where the
    /// history goes on behind a full-screen pass.
    pub sources: Vec<ReadTarget>,
    /// What ended the frame early; the events are those before it.
    pub error: Option<HistoryError>,
}

/// Error that ended a history early.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryError {
    /// Kind of the error.
    pub kind: ErrorKind,
    /// Its sentence.
    pub message: String,
}

/// A colour as the target holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PixelColor(pub [u8; 4]);

/// Where the colour that a frame begins with came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Nothing has written the pixel: it is transparent black, or as its texture was created.
    Nothing,
    /// The frame creates the texture.
    Created {
        /// The place of the command that does.
        at: Location,
    },
    /// This command of an earlier frame.
    Command {
        /// Its number in the trace.
        number: CommandNumber,
        /// Its place.
        at: Location,
        /// What it is.
        kind: PixelWriteKind,
    },
    /// An earlier frame that cannot be drawn.
    Unknown {
        /// Why.
        error: String,
    },
}

/// A CLEAR or a DRAW.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PixelEvent {
    /// Its number in the trace.
    pub number: CommandNumber,
    /// Its place.
    pub at: Location,
    /// What it is.
    pub kind: PixelWriteKind,
    /// What it did.
    pub effect: Effect,
    /// Why the pixel is what it is behind it.
    pub cause: PixelCause,
    /// Whether fog of Direct3D 9 is one of the steps between its fragment shader and the target.
    pub is_fogged: bool,
    /// How its colour is blended with the one before, if it is.
    pub blending: Option<BlendEquation>,
}

/// Why a pixel is what it is behind a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PixelCause {
    /// The command wrote another colour.
    Written,
    /// Blending left the colour equal to what it was.
    BlendLeftEqual,
    /// The command wrote the colour that was there.
    WroteEqual,
    /// The command did not write the pixel.
    Missed(Miss),
}

impl PixelCause {
    fn of(effect: Effect, steps: ColorSteps) -> Self {
        match effect {
            Effect::Missed(miss) => Self::Missed(miss),
            Effect::Wrote { before, after } if before != Some(after) => Self::Written,
            Effect::Wrote { .. } if steps.blending.is_some() => Self::BlendLeftEqual,
            Effect::Wrote { .. } => Self::WroteEqual,
        }
    }

    /// Its name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Written => "written",
            Self::BlendLeftEqual => "unchanged-by-blending",
            Self::WroteEqual => "unchanged",
            Self::Missed(miss) => miss_name(miss),
        }
    }
}

/// What a command did to a pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It wrote the pixel.
    Wrote {
        /// The colour before, if it is known.
        before: Option<PixelColor>,
        /// The colour after.
        after: PixelColor,
    },
    /// It left the pixel alone.
    Missed(Miss),
}

/// The history of a pixel of a frame, up to a place in it. The player stays where it is.
pub fn pixel_history(
    player: &mut Player,
    place: impl Into<Place>,
    x_px: u32,
    y_px: u32,
) -> Result<PixelHistory, PlayerError> {
    let place = place.into();
    let PixelWrites { part, start, before, writes, error } = player.follow_pixel(place, x_px, y_px)?;
    let start = start.map(PixelColor);
    let origin = match before {
        Before::Nothing => Origin::Nothing,
        Before::Write(PixelWrite { number, at, kind, .. }) => Origin::Command { number, at, kind },
        Before::Created(at) => Origin::Created { at },
        Before::Unknown(error) => Origin::Unknown { error: error.to_string() },
    };
    let mut end = start;
    let event = |PixelWrite { number, at, kind, touch, steps }: PixelWrite| {
        let effect = match touch {
            Touch::Wrote(rgba) => {
                let after = PixelColor(rgba);
                Effect::Wrote { before: end.replace(after), after }
            }
            Touch::Missed(miss) => Effect::Missed(miss),
        };
        PixelEvent {
            number,
            at,
            kind,
            effect,
            cause: PixelCause::of(effect, steps),
            is_fogged: steps.is_fogged,
            blending: steps.blending,
        }
    };
    let events: Vec<PixelEvent> = writes.into_iter().map(event).collect();
    let error = error.map(|error| HistoryError { kind: error.kind(), message: error.to_string() });
    let (index, trace) = (player.index(), player.trace().clone());
    let (mut reader, mut purposes) = (PurposeReader::new(&trace, &index), BTreeMap::new());
    for event in &events {
        if matches!((event.kind, event.effect), (PixelWriteKind::Draw(_), Effect::Wrote { .. })) {
            purposes.insert(event.number, reader.of_draw(event.number)?);
        }
    }
    let end_of_place = index.resolve(place).map(|resolved| CommandNumber(resolved.end)).ok();
    let name = part.zip(end_of_place).and_then(|(part, end)| index.resource_name(part.texture.number(), end));
    let part_name = name.map(str::to_owned);
    let mut history = PixelHistory {
        frame: place.frame,
        x_px,
        y_px,
        part,
        part_name,
        start,
        origin,
        events,
        purposes,
        end,
        sources: Vec::new(),
        error,
    };
    history.sources = sources(&history, &index, &trace)?;
    Ok(history)
}

/// Textures that the last writer reads of the size of what it draws to.
fn sources(history: &PixelHistory, index: &TraceIndex, trace: &Arc<Trace>) -> Result<Vec<ReadTarget>, ReplayError> {
    let last = history.writers().next_back().filter(|event| matches!(event.kind, PixelWriteKind::Draw(_)));
    let Some(PixelEvent { number, .. }) = last else { return Ok(Vec::new()) };
    index.read_targets(*number, &mut CommandReader::new(trace.clone()))
}

fn source_json(source: &ReadTarget) -> Value {
    let ReadTarget { target: NamedTarget { part, name }, draw } = source;
    let texture = match part {
        DrawnTo::BackBuffer => None,
        DrawnTo::Texture { id, .. } => Some(id.number()),
    };
    json!({ "texture": texture, "name": name, "draw": draw })
}

impl PixelHistory {
    /// The events that wrote the pixel.
    pub fn writers(&self) -> impl DoubleEndedIterator<Item = &PixelEvent> {
        self.events.iter().filter(|event| matches!(event.effect, Effect::Wrote { .. }))
    }

    /// The part of the texture, with the texture's name: `texture 7 "shadow map"`.
    pub fn part_in_words(&self) -> Option<String> {
        let part = self.part?;
        Some(match &self.part_name {
            Some(name) => format!("{part} \"{}\"", Harmless(name)),
            None => part.to_string(),
        })
    }

    /// One JSON object for the start, one for each event, one for the end.
    pub fn to_json(&self) -> Vec<JsonLine> {
        let (origin, at, draw, error) = match &self.origin {
            Origin::Nothing => ("nothing", None, None, None),
            Origin::Command { at, kind, .. } => (kind_name(*kind), Some(at), draw_of(*kind), None),
            Origin::Created { at } => ("creation", Some(at), None, None),
            Origin::Unknown { error } => ("unknown", None, None, Some(error)),
        };
        let mut lines = vec![json_line!("pixel-start", {
            "frame": self.frame.0, "x": self.x_px, "y": self.y_px,
            "rgba": bytes(self.start), "rgba_float": floats(self.start), "origin": origin, "error": error,
            "origin_frame": at.map(|at| at.frame.0), "origin_packet": at.map(|at| at.packet),
            "origin_offset": at.map(|at| at.offset), "origin_draw": draw, "texture": self.part.map(|part| part.texture.number()),
            "mip": self.part.map(|part| part.mip), "layer": self.part.map(|part| part.layer),
        })
        .and(self.part_name.iter().map(|name| ("name".to_owned(), json!(name))))];
        lines.extend(self.events.iter().map(|event| {
            let purposes = self.purposes.get(&event.number);
            event.to_json().and(purposes.map(|purposes| ("shaders".to_owned(), json!(purposes))))
        }));
        let writes = self.writers().count();
        lines.push(json_line!("pixel-end", {
            "rgba": bytes(self.end), "rgba_float": floats(self.end), "writes": writes, "error": self.error.as_ref().map(|error| &error.message),
            "sources": self.sources.iter().map(source_json).collect::<Vec<_>>(),
        }));
        lines
    }
}

impl PixelEvent {
    fn to_json(self) -> JsonLine {
        let line = json_line!("pixel-event", {
            "command": kind_name(self.kind), "draw": draw_of(self.kind),
            "offset": self.at.offset, "frame": self.at.frame.0, "packet": self.at.packet,
        });
        let effect = match self.effect {
            Effect::Wrote { before, after } => vec![
                ("wrote", json!(true)),
                ("before", json!(bytes(before))),
                ("after", json!(after.0)),
                ("before_float", json!(floats(before))),
                ("after_float", json!(after.floats())),
            ],
            Effect::Missed(miss) => {
                vec![("wrote", json!(false)), ("reason", json!(miss_name(miss))), ("message", json!(miss.to_string()))]
            }
        };
        let source = match self.kind {
            PixelWriteKind::Copy(CopySource { part: TexturePart { texture, mip, layer }, x_px, y_px }) => {
                Some(json!({ "texture": texture.number(), "mip": mip, "layer": layer, "x": x_px, "y": y_px }))
            }
            _ => None,
        };
        let fog = self.is_fogged.then(|| ("is_fogged".to_owned(), json!(true)));
        let blending = self.blending.map(|equation| ("blending".to_owned(), json!(equation.in_words())));
        let line = line.and(blending);
        let line = line.and([("cause".to_owned(), json!(self.cause.name()))]).and(fog);
        let line = line.and(source.map(|source| ("source".to_owned(), source)));
        line.and(effect.into_iter().map(|(name, value)| (name.to_owned(), value)))
    }
}

impl PixelColor {
    /// The channels from 0 to 1.
    pub fn floats(self) -> [f32; 4] {
        self.0.map(|byte| f32::from(byte) / 255.0)
    }
}

impl fmt::Display for PixelColor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [r, g, b, a] = self.0;
        let [fr, fg, fb, fa] = self.floats();
        write!(f, "{r} {g} {b} {a} ({fr:.3} {fg:.3} {fb:.3} {fa:.3})")
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => f.write_str("never written"),
            Self::Command { at, kind: kind @ PixelWriteKind::Draw(_), .. } => write!(f, "from {kind} {at}"),
            Self::Command { at, kind, .. } => write!(f, "from the {kind} {at}"),
            Self::Created { at } => write!(f, "as created {at}"),
            Self::Unknown { error } => write!(f, "unknown: {error}"),
        }
    }
}

impl fmt::Display for PixelEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: ", self.kind, self.at)?;
        match self.effect {
            Effect::Wrote { before: Some(before), after } => write!(f, "{before} -> {after}")?,
            Effect::Wrote { before: None, after } => write!(f, "unknown -> {after}")?,
            Effect::Missed(miss) => return miss.fmt(f),
        }
        if let Some(blending) = self.blending {
            write!(f, ", blended {}", blending.in_words())?;
        }
        f.write_str(if self.is_fogged { ", with fog" } else { "" })?;
        f.write_str(match self.cause {
            PixelCause::BlendLeftEqual => ", unchanged by blending",
            PixelCause::WroteEqual => ", unchanged",
            PixelCause::Written | PixelCause::Missed(_) => "",
        })
    }
}

impl fmt::Display for PixelWriteKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Clear => f.write_str("CLEAR"),
            Self::Draw(draw) => write!(f, "draw {draw}"),
            Self::Upload => f.write_str("upload"),
            Self::Copy(CopySource { part, x_px, y_px }) => write!(f, "copy of {x_px},{y_px} of {part}"),
        }
    }
}

impl fmt::Display for TexturePart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { texture, mip, layer } = self;
        write!(f, "texture {}", texture.number())?;
        if (*mip, *layer) == (0, 0) { Ok(()) } else { write!(f, " mip {mip} layer {layer}") }
    }
}

impl fmt::Display for Miss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoTriangle { vertex_count: 0 } => f.write_str("draws no vertices"),
            Self::NoTriangle { vertex_count } => {
                write!(f, "draws {}, too few for a triangle", counted(vertex_count, "vertex"))
            }
            Self::NoColor => f.write_str("its fragment shader writes no colour"),
            Self::OutsideViewport { viewport_px: [width, height] } => {
                write!(f, "the pixel is outside its viewport of {width}x{height}")
            }
            Self::SampleMask => f.write_str("its sample mask leaves out the only sample"),
            Self::NotCovered => f.write_str("none of its triangles covers the pixel"),
            Self::Discarded => f.write_str("its fragment shader discards the pixel"),
            Self::AlphaTestFailed => f.write_str("the alpha test fails"),
            Self::WriteMask => f.write_str("its write mask excludes every channel of the target"),
            Self::OutsideScissor { origin_px: [x, y], size_px: [width, height] } => {
                write!(f, "the pixel is outside its scissor of {width}x{height} at {x},{y}")
            }
            Self::OtherPixels { origin_px: [x, y], size_px: [width, height] } => {
                write!(f, "writes other pixels, within {width}x{height} at {x},{y}")
            }
            Self::Culled => f.write_str("its triangles that cover the pixel are culled"),
            Self::StencilFailed => f.write_str("the stencil test fails"),
            Self::DepthFailed => f.write_str("the depth test fails"),
        }
    }
}

fn bytes(color: Option<PixelColor>) -> Option<[u8; 4]> {
    color.map(|color| color.0)
}

fn floats(color: Option<PixelColor>) -> Option<[f32; 4]> {
    color.map(PixelColor::floats)
}

fn miss_name(miss: Miss) -> &'static str {
    match miss {
        Miss::NoTriangle { .. } => "no-triangle",
        Miss::NoColor => "no-color",
        Miss::OutsideViewport { .. } => "outside-viewport",
        Miss::SampleMask => "sample-mask",
        Miss::NotCovered => "not-covered",
        Miss::Discarded => "discarded",
        Miss::AlphaTestFailed => "alpha-test-failed",
        Miss::WriteMask => "write-mask",
        Miss::OutsideScissor { .. } => "outside-scissor",
        Miss::OtherPixels { .. } => "other-pixels",
        Miss::Culled => "culled",
        Miss::StencilFailed => "stencil-failed",
        Miss::DepthFailed => "depth-failed",
    }
}

fn kind_name(kind: PixelWriteKind) -> &'static str {
    match kind {
        PixelWriteKind::Clear => "clear",
        PixelWriteKind::Draw(_) => "draw",
        PixelWriteKind::Copy(_) => "copy",
        PixelWriteKind::Upload => "upload",
    }
}

fn draw_of(kind: PixelWriteKind) -> Option<u32> {
    match kind {
        PixelWriteKind::Clear | PixelWriteKind::Copy(_) | PixelWriteKind::Upload => None,
        PixelWriteKind::Draw(draw) => Some(draw),
    }
}
