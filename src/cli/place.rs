//! The flags that say about which point of a trace a verb is asked.

use std::path::PathBuf;
use std::sync::Arc;

use super::args::CommonArgs;
use super::exit::Failure;
use super::frame_set::FrameSet;
use super::index::make_index_up_to;
use super::open::open_trace;
use super::whole_file::Inputs;
use crate::format::aerogpu::{FrameIndex, Trace};
use crate::inquiry::{Inquiry, Moment, Point};

/// A frame of a trace.
#[derive(Debug, clap::Args)]
pub(super) struct FrameArgs {
    /// The trace
    #[arg(value_name = "TRACE")]
    pub trace: PathBuf,
    /// The frame
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub frame: FrameSet,
}

/// A point of a frame.
#[derive(Debug, clap::Args)]
pub(super) struct PlaceArgs {
    #[command(flatten)]
    pub frame: FrameArgs,
    /// At this draw of the frame [default: at the frame's end]
    #[arg(long, value_name = "K", conflicts_with = "packet")]
    pub draw: Option<u32>,
    /// After this packet of the frame
    #[arg(long, value_name = "P")]
    pub packet: Option<u32>,
}

impl FrameArgs {
    /// The files that this reads.
    pub(crate) fn inputs(&self) -> Inputs {
        Inputs::of([&self.trace]).and_set(&self.frame)
    }

    /// Opens the trace, with an index that goes as far as the frame.
    pub(crate) fn open(&self, common: &CommonArgs) -> Result<(Inquiry, FrameIndex), Failure> {
        self.ask(common, |frame| frame.as_usize() + 1)
    }

    /// Opens the trace with an index of all of it, for questions about what comes later.
    pub(crate) fn open_whole(&self, common: &CommonArgs) -> Result<(Inquiry, FrameIndex), Failure> {
        self.ask(common, |_| usize::MAX)
    }

    fn ask(
        &self,
        common: &CommonArgs,
        frames_needed: impl Fn(FrameIndex) -> usize,
    ) -> Result<(Inquiry, FrameIndex), Failure> {
        let trace = open_trace(&self.trace, common)?;
        let frame = one_frame(&self.frame, &trace)?;
        let index = make_index_up_to(&trace, frames_needed(frame), common);
        Ok((Inquiry::new(trace, index), frame))
    }
}

impl PlaceArgs {
    /// Opens the trace and says which point is meant.
    pub(crate) fn open(&self, common: &CommonArgs) -> Result<(Inquiry, Moment), Failure> {
        let (inquiry, frame) = self.frame.open_whole(common)?;
        let point = match (self.draw, self.packet) {
            (Some(draw), _) => Point::Draw(draw),
            (None, Some(packet)) => Point::Packet(packet),
            (None, None) => Point::End,
        };
        Ok((inquiry, Moment { frame, point }))
    }
}

/// The one frame that a set names.
pub(super) fn one_frame(set: &FrameSet, trace: &Arc<Trace>) -> Result<FrameIndex, Failure> {
    let frame = set.resolve_one(trace.frames().len() as u32).map_err(Failure::usage)?;
    frame.ok_or_else(|| Failure::usage(format!("--frame {set}: expected one frame")))
}
