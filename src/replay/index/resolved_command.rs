//! What the index keeps of a command: what it refers to, by number.

use std::fmt;
use std::ops::Range;

use serde::Serialize;

use crate::command::VertexLayout;
use crate::replay::d3d::{AccessKind, EarlierCommand, EffectKind};

/// A command's number in the trace, counted from 0 over all frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct CommandNumber(pub u32);

impl fmt::Display for CommandNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl EarlierCommand {
    /// The same of a command that may be missing.
    pub(super) fn of(command: Option<CommandNumber>) -> Self {
        command.map_or(Self::NONE, |command| Self::new(command.0))
    }

    /// The command's number, if there is one.
    pub fn number(self) -> Option<CommandNumber> {
        self.get().map(CommandNumber)
    }
}

/// A command with its references resolved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ResolvedCommand {
    /// Makes a buffer object.
    CreateBuffer {
        /// The number of its history.
        history: u32,
        /// Its size.
        size_bytes: u32,
    },
    /// Writes a buffer object.
    Upload {
        /// The CREATE_BUFFER that made it.
        create: CommandNumber,
        /// First byte written.
        start: u32,
        /// Byte after the last.
        end: u32,
    },
    /// Makes a shader.
    CreateShader,
    /// Joins two shaders.
    CreatePipeline {
        /// The CREATE_SHADER of the vertex shader.
        vertex: CommandNumber,
        /// The CREATE_SHADER of the fragment shader.
        fragment: CommandNumber,
    },
    /// Chooses a pipeline.
    SetPipeline {
        /// The CREATE_PIPELINE that made it.
        create: CommandNumber,
    },
    /// Chooses a vertex buffer.
    SetVertexBuffer {
        /// The CREATE_BUFFER that made it.
        create: CommandNumber,
        /// Where the attributes lie.
        layout: VertexLayout,
    },
    /// Chooses a rectangle.
    SetViewport {
        /// Width in pixels.
        width_px: u32,
        /// Height in pixels.
        height_px: u32,
    },
    /// Fills the target.
    Clear {
        /// Red, green, blue, alpha, as they stand in the trace.
        rgba: [f32; 4],
    },
    /// Draws.
    Draw {
        /// Number of vertices.
        vertex_count: u32,
        /// Index of the first.
        first_vertex: u32,
        /// The SET_PIPELINE in force. Without one, nothing is drawn.
        pipeline: EarlierCommand,
        /// The SET_VERTEX_BUFFER in force.
        vertices: EarlierCommand,
        /// The SET_VIEWPORT in force.
        viewport: EarlierCommand,
    },
    /// Shows the target.
    Present,
    /// A command of a submission.
    Submitted {
        /// Its node in the graph.
        node: u32,
        /// What sort of thing it does.
        kind: EffectKind,
    },
    /// A command of a submission that is not carried out: it is damaged or wrong, or follows one that is.
    Skipped,
    /// A command of no submission that cannot be carried out, or a packet that is damaged.
    Refused,
}

impl ResolvedCommand {
    /// Whether it draws.
    pub fn is_draw(&self) -> bool {
        matches!(self, Self::Draw { .. } | Self::Submitted { kind: EffectKind::Draw | EffectKind::FailedDraw, .. })
    }

    /// The commands without which this one has no meaning, as far as they are known without looking at others. The
    /// uploads that a draw reads are not among them.
    pub fn references(&self) -> impl Iterator<Item = CommandNumber> + use<> {
        let references = match *self {
            Self::Upload { create, .. } | Self::SetPipeline { create } | Self::SetVertexBuffer { create, .. } => {
                [Some(create), None, None]
            }
            Self::CreatePipeline { vertex, fragment } => [Some(vertex), Some(fragment), None],
            Self::Draw { pipeline, vertices, viewport, .. } => {
                [pipeline.number(), vertices.number(), viewport.number()]
            }
            Self::CreateBuffer { .. }
            | Self::CreateShader
            | Self::SetViewport { .. }
            | Self::Clear { .. }
            | Self::Present
            // The graph has those of submissions.
            | Self::Submitted { .. }
            | Self::Skipped
            | Self::Refused => [None; 3],
        };
        references.into_iter().flatten()
    }

    /// What it does to the implicit target.
    pub(super) fn target_access(&self) -> Option<AccessKind> {
        match self {
            Self::Draw { pipeline, .. } => pipeline.number().map(|_| AccessKind::Modify),
            Self::Clear { .. } => Some(AccessKind::Write),
            _ => None,
        }
    }
}

/// The bytes of a buffer of `size_bytes` that a draw can read, whichever attributes its shader turns out to use.
pub(in crate::replay) fn readable_bytes(
    layout: &VertexLayout,
    first_vertex: u32,
    vertex_count: u32,
    size_bytes: u32,
) -> Range<u32> {
    // silent: a draw of no vertices reads nothing
    let Some(last) = vertex_count.checked_sub(1) else { return 0..0 };
    let stride = u64::from(layout.stride_bytes);
    let elements = [layout.position(), layout.color()];
    let first_byte = elements.map(|element| u64::from(element.offset_bytes));
    let end_byte = elements.map(|element| element.end_bytes());
    let [first_byte, end_byte] =
        [first_byte.into_iter().min(), end_byte.into_iter().max()].map(Option::unwrap_or_default);
    let size = u64::from(size_bytes);
    // No sum here reaches 2^64: the largest product is below 2^64 - 2^33, and what is added is below 2^33.
    let start = u64::from(first_vertex).saturating_mul(stride).saturating_add(first_byte).min(size);
    let last_start = (u64::from(first_vertex) + u64::from(last)).saturating_mul(stride);
    let end = last_start.saturating_add(end_byte).min(size);
    start as u32..end as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_readable_bytes_end_with_the_last_attribute_or_the_buffer() {
        let layout = VertexLayout::position_and_color;
        assert_eq!(readable_bytes(&layout(24, 0, 8), 0, 3, 72), 0..72);
        assert_eq!(readable_bytes(&layout(24, 0, 8), 1, 1, 72), 24..48);
        assert_eq!(readable_bytes(&layout(32, 24, 0), 2, 1, 1000), 64..96);
        assert_eq!(readable_bytes(&layout(0, 4, 12), 9, 9, 1000), 4..28);
        assert_eq!(readable_bytes(&layout(24, 0, 8), 2, 100, 72), 48..72, "cut at the buffer's end");
        assert_eq!(readable_bytes(&layout(24, 0, 8), 0, 0, 72), 0..0);
        let huge = layout(u32::MAX, u32::MAX, u32::MAX);
        assert_eq!(readable_bytes(&huge, u32::MAX, u32::MAX, 72), 72..72);
    }
}
