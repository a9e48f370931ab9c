//! Why a frame has no picture.

use thiserror::Error;

use crate::command::Place;
use crate::error::{Classified, ErrorKind, Internal};
use crate::format::aerogpu::FrameIndex;
use crate::gpu::GpuError;
use crate::pixels::Size;
use crate::replay::ReplayError;

/// A frame that cannot be shown.
#[derive(Debug, Error)]
pub enum PlayerError {
    /// The trace or its commands are at fault.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// A submission of an earlier frame is at fault, behind which playing does not go on.
    #[error("{message}")]
    EarlierFault {
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
    /// The frame presents less often.
    #[error(
        "present {present} does not exist: frame {frame} has {} to screen {scanout}",
        describe_count(u64::from(*present_count), "present")
    )]
    NoSuchPresent {
        /// The present asked for.
        present: u32,
        /// The frame.
        frame: FrameIndex,
        /// The screen.
        scanout: u32,
        /// How many there are to it.
        present_count: u32,
    },
    /// A present is asked for together with a point of its frame.
    #[error("present {present} of frame {frame} is a point of its own: expected no draw and no packet with it")]
    PresentInMidFrame {
        /// The present asked for.
        present: u32,
        /// The frame.
        frame: FrameIndex,
    },
    /// Nothing is presented to the screen.
    #[error("nothing is presented to screen {scanout}: {}", describe_screens(known))]
    NoSuchScreen {
        /// The screen asked for.
        scanout: u32,
        /// Those that there are.
        known: Vec<u32>,
    },
    /// A name is of no texture.
    #[error("{}: {reason}", place.in_words())]
    NoTarget {
        /// The place asked about.
        place: Place,
        /// Why.
        reason: String,
    },
    /// The trace has no submissions, so that its frames have one picture each.
    #[error(
        "frame {frame} has one picture, of the one target: only submissions choose among presents, screens and targets"
    )]
    OnePicture {
        /// The frame.
        frame: FrameIndex,
    },
    /// A frame that cannot be reached by the index has no other picture than the usual one.
    #[error("frame {frame} is damaged, so no other picture of it than the usual one is known: {reason}")]
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
        "a question about a target of {size} takes {found} bytes of memory: this build's limit is {limit} (--size)"
    )]
    QuestionTooLarge {
        /// The target's size.
        size: Size,
        /// Bytes that it would take, without any buffer.
        found: u64,
        /// The cap, from [`crate::bytes::limits`].
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
    /// Whether the device, or this program, has failed: nobody knows then what was done and what was not. What is wrong
    /// with the trace is found before anything is done about it.
    pub(super) fn is_of_device(&self) -> bool {
        match self {
            Self::Gpu(
                GpuError::ViewportTooLarge { .. }
                | GpuError::OverBudget { .. }
                | GpuError::Unsupported { .. }
                | GpuError::Shader { .. },
            ) => false,
            Self::Gpu(_) | Self::Internal(_) => true,
            Self::Replay(error) => error.is_internal(),
            Self::EarlierFault { .. } => false,
            Self::NoSuchFrame { .. }
            | Self::NoSuchDraw { .. }
            | Self::NoSuchPacket { .. }
            | Self::NoSuchPresent { .. }
            | Self::PresentInMidFrame { .. }
            | Self::NoSuchScreen { .. }
            | Self::NoTarget { .. }
            | Self::OnePicture { .. }
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
            Self::EarlierFault { kind, .. } | Self::NotShown { kind, .. } => *kind,
            Self::Gpu(error) => error.kind(),
            Self::Internal(_) => ErrorKind::Internal,
            Self::QuestionTooLarge { .. } => ErrorKind::OverLimit,
            Self::NoSuchFrame { .. }
            | Self::NoSuchDraw { .. }
            | Self::NoSuchPacket { .. }
            | Self::NoSuchPresent { .. }
            | Self::PresentInMidFrame { .. }
            | Self::NoSuchScreen { .. }
            | Self::NoTarget { .. }
            | Self::OnePicture { .. }
            | Self::NoSuchPixel { .. } => ErrorKind::Usage,
        }
    }

    fn offset(&self) -> Option<u64> {
        match self {
            Self::Replay(error) => error.offset(),
            Self::EarlierFault { offset, .. } => *offset,
            Self::Gpu(error) => error.offset(),
            Self::Internal(error) => error.at,
            Self::NoSuchFrame { .. }
            | Self::NoSuchDraw { .. }
            | Self::NoSuchPacket { .. }
            | Self::NoSuchPresent { .. }
            | Self::PresentInMidFrame { .. }
            | Self::NoSuchScreen { .. }
            | Self::NoTarget { .. }
            | Self::OnePicture { .. }
            | Self::NotShown { .. }
            | Self::QuestionTooLarge { .. }
            | Self::NoSuchPixel { .. } => None,
        }
    }
}

/// "the trace presents to none", "the trace presents to 0 and 2".
fn describe_screens(known: &[u32]) -> String {
    let known: Vec<_> = known.iter().map(u32::to_string).collect();
    match known.split_last() {
        None => "the trace presents to none".to_owned(),
        Some((only, [])) => format!("the trace presents to {only}"),
        Some((last, others)) => format!("the trace presents to {} and {last}", others.join(", ")),
    }
}

/// "no frames", "1 frame (0)", "3 frames (0 to 2)".
pub fn describe_count(count: u64, noun: &str) -> String {
    match count {
        0 => format!("no {noun}s"),
        1 => format!("1 {noun} (0)"),
        _ => format!("{count} {noun}s (0 to {})", count - 1),
    }
}
