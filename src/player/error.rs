//! Why a frame has no picture.

use thiserror::Error;

use crate::command::{Place, ResourceName, TextureFormat};
use crate::error::{Classified, ErrorKind, Internal};
use crate::format::aerogpu::FrameIndex;
use crate::gpu::GpuError;
use crate::pixels::Size;
use crate::replay::{NoPicture, ReplayError, TraceFault};
use crate::text::{counted, describe_count};

/// A frame that cannot be shown.
#[derive(Debug, Error)]
pub enum PlayerError {
    /// The trace or its commands are at fault.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// A submission is at fault, as the index has found.
    #[error("{message}")]
    Fault {
        /// What is wrong, with its place.
        message: String,
        /// Absolute file offset of it, if it has a place.
        offset: Option<u64>,
        /// The kind of trouble.
        kind: ErrorKind,
    },
    /// The GPU is at fault.
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// The trace has fewer frames.
    #[error("frame {frame} does not exist: the trace has {}", describe_count(*frame_count as u64, "frame"))]
    NoSuchFrame {
        /// The frame asked for.
        frame: FrameIndex,
        /// How many there are.
        frame_count: usize,
    },
    /// The frame has fewer draws.
    #[error("draw {draw} does not exist: frame {frame} has {}", describe_count(u64::from(*draw_count), "draw"))]
    NoSuchDraw {
        /// The draw asked for.
        draw: u32,
        /// The frame.
        frame: FrameIndex,
        /// How many there are.
        draw_count: u32,
    },
    /// The frame has fewer packets.
    #[error("packet {packet} does not exist: frame {frame} has {}", describe_count(u64::from(*packet_count), "packet"))]
    NoSuchPacket {
        /// The packet asked for.
        packet: u32,
        /// The frame.
        frame: FrameIndex,
        /// How many there are.
        packet_count: u32,
    },
    /// A present is asked for together with a point of its frame.
    #[error("present {present} of frame {frame} names a place by itself: expected no draw or packet with it")]
    PresentInMidFrame {
        /// The present asked for.
        present: u32,
        /// The frame.
        frame: FrameIndex,
    },
    /// A name is of no texture.
    #[error("{}: {reason}", place.in_words())]
    NoTarget {
        /// The place asked about.
        place: Place,
        /// Why.
        reason: String,
    },
    /// The pixels of a target of depth are asked about.
    #[error("target {name} is {format}: expected a colour target")]
    NotOfColor {
        /// The target asked for.
        name: ResourceName,
        /// What it holds.
        format: TextureFormat,
    },
    /// The frame has no such picture.
    #[error(transparent)]
    NoPicture(#[from] NoPicture),
    /// A frame that cannot be reached by the index has no other picture than the usual one.
    #[error("frame {frame} is damaged and has only its usual picture: {reason}")]
    NotShown {
        /// The frame.
        frame: FrameIndex,
        /// What is wrong with it.
        reason: String,
        /// The kind of trouble.
        kind: ErrorKind,
    },
    /// This program is at fault.
    #[error(transparent)]
    Internal(#[from] Internal),
    /// A question about a large picture would take more memory than a frame may have.
    #[error(
        "a question about a target of {size} takes {found_bytes} of memory: this build's limit is {limit} (--size)",
        found_bytes = counted(.found, "byte")
    )]
    QuestionTooLarge {
        /// The target's size.
        size: Size,
        /// Bytes that it would take, without any buffer.
        found: u64,
        /// The cap, from [`crate::limits`].
        limit: u64,
    },
    /// The target is smaller.
    #[error("pixel {x_px},{y_px} does not exist: the target is {size}")]
    NoSuchPixel {
        /// The column asked for.
        x_px: u32,
        /// The row asked for, from the top.
        y_px: u32,
        /// The target's size.
        size: Size,
    },
}

impl PlayerError {
    /// What the index has found wrong.
    pub(super) fn of_index(fault: &TraceFault) -> Self {
        let TraceFault { message, offset, kind, .. } = fault.clone();
        Self::Fault { message, offset, kind }
    }

    /// Whether the device, or this program, has failed: nobody knows then what was done and what was not. What is wrong
    /// with the trace is found before anything is done about it.
    pub(super) fn is_of_device(&self) -> bool {
        match self {
            Self::Gpu(
                GpuError::ViewportTooLarge { .. }
                | GpuError::OverBudget { .. }
                | GpuError::OverLimit { .. }
                | GpuError::Refusal { .. }
                | GpuError::NotMade { .. }
                | GpuError::NotCompiled { .. }
                | GpuError::Unsupported { .. }
                | GpuError::Shader { .. },
            ) => false,
            Self::Gpu(_) | Self::Internal(_) => true,
            Self::Replay(error) => error.is_internal(),
            Self::Fault { .. } => false,
            Self::NoSuchFrame { .. }
            | Self::NoSuchDraw { .. }
            | Self::NoSuchPacket { .. }
            | Self::PresentInMidFrame { .. }
            | Self::NoTarget { .. }
            | Self::NotOfColor { .. }
            | Self::NoPicture(_)
            | Self::NotShown { .. }
            | Self::QuestionTooLarge { .. }
            | Self::NoSuchPixel { .. } => false,
        }
    }
}

impl Classified for PlayerError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Replay(error) => error.kind(),
            Self::Fault { kind, .. } | Self::NotShown { kind, .. } => *kind,
            Self::Gpu(error) => error.kind(),
            Self::Internal(_) => ErrorKind::Internal,
            Self::QuestionTooLarge { .. } => ErrorKind::OverLimit,
            Self::NotOfColor { .. } => ErrorKind::Unsupported,
            Self::NoSuchFrame { .. }
            | Self::NoSuchDraw { .. }
            | Self::NoSuchPacket { .. }
            | Self::PresentInMidFrame { .. }
            | Self::NoTarget { .. }
            | Self::NoPicture(_)
            | Self::NoSuchPixel { .. } => ErrorKind::Usage,
        }
    }

    fn offset(&self) -> Option<u64> {
        match self {
            Self::Replay(error) => error.offset(),
            Self::Fault { offset, .. } => *offset,
            Self::Gpu(error) => error.offset(),
            Self::Internal(error) => error.at,
            Self::NoSuchFrame { .. }
            | Self::NoSuchDraw { .. }
            | Self::NoSuchPacket { .. }
            | Self::PresentInMidFrame { .. }
            | Self::NoTarget { .. }
            | Self::NotOfColor { .. }
            | Self::NoPicture(_)
            | Self::NotShown { .. }
            | Self::QuestionTooLarge { .. }
            | Self::NoSuchPixel { .. } => None,
        }
    }
}
