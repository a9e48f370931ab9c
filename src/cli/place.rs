//! The flags that say about which place of a trace a verb is asked.

use std::path::PathBuf;
use std::sync::Arc;

use super::args::CommonArgs;
use super::draw_number::DrawNumber;
use super::exit::Failure;
use super::frame_set::FrameSet;
use super::index::make_index_up_to;
use super::open::open_trace;
use super::whole_file::Inputs;
use crate::analysis::Analysis;
use crate::command::{Place, Point};
use crate::format::aerogpu::{FrameIndex, Trace};
use crate::text::counted;

/// A place in a trace: in its text form, or in parts.
#[derive(Debug, clap::Args)]
pub(super) struct PlaceArgs {
    /// The trace; - for stdin
    #[arg(value_name = "TRACE")]
    pub trace: PathBuf,
    /// The frame [default: the only one, in a trace of one frame]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub frame: Option<FrameSet>,
    /// At this draw of the frame: K, last, or -K from the end [default: at the frame's end]
    #[arg(long, value_name = "K", allow_hyphen_values = true, conflicts_with = "packet")]
    pub draw: Option<DrawNumber>,
    /// After this packet of the frame
    #[arg(long, value_name = "P")]
    pub packet: Option<u32>,
    /// Frame and draw or packet in one: 7, 7/start, 7/draw=2 or 7/packet=12
    #[arg(long, value_name = "PLACE", conflicts_with_all = ["frame", "draw", "packet"])]
    pub place: Option<Place>,
}

impl PlaceArgs {
    /// The files that this reads.
    pub(crate) fn inputs(&self) -> Inputs {
        self.frame.iter().fold(Inputs::of([&self.trace]), Inputs::and_set)
    }

    /// The place that is meant.
    pub(crate) fn choose(&self, trace: &Arc<Trace>, common: &CommonArgs) -> Result<Place, Failure> {
        if let Some(place) = self.place {
            return Ok(place);
        }
        let frame = frame_or_only(self.frame.as_ref(), trace)?;
        let point = match (self.draw, self.packet) {
            (Some(draw), None) => Point::Draw(draw.in_frame(frame, trace, common)?),
            (None, None) => Point::End,
            (_, Some(packet)) => Point::Packet(packet),
        };
        Ok(Place { frame, point })
    }

    /// Opens the trace with an index that goes as far as the frame, and says which place is meant.
    #[cfg(feature = "gpu")]
    pub(crate) fn open(&self, common: &CommonArgs) -> Result<(Analysis, Place), Failure> {
        let trace = open_trace(&self.trace, common)?;
        let place = self.choose(&trace, common)?;
        Ok((analysis_up_to(&trace, place.frame.as_usize() + 1, common), place))
    }

    /// The same with an index of the whole trace, for questions about what comes later.
    pub(crate) fn open_whole(&self, common: &CommonArgs) -> Result<(Analysis, Place), Failure> {
        let trace = open_trace(&self.trace, common)?;
        let place = self.choose(&trace, common)?;
        Ok((analysis_up_to(&trace, usize::MAX, common), place))
    }
}

fn analysis_up_to(trace: &Arc<Trace>, frames_needed: usize, common: &CommonArgs) -> Analysis {
    let index = make_index_up_to(trace, frames_needed, common);
    Analysis::new(trace.clone(), index)
}

/// The one frame that a set names, or the only frame that there is.
pub(super) fn frame_or_only(set: Option<&FrameSet>, trace: &Trace) -> Result<FrameIndex, Failure> {
    if let Some(set) = set {
        return one_frame(set, trace);
    }
    match trace.frames().len() {
        1 => Ok(FrameIndex(0)),
        count => {
            let numbers = count.checked_sub(1).map(|last| format!(", 0 to {last}")).unwrap_or_default();
            let frames = counted(count as u64, "frame");
            Err(Failure::usage(format!("which frame? The trace has {frames}{numbers}: expected --frame N")))
        }
    }
}

/// The one frame that a set names.
fn one_frame(set: &FrameSet, trace: &Trace) -> Result<FrameIndex, Failure> {
    let frame = set.resolve_one(trace.frames().len() as u32).map_err(Failure::usage)?;
    frame.ok_or_else(|| Failure::usage(format!("--frame {set}: expected one frame")))
}
