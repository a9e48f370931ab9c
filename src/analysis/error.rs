//! Why a question has no answer.

use thiserror::Error;

use crate::bytes::ReadError;
use crate::command::{Location, ResourceId};
use crate::error::{Classified, ErrorKind, Internal};
use crate::format::aerogpu::{FormatError, FrameIndex};
use crate::listing::FilterError;
use crate::replay::{Problem, ReplayError};
use crate::text::counted;
use crate::timeline::ExportError;

/// A question without an answer.
#[derive(Debug, Error)]
pub enum AnalysisError {
    /// The trace or its commands are at fault.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// The trace has fewer frames.
    #[error(
        "frame {frame} does not exist: the trace has {frames}, counted from 0",
        frames = counted(.frame_count, "frame")
    )]
    NoSuchFrame {
        /// The frame asked for.
        frame: FrameIndex,
        /// How many there are.
        frame_count: usize,
    },
    /// The frame has fewer draws.
    #[error(
        "draw {draw} does not exist: frame {frame} has {draws}, counted from 0",
        draws = counted(.draw_count, "draw")
    )]
    NoSuchDraw {
        /// The draw asked for.
        draw: u32,
        /// The frame.
        frame: FrameIndex,
        /// How many there are.
        draw_count: u32,
    },
    /// The frame has fewer packets.
    #[error(
        "packet {packet} does not exist: frame {frame} has {packets}, counted from 0",
        packets = counted(.packet_count, "packet")
    )]
    NoSuchPacket {
        /// The packet asked for.
        packet: u32,
        /// The frame.
        frame: FrameIndex,
        /// How many there are.
        packet_count: u32,
    },
    /// Something in or before the frame is damaged, so that its state is not known.
    #[error("the state in frame {frame} is unknown, because frame {stopped_at} is damaged: {message}")]
    Damaged {
        /// The frame asked for.
        frame: FrameIndex,
        /// The damaged frame.
        stopped_at: FrameIndex,
        /// What is wrong in it.
        message: String,
        /// Absolute file offset of that, if it has a place.
        offset: Option<u64>,
        /// The kind of trouble.
        kind: ErrorKind,
    },
    /// The frame, or one before it, has submissions, of whose draws this build does not tell that.
    #[error(
        "frame {frame} has no answer: only Appendix A packets are supported, and the last command before the \
            place is a submission's, {at}"
    )]
    OfSubmission {
        /// The frame asked for.
        frame: FrameIndex,
        /// The last command before the place, which is one of a submission.
        at: Location,
    },
    /// A resource of submissions that is not there.
    #[error("{what}: expected one that exists at this point")]
    NoSuchResource {
        /// Which, and why.
        what: String,
    },
    /// No buffer has the id.
    #[error("{id} does not exist at this point: expected an earlier CREATE_BUFFER")]
    NoSuchBuffer {
        /// The id.
        id: ResourceId,
    },
    /// Nothing of the kind is bound.
    #[error("no {what} is bound at this point")]
    NothingBound {
        /// What.
        what: &'static str,
    },
    /// A range that does not lie in the buffer.
    #[error("bytes {start} to {end} are not all in the buffer, which has {size_bytes}")]
    OutsideBuffer {
        /// First byte.
        start: u64,
        /// Byte after the last.
        end: u64,
        /// The buffer's size.
        size_bytes: u32,
    },
    /// A question about a draw at a place that is none.
    #[error("expected a draw, found {found}")]
    NotADraw {
        /// What was found.
        found: &'static str,
    },
    /// The draw has fewer instances.
    #[error("instance {instance} does not exist: the draw has {instance_count}, counted from 0")]
    NoSuchInstance {
        /// The instance asked for.
        instance: u32,
        /// How many there are.
        instance_count: u32,
    },
    /// A text for what is none of the draw's shaders.
    #[error("no bound shader comes from the Blob record at {record_offset:#x}")]
    NoSuchText {
        /// Absolute file offset of the record, or of the bytecode.
        record_offset: u64,
    },
    /// An answer that would be too large.
    #[error("{what} is {found}: this build's limit is {limit}")]
    OverLimit {
        /// What is too large.
        what: &'static str,
        /// How large it is.
        found: u64,
        /// The cap, from [`crate::limits`].
        limit: u64,
    },
    /// A filter that none of the files can answer.
    #[error(transparent)]
    Filter(#[from] FilterError),
    /// The arguments of events could not be read again.
    #[error(transparent)]
    Arguments(#[from] ExportError),
    /// The GPU is at fault.
    #[cfg(feature = "gpu")]
    #[error(transparent)]
    Gpu(#[from] crate::gpu::GpuError),
    /// What leads to the draw cannot be carried out.
    #[cfg(feature = "gpu")]
    #[error(transparent)]
    Player(#[from] crate::player::PlayerError),
}

impl AnalysisError {
    /// A command that cannot be carried out.
    pub(super) fn at(command: &'static str, at: Location, problem: Problem) -> Self {
        ReplayError::Command { command, at, problem }.into()
    }
}

impl Classified for AnalysisError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Replay(error) => error.kind(),
            Self::Damaged { kind, .. } => *kind,
            Self::OfSubmission { .. } => ErrorKind::Unsupported,
            Self::OverLimit { .. } => ErrorKind::OverLimit,
            Self::Filter(error) => error.kind(),
            Self::Arguments(error) => error.kind(),
            #[cfg(feature = "gpu")]
            Self::Gpu(error) => error.kind(),
            #[cfg(feature = "gpu")]
            Self::Player(error) => error.kind(),
            Self::NoSuchFrame { .. }
            | Self::NoSuchDraw { .. }
            | Self::NoSuchPacket { .. }
            | Self::NoSuchBuffer { .. }
            | Self::NoSuchResource { .. }
            | Self::NothingBound { .. }
            | Self::OutsideBuffer { .. }
            | Self::NotADraw { .. }
            | Self::NoSuchInstance { .. }
            | Self::NoSuchText { .. } => ErrorKind::Usage,
        }
    }

    /// What is asked of a sound trace, and is not there, has no place in it.
    fn offset(&self) -> Option<u64> {
        match self {
            Self::Replay(error) => error.offset(),
            Self::Damaged { offset, .. } => *offset,
            Self::OfSubmission { at, .. } => Some(at.offset),
            Self::Arguments(error) => error.offset(),
            #[cfg(feature = "gpu")]
            Self::Gpu(error) => error.offset(),
            #[cfg(feature = "gpu")]
            Self::Player(error) => error.offset(),
            _ => None,
        }
    }
}

impl From<Internal> for AnalysisError {
    fn from(error: Internal) -> Self {
        Self::Replay(error.into())
    }
}

impl From<FormatError> for AnalysisError {
    fn from(error: FormatError) -> Self {
        Self::Replay(error.into())
    }
}

impl From<ReadError> for AnalysisError {
    fn from(error: ReadError) -> Self {
        FormatError::from(error).into()
    }
}
