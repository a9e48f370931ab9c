//! Events of a file → tracks on an axis: one model for WIP15, wtf-trace and our own traces.
//!
//! ```
//! use trace_base::bytes::FileSource;
//! use trace_timeline::annotation::{AnnotationFormat, wtf::Wtf};
//! use trace_timeline::write_overview;
//!
//! let source = FileSource::open("../../fixtures/wtf/v3/seed_features.wtf-trace".as_ref())?;
//! let file = Wtf.map(&source, "features")?;
//! write_overview(file.timeline(), &mut std::io::stdout())?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! ```text
//!  format/wip15 ─► annotation/wip15 ─┐                       ┌─► text, json        terminal and scripts
//!  format/wtf   ─► annotation/wtf   ─┼─► Builder ─► Timeline ┼─► chrome, perfetto  other people's viewers
//!                                    │    (checks   (columns)└─► align             a second file beside frames
//!  any other source of events ───────┘     nesting)
//! ```
//!
//! What a format says is kept and nothing is made up: the [`Axis`] names its unit, a scope that was never left is a
//! span with an [open end](Timing::OpenEnd), and arguments stay in the file until somebody asks an [`ArgumentSource`]
//! for them by [`RecordOffset`].
//!
//! **Memory.** A [`Span`] takes 32 bytes and stands for two records (enter and leave), an [`Instant`] 24, a step of a
//! [`Steps`] track 8, a frame 32, a point of a flow 24, a [`Sample`] 16 where the value changes; names are interned. So
//! a wtf-trace costs at most 24 bytes per record, and a WIP15 trace a third of its file.

#![forbid(unsafe_code)]
// The example of the README is tried.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

mod align;
pub mod annotation;
mod argument;
mod axis;
mod builder;
mod chrome;
mod diff;
mod dump;
mod event;
mod events;
mod export;
mod flows;
mod frames;
mod gpu_time;
mod health;
pub mod limits;
pub mod lod;
mod mapped_file;
mod model;
mod own_time;
mod perfetto;
mod protobuf;
mod selected_events;
mod span_notes;
mod stats;
mod strings;
mod subject;
mod track;
pub mod wip15;
pub mod wtf;

pub use align::{
    AlignError, Alignment, ClockSource, CommonAxis, ContentOfFrames, FrameAnchor, FrameEvidence, MOST_UPLOADS,
    MatchedFrame, Method, RunnerUp, UploadedBytes, align, align_with,
};
pub use argument::{ArgumentError, ArgumentSource, NoArguments};
pub use axis::{Axis, Stamp, Tick};
pub use builder::{Builder, Unmatched};
pub use chrome::write_chrome;
pub use diff::{
    DiffLimits, FrameDifference, JudgedLength, NameDifference, OwnDifference, frame_differences, name_differences,
};
pub use dump::{DumpForm, Selection, touched_stretches, write_events, write_overview};
pub use event::{Instant, InstantKind, RecordOffset, Sample, Span, SpanFlags, SpanIndex, Timing};
pub use events::{Event, EventKind, Events};
pub use export::{Anchor, Certainty, ExportError, Exported, Lengths, NANOS_PER_UNTIMED_TICK, Placement};
pub use flows::{FlowKind, FlowPoint, Flows};
pub use frames::{Frame, Frames};
pub use gpu_time::{GpuTime, GpuTimes};
pub use health::{HealthFinding, Oddity, health, health_to_json};
pub use mapped_file::MappedFile;
pub use model::{Measurement, Timeline};
pub use own_time::{CallNode, ScopeShare, call_tree, call_trees, longest_own};
pub use perfetto::write_perfetto;
pub use selected_events::SelectedEvents;
pub use stats::{FrameFigures, NameFigures, Stats, stats, stats_between, stats_of};
pub use strings::{StringId, Strings};
pub use subject::EventSubject;
pub use track::{Appended, AppendedBySpan, Steps, Track, TrackId, TrackKind};

/// A track's events have them, and so have the rows of other listings.
pub use trace_base::listing::{Argument, AxisUnit, Value};
