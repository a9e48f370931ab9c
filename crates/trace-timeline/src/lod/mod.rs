//! Level of detail: what of a timeline is seen at a zoom, so that drawing costs pixels and not events.
//!
//! ```
//! use trace_timeline::lod::{Extents, Pyramid};
//!
//! /// A million events of one tick each.
//! struct Ticks;
//!
//! impl Extents for Ticks {
//!     fn extent(&self, position: u32) -> (u64, u64) {
//!         (position.into(), u64::from(position) + 1)
//!     }
//!
//!     fn tint(&self, _: u32) -> u8 {
//!         0
//!     }
//! }
//!
//! let row = Pyramid::new(1_000_000, &Ticks);
//! assert!(row.memory_bytes() < 4_000_000);
//! ```
//!
//! ```text
//!  events of a row   ▯▯ ▯▯▯▯  ▯      ▯▯▯ ▯▯▯▯▯▯▯        any number
//!  blocks of 16      [─────────]   [──────────]         begin, end, longest, widest gap, share that is busy
//!  blocks of 64      [────────────────────────]         … by fours up to a handful
//!  cells             ▮▮▮▮▮▮▮▮▮   ▮▮▮▮▮▮▮▮▮▮▮▮           what is drawn: at most two for a pixel
//! ```
//!
//! A block narrower than a pixel, or without an event or gap as wide as one, is drawn as it is; any other is opened. So
//! a picture reads a few blocks for each pixel of a row, however many events lie there.
//!
//! **Memory.** Two bytes for the place of an event in its row and two for its share of the blocks: 4 bytes per span,
//! which is 2 for each record it stands for; 2 bytes per instant, 2 per sample, 8 per link of a flow, nothing for a
//! step.

mod flows;
mod pyramid;
mod rows;
mod samples;
mod steps;
mod track;

pub use flows::{FlowLinks, Link};
pub use pyramid::{Cell, Extents, Pyramid};
pub use rows::Rows;
pub use samples::{SampleBlocks, StepSegment};
pub use steps::walk_steps;
pub use track::{FrameExtents, InstantExtents, SpanExtents, TrackLod, frame_rows, tint_of, tints};

/// Where ticks lie in a picture.
pub trait Scale {
    /// Place of `tick` in pixels; rises with it.
    fn px(&self, tick: u64) -> f64;

    /// The most pixels that any tick of `begin..=end` is wide.
    fn px_per_tick(&self, begin: u64, end: u64) -> f64;

    /// The tick at a place, rounded down.
    fn tick(&self, px: f64) -> u64;

    /// First and last place that is seen.
    fn visible_px(&self) -> (f64, f64);

    /// First and last tick that is seen.
    fn visible(&self) -> (u64, u64) {
        let (left, right) = self.visible_px();
        (self.tick(left), self.tick(right).saturating_add(1))
    }
}
