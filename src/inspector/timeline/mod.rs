//! The timeline: every file on one axis, from the whole trace down to a single call.
//!
//! ```text
//!            ┌ find ────────────────┬──────────────────────────────────────────────┐
//!            │                      │  ruler: time, or frames where there is none  │
//!            │                      │  space for thumbnails                        │
//!  reference │ trace                │  0    │ 1      │ 2  │ 3                      │ frames
//!            │   packets            │ ▬▬▬▬ ▬│▬▬▬▬ ▬▬▬│▬▬▬▬│▬▬▬▬                    │ tracks
//!  aligned   │ calls   frames:0=0 … │ ▬▬ ▬▬▬│▬▬▬▬    │▬▬  │ ▬▬                     │
//!            │   counters           │ ▁▁▃▃▃▃▅▅▅▅▁▁▁▁▁                              │
//!  unaligned │ other   ▐unaligned▌  │  its own ruler and axis                      │
//!            ├──────────────────────┴──────────────────────────────────────────────┤
//!            │ what is selected: its arguments, or the figures of a range          │
//!            └─────────────────────────────────────────────────────────────────────┘
//! ```
//!
//! The panel knows [`crate::timeline::Timeline`]s only: no file, no player, no window. What it asks for comes back in a
//! [`TimelineResponse`]. Indexing, searching and figures run on workers; drawing costs pixels, see
//! [`crate::timeline::lod`].

mod axis_map;
mod budget;
mod cell_mesh;
mod colours;
mod details;
mod find;
mod geometry;
mod hit;
mod index;
mod input;
mod interaction;
mod jobs;
mod lane;
mod layout;
mod matches;
mod names;
mod panel;
mod panel_painter;
mod range;
mod ruler;
mod scopes;
mod seek;
mod track_painter;

pub use axis_map::View;
pub use hit::{Hit, Target};
pub use input::{KEYS, Keys};
pub use lane::{Lane, LaneAlignment, LaneArguments};
pub use panel::{RangeChange, SelectedRange, TimelineContext, TimelinePanel, TimelineResponse};
pub use ruler::Unit;
pub use seek::Seek;
