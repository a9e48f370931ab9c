//! How many vertices the frames of a picture draw.

use std::ops::Range;

use super::TraceIndex;
use super::resolved_command::{CommandNumber, ResolvedCommand};
use crate::error::Internal;
use crate::format::aerogpu::FrameIndex;

/// A draw that takes its frame over a budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawOverBudget {
    /// The draw.
    pub number: CommandNumber,
    /// Its vertices.
    pub vertex_count: u32,
    /// Those of its frame up to its end.
    pub found: u64,
}

impl TraceIndex {
    /// The first draw that takes its frame over `limit` vertices, of all that are drawn to show a frame up to the command
    /// before `end` where no picture is at hand: those of the frame itself, and those of earlier frames that it shows.
    ///
    /// A frame that is not in the index draws nothing that is known.
    pub fn draw_over_budget(
        &self,
        frame: FrameIndex,
        end: u32,
        limit: u64,
    ) -> Result<Option<DrawOverBudget>, Internal> {
        let own = self.commands_of(frame).filter(|_| self.most_vertices > limit).unwrap_or(0..0);
        let end = end.clamp(own.start, own.end);
        let clear = self.steps_in(0..end)?.rfind(|(_, step)| matches!(step, ResolvedCommand::Clear { .. }));
        let start = clear.map_or(0, |(clear, _)| clear).min(own.start);
        let (mut of_frame, mut found) = (None, 0);
        let first = self.draws_in(start..end)?.find_map(|(number, vertex_count)| {
            let frame = self.frame_starts.partition_point(|start| *start <= number.0);
            if of_frame.replace(frame) != Some(frame) {
                found = 0;
            }
            found += u64::from(vertex_count);
            (found > limit).then_some(DrawOverBudget { number, vertex_count, found })
        });
        Ok(first)
    }

    /// Takes in the last frame, which begins with this command.
    pub(super) fn note_vertices(&mut self, start: u32) -> Result<(), Internal> {
        let drawn = self.draws_in(start..self.command_count())?.map(|(_, vertex_count)| u64::from(vertex_count)).sum();
        self.most_vertices = self.most_vertices.max(drawn);
        Ok(())
    }

    fn draws_in(&self, range: Range<u32>) -> Result<impl Iterator<Item = (CommandNumber, u32)>, Internal> {
        let steps = self.steps_in(range)?;
        Ok(steps.filter_map(|(number, step)| match step {
            ResolvedCommand::Draw { vertex_count, pipeline, .. } if pipeline.number().is_some() => {
                Some((CommandNumber(number), vertex_count))
            }
            _ => None,
        }))
    }
}
