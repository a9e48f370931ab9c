//! What the whole source tells that the kept commands do not.
//!
//! How large a picture is whose frame binds no target, and which screen is looked at, follows from the whole trace. Where
//! the commands that it follows from are not kept, others say the same before all of those: to Appendix A a viewport that
//! is taken back, to submissions one of a context that nothing else belongs to.

use std::io::Write;

use super::error::TrimError;
use super::writing::Trim;
use crate::abi::a3a0;
use crate::abi::a3a0::state::SetViewport;
use crate::abi::a3a0::work::Present;
use crate::abi::a3a0::{ABI_VERSION, StreamWriter};
use crate::abi::reference::Packet;
use crate::format::aerogpu::{BlobKind, Submission, Trace};
use crate::pixels::Size;
use crate::replay::index::TraceIndex;
use crate::replay::target_size::largest_viewport;

/// What comes before all else in a trimmed trace.
#[derive(Debug)]
pub(super) enum Head {
    /// Packets of Appendix A with the largest viewport.
    Packets(Size),
    /// A submission.
    Submission {
        /// The largest viewport, if it is lost.
        size: Option<Size>,
        /// The lowest screen, if it is lost.
        scanout: Option<u32>,
        /// The context that it is of.
        context_id: u32,
    },
}

/// Bit 0 of a submission's flags.
pub(super) const PRESENT: u32 = 1;

impl Head {
    /// What is lost if the kept commands say no more than this; nothing if they say all.
    pub(super) fn of_lost(
        trace: &Trace,
        index: &TraceIndex,
        largest: Option<Size>,
        lowest: Option<u32>,
    ) -> Option<Self> {
        let size = largest_viewport(trace).filter(|size| Some(*size) != largest);
        // Where nothing is presented nothing is chosen.
        let scanout = index.lowest_scanout().filter(|scanout| lowest.is_some_and(|lowest| *scanout < lowest));
        match (size, scanout, index.first_submission()) {
            (None, None, _) => None,
            (Some(size), None, None) => Some(Self::Packets(size)),
            _ => Some(Self::Submission { size, scanout, context_id: index.unused_context() }),
        }
    }
}

impl Head {
    /// How many commands it takes.
    pub(super) fn command_count(&self) -> u32 {
        match self {
            Self::Packets(_) => 2,
            Self::Submission { size, scanout, .. } => u32::from(size.is_some()) + u32::from(scanout.is_some()),
        }
    }
}

impl<W: Write> Trim<'_, W> {
    pub(super) fn write_head(&mut self, head: &Head) -> Result<(), TrimError> {
        match *head {
            Head::Packets(size) => self.write_viewport(size),
            Head::Submission { size, scanout, context_id } => self.write_submitted_head(size, scanout, context_id),
        }
    }

    /// Names the target's size, and takes it back as a viewport.
    fn write_viewport(&mut self, Size { width_px, height_px }: Size) -> Result<(), TrimError> {
        let mut payload = Vec::new();
        Packet::SetViewport { width_px, height_px }.write(&mut payload);
        Packet::SetViewport { width_px: 0, height_px: 0 }.write(&mut payload);
        Ok(self.writer.packet(&payload)?)
    }

    fn write_submitted_head(
        &mut self,
        size: Option<Size>,
        scanout: Option<u32>,
        context_id: u32,
    ) -> Result<(), TrimError> {
        let mut stream = StreamWriter::new(ABI_VERSION);
        if let Some(Size { width_px, height_px }) = size {
            // Sides are whole and below 2^24.
            let [width, height] = [width_px as f32, height_px as f32];
            let viewport = SetViewport { x: 0.0, y: 0.0, width, height, min_depth: 0.0, max_depth: 1.0 };
            stream.packet(&a3a0::Packet::from(viewport))?;
        }
        if let Some(scanout_id) = scanout {
            // Nothing is bound: it shows what a screen shows that nothing was presented to.
            stream.packet(&a3a0::Packet::from(Present { scanout_id, flags: 0 }))?;
        }
        let submission = Submission {
            record_version: 1,
            submit_flags: if scanout.is_some() { PRESENT } else { 0 },
            context_id,
            cmd_stream_blob_id: self.blobs.write(&mut self.writer, BlobKind::AerogpuCmdStream, &stream.finish())?,
            ..Submission::default()
        };
        Ok(self.writer.submission(&submission)?)
    }
}
