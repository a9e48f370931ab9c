//! What was in force at a point of the trace: bindings, and who wrote which bytes.

use std::ops::Range;

use super::TraceIndex;
use super::part_history::{PartHistory, Written};
use super::resolved_command::{CommandNumber, ResolvedCommand};
use crate::error::Internal;

/// The SET commands in force.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bindings {
    /// The SET_PIPELINE.
    pub pipeline: Option<CommandNumber>,
    /// The SET_VERTEX_BUFFER.
    pub vertices: Option<CommandNumber>,
    /// The SET_VIEWPORT.
    pub viewport: Option<CommandNumber>,
}

/// A stretch of a buffer and the upload that wrote it last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenStretch {
    /// Bytes of the buffer.
    pub bytes: Range<u32>,
    /// The UPLOAD_BUFFER.
    pub upload: CommandNumber,
}

impl TraceIndex {
    /// What is set after the first `end` commands of the trace.
    pub fn bindings_before(&self, end: u32) -> Bindings {
        let mut found = Bindings::default();
        let steps = self.steps.range(0..end.min(self.command_count())).into_iter().flatten();
        for (number, step) in steps.rev() {
            let number = CommandNumber(number);
            match step {
                ResolvedCommand::SetPipeline { .. } => found.pipeline = found.pipeline.or(Some(number)),
                ResolvedCommand::SetVertexBuffer { .. } => found.vertices = found.vertices.or(Some(number)),
                ResolvedCommand::SetViewport { .. } => found.viewport = found.viewport.or(Some(number)),
                ResolvedCommand::Draw { pipeline, vertices, viewport, .. } => {
                    // A draw knows what was in force at it, so nothing before it needs to be looked at.
                    found.pipeline = found.pipeline.or(pipeline.number());
                    found.vertices = found.vertices.or(vertices.number());
                    found.viewport = found.viewport.or(viewport.number());
                    return found;
                }
                _ => {}
            }
            if found.pipeline.is_some() && found.vertices.is_some() && found.viewport.is_some() {
                return found;
            }
        }
        found
    }

    /// Who wrote which of `bytes` of the buffer that `create` makes, after the first `end` commands; in order, with
    /// gaps where nobody did.
    pub fn writers_before(
        &self,
        create: CommandNumber,
        end: u32,
        bytes: Range<u32>,
    ) -> Result<Vec<WrittenStretch>, Internal> {
        let mut written = self.uploads_to(create)?.writers_of(bytes, end)?;
        written.sort_unstable_by_key(|written| written.parts.start);
        let stretch = |Written { parts, by }| WrittenStretch { bytes: parts, upload: CommandNumber(by.number()) };
        Ok(written.into_iter().map(stretch).collect())
    }

    /// How many uploads to the buffer that `create` makes are among the first `end` commands, and the last of them.
    pub fn uploads_before(&self, create: CommandNumber, end: u32) -> Result<(usize, Option<CommandNumber>), Internal> {
        let history = self.uploads_to(create)?;
        let count = history.writes_before(end);
        let last = count.checked_sub(1).and_then(|last| history.writes().get(last));
        Ok((count, last.map(|write| CommandNumber(write.by.number()))))
    }

    fn uploads_to(&self, create: CommandNumber) -> Result<&PartHistory, Internal> {
        match self.require_step(create)? {
            ResolvedCommand::CreateBuffer { history, .. } => self.graph.numbered_history(history),
            _ => Err(Internal::new("a buffer is referred to that no CREATE_BUFFER makes")),
        }
    }
}
