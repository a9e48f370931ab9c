//! WIP15 calls → a timeline.
//!
//! The axis counts calls: call `k` fills `[k, k+1)`, and no milliseconds are made up. Where the recorded program read
//! GPU time stamps, those times are kept as stamps and measurements.
//!
//! | calls | become |
//! |---|---|
//! | every call | a step of the track *calls* |
//! | `glXSwapBuffers` and its like | the end of a frame |
//! | debug groups, group markers, transform feedback, tests | spans, one stack each and current context |
//! | queries | spans by target; a `GL_TIME_ELAPSED` result is the span's measurement |
//! | `glDebugMessageInsert`, string and event markers, `*WIP15` pseudo calls | instants |
//! | `glObjectLabel`, `glObjectPtrLabel` | instants of the track *object labels* |
//! | `glQueryCounter(GL_TIMESTAMP)` with its result | a stamp |
//! | each frame | samples of the counters: calls, draws, blob bytes |

mod arguments;
mod blobs;
mod blocks;
mod figures;
mod format;
mod gpu_lane;
mod mapping;
mod meanings;
mod roles;
mod texels;

pub use arguments::Wip15Arguments;
pub use figures::info_wip15;
pub use format::Wip15;
pub use mapping::{Lane, Wip15Timeline, map_wip15};
pub use roles::SpanKind;
