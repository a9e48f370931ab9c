//! wtf-trace → timeline.
//!
//! | in the file | in the timeline |
//! |---|---|
//! | zone | a [`Stack`](crate::TrackKind::Stack) track; type and location as its attributes |
//! | scope … `wtf.scope#leave` | a span; `wtf.scope#enter` is called what its argument says |
//! | leave where nothing is open | a span with an open start, and a warning |
//! | scope data, `APPEND_SCOPE_DATA` events | arguments appended to the innermost open span |
//! | other events, `wtf.trace#timeStamp`, `#discontinuity` | instants |
//! | `wtf.trace#mark` | a span until the next mark, on a [`Marks`](crate::TrackKind::Marks) track below the zone |
//! | `wtf.timeRange#begin`, `#end` | a span on a [`Ranges`](crate::TrackKind::Ranges) track below the zone, matched by id |
//! | `wtf.timing#frameStart`, `#frameEnd` | a [`Frame`](crate::Frame) of the zone, matched by number |
//! | `wtf.flow#…`, `APPEND_FLOW_DATA` events | flow points; data appended to a flow extends it |
//!
//! One pass suffices as long as times in each zone go forward. Where they go back, which is legal, reading begins
//! again: the events of each zone are gathered, put in order of time (arrival where times are equal), and then nested.
//!
//! Ticks are the microseconds of the file. They are not unwrapped: after 71.58 minutes they begin again, as the file
//! says, and the zone is put in order as above.

mod arguments;
mod canonical;
mod figures;
mod format;
mod info;
mod mapping;
mod plan;
mod reorder_buffer;
mod zone;

pub use arguments::WtfArguments;
pub use canonical::write_canonical;
pub use figures::ZoneFigures;
pub use format::Wtf;
pub use info::{WtfInfo, describe_wtf};
pub use mapping::{WtfTimeline, map_wtf};
