//! Writes traces that hold some frames of another trace, and what those depend on.
//!
//! The frames asked for keep their Packet records and submissions as they are. The earlier commands that they depend on
//! come first in the frame that follows them, in their order: those of Appendix A a record each, those of submissions in
//! one submission for each that had any, with the memory that they name. Blobs are written before what means them.
//!
//! ```text
//!   earlier   S0: a B c D    S1: e f    S2: G h        capitals are what the frame depends on
//!   frame     S3: i j k
//!
//!   trimmed   S0': B D       S2': G     S3: i j k      S3 byte for byte, its memory whole
//! ```
//!
//! A submission of the frame that is wrong stays wrong in the same place: what its error follows from is kept too.
//!
//! Pictures of whole frames are kept. What a frame draws before a CLEAR of its own is overwritten, and what lay under
//! it is not kept, so a picture from before that CLEAR may differ.

mod blobs;
mod error;
mod head;
mod memory;
mod packets;
mod plan;
mod submissions;
mod writing;

use std::io::Write;
use std::sync::Arc;

pub use error::TrimError;

use self::plan::Plan;
use self::writing::Trim;
use super::index::TraceIndex;
use super::trimmed_from::trimmed_meta;
use crate::command::Shown;
use crate::format::aerogpu::{FrameIndex, Trace, TraceWriter};

/// A trimmed trace that was written.
#[derive(Debug)]
pub struct Trimmed<W> {
    /// Where it was written to.
    pub sink: W,
    /// Commands of other frames that the kept ones depend on, and that are kept with them.
    pub earlier_commands: u64,
}

/// Writes a trace of `frames`, which are ascending, to `sink`: of container version 2 if it holds submissions, else 1. Beside
/// what the frames present, the picture that `shown` means at the end of each is kept, where a frame has it.
pub fn write_trimmed<W: Write>(
    trace: &Arc<Trace>,
    index: &TraceIndex,
    frames: &[FrameIndex],
    shown: Shown,
    sink: W,
) -> Result<Trimmed<W>, TrimError> {
    let plan = Plan::of(trace, index, frames, shown)?;
    let carried = plan.carried_commands(index);
    let meta = trimmed_meta(trace, frames, &carried).to_string();
    let abi_version = trace.header().command_abi_version;
    let writer = match plan.holds_submissions {
        true => TraceWriter::new_v2(sink, abi_version, &meta)?,
        false => TraceWriter::new(sink, abi_version, &meta)?,
    };
    let mut trim = Trim::new(trace, index, writer);
    for (place, frame) in plan.frames.iter().enumerate() {
        trim.writer.begin_frame()?;
        if let Some(head) = plan.head.as_ref().filter(|_| place == 0) {
            trim.write_head(head)?;
        }
        trim.write_earlier(&frame.earlier)?;
        trim.write_frame(frame.index)?;
        trim.writer.present()?;
    }
    let earlier: u64 = plan.frames.iter().map(|frame| frame.earlier.len() as u64).sum();
    let earlier_commands = earlier.saturating_sub(plan.names as u64);
    Ok(Trimmed { sink: trim.writer.finish()?, earlier_commands })
}
