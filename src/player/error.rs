//! Why a frame has no picture.

use thiserror::Error;

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
    /// Absolute file offset of the packet at fault, if it is one.
    pub fn offset(&self) -> Option<u64> {
        match self {
            Self::Replay(error) => error.offset(),
            Self::Gpu(GpuError::Refused { at, .. } | GpuError::ViewportTooLarge { at, .. }) => Some(at.offset),
            _ => None,
        }
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
