//! Answers to what people ask about a frame: what is bound, what touched this pixel, what lies in this buffer.
//!
//! Each answer is plain data, worked out on a [`crate::player::Player`] or without a GPU; verbs print it, the inspector
//! shows it, `serve` sends it.

mod overlay;
mod pixel_history;

pub use overlay::{LegendEntry, Overlay, OverlayKind, overlay};
pub use pixel_history::{Effect, Origin, PixelColor, PixelEvent, PixelHistory, pixel_history};
