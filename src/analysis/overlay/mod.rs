//! Pictures about a picture: what a draw covers, where triangles lie, how often pixels are written, how old they are.
//!
//! ```text
//!   the frame's picture, dimmed ──┐
//!                                 ├─► a colour a pixel, and a legend that says what each colour means
//!   facts about every pixel ──────┘
//! ```

mod draw_tests;
mod highlight;
mod history;
mod overdraw;
mod sides;
mod wireframe;

use serde::{Deserialize, Serialize, Serializer};
use serde_json::json;

use crate::command::{Place, Point};
use crate::pixels::{Picture, Size};
use crate::player::{AskedPicture, DrawSelection, PixelMap, Player, PlayerError};
use crate::replay::TraceIndex;

/// An overlay by its name, before it is known which draw it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OverlayName {
    /// Pixels of one draw.
    Highlight,
    /// Edges of triangles.
    Wireframe,
    /// Tests that the pixels of one draw pass.
    Tests,
    /// Which side of one draw's triangles is seen.
    Sides,
    /// Number of writes of each pixel.
    Overdraw,
    /// Number of draws since the last write of each pixel.
    Age,
}

impl OverlayName {
    /// Every overlay.
    pub const ALL: [Self; 6] = [Self::Highlight, Self::Tests, Self::Sides, Self::Wireframe, Self::Overdraw, Self::Age];

    /// Its name on the command line and in requests.
    pub fn name(self) -> &'static str {
        match self {
            Self::Highlight => "highlight",
            Self::Tests => "tests",
            Self::Sides => "sides",
            Self::Wireframe => "wireframe",
            Self::Overdraw => "overdraw",
            Self::Age => "age",
        }
    }

    /// The overlay at a place, and the place to play to: one of a single draw shows the finished frame. Nothing where the
    /// place names no draw, which the overlay is about.
    pub fn at(self, place: Place) -> Option<(OverlayKind, Place)> {
        let whole = Place::end_of(place.frame);
        Some(match (self, place.point) {
            (Self::Highlight, Point::Draw(draw)) => (OverlayKind::Highlight { draw }, whole),
            (Self::Tests, Point::Draw(draw)) => (OverlayKind::Tests { draw }, whole),
            (Self::Sides, Point::Draw(draw)) => (OverlayKind::Sides { draw }, whole),
            (Self::Highlight | Self::Tests | Self::Sides, _) => return None,
            (Self::Wireframe, Point::Draw(draw)) => (OverlayKind::Wireframe { draw: Some(draw) }, whole),
            (Self::Wireframe, _) => (OverlayKind::Wireframe { draw: None }, place),
            (Self::Overdraw, _) => (OverlayKind::Overdraw, place),
            (Self::Age, _) => (OverlayKind::Age, place),
        })
    }
}

/// What an overlay shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverlayKind {
    /// The pixels of one draw in what it draws to: those that are seen, and those that later commands have written over.
    Highlight {
        /// The draw, by its number in the frame.
        draw: u32,
    },
    /// Tests that the pixels pass that one draw covers.
    Tests {
        /// The draw, by its number in the frame.
        draw: u32,
    },
    /// Which side of its triangles one draw shows, were none culled.
    Sides {
        /// The draw, by its number in the frame.
        draw: u32,
    },
    /// The edges of the triangles of one draw, or of all draws.
    Wireframe {
        /// The draw; `None` is all up to the end.
        draw: Option<u32>,
    },
    /// How often each pixel was written in the frame.
    Overdraw,
    /// How many draws ago each pixel was written last, also in earlier frames.
    Age,
}

impl OverlayKind {
    /// The draw that the picture is about, if it is about one.
    pub fn draw(self) -> Option<u32> {
        match self {
            Self::Highlight { draw } | Self::Tests { draw } | Self::Sides { draw } => Some(draw),
            Self::Wireframe { draw } => draw,
            Self::Overdraw | Self::Age => None,
        }
    }
}

/// A picture and what its colours mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overlay {
    /// The picture, opaque.
    pub picture: Picture,
    /// The meaning of its colours.
    pub legend: Vec<LegendEntry>,
}

/// What a colour means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LegendEntry {
    /// The colour.
    pub rgb: [u8; 3],
    /// Its meaning.
    pub meaning: String,
    /// Number of pixels that it applies to.
    pub pixels: u64,
}

impl LegendEntry {
    /// The colour as `#rrggbb`.
    pub fn hex(&self) -> String {
        let [r, g, b] = self.rgb;
        format!("#{r:02x}{g:02x}{b:02x}")
    }
}

/// `color`, `pixels` and `meaning`.
impl Serialize for LegendEntry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { pixels, meaning, .. } = self;
        json!({ "color": self.hex(), "pixels": pixels, "meaning": meaning }).serialize(serializer)
    }
}

impl Overlay {
    /// Without colours that no pixel has.
    fn without_empty(mut self) -> Self {
        self.legend.retain(|entry| entry.pixels > 0);
        self
    }
}

/// Makes an overlay of a frame, up to a place in it. The player stays where it is.
pub fn overlay(player: &mut Player, place: impl Into<Place>, kind: OverlayKind) -> Result<Overlay, PlayerError> {
    let place = place.into();
    match kind {
        OverlayKind::Highlight { draw } => highlight::overlay(player, place, draw),
        OverlayKind::Tests { draw } => draw_tests::overlay(player, place, draw),
        OverlayKind::Sides { draw } => sides::overlay(player, place, draw),
        OverlayKind::Wireframe { draw } => wireframe::overlay(player, place, draw),
        OverlayKind::Overdraw => overdraw::overlay(player, place),
        OverlayKind::Age => history::overlay(player, place),
    }
}

/// The picture that overlays lie over.
fn picture_under(player: &mut Player, place: Place, asked: AskedPicture) -> Result<Picture, PlayerError> {
    player.render_asked(place, asked)
}

/// How many draws of a frame come up to a place in it.
fn drawn_until(index: &TraceIndex, place: Place) -> u32 {
    let Place { frame, point } = place;
    let draws = index.draws_of(frame);
    match point {
        Point::Start => 0,
        Point::End => draws.count() as u32,
        Point::Draw(draw) => draw.saturating_add(1),
        Point::Packet(packet) => {
            let start = index.commands_of(frame).map_or(0, |own| own.start);
            draws.take_while(|number| number.0 - start <= packet).count() as u32
        }
    }
}

/// The draws of a frame up to a place in it.
fn draws_until(index: &TraceIndex, place: Place) -> DrawSelection {
    match place.point {
        Point::End => DrawSelection::All,
        _ => DrawSelection::Only((0..drawn_until(index, place)).collect()),
    }
}

/// A pixel of the picture in the background: greyish, and never so bright that a colour on it is not seen.
fn dimmed([r, g, b, a]: [u8; 4]) -> [u8; 3] {
    let opaque = |channel: u8| u32::from(channel) * u32::from(a) / 255;
    let [r, g, b] = [r, g, b].map(opaque);
    let grey = (r * 2 + g * 5 + b) / 8;
    [r, g, b].map(|channel| ((channel + 2 * grey) / 3 * 2 / 5 + 16) as u8)
}

/// Colours picked for each pixel from its fact, and how many pixels got which.
struct Painter {
    entries: Vec<LegendEntry>,
}

impl Painter {
    fn new(entries: impl IntoIterator<Item = ([u8; 3], String)>) -> Self {
        let entry = |(rgb, meaning)| LegendEntry { rgb, meaning, pixels: 0 };
        Self { entries: entries.into_iter().map(entry).collect() }
    }

    /// Paints each pixel in the colour of the entry that `choose` names; without one it is left in the background.
    fn paint<T: Copy>(mut self, facts: &PixelMap<T>, under: &Picture, choose: impl Fn(T) -> Option<usize>) -> Overlay {
        let size: Size = under.size();
        let mut rgba = Vec::with_capacity(size.rgba_bytes() as usize);
        for (fact, pixel) in facts.values().iter().zip(under.rgba().as_chunks::<4>().0) {
            let entry = choose(*fact).and_then(|place| self.entries.get_mut(place));
            let [r, g, b] = match entry {
                Some(entry) => {
                    entry.pixels += 1;
                    entry.rgb
                }
                None => dimmed(*pixel),
            };
            rgba.extend_from_slice(&[r, g, b, 255]);
        }
        // Facts and picture are of the same target.
        rgba.resize(size.rgba_bytes() as usize, 255);
        let picture = Picture::new(size, rgba).unwrap_or_else(|_| under.clone());
        Overlay { picture, legend: self.entries }
    }
}
