//! How many vertices the frames of a picture draw.

use std::ops::Range;

use super::TraceIndex;
use super::step::{CommandNumber, Step};
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
    pub fn draw_over_budget(&self, frame: FrameIndex, end: u32, limit: u64) -> Option<DrawOverBudget> {
        let own = self.commands_of(frame).filter(|_| self.most_vertices > limit)?;
        let end = end.clamp(own.start, own.end);
        let shown_from = self.last_clear_before(end).unwrap_or(0);
        let (mut of_frame, mut found) = (None, 0);
        self.draws_in(shown_from.min(own.start)..end).find_map(|(number, vertex_count)| {
            let frame = self.frame_starts.partition_point(|start| *start <= number.0);
            if of_frame.replace(frame) != Some(frame) {
                found = 0;
            }
            found += u64::from(vertex_count);
            (found > limit).then_some(DrawOverBudget { number, vertex_count, found })
        })
    }

    /// Takes in the last frame, which begins with this command.
    pub(super) fn note_vertices(&mut self, start: u32) {
        let drawn = self.draws_in(start..self.command_count()).map(|(_, vertex_count)| u64::from(vertex_count)).sum();
        self.most_vertices = self.most_vertices.max(drawn);
    }

    fn draws_in(&self, range: Range<u32>) -> impl Iterator<Item = (CommandNumber, u32)> {
        let steps = self.steps.get(range.start as usize..range.end as usize).unwrap_or_default();
        (range.start..).zip(steps).filter_map(|(number, (_, step))| match step {
            Step::Draw { vertex_count, .. } => Some((CommandNumber(number), *vertex_count)),
            _ => None,
        })
    }
}
