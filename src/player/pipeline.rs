//! Many pictures in a row: small frames share submissions, and several pictures are on their way at a time.

use super::{Player, PlayerError};
use crate::command::Place;
use crate::gpu::{GpuError, PendingPicture};
use crate::limits::MAX_PENDING_PICTURE_BYTES;
use crate::pixels::Picture;

/// Draws of one submission of several frames. Larger frames keep the GPU busy on their own.
const MOST_SHARED_DRAWS: u32 = 256;
/// Frames that share a submission at most.
const MOST_SHARED_FRAMES: u32 = 8;
/// Pictures on their way at a time, unless they are large: three submissions of small frames.
const MOST_PENDING: u64 = 24;

/// When recorded frames are submitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Submits {
    /// At its end.
    EachFrame,
    /// Together with others.
    Shared,
}

impl Player {
    /// How many pictures may be on their way at a time, by the memory that they take.
    pub fn most_pending(&self) -> usize {
        let bytes = self.gpu.renderer.size().rgba_bytes().max(1);
        (MAX_PENDING_PICTURE_BYTES / bytes).clamp(1, MOST_PENDING) as usize
    }

    /// Starts on the picture of a place. After an error, what was started before is to be finished
    /// before anything else is asked for.
    pub fn start(&mut self, place: impl Into<Place>) -> Result<PendingPicture, PlayerError> {
        self.submits = Submits::Shared;
        let sought = self.seek(place);
        self.submits = Submits::EachFrame;
        sought?;
        let pending = self.watched(|player| player.gpu.renderer.queue_read_back())?;
        self.waiting += 1;
        let is_large =
            self.gpu.renderer.is_submission_large() || self.gpu.renderer.recorded_draws() >= MOST_SHARED_DRAWS;
        if is_large || self.waiting >= MOST_SHARED_FRAMES {
            self.watched(|player| player.submit_frame())?;
        }
        Ok(pending)
    }

    /// Waits for a picture that was started.
    pub fn finish(&mut self, pending: PendingPicture) -> Result<Picture, PlayerError> {
        self.watched(|player| Ok(player.gpu.renderer.finish_read_back(pending)?))
    }

    /// A frame is recorded.
    pub(super) fn submit_frame(&mut self) -> Result<(), GpuError> {
        match self.submits {
            Submits::EachFrame => {
                self.waiting = 0;
                self.gpu.renderer.submit()
            }
            Submits::Shared => Ok(()),
        }
    }
}
